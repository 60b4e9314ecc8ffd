"""The steps that all searches have: Question, Grounding, and the answer with citations.

A question may be as long as a book: the record keeps it whole, and what is read of it is bounded here, so that no
search, prompt or sentence about it grows with it.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from explorer import entities as e
from explorer import rdf
from explorer.engines.limits import Limits, PassageLimits
from explorer.engines.outcomes import by_sentences, checked, without_model
from explorer.engines.setting import Setting
from explorer.engines.usage import CallRecord, Calls
from explorer.events import (
    ANSWERED,
    NOT_FOUND,
    UNSURE,
    Content,
    Done,
    Event,
    Explain,
    Passage,
    Support,
    Text,
    Usage,
    outcome_by,
)
from explorer.reasoning.corrected_facts import withdrawn
from explorer.reasoning.extractive.sentence_ranking import weights
from explorer.reasoning.lexical_support import Source, worded
from explorer.reasoning.prompted.reasoner import PromptedReasoner
from explorer.reasoning.protocol import Cited, Kept, Piece, ScoredPassage, Sentence, Verdict
from explorer.stores.document_names import titles
from explorer.text import count, truncate
from explorer.version import __version__
from explorer.vocab import by_index, iri, timestamp

if TYPE_CHECKING:
    from explorer.reasoning import Reasoner

L = TypeVar("L", Limits, PassageLimits)

LONGEST_READ = 4_000
MOST_CONCEPTS = 20
_ASKING = "?？؟"
_ASKED = re.compile(r"(?<=[.!?？؟。！\n])")  # where a sentence may end
_UNSEEN = re.compile(
    "\x1b\\[[0-?]*[ -/]*[@-~]|"
    "[\0-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
NOTHING_LEFT = "Nothing is left to answer from: this run leaves out all that the documents say."


@dataclass(frozen=True, slots=True)
class Form:
    """How the runs of one engine are written down: its name, its kind of Question, its IRIs and titles."""

    engine: str
    question: type[e.Question]
    prefix: str
    title: str


@dataclass(frozen=True, slots=True)
class StepEvents:
    """Makes the events of one run's steps."""

    form: Form
    setting: Setting

    def iri(self, kind: str, index: int | None = None) -> str:
        """Return the IRI of a stage, of an answer's content, or of a part that has a number."""
        prefix = self.form.prefix if index is None else ""
        return iri(f"{prefix}{kind}", self.setting.session, index)

    def since(self, begun: datetime) -> int:
        """Return the milliseconds since a moment without the run's pauses, 0 for a clock that was set back."""
        now, pauses = self.setting.clock(), self.setting.pauses
        spent = now - begun - (pauses.since(begun) if pauses else timedelta())
        return max(0, round(spent.total_seconds() * 1000))

    def timed(self, begun: datetime) -> dict[str, Any]:
        """Return when a step began, and how long it took, as its fields."""
        return {"begun_at": timestamp(begun), "duration_ms": self.since(begun)}

    def question(self, question: str, parameters: dict[str, Any], reasoner: str) -> Explain:
        """Return the Question, in full."""
        entity = self.form.question(
            iri=self.iri("question"),
            query=question,
            started_at=timestamp(self.setting.clock()),
            derived_from=(self.setting.parent,) if self.setting.parent else (),
            engine=f"{self.form.engine}/{__version__}",
            parameters=parameters,
            reasoner=reasoner,
            embedder=self.setting.embedder.name,
            without=by_index(self.setting.left_out.iris),
            without_facts=self.setting.left_out.facts,
            within=self.setting.left_out.within,
            scope=self.setting.scope,
            varies=None if self.setting.parent else self.setting.varies,
        )
        stores = self.setting.stores
        labels = stores.sources.labels(entity.without_facts) | titles(stores.database, entity.without)
        return Explain(entity.iri, tuple(rdf.triples(entity)), labels=labels)

    def grounding(
        self, question: str, concepts: Sequence[str], begun: datetime, calls: CallRecord, most: int
    ) -> Explain:
        """Return the concepts, and which part of the question was read, of which `most` characters are."""
        entity = e.Grounding(
            iri=self.iri("grounding"),
            derived_from=(self.iri("question"),),
            concepts=tuple(dict.fromkeys(concepts)),
            ordered=list(concepts),
            **self.timed(begun),
            rule=truncation_note(question, most),
        )
        return calls.explain(entity)

    def answer(
        self,
        question: str,
        parts: Iterable[Sentence | Piece | Cited | Verdict],
        kept: Mapping[str, Kept],
        above: str,
        calls: Calls,
        *,
        passages: Mapping[str, Sequence[Passage]] = MappingProxyType({}),
    ) -> Generator[Event, None, Rested]:
        """Yield an answer as it comes, then emit it whole.

        `kept` are what its numbers stand for, in order; `passages` where that stands.
        """
        begun, node = self.setting.clock(), self.iri("synthesis")
        said = yield from stream_answer(parts, node, self.setting)
        keys, items = [*kept], [*kept.values()]
        each = [Rest([keys[n] for n in span.behind],
                     {keys[n]: place for n, place in span.places.items() if n in span.behind},
                     [source_of(items[n], span.places.get(n)) for n in span.cites])
                for span in said.spans]  # fmt: skip
        basis = Basis(each, kept)
        asked = truncate_question(question, longest_read(calls.reasoner))
        rested = yield from self.rest(node, said, basis, asked, calls.reasoner)
        answer, citations = rested.said, rested.citations
        title = f"{self.form.title}: {truncate(question, 50)}"
        content = Content(self.iri("answer"), title, "text/plain", answer.text.encode())
        entity = e.Synthesis(
            iri=node,
            derived_from=(above,),
            document=content.iri,
            termination_reason="declined" if answer.reason == "declined" else None,
            **rested.fields,
            rule=answer.rule,
            **self.timed(begun),
        )
        record = calls.take()
        written = rdf.triples(record.on(entity)) + [quad for citation in citations for quad in rdf.triples(citation)]
        known = self.setting.stores.sources
        corrected = withdrawn(citations, lambda key: passages.get(key, ()), answer.text, question, known)
        yield Explain(node, (*written, *record.hashes), (content, *record.contents), curated=corrected)
        return rested

    def rest(
        self, node: str, said: AnswerText, basis: Basis, question: str, reasoner: Reasoner
    ) -> Generator[Event, None, Rested]:
        """Return an answer with the record of what it rests on; one of which nothing is supported is not found, and
        what is said without a model is yielded below it: of a run that is checked, not of those within it.

        Every sentence that a model wrote is compared with what it cites, and checked, unless it declines.
        """
        session = self.setting.session
        if not isinstance(reasoner, PromptedReasoner) or said.reason != "done":
            quotes = [citation(session, n, *one) for n, one in enumerate(zip(said.spans, basis.each, strict=True))]
            return Rested(said, quotes, outcome_by(said.reason, said.support))
        citations, check = checked(self.setting, reasoner, question, said.text, basis.compared(said, self.setting))
        outcome = by_sentences(citations)
        if outcome != NOT_FOUND or self.setting.parent or not self.setting.check:
            return Rested(said, citations, outcome, check)
        keys, at = [*basis.kept], len(said.text)
        parts = without_model(self.setting, question, [*basis.kept.values()])
        below = yield from stream_answer(parts, node, self.setting)
        for number, span in enumerate(below.spans, len(citations)):
            moved = replace(span, start=at + span.start, end=at + span.end)
            of = {keys[n]: place for n, place in span.places.items()}
            citations.append(citation(session, number, moved, Rest([keys[n] for n in span.cites], of)))
        return Rested(replace(said, text=said.text + below.text, reason="declined"), citations, outcome, check)


@dataclass(frozen=True, slots=True)
class Search(ABC, Generic[L]):
    """A search of the documents, the engine of one run; iterate `run()`."""

    form: ClassVar[Form]
    setting: Setting
    reasoner: Reasoner
    limits: L

    def run(self, question: str) -> Iterator[Event]:
        """Derive an answer and emit each step as soon as it is done; a failing model ends in a Failure."""
        calls = Calls(self.reasoner, self.setting.session, self.setting.record_prompts)
        return calls.watch(self._steps(question, calls))

    @property
    def steps(self) -> StepEvents:
        """The events of its steps."""
        return StepEvents(self.form, self.setting)

    def _steps(self, asked: str, calls: Calls) -> Iterator[Event]:
        yield self.steps.question(asked, asdict(self.limits), self.reasoner.name)
        begun, most = self.setting.clock(), longest_read(self.reasoner)
        question = truncate_question(asked, most)
        concepts = self._concepts(question)
        yield self.steps.grounding(asked, concepts, begun, calls.take(), most)
        if self.setting.nothing_left:
            parts = (Sentence(NOTHING_LEFT), Verdict("declined"))
            yield from self.steps.answer(asked, parts, {}, self.steps.iri("grounding"), calls)
            yield Done("declined", calls.usage, outcome=NOT_FOUND)
            return
        yield from self._answered(asked, question, concepts, calls)

    def _concepts(self, question: str) -> list[str]:
        return limit_concepts(self.reasoner.concepts(question))

    @abstractmethod
    def _answered(self, asked: str, question: str, concepts: Sequence[str], calls: Calls) -> Iterator[Event]:
        """Look, select, and answer; `question` is what is read of the one `asked`."""


@dataclass(frozen=True, slots=True)
class AnswerText:
    """An answer that has come whole: its text, the spans that cite something, and the fields of the Verdict.

    `replied`: how much of the text a model wrote, in code points; what follows it was added. None: no model did.
    """

    text: str
    spans: tuple[Cited, ...]
    reason: str
    missing: tuple[str, ...] = ()
    support: Support | None = None
    rule: str | None = None
    replied: int | None = None


def stream_answer(
    parts: Iterable[Sentence | Piece | Cited | Verdict], node: str, setting: Setting
) -> Generator[Event, None, AnswerText]:
    """Yield an answer as it comes, as text of the node it will be; return it whole. One that declines while documents
    are being read in says so, unless it is that of a search within another run, which will say so itself.
    """
    text, verdict, replied = "", Verdict("done"), None
    spans: list[Cited] = []
    for given in parts:
        part = given
        if isinstance(part, Verdict):
            verdict = part
            if part.reason != "declined" or setting.parent or not setting.being_read:
                continue
            part = Sentence(f"({setting.being_read[0]})")
        if isinstance(part, Cited):
            spans.append(part)
            continue
        delta = f" {part.text}" if text and isinstance(part, Sentence) else part.text
        text += delta
        replied = len(text) if isinstance(part, Piece) else replied
        if isinstance(part, Sentence) and (part.cites or part.outcome):
            spans.append(Cited(len(text) - len(part.text), len(text), part.cites, part.source, outcome=part.outcome))
        yield Text(node, "answer", delta)
    return AnswerText(text, tuple(spans), verdict.reason, verdict.missing, verdict.support, verdict.rule, replied)


@dataclass(frozen=True, slots=True)
class Rest:
    """What a span of an answer rests on: the IRIs that it cites, where in the chunk of each the words stand that it
    quotes (a start and an end, or several in order), and the texts that it is compared with.
    """

    cites: Sequence[str]
    places: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    sources: Sequence[Source] = ()


def citation(session: str, number: int, span: Cited, rest: Rest) -> e.Citation:
    """Return the record of a span of an answer and of what it rests on."""
    cites = by_index(rest.cites)
    start, end = rest.places.get(cites[0], (None, None))[:2] if cites else (None, None)
    is_more = any(key not in cites[:1] or len(place) > 2 for key, place in rest.places.items())
    quotes = {key: [*place] for key, place in rest.places.items()} if is_more else None
    return e.Citation(
        iri=iri("citation", session, number), start=span.start, end=span.end, cites=cites,
        source_start=start, source_end=end, quotes=quotes, outcome=span.outcome,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Basis:
    """What each span of an answer rests on; `kept` is what can be quoted without a model, by its IRI."""

    each: Sequence[Rest]
    kept: Mapping[str, Kept] = field(default_factory=dict)

    def compared(self, said: AnswerText, setting: Setting) -> list[tuple[e.Citation, Sequence[Source]]]:
        """Return each sentence that a model wrote, compared with the texts that it cites, and these."""
        of = dict(zip(said.spans, self.each, strict=True))
        sources = {span: rest.sources for span, rest in of.items()}
        found = worded(said.text[: said.replied], sources, setting.embedder)
        nothing = Rest(())
        return [
            (
                replace(
                    citation(setting.session, number, one.span, of.get(one.span, nothing)),
                    lexical_support=one.level, not_in_source=tuple(sorted(one.missing)),
                ),
                sources.get(one.span, ()),
            )
            for number, one in enumerate(found)
        ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rested:
    """An answer with the record of what its spans rest on: how it came out by that, and whether a model checked it."""

    said: AnswerText
    citations: Sequence[e.Citation]
    outcome: str | None
    check: str | None = None

    @property
    def cited(self) -> tuple[str, ...]:
        """The IRIs that it cites."""
        return tuple(cited for citation in self.citations for cited in citation.cites)

    def done(self, usage: Usage, sources: tuple[Passage, ...]) -> Done:
        """Return the end of a search with this answer."""
        said = self.said
        return Done(said.reason, usage, sources, missing=said.missing, support=said.support, outcome=self.outcome)

    @property
    def fields(self) -> dict[str, Any]:
        """How it came out, as fields of its node: with its support stands by which borders that was judged."""
        support = self.said.support
        cut = {ANSWERED: weights().sure, UNSURE: weights().none} if support else None
        record = support_on_record(support) if support else None
        return {"outcome": self.outcome, "check": self.check, "support": record, "support_cut": cut}


def source_of(item: Kept, place: tuple[int, int] | None = None) -> Source:
    """Return what a model was given of a fact, with its sentences, or of a passage, and which words of it are cited."""
    if isinstance(item, ScoredPassage):
        return Source.of(item.passage.title, item.passage.text, place)
    return Source("\n".join([item.edge.text, *(passage.text for passage in item.edge.passages)]))


def support_on_record(support: Support) -> dict[str, Any]:
    """Return the support of an answer as its node holds it."""
    answered = {} if support.answered is None else {"answered": list(support.answered)}
    return {
        "value": support.value, "level": support.level, "parts": dict(support.parts), "sure": support.sure, **answered,
    }  # fmt: skip


def longest_read(reasoner: object) -> int:
    """Return how many characters of a question are read: with a model fewer where its context is small."""
    return min(LONGEST_READ, reasoner.longest_question) if isinstance(reasoner, PromptedReasoner) else LONGEST_READ


def truncate_question(question: str, most: int = LONGEST_READ) -> str:
    """Return a question as it is read: without what nobody sees, of a long one beginning and end with a mark between.

    What asks between these stays in the place of some of them. Codes of a terminal, control characters and marks of
    direction or without width would end up inside of words.
    """
    if len(question) > most:
        end, asked = _ends(question, most)
        question = " […] ".join(filter(None, (question[:end], asked, question[-end:])))
    return _UNSEEN.sub("", question)


def _ends(question: str, most: int) -> tuple[int, str]:
    """Return how many characters are read at either end of a long question, and what asks between."""
    third = most // 3
    between = _ASKED.split(question[third:-third])[1:-1]
    asked = " ".join(dict.fromkeys(one.strip() for one in between if one[-1:] in _ASKING))[:third]
    return (third if asked else most // 2), asked


def limit_concepts(concepts: Sequence[str]) -> list[str]:
    """Return the concepts to look for: of many the first and the last, as a long text asks at its beginning or end."""
    half = MOST_CONCEPTS // 2
    return list(concepts) if len(concepts) <= MOST_CONCEPTS else [*concepts[:half], *concepts[-half:]]


def scoring_note(scored_by: Iterable[str | None], noun: str) -> str | None:
    """Return how many were not scored by the run's reasoner, and by what; None where all were."""
    scorers = list(scored_by)
    others = [by for by in scorers if by is not None]
    if not others:
        return None
    return f"{len(others)} of {count(len(scorers), noun)} scored by {others[0]}, as no reply held a score that tells"


def truncation_note(question: str, most: int = LONGEST_READ) -> str | None:
    """Return which part of a question was read; None where all of it was."""
    if len(question) <= most:
        return None
    end, asked = _ends(question, most)
    more = ", and what asks between" if asked else ""
    return f"of {len(question):,} characters the first and last {end:,} were read{more}"
