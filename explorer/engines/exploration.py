"""Which facts to look at: those near the question, then those around the entities near its concepts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from pyoxigraph import NamedNode, RdfFormat, Triple, parse

from explorer.engines.limits import Limits
from explorer.engines.nearness import Nearness
from explorer.reasoning.embedding import Embedder
from explorer.reasoning.words import clauses
from explorer.stores.collection import Collection
from explorer.stores.facts import facts
from explorer.vocab import FACTS

_NEAR = 0.6  # a seed is at least so near to its concept, as a share of the nearest one


@dataclass(frozen=True, slots=True)
class Explored:
    """The seed entities' IRIs, the facts looked at, and those among them that are worth scoring, nearest first."""

    seeds: tuple[str, ...]
    edges: tuple[Triple, ...]
    nearest: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class Exploration:
    """One search in the default graph, within limits."""

    stores: Collection
    limits: Limits

    def explore(self, question: str, concepts: Sequence[str], embedder: Embedder) -> Explored:
        """Collect at most `max_subgraph_size` facts, and of them the `edge_score_limit` nearest to the question."""
        parts = clauses(question)
        vectors = embedder.embed([*parts, *concepts])
        nearness = Nearness(self.stores, parts, vectors[: len(parts)])
        found = self.stores.vectors.search("entity", vectors[len(parts) :], self._seeds_each(concepts))
        close = dict.fromkeys(hit.key for hits in found for hit in hits if hit.score > _NEAR * hits[0].score)
        seeds = tuple(close)[: self.limits.entity_limit]
        near = self._recorded(nearness.nearest(self.limits.edge_score_limit))
        subgraph = dict.fromkeys(near)
        for fact in self._around([NamedNode(seed) for seed in seeds]):
            subgraph.setdefault(fact)
            if len(subgraph) >= self.limits.max_subgraph_size:
                break
        edges = tuple(islice(subgraph, self.limits.max_subgraph_size))
        ranked = sorted(edges, key=lambda edge: -nearness.of(str(edge)))
        return Explored(tuple(sorted(seeds)), edges, tuple(ranked[: self.limits.edge_score_limit]))

    def _seeds_each(self, concepts: Sequence[str]) -> int:
        return max(1, self.limits.entity_limit // max(1, len(concepts)))

    def _recorded(self, keys: Sequence[str]) -> Iterator[Triple]:
        """Read facts from their keys, if the graph has them; an index may know one that was cut off before."""
        for key in keys:
            fact = next(iter(parse(f"{key} .", format=RdfFormat.N_TRIPLES))).triple
            known = self.stores.graph.match(fact.subject, fact.predicate, fact.object, FACTS)
            if next(iter(known), None) is not None:
                yield fact

    def _around(self, seeds: Sequence[NamedNode]) -> Iterator[Triple]:
        """Walk outward from the seeds, both ways, hop by hop."""
        frontier, seen = list(seeds), set(seeds)
        for _ in range(self.limits.max_path_length):
            reached: dict[NamedNode, None] = {}
            for node in frontier:
                for fact in self._facts(node):
                    yield fact
                    ends = (fact.subject, fact.object)
                    reached |= dict.fromkeys(end for end in ends if isinstance(end, NamedNode) and end not in seen)
            seen |= reached.keys()
            frontier = list(reached)

    def _facts(self, node: NamedNode) -> Iterator[Triple]:
        for quads in (
            self.stores.graph.match(node, graph=FACTS),
            self.stores.graph.match(obj=node, graph=FACTS),
        ):
            yield from sorted(islice(facts(quads), self.limits.triple_limit), key=str)
