"""Sealing and verifying where things go wrong around them: a copy of an open folder, a full disk."""

import shutil

import pytest

import explorer
from explorer.errors import WorkspaceError
from tests.corpus import QUESTIONS, filled


def test_a_workspace_copied_while_a_run_goes_on_has_all_that_was_shown(tmp_path):
    with filled(tmp_path / "ws") as ws:
        whole = ws.run(QUESTIONS[0]).iri
        events = ws.ask(QUESTIONS[1])
        for _ in range(4):
            next(events)
        shutil.copytree(tmp_path / "ws", tmp_path / "copy")
        events.close()
    with explorer.open(tmp_path / "copy") as copy:
        cut, done = copy.traces.list()
        assert (cut.reason, done.reason, done.iri) == ("interrupted", "done", whole)
        assert [one.kind for one in copy.ledger] == ["run", "interrupted"]
        assert copy.verify().is_sound
    with explorer.open(tmp_path / "ws") as ws:
        assert ws.verify().is_sound


def test_a_disk_that_is_full_when_a_run_is_to_be_sealed_loses_nothing(tmp_path):
    with filled(tmp_path / "ws") as ws:
        with ws.stores.database.writing() as connection:  # what SQLite does then, at each new entry
            connection.execute(
                "CREATE TRIGGER full BEFORE INSERT ON ledger BEGIN SELECT RAISE(ABORT, 'disk is full'); END"
            )
        with pytest.raises(WorkspaceError, match="make room on its disk"):
            ws.run(QUESTIONS[0])
        assert len(ws.ledger) == 0
        [run] = ws.traces.list()
        assert "Beech Aircraft" in ws.traces.load(run.iri).answer
        assert ws.verify().is_sound
        with ws.stores.database.writing() as connection:
            connection.execute("DROP TRIGGER full")
    with explorer.open(tmp_path / "ws") as ws:
        assert [(one.kind, one.about) for one in ws.ledger] == [("run", run.iri)]
        assert ws.verify().is_sound
