"""Where the nodes of a record of others stand: what something derives from is to the left of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

WIDE, HIGH = 230, 62  # of the place of a node


def places(nodes: Sequence[str], arcs: Iterable[tuple[str, str]]) -> Mapping[str, tuple[int, int]]:
    """Return the place of each node; an arc leads from one to what it rests on, and a circle stands in one column."""
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from((below, above) for above, below in arcs if above in graph and below in graph)
    whole = nx.condensation(graph)
    columns = [
        [node for part in generation for node in sorted(whole.nodes[part]["members"], key=nodes.index)]
        for generation in nx.topological_generations(whole)
    ]
    found: dict[str, tuple[int, int]] = {}
    for at, column in enumerate(columns):
        rows = {node: _middle([found[one][1] for one in graph.predecessors(node) if one in found]) for node in column}
        ordered = sorted(column, key=lambda node: (rows[node], nodes.index(node)))
        found |= {node: (at * WIDE, row * HIGH) for row, node in enumerate(ordered)}
    return found


def _middle(rows: Sequence[int]) -> float:
    return sum(rows) / len(rows) if rows else 0
