"""Entities to triples, by the table of their fields, in the order in which TrustGraph 2.11.1 writes them.

Every literal is written plain, numbers too. A node that was read in an older spelling is written as it was read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple

from explorer import entities as e
from explorer.entities import LATE, Column, Entity, Kind, columns
from explorer.vocab import PROV, RDF, TG, X, recognise, session_of

Term = NamedNode | BlankNode | Literal | Triple
_JSON = json.JSONEncoder(ensure_ascii=False)
_NOT_AT_ONCE = (PROV.wasDerivedFrom, PROV.wasAssociatedWith)


def triples(entity: Entity, compat: str | None = None, parts: Iterable[Entity] = ()) -> list[Quad]:
    """Write an entity, each of `parts` right after the link to it.

    `compat="trustgraph"` leaves out the extension vocabulary, and types and parents that TrustGraph's own readers
    would stumble over. Raises ValueError for another `compat`.
    """
    if compat not in (None, "trustgraph"):
        raise ValueError(f"compat must be None or 'trustgraph', not {compat!r}")
    plain = compat is not None
    by_iri = {part.iri: part for part in parts if not (plain and is_extension(part))}
    quads = [] if plain and is_extension(entity) else _NodeWriter(by_iri, plain=plain).whole(entity)
    return [quad for quad in quads if quad.predicate not in X] if plain else quads


def is_extension(entity: Entity) -> bool:
    """Return whether a whole node is of a class that other readers do not know, or stands beside such a one."""
    return any(cls in X for cls in entity.types) or isinstance(entity, e.Person | e.RunAgent)


class _NodeWriter:
    """One call's walk; each part is written once, after the first link to it."""

    def __init__(self, parts: dict[str, Entity], *, plain: bool) -> None:
        self.parts = parts
        self.plain = plain
        self.quads: list[Quad] = []

    def whole(self, entity: Entity) -> list[Quad]:
        self._node(entity)
        self._late(entity, self.quads)
        return self.quads

    def _node(self, entity: Entity) -> None:
        """Write a node with the parts it links to; the late fields of its parts stand at the end."""
        late: list[Quad] = []
        if self._as_read(entity):
            for quad in entity.original:
                self.quads.append(quad)
                if isinstance(quad.object, NamedNode) and quad.predicate != PROV.wasDerivedFrom:
                    self._part(quad.object.value, late)
            self.quads += late
            return
        rows, node = _rows(type(entity)), NamedNode(entity.iri)
        self._fields(entity, node, rows.first, late)
        types = [*entity.types, *([] if self.plain else entity.extra_types)]
        if isinstance(entity, e.Observation | e.Finding | e.StepResult) and entity.error is not None:
            types.append(TG.Error)
        self.quads += [Quad(node, RDF.type, cls, entity.graph) for cls in types]
        self._fields(entity, node, rows.body, late)
        for column in rows.who if self.parts else ():  # who did it stands after what was done
            for term in self._terms(column, entity):
                if isinstance(term, NamedNode):
                    self._part(term.value, late)
        self.quads += late
        self.quads += [Quad(one.subject, one.predicate, one.object, entity.graph) for one in entity.other]

    def _as_read(self, entity: Entity) -> bool:
        """Return whether a node is written as it was read: for TrustGraph too, where its class is not known."""
        return bool(entity.original) and (not self.plain or type(entity) is Entity)

    def _fields(self, entity: Entity, node: NamedNode, rows: Sequence[Column], late: list[Quad]) -> None:
        values = vars(entity)
        for column in rows:
            value = values[column.name]
            if value is None or value == ():  # as most fields of most nodes
                continue
            for term in self._terms(column, entity):
                self.quads.append(Quad(node, column.predicate, term, entity.graph))
                if self.parts and isinstance(term, NamedNode) and column.predicate not in _NOT_AT_ONCE:
                    self._part(term.value, late)

    def _part(self, iri: str, late: list[Quad]) -> None:
        part = self.parts.pop(iri, None)
        if part is not None:
            self._node(part)
            self._late(part, late)

    def _late(self, entity: Entity, quads: list[Quad]) -> None:
        for column in () if self._as_read(entity) else _rows(type(entity)).late:
            for term in self._terms(column, entity):
                quads.append(Quad(NamedNode(entity.iri), column.predicate, term, entity.graph))  # noqa: PERF401

    def _terms(self, column: Column, entity: Entity) -> Sequence[Term]:
        value = vars(entity)[column.name]
        if value is None or value == ():
            return ()
        if self.plain and column.predicate == PROV.wasDerivedFrom:
            value = _plain_parents(entity)
        return [_term(column.kind, item) for item in value] if column.many else (_term(column.kind, value),)


@dataclass(frozen=True, slots=True)
class _FieldOrder:
    """The fields of a class in the order they are written: before its types, after them, late; and who did it."""

    first: tuple[Column, ...]
    body: tuple[Column, ...]
    late: tuple[Column, ...]
    who: tuple[Column, ...]


_KNOWN: dict[type[Entity], _FieldOrder] = {}


def _rows(cls: type[Entity]) -> _FieldOrder:
    if cls not in _KNOWN:
        rows = columns(cls)
        first = tuple(c for c in rows if c.rank < 0 and c.kind is Kind.TRIPLE)
        body = tuple(c for c in rows if c.rank < LATE and c not in first)
        late = tuple(c for c in rows if c.rank == LATE)
        _KNOWN[cls] = _FieldOrder(first, body, late, tuple(c for c in rows if c.predicate == PROV.wasAssociatedWith))
    return _KNOWN[cls]


def _plain_parents(entity: Entity) -> tuple[str, ...]:
    """Return the parents that TrustGraph writes: of a step its plan alone, of a plan's answer its last step alone.

    Of a selection it writes none, and of a Focus not the selections.
    """
    if isinstance(entity, e.EdgeSelection | e.ChunkSelection):
        return tuple(parent for parent in entity.derived_from if session_of(parent))
    named = {parent: recognise(parent) for parent in entity.derived_from}
    steps = [parent for parent, found in named.items() if found and found.kind == "step-result"]
    if isinstance(entity, e.StepResult) and steps and len(steps) < len(named):
        return tuple(p for p, found in named.items() if found and found.kind == "plan") or entity.derived_from[:1]
    if isinstance(entity, e.Synthesis) and len(steps) > 1:
        return (max(steps, key=lambda step: (found.index or 0) if (found := named[step]) else 0),)
    return entity.above


def _term(kind: Kind, value: Any) -> Term:  # noqa: ANN401 - any field's value
    match kind:
        case Kind.IRI:
            return NamedNode(value)
        case Kind.TRIPLE if isinstance(value, Triple):
            return value
        case Kind.JSON | Kind.LIST:
            return Literal(_JSON.encode(value), datatype=RDF.JSON)
        case _:
            return Literal(str(value))
