"""Where nodes stand while a run goes on: steps go down, what each step found goes right. A placed node never moves.

Lengths are in the units of the drawing (CSS pixels at scale 1). Lanes are columns; a lane gives out the free row
nearest to the wish, so that placing is quick and later nodes only ever fill gaps or add rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from explorer.drawing.columns import (
    SETS,
    Column,
    Columns,
    Place,
    Spot,
    asked_beside,
    at_column,
    at_point,
    of_agent,
    rows_of,
)
from explorer.drawing.looks import look

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from explorer.wording.node_words import Styled

Cell = tuple[str, int]  # of an agent's drawing: column and row
AGENT = ("why", "did", "ran", "came")  # the columns of an agent
AGENT_ROW, AGENT_TOP, AGENT_HEADS_Y = 116.0, 44.0, 111.0
STEP_Y = {"Question": 36.0, "Grounding": 106.0, "Exploration": 166.0, "Focus": 246.0}
BOUNDS = {  # how many stand in a drawing, and on each page with more
    "fact": (100, 200), "chunk": (100, 200), "passage": (300, 200), "step": (100, 100), "end": (100, 100),
}  # fmt: skip
HEADS_Y = STEP_Y["Focus"] - 34.0
ROW = 46.0
UNIT = ROW / 6  # of the heights that lanes of a search give out
STEP = 66.0
CHIP, CHIP_ROWS = 25.0, 2  # the height of a key idea, and in how many rows they stand
CHIP_GAP, _CHIP_ROW, _CHIP_UP = 10.0, 28.0, 6.0  # between two, from row to row, above the middle of their step
_LINES = {"k": 12.0, "b": 13.0, "n": 13.0, "s": 12.0}  # the height of a line by its style
_AROUND_TEXT = 17.0  # what a box is higher than its text
_LEAST_AROUND, _PITCH = 7.0, 13.5  # and at least, and from line to line
_BETWEEN = 3.0  # two facts at least
_SIGN = 26.0  # what the sign and the number of a fact take in its first line
_NARROW = {"NotKept": 196.0, "Folded": 216.0}  # how wide these are at most
_IN_FACTS = ("EdgeSelection", "ChunkSelection", *_NARROW)
_FOLDED = ("k", "n")  # the styles of its lines
_NEEDED = ("EdgeSelection", "Question")  # whose words stay as they are: the box is as high as these need


@dataclass(slots=True)
class Pages:
    """How what is too much for one drawing is spread: the first `bound` stay, then pages of `more` each."""

    bound: int
    more: int
    numbers: dict[object, int] = field(default_factory=dict)

    def page(self, unit: object) -> int:
        """Return the page of a unit, 0 being the drawing itself; one that is new comes last."""
        if unit not in self.numbers:
            beyond = len(self.numbers) - self.bound
            self.numbers[unit] = 0 if beyond < 0 else 1 + beyond // self.more
        return self.numbers[unit]

    def span(self, page: int) -> tuple[int, int]:
        """Return the first and last unit of a page, counted from 1; of the first page all that are beyond the bound."""
        first = self.bound + 1 + (page - 1) * self.more
        return first, len(self.numbers) if page == 1 else min(len(self.numbers), first + self.more - 1)


@dataclass(slots=True)
class Lane:
    """One column of rows; `spread` is how many rows to each side a node keeps free: for its height, or its label."""

    spread: int = 0
    _down: dict[int, int] = field(default_factory=dict)
    _up: dict[int, int] = field(default_factory=dict)

    def take(self, wish: int) -> int:
        """Take the free row nearest to `wish`, the lower one first on a tie, and return it."""
        below, above = _free(self._down, wish), _free(self._up, wish)
        row = above if above >= 0 and wish - above < below - wish else below
        for near in range(row - self.spread, row + self.spread + 1):
            self._down[near], self._up[near] = near + 1, near - 1
        return row


def _lanes() -> dict[str, Lane]:
    """Return the lanes of sources, in units: none overlaps the next, with three lines of a passage and its place."""
    return {"Passage": Lane(spread=9), "Page": Lane(spread=5), "Document": Lane(spread=11)}


def _near(lanes: Mapping[str, Lane], kind: str, near: float, top: float) -> float:
    """Return the free height nearest to this one, from `top` down, in the lane of a kind of source."""
    return top + UNIT * lanes["Page" if kind == "Section" else kind].take(max(0, round((near - top) / UNIT)))


@dataclass(slots=True)
class Chips:
    """Key ideas side by side from where facts begin, in two rows."""

    columns: Columns
    left: float = 0.0
    row: int = 0

    def take(self, text: str) -> tuple[Column, int] | None:
        """Return where the next one stands, and its row; None when there is no room."""
        begin = self.columns.fact.left
        room = self.columns.width - begin
        wide = min(chip_width(text), room)
        if self.left and self.left + wide > room:
            self.left, self.row = 0.0, self.row + 1
        if self.row >= CHIP_ROWS:
            return None
        column = Column(begin + self.left, wide)
        self.left += wide + CHIP_GAP
        return column, self.row


@dataclass(slots=True)
class Layout:
    """The heights given out so far in the drawing of one search."""

    lanes: dict[str, Lane] = field(default_factory=_lanes)
    lowest_step: float = 0.0
    lowest: float = 0.0  # of what was found
    next_fact: int = 0  # the unit where the next one would stand, were it no higher than a row
    chips: tuple[Chips, ...] = ()
    chip_step: float = 0.0

    def step(self, kind: str) -> float:
        """Place a step below all that stands there; the first stages of a search have places of their own."""
        y = self.lowest_step + STEP if self.lowest_step else STEP_Y["Question"]
        if self.lowest:
            y = max(y, self.lowest + STEP)
        elif STEP_Y.get(kind, 0.0) > self.lowest_step:
            y = STEP_Y[kind]
        self.lowest_step = y
        if kind == "Focus":
            self.next_fact = max(self.next_fact, math.ceil((y - STEP_Y["Focus"]) / UNIT))
        return y

    def fact(self, high: float = 0.0) -> float:
        """Place a fact of this height, or of a row's, below the last."""
        half = max(3, math.ceil((high + _BETWEEN) / (2 * UNIT)))
        y = STEP_Y["Focus"] + (self.next_fact + half - 3) * UNIT
        self.next_fact += 2 * half
        self.lowest = max(self.lowest, y)
        return y

    def source(self, kind: str, near: float, lines: Styled) -> Spot:
        """Place a passage, page or document with these lines in its lane, as near to this height as can be."""
        return spot(kind, lambda columns: of_source(columns, kind), self._near(kind, near), lines)

    def _near(self, kind: str, near: float) -> float:
        y = _near(self.lanes, kind, near, STEP_Y["Focus"])
        self.lowest = max(self.lowest, y)
        return y

    def beneath(self, noun: str, near: float) -> Spot:
        """Place what stands for a page below the last of what it continues."""
        if noun in ("fact", "chunk"):
            return spot("Folded", lambda columns: in_search(columns, "Folded"), self.fact())
        if noun == "passage":
            return spot("Folded", lambda columns: columns.passage, self._near("Passage", near))
        return spot("Folded", lambda columns: columns.step, self.step("Folded"))

    def chip(self, text: str, step_y: float) -> Spot | None:
        """Place a concept beside its step; None when there is no room."""
        if step_y != self.chip_step:
            self.chip_step, self.chips = step_y, tuple(map(Chips, SETS))
        taken = [chips.take(text) for chips in self.chips]
        y = step_y - _CHIP_UP
        places = (at and at_column(at[0], y + at[1] * _CHIP_ROW, CHIP) for at in taken)
        return tuple(places) if any(taken) else None


@dataclass(slots=True)
class Rows:
    """The places given out so far among an agent's steps, a row a step; row 0 holds the question.

    A column's cell is taken once; who comes later gets the next free cell below, so nothing ever overlaps.
    """

    cells: set[Cell] = field(default_factory=set)
    begun: dict[object, int] = field(default_factory=dict)
    lanes: dict[str, Lane] = field(default_factory=_lanes)
    lowest: int = 0

    def row(self, step: object) -> int:
        """Return the row of a step; one that is new gets a row below all others."""
        if step not in self.begun:
            self.begun[step] = self.lowest = self.lowest + 1
        return self.begun[step]

    def take(self, column: str, row: int) -> Cell:
        """Take a cell of a column, in this row or else the next free one below, where all have columns of their own."""
        while (column, row) in self.cells:
            column, row = {"asked": "why", "way": "came"}.get(column, column), row + 1
        spans = {"asked": AGENT[:-1], "way": AGENT[-1:]}.get(column, ())
        self.cells |= {(name, row) for name in (column, *spans)}
        self.lowest = max(self.lowest, row)
        return column, row

    def beneath(self, noun: str, near: float) -> Spot:
        """Place what stands for a page of more passages among these; `noun` says that it is of passages."""
        return spot(
            "Folded", lambda columns: of_source(columns, noun.title(), beside=True), self._near("Passage", near)
        )

    def source(self, kind: str, near: float, lines: Styled) -> Spot:
        """Place a passage, page or document to the right of all columns, as near to this height as can be."""
        return spot(kind, lambda columns: of_source(columns, kind, beside=True), self._near(kind, near), lines)

    def _near(self, kind: str, near: float) -> float:
        return _near(self.lanes, kind, near, AGENT_TOP)


def _free(past: dict[int, int], row: int) -> int:
    """Follow the rows that are taken to one that is not, and remember the way for the next time."""
    end = row
    while end in past:
        end = past[end]
    while row in past:
        past[row], row = end, past[row]
    return end


def spot(kind: str, column_of: Callable[[Columns], Column | None], y: float, lines: Styled | None = None) -> Spot:
    """Return where a node stands at this height in each set of columns; with `lines` as high as these need."""
    return tuple(None if (column := column_of(columns)) is None else _place(kind, column, y, lines) for columns in SETS)


def _place(kind: str, column: Column, y: float, lines: Styled | None) -> Place:
    looks = look(kind)
    if looks.size:
        return at_point(column, y, looks.size)
    if lines is not None and kind in _NEEDED:
        return at_column(column, y, high_of(lines, column.width, taken=_SIGN))
    styles = _FOLDED if lines is None else [style for style, _ in lines]
    return at_column(column, y, sum(_LINES[style[0]] * len(style) for style in styles) + _AROUND_TEXT)


def in_search(columns: Columns, kind: str) -> Column | None:
    """Return the column in which a node of a search stands while it goes on."""
    if kind in _IN_FACTS:
        fact = columns.fact
        room = columns.width - fact.left if kind == "NotKept" else fact.width  # beside which no passage stands
        return Column(fact.left, min(_NARROW.get(kind, fact.width), room))
    return columns.alone if kind in ("Question", "Failure") else columns.step


def of_source(columns: Columns, kind: str, *, beside: bool = False) -> Column | None:
    """Return the column of a passage, a page or a document; of an agent's run these stand `beside` all others."""
    column = {"Passage": columns.passage, "Document": columns.document}.get(kind, columns.page)
    if column is None or not beside:
        return column
    return Column(column.left + columns.width + columns.step.left + 2 * CHIP_GAP - columns.passage.left, column.width)


def in_cell(kind: str, cell: Cell, lines: Styled | None = None) -> Spot:
    """Return where a node of an agent's run stands while it goes on, in each set of columns."""
    name, row = cell
    return spot(kind, lambda columns: of_cell(columns, name), AGENT_TOP + row * AGENT_ROW, lines)


def of_cell(columns: Columns, name: str) -> Column:
    """Return a column of an agent's drawing while it goes on, or where its question or its way of working stands."""
    found = of_agent(columns, AGENT)
    found["asked"], found["way"] = asked_beside(found["ran"], found["came"])
    return found[name]


def chip_width(text: str) -> float:
    """Return an estimate of the width of a concept's box from its text."""
    return max(60.0, 7.2 * len(text) + 28)


def high_of(lines: Styled, width: float, most: int = 9, taken: float = 0.0) -> float:
    """Return the height of a box of this width with these lines, each text in at most so many of them.

    `taken` is what stands before the first of them.
    """
    besides = (taken, *(0.0 for _ in lines[1:]))
    rows = (
        (style[0], min(len(style), most, rows_of(text, width, _LINES[style[0]], beside)))
        for (style, text), beside in zip(lines, besides, strict=True)
    )
    return sum(_LINES[style] * many for style, many in rows) + _AROUND_TEXT


def lines_in(high: float) -> int:
    """Return how many lines a box of this height has room for, as `roomIn` in labels.js."""
    return int((high - _LEAST_AROUND) / _PITCH)
