"""Sealing and verifying where things go wrong around them: a copy of an open folder, a full disk, a clock set back."""

import shutil
import sys
from datetime import timedelta

import pytest
from pyoxigraph import Literal, NamedNode, Quad

import explorer
from explorer.errors import WorkspaceError
from explorer.events import Explain
from explorer.vocab import PROV, RETRIEVAL, iri, session_of
from tests.corpus import QUESTIONS, Clock, filled, filled_anew
from tests.each import each
from tests.endings import REPLIES, Kind, gone, interrupted


@pytest.mark.embedded("copies the folder's files")
def test_a_workspace_copied_while_a_run_goes_on_has_all_that_was_shown(tmp_path):
    with filled_anew(tmp_path / "ws") as ws:
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


def copied(ws, folder, parts, between):
    """A plain copy of a workspace, the part that is named first before something happens, and the rest after it."""
    for part, act in zip(parts, (between, lambda: None), strict=True):
        rest = shutil.ignore_patterns("graph" if part == "library" else "library.sqlite*")
        shutil.copytree(ws.path, folder, ignore=rest, dirs_exist_ok=True)
        act()
    return explorer.open(folder)


@pytest.mark.embedded("copies the folder's files")
@pytest.mark.parametrize("parts", [("graph", "library"), ("library", "graph")])
def test_a_folder_copied_by_parts_while_it_was_in_use_is_told_to_be_copied_by_backup(tmp_path, parts):
    with filled_anew(tmp_path / "ws") as ws:
        ws.run(QUESTIONS[0])
        with copied(ws, tmp_path / "copy", parts, lambda: ws.run(QUESTIONS[1])) as copy:
            found = copy.verify()
            assert found.faults
            assert {session_of(one.node) for one in found.faults} == {"s2"}  # the first one is whole, and not blamed
            assert "copied while it was in use" in found.seals
            assert "`explorer backup`" in found.seals
        assert "copied" not in ws.verify().seals
        ws.backup(tmp_path / "backup")
    with explorer.open(tmp_path / "backup") as copy:
        assert copy.verify().is_sound


@pytest.mark.embedded("it is this process's disk that is full")
def test_a_disk_that_is_full_when_a_run_is_to_be_sealed_loses_nothing(tmp_path):
    with filled(tmp_path / "ws") as ws:
        with ws.stores.database.writing() as connection:  # what SQLite does then, at each new entry
            connection.execute(
                "CREATE TRIGGER full BEFORE INSERT ON ledger BEGIN SELECT RAISE(ABORT, 'disk is full'); END"
            )
        with pytest.raises(WorkspaceError, match=r"[Mm]ake room on its disk"):
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


def shown_by_runs(ws):
    """The triples of many runs, as they are shown."""
    for number in range(30):
        for event in ws.ask(QUESTIONS[number % 3], ("graph-rag", "agent")[number % 2]):
            yield from event.triples if isinstance(event, Explain) else ()


@pytest.mark.embedded("it is this process's disk that is full")
@pytest.mark.skipif(sys.platform == "win32", reason="no limits of files there")
@each("room", [20_000, 150_000, 240_000, 400_000])
def test_a_disk_that_gets_full_while_runs_go_on_loses_nothing_that_was_shown(tmp_path, room):
    """Files can't grow beyond some bytes, so that one of several runs fails, at another step for each size."""
    import resource

    filled(tmp_path / "ws").close()
    usual, shown = resource.getrlimit(resource.RLIMIT_FSIZE), set()
    with explorer.open(tmp_path / "ws") as ws:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, usual[1]))
        try:
            with pytest.raises(WorkspaceError, match=r"can't be (?:used|written) \(.*[Mm]ake room on its disk"):
                shown.update(shown_by_runs(ws))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, usual)
        assert shown <= {*ws.graph.match(None, None, None, RETRIEVAL)}
        assert ws.verify().is_sound
    with explorer.open(tmp_path / "ws") as ws:
        assert shown <= {*ws.graph.match(None, None, None, RETRIEVAL)}
        assert ws.run(QUESTIONS[0]).reason == "done"
        assert {one.reason for one in ws.traces.list(limit=100)} <= {"done", "interrupted"}
        assert {one.iri for one in ws.traces.list(limit=100)} == {one.about for one in ws.ledger}
        assert ws.verify().is_sound


class SetBack:
    """A clock that is set back once, at some look at it."""

    def __init__(self, at, by):
        self.clock, self.left, self.by = Clock(), at, by

    def __call__(self):
        self.left -= 1
        return self.clock() - (self.by if self.left < 0 else timedelta())


@each("at", [1, 3, 5, 8])
@each("way", ["graph-rag", "document-rag", "supervisor"])
def test_a_clock_that_is_set_back_during_a_run_is_told_and_no_fault(tmp_path, way, at):
    """Here, in its bundle, and where that is imported; what is changed afterwards is found all the same."""
    with filled() as ws:
        ws._clock = ws.traces.clock = SetBack(at, timedelta(hours=1))
        run = Kind(way, REPLIES).ask(ws)
        told = ws.verify(run)
        assert told.is_sound
        assert len(told) > 0
        assert all(one.is_note and "the clock was set back" in one.what for one in told)
        ws.bundle(run, path=tmp_path / "run.zip")
        assert explorer.verify_file(tmp_path / "run.zip").is_sound
        with explorer.open() as other:
            other.import_record(tmp_path / "run.zip")
            assert other.verify().is_sound
        [end] = ws.graph.match(NamedNode(iri("end", session_of(run))), PROV.endedAtTime)
        other = Quad(end.subject, end.predicate, Literal("2020-01-01T00:00:00Z"), end.graph_name)
        ws.graph.replace((), [other], [end])
        assert "it ended before it began" in [one.what for one in ws.verify(run).faults]


@pytest.mark.embedded("copies the folder's files")
def test_a_run_that_is_ended_by_a_clock_that_is_behind_is_no_fault(tmp_path):
    ws, runs = interrupted(tmp_path)
    with ws:
        assert ws.verify().is_sound
        assert {ws.traces.load(run).reason for run in runs.values()} == {"interrupted"}
        assert any(one.is_note for one in ws.verify())


@pytest.mark.embedded("copies the folder's files")
@pytest.mark.parametrize("ended", ["stopped", "interrupted"])
def test_a_run_that_was_stopped_or_cut_off_after_it_has_failed_is_no_fault(tmp_path, ended):
    with filled_anew(tmp_path / "ws") as ws:
        events = Kind("graph-rag", gone("document-prompt")).begin(ws)
        for event in events:
            if isinstance(event, Explain) and "failure" in event.iri:
                break
        shutil.copytree(tmp_path / "ws", tmp_path / "copy")
        events.close()
    with explorer.open(tmp_path / ("ws" if ended == "stopped" else "copy")) as ws:
        [run] = ws.traces.list()
        assert run.reason == ended
        assert ws.verify().is_sound
