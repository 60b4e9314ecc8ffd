"""The nodes that stand beside the record: what people named a run or corrected, and what is left of a deleted run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pyoxigraph import NamedNode, Triple

from explorer.entities.table import Entity, Kind, many, one
from explorer.vocab import ANNOTATION, DC, OA, PROV, Graph, X

__all__ = ["ADDED", "INSTEAD", "MERGED", "RETRACTED", "SPLIT", "UNDONE", "Curation", "Deleted", "Note"]

ADDED, RETRACTED, MERGED, SPLIT, UNDONE = "added", "retracted", "merged", "split", "undone"
INSTEAD = "; instead: "
"""In the words of what was done, what stands before the fact that says it right."""


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
class Curation(Entity):
    """What a person corrected, when, who that was and for what reason, where they said so.

    A fact was "added" or "retracted"; of an `entity`, which keeps its name, `aliases` were "merged" with it or "split"
    off; what was "undone" it is derived from. A fact that came or went with another act is derived from that one. Of a
    retracted fact, `instead` is the one that says it right. The index in the IRI counts what was done to the same fact
    or entity, `order` everything.
    """

    types: ClassVar[tuple[NamedNode, ...]] = (X.Curation,)
    extra_types: ClassVar[tuple[NamedNode, ...]] = (OA.Annotation,)
    graph: ClassVar[Graph] = ANNOTATION

    act: str | None = one(X.act)
    fact: Triple | None = one(X.fact, Kind.TRIPLE)
    instead: Triple | None = one(X.instead, Kind.TRIPLE)
    entity: str | None = one(OA.hasTarget, Kind.IRI)
    aliases: tuple[str, ...] = many(X.alias, Kind.IRI)
    made_at: str | None = one(PROV.generatedAtTime)
    by: str | None = one(DC.creator)
    order: int | None = one(X.sequence, Kind.INTEGER)
    reason: str | None = one(X.note)

    @property
    def words(self) -> str:
        """What was done in words, such as "retracted on 2026-01-15 by Ada"."""
        return f"{'added by hand' if self.act == ADDED else self.act or 'changed'}{self.when}"

    @property
    def when(self) -> str:
        """When it was done and by whom, such as " on 2026-01-15 by Ada"; as far as either is on record."""
        return (f" on {self.made_at[:10]}" if self.made_at else "") + (f" by {self.by}" if self.by else "")


@dataclass(frozen=True, kw_only=True)
class Deleted(Entity):
    """What is left of a run that was deleted: when that was, and the hash of its record.

    The hash is the SHA-256 of its triples as N-Quads, the lines sorted by their bytes, in hexadecimal.
    """

    types: ClassVar[tuple[NamedNode, ...]] = (X.Deleted,)

    invalidated_at: str | None = one(PROV.invalidatedAtTime)
    sha256: str | None = one(X.sha256)
