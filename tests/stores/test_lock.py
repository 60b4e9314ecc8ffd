import gc
import json
import os
import subprocess
import sys
import tarfile
import threading
from pathlib import Path

import pytest

import explorer
from explorer.errors import ExplorerError, ModelError, WorkspaceError
from explorer.stores.backup import restore
from explorer.stores.lock import hold
from tests.corpus import QUESTIONS, filled
from tests.each import each
from tests.forked import Forked

ROOT = Path(__file__).parents[2]
EARLIER = ROOT / "tests" / "data" / "earlier_workspace.tar.xz"


@pytest.fixture
def other():
    """Starts another process that holds a folder until the test is over; gives what it told."""
    started = []

    def start(folder):
        child = Forked("-m", "tests.killed", "hold", folder, 0)
        started.append(child)
        assert json.loads(child.stdout.readline()) == {"open": False}
        assert json.loads(child.stdout.readline()) == {"held": None}
        return child

    yield start
    for child in started:
        child.close()


def test_a_folder_is_made_when_it_is_missing(tmp_path):
    with explorer.open(tmp_path / "a" / "b") as ws:
        assert ws.read_only is False
    assert json.loads((tmp_path / "a" / "b" / "workspace.json").read_text()) == {"format": 4}


def test_a_folder_with_other_files_is_refused_and_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(WorkspaceError, match="is not a workspace but holds other files; choose a new or empty folder"):
        explorer.open(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_file_is_no_workspace(tmp_path):
    file = tmp_path / "report.pdf"
    file.write_bytes(b"x")
    with pytest.raises(WorkspaceError, match="is a file, not a workspace folder; choose a folder"):
        explorer.open(file)
    with pytest.raises(WorkspaceError):
        explorer.open(file / "below")
    assert file.read_bytes() == b"x"


@pytest.mark.parametrize("name", ["x" * 300, "a\0b"])
def test_a_path_that_can_not_be_is_refused(tmp_path, name):
    with pytest.raises(WorkspaceError, match="choose another"):
        explorer.open(tmp_path / name)


@each("mark", ["", "{", "[]", '{"shape": 1}', "\0"])
def test_a_damaged_workspace_is_refused(tmp_path, mark):
    (tmp_path / "workspace.json").write_text(mark)
    with pytest.raises(WorkspaceError, match=r"workspace\.json is damaged"):
        explorer.open(tmp_path)


def test_a_workspace_of_a_later_format_is_refused(tmp_path):
    (tmp_path / "workspace.json").write_text('{"format": 5}')
    with pytest.raises(WorkspaceError, match="is of format 5, this version reads 4; use the version that made it"):
        explorer.open(tmp_path)


@pytest.fixture
def earlier(tmp_path):
    """A workspace that a development version before this format wrote: one document, one run."""
    with tarfile.open(EARLIER) as packed:
        packed.extractall(tmp_path, filter="data")
    return tmp_path / "ws"


def contents(folder):
    return {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in folder.rglob("*") if file.is_file()}


def test_a_workspace_of_an_earlier_format_says_what_to_do_and_stays_as_it_is(earlier, tmp_path, program):
    before = contents(earlier)
    assert {file.name for file in before} >= {"workspace.json", "library.sqlite", "CURRENT"}
    said = (
        f"{earlier} was written by an earlier development version (format 2, this one reads 4). Export its runs and "
        "reviews with that version (`explorer bundle`). Read its documents again into a new workspace, and import the "
        "runs."
    )
    ways = (
        lambda: explorer.open(earlier), lambda: explorer.open(earlier, collection="other"),
        lambda: restore(earlier, tmp_path / "to"), lambda: explorer.copy(earlier, tmp_path / "to"),
    )  # fmt: skip
    for way in ways:
        with pytest.raises(WorkspaceError) as refused:
            way()
        assert str(refused.value) == said
    for command in (["traces"], ["verify", "--all"], ["ledger"], ["backup", tmp_path / "to"], ["query", "SELECT * {}"]):
        code, out, err = program(*command, "-w", earlier)
        assert (code, out) == (2, "")
        assert "written by an earlier development version" in err
    assert contents(earlier) == before


@each("name", ["", ".", "..", "../x", "a/b", "a b", "a\n", "-x", "x" * 65, "a\\b", "\0"])
def test_a_collection_needs_a_plain_name(tmp_path, name):
    with pytest.raises(WorkspaceError, match="can't name a collection; use letters, digits"):
        explorer.open(tmp_path / "ws", collection=name)
    assert not (tmp_path / "ws").exists()


@each("name", ["default", "apollo-13", "größe", "a.b_c", "x" * 64])
def test_collections_of_a_workspace_are_apart(tmp_path, name):
    with explorer.open(tmp_path / "ws", collection=name) as one, explorer.open(tmp_path / "ws", collection="n2") as two:
        (tmp_path / "a.txt").write_text("Beech Aircraft built the valve in 1966.")
        one.ingest(tmp_path / "a.txt", progress=False)
        assert (one.size.documents, two.size.documents) == (1, 0)


@pytest.mark.parametrize("name", ["workspace.json", "default.lock"])
def test_a_collection_named_like_a_file_of_the_workspace_is_refused(tmp_path, name):
    with explorer.open(tmp_path / "ws"), pytest.raises(WorkspaceError):
        explorer.open(tmp_path / "ws", collection=name)


def test_workspaces_of_one_process_share_the_folder_until_the_last_is_closed(tmp_path):
    one, two = explorer.open(tmp_path / "ws"), explorer.open(tmp_path / "x" / ".." / "ws")
    assert two.read_only is False
    one.close()
    one.close()
    assert repr(one) == "<Workspace ws: closed>"
    assert two.size.documents == 0
    two.close()
    with pytest.raises(WorkspaceError, match="closed"):
        _ = two.size


def test_a_link_to_a_workspace_is_the_same_workspace(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "ws")
    with explorer.open(tmp_path / "ws"), explorer.open(tmp_path / "link") as again:
        assert again.read_only is False


def test_a_workspace_that_was_only_dropped_can_be_opened_again(tmp_path):
    ws = explorer.open(tmp_path / "ws")
    del ws
    gc.collect()
    with explorer.open(tmp_path / "ws") as again:
        assert again.read_only is False


def test_while_another_process_writes_it_is_read_only_and_says_who_holds_it(tmp_path, other):
    with filled(tmp_path / "ws") as ws:
        trace = ws.run(QUESTIONS[0])
    child = other(tmp_path / "ws")
    with explorer.open(tmp_path / "ws") as ws:
        assert ws.read_only
        assert f"process {child.pid} (" in ws.holder
        assert f"read-only: process {child.pid}" in repr(ws)
        assert ws.traces.load(trace.iri).answer == trace.answer
        for act in (lambda: ws.run(QUESTIONS[0]), lambda: ws.ask(QUESTIONS[0]), lambda: ws.ingest(ROOT / "README.md")):
            with pytest.raises(WorkspaceError, match=rf"is held by process {child.pid} .*; close it there"):
                act()
        assert len(ws.traces.list()) == 1


def test_once_the_other_process_has_gone_it_can_be_opened_for_writing(tmp_path, other):
    filled(tmp_path / "ws").close()
    child = other(tmp_path / "ws")
    reader = explorer.open(tmp_path / "ws")
    assert reader.read_only
    child.close()
    with explorer.open(tmp_path / "ws") as writer:
        assert writer.read_only is False
        assert writer.run(QUESTIONS[0]).reason == "done"
    reader.close()


def test_a_reader_lists_and_loads_what_the_writer_adds(tmp_path):
    code = f"""if True:
        import sys, explorer
        ws = explorer.open(sys.argv[1])
        print(ws.read_only, flush=True)
        for line in sys.stdin:
            trace = ws.traces.load(ws.traces.list()[0].iri)
            print(len(ws.traces.list()), trace.reason, ws.node(trace.iri).entity.query == {QUESTIONS[0]!r}, flush=True)
    """
    with filled(tmp_path / "ws") as ws:
        reader = Forked("-c", code, tmp_path / "ws")
        assert reader.stdout.readline() == "True\n"
        for number in (1, 2):
            ws.run(QUESTIONS[0])
            reader.stdin.write("list\n")
            reader.stdin.flush()
            assert reader.stdout.readline() == f"{number} done True\n"
        reader.communicate()


@pytest.fixture
def without_rights():
    """Act as a user who may not enter the test's folder; root may everything, so it steps down for a while."""
    if os.name != "posix":
        pytest.skip("needs POSIX permissions")
    steps_down = os.geteuid() == 0
    if steps_down:
        os.seteuid(65534)
    yield steps_down
    if steps_down:
        os.seteuid(0)


def test_a_folder_without_permission_is_refused(tmp_path, without_rights):
    if not without_rights:
        tmp_path.chmod(0)
    try:
        with pytest.raises(WorkspaceError, match=r"No permission to use .*; choose a folder you may write to"):
            explorer.open(tmp_path / "ws")
    finally:
        if not without_rights:
            tmp_path.chmod(0o700)


def test_nothing_is_kept_open_after_a_refusal(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    for _ in range(3):
        with pytest.raises(ExplorerError):
            hold(tmp_path, "default")
    (tmp_path / "thesis.txt").unlink()
    explorer.open(tmp_path).close()


FORKED = f"""
import os, sys
from multiprocessing import get_context
import explorer
from explorer.errors import WorkspaceError
from tests.corpus import filled

def says(act):
    try:
        act()
    except WorkspaceError as error:
        assert f"forked from process {{os.getppid()}}" in str(error), error
        assert 'method "spawn"' in str(error)
    else:
        raise AssertionError("it went on")

place, text = sys.argv[1:]
with filled(place) as ws, explorer.open() as memory:
    asking = ws.ask({QUESTIONS[0]!r})
    first = next(asking)

    def child():
        with ws:
            for act in (lambda: ws.run({QUESTIONS[0]!r}), lambda: ws.ingest(text, progress=False), lambda: ws.size,
                        lambda: list(asking), lambda: ws.traces.list(), lambda: ws.text(first.iri),
                        lambda: memory.ingest(text, progress=False), lambda: explorer.open(place),
                        lambda: explorer.open(place + "2")):
                says(act)
        with explorer.open() as fresh:
            assert fresh.ingest(text, progress=False).documents == 1

    forked = get_context("fork").Process(target=child)
    forked.start()
    forked.join()
    assert forked.exitcode == 0
    list(asking)
    assert ws.ingest(text, progress=False).documents == 1
    assert not ws.ingest(text, progress=False).documents
    print(ws.run({QUESTIONS[0]!r}).reason, ws.size.documents, len(ws.traces.list()), os.path.exists(place + "2"))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks on this system")
def test_a_forked_child_is_told_so_and_touches_nothing(tmp_path):
    (tmp_path / "a.txt").write_text("Globe Industries built the fans in 1964.")
    done = subprocess.run([sys.executable, "-c", FORKED, str(tmp_path / "ws"), str(tmp_path / "a.txt")],
                          cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "done 4 2 False\n"), done.stderr


@pytest.mark.parametrize(("lost", "spoiled", "says"), [
    ("graph", None, r"The graph in .*graph is missing, while the rest of the collection is there; restore it, or move"),
    ("graph/CURRENT", None, r"The graph in .*graph is missing"),
    ("graph/CURRENT", b"this is no manifest\n" * 50, "graph can't be opened"),
    ("library.sqlite", None, r"library\.sqlite is missing, while the rest of the collection is there; restore it"),
    ("library.sqlite", b"this is no database\n" * 50, r"default.library.sqlite is not a library"),
])  # fmt: skip
def test_a_store_that_is_missing_or_damaged_is_told_nothing_is_made_in_its_place_and_it_can_be_restored(
    tmp_path, lost, spoiled, says
):
    filled(tmp_path / "ws").close()
    place = tmp_path / "ws" / "default" / lost
    place.rename(tmp_path / "kept")
    if spoiled:
        place.write_bytes(spoiled)
    for _ in range(2):
        with pytest.raises(WorkspaceError, match=says):
            explorer.open(tmp_path / "ws")
        gc.collect()
        assert (place.read_bytes() if place.exists() else None) == spoiled
    (tmp_path / "kept").rename(place)
    with explorer.open(tmp_path / "ws") as ws:
        assert ws.run(QUESTIONS[0]).reason == "done"


def test_a_graph_that_was_emptied_is_told(tmp_path):
    with filled(tmp_path / "ws") as ws:
        ws.graph.store.clear()
    with pytest.raises(WorkspaceError, match=r"All that was in .*graph is missing"):
        explorer.open(tmp_path / "ws")


def test_a_failed_opening_keeps_no_lock_though_its_error_is_kept(tmp_path, other):
    explorer.open(tmp_path / "ws").close()
    with pytest.raises(ModelError) as kept:
        explorer.open(tmp_path / "ws", model="x", base_url="no address")
    other(tmp_path / "ws")
    del kept


def test_a_closed_workspace_is_closed_though_another_one_of_its_folder_is_open(tmp_path):
    with filled(tmp_path / "ws") as one, explorer.open(tmp_path / "ws") as two:
        traces = one.traces
        one.close()
        for act in (lambda: one.run(QUESTIONS[0]), lambda: one.ingest(tmp_path), lambda: one.traces,
                    lambda: one.size, lambda: one.graph.query("ASK {}")):  # fmt: skip
            with pytest.raises(WorkspaceError, match="This workspace is closed; open it again"):
                act()
        assert two.run(QUESTIONS[0]).reason == "done"
        one.reopen()
        assert len(one.traces.list()) == len(traces.list()) == 1


UNWRITABLE = f"""
import resource, sys
import explorer
from explorer.errors import WorkspaceError

resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
with explorer.open(sys.argv[1]) as ws:
    assert ws.read_only and ws.holder is None, ws
    [run] = ws.traces.list()
    trace = ws.traces.load(run.iri)
    assert trace.answer and ws.node(run.iri).children and "<html" in ws.report(trace)
    try:
        ws.run({QUESTIONS[0]!r})
    except WorkspaceError as error:
        sys.stdout.write(f"{{ws}} {{error}}")
"""


def test_where_nothing_can_be_written_it_is_read_only_and_says_why(tmp_path):
    with filled(tmp_path / "ws") as ws:
        ws.run(QUESTIONS[0])
    done = subprocess.run([sys.executable, "-c", UNWRITABLE, str(tmp_path / "ws")],
                          cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)  # fmt: skip
    assert "; read-only: its folder can't be written (File too large)> The workspace ws is read-only" in done.stdout
    assert "Make room there, or copy the folder to a place that can be written" in done.stdout, done.stderr
    with explorer.open(tmp_path / "ws") as ws:
        assert not ws.read_only


def test_a_workspace_that_was_dropped_while_it_was_in_use_may_be_closed_while_another_one_is_opened(tmp_path, other):
    """What is collected as the lock is looked at closes it, in the same thread."""

    def used():
        with explorer.open(tmp_path / "dropped") as ws:
            yield ws

    other(tmp_path / "held")
    gc.disable()
    try:
        using = [used()]
        next(using[0])
        using.append(using)  # a circle, which only the collector ends
        del using
        opening = threading.Thread(target=lambda: explorer.open(tmp_path / "held").close(), daemon=True)
        opening.start()
        opening.join(60)
        assert not opening.is_alive()
    finally:
        gc.enable()
