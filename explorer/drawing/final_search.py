"""The final drawing of a search, read from its answer: what it rests on, in its order; what it does not use, folded.

Beside what was kept stands only what the answer cites, in the order in which it does; the rest is one node, which
unfolds in place. Beside an answer stand its sentences. A search whose record has another shape is not drawn anew.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from explorer import entities as e
from explorer.dag.nodes import Arc, Node
from explorer.dag.sentences import CHOSEN, citations, first_source, sentences
from explorer.drawing.column_heads import of_search
from explorer.drawing.columns import LOW, SETS, Column, Columns, Place, at_column, at_point, beside, lanes, rows_of
from explorer.drawing.folding import Fold
from explorer.drawing.growing import BOUNDS, CHIP, Chips, Lane, lines_in
from explorer.drawing.looks import look
from explorer.text import count
from explorer.wording.graph_words import beside as cited
from explorer.wording.graph_words import label, lines
from explorer.wording.kinds import SOURCES, kind, signed
from explorer.wording.sources import Passage

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from explorer.drawing.final import Reading
    from explorer.drawing.folding import Drawings

FIRST = 6  # of what was kept, so much is shown where the record does not say what was used
_HIGH, _FOLDED, _UNUSED, _BROKEN = 36.0, 28.0, 34.0, 55.0  # heights
_LINE = 14.0  # what one more line takes
_STEP, _ROW, _CHIPS = 42.0, 38.0, 30.0  # from middle to middle of two rows
_OF_READ = 196.0  # how wide what was read and not kept is at most
_HEADED, _ABOVE = 17.0, 24.0  # what the heads of columns need above the first row, and how high above it they stand
_APART = 4.0  # between what was taken from one passage and from the next
MOST_ROWS = 3  # that a passage is beside, with more of its words
FEW = 3  # facts or passages, whose boxes have more lines: so many that a fact can be read whole
_MOST_LINES, _OF_MANY, _OF_REST = 5, 3, 4  # in the box of one of few facts, of one of many, of one not used
_OF_PASSAGE = (5, 4, 3)  # lines of words in the box of a passage: the most with which the drawing is low enough
_OF_QUESTION = 3  # lines
_BOLD = 14.5  # the size of letters that are as wide as bold ones of 13
_NUMBER = 26.0  # what the number in the answer takes beside the first line
_NAMED = 53.0  # from the middle of a document to the end of the name below it
_STEPS = ("Question", "Grounding", "Exploration", "Focus")
_ENDS = ("Synthesis", "Failure")


@dataclass(slots=True)
class Search:
    """What a search came to: its steps, what it kept, and what its answers say and cite."""

    drawings: Drawings
    level: str
    steps: list[str]
    holder: str  # the step that kept, or the last before it broke off
    ends: dict[str, list[Node]]  # its answers, and how it broke off, each with its sentences
    shown: list[str]
    rest: list[str]
    aside: dict[str, list[str]]  # beside a step: its key ideas, or what was not kept
    used: bool  # whether the record says what was used
    declined: bool  # whether what was kept was not enough for an answer

    @classmethod
    def of(cls, drawings: Drawings, level: str, held: list[str]) -> Search | None:
        """Read a search from the nodes of its drawing; None while it is under way, and where it is of another shape."""
        dag = drawings.dag
        kinds: dict[str, list[Node]] = defaultdict(list)
        for node in map(drawings.node, held):
            kinds[node.kind].append(node)
        ends = [node for one in _ENDS for node in kinds[one]]
        known = {*_STEPS, *CHOSEN, *SOURCES, *_ENDS, "Concept", "NotKept", "Folded"}
        steps = [node.iri for one in _STEPS for node in kinds[one]]
        if not ends or kinds.keys() - known or any(len(kinds[one]) > 1 for one in _STEPS):
            return None
        answers = [node.entity for node in ends if isinstance(node.entity, e.Answer)]
        if not steps or (answers and not kinds["Focus"] and not kinds["Exploration"]):
            return None
        graph = dag.graph
        chosen = [child for child, arc in graph.adj[steps[-1]].items()
                  if arc["kind"] in ("selected", "source") and "node" in graph.nodes[child]]  # fmt: skip
        cites = [one for answer in answers for one in citations(dag, answer.iri)]
        declined = bool(answers) and all(one.termination_reason == "declined" for one in answers)
        cited = [iri for iri in dict.fromkeys(key for one in cites for key in one.cites) if iri in set(chosen)]
        used = bool(cites) or declined
        shown = cited[: BOUNDS["fact"][0]] if used else chosen[:FIRST]
        if declined and not cited:
            shown = chosen[:1]  # what comes nearest
        aside: dict[str, list[str]] = defaultdict(list)
        for node in (*kinds["Concept"], *kinds["NotKept"]):
            aside[next(iter(graph.predecessors(node.iri)), "")].append(node.iri)
        told = {node.iri: sentences(dag, node.entity) if isinstance(node.entity, e.Answer) else [] for node in ends}
        rest = [iri for iri in chosen if iri not in set(shown)]
        return cls(drawings, level, steps, steps[-1], told, shown, rest, aside, used, declined)

    def draw(self, reading: Reading) -> tuple[float, ...]:
        """Add the drawing of this search, and that of what it did not use; returns how high it is in each width."""
        fold = self._fold(reading)
        sheets = [self._sheet(columns, fold) for columns in SETS]
        reading.add(self.level, [(sheet.places, sheet.heads) for sheet in sheets])
        reading.told[self.level] = self.ends
        rests: list[Rest] = []
        if fold:
            rests = [Rest(self, sheet) for sheet in sheets]
            reading.add(fold, [(sheet.places, sheet.heads) for sheet in rests])
            reading.unfolds[fold] = tuple((one.kept, two.end()) for one, two in zip(sheets, rests, strict=True))
        dag = self.drawings.dag
        for iri in (*self.steps, *self.ends, *self.shown, *(self.rest if self.used else ())):
            reading.lines[iri] = cited(dag, dag.node(iri))
        for grids in (sheets, rests) if rests else (sheets,):
            for iri in dict.fromkeys(iri for grid in grids for iri in grid.places if iri in dag.graph):
                high = max(grid.places[iri][3] for grid in grids if iri in grid.places)
                self._widen(reading, iri, high, grids[0].most)
        if self.declined:
            reading.kinds[self.holder], reading.lines[self.holder] = "Nearest", [("b+", kind("Nearest").word)]
        return tuple(sheet.end() for sheet in sheets)

    def _sheet(self, columns: Columns, fold: str) -> Sheet:
        """Return the drawing in these columns, with as many words of its passages as it has room for."""
        for words in _OF_PASSAGE:
            sheet = Sheet(self, columns, fold, words)
            if sheet.end() <= LOW:
                break
        return sheet

    def _widen(self, reading: Reading, iri: str, high: float, most: int) -> None:
        """Give a node as many lines as its box has room for: a fact so many of its words as one text, where it may."""
        dag = self.drawings.dag
        node = dag.node(iri)
        if node.kind == "EdgeSelection":
            own = reading.lines.get(iri) or label(dag, node)
            reading.lines[iri] = [("n".ljust(most, "+"), " ".join(text for _, text in own))]
        elif node.kind == "Passage" and high > _HIGH:
            reading.lines[iri] = Passage.in_lines(dag, node, lines_in(high) - 1)
        elif node.kind == "ChunkSelection" and iri in reading.lines:
            (style, words), *more = reading.lines[iri]
            reading.lines[iri] = [(style.ljust(lines_in(high) - 1, "+"), words), *more]

    def _fold(self, reading: Reading) -> str:
        """Make the node that stands for what was not used; returns its name, empty where all is shown."""
        if not self.rest:
            return ""
        name = f"{self.holder}#rest"
        dag = self.drawings.dag
        facts = sum(dag.node(iri).kind == "EdgeSelection" for iri in self.rest)
        passages, close = len(self.rest) - facts, len(self.rest)
        if facts and passages and self.unused:  # beside facts passages were only read
            close = facts
        words = f"{close:,} {'close, not used' if self.used else 'more kept'}"
        words += f", {count(passages, 'passage')} read" if close < len(self.rest) else ""
        if self.declined or not self.used:
            reading.kinds[name] = "Near" if self.declined else "More"
        members = tuple(node.entity for iri in self.rest if (node := dag.node(iri)).entity)
        node = Node(name, "Rest", members=members, text=words, count=len(self.rest))
        reading.lines[name] = [("n" if self.declined else "s+", words)]
        reading.nodes[name], reading.folds[name] = node, Fold(node, self.level)
        reading.arcs.append(Arc(self.holder, name, "folded"))
        for level, more in self.drawings.folds.items():
            if more.parent == self.level and more.node.kind == "Folded":
                reading.folds[level] = Fold(more.node, name)
        return name

    @property
    def unused(self) -> bool:
        """Whether what is folded was not used in an answer."""
        return self.used and not self.declined


class Grid:
    """The places of what was kept, a row each, with its sources beside it, in one set of columns."""

    def __init__(self, search: Search, columns: Columns, chosen: Iterable[str], around: Mapping[str, Place]) -> None:
        self.places: dict[str, Place] = {}
        self.heads: list[tuple[float, float, str, str]] = []
        self._search = search
        self.columns = columns
        self._dag = search.drawings.dag
        self._around = around  # what stands in the drawing around this one
        self._needed = {source for iri in chosen if self._kind(iri) == "EdgeSelection" for source in self._sources(iri)}
        self._of_facts = any(self._kind(iri) == "EdgeSelection" for iri in (*search.shown, *search.rest))
        self._passage = columns.passage if self._of_facts else columns.passages
        self._lanes = {"Page": Lane(), "Document": Lane(spread=1)}
        self._cells: dict[str, tuple[Column, int, int]] = {}  # in which column, from which row to which
        self._points: dict[str, tuple[Column, int, int]] = {}  # pages and documents: in which column and row, how large
        self._heights: dict[int, float] = {}  # of rows with more lines than others, or fewer
        self._begins: set[int] = set()  # the rows in which what was taken from another passage begins
        self._passages = 0
        self._first = 0.0  # the height of the first row
        self.most = _OF_REST  # lines that a fact may have
        self._words = _OF_PASSAGE[-1]  # lines that the words of a passage may have
        self._beside_fact = _NUMBER

    def _kind(self, iri: str) -> str:
        kind: str = self._dag.graph.nodes[iri]["kind"]
        return kind

    def _sources(self, iri: str) -> list[str]:
        arcs, nodes = self._dag.graph.adj[iri], self._dag.graph.nodes
        return [child for child, arc in arcs.items() if arc["kind"] == "source" and "node" in nodes[child]]

    def _put(self, iri: str, column: Column, y: float, high: float = _HIGH) -> None:
        self.places[iri] = at_column(column, y, high)

    def _settle(self) -> None:
        """Place all that has rows, each of these as high as it needs to be."""
        rows = [last for _, _, last in self._cells.values()] + [row for _, row, _ in self._points.values()]
        top, spans = self._first - _HIGH / 2, list[tuple[float, float]]()
        for row in range(max(rows, default=-1) + 1):
            top += _APART if row and row in self._begins else 0.0
            spans.append((top, top + self._heights.get(row, _HIGH)))
            top = spans[-1][1] + _ROW - _HIGH
        for iri, (column, first, last) in self._cells.items():
            upper, lower = spans[first][0], spans[last][1]
            self._put(iri, column, (upper + lower) / 2, lower - upper)
        for iri, (column, row, size) in self._points.items():
            self.places[iri] = at_point(column, sum(spans[row]) / 2, size)

    def _chosen(self, chosen: Iterable[str], row: int) -> int:
        """Place what was kept, with its sources, in rows from this one on; returns the row below."""
        together: dict[str, list[str]] = defaultdict(list)  # what was taken from one passage
        for iri in chosen:
            together[first_source(self._dag, iri) or iri].append(iri)
        for passage, some in together.items():
            self._begins.add(row)
            apart = [iri for iri in some if self._is_apart(iri)]
            row = self._group(passage, [iri for iri in some if iri not in apart], row, elsewhere=together.keys())
            for iri in apart:  # a passage by itself, as wide as facts and passages: no fact stands before it
                self._heights[row] = _HIGH + _LINE * (self._lines_of(iri, self.columns.passages) - 1)
                self._cells[iri] = self.columns.passages, row, row
                for source in (iri,) if self._kind(iri) == "Passage" else self._sources(iri):
                    self._parts(source, row)
                row += 1
        return row

    def _is_apart(self, iri: str) -> bool:
        return self._kind(iri) != "EdgeSelection" and not self._needed & {iri, *self._sources(iri)}

    def _group(self, passage: str, some: list[str], row: int, elsewhere: Collection[str]) -> int:
        """Place what was taken from one passage in a row each, and beside it the passage, above its other sources."""
        sources = dict.fromkeys(self._folded(one) for iri in some for one in self._sources(iri))
        new = [one for one in sources if not self._stands(one) and (one == passage or one not in elsewhere)]
        beside = max(1, min(len(some) - len(new) + 1, MOST_ROWS))
        spans = [(one, beside if one == passage else 1) for one in new]
        self._make_room(some, spans, row)
        self._cells |= {iri: (self.columns.fact, row + at, row + at) for at, iri in enumerate(some)}
        below = row
        for one, rows in spans:  # each beside so many rows of what was taken from it
            self._cells[one] = self._passage, below, below + rows - 1
            self._passages += 1
            if one in self._dag.graph:
                self._parts(one, below)
            below += rows
        return max(row + len(some), below)

    def _make_room(self, some: Sequence[str], spans: Iterable[tuple[str, int]], row: int) -> None:
        """Make rows as high as facts, and what they were taken from beside so many rows of them, have lines."""
        more = dict.fromkeys(range(len(some)), 0)
        for at, iri in enumerate(some):
            if self._kind(iri) == "EdgeSelection":
                more[at] = max(0, self._lines(iri) - 2)
        at = 0
        for passage, rows in spans:
            has = (rows - 1) * _ROW + _LINE * sum(more.get(at + one, 0) for one in range(rows))
            needs = _LINE * (self._lines_of(passage, self._passage) - 1) if passage in self._dag.graph else 0.0
            at += rows
            more[at - 1] = more.get(at - 1, 0) + max(0, ceil((needs - has) / _LINE))
        self._heights |= {row + at: _HIGH + _LINE * many for at, many in more.items() if many}

    def _lines(self, fact: str) -> int:
        words = signed("EdgeSelection", " ".join(lines(self._dag, self._dag.node(fact))))
        return min(self.most, rows_of(words, self.columns.fact.width, taken=self._beside_fact))

    def _lines_of(self, passage: str, column: Column) -> int:
        words = cited(self._dag, self._dag.node(passage))[0][1]
        return min(self._words, rows_of(words, column.width, _BOLD, taken=_NUMBER))

    def _folded(self, passage: str) -> str:
        """Return a passage, or beyond so many of them what they are folded into."""
        folds = self._search.drawings.folds
        more = f"more:{self._search.level}:passage"
        return (
            more if self._passages >= BOUNDS["passage"][0] and more in folds and not self._stands(passage) else passage
        )

    def _parts(self, passage: str, near: int) -> None:
        for part in self._sources(passage):
            name = self._kind(part)
            if name == "Document":
                self._point(part, "Document", self.columns.document, near)
                continue
            row = self._point(part, "Page", self.columns.page, near)
            for document in self._sources(part):
                self._point(document, "Document", self.columns.document, row)

    def _point(self, iri: str, lane: str, column: Column | None, near: int) -> int:
        if column is None or iri in self._around:
            return near
        if iri not in self._points:
            self._points[iri] = column, self._lanes[lane].take(near), look(lane).size
        return self._points[iri][1]

    def _stands(self, iri: str) -> bool:
        return iri in self._cells or iri in self._around

    def end(self) -> float:
        """Return where all that stands there ends, with the names below documents."""
        nodes = self._dag.graph.nodes
        named = {iri for iri in self.places if iri in nodes and self._kind(iri) == "Document"}
        below = (y + (_NAMED if iri in named else high / 2) for iri, (_, y, _, high) in self.places.items())
        return max(below, default=0.0)


class Sheet(Grid):
    """A search in one set of columns, with what was not used folded; `kept` is where what was kept ends."""

    def __init__(self, search: Search, columns: Columns, fold: str, words: int) -> None:
        super().__init__(search, columns, search.shown, {})
        self._words = words
        self._first = self._above()
        facts = sum(self._kind(iri) == "EdgeSelection" for iri in search.shown)
        self.most = (_MOST_LINES if facts <= FEW else _OF_MANY) if search.used else _OF_REST
        row = self._chosen(search.shown, 0)
        if fold:
            self._begins.add(row)
            self._heights[row] = _FOLDED if search.declined else _UNUSED
            self._cells[fold] = Column(columns.fact.left, min(columns.fact.width, 240)), row, row
        self._settle()
        self._name_columns()
        self.kept = self.end()
        self._last()

    def _above(self) -> float:
        """Place all steps down to the one that kept, with what stands beside them; returns where that one stands."""
        y = _HIGH / 2
        for step in self._search.steps:
            last = step == self._search.holder
            y += _HEADED if last and self._search.shown else 0.0
            if self._kind(step) == "Question":
                y += self._asked(step, y)
                if last:
                    break
                y += _STEP
                continue
            short = self._search.declined and last  # else a line for each beyond its word and what it holds
            high = _HIGH + _LINE * (0 if short else max(0, len(label(self._dag, self._dag.node(step))) - 2))
            y += 0.0 if self._search.shown else (high - _HIGH) / 2
            self._put(step, self.columns.step, y, high)
            if last:
                break
            y += self._beside(step, y) + _STEP
        return y

    def _asked(self, question: str, y: float) -> float:
        """Place the question, as wide as all columns and in more lines where it needs them; returns what those take."""
        words = cited(self._dag, self._dag.node(question))[-1][1]
        wide = self.columns.alone if rows_of(words, self.columns.alone.width) == 1 else Column(0.0, self.columns.width)
        more = _LINE * (min(_OF_QUESTION, rows_of(words, wide.width)) - 1)
        self._put(question, wide, y + more / 2, _HIGH + more)
        return more

    def _beside(self, step: str, y: float) -> float:
        """Place what a step found beside it, in two rows at most; returns what the second one takes."""
        begin, chips = self.columns.fact.left, Chips(self.columns)
        for iri in self._search.aside[step]:
            node = self._dag.node(iri)
            if node.kind == "NotKept":
                self._put(iri, Column(begin, min(_OF_READ, self.columns.width - begin)), y)
            elif (taken := chips.take(lines(self._dag, node)[0])) is not None:
                self._put(iri, taken[0], y + _CHIPS * taken[1], CHIP)
        return _CHIPS if chips.row else 0.0

    def _name_columns(self) -> None:
        if not self._search.shown:
            return
        kinds = {self._kind(iri) for iri in self.places if iri in self._dag.graph}
        of_facts, found = "EdgeSelection" in kinds, not kinds.isdisjoint(("Passage", "ChunkSelection"))
        facts, passages = "Used" if "ChunkSelection" in kinds else "Facts used", "Passages used"
        if not self._search.used:
            facts, passages = "Facts kept", "Passages kept, best first"
        if self._search.declined:
            facts, passages = "Nearest facts", "Nearest passages"
        kept = facts if of_facts else passages if found else ""
        self.heads += of_search(self.columns, kinds, self._first - _ABOVE, kept, found=of_facts and found)

    def _last(self) -> None:
        """Place the answers, and how it broke off, below all that stands there, with their sentences beside them."""
        for end, told in self._search.ends.items():
            high, column = _HIGH, self.columns.step
            if self._kind(end) == "Failure":
                high, column = _BROKEN, self.columns.alone
            elif self._search.declined and not told:
                column = self.columns.alone
            ways = len(
                {self._led_from(key) for one in told if isinstance(one.entity, e.Citation) for key in one.entity.cites}
            )
            top = self.end() + (lanes(ways) if told else _STEP - _HIGH)
            self._put(end, column, top + high / 2, high)
            self.places |= dict(beside(told, self.columns, top, LOW, ways))

    def _led_from(self, iri: str) -> str:
        """Return what leads to a sentence that cites this: the passage it was taken from, if that is drawn."""
        passage = first_source(self._dag, iri) if iri in self._dag.graph else None
        return passage if passage is not None and passage in self.places else iri


class Rest(Grid):
    """What was not used, below the node that stands for it; pages of it stay folded, below the last."""

    def __init__(self, search: Search, around: Sheet) -> None:
        level, drawings = search.level, search.drawings
        there = [iri for iri in search.rest if level in drawings.spots[iri]]
        super().__init__(search, around.columns, there, around.places)
        self._first = _ROW - _HIGH / 2 + _HEADED  # the page writes above it what stands there
        self._beside_fact = 0.0
        row = self._chosen(there, 0)
        for noun in ("fact", "chunk"):
            if (more := f"more:{level}:{noun}") in drawings.folds:
                self._cells[more] = self.columns.fact, row, row
                row += 1
        self._settle()
