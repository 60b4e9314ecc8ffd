"""The course of one run of another pipeline: what it has told so far, and how that is written."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from explorer import entities as e
from explorer import rdf
from explorer.engines.usage import Calls, failure
from explorer.errors import QuestionError
from explorer.events import Content, Done, Explain, Passage, Text, Usage
from explorer.models.embedding import Embedder
from explorer.observing.citing import Citing
from explorer.observing.masking import Masking
from explorer.observing.passage_places import Placing
from explorer.observing.pushed_run import Feed
from explorer.observing.retrieved import Retrieved
from explorer.reasoning.protocol import ModelCall
from explorer.reasoning.replies.citations import Claim
from explorer.text import count, truncate
from explorer.vocab import iri, timestamp

_LONGEST_TITLE, _GIVEN = 50, 200  # letters; of a passage so many stand in a prompt that was cut
_OF_SEARCH = ("question", "exploration", "focus", "synthesis", "answer")


@dataclass(slots=True)
class Whole:
    """What the runs within one run share: where it is written, who made it, its clock, ids, embedder and lock."""

    feed: Feed
    placing: Placing
    pipeline: str
    clock: Callable[[], datetime]
    ids: Callable[[], str]
    keep_prompts: bool
    embedder: Embedder
    lock: threading.RLock = field(default_factory=threading.RLock)
    masking: Masking = field(default_factory=Masking)


@dataclass(slots=True)
class _Told:
    """The calls to models that were told since the last step, as `Calls` takes them; it reasons nothing itself."""

    name: str = ""
    calls: list[ModelCall] = field(default_factory=list)

    def take_calls(self) -> list[ModelCall]:
        calls, self.calls = self.calls, []
        return calls


class Course:
    """Writes the nodes of one session, each below the last."""

    def __init__(
        self, whole: Whole, question: str, session: str, parent: str = "", begun: datetime | None = None
    ) -> None:
        """Begin a run, or one within another, below its node `parent`; nothing is written yet."""
        self.whole = whole
        self.asked = question
        self.session = session
        self.parent = parent
        self.is_agent = False
        self.question = ""  # the IRI of the Question, once it is written
        self.last = ""
        self.stage = ""  # the newest of a search, from which its answer derives
        self.steps = 0
        self.answered = False
        self.found: dict[str, Passage] = {}  # by chunk
        self.kept: dict[str, str] = {}  # the selections of chunks
        self.searches: list[Course] = []  # within this run
        self._told: list[Retrieved] = []
        self._known: dict[tuple[str, str], Retrieved] = {}  # by words and by id
        self._started = self._begun = begun or whole.clock()
        self._prompts: list[str] = []
        self._written = ""
        self._asking = _Told()
        self._calls = Calls(self._asking, session, whole.keep_prompts)  # type: ignore[arg-type]

    @property
    def usage(self) -> Usage:
        """What its calls to models used, as it told."""
        return self._calls.usage

    @property
    def answer_iri(self) -> str:
        """The IRI of its answer."""
        return self.iri("conclusion") if self.is_agent else self.iri("synthesis")

    def iri(self, kind: str) -> str:
        """Return the IRI of a stage."""
        prefix = "" if kind not in _OF_SEARCH else "agent-" if self.is_agent else "docrag-"
        return iri(f"{prefix}{kind}", self.session)

    def check_open(self) -> None:
        """Raise QuestionError where the run has its answer or has ended."""
        if self.answered or self.whole.feed.over:
            raise QuestionError("This run has its answer, or has ended; record another one for another question.")

    def begin(self, *, agent: bool = False) -> None:
        """Write the Question before the first step that is told, which says what kind of run it is; raises
        QuestionError.
        """
        self.check_open()
        if self.question:
            return
        self.is_agent = agent
        self.question = self.iri("question")
        self.explain((e.AgentQuestion if agent else e.DocRagQuestion)(
            iri=self.question, query=self.whole.masking.text(self.asked), started_at=timestamp(self._started),
            derived_from=(self.parent,) if self.parent else (), engine=self.whole.pipeline,
        ))  # fmt: skip

    def within(self, question: str) -> Course:
        """Return the course of a run within this one, below what came last."""
        return Course(self.whole, question, self.whole.ids(), self.last)

    def search(self, question: str) -> Course:
        """Return the course of a search within this run, which began where the step before it ended."""
        self.searches.append(Course(self.whole, question, self.whole.ids(), self.last, self._begun))
        return self.searches[-1]

    def unchosen(self, told: Sequence[Retrieved]) -> Course | None:
        """Return the newest search, this run's or one within it, that found some of these and has kept nothing yet."""
        newest = (self, *reversed(self.searches))
        return next((one for one in newest if one.stage and not one.kept and any(map(one.known, told))), None)

    def resume(self, at: datetime | None = None) -> None:
        """Begin the next step now or at a moment, rather than where the one before ended."""
        self._begun = at or self.whole.clock()

    def timed(self) -> dict[str, Any]:
        """Return when a step began, which is when the one before ended, and how long it took, as its fields."""
        now = self.whole.clock()
        begun, self._begun = self._begun, now
        return {"begun_at": timestamp(begun), "duration_ms": max(0, round((now - begun).total_seconds() * 1000))}

    def place(self, told: Sequence[Retrieved]) -> tuple[list[Passage], dict[str, float]]:
        """Return where passages stand, and their scores by chunk."""
        safe = [replace(one, text=self.whole.masking.text(one.text)) for one in told]
        passages = self.whole.placing(safe)
        self._note(safe)
        self.found.update({one.chunk: one for one in passages})
        chunk = self.whole.placing.chunk
        return passages, {chunk(one): one.score for one in safe if one.score is not None}

    def known(self, one: Retrieved) -> Retrieved | None:
        """Return a passage as it was looked at, by its words, else by its id."""
        words = _words(self.whole.masking.text(one.text))
        return self._known.get(("words", words)) or (self._known.get(("id", one.id)) if one.id else None)

    def take_in(self, inner: Course) -> None:
        """Count what a run within has found towards what the answer may rest on, and go on after it."""
        self.resume()
        self.found.update(inner.found)
        self._note(inner._told)

    def _note(self, told: Sequence[Retrieved]) -> None:
        self._told += told
        for one in told:
            self._known.setdefault(("words", _words(one.text)), one)
            self._known.setdefault(("id", one.id), one)

    def by_name(self, given: Mapping[str, str], chunk: str) -> str:
        """Return what is given for a passage by any of its names; an empty text where nothing is."""
        told = (one for one in self._told if self.whole.placing.chunk(one) == chunk)
        return next((str(given[name]) for one in told for name in one.names if name in given), "")

    def explain(
        self,
        entity: e.Step,
        parts: Iterable[e.Entity] = (),
        passages: Mapping[str, tuple[Passage, ...]] | None = None,
        contents: tuple[Content, ...] = (),
    ) -> None:
        """Put a step on record."""
        triples = tuple(rdf.triples(entity, parts=list(parts)))
        self.whole.feed.push(Explain(entity.iri, triples, contents, passages or {}))
        self.last = entity.iri

    def prompted(self, call: ModelCall) -> None:
        """Note a call to a model, which is written with the answer."""
        self._prompts.append(_words(call.prompt))
        self._asking.calls.append(call)

    def write(self, delta: str) -> None:
        """Pass on a piece of the answer."""
        self._written += delta
        self.whole.feed.push(Text(self.answer_iri, "answer", delta))

    def answer(self, text: str, claims: Sequence[Claim]) -> None:
        """Put the answer on record, with what each of its sentences rests on."""
        if rest := text.removeprefix(self._written):
            self.whole.feed.push(Text(self.answer_iri, "answer", rest))
        keys = self.kept | {chunk: chunk for chunk in self.found if chunk not in self.kept}
        cited = Citing(keys, self.found, self._told, self.whole.embedder).citations(self.session, text, claims)
        title = f"Answer: {truncate(self.asked, _LONGEST_TITLE)}"
        content = Content(self.iri("answer"), title, "text/plain", text.encode())
        calls, masked = self._calls.take(), self.whole.masking.masked
        words = ((chunk, _words(one.text)[:_GIVEN]) for chunk, one in self.found.items())
        given = sorted(chunk for chunk, begun in words if begun and any(begun in one for one in self._prompts))
        entity = calls.on((e.Conclusion if self.is_agent else e.Synthesis)(
            iri=self.answer_iri, derived_from=(self.stage or self.last,), document=content.iri if text else None,
            given=tuple(given),
            rule=f"{count(masked, 'secret')} masked" if masked else None, **self.timed(),
        ))  # fmt: skip
        quads = (*rdf.triples(entity), *(quad for one in cited for quad in rdf.triples(one)), *calls.hashes)
        contents = (content, *calls.contents) if text else calls.contents
        self.whole.feed.push(Explain(entity.iri, quads, contents))
        self.last, self.answered = entity.iri, True

    def fail(self, error: str) -> None:
        """Put on record that the run failed, with the calls to models that led to no answer."""
        self.whole.feed.push(self._calls.take().explain(failure(self.session, [self.last], error)))
        self.whole.feed.push(Done("error", self.usage, error=error))


def _words(text: str) -> str:
    """Return a text as it is compared, however white space divides it."""
    return " ".join(text.split())
