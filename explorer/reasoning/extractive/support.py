"""How near texts are to a question, by vectors and by rare words, and whether that is enough to answer from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from explorer.models.embedding import Embedder
from explorer.reasoning.extractive.words import (
    clauses,
    is_name,
    is_telling,
    share,
    stem,
    stems,
    tokens,
    weighted,
)
from explorer.text import truncate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NEAR_WORD = 0.62
RAREST = 2.5  # an unknown word may be another word for a known thing: it must not outweigh all others
CUT_OFF = 0.47
NAMED_CUT_OFF = 0.6
SENTENCES = 5
QUOTED = 0.75
LIKENESS = 0.92
_LONGEST_WORD = 40
_NAMED = 8  # words that a sentence lists before it only counts them


@dataclass(frozen=True, slots=True)
class Measure:
    """Compares texts with a question; `rarity` gives a word's inverse document frequency. For one run: it remembers."""

    embedder: Embedder
    rarity: Callable[[str], float]
    _stems: dict[str, frozenset[str]] = field(default_factory=dict, init=False, repr=False)
    _weights: dict[str, dict[str, float]] = field(default_factory=dict, init=False, repr=False)

    def stems(self, text: str) -> frozenset[str]:
        """Give the stems of the telling words of a text."""
        if text not in self._stems:
            self._stems[text] = frozenset(stems(text))
        return self._stems[text]

    def weights(self, question: str) -> dict[str, float]:
        """Give the stems of a question's telling words, each with its rarity."""
        if question not in self._weights:
            self._weights[question] = weighted(question, self.rarity)
        return self._weights[question]

    def similarities(self, queries: Sequence[str], texts: Sequence[str]) -> NDArray[np.float32]:
        """Give the cosine of each text (rows) to each query (columns)."""
        return self.embedder.embed(texts) @ self.embedder.embed(queries).T

    def own_scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Give for each text how well it fits the part of the question it fits best, by meaning and words."""
        parts = clauses(question)
        near = self.similarities(parts, texts)
        return [max(0.5 * float(s) + 0.5 * w for s, w in zip(row, found, strict=True))
                for row, found in zip(near, self.shares(parts, texts), strict=True)]  # fmt: skip

    def shares(self, parts: Sequence[str], texts: Sequence[str]) -> list[list[float]]:
        """Give for each text which share of each part's telling words stands there, rare words counting more."""
        weighed = [self.weights(part) for part in parts]
        return [[share(weights, there) for weights in weighed] for there in map(self.stems, texts)]

    def uncovered(self, question: str, evidence: str) -> dict[str, str]:
        """Give the question's telling words that stand nowhere in the evidence, nor anything near them in meaning."""
        words = {stem(word): word for word in tokens(question) if is_telling(word)}
        there = self.stems(evidence)
        open_words = {key: word for key, word in words.items() if key not in there}
        vocabulary = sorted({token.lower() for token in tokens(evidence) if is_telling(token)})
        if not open_words or not vocabulary:
            return open_words
        near = self.similarities(vocabulary, list(open_words.values())).max(axis=1)
        return {key: word for (key, word), score in zip(open_words.items(), near, strict=True) if score < NEAR_WORD}

    def support(self, question: str, missing: Mapping[str, str], best: float) -> float:
        """Give how well evidence bears an answer: the mean of the best match and of the share of words covered."""
        weights = {word: min(RAREST, weight) for word, weight in self.weights(question).items()}
        total = sum(weights.values())
        lost = sum(weight for word, weight in weights.items() if word in missing)
        covered = 1 - lost / total if total else 0.0
        return 0.5 * covered + 0.5 * best

    def unlike(self, texts: Sequence[str], limit: int) -> list[int]:
        """Give the numbers of the first texts that don't repeat one before them, at most `limit`."""
        vectors = self.embedder.embed(texts)
        kept: list[int] = []
        for i in range(len(texts)):
            if len(kept) < limit and all(float(vectors[i] @ vectors[j]) < LIKENESS for j in kept):
                kept.append(i)
        return kept


def is_enough(support: float, missing: Mapping[str, str]) -> bool:
    """Say whether there is enough support to answer; more is needed while a name or number is not covered."""
    return support >= cut_off(missing)


def cut_off(missing: Mapping[str, str]) -> float:
    """Give the support that an answer takes (0 to 1), with these words of the question not covered."""
    return NAMED_CUT_OFF if any(map(is_name, missing.values())) else CUT_OFF


def refusal(missing: Mapping[str, str], nearest: str | None, support: float) -> str:
    """Say why a question is declined: what was not found, what came nearest, and by how much support is too little.

    How well the nearest fits by itself is left out: it is measured in another way, and may well be the higher number.
    """
    said = "Your documents don't answer this."
    if missing:
        said += f" Nothing was found about {some(missing.values())}."
    if nearest:
        said += f" Nearest was “{nearest}”."
    return (
        f"{said} Support for an answer, by all that was kept, is {support:.2f} of 1; it takes {cut_off(missing):.2f}."
    )


def not_covered(missing: Collection[str]) -> list[str]:
    """Return the sentence that names the words no evidence covers; none where there is no such word."""
    return [f"Not found in these passages: {some(missing)}."] if missing else []


def some(words: Iterable[str]) -> str:
    """List words; of many the first few, and how many more there are."""
    known = [truncate(word, _LONGEST_WORD) for word in words]
    more = f" and {len(known) - _NAMED:,} more words" if len(known) > _NAMED + 1 else ""
    return ", ".join(islice(known, _NAMED if more else None)) + more


def whole(text: str) -> str:
    """Give a source sentence on one line, without list marks; where it is only a part of one, dots say so."""
    line = " ".join(text.split()).lstrip("-*•#> ").replace("**", "").replace("`", "")
    begun = f"… {line}" if line[:1].islower() else line
    return begun if line.endswith((".", "!", "?", "”", '"')) else f"{begun} …"
