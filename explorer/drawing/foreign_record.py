"""Where the nodes of a record of others stand: what something derives from is to the left of it."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

WIDE, HIGH, LANE = 230, 62, 14  # of the place of a node; how high that of an arc is which goes past a column

Point = tuple[int, int]


class Places(NamedTuple):
    """The place of each node; and where arcs go past the columns between two nodes, from right to left."""

    nodes: Mapping[str, Point]
    past: Mapping[tuple[str, str], Sequence[Point]]


def places(nodes: Sequence[str], arcs: Iterable[tuple[str, str]]) -> Places:
    """Return where nodes and arcs are; an arc leads from one to what it rests on, and a circle stands in one column.

    All that rests on a node shares one lane past the columns between, so that no arc is hidden by other nodes.
    """
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from((below, above) for above, below in arcs if above in graph and below in graph)
    whole = nx.condensation(graph)
    columns = [
        [node for part in generation for node in sorted(whole.nodes[part]["members"], key=nodes.index)]
        for generation in nx.topological_generations(whole)
    ]
    column = {node: at for at, members in enumerate(columns) for node in members}
    last = {node: max((column[above] for above in graph.successors(node)), default=0) for node in column}
    lanes: dict[str, list[Point]] = defaultdict(list)
    found: dict[str, Point] = {}
    for at, members in enumerate(columns):
        before = {node: lanes[node][-1] if lanes[node] else place for node, place in found.items()}
        above = {node: [before[one][1] for one in graph.predecessors(node) if one in before] for node in members}
        rows = {node: fmean(some) if some else 0 for node, some in above.items()}
        passing = {node: before[node][1] for node in found if column[node] < at < last[node]}
        items = [*((rows[node], node, HIGH) for node in members), *((y, node, LANE) for node, y in passing.items())]
        ordered = sorted(items, key=lambda one: (one[0], nodes.index(one[1])))
        top = 0
        for _, node, high in ordered:
            if high == LANE:
                lanes[node].append((at * WIDE, top))
            else:
                found[node] = (at * WIDE, top)
            top += high
    past = {
        (above, below): lanes[below][: max(0, column[above] - column[below] - 1)][::-1] for below, above in graph.edges
    }
    return Places(found, past)
