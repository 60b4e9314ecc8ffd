"""A random walk with restarts through the graph of facts: what is near its starting points, over several hops.

Personalised PageRank (Page et al. 1999), over entities and passages together as in HippoRAG 2 (Gutiérrez et al. 2025),
within the hops and facts that limits allow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.stores.link_graph import MENTION, TITLE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from explorer.stores.database import LinkGraph, Numbers

_ONWARD = 0.8  # the chance to walk on instead of restarting
_STEPS = 20  # 0.8 to that power is a hundredth
_WIDEST = 1_000  # nodes that a hop adds at most: those to which most of the walk comes
_NAMED = 4.0  # a title that names an entity weighs as much as so many facts
_MENTIONED = 3.0  # the same of a mention of a name that has no other link; of one with n links the root of n less


@dataclass(frozen=True, slots=True)
class Walk:
    """Where a walk came: its nodes (ascending), the share of time spent at each, and the rows of the graph between."""

    nodes: Numbers
    ranks: NDArray[np.float64]
    rows: Numbers

    def rank(self, nodes: Numbers) -> NDArray[np.float64]:
        """Return the rank of nodes, 0 where the walk never came and for −1."""
        import numpy as np

        places = np.clip(np.searchsorted(self.nodes, nodes), 0, len(self.nodes) - 1)
        return np.where(self.nodes[places] == nodes, self.ranks[places], 0.0)


def walk(graph: LinkGraph, restarts: Mapping[int, float], hops: int, limit: int) -> Walk:
    """Walk from some nodes, restarting at each by its weight; at most `limit` facts of a node lead on."""
    import numpy as np

    begin = np.array(sorted(restarts), dtype=np.int64)
    if not len(begin):
        return Walk(begin, np.zeros(0), begin)
    restart = np.array([restarts[node] for node in begin.tolist()], dtype=np.float64)
    restart /= restart.sum()
    nodes, frontier, coming = begin, begin, restart
    place = graph.among(nodes)
    for _ in range(hops):
        ends = graph.ends(graph.rows(frontier, limit)).astype(np.int64)
        new = (ends >= 0) & (place(ends.ravel()) < 0).reshape(ends.shape)
        frontier, coming = _onward(ends, new, frontier, coming)
        if not len(frontier):
            break
        nodes = np.sort(np.concatenate([nodes, frontier]))
        place = graph.among(nodes)
    rows = graph.around(nodes, limit)
    here = place(graph.ends(rows))
    lead = (here >= 0).sum(axis=1) > 1
    source, target, weight = _arcs(here[lead], _weights(graph, rows[lead]), len(nodes))
    leaving = np.bincount(source, weight, len(nodes))
    share = weight / leaving[source]
    begins = np.zeros(len(nodes))
    begins[np.searchsorted(nodes, begin)] = restart
    ranks = begins
    for _ in range(_STEPS):
        ranks = (1 - _ONWARD) * begins + _ONWARD * np.bincount(target, ranks[source] * share, len(nodes))
    return Walk(nodes, ranks, rows[(here >= 0).any(axis=1)])


def _onward(
    ends: NDArray[np.int64], new: NDArray[np.bool_], frontier: NDArray[np.int64], coming: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the nodes that rows lead to from a frontier, ascending, and how much comes to each: a node of the frontier
    passes on what came to it, to its rows alike. Of too many those to which most comes.
    """
    import numpy as np

    places = np.clip(np.searchsorted(frontier, ends), 0, len(frontier) - 1)
    here = frontier[places] == ends
    passed = coming / np.maximum(1, np.bincount(places[here], minlength=len(frontier)))
    of_row = np.where(here, passed[places], 0.0).sum(axis=1)
    found, which = np.unique(ends[new], return_inverse=True)
    arrived = np.zeros(len(found))
    np.add.at(arrived, which, np.broadcast_to(of_row[:, None], ends.shape)[new])
    if len(found) > _WIDEST:
        kept = np.sort(np.argsort(-arrived, kind="stable")[:_WIDEST])
        found, arrived = found[kept], arrived[kept]
    return found, arrived


def _weights(graph: LinkGraph, rows: Numbers) -> NDArray[np.float64]:
    """Return how much rows weigh: a fact 1, a title more, a mention less the more often the name is mentioned."""
    import numpy as np

    kinds = graph.fact[rows]
    weights = np.where(kinds == TITLE, _NAMED, 1.0)
    mentioned = kinds == MENTION
    weights[mentioned] = _MENTIONED / np.sqrt(graph.degrees(graph.head[rows[mentioned]]).astype(np.float64))
    return weights


def _arcs(ends: Numbers, worth: NDArray[np.float64], count: int) -> tuple[Numbers, Numbers, NDArray[np.float64]]:
    """Return the arcs both ways between the ends of rows (head, tail, passage; −1: none), each pair of nodes once."""
    import numpy as np

    pairs, weights = [], []
    for a, b in ((0, 1), (0, 2), (1, 2)):
        there = (ends[:, a] >= 0) & (ends[:, b] >= 0) & (ends[:, a] != ends[:, b])
        one, other = ends[there, a].astype(np.int64), ends[there, b].astype(np.int64)
        pairs.append(np.minimum(one, other) * count + np.maximum(one, other))
        weights.append(worth[there])
    codes, where = np.unique(np.concatenate(pairs), return_inverse=True)
    heaviest = np.zeros(len(codes))
    np.maximum.at(heaviest, where, np.concatenate(weights))
    source, target = codes // count, codes % count
    return np.concatenate([source, target]), np.concatenate([target, source]), np.concatenate([heaviest, heaviest])
