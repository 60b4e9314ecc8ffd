"""Which words of retrieved passages each sentence of any answer rests on: without a language model, the same each time.

A sentence is compared with those of the passages by its content words, rare ones above all, and by static vectors of
words, which tell synonyms. Where both speak of the same and say different things, what each says alone is not alike.
What it shares does not say that a passage entails it.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from math import log, sqrt
from typing import TYPE_CHECKING

from explorer.language.dates import MONTHS
from explorer.language.detection import ENGLISH, language_of, share_alphabet
from explorer.language.headings import MARKED
from explorer.language.sentences import units
from explorer.language.words import STOP, unaccented
from explorer.models.embedding import Embedder, OfWords, Remembered, cosines, of_words
from explorer.reasoning.lexical_support import numbered

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"  # no blanks between words
_SIGNS = r"\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0dff"  # vowels and accents that `\w` leaves out
_WORD = re.compile(rf"(?P<run>[{_UNSPACED}]+)|(?:(?![{_UNSPACED}])[^\W_]|[{_SIGNS}])+(?:['’](?:s|t|re|ve|ll|d|m)\b)?")
_ENDED = re.compile(r"(?<=[。！？؟।۔])[\"”’」』)]*\s*")  # ends of sentences that nupunkt does not know
_PASSAGE_ENDED = re.compile(
    r"(?<=[.!?؟।۔])(?<!\b[A-Z]\.)(?<!\b[DMS][rt]\.)(?<!\b\d\.)(?<!\b\d\d\.)[\"”’)\]]*\s+|(?<=[。！？])[\"”’」』)\]]*\s*|\n+"
)
_CUT_SHORT = re.compile(r"(?:[^\n]{0,57}\b\d{1,2}|[^\n]*\b\w\.\w)\.")  # "Am 3.", "z.B.": the sentence goes on
_CITED = re.compile(r"\[[\d\s,;^–-]{1,40}\]|【[^】\n]{0,80}】|\]\([^)\s]{0,500}\)|https?://\S+|<[^<>\n]{1,200}>")
_OPENING = re.compile(r"\s*(?:(?:[-*+•‣◦–>|]|\d{1,3}[.)])\s+)*")
_HEADING = re.compile(rf"{MARKED.pattern}|\W*\*\*[^*\n]*\*\*\W*\Z")
_NO_CLAIM = ("?", "？", "؟", ":", "：")
_CAPITALS = frozenset({"de", "lb"})  # languages that write every noun with a capital
_STEMMED = frozenset("ar ca da de el en es et eu fi fr ga hi hu hy id it lt ne nl no pt ro ru sr sv ta tr yi".split())
_LONG_NUMBER = re.compile(r"\d{40,}")
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:[.'’\u00a0\u202f]\d{3})+(?![\d.,'’]*\d)")
_COMMA = re.compile(r"(?<=\d),(?=\d{1,2}(?!\d))")
_DATE = re.compile(r"\b(\d{4})-(\d\d)(?:-(\d\d))?\b|\b(\d{1,2})[./](\d{1,2})[./](\d{4})\b")
_NAMED = rf"(?:{'|'.join(map(str.capitalize, MONTHS))})\b"
_MONTH = re.compile(rf"\b{_NAMED}(?=\.?,? \d)|(?<=\d ){_NAMED}")
_FEWEST = 2  # content words without a name or number that claim something
_NEAREST, _MOST = 20, 3  # sentences of passages that are looked at closely, and that one rests on
_LONGEST, _LONGEST_WORD = 2_000, 60  # code points of a sentence of a passage, and of a word
_SAMPLE = 20_000  # code points of passages whose language is told
_SAMPLED, _FEW = 300, 10  # sentences of passages that tell what all have in common, and so many count as none
_TWIN = 0.5  # the cosine from which words count as the same
_SENSE, _REST = 0.5, 0.5  # what nearness in meaning counts beside words, and that of what is not shared
_SECOND = 0.2  # the share that another sentence of a passage must carry
_ABSENT = 0.03  # what a name that stands in no passage takes from the score
_FOREIGN = 0.30  # the score below which nothing says a sentence


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

    `score`: how well the best of them fits; `share`: how much of its content they carry together. `absent`: its numbers
    and names that stand in no passage; `false`: its numbers that stand in none of its sources, which else carry it.
    `foreign`: nothing that was retrieved says this.
    """

    start: int
    end: int
    sources: tuple[Rested, ...] = ()
    score: float = 0.0
    absent: tuple[tuple[int, int], ...] = ()
    false: tuple[tuple[int, int], ...] = ()
    foreign: bool = False
    share: float = 0.0


def align(answer: str, passages: Sequence[str], embedder: Embedder | None = None) -> list[Aligned]:
    """Return the sentences of an answer in order, each with the words of passages that it rests on.

    In another language or alphabet than theirs no sentence is called foreign. Words are compared by an embedder that
    knows words, else by the static one.
    """
    answer, *passages = (text.encode(errors="replace").decode() for text in (answer, *passages))  # halves of characters
    given = "\n".join(passages)[:_SAMPLE]
    language, other = language_of(answer), language_of(given)
    read_as = language or other or ENGLISH
    reader, places = _Reader(read_as, of_words(embedder)), _sentences(answer, read_as)
    said = [_said(answer[start:end], reader) for start, end in places]
    index = _Index(passages, {word.key for words in said for word in words}, reader)
    is_compared = share_alphabet(answer, given) and (not language or not other or language == other)
    return [_aligned(answer, *place, words, index, is_compared=is_compared)
            for place, words in zip(places, said, strict=True)]  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Word:
    key: str
    start: int
    end: int
    text: str = ""
    is_name: bool = False


class _Reader:
    """Reads texts in one language: their content words by their stems, and their numbers by value."""

    def __init__(self, language: str, embedder: OfWords) -> None:
        import Stemmer

        self.embedder = embedder
        self.tells_names = language not in _CAPITALS
        self._stop = STOP if language == ENGLISH else STOP | _stop_words(language)
        self._stem: Callable[[str], str] = Stemmer.Stemmer(language, 0).stemWord if language in _STEMMED else str
        self._keys: dict[str, str] = {}

    def words(self, text: str) -> Iterator[_Word]:
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
            if found["run"]:
                yield from (_Word(plain[at : min(at + 2, end)], at, min(at + 2, end))
                            for at in range(start, max(start + 1, end - 1)))  # fmt: skip
            elif key := self._key(found[0]):
                yield _Word(key, start, end, found[0].lower(), found[0][0].isupper())

    def _key(self, word: str) -> str:
        if (key := self._keys.get(word)) is None:
            whole = word.casefold().replace("’", "'")
            bare = unaccented(whole.partition("'")[0])
            is_content = self._stop.isdisjoint((whole, bare)) and 1 < len(bare) <= _LONGEST_WORD
            key = self._keys[word] = self._stem(bare) if is_content and not bare[0].isdecimal() else ""
        return key


def _said(text: str, reader: _Reader) -> list[_Word]:
    """Return the words of a sentence of an answer, those of a number once; none of a heading.

    A name has a capital; the first word only if it is no common one.
    """
    plain = _OPENING.sub(_blank, _CITED.sub(_blank, text), count=1)
    found = [] if _HEADING.match(plain) else [*reader.words(plain)]
    taken = {at for one in found if _is_number(one.key) for at in range(one.start, one.end)}
    first = next((at for at, one in enumerate(plain) if one.isalnum()), 0)
    is_common = reader.embedder.is_common
    return [replace(one, is_name=one.is_name and reader.tells_names and (one.start != first or not is_common(one.text)))
            for one in found if _is_number(one.key) or taken.isdisjoint(range(one.start, one.end))]  # fmt: skip


class _Index:
    """Where in the passages the words of an answer stand, by the sentences of these."""

    def __init__(self, passages: Sequence[str], keys: Collection[str], reader: _Reader) -> None:
        import numpy as np

        self.passages, self.reader = passages, reader
        self.bounds: list[tuple[int, int, int]] = []
        self.words = defaultdict[int, list[_Word]](list)  # of the sentences, with where they stand in their passages
        places = defaultdict[str, set[int]](set)
        for number, passage in enumerate(passages):
            cuts = [*_pieces(passage)]
            first = len(self.bounds)
            self.bounds += [(number, start, end) for start, end in cuts]
            starts = [start for start, _ in cuts]
            for word in reader.words(passage):
                place = first + bisect_right(starts, word.start) - 1
                self.words[place].append(word)
                if word.key in keys:
                    places[word.key].add(place)
        self.places = dict(places)
        self._arrays = {key: np.array(sorted(found), dtype=np.intp) for key, found in places.items()}
        self.passages_of = {key: {self.bounds[place][0] for place in found} for key, found in places.items()}
        self._twins: dict[tuple[int, str], str] = {}  # the keys of words that mean the same in a sentence of a passage
        self._embedder = Remembered(reader.embedder)
        sample = [self._text(place) for place in range(0, len(self.bounds), 1 + len(self.bounds) // _SAMPLED)]
        self._common = self._embedder.embed(sample or [""]).sum(axis=0) / (len(sample) + _FEW)

    def weight(self, key: str) -> float:
        """Return how rare a word is among the sentences of the passages, squared: what all are about tells little."""
        return log(1 + (len(self.bounds) + 1) / (len(self.places.get(key, ())) + 0.5)) ** 2

    def nearest(self, weights: Mapping[str, float]) -> list[int]:
        """Return the sentences that share most with some weighted words."""
        import numpy as np

        own = np.zeros(len(self.bounds))
        for key, weight in weights.items():
            if key in self._arrays:
                own[self._arrays[key]] += weight
        return [int(one) for one in np.argsort(-own, kind="stable")[:_NEAREST] if own[one] > 0]

    def inside(
        self, words: Mapping[str, str], weights: Mapping[str, float], place: int
    ) -> tuple[dict[str, float], float]:
        """Return which words of an answer stand in a sentence of a passage, as 1, or how alike a word there is; and how
        near the words that stand in only one of the two are in meaning, together.
        """
        found = {key: 1.0 for key in words if place in self.places.get(key, ())}
        left = {key: word for key, word in words.items() if key not in found and word}
        there = [word for word in self.words[place] if word.text and word.key not in words]
        if not left or not there:
            return found, float(not left)
        rows = self._embedder.embed([*left.values()]), self._embedder.embed([word.text for word in there])
        for key, alike in zip(left, cosines(*rows), strict=True):
            found[key] = max(0.0, float(alike.max()))
            self._twins |= {(place, key): there[int(alike.argmax())].key} if alike.max() >= _TWIN else {}
        return found, _cosine([weights[key] for key in left] @ rows[0], rows[1].sum(axis=0))

    def meant(self, text: str, places: Sequence[int]) -> dict[int, float]:
        """Return how near a text is in meaning to sentences of passages, without what all of these have in common."""
        first, *rows = self._embedder.embed([text, *(self._text(place) for place in places)]) - self._common
        return {place: _cosine(row, first) for place, row in zip(places, rows, strict=True)}

    def _text(self, place: int) -> str:
        number, start, end = self.bounds[place]
        return self.passages[number][start:end]

    def rested(self, keys: Collection[str], place: int, share: float) -> Rested:
        """Return the words of a sentence of a passage from the first to the last that an answer has."""
        number, start, end = self.bounds[place]
        known = {self._twins.get((place, key), key) for key in keys}
        found = [word for word in self.words[place] if word.key in known]
        first, last = min((one.start for one in found), default=start), max((one.end for one in found), default=end)
        return Rested(number, first, last, round(min(1.0, share), 3))


def _aligned(answer: str, start: int, end: int, said: Sequence[_Word], index: _Index, *, is_compared: bool) -> Aligned:
    def places(words: Iterable[_Word]) -> tuple[tuple[int, int], ...]:
        return tuple((start + word.start, start + word.end) for word in words)

    text, words = answer[start:end], {word.key: word.text for word in said}
    weights = {key: index.weight(key) for key in words}
    compared = {place: index.inside(words, weights, place) for place in index.nearest(weights)}
    inside = {place: found for place, (found, _) in compared.items()}
    meant = index.meant(text, [*inside])
    telling = [word for word in said if _is_number(word.key) or word.is_name]
    absent = places(word for word in telling if word.key not in index.places)
    fit = {place: (_share(weights, found) + _SENSE * meant[place] + _REST * rest) / (1 + _SENSE + _REST)
           for place, (found, rest) in compared.items()}  # fmt: skip
    first = max(fit, key=lambda one: fit[one], default=-1)
    unknown = sum(word.is_name and word.key not in index.places for word in said)
    score = max(0.0, fit.get(first, 0.0) - _ABSENT * unknown)
    if score < _FOREIGN:
        is_claim = bool(telling or len(words) >= _FEWEST) and not text.rstrip('*_ \n"”').endswith(_NO_CLAIM)
        return Aligned(start, end, (), round(score, 3), absent, (), is_claim and is_compared)
    chosen, best = [first], dict(inside[first])
    while len(chosen) < _MOST and (left := [place for place in inside if place not in chosen]):
        more = {place: {key: max(0.0, value - best.get(key, 0.0)) for key, value in inside[place].items()
                        if value >= _TWIN and not _is_number(key)} for place in left}  # fmt: skip
        place = max(left, key=lambda one: _share(weights, more[one]))
        if _share(weights, more[place]) < _SECOND:
            break
        chosen.append(place)
        best |= {key: best.get(key, 0.0) + value for key, value in more[place].items()}
    rested = tuple(index.rested(inside[place], place, _share(weights, inside[place])) for place in chosen)
    own = {index.bounds[place][0] for place in chosen}
    false = places(word for word in said
                   if _is_number(word.key) and own.isdisjoint(index.passages_of.get(word.key, ())))  # fmt: skip
    return Aligned(start, end, rested, round(score, 3), absent, false, share=round(min(1.0, _share(weights, best)), 3))


def _share(weights: Mapping[str, float], found: Mapping[str, float]) -> float:
    """Return which share of some weighted words is found, 0 to 1, beside numbers that are not."""
    total = sum(weight for key, weight in weights.items() if found.get(key) or not _is_number(key))
    return sum(weights[key] * value for key, value in found.items()) / total if total else 0.0


def _cosine(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    lengths = float(one @ one) * float(other @ other)
    return float(one @ other) / sqrt(lengths) if lengths else 0.0


def _sentences(answer: str, language: str) -> list[tuple[int, int]]:
    """Return where the sentences of an answer stand, without code; one goes on before a small letter.

    In other languages than English it also does behind a number with a point.
    """
    found = list[tuple[int, int]]()
    for unit in units(answer, 0, len(answer)):
        cuts = [unit.start, *(match.end() for match in _ENDED.finditer(answer, unit.start, unit.end)), unit.end]
        for first, last in pairwise(cuts if unit.is_sentence else ()):
            if not (bare := answer[first:last].strip()):
                continue
            start = answer.index(bare, first)
            before, end = found[-1] if found else (0, 0)
            is_cut = language != ENGLISH and _CUT_SHORT.fullmatch(answer, before, end)
            if found and not answer[end:start].strip(" ") and (bare[0].islower() or is_cut):
                start = found.pop()[0]
            found.append((start, first + len(answer[first:last].rstrip())))
    return found


def _pieces(passage: str) -> Iterator[tuple[int, int]]:
    """Yield where the sentences of a passage stand, long ones in pieces; together they are the passage."""
    cuts = [0, *(found.end() for found in _PASSAGE_ENDED.finditer(passage)), len(passage)]
    for start, end in pairwise(dict.fromkeys(cuts)):
        yield from ((at, min(at + _LONGEST, end)) for at in range(start, end, _LONGEST))


def _in_digits(text: str) -> str:
    """Return a text of the same length with numbers in the digits and with the separators that English has."""
    if not text.isascii():
        text = "".join(str(unicodedata.decimal(one)) if one.isdecimal() else one for one in text)
    text = _THOUSANDS.sub(lambda found: re.sub(r"\D", ",", found[0]), _LONG_NUMBER.sub(_blank, text))
    return _COMMA.sub(".", text)


def _is_number(key: str) -> bool:
    return key[0] == "#"


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


@lru_cache(maxsize=32)
def _stop_words(language: str) -> frozenset[str]:
    """Return the stop words that spaCy has for a language, none for one that it does not know."""
    name = f"spacy.lang.{language}"
    if find_spec(name) is None or find_spec(f"{name}.stop_words") is None:
        return frozenset()
    return frozenset(map(unaccented, import_module(f"{name}.stop_words").STOP_WORDS))
