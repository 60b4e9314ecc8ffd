"""The steps that all searches have: Question, Grounding, and the answer with citations.

A question may be as long as a book: the record keeps it whole, and what is read of it is bounded here, so that no
search, prompt or sentence about it grows with it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from explorer import __version__, rdf
from explorer import entities as e
from explorer.engines.setting import Setting
from explorer.engines.usage import CallRecord, Calls
from explorer.events import Content, Event, Explain, Text
from explorer.reasoning.protocol import Cited, Piece, Sentence, Verdict
from explorer.text import truncate
from explorer.vocab import iri, timestamp

LONGEST_READ = 4_000
MOST_CONCEPTS = 20


@dataclass(frozen=True, slots=True)
class Form:
    """How the runs of one engine are written down: its name, its kind of Question, its IRIs and titles."""

    engine: str
    question: type[e.Question]
    prefix: str
    title: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an answer came out: "done" or "declined", the IRIs it cites, and what its evidence does not cover."""

    reason: str
    cited: tuple[str, ...]
    missing: tuple[str, ...] = ()


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
        """Return the milliseconds since a moment, 0 for a clock that was set back."""
        return max(0, round((self.setting.clock() - begun).total_seconds() * 1000))

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
        )
        return Explain(entity.iri, tuple(rdf.triples(entity)))

    def grounding(self, question: str, concepts: Sequence[str], begun: datetime, calls: CallRecord) -> Explain:
        """Return the concepts, and the rule by which only a part of the question was read."""
        entity = e.Grounding(
            iri=self.iri("grounding"),
            derived_from=(self.iri("question"),),
            concepts=tuple(dict.fromkeys(concepts)),
            ordered=list(concepts),
            duration_ms=self.since(begun),
            rule=truncation_note(question),
        )
        return calls.explain(entity)

    def answer(
        self,
        question: str,
        parts: Iterable[Sentence | Piece | Cited | Verdict],
        cites: Sequence[str],
        above: str,
        calls: Calls,
    ) -> Generator[Event, None, Outcome]:
        """Yield an answer as it comes, then emit it whole; `cites[n]` is what the number n stands for."""
        begun, node = self.setting.clock(), self.iri("synthesis")
        answer = yield from stream_answer(parts, node)
        citations = [citation(self.setting.session, number, span, [cites[index] for index in span.cites])
                     for number, span in enumerate(answer.spans)]  # fmt: skip
        content = self._content(question, answer.text)
        entity = e.Synthesis(
            iri=node,
            derived_from=(above,),
            document=content.iri,
            termination_reason="declined" if answer.reason == "declined" else None,
            duration_ms=self.since(begun),
        )
        record = calls.take()
        written = rdf.triples(record.on(entity)) + [quad for citation in citations for quad in rdf.triples(citation)]
        yield Explain(node, (*written, *record.hashes), (content, *record.contents))
        return Outcome(
            answer.reason, tuple(cited for citation in citations for cited in citation.cites), answer.missing
        )

    def _content(self, question: str, answer: str) -> Content:
        return Content(
            self.iri("answer"), f"{self.form.title}: {truncate(question, 50)}", "text/plain", answer.encode()
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class AnswerText:
    """An answer that has come whole: its text, the spans that cite something, and the Verdict's two fields."""

    text: str
    spans: tuple[Cited, ...]
    reason: str
    missing: tuple[str, ...] = ()


def stream_answer(parts: Iterable[Sentence | Piece | Cited | Verdict], node: str) -> Generator[Event, None, AnswerText]:
    """Yield an answer as it comes, as text of the node it will be; return it whole."""
    text, verdict = "", Verdict("done")
    spans: list[Cited] = []
    for part in parts:
        if isinstance(part, Verdict):
            verdict = part
            continue
        if isinstance(part, Cited):
            spans.append(part)
            continue
        delta = f" {part.text}" if text and isinstance(part, Sentence) else part.text
        text += delta
        if isinstance(part, Sentence) and part.cites:
            spans.append(Cited(len(text) - len(part.text), len(text), part.cites))
        yield Text(node, "answer", delta)
    return AnswerText(text, tuple(spans), verdict.reason, verdict.missing)


def citation(session: str, number: int, span: Cited, cites: Sequence[str]) -> e.Citation:
    """Return the record of a span of an answer and of what it rests on."""
    return e.Citation(iri=iri("citation", session, number), start=span.start, end=span.end, cites=tuple(cites))


def truncate_question(question: str) -> str:
    """Return a question as it is read: whole, or of a long one its beginning and end with a mark between."""
    if len(question) <= LONGEST_READ:
        return question
    half = LONGEST_READ // 2
    return f"{question[:half]} […] {question[-half:]}"


def limit_concepts(concepts: Sequence[str]) -> list[str]:
    """Return the concepts to look for: of many the first and the last, as a long text asks at its beginning or end."""
    half = MOST_CONCEPTS // 2
    return list(concepts) if len(concepts) <= MOST_CONCEPTS else [*concepts[:half], *concepts[-half:]]


def truncation_note(question: str) -> str | None:
    """Return which part of a question was read; None where all of it was."""
    if len(question) <= LONGEST_READ:
        return None
    return f"of {len(question):,} characters the first and last {LONGEST_READ // 2:,} were read"
