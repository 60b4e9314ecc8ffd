"""How an answer was reviewed, in words: what people found of how many of its sentences, the worst first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from explorer.record.verdicts import NOBODY, NOT_SUPPORTED, SUPPORTED, UNCLEAR, Judged
from explorer.text import count

WORST_FIRST = (NOT_SUPPORTED, UNCLEAR, SUPPORTED)


def reviewed(judged: Iterable[Judged], sentences: int) -> Iterator[tuple[Judged, str]]:
    """Yield for each word that stands "1 of 3 sentences: not supported, by Ada", with the first verdict that says so.

    `sentences` is how many the answer has. What is no sentence of it is counted by itself.
    """
    standing = [one for one in judged if one.standing]
    for word in WORST_FIRST:
        found = [one for one in standing if one.verdict == word]
        told = [one for one in found if one.sentence is not None]
        others = [one for one in found if one.sentence is None]
        if told:
            targets = len({one.target for one in told})
            yield told[0], f"{targets:,} of {count(sentences, 'sentence')}: {word}, by {_people(told)}"
        if others:
            targets = len({one.target for one in others})
            yield others[0], f"{count(targets, 'part')} of the graph: {word}, by {_people(others)}"


def _people(judged: Iterable[Judged]) -> str:
    return ", ".join(dict.fromkeys(one.by or NOBODY for one in judged))
