"""The drawings of a growing graph: what stands in each, and which arcs join it; see `places` for how they come about.

A run within an agent's run is folded into one node of the drawing above, and so is what is too much for a drawing. A
passage that several searches found has a place in each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from explorer import entities as e
from explorer.dag.nodes import Arc, Change, Node
from explorer.drawing.kinds import SOURCES
from explorer.drawing.labels import goal_name
from explorer.drawing.lanes import Rows
from explorer.drawing.places import Fold, Places, Spot
from explorer.vocab import recognise, session_of

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag

_AGENT_STEPS = (e.AgentQuestion, e.PatternDecision, e.Plan, e.Decomposition, e.Analysis, e.Reflection)


class Levels:
    """Sorts the nodes of one growing graph into drawings; a placed node never moves nor changes its drawing."""

    def __init__(self, dag: ProvenanceDag) -> None:
        """Follow this graph, whose changes are handed to `take`."""
        self.dag = dag
        self.kinds: dict[str, set[str]] = {}
        self.widened: set[str] = set()
        self._places = Places(dag)
        self._early: dict[str, list[Arc]] = defaultdict(list)
        self._joined: set[tuple[str, str]] = set()

    @property
    def is_agent(self) -> bool:
        """Whether the run itself is an agent's; known once something is placed."""
        return self._places.is_agent

    @property
    def spots(self) -> dict[str, dict[str, Spot]]:
        """Where each node stands, by its IRI: its middle in each drawing it stands in."""
        return self._places.spots

    @property
    def folds(self) -> dict[str, Fold]:
        """What stands for a drawing, by the name of both."""
        return self._places.folds

    def take(self, change: Change) -> tuple[list[Node], list[Arc]]:
        """Place what is new; gives the nodes to draw, with those that stand for drawings, and the arcs."""
        places = self._places
        if not places.spots and change.nodes:
            places.is_agent = of_agent(change.nodes)
            places.top = session_of(change.nodes[0].iri)
        places.fresh, places.made, waited = {}, [], list[Arc]()
        for node in change.nodes:
            places.fresh[node.iri] = node
            if node.iri not in places.spots and node.kind not in SOURCES:
                places.place(node)
                waited += self._early.pop(node.iri, ())
            places.tell(node)
        made, places.made = places.made, []
        found = [drawn for arc in (*made, *waited, *change.arcs) for drawn in self._drawn(arc)]
        places.count()
        new = {(arc.parent, arc.child): arc for arc in (*found, *places.made)
               if (arc.parent, arc.child) not in self._joined}  # fmt: skip
        self._joined.update(new)
        placed = [node for node in places.fresh.values() if places.spots.get(node.iri)]
        self.widened = set()
        for node in placed:
            for level in places.spots[node.iri]:
                if node.kind not in self.kinds.setdefault(level, set()):
                    self.kinds[level].add(node.kind)
                    self.widened.add(level)
        return placed, list(new.values())

    def node(self, name: str) -> Node:
        """Give any node that is drawn: of the graph, or one that stands for a folded run, a page or a goal."""
        if name in self.folds:
            return self.folds[name].node
        return self._places.goals.get(name) or self.dag.node(name)

    def level(self, iri: str) -> str:
        """Give the drawing in which a node stands, or will stand; of a source the first that found it."""
        return self._places.level(iri)

    def whole(self, iri: str) -> str:
        """Give the drawing of the run that a node belongs to, whatever page of it the node stands on."""
        return self._places.base(iri)

    def paged(self, level: str) -> bool:
        """Say whether a drawing is a page of what was too much, or lies within one."""
        names = {level, *(at for _, at in self._places.ways(level))}
        return any(self.folds[name].node.kind == "Folded" for name in names & self.folds.keys())

    def step(self, level: str) -> str:
        """Say in which step or part a folded run lies: "step 1"; empty where its record does not tell."""
        fold = self.folds.get(level)
        if fold is None:
            return ""
        goal = self._places.drawings[fold.parent].goals.get(fold.goal) if fold.goal else None
        if goal is not None:
            return goal_name(self._places.goals[goal]).lower()
        above = fold.node.entity.derived_from if isinstance(fold.node.entity, e.Question) else ()
        found = (recognise(parent) for parent in above)
        return next((f"step {named.index}" for named in found if named and named.kind == "analysis"), "")

    def goals(self, level: str) -> bool:
        """Say whether a drawing has rows for the goals of a plan or a team."""
        return level in self._places.drawings and bool(self._places.drawings[level].goals)

    def rows(self, level: str) -> bool:
        """Say whether a drawing has a row for each step of an agent; else it is that of a search."""
        return level in self._places.drawings and isinstance(self._places.drawings[level].layout, Rows)

    # arcs

    def _drawn(self, arc: Arc) -> Iterator[Arc]:
        """Give what stands for an arc in the drawings, once both its ends have places."""
        if arc.kind in ("inside", "folded"):  # made here
            yield arc
        elif not self.spots.get(arc.parent):
            self._early[arc.parent].append(arc)
        elif arc.kind == "source":
            self._places.found(arc)
            yield arc
            for waited in self._early.pop(arc.child, ()):
                yield from self._drawn(waited)
        elif not self.spots.get(arc.child):
            self._early[arc.child].append(arc)
        else:
            yield from self._led(arc)

    def _led(self, arc: Arc) -> Iterator[Arc]:
        """Join what stands for the ends of an arc in the drawing that holds both, and a page to what it holds."""
        ups = {level: name for name, level in self._places.ways(arc.parent)}
        below = self.level(arc.child)
        for name, level in self._places.ways(arc.child):
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
        """Say whether an arc leads from a plan or team to a result, which its goal leads to already."""
        result = self.dag.entities.get(arc.child)
        return f"{arc.parent}#goal-1" in self._places.goals and isinstance(result, e.StepResult | e.Finding)

    def _goal_or(self, parent: str, fold: str) -> str:
        goal = self.folds[fold].goal if fold in self.folds else None
        return self._places.drawings[self.folds[fold].parent].goals.get(goal, parent) if goal else parent


def of_agent(nodes: Iterable[Node]) -> bool:
    """Say whether nodes are of an agent's run: one of them is a step that only an agent takes."""
    return any(isinstance(node.entity, _AGENT_STEPS) for node in nodes)
