"""The drawings of a growing graph: what is folded into one node, what stands in each, where, and which arcs join it.

The drawing of the run itself is called "", any other has the name of the node which stands for it: that of a run
within an agent's run, or that of a page with what is beyond the bound of a drawing. A passage that several searches
found has a place in each. A placed node never moves nor changes its drawing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from explorer import entities as e
from explorer.dag.nodes import Arc, Change, Node
from explorer.drawing.columns import Spot, height_of
from explorer.drawing.growing import AGENT_ROW, BOUNDS, STEP_Y, Cell, Layout, Pages, Rows, in_cell, in_search, spot
from explorer.drawing.looks import look
from explorer.text import count
from explorer.vocab import recognise, session_of
from explorer.wording.agent import goal_name
from explorer.wording.graph_words import label, progress
from explorer.wording.kinds import SOURCES, kind

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag

Goal = tuple[str, int]
L = TypeVar("L", Layout, Rows)
_SHOWN = 20  # of what a page holds, so many are listed with the node that stands for it
_CROWD = 8  # nodes of one step that share its row; more get rows of their own
_NOUNS = {"fact": "fact", "chunk": "passage", "passage": "passage", "step": "step", "end": "answer"}
_CHOSEN = {"EdgeSelection": "fact", "ChunkSelection": "chunk"}
_AGENT_STEPS = (e.AgentQuestion, e.PatternDecision, e.Plan, e.Decomposition, e.Analysis, e.Reflection)


@dataclass(slots=True)
class Fold:
    """A run, or a page of what was too much: the node that stands for it, in which drawing, and at which goal."""

    node: Node
    parent: str
    goal: Goal | None = None


@dataclass(slots=True)
class _Drawing:
    """One drawing: the places in it, and the goals that have a row."""

    layout: Layout | Rows
    goals: dict[Goal, str] = field(default_factory=dict)


class Drawings:
    """The nodes of one growing graph sorted into drawings."""

    def __init__(self, dag: ProvenanceDag) -> None:
        """Follow this graph, whose changes are passed to `apply`."""
        self.dag = dag
        self.is_agent = False  # known once something is placed
        self.spots: dict[str, dict[str, Spot]] = {}  # of each node: its places in each drawing it stands in
        self.cells: dict[str, dict[str, Cell]] = {}  # of each drawing of an agent's run: where steps stand
        self.folds: dict[str, Fold] = {}  # what stands for a drawing, by the name of both
        self.kinds: dict[str, set[str]] = {}  # that each drawing holds
        self.widened: set[str] = set()  # drawings that hold a kind since the last change that they did not hold before
        self._top = ""
        self._lowest: dict[str, float] = {}  # where each drawing ends
        self._goals: dict[str, Node] = {}
        self._layouts: dict[str, _Drawing] = {}
        self._bases: dict[str, str] = {}
        self._pages: dict[tuple[str, str], Pages] = {}
        self._grown: dict[str, tuple[str, str, int]] = {}
        self._runs: dict[Goal, str] = {}
        self._ended: set[Goal] = set()
        self._shared: dict[str, object] = {}
        self._crowds: Counter[tuple[str, object]] = Counter()
        self._early: dict[str, list[Arc]] = defaultdict(list)
        self.joined: dict[tuple[str, str], Arc] = {}  # by its ends: each arc in a drawing
        self._fresh: dict[str, Node] = {}  # to be drawn, or drawn anew
        self._made: list[Arc] = []  # of what stands for others

    def apply(self, change: Change) -> tuple[list[Node], list[Arc]]:
        """Place what is new; returns the nodes to draw, with those that stand for drawings, and the arcs."""
        if not self.spots and change.nodes:
            self.is_agent = of_agent(change.nodes)
            self._top = session_of(change.nodes[0].iri)
        self._fresh, self._made, waited = {}, [], list[Arc]()
        for node in change.nodes:
            self._fresh[node.iri] = node
            if node.iri not in self.spots and node.kind not in SOURCES:
                self._place(node)
                waited += self._early.pop(node.iri, ())
            self._show_progress(node)
        made, self._made = self._made, []
        found = [drawn for arc in (*made, *waited, *change.arcs) for drawn in self._drawn(arc)]
        self._count_pages()
        new = {(arc.parent, arc.child): arc for arc in (*found, *self._made)
               if (arc.parent, arc.child) not in self.joined}  # fmt: skip
        self.joined |= new
        placed = [node for node in self._fresh.values() if self.spots.get(node.iri)]
        self.widened = set()
        for node in placed:
            for level, places in self.spots[node.iri].items():
                self._lowest[level] = max(self._lowest.get(level, 0.0), height_of(places))
                if node.kind not in self.kinds.setdefault(level, set()):
                    self.kinds[level].add(node.kind)
                    self.widened.add(level)
        return placed, list(new.values())

    def opening(self, name: str) -> tuple[float, float] | None:
        """Return where a run within begins in the drawing around it, below its row, and how high it is so far."""
        fold = self.folds.get(name)
        if fold is None or fold.node.kind != "Run":
            return None
        return height_of(self.spots[name][fold.parent]) + AGENT_ROW / 2, self._lowest.get(name, 0.0) + AGENT_ROW / 2

    def node(self, name: str) -> Node:
        """Return any node that is drawn: of the graph, or one that stands for a folded run, a page or a goal."""
        if name in self.folds:
            return self.folds[name].node
        return self._goals.get(name) or self.dag.node(name)

    def level(self, iri: str) -> str:
        """Return the drawing in which a node stands, or will stand; of a source the first that found it."""
        return next(iter(self.spots.get(iri, ())), None) or ("" if self.spots.get(iri) else self.whole(iri))

    def whole(self, iri: str) -> str:
        """Return the drawing of the run that a node belongs to, whatever page of it the node stands on."""
        key = (session_of(iri) or self._top) if self.is_agent else self._top
        return "" if key == self._top else f"run:{key}"

    def _ways(self, iri: str) -> Iterator[tuple[str, str]]:
        """Yield a node with its drawing, then what stands for that drawing in the one around it, up to the run."""
        name, at, seen = iri, self.level(iri), set[str]()
        yield name, at
        while at in self.folds and at not in seen:
            seen.add(at)
            name, at = at, self.folds[at].parent
            yield name, at

    def paged(self, level: str) -> bool:
        """Return whether a drawing is a page of what was too much, or lies within one."""
        names = {level, *(at for _, at in self._ways(level))}
        return any(self.folds[name].node.kind == "Folded" for name in names & self.folds.keys())

    def step(self, level: str) -> str:
        """Return the step or part that a folded run lies in: "step 1"; empty where its record names none."""
        fold = self.folds.get(level)
        if fold is None:
            return ""
        goal = self._layouts[fold.parent].goals.get(fold.goal) if fold.goal else None
        if goal is not None:
            return goal_name(self._goals[goal]).lower()
        above = fold.node.entity.derived_from if isinstance(fold.node.entity, e.Question) else ()
        found = (recognise(parent) for parent in above)
        return next((f"step {named.index}" for named in found if named and named.kind == "analysis"), "")

    def goals(self, level: str) -> bool:
        """Return whether a drawing has rows for the goals of a plan or a team."""
        return level in self._layouts and bool(self._layouts[level].goals)

    def rows(self, level: str) -> bool:
        """Return whether a drawing has a row for each step of an agent; else it is that of a search."""
        return level in self._layouts and isinstance(self._layouts[level].layout, Rows)

    # arcs

    def _drawn(self, arc: Arc) -> Iterator[Arc]:
        """Yield what stands for an arc in the drawings, once both its ends have places."""
        if arc.kind in ("inside", "folded"):  # made here
            yield arc
        elif not self.spots.get(arc.parent):
            self._early[arc.parent].append(arc)
        elif arc.kind == "source":
            self._found(arc)
            yield arc
            for waited in self._early.pop(arc.child, ()):
                yield from self._drawn(waited)
        elif not self.spots.get(arc.child):
            self._early[arc.child].append(arc)
        else:
            yield from self._led(arc)

    def _led(self, arc: Arc) -> Iterator[Arc]:
        """Join what stands for the ends of an arc in the drawing that holds both, and a page to what it holds."""
        below = self.level(arc.child)
        if self.level(arc.parent) == below:
            yield from self._across(arc, arc.parent, arc.child)
            return
        ups = {level: name for name, level in self._ways(arc.parent)}
        for name, level in self._ways(arc.child):
            if level in ups:
                yield from self._across(arc, ups[level], name)
                break
        if below not in ups and below in self.folds and self.folds[below].node.kind == "Folded":
            yield Arc(below, arc.child, arc.kind, arc.score)

    def _across(self, arc: Arc, one: str, other: str) -> Iterator[Arc]:
        """Join two nodes of one drawing that stand for the ends of an arc, or are them."""
        if (one, other) == (arc.parent, arc.child):
            if not self._is_by_goal(arc):
                yield arc
        elif other == arc.child:
            yield Arc(one, other, arc.kind, arc.score)
        elif one != other:
            of_page = self.folds[other].node.kind == "Folded"
            goal = self._goal_or(arc.parent, other) if one == arc.parent else one
            yield Arc(goal, other, arc.kind if of_page and one == arc.parent else "derived")

    def _is_by_goal(self, arc: Arc) -> bool:
        """Return whether an arc leads from a plan or team to a result, which its goal leads to already."""
        result = self.dag.entities.get(arc.child)
        return f"{arc.parent}#goal-1" in self._goals and isinstance(result, e.StepResult | e.Finding)

    def _goal_or(self, parent: str, fold: str) -> str:
        goal = self.folds[fold].goal if fold in self.folds else None
        return self._layouts[self.folds[fold].parent].goals.get(goal, parent) if goal else parent

    # placing

    def _place(self, node: Node) -> None:
        """Place a node of a run, and with it what stands for its run or its goals."""
        base = self.whole(node.iri)
        drawing = self._drawing(base, node.iri)
        if isinstance(node.entity, e.Question) and base:
            self._folded(node, node.entity, base)
        if isinstance(drawing.layout, Rows):
            self._among_steps(node, base, drawing)
            self._planned(node, base)
        else:
            self._in_search(node, base)

    def _drawing(self, level: str, iri: str) -> _Drawing:
        if level not in self._layouts:
            by_rows = self.is_agent if not level else iri.startswith("urn:trustgraph:agent:")
            self._layouts[level] = _Drawing(Rows() if by_rows else Layout())
        return self._layouts[level]

    def _in_search(self, node: Node, base: str) -> None:
        above = next((one for one in self.dag.graph.predecessors(node.iri) if one in self.spots), None)
        level = self.level(above) if above is not None and node.kind in ("Concept", "NotKept") else base
        near = None if above is None else height_of(next(iter(self.spots[above].values())))
        layout, own = self._layouts[level].layout, label(self.dag, node)
        if node.kind == "Concept" and isinstance(layout, Layout):
            chip = layout.chip(own[0][1], near or STEP_Y["Grounding"])
            if chip is not None:  # else there is no room: the panel of Grounding lists the rest
                self.spots[node.iri] = {level: chip}
            return
        if node.kind == "NotKept":
            y = near or STEP_Y["Exploration"]
        else:
            level = self._page(base, _CHOSEN.get(node.kind, _noun(node)), node.iri, held=node.iri)
            below = self._layout(level, Layout)
            if node.kind in _CHOSEN:
                narrow, *_ = spot(node.kind, lambda columns: columns.fact, 0.0, own)
                y = below.fact(narrow.height if narrow else 0.0)
            else:
                y = below.step(node.kind)
        self.spots[node.iri] = {level: spot(node.kind, lambda columns: in_search(columns, node.kind), y, own)}

    def _among_steps(self, node: Node, base: str, drawing: _Drawing) -> None:
        """Place a node in the row of its step, in the column that its kind has."""
        if isinstance(node.entity, e.Failure) and (near := self._broken_off(node, node.entity)) is not None:
            level, (column, row) = near[0], ("came", near[1])
        else:
            column, unit = self._cell(node, base, drawing)
            self._crowds[base, unit] += 1
            if self._crowds[base, unit] > _CROWD:
                unit = node.iri
            level = self._page(base, _noun(node), unit, held=node.iri)
            row = self._row_of(level, unit)
            self._shared[node.iri] = unit
        self._put(node, level, column, row)

    def _put(self, node: Node, level: str, column: str, row: int) -> None:
        """Place a node in a drawing of an agent's run: in this row of a column, or the next free one."""
        cell = self._layout(level, Rows).take(column, row)
        self.cells.setdefault(level, {})[node.iri] = cell
        self.spots[node.iri] = {level: in_cell(node.kind, cell, label(self.dag, node))}

    def _layout(self, level: str, cls: type[L]) -> L:
        """Return the places in a drawing, which is known to be of a search, or of an agent."""
        layout = self._layouts[level].layout
        if isinstance(layout, cls):
            return layout
        message = f"the drawing {level!r} has no {cls.__name__}"
        raise TypeError(message)

    def _row_of(self, level: str, unit: object) -> int:
        """Return the row of a step; that of the question comes first."""
        asked = ("asked", self._top if not level else level.removeprefix("run:"))
        return 0 if unit == asked else self._layout(level, Rows).row(unit)

    def _cell(self, node: Node, base: str, drawing: _Drawing) -> tuple[str, object]:
        """Return the column that a step stands in, and what it shares its row with."""
        named = recognise(node.iri)
        key, index = (named.key, named.index) if named else (node.iri, None)
        step = (key, index if index is not None else node.iri)
        column = look(node.kind).column or "did"
        match node.entity:
            case e.AgentQuestion():
                return "asked", ("asked", key if named else self._top)
            case e.PatternDecision():
                return "way", ("asked", key if named else self._top)
            case e.Plan() | e.Decomposition():
                return column, (key, "goal", 0)
            case e.Analysis() | e.Observation():
                return column, step
            case e.Reflection():
                above = (one for one in node.entity.derived_from if one in self._shared and self.whole(one) == base)
                return column, next((self._shared[one] for one in above), step)
            case e.StepResult() | e.Finding():
                return column, (key, "goal", index or 0)
            case e.Synthesis() | e.Conclusion():
                return "came" if drawing.goals else "did", node.iri
            case _:
                return column, node.iri

    def _broken_off(self, node: Node, failure: e.Failure) -> tuple[str, int] | None:
        """Return drawing and row of the step under way, where its result would stand; None for the first row."""
        base = self.whole(node.iri)
        for above in failure.derived_from:
            for name, level in self._ways(above):
                if self._bases.get(level, level) == base and name in self.cells.get(level, ()):
                    _, row = self.cells[level][name]
                    return (level, row) if row > 0 else None
        return None

    def _planned(self, node: Node, base: str) -> None:
        """Place each goal of a plan or a team in a row, and join what came of it."""
        named = recognise(node.iri)
        if named is None:
            return
        match node.entity:
            case e.Plan() as plan:
                goals = plan.ordered or plan.steps
            case e.Decomposition() as parts:
                goals = parts.ordered or parts.goals
            case e.StepResult() | e.Finding():
                self._came(node.iri, (named.key, named.index or 0), base)
                return
            case _:
                return
        for index, goal in enumerate(goals):
            name, unit = f"{node.iri}#goal-{index + 1}", (named.key, "goal", index)
            level = self._page(base, "step", unit, held=name)
            self._goals[name] = self._fresh[name] = Node(name, "Goal", text=goal)
            self._put(self._goals[name], level, "did", self._row_of(level, unit))
            self._layouts[base].goals[named.key, index] = name
            self._made.append(Arc(node.iri, name, "derived"))

    def _came(self, result: str, goal: Goal, base: str) -> None:
        """Join a result to the run that was for its goal, or else to the goal itself."""
        self._ended.add(goal)
        run = self._runs.get(goal) or self._layouts[base].goals.get(goal)
        if run is not None:
            self._made.append(Arc(run, result, "derived"))

    # folding

    def _page(self, base: str, noun: str, unit: object, near: float = 0.0, held: str = "") -> str:
        """Return the drawing for a unit of a run: that of the run, or beyond its bound a page of so many more."""
        pages = self._pages.setdefault((base, noun), Pages(*BOUNDS[noun]))
        number = pages.page(unit)
        if number == 0:
            return base
        rest = f"more:{base}:{noun}"
        level, parent = (rest, base) if number == 1 else (f"{rest}:{number}", rest)
        if level not in self.folds:
            self.folds[level] = Fold(Node(level, "Folded"), parent)
            self._bases[level] = self._bases.get(base, base)
            own = self._layouts[base]
            self._layouts[level] = _Drawing(type(own.layout)(), own.goals)
            around = self._layouts[parent].layout
            if isinstance(around, Rows) and noun != "passage":
                self._put(self.folds[level].node, parent, "did", around.row(level))
            else:
                self.spots[level] = {parent: around.beneath(noun, near)}
            if parent == rest:
                self._made.append(Arc(rest, level, "inside"))
        self._grown |= {rest: (base, noun, 1), level: (base, noun, number)}
        fold = self.folds[level]
        if held in self.dag.entities and len(fold.node.members) < _SHOWN:
            fold.node = replace(fold.node, members=(*fold.node.members, self.dag.entities[held]))
        return level

    def _count_pages(self) -> None:
        """Draw the pages anew that have grown, with how much they hold."""
        for level, (base, noun, number) in self._grown.items():
            first, last = self._pages[base, noun].span(number)
            what, fold = _NOUNS[noun], self.folds[level]
            text = count(last - first + 1, f"more {what}") if number == 1 else f"{what}s {first:,} to {last:,}"
            fold.node = self._fresh[level] = replace(fold.node, text=text)
        self._grown = {}

    def _folded(self, node: Node, question: e.Question, level: str) -> None:
        """Put one node for a whole run into the drawing above it, in the row of the step that began it."""
        parent = next(iter(question.derived_from), "")
        above = self.whole(parent)
        drawing = self._drawing(above, parent)
        if not isinstance(drawing.layout, Rows) or level in {at for _, at in self._ways(above)} | {above}:
            above, drawing = "", self._drawing("", "")
        if not isinstance(drawing.layout, Rows):
            return
        goal = self._goal_of(question, parent, drawing)
        named = recognise(parent)
        unit: object = node.iri
        if goal is not None:
            unit = (goal[0], "goal", goal[1])
        elif named is not None and named.kind == "analysis":
            unit = (named.key, named.index)
        page = self._page(above, "step", unit)
        if ("ran", self._row_of(page, unit)) in self._layout(page, Rows).cells:
            unit = node.iri  # a second run for one step: the rows below belong to other steps
            page = self._page(above, "step", unit)
        fold = Node(level, "Run", question, text="at work")
        self.folds[level] = Fold(fold, page, goal)
        if goal is not None:
            self._runs.setdefault(goal, level)
        self._put(fold, page, "ran", self._row_of(page, unit))
        self._fresh[level] = fold
        self._made.append(Arc(level, node.iri, "inside"))

    def _goal_of(self, question: e.Question, parent: str, drawing: _Drawing) -> Goal | None:
        """Return the goal that a run is for: the one its parent names, of its own words, or the first without a run."""
        named = recognise(parent)
        if named is None or named.kind not in ("plan", "decomposition", "step-result", "finding"):
            return None
        if named.index is not None:
            return named.key, named.index
        due = [goal for goal in drawing.goals if goal[0] == named.key and goal not in self._ended]
        free = [goal for goal in due if goal not in self._runs]
        same = (goal for goal in (*free, *due) if self._goals[drawing.goals[goal]].text == question.query)
        return next(same, next(iter(free), None))

    def _show_progress(self, node: Node) -> None:
        """Draw the runs anew that a node lies in, or that were under way when the run around them broke off."""
        base = self.whole(node.iri) if node.kind not in SOURCES else ""
        names = {base: None}
        if isinstance(node.entity, e.Failure):
            ways = [way for above in node.entity.derived_from for way in self._ways(above)]
            names |= {name: None for name, at in ways if self._bases.get(at, at) == base}
        for name in names:
            if name in self.folds and self.folds[name].node.kind == "Run":
                fold = self.folds[name]
                fold.node = self._fresh[name] = replace(fold.node, text=progress(self.dag, node) or fold.node.text)

    # sources

    def _found(self, arc: Arc) -> None:
        """Place a source in each drawing in which something rests on it."""
        data = self.dag.graph.nodes.get(arc.child, {})
        if "node" not in data or not self.spots.get(arc.parent):
            return
        name, places = data["kind"], self.spots.setdefault(arc.child, {})
        for level, around in list(self.spots[arc.parent].items()):
            drawing, y = level, height_of(around)
            if name == "Passage" and level not in places:
                drawing = self._page(level, "passage", arc.child, near=y)
                if drawing != level:
                    self._made.append(Arc(arc.parent, f"more:{level}:passage", "folded"))
            if drawing not in places:
                places[drawing] = self._layouts[drawing].layout.source(name, y, label(self.dag, data["node"]))
                self._fresh[arc.child] = data["node"]


def of_agent(nodes: Iterable[Node]) -> bool:
    """Return whether nodes are of an agent's run: one of them is a step that only an agent takes."""
    return any(isinstance(node.entity, _AGENT_STEPS) for node in nodes)


def _noun(node: Node) -> str:
    """Return what a step counts as: answers and failures stay in view of what led to them."""
    return "end" if kind(node.kind).end else "step"
