"""The nodes of what was found out about a run later: what its answer hangs on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pyoxigraph import NamedNode, Triple

from explorer.entities.table import Entity, Kind, many, one
from explorer.vocab import ANNOTATION, PROV, RDFS, Graph, X

__all__ = ["Influence", "Rating"]


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
