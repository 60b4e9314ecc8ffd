"""Keyword search over one index of words, in a time that does not grow with words found everywhere.

Up to `FULL` rows with any of the words, all are ranked by BM25, as FTS5 computes it. Beyond, the rarest words that stay
within it are, and the others count where they stand beside those. Rows without a rare word come in when they hold as
many as possible of the others. Such words count by their inverse document frequency alone: what BM25 gives a word that
stands once in a row of average length.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from explorer.stores.collection_view import EVERY_ROW, RowSet
from explorer.stores.database import Database, Read, Tally, WordIndex

SMALL = 3000
FULL = 2000
_TAIL = 100
_EVERYWHERE = 8
_WORDS = 4
_TELLING = 3  # characters
_POSSESSIVE = re.compile(r"(?<=\w)['’]s?$")


@dataclass(slots=True)
class Keywords:
    """The search over one index: of the chunks ("text"), or of the edges."""

    database: Database
    kind: str
    words: WordIndex = field(init=False)
    _frequencies: tuple[Tally, dict[str, int]] = field(default_factory=lambda: (Tally(), {}), init=False)

    def __post_init__(self) -> None:
        self.words = self.database.words(self.kind)

    def search(self, words: Iterable[str], limit: int, rows: RowSet = EVERY_ROW) -> list[tuple[int, float]]:
        """Find some rows that hold any of the words: (row number, score, higher is better), best first, then as stored.

        How frequent words are counts in all rows.
        """
        if rows.alone:
            return self.words.ranked(bare(words), limit, sorted(rows.numbers))
        found = self._search(bare(words), limit + len(rows.numbers))
        return [hit for hit in found if hit[0] in rows][:limit]

    def _search(self, asked: Sequence[str], limit: int) -> list[tuple[int, float]]:
        tally = self.database.tally(self.kind)
        total = tally.held
        if not asked or not total:
            return []
        if total <= SMALL:
            return self._ranked(asked, limit)
        often = self.frequencies(asked)
        if sum(often.values()) <= FULL:
            return self._ranked(list(often), limit)
        return self._weighed(often, total, limit)

    def frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """Return how many rows hold each of some words, as `frequency` does; those that none holds are left out."""
        asked, tally = list(words), self.database.tally(self.kind)
        self.database.read_ahead(partial(self._frequency, word, tally) for word in asked)
        return {word: n for word in asked if (n := self._frequency(word, tally))}

    def look(self, words: Iterable[str]) -> None:
        """Read ahead how often words and their parts stand in it, as `search` and `frequency` ask."""
        told = list(words)
        phrases = dict.fromkeys(map(phrase, (*told, *bare(told))))
        self.database.read_ahead(read for asked in phrases if asked for read in self._samples(asked))

    def frequency(self, word: str) -> tuple[int, int]:
        """Return how many rows there are, and how many of them hold a word.

        Exact up to `FULL` rows, beyond it judged by how close together some stand: the first and the last of its rows
        are looked at, so a word of one long document is not taken for common.
        """
        tally = self.database.tally(self.kind)
        return tally.held, self._frequency(word, tally)

    def _frequency(self, word: str, tally: Tally) -> int:
        """Return a frequency, counted once as long as no row is added or taken away."""
        stamp, known = self._frequencies
        if stamp != tally:
            known = {}
            self._frequencies = tally, known
        if word not in known:
            known[word] = self._counted(word, tally)
        return known[word]

    def _counted(self, word: str, tally: Tally) -> int:
        if not (asked := phrase(word)):  # the parts of "no. 2" or "oil-rich"
            return 0
        begins, ends = self._samples(asked)
        self.database.read_ahead((begins, ends))
        begun, first = begins()
        if begun < FULL:
            return begun
        ended, last = ends()
        seen = first + max(0, tally.last - max(first, last - 1))
        return max(FULL, min(tally.held, round((begun + ended) * tally.last / seen)))

    def _samples(self, asked: str) -> tuple[Callable[[], tuple[int, int]], Callable[[], tuple[int, int]]]:
        """Return the reads of the first rows that hold a word, and of the last ones."""
        return partial(self.words.sample, asked, FULL), partial(self.words.sample, asked, _TAIL, from_end=True)

    def _ranked(self, words: Sequence[str], limit: int) -> list[tuple[int, float]]:
        return self.words.ranked(bare(words), limit) if words else []

    def _weighed(self, often: dict[str, int], total: int, limit: int) -> list[tuple[int, float]]:
        """Rank with a part of the words in full, and the others by where they stand."""
        rare, common = _split(often, total)
        self.database.read_ahead(self._reads(rare, common, limit))
        weights = {word: _weight(often[word], total) for word in common}
        scores = dict(self._ranked(rare, FULL))
        for word in common if rare else []:
            for number in self.words.holding([bare(rare), bare([word])], FULL):
                scores[number] += weights[word]
        for number, score in self._together(common, weights, limit):
            scores.setdefault(number, score)
        if not scores:
            seldom = min(often, key=lambda word: often[word])
            scores = dict.fromkeys(self.words.holding([bare([seldom])], limit), _weight(often[seldom], total))
        return sorted(scores.items(), key=lambda row: (-row[1], row[0]))[:limit]

    def _reads(self, rare: Sequence[str], common: Sequence[str], limit: int) -> Iterator[Read]:
        yield partial(self._ranked, rare, FULL)
        for word in common if rare else []:
            yield partial(self.words.holding, [bare(rare), bare([word])], FULL)
        for count in range(len(common), 1, -1):
            yield partial(self.words.holding, [bare([word]) for word in common[:count]], limit)

    def _together(self, words: Sequence[str], weights: dict[str, float], limit: int) -> list[tuple[int, float]]:
        """Find rows that hold all of the words, then all but the commonest, and so on down to two."""
        found: dict[int, float] = {}
        for count in range(len(words), 1, -1):
            if len(found) >= limit:
                break
            score = sum(weights[word] for word in words[:count])
            for number in self.words.holding([bare([word]) for word in words[:count]], limit):
                found.setdefault(number, score)
        return list(found.items())


def bare(words: Iterable[str]) -> list[str]:
    """Return the different words, without marks and without a possessive ending.

    Of a number or code with marks in it, as "19.24", the parts stay side by side; long parts with a digit count alone
    too.
    """
    return list(dict.fromkeys(part for word in words for part in _parts(word)))


def phrase(text: str) -> str:
    """Return the words of a text that stand one after the other, with blanks between; empty for none."""
    return " ".join(_words(text))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", _POSSESSIVE.sub("", unicodedata.normalize("NFC", text).lower()))


def _parts(word: str) -> list[str]:
    parts = _words(word)
    if len(parts) < 2 or not any(map(str.isdigit, word)):
        return parts
    return [" ".join(parts), *(part for part in parts if len(part) >= _TELLING and any(map(str.isdigit, part)))]


def _split(often: dict[str, int], total: int) -> tuple[list[str], list[str]]:
    """Part the words, rarest first, in those whose rows are ranked in full and the rarest of the others.

    Words that stand in a good part of all rows tell them apart too little to look for, unless there are no other ones.
    """
    words = sorted(often, key=lambda word: often[word])
    words = [word for word in words if often[word] * _EVERYWHERE <= total] or words
    room, rare = FULL, 0
    while rare < len(words) and often[words[rare]] <= room:
        room -= often[words[rare]]
        rare += 1
    return words[:rare], words[rare : rare + _WORDS]


def _weight(often: int, total: int) -> float:
    """Return a word's inverse document frequency as FTS5's BM25 does."""
    return max(1e-6, math.log((total - often + 0.5) / (often + 0.5)))
