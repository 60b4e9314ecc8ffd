"""Sealing and verifying where things go wrong around them."""

import shutil

import explorer
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
