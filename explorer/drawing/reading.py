"""The drawing of a search once its answer is on record, read from the answer: what it rests on, in its order.

Beside what was kept stands only what the answer cites, in the order in which it does; the rest is one node, which opens
in place: its drawing is the same once more, with the rest below that node and what was below it further down. Beside
the answer stand its sentences. A search whose record has another shape keeps the drawing in which it grew.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from explorer import entities as e
from explorer.dag.nodes import Arc, Node
from explorer.drawing.columns import SETS, Column, Columns
from explorer.drawing.folding import Fold
from explorer.drawing.kinds import SOURCES, kind
from explorer.drawing.labels import brief, lines
from explorer.drawing.layout import BOUNDS, Lane, chip_width
from explorer.drawing.sentences import citations, sentences
from explorer.text import count

if TYPE_CHECKING:
    from collections.abc import Iterable

    from explorer.drawing.folding import Drawings
    from explorer.drawing.labels import Styled

Place = tuple[float, float, float, float]  # middle, width and height
Head = tuple[float, float, str, str, str, int]  # of a column: x, y, words, alignment, drawing and set of columns
FIRST = 6  # of what was kept, so much is shown where the record does not say what was used
_HIGH, _FOLDED, _CHIP = 36.0, 28.0, 25.0  # heights
_STEP, _ROW, _SENTENCE, _CHIPS = 44.0, 40.0, 42.0, 30.0  # from middle to middle of two rows
_HEADED, _ABOVE = 14.0, 25.0  # what the heads of columns need above the first row, and how high above it they stand
_BELOW = 20.0  # in which arcs run to the sentences
_NARROWEST, _WIDEST, _GAP = 108.0, 250.0, 8.0  # of a sentence, and between two of them
_NAMED = 40.0  # from the middle of a document to the end of the name below it
_STEPS = ("Question", "Grounding", "Exploration", "Focus")
_CHOSEN = ("EdgeSelection", "ChunkSelection")


@dataclass(slots=True)
class Reading:
    """What the final drawings of a run have that differs from how it grew.

    `levels` are the drawings drawn anew; `places` the places of all nodes in them, one for each set of columns, None
    where a set has none for it; `nodes`, `arcs` and `folds` what they add; `lines` and `kinds` how nodes look now.
    """

    levels: set[str] = field(default_factory=set)
    places: dict[str, dict[str, tuple[Place | None, ...]]] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    arcs: list[Arc] = field(default_factory=list)
    folds: dict[str, Fold] = field(default_factory=dict)
    heads: list[Head] = field(default_factory=list)
    lines: dict[str, Styled] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)


def read(drawings: Drawings) -> Reading:
    """Return the final drawings of all searches in a run that have an answer."""
    held: dict[str, list[str]] = defaultdict(list)
    for iri, spots in drawings.spots.items():
        for level in spots:
            held[level].append(iri)
    reading = Reading()
    for level in [one for one in held if not drawings.rows(one) and not drawings.paged(one)]:
        search = _Search.of(drawings, level, held[level])
        if search is not None:
            search.draw(reading)
    return reading


@dataclass(slots=True)
class _Search:
    """What a search came to: its steps, what it kept, and what its answer says and cites."""

    drawings: Drawings
    level: str
    steps: list[str]
    holder: str  # the step that kept
    answer: Node
    sentences: list[Node]
    shown: list[str]
    rest: list[str]
    aside: dict[str, list[str]]  # beside a step: its key ideas, or what was not kept
    used: bool  # whether the record says what the answer used

    @classmethod
    def of(cls, drawings: Drawings, level: str, held: list[str]) -> _Search | None:
        """Read a search from the nodes of its drawing; None where it is of another shape."""
        dag = drawings.dag
        nodes = [drawings.node(iri) for iri in held]
        kinds: dict[str, list[Node]] = defaultdict(list)
        for node in nodes:
            kinds[node.kind].append(node)
        known = {*_STEPS, *_CHOSEN, *SOURCES, "Concept", "NotKept", "Synthesis", "Folded"}
        if kinds.keys() - known or any(len(kinds[one]) > 1 for one in (*_STEPS, "Synthesis")):
            return None
        answers, holders = kinds["Synthesis"], kinds["Focus"] or kinds["Exploration"]
        if not answers or not holders or not isinstance(answers[0].entity, e.Answer):
            return None
        answer, holder = answers[0].entity, holders[0].iri
        told = sentences(dag, answer)
        graph = dag.graph
        chosen = [child for child, arc in graph.adj[holder].items()
                  if arc["kind"] in ("selected", "source") and "node" in graph.nodes[child]]  # fmt: skip
        cites = citations(dag, answer.iri)
        declined = answer.termination_reason == "declined"
        cited = [iri for iri in dict.fromkeys(key for one in cites for key in one.cites) if iri in set(chosen)]
        used = bool(cites) or declined
        shown = cited[: BOUNDS["fact"][0]] if used else chosen[:FIRST]
        aside: dict[str, list[str]] = defaultdict(list)
        for node in (*kinds["Concept"], *kinds["NotKept"]):
            aside[next(iter(graph.predecessors(node.iri)), "")].append(node.iri)
        steps = [kinds[one][0].iri for one in _STEPS if kinds[one]]
        rest = [iri for iri in chosen if iri not in set(shown)]
        return cls(drawings, level, steps, holder, answers[0], told, shown, rest, aside, used)

    def draw(self, reading: Reading) -> None:
        """Add the drawings of this search: with the rest folded, and with it open."""
        reading.levels.add(self.level)
        for node in self.sentences:
            reading.nodes[node.iri] = node
            reading.arcs.append(Arc(self.answer.iri, node.iri, "says"))
            cites = node.entity.cites if isinstance(node.entity, e.Citation) else ()
            reading.arcs += [Arc(key, node.iri, "cites") for key in dict.fromkeys(cites) if key in self.shown]
        fold = self._fold(reading)
        for level in (self.level, *filter(None, (fold,))):
            sheets = [_Sheet(self, columns, fold, is_open=level != self.level) for columns in SETS]
            for iri in dict.fromkeys(iri for sheet in sheets for iri in sheet.places):
                places = tuple(sheet.places.get(iri) for sheet in sheets)
                reading.places.setdefault(iri, {})[level] = places
            reading.heads += [(*head, level, number) for number, sheet in enumerate(sheets) for head in sheet.heads]
        dag = self.drawings.dag
        for iri in (*self.steps, self.answer.iri, *self.shown):
            reading.lines[iri] = brief(dag, dag.node(iri), self.sentences)
        if self.declined:
            reading.kinds[self.holder], reading.lines[self.holder] = "Nearest", [("b+", kind("Nearest").word)]

    @property
    def declined(self) -> bool:
        """Whether what was kept was not enough for an answer."""
        return isinstance(self.answer.entity, e.Answer) and self.answer.entity.termination_reason == "declined"

    def _fold(self, reading: Reading) -> str:
        """Make the node that stands for what the answer does not use; returns its name, empty where all is shown."""
        if not self.rest:
            return ""
        name = f"{self.holder}#rest"
        words = f"{len(self.rest):,} kept, not used" if self.used else f"{len(self.rest):,} more kept"
        dag = self.drawings.dag
        if self.declined:
            words = count(len(self.rest), "passage" if dag.node(self.rest[0]).kind != "EdgeSelection" else "fact")
        members = tuple(node.entity for iri in self.rest if (node := dag.node(iri)).entity)
        node = Node(name, "Rest", members=members, text=words, count=len(self.rest))
        reading.nodes[name], reading.folds[name] = node, Fold(node, self.level)
        reading.arcs.append(Arc(self.holder, name, "folded"))
        for level, more in self.drawings.folds.items():
            if more.parent == self.level and more.node.kind == "Folded":
                reading.folds[level] = Fold(more.node, name)
        return name


class _Sheet:
    """The places of a search in one set of columns, with what was not used folded or open."""

    def __init__(self, search: _Search, columns: Columns, fold: str, *, is_open: bool) -> None:
        self.places: dict[str, Place] = {}
        self.heads: list[tuple[float, float, str, str]] = []
        self._search = search
        self._columns = columns
        self._dag = search.drawings.dag
        drawn = (*search.shown, *(search.rest if is_open else ()))
        self._needed = {source for iri in drawn if self._kind(iri) == "EdgeSelection" for source in self._sources(iri)}
        self._of_facts = any(self._kind(iri) == "EdgeSelection" for iri in (*search.shown, *search.rest))
        self._passage = columns.passage if self._of_facts else columns.passages
        self._lanes = {"Passage": Lane(0), "Page": Lane(0), "Document": Lane(0, spread=int(columns.named))}
        self._taken: set[int] = set()  # rows of passages
        self._first = self._above()
        row = self._chosen(search.shown, 0)
        self._name_columns()
        if fold:
            row = row if self._of_facts else max(row, *self._taken, 0)
            self._put(fold, Column(columns.fact.left, min(columns.fact.width, 240)), self._y(row), _FOLDED)
            self._taken |= set() if self._of_facts else {row}
        if is_open:
            self._unfolded(row + 1)
        self._last()

    def _kind(self, iri: str) -> str:
        kind: str = self._dag.graph.nodes[iri]["kind"]
        return kind

    def _sources(self, iri: str) -> list[str]:
        arcs, nodes = self._dag.graph.adj[iri], self._dag.graph.nodes
        return [child for child, arc in arcs.items() if arc["kind"] == "source" and "node" in nodes[child]]

    def _put(self, iri: str, column: Column, y: float, high: float = _HIGH) -> None:
        self.places[iri] = (round(column.middle, 1), y, round(column.width, 1), high)

    def _y(self, row: int) -> float:
        return self._first + row * _ROW

    def _above(self) -> float:
        """Place all steps down to the one that kept, with what stands beside them; returns where that one stands."""
        y = _HIGH / 2
        for step in self._search.steps:
            last = step == self._search.holder
            y += _HEADED if last and self._search.shown else 0.0
            wide = Column(0.0, self._columns.fact.right) if self._kind(step) == "Question" else self._columns.step
            self._put(step, wide, y)
            if last:
                break
            y += self._beside(step, y) + _STEP
        return y

    def _beside(self, step: str, y: float) -> float:
        """Place what a step found beside it, in two rows at most; returns what the second one takes."""
        begin, end = self._columns.fact.left, self._columns.width
        x, down = begin, 0.0
        for iri in self._search.aside[step]:
            node = self._dag.node(iri)
            if node.kind == "NotKept":
                self._put(iri, Column(begin, min(196.0, self._columns.fact.width)), y)
                continue
            wide = min(chip_width(lines(self._dag, node)[0]), end - begin)
            if x + wide > end:
                x, down = begin, down + _CHIPS
            if down > _CHIPS:
                return _CHIPS
            self._put(iri, Column(x, wide), y + down, _CHIP)
            x += wide + _GAP
        return down

    def _chosen(self, chosen: Iterable[str], row: int) -> int:
        """Place what was kept, with its sources, in rows from this one on; returns the row below."""
        for iri in chosen:
            apart = self._kind(iri) != "EdgeSelection" and not self._needed & {iri, *self._sources(iri)}
            if apart:  # a passage by itself: a column for facts beside it would say the same
                while row in self._taken:
                    row += 1
                self._lanes["Passage"].take(row)
                self._taken.add(row)
                self._put(iri, self._passage, self._y(row))
                for passage in (iri,) if self._kind(iri) == "Passage" else self._sources(iri):
                    self._parts(passage, row)
            else:
                self._put(iri, self._columns.fact, self._y(row))
                for passage in self._sources(iri):
                    self._found(passage, row)
            row += 1
        return row

    def _found(self, passage: str, near: int) -> None:
        """Place a passage as near to the first fact that needs it as can be."""
        if len(self._taken) >= BOUNDS["passage"][0] and passage not in self.places:
            passage = f"more:{self._search.level}:passage"
        if passage in self.places or not (passage in self._search.drawings.folds or passage in self._dag.graph):
            return
        row = self._lanes["Passage"].take(near)
        self._taken.add(row)
        self._put(passage, self._passage, self._y(row))
        if passage in self._dag.graph:
            self._parts(passage, row)

    def _parts(self, passage: str, near: int) -> None:
        """Place the page and the document that a passage stands in."""
        for part in self._sources(passage):
            name, row = self._kind(part), near
            if name == "Document":
                self._point(part, "Document", self._columns.document, near)
                continue
            if self._columns.page is not None:
                row = self._point(part, "Page", self._columns.page, near)
            for document in self._sources(part):
                self._point(document, "Document", self._columns.document, row)

    def _point(self, iri: str, lane: str, column: Column, near: int) -> int:
        if iri not in self.places:
            size = kind(lane).size * 2.0
            self.places[iri] = (column.middle, self._y(self._lanes[lane].take(near)), size, size)
        return round((self.places[iri][1] - self._first) / _ROW)

    def _unfolded(self, row: int) -> None:
        """Place what was not used below the node that stands for it; pages of it stay folded, below the last."""
        drawings, level = self._search.drawings, self._search.level
        row = self._chosen((iri for iri in self._search.rest if level in drawings.spots[iri]), row)
        for noun in ("fact", "chunk"):
            if (more := f"more:{level}:{noun}") in drawings.folds:
                self._put(more, self._columns.fact, self._y(row))
                row += 1

    def _name_columns(self) -> None:
        """Name each column that holds something."""
        kinds = {self._kind(iri) for iri in self.places}
        facts, passages = ("Facts in the answer", "Passages in the answer")
        if not self._search.used:
            facts, passages = ("Facts kept, best first", "Passages kept, best first")
        alone = "EdgeSelection" not in kinds
        columns = (
            ({"EdgeSelection"}, self._columns.fact, facts),
            ({"Passage", "ChunkSelection"}, self._passage, passages if alone else "Found in passage"),
            ({"Page", "Section"}, self._columns.page, "On page"),
            ({"Document"}, self._columns.document if self._columns.named else None, "Document"),
        )
        y = self._first - _ABOVE
        for needs, column, words in columns:
            if column is None or not kinds & needs or not self._search.shown:
                continue
            pointed = not needs & {"EdgeSelection", "Passage"}
            x, align = (column.middle, "center") if pointed else (column.left + 3, "left")
            self.heads.append((x, y, words, align))

    def _last(self) -> None:
        """Place the answer below all that stands there, and its sentences beside it."""
        told = self._search.sentences
        named = {iri for iri in self.places if self._columns.named and self._kind_of(iri) == "Document"}
        lowest = max(y + (_NAMED if iri in named else high / 2) for iri, (_, y, _, high) in self.places.items())
        y = lowest + (_BELOW if told else _STEP - _HIGH) + _HIGH / 2
        self._put(self._search.answer.iri, self._columns.step, y)
        if not told:
            return
        left, room = self._columns.fact.left, self._columns.width - self._columns.fact.left
        most = max(1, int((room + _GAP) // (_NARROWEST + _GAP)))
        rows = -(-len(told) // most)
        beside = -(-len(told) // rows)
        wide = min(_WIDEST, (room - _GAP * (beside - 1)) // beside)
        for number, node in enumerate(told):
            row, at = divmod(number, beside)
            self._put(node.iri, Column(left + at * (wide + _GAP), wide), y + row * _SENTENCE)

    def _kind_of(self, iri: str) -> str:
        return self._kind(iri) if iri in self._dag.graph else ""
