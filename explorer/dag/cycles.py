"""Cycle detection: which arcs would close a cycle in a growing graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import networkx as nx


def closes_circle(graph: nx.DiGraph[str], parent: str, child: str) -> bool:
    """Return whether `parent` can be reached from `child`, so that an arc to `child` would close a circle.

    Searches from both ends in turn and stops when one of them has nothing more: an arc to a new child, or from a new
    parent, costs nothing, in whatever order a stream comes.
    """
    if parent != child and not (graph.succ[child] and graph.pred[parent]):
        return False
    down, up = _Wave(child, graph.successors), _Wave(parent, graph.predecessors)
    while parent != child and down.front and up.front:
        if down.step() & up.seen or up.step() & down.seen:
            return True
    return parent == child


class _Wave:
    """A breadth-first search from one node, a step at a time."""

    def __init__(self, start: str, neighbours: Callable[[str], Iterable[str]]) -> None:
        self.seen = {start}
        self.front = {start}
        self._neighbours = neighbours

    def step(self) -> set[str]:
        """Move on by one arc and return the nodes newly reached."""
        self.front = {near for node in self.front for near in self._neighbours(node)} - self.seen
        self.seen |= self.front
        return self.front
