"""What is close to an answer: facts that fit the question by words and meaning; and the reason for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pyoxigraph import Triple

from explorer.language.words import clauses, share, stem_set, weighted
from explorer.models.embedding import Embedder, cosines
from explorer.reasoning.protocol import Edge
from explorer.reasoning.shared import shared

MOST = 5
"""Facts that are kept beside those that an answer is made from."""
RULE = f"what is quoted, and at most {MOST} more facts that fit the question"
# Chosen on 306 facts kept for 117 questions, which three readers judged: of those kept so 12 % had nothing to do with
# their question, and 53 of the 65 questions with a quoted fact kept one.
_TELLS, _LEAST, _CLOSE = 0.5, 0.45, 0.7
_COMPARED = 20  # facts, those that share most words


@dataclass(frozen=True, slots=True)
class Fit:
    """How well facts fit the part of a question that each fits best: half by the rare words of it that they share, half by meaning; 0 to 1."""

    question: str
    rarity: Callable[[str], float]
    embedder: Embedder

    def telling(self, edges: Iterable[Edge]) -> list[Edge]:
        """Return those facts of a quoted sentence that tell of what the question is about, in their order.

        The best of them needs less.
        """
        found = self._of([*edges])
        least = min(_TELLS, max(_LEAST, *(fit for _, fit in found)))
        return [edge for edge, fit in found if fit >= least]

    def close(self, edges: Sequence[Edge], kept: Iterable[Triple], most: int = MOST) -> dict[Edge, str]:
        """Return at most so many facts that are not kept and fit the question, best first, with the reason for each."""
        known = {*kept}
        left = [edge for edge in edges if edge.triple not in known]
        likest = sorted(zip(left, self._shares(left), strict=True), key=lambda one: -one[1])[:_COMPARED]
        best = sorted(self._of([edge for edge, _ in likest]), key=lambda one: -one[1])
        return {edge: told(self.question, edge) for edge, fit in best[:most] if fit >= _CLOSE}

    def _of(self, edges: Sequence[Edge]) -> list[tuple[Edge, float]]:
        if not edges:
            return []
        texts = self.embedder.embed([edge.text for edge in edges])
        near = cosines(texts, self.embedder.embed(clauses(self.question))).max(axis=1).tolist()
        return [(edge, (one + cosine) / 2) for edge, one, cosine in zip(edges, self._shares(edges), near, strict=True)]

    def _shares(self, edges: Sequence[Edge]) -> list[float]:
        parts = [weighted(part, self.rarity) for part in clauses(self.question)]
        return [max(share(part, stem_set(edge.text)) for part in parts) for edge in edges]


def told(question: str, edge: Edge, first: str = "") -> str:
    """Return as a sentence what is known of a fact, and which words of the question it or its source has."""
    own = shared("it uses", question, stem_set(edge.text))
    said = "; ".join(filter(None, (first, own or shared("its source has", question, stem_set(edge.with_sentence)))))
    return f"{said[:1].upper()}{said[1:]}." if said else "None of your words are in it."
