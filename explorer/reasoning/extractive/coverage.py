"""How well texts cover the words of a question: each word by the word of a text that is nearest to it in meaning.

A paraphrase covers a question by half where shared words alone see nothing, and a sentence that covers it whole is
told from a passage in which its words lie scattered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

from explorer.language.words import is_content, stem, tokens, weighted
from explorer.models.embedding import word_vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Row = NDArray[np.float32]


class Coverage:
    """Compares texts with the words of some parts of a question, and remembers what it compared."""

    def __init__(self, parts: Sequence[str], rarity: Callable[[str], float]) -> None:
        """Read the content words of the parts, each with its inverse document frequency."""
        import numpy as np

        weights = [weighted(part, rarity) for part in parts]
        self._asked = {key: place for place, key in enumerate(dict.fromkeys(key for one in weights for key in one))}
        written = {stem(word): word.lower() for part in parts for word in tokens(part)}
        self._vectors = word_vectors([written[key] for key in self._asked])
        self._weights = np.array([[one.get(key, 0.0) for key in self._asked] for one in weights], dtype=np.float32)
        self._weights /= np.maximum(self._weights.sum(axis=1, keepdims=True), 1e-9)
        self._numbers: dict[str, int] = {"": 0}  # of a word in `_near`; the first one stands in every text
        self._near: Row = np.zeros((1, len(self._asked)), dtype=np.float32)

    def shares(self, texts: Sequence[str]) -> Row:
        """Return for each text (rows) which share of each part (columns) it covers, 0 to 1; rare words weigh more."""
        import numpy as np

        found = [["", *_words(text)] for text in texts]
        self._compare(list(dict.fromkeys(word for run in found for word in run if word not in self._numbers)))
        if not self._asked or not texts:
            return np.zeros((len(texts), len(self._weights)), dtype=np.float32)
        numbers = [self._numbers[word] for run in found for word in run]
        first = [0, *accumulate(map(len, found))][:-1]
        covered = np.maximum.reduceat(self._near[numbers], first)
        shares: Row = covered @ self._weights.T
        return shares

    def _compare(self, words: Sequence[str]) -> None:
        """Compare new words of texts with those asked for: the cosine of their vectors, 1 for the same stem."""
        import numpy as np

        if not words or not self._asked:
            return
        near = np.clip(word_vectors(words) @ self._vectors.T, 0, 1)
        for row, word in enumerate(words):
            place = self._asked.get(stem(word))
            if place is not None:
                near[row, place] = 1.0
        self._numbers |= {word: len(self._near) + row for row, word in enumerate(words)}
        self._near = np.concatenate([self._near, near])


@lru_cache(maxsize=4_000)
def _words(text: str) -> tuple[str, ...]:
    """Return the content words of a text in lower case, with the parts of hyphenated ones."""
    return tuple(part for word in tokens(text.lower()) for part in ([word, *word.split("-")] if "-" in word else [word])
                 if is_content(part))  # fmt: skip
