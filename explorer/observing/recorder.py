"""The recorder that runs of other pipelines end in: what they tell becomes the same record as that of our engines.

What was not told is not written. A run that looks passages up is a search, one that begins with a step is an agent's;
what an agent looks up by itself is a search within its run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import TracebackType
from typing import Self

from explorer import entities as e
from explorer.errors import QuestionError, message_of
from explorer.events import Content, Done, Passage, Text, Usage
from explorer.observing.retrieved import Retrieved, scored
from explorer.observing.run_writer import Course
from explorer.reasoning.protocol import ModelCall
from explorer.reasoning.replies.citations import Claim, answer_of
from explorer.text import truncate
from explorer.vocab import iri

_CANCELLED = "CancelledError"  # of asyncio, and of concurrent.futures, which is an Exception


class RecordedRun:
    """A run of another pipeline while it goes on; use it in a `with` block, or an `async with`.

    Each call is on record when it returns. An error that leaves the block ends the run as failed, a cancellation as
    stopped. Calls may come from several threads.
    """

    def __init__(self, course: Course) -> None:
        self.course = course
        self._lock = course.whole.lock

    @property
    def iri(self) -> str:
        """The IRI of its Question; empty before anything was told."""
        return self.course.question

    def looked_at(
        self, passages: Iterable[object], scores: Iterable[float] | None = None, *, query: str | None = None
    ) -> None:
        """Tell which passages were retrieved, best first: texts, mappings, or objects with a text and metadata.

        `scores` are as many, on any scale. A second search, or an agent's own, is a search within the run; `query` is
        what it looked for. Raises QuestionError for what is no passage.
        """
        told = scored(passages, scores)
        with self._lock:
            course = self.course
            if course.is_agent or course.stage:
                course.begin()
                inner = course.search(query or course.asked)
                RecordedRun(inner).looked_at(told)
                course.take_in(inner)
                return
            course.begin()
            found, raw = course.place(told)
            chunks = [one.chunk for one in found]
            entity = e.Exploration(
                iri=course.iri("exploration"), derived_from=(course.last,), chunk_count=len(chunks), ordered=chunks,
                selected_chunks=tuple(chunks), scores=raw or None, **course.timed(),
            )  # fmt: skip
            course.explain(entity, passages={one.chunk: (one,) for one in found})
            course.stage = entity.iri

    def kept(
        self,
        passages: Iterable[object],
        why: Mapping[str, str] | Iterable[str] | None = None,
        *,
        scores: Iterable[float] | None = None,
        left: Mapping[str, str] | str | None = None,
    ) -> None:
        """Tell which passages were kept of those looked at, best first, by a reranker or a filter.

        `why` is a reason each, in their order or by id; `scores` are those of the reranker. `left` is why the others
        were left out: one reason for all, or by id. Of an agent's searches it is the newest that found some of them.
        Raises QuestionError where nothing was looked at before, or one is none of these.
        """
        told = scored(passages, scores)
        with self._lock:
            course = self.course.unchosen(told) or self.course
            looked = [*course.found]
            if not course.stage or course.kept:
                raise QuestionError("Tell `looked_at` before `kept`, and `kept` once in a search.")
            course.begin()
            found, raw = course.place([replace(course.known(one) or one, score=one.score) for one in told])
            if strange := next((one for one in found if one.chunk not in looked), None):
                raise QuestionError(f"“{truncate(strange.text)}” was kept and is none of the passages looked at.")
            selections = [
                e.ChunkSelection(
                    iri=iri("chunk-selection", course.session, number), document=one.chunk,
                    score=_share(raw.get(one.chunk)), reasoning=reason,
                )
                for number, (one, reason) in enumerate(zip(found, _reasons(why, told), strict=False))
            ]  # fmt: skip
            course.kept = {one.document or "": one.iri for one in selections}
            out = [chunk for chunk in looked if chunk not in course.kept]
            reasons = left if isinstance(left, Mapping) else None
            entity = e.Focus(
                iri=course.iri("focus"), label="Chunk Selection", derived_from=(course.stage,), scores=raw or None,
                selected_chunks=tuple(one.iri for one in selections),
                left={one: str(left or "") if reasons is None else course.by_name(reasons, one) for one in out} or None,
                **course.timed(),
            )  # fmt: skip
            kept = {one.iri: (passage,) for one, passage in zip(selections, found, strict=True)}
            course.explain(entity, selections, kept)
            course.stage = entity.iri

    def step(self, kind: str = "tool", name: str = "", arguments: object = None, result: object = None) -> RecordedStep:
        """Tell a step: a call of a tool, or anything else a pipeline does, with its arguments and its result.

        Without a result it is open until `done`, or the end of its `with` block. Secrets in it are masked.
        """
        with self._lock:
            course = self.course
            course.begin(agent=True)
            course.steps += 1
            action = truncate(str(name or kind), 200)
            entity = e.Analysis(
                iri=iri("analysis", course.session, course.steps), label=f"Analysis: {action}", action=action,
                arguments=course.whole.masking.as_object(arguments),
                step_number=course.steps, derived_from=(course.last,), **course.timed(),
            )  # fmt: skip
            course.explain(entity)
            step = RecordedStep(course, course.steps, entity.iri)
        if result is not None:
            step.done(result)
        return step

    def nested(self, question: str) -> RecordedRun:
        """Return a run within this one, as of an agent that was handed a part of the question."""
        with self._lock:
            self.course.begin(agent=True)
            return RecordedRun(self.course.within(question))

    def prompt(
        self,
        text: str,
        reply: str = "",
        *,
        model: str | None = None,
        in_tokens: int | None = None,
        out_tokens: int | None = None,
        cost: float | None = None,
        error: Exception | str | None = None,
    ) -> None:
        """Tell what a model was given, and what it replied; which passages stand in it is found by their words.

        `cost` is what it cost in US dollars, `error` what the call ended with, where it failed.
        """
        with self._lock:
            self.course.check_open()
            prompt, said = map(self.course.whole.masking.text, (text, reply))
            failed = error if isinstance(error, str) or error is None else message_of(error)
            failed = None if failed is None else self.course.whole.masking.text(failed)
            self.course.prompted(ModelCall(prompt, said, Usage(in_tokens, out_tokens, model, cost=cost), failed))

    def write(self, delta: str) -> None:
        """Tell a piece of the answer while it is written; `answer` tells it whole."""
        with self._lock:
            self.course.begin()
            self.course.write(delta)

    def answer(self, reply: object, citations: Iterable[Claim] = ()) -> None:
        """Tell the answer: a text, or the reply of a provider as it came, whose citations are read.

        Each sentence is aligned with what was retrieved. A second answer in one run raises QuestionError.
        """
        text, claims = answer_of(reply)
        if not text and not isinstance(reply, str):
            raise QuestionError(
                f"The reply has no text that could be found; give the text of the answer, not {reply!r:.80}."
            )
        with self._lock:
            self.course.begin()
            self.course.answer(self.course.whole.masking.text(text), [*claims, *citations])

    def fail(self, error: Exception | str) -> None:
        """End the run as failed, with what was told until then on record."""
        with self._lock:
            if self._is_open():
                said = error if isinstance(error, str) else message_of(error)
                self.course.fail(self.course.whole.masking.text(said))

    def stop(self) -> None:
        """End the run as stopped."""
        with self._lock:
            if self._is_open():
                self.course.whole.feed.stop()

    def end(self) -> None:
        """End the run; without an answer it is on record as stopped."""
        with self._lock:
            if not self.course.answered:
                self.stop()
            elif not self.course.parent and not self.course.whole.feed.over:
                self.course.whole.feed.push(Done("done", self.course.usage))

    def _is_open(self) -> bool:
        """Return whether it has to be ended; of a run within, the whole does that. Its Question is written then."""
        if self.course.parent or self.course.whole.feed.over:
            return False
        if not self.course.question:
            self.course.begin()
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.end()
        elif isinstance(error, Exception) and type(error).__name__ != _CANCELLED:
            self.fail(error)
        else:
            self.stop()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, trace)


class RecordedStep:
    """A step that goes on: what it looks at, and its result; use it in a `with` block, or call `done`."""

    def __init__(self, course: Course, number: int, node: str) -> None:
        self._course = course
        self._number = number
        self._node = node
        self._passages: dict[str, Passage] = {}
        self._scores: dict[str, float] = {}
        self._is_done = False

    def looked_at(self, passages: Iterable[object], scores: Iterable[float] | None = None) -> None:
        """Tell which passages the step retrieved; raises QuestionError for what is no passage."""
        told: list[Retrieved] = scored(passages, scores)
        with self._course.whole.lock:
            found, raw = self._course.place(told)
            self._passages |= {one.chunk: one for one in found}
            self._scores |= raw

    def done(self, result: object = "", error: Exception | str | None = None) -> None:
        """Tell its result, a text or any value, or the error it ended with; told twice, the first stands."""
        course, masking = self._course, self._course.whole.masking
        with course.whole.lock:
            if self._is_done or course.whole.feed.over:
                return
            self._is_done = True
            text = masking.as_text(result)
            said = error if isinstance(error, str) or error is None else message_of(error)
            node = iri("observation", course.session, self._number)
            entity = e.Observation(
                iri=node, derived_from=(self._node,), document=node if text else None,
                error=None if said is None else masking.text(said),
                consulted=tuple(sorted(self._passages)),
                ordered=[*self._passages] or None, scores=self._scores or None, **course.timed(),
            )  # fmt: skip
            if text:
                course.whole.feed.push(Text(node, "observation", text))
            content = (Content(node, "Agent Observation", "text/plain", text.encode()),) if text else ()
            course.explain(entity, passages={key: (one,) for key, one in self._passages.items()}, contents=content)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.done("", error if error is None or isinstance(error, Exception) else type(error).__name__)


def _share(score: float | None) -> float | None:
    """Return a score that is a share, as tg:score is; others stand in x:scores alone."""
    return score if score is not None and 0 <= score <= 1 else None


def _reasons(why: Mapping[str, str] | Iterable[str] | None, told: list[Retrieved]) -> list[str | None]:
    if why is None or isinstance(why, str):
        return [why or None] * len(told)
    if isinstance(why, Mapping):
        return [next((str(why[name]) for name in one.names if name in why), None) for one in told]
    reasons = [str(one) or None for one in why]
    return reasons + [None] * (len(told) - len(reasons))
