"""The final drawing of an agent's run: a row a step, no higher than it needs, and the answer's sentences below.

Rows and columns are those in which the run grew; a column that holds nothing is left out.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from explorer.dag.sentences import sentences
from explorer.drawing.column_heads import of_agents_run
from explorer.drawing.columns import (
    LOW,
    SETS,
    Column,
    Columns,
    Place,
    asked_beside,
    at_column,
    at_point,
    beside,
    lanes,
    of_agent,
)
from explorer.drawing.growing import AGENT, high_of
from explorer.drawing.looks import look
from explorer.entities import Answer
from explorer.wording.graph_words import beside as cited
from explorer.wording.graph_words import label
from explorer.wording.kinds import kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from explorer.dag.nodes import Node
    from explorer.drawing.final import Reading
    from explorer.drawing.folding import Drawings
    from explorer.wording.node_words import Styled

_BETWEEN = 8.0  # rows
_STEP, _SOURCE = 36.0, 40.0  # the height of an answer, and from middle to middle of two passages
_HEADED, _ABOVE = 20.0, 7.0  # what the heads of columns need above the first row, and how high above it they stand
_NAMED = 29.0  # from a document to the end of the name below it
_LINES = (3, 2)  # of a text in a box: so many, or fewer where it would be higher than this
_HIGHEST = 400.0


@dataclass(slots=True)
class Work:
    """An agent's run: its nodes by row and column, what was read in each row, and its answers with their sentences.

    `bottoms` says of each run within it, once it is drawn, where the row of its node ends in each set of columns.
    """

    drawings: Drawings
    level: str
    rows: list[dict[str, str]]
    read: list[list[str]]
    ends: dict[str, list[Node]]
    bottoms: dict[str, tuple[float, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, drawings: Drawings, level: str, held: list[str]) -> Work | None:
        """Read a run from the nodes of its drawing; None while it is under way."""
        nodes = {iri: drawings.node(iri) for iri in held}
        ends = {iri: node for iri, node in nodes.items() if isinstance(node.entity, Answer) and kind(node.kind).end}
        if not ends and not any(node.kind == "Failure" for node in nodes.values()):
            return None
        told = {iri: sentences(drawings.dag, node.entity) for iri, node in ends.items()
                if isinstance(node.entity, Answer)}  # fmt: skip
        cells: dict[int, dict[str, str]] = defaultdict(dict)
        for iri, (column, row) in drawings.cells.get(level, {}).items():
            if iri in nodes and iri not in ends:
                cells[row][column] = iri
        rows = [cells[row] for row in sorted(cells)]
        beside = {iri: number for number, row in enumerate(rows) for iri in row.values()}
        read: list[list[str]] = [[] for _ in rows]
        graph = drawings.dag.graph
        for iri in (one for one in nodes if one not in beside and one not in ends):
            above = (beside[parent] for parent in graph.predecessors(iri) if parent in beside) if iri in graph else ()
            if rows and nodes[iri].kind not in ("Page", "Section", "Document"):
                read[next(iter(above), len(rows) - 1)].append(iri)
        return cls(drawings, level, rows, read, told)

    def draw(self, reading: Reading) -> tuple[float, ...]:
        """Add the drawing of this run; returns how high it is in each set of columns."""
        dag = self.drawings.dag
        looks: dict[str, Styled] = {iri: _spread(label(dag, self.drawings.node(iri)))
                                    for row in self.rows for iri in row.values()}  # fmt: skip
        looks |= {iri: cited(dag, dag.node(iri)) for iri in self.ends}
        asked = next((row.get("asked") for row in self.rows[:1]), None)
        if asked is not None:
            looks[asked] = _spread(cited(dag, dag.node(asked)))
        sheets = [self._sheet(columns, looks, asked) for columns in SETS]
        reading.add(self.level, [(sheet.places, sheet.heads) for sheet in sheets])
        reading.lines |= looks
        reading.told[self.level] = self.ends
        runs = [iri for row in self.rows for iri in row.values() if self.kind(iri) == "Run"]
        self.bottoms = {iri: tuple(sheet.bottoms[iri] for sheet in sheets) for iri in runs}
        return tuple(sheet.lowest for sheet in sheets)

    def _sheet(self, columns: Columns, looks: dict[str, Styled], asked: str | None) -> _Sheet:
        """Return the drawing in one set of columns, with as many lines in a box as it has room for."""
        for most in _LINES:
            sheet = _Sheet(self, columns, looks, asked, most)
            if sheet.lowest <= _HIGHEST:
                break
        return sheet

    def kind(self, iri: str) -> str:
        """Return of what kind a node is."""
        return self.drawings.node(iri).kind

    def sources(self, iris: Iterable[str]) -> list[str]:
        """Return the documents that passages stand in, each once."""
        graph, found, seen = self.drawings.dag.graph, dict[str, None](), set[str]()
        waiting = [*reversed([*iris])]
        while waiting:
            iri = waiting.pop()
            if iri in seen or iri not in graph:
                continue
            seen.add(iri)
            if graph.nodes[iri]["kind"] == "Document":
                found[iri] = None
            waiting += [child for child, arc in graph.adj[iri].items() if arc["kind"] == "source"]
        return [*found]


class _Sheet:
    """An agent's run in one set of columns; `lowest` is where it ends, `bottoms` where the row of a node does."""

    def __init__(self, work: Work, columns: Columns, looks: dict[str, Styled], asked: str | None, most: int) -> None:
        self.places: dict[str, Place] = {}
        self.heads: list[tuple[float, float, str, str]] = []
        self.bottoms: dict[str, float] = {}
        self.lowest = 0.0
        self._work = work
        self._looks = looks
        self._most = most  # lines of a text
        held = {name for row in work.rows for name in row}
        used = [name for name in AGENT if name in held]
        if asked is not None and len(work.rows[0]) > len(used):  # the question needs room beside the way of working
            used = [*dict.fromkeys(("why", *used, "came"))]
        self._columns = of_agent(columns, [*used, *(("read", "of") if any(work.read) else ())])
        *_, before, last = (Column(0.0, columns.width),) * 2 + tuple(self._columns.values())
        self._columns["asked"], self._columns["way"] = asked_beside(before, last)
        rows = zip(work.rows, work.read, strict=True)
        if asked is not None:
            first, read = next(rows)
            self._first(first, columns)
            self._sources(read, columns)
        self._name_columns(columns)
        for row, read in rows:
            self._row(row, read, columns)
        ways = 1 + sum(work.kind(iri) == "Run" for row in work.rows for iri in row.values())  # from results, and runs
        for end, told in work.ends.items():
            top = self.lowest + lanes(ways)
            node = work.drawings.node(end).entity
            is_declined = isinstance(node, Answer) and node.termination_reason == "declined"
            wide = columns.alone if is_declined and not told else columns.step
            self.places[end] = at_column(wide, top + _STEP / 2, _STEP)
            self.places |= dict(beside(told, columns, top, LOW, ways))
            self.lowest = max(y + high / 2 for _, y, _, high in self.places.values())

    def _put(self, iri: str, column: Column, top: float, row: float | None = None) -> None:
        """Place a node in a column, in the middle of a row of this height."""
        high = self._high(iri, column)
        self.places[iri] = at_column(column, top + (row or high) / 2, high)

    def _high(self, iri: str, column: Column) -> float:
        return high_of(self._looks[iri], column.width, self._most)

    def _first(self, row: dict[str, str], columns: Columns) -> None:
        """Place the question, and the way of working at its right."""
        placed = {iri: self._columns[name] for name, iri in row.items()}
        if len(row) == 1:
            placed = dict.fromkeys(placed, Column(0.0, columns.width))
        self.lowest = max(self._high(iri, column) for iri, column in placed.items())
        for iri, column in placed.items():
            self._put(iri, column, 0.0, self.lowest)

    def _row(self, row: dict[str, str], read: list[str], columns: Columns) -> None:
        """Place a step with what belongs to it, and what was read in it."""
        top = self.lowest + _BETWEEN
        high = max(self._high(iri, self._columns[name]) for name, iri in row.items())
        for name, iri in row.items():
            self._put(iri, self._columns[name], top, high)
        self.lowest = top + high
        self._sources(read, columns, top)
        self.bottoms |= dict.fromkeys(row.values(), self.lowest)

    def _sources(self, read: list[str], columns: Columns, top: float = 0.0) -> None:
        """Place passages one below the other, and the documents that they stand in."""
        size = look("Document").size
        for number, iri in enumerate(read):
            self.places[iri] = at_column(self._columns["read"], top + 18 + number * _SOURCE, 36.0)
            self.lowest = max(self.lowest, top + 36 + number * _SOURCE)
        new = [iri for iri in self._work.sources(read) if iri not in self.places]
        for number, iri in enumerate(new):
            y = top + 18 + number * (2 * size + _NAMED)
            self.places[iri] = at_point(columns.document, y, size)
            self.lowest = max(self.lowest, y + size + _NAMED)

    def _name_columns(self, columns: Columns) -> None:
        """Name the columns where there is room between the names for what leads down."""
        if not self._work.rows[1:]:
            return
        self.lowest += _HEADED
        if columns.page:  # else there is no room between the names for what leads down
            goals = self._work.drawings.goals(self._work.level)
            self.heads += of_agents_run(self._columns, self.lowest + _BETWEEN - _ABOVE, goals=goals)


def _spread(lines: Styled) -> Styled:
    """Return the lines of a node with so many for each text below the first."""
    most = max(_LINES)
    return [lines[0], *((style[0].ljust(most, "+"), words) for style, words in lines[1:])]
