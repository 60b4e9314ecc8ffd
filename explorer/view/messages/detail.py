"""The detail panel: its rows, and what is looked up for a node once it is shown."""

from __future__ import annotations

from typing import Literal, NotRequired, Required, TypedDict

from explorer.view.messages.authors import Author

# An item of a list; one that names a `node` is a link to it, one with a `href` to where a browser finds what it names.
Item = TypedDict(
    "Item",
    {"text": Required[str], "node": str | None, "more": str | None, "why": str | None, "href": str | None},
    total=False,
)


class _Row(TypedDict, total=False):
    """A row; one that is `folded` is a figure, and stands below a line that opens, after all others."""

    label: str
    author: Author | None
    folded: bool


class TextRow(_Row):
    """A text: a labelled line, the record's term, a quotation, or what went wrong; `strong` in larger type.

    `whole` is a quotation's whole text, where only its beginning is shown. With `undoes` it says what
    was done by hand, which can be undone. `href` is where a browser finds what it names (http or https).
    """

    k: Literal["text", "term", "quote", "trouble"]
    text: str
    strong: NotRequired[bool]
    whole: NotRequired[str]
    undoes: NotRequired[bool]
    href: NotRequired[str]


class TimeRow(_Row):
    """A moment, which the page words in its own time zone."""

    k: Literal["time"]
    stamp: str


class ListRow(_Row):
    """A list: of items, of passages to open, or of links at the foot of the panel.

    With `leaves` each item has a box, without whose tick the next question is asked as if it were not there.
    """

    k: Literal["list", "passages", "links"]
    items: list[Item]
    leaves: NotRequired[bool]


class MatchRow(_Row):
    """A score between 0 and 1, drawn as a bar of the parts that it is the sum of, where these are on record."""

    k: Literal["match"]
    value: float
    text: str
    parts: list[tuple[str, float]]


class SumRow(_Row):
    """The parts of the match above as a sum in digits, and below it its rank."""

    k: Literal["sum"]
    text: str


# A term of a fact, with its language or type, or the IRI of the entity that it is.
End = TypedDict("End", {"text": str, "tip": str | None, "iri": str | None})


class TripleRow(_Row):
    """A fact by its subject, predicate and object; one that is `gone` was retracted."""

    k: Literal["triple"]
    s: End
    p: End
    o: End
    gone: NotRequired[bool]


class NotKeptRow(_Row):
    """The facts or passages not kept, which are looked up when they are shown."""

    k: Literal["unkept"]


class RawRow(_Row):
    """The triples on record, which are looked up when they are shown."""

    k: Literal["raw"]


Row = TextRow | TimeRow | ListRow | MatchRow | SumRow | TripleRow | NotKeptRow | RawRow
Detail = TypedDict("Detail", {"heading": str, "rows": list[Row]})
# Another run that kept the same; one without an IRI says how many more there are.
OtherRun = TypedDict("OtherRun", {"iri": str | None, "question": str, "how": str, "when": str})
# The triples of a node: predicate and object of each.
Record = TypedDict("Record", {"t": Literal["record"], "run": str, "node": str, "rows": list[tuple[str, str]]})
# Where a fact that was not kept comes from, and who took it down; `node` if that is in the graph.
FactSource = TypedDict("FactSource", {"text": str, "where": str, "hand": str, "node": str | None})
# What was looked up for a node: other runs, or the sources of a fact that was not kept.
Others = TypedDict(
    "Others", {"t": Literal["others"], "run": str, "node": str, "items": list[OtherRun] | list[FactSource]}
)
# A fact or passage that was looked at and not kept, with the reason in words and where it is from; `iri` is that of its
# Candidate or of the passage, or the fact itself where it was not scored; `node` is that of its key idea.
NotKeptItem = TypedDict(
    "NotKeptItem",
    {
        "iri": str,
        "text": str,
        "score": float | None,
        "why": str,
        "where": str,
        "idea": str | None,
        "node": str | None,
    },
)


class NotKept(TypedDict):
    """All that a search looked at and did not keep: by score, what was not scored nearest first.

    `lowest` is the lowest score that was kept, `rest` says how many more there were of which the record is silent.
    """

    t: Literal["notkept"]
    run: str
    node: str
    lowest: float | None
    items: list[NotKeptItem]
    rest: str
