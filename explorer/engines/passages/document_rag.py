"""Document RAG: Question → Grounding → Exploration → [Focus] → Synthesis, one Explain event each.

Follows TrustGraph's pipeline: whole passages are found by vectors, keywords or both, scored if asked for, and the
answer is made from those that are left. By default both ways of searching are used and what they find is scored, so
that one command gives the best answer there is without a model; with one only where more was found than is read, as
each score costs time, and key ideas are named by it only for a search by vectors alone, as TrustGraph has it. The
Exploration keeps the order in which passages were found (`x:chunks`), which RDF forgets, so that without a Focus too
the sources of an answer have their order.
A source is the whole chunk: replay finds the same span again, with a model or without.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from explorer import entities as e
from explorer import rdf
from explorer.engines.chunks import shown
from explorer.engines.limits import PassageLimits
from explorer.engines.passages.search import PassageSearch
from explorer.engines.steps import Form, Search, limit_concepts, scoring_note
from explorer.engines.usage import CallRecord, Calls
from explorer.events import Event, Explain, Passage, Progress
from explorer.language.words import phrases, stems
from explorer.reasoning.corrected_facts import with_corrections
from explorer.reasoning.prompted.reasoner import PromptedReasoner
from explorer.reasoning.protocol import ScoredPassage, ShownPassage
from explorer.stores.passage_order import ordered_sources

NAME = "document-rag"
UNSCORED = "all that was found is read, so none of it was scored"


class DocumentRag(Search[PassageLimits]):
    """Answers from passages."""

    __slots__ = ()
    form = Form(NAME, e.DocRagQuestion, "docrag-", "DocumentRAG Answer")

    def _concepts(self, question: str) -> list[str]:
        if self.limits.mode == "keyword":
            return [question]
        reads = self.limits.mode == "hybrid" and isinstance(self.reasoner, PromptedReasoner)
        return limit_concepts(phrases(question) or [question]) if reads else super()._concepts(question)

    def _answered(self, asked: str, question: str, concepts: Sequence[str], calls: Calls) -> Iterator[Event]:
        yield Progress("exploration", 0, self.limits.fetched)
        begun = self.setting.clock()
        stores = self.setting.stores
        search = PassageSearch(stores, self.setting.embedder)
        ranked = search.ranked(question, concepts, self.limits.mode, self.limits.fetched)
        # a chunk whose origin isn't on record can't be cited
        stores.sources.ahead(chunks=ranked)
        found = {chunk: passage for chunk in ranked for passage in stores.sources.chunk(chunk)}
        yield self._exploration(found, begun)
        kept, chosen = [ScoredPassage(passage) for passage in found.values()], list(found)
        above = self.steps.iri("exploration")
        if self.limits.rerank:
            yield Progress("focus", 0, len(found))
            begun = self.setting.clock()
            kept = self._chosen(question, kept)
        reader = self.reasoner if isinstance(self.reasoner, PromptedReasoner) else None
        whole = [] if reader is None else reader.fitting(question, self._shown(kept))
        if reader is not None:
            scores = {one.passage.chunk: one for one in kept}
            kept = [scores[one.passage.chunk] for one in whole]
            chosen = [one.passage.chunk for one in kept]
        if self.limits.rerank:
            chosen = [self.steps.iri("chunk-selection", number) for number in range(len(kept))]
            above = self.steps.iri("focus")
            yield self._focus(kept, begun, calls.take())
        yield Progress("synthesis", 0, 0)
        said = reader.read(question, (), whole) if reader else self.reasoner.synthesise(question, concepts, kept)
        parts = with_corrections(said, kept, self.setting.stores.sources, question)
        cites = dict(zip(chosen, kept, strict=True))
        passages = {key: (read.passage,) for key, read in cites.items()}
        rested = yield from self.steps.answer(asked, parts, cites, above, calls, passages=passages)
        selections = [e.ChunkSelection(iri=key, score=read.score) for key, read in zip(chosen, kept, strict=True)]
        sources = ordered_sources(selections, passages, rested.cited)
        yield rested.done(calls.usage, sources)

    def _exploration(self, found: Mapping[str, Passage], begun: datetime) -> Explain:
        entity = e.Exploration(
            iri=self.steps.iri("exploration"),
            derived_from=(self.steps.iri("grounding"),),
            chunk_count=len(found),
            selected_chunks=tuple(found),
            ordered=list(found),
            **self.steps.timed(begun),
        )
        passages = {chunk: (passage,) for chunk, passage in found.items()}
        return Explain(entity.iri, tuple(rdf.triples(entity)), passages=passages)

    def _shown(self, kept: Sequence[ScoredPassage]) -> list[ShownPassage]:
        return shown(self.setting, [one.passage.chunk for one in kept])

    def _chosen(self, question: str, found: Sequence[ScoredPassage]) -> list[ScoredPassage]:
        """Return what to read of what was found: with a model that reads all of it without any score."""
        reader, passages = self.reasoner, [one.passage for one in found]
        if isinstance(reader, PromptedReasoner) and len(found) <= self.limits.doc_limit:
            whole = self._shown(found)
            if reader.fitting(question, whole) == whole:
                return [*found]
        return self._selected(question, passages)

    def _selected(self, question: str, passages: Sequence[Passage]) -> list[ScoredPassage]:
        scored = [replace(read, score=round(read.score or 0.0, 4))
                  for read in self.reasoner.score_passages(question, passages)]  # fmt: skip
        if self.limits.mmr:
            return _diverse(scored, self.limits.doc_limit, self.limits.mmr_lambda)
        return scored[: self.limits.doc_limit]

    def _focus(self, kept: Sequence[ScoredPassage], begun: datetime, calls: CallRecord) -> Explain:
        selections = [
            e.ChunkSelection(
                iri=self.steps.iri("chunk-selection", i),
                document=read.passage.chunk,
                score=read.score,
                score_parts=dict(read.parts) or None,
                scored_by=read.by,
            )
            for i, read in enumerate(kept)
        ]
        scored = scoring_note([selection.scored_by for selection in selections], "kept passage")
        entity = e.Focus(
            iri=self.steps.iri("focus"),
            label="Chunk Selection",
            derived_from=(self.steps.iri("exploration"),),
            selected_chunks=tuple(selection.iri for selection in selections),
            rule=UNSCORED if kept and all(one.score is None for one in kept) else scored,
            **self.steps.timed(begun),
        )
        return calls.explain(
            entity,
            parts=selections,
            passages={one.iri: (read.passage,) for one, read in zip(selections, kept, strict=True)},
        )


def _diverse(scored: Sequence[ScoredPassage], limit: int, weight: float) -> list[ScoredPassage]:
    """Choose by maximal marginal relevance: high scores, few words shared with what was chosen (Carbonell 1998)."""
    words = [set(stems(read.passage.text)) for read in scored]
    scores = [read.score or 0.0 for read in scored]
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    relevance = [
        (score - low) / (high - low) if high > low else 0.5 for score in scores
    ]  # all equal: they tell nothing
    likeness = [0.0] * len(scored)
    left = list(range(len(scored)))
    chosen: list[ScoredPassage] = []
    while left and len(chosen) < limit:
        best = max(left, key=lambda i: weight * relevance[i] - (1 - weight) * likeness[i])
        chosen.append(scored[best])
        left.remove(best)
        for i in left:
            either = words[i] | words[best]
            likeness[i] = max(likeness[i], len(words[i] & words[best]) / len(either) if either else 0.0)
    return chosen
