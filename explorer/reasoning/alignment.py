"""Which words of retrieved passages each sentence of any answer rests on, by words alone: no model, the same each time.

A sentence is compared with the sentences of the passages by its content words, rare ones above all. What it shares
does not say that a passage entails it.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from math import log

from explorer.language.dates import MONTHS
from explorer.language.detection import ENGLISH, language_of, share_alphabet
from explorer.language.headings import MARKED
from explorer.language.sentences import units
from explorer.language.words import STOP
from explorer.models.embedding import Remembered, WordLlamaEmbedder, cosines, is_common
from explorer.reasoning.lexical_support import numbered

_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"  # no blanks between words
_SIGNS = r"\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0dff"  # vowels and accents that `\w` leaves out
_WORD = re.compile(rf"[{_UNSPACED}]+|(?:(?![{_UNSPACED}])[^\W_]|[{_SIGNS}])+(?:['’](?:s|t|re|ve|ll|d|m)\b)?")
_ENDED = re.compile(r"(?<=[。！？؟।۔])[\"”’」』)]*\s*")  # ends of sentences that nupunkt does not know
_PASSAGE_ENDED = re.compile(
    r"(?<=[.!?؟।۔])(?<!\b[A-Z]\.)(?<!\b[DMS][rt]\.)[\"”’)\]]*\s+|(?<=[。！？])[\"”’」』)\]]*\s*|\n+"
)
_CUT_SHORT = re.compile(r"(?:\b\d{1,2}|\b\w\.\w)\.\s*\Z")  # "Am 3.", "z.B.": the sentence goes on
_CITED = re.compile(r"\[[\d\s,;^–-]{1,40}\]|【[^】\n]{0,80}】|\]\([^)\s]{0,500}\)|https?://\S+|<[^<>\n]{1,200}>")
_OPENING = re.compile(r"\s*(?:(?:[-*+•‣◦–>|]|\d{1,3}[.)])\s+)*")
_LABEL = re.compile(r"\W*\*\*[^*\n]*\*\*\W*")  # a line in bold is a heading
_NO_CLAIM = ("?", "？", "؟", ":", "：")
_CAPITALS = frozenset({"de", "lb"})  # languages that write every noun with a capital
_LONG_NUMBER = re.compile(r"\d{40,}")
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:[.'’\u00a0\u202f]\d{3})+(?![\d.,'’]*\d)")
_COMMA = re.compile(r"(?<=\d),(?=\d{1,2}(?!\d))")
_DATE = re.compile(r"\b(\d{4})-(\d\d)(?:-(\d\d))?\b|\b(\d{1,2})[./](\d{1,2})[./](\d{4})\b")
_MONTH = re.compile(
    rf"\b(?:{'|'.join(name.capitalize() for name in MONTHS)})\b(?=\.?,? \d)|(?<=\d )(?:{'|'.join(name.capitalize() for name in MONTHS)})\b"
)
_FEWEST = 3  # content words without a name or number in which something is claimed
_NEAREST = 20  # sentences of passages that are looked at closely
_LONGEST = 2_000  # code points of a sentence of a passage
_LONGEST_WORD = 60
_SHORT = 60  # code points of what a number or an abbreviation has cut off
_MOST = 3  # sources of a sentence
_SAMPLE = 20_000  # code points of passages whose language is told
_NEAR, _FAR = 0.3, 0.1  # what a word counts that stands in the next sentence, and elsewhere in the passage
_ALIKE = 0.35  # the cosine from which two words count as alike
_SECOND = 0.2  # the share that another passage must carry
_SENSE = 0.5  # what nearness in meaning counts beside words
_NO_NUMBER = 0.5  # what a number counts that is not found
_SAMPLED, _FEW = 300, 10  # sentences of passages that tell what all have in common, and so many count as none
_TINY = 1e-9
_FOREIGN = 0.32  # the score below which nothing says a sentence


@dataclass(frozen=True, slots=True)
class Rested:
    """Words of a passage that a sentence rests on, and which share of its content they carry, 0 to 1."""

    passage: int
    start: int
    end: int
    share: float


@dataclass(frozen=True, slots=True)
class Aligned:
    """A sentence of an answer and what it rests on; one that is not `foreign` and has no `sources` claims nothing.

    `absent`: its numbers and names that stand in no passage; `false`: its numbers that stand in none of its sources,
    which else carry it. `foreign`: nothing that was retrieved says this.
    """

    start: int
    end: int
    sources: tuple[Rested, ...] = ()
    score: float = 0.0
    absent: tuple[tuple[int, int], ...] = ()
    false: tuple[tuple[int, int], ...] = ()
    foreign: bool = False


def align(answer: str, passages: Sequence[str]) -> list[Aligned]:
    """Return the sentences of an answer in order, each with the words of passages that it rests on.

    In another language or alphabet than theirs no sentence is called foreign.
    """
    given = "\n".join(passages)[:_SAMPLE]
    language, other = language_of(answer), language_of(given)
    reader = _Reader(language or other or ENGLISH)
    said = [_Said.of(answer, start, end, reader) for start, end in _sentences(answer)]
    index = _Index(passages, {word.key for one in said for word in one.words}, reader)
    is_other = (language and other and language != other) or not share_alphabet(answer, given)
    return [_aligned(one, answer[one.start : one.end], index, is_compared=not is_other) for one in said]


@dataclass(frozen=True, slots=True)
class _Word:
    key: str
    start: int
    end: int
    text: str = ""
    is_name: bool = False

    @property
    def is_number(self) -> bool:
        return self.key[0] == "#"


class _Reader:
    """Reads texts in one language: their content words by their stems, and their numbers by value."""

    def __init__(self, language: str) -> None:
        self.tells_names = language not in _CAPITALS
        self._stop = STOP if language == ENGLISH else STOP | _stop_words(language)
        self._stem = _stemmer(language)
        self._keys: dict[str, str] = {}

    def words(self, text: str) -> Iterator[_Word]:
        """Yield the numbers, and then the content words."""
        plain = _in_digits(text)
        for found in _DATE.finditer(plain):
            parts = (1, 2, 3) if found[1] else (4, 5, 6)
            yield from (_Word(f"#{'m' * (part in {2, 5})}{int(found[part])}", *found.span(part))
                        for part in parts if found[part])  # fmt: skip
        for key, start, end in numbered(_DATE.sub(_blank, plain)):
            yield _Word(f"#{key}", start, end)
        for found in _MONTH.finditer(plain):
            yield _Word(f"#m{MONTHS[found[0].lower()]}", *found.span())
        for found in _WORD.finditer(plain):
            start, end = found.span()
            if _is_unspaced(found[0][0]):
                yield from (_Word(plain[at : min(at + 2, end)], at, min(at + 2, end))
                            for at in range(start, max(start + 1, end - 1)))  # fmt: skip
            elif key := self._key(found[0]):
                yield _Word(key, start, end, found[0].lower(), found[0][0].isupper())

    def _key(self, word: str) -> str:
        if (key := self._keys.get(word)) is None:
            whole = word.casefold().replace("’", "'")
            bare = _unaccented(whole.partition("'")[0])
            is_stop = whole in self._stop or bare in self._stop
            is_content = not is_stop and 1 < len(bare) <= _LONGEST_WORD and not bare[0].isdecimal()
            key = self._keys[word] = self._stem(bare) if is_content else ""
        return key


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence of an answer, and its words by their keys."""

    start: int
    end: int
    words: tuple[_Word, ...]
    is_heading: bool
    is_claim: bool

    @classmethod
    def of(cls, answer: str, start: int, end: int, reader: _Reader) -> _Said:
        text = _CITED.sub(_blank, answer[start:end])
        text = _OPENING.sub(_blank, text, count=1)
        found = [*reader.words(text)]
        covered = [one for one in found if one.is_number]
        words = [one for one in found
                 if one.is_number or not any(other.start < one.end and one.start < other.end for other in covered)]  # fmt: skip
        first = min((one.start for one in words if one.is_name), default=0)
        begins = not any(map(str.isalnum, text[:first]))
        words = [replace(one, start=start + one.start, end=start + one.end, is_name=_names(one, text, reader, first if begins else -1))
                 for one in words]  # fmt: skip
        is_heading = bool(MARKED.match(text) or _LABEL.fullmatch(text))
        bare = text.rstrip('*_ \n"”')
        tells = len({one.key for one in words}) >= _FEWEST or any(one.is_name or one.is_number for one in words)
        return cls(start, end, tuple(words), is_heading, tells and not bare.endswith(_NO_CLAIM))


class _Index:
    """Where in the passages the words of an answer stand, by the sentences of these."""

    def __init__(self, passages: Sequence[str], keys: Collection[str], reader: _Reader) -> None:
        import numpy as np

        self.passages, self.reader = passages, reader
        self.bounds: list[tuple[int, int, int]] = []
        places = defaultdict[str, set[int]](set)
        for number, passage in enumerate(passages):
            cuts = [*_pieces(passage)]
            first = len(self.bounds)
            self.bounds += [(number, start, end) for start, end in cuts]
            starts = [start for start, _ in cuts]
            for word in reader.words(passage):
                if word.key in keys:
                    places[word.key].add(first + bisect_right(starts, word.start) - 1)
        self.of = np.array([number for number, _, _ in self.bounds], dtype=np.intp)
        self.places = dict(places)
        self._arrays = {key: np.array(sorted(found), dtype=np.intp) for key, found in places.items()}
        self._whole = {key: frozenset(self.of[found].tolist()) for key, found in self._arrays.items()}
        self._words: dict[int, list[_Word]] = {}
        self._embedder = Remembered(WordLlamaEmbedder())
        sample = [self._text(place) for place in range(0, len(self.bounds), 1 + len(self.bounds) // _SAMPLED)]
        self._common = self._embedder.embed(sample or [""]).sum(axis=0) / (len(sample) + _FEW)

    def weight(self, key: str) -> float:
        """Return how rare a word is among the sentences of the passages."""
        often = len(self.places[key]) if key in self.places else 0
        return log(1 + (len(self.bounds) + 1) / (often + 0.5))

    def nearest(self, weights: Mapping[str, float]) -> list[int]:
        """Return the sentences that share most with some weighted words, also by what else their passage has."""
        import numpy as np

        own, whole = np.zeros(len(self.bounds)), np.zeros(len(self.passages))
        for key, weight in weights.items():
            if (found := self._arrays.get(key)) is not None:
                own[found] += weight
                whole[np.unique(self.of[found])] += weight
        total = own + _FAR * (whole[self.of] - own) if len(own) else own
        best = np.argsort(-total, kind="stable")[:_NEAREST]
        return [int(one) for one in best if own[one] > 0]

    def words(self, place: int) -> list[_Word]:
        """Return the words of a sentence of a passage, with where they stand in this."""
        if place not in self._words:
            number, start, end = self.bounds[place]
            self._words[place] = [replace(one, start=start + one.start, end=start + one.end)
                                  for one in self.reader.words(self.passages[number][start:end])]  # fmt: skip
        return self._words[place]

    def inside(self, words: Mapping[str, str], place: int) -> dict[str, float]:
        """Return which words of an answer stand in a sentence of a passage, as 1, or how alike a word there is."""
        found = {key: 1.0 for key in words if place in self.places.get(key, ())}
        left = {key: word for key, word in words.items() if key not in found and word}
        there = [word.text for word in self.words(place) if word.text and word.key not in words]
        if left and there:
            alike = cosines(self._embedder.embed([*left.values()]), self._embedder.embed(there)).max(axis=1)
            found |= {key: float(one) for key, one in zip(left, alike, strict=True) if one >= _ALIKE}
        return found

    def around(self, key: str, place: int) -> float:
        """Return what it counts that a word stands near a sentence of a passage."""
        number, known = self.bounds[place][0], self.places.get(key, ())
        if any(one in known and self.bounds[one][0] == number for one in (place - 1, place + 1)):
            return _NEAR
        return _FAR if key in self.places and number in self._whole[key] else 0.0

    def meant(self, text: str, places: Sequence[int]) -> dict[int, float]:
        """Return how near a text is in meaning to sentences of passages, without what all of these have in common."""
        import numpy as np

        rows = self._embedder.embed([text, *(self._text(place) for place in places)]) - self._common
        lengths = np.linalg.norm(rows, axis=1)
        near = rows[1:] @ rows[0] / np.maximum(lengths[1:] * lengths[0], _TINY)
        return dict(zip(places, map(float, near), strict=True))

    def _text(self, place: int) -> str:
        number, start, end = self.bounds[place]
        return self.passages[number][start:end]

    def keys_of(self, places: Collection[int]) -> set[str]:
        """Return the keys whose passage is that of one of some sentences."""
        numbers = {self.bounds[place][0] for place in places}
        return {key for key, whole in self._whole.items() if whole & numbers}

    def rested(self, keys: Collection[str], place: int, share: float) -> Rested:
        """Return the words of a sentence of a passage from the first to the last that an answer has."""
        number, start, end = self.bounds[place]
        found = [word for word in self.words(place) if word.key in keys]
        first, last = min((one.start for one in found), default=start), max((one.end for one in found), default=end)
        return Rested(number, first, last, round(min(1.0, share), 3))


def _aligned(said: _Said, text: str, index: _Index, *, is_compared: bool) -> Aligned:
    bare = Aligned(said.start, said.end)
    weights = {word.key: index.weight(word.key) for word in said.words}
    if said.is_heading or not weights:
        return bare
    words = {word.key: word.text for word in said.words}
    inside = {place: index.inside(words, place) for place in index.nearest(weights)}
    credit = {place: {key: found.get(key) or index.around(key, place) for key in weights}
              for place, found in inside.items()}  # fmt: skip
    meant = index.meant(text, [*inside])
    absent = tuple((word.start, word.end) for word in said.words
                   if (word.is_number or word.is_name) and word.key not in index.places)  # fmt: skip
    first = max(inside, key=lambda one: _SENSE * meant[one] + _share(weights, credit[one]), default=None)
    score = 0.0 if first is None else (_share(weights, credit[first]) + _SENSE * meant[first]) / (1 + _SENSE)
    if first is None or score < _FOREIGN:
        is_foreign = is_compared and (said.is_claim or bool(absent))
        return replace(bare, score=round(max(score, 0.0), 3), absent=absent, foreign=is_foreign)
    chosen, best = [first], dict(credit[first])
    while len(chosen) < _MOST and (left := [place for place in inside if place not in chosen]):
        more = {place: {key: max(0.0, value - best[key]) for key, value in inside[place].items()} for place in left}
        place = max(left, key=lambda one: _share(weights, more[one]))
        if _share(weights, more[place]) < _SECOND:
            break
        chosen.append(place)
        best |= {key: best[key] + value for key, value in more[place].items()}
    there = index.keys_of(chosen)
    false = tuple((word.start, word.end) for word in said.words if word.is_number and word.key not in there)
    rested = tuple(index.rested(inside[place], place, _share(weights, inside[place])) for place in chosen)
    score = (_share(weights, best) + _SENSE * meant[first]) / (1 + _SENSE)
    return Aligned(said.start, said.end, rested, round(min(score, 1.0), 3), absent, false)


def _share(weights: Mapping[str, float], found: Mapping[str, float]) -> float:
    """Return which share of some weighted words is found, 0 to 1; a number that is not counts half."""
    total = sum(weight * (_NO_NUMBER if key[0] == "#" and not found.get(key) else 1) for key, weight in weights.items())
    return sum(weights[key] * value for key, value in found.items()) / total


def _sentences(answer: str) -> Iterator[tuple[int, int]]:
    """Yield where the sentences of an answer stand, without code."""
    before: tuple[int, int] | None = None
    for unit in units(answer, 0, len(answer)):
        if not unit.is_sentence:
            continue
        cuts = [unit.start, *(found.end() for found in _ENDED.finditer(answer, unit.start, unit.end)), unit.end]
        for start, end in pairwise(cuts):
            bare = answer[start:end].strip()
            if not bare:
                continue
            start = answer.index(bare, start)
            end = start + len(bare)
            if before and _goes_on(answer[slice(*before)], answer[before[1] : start], bare):
                start, before = before[0], None
            if before:
                yield before
            before = start, end
    if before:
        yield before


def _goes_on(before: str, gap: str, text: str) -> bool:
    return "\n" not in gap and (text[0].islower() or (bool(_CUT_SHORT.search(before)) and len(before) < _SHORT))


def _pieces(passage: str) -> Iterator[tuple[int, int]]:
    """Yield where the sentences of a passage stand, long ones in pieces; together they are the passage."""
    cuts = [0, *(found.end() for found in _PASSAGE_ENDED.finditer(passage)), len(passage)]
    for start, end in pairwise(dict.fromkeys(cuts)):
        yield from ((at, min(at + _LONGEST, end)) for at in range(start, end, _LONGEST))


def _names(word: _Word, text: str, reader: _Reader, first: int) -> bool:
    """Return whether a word is a name: it has a capital, and that not only as the first of its sentence."""
    return word.is_name and reader.tells_names and (word.start != first or not is_common(text[word.start : word.end]))


def _in_digits(text: str) -> str:
    """Return a text of the same length with numbers in the digits and with the separators that English has."""
    if not text.isascii():
        text = "".join(str(unicodedata.decimal(one)) if one.isdecimal() else one for one in text)
    text = _THOUSANDS.sub(lambda found: re.sub(r"\D", ",", found[0]), _LONG_NUMBER.sub(_blank, text))
    return _COMMA.sub(".", text)


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _unaccented(word: str) -> str:
    if word.isascii():
        return word
    return "".join(one for one in unicodedata.normalize("NFKD", word) if unicodedata.combining(one) == 0)


_is_unspaced = re.compile(rf"[{_UNSPACED}]").match


@lru_cache(maxsize=32)
def _stop_words(language: str) -> frozenset[str]:
    """Return the stop words that spaCy has for a language, none for one that it does not know."""
    name = f"spacy.lang.{language}"
    if find_spec(name) is None or find_spec(f"{name}.stop_words") is None:
        return frozenset()
    return frozenset(map(_unaccented, import_module(f"{name}.stop_words").STOP_WORDS))


_STEMMED = frozenset("ar ca da de el en es et eu fi fr ga hi hu hy id it lt ne nl no pt ro ru sr sv ta tr yi".split())


def _stemmer(language: str) -> Callable[[str], str]:
    """Return what reduces words to their stems (Snowball); of a language that it does not know words stay whole."""
    import Stemmer

    made: Callable[[str], str] = Stemmer.Stemmer(language, 0).stemWord if language in _STEMMED else str
    return made
