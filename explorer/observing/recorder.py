"""The recorder that runs of other pipelines end in: what they tell becomes the same record as that of our engines.

What was not told is not written. A run that looks passages up is a search, one that begins with a step is an agent's;
what an agent looks up by itself is a search within its run.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import TracebackType
from typing import Any, Self

from explorer import entities as e
from explorer import rdf
from explorer.engines.usage import Calls
from explorer.errors import QuestionError, message_of
from explorer.events import Content, Done, Explain, Passage, Text, Usage
from explorer.observing.citing import Citing
from explorer.observing.feed import Feed
from explorer.observing.masking import Masking
from explorer.observing.placing import Placing
from explorer.observing.retrieved import Retrieved, scored
from explorer.reasoning.protocol import ModelCall
from explorer.reasoning.replies.citations import Claim, answer_of
from explorer.text import count, truncate
from explorer.vocab import iri, timestamp

_LONGEST_TITLE, _GIVEN = 50, 200  # letters; of a passage so many stand in a prompt that was cut
_CANCELLED = ("CancelledError", "KeyboardInterrupt", "GeneratorExit")


@dataclass(slots=True)
class Whole:
    """What the runs within one run share: where it is written, who made it, its clock, ids and lock."""

    feed: Feed
    placing: Placing
    pipeline: str
    clock: Callable[[], datetime]
    ids: Callable[[], str]
    keep_prompts: bool
    lock: threading.RLock = field(default_factory=threading.RLock)
    masking: Masking = field(default_factory=Masking)


@dataclass(slots=True)
class _Told:
    """The calls to models that were told since the last step, as `Calls` takes them."""

    name: str = ""
    calls: list[ModelCall] = field(default_factory=list)

    def take_calls(self) -> list[ModelCall]:
        """Return them once."""
        calls, self.calls = self.calls, []
        return calls


class RecordedRun:
    """A run of another pipeline while it goes on; use it in a `with` block, or an `async with`.

    Each call is on record when it returns. An error that leaves the block ends the run as failed, a cancellation as
    stopped. Calls may come from several threads.
    """

    def __init__(self, whole: Whole, question: str, session: str, above: str = "") -> None:
        """Begin a run, or one within another, below the node `above`."""
        self._whole = whole
        self._asked = question
        self._session = session
        self._begun = whole.clock()
        self._question = above
        self._parent = above
        self._is_agent = bool(above)
        self._last = ""
        self._stage = ""  # the newest of a search: what its answer derives from
        self._told: list[Retrieved] = []
        self._found: dict[str, Passage] = {}  # by chunk
        self._kept: dict[str, str] = {}  # the selections of chunks
        self._prompts: list[str] = []
        self._written = ""
        self._steps = 0
        self._asking = _Told()
        self._calls = Calls(self._asking, session, whole.keep_prompts)  # type: ignore[arg-type]
        self._is_over = False

    @property
    def iri(self) -> str:
        """The IRI of its Question; empty before anything was told."""
        return self._question if self._last else ""

    # what a pipeline tells

    def looked_at(
        self, passages: Iterable[object], scores: Iterable[float] | None = None, *, query: str | None = None
    ) -> None:
        """Tell which passages were retrieved, best first: texts, mappings, or objects with a text and metadata.

        `scores` are as many, on any scale. A second search, or an agent's own, is a search within the run; `query` is
        what it looked for. Raises QuestionError for what is no passage.
        """
        told = scored(passages, scores)
        with self._whole.lock:
            if self._is_agent or self._stage:
                inner = self._inner(query or self._asked)
                inner.looked_at(told)
                self._told += told
                self._found.update(inner._found)
                return
            self._begin()
            found = self._place(told)
            stage = self._iri("exploration")
            entity = e.Exploration(
                iri=stage, derived_from=(self._last,), chunk_count=len(found), ordered=[one.chunk for one in found],
                selected_chunks=tuple(one.chunk for one in found), scores=self._scores(told), **self._timed(),
            )  # fmt: skip
            self._explain(entity, passages={one.chunk: (one,) for one in found})
            self._stage = stage

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
        were left out: one reason for all, or by id. Raises QuestionError where nothing was looked at before.
        """
        told = scored(passages, scores)
        with self._whole.lock:
            if not self._stage:
                raise QuestionError("Nothing was looked at yet; tell `looked_at` before `kept`.")
            kept = self._place(told)
            out = [one for chunk, one in self._found.items() if chunk not in {one.chunk for one in kept}]
            reasons = dict(zip((one.chunk for one in kept), _reasons(why, told), strict=False))
            raw = self._scores(told) or {}
            selections = []
            for number, one in enumerate(kept):
                score = raw.get(one.chunk)
                selections.append(e.ChunkSelection(
                    iri=iri("chunk-selection", self._session, number), document=one.chunk,
                    score=score if score is not None and 0 <= score <= 1 else None, reasoning=reasons.get(one.chunk),
                ))  # fmt: skip
            entity = e.Focus(
                iri=self._iri("focus"), label="Chunk Selection", derived_from=(self._stage,),
                selected_chunks=tuple(one.iri for one in selections), scores=raw or None,
                left={one.chunk: self._why_left(left, one.chunk) for one in out} or None, **self._timed(),
            )  # fmt: skip
            self._kept = {one.document or "": one.iri for one in selections}
            passages_of = {one.iri: (self._found[one.document or ""],) for one in selections}
            self._explain(entity, selections, passages_of)
            self._stage = entity.iri

    def step(
        self, kind: str = "tool", name: str = "", arguments: object = None, result: object = None
    ) -> RecordedStep:
        """Tell a step: a call of a tool, or anything else a pipeline does, with its arguments and its result.

        Without a result it is open until `done`, or the end of its `with` block. Secrets in it are masked.
        """
        with self._whole.lock:
            self._begin(agent=True)
            self._steps += 1
            node = iri("analysis", self._session, self._steps)
            masked = self._whole.masking
            entity = e.Analysis(
                iri=node, label=f"Analysis: {truncate(name or kind)}", action=name or kind,
                arguments=masked.as_json({} if arguments is None else arguments), step_number=self._steps,
                derived_from=(self._last,), **self._timed(),
            )  # fmt: skip
            self._explain(entity)
            step = RecordedStep(self, self._steps, node)
        if result is not None:
            step.done(result)
        return step

    def nested(self, question: str) -> RecordedRun:
        """Return a run within this one, as of an agent that was handed a part of the question."""
        with self._whole.lock:
            self._begin(agent=True)
            return RecordedRun(self._whole, question, self._whole.ids(), self._last)

    def prompt(
        self, text: str, reply: str = "", *, model: str | None = None,
        in_tokens: int | None = None, out_tokens: int | None = None,
    ) -> None:  # fmt: skip
        """Tell what a model was given, and what it replied; which passages stand in it is found by their words."""
        with self._whole.lock:
            self._begin()
            given, said = map(self._whole.masking.text, (text, reply))
            self._prompts.append(" ".join(given.split()))
            self._asking.calls.append(ModelCall(given, said, Usage(in_tokens, out_tokens, model)))

    def write(self, delta: str) -> None:
        """Tell a piece of the answer while it is written; `answer` tells it whole."""
        with self._whole.lock:
            self._begin()
            self._written += delta
            self._whole.feed.push(Text(self._answer_iri, "answer", delta))

    def answer(self, reply: object, citations: Iterable[Claim] | None = None) -> None:
        """Tell the answer: a text, or the reply of a provider as it came, whose citations are read.

        Each sentence is aligned with what was retrieved. A second answer in one run raises QuestionError.
        """
        text, claims = answer_of(reply)
        with self._whole.lock:
            self._check_open()
            self._begin()
            self._write_answer(self._whole.masking.text(text), [*claims, *(citations or ())])
            self._is_over = True

    # how it ends

    def fail(self, error: BaseException | str) -> None:
        """End the run as failed, with what was told until then on record."""
        with self._whole.lock:
            if not self._whole.feed.over and not self._parent:
                self._begin()
                told = QuestionError(self._whole.masking.text(error if isinstance(error, str) else message_of(error)))
                self._whole.feed.fail(told)

    def stop(self) -> None:
        """End the run as stopped."""
        with self._whole.lock:
            if not self._whole.feed.over and not self._parent:
                self._begin()
                self._whole.feed.stop()

    def end(self) -> None:
        """End the run; without an answer it is on record as stopped."""
        with self._whole.lock:
            if self._parent or self._whole.feed.over:
                return
            if not self._is_over:
                self.stop()
                return
            self._whole.feed.push(Done("done", self._calls.usage))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.end()
        elif isinstance(error, Exception) and type(error).__name__ not in _CANCELLED:
            self.fail(error)
        else:
            self.stop()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, trace)

    # within

    @property
    def _answer_iri(self) -> str:
        return self._iri("conclusion") if self._is_agent else self._iri("synthesis")

    def _iri(self, kind: str) -> str:
        of_search = kind in ("question", "exploration", "focus", "synthesis", "answer")
        prefix = "docrag-" if of_search and not self._is_agent else "agent-" if of_search else ""
        return iri(f"{prefix}{kind}", self._session)

    def _timed(self) -> dict[str, Any]:
        now = self._whole.clock()
        begun, self._begun = self._begun, now
        return {"begun_at": timestamp(begun), "duration_ms": max(0, round((now - begun).total_seconds() * 1000))}

    def _check_open(self) -> None:
        if self._is_over or self._whole.feed.over:
            raise QuestionError("This run has its answer, or has ended; record another one for another question.")

    def _begin(self, *, agent: bool = False) -> None:
        """Write the Question before what is told first, which says what kind of run it is."""
        self._check_open()
        if self._last:
            return
        self._is_agent = agent
        kind = e.AgentQuestion if agent else e.DocRagQuestion
        parents = (self._parent,) if self._parent else ()
        entity = kind(
            iri=self._iri("question"), query=self._whole.masking.text(self._asked), derived_from=parents,
            started_at=timestamp(self._begun), engine=self._whole.pipeline,
        )  # fmt: skip
        self._explain(entity)
        self._question = entity.iri

    def _inner(self, question: str) -> RecordedRun:
        self._begin()
        return RecordedRun(self._whole, question, self._whole.ids(), self._last)

    def _place(self, told: list[Retrieved]) -> list[Passage]:
        safe = [replace(one, text=self._whole.masking.text(one.text)) for one in told]
        found = self._whole.placing(safe)
        self._told += safe
        self._found.update({one.chunk: one for one in found})
        return found

    def _scores(self, told: list[Retrieved]) -> dict[str, float] | None:
        placing, given = self._whole.placing, self._told[len(self._told) - len(told) :]
        return {placing.chunk(one): one.score for one in given if one.score is not None} or None

    def _why_left(self, left: Mapping[str, str] | str | None, chunk: str) -> str:
        if left is None or isinstance(left, str):
            return left or ""
        names = [name for one in self._told if self._whole.placing.chunk(one) == chunk for name in one.names]
        return next((str(left[name]) for name in names if name in left), "")

    def _explain(
        self, entity: e.Step, parts: Iterable[e.Entity] = (),
        passages: Mapping[str, tuple[Passage, ...]] | None = None, contents: tuple[Content, ...] = (),
    ) -> None:  # fmt: skip
        self._whole.feed.push(Explain(entity.iri, tuple(rdf.triples(entity, parts=list(parts))), contents, passages or {}))
        self._last = entity.iri

    def _write_answer(self, text: str, claims: list[Claim]) -> None:
        node, masked = self._answer_iri, self._whole.masking.masked
        if rest := text.removeprefix(self._written):
            self._whole.feed.push(Text(node, "answer", rest))
        keys = self._kept or {chunk: chunk for chunk in self._found}
        cited = Citing(keys, self._found, self._told).citations(self._session, text, claims)
        content = Content(self._iri("answer"), f"Answer: {truncate(self._asked, _LONGEST_TITLE)}", "text/plain",
                          text.encode())  # fmt: skip
        kind = e.Conclusion if self._is_agent else e.Synthesis
        calls = self._calls.take()
        entity = calls.on(kind(
            iri=node, derived_from=(self._stage or self._last,), document=content.iri if text else None,
            given=tuple(sorted(chunk for chunk, one in self._found.items() if self._is_given(one))),
            rule=f"{count(masked, 'secret')} masked" if masked else None, **self._timed(),
        ))  # fmt: skip
        quads = [*rdf.triples(entity), *(quad for one in cited for quad in rdf.triples(one)), *calls.hashes]
        contents = (*((content,) if text else ()), *calls.contents)
        self._whole.feed.push(Explain(node, tuple(quads), contents))
        self._last = node

    def _is_given(self, passage: Passage) -> bool:
        words = " ".join(passage.text.split())
        return bool(words) and any(words in one or words[:_GIVEN] in one for one in self._prompts)


class RecordedStep:
    """A step that goes on: what it looks at, and its result; use it in a `with` block, or call `done`."""

    def __init__(self, run: RecordedRun, number: int, node: str) -> None:
        """Go on with the step `number` of a run, at its node."""
        self._run = run
        self._number = number
        self._node = node
        self._passages: list[Passage] = []
        self._scores: dict[str, float] = {}
        self._is_done = False

    def looked_at(self, passages: Iterable[object], scores: Iterable[float] | None = None) -> None:
        """Tell which passages the step retrieved; raises QuestionError for what is no passage."""
        told = scored(passages, scores)
        run = self._run
        with run._whole.lock:
            self._passages += run._place(told)
            self._scores |= run._scores(told) or {}

    def done(self, result: object = "", error: BaseException | str | None = None) -> None:
        """Tell its result, a text or any value, or the error it ended with; told twice, the first stands."""
        run, whole = self._run, self._run._whole
        with whole.lock:
            if self._is_done:
                return
            self._is_done = True
            text = whole.masking.as_text(result) if result is not None else ""
            failed = None if error is None else whole.masking.text(error if isinstance(error, str) else message_of(error))
            node = iri("observation", run._session, self._number)
            passages = list({one.chunk: one for one in self._passages}.values())
            entity = e.Observation(
                iri=node, derived_from=(self._node,), document=node if text else None, error=failed,
                detail_level="enhanced" if passages else "basic",
                consulted=tuple(sorted(one.chunk for one in passages)), scores=self._scores or None, **run._timed(),
            )  # fmt: skip
            if text:
                whole.feed.push(Text(node, "observation", text))
            content = (Content(node, "Agent Observation", "text/plain", text.encode()),) if text else ()
            run._explain(entity, passages={one.chunk: (one,) for one in passages}, contents=content)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.done("", error)


def _reasons(why: Mapping[str, str] | Iterable[str] | None, told: list[Retrieved]) -> list[str | None]:
    if why is None:
        return [None] * len(told)
    if isinstance(why, Mapping):
        return [next((str(why[name]) for name in one.names if name in why), None) for one in told]
    return [str(one) for one in ([why] * len(told) if isinstance(why, str) else why)]
