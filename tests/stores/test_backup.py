"""A backup is a workspace of its own, as of one moment, whoever writes meanwhile."""

import json
import subprocess
import sys
import threading
import time

import pytest

import explorer
from explorer.errors import WorkspaceError
from explorer.stores.backup import back_up, restore
from explorer.stores.collection import open_collection
from tests.corpus import QUESTIONS, filled
from tests.forked import Forked


def everything(ws):
    tables = ("contents", "documents", "chunks", "vectors", "listing", "ledger")
    rows = [sorted(map(repr, map(tuple, ws.stores.database.rows(f"SELECT * FROM {table}")))) for table in tables]
    return {*ws.graph.match()}, rows


@pytest.mark.parametrize("place", ["ws", None])
def test_a_backup_opens_as_what_was_backed_up(tmp_path, place):
    with filled(place and tmp_path / place) as ws:
        trace = ws.run(QUESTIONS[0])
        here = everything(ws)
        assert ws.backup(tmp_path / "copy") == tmp_path / "copy"
        ws.run(QUESTIONS[1])
        with explorer.open(tmp_path / "copy") as copy:
            assert everything(copy) == here
            assert copy.verify(anchor=copy.ledger.head).is_sound
            assert copy.traces.load(trace.iri).answer == trace.answer
            assert copy.run(QUESTIONS[2]).answer
        assert everything(ws) != here
    assert not [one for one in tmp_path.iterdir() if one.name.endswith(".part")]


def test_a_backup_while_runs_go_on_holds_each_whole_or_as_cut_off(tmp_path):
    with filled(tmp_path / "ws") as ws:
        stop = threading.Event()

        def ask():
            number = 0
            while not stop.is_set():
                ws.run(f"{QUESTIONS[number % 3]} ({number})")
                number += 1
                stop.wait(0.02)

        thread = threading.Thread(target=ask)
        thread.start()
        try:
            for number in range(4):
                time.sleep(0.3)
                ws.backup(tmp_path / f"copy{number}")
        finally:
            stop.set()
            thread.join()
    for number in range(4):
        check(tmp_path / f"copy{number}")


def check(copy):
    with explorer.open(copy) as ws:
        assert ws.verify().is_sound
        assert len(ws.ledger) == len(ws.traces.list(limit=1000))
        assert {one.reason for one in ws.traces.list(limit=1000)} <= {"done", "declined", "interrupted"}
        return len(ws.ledger)


WRITER = """
import sys, time, explorer
from tests.corpus import QUESTIONS
with explorer.open(sys.argv[1]) as ws:
    for number in range(1000):
        trace = ws.run(f"{QUESTIONS[number % 3]} ({number})")
        print(trace.iri, flush=True)
        time.sleep(0.05)
"""


def test_a_backup_while_another_process_writes(tmp_path):
    filled(tmp_path / "ws").close()
    with Forked("-c", WRITER, tmp_path / "ws") as writer:
        writer.stdout.readline()
        shown = 1
        stores = open_collection(tmp_path / "ws" / "default", read_only=True)
        for number in range(2):
            shown += bool(writer.stdout.readline())
            back_up(stores, tmp_path / f"copy{number}", "default")
            assert check(tmp_path / f"copy{number}") >= shown
        stores.close()
        writer.kill()


BUSY = """
import sqlite3, sys, time
library = sqlite3.connect(sys.argv[1], isolation_level=None)
print("writes", flush=True)
while True:
    library.execute("INSERT OR REPLACE INTO settings VALUES ('busy', hex(randomblob(8)))")
    time.sleep(0.001)
"""


def test_a_process_that_writes_without_a_pause_is_made_to_wait(tmp_path):
    with filled(tmp_path / "ws") as ws:
        ws.run(QUESTIONS[0])
    library = tmp_path / "ws" / "default" / "library.sqlite"
    with subprocess.Popen([sys.executable, "-c", BUSY, str(library)], stdout=subprocess.PIPE, text=True) as writer:
        writer.stdout.readline()
        stores = open_collection(library.parent, read_only=True)
        started = time.monotonic()
        back_up(stores, tmp_path / "copy", "default")
        assert time.monotonic() - started < 20
        stores.close()
        writer.kill()
    assert check(tmp_path / "copy") == 1


def test_where_a_backup_does_not_go(tmp_path):
    with filled(tmp_path / "ws") as ws:
        (tmp_path / "full").mkdir()
        (tmp_path / "full" / "file").touch()
        (tmp_path / "empty").mkdir()
        for place, why in (("full", "is there already"), ("full/file", "is there already"), ("ws/copy", "is in what")):
            with pytest.raises(WorkspaceError, match=why):
                ws.backup(tmp_path / place)
        ws.backup(tmp_path / "empty")
    restore(tmp_path / "empty", tmp_path / "again")
    with explorer.open(tmp_path / "again") as ws:
        assert len(ws.documents) == 3
    for bad in ("full", "nowhere"):
        with pytest.raises(WorkspaceError, match="is no workspace"):
            restore(tmp_path / bad, tmp_path / "other")
    (tmp_path / "empty" / "workspace.json").write_text(json.dumps({"format": 99}))
    with pytest.raises(WorkspaceError, match="of format 99"):
        restore(tmp_path / "empty", tmp_path / "other")


def test_all_collections_of_a_backup_are_restored(tmp_path):
    for name in ("default", "other"):
        with explorer.open(tmp_path / "ws", collection=name) as ws:
            (tmp_path / f"{name}.txt").write_text(f"The {name} pump was built in 1966.")
            ws.ingest(tmp_path / f"{name}.txt", progress=False)
    assert restore(tmp_path / "ws", tmp_path / "again") == ["default", "other"]
    for name in ("default", "other"):
        with explorer.open(tmp_path / "again", collection=name) as ws:
            assert [one.source for one in ws.documents] == [str(tmp_path / f"{name}.txt")]


def test_the_commands(tmp_path, program):
    with filled(tmp_path / "ws") as ws:
        trace = ws.run(QUESTIONS[0])
    assert program("backup", tmp_path / "copy", "-w", tmp_path / "ws")[0] == 0
    assert program("restore", tmp_path / "copy", tmp_path / "again")[0] == 0
    with explorer.open(tmp_path / "again") as ws:
        assert ws.traces.load(trace.iri).answer == trace.answer
    assert "Name the new folder" in program("restore", tmp_path / "copy")[2]
    (tmp_path / "runs.json").write_text("{}")
    assert "is no folder of a backup" in program("restore", tmp_path / "runs.json", tmp_path / "new")[2]
    assert "is there already" in program("backup", tmp_path / "copy", "-w", tmp_path / "ws")[2]
