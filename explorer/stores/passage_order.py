"""Passages of one place count once; and the order in which those of an answer stand."""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping, Sequence

from explorer.entities import ChunkSelection, EdgeSelection
from explorer.events import Passage


def ordered_sources(
    selections: Sequence[EdgeSelection | ChunkSelection],
    passages: Mapping[str, Sequence[Passage]],
    cited: Iterable[str] = (),
) -> tuple[Passage, ...]:
    """Order passages by how much they support an answer: cited ones first, as the answer cites them, then by score.

    `cited` holds the IRIs of selections in the order of the answer; passages of equal weight stay in the order given.
    Of those not cited, one that names a chunk for the first time comes before one that names it again, so that the
    first sources are not all facts of one chunk.
    Spans that overlap count as one, but not whole chunks: two of them repeat a sentence, and each is a source.
    """
    cites: dict[str, int] = {}
    for place, key in enumerate(cited):
        cites.setdefault(key, -place)
    weights: dict[int, tuple[float, float]] = {}
    kept = Distinct()
    for selection in selections:
        for passage in passages.get(selection.iri, ()):
            home = kept.add(passage)
            weight = (cites.get(selection.iri, -math.inf), selection.score or 0.0)
            weights[home] = max(weights.get(home, weight), weight)
    order = sorted(range(len(kept.passages)), key=lambda home: weights[home], reverse=True)
    named: set[str] = set()
    first, again = list[Passage](), list[Passage]()
    for home in order:
        passage = kept.passages[home]
        chunk = passage.chunk or passage.subgraph
        (again if chunk in named and weights[home][0] == -math.inf else first).append(passage)
        named.add(chunk)
    return (*first, *again)


def as_read(chunks: Iterable[str]) -> list[ChunkSelection]:
    """Return passages that were read, best first, as selections which are not cited, by the IRIs of their chunks."""
    return [ChunkSelection(iri=chunk, document=chunk, score=1 / place) for place, chunk in enumerate(chunks, 1)]


def distinct(passages: Iterable[Passage]) -> tuple[Passage, ...]:
    """Return passages in their order, of those at one place only the first."""
    kept = Distinct()
    for passage in passages:
        kept.add(passage)
    return tuple(kept.passages)


class Distinct:
    """Passages without those that stand for a place again: their spans overlap; of whole chunks, they are the same."""

    def __init__(self) -> None:
        self.passages: list[Passage] = []
        self._same: dict[tuple[str, int, int], int] = {}
        self._spans: dict[str, list[tuple[int, int, int]]] = {}  # of a document: start, end, number; none overlap

    def add(self, passage: Passage) -> int:
        """Return the number of the passage for this place: the first one added, or else this one."""
        place = (passage.document, passage.start, passage.end)
        spans = self._spans.setdefault(passage.document, [])
        whole = passage.subgraph == passage.chunk
        found = [] if whole else _overlapping(spans, passage.start, passage.end)
        if place in self._same:
            found.append(self._same[place])
        if found:
            return min(found)
        number = len(self.passages)
        self.passages.append(passage)
        self._same[place] = number
        if not whole:
            insort(spans, (passage.start, passage.end, number))
        return number


def _overlapping(spans: list[tuple[int, int, int]], start: int, end: int) -> list[int]:
    at = bisect_left(spans, (end, -1, -1))
    found = []
    while at > 0 and spans[at - 1][1] > start:
        at -= 1
        found.append(spans[at][2])
    return found


def is_same_source(one: Passage, other: Passage) -> bool:
    """Return whether two passages are of one place."""
    return len(distinct((one, other))) == 1
