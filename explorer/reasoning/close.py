"""What is close to an answer: facts that fit the question by words and meaning; and the reason for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pyoxigraph import Triple

from explorer.language.words import share, stem_set, weighted
from explorer.models.embedding import Embedder, cosines
from explorer.reasoning.protocol import Edge
from explorer.reasoning.shared import shared

MOST = 5
"""Facts that are kept beside those that an answer is made from."""
RULE = f"what is quoted, and at most {MOST} more facts that fit the question"
# Chosen on 205 facts kept for 77 questions, which readers judged: 8 of those kept by it had nothing to do with them.
_TELLS, _CLOSE = 0.4, 0.6
_COMPARED = 20  # facts, those that share most words


@dataclass(frozen=True, slots=True)
class Fit:
    """How well facts fit a question: half by the rare words of it that they share, half by meaning; 0 to 1."""

    question: str
    rarity: Callable[[str], float]
    embedder: Embedder

    def telling(self, edges: Iterable[Edge]) -> list[Edge]:
        """Return those facts of a quoted sentence that tell of what the question is about, in their order."""
        return [edge for edge, fit in self._of([*edges]) if fit >= _TELLS]

    def close(self, edges: Sequence[Edge], kept: Iterable[Triple], most: int = MOST) -> dict[Edge, str]:
        """Return at most so many facts that are not kept and fit the question, best first, with the reason for each."""
        known, asked = {*kept}, weighted(self.question, self.rarity)
        left = sorted((edge for edge in edges if edge.triple not in known), key=lambda edge: -_share(asked, edge))
        best = sorted(self._of(left[:_COMPARED]), key=lambda one: -one[1])
        return {edge: told(self.question, edge) for edge, fit in best[:most] if fit >= _CLOSE}

    def _of(self, edges: Sequence[Edge]) -> list[tuple[Edge, float]]:
        if not edges:
            return []
        asked = weighted(self.question, self.rarity)
        near = cosines(self.embedder.embed([edge.text for edge in edges]), self.embedder.embed([self.question]))
        return [(edge, (_share(asked, edge) + float(cosine)) / 2) for edge, [cosine] in zip(edges, near, strict=True)]


def _share(asked: Mapping[str, float], edge: Edge) -> float:
    return share(asked, stem_set(edge.text))


def told(question: str, edge: Edge, first: str = "") -> str:
    """Return as a sentence what is known of a fact, and which words of the question it or its source has."""
    own = shared("it uses", question, stem_set(edge.text))
    said = "; ".join(filter(None, (first, own or shared("its source has", question, stem_set(edge.with_sentence)))))
    return f"{said[:1].upper()}{said[1:]}." if said else "None of your words are in it."
