"""Terms as a server holds them, and back: names of graphs, blank nodes, triple terms, and texts of any datatype."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal as OneOf
from urllib.parse import quote, unquote

from pyoxigraph import BaseDirection, BlankNode, DefaultGraph, Literal, NamedNode, Quad, RdfFormat, Triple, parse

from explorer.errors import WorkspaceError
from explorer.stores.default_graph import nested
from explorer.stores.graph import Object, Pattern
from explorer.vocab import ANNOTATION, CONTENTS, FACTS, RDF, RETRIEVAL, SOURCE, XSD_STRING, Graph

Form = OneOf["1.2", "1.1", "star"]
AnyGraph = Graph | BlankNode
Node = NamedNode | BlankNode

_NODE = "urn:provenance-explorer:node:"
_TERM = "urn:provenance-explorer:term:"
_TYPED = "urn:provenance-explorer:typed:"
_DIRECTED = "https://www.w3.org/ns/i18n#"
_GRAPH = "urn:provenance-explorer:graph:"
_CHOSEN = "?i ?s ?p ?o ?g ?w"
_WRITTEN = NamedNode("urn:provenance-explorer:written")
_STANDARD: dict[AnyGraph, str] = {
    FACTS: "facts", SOURCE: "source", RETRIEVAL: "retrieval", ANNOTATION: "annotation", CONTENTS: "contents",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a server understands, as it was found when it was first asked.

    `form`: how it holds triple terms: RDF 1.2, described by RDF 1.1, or RDF-star. `scoped`: whether it keeps a query to
    the graphs that a request names. `lexical`: whether it gives numbers and dates back as they were written.
    """

    form: Form = "1.1"
    scoped: bool = False
    lexical: bool = False


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a collection's graphs on a server; the standard ones are known, others are added when met."""

    collection: str
    others: dict[AnyGraph, str] = field(default_factory=dict)

    @property
    def base(self) -> str:
        """What all of them begin with."""
        return f"{_GRAPH}{quote(self.collection, safe='')}:"

    @property
    def registry(self) -> NamedNode:
        """The graph that lists the other ones."""
        return NamedNode(f"{self.base}graphs")

    def of(self, graph: AnyGraph) -> NamedNode:
        """Return the name of a graph on the server."""
        known = _STANDARD.get(graph) or self.others.get(graph)
        return NamedNode(f"{self.base}{known or _other(graph)}")

    def staged(self, graph: AnyGraph, batch: str) -> NamedNode:
        """Return the name of the graph that holds what is to go into one, until all of it is there."""
        return NamedNode(f"{self.base}staged:{batch}:{self.of(graph).value.removeprefix(self.base)}")

    def is_known(self, graph: AnyGraph) -> bool:
        """Return whether a graph is a standard one or was met before."""
        return graph in _STANDARD or graph in self.others

    def meet(self, graph: AnyGraph) -> None:
        """Add a graph of another name."""
        self.others.setdefault(graph, _other(graph))

    def all(self) -> dict[str, AnyGraph]:
        """Return all graphs by their names on the server."""
        return {f"{self.base}{name}": graph for graph, name in (_STANDARD | self.others).items()}


class Terms:
    """Writes terms for one server in SPARQL and reads its own back."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect

    @property
    def quotes(self) -> bool:
        """Whether the server holds triple terms itself."""
        return self.dialect.form != "1.1"

    def write(self, term: Object) -> str:
        """Return a term in SPARQL, without blank nodes; with RDF 1.1 the node that stands for a triple term."""
        match term:
            case NamedNode():
                return str(term)
            case BlankNode():
                return f"<{_NODE}{quote(term.value, safe='')}>"
            case Triple():
                return self._triple(term)
            case _:
                return self._text(term)

    def _triple(self, triple: Triple) -> str:
        if not self.quotes:
            return f"<{_TERM}{hashlib.sha256(str(triple).encode()).hexdigest()[:32]}>"
        parts = " ".join(map(self.write, (triple.subject, triple.predicate, triple.object)))
        return f"<<( {parts} )>>" if self.dialect.form == "1.2" else f"<< {parts} >>"

    def _text(self, text: Literal) -> str:
        value = str(Literal(text.value))
        if text.direction is not None and self.dialect.form != "1.2":
            return f"{value}^^<{_DIRECTED}{text.language}_{'ltr' if text.direction == BaseDirection.LTR else 'rtl'}>"
        if text.language is not None:
            if self.dialect.lexical or text.language.islower():
                return str(text)
            return f"{value}^^<{_TYPED}@{text.language}>"
        if self.quotes or self.dialect.lexical or text.datatype.value == XSD_STRING:
            return str(text)
        return f"{value}^^<{_TYPED}{quote(text.datatype.value, safe='')}>"

    def lines(self, quads: Iterable[Quad]) -> Iterator[tuple[AnyGraph, str]]:
        """Yield quads as triples in SPARQL, each with its graph; with RDF 1.1 those that describe a triple term too."""
        known = set[tuple[AnyGraph, str]]()
        for quad in quads:
            words = f"{self.write(quad.subject)} {quad.predicate} {self.write(quad.object)} ."
            yield quad.graph_name, words
            if isinstance(quad.object, Triple) and not self.quotes:
                yield from ((quad.graph_name, line) for line in self._described(quad.object, quad.graph_name, known))

    def _described(self, triple: Triple, graph: AnyGraph, known: set[tuple[AnyGraph, str]]) -> Iterator[str]:
        node = self.write(triple)
        if (graph, node) in known:
            return
        known.add((graph, node))
        yield f"{node} {RDF.type} {RDF.Statement} ."
        yield f"{node} {RDF.subject} {self.write(triple.subject)} ."
        yield f"{node} {RDF.predicate} {triple.predicate} ."
        yield f"{node} {RDF.object} {self.write(triple.object)} ."
        yield f"{node} {_WRITTEN} {Literal(nested(triple))} ."
        if isinstance(triple.object, Triple):
            yield from self._described(triple.object, graph, known)

    def described(self, graph: str) -> str:
        """Return a pattern that has ?w be the triple term that ?o stands for, as it is written; empty where the server
        holds triple terms.
        """
        return "" if self.quotes else f"OPTIONAL {{ GRAPH {graph} {{ ?o {_WRITTEN} ?w }} }}"

    def looked_up(self, patterns: Sequence[Pattern], names: Names, limit: int | None = None) -> str:
        """Return the query for the quads that fit patterns, at most `limit` of each: ?i is the number of the pattern,
        ?g the graph, and ?w the triple term that ?o stands for, where that is described.
        """
        shapes: dict[tuple[bool, ...], list[str]] = defaultdict(list)
        for number, (subject, predicate, obj, graph) in enumerate(patterns):
            given = [self.write(one) for one in (subject, predicate, obj) if one is not None]
            within = [f"<{name}>" for name in names.all()] if graph is None else [str(names.of(graph))]
            shape = tuple(one is not None for one in (subject, predicate, obj))
            shapes[shape] += [f"({' '.join([str(number), *given, name])})" for name in within]
        parts, described = list[str](), self.described("?g")
        for shape, rows in shapes.items():
            bound = [name for name, is_bound in zip("spo", shape, strict=True) if is_bound]
            head = " ".join(f"?{name}" for name in ["i", *bound, "g"])
            for some in [rows] if limit is None else [[row] for row in rows]:
                part = f"VALUES ({head}) {{ {' '.join(some)} }} GRAPH ?g {{ ?s ?p ?o }} {described}"
                few = f"SELECT {_CHOSEN} WHERE {{ {part} {not_ours('?s')} }} LIMIT {limit}"
                parts.append(f"{{ {part if limit is None else few} }}")
        return f"SELECT {_CHOSEN} WHERE {{ {' UNION '.join(parts)} }}"

    @staticmethod
    def is_ours(node: object) -> bool:
        """Return whether a node describes a triple term, and is nothing that was stored."""
        return isinstance(node, NamedNode) and node.value.startswith(_TERM)

    def read(self, term: Object, written: Object | None = None) -> Object:
        """Return a term as it was stored; `written` is the triple term that it stands for, if any."""
        match term:
            case NamedNode() if term.value.startswith(_NODE):
                return BlankNode(unquote(term.value.removeprefix(_NODE)))
            case NamedNode() if term.value.startswith(_TERM):
                if not isinstance(written, Literal):
                    raise WorkspaceError(f"The server lost what {term.value} stands for; restore it from a backup.")
                line = f"<urn:t:t> <urn:t:t> {written.value} ."
                [quad] = parse(line, RdfFormat.N_TRIPLES, lenient=True)  # keeps names of blank nodes
                return _object(quad)
            case Triple():
                return Triple(_node(self.read(term.subject)), term.predicate, self.read(term.object))
            case Literal():
                return _read_text(term)
            case _:
                return term


def not_ours(name: str) -> str:
    """Return a filter that leaves out rows in which a variable is a node that describes a triple term."""
    return f'FILTER(!STRSTARTS(STR({name}), "{_TERM}"))'


def orphans(graph: NamedNode) -> str:
    """Return an update that takes out what describes triple terms that nothing refers to any more."""
    return (
        f"DELETE {{ GRAPH {graph} {{ ?n ?p ?o }} }} WHERE {{ GRAPH {graph} {{ ?n {RDF.type} {RDF.Statement} ; ?p ?o }} "
        f'FILTER(STRSTARTS(STR(?n), "{_TERM}")) FILTER NOT EXISTS {{ GRAPH {graph} {{ ?x ?y ?n }} }} }}'
    )


def _object(quad: Quad) -> Object:
    return quad.object


def _node(term: Object) -> Node:
    assert isinstance(term, NamedNode | BlankNode)  # noqa: S101 - a subject is read as what it was written as
    return term


def _read_text(text: Literal) -> Literal:
    kind = text.datatype.value
    if kind.startswith(_TYPED):
        said = kind.removeprefix(_TYPED)
        if said.startswith("@"):
            return Literal(text.value, language=said[1:])
        return Literal(text.value, datatype=NamedNode(unquote(said)))
    if kind.startswith(_DIRECTED):
        language, _, way = kind.removeprefix(_DIRECTED).rpartition("_")
        return Literal(text.value, language=language, direction=BaseDirection(way))
    return text


def _other(graph: AnyGraph) -> str:
    if isinstance(graph, DefaultGraph):
        return "facts"
    return f"{'blank' if isinstance(graph, BlankNode) else 'named'}:{quote(graph.value, safe='')}"


def named(text: str) -> AnyGraph:
    """Return the graph that a name in the registry stands for."""
    kind, _, value = text.partition(":")
    return BlankNode(unquote(value)) if kind == "blank" else NamedNode(unquote(value))
