"""Hop and filter: from seed entities hop by hop, where only the ends of facts that fit lead on.

TrustGraph's selector since 2.6.4, with the configured reasoner in place of its cross-encoder. Differences, each for a
reason: the whole fact is scored and not only what is new of it, since a reasoner reads it together with its source
sentence, which holds both ends; each hop is compared with the question by vectors first, so that a model is asked about
the nearest facts only; and what stands on record as a fact decides what is walked, not the namespace of its predicate.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice, zip_longest

from pyoxigraph import NamedNode, Triple

from explorer.engines.facts.linking import Linking
from explorer.engines.facts.selection import Chosen, Looked, Selector, edges_of, key_of, with_statements
from explorer.engines.limits import Limits
from explorer.events import Progress
from explorer.reasoning.protocol import ScoredEdge
from explorer.stores.collection import Collection
from explorer.stores.database import LinkGraph


class Hops(Selector):
    """Selects hop by hop: the facts at some entities are scored, and the ends of those selected are the next entities.

    A fact is scored once. `max_subgraph_size` (looked at), `edge_score_limit` (scored) and `edge_limit` (selected)
    bound each of at most `max_path_length` hops.
    """

    __slots__ = ()

    def look(self, question: str, concepts: Sequence[str]) -> Generator[Progress, None, Looked]:
        """Hop and filter; with that all is scored, so `choose` has nothing left to do."""
        stores = self.setting.stores
        graph = stores.links.graph()
        linking = Linking(stores, self.setting.embedder, question, concepts)
        _, entities, _ = linking.linked(graph, self.limits)
        starts = tuple(entities)
        trail = _Trail(stores, self.limits, graph, linking, starts)
        first = with_statements(self.setting, self.limits, question, trail.candidates(starts))
        trail.note(first)
        frontier, hops = list[int](), list[Chosen]()
        for hop in range(self.limits.max_path_length):
            yield Progress("exploration", hop, self.limits.max_path_length)
            edges = edges_of(self.setting, trail.candidates(frontier) if hop else first)
            if not edges:
                break
            hops.append(self.chosen(question, concepts, edges, {}))
            frontier = trail.onward([item for item in hops[-1].selected if isinstance(item, ScoredEdge)])
        best = partial(sorted, key=lambda item: -(item.score or 0.0))  # a tie goes to the earlier hop
        selected = best(item for hop in hops for item in hop.selected)
        chosen = Chosen(selected, best(item for hop in hops for item in hop.left))
        seeds = stores.links.iris(filter(graph.stands, trail.seeds)).values()
        return Looked(tuple(sorted(seeds)), tuple(trail.facts), lambda: chosen)


@dataclass(slots=True)
class _Trail:
    """Where one search has been: which facts it looked at, which of them were scored, which entities it looked from."""

    stores: Collection
    limits: Limits
    graph: LinkGraph
    linking: Linking
    seeds: Sequence[int]
    facts: dict[str, None] = field(default_factory=dict)
    _scored: set[str] = field(default_factory=set)
    _seen: set[Triple] = field(default_factory=set)
    _numbers: set[int] = field(default_factory=set)
    _nodes: set[int] = field(default_factory=set)

    def candidates(self, frontier: Sequence[int]) -> list[Triple]:
        """Return the facts at entities to score now, nearest to the question first.

        A fact of several documents has several numbers; its terms tell whether it was scored before.
        """
        self._nodes |= {*frontier}
        near = self.linking.nearness(self._around(frontier)[: self.limits.max_subgraph_size])
        turn = sorted(near, key=lambda number: (-near[number].score, number))
        facts = self.stores.recorded(dict.fromkeys(near[number].key for number in turn))
        self.facts |= dict.fromkeys(facts)
        new = {key: fact for key, fact in facts.items() if key not in self._scored}
        now = dict(islice(self.stores.sources.merged.different(new, {*self._seen}).items(),
                          self.limits.edge_score_limit))  # fmt: skip
        self._seen |= {self.stores.sources.merged.reading(fact) for fact in now.values()}
        self._scored |= now.keys()
        self._numbers |= {number for number, one in near.items() if one.key in self._scored}
        return [*now.values()]

    def note(self, added: Iterable[Triple]) -> None:
        """Note facts that are scored without having been come to."""
        keys = {key_of(fact): self.stores.sources.merged.reading(fact) for fact in added}
        self.facts |= dict.fromkeys(keys)
        self._scored |= keys.keys()
        self._seen |= {*keys.values()}

    def onward(self, selected: Sequence[ScoredEdge]) -> list[int]:
        """Return the entities at the ends of facts where the search has not been."""
        ends = (end for one in selected for end in (one.edge.triple.subject, one.edge.triple.object))
        iris = dict.fromkeys(end.value for end in ends if isinstance(end, NamedNode))
        nodes = self.stores.links.entities(iris)
        self.graph.look(nodes.values())
        return [nodes[iri] for iri in iris
                if iri in nodes and self.graph.knows(nodes[iri]) and nodes[iri] not in self._nodes]  # fmt: skip

    def _around(self, frontier: Sequence[int]) -> list[int]:
        """Return the numbers of facts at entities that were not scored.

        Each entity gives its first fact, then each its second, so that none crowds out others; the limit of an entity
        is that of its two directions together.
        """
        import numpy as np

        limit = 2 * self.limits.triple_limit
        self.graph.rows(np.array(frontier, dtype=np.int64), limit)  # at once, where they are fetched
        rows = [self.graph.rows(np.array([node], dtype=np.int64), limit) for node in frontier]
        turns = chain.from_iterable(zip_longest(*(self.graph.fact[row].tolist() for row in rows), fillvalue=0))
        return [number for number in dict.fromkeys(turns) if number > 0 and number not in self._numbers]  # 0: a title
