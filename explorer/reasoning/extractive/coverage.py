"""How well texts cover the words of a question: each word by the word of a text that is nearest to it in meaning.

A paraphrase covers a question by half where shared words alone see nothing, and a sentence that covers it whole is
told from a passage in which its words lie scattered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from explorer.language.words import stem, tokens, weighted
from explorer.models.embedding import cosines
from explorer.reasoning.extractive.vocabulary import vocabulary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from explorer.reasoning.extractive.vocabulary import Numbers

    Row = NDArray[np.float32]


_MARKS = re.compile(r"no\.|\d+(?:st|nd|rd|th|s)$", re.IGNORECASE)


def has_digit(word: str) -> bool:
    """Return whether a word has a digit: a number or a code has no meaning that another one is near to.

    "no. 1" only marks another word, and the "1960s" or the "11th" century are near others.
    """
    return any(map(str.isdigit, word)) and not _MARKS.match(word)


class Coverage:
    """Compares texts with the words of some parts of a question, and remembers what it compared."""

    def __init__(self, parts: Sequence[str], rarity: Callable[[str], float]) -> None:
        """Read the content words of the parts, each with its inverse document frequency."""
        import numpy as np

        weights = [weighted(part, rarity) for part in parts]
        asked = list(dict.fromkeys(key for one in weights for key in one))
        written = {stem(word): word.lower() for part in parts for word in tokens(part)}
        self._known = vocabulary()
        numbers = self._known.numbers(written[key] for key in asked)
        self._vectors = self._known.vectors(numbers)
        self._may_be_near = np.array([not has_digit(written[key]) for key in asked], dtype=np.float32)
        self._stems = np.array([self._known.stem_number(key) for key in asked], dtype=np.int32)
        self._weights = np.array([[one.get(key, 0.0) for key in asked] for one in weights], dtype=np.float32)
        self._weights /= np.maximum(self._weights.sum(axis=1, keepdims=True), 1e-9)
        self._rows: Numbers = np.zeros(0, dtype=np.int32)  # in `_near`, of each word; −1: not compared yet
        self._near: Row = np.zeros((0, len(asked)), dtype=np.float32)

    def shares(self, texts: Sequence[str]) -> Row:
        """Return for each text (rows) which share of each part (columns) it covers, 0 to 1; rare words weigh more."""
        import numpy as np

        if not len(self._stems) or not texts:
            return np.zeros((len(texts), len(self._weights)), dtype=np.float32)
        runs = self._known.of(texts)
        numbers, lengths = np.concatenate(runs), np.array([len(run) for run in runs])
        self._compare(numbers)
        covered = np.zeros((len(texts), len(self._stems)), dtype=np.float32)
        if len(numbers):
            first = (np.cumsum(lengths) - lengths)[lengths > 0]
            covered[lengths > 0] = np.maximum.reduceat(self._near[self._rows[numbers]], first)
        shares: Row = np.einsum("ij,kj->ik", covered, self._weights)  # BLAS may warn of numbers that are not there
        return shares

    def _compare(self, words: Numbers) -> None:
        """Compare new words of texts with those asked for: the cosine of their vectors, 1 for the same stem."""
        import numpy as np

        size = len(self._known.words)
        self._rows = np.concatenate([self._rows, np.full(size - len(self._rows), -1, dtype=np.int32)])
        unknown = words[self._rows[words] < 0]
        if not len(unknown):
            return
        new = unknown[np.sort(np.unique(unknown, return_index=True)[1])]  # as they stand: the last digits depend on it
        near = np.clip(cosines(self._known.vectors(new), self._vectors), 0, 1) * self._may_be_near
        near[self._known.stem_of[new][:, None] == self._stems] = 1.0
        self._rows[new] = np.arange(len(self._near), len(self._near) + len(new))
        self._near = np.concatenate([self._near, near])
