"""Selection of the facts an answer is made from: the protocol of selectors, and the default one.

A selector looks at facts and then chooses among them. The default walks first; then the reasoner quotes from what the
walk came near to, or a model scores it (TrustGraph's two stages). `hops` holds the other one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from pyoxigraph import Literal, NamedNode, Triple

from explorer.engines.facts.graph_walk import Explored, explore
from explorer.engines.limits import Limits
from explorer.engines.setting import Setting
from explorer.events import Passage, Progress
from explorer.language.sentences import is_prose
from explorer.language.words import spans
from explorer.rdf.labels import edge_labels
from explorer.reasoning.corrected_facts import put_down
from explorer.reasoning.extractive.choosing import asked_in
from explorer.reasoning.extractive.rdf_statements import Said, named, naming, told
from explorer.reasoning.prompted.reasoner import PromptedReasoner
from explorer.reasoning.protocol import Edge, Reached, ScoredEdge, ScoredPassage
from explorer.stores.default_graph import facts
from explorer.stores.graph import GraphStore, Pattern
from explorer.stores.left_out import Part
from explorer.vocab import FACTS, RDF

if TYPE_CHECKING:
    from explorer.reasoning import Reasoner

_THINGS = 6  # of one name that are asked about
_READ = 2_000  # facts about a thing, in each direction


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was chosen: `selected` to answer from, facts and passages, and the facts `left`, each best first.

    `read`: the passages that quotations were chosen among, best first; without scores of facts. `why`: of what is left
    without a score, the reason.
    """

    selected: Sequence[ScoredEdge | ScoredPassage] = ()
    left: Sequence[ScoredEdge] = ()
    read: Sequence[Passage] | None = None
    why: Mapping[Edge, str] = field(default_factory=dict)


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
        if isinstance(self.reasoner, PromptedReasoner):
            return Selector.chosen(self, question, concepts, edges, reached)
        kept, read, why = self.reasoner.quote(question, concepts, edges, reached, self.limits.edge_limit)
        return Chosen(kept, [ScoredEdge(edge, 0.0, None) for edge in why], read, why)

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
    told = ((fact, edge_labels(fact, labels), sources.passages(fact)) for fact in facts)
    return [Edge(fact, *terms, passages, put_down(fact, terms, passages, sources)) for fact, terms, passages in told]


def with_statements(setting: Setting, limits: Limits, question: str, nearest: Iterable[Triple]) -> Sequence[Triple]:
    """Return what is worth scoring with the likest statements of the things that a question names before it."""
    stated = _stated(setting, nearest)
    stated += _by_value(setting, question, stated) if stated else ()
    about = _about(setting, _things(setting, question, stated)) if stated else ()
    said = dict(enumerate(_in_words(setting, list(dict.fromkeys([*stated, *about])))))
    texts, found = {n: one for n, (_, one) in said.items()}, dict[Triple, None]()
    for part in asked_in(question) if about else ():
        if (one := told(part, texts, setting.embedder)) is not None:
            found |= dict.fromkeys(said[n][0] for n in (*one.naming, *one.facts))
    own = list(islice(_held(setting, [*found]), limits.edge_limit))
    return list(dict.fromkeys([*own, *nearest]))[: max(limits.edge_score_limit, len(own))]


def key_of(fact: Triple) -> str:
    """Return a fact as its vector is known by: as N-Triples, without the full stop."""
    return f"{fact.subject} {fact.predicate} {fact.object}"


def _stated(setting: Setting, among: Iterable[Triple]) -> list[Triple]:
    """Return those of some facts that others have stated, each in its own words and no sentence of a document."""
    sources, read = setting.stores.sources, list(among)
    sources.ahead(read)
    labels = sources.labels(read)
    return [fact for fact in read if Edge(fact, *edge_labels(fact, labels), sources.passages(fact)).is_statement]


def _by_value(setting: Setting, question: str, stated: Sequence[Triple]) -> list[Triple]:
    """Return the statements whose value is words of a question, as another name of a thing is."""
    names = (name for run in spans(question) for name in (run, run.lower(), run[:1].upper() + run[1:]))
    languages = {fact.object.language for fact in stated if isinstance(fact.object, Literal)} | {None, "en"}
    values = [Literal(name, language=one) for name in dict.fromkeys(names) for one in sorted(languages, key=str)]
    read = _graph(setting).matches([(None, None, value, FACTS) for value in values], _READ)
    return _stated(setting, _held(setting, [fact for quads in read for fact in facts(quads)]))


def _in_words(setting: Setting, among: Sequence[Triple]) -> list[tuple[Triple, Said]]:
    labels = setting.stores.sources.labels(among)
    return [(fact, Said(*edge_labels(fact, labels), isinstance(fact.object, NamedNode))) for fact in among]


def _things(setting: Setting, question: str, stated: Sequence[Triple]) -> list[NamedNode]:
    """Return the ends of some statements that a question names, by their labels or by a value of theirs alone."""
    nodes, said = dict[str, dict[NamedNode, None]](), _in_words(setting, stated)
    for fact, one in said:
        for name, end in ((one.subject, fact.subject), (one.value, fact.object)):
            if isinstance(end, NamedNode):
                nodes.setdefault(name, {})[end] = None
    owners = naming({n: one for n, (_, one) in enumerate(said)})
    names = [owners[name][1] if name in owners else name for name in named(question, [*nodes, *owners])]
    return [*dict.fromkeys(node for name in names for node in islice(nodes[name], _THINGS))]


def _about(setting: Setting, things: Sequence[NamedNode]) -> list[Triple]:
    """Return the facts of things, and those of which they are the value; classes say nothing that is asked for."""
    patterns: list[Pattern] = [one for node in things for one in ((node, None, None, FACTS), (None, None, node, FACTS))]
    read = _graph(setting).matches(patterns, _READ)
    return [fact for quads in read for fact in sorted(facts(quads), key=str) if fact.predicate != RDF.type]


def _graph(setting: Setting) -> GraphStore:
    """Return the graph of the whole collection: that of a part of it would be copied first."""
    stores = setting.stores
    return stores.whole.graph if isinstance(stores, Part) else stores.graph


def _held(setting: Setting, among: Sequence[Triple]) -> Sequence[Triple]:
    stores = setting.stores
    if not isinstance(stores, Part):
        return among
    there = {*stores.recorded(map(key_of, among)).values()}
    return [fact for fact in among if fact in there and stores.sources.passages(fact)]
