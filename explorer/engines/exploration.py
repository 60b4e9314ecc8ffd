"""Which facts to look at: those near the question, and those that a walk through the graph from there comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pyoxigraph import Triple

from explorer.engines.limits import Limits
from explorer.engines.linking import Linking
from explorer.engines.walk import Walk, walk
from explorer.reasoning.embedding import Embedder
from explorer.stores.collection import Collection
from explorer.stores.web import Web

_BY_REACH = 0.7  # of what makes a fact worth scoring: how near the walk came; the rest is words and meaning
_AGAIN = 0.7  # each further fact of a passage counts so much less than the one before


@dataclass(frozen=True, slots=True)
class Explored:
    """What was looked at.

    `seeds`: the IRIs of the entities the search started from. `edges`: the facts looked at. `nearest`: those worth
    scoring, each with its reach: how near the walk came to its passage, or to its ends if it has none, as a share of
    the nearest (0 to 1).
    """

    seeds: tuple[str, ...] = ()
    edges: tuple[Triple, ...] = ()
    nearest: Mapping[Triple, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Exploration:
    """One search in the default graph, within limits."""

    stores: Collection
    embedder: Embedder
    limits: Limits

    def explore(self, question: str, concepts: Sequence[str]) -> Explored:
        """Collect at most `max_subgraph_size` facts, and of them at most `edge_score_limit` worth scoring."""
        web = self.stores.webs.web()
        linking = Linking(self.stores, self.embedder, question, concepts)
        linked = linking.linked(web, self.limits)
        restarts = {**linked.entities, **linked.passages}
        reach = _reach(web, walk(web, restarts, self.limits.max_path_length, 2 * self.limits.triple_limit))
        reached = sorted(reach, key=lambda row: -reach[row])
        rows = list(dict.fromkeys([*web.rows_of(list(linked.facts)).tolist(), *reached]))
        near = linking.nearness([int(web.fact[row]) for row in rows[: self.limits.max_subgraph_size]])
        rows = [row for row in rows[: self.limits.max_subgraph_size] if int(web.fact[row]) in near]
        found = [near[int(web.fact[row])] for row in rows]
        facts = self.stores.recorded(one.key for one in found)
        turn = _in_turn([one.score for one in found], [reach.get(row, 0.0) for row in rows], web.passage[rows].tolist())
        nearest: dict[Triple, float] = {}
        for i in turn:
            if (fact := facts.get(found[i].key)) is not None and len(nearest) < self.limits.edge_score_limit:
                nearest.setdefault(fact, reach.get(rows[i], 0.0))
        seeds = self.stores.webs.iris(linked.entities)
        return Explored(tuple(sorted(seeds.values())), tuple(facts.values()), nearest)


def _reach(web: Web, walked: Walk) -> dict[int, float]:
    """Give for the rows of facts that a walk came to how near it came, best 1.

    Ranks fall off steeply, so the square root is given.
    """
    import numpy as np

    rows = walked.rows[web.fact[walked.rows] > 0]
    if not len(rows):
        return {}
    places = walked.rank(web.passage[rows])
    ends = (walked.rank(web.head[rows]) + walked.rank(web.tail[rows])) / 2
    alone = web.passage[rows] < 0
    height = np.where(alone, ends.max(where=alone, initial=0.0), places.max())
    reach = np.where(alone, ends, places) / np.where(height > 0, height, 1.0)
    return dict(zip(rows.tolist(), np.sqrt(reach).tolist(), strict=True))


def _in_turn(near: Sequence[float], reach: Sequence[float], passages: Sequence[int]) -> list[int]:
    """Give the places of facts, best first; facts of one passage make way for those of others.

    A fact without a passage (−1) makes way for none.
    """
    top = max([0.0, *near]) or 1.0
    worth = [_BY_REACH * r + (1 - _BY_REACH) * n / top for r, n in zip(reach, near, strict=True)]
    turns: dict[int, int] = {}
    for i in sorted(range(len(worth)), key=lambda i: -worth[i]):
        worth[i] *= _AGAIN ** turns.setdefault(passages[i], 0)
        turns[passages[i]] += passages[i] >= 0
    return sorted(range(len(worth)), key=lambda i: -worth[i])
