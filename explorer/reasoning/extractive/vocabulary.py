"""The words of texts as numbers, each with its stem and static vector, and how well texts cover those of a question.

Texts of a collection come again with every question, and share most of their words: what was read of them is kept, so
that a thousand texts are compared with a question in a few array operations. Each word of a question is covered by the
word of a text that is nearest to it in meaning: a paraphrase covers it by half where shared words alone see nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, chain, pairwise
from threading import Lock
from typing import TYPE_CHECKING

from explorer.language.words import content_parts, stem, tokens, weighted
from explorer.models.embedding import Embedder, OfWords, cosines, of_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int32]
    Rows = NDArray[np.float32]

_MOST_WORDS = 30_000  # that are kept with their vectors: 30 MB
_AT_ONCE = 128  # that are embedded: so few have the same vectors to the last digit, whatever else is new
_MOST_TEXTS = 30_000  # of which the words are kept, with the texts: 15 MB
_MARKS = re.compile(r"no\.|\d+(?:st|nd|rd|th|s)$", re.IGNORECASE)


class Vocabulary:
    """The words of some texts in lower case, by number, with the vectors of an embedder of words."""

    def __init__(self, embedder: OfWords) -> None:
        """Begin without a word."""
        import numpy as np

        self.embedder = embedder
        self.words: list[str] = []
        self.stems: list[str] = []
        self.stem_of: Numbers = np.zeros(256, dtype=np.int32)
        self._vectors: Rows = np.zeros((256, embedder.embed([""]).shape[1]), dtype=np.float32)
        self._numbers: dict[str, int] = {}
        self._numbers_of_stems: dict[str, int] = {}
        self._texts: dict[str, Numbers] = {}
        self._lock = Lock()

    def numbers(self, words: Iterable[str]) -> Numbers:
        """Return the numbers of words in lower case."""
        import numpy as np

        asked = list(words)
        if not self._numbers.keys() >= (different := set(asked)):
            with self._lock:
                self._learn(sorted(different))
        return np.array([self._numbers[word] for word in asked], dtype=np.int32)

    def of(self, texts: Sequence[str]) -> list[Numbers]:
        """Return the content words of each text in order, with the parts of hyphenated ones."""
        if new := {text: [word.lower() for word in content_parts(text)] for text in texts if text not in self._texts}:
            numbers = self.numbers(chain.from_iterable(new.values()))
            ends = pairwise([0, *accumulate(map(len, new.values()))])
            self._texts.update((text, numbers[start:end]) for text, (start, end) in zip(new, ends, strict=True))
        return [self._texts[text] for text in texts]

    def shares(self, texts: Sequence[str], weights: Mapping[str, float]) -> NDArray[np.float64]:
        """Return for each text which share of some weighted stems stands in it, 0 to 1."""
        import numpy as np

        runs = self.of(texts)
        stems = self.stem_of[np.concatenate(runs)] if runs else self.stem_of[:0]
        owner = np.repeat(np.arange(len(runs)), [len(run) for run in runs])
        found, total = np.zeros(len(runs)), sum(weights.values())
        for key, weight in weights.items():
            there = np.zeros(len(runs), dtype=np.bool_)
            there[owner[stems == self.stem_number(key)]] = True
            found += weight * there
        return found / total if total else found

    def vectors(self, numbers: Numbers) -> Rows:
        """Return the vectors of words, of length 1."""
        rows: Rows = self._vectors[numbers]
        return rows

    def stem_number(self, key: str) -> int:
        """Return the number of a stem, −1 where no word has it."""
        return self._numbers_of_stems.get(key, -1)

    @property
    def is_full(self) -> bool:
        """Whether more is kept than there is room for."""
        return len(self.words) > _MOST_WORDS or len(self._texts) > _MOST_TEXTS

    def _learn(self, words: Iterable[str]) -> None:
        """Add the words that are new; those that other threads know keep their numbers."""
        import numpy as np

        new = [word for word in words if word not in self._numbers]
        first = len(self.words)
        if first + len(new) > len(self._vectors):
            room = 2 * (first + len(new))
            more = np.zeros((room, self._vectors.shape[1]), dtype=np.float32)
            self._vectors = np.concatenate([self._vectors, more])
            self.stem_of = np.concatenate([self.stem_of, np.zeros(room, dtype=np.int32)])
        for start in range(0, len(new), _AT_ONCE):
            rows = self.embedder.embed(new[start : start + _AT_ONCE])
            self._vectors[first + start : first + start + len(rows)] = rows
        for word in new:
            key = stem(word)
            if key not in self._numbers_of_stems:
                self._numbers_of_stems[key] = len(self.stems)
                self.stems.append(key)
            self.stem_of[len(self.words)] = self._numbers_of_stems[key]
            self.words.append(word)
            self._numbers[word] = len(self.words) - 1  # last: from here on other threads find it


_SHARED: list[Vocabulary] = []


def vocabulary(embedder: Embedder) -> Vocabulary:
    """Return the vocabulary that all questions share, a new one when it is full or has other vectors."""
    by = of_words(embedder)
    held = next((one for one in _SHARED if not one.is_full and one.embedder.name == by.name), None) or Vocabulary(by)
    _SHARED[:] = [held]
    return held


def has_digit(word: str) -> bool:
    """Return whether a word has a digit: a number or a code has no meaning that another one is near to.

    "no. 1" only marks another word, and the "1960s" or the "11th" century are near others.
    """
    return any(map(str.isdigit, word)) and not _MARKS.match(word)


class Coverage:
    """Compares texts with the words of some parts of a question, and remembers what it compared."""

    def __init__(self, parts: Sequence[str], rarity: Callable[[str], float], embedder: Embedder) -> None:
        """Read the content words of the parts, each with its inverse document frequency."""
        import numpy as np

        weights = [weighted(part, rarity) for part in parts]
        asked = list(dict.fromkeys(key for one in weights for key in one))
        written = {stem(word): word.lower() for part in parts for word in tokens(part)}
        self._known = vocabulary(embedder)
        numbers = self._known.numbers(written[key] for key in asked)
        self._vectors = self._known.vectors(numbers)
        self._may_be_near = np.array([not has_digit(written[key]) for key in asked], dtype=np.float32)
        self._stems = np.array([self._known.stem_number(key) for key in asked], dtype=np.int32)
        self._weights = np.array([[one.get(key, 0.0) for key in asked] for one in weights], dtype=np.float32)
        self._weights /= np.maximum(self._weights.sum(axis=1, keepdims=True), 1e-9)
        self._rows: Numbers = np.zeros(0, dtype=np.int32)  # in `_near`, of each word; −1: not compared yet
        self._near: Rows = np.zeros((0, len(asked)), dtype=np.float32)

    def shares(self, texts: Sequence[str]) -> Rows:
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
        shares: Rows = np.einsum("ij,kj->ik", covered, self._weights)  # BLAS may warn of numbers that are not there
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
