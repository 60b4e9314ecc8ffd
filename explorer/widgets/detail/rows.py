"""Rows of the detail panel: plain data with a kind `k`, usually a `label`, sometimes an `author`.

Items of a list that name a `node` are links to it. An empty row stands for nothing to say and is left out.
"""

from __future__ import annotations

from typing import Any

from explorer.entities import Step
from explorer.vocab import moment
from explorer.widgets.messages import Author
from explorer.widgets.words.phrases import seconds

Row = dict[str, Any]
MOST = 200  # items of a list


def _by(author: Author | None, **row: object) -> Row:
    return row | {"author": author} if author else row


def text(label: str, words: object, author: Author | None = None) -> Row:
    """Give a labelled line; nothing when there are no words."""
    return _by(author, k="text", label=label, text=str(words)) if words else {}


def time(label: str, stamp: str | None) -> Row:
    """Give a labelled moment, which the page says in its own time zone; a text that is no time as it stands."""
    if stamp and moment(stamp):
        return {"k": "time", "label": label, "stamp": stamp}
    return text(label, stamp or "time not recorded")


def title(words: str, author: Author | None = None) -> Row:
    """Give the one thing the panel is about, in larger type."""
    return _by(author, k="text", text=words, strong=True)


def listing(label: str, items: list[Row], author: Author | None = None, none: str = "") -> Row:
    """Give a list, or `none` in words when it is empty."""
    if len(items) > MOST:
        items = [*items[:MOST], {"text": f"… and {len(items) - MOST:,} more, in the graph"}]
    return _by(author, k="list", label=label, items=items) if items else text(label, none)


def passages(label: str, items: list[Row], author: Author | None = None) -> Row:
    """Give a list of passages, each of which opens in the source panel."""
    return _by(author, k="passages", label=label, items=items)


def took(step: Step) -> Row:
    """Give how long a step took; nothing when that was not recorded."""
    return text("Time", None if step.duration_ms is None else seconds(step.duration_ms / 1000))


def tokens(step: Step) -> Row:
    """Give the tokens a model used; nothing without a model."""
    if step.in_token is None or step.out_token is None:
        return {}
    return text("Tokens", f"{step.in_token:,} in, {step.out_token:,} out")
