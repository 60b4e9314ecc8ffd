"""The rules by which facts were kept, in words for those who do not know their figures."""

from __future__ import annotations

import re
from typing import NamedTuple

_KEPT = (  # as `Scoring.keeps` says it, and said it
    re.compile(
        r"kept: the best first, at most (?P<each>\d+) facts of a passage, until there are (?P<passages>\d+) different "
        r"passages; then only what has (?P<carries>\d+)% of the best score or more, and nothing below (?P<floor>\d+)% "
        r"of it; and what the quoted sentences rest on(?P<more>.*)"
    ),
    re.compile(
        r"kept: the best up to (?P<passages>\d+) different passages with at most (?P<each>\d+) facts each, more only "
        r"from 0\.(?P<carries>\d+) of the best score on, nothing below 0\.(?P<floor>\d+) of it; and what the quoted "
        r"sentences rest on(?P<more>.*)"
    ),
)


class Keeping(NamedTuple):
    """How many facts of one passage are kept at most, from how many passages, and down to which shares of the best."""

    each: int
    passages: int
    carries: int
    floor: int
    more: str

    @property
    def short(self) -> str:
        """Return the rule in a sentence."""
        return (
            f"The best facts are kept, at most {self.each} from a passage, "
            f"until {self.passages} passages are represented: so no single passage decides alone."
        )

    @property
    def whole(self) -> str:
        """Return all of the rule."""
        return (
            f"{self.short} After that a fact is kept only if it has at least {self.carries} % of the best score. None "
            f"with less than {self.floor} % of it is kept. What the answer quotes is always kept"
            f"{self.more.rstrip('.')}."
        )


def keeping(rule: str | None) -> Keeping | None:
    """Return what a rule on record says of what is kept; None for another rule."""
    found = next((one for known in _KEPT if (one := known.fullmatch(rule or ""))), None)
    if found is None:
        return None
    share = [int(f"{found[name]}0"[:2]) for name in ("carries", "floor")]
    return Keeping(int(found["each"]), int(found["passages"]), share[0], share[1], found["more"])
