"""How far the words of a model's answer are those of what it cites: names, numbers, negation, words and similarity.

This is lexical support. That the words of a sentence stand in a source does not say that the source entails it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from explorer.language.detection import language_of, share_alphabet
from explorer.language.pipeline import parsed
from explorer.language.words import content_words, is_content, stem, stems, tokens
from explorer.models.embedding import Embedder
from explorer.reasoning.protocol import Cited
from explorer.text import SENTENCE_END

Level = Literal["found", "near", "none", "not compared"]
FOUND = 0.8  # the share of a sentence's words that stand in its source, from which they count as found there
NEAR = 0.5  # the same share, or the cosine to a sentence of the source, from which that is near
_NEGATION = re.compile(
    r"\b(?:not|no(?!\.\s?\d)|never|none|nobody|nothing|neither|nor|without|cannot|\w{0,9}n['’]t)\b", re.IGNORECASE
)
SAYS = "the source says"
"""How it begins what is named where the source alone denies something."""
_PRONOUN = re.compile(r"\b(?:it|its|he|his|him|she|her|they|their|them|this|these|those)\b", re.IGNORECASE)
_NEAREST = 3  # sentences that are shown of a long source
_LEAST, _LONGEST = 600, 2_000  # characters of them that there always are, and of those that are cited
_FARTHEST = 1_000  # characters before a pronoun in which stands what it is about
_WRAPPED = re.compile(r"(?<![.!?:\n])\n(?!\s*(?:\n|[#|>*•–-]|\d{1,2}[.)]\s))")  # in the midst of a sentence
_CAPITAL = re.compile(r"[A-Z][\w’'.-]*")
_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_VALUES = {word: n for n, word in enumerate(_UNITS)} | {word: 10 * n for n, word in enumerate(_TENS, 2)}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_WORD = "|".join((*_VALUES, *_SCALES))
_FORMS = re.compile(
    rf"\b(?P<h>[0-9]+|{_WORD})\s*(?:hours?|hrs?|h)\b,?(?:\s*and)?\s*(?P<m>[0-9]+|{_WORD})\s*(?:minutes?|mins?|m)\b"
    rf"(?:,?(?:\s*and)?\s*(?P<s>[0-9]+|{_WORD})\s*(?:seconds?|secs?|s)\b)?"
    r"|(?P<digits>[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?(?![0-9])|[0-9]+(?:[.:/][0-9]+)*)(?:\s+(?P<scale>thousand|million|billion)\b)?"
    rf"|\b(?P<words>(?:{_WORD})(?:[\s-]+(?:and\s+)?(?:{_WORD}))*)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Source:
    """The text of what a sentence of an answer cites, and where in it the cited words stand, if that is told."""

    text: str
    cited: tuple[int, int] | None = None

    @classmethod
    def of(cls, title: str, text: str, place: tuple[int, int] | None = None) -> Source:
        """Return a passage below its title, unless it begins with that."""
        head = "" if text.lstrip("# ").startswith(title) else f"{title}\n\n"
        return cls(head + text, place and (len(head) + place[0], len(head) + place[1]))


@dataclass(frozen=True, slots=True)
class Wording:
    """A span of an answer, the numbers of what it cites, how far its words stand there, and what does not."""

    span: Cited
    level: Level
    missing: tuple[str, ...] = ()


def worded(text: str, sources: Mapping[Cited, Sequence[Source]], embedder: Embedder) -> list[Wording]:
    """Compare every sentence of an answer with what it cites, by the spans that cite something.

    The words between these are sentences that cite nothing. In another language or alphabet than its sources an answer
    is not compared.
    """
    language = language_of(text)
    found = []
    for span in _covering(text, [*sources]):
        cited = sources.get(span, ())
        sentence, source = text[span.start : span.end], "\n".join(one.text for one in cited)
        there = language_of(source) if language else None
        is_other = (there and there != language) or not share_alphabet(sentence, source)
        level, missing = ("not compared", ()) if is_other else compared(sentence, cited, embedder)
        found.append(Wording(span, level, missing))
    return found


def compared(sentence: str, sources: Sequence[Source], embedder: Embedder) -> tuple[Level, tuple[str, ...]]:
    """Return how far a sentence's words stand in one sentence of a source, and which names, numbers and negation do
    not; also in the cited words of all sources together, of one where they are not told in its nearest sentence.

    A sentence with any of these missing is near at most; one that neither shares words nor is similar has no source.
    """
    words = frozenset(stem(word) for word in content_words(by_value(sentence)))
    read = [[*_read(_sentences(source.text))] for source in sources]
    every = [one for part in read for one in part]
    if not every:
        return "none", ()
    nearest = [max(part, key=lambda one: len(words & _stems(one.own))) for part in read if part]
    told = (source for source in sources if source.text.strip())
    own = " ".join(source.text[slice(*source.cited)] if source.cited else one.own
                   for source, one in zip(told, nearest, strict=True))  # fmt: skip
    together = _Read(own, " ".join([own, *(one.text for one in nearest)]))
    best = max([*every, together], key=lambda one: _share(words, one.own) - 0.1 * len(_missing(sentence, one)))
    missing, share = tuple(_missing(sentence, best)), _share(words, best.text)
    if share >= FOUND and not missing:
        return "found", ()
    if share < NEAR:
        near = embedder.embed([one.own for one in every]) @ embedder.embed([sentence])[0]
        if float(near.max()) < NEAR:
            return "none", missing
    return "near", missing


def beside(sentence: str, source: Source, most: int) -> str:
    """Return the words of a source that a sentence is read beside: all, or of a long one those that are cited, and
    what is nearest to it in about so many characters. That are the sentences that share most words with it, rare ones
    above all, each with its neighbours.
    """
    if len(source.text) <= most:
        return source.text
    words = frozenset(stem(word) for word in content_words(by_value(sentence)))
    places = [*_places(source.text)]
    parts = [source.text[start:end].strip() for start, end in places]
    first, last = source.cited or (0, 0)
    most = max(most, min(last - first, _LONGEST))
    cited = [n for n, (start, end) in enumerate(places) if start < last and first < end]
    shared = [words & _stems(part) for part in parts]
    times = Counter(word for own in shared for word in own)
    best = sorted(range(len(parts)), key=lambda n: (-sum(1 / times[word] for word in shared[n]), n))[:_NEAREST]
    shown, room = set[int](), most
    around = (n for one in (*best, *cited) for n in (one - 1, one + 1) if 0 <= n < len(parts))
    for n in dict.fromkeys((*cited, *best, *around)):
        if not shown or len(parts[n]) <= room:
            shown.add(n)
            room -= len(parts[n])
    gaps = {n for n in shown if n and n - 1 not in shown}
    return " ".join(f"… {parts[n]}" if n in gaps else parts[n] for n in sorted(shown))[: max(most, _LEAST)]


@dataclass(frozen=True, slots=True)
class _Read:
    """A sentence of a source: its own words, and with those of the sentences before it while it has a pronoun."""

    own: str
    text: str


def _read(sentences: Sequence[str]) -> Iterator[_Read]:
    text = ""
    for own in sentences:
        text = f"{text[-_FARTHEST:]} {own}" if _PRONOUN.search(own) else own
        yield _Read(own, text)


def _share(words: frozenset[str], text: str) -> float:
    return len(words & _stems(text)) / len(words) if words else 0.0


def _stems(text: str) -> frozenset[str]:
    return frozenset(stems(by_value(text)))


def _missing(sentence: str, read: _Read) -> list[str]:
    denied = [said for said in [denial(sentence, read.own)] if said]
    there = numbers(read.text)
    absent = [shown for key, shown in numbers(sentence).items() if key not in there]
    return [*absent, *_names_missing(sentence, read.text), *denied]


def _covering(text: str, spans: Sequence[Cited]) -> Iterator[Cited]:
    """Yield the spans in their order, and the sentences between them, which cite nothing."""
    at = 0
    for span in sorted(spans, key=lambda one: (one.end, one.start)):
        yield from _uncited(text, at, span.start)
        yield span
        at = max(at, span.end)
    yield from _uncited(text, at, len(text))


def _uncited(text: str, start: int, end: int) -> Iterator[Cited]:
    cuts = [start, *(match.end() for match in SENTENCE_END.finditer(text, start, end)), end]
    for first, last in pairwise(cuts):
        bare = text[first:last].strip()
        if any(char.isalnum() for char in bare) and not bare.endswith(":"):  # which leads to what follows
            begin = text.index(bare, first)
            yield Cited(begin, begin + len(bare), ())


def _sentences(text: str) -> list[str]:
    return [text[start:end].strip() for start, end in _places(text)]


def _places(text: str) -> Iterator[tuple[int, int]]:
    cuts = [0, *(match.end() for match in SENTENCE_END.finditer(_WRAPPED.sub(" ", text))), len(text)]
    return ((start, end) for start, end in pairwise(cuts) if text[start:end].strip())


def _names_missing(sentence: str, source: str) -> list[str]:
    """Return the names that a source has not: capitalised words, the first of a sentence if it is one by grammar."""
    there = {stem(word) for word in tokens(source)}
    there |= {part for word in there for part in word.split("-")}
    first, *words = tokens(sentence) or [""]
    names = [word for word in words if _CAPITAL.fullmatch(word) and is_content(word)]
    absent = [name for name in dict.fromkeys(names) if not {stem(part) for part in name.split("-")} <= there]
    is_absent = bool(_CAPITAL.fullmatch(first)) and is_content(first) and stem(first) not in there
    return [first, *absent] if is_absent and parsed(sentence)[0].pos_ == "PROPN" else absent


def denial(sentence: str, source: str) -> str:
    """Return the negation that only one of a sentence and its source has, if the other has the words that it denies.

    Of the sentence it is `this “not”`, of the source `the source says “not”`; empty where there is none.
    """
    first, second = ([*_NEGATION.finditer(text)] for text in (sentence, source))
    if bool(first) == bool(second):
        return ""
    text, words, says = (sentence, _stems(source), "this") if first else (source, _stems(sentence), SAYS)
    for match in first or second:
        denied = {stem(word) for word in content_words(text[match.end() :])[:2]}
        if not denied or denied & words:
            return f"{says} “{match[0].lower()}”"
    return ""


def numbers(text: str) -> dict[str, str]:
    """Return the numbers of a text by their value, each as it stands there; "one" is rather a pronoun, and is none."""
    return {_key(match): match[0] for match in reversed([*_FORMS.finditer(text)]) if match[0].lower() != "one"}


def numbered(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the numbers of a text in order by their value, each with where it stands; not "one"."""
    found = (match for match in _FORMS.finditer(text) if match[0].lower() != "one")
    return ((_key(match), match.start(), match.end()) for match in found)


def by_value(text: str) -> str:
    """Return a text with its numbers written by their value."""
    return _FORMS.sub(lambda match: match[0] if match[0].lower() == "one" else _key(match), text)


def _key(match: re.Match[str]) -> str:
    if match["h"]:
        return ":".join(str(_counted(part) or int(part)) for part in match.group("h", "m", "s") if part)
    if match["words"]:
        return str(_counted(match["words"]))
    number = match["digits"].replace(",", "")
    if match["scale"] and number.replace(".", "", 1).isdecimal():
        number = f"{float(number) * _SCALES[match['scale'].lower()]:f}"
    return _value(number)


def _value(number: str) -> str:
    """Return a number of digits as one of its value is written: without zeros that say nothing."""
    if ":" in number and "." not in number and "/" not in number:
        return ":".join(str(int(part)) for part in number.split(":"))
    whole, _, rest = number.partition(".")
    if not number.replace(".", "", 1).isdecimal():  # a date, or a version
        return number
    return (whole.lstrip("0") or "0") + (f".{rest.rstrip('0')}" if rest.rstrip("0") else "")


def _counted(words: str) -> int:
    whole = part = 0
    for word in re.findall(r"[a-z]+", words.lower()):
        scale = _SCALES.get(word)
        if scale == 100:
            part = (part or 1) * 100
        elif scale:
            whole, part = whole + (part or 1) * scale, 0
        else:
            part += _VALUES.get(word, 0)
    return whole + part
