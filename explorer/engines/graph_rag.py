"""GraphRAG: Question → Grounding → Exploration → Focus → Synthesis, one Explain event each.

Follows TrustGraph's two-stage pipeline (select edges, then answer from them alone) with its limits and defaults;
Grounding is told at once, edges are keyed by their RDF terms, and every selection has concept, score and reasoning.
Only the default graph is traversed; the source graph is read by exact look-up of edges already found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from pyoxigraph import Triple

from explorer import __version__, rdf
from explorer import entities as e
from explorer.captions import edge_labels, short
from explorer.engines.calls import Calls, Told
from explorer.engines.exploration import Exploration, Explored
from explorer.engines.limits import Limits
from explorer.events import Content, Done, Event, Explain, Passage, Progress, Text
from explorer.reasoning.embedding import Embedder
from explorer.reasoning.reasoner import Cited, Edge, Reasoner, Scored, Selected, Sentence, Verdict
from explorer.stores.collection import Collection
from explorer.stores.sources import carried
from explorer.vocab import iri, timestamp

NAME = "graph-rag"


@dataclass(frozen=True, slots=True)
class GraphRag:
    """The engine of one run; iterate `run()`. Stores are read, never written.

    Without `record_prompts` only the hashes of what a model was told and replied are recorded.
    """

    stores: Collection
    reasoner: Reasoner
    embedder: Embedder
    session: str
    clock: Callable[[], datetime]
    limits: Limits
    record_prompts: bool = True

    def run(self, question: str) -> Iterator[Event]:
        """Derive an answer, telling each step as soon as it is done; a failing model ends in a Failure."""
        calls = Calls(self.reasoner, self.session, self.record_prompts)
        return calls.watch(self._steps(question, calls))

    def _steps(self, question: str, calls: Calls) -> Iterator[Event]:
        yield self._question(question)
        begun = self.clock()
        concepts = self.reasoner.concepts(question)
        yield self._grounding(concepts, begun, calls.take())
        yield Progress("exploration", 0, self.limits.max_subgraph_size)
        begun = self.clock()
        explored = Exploration(self.stores, self.limits).explore(question, concepts, self.embedder)
        yield self._exploration(explored, begun)
        yield Progress("focus", 0, len(explored.edges))
        begun = self.clock()
        scored = self.reasoner.score_edges(question, concepts, self._edges(explored.nearest))
        kept = self.reasoner.select(question, scored, self.limits.edge_limit)
        selected = self.reasoner.reason_edges(question, kept)
        yield self._focus(selected, [item for item in scored if item not in kept], begun, calls.take())
        yield Progress("synthesis", 0, 0)
        yield from self._synthesis(question, concepts, selected, calls)

    def _iri(self, kind: str, index: int | None = None) -> str:
        return iri(kind, self.session, index)

    def _question(self, question: str) -> Explain:
        entity = e.GraphRagQuestion(
            iri=self._iri("question"),
            query=question,
            started_at=timestamp(self.clock()),
            engine=f"{NAME}/{__version__}",
            parameters=asdict(self.limits),
            reasoner=self.reasoner.name,
            embedder=self.embedder.name,
        )
        return Explain(entity.iri, tuple(rdf.triples(entity)))

    def _grounding(self, concepts: Sequence[str], begun: datetime, told: Told) -> Explain:
        entity = e.Grounding(
            iri=self._iri("grounding"),
            derived_from=(self._iri("question"),),
            concepts=tuple(dict.fromkeys(concepts)),
            ordered=list(concepts),
            duration_ms=self._since(begun),
        )
        return Explain(entity.iri, (*rdf.triples(told.on(entity)), *told.hashes), told.contents)

    def _exploration(self, explored: Explored, begun: datetime) -> Explain:
        entity = e.Exploration(
            iri=self._iri("exploration"),
            derived_from=(self._iri("grounding"),),
            edge_count=len(explored.edges),
            entities=explored.seeds,
            duration_ms=self._since(begun),
        )
        labels = {seed: label for seed in explored.seeds if (label := self.stores.sources.label(seed))}
        return Explain(entity.iri, tuple(rdf.triples(entity)), labels=labels)

    def _edges(self, edges: Mapping[Triple, float]) -> list[Edge]:
        labels = self.stores.sources.labels(edges)
        return [self._edge(edge, reach, labels) for edge, reach in edges.items()]

    def _edge(self, edge: Triple, reach: float, labels: Mapping[str, str]) -> Edge:
        passages = self.stores.sources.passages(edge)
        context = self.stores.sources.chunk_text(passages[0].chunk) if passages else ""
        return Edge(edge, *edge_labels(edge, labels), passages, context, reach)

    def _focus(self, selected: Sequence[Selected], left: Sequence[Scored], begun: datetime, told: Told) -> Explain:
        selections = [
            e.EdgeSelection(
                iri=self._iri("edge", i),
                edge=item.edge.triple,
                concept=item.concept,
                score=round(item.score, 4),
                reasoning=item.reasoning or None,
            )
            for i, item in enumerate(selected)
        ]
        candidates = [self._candidate(i, item, len(selected)) for i, item in enumerate(left)]
        entity = e.Focus(
            iri=self._iri("focus"),
            derived_from=(self._iri("exploration"),),
            selected_edges=tuple(selection.iri for selection in selections),
            candidates=tuple(candidate.iri for candidate in candidates),
            duration_ms=self._since(begun),
        )
        return Explain(
            entity.iri,
            (*rdf.triples(told.on(entity), parts=[*selections, *candidates]), *told.hashes),
            told.contents,
            passages={self._iri("edge", i): item.edge.passages for i, item in enumerate(selected)},
            labels=self.stores.sources.labels(
                [item.edge.triple for item in selected] + [item.edge.triple for item in left]
            ),
        )

    def _candidate(self, index: int, item: Scored, kept: int) -> e.Candidate:
        return e.Candidate(
            iri=self._iri("candidate", index),
            edge=item.edge.triple,
            concept=item.concept,
            score=round(item.score, 4),
            rank=kept + index + 1,
            not_selected="below limit",
        )

    def _synthesis(
        self, question: str, concepts: Sequence[str], selected: Sequence[Selected], calls: Calls
    ) -> Iterator[Event]:
        begun, node = self.clock(), self._iri("synthesis")
        answer, reason = "", "done"
        citations: list[e.Citation] = []
        for part in self.reasoner.synthesise(question, concepts, selected):
            if isinstance(part, Verdict):
                reason = part.reason
                continue
            if isinstance(part, Cited):
                citations.append(self._citation(len(citations), part))
                continue
            delta = f" {part.text}" if answer and isinstance(part, Sentence) else part.text
            answer += delta
            if isinstance(part, Sentence) and part.cites:
                span = Cited(len(answer) - len(part.text), len(answer), part.cites)
                citations.append(self._citation(len(citations), span))
            yield Text(node, "answer", delta)
        yield self._answer(question, answer, reason, citations, begun=begun, told=calls.take())
        yield Done(reason, calls.usage, self._sources(selected, citations))

    def _citation(self, number: int, span: Cited) -> e.Citation:
        cites = tuple(self._iri("edge", index) for index in span.cites)
        return e.Citation(iri=self._iri("citation", number), start=span.start, end=span.end, cites=cites)

    def _answer(
        self,
        question: str,
        answer: str,
        reason: str,
        citations: Sequence[e.Citation],
        *,
        begun: datetime,
        told: Told,
    ) -> Explain:
        content = Content(self._iri("answer"), f"GraphRAG Answer: {short(question, 50)}", "text/plain", answer.encode())
        entity = e.Synthesis(
            iri=self._iri("synthesis"),
            derived_from=(self._iri("focus"),),
            document=content.iri,
            termination_reason="declined" if reason == "declined" else None,
            duration_ms=self._since(begun),
        )
        written = rdf.triples(told.on(entity)) + [quad for citation in citations for quad in rdf.triples(citation)]
        return Explain(entity.iri, (*written, *told.hashes), (content, *told.contents))

    def _sources(self, selected: Sequence[Selected], citations: Sequence[e.Citation]) -> tuple[Passage, ...]:
        selections = [e.EdgeSelection(iri=self._iri("edge", i), score=round(item.score, 4))
                      for i, item in enumerate(selected)]  # fmt: skip
        passages = {self._iri("edge", i): item.edge.passages for i, item in enumerate(selected)}
        return carried(selections, passages, [cited for citation in citations for cited in citation.cites])

    def _since(self, begun: datetime) -> int:
        return round((self.clock() - begun).total_seconds() * 1000)
