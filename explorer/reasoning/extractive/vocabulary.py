"""The words of texts as numbers, each word with its stem and its static vector, whatever the embedder is.

Texts of a collection come again with every question, and share most of their words: what was read of them is kept, so
that a thousand texts are compared with a question in a few array operations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, chain, pairwise
from threading import Lock
from typing import TYPE_CHECKING

from explorer.language.words import is_content, stem, tokens
from explorer.models.embedding import WordLlamaEmbedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int32]
    Rows = NDArray[np.float32]

_MOST_WORDS = 30_000  # that are kept with their vectors: 30 MB
_AT_ONCE = 128  # that are embedded: so few have the same vectors to the last digit, whatever else is new
_MOST_TEXTS = 30_000  # of which the words are kept, with the texts: 15 MB


class Vocabulary:
    """The words of some texts in lower case, by number."""

    def __init__(self) -> None:
        """Begin with no word."""
        import numpy as np

        self.words: list[str] = []
        self.stems: list[str] = []
        self.stem_of: Numbers = np.zeros(256, dtype=np.int32)
        self._vectors: Rows = np.zeros((256, 256), dtype=np.float32)
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
            self._vectors = np.concatenate([self._vectors, np.zeros((room, 256), dtype=np.float32)])
            self.stem_of = np.concatenate([self.stem_of, np.zeros(room, dtype=np.int32)])
        for start in range(0, len(new), _AT_ONCE):
            rows = WordLlamaEmbedder().embed(new[start : start + _AT_ONCE])
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


def vocabulary() -> Vocabulary:
    """Return the vocabulary that all questions share; a new one when it is full."""
    held = next((one for one in _SHARED if not one.is_full), None) or Vocabulary()
    _SHARED[:] = [held]
    return held


def content_parts(text: str) -> list[str]:
    """Return the content words of a text, with the parts of hyphenated ones."""
    return list(chain.from_iterable(map(_parts, tokens(text))))


@lru_cache(maxsize=50_000)
def _parts(word: str) -> tuple[str, ...]:
    parts = [word, *word.split("-")] if "-" in word else [word]
    return tuple(filter(is_content, parts))
