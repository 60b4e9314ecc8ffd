"""How deep each node of a growing graph lies, and which arcs would close a circle."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import networkx as nx


class Layers:
    """Depths by longest way from a root, counted when asked for; circles are looked for before each arc."""

    def __init__(self, graph: nx.DiGraph[str]) -> None:
        """Follow this graph, which others change; they say so by `changed`."""
        self.graph = graph
        self._depths: dict[str, int] | None = None

    def changed(self) -> None:
        """Forget the depths; nodes or arcs were added."""
        self._depths = None

    def closes_circle(self, parent: str, child: str) -> bool:
        """Say whether `parent` can be reached from `child`.

        Looks from both ends by turns and stops when one has nothing more: an arc to a new child, or from a new parent,
        costs nothing, in whatever order a stream comes.
        """
        if parent != child and not (self.graph.succ[child] and self.graph.pred[parent]):
            return False
        down, up = _Wave(child, self.graph.successors), _Wave(parent, self.graph.predecessors)
        while parent != child and down.front and up.front:
            if down.step() & up.seen or up.step() & down.seen:
                return True
        return parent == child

    def depths(self) -> dict[str, int]:
        """Give each node's depth; 0 is a root."""
        if self._depths is None:
            import networkx as nx

            self._depths = {}
            for node in nx.topological_sort(self.graph):
                above = (self._depths[parent] + 1 for parent in self.graph.predecessors(node))
                self._depths[node] = max(above, default=0)
        return self._depths

    def all(self) -> list[list[str]]:
        """Give the nodes of each depth, the roots first."""
        found: dict[int, list[str]] = defaultdict(list)
        for node, depth in self.depths().items():
            found[depth].append(node)
        return [found[depth] for depth in sorted(found)]


class _Wave:
    """A search outward from one node, a step at a time."""

    def __init__(self, start: str, neighbours: Callable[[str], Iterable[str]]) -> None:
        self.seen = {start}
        self.front = {start}
        self._neighbours = neighbours

    def step(self) -> set[str]:
        """Move on by one arc; gives the nodes newly reached."""
        self.front = {near for node in self.front for near in self._neighbours(node)} - self.seen
        self.seen |= self.front
        return self.front
