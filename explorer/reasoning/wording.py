"""How far the words of a model's answer are those of what it cites: names, numbers, negation, words and similarity.

This is lexical support. That the words of a sentence stand in a source does not say that the source entails it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from explorer.language.detection import language_of
from explorer.language.numbers import by_value, numbers
from explorer.language.words import content_words, is_content, stem, stems, tokens
from explorer.models.embedding import Embedder
from explorer.reasoning.protocol import Cited

Level = Literal["found", "near", "none", "not compared"]
FOUND = 0.8  # the share of a sentence's words that stand in its source, from which they count as found there
NEAR = 0.5  # the same share, or the cosine to a sentence of the source, from which that is near
_ENDS = re.compile(r"(?<=[.!?])[\"”’)]*\s+(?=[^\da-z])|\n+")
_NEGATION = re.compile(r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot)\b|n['’]t\b", re.IGNORECASE)
_NUMBERED = re.compile(r"\bno\.\s?(?=\d)", re.IGNORECASE)  # "tank no. 2" denies nothing
_PRONOUN = re.compile(r"\b(?:it|its|he|his|him|she|her|they|their|them|this|these|those)\b", re.IGNORECASE)
_WHOLE, _NEAREST, _MOST = 600, 3, 2_000  # characters of a source shown whole, sentences nearest, characters of them
_CAPITAL = re.compile(r"[A-Z][\w’'.-]*")


@dataclass(frozen=True, slots=True)
class Wording:
    """A span of an answer, the numbers of what it cites, how far its words stand there, and what does not."""

    span: Cited
    level: Level
    missing: tuple[str, ...] = ()


def worded(text: str, spans: Sequence[Cited], sources: Sequence[str], embedder: Embedder) -> list[Wording]:
    """Compare every sentence of an answer with what it cites; `sources[n]` is the text that the number n stands for.

    The words between citing spans are sentences that cite nothing. In another language than its sources an answer is
    not compared.
    """
    language = language_of(text)
    found = []
    for span in _covering(text, spans):
        cited = [sources[number] for number in span.cites if number < len(sources)]
        there = language_of("\n".join(cited)) if cited and language else None
        level, missing = (
            ("not compared", ()) if there and there != language
            else compared(text[span.start : span.end], cited, embedder)
        )  # fmt: skip
        found.append(Wording(span, level, missing))
    return found


def compared(sentence: str, sources: Sequence[str], embedder: Embedder) -> tuple[Level, tuple[str, ...]]:
    """Return how far a sentence's words stand in one sentence of a source, and which names, numbers and negation do
    not; of several sources in the nearest sentence of each, together.

    A sentence with any of these missing is near at most; one that neither shares words nor is similar has no source.
    """
    words = frozenset(stem(word) for word in content_words(by_value(sentence)))
    read = [[*_read(_sentences(source))] for source in sources]
    every = [one for part in read for one in part]
    if not every:
        return "none", ()
    nearest = [max(part, key=lambda one: len(words & _stems(one.own))) for part in read if part]
    together = _Read(" ".join(one.own for one in nearest), " ".join(one.text for one in nearest))
    choices = [*every, together] if len(nearest) > 1 else every
    best = max(choices, key=lambda one: _share(words, one.own) - 0.1 * len(_missing(sentence, one)))
    missing, share = tuple(_missing(sentence, best)), _share(words, best.text)
    if share >= FOUND and not missing:
        return "found", ()
    if share < NEAR:
        near = embedder.embed([one.own for one in every]) @ embedder.embed([sentence])[0]
        if float(near.max()) < NEAR:
            return "none", missing
    return "near", missing


def beside(sentence: str, source: str) -> str:
    """Return the words of a source that a sentence is read beside: all, or of a long one what is nearest to it.

    That are the sentences that share most words with it, each with its neighbours.
    """
    if len(source) <= _WHOLE:
        return source
    words = frozenset(stem(word) for word in content_words(by_value(sentence)))
    parts = [*_read(_sentences(source))]
    best = sorted(range(len(parts)), key=lambda n: (-len(words & _stems(parts[n].own)), n))
    best = [n for n in best if words & _stems(parts[n].own)][:_NEAREST]
    shown = sorted({n for one in best for n in range(one - 1, one + 2) if 0 <= n < len(parts)})
    gaps = {n for n in shown if n and n - 1 not in shown}
    return " ".join(f"… {parts[n].own}" if n in gaps else parts[n].own for n in shown)[:_MOST] or source[:_MOST]


@dataclass(frozen=True, slots=True)
class _Read:
    """A sentence of a source: its own words, and with those of the sentence before it if it has a pronoun."""

    own: str
    text: str


def _read(sentences: Sequence[str]) -> Iterator[_Read]:
    for before, own in zip(("", *sentences), sentences, strict=False):
        yield _Read(own, f"{before} {own}" if _PRONOUN.search(own) else own)


def _share(words: frozenset[str], text: str) -> float:
    return len(words & _stems(text)) / len(words) if words else 0.0


def _stems(text: str) -> frozenset[str]:
    return frozenset(stems(by_value(text)))


def _missing(sentence: str, read: _Read) -> list[str]:
    denied = [] if _denies(sentence) == _denies(read.own) else ["a negation, on one side only"]
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
    cuts = [start, *(match.end() for match in _ENDS.finditer(text, start, end)), end]
    for first, last in pairwise(cuts):
        bare = text[first:last].strip()
        if any(char.isalnum() for char in bare):
            begin = text.index(bare, first)
            yield Cited(begin, begin + len(bare), ())


def _sentences(text: str) -> list[str]:
    return [part for part in _ENDS.split(text) if part and part.strip()]


def _names_missing(sentence: str, source: str) -> list[str]:
    """Return the capitalised words that a source has not; the first of a sentence is a name where it stays one."""
    there = {stem(word) for word in tokens(source)}
    there |= {part for word in there for part in word.split("-")}
    words = tokens(sentence)
    names = [word for number, word in enumerate(words) if number and _CAPITAL.fullmatch(word) and is_content(word)]
    return [name for name in dict.fromkeys(names) if not {stem(part) for part in name.split("-")} <= there]


def _denies(text: str) -> bool:
    return _NEGATION.search(_NUMBERED.sub("", text)) is not None
