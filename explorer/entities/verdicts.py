"""The nodes of a reviewer's verdict: W3C Web Annotations, beside the record and never in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pyoxigraph import NamedNode

from explorer.entities.table import Entity, Kind, many, one
from explorer.vocab import ANNOTATION, DC, OA, PROV, RDF, Graph, X

__all__ = ["JudgedSentence", "Position", "Quotation", "Remark", "Verdict"]


@dataclass(frozen=True, kw_only=True)
class Verdict(Entity):
    """What a person found about a node of a run, or about a sentence of its answer: `verdict`, one of three words.

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
