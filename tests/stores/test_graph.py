import threading
import time
from contextlib import closing

import pytest
from pyoxigraph import Literal, NamedNode, Quad

from explorer.errors import WorkspaceError
from explorer.stores import graph as module
from explorer.stores.graph import OxigraphStore
from explorer.stores.reading_ahead import RememberedGraph
from explorer.vocab import FACTS, RETRIEVAL, SOURCE

A, IS = NamedNode("http://trustgraph.ai/e/a"), NamedNode("http://trustgraph.ai/e/is")
VALUES = [Literal("x"), Literal("x", language="fr"), Literal("x", language="en"), NamedNode("urn:t:x"),
          Literal("1", datatype=NamedNode("http://www.w3.org/2001/XMLSchema#integer"))]  # fmt: skip


@pytest.fixture
def graph():
    return OxigraphStore(None).open()


def test_a_reader_sees_the_moment_it_was_opened_until_it_is_refreshed(tmp_path):
    writer = OxigraphStore(tmp_path / "g").open()
    writer.add([Quad(A, IS, VALUES[0])])
    reader = OxigraphStore(tmp_path / "g", read_only=True).open()
    writer.add([Quad(A, IS, VALUES[1])])
    assert len(list(reader.match(A))) == 1
    reader.refresh()
    assert len(list(reader.match(A))) == 2
    reader.close()
    writer.close()


def test_a_graph_that_is_held_is_refused_and_free_after_closing(tmp_path):
    first = OxigraphStore(tmp_path / "g").open()
    with pytest.raises(WorkspaceError, match="close what else uses it"):
        OxigraphStore(tmp_path / "g").open()
    first.add([Quad(A, IS, VALUES[0])])
    circle = [first.match()]
    circle.append(circle)  # which only the collector ends
    del circle
    first.close()
    OxigraphStore(tmp_path / "g").open().close()


def test_other_threads_read_on_while_a_new_snapshot_is_taken(tmp_path):
    writer = OxigraphStore(tmp_path / "g").open()
    writer.add([Quad(A, IS, VALUES[0])])
    reader = OxigraphStore(tmp_path / "g", read_only=True).open()
    failed, done = [], threading.Event()

    def look():
        while not done.is_set():
            try:
                assert len(list(reader.match(A))) == 1
            except WorkspaceError as error:
                failed.append(error)

    thread = threading.Thread(target=look)
    thread.start()
    for _ in range(20):
        reader.refresh()
    done.set()
    thread.join()
    assert failed == []
    reader.close()
    writer.close()


def test_files_that_the_writer_takes_away_while_they_are_read_are_looked_for_again(tmp_path):
    writer = OxigraphStore(tmp_path / "g").open()
    graphs = [NamedNode(f"urn:g:{number}") for number in range(3)]
    for batch in range(24):  # pyoxigraph opens some of many files only when it needs them
        about = [NamedNode(f"urn:t:{batch}:{number}") for number in range(300)]
        writer.add(Quad(one, IS, Literal(f"{batch} {at}"), graphs[at % 3]) for at, one in enumerate(about))
        writer.store.flush()
    reader = OxigraphStore(tmp_path / "g", read_only=True).open()
    begun = reader.match(None, None, None, graphs[1])
    first = next(begun)
    writer.store.optimize()
    for pattern in ((None, IS), (about[5],), (None, None, Literal("7 5"))):
        assert set(reader.match(*pattern)) == set(writer.match(*pattern))
    assert {first, *begun} == set(writer.match(None, None, None, graphs[1]))
    assert len(list(reader.match(None, None, None, graphs[2]))) == 24 * 100


def test_a_refresh_that_fails_leaves_the_old_snapshot(tmp_path):
    writer = OxigraphStore(tmp_path / "g").open()
    writer.add([Quad(A, IS, VALUES[0])])
    reader = OxigraphStore(tmp_path / "g", read_only=True).open()
    (tmp_path / "g" / "CURRENT").rename(tmp_path / "away")
    with pytest.raises(WorkspaceError, match="can't be opened"):
        reader.refresh()
    assert len(list(reader.match(A))) == 1
    (tmp_path / "away").rename(tmp_path / "g" / "CURRENT")
    reader.close()
    reader.refresh()
    with pytest.raises(WorkspaceError, match="closed; open it again"):
        list(reader.match(A))
    writer.close()


class Counted:
    """A store that counts how often it is written to disk."""

    times = 0

    def flush(self):
        self.times += 1


def test_what_is_to_be_written_within_a_moment_is_written_once_and_before_closing_and_later_again(
    tmp_path, monkeypatch
):
    graph, graph._store = OxigraphStore(tmp_path), (store := Counted())
    for _ in range(5):
        graph.flush()
    graph.close()
    assert store.times == 1
    monkeypatch.setattr(module, "_PAUSE", 0.0)
    graph._store = store
    for _ in range(3):
        graph.flush()
        graph._flushed.result(timeout=10)
    assert store.times == 4
    graph.close()


def test_that_writing_failed_is_said_the_next_time(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_PAUSE", 0.0)
    graph, graph._store = OxigraphStore(tmp_path), None
    graph.flush()
    with pytest.raises(WorkspaceError):
        graph._flushed.result(timeout=10)
    with pytest.raises(WorkspaceError):
        graph.flush()


def test_a_folder_that_was_moved_is_said_also_after_a_flush_that_failed_for_it(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_PAUSE", 0)
    (tmp_path / "ws").mkdir()
    graph = OxigraphStore(tmp_path / "ws" / "g").open()
    graph.add([Quad(A, IS, VALUES[0])])
    (tmp_path / "ws").rename(tmp_path / "moved")
    graph.flush()
    for act in (graph._flushed.result, graph.flush, lambda: graph.add([Quad(A, IS, VALUES[1])])):
        with pytest.raises(WorkspaceError, match="ws was moved, replaced or deleted while it was open"):
            act()
    graph.close()


def test_many_quads_are_stored_as_a_few_are_all_or_none(tmp_path):
    many = [Quad(A, IS, Literal(f"value {number}"), SOURCE) for number in range(module.MANY)]

    def failing():
        yield from many
        raise ValueError("cut off")

    graph = OxigraphStore(tmp_path / "graph").open()
    graph.add(many[:3])
    with pytest.raises(ValueError, match="cut off"):
        graph.add(failing())
    assert set(graph.match()) == set(many[:3])
    graph.add(many)
    graph.close()
    graph = OxigraphStore(tmp_path / "graph").open()
    assert set(graph.match()) == set(many)
    graph.close()


def test_a_graph_that_is_remembered_has_the_same_quads_and_reads_a_node_once(graph):
    graph.add(Quad(A, IS, value, where) for value in VALUES for where in (FACTS, SOURCE))
    once = RememberedGraph(graph)
    for where in (FACTS, SOURCE, RETRIEVAL, None):
        assert [*once.match(A, None, None, where)] == [*graph.match(A, None, None, where)]
        assert [*once.match(A, IS, None, where)] == [*graph.match(A, IS, None, where)]
        assert [*once.match(None, IS, VALUES[0], where)] == [*graph.match(None, IS, VALUES[0], where)]
    graph.add([Quad(A, IS, Literal("later"), FACTS)])
    assert len([*once.match(A)]) == 2 * len(VALUES)
    assert len([*once.match(A, IS)]) == 2 * len(VALUES) + 1


class Slow:
    """A store that takes its time to flush."""

    def __init__(self, store):
        self.store = store
        self.flushes = threading.Event()

    def flush(self):
        self.flushes.set()
        time.sleep(1)
        self.store.flush()

    def __iter__(self):
        return iter(self.store)


def test_a_graph_that_is_flushed_while_it_is_written_anew_keeps_the_files_until_that_is_done(tmp_path):
    with closing(OxigraphStore(tmp_path / "graph").open()) as store:
        store.add(Quad(A, IS, value) for value in VALUES)
        store._store = slow = Slow(store._store)
        store.flush()
        assert slow.flushes.wait(10)
        store.write_anew()
        store._flushed.result()
        del slow  # which holds the former one open
        assert store.size() == len(VALUES)
    with closing(OxigraphStore(tmp_path / "graph").open()) as again:
        assert again.size() == len(VALUES)
