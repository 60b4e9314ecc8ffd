"""The support for an answer: how likely it is that its best sentence answers, from named parts; and its level.

What is weighed is what `features.py` knows of the best sentence and of what was found. The weights and cut-offs stand
in `weights.json` with what they were fitted on; `benchmarks/calibrate.py` fits them again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from explorer.events import Support
from explorer.reasoning.extractive.features import OF_SUPPORT
from explorer.reasoning.extractive.ranking import weights
from explorer.text import truncate

if TYPE_CHECKING:
    from explorer.reasoning.extractive.features import Features

STRONG, WEAK, NONE = "strong", "weak", "none"
_SHORT = 0.05  # log odds by which a support that is moved stays on its side of a cut
_LONGEST_WORD = 40
_NAMED = 8  # words that a sentence lists before it only counts them
_STEMS = (
    ("asked-for kind", ("time",)),
    ("names", ("name",)),
    ("numbers", ("number",)),
    ("negation", ("negat", "antonym")),
)


@lru_cache
def part_of(feature: str) -> str:
    """Return the part of the support that a feature counts for."""
    return next((part for part, stems in _STEMS if feature.startswith(stems)), "similarity")


PARTS = ("base", *dict.fromkeys(map(part_of, OF_SUPPORT)))
"""What the value is made of: the log odds of an ordinary question, and what each part adds to them."""


def support(features: Features | None, best: int = 0) -> Support:
    """Return the support that the sentence at a place, the best, gives an answer; where there is none, none."""
    if features is None:
        return Support(0.0, NONE)
    known = weights()
    parts = dict.fromkeys(PARTS, 0.0)
    parts["base"] = known.base
    for name, value in zip(OF_SUPPORT, features.of_support(best).tolist(), strict=True):
        mean, weight = known.support.get(name, (0.0, 0.0))
        parts[part_of(name)] += weight * (value - mean)
    rounded = {part: round(odds, 2) for part, odds in parts.items()}
    return _of(rounded)


def at_most_strong(given: Support) -> Support:
    """Return a support that is not sure: what is quoted does not state just what was asked."""
    return _moved(given, high=weights().sure)


def at_most_weak(given: Support) -> Support:
    """Return a support that is not strong: it is not clear that this answers."""
    return _moved(given, high=weights().strong)


def stronger(given: Support) -> Support:
    """Return a support that is strong, and not sure: something was found where no sentence says it."""
    return _moved(given, weights().strong, weights().sure)


def outright(given: Support) -> Support:
    """Return a support that is sure: a statement says just what was asked."""
    return _moved(given, weights().sure)


def _moved(given: Support, low: float = 0.0, high: float = 1.0) -> Support:
    """Return a support between two values: what it takes counts for the kind of thing asked for."""
    parts = dict(given.parts) or dict.fromkeys(PARTS, 0.0)
    odds = sum(parts.values())
    moved = max(odds, _odds(low) + _SHORT) if low else odds
    moved = min(moved, _odds(high) - _SHORT) if high < 1 else moved
    parts["asked-for kind"] = round(parts["asked-for kind"] + moved - odds, 2)
    return _of(parts)


def _of(parts: Mapping[str, float]) -> Support:
    value = round(1 / (1 + math.exp(-sum(parts.values()))), 3)
    return Support(value, level(value), parts, value >= weights().sure)


def _odds(value: float) -> float:
    return math.log(value / (1 - value))


def level(value: float) -> str:
    """Return the level of a value."""
    known = weights()
    return STRONG if value >= known.strong else WEAK if value >= known.none else NONE


def joined(found: Iterable[Support], open_parts: int = 0) -> Support | None:
    """Return the support of an answer to several parts: that of the part with the least; None where none has any.

    Where some parts are answered and others are not, it is weak. `open_parts`: how many parts there are beside, for
    which nothing was found.
    """
    supports = list(found)
    if not supports:
        return None
    least = min(supports, key=lambda one: one.value)
    counts = [one.answered or (int(one.level == STRONG), 1) for one in supports]
    strong, total = sum(one for one, _ in counts), sum(all_ for _, all_ in counts) + open_parts
    is_mixed = open_parts > 0 or len({one.level for one in supports}) > 1
    answered = (strong, total) if 0 < strong < total else None
    return Support(least.value, WEAK if is_mixed else least.level, least.parts, least.sure and not is_mixed, answered)


def listing(words: Iterable[str], last: str = "", form: str = "{}") -> str:
    """Return words separated by commas, by `last` before the last one; of many the first few, and how many more.

    Each stands as `form` says, which may put quotation marks around it.
    """
    short = [form.format(truncate(word, _LONGEST_WORD)) for word in words]
    if len(short) > _NAMED + 1:
        return f"{', '.join(islice(short, _NAMED))} {last or 'and'} {len(short) - _NAMED:,} more words"
    head, tail = (short[:-1], short[-1:]) if last and len(short) > 1 else ([], short)
    return f"{', '.join(head)} {last} {tail[0]}" if head else ", ".join(tail)
