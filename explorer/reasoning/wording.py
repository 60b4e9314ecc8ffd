"""How far the words of a model's answer are those of what it cites: names, numbers, negation, words and similarity.

This is lexical support. That the words of a sentence stand in a source does not say that the source entails it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from explorer.language.words import content_words, is_content, stem, stems, tokens
from explorer.models.embedding import Embedder
from explorer.reasoning.protocol import Cited

Level = Literal["found", "near", "none"]
FOUND = 0.8  # the share of a sentence's words that stand in its source, from which they count as found there
NEAR = 0.5  # the same share, or the cosine to a sentence of the source, from which that is near
_ENDS = re.compile(r"(?<=[.!?])[\"”’)]*\s+(?=[^\da-z])|\n+")
_NEGATION = re.compile(r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot)\b|n['’]t\b", re.IGNORECASE)
_NUMBERED = re.compile(r"\bno\.\s?(?=\d)", re.IGNORECASE)  # "tank no. 2" denies nothing
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_CAPITAL = re.compile(r"[A-Z][\w’'.-]*")


@dataclass(frozen=True, slots=True)
class Wording:
    """A span of an answer, the numbers of what it cites, how far its words stand there, and what does not."""

    span: Cited
    level: Level
    missing: tuple[str, ...] = ()


def worded(text: str, spans: Sequence[Cited], sources: Sequence[str], embedder: Embedder) -> list[Wording]:
    """Compare every sentence of an answer with what it cites; `sources[n]` is the text that the number n stands for.

    The words between citing spans are sentences that cite nothing.
    """
    found = []
    for span in _covering(text, spans):
        cited = [sources[number] for number in span.cites if number < len(sources)]
        level, missing = compared(text[span.start : span.end], cited, embedder)
        found.append(Wording(span, level, missing))
    return found


def compared(sentence: str, sources: Sequence[str], embedder: Embedder) -> tuple[Level, tuple[str, ...]]:
    """Return how far a sentence's words stand in its sources, and the names, numbers and negation that do not.

    A sentence with any of these missing is near at most; one that neither shares words nor is similar has no source.
    """
    sentence, sources = _plain(sentence), [_plain(source) for source in sources]
    parts = [part for source in sources for part in _sentences(source)]
    if not parts:
        return "none", ()
    words = list(dict.fromkeys(stem(word) for word in content_words(sentence)))
    there = [set(stems(part)) for part in parts]
    every = set().union(*there)
    share = sum(word in every for word in words) / len(words) if words else 0.0
    best = max(range(len(parts)), key=lambda n: (sum(word in there[n] for word in words), -n))
    missing = [*_numbers_missing(sentence, sources), *_names_missing(sentence, sources)]
    if _denies(sentence) != _denies(parts[best]):
        missing.append("a negation, on one side only")
    if share >= FOUND and not missing:
        return "found", ()
    if share < NEAR:
        near = embedder.embed(parts) @ embedder.embed([sentence])[0]
        if float(near.max()) < NEAR:
            return "none", tuple(missing)
    return "near", tuple(missing)


def _covering(text: str, spans: Sequence[Cited]) -> Iterator[Cited]:
    """Yield the spans in their order, and the sentences between them, which cite nothing."""
    at = 0
    for span in sorted(spans, key=lambda one: (one.end, one.start)):
        yield from _uncited(text, at, span.start)
        yield span
        at = max(at, span.end)
    yield from _uncited(text, at, len(text))


def _uncited(text: str, start: int, end: int) -> Iterator[Cited]:
    cuts = [start, *(match.end() for match in _ENDS.finditer(text, start, end)), end]
    for first, last in pairwise(cuts):
        bare = text[first:last].strip()
        if any(char.isalnum() for char in bare):
            begin = text.index(bare, first)
            yield Cited(begin, begin + len(bare), ())


def _plain(text: str) -> str:
    """Return a text with its numbers as digits alone: 1,200 is 1200."""
    return _THOUSANDS.sub("", text)


def _sentences(text: str) -> list[str]:
    return [part for part in _ENDS.split(text) if part and part.strip()]


def _numbers(text: str) -> dict[str, str]:
    """Return the numbers of a text, as they stand by what they are; those in words up to twelve too."""
    found = {match[0].lstrip("0") or "0": match[0] for match in _NUMBER.finditer(text)}
    found |= {str(_WORDS.index(word.lower())): word for word in tokens(text) if word.lower() in _WORDS}
    return found


def _numbers_missing(sentence: str, sources: Sequence[str]) -> list[str]:
    there = {key for source in sources for key in _numbers(source)}
    asked = _numbers(sentence)
    return [shown for key, shown in asked.items() if key not in there and not (key == "1" and not shown.isdigit())]


def _names_missing(sentence: str, sources: Sequence[str]) -> list[str]:
    """Return the capitalised words that no source has; the first of a sentence is a name where it stays one inside."""
    there = {stem(word) for source in sources for word in tokens(source)}
    there |= {part for word in there for part in word.split("-")}
    words = tokens(sentence)
    names = [word for number, word in enumerate(words) if number and _CAPITAL.fullmatch(word) and is_content(word)]
    return [name for name in dict.fromkeys(names) if not {stem(part) for part in name.split("-")} <= there]


def _denies(text: str) -> bool:
    return _NEGATION.search(_NUMBERED.sub("", text)) is not None
