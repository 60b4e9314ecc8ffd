"""Rows of the panel of a node: typed data, which a page draws; None stands for nothing to show and is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NotRequired, Required, TypedDict, TypeVar

from explorer.dag import ProvenanceDag
from explorer.dag.passage_names import resources_of
from explorer.entities import Answer, Step
from explorer.events import NO_ADDRESS, Passage
from explorer.prices import UNKNOWN
from explorer.text import or_empty
from explorer.vocab import moment
from explorer.wording.authors import Author
from explorer.wording.endings import TERMINATIONS
from explorer.wording.spent import lasted, tokens


class Item(TypedDict, total=False):
    """An item of a list, which may link to a `node`, or by `href` to where a browser finds what it names."""

    text: Required[str]
    node: str | None
    more: str | None
    why: str | None
    href: str | None


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
    """A list: of items, or of passages to open.

    With `leaves` each item has a box, without whose tick the next question is asked as if it were not there.
    """

    k: Literal["list", "passages"]
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


class End(TypedDict):
    """A term of a fact, with its language or type, or the IRI of the entity that it is."""

    text: str
    tip: str | None
    iri: str | None


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
Rows = list[Row | None]
R = TypeVar("R", TextRow, ListRow)
T = TypeVar("T")
MOST = 200  # items of a list


def _by(author: Author | None, row: R) -> R:
    if author:
        row["author"] = author
    return row


def text(label: str, words: object, author: Author | None = None) -> TextRow | None:
    """Return a labelled line; nothing when there are no words."""
    if not words:
        return None
    row: TextRow = {"k": "text", "label": label, "text": str(words)}
    return _by(author, row)


def time(label: str, stamp: str | None) -> Row | None:
    """Return a labelled moment, which the page words in its own time zone; a text that is no time as it stands."""
    if stamp and moment(stamp):
        return {"k": "time", "label": label, "stamp": stamp}
    return text(label, stamp or "time not recorded")


def title(words: str) -> TextRow:
    """Return the one thing the panel is about, in larger type."""
    return {"k": "text", "text": or_empty(words), "strong": True}


def quotation(words: str, whole: str) -> TextRow | None:
    """Return the first words of a quotation, with the whole where that is more; nothing when there are no words."""
    if not words:
        return None
    row: TextRow = {"k": "quote", "text": words}
    if whole != words:
        row["whole"] = whole
    return row


def listing(label: str, items: list[Item], author: Author | None = None, none: str = "") -> Row | None:
    """Return a list, or `none` in words when it is empty."""
    return listed(label, items, lambda item: item, author, none)


def listed(
    label: str, found: Sequence[T], item: Callable[[T], Item], author: Author | None = None, none: str = ""
) -> Row | None:
    """Return a list of what `item` makes of each that was found, as far as it is shown; or `none` in words."""
    if not found:
        return text(label, none)
    more: list[Item] = [{"text": f"… and {len(found) - MOST:,} more, in the graph"}] if len(found) > MOST else []
    row: ListRow = {"k": "list", "label": label, "items": [*map(item, found[:MOST]), *more]}
    return _by(author, row)


def kept(label: str, found: Sequence[T], item: Callable[[T], Item], author: Author | None = None) -> Row | None:
    """Return a list of what was kept, each of which can be left out of the next question."""
    row = listed(label, found, item, author)
    if row is not None and row["k"] == "list":
        row["leaves"] = True
    return row


def passages(label: str, items: list[Item], author: Author | None = None) -> ListRow:
    """Return a list of passages, each of which opens in the source panel."""
    row: ListRow = {"k": "passages", "label": label, "items": items}
    return _by(author, row)


def resources(passages: Iterable[Passage], dag: ProvenanceDag) -> Rows:
    """Return links to what the statements of attached stores are about, where a browser finds that; of one about what
    has no address there that this is so, and a link to what has it. Those that an answer of the run names come first.
    """
    found = dict.fromkeys(one for passage in passages for one in resources_of(passage, dag))
    named = [one for one in found if not one.is_holder]
    holders = dict.fromkeys(one.iri for one in found if one.is_holder)
    made = [_link("Resource", named[0].iri)] if len(named) == 1 else []
    if named[1:]:
        made = [listed("Resources", named, lambda one: {"text": one.iri, "href": _address(one.iri), "more": one.name})]
    if holders:
        made.append(text("Resource" if not named else "Others", NO_ADDRESS))
    return [*made, *(_link("It belongs to", iri) for iri in holders if iri)]


def _link(label: str, iri: str) -> Row | None:
    row = text(label, iri)
    if row is not None and (address := _address(iri)):
        row["href"] = address
    return row


def _address(iri: str) -> str | None:
    return iri if iri.startswith(("http://", "https://")) else None


def folded(*given: Row | None) -> Rows:
    """Return figures, which stand below a line that opens, after all other rows."""
    for row in given:
        if row is not None:
            row["folded"] = True
    return list(given)


def trouble(error: str | None) -> TextRow:
    """Return what went wrong."""
    return {"k": "trouble", "text": error or "The reason was not recorded."}


def spent(dag: ProvenanceDag, step: Step) -> Rows:
    """Return the time that a step took, what a model used for it, how it was asked, and which calls failed.

    What it cost is known by prices once its run has ended, else as spans told.
    """
    money = (dag.done.prices if dag.done else UNKNOWN).cost([step])
    return [
        text("Time of this stage", lasted(step.duration_ms)),
        text("Tokens", tokens(step)),
        text("Cost", str(money or "")),
        text("Asked with", ", ".join(step.asked_with)),
        listing("Calls that failed", [{"text": error} for error in step.call_error]),
    ]


def ended(step: Answer) -> TextRow | None:
    """Return why an agent stopped working at a question or a part of it."""
    reason = step.termination_reason
    return text("Ended because", TERMINATIONS.get(reason or "", reason))


def by_rule(rule: str | None) -> str:
    """Return the rule that decided."""
    return f"By rule: {rule.rstrip('.')}." if rule else ""
