"""Who asks while documents are being read in is told so: in a folder, in memory and on servers."""

import json
import signal
import time

import pytest

import explorer
from explorer.errors import WorkspaceError
from tests.corpus import NOTES, VALVES
from tests.forked import Forked

QUESTION = "Who made the fan motors?"
READER = """
import json, sys, time, explorer
with explorer.open(**json.loads(sys.argv[1])) as ws:
    def hang(step):
        if step.stage == "storing":
            print("storing", flush=True)
            time.sleep(60)
    ws.ingest(sys.argv[2], progress=hang)
"""


@pytest.fixture(params=["memory", "folder", pytest.param("servers", marks=pytest.mark.servers)])
def opened(request, tmp_path):
    """A workspace with a document, and the arguments by which another process opens it."""
    if request.param == "servers":
        team = request.getfixturevalue("team")
        place = {"path": team.url, "endpoint": team.endpoint, "collection": team.collection}
    else:
        place = {"path": None if request.param == "memory" else str(tmp_path / "ws")}
    with explorer.open(**place) as ws:
        yield ws, place


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setenv("EXPLORER_USER", "Ana")
    (tmp_path / "notes.txt").write_text(NOTES, "utf-8")
    (tmp_path / "valves.md").write_text(VALVES, "utf-8")
    return tmp_path / "notes.txt", tmp_path / "valves.md"


def reading(place, file):
    """A process that is reading a file in until it is killed."""
    child = Forked("-c", READER, json.dumps(place), file)
    assert child.stdout.readline() == "storing\n"
    return child


@pytest.mark.parametrize("engine", ["graph-rag", "document-rag", "agent"])
def test_an_answer_that_declines_while_documents_are_read_in_says_so(opened, files, engine):
    ws, _ = opened
    notes, valves = files
    ws.ingest(notes, progress=False)
    asked = []

    def ask(step):
        if step.stage == "storing" and not asked:
            [told] = ws.being_read
            asked.append(told)
            asked.append(ws.run(QUESTION, engine))

    ws.ingest(valves, progress=ask)
    told, meanwhile = asked
    assert told.by == "Ana"
    assert meanwhile.reason == "declined"
    assert meanwhile.answer.count(str(told)) == 1
    assert meanwhile.answer.endswith(f"({told})")
    assert ws.traces.load(meanwhile.iri).answer == meanwhile.answer
    assert ws.being_read == []
    assert "being read in" not in ws.run("Who is the mayor of Lisbon?", engine).answer
    assert "Globe Industries" in ws.run(QUESTION, "graph-rag").answer
    assert ws.verify().is_sound


def test_an_empty_workspace_into_which_documents_are_read_says_who_reads(opened, files):
    ws, _ = opened

    def ask(step):
        with pytest.raises(
            WorkspaceError, match=r"No documents yet. Documents are being read in by Ana since 2.*again"
        ):
            ws.run(QUESTION)

    ws.ingest(files[0], progress=ask)
    assert ws.run("Who built the relief valve?").reason == "done"


def test_another_process_that_reads_in_is_named_until_it_is_gone(opened, files):
    ws, place = opened
    if place["path"] is None:
        pytest.skip("nobody else has what is in memory")
    ws.ingest(files[0], progress=False)
    if ws.path:
        ws.close()
    child = reading(place, files[1])
    try:
        with explorer.open(**place) as other:
            assert [one.by for one in other.being_read] == ["Ana"]
            if not ws.path:
                assert "(Documents are being read in by Ana since" in other.run(QUESTION).answer
            child.send_signal(signal.SIGKILL)
            child.close()
            end = time.monotonic() + 20  # that of a lease, on servers
            while other.being_read:
                assert time.monotonic() < end
                time.sleep(0.1)
    finally:
        child.kill()
        child.close()


def test_the_list_in_the_terminal_says_it(files, tmp_path, program):
    with explorer.open(tmp_path / "ws") as ws:
        ws.ingest(files[0], progress=False)
        with ws.stores.database.reading_in("Ana"):
            code, out, err = program("documents", "-w", tmp_path / "ws")
        assert (code, "Notes of the shift" in out) == (0, True)
        assert err.startswith("Documents are being read in by Ana since")
        assert "being read" not in "".join(program("documents", "-w", tmp_path / "ws")[1:])
