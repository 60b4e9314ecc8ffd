"""How an answer was reviewed, in words: how many of its sentences, what was found of them, and by whom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from explorer.record.verdicts import IRRELEVANT, NOBODY, NOT_SUPPORTED, SUPPORTED, UNCLEAR, Judged
from explorer.text import count

_WORST_FIRST = (NOT_SUPPORTED, IRRELEVANT, UNCLEAR, SUPPORTED)


def reviewed(judged: Iterable[Judged], sentences: int) -> list[str]:
    """Return "3 of 3 sentences reviewed: 2 supported, 1 not · by Ada"; nothing where no verdict stands.

    `sentences` is how many the answer has. What is no sentence of it has a line of its own.
    """
    standing = _standing(judged)
    told = [one for one in standing if one.sentence is not None]
    others = [one for one in standing if one.sentence is None]
    return [
        *([f"{_many(told):,} of {count(sentences, 'sentence')} reviewed: {_found(told)}"] if told else []),
        *([f"{count(_many(others), 'part')} of the graph reviewed: {_found(others)}"] if others else []),
    ]


def worst(judged: Iterable[Judged]) -> Judged:
    """Return the verdict that stands and weighs most, of several the first, and one on a sentence before others."""
    return min(_standing(judged), key=lambda one: (one.sentence is None, _WORST_FIRST.index(one.verdict)))


def _standing(judged: Iterable[Judged]) -> list[Judged]:
    return [one for one in judged if one.standing and one.verdict in _WORST_FIRST]


def _many(judged: Iterable[Judged]) -> int:
    return len({one.target for one in judged})


def _found(judged: Sequence[Judged]) -> str:
    many = {word: _many(one for one in judged if one.verdict == word) for word in reversed(_WORST_FIRST)}
    found = [(word, number) for word, number in many.items() if number]
    words = ", ".join(f"{number:,} {'not' if word == NOT_SUPPORTED and many[SUPPORTED] else word}"
                      for word, number in found)  # fmt: skip
    if len(found) == 1 and found[0][1] == 1:
        words = found[0][0]
    people = dict.fromkeys(one.by or NOBODY for one in judged)
    return f"{words} (no name given)" if [*people] == [NOBODY] else f"{words} · by {', '.join(people)}"
