"""What can be said of an answer, beside it."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class Badge(TypedDict):
    """A word or two; `level` is an outcome, "bad", "none" or "", `node` what it was computed from.

    `beside` is what must be read with it, and not only found.
    """

    text: str
    level: str
    node: str
    tip: str
    beside: NotRequired[str]
