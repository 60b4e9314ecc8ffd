"""What can be said of an answer, beside it."""

from __future__ import annotations

from typing import TypedDict


class Badge(TypedDict):
    """A word or two; `level` is an outcome, "bad", "none" or "", `node` what it was computed from."""

    text: str
    level: str
    node: str
    tip: str
