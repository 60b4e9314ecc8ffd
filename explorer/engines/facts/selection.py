"""Which facts an answer is made from: the seam between GraphRAG and its selectors, and the default one.

A selector looks at facts and then chooses among them. The default walks first and has the reasoner score what the walk
came near to (TrustGraph's two stages); `hops` holds the other one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pyoxigraph import Triple

from explorer.engines.facts.exploration import Exploration
from explorer.engines.limits import Limits
from explorer.events import Progress
from explorer.models.embedding import Embedder, Remembered
from explorer.rdf.labels import edge_labels
from explorer.reasoning.protocol import Edge, Reasoner, ScoredEdge
from explorer.stores.collection import Collection

_NO_TEXTS: Mapping[Triple, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was scored: `kept` to answer from and `left`, each best first."""

    kept: Sequence[ScoredEdge] = ()
    left: Sequence[ScoredEdge] = ()


@dataclass(frozen=True, slots=True)
class Looked:
    """What a selector looked at: from which seeds (IRIs), how many facts; `choose` says what it keeps of them.

    Looking may be told of before choosing begins, which with a model takes long.
    """

    seeds: tuple[str, ...]
    count: int
    choose: Callable[[], Chosen]


@dataclass(frozen=True, slots=True)
class Walked:
    """Selects by a walk from the question through the graph; then the reasoner scores what is nearest."""

    stores: Collection
    embedder: Embedder
    reasoner: Reasoner
    limits: Limits

    def look(self, question: str, concepts: Sequence[str]) -> Generator[Progress, None, Looked]:
        """Walk; nothing is scored before `choose`."""
        yield Progress("exploration", 0, self.limits.max_subgraph_size)
        explored = Exploration(self.stores, self.embedder, self.limits).explore(question, concepts)

        def choose() -> Chosen:
            edges = edges_of(self.stores, self.embedder, explored.nearest, explored.texts)
            return chosen(self.reasoner, question, concepts, edges, self.limits.edge_limit)

        return Looked(explored.seeds, len(explored.edges), choose)


def chosen(reasoner: Reasoner, question: str, concepts: Sequence[str], edges: Sequence[Edge], limit: int) -> Chosen:
    """Have edges scored, and at most `limit` of them kept."""
    scored = reasoner.score_edges(question, concepts, edges)
    kept = reasoner.select(question, scored, limit)
    known = {item.edge.triple for item in kept}
    return Chosen(kept, [item for item in scored if item.edge.triple not in known])


def edges_of(
    stores: Collection, embedder: Embedder, facts: Mapping[Triple, float], texts: Mapping[Triple, str] = _NO_TEXTS
) -> list[Edge]:
    """Read facts with their labels and passages; their values say how near the search came to them.

    `texts` are those they were embedded as, where they are known.
    """
    labels = stores.sources.labels(facts)
    passages = {fact: stores.sources.passages(fact) for fact in facts}
    around, vectors = stores.vectors.chunks([places[0].chunk for places in passages.values() if places])
    Remembered.of(embedder).know(list(around.values()), vectors)
    return [
        Edge(
            fact,
            *edge_labels(fact, labels),
            places,
            around.get(places[0].chunk, "") if places else "",
            facts[fact],
            texts.get(fact, ""),
        )
        for fact, places in passages.items()
    ]
