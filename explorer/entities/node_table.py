"""The table by which every node type of the record is written and read: fields that name their predicates.

Values hold no I/O. Unknown counts are None and are not written. Fields are written by rank, then in the order given:
below 0 before the types, 0 right after them, 1 to 3 the body, `LATE` after everything else in the same step.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar

from pyoxigraph import NamedNode, Quad, Triple

from explorer.vocab import PROV, RDFS, RETRIEVAL, Graph

__all__ = [
    "LATE",
    "Column",
    "Entity",
    "Kind",
    "columns",
]

LATE = 9


class Kind(Enum):
    """The form of a field's values in RDF."""

    TEXT = "plain literal"
    INTEGER = "integer as plain literal"
    NUMBER = "float as plain literal"
    IRI = "IRI"
    TRIPLE = "triple term"
    JSON = "rdf:JSON literal, an object"
    LIST = "rdf:JSON literal, an array of texts"


@dataclass(frozen=True, slots=True)
class Column:
    """How one field is written: its predicate, the form of its values, and its place in the order."""

    name: str
    predicate: NamedNode
    kind: Kind
    many: bool
    rank: int


def one(predicate: NamedNode, kind: Kind = Kind.TEXT, rank: int = 1, default: object = None) -> Any:  # noqa: ANN401 - a dataclass field stands for any type
    """Declare a field with at most one value; `default` when absent."""
    return dataclasses.field(default=default, metadata={"column": (predicate, kind, False, rank)})


def many(predicate: NamedNode, kind: Kind = Kind.TEXT, rank: int = 1) -> Any:  # noqa: ANN401 - as above
    """Declare a field with any number of values, as a tuple."""
    return dataclasses.field(default=(), metadata={"column": (predicate, kind, True, rank)})


@dataclass(frozen=True, kw_only=True)
class Entity:
    """Any node of the record; an instance of this class itself is a node of an unknown type.

    `types` are TrustGraph's; `extra_types` are written as well, for readers that follow the specification more closely.
    `other` holds the triples that no field stands for. `original` holds the node's quads as they were read where the
    fields alone would not write them again: older spellings, typed numbers, another graph.
    """

    types: ClassVar[tuple[NamedNode, ...]] = ()
    extra_types: ClassVar[tuple[NamedNode, ...]] = ()
    graph: ClassVar[Graph] = RETRIEVAL

    iri: str
    label: str | None = one(RDFS.label, rank=0)
    derived_from: tuple[str, ...] = many(PROV.wasDerivedFrom, Kind.IRI, rank=0)
    other: tuple[Triple, ...] = ()
    original: tuple[Quad, ...] = dataclasses.field(default=(), compare=False, repr=False)

    @property
    def above(self) -> tuple[str, ...]:
        """What it comes after in a run, or is a part of: what it derives from."""
        return self.derived_from


_KNOWN: dict[type[Entity], tuple[Column, ...]] = {}


def columns(cls: type[Entity]) -> tuple[Column, ...]:
    """Return the fields of a class that stand for predicates, in the order they are written."""
    if cls not in _KNOWN:
        found = [(field.name, field.metadata["column"]) for field in dataclasses.fields(cls) if field.metadata]
        declared = (Column(name, *column) for name, column in found)
        _KNOWN[cls] = tuple(sorted(declared, key=lambda column: column.rank))
    return _KNOWN[cls]
