import sqlite3
import subprocess
import sys
import threading
from contextlib import closing

import pytest

from explorer.errors import WorkspaceError
from explorer.stores.sqlite import SqliteDatabase

ADD = "INSERT INTO settings VALUES (?, 'x')"


def damage(path, table):
    """Overwrite the first page of a table in a file that is closed."""
    with closing(sqlite3.connect(path)) as connection:
        [[size]] = connection.execute("PRAGMA page_size")
        [[page]] = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,))
    data = bytearray(path.read_bytes())
    data[(page - 1) * size : page * size] = b"A" * size
    path.write_bytes(data)


def names(database):
    return [row["name"] for row in database.rows("SELECT name FROM settings ORDER BY name")]


def test_a_read_only_database_can_not_be_written(tmp_path):
    SqliteDatabase(tmp_path / "a.sqlite").open().close()
    reader = SqliteDatabase(tmp_path / "a.sqlite", read_only=True).open()
    with pytest.raises(WorkspaceError, match="readonly database"), reader.writing() as connection:
        connection.execute(ADD, ("a",))
    reader.close()


def test_a_thread_that_has_ended_leaves_no_connection(tmp_path):
    opened = SqliteDatabase(tmp_path / "a.sqlite").open()
    for _ in range(30):
        thread = threading.Thread(target=names, args=(opened,))
        thread.start()
        thread.join()
    assert len(opened._all) <= 2
    assert names(opened) == []
    opened.close()


def test_a_file_that_is_damaged_later_is_told_in_a_sentence_in_any_thread(tmp_path):
    SqliteDatabase(tmp_path / "a.sqlite").open().close()
    damage(tmp_path / "a.sqlite", "settings")
    opened = SqliteDatabase(tmp_path / "a.sqlite").open()
    told = []

    def look():
        with pytest.raises(WorkspaceError) as failed:
            names(opened)
        told.append(str(failed.value))

    def write():
        with pytest.raises(WorkspaceError) as failed, opened.writing() as connection:
            connection.execute(ADD, ("a",))
        told.append(str(failed.value))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    look()
    write()
    opened.close()
    assert len(told) == 3
    for sentence in told:
        assert sentence.startswith(f"{tmp_path / 'a.sqlite'} can't be used (database disk image is malformed); ")
        assert sentence.endswith(".")


SHARED = """
import faulthandler
from concurrent.futures import ThreadPoolExecutor
import explorer
faulthandler.dump_traceback_later(20, exit=True)
database = explorer.open().stores.database
def look():
    for _ in range(3_000):
        database.rows("SELECT folded('A') UNION SELECT folded('B')")
with ThreadPoolExecutor(1) as pool:
    looking = pool.submit(look)
    while not looking.done():
        database.state()
"""


def test_threads_that_share_a_collection_in_memory_do_not_wait_for_each_other():
    assert subprocess.run([sys.executable, "-c", SHARED], check=False, timeout=60).returncode == 0
