"""The columns in which a run is drawn: a narrow set and a wide one; a page takes what suits its canvas.

Lengths are CSS pixels at scale 1. Between two columns there is a gutter, where arcs turn. A node stands at the same
height in both sets while a run goes on, and in the same columns as once it is over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from explorer.dag.nodes import Node

GAP = 8.0  # between two that stand side by side
_HIGH = 36.0  # of a sentence in two lines
_LINE, _SIZE, _NUMBER = 13.0, 12.0, 24.0  # what one more line takes, the size of its letters, what a number takes
MOST_LINES = 3  # of a sentence, where all stand in one row
_MORE_LINES = 5  # where there is room below
LOW = 404.0  # where a drawing ends that a canvas of 420 pixels holds as large as it is
_NARROWEST, _WIDEST = 150.0, 300.0
_LANE, _FIRST, _MOST_LANES = 8.0, 16.0, 6  # of what leads to sentences: between two, below the first, and how many
_LED_ROWS = 3  # of sentences that lines lead to: further rows have their numbers alone
# A number stays with what it is the number of, and with its unit.
_NUMBERED = re.compile(r"(?:(?<=\b[Nn][Oo]\.)|(?<=\b[Pp]\.))\s+(?=\d)|(?<=\d)\s+(?=[A-Z]{2,4}\b)")
_BESIDE_TEXT, _LETTER = 18.0, 0.55  # what a box is wider than its text, and a letter than it is high, in wide fonts


class Place(NamedTuple):
    """The outline of a node: its middle, its width and its height."""

    x: float
    y: float
    width: float
    height: float

    @property
    def left(self) -> float:
        """The left edge."""
        return self.x - self.width / 2

    @property
    def right(self) -> float:
        """The right edge."""
        return self.x + self.width / 2

    @property
    def top(self) -> float:
        """The upper edge."""
        return self.y - self.height / 2

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.y + self.height / 2


Spot = tuple[Place | None, ...]  # where a node stands in each set of columns; None where a set has no column for it


@dataclass(frozen=True, slots=True)
class Column:
    """Where a column begins, and its width."""

    left: float
    width: float

    @property
    def middle(self) -> float:
        """Its middle."""
        return self.left + self.width / 2

    @property
    def right(self) -> float:
        """Where it ends."""
        return self.left + self.width


@dataclass(frozen=True, slots=True)
class Columns:
    """One set of columns; without one for pages these stand in the second line of a passage."""

    step: Column
    fact: Column
    passage: Column
    page: Column | None
    document: Column

    @property
    def width(self) -> float:
        """Of all columns."""
        return self.document.right

    @property
    def passages(self) -> Column:
        """The column of passages where no facts stand before them."""
        return Column(self.fact.left, self.passage.right - self.fact.left)

    @property
    def alone(self) -> Column:
        """The column of an end with no sentences beside it."""
        return Column(0.0, self.fact.right)

    @property
    def rooms(self) -> dict[str, float]:
        """How wide the names may be that stand below pages and documents."""
        part = self.page.width if self.page else 0.0
        return {"Page": part, "Section": part, "Document": self.document.width}


SETS = (
    Columns(Column(0, 131), Column(147, 166), Column(335, 119), None, Column(464, 78)),
    Columns(Column(0, 144), Column(168, 226), Column(422, 180), Column(622, 76), Column(712, 88)),
)
PICTURED = 1  # the set of a picture that is saved
_SHARES = {"why": 0.8, "did": 1.0, "ran": 1.2, "came": 1.2, "read": 1.0}  # of the width of an agent's drawing
_EDGE = 8.0  # at its right, for arcs to the answer
_NAMING = 150.0  # how wide the way of working is at least


def of_agent(columns: Columns, used: Sequence[str]) -> dict[str, Column]:
    """Return the columns of an agent's drawing as wide as those of a search: of these names, "read" and "of" last."""
    documents = columns.document if "of" in used else None
    gutter = columns.fact.left - columns.step.right
    right = documents.left if documents else columns.width - _EDGE
    shares: Mapping[str, float] = {name: _SHARES[name] for name in used if name != "of"}
    room = right - gutter * (len(shares) - (documents is None))
    found, left = dict[str, Column](), 0.0
    for name, share in shares.items():
        found[name] = Column(left, room * share / sum(shares.values()))
        left = found[name].right + gutter
    return found | ({"of": documents} if documents else {})


def asked_beside(before: Column, last: Column) -> tuple[Column, Column]:
    """Return the columns of an agent's question and of its way of working, of the last two of its drawing."""
    wide = max(_NAMING, last.width)
    return Column(0.0, before.right + last.width - wide), Column(last.right - wide, wide)


def lanes(ways: int) -> float:
    """Return how high the room is in which so many lines run side by side above what they lead to."""
    return _FIRST + _LANE * (min(max(1, ways), _MOST_LANES) - 1)


def beside(
    told: Sequence[Node], columns: Columns, top: float, end: float = 0.0, ways: int = 1
) -> Iterator[tuple[str, Place]]:
    """Yield the places of sentences beside their answer, in rows from this height on.

    One row has more lines of their words as long as it ends above `end`; few rows have some, and room between them, and
    between sentences, for what leads to them: so many `ways`.
    """
    left, room = columns.fact.left, columns.width - columns.fact.left
    rows = -(-len(told) // max(1, int((room + GAP) // (_NARROWEST + GAP))))
    in_row = -(-len(told) // max(1, rows))
    is_led = 1 < rows <= _LED_ROWS
    across, down = (2 * GAP, lanes(ways)) if is_led else (GAP, GAP)
    wide = min(_WIDEST, (room - across * (in_row - 1)) // max(1, in_row))
    few = rows <= _LED_ROWS
    lines = max((rows_of(f"✓ “{one.text}”", wide, _SIZE, _NUMBER) for one in told), default=2) if few else 2
    most = max(MOST_LINES, min(_MORE_LINES, 2 + int((end - top - _HIGH) // _LINE)) if rows == 1 else 0)
    high = _HIGH + _LINE * (max(2, min(lines, most)) - 2)
    for number, one in enumerate(told):
        row, at = divmod(number, in_row)
        yield one.iri, at_column(Column(left + at * (wide + across), wide), top + high / 2 + row * (high + down), high)


def rows_of(text: str, width: float, size: float = 13.0, taken: float = 0.0) -> int:
    """Return an estimate of how many lines a text of this size takes in a box of this width, `taken` beside one."""
    letter = _LETTER * size
    room = (width - _BESIDE_TEXT) / letter
    rows, at = 1, taken / letter
    if at + len(text) + 1 <= room:
        return rows
    for word in _NUMBERED.sub("_", text).split():
        wish = at + len(word) + (at > 0)
        if wish > room and at > 0:
            rows, wish = rows + 1, len(word)
        at = wish
    return rows


def at_column(column: Column, y: float, high: float) -> Place:
    """Return the place of a node that fills a column, at this height."""
    left, right = round(column.left), round(column.right)
    return Place((left + right) / 2, round(y, 1), right - left, high)


def at_point(column: Column, y: float, size: float) -> Place:
    """Return the place of a page or a document, a sign of this size in the middle of its column."""
    return Place(column.middle, y, 2.0 * size, 2.0 * size)


def height_of(spot: Spot) -> float:
    """Return the height at which a node stands while a run goes on, in every set that has a place for it."""
    return next(place.y for place in spot if place is not None)
