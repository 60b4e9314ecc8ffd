"""GraphRAG: Question → Grounding → Exploration → Focus → Synthesis, one Explain event each.

Follows TrustGraph's two-stage pipeline (select edges, then answer from them alone) with its limits and defaults;
Grounding is told at once, edges are keyed by their RDF terms, and every selection has concept, score and reasoning.
Only the default graph is traversed; the source graph is read by exact look-up of edges already found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from explorer import entities as e
from explorer import rdf
from explorer.engines.facts.hops import Hops
from explorer.engines.facts.selection import Looked, Walked
from explorer.engines.limits import Limits
from explorer.engines.setting import Setting
from explorer.engines.steps import Form, StepEvents, read, telling
from explorer.engines.usage import Calls, Told
from explorer.events import Done, Event, Explain, Passage, Progress
from explorer.reasoning.protocol import Reasoner, ScoredEdge, SelectedEdge
from explorer.stores.sources import carried

NAME = "graph-rag"
_FORM = Form(NAME, e.GraphRagQuestion, "", "GraphRAG Answer")
_SELECTORS: dict[str, type[Walked | Hops]] = {"reasoning": Walked, "rerank": Hops}


@dataclass(frozen=True, slots=True)
class GraphRag:
    """The engine of one run; iterate `run()`."""

    setting: Setting
    reasoner: Reasoner
    limits: Limits

    def run(self, question: str) -> Iterator[Event]:
        """Derive an answer and emit each step as soon as it is done; a failing model ends in a Failure."""
        calls = Calls(self.reasoner, self.setting.session, self.setting.record_prompts)
        return calls.watch(self._steps(question, calls))

    @property
    def record(self) -> StepEvents:
        """The events of its steps."""
        return StepEvents(_FORM, self.setting)

    def _steps(self, asked: str, calls: Calls) -> Iterator[Event]:
        yield self.record.question(asked, asdict(self.limits), self.reasoner.name)
        begun = self.setting.clock()
        question = read(asked)
        concepts = telling(self.reasoner.concepts(question))
        yield self.record.grounding(asked, concepts, begun, calls.take())
        begun = self.setting.clock()
        looked = yield from self._selector.look(question, concepts)
        yield self._exploration(looked, begun)
        yield Progress("focus", 0, looked.count)
        begun = self.setting.clock()
        chosen = looked.choose()
        selected = self.reasoner.reason_edges(question, chosen.kept)
        yield self._focus(selected, chosen.left, begun, calls.take())
        yield Progress("synthesis", 0, 0)
        parts = self.reasoner.synthesise(question, concepts, selected)
        cites = [self._iri("edge", number) for number in range(len(selected))]
        outcome = yield from self.record.answer(asked, parts, cites, self._iri("focus"), calls)
        yield Done(outcome.reason, calls.usage, self._sources(selected, outcome.cited), missing=outcome.missing)

    @property
    def _selector(self) -> Walked | Hops:
        made = _SELECTORS[self.limits.selector]
        return made(self.setting.stores, self.setting.embedder, self.reasoner, self.limits)

    def _iri(self, kind: str, index: int | None = None) -> str:
        return self.record.iri(kind, index)

    def _exploration(self, looked: Looked, begun: datetime) -> Explain:
        entity = e.Exploration(
            iri=self._iri("exploration"),
            derived_from=(self._iri("grounding"),),
            edge_count=looked.count,
            entities=looked.seeds,
            duration_ms=self.record.since(begun),
        )
        labels = {seed: label for seed in looked.seeds if (label := self.setting.stores.sources.label(seed))}
        return Explain(entity.iri, tuple(rdf.triples(entity)), labels=labels)

    def _focus(
        self, selected: Sequence[SelectedEdge], left: Sequence[ScoredEdge], begun: datetime, told: Told
    ) -> Explain:
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
            duration_ms=self.record.since(begun),
        )
        return Explain(
            entity.iri,
            (*rdf.triples(told.on(entity), parts=[*selections, *candidates]), *told.hashes),
            told.contents,
            passages={self._iri("edge", i): item.edge.passages for i, item in enumerate(selected)},
            labels=self.setting.stores.sources.labels(
                [item.edge.triple for item in selected] + [item.edge.triple for item in left]
            ),
        )

    def _candidate(self, index: int, item: ScoredEdge, kept: int) -> e.Candidate:
        return e.Candidate(
            iri=self._iri("candidate", index),
            edge=item.edge.triple,
            concept=item.concept,
            score=round(item.score, 4),
            rank=kept + index + 1,
            not_selected="below limit",
        )

    def _sources(self, selected: Sequence[SelectedEdge], cited: Sequence[str]) -> tuple[Passage, ...]:
        selections = [e.EdgeSelection(iri=self._iri("edge", i), score=round(item.score, 4))
                      for i, item in enumerate(selected)]  # fmt: skip
        passages = {self._iri("edge", i): item.edge.passages for i, item in enumerate(selected)}
        return carried(selections, passages, cited)
