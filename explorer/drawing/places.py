"""Where each node of a growing graph stands: in which drawing, in which row, on which page of what is too much.

The drawing of the run itself is called "", any other has the name of the node which stands for it: that of a run
within an agent's run, or that of a page with what is beyond the bound of a drawing. A placed node never moves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from explorer import entities as e
from explorer.dag.nodes import Arc, Node
from explorer.drawing.folds import progressed
from explorer.drawing.kinds import ASKED_OF_AGENT, SOURCES, kind
from explorer.drawing.labels import lines
from explorer.drawing.lanes import AGENT_ROW, AGENT_TOP, BOUNDS, FACT_X, ROW, STEP_Y, Layout, Pages, Rows, width_of
from explorer.text import count
from explorer.vocab import recognise, session_of

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag

Spot = tuple[float, float]
Goal = tuple[str, int]
_SHOWN = 20  # of what a page holds, so many are told with the node that stands for it
_CROWD = 8  # nodes of one step that share its row; more get rows of their own
_NOUNS = {"fact": "fact", "chunk": "passage", "passage": "passage", "step": "step", "end": "answer"}
_CHOSEN = {"EdgeSelection": "fact", "ChunkSelection": "chunk"}


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


class Places:
    """Gives each node its drawing and its spot; `fresh` and `made` gather what stands for others, and its arcs."""

    def __init__(self, dag: ProvenanceDag) -> None:
        """Place the nodes of this graph, as they are handed to `place` and `found`."""
        self.dag = dag
        self.is_agent = False
        self.top = ""
        self.spots: dict[str, dict[str, Spot]] = {}
        self.folds: dict[str, Fold] = {}
        self.goals: dict[str, Node] = {}
        self.drawings: dict[str, _Drawing] = {}
        self.fresh: dict[str, Node] = {}
        self.made: list[Arc] = []
        self._bases: dict[str, str] = {}
        self._pages: dict[tuple[str, str], Pages] = {}
        self._grown: dict[str, tuple[str, str, int]] = {}
        self._runs: dict[Goal, str] = {}
        self._ended: set[Goal] = set()
        self._shared: dict[str, object] = {}
        self._crowds: Counter[tuple[str, object]] = Counter()

    def level(self, iri: str) -> str:
        """Give the drawing in which a node stands, or will stand; of a source the first that found it."""
        return next(iter(self.spots.get(iri, ())), None) or ("" if self.spots.get(iri) else self.base(iri))

    def base(self, iri: str) -> str:
        """Give the drawing of the run that a node belongs to, whatever page of it the node stands on."""
        key = (session_of(iri) or self.top) if self.is_agent else self.top
        return "" if key == self.top else f"run:{key}"

    def ways(self, iri: str) -> Iterator[tuple[str, str]]:
        """Give a node with its drawing, then what stands for that drawing in the one around it, up to the run."""
        name, at, seen = iri, self.level(iri), set[str]()
        yield name, at
        while at in self.folds and at not in seen:
            seen.add(at)
            name, at = at, self.folds[at].parent
            yield name, at

    def place(self, node: Node) -> None:
        """Give a node of a run its place, and with it what stands for its run or its goals."""
        base = self.base(node.iri)
        drawing = self._drawing(base, node.iri)
        if isinstance(node.entity, e.Question) and base:
            self._folded(node, node.entity, base)
        if isinstance(drawing.layout, Rows):
            self._among_steps(node, base, drawing)
            self._planned(node, base)
        else:
            self._in_search(node, base)

    def _drawing(self, level: str, iri: str) -> _Drawing:
        if level not in self.drawings:
            by_rows = self.is_agent if not level else iri.startswith("urn:trustgraph:agent:")
            self.drawings[level] = _Drawing(Rows() if by_rows else Layout())
        return self.drawings[level]

    def _in_search(self, node: Node, base: str) -> None:
        above = next((one for one in self.dag.graph.predecessors(node.iri) if one in self.spots), None)
        beside = self.level(above) if above is not None and node.kind in ("Concept", "NotKept") else base
        y = next(iter(self.spots[above].values()))[1] if above is not None else None
        layout = self.drawings[beside].layout
        if node.kind == "NotKept":
            spot = (FACT_X - 20, y or STEP_Y["Exploration"])
        elif isinstance(layout, Layout) and node.kind == "Concept":
            chip = layout.chip(lines(self.dag, node)[0], y or STEP_Y["Grounding"])
            if chip is None:  # no room: the panel of Grounding lists the rest
                return
            spot = chip
        else:
            noun = _CHOSEN.get(node.kind, _noun(node))
            beside = self._page(base, noun, node.iri, held=node.iri)
            below = self._lanes_of(beside)
            spot = below.fact()[:2] if node.kind in _CHOSEN else below.step(node.kind)
        self.spots[node.iri] = {beside: spot}

    def _among_steps(self, node: Node, base: str, drawing: _Drawing) -> None:
        """Place a node in the row of its step, in the column that its kind has."""
        width = ASKED_OF_AGENT if isinstance(node.entity, e.AgentQuestion) else width_of(node.kind)
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
        self.spots[node.iri] = {level: self._rows_of(level).place(column, row, width)}

    def _lanes_of(self, level: str) -> Layout:
        layout = self.drawings[level].layout
        if isinstance(layout, Layout):
            return layout
        message = f"the drawing {level!r} is that of an agent"
        raise TypeError(message)

    def _rows_of(self, level: str) -> Rows:
        layout = self.drawings[level].layout
        if isinstance(layout, Rows):
            return layout
        message = f"the drawing {level!r} is that of a search"
        raise TypeError(message)

    def _row_of(self, level: str, unit: object) -> int:
        """Give the row of a step; that of the question comes first."""
        asked = ("asked", self.top if not level else level.removeprefix("run:"))
        return 0 if unit == asked else self._rows_of(level).row(unit)

    def _cell(self, node: Node, base: str, drawing: _Drawing) -> tuple[str, object]:
        """Say in which column a step stands, and with what it shares its row."""
        named = recognise(node.iri)
        key, index = (named.key, named.index) if named else (node.iri, None)
        step = (key, index if index is not None else node.iri)
        column = kind(node.kind).column or "did"
        match node.entity:
            case e.AgentQuestion():
                return "why", ("asked", key if named else self.top)
            case e.PatternDecision():
                return column, ("asked", key if named else self.top)
            case e.Plan() | e.Decomposition():
                return column, (key, "goal", 0)
            case e.Analysis() | e.Observation():
                return column, step
            case e.Reflection():
                above = (one for one in node.entity.derived_from if one in self._shared and self.base(one) == base)
                return column, next((self._shared[one] for one in above), step)
            case e.StepResult() | e.Finding():
                return column, (key, "goal", index or 0)
            case e.Synthesis() | e.Conclusion():
                return "came" if drawing.goals else "did", node.iri
            case _:
                return column, node.iri

    def _broken_off(self, node: Node, failure: e.Failure) -> tuple[str, int] | None:
        """Give drawing and row of the step under way, where its result would stand; None for the first row."""
        base = self.base(node.iri)
        for above in failure.derived_from:
            for name, level in self.ways(above):
                if self._bases.get(level, level) == base and level in self.spots.get(name, ()):
                    row = round((self.spots[name][level][1] - AGENT_TOP) / AGENT_ROW)
                    return (level, row) if row > 0 else None
        return None

    def _planned(self, node: Node, base: str) -> None:
        """Give each goal of a plan or a team a row, and join what came of it."""
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
            self.goals[name] = self.fresh[name] = Node(name, "Goal", text=goal)
            self.spots[name] = {level: self._rows_of(level).place("did", self._row_of(level, unit), width_of("Goal"))}
            self.drawings[base].goals[named.key, index] = name
            self.made.append(Arc(node.iri, name, "derived"))

    def _came(self, result: str, goal: Goal, base: str) -> None:
        """Join a result to the run that was for its goal, or else to the goal itself."""
        self._ended.add(goal)
        run = self._runs.get(goal) or self.drawings[base].goals.get(goal)
        if run is not None:
            self.made.append(Arc(run, result, "derived"))

    # folding

    def _page(self, base: str, noun: str, unit: object, near: float = 0.0, held: str = "") -> str:
        """Give the drawing for a unit of a run: that of the run, or beyond its bound a page of so many more."""
        pages = self._pages.setdefault((base, noun), Pages(*BOUNDS[noun]))
        number = pages.page(unit)
        if number == 0:
            return base
        rest = f"more:{base}:{noun}"
        level, parent = (rest, base) if number == 1 else (f"{rest}:{number}", rest)
        if level not in self.folds:
            self.folds[level] = Fold(Node(level, "Folded"), parent)
            self._bases[level] = self._bases.get(base, base)
            own = self.drawings[base]
            self.drawings[level] = _Drawing(type(own.layout)(), own.goals)
            self.spots[level] = {parent: self.drawings[parent].layout.beneath(noun, level, near)}
            if parent == rest:
                self.made.append(Arc(rest, level, "inside"))
        self._grown |= {rest: (base, noun, 1), level: (base, noun, number)}
        fold = self.folds[level]
        if held in self.dag.entities and len(fold.node.members) < _SHOWN:
            fold.node = replace(fold.node, members=(*fold.node.members, self.dag.entities[held]))
        return level

    def count(self) -> None:
        """Have the pages that have grown told again: they say how much they hold."""
        for level, (base, noun, number) in self._grown.items():
            first, last = self._pages[base, noun].span(number)
            what, fold = _NOUNS[noun], self.folds[level]
            said = count(last - first + 1, f"more {what}") if number == 1 else f"{what}s {first:,} to {last:,}"
            fold.node = self.fresh[level] = replace(fold.node, text=said)
        self._grown = {}

    def _folded(self, node: Node, question: e.Question, level: str) -> None:
        """Put one node for a whole run into the drawing above it, in the row of the step that began it."""
        parent = next(iter(question.derived_from), "")
        above = self.base(parent)
        drawing = self._drawing(above, parent)
        if not isinstance(drawing.layout, Rows) or level in {at for _, at in self.ways(above)} | {above}:
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
        if ("ran", self._row_of(page, unit)) in self._rows_of(page).cells:
            unit = node.iri  # a second run for one step: the rows below belong to other steps
            page = self._page(above, "step", unit)
        fold = Node(level, "Run", question, text="at work")
        self.folds[level] = Fold(fold, page, goal)
        if goal is not None:
            self._runs.setdefault(goal, level)
        self.spots[level] = {page: self._rows_of(page).place("ran", self._row_of(page, unit), width_of("Run"))}
        self.fresh[level] = fold
        self.made.append(Arc(level, node.iri, "inside"))

    def _goal_of(self, question: e.Question, parent: str, drawing: _Drawing) -> Goal | None:
        """Tell which goal a run is for: the one its parent names, of its own words, or the first without a run."""
        named = recognise(parent)
        if named is None or named.kind not in ("plan", "decomposition", "step-result", "finding"):
            return None
        if named.index is not None:
            return named.key, named.index
        due = [goal for goal in drawing.goals if goal[0] == named.key and goal not in self._ended]
        free = [goal for goal in due if goal not in self._runs]
        same = (goal for goal in (*free, *due) if self.goals[drawing.goals[goal]].text == question.query)
        return next(same, next(iter(free), None))

    def tell(self, node: Node) -> None:
        """Have the runs told again that a node lies in, or that were under way when the run around them broke off."""
        base = self.base(node.iri) if node.kind not in SOURCES else ""
        names = {base: None}
        if isinstance(node.entity, e.Failure):
            ways = [way for above in node.entity.derived_from for way in self.ways(above)]
            names |= {name: None for name, at in ways if self._bases.get(at, at) == base}
        for name in names:
            if name in self.folds and self.folds[name].node.kind == "Run":
                fold = self.folds[name]
                fold.node = self.fresh[name] = progressed(self.dag, fold.node, node)

    # sources

    def found(self, arc: Arc) -> None:
        """Place a source in each drawing in which something rests on it."""
        data = self.dag.graph.nodes.get(arc.child, {})
        if "node" not in data or not self.spots.get(arc.parent):
            return
        kind, places = data["kind"], self.spots.setdefault(arc.child, {})
        for level, (_, y) in list(self.spots[arc.parent].items()):
            drawing = level
            if kind == "Passage" and level not in places:
                drawing = self._page(level, "passage", arc.child, near=y)
                if drawing != level:
                    self.made.append(Arc(arc.parent, f"more:{level}:passage", "folded"))
            if drawing not in places:
                places[drawing] = self._beside(kind, y, self.drawings[drawing].layout)
                self.fresh[arc.child] = data["node"]

    def _beside(self, kind: str, y: float, layout: Layout | Rows) -> Spot:
        if isinstance(layout, Rows):
            return layout.source(kind, y)
        lane = {"Passage": layout.passages, "Document": layout.documents}.get(kind, layout.parts)
        x, y, _ = layout.place(lane, max(0, round((y - layout.row_y(0)) / ROW)))
        return x, y


def _noun(node: Node) -> str:
    """Say what a step counts as: answers and failures stay in view of what led to them."""
    return "end" if isinstance(node.entity, e.Synthesis | e.Conclusion | e.Failure) else "step"
