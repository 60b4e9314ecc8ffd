"""GraphRAG: Question → Grounding → Exploration → Focus → Synthesis, one Explain event each.

Follows TrustGraph's two-stage pipeline (select edges, then answer from them alone) with its limits and defaults;
Grounding is emitted at once, edges are keyed by their RDF terms, and every selection has concept, score and reasoning.
Only the default graph is traversed; the source graph is read by exact look-up of edges already found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice

from explorer import entities as e
from explorer import rdf
from explorer.engines.chunks import MORE, MOST, facts_of, shown
from explorer.engines.facts.graph_walk import Explored, explore
from explorer.engines.facts.hops import Hops
from explorer.engines.facts.selection import Chosen, Looked, Walked, edges_of
from explorer.engines.limits import Limits
from explorer.engines.steps import Form, Search, limit_concepts, scoring_note
from explorer.engines.usage import CallRecord, Calls
from explorer.events import Content, Event, Explain, Passage, Progress
from explorer.language.words import clauses, phrases
from explorer.reasoning.close_facts import MOST as CLOSE
from explorer.reasoning.close_facts import RULE, Fit
from explorer.reasoning.corrected_facts import with_corrections
from explorer.reasoning.extractive.vocabulary import Coverage
from explorer.reasoning.prompted.reasoner import PromptedReasoner
from explorer.reasoning.protocol import AnswerPart, Cited, Kept, ScoredEdge, ScoredPassage, SelectedEdge, ShownPassage
from explorer.stores.passage_order import as_read, ordered_sources
from explorer.text import count

NAME = "graph-rag"
BELOW = "below limit"
_SELECTORS: dict[str, type[Walked | Hops]] = {"passages": Walked, "reasoning": Walked, "rerank": Hops}


class GraphRag(Search[Limits]):
    """Answers from facts."""

    __slots__ = ()
    form = Form(NAME, e.GraphRagQuestion, "", "GraphRAG Answer")

    @property
    def _reads(self) -> PromptedReasoner | None:
        """The reasoner, where it selects by reading passages."""
        reasoner = self.reasoner
        return reasoner if self.limits.selector == "passages" and isinstance(reasoner, PromptedReasoner) else None

    def _concepts(self, question: str) -> list[str]:
        return super()._concepts(question) if self._reads is None else limit_concepts(phrases(question) or [question])

    def _answered(self, asked: str, question: str, concepts: Sequence[str], calls: Calls) -> Iterator[Event]:
        if self._reads is None:
            yield from self._from_facts(asked, question, concepts, calls)
        else:
            yield from self._from_passages(self._reads, asked, question, concepts, calls)

    def _from_passages(
        self, reader: PromptedReasoner, asked: str, question: str, concepts: Sequence[str], calls: Calls
    ) -> Iterator[Event]:
        """Walk, have the model select among the nearest passages, and answer from them whole."""
        begun = self.setting.clock()
        explored = explore(self.setting, self.limits, question, concepts)
        if not explored.passages:  # no fact that was reached has words of a document
            yield from self._from_facts(asked, question, concepts, calls, explored)
            return
        yield self._exploration(Looked(explored.seeds, explored.edges, Chosen), begun)
        yield Progress("focus", 0, len(explored.edges))
        begun = self.setting.clock()
        edges = edges_of(self.setting, [*explored.nearest])
        near = shown(self.setting, explored.passages, edges, most=MOST)
        picks = reader.pick(question, near)
        written = [edge for edge in edges if edge.by_hand][:CLOSE]
        picked_facts = islice(facts_of(picks.found, near).items(), self.limits.edge_limit)
        facts = {edge: edge.by_hand for edge in written} | dict(picked_facts)
        picked = [near[n] for n in dict.fromkeys(one.passage for one in picks.found)]
        words = Coverage(clauses(question), self.setting.stores.library.rarity, self.setting.embedder)
        fit = Fit(question, words)
        kept = facts | fit.close(edges, (edge.triple for edge in facts))
        of = {edge: SelectedEdge(edge, 0.0, None, why) for edge, why in kept.items()}
        selections: list[e.EdgeSelection | e.ChunkSelection] = [
            self._selection(n, one, is_scored=False) for n, one in enumerate(of.values())]  # fmt: skip
        found = [one for one in self._searched(picks.search, near) if one not in picked]
        notes, new = [picks.rule] if picks.rule else [], sum(one not in near for one in found)
        if picks.search:
            named = ", ".join(f"“{one}”" for one in picks.search)
            notes.append(f"searched again for {named}, which added {count(new, 'passage')}")
        others = [one for one in near if one not in picked and one not in found]
        order = reader.fitting(question, [*picked, *others[:MORE], *found, *others[MORE:]])
        first, rest = [*of.values()][: len(written)], [*of.values()][len(written) :]
        wholes = [ScoredPassage(one.passage) for one in order]
        read: list[Kept] = [*first, *wholes, *rest]
        selections += [self._selection(n, one) for n, one in enumerate(wholes, len(of))]
        passages = {one.iri: edge.passages for one, edge in zip(selections, of, strict=False)}
        passages |= {one.iri: (whole.passage,) for one, whole in zip(selections[len(of) :], order, strict=True)}
        keys = [one.iri for one in (*selections[: len(written)], *selections[len(of) :],
                                    *selections[len(written) : len(of)])]  # fmt: skip
        why = {edge: f"The model picked others. {one}" for edge, one in
               fit.left([edge for edge in edges if edge not in of]).items()}  # fmt: skip
        left = Chosen((), [ScoredEdge(edge, 0.0, None) for edge in why], None, why)
        yield self._focus(selections, passages, left, begun, calls.take(), rule="; ".join(notes), is_scored=False)
        yield Progress("synthesis", 0, 0)
        said = _through(reader.read(question, written, order), read)
        parts = with_corrections(said, read, self.setting.stores.sources, question)
        cites = dict(zip(keys, read, strict=True))
        rested = yield from self.steps.answer(asked, parts, cites, self.steps.iri("focus"), calls, passages=passages)
        sources = ordered_sources(selections, passages, rested.cited)
        yield rested.done(calls.usage, sources)

    def _searched(self, words: Sequence[str], near: Sequence[ShownPassage]) -> list[ShownPassage]:
        """Return the passages nearest in a second search, for words that a model named, and those that it adds."""
        if not words:
            return []
        known = {one.passage.chunk: one for one in near}
        found = explore(self.setting, self.limits, ", ".join(words), words).passages
        again = [known[one] for one in islice(found, MORE) if one in known]
        return [*again, *shown(self.setting, (one for one in found if one not in known), most=MORE)]

    def _from_facts(
        self, asked: str, question: str, concepts: Sequence[str], calls: Calls, explored: Explored | None = None
    ) -> Iterator[Event]:
        steps, clock = self.steps, self.setting.clock
        begun = clock()
        selector = _SELECTORS[self.limits.selector](self.setting, self.reasoner, self.limits, explored)
        looked = yield from selector.look(question, concepts)
        yield self._exploration(looked, begun)
        yield Progress("focus", 0, len(looked.edges))
        begun = clock()
        chosen = looked.choose()
        is_scored = chosen.read is None
        without = [item for item in chosen.selected if not isinstance(item, SelectedEdge)]
        reasons = iter(self.reasoner.reason_edges(question, without) if is_scored else ())
        kept = [item if isinstance(item, ScoredPassage | SelectedEdge) else next(reasons) for item in chosen.selected]
        selections = [self._selection(number, item, is_scored=is_scored) for number, item in enumerate(kept)]
        passages = {one.iri: (item.passage,) if isinstance(item, ScoredPassage) else item.edge.passages
                    for one, item in zip(selections, kept, strict=True)}  # fmt: skip
        rule = None if is_scored else RULE
        yield self._focus(selections, passages, chosen, begun, calls.take(), rule=rule, is_scored=is_scored)
        yield Progress("synthesis", 0, 0)
        said = self.reasoner.synthesise(question, concepts, kept)
        parts = with_corrections(said, kept, self.setting.stores.sources, question)
        cites = dict(zip(passages, kept, strict=True))
        rested = yield from steps.answer(asked, parts, cites, steps.iri("focus"), calls, passages=passages)
        read = {one.chunk: (one,) for one in chosen.read or ()}
        sources = ordered_sources([*selections, *as_read(read)], {**read, **passages}, rested.cited)
        yield rested.done(calls.usage, sources)

    def _selection(self, number: int, item: Kept, *, is_scored: bool = True) -> e.EdgeSelection | e.ChunkSelection:
        """Return the record of what is kept; facts and passages are numbered together, in their order."""
        score = None if item.score is None else round(item.score, 4)
        if isinstance(item, ScoredPassage):
            named = self.steps.iri("chunk-selection", number)
            return e.ChunkSelection(
                iri=named, document=item.passage.chunk, score=score, score_parts=dict(item.parts) or None
            )
        return e.EdgeSelection(
            iri=self.steps.iri("edge", number),
            edge=item.edge.triple,
            concept=item.concept,
            score=score if is_scored else None,
            reasoning=item.reasoning or None,
            score_parts=dict(item.parts) or None,
            scored_by=item.by,
        )

    def _exploration(self, looked: Looked, begun: datetime) -> Explain:
        keys = "".join(f"{key} .\n" for key in looked.edges)
        title = "Facts looked at, nearest first"
        content = Content(self.steps.iri("explored"), title, "application/n-triples", keys.encode())
        entity = e.Exploration(
            iri=self.steps.iri("exploration"),
            derived_from=(self.steps.iri("grounding"),),
            edge_count=len(looked.edges),
            entities=looked.seeds,
            explored=content.iri,
            **self.steps.timed(begun),
        )
        labels = self.setting.stores.sources.labels_of(looked.seeds)
        return Explain(entity.iri, tuple(rdf.triples(entity)), (content,), labels=labels)

    def _focus(
        self,
        selections: Sequence[e.EdgeSelection | e.ChunkSelection],
        passages: Mapping[str, tuple[Passage, ...]],
        chosen: Chosen,
        begun: datetime,
        calls: CallRecord,
        *,
        rule: str | None = None,
        is_scored: bool = True,
    ) -> Explain:
        candidates = [
            e.Candidate(
                iri=self.steps.iri("candidate", number),
                edge=item.edge.triple,
                concept=item.concept,
                score=round(item.score, 4) if is_scored else None,
                rank=sum(isinstance(one, e.EdgeSelection) for one in selections) + number + 1,
                not_selected=BELOW if is_scored else chosen.why[item.edge],
                scored_by=item.by,
            )
            for number, item in enumerate(chosen.left)
        ]
        facts = [one for one in selections if isinstance(one, e.EdgeSelection)]
        chunks = [one for one in selections if isinstance(one, e.ChunkSelection)]
        edges = [one.edge for one in facts if one.edge] + [one.edge for one in candidates if one.edge]
        scored = scoring_note([*(one.scored_by for one in facts), *(one.scored_by for one in candidates)], "fact")
        entity = e.Focus(
            iri=self.steps.iri("focus"),
            derived_from=(self.steps.iri("exploration"),),
            selected_edges=tuple(selection.iri for selection in facts),
            selected_chunks=tuple(selection.iri for selection in chunks),
            candidates=tuple(candidate.iri for candidate in candidates),
            read=None if chosen.read is None else [one.chunk for one in chosen.read],
            rule="; ".join(note for note in (rule, scored) if note) or None,
            **self.steps.timed(begun),
        )
        return calls.explain(
            entity,
            parts=[*facts, *chunks, *candidates],
            passages={**passages, **{one.chunk: (one,) for one in chosen.read or ()}},
            labels=self.setting.stores.sources.labels(edges),
            curated=self.setting.stores.sources.curations({one.iri: one.edge for one in facts if one.edge}),
        )


def _through(parts: Iterable[AnswerPart], read: Sequence[Kept]) -> Iterator[AnswerPart]:
    """Yield an answer whose citations lead through the facts that were kept, where they are of all cited sentences."""
    facts = [(n, sentence) for n, one in enumerate(read) if not isinstance(one, ScoredPassage)
             for sentence in one.edge.passages]  # fmt: skip
    for part in parts:
        if isinstance(part, Cited):
            through = ((n, _telling(facts, one.passage, *place)) for n, place in part.places.items()
                       if isinstance(one := read[n], ScoredPassage))  # fmt: skip
            yield replace(part, through=tuple((n, found) for n, found in through if found))
        else:
            yield part


def _telling(facts: Iterable[tuple[int, Passage]], whole: Passage, start: int, end: int) -> tuple[int, ...]:
    """Return the facts whose sentences are in a span of a whole passage and leave no word of it out; else none."""
    places = ((one.start - whole.start, one.end - whole.start, n) for n, one in facts if one.chunk == whole.chunk)
    inside = sorted((first, last, n) for first, last, n in places if first < end and start < last)
    at = start
    for first, last, _ in inside:
        if whole.text[at:first].strip():
            return ()
        at = max(at, last)
    return () if whole.text[at:end].strip() else tuple(dict.fromkeys(n for *_, n in inside))
