"""Selection of the facts an answer is made from: the protocol of selectors, and the default one.

A selector looks at facts and then chooses among them. The default walks first; then the reasoner quotes from what the
walk came near to, or a model scores it (TrustGraph's two stages). `hops` holds the other one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

from pyoxigraph import Triple

from explorer.engines.facts.exploration import Explored, explore
from explorer.engines.facts.statements import key_of, with_statements
from explorer.engines.limits import Limits
from explorer.engines.setting import Setting
from explorer.events import Passage, Progress
from explorer.language.sentences import is_prose
from explorer.rdf.labels import edge_labels
from explorer.reasoning.protocol import Edge, Quoting, Reached, Reasoner, ScoredEdge, ScoredPassage


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was chosen: `selected` to answer from, facts and passages, and the facts `left`, each best first.

    `read`: the passages that quotations were chosen among, best first; without scores of facts.
    """

    selected: Sequence[ScoredEdge | ScoredPassage] = ()
    left: Sequence[ScoredEdge] = ()
    read: Sequence[Passage] | None = None


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
    """What selectors work with; `explored`: what a walk for the same question has found already."""

    setting: Setting
    reasoner: Reasoner
    limits: Limits
    explored: Explored | None = None

    def chosen(self, question: str, concepts: Sequence[str], edges: Sequence[Edge], reached: Reached) -> Chosen:
        """Score edges and select the best, and of the passages that were reached those that no edge stands for."""
        scored = self.reasoner.score_edges(question, concepts, edges)
        selected = self.reasoner.select(question, scored, self.limits.edge_limit, reached)
        triples = {item.edge.triple for item in selected if isinstance(item, ScoredEdge)}
        return Chosen(selected, [item for item in scored if item.edge.triple not in triples])


class Walked(Selector):
    """Selects by a walk from the question through the graph; then the reasoner scores what is nearest.

    Without a model what is quoted is chosen first, and what that rests on is kept.
    """

    __slots__ = ()

    def chosen(self, question: str, concepts: Sequence[str], edges: Sequence[Edge], reached: Reached) -> Chosen:
        """Choose what to quote, or score."""
        if not isinstance(self.reasoner, Quoting):
            return Selector.chosen(self, question, concepts, edges, reached)
        kept, read = self.reasoner.quote(question, concepts, edges, reached, self.limits.edge_limit)
        triples = {item.edge.triple for item in kept if not isinstance(item, ScoredPassage)}
        left = [ScoredEdge(edge, 0.0, None) for edge in edges if edge.triple not in triples]
        return Chosen(kept, left, read)

    def look(self, question: str, concepts: Sequence[str]) -> Generator[Progress, None, Looked]:
        """Walk; nothing is scored before `choose`."""
        yield Progress("exploration", 0, self.limits.max_subgraph_size)
        sources = self.setting.stores.sources
        explored = self.explored or explore(self.setting, self.limits, question, concepts)
        sources.ahead(explored.nearest, explored.passages, explored.seeds)
        nearest = with_statements(self.setting, self.limits, question, explored.nearest)

        def choose() -> Chosen:
            sources.ahead(nearest, explored.passages)
            edges = edges_of(self.setting, nearest)
            # a chunk whose origin isn't on record can't be cited, and a heading or a table is no choice by itself
            of_facts = dict.fromkeys(one.chunk for edge in edges for one in edge.passages if one.chunk)
            chunks = {**explored.passages, **{one: 0.0 for one in of_facts if one not in explored.passages}}
            sources.ahead(chunks=chunks)
            reached = {passage: reach if any(map(is_prose, passage.text.splitlines())) else 0.0
                       for chunk, reach in chunks.items() for passage in sources.chunk(chunk)}  # fmt: skip
            return self.chosen(question, concepts, edges, reached)

        keys = dict.fromkeys((*explored.edges, *map(key_of, nearest)))
        return Looked(explored.seeds, tuple(keys), choose)


def edges_of(setting: Setting, facts: Sequence[Triple]) -> list[Edge]:
    """Read facts with their labels and passages."""
    sources = setting.stores.sources
    sources.ahead(facts)
    labels = sources.labels(facts)
    return [Edge(fact, *edge_labels(fact, labels), sources.passages(fact), sources.added.get(fact, ""))
            for fact in facts]  # fmt: skip
