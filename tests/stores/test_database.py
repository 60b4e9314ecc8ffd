import sqlite3
import threading

import pytest

from explorer.errors import WorkspaceError
from explorer.stores.database import Database

ADD = "INSERT INTO settings VALUES (?, 'x')"


@pytest.fixture(params=["memory", "disk"])
def database(request, tmp_path):
    opened = Database(None if request.param == "memory" else tmp_path / "library.sqlite").open()
    yield opened
    opened.close()


def names(database):
    return [row["name"] for row in database.rows("SELECT name FROM settings ORDER BY name")]


def test_a_transaction_is_stored_whole_or_not_at_all(database):
    with database.writing() as connection:
        connection.execute(ADD, ("a",))
    with pytest.raises(sqlite3.IntegrityError), database.writing() as connection:
        connection.executemany(ADD, [("b",), ("a",)])
    assert names(database) == ["a"]


def test_several_threads_write_and_read(database):
    def work(number):
        for i in range(20):
            with database.writing() as connection:
                connection.execute(ADD, (f"{number}-{i:02}",))
            names(database)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(names(database)) == 80


def test_a_closed_database_is_refused(database):
    database.close()
    database.close()
    for act in (lambda: names(database), lambda: database.writing().__enter__()):
        with pytest.raises(WorkspaceError, match="closed; open it again"):
            act()


def test_what_was_committed_is_there_after_opening_again(tmp_path):
    first = Database(tmp_path / "a.sqlite").open()
    with first.writing() as connection:
        connection.execute(ADD, ("a",))
    first.close()
    assert names(Database(tmp_path / "a.sqlite").open()) == ["a"]


def test_a_read_only_database_can_not_be_written(tmp_path):
    Database(tmp_path / "a.sqlite").open().close()
    reader = Database(tmp_path / "a.sqlite", read_only=True).open()
    with pytest.raises(sqlite3.OperationalError), reader.writing() as connection:
        connection.execute(ADD, ("a",))
    reader.close()


def test_a_file_that_is_no_database_is_refused(tmp_path):
    (tmp_path / "a.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(WorkspaceError, match="is not a library that can be opened"):
        Database(tmp_path / "a.sqlite").open()
