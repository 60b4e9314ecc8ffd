"""Which drawing a node stands in, and where: a run within an agent's run is folded into one node of the drawing above.

The drawing of the run itself is called "", that of a folded run has the name of the node which stands for it. A search
by itself has one drawing, with the places of the graph. A passage that several searches found has a place in each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from explorer import entities as e
from explorer.folds import SEARCHES, fold_lines
from explorer.layout import AGENT_ROW, AGENT_TOP, FACT_X, STEP_Y, WIDTHS, Layout, Rows
from explorer.nodes import Arc, Change, Node
from explorer.vocab import iri as iri_of
from explorer.vocab import recognise

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag

Spot = tuple[float, float]
SOURCES = ("Passage", "Page", "Section", "Document")
_AGENT_STEPS = (e.AgentQuestion, e.PatternDecision, e.Plan, e.Decomposition, e.Analysis, e.Reflection)
_NO_SESSION = ("document", "page", "section", "chunk", "image", "activity", "agent", "subgraph")


@dataclass(slots=True)
class Fold:
    """A run within another: the node that stands for it, in which drawing, and at which goal of a plan or team."""

    node: Node
    parent: str
    goal: tuple[str, int] | None = None


@dataclass(slots=True)
class _Drawing:
    """One drawing: the places in it, and the goals that have a row."""

    layout: Layout | Rows
    goals: dict[tuple[str, int], str] = field(default_factory=dict)


class Levels:
    """Sorts the nodes of one growing graph into drawings; a placed node never moves."""

    def __init__(self, dag: ProvenanceDag) -> None:
        """Follow this graph, whose changes are handed to `take`."""
        self.dag = dag
        self.is_agent = False
        self.spots: dict[str, dict[str, Spot]] = {}
        self.folds: dict[str, Fold] = {}
        self._top = ""
        self._drawings: dict[str, _Drawing] = {}
        self._goals: dict[str, Node] = {}
        self._joined: set[tuple[str, str]] = set()

    def take(self, change: Change) -> tuple[list[Node], list[Arc]]:
        """Place what is new; gives the nodes to draw, with those that stand for folded runs, and the arcs."""
        if not self.spots and change.nodes:
            self.is_agent = of_agent(change.nodes)
            self._top = _session(change.nodes[0].iri)
        if not self.is_agent:
            self.spots |= {node.iri: {"": (node.x, node.y)} for node in change.nodes}
            return list(change.nodes), list(change.arcs)
        fresh: dict[str, Node] = {}
        arcs: list[Arc] = []
        for node in change.nodes:
            fresh[node.iri] = node
            if node.iri not in self.spots and node.kind not in SOURCES:
                arcs += self._placed(node, fresh)
            fresh |= self._above(node)
            fresh |= self._ended(node)
        arcs += [drawn for arc in change.arcs for drawn in self._drawn(arc)]
        new = {(arc.parent, arc.child): arc for arc in arcs if (arc.parent, arc.child) not in self._joined}
        self._joined.update(new)
        return [node for node in fresh.values() if self.spots.get(node.iri)], list(new.values())

    def node(self, name: str) -> Node:
        """Give any node that is drawn: of the graph, or one that stands for a folded run or a goal."""
        if name in self.folds:
            return self.folds[name].node
        return self._goals.get(name) or self.dag.node(name)

    def kinds(self) -> dict[str, set[str]]:
        """Give the kinds of nodes in each drawing."""
        found: dict[str, set[str]] = {}
        for name, places in self.spots.items():
            for level in places:
                found.setdefault(level, set()).add(self.node(name).kind)
        return found

    def level(self, iri: str) -> str:
        """Give the drawing in which a node of a run stands; sources stand where they were found."""
        key = _session(iri) or self._top
        return "" if key == self._top else f"run:{key}"

    def step(self, level: str) -> str:
        """Say in which step or part a folded run lies: "step 1"; empty where its record does not tell."""
        fold = self.folds.get(level)
        if fold is None:
            return ""
        goal = self._drawings[fold.parent].goals.get(fold.goal) if fold.goal else None
        if goal is not None:
            return self._goals[goal].lines[0].lower()
        above = fold.node.entity.derived_from if isinstance(fold.node.entity, e.Question) else ()
        found = (recognise(parent) for parent in above)
        return next((f"step {named.index}" for named in found if named and named.kind == "analysis"), "")

    def goals(self, level: str) -> bool:
        """Say whether a drawing has rows for the goals of a plan or a team."""
        return level in self._drawings and bool(self._drawings[level].goals)

    def rows(self, level: str) -> bool:
        """Say whether a drawing has a row for each step of an agent; else it is that of a search."""
        return level in self._drawings and isinstance(self._drawings[level].layout, Rows)

    # placing

    def _placed(self, node: Node, fresh: dict[str, Node]) -> Iterator[Arc]:
        level = self.level(node.iri)
        drawing = self._drawing(level, node.iri)
        if isinstance(node.entity, e.Question) and level:
            yield from self._folded(node, node.entity, level, fresh)
        if isinstance(drawing.layout, Rows):
            self.spots[node.iri] = {level: self._among_steps(node, drawing.layout, drawing)}
            yield from self._planned(node, level, drawing, fresh)
        else:
            self.spots[node.iri] = {level: self._in_search(node, drawing.layout)}

    def _drawing(self, level: str, iri: str) -> _Drawing:
        if level not in self._drawings:
            of_agent = not level or iri.startswith("urn:trustgraph:agent:")
            self._drawings[level] = _Drawing(Rows() if of_agent else Layout())
        return self._drawings[level]

    def _in_search(self, node: Node, layout: Layout) -> Spot:
        above = next((self._y(parent) for parent in self.dag.graph.predecessors(node.iri)), None)
        match node.kind:
            case "Concept":
                return layout.chip(node.lines[0], above or STEP_Y["Grounding"]) or layout.step(node.kind)
            case "NotKept":
                return FACT_X - 20, above or STEP_Y["Exploration"]
            case "EdgeSelection" | "ChunkSelection":
                x, y, _ = layout.fact()
                return x, y
            case _:
                return layout.step(node.kind)

    def _y(self, iri: str) -> float | None:
        return next((y for _, y in self.spots.get(iri, {}).values()), None)

    def _among_steps(self, node: Node, rows: Rows, drawing: _Drawing) -> Spot:
        named = recognise(node.iri)
        key, index = (named.key, named.index) if named else ("", None)
        width = 216 if isinstance(node.entity, e.AgentQuestion) else WIDTHS.get(node.kind, WIDTHS["Unknown"])
        step = (key, index if index is not None else node.iri)
        match node.entity:
            case e.AgentQuestion():
                return rows.place("why", 0, width)
            case e.PatternDecision():
                return rows.place("did", 0, width)
            case e.Plan() | e.Decomposition():
                return rows.place("why", rows.row((key, "goal", 0)), width)
            case e.Analysis():
                return rows.place("did", rows.row(step), width)
            case e.Reflection() if not isinstance(node.entity, e.Observation):
                above = next((self._row(one) for one in node.entity.derived_from if one in self.spots), None)
                return rows.place("why", rows.row(step) if above is None else above, width)
            case e.Observation():
                return rows.place("came", rows.row(step), width)
            case e.StepResult() | e.Finding():
                return rows.place("came", rows.row((key, "goal", index or 0)), width)
            case e.Failure():
                return self._broken_off(node, node.entity, rows, width)
            case e.Synthesis() | e.Conclusion():
                return rows.place("came" if drawing.goals else "did", rows.row(node.iri), width)
            case _:
                return rows.place("did", rows.row(node.iri), width)

    def _broken_off(self, node: Node, failure: e.Failure, rows: Rows, width: float) -> Spot:
        """Place a failure where the result of the step under way would stand, else in a row of its own."""
        level = self.level(node.iri)
        last = next((one for above in failure.derived_from if (one := self._seen(above, level))), None)
        row = self._row(last) if last is not None and last in self.spots else 0
        return rows.place("came", row, width) if row > 0 else rows.place("did", rows.row(node.iri), width)

    def _row(self, name: str) -> int:
        return round(((self._y(name) or AGENT_TOP) - AGENT_TOP) / AGENT_ROW)

    def _planned(self, node: Node, level: str, drawing: _Drawing, fresh: dict[str, Node]) -> Iterator[Arc]:
        """Give each goal of a plan or a team a row, and join what came of it."""
        named = recognise(node.iri)
        if named is None or not isinstance(drawing.layout, Rows):
            return
        match node.entity:
            case e.Plan() as plan:
                goals, word = plan.ordered or plan.steps, "Step"
            case e.Decomposition() as parts:
                goals, word = parts.ordered or parts.goals, "Part"
            case e.StepResult() | e.Finding():
                yield from self._came(node.iri, (named.key, named.index or 0), drawing)
                return
            case _:
                return
        for index, goal in enumerate(goals):
            name, row = f"{node.iri}#goal-{index + 1}", drawing.layout.row((named.key, "goal", index))
            self._goals[name] = Node(name, "Goal", (f"{word} {index + 1}", goal), 0, 0)
            self.spots[name] = {level: drawing.layout.place("did", row, WIDTHS["Goal"])}
            drawing.goals[named.key, index] = name
            fresh[name] = self._goals[name]
            yield Arc(node.iri, name, "derived")

    def _came(self, result: str, goal: tuple[str, int], drawing: _Drawing) -> Iterator[Arc]:
        """Join a result to the run that was for its goal, or else to the goal itself."""
        run = next((name for name, fold in self.folds.items() if fold.goal == goal), drawing.goals.get(goal))
        if run is not None:
            yield Arc(run, result, "derived")

    # folding

    def _folded(self, node: Node, question: e.Question, level: str, fresh: dict[str, Node]) -> Iterator[Arc]:
        """Put one node for a whole run into the drawing above it, in the row of the step that began it."""
        parent = next(iter(question.derived_from), "")
        above = self.level(parent)
        drawing = self._drawing(above, parent)
        if not isinstance(drawing.layout, Rows) or above == level:
            above, drawing = "", self._drawing("", "")
        rows = drawing.layout
        if not isinstance(rows, Rows):
            return
        goal = self._goal_of(question, parent, drawing)
        named = recognise(parent)
        if goal is not None:
            row = rows.row((goal[0], "goal", goal[1]))
        elif named is not None and named.kind == "analysis":
            row = rows.row((named.key, named.index))
        else:
            row = rows.row(node.iri)
        if ("ran", row) in rows.cells:  # a second run for one step: the rows below belong to other steps
            row = rows.row(node.iri)
        fold = Node(level, "Run", ("Folded run", SEARCHES.get(type(question), "Search"), "at work"), 0, 0, question)
        self.folds[level] = Fold(fold, above, goal)
        self.spots[level] = {above: rows.place("ran", row, WIDTHS["Run"])}
        fresh[level] = fold
        yield Arc(level, node.iri, "inside")

    def _goal_of(self, question: e.Question, parent: str, drawing: _Drawing) -> tuple[str, int] | None:
        """Tell which goal a run is for: the one its parent names, of its own words, or the first without a run."""
        named = recognise(parent)
        if named is None or named.kind not in ("plan", "decomposition", "step-result", "finding"):
            return None
        if named.index is not None:
            return named.key, named.index
        taken = {fold.goal for fold in self.folds.values()}
        due = [goal for goal in drawing.goals if goal[0] == named.key and not self._has(goal)]
        free = [goal for goal in due if goal not in taken]
        same = (goal for goal in (*free, *due) if self._goals[drawing.goals[goal]].lines[1] == question.query)
        return next(same, next(iter(free), None))

    def _has(self, goal: tuple[str, int]) -> bool:
        return any(iri_of(kind, *goal) in self.spots for kind in ("step-result", "finding"))

    def _above(self, node: Node) -> dict[str, Node]:
        """Give the folded run that a node lies in, which says how far it is."""
        level = self.level(node.iri) if node.kind not in SOURCES else ""
        if level not in self.folds:
            return {}
        fold = self.folds[level]
        fold.node = fold_lines(fold.node, node)
        return {level: fold.node}

    def _ended(self, node: Node) -> dict[str, Node]:
        """Give the folded run that was under way when the run around it broke off."""
        if not isinstance(node.entity, e.Failure):
            return {}
        last = {self._seen(above, self.level(node.iri)) for above in node.entity.derived_from}
        broken = {name: fold for name, fold in self.folds.items() if name in last}
        for fold in broken.values():
            fold.node = fold_lines(fold.node, node)
        return {name: fold.node for name, fold in broken.items()}

    # arcs

    def _drawn(self, arc: Arc) -> Iterator[Arc]:
        """Give what stands for an arc in the drawings: one between two runs leads to or from a folded run."""
        if arc.kind == "source":
            self._found(arc)
            yield arc
            return
        above, below = self.level(arc.parent), self.level(arc.child)
        if above == below:
            if not self._is_by_goal(arc):
                yield arc
        elif (into := self._seen(arc.child, above)) is not None:
            yield Arc(self._goal_or(arc.parent, into), into, "derived")
        elif (out := self._seen(arc.parent, below)) is not None:
            yield Arc(out, arc.child, arc.kind, arc.score)
        else:
            yield from self._across(arc)

    def _is_by_goal(self, arc: Arc) -> bool:
        """Say whether an arc leads from a plan or team to a result, which its goal leads to already."""
        result = self.dag.entities.get(arc.child)
        return f"{arc.parent}#goal-1" in self._goals and isinstance(result, e.StepResult | e.Finding)

    def _goal_or(self, parent: str, fold: str) -> str:
        goal = self.folds[fold].goal if fold in self.folds else None
        return self._drawings[self.folds[fold].parent].goals.get(goal, parent) if goal else parent

    def _across(self, arc: Arc) -> Iterator[Arc]:
        """Join two runs that lie side by side, in the drawing that holds both."""
        for level in ("", *self.folds):
            ends = self._seen(arc.parent, level), self._seen(arc.child, level)
            if ends[0] is not None and ends[1] is not None and ends[0] != ends[1]:
                yield Arc(ends[0], ends[1], "derived")
                return

    def _seen(self, iri: str, level: str) -> str | None:
        """Give what stands for a node in a drawing above its own; itself in its own, None elsewhere."""
        name, at, seen = iri, self.level(iri), set[str]()
        while at != level and at in self.folds and at not in seen:
            seen.add(at)
            name, at = at, self.folds[at].parent
        return name if at == level else None

    def _found(self, arc: Arc) -> None:
        """Place a source in each drawing in which something rests on it."""
        if arc.child not in self.dag.graph or "node" not in self.dag.graph.nodes[arc.child]:
            return
        kind, places = self.dag.node(arc.child).kind, self.spots.setdefault(arc.child, {})
        for level, (_, y) in self.spots.get(arc.parent, {}).items():
            if level not in places:
                places[level] = self._beside(kind, y, self._drawings[level].layout)

    def _beside(self, kind: str, y: float, layout: Layout | Rows) -> Spot:
        if isinstance(layout, Rows):
            return layout.source(kind, y)
        lane = {"Passage": layout.passages, "Document": layout.documents}.get(kind, layout.parts)
        x, y, _ = layout.place(lane, max(0, round((y - layout.row_y(0)) / (layout.row_y(1) - layout.row_y(0)))))
        return x, y


def of_agent(nodes: Iterable[Node]) -> bool:
    """Say whether nodes are of an agent's run: one of them is a step that only an agent takes."""
    return any(isinstance(node.entity, _AGENT_STEPS) for node in nodes)


def _session(iri: str) -> str:
    """Give the session that a node's IRI tells; empty where it tells none."""
    named = recognise(iri.partition("#")[0])
    return named.key if named and named.kind not in _NO_SESSION else ""
