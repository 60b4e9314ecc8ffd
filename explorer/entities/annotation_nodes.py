"""The nodes beside the record: what people named, corrected or judged, what answers hang on, what is left of runs.

A reviewer's verdict is a W3C Web Annotation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pyoxigraph import NamedNode, Triple

from explorer.entities.node_table import Entity, Kind, many, one
from explorer.vocab import ANNOTATION, DC, OA, PROV, RDF, RDFS, Graph, X

__all__ = [
    "ADDED",
    "BY_HAND",
    "INSTEAD",
    "MERGED",
    "RETRACTED",
    "SPLIT",
    "TAKEN_BACK",
    "UNDONE",
    "Curation",
    "Deleted",
    "Influence",
    "JudgedSentence",
    "Note",
    "Position",
    "Quotation",
    "Rating",
    "Remark",
    "Verdict",
    "as_shown",
]

ADDED, RETRACTED, MERGED, SPLIT, UNDONE = "added", "retracted", "merged", "split", "undone"
INSTEAD = "; instead:\u00a0"
"""In the words of what was done, what stands before the fact that says it right: the space is one no reason has."""
BY_HAND = "added by hand"  # as the words of an act begin by which a person put down a fact
TAKEN_BACK = f"{RETRACTED} since: it was {BY_HAND}, and that was undone"  # the words where that does not stand any more


def as_shown(words: str) -> str:
    """Return the words of what was done with a fact as people read them: one put in other words was reworded."""
    return words.replace(RETRACTED, "reworded", 1) if words.startswith(RETRACTED) and INSTEAD in words else words


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
        return f"{BY_HAND if self.act == ADDED else self.act or 'changed'}{self.when}"

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


@dataclass(frozen=True, kw_only=True)
class Influence(Entity):
    """What the answer of a run hangs on: how that was found out, and a Rating of each fact, passage or document.

    `reruns` counts the runs without some of these that were made and not recorded.
    """

    types: ClassVar[tuple[NamedNode, ...]] = (X.Influence,)
    graph: ClassVar[Graph] = ANNOTATION

    label: str | None = one(RDFS.label, rank=0, default="Influence")
    run: str | None = one(X.influenceOn, Kind.IRI)
    over: str | None = one(X.over)
    method: str | None = one(X.method)
    reruns: int | None = one(X.reruns, Kind.INTEGER)
    made_at: str | None = one(PROV.generatedAtTime)
    ratings: tuple[str, ...] = many(X.rating, Kind.IRI)


@dataclass(frozen=True, kw_only=True)
class Rating(Entity):
    """How much the answer changes without one fact, passage or document: a share of its sentences, and in a word."""

    types: ClassVar[tuple[NamedNode, ...]] = (X.Rating,)
    graph: ClassVar[Graph] = ANNOTATION

    fact: Triple | None = one(X.fact, Kind.TRIPLE)
    item: str | None = one(X.item, Kind.IRI)
    change: float | None = one(X.change, Kind.NUMBER)
    verdict: str | None = one(X.verdict)


@dataclass(frozen=True, kw_only=True)
class Verdict(Entity):
    """What a person found about a node of a run, or about a sentence of its answer: `verdict`, one of four words.

    A later one of the same person on the same thing is a revision of those before, which stay.
    """

    types: ClassVar[tuple[NamedNode, ...]] = (X.Verdict,)
    extra_types: ClassVar[tuple[NamedNode, ...]] = (OA.Annotation,)
    graph: ClassVar[Graph] = ANNOTATION

    run: str | None = one(X.run, Kind.IRI)
    target: str | None = one(OA.hasTarget, Kind.IRI)
    motivation: str | None = one(OA.motivatedBy, Kind.IRI)
    verdict: str | None = one(X.verdict)
    bodies: tuple[str, ...] = many(OA.hasBody, Kind.IRI)
    by: str | None = one(DC.creator)
    made_at: str | None = one(PROV.generatedAtTime)
    revises: tuple[str, ...] = many(PROV.wasRevisionOf, Kind.IRI)


@dataclass(frozen=True, kw_only=True)
class Remark(Entity):
    """A text of an annotation: the verdict in a word, or what the person says to it."""

    types: ClassVar[tuple[NamedNode, ...]] = (OA.TextualBody,)
    graph: ClassVar[Graph] = ANNOTATION

    text: str | None = one(RDF.value)
    purpose: str | None = one(OA.hasPurpose, Kind.IRI)


@dataclass(frozen=True, kw_only=True)
class JudgedSentence(Entity):
    """A sentence of an answer as the target of an annotation; its selectors say which."""

    types: ClassVar[tuple[NamedNode, ...]] = (OA.SpecificResource,)
    graph: ClassVar[Graph] = ANNOTATION

    source: str | None = one(OA.hasSource, Kind.IRI)
    selectors: tuple[str, ...] = many(OA.hasSelector, Kind.IRI)


@dataclass(frozen=True, kw_only=True)
class Quotation(Entity):
    """The words of a target."""

    types: ClassVar[tuple[NamedNode, ...]] = (OA.TextQuoteSelector,)
    graph: ClassVar[Graph] = ANNOTATION

    exact: str | None = one(OA.exact)


@dataclass(frozen=True, kw_only=True)
class Position(Entity):
    """Where the words of a target stand in their text, counted in characters from 0; `end` is behind the last."""

    types: ClassVar[tuple[NamedNode, ...]] = (OA.TextPositionSelector,)
    graph: ClassVar[Graph] = ANNOTATION

    start: int | None = one(OA.start, Kind.INTEGER)
    end: int | None = one(OA.end, Kind.INTEGER)
