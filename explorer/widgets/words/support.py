"""What the support for an answer means, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from explorer.events import Support


class Judged(NamedTuple):
    """A support in words: whether it answers, as its mark says it, and why."""

    says: str
    why: str


_JUDGED = {
    "sure": Judged("answers the question", "one quoted sentence states outright what was asked"),
    "strong": Judged("may answer the question", "the kind of thing asked for is there, no sentence states it outright"),
    "weak": Judged("related, but may not answer", "something that was asked for is missing"),
    "none": Judged("nothing close was found", "what comes nearest is far from the question"),
}


def shown_level(support: Support) -> str:
    """Return the level that is shown: "sure", or the level on record."""
    return "sure" if support.sure else support.level


def judged(support: Support) -> Judged | None:
    """Return a support in words; None for a level of another version."""
    return _JUDGED.get(shown_level(support))
