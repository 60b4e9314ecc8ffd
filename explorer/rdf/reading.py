"""Triples to entities: every class, every older spelling (see `older`), and nothing lost that is not understood.

Classes are decided by the types of the subject itself, the most specific first; only without such a type by what else
is stated of it. Where the fields of the entity would not write the same quads again, it keeps them.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, TypeVar

from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer import entities as e
from explorer.entities import CLASSES, Column, Entity, Kind, columns
from explorer.rdf import older
from explorer.vocab import RDF, TG, XSD_STRING

E = TypeVar("E", bound=Entity)
_NONE: Mapping[str, Entity] = MappingProxyType({})


def entities(quads: Iterable[Quad], known: Mapping[str, Entity] = _NONE) -> list[Entity]:
    """Return every described node, in order of first mention; what no field stands for is kept in `other`.

    Nodes that are `known` by their IRI are taken as they are.
    """
    described: dict[NamedNode, list[Quad]] = defaultdict(list)
    for quad in quads:
        if isinstance(quad.subject, NamedNode):
            described[quad.subject].append(quad)
    return [known.get(node.value) or _NodeReader(node, about).entity() for node, about in described.items()]


def entity(quads: Iterable[Quad], cls: type[E]) -> E | None:
    """Return the first described node that is of a class; None where there is none."""
    return next((one for one in entities(quads) if isinstance(one, cls)), None)


def class_of(node: NamedNode, about: Iterable[Quad]) -> tuple[type[Entity], bool]:
    """Return a node's class, and whether its types alone decide it."""
    quads = list(about)
    types = frozenset(quad.object for quad in quads if quad.predicate == _TYPE)
    best = _by_types(types)
    if best is e.Activity:  # every step was one once
        found = older.class_without_types(node, quads, types)
        return found, found is best
    return (best, True) if best is not Entity else (older.class_without_types(node, quads, types), False)


@lru_cache(maxsize=10_000)
def _by_types(types: frozenset[Any]) -> type[Entity]:
    best, fit = Entity, 0
    for cls in CLASSES:
        if len(cls.types) > fit and types.issuperset(cls.types):
            best, fit = cls, len(cls.types)
    return best


@dataclass(frozen=True, slots=True)
class _Table:
    """A class as it is read: its columns by predicate, the types it writes, and whether it can have failed."""

    columns: dict[NamedNode, Column]
    types: frozenset[NamedNode]
    fails: bool


_ALL: tuple[type[Entity], ...] = (*CLASSES, Entity)
_TABLES = {
    cls: _Table(
        {column.predicate: column for column in columns(cls)},
        frozenset((*cls.types, *cls.extra_types)),
        any(column.predicate == TG.toolError for column in columns(cls)) and TG.Error not in cls.types,
    )
    for cls in _ALL
}
_TYPE = RDF.type


class _NodeReader:
    """Reads one node."""

    def __init__(self, node: NamedNode, about: list[Quad]) -> None:
        self.node = node
        self.about = about
        self.cls, self.exact = class_of(node, about)
        self.table = _TABLES[self.cls]
        self.values: dict[str, list[Any]] = defaultdict(list)
        self.types: set[Any] = set()
        self.other: list[Triple] = []

    def entity(self) -> Entity:
        by_predicate, graph = self.table.columns, self.cls.graph
        for quad in self.about:
            if quad.graph_name != graph:
                self.exact = False
            predicate = quad.predicate
            if predicate == _TYPE:
                self.types.add(quad.object)
                if quad.object not in self.table.types and not (self.table.fails and quad.object == TG.Error):
                    self.other.append(quad.triple)
            elif not self._field(by_predicate.get(predicate), quad) and not self._older(quad):
                self.other.append(quad.triple)
        failed = self.table.fails and (TG.Error in self.types) != bool(self.values.get("error"))
        if failed or not self.types.issuperset(self.table.types):  # the types written would not be the types read
            self.exact = False
        # what is not there is None even where a new entity has a default, such as a label
        fields: dict[str, Any] = {"label": None}
        for column in self.table.columns.values():
            found = self.values.get(column.name, ())
            if column.many:
                fields[column.name] = tuple(found)
            elif found:
                fields[column.name] = found[0]
        for name in older.TEXTS.intersection(self.values):
            fields[name] = self.values[name][0]
        original = () if self.exact else tuple(self.about)
        return self.cls(iri=self.node.value, other=tuple(self.other), original=original, **fields)

    def _field(self, column: Column | None, quad: Quad) -> bool:
        if column is None or (not column.many and column.name in self.values):
            return False
        value, exact = _value(column.kind, quad.object)
        if value is None:
            return False
        self.values[column.name].append(value)
        self.exact = self.exact and exact
        return True

    def _older(self, quad: Quad) -> bool:
        """Read an older spelling into the field it stands for now."""
        term = quad.object
        name = older.field_of(self.cls, quad.predicate, term)
        if name is None:
            return False
        self.values[name].append(term if isinstance(term, Triple) else term.value)
        self.exact = False
        return True


def _value(kind: Kind, term: Any) -> tuple[Any, bool]:  # noqa: ANN401 - any term in, any field's value out
    """Return a term as a field's value, None for another form; and whether that writes the same term again."""
    match kind, term:
        case Kind.IRI, NamedNode():
            return term.value, True
        case Kind.TRIPLE, Triple():
            return term, True
        case Kind.TEXT, Literal():
            return term.value, term.language is None and term.datatype.value == XSD_STRING
        case ((Kind.INTEGER | Kind.NUMBER), Literal()):
            return _number(kind, term)
        case ((Kind.JSON | Kind.LIST), Literal()):
            return _json(kind, term)
        case _:
            return None, False


def _number(kind: Kind, term: Literal) -> tuple[Any, bool]:
    try:
        whole = kind is Kind.INTEGER or term.value.lstrip("-").isdecimal()
        value = int(term.value) if whole else float(term.value)
    except ValueError:
        return None, False
    if not math.isfinite(value):
        return None, False
    return value, str(value) == term.value and term.datatype.value == XSD_STRING


def _json(kind: Kind, term: Literal) -> tuple[Any, bool]:
    try:
        value = json.loads(term.value)
    except (ValueError, RecursionError):  # nested beyond reason
        return None, False
    texts = isinstance(value, list) and all(isinstance(item, str) for item in value)
    if not (isinstance(value, dict) if kind is Kind.JSON else texts):
        return None, False
    return value, term.datatype == RDF.JSON and json.dumps(value, ensure_ascii=False) == term.value
