"""The source panel: a page, section or text with the passage marked."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

Span = tuple[int, int]
# The place of some words on the picture of a page, in parts of its width and height.
Box = TypedDict("Box", {"x": float, "y": float, "w": float, "h": float, "text": str, "kind": NotRequired[str]})
Ink = TypedDict("Ink", {"x": float, "y": float, "w": float, "h": float})  # what is printed on a page, as shares of it
# The picture of a page, whose bytes come beside the message, with the boxes of the words on it.
Picture = TypedDict("Picture", {"width": int, "height": int, "boxes": list[Box], "facts": list[list[Box]], "ink": Ink})


class PageFact(TypedDict):
    """A fact taken from a page: its key, its ends, the numbers of its spans, and number and node if it was kept.

    `by` says what was done with it by hand, `gone` that it was retracted.
    """

    key: str
    words: tuple[str, str, str]
    at: list[int]
    n: NotRequired[int]
    node: NotRequired[str]
    by: NotRequired[str]
    gone: NotRequired[bool]


PageEntity = TypedDict("PageEntity", {"iri": str, "name": str})
PageFacts = TypedDict("PageFacts", {"from": str, "items": list[PageFact], "total": int, "spans": list[Span]})
Neighbours = TypedDict("Neighbours", {"prev": str | None, "next": str | None})

Part = TypedDict("Part", {"iri": str, "name": str})

# A version of a document: when it was added; of a newer one, when it took the place of the one before.
Version = TypedDict("Version", {"iri": str, "when": str})


class SourcePage(TypedDict):
    """A page, section or text with the passage marked; `trouble` says why it can't be shown.

    `file` is the name of the file it came in, where that says more than the title; `parts` are all pages or sections of
    its `document`, `part` the IRI of this one. `newer` is the version that took the place of it. `runs` are its
    text in pieces of one kind: "mine" for the words in question, "other" for other words used, "whole" for what else
    belongs to their passage, "other whole" for both, or nothing; `whole` says whether there is any.
    """

    title: str
    sub: str
    runs: list[tuple[str, str]]
    note: str
    trouble: NotRequired[str]
    others: NotRequired[bool]
    whole: NotRequired[bool]
    facts: NotRequired[PageFacts]
    file: NotRequired[str]
    neighbours: NotRequired[Neighbours]
    parts: NotRequired[list[Part]]
    page: NotRequired[Picture]
    newer: NotRequired[Version]
    document: NotRequired[str]
    entities: NotRequired[list[PageEntity]]
    part: NotRequired[str | None]


class Source(SourcePage):
    """The page that was asked for by this key."""

    t: Literal["source"]
    run: str
    key: str
