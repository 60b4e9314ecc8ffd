"""Where nodes stand: steps go down, what each step found goes right. A placed node never moves.

Lengths are in the units of the drawing (CSS pixels at scale 1); x and y are a node's centre. Lanes are columns; a lane
gives out the free row nearest to the wish, so that placing is quick and later nodes only ever fill gaps or add rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from explorer.drawing.columns import SETS, Columns, rows_of
from explorer.drawing.looks import ASKED_OF_AGENT, look
from explorer.entities import AgentQuestion

if TYPE_CHECKING:
    from explorer.dag.nodes import Node
    from explorer.drawing.labels import Styled

STEP_X, FACT_X, PASSAGE_X, PART_X, DOCUMENT_X = 88.0, 355.0, 622.0, 770.0, 866.0
DRAWN_WIDTH = DOCUMENT_X + 54  # of all columns of a search
COLUMNS = {"why": 0.0, "did": 240.0, "ran": 463.0, "came": 668.0}  # of an agent: where each begins
AGENT_ROW, AGENT_TOP, AGENT_HEADS_Y = 116.0, 44.0, 111.0
AGENT_SOURCE_X = {"Passage": 1040.0, "Page": 1188.0, "Section": 1188.0, "Document": 1284.0}
STEP_Y = {"Question": 36.0, "Grounding": 106.0, "Exploration": 166.0, "Focus": 246.0}
BOUNDS = {  # how many stand in a drawing, and on each page with more
    "fact": (100, 200), "chunk": (100, 200), "passage": (300, 200), "step": (100, 100), "end": (100, 100),
}  # fmt: skip
GROWN = {"step": (0.0, 176.0), "fact": (216.0, 494.0), "passage": (530.0, 714.0)}  # the columns of a search
HEADS_ABOVE = 34.0
HEADS_Y = STEP_Y["Focus"] - HEADS_ABOVE
ROW = 46.0
UNIT = ROW / 6  # of the heights that lanes of a search give out
_LINES = {"k": 12.0, "b": 13.0, "n": 13.0, "s": 12.0}  # the height of a line by its style
_AROUND_TEXT = 17.0  # what a box is higher than its text
_LEAST_AROUND, _PITCH = 7.0, 13.5  # and at least, and from line to line
_BETWEEN = 3.0  # two facts at least
_SIGN = 26.0  # what the sign and the number of a fact take in its first line
STEP = 66.0
_CHIP_LEFT, _CHIP_RIGHT, _CHIP_GAP, _CHIP_ROW = GROWN["fact"][0], 880.0, 10.0, 28.0
_CHIP_UP = 6.0  # above the middle of its step, so that two rows are clear of the next step


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

    x: float
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


@dataclass(slots=True)
class Layout:
    """The positions given out so far in one graph."""

    passages: Lane = field(default_factory=lambda: Lane(PASSAGE_X, spread=5))
    parts: Lane = field(default_factory=lambda: Lane(PART_X, spread=5))
    documents: Lane = field(default_factory=lambda: Lane(DOCUMENT_X, spread=11))
    lowest_step: float = 0.0
    lowest: float = 0.0  # of what was found
    next_fact: int = 0  # the unit where the next one would stand, were it no higher than a row
    chip_x: float = _CHIP_LEFT
    chip_y: float = 0.0
    chip_step: float = 0.0

    def step(self, kind: str) -> tuple[float, float]:
        """Place a step below all that stands there; the first stages of a search have places of their own."""
        y = self.lowest_step + STEP if self.lowest_step else STEP_Y["Question"]
        if self.lowest:
            y = max(y, self.lowest + STEP)
        elif STEP_Y.get(kind, 0.0) > self.lowest_step:
            y = STEP_Y[kind]
        self.lowest_step = y
        if kind == "Focus":
            self.next_fact = max(self.next_fact, math.ceil((y - STEP_Y["Focus"]) / UNIT))
        return max(STEP_X, width_of(kind) / 2), y

    def fact(self, high: float = 0.0) -> tuple[float, float]:
        """Place a fact of this height, or of a row's, below the last."""
        half = max(3, math.ceil((high + _BETWEEN) / (2 * UNIT)))
        y = STEP_Y["Focus"] + (self.next_fact + half - 3) * UNIT
        self.next_fact += 2 * half
        self.lowest = max(self.lowest, y)
        return FACT_X, y

    def place(self, lane: Lane, near: float) -> tuple[float, float]:
        """Place a node in a lane, as near to this height as can be."""
        y = STEP_Y["Focus"] + lane.take(max(0, round((near - STEP_Y["Focus"]) / UNIT))) * UNIT
        self.lowest = max(self.lowest, y)
        return lane.x, y

    def beneath(self, noun: str, name: str, near: float) -> tuple[float, float]:
        """Place what stands for a page below the last of what it continues."""
        del name
        if noun in ("fact", "chunk"):
            return FACT_X + (width_of("Folded") - width_of("EdgeSelection")) / 2, self.fact()[1]
        if noun == "passage":
            return self.place(self.passages, near)
        return self.step("Folded")

    def chip(self, text: str, step_y: float) -> tuple[float, float] | None:
        """Place a concept beside its step, in two rows from left to right; None when there is no room."""
        if step_y != self.chip_step:
            self.chip_step, self.chip_x, self.chip_y = step_y, _CHIP_LEFT, step_y - _CHIP_UP
        width = chip_width(text)
        if self.chip_x + width > _CHIP_RIGHT and self.chip_x > _CHIP_LEFT:
            self.chip_x, self.chip_y = _CHIP_LEFT, self.chip_y + _CHIP_ROW
        if self.chip_y > step_y + _CHIP_ROW:
            return None
        x = self.chip_x + width / 2
        self.chip_x += width + _CHIP_GAP
        return x, self.chip_y


@dataclass(slots=True)
class Rows:
    """The positions given out so far among an agent's steps, a row a step; row 0 holds the question.

    A column's cell is taken once; who comes later gets the next free cell below, so nothing ever overlaps.
    """

    cells: set[tuple[str, int]] = field(default_factory=set)
    begun: dict[object, int] = field(default_factory=dict)
    lanes: dict[float, Lane] = field(default_factory=dict)
    lowest: int = 0

    def row(self, step: object) -> int:
        """Return the row of a step; one that is new gets a row below all others."""
        if step not in self.begun:
            self.begun[step] = self.lowest = self.lowest + 1
        return self.begun[step]

    def place(self, column: str, row: int, width: float) -> tuple[float, float]:
        """Place a node in a column, in this row or else the next free one."""
        while (column, row) in self.cells:
            row += 1
        self.cells.add((column, row))
        self.lowest = max(self.lowest, row)
        return COLUMNS[column] + width / 2, AGENT_TOP + row * AGENT_ROW

    @staticmethod
    def cell(spot: tuple[float, float]) -> tuple[str, int]:
        """Return the column and the row of a place; "read" for what stands to the right of all columns."""
        x, y = spot
        column = "read" if x >= AGENT_SOURCE_X["Passage"] else [name for name, left in COLUMNS.items() if left < x][-1]
        return column, round((y - AGENT_TOP) / AGENT_ROW)

    def beneath(self, noun: str, name: str, near: float) -> tuple[float, float]:
        """Place what stands for a page of more steps in a row of its own, of more passages among them."""
        if noun == "passage":
            return self.source("Passage", near)
        return self.place("did", self.row(name), width_of("Folded"))

    def source(self, kind: str, near: float) -> tuple[float, float]:
        """Place a passage, page or document to the right of all columns, as near to this height as can be."""
        x = AGENT_SOURCE_X.get(kind, AGENT_SOURCE_X["Page"])
        lane = self.lanes.setdefault(x, Lane(x, spread=1 if kind == "Document" else 0))
        return x, AGENT_TOP + ROW * lane.take(round((near - AGENT_TOP) / ROW))


def _free(past: dict[int, int], row: int) -> int:
    """Follow the rows that are taken to one that is not, and remember the way for the next time."""
    end = row
    while end in past:
        end = past[end]
    while row in past:
        past[row], row = end, past[row]
    return end


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


def tall_of(lines: Styled) -> float:
    """Return the height of a fact with these lines on a canvas with room for the narrowest columns only."""
    return high_of(lines, SETS[0].fact.width, taken=_SIGN)


def lines_in(high: float) -> int:
    """Return how many lines a box of this height has room for, as `room` in labels.js."""
    return int((high - _LEAST_AROUND) / _PITCH)


def bends(columns: Columns) -> list[tuple[float, float]]:
    """Return where the columns in which a search grows begin and end, and where these do that are to hold it."""
    found = [(x, to) for name, (left, right) in GROWN.items()
             for x, to in ((left, getattr(columns, name).left), (right, getattr(columns, name).right))]  # fmt: skip
    points = ((PART_X, columns.page), (DOCUMENT_X, columns.document))
    return [*found, *((x, one.middle) for x, one in points if one)]


def size_of(node: Node, lines: Styled) -> tuple[float, float]:
    """Return width and height of a node with these lines and their styles, without a label that stands below it."""
    of_kind = look(node.kind)
    if of_kind.size:
        return of_kind.size * 2, of_kind.size * 2
    if node.kind == "Concept":
        return chip_width(lines[0][1]), 25.0
    if node.kind == "EdgeSelection":
        return of_kind.width, high_of(lines, of_kind.width, taken=_SIGN)
    wide = node.kind == "Question" and isinstance(node.entity, AgentQuestion)
    height = sum(_LINES[style[0]] * len(style) for style, _ in lines)
    return ASKED_OF_AGENT if wide else of_kind.width, height + _AROUND_TEXT


def width_of(name: str) -> float:
    """Return the width of a kind of node, without a label that stands below it."""
    return look(name).size * 2 or look(name).width
