"""The tabs of the app and the ask bar, each a synced value of its own."""

from __future__ import annotations

from typing import Literal, TypedDict

from explorer.view.messages.what_if import LeftOutItem

Typed = str | bool  # a limit as it was typed, picked or ticked
LimitKind = Literal["number", "text", "choice", "tick"]


class LimitState(TypedDict):
    """A limit as the page draws it: `value` as it was typed, `usual` in grey or set back to, `tip` its tooltip."""

    name: str
    kind: LimitKind
    words: str
    tip: str
    usual: Typed
    value: Typed
    choices: list[tuple[str, str]]
    wrong: bool


class BarState(TypedDict):
    """The bar as the page draws it; `changed` counts limits that differ from their defaults, `trouble` is said below.

    `does` says what the way that is picked does, where its word alone does not tell it.
    `examples`, `beyond` (examples that the documents do not answer) and `earlier` are questions to pick from, `about`
    is the tooltip of the model, `left` is left out, with `further` of further questions too, `within` are the titles of
    the documents that alone are searched, by their IRIs, `by` is who asks, `connected` counts the models that were
    given an address or a key here.
    """

    question: str
    examples: list[str]
    beyond: list[str]
    earlier: list[str]
    ways: list[str]
    how: str
    does: str
    models: list[str]
    model: str
    about: str
    connected: int
    limits: list[LimitState]
    changed: int
    left: list[LeftOutItem]
    further: bool
    within: dict[str, str]
    by: str
    teaches: bool
    quizzes: bool
    running: bool
    waiting: bool
    trouble: str | None
    details: str | None


Asked = TypedDict("Asked", {"t": Literal["asked"]})  # the question that the page sent was heard, whatever came of it
# What is written on the tabs, and beside them: `size` is what the workspace is and holds.
Heading = TypedDict("Heading", {"titles": tuple[str, ...], "size": str})
