"""The nodes that stand for a run beside its record: what people named it, and what is left when it was deleted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pyoxigraph import NamedNode

from explorer.entities.table import Entity, Kind, many, one
from explorer.vocab import ANNOTATION, DC, OA, PROV, Graph, X

__all__ = ["Deleted", "Note"]


@dataclass(frozen=True, kw_only=True)
class Note(Entity):
    """What people wrote at a run: a name (`title`), tags and a text, and when any of these was last changed."""

    types: ClassVar[tuple[NamedNode, ...]] = (X.Note,)
    extra_types: ClassVar[tuple[NamedNode, ...]] = (OA.Annotation,)
    graph: ClassVar[Graph] = ANNOTATION

    run: str | None = one(OA.hasTarget, Kind.IRI)
    title: str | None = one(DC.title)
    tags: tuple[str, ...] = many(X.tag)
    text: str | None = one(X.note)
    made_at: str | None = one(PROV.generatedAtTime)


@dataclass(frozen=True, kw_only=True)
class Deleted(Entity):
    """What is left of a run that was deleted: when that was, and the hash of its record.

    The hash is the SHA-256 of its triples as N-Quads, the lines sorted by their bytes, in hexadecimal.
    """

    types: ClassVar[tuple[NamedNode, ...]] = (X.Deleted,)

    invalidated_at: str | None = one(PROV.invalidatedAtTime)
    sha256: str | None = one(X.sha256)
