"""Document RAG: Question → Grounding → Exploration → [Focus] → Synthesis, one Explain event each.

Follows TrustGraph's pipeline: whole passages are found by vectors, keywords or both, scored if asked for, and the
answer is made from those that are left. By default both ways of searching are used and what they find is scored, so
that one command gives the best answer there is without a model. The Exploration keeps the order in which passages were
found (`x:chunks`), which RDF forgets, so that without a Focus too the sources of an answer have their order.
A source is the whole chunk: replay finds the same span again, with a model or without.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from explorer import entities as e
from explorer import rdf
from explorer.engines.limits import PassageLimits
from explorer.engines.passages.search import PassageSearch
from explorer.engines.setting import Setting
from explorer.engines.steps import Form, StepEvents, limit_concepts, truncate_question
from explorer.engines.usage import CallRecord, Calls
from explorer.events import Done, Event, Explain, Passage, Progress
from explorer.language.words import stems
from explorer.reasoning.protocol import Reasoner, ScoredPassage
from explorer.stores.sources import ordered_sources

NAME = "document-rag"
_FORM = Form(NAME, e.DocRagQuestion, "docrag-", "DocumentRAG Answer")


@dataclass(frozen=True, slots=True)
class DocumentRag:
    """The engine of one run; iterate `run()`."""

    setting: Setting
    reasoner: Reasoner
    limits: PassageLimits

    def run(self, question: str) -> Iterator[Event]:
        """Derive an answer and emit each step as soon as it is done; a failing model ends in a Failure."""
        calls = Calls(self.reasoner, self.setting.session, self.setting.record_prompts)
        return calls.watch(self._steps(question, calls))

    @property
    def steps(self) -> StepEvents:
        """The events of its steps."""
        return StepEvents(_FORM, self.setting)

    def _steps(self, asked: str, calls: Calls) -> Iterator[Event]:
        yield self.steps.question(asked, asdict(self.limits), self.reasoner.name)
        begun = self.setting.clock()
        question = truncate_question(asked)
        by_words = self.limits.mode == "keyword"
        concepts = [question] if by_words else limit_concepts(self.reasoner.concepts(question))
        yield self.steps.grounding(asked, concepts, begun, calls.take())
        yield Progress("exploration", 0, self.limits.fetched)
        begun = self.setting.clock()
        found = self._found(question, concepts)
        yield self._exploration(found, begun)
        kept, chosen, above = (
            [ScoredPassage(passage) for passage in found.values()],
            list(found),
            self.steps.iri("exploration"),
        )
        if self.limits.rerank:
            yield Progress("focus", 0, len(found))
            begun = self.setting.clock()
            kept = self._kept(question, list(found.values()))
            chosen = [self.steps.iri("chunk-selection", number) for number in range(len(kept))]
            above = self.steps.iri("focus")
            yield self._focus(kept, begun, calls.take())
        yield Progress("synthesis", 0, 0)
        parts = self.reasoner.answer_from(question, concepts, kept)
        outcome = yield from self.steps.answer(asked, parts, chosen, above, calls)
        yield Done(outcome.reason, calls.usage, _sources(chosen, kept, outcome.cited), missing=outcome.missing)

    def _found(self, question: str, concepts: Sequence[str]) -> Mapping[str, Passage]:
        """Search, and read the chunks found, best first; one whose origin isn't on record can't be cited."""
        search = PassageSearch(self.setting.stores, self.setting.embedder)
        ranked = search.ranked(question, concepts, self.limits.mode, self.limits.fetched)
        return {chunk: passage for chunk in ranked for passage in self.setting.stores.sources.chunk(chunk)}

    def _exploration(self, found: Mapping[str, Passage], begun: datetime) -> Explain:
        entity = e.Exploration(
            iri=self.steps.iri("exploration"),
            derived_from=(self.steps.iri("grounding"),),
            chunk_count=len(found),
            selected_chunks=tuple(found),
            ordered=list(found),
            duration_ms=self.steps.since(begun),
        )
        passages = {chunk: (passage,) for chunk, passage in found.items()}
        return Explain(entity.iri, tuple(rdf.triples(entity)), passages=passages)

    def _kept(self, question: str, passages: Sequence[Passage]) -> list[ScoredPassage]:
        """Score the passages and select the best, or the best that are not alike."""
        scored = [ScoredPassage(read.passage, round(read.score or 0.0, 4))
                  for read in self.reasoner.score_passages(question, passages)]  # fmt: skip
        if self.limits.mmr:
            return _diverse(scored, self.limits.doc_limit, self.limits.mmr_lambda)
        return scored[: self.limits.doc_limit]

    def _focus(self, kept: Sequence[ScoredPassage], begun: datetime, calls: CallRecord) -> Explain:
        selections = [
            e.ChunkSelection(iri=self.steps.iri("chunk-selection", i), document=read.passage.chunk, score=read.score)
            for i, read in enumerate(kept)
        ]
        entity = e.Focus(
            iri=self.steps.iri("focus"),
            label="Chunk Selection",
            derived_from=(self.steps.iri("exploration"),),
            selected_chunks=tuple(selection.iri for selection in selections),
            duration_ms=self.steps.since(begun),
        )
        return calls.explain(
            entity,
            parts=selections,
            passages={one.iri: (read.passage,) for one, read in zip(selections, kept, strict=True)},
        )


def _sources(chosen: Sequence[str], kept: Sequence[ScoredPassage], cited: Sequence[str]) -> tuple[Passage, ...]:
    selections = [e.ChunkSelection(iri=key, score=read.score) for key, read in zip(chosen, kept, strict=True)]
    return ordered_sources(selections, {key: (read.passage,) for key, read in zip(chosen, kept, strict=True)}, cited)


def _diverse(scored: Sequence[ScoredPassage], limit: int, weight: float) -> list[ScoredPassage]:
    """Choose by maximal marginal relevance: high scores, few words shared with what was chosen (Carbonell 1998)."""
    words = [set(stems(read.passage.text)) for read in scored]
    relevance = _spread([read.score or 0.0 for read in scored])
    likeness = [0.0] * len(scored)
    left = list(range(len(scored)))
    chosen: list[ScoredPassage] = []
    while left and len(chosen) < limit:
        best = max(left, key=lambda i: weight * relevance[i] - (1 - weight) * likeness[i])
        chosen.append(scored[best])
        left.remove(best)
        for i in left:
            likeness[i] = max(likeness[i], _overlap(words[i], words[best]))
    return chosen


def _spread(scores: Sequence[float]) -> list[float]:
    """Stretch scores to 0…1; scores that are all equal say nothing and become a half."""
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    return [(score - low) / (high - low) if high > low else 0.5 for score in scores]


def _overlap(one: set[str], other: set[str]) -> float:
    """Return the Jaccard overlap of two sets of words."""
    return len(one & other) / len(one | other) if one or other else 0.0
