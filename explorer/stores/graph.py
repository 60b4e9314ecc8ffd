"""The graph: an RDF dataset of facts, sources, traces and annotations, each in its named graph."""

from __future__ import annotations

import gc
import os
import shutil
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain, dropwhile, islice
from pathlib import Path
from typing import Any, Protocol

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, QuerySolution, RdfFormat, Store, Triple

from explorer.errors import CLOSED, MOVED, WorkspaceError
from explorer.stores.sparql import QueryResult, is_of_all, snapshot
from explorer.stores.sparql_child import answered, asked_of
from explorer.vocab import FACTS, Graph

Object = NamedNode | BlankNode | Literal | Triple
Node = NamedNode | BlankNode | None
Predicate = NamedNode | None
Pattern = tuple[Node, Predicate, Object | None, Graph | None]
"""What `match` takes: subject, predicate, object and graph, None for anything."""
_PAUSE = 1.0  # seconds
_ANEW, _TAKEN = ".anew", ".taken"  # endings of names beside the folder of a graph
_UNFINISHED = "bulk-*.sst"  # as pyoxigraph calls files that it has not taken in yet
MANY = 5_000  # quads that are stored as files of their own


class GraphStore(Protocol):
    """What the rest asks of a graph, whatever keeps it. What can't be written raises WorkspaceError."""

    def add(self, quads: Iterable[Quad]) -> None:
        """Store quads, all or none."""

    def take_in(self, batches: Iterable[Sequence[Quad]], nodes: Iterable[tuple[NamedNode, Graph]] = ()) -> None:
        """Store any number of quads, of which no more than a batch is held, all or none; those about `nodes` in a graph
        each go before that.
        """

    def replace(
        self, nodes: Iterable[tuple[NamedNode, Graph]], quads: Iterable[Quad], gone: Iterable[Quad] = ()
    ) -> None:
        """Take out all quads about nodes in a graph each, and those in `gone`, and store others, in one transaction."""

    def match(
        self, subject: Node = None, predicate: Predicate = None, obj: Object | None = None, graph: Graph | None = None
    ) -> Iterator[Quad]:
        """Return the quads that fit; None fits anything."""

    def matches(self, patterns: Sequence[Pattern], limit: int | None = None) -> list[list[Quad]]:
        """Return for each pattern, in their order, the quads that fit it, at most `limit` of each; over a network they
        are one request.
        """

    def __contains__(self, quad: Quad) -> bool:
        """Return whether a quad is stored."""

    def stored(self, quads: Iterable[Quad]) -> set[Quad]:
        """Return those of some quads that are stored; over a network they are one request."""

    def query(self, sparql: str) -> Any:  # noqa: ANN401 - solutions, triples or a truth value, by the query's form
        """Run a SPARQL query over facts, sources and traces together; raises RecordError when it can't be read."""

    def solutions(self, sparql: str) -> list[QuerySolution]:
        """Return all rows of a SELECT over all graphs together; raises as `query` does."""

    def answered(self, asked: str | dict[str, Any], seconds: float) -> QueryResult:
        """Answer a query of a user or an agent, or the arguments of `sparql.table`, bounded in time.

        Raises TimeoutExpired after so many seconds, OSError when it can't be asked, and WorkspaceError when the graph
        is closed.
        """

    def size(self) -> int:
        """Return how many quads there are."""

    def flush(self) -> None:
        """Have what was stored be safe from a failing machine."""

    def refresh(self) -> None:
        """Read what another process has written since."""

    def write_anew(self) -> None:
        """Have nothing that was removed be left in what keeps it."""

    def disown(self, why: str) -> None:
        """Leave it to the process that this one was forked from: whatever is asked raises WorkspaceError."""

    def close(self) -> None:
        """Close it; raises nothing when it is closed already."""


class OxigraphStore:
    """A pyoxigraph store on disk, or in memory when `path` is None.

    A read-only store is a snapshot of the moment it was opened; `refresh` takes a new one.
    """

    def __init__(self, path: Path | None, *, read_only: bool = False) -> None:
        self.path = path
        self.read_only = read_only
        self._store: Store | None = None
        self._left: tuple[Store | None, ...] = ()
        self._closed = CLOSED
        self._lock = threading.Lock()
        self._flusher: ThreadPoolExecutor | None = None
        self._flushed: Future[None] | None = None
        self._waits, self._closing = threading.Event(), threading.Event()
        self._changing = threading.RLock()  # held while quads come or go
        self._flushing = threading.Lock()  # held while the store is flushed, whose files stay until that is done
        self._fresh: Store | None = None  # that is to take the place of the store
        self.place = path
        """The folder that it is in."""
        self._moved = 0

    def open(self) -> OxigraphStore:
        """Open the store; raises WorkspaceError when another process holds it or it is damaged."""
        self._settle()
        self.place = self.path
        self._store = self._opened()
        return self

    @property
    def store(self) -> Store:
        """The open pyoxigraph store; raises WorkspaceError after `close`."""
        store = self._store
        if store is None:
            with self._lock:  # it may be written anew
                store = self._store
        if store is None:
            raise WorkspaceError(self._closed)
        return store

    def add(self, quads: Iterable[Quad]) -> None:
        given = list(quads)
        with self._changed() as stores:
            for store in stores:
                if len(given) < MANY or self.path is None:
                    store.extend(given)
                elif self._fresh is not None:
                    store.bulk_extend(given)
                else:  # half the time and a third of the disk; the files are taken into the store in one step
                    store.bulk_extend(emptied(given))

    def take_in(self, batches: Iterable[Sequence[Quad]], nodes: Iterable[tuple[NamedNode, Graph]] = ()) -> None:
        """Store any number of quads, of which no more than a batch is held, all or none, also after a kill. Quads about
        `nodes` in a graph each go before that. Readers see none of it until it is done.

        What others add meanwhile is not lost. Raises what `batches` raises, and WorkspaceError when it can't be
        written; nothing is stored then.
        """
        dropped = [quad for node, graph in nodes for quad in self.match(node, None, None, graph)]
        if self.path is None:
            with self._changing, self._written():
                self.store.bulk_extend(chain.from_iterable(batches))
                for quad in dropped:
                    self.store.remove(quad)
            return
        place = self._free_place()
        try:
            with self._changing, self._written():
                self.store.backup(str(place))  # the same files under other names, which takes no time and no room
                self._fresh = Store(str(place))
            for quad in dropped:
                self._fresh.remove(quad)
            for batch in batches:
                with self._written():
                    self._fresh.bulk_extend(batch)
            with self._changing, self._written():
                self._fresh.flush()
                self._take_place(self._fresh, place)
        finally:
            self._fresh = None
            let_go(place)
            if place != self.place:
                shutil.rmtree(place, ignore_errors=True)

    def replace(
        self, nodes: Iterable[tuple[NamedNode, Graph]], quads: Iterable[Quad], gone: Iterable[Quad] = ()
    ) -> None:
        steps = [f"DELETE WHERE {{ {_within(graph, f'{node} ?p ?o')} }}" for node, graph in nodes]
        changed = ("DELETE", gone), ("INSERT", quads)
        steps += [f"{verb} DATA {{ {''.join(map(_line, some))} }}" for verb, some in changed]
        with self._changed() as stores:
            for store in stores:
                store.update(";\n".join(steps))

    def match(
        self, subject: Node = None, predicate: Predicate = None, obj: Object | None = None, graph: Graph | None = None
    ) -> Iterator[Quad]:
        if self.read_only and self.path is not None:
            return self._again(subject, predicate, obj, graph)
        return self.store.quads_for_pattern(subject, predicate, obj, graph)

    def matches(self, patterns: Sequence[Pattern], limit: int | None = None) -> list[list[Quad]]:
        return [list(islice(self.match(*pattern), limit)) for pattern in patterns]

    def __contains__(self, quad: Quad) -> bool:
        return quad in self.store

    def stored(self, quads: Iterable[Quad]) -> set[Quad]:
        return {quad for quad in quads if quad in self.store}

    def _again(self, *pattern: Any) -> Iterator[Quad]:  # noqa: ANN401 - as `match` takes them
        """Read from a new snapshot where the writer has taken away a file of this one; quads come in one order."""
        last: Quad | None = None
        for is_last in (False, False, False, True):
            try:
                found = self.store.quads_for_pattern(*pattern)
                if last is not None:
                    found = dropwhile(last.__ne__, found)
                    if next(found, None) is None:
                        raise WorkspaceError(f"What was read of {self.path} was removed meanwhile; try again.")
                for last in found:
                    yield last
                return
            except OSError:
                if is_last:
                    raise
                self.refresh()

    def query(self, sparql: str) -> Any:  # noqa: ANN401 - solutions, triples or a truth value, by the query's form
        """Run a SPARQL query over all graphs together, or those of its FROM, in this process and without limits.

        Raises RecordError when it can't be read, and for a SERVICE, which would be asked over the network.
        """
        return asked_of(self.store, sparql, use_default_graph_as_union=is_of_all(sparql))

    def solutions(self, sparql: str) -> list[QuerySolution]:
        """Return all rows of a SELECT over all graphs together; raises as `query` does.

        They are read from a new snapshot where the writer has taken away a file of this one.
        """
        for _ in range(3):
            try:
                return list(self.query(sparql))
            except OSError:
                self.refresh()
        return list(self.query(sparql))

    def answered(self, asked: str | dict[str, Any], seconds: float) -> QueryResult:
        store = self.store
        whole = place_of(self.path.absolute()) if self.path else store.dump(format=RdfFormat.N_QUADS) or b""
        return answered(whole, asked, seconds)

    def refresh(self) -> None:
        """Replace the snapshot of a read-only store; raises WorkspaceError and keeps the old one when that fails.

        Other threads read on in the old snapshot until the new one is there.
        """
        if self.read_only and self.path is not None:
            fresh = self._opened()
            with self._lock:
                if self._store is not None:  # else it was closed in the meantime
                    self._store = fresh

    def size(self) -> int:
        return len(self.store)

    def newest(self) -> Store:
        """Return a snapshot of what is stored now, whoever writes it."""
        return self._opened() if self.read_only and self.path is not None else self.store

    @contextmanager
    def still(self) -> Iterator[Store]:
        """Yield the store while nobody changes it."""
        with self._changing, self._written():
            yield self.store

    def write_anew(self) -> None:
        """Write all of it anew, so that nothing of what was removed is left in its files: the store keeps every text
        that it ever had. The caller lets nobody else write meanwhile; readers wait. A kill leaves it as it was, or new.

        Raises WorkspaceError when that can't be written; then it is as it was.
        """
        if self.path is None:
            return
        place, before = self._free_place(), self.place
        with self._written():
            copy = Store(str(place))
            copy.bulk_extend(self.store)
            copy.flush()
            with self._flushing:
                self._take_place(copy, place)
        let_go(before or place)
        shutil.rmtree(before or place, ignore_errors=True)

    def _free_place(self) -> Path:
        assert self.path is not None  # noqa: S101 - only memory has no path
        self._moved += 1
        place = self.path.with_name(f"{self.path.name}{_ANEW}{self._moved}")
        shutil.rmtree(place, ignore_errors=True)
        return place

    def _take_place(self, fresh: Store, place: Path) -> None:
        """Have the graph in a folder beside it be this one from now on, also after a kill. It moves when it is next
        opened: files of the former one that a reader has open have the same names.
        """
        assert self.path is not None  # noqa: S101 - only memory has no path
        told = self.path.with_name(f"{self.path.name}{_TAKEN}")
        part = told.with_name(f"{told.name}.part")
        part.write_text(place.name, "utf-8")
        with self._lock:
            part.replace(told)
            self._store, self.place = fresh, place

    @contextmanager
    def _changed(self) -> Iterator[list[Store]]:
        """Yield the stores that a change goes into, while nobody else makes one."""
        with self._changing, self._written():
            yield [self.store, *([] if self._fresh is None else [self._fresh])]

    def _settle(self) -> None:
        """Move the graph to its own folder where it was written beside it, and remove what was not finished."""
        if self.path is None or self.read_only:
            return
        place = place_of(self.path)
        if place != self.path:
            shutil.rmtree(self.path, ignore_errors=True)
            place.rename(self.path)
        self.path.with_name(f"{self.path.name}{_TAKEN}").unlink(missing_ok=True)
        for left in self.path.parent.glob(f"{self.path.name}{_ANEW}*"):
            shutil.rmtree(left, ignore_errors=True)
        for file in self.path.glob(_UNFINISHED):
            file.unlink()

    def flush(self) -> None:
        """Have memory buffers written to disk soon, against a loss of power; `close` waits for it.

        What is asked for within `_PAUSE` is written together: each time costs some 50 ms of processor time in other
        threads. A process that is killed loses nothing even without. Raises WorkspaceError when the last time failed.
        """
        if self.read_only or self.path is None:
            return
        if self._flushed is not None and self._flushed.done():
            self._flushed.result()
        if not self._waits.is_set():
            self._waits.set()
            self._flusher = self._flusher or ThreadPoolExecutor(1, thread_name_prefix="flush")
            self._flushed = self._flusher.submit(self._flush)

    def _flush(self) -> None:
        self._closing.wait(_PAUSE)
        self._waits.clear()
        with self._flushing, self._written():
            self.store.flush()

    def close(self) -> None:
        if self._flusher is not None:
            self._closing.set()
            self._flusher.shutdown()
            self._flusher = self._flushed = None
            self._closing.clear()
        with self._lock:
            self._store = None
        if self.path is not None:
            let_go(self.path)

    def disown(self, why: str) -> None:
        self._lock = threading.Lock()  # a thread that is not in this process may have held the other one
        self._closed, self._left, self._store, self._flusher = why, (self._store, self._fresh), None, None
        self._changing, self._flushing, self._fresh = threading.RLock(), threading.Lock(), None

    @contextmanager
    def _written(self) -> Iterator[None]:
        """Turn a failure of the disk into one sentence."""
        try:
            yield
        except OSError as error:
            if self.path is not None and not self.path.exists():
                raise WorkspaceError(MOVED.format(self.path.parent)) from error
            raise WorkspaceError(  # RocksDB takes nothing more until it is opened anew
                f"The graph in {self.path} can't be written ({error}). Make room on its disk, then close the workspace "
                "and open it again."
            ) from error

    def _opened(self) -> Store:
        try:
            if self.path is None:
                return Store()
            return snapshot(str(place_of(self.path))) if self.read_only else Store(str(self.path))
        except (OSError, RuntimeError) as error:  # the second for files that are damaged
            message = f"The graph in {self.path} can't be opened ({error}); close what else uses it and try again."
            raise WorkspaceError(message) from error


def emptied(quads: list[Quad]) -> Iterator[Quad]:
    """Yield quads from the end and take them out of their list, so that none takes room once it is stored."""
    while quads:
        yield quads.pop()


def let_go(folder: Path | str) -> None:
    """Have pyoxigraph release a folder, or any whose name begins so: it does when the store is gone, and what reads it.

    These may stand in a circle. Looking for one takes long, so it is left out where the system says that no file of
    the folder is open.
    """
    begins = os.path.realpath(folder)
    try:
        with os.scandir("/proc/self/fd") as own:
            is_open = any(str(Path(one).readlink()).startswith(begins) for one in own)
    except OSError:  # nothing says so there, or a file was closed meanwhile
        is_open = True
    if is_open:
        gc.collect()


def place_of(path: Path) -> Path:
    """Return the folder that a graph is in: its own, or one beside it until it is next opened."""
    told = path.with_name(f"{path.name}{_TAKEN}")
    place = path.with_name(told.read_text("utf-8")) if told.exists() else path
    return place if place.exists() else path


def _line(quad: Quad) -> str:
    words = f"{quad.subject} {quad.predicate} {_text(quad.object)} ."
    return f"{_within(quad.graph_name, words)}\n"


def _within(graph: Graph | BlankNode, words: str) -> str:
    return words if graph == FACTS else f"GRAPH {graph} {{ {words} }}"


def _text(term: Object) -> str:
    return f"<<( {term.subject} {term.predicate} {_text(term.object)} )>>" if isinstance(term, Triple) else str(term)
