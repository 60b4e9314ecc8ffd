"""The support for an answer: how likely it is that its best sentence answers, from named parts; and its level.

What is weighed is what `features.py` knows of the best sentence, its neighbours and its passage. The weights and
cut-offs stand in `weights.json` with what they were fitted on; `benchmarks/calibrate.py` fits them again.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from itertools import islice
from typing import TYPE_CHECKING

from explorer.events import Support
from explorer.reasoning.extractive.features import OF_SUPPORT
from explorer.reasoning.extractive.ranking import weights
from explorer.text import truncate

if TYPE_CHECKING:
    from explorer.reasoning.extractive.features import Features, Row

STRONG, WEAK, NONE = "strong", "weak", "none"
_LONGEST_WORD = 40
_NAMED = 8  # words that a sentence lists before it only counts them
_STEMS = (
    ("asked-for kind", ("kind", "cue", "asks")),
    ("head noun", ("head",)),
    ("names", ("name", "has names")),
    ("numbers", ("number", "has numbers")),
    ("negation", ("negat", "antonym")),
)


def part_of(feature: str) -> str:
    """Return the part of the support that a feature counts for."""
    return next((part for part, stems in _STEMS if feature.startswith(stems)), "similarity")


PARTS = ("base", *dict.fromkeys(map(part_of, OF_SUPPORT)))
"""What the value is made of: the log odds of an ordinary question, and what each part adds to them."""


def support(features: Features | None, scores: Row | None) -> Support:
    """Return the support that the best sentence gives an answer; where there is no sentence, none."""
    if features is None or scores is None:
        return Support(0.0, NONE)
    known = weights()
    parts = dict.fromkeys(PARTS, 0.0)
    parts["base"] = known.base
    for name, value in zip(OF_SUPPORT, features.of_support(scores).tolist(), strict=True):
        mean, weight = known.support.get(name, (0.0, 0.0))
        parts[part_of(name)] += weight * (value - mean)
    rounded = {part: round(odds, 2) for part, odds in parts.items()}
    value = round(1 / (1 + math.exp(-sum(rounded.values()))), 3)
    lost = rounded["numbers"] < 0 and level(value) == STRONG  # "tank no. 1" where only no. 2 is spoken of
    return Support(value, WEAK if lost else level(value), rounded)


def level(value: float) -> str:
    """Return the level of a value."""
    known = weights()
    return STRONG if value >= known.strong else WEAK if value >= known.none else NONE


def joined(found: Iterable[Support]) -> Support | None:
    """Return the support of an answer to several parts: that of the part with the least; None where none has any.

    Where some parts are answered and others are not, it is weak.
    """
    supports = list(found)
    if not supports:
        return None
    least = min(supports, key=lambda one: one.value)
    is_mixed = len({one.level for one in supports}) > 1
    return Support(least.value, WEAK if is_mixed else least.level, least.parts)


def not_covered(missing: Collection[str]) -> list[str]:
    """Return the sentence that names the words no evidence covers; none where there is no such word."""
    return [f"Not found in these passages: {listing(missing)}."] if missing else []


def listing(words: Iterable[str]) -> str:
    """Return words separated by commas; of many the first few, and how many more there are."""
    short = [truncate(word, _LONGEST_WORD) for word in words]
    more = f" and {len(short) - _NAMED:,} more words" if len(short) > _NAMED + 1 else ""
    return ", ".join(islice(short, _NAMED if more else None)) + more
