"""Selection of the facts an answer is made from: the protocol of selectors, and the default one.

A selector looks at facts and then chooses among them. The default walks first and has the reasoner score what the walk
came near to (TrustGraph's two stages); `hops` holds the other one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pyoxigraph import Triple

from explorer.engines.facts.exploration import explore
from explorer.engines.limits import Limits
from explorer.engines.setting import Setting
from explorer.events import Progress
from explorer.language.sentences import says_something
from explorer.models.embedding import Remembered
from explorer.rdf.labels import edge_labels
from explorer.reasoning.protocol import Edge, ReachedPassage, Reasoner, ScoredEdge, ScoredPassage

_NO_TEXTS: Mapping[Triple, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was scored: `selected` to answer from, facts and passages, and the facts `left`, each best first."""

    selected: Sequence[ScoredEdge | ScoredPassage] = ()
    left: Sequence[ScoredEdge] = ()


@dataclass(frozen=True, slots=True)
class Looked:
    """What a selector looked at: from which seeds (IRIs), which facts, nearest first, by the keys of their vectors;
    `choose` selects among them.

    Looking can be recorded before choosing begins, which with a model takes long.
    """

    seeds: tuple[str, ...]
    edges: Sequence[str]
    choose: Callable[[], Chosen]


@dataclass(frozen=True, slots=True)
class Selector:
    """What selectors work with."""

    setting: Setting
    reasoner: Reasoner
    limits: Limits

    def chosen(
        self, question: str, concepts: Sequence[str], edges: Sequence[Edge], reached: Sequence[ReachedPassage] = ()
    ) -> Chosen:
        """Score edges and select the best, and of the passages that were reached those that no edge stands for."""
        scored = self.reasoner.score_edges(question, concepts, edges)
        selected = self.reasoner.select(question, scored, self.limits.edge_limit, reached)
        triples = {item.edge.triple for item in selected if isinstance(item, ScoredEdge)}
        return Chosen(selected, [item for item in scored if item.edge.triple not in triples])


class Walked(Selector):
    """Selects by a walk from the question through the graph; then the reasoner scores what is nearest."""

    __slots__ = ()

    def look(self, question: str, concepts: Sequence[str]) -> Generator[Progress, None, Looked]:
        """Walk; nothing is scored before `choose`."""
        yield Progress("exploration", 0, self.limits.max_subgraph_size)
        explored = explore(self.setting, self.limits, question, concepts)

        def choose() -> Chosen:
            sources = self.setting.stores.sources
            sources.ahead(explored.nearest, explored.passages)
            edges = edges_of(self.setting, explored.nearest, explored.texts)
            # a chunk whose origin isn't on record can't be cited, and a heading or a table is no choice by itself
            of_facts = dict.fromkeys(one.chunk for edge in edges for one in edge.passages if one.chunk)
            chunks = {**explored.passages, **{one: 0.0 for one in of_facts if one not in explored.passages}}
            sources.ahead(chunks=chunks)
            reached = [
                ReachedPassage(passage, reach if says_something(passage.text) else 0.0)
                for chunk, reach in chunks.items()
                for passage in sources.chunk(chunk)
            ]
            return self.chosen(question, concepts, edges, reached)

        return Looked(explored.seeds, explored.edges, choose)


def edges_of(setting: Setting, facts: Mapping[Triple, float], texts: Mapping[Triple, str] = _NO_TEXTS) -> list[Edge]:
    """Read facts with their labels and passages; their values say how near the search came to them.

    `texts` are those they were embedded as, where they are known.
    """
    stores = setting.stores
    stores.sources.ahead(facts)
    labels = stores.sources.labels(facts)
    passages = {fact: stores.sources.passages(fact) for fact in facts}
    around, vectors = stores.vectors.chunks([places[0].chunk for places in passages.values() if places])
    Remembered.of(setting.embedder).know(list(around.values()), vectors)
    return [
        Edge(
            fact,
            *edge_labels(fact, labels),
            places,
            around.get(places[0].chunk, "") if places else "",
            facts[fact],
            texts.get(fact, ""),
            stores.sources.added.get(fact, ""),
        )
        for fact, places in passages.items()
    ]
