"""The graph of one collection on a SPARQL 1.1 server, which others may read and write at the same time.

Each of its graphs, that of facts too, has a name of its own there: the default graph of the server is never asked, as
some servers take all graphs together for it. What is read and queried has the names of a folder again.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import islice
from subprocess import TimeoutExpired
from typing import Any
from uuid import uuid4

from pyoxigraph import (
    BlankNode,
    Literal,
    NamedNode,
    Quad,
    QueryBoolean,
    QueryResultsFormat,
    QuerySolution,
    RdfFormat,
    Store,
    parse_query_results,
    serialize,
)

from explorer.errors import RecordError, WorkspaceError
from explorer.servers.endpoint import query_rewriting as questions
from explorer.servers.endpoint.probing import found
from explorer.servers.endpoint.terms import Dialect, Names, Terms, named, not_ours, orphans
from explorer.stores import sparql, sparql_child
from explorer.stores.graph import Node, Object, Pattern, Predicate
from explorer.stores.sparql import QueryResult, is_of_all
from explorer.stores.sparql_child import checked
from explorer.stores.sparql_client import Address, DoubtfulError, Rows, Server
from explorer.vocab import FACTS, Graph

_BUNDLE = 500  # patterns in one request; more are read in several
_BATCH = 5_000  # quads in one update of many
_COPIED = 200_000  # quads that are read into this process for a query that the server would answer otherwise
_LISTED = NamedNode("urn:provenance-explorer:listed")
_STAGED = NamedNode("urn:provenance-explorer:staged")
_MARKED = NamedNode("urn:provenance-explorer:marked")


class EndpointStore:
    """A graph on a server, as `GraphStore` has it; each method makes one request, or as many as it says."""

    def __init__(
        self,
        address: Address,
        collection: str,
        *,
        timeout: float = 10,
        dialect: Dialect | None = None,
        fence: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """Keep where it is. `collection` is the name of its graphs there, `timeout` seconds for a request; `dialect`
        what was found before, else `open` asks. While anything is written `fence` is entered, which may refuse it.
        """
        self._fence = fence
        self.server = Server(address, timeout)
        self.names = Names(collection)
        self._dialect = dialect
        self._changing = threading.RLock()

    def __repr__(self) -> str:
        """Return it by its address and collection, without credentials."""
        return f"EndpointStore({self.server.address.query!r}, {self.names.collection!r})"

    def open(self) -> EndpointStore:
        """Find out what the server understands unless that is known, and which graphs there are.

        Raises WorkspaceError where it can't be reached, or is no SPARQL server.
        """
        try:
            if self._dialect is None:
                self._dialect = found(self.server, self.names.base)
            self.refresh()
        except BaseException:
            self.close()
            raise
        return self

    @property
    def dialect(self) -> Dialect:
        """What the server understands, to be kept with the workspace."""
        if self._dialect is None:
            raise WorkspaceError(f"The graph on {self.server.address.query} is not open.")
        return self._dialect

    @property
    def terms(self) -> Terms:
        """How terms are written there."""
        return Terms(self.dialect)

    def refresh(self) -> None:
        """Read which graphs there are by now; all else is read anew each time."""
        rows = self.server.rows(
            f"SELECT ?o WHERE {{ GRAPH {self.names.registry} {{ {self.names.registry} {_LISTED} ?o }} }}"
        )
        for row in rows:
            name = row["o"]
            if isinstance(name, Literal):
                self.names.meet(named(name.value))

    def mark(self) -> str | None:
        """Return what the graph is marked by, so that it is known again; None where it has no mark."""
        at = self.names.registry
        rows = self.server.rows(f"SELECT ?o WHERE {{ GRAPH {at} {{ {at} {_MARKED} ?o }} }}")
        found = [row["o"] for row in rows]
        return next((one.value for one in found if isinstance(one, Literal)), None)

    def put_mark(self, mark: str) -> None:
        """Mark the graph, which has no mark."""
        at = self.names.registry
        self._sent(f"INSERT DATA {{ GRAPH {at} {{ {at} {_MARKED} {Literal(mark)} }} }}")

    def flush(self) -> None:
        """Do nothing: a server keeps what it has confirmed."""

    def write_anew(self) -> None:
        """Do nothing: what a server keeps of what was removed is in the hands of who runs it."""

    def close(self) -> None:
        self.server.close()

    def disown(self, why: str) -> None:
        self.server.disown(why)

    def add(self, quads: Iterable[Quad]) -> None:
        """Store quads in one update, all or none.

        Raises WorkspaceError when the server can't or won't. What a lost reply leaves in doubt is looked up.
        """
        given = list(dict.fromkeys(quads))
        if given:
            with self._changing, self._fence(), self._meeting():
                self._update(self._inserting(given), there=given)

    def replace(
        self, nodes: Iterable[tuple[NamedNode, Graph]], quads: Iterable[Quad], gone: Iterable[Quad] = ()
    ) -> None:
        """Take out all quads about nodes in a graph each, and those in `gone`, and store others, in one update.

        Raises WorkspaceError as `add` does.
        """
        dropped, removed, given = list(nodes), list(gone), list(dict.fromkeys(quads))
        terms, names = self.terms, self.names
        steps = [
            f"DELETE WHERE {{ GRAPH {names.of(graph)} {{ {terms.write(node)} ?p ?o }} }}" for node, graph in dropped
        ]
        if removed:
            lines = (f"GRAPH {names.of(quad.graph_name)} {{ {self._words(quad)} }}" for quad in removed)
            steps.append(f"DELETE DATA {{ {' '.join(lines)} }}")
        left: set[Any] = {graph for _, graph in dropped} | {quad.graph_name for quad in removed}
        with self._changing, self._fence(), self._meeting():
            steps += self._inserting(given)
            if not terms.quotes:
                steps += [orphans(names.of(graph)) for graph in sorted(left, key=str)]
            if steps:
                back = set(given)
                self._update(steps, there=given, nodes=dropped, gone=[one for one in removed if one not in back])

    def take_in(self, batches: Iterable[Sequence[Quad]], nodes: Iterable[tuple[NamedNode, Graph]] = ()) -> None:
        """Store any number of quads, of which no more than a batch is held, all or none, also after a kill. Quads about
        `nodes` in a graph each go before that. Readers see none of it until it is done, in one last update.

        Until then they stand in graphs of their own, which go when it fails; `sweep` takes out a killed writer's.
        """
        dropped = list(nodes)
        batch, staged = uuid4().hex, dict[NamedNode, NamedNode]()
        try:
            for quads in batches:
                self._stage(quads, batch, staged)
            steps = [
                f"DELETE WHERE {{ GRAPH {self.names.of(graph)} {{ {self.terms.write(node)} ?p ?o }} }}"
                for node, graph in dropped
            ]
            steps += [f"ADD {place} TO {home} ; DROP SILENT GRAPH {place}" for place, home in staged.items()]
            if not self.terms.quotes:
                steps += [orphans(self.names.of(graph)) for graph in sorted({graph for _, graph in dropped}, key=str)]
            steps += [self._staging(staged, "DELETE")] if staged else []
            if steps:
                with self._changing, self._fence():
                    self._taken(steps, list(staged))
        except BaseException:
            self._drop(staged)
            raise

    def sweep(self) -> None:
        """Take out what a writer that was killed had not finished to take in; for who knows that no other writes."""
        at = self.names.registry
        rows = self.server.rows(f"SELECT ?g WHERE {{ GRAPH {at} {{ {at} {_STAGED} ?g }} }}")
        self._drop([row["g"] for row in rows if isinstance(row["g"], NamedNode)])

    def match(
        self, subject: Node = None, predicate: Predicate = None, obj: Object | None = None, graph: Graph | None = None
    ) -> Iterator[Quad]:
        """Return the quads that fit; None fits anything, in `graph` any graph.

        What is about a node or leads to one is read at once, all else while it comes.
        """
        pattern = (subject, predicate, obj, graph)
        if subject is not None or obj is not None:
            return iter(self.matches([pattern])[0])
        return (quad for _, quad in self._read([pattern], self.server.timeout, at_once=False))

    def matches(self, patterns: Sequence[Pattern], limit: int | None = None) -> list[list[Quad]]:
        found: list[list[Quad]] = [[] for _ in patterns]
        places = iter(range(len(patterns)))
        while bundle := list(islice(places, _BUNDLE)):
            asked = [patterns[place] for place in bundle]
            for number, quad in self._read(asked, self.server.timeout, at_once=True, limit=limit):
                found[bundle[number]].append(quad)
        return found if limit is None else [quads[:limit] for quads in found]  # of several graphs, each has as many

    def __contains__(self, quad: Quad) -> bool:
        return bool(self.stored([quad]))

    def stored(self, quads: Iterable[Quad]) -> set[Quad]:
        given = list(dict.fromkeys(quads))
        patterns: list[Any] = [(quad.subject, quad.predicate, quad.object, quad.graph_name) for quad in given]
        return {quad for quad, found in zip(given, self.matches(patterns), strict=True) if found}

    def size(self) -> int:
        """Return how many quads there are, without those that only describe triple terms."""
        graphs = " ".join(f"<{name}>" for name in self.names.all())
        [row] = self.server.rows(
            f"SELECT (COUNT(*) AS ?n) WHERE {{ VALUES ?g {{ {graphs} }} GRAPH ?g {{ ?s ?p ?o }} {not_ours('?s')} }}"
        )
        return int(row["n"].value)

    def emptied(self) -> None:
        """Take out all of it but its mark."""
        at = self.names.registry
        with self._changing, self._fence():
            steps = [f"DROP SILENT GRAPH <{name}>" for name in self.names.all()]
            self._sent(" ;\n".join([*steps, f"DELETE WHERE {{ GRAPH {at} {{ {at} {_LISTED} ?o }} }}"]))
            self.names.others.clear()

    def query(self, sparql: str) -> Any:  # noqa: ANN401 - solutions, triples or a truth value, by the query's form
        """Run a SPARQL query over all graphs together.

        Raises RecordError when it can't be read, for a SERVICE, and for what the server would answer otherwise than a
        folder where that is too much to be copied; WorkspaceError when it is not answered in time.
        """
        kind = checked(sparql)
        sent = self._sendable(sparql)
        if sent is None:
            store = Store()
            store.bulk_extend(self._quads(self.server.timeout))
            return store.query(sparql, use_default_graph_as_union=is_of_all(sparql))
        return self._answer(kind, sent, self._dataset(union=True), self.server.timeout)

    def solutions(self, sparql: str) -> list[QuerySolution]:
        return list(self.query(sparql))

    def answered(self, asked: str | dict[str, Any], seconds: float) -> QueryResult:
        text = asked if isinstance(asked, str) else str(asked["query"])
        prefixes = {} if isinstance(asked, str) else dict(asked["prefixes"])
        until = time.monotonic() + seconds
        read = sparql_child.answered(
            b"", asked, seconds
        )  # of nothing, and not in this process: one that is nested deeply ends it
        if read.error is not None:
            return read
        kind = questions.KINDS[read.form]
        head = "".join(f"PREFIX {name}: <{iri}>\n" for name, iri in prefixes.items())
        sent = self._sendable(f"{head}{text}")
        try:
            if sent is None:
                whole = serialize(self._quads(seconds), format=RdfFormat.N_QUADS) or b""
                return sparql_child.answered(whole, asked, max(0.1, until - time.monotonic()))
            shown = _Shown(self, kind, sent, self._dataset(union=not isinstance(asked, str)), seconds)
            if isinstance(asked, str):
                return sparql.ask(shown, asked)
            return sparql.table(shown, **asked)
        except RecordError as error:
            return QueryResult(error=str(error).removesuffix("."))
        except WorkspaceError as error:
            if time.monotonic() >= until:
                raise TimeoutExpired("SPARQL", seconds) from error
            raise

    def _sendable(self, text: str) -> str | None:
        """Return a query as it is sent; None where it has to be answered here."""
        if not self.dialect.scoped or self.dialect.form != "1.2":
            return None
        there = {graph.value: name for name, graph in self.names.all().items() if isinstance(graph, NamedNode)}
        return questions.sendable(text, there)

    def _dataset(self, *, union: bool) -> list[tuple[str, str]]:
        known = {graph: NamedNode(name) for name, graph in self.names.all().items()}
        rest = [name for graph, name in known.items() if graph != FACTS]
        return questions.dataset([known[FACTS], *(rest if union else [])], rest)

    def _answer(self, kind: type, sent: str, dataset: list[tuple[str, str]], seconds: float) -> Any:  # noqa: ANN401
        """Return what pyoxigraph's own store would: the server's answer, with names and blank nodes as in a folder."""
        if questions.is_triples(kind):
            store = Store()
            triples = self.server.triples(sent, dataset, seconds)
            for one in triples:
                store.add(Quad(_any(self._plain(one.subject)), one.predicate, _any(self._plain(one.object))))
            return store.query("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }")
        with self.server.solutions(sent, dataset, seconds) as found, self.server.read():
            if isinstance(found, QueryBoolean):
                return found
            names, rows = found.variables, [tuple(map(self._plain, row)) for row in found]
        return parse_query_results(questions.results(names, rows), QueryResultsFormat.JSON)

    def _plain(self, term: Object | None) -> Object | None:
        if isinstance(term, NamedNode) and term.value.startswith(self.names.base):
            graph = self.names.all().get(term.value)
            return graph if isinstance(graph, NamedNode | BlankNode) else term
        return None if term is None else self.terms.read(term)

    def _quads(self, seconds: float) -> Iterator[Quad]:
        found = self._read([(None, None, None, None)], seconds, at_once=True)
        for count, (_, quad) in enumerate(found):
            if count == _COPIED:
                raise RecordError(
                    f"{self.server.address.query} can't be asked this, and more than {_COPIED:,} quads "
                    "are too many to be copied. Ask without FROM, BASE, isBlank and names of graphs in texts."
                )
            yield quad

    def _read(
        self, patterns: Sequence[Pattern], seconds: float, *, at_once: bool, limit: int | None = None
    ) -> Iterator[tuple[int, Quad]]:
        """Yield the quads that fit patterns, at most `limit` of each, with the number of its pattern."""
        terms, graphs = self.terms, self.names.all()
        query = terms.looked_up(patterns, self.names, limit)
        with self.server.solutions(query, seconds=seconds if at_once else None) as found, self.server.read():
            assert isinstance(found, Rows)  # noqa: S101 - SELECT gives rows
            for number, subject, predicate, obj, name, written in found:
                if not terms.is_ours(subject):
                    quad = Quad(
                        _any(terms.read(subject)), _any(predicate), terms.read(obj, written), _any(graphs[name.value])
                    )
                    yield int(number.value), quad

    def _words(self, quad: Quad) -> str:
        return f"{self.terms.write(quad.subject)} {quad.predicate} {self.terms.write(quad.object)} ."

    def _inserting(self, quads: Sequence[Quad]) -> list[str]:
        """Return the updates that store quads, and list graphs that are new."""
        if not quads:
            return []
        lines: dict[Any, list[str]] = defaultdict(list)
        for graph, words in self.terms.lines(quads):
            lines[graph].append(words)
        data = [f"GRAPH {self.names.of(graph)} {{ {' '.join(words)} }}" for graph, words in lines.items()]
        return [f"INSERT DATA {{ {' '.join([*data, *self._listing(lines)])} }}"]

    def _listing(self, graphs: Iterable[Any]) -> list[str]:
        new = [graph for graph in graphs if not self.names.is_known(graph)]
        for graph in new:
            self.names.meet(graph)
        listed = [str(Literal(self.names.of(graph).value.removeprefix(self.names.base))) for graph in new]
        registry = self.names.registry
        return [f"GRAPH {registry} {{ {registry} {_LISTED} {', '.join(listed)} . }}"] if listed else []

    @contextmanager
    def _meeting(self) -> Iterator[None]:
        """Forget graphs that were met in a change that failed: they are not listed."""
        before = {*self.names.others}
        try:
            yield
        except BaseException:
            for graph in {*self.names.others} - before:
                del self.names.others[graph]
            raise

    def _update(
        self,
        steps: Sequence[str],
        *,
        there: Sequence[Quad],
        nodes: Sequence[tuple[NamedNode, Graph]] = (),
        gone: Sequence[Quad] = (),
    ) -> None:
        """Make one update; where its reply is lost, look up whether it was made, and if not make it once more.

        To repeat it is safe: whether it was made once or twice leaves the same.
        """
        text = " ;\n".join(steps)
        try:
            self.server.update(text)
        except DoubtfulError as error:
            if error.was_late:  # to look it up now would take as long again
                raise
            if not self._is_made(there, nodes, gone):
                self.server.update(text)

    def _is_made(self, there: Sequence[Quad], nodes: Sequence[tuple[NamedNode, Graph]], gone: Sequence[Quad]) -> bool:
        found = self.stored([*there, *gone])
        about: list[Pattern] = [(node, None, None, graph) for node, graph in nodes]
        left = {quad for quads in self.matches(about) for quad in quads} if about else set()
        return found.issuperset(there) and found.isdisjoint(gone) and left.issubset(there)

    def _stage(self, quads: Sequence[Quad], batch: str, staged: dict[NamedNode, NamedNode]) -> None:
        """Write quads to graphs that nobody reads yet; to write them twice does no harm."""
        lines: dict[Any, list[str]] = defaultdict(list)
        for graph, words in self.terms.lines(quads):
            lines[graph].append(words)
        places = {graph: self.names.staged(graph, batch) for graph in lines}
        new = [place for place in places.values() if place not in staged]
        with self._changing, self._fence(), self._meeting():
            steps = [f"INSERT DATA {{ {' '.join(listing)} }}"] if (listing := self._listing(lines)) else []
            steps += [self._staging(new, "INSERT")] if new else []
            if steps:
                self._sent(" ;\n".join(steps))
        for graph, written in lines.items():
            place = places[graph]
            staged[place] = self.names.of(graph)
            for start in range(0, len(written), _BATCH):
                some = written[start : start + _BATCH]
                if self.server.address.store is not None:
                    self._filled(place, "\n".join(some))
                else:
                    self._sent(f"INSERT DATA {{ GRAPH {place} {{ {' '.join(some)} }} }}")

    def _sent(self, text: str) -> None:
        try:
            self.server.update(text)
        except DoubtfulError:
            self.server.update(text)

    def _filled(self, place: NamedNode, lines: str) -> None:
        try:
            self.server.fill(place.value, f"{lines}\n")
        except DoubtfulError:
            self.server.fill(place.value, f"{lines}\n")

    def _taken(self, steps: Sequence[str], staged: Sequence[NamedNode]) -> None:
        """Make the last update of many; where its reply is lost, what was staged is gone if it was made."""
        text = " ;\n".join(steps)
        try:
            self.server.update(text)
        except DoubtfulError:
            rows = " ".join(map(str, staged))
            left = self.server.rows(f"SELECT ?g WHERE {{ VALUES ?g {{ {rows} }} GRAPH ?g {{ ?s ?p ?o }} }} LIMIT 1")
            if left or not staged:
                self.server.update(text)

    def _drop(self, graphs: Iterable[NamedNode]) -> None:
        """Take out graphs that were staged; where the server is away `sweep` does it later."""
        gone = list(graphs)
        if gone:
            self._sent(" ;\n".join([*(f"DROP SILENT GRAPH {one}" for one in gone), self._staging(gone, "DELETE")]))

    def _staging(self, graphs: Iterable[NamedNode], act: str) -> str:
        """Return the update by which graphs are listed as those in which quads wait, or no more ("DELETE")."""
        at = self.names.registry
        return f"{act} DATA {{ GRAPH {at} {{ {at} {_STAGED} {', '.join(map(str, graphs))} . }} }}"


class _Shown:
    """A query that was checked and is put to the server instead of the text that it was made of."""

    def __init__(
        self, graph: EndpointStore, kind: type, sent: str, dataset: list[tuple[str, str]], seconds: float
    ) -> None:
        self._graph, self._asked = graph, (kind, sent, dataset, seconds)

    def query(
        self, query: str, *, prefixes: dict[str, str] | None = None, use_default_graph_as_union: bool = False
    ) -> Any:  # noqa: ANN401 - what is found, by the query's form
        """Answer it."""
        return self._graph._answer(*self._asked)  # noqa: SLF001 - a view of it


def _any(term: Any) -> Any:  # noqa: ANN401 - the server was asked for a term that fits
    return term
