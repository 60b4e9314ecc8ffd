"""Entities to triples and back, by the table of fields in `entities`; and the record in its file formats.

Every literal is written plain, as TrustGraph 2.11.1 writes them (numbers too); typed ones are read as well.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, RdfFormat, Triple, serialize

from explorer.entities import Column, Entity, Kind, class_of, columns
from explorer.errors import RecordError
from explorer.vocab import RDF, X

Term = NamedNode | BlankNode | Literal | Triple

FORMATS = {
    "nq": RdfFormat.N_QUADS,
    "trig": RdfFormat.TRIG,
    "nt": RdfFormat.N_TRIPLES,
    "turtle": RdfFormat.TURTLE,
    "rdfxml": RdfFormat.RDF_XML,
}


def triples(entity: Entity, compat: str | None = None, parts: Iterable[Entity] = ()) -> list[Quad]:
    """Write an entity, each of `parts` right after the link to it; in the order of TrustGraph's own writers.

    `compat="trustgraph"` leaves out the extension vocabulary. Raises ValueError for another `compat`.
    """
    if compat not in (None, "trustgraph"):
        message = f"compat must be None or 'trustgraph', not {compat!r}"
        raise ValueError(message)
    by_iri = {part.iri: part for part in parts if compat is None or not _is_extension(part)}
    quads = [] if compat and _is_extension(entity) else list(_written(entity, by_iri))
    return quads if compat is None else [quad for quad in quads if quad.predicate not in X]


def entities(quads: Iterable[Quad]) -> list[Entity]:
    """Read every described node, in order of first mention; what no field stands for is kept in `other`."""
    described: dict[NamedNode, list[Quad]] = defaultdict(list)
    for quad in quads:
        if isinstance(quad.subject, NamedNode):
            described[quad.subject].append(quad)
    return [_read(node, about) for node, about in described.items()]


def dump(quads: Iterable[Quad], form: str = "trig") -> bytes:
    """Serialise quads; formats without named graphs hold the triples alone. Raises RecordError for another format."""
    if form not in FORMATS:
        message = f"Unknown format {form!r}; choose one of {', '.join(FORMATS)}."
        raise RecordError(message)
    rdf_format = FORMATS[form]
    prefixes = _PREFIXES if form in ("trig", "turtle") else None
    if rdf_format.supports_datasets:
        return serialize(quads, format=rdf_format, prefixes=prefixes) or b""
    return serialize([quad.triple for quad in quads], format=rdf_format, prefixes=prefixes) or b""


_PREFIXES = {
    "tg": "https://trustgraph.ai/ns/",
    "prov": "http://www.w3.org/ns/prov#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "dc": "http://purl.org/dc/elements/1.1/",
    "e": "http://trustgraph.ai/e/",
    "x": X.base,
}


def _written(entity: Entity, parts: dict[str, Entity]) -> Iterator[Quad]:
    node, graph = NamedNode(entity.iri), entity.graph
    first = [column for column in columns(type(entity)) if column.rank < 0]
    rest = [column for column in columns(type(entity)) if column.rank >= 0]
    links_first = first and first[0].kind is Kind.TRIPLE
    types = [Quad(node, RDF.type, cls, graph) for cls in entity.types]
    yield from [] if links_first else types
    for column in first:
        yield from (Quad(node, column.predicate, term, graph) for term in _terms(column, entity))
    yield from types if links_first else []
    for column in rest:
        for term in _terms(column, entity):
            yield Quad(node, column.predicate, term, graph)
            if isinstance(term, NamedNode) and column.rank > 0 and term.value in parts:
                yield from _written(parts[term.value], {})
    for triple in entity.other:
        yield Quad(triple.subject, triple.predicate, triple.object, graph)


def _terms(column: Column, entity: Entity) -> Iterator[Term]:
    value = vars(entity)[column.name]
    values = value if column.many else () if value is None else (value,)
    return (_term(column.kind, item) for item in values)


def _term(kind: Kind, value: Any) -> Term:  # noqa: ANN401 - any field's value
    match kind:
        case Kind.IRI:
            return NamedNode(value)
        case Kind.TRIPLE if isinstance(value, Triple):
            return value
        case Kind.JSON:
            return Literal(json.dumps(value, ensure_ascii=False), datatype=RDF.JSON)
        case _:
            return Literal(str(value))


def _read(node: NamedNode, about: list[Quad]) -> Entity:
    types = {quad.object for quad in about if quad.predicate == RDF.type}
    cls = class_of({term for term in types if isinstance(term, NamedNode)})
    by_predicate = {column.predicate: column for column in columns(cls)}
    values: dict[str, list[Any]] = defaultdict(list)
    other = []
    for quad in about:
        column = by_predicate.get(quad.predicate)
        value = None if column is None else _value(column.kind, quad.object)
        if column is not None and value is not None and (column.many or not values[column.name]):
            values[column.name].append(value)
        elif quad.predicate != RDF.type or quad.object not in cls.types:
            other.append(quad.triple)
    # what is not there is None even where a new entity has a default, such as a label
    fields: dict[str, Any] = {"label": None}
    for column in columns(cls):
        found = values[column.name]
        if column.many:
            fields[column.name] = tuple(found)
        elif found:
            fields[column.name] = found[0]
    return cls(iri=node.value, other=tuple(other), **fields)


def _value(kind: Kind, term: Any) -> Any:  # noqa: ANN401 - any term in, any field's value out
    """Read a term as a field's value; None when it has another form."""
    match kind, term:
        case Kind.IRI, NamedNode():
            return term.value
        case Kind.TRIPLE, Triple():
            return term
        case Kind.TEXT, Literal():
            return term.value
        case ((Kind.INTEGER | Kind.NUMBER | Kind.JSON), Literal()):
            return _parsed(kind, term.value)
        case _:
            return None


def _parsed(kind: Kind, text: str) -> Any:  # noqa: ANN401 - as above
    try:
        return int(text) if kind is Kind.INTEGER else float(text) if kind is Kind.NUMBER else json.loads(text)
    except ValueError:
        return None


def _is_extension(entity: Entity) -> bool:
    """Say whether a whole node is of a class that other readers do not know."""
    return any(cls in X for cls in entity.types)
