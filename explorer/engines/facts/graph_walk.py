"""Exploration: the facts near the question, and those that a walk through the graph reaches from there.

The walk is a random one with restarts: personalised PageRank (Page et al. 1999), over entities and passages together as
in HippoRAG 2 (Gutiérrez et al. 2025), within the hops and facts that limits allow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from pyoxigraph import Triple

from explorer.engines.facts.linking import Linking
from explorer.engines.limits import Limits
from explorer.engines.setting import Setting
from explorer.stores.collection import Collection
from explorer.stores.database import LinkGraph
from explorer.stores.link_graph import MENTION, TITLE, facts_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from explorer.stores.database import Numbers

_BY_REACH = 0.7  # of what makes a fact worth scoring: how near the walk came; the rest is words and meaning
_FALL = 8.0  # natural logarithms of the rank between the nearest (1) and what is no longer near (0)
_AGAIN = 0.7  # each further fact of a passage counts so much less than the one before
_ONWARD = 0.8  # the chance to walk on instead of restarting
_STEPS = 20  # 0.8 to that power is a hundredth
_WIDEST = 1_000  # nodes that a hop adds at most: those to which most of the walk comes
_NAMED = 4.0  # a title that names an entity weighs as much as so many facts
_MENTIONED = 3.0  # the same of a mention of a name that has no other link; of one with n links the root of n less


@dataclass(frozen=True, slots=True)
class Explored:
    """What was looked at.

    `seeds`: the IRIs of the entities the search started from. `edges`: the facts looked at, nearest first, by the keys
    of their vectors. `nearest`: those worth scoring, each with its reach: how near the walk came to its passage, or to
    its ends if it has none, as a share of the nearest (0 to 1). `passages`: the chunks that the walk came nearest to,
    nearest first, by their IRIs and with their reach.
    """

    seeds: tuple[str, ...] = ()
    edges: tuple[str, ...] = ()
    nearest: Mapping[Triple, float] = field(default_factory=dict)
    passages: Mapping[str, float] = field(default_factory=dict)


def explore(setting: Setting, limits: Limits, question: str, concepts: Sequence[str]) -> Explored:
    """Collect at most `max_subgraph_size` facts, and select at most `edge_score_limit` of them for scoring."""
    stores, most = setting.stores, limits.max_subgraph_size
    graph = stores.links.graph()
    linking = Linking(stores, setting.embedder, question, concepts)
    facts, entities, passages = linking.linked(graph, limits)
    reach = _Reach(graph, walk(graph, {**entities, **passages}, limits.max_path_length, 2 * limits.triple_limit))
    looked = list(dict.fromkeys([*graph.rows_of(list(facts)).tolist(), *reach.nearest(most)]))[:most]
    numbers = graph.fact[looked].tolist()
    seeds = [*filter(graph.stands, entities)]
    stores.database.read_ahead((
        partial(linking.nearness, numbers), partial(stores.links.iris, seeds),
        partial(reach.passages, stores, limits.edge_limit),
    ))  # fmt: skip
    near = linking.nearness(numbers)
    rows, found = [], []
    for row, number in zip(looked, numbers, strict=True):
        if number in near:
            rows.append(row)
            found.append(near[number])
    reached, of = reach.of(rows), graph.passage[rows].tolist()
    turn = _in_turn([one.score for one in found], reached, of)
    if stores.sources.has_models:
        turn = _models_first(stores, [one.key for one in found], turn, of)
    places = {found[i].key: i for i in reversed(turn)}  # of a fact with several sentences the first in turn
    recorded = _recorded(stores, [found[i].key for i in turn], limits.edge_score_limit)
    return Explored(
        tuple(sorted(stores.links.iris(seeds).values())),
        tuple(dict.fromkeys(found[i].key for i in turn)),
        {fact: reached[places[key]] for key, fact in recorded},
        reach.passages(stores, limits.edge_limit),
    )


def _recorded(stores: Collection, keys: Iterable[str], room: int) -> Iterator[tuple[str, Triple]]:
    """Return the first facts that the graph has, at most so many, by their keys; of those that are read as the same
    the first.
    """
    left, seen = iter(dict.fromkeys(keys)), set[Triple]()
    while some := list(islice(left, room)):
        known = stores.sources.merged.different(stores.recorded(some), seen)
        yield from known.items()
        room -= len(known)


class _Reach:
    """How near a walk came: to passages by its rank, best 1; and to facts, by their passages, or by the rank of their
    ends where they have none.

    Ranks fall off steeply, so what counts is by which factor one is smaller than the best.
    """

    def __init__(self, graph: LinkGraph, walked: Walk) -> None:
        import numpy as np

        self._base = graph.passages_from
        there = walked.nodes >= self._base
        self._places = walked.nodes[there]
        self._worth = _falling(walked.ranks[there])
        self._rows = walked.rows[graph.fact[walked.rows] > 0]
        passages = graph.passage[self._rows]
        ends = (walked.rank(graph.head[self._rows]) + walked.rank(graph.tail[self._rows])) / 2
        alone = passages < 0
        self._values = np.zeros(len(self._rows))
        self._values[alone] = _falling(ends[alone])
        at = np.clip(np.searchsorted(self._places, passages), 0, max(0, len(self._places) - 1))
        known = ~alone & (len(self._places) > 0)
        known[known] = self._places[at[known]] == passages[known]  # a hub's facts may lead where the walk did not go
        self._values[known] = self._worth[at[known]]

    def passages(self, stores: Collection, limit: int) -> dict[str, float]:
        """Return the chunks that the walk came nearest to, by IRI."""
        worth = self.worth(limit)
        chunks = stores.library.chunks_numbered(worth)
        return {chunks[number]: value for number, value in worth.items() if number in chunks and value > 0}

    def worth(self, limit: int) -> dict[int, float]:
        """Return the chunks that the walk came nearest to, by number."""
        import numpy as np

        best = np.argsort(-self._worth, kind="stable")[:limit]
        return dict(zip((self._places[best] - self._base).tolist(), self._worth[best].tolist(), strict=True))

    def nearest(self, limit: int) -> list[int]:
        """Return the rows of the nearest facts, best first, ties as stored."""
        import numpy as np

        nearest: list[int] = self._rows[np.argsort(-self._values, kind="stable")[:limit]].tolist()
        return nearest

    def of(self, rows: Sequence[int]) -> list[float]:
        """Return how near rows are; 0 for one that the walk did not reach."""
        import numpy as np

        asked = np.asarray(rows, dtype=np.int64)
        if not len(self._rows):
            return [0.0] * len(rows)
        places = np.clip(np.searchsorted(self._rows, asked), 0, len(self._rows) - 1)
        reached: list[float] = np.where(self._rows[places] == asked, self._values[places], 0.0).tolist()
        return reached


def _falling(ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ranks as shares of the best: a step of `_FALL` natural logarithms takes all."""
    import numpy as np

    best = ranks.max(initial=0.0)
    if not best:
        return np.zeros(len(ranks))
    fallen: NDArray[np.float64] = np.maximum(0.0, 1 + np.log(np.maximum(ranks / best, 1e-9)) / _FALL)
    return fallen


def _in_turn(near: Sequence[float], reach: Sequence[float], passages: Sequence[int]) -> list[int]:
    """Return the indexes of facts, best first; further facts of one passage count less.

    A fact without a passage (−1) makes way for none.
    """
    top = max([0.0, *near]) or 1.0
    worth = [_BY_REACH * r + (1 - _BY_REACH) * n / top for r, n in zip(reach, near, strict=True)]
    turns: dict[int, int] = {}
    for i in sorted(range(len(worth)), key=lambda i: -worth[i]):
        worth[i] *= _AGAIN ** turns.setdefault(passages[i], 0)
        turns[passages[i]] += passages[i] >= 0
    return sorted(range(len(worth)), key=lambda i: -worth[i])


def _models_first(stores: Collection, keys: Sequence[str], turn: Sequence[int], passages: Sequence[int]) -> list[int]:
    """Return the indexes of facts in turn, where those of a passage that a model found take its first places."""
    facts = facts_of(keys)
    stores.sources.ahead(facts.values())
    by_rules = {key: all(one.extracted_by != "model" for one in stores.sources.passages(fact))
                for key, fact in facts.items()}  # fmt: skip
    own: dict[int, list[int]] = {}
    for i in sorted(turn, key=lambda i: by_rules[keys[i]]):
        own.setdefault(passages[i], []).append(i)
    left = {passage: iter(there) for passage, there in own.items()}
    return [next(left[passages[i]]) for i in turn]


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
