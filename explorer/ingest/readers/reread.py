"""Where spans of a text stand in the same text as other rules read it: in another order, or with signs put in.

A page that was stored is drawn from its file, which the rules of a later version may read otherwise. Words that follow
one another in both are taken for the same; of the others the first of a word for its first, and so on.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict, deque
from difflib import SequenceMatcher
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_WORD = re.compile(r"\d+|[^\W\d]+|[\[\]]|[^\s\w\[\]]+")


def moved(spans: Sequence[tuple[int, int]], text: str, other: str) -> Iterator[list[tuple[int, int]]]:
    """Yield for each span of `text` the spans of `other` that have its words, in their order there."""
    words, others = list(_WORD.finditer(text)), list(_WORD.finditer(other))
    places = _same([word[0] for word in words], [word[0] for word in others])
    ends = [word.end() for word in words]
    taken = sorted(places.values())
    for start, end in spans:
        found: list[tuple[int, int, int]] = []
        for at in range(bisect_right(ends, start), len(words)):
            word = words[at]
            if word.start() >= end:
                break
            if at in places:
                place = places[at]
                begin = others[place].start() - word.start()
                found.append(
                    (bisect_right(taken, place), begin + max(start, word.start()), begin + min(end, word.end()))
                )
        found.sort()  # words beside one another there, but for what was put in between, are one span
        runs = [[one for _, one in run] for _, run in groupby(enumerate(found), key=lambda one: one[1][0] - one[0])]
        yield [(run[0][1], run[-1][2]) for run in runs]


def _same(words: Sequence[str], others: Sequence[str]) -> dict[int, int]:
    """Return the places of words with those of the same words among others."""
    matcher = SequenceMatcher(None, words, others, autojunk=False)
    places = {one.a + at: one.b + at for one in matcher.get_matching_blocks() for at in range(one.size)}
    free: dict[str, deque[int]] = defaultdict(deque)
    for at in sorted({*range(len(others))} - {*places.values()}):
        free[others[at]].append(at)
    for at, word in enumerate(words):
        if at not in places and free[word]:
            places[at] = free[word].popleft()
    return places
