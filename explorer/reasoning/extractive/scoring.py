"""Scores from 0 to 1: how well texts, facts and passages fit a question, by vectors and by words weighed by rarity.

No number here is a probability. The weights of facts were chosen together on the 50 MuSiQue questions and the sample's
(docs/benchmarks.md: graph-rag, R@5 66.3 %; expected passage in the first five sources, 14 of 16), those of passages on
the same (document-rag, R@5 55.2 %). None of them was measured by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain
from typing import TYPE_CHECKING

from explorer.events import Passage
from explorer.language.sentences import quotable
from explorer.language.words import answers_kind, asked_kind, clauses, names, share, stems, weighted
from explorer.models.embedding import Embedder
from explorer.reasoning.protocol import Edge, ScoredEdge, ScoredPassage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WORDS, ALL_WORDS = 0.3, 0.9  # share of the fit in a fact's score, against its reach: usually, and where it fits fully
GOOD = 0.7  # fit from which that share rises
FLOOR = 0.2  # share of the best score that a fact must have to be selected
CUE = 0.06  # for a text that names the kind of thing asked for, before parts of the question are levelled
ASKED = 0.1  # the same, after
LEVELLED = 1.2  # factor: the best fact of a part is lifted toward the best of all by no more
_SENTENCE_WORDS, _CONTEXT_WORDS = 0.3, 0.2  # of a fact's fit: the share of the words found
_SENTENCE_SIMILARITY, _CONTEXT_SIMILARITY = 0.3, 0.2  # of a fact's fit: cosines; what is below 0 counts as 0
_TITLE = 0.2  # for a passage of a document that the question names
_WORDS, _WHOLE, _SENTENCE = 0.4, 0.3, 0.3  # of a passage's score: words found, its cosine, that of its best sentence


@dataclass(slots=True)
class Scoring:
    """Scores texts for questions; `rarity` returns a word's inverse document frequency. For one run: it remembers."""

    embedder: Embedder
    rarity: Callable[[str], float]
    _stems: dict[str, frozenset[str]] = field(default_factory=dict, init=False, repr=False)
    _weights: dict[str, dict[str, float]] = field(default_factory=dict, init=False, repr=False)

    def stems(self, text: str) -> frozenset[str]:
        """Return the stems of the content words of a text."""
        if text not in self._stems:
            self._stems[text] = frozenset(stems(text))
        return self._stems[text]

    def weights(self, question: str) -> dict[str, float]:
        """Return the stems of a question's content words, each with its rarity."""
        if question not in self._weights:
            self._weights[question] = weighted(question, self.rarity)
        return self._weights[question]

    def similarities(self, queries: Sequence[str], texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the cosine of each text (rows) to each query (columns)."""
        return self.embedder.embed(texts) @ self.embedder.embed(queries).T

    def shares(self, parts: Sequence[str], texts: Sequence[str]) -> list[list[float]]:
        """Return for each text which share of each part's content words it holds, rare words weighing more."""
        weights = [self.weights(part) for part in parts]
        return [[share(weight, there) for weight in weights] for there in map(self.stems, texts)]

    def fits(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return for each text how well it fits the part of the question it fits best: half cosine, half words."""
        parts = clauses(question)
        near = self.similarities(parts, texts)
        return [max(0.5 * float(s) + 0.5 * w for s, w in zip(row, found, strict=True))
                for row, found in zip(near, self.shares(parts, texts), strict=True)]  # fmt: skip

    def score_edges(self, question: str, concepts: Sequence[str], edges: Sequence[Edge]) -> list[ScoredEdge]:
        """Score each edge by how well it fits and by how near the search came to it through the graph; best first."""
        if not edges:
            return []
        texts = [edge.with_sentence for edge in edges]
        fits, near = self.edge_fits(question, edges), self.similarities(concepts, texts)
        scored = []
        for edge, text, own, row in zip(edges, texts, fits, near, strict=True):
            fit = min(1.0, own + bonus(question, text))
            # over several hops the graph knows more than words do; the better the words fit, the more they count
            words = WORDS + (ALL_WORDS - WORDS) * (max(0.0, fit - GOOD) / (1 - GOOD))
            score = words * fit + (1 - words) * edge.reach
            scored.append(ScoredEdge(edge, min(1.0, score), concepts[int(row.argmax())]))
        return sorted(scored, key=lambda item: -item.score)

    def select(self, question: str, scored: Sequence[ScoredEdge], limit: int) -> list[ScoredEdge]:
        """Return the edges that reach `FLOOR` of the best score."""
        del question
        floor = FLOOR * scored[0].score if scored else 0.0
        return [item for item in scored[:limit] if item.score >= floor]

    def edge_fits(self, question: str, edges: Sequence[Edge]) -> list[float]:
        """Return how well each edge, its sentence and the text around fit the part of the question they fit best.

        The parts are made comparable: the best edge of each is lifted toward the best of all, by at most a fifth.
        """
        if not edges:
            return []
        parts = clauses(question)
        around = list(dict.fromkeys(edge.context for edge in edges))
        near = self.similarities(parts, [edge.with_sentence for edge in edges])
        wide = dict(zip(around, self.similarities(parts, around), strict=True))
        rows = [
            [self._edge_fit(part, edge, float(here[i]), float(wide[edge.context][i]))
             for edge, here in zip(edges, near, strict=True)]
            for i, part in enumerate(parts)
        ]  # fmt: skip
        highest = max(max(row) for row in rows)
        levelled = [[fit * min(LEVELLED, highest / (max(row) or 1.0)) for fit in row] for row in rows]
        return [max(column) for column in zip(*levelled, strict=True)]

    def _edge_fit(self, part: str, edge: Edge, here: float, around: float) -> float:
        """Combine shared words and cosines of the sentence (0.6 in all) and of the text around it (0.4)."""
        weights, text = self.weights(part), edge.with_sentence
        words = _SENTENCE_WORDS * share(weights, self.stems(text)) + _CONTEXT_WORDS * share(
            weights, self.stems(edge.context)
        )
        cue = CUE if answers_kind(part, text) else 0.0
        return words + _SENTENCE_SIMILARITY * max(0.0, here) + _CONTEXT_SIMILARITY * max(0.0, around) + cue

    def score_passages(self, question: str, passages: Sequence[Passage]) -> list[ScoredPassage]:
        """Score each passage with its title, best first; equal ones stay in the order given.

        The score is of the part of the question that a passage fits best: by words, and by meaning as a whole and of
        its best sentence.
        """
        if not passages:
            return []
        import numpy as np

        parts = clauses(question)
        wholes = [with_title(passage) for passage in passages]
        lines = [[f"{passage.title}. {text}" for _, text in quotable(passage.text)] or [""] for passage in passages]
        first = [0, *accumulate(map(len, lines))][:-1]
        best = np.maximum.reduceat(self.similarities(parts, list(chain.from_iterable(lines))), first)
        fits = _SENTENCE * best + _WHOLE * self.similarities(parts, wholes)
        fits += _WORDS * np.array(self.shares(parts, wholes))
        scored = []
        for passage, fit in zip(passages, fits.max(axis=1), strict=True):
            score = float(fit) + (_TITLE if names(question, passage.title) else 0.0)
            scored.append(ScoredPassage(passage, max(0.0, min(1.0, score))))
        return sorted(scored, key=lambda item: -(item.score or 0.0))


def bonus(question: str, text: str) -> float:
    """Return what a text is worth more for naming a cause, a time, a number or a person where one is asked for."""
    return ASKED if asked_kind(question, text) else 0.0


def with_title(passage: Passage) -> str:
    """Return a passage on one line after its document's title."""
    return f"{passage.title}. {' '.join(passage.text.split())}"
