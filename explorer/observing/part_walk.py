"""The one walk over the parts of a run, while it goes on or as its spans are read: what each tells the recorder.

A part begins and ends below another. What can't be told as it came is counted in `noted`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime

from explorer.errors import QuestionError
from explorer.observing.conventions import passages_of
from explorer.observing.recorder import RecordedRun, RecordedStep
from explorer.observing.retrieved import Retrieved
from explorer.observing.run_parts import AGENT, MODEL, RERANKER, RETRIEVER, TOOL, Call, Part
from explorer.reasoning.replies.citations import answer_of
from explorer.text import one_line, sound

_FEWEST = 4  # words of a tool's result that a sentence may rest on


@dataclass(slots=True)
class _Frame:
    """A run, or one within it, and the last call to its model; a run begins with the first part that it may."""

    run: RecordedRun | None = None
    last: Call = field(default_factory=Call)


@dataclass(slots=True)
class _Open:
    """A part that goes on, and the step that it is or stands in.

    `found` is how many passages were found below it, `asked` whether a model was, `answers` those of parts below it.
    """

    part: Part
    frame: _Frame
    above: _Open | None
    step: RecordedStep | None = None
    begun: datetime | None = None
    found: int = 0
    asked: bool = False
    answers: list[str] = field(default_factory=list)

    def up(self) -> Iterator[_Open]:
        one = self.above
        while one is not None:
            yield one
            one = one.above


class Walk:
    """Tells the parts of runs, each of which `record` makes of its question."""

    def __init__(self, record: Callable[[str], RecordedRun], noted: Counter[str] | None = None) -> None:
        self._record = record
        self._open: dict[Hashable, _Open] = {}
        self._asked: tuple[Call, datetime | None] = Call(), None  # the last call that was told, and when it ended
        self.noted = Counter[str]() if noted is None else noted

    def part(self, key: Hashable) -> Part | None:
        """Return a part that goes on, as it began."""
        one = self._open.get(key)
        return None if one is None else one.part

    def begin(self, key: Hashable, parent: Hashable, part: Part, *, begins: bool = True) -> None:
        """Tell that a part begins; below no other it is a run, which is on record once a part may begin it."""
        above = self._open.get(parent)
        frame = _Frame() if above is None else above.frame
        if frame.run is None and begins:
            frame.run = self._record(part.question or part.name or part.role)
        one = self._open[key] = _Open(part, frame, above, above.step if above else None)
        if (run := frame.run) is None:
            return
        one.begun = run.course.whole.clock()
        if part.role == TOOL:
            one.step = self._step(one, run, part)
        elif part.role == AGENT and above is not None and part.question not in ("", run.course.asked):
            one.frame, one.step = _Frame(inner := run.nested(part.question)), None
            inner.course.begin(agent=True)

    def end(self, key: Hashable, part: Part, error: BaseException | None = None, *, begins: bool = False) -> None:
        """Tell that a part ended, with what it says by now, or with an error; a run may also begin with this."""
        one = self._open.pop(key, None)
        if one is not None and one.frame.run is None and begins:
            one.frame.run = self._record(part.question or part.name or part.role)
        if one is None or (run := one.frame.run) is None:
            return
        self._tell(one, run, part, error if error is None or isinstance(error, Exception) else type(error).__name__)
        answer = part.answer or (one.answers[0] if len(one.answers) == 1 else "")
        if one.above is None:
            self._finish(run, answer or ("" if error else one.frame.last.reply), one.frame.last, error)
        elif one.above.frame is not one.frame:
            if answer := answer or one.frame.last.reply:
                run.answer(answer)
            if (outer := one.above.frame.run) is not None:
                outer.course.take_in(run.course)
        elif part.tells or answer:
            one.above.answers.append(answer)

    def _tell(self, one: _Open, run: RecordedRun, part: Part, error: Exception | str | None) -> None:
        is_inner = one.above is not None and one.above.part.role == part.role  # what it lacks, the outer tells
        self.noted["textless"] += 0 if is_inner else part.textless
        if part.role == RETRIEVER:
            self.noted["empty"] += not (part.passages or one.found or is_inner)
            if part.passages:
                self._retrieved(one, run, part)
        elif part.role == RERANKER:
            self._reranked(one, run, part)
        elif part.role == MODEL:
            self._called(one, run, part.call or Call(), error)
        elif part.role == TOOL:
            self._returned(one, run, part, error)

    def _finish(self, run: RecordedRun, answer: str, last: Call, error: BaseException | None) -> None:
        self.noted["unanswered"] += not answer and error is None
        with run:
            if answer:
                run.answer(_as_it_came(answer, last))
            run.__exit__(None, error, None)

    def _step(self, one: _Open, run: RecordedRun, part: Part) -> RecordedStep:
        run.course.resume(one.begun)
        return run.step("tool", one_line(sound(part.name)), part.arguments)

    def _retrieved(self, one: _Open, run: RecordedRun, part: Part) -> None:
        """Tell a search; of one that holds others, what it kept of what they found."""
        if not one.found or not all(map(run.course.known, part.passages)):
            self._look(one, run, part.passages, part.question)
        elif len(part.passages) < one.found:
            self._keep(one, run, part.passages)

    def _reranked(self, one: _Open, run: RecordedRun, part: Part) -> None:
        """Tell what was kept; where nothing of it was looked at before, that comes first."""
        if part.before and not any(map(run.course.known, part.before)):
            self._look(one, run, part.before, part.question)
        if any(map(run.course.known, part.passages)):
            self._keep(one, run, part.passages)
        elif part.passages:
            self._look(one, run, part.passages, part.question)

    def _look(self, one: _Open, run: RecordedRun, passages: Sequence[object], question: str) -> None:
        """Tell what was looked at: by the step that is open, or by a search."""
        for above in one.up():
            above.found += len(passages)
        if one.step is not None:
            one.step.looked_at(passages)
        else:
            run.course.resume(one.begun)
            run.looked_at(passages, query=question or None)

    def _keep(self, one: _Open, run: RecordedRun, passages: Sequence[Retrieved]) -> None:
        """Tell what was kept, in the newest search that found some of it and has kept nothing yet."""
        search = None if one.step else run.course.unchosen(passages)
        if search is None:
            self.noted["unkept"] += 1
            return
        for above in one.up():
            above.found = len(passages)
        kept = [each for each in passages if search.known(each)]
        self.noted["strange"] += len(passages) - len(kept)
        search.resume(one.begun)
        RecordedRun(search).kept(kept)

    def _called(self, one: _Open, run: RecordedRun, call: Call, error: Exception | str | None) -> None:
        told, ended = self._asked
        is_within = bool(one.begun and ended and one.begun < ended)
        if not call.prompt and not call.reply:
            self.noted["silent"] += not one.asked
        elif one.asked or (is_within and (told.prompt, told.reply) == (call.prompt, call.reply)):
            self.noted["again"] += 1
        else:
            self._asked = call, run.course.whole.clock()
            for above in one.up():
                above.asked = True
            run.prompt(
                call.prompt, call.reply, model=call.model, in_tokens=call.in_tokens, out_tokens=call.out_tokens,
                cost=call.cost, error=error,
            )  # fmt: skip
            if one.step is None:
                one.frame.last = call

    def _returned(self, one: _Open, run: RecordedRun, part: Part, error: Exception | str | None) -> None:
        """Tell the result of a tool; where nothing was looked up below it, the passages in it or its words are that."""
        step = self._step(one, run, part) if one.step is None else one.step
        passages: Sequence[object] = part.passages or passages_of(part.result)[0]
        if not passages and isinstance(part.result, str) and len(part.result.split()) >= _FEWEST:
            passages = [{"text": part.result, "title": part.name}]
        if passages and not one.found:
            step.looked_at(passages)
        step.done("" if part.result is None else part.result, error)


def _as_it_came(answer: str, last: Call) -> object:
    """Return the last reply as it came where that is the answer, for the citations in it."""
    with suppress(QuestionError):  # a reply without a text, as one that calls a tool
        if last.message is not None and answer_of(last.message)[0].strip() == answer.strip():
            return last.message
    return answer
