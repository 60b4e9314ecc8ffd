"""Runs of other pipelines from the spans of their traces, told to the recorder in the order and at the times they had.

A trace is a run; its id gives the ids of the record, so that no trace is read twice. What was cut or left out where it
was traced is said in notes.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count as numbers

from pyoxigraph import NamedNode

from explorer.events import Event, Pauses
from explorer.ingest.progress import Progress, Tell
from explorer.observing.conventions import AGENT, LLM, OTHER, RERANKER, RETRIEVER, TOOL, Part, part_of, passages_of
from explorer.observing.course import Course, Whole
from explorer.observing.feed import Feed
from explorer.observing.placing import Placing
from explorer.observing.recorder import RecordedRun, RecordedStep
from explorer.observing.retrieved import Retrieved
from explorer.observing.spans import Span, SpanFile
from explorer.record.deletion import deleted
from explorer.record.importing import Imported
from explorer.record.listing import QUESTIONS
from explorer.record.traces import Traces
from explorer.stores.collection import Collection
from explorer.text import count, one_line, sound, truncate
from explorer.vocab import iri
from explorer.wording.ways import ENGINES

_PLAIN_ID = re.compile(r"[\w-]{1,64}", re.ASCII)
_LONGEST_NAME = 80
_FEWEST = 5  # words of a result that may be a source
_SKEW = timedelta(milliseconds=50)  # by which the clocks of two machines may differ unsaid

_NOTES = {  # by what is counted: the noun, and what is said of so many
    "cut": ("value", "had been cut off where they were traced."),
    "twice": ("span", "came twice; the first was read."),
    "orphan": ("span", "named a parent that never came; read below the first of its trace."),
    "circle": ("span", "stood below itself; read below the first of its trace."),
    "again": ("span", "told a call to a model again that another tells; it is counted once."),
    "silent": ("call to a model", "had no content: it was switched off where it was traced."),
    "empty": ("search", "had no passages: their content was switched off, or nothing was found."),
    "textless": ("passage", "had no text, and was left out."),
    "strange": ("passage", "was kept and is none of those looked at; it was left out."),
    "unkept": ("reranking", "came within a tool, or after another; which passages it kept is not on record."),
    "unasked": ("run", "had no question in it, and is called by the name of its first span."),
    "unanswered": ("run", "had no answer in it."),
    "skew": ("span", "lay outside the time of its run, as clocks differ; moved into it."),
    "nothing": ("trace", "had no question, search, call to a model or tool in it, and was left out."),
    "known": ("trace", "is on record already; it was not read again."),
}  # fmt: skip
_PLURALS = {"call to a model": "calls to models", "search": "searches"}


def take(given: SpanFile, name: str, traces: Traces, tell: Tell, *, keep_prompts: bool) -> Imported:
    """Record the runs that the spans of a file tell, each of which is then on record as one that was watched."""
    noted, asked, read = Counter[str](), list[str](), 0
    trees = list(_trees(given.spans, noted))
    for number, tree in enumerate(
        sorted(trees, key=lambda one: (one.root.begun is not None, one.root.begun or _NEVER))
    ):
        tell(Progress(name, "storing", number, len(trees)))
        if not tree.tells():
            noted["nothing"] += 1
        elif (session := _free(tree.session, traces.stores)) is None:
            noted["known"] += 1
        else:
            asked.append(_Replay(replace(tree, session=session), traces, noted, keep_prompts=keep_prompts).run())
            read += len(tree.parts)
    forms = " and ".join(given.forms)
    whole = count(len(given.spans), "span")
    notes = [f"{count(len(asked), 'run')} of {forms}: {read:,} of {whole} read."]
    notes += [f"{_counted(noted[key], noun)} {said}" for key, (noun, said) in _NOTES.items() if noted[key]]
    return Imported(len(given.spans), read, tuple(given.refused), tuple(asked), notes=tuple(notes))


def _free(session: str, stores: Collection) -> str | None:
    """Return the id of a session, another one where its run was deleted; None where that is on record."""
    for number in numbers(1):
        name = session if number == 1 else f"{session}.again{number}"
        known = [NamedNode(iri(kind, name)) for kind in QUESTIONS]
        if not any(stores.graph.matches([(one, None, None, None) for one in known])):
            return name
        if not any(deleted(stores, one.value) for one in known):
            return None
    return None


_NEVER = datetime.min.replace(tzinfo=UTC)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {_PLURALS[noun]}" if number != 1 and noun in _PLURALS else count(number, noun)


@dataclass(frozen=True, slots=True)
class _Tree:
    """The spans of one run: its first, and those below each, in order of time, with what they say."""

    root: Span
    session: str
    below: Mapping[str, Sequence[Span]]
    parts: Mapping[str, Part]

    def tells(self) -> bool:
        """Return whether there is anything to be recorded in it."""
        first = self.parts[self.root.id]
        return bool(first.question or first.answer) or any(part.role != OTHER for part in self.parts.values())

    def walk(self) -> Iterator[tuple[Span, bool]]:
        """Yield each span where it begins (False) and where it ends (True), however deep they are."""
        waiting = [(self.root, False)]
        while waiting:
            span, ends = waiting.pop()
            yield span, ends
            if not ends:
                waiting.append((span, True))
                waiting += [(one, False) for one in reversed(self.below.get(span.id, ()))]

    def first(self, told: Callable[[Part], str]) -> str:
        """Return what the first span tells that tells it."""
        return next(filter(None, (told(self.parts[span.id]) for span, ends in self.walk() if not ends)), "")

    def answer(self) -> str:
        """Return the answer: of the first span, or of the only one below it, and so on."""
        at: Span = self.root
        while not (found := self.parts[at.id].answer) and len(below := self.below.get(at.id, ())) == 1:
            at = below[0]
        return found

    def is_agents(self) -> bool:
        """Return whether an agent worked here, or a tool was called."""
        return any(part.role in (AGENT, TOOL) for part in self.parts.values())


def _trees(spans: Iterable[Span], noted: Counter[str]) -> Iterator[_Tree]:
    traces: dict[str, dict[str, Span]] = {}
    for span in spans:
        own = traces.setdefault(span.trace, {})
        noted["twice"] += span.id in own
        noted["cut"] += span.dropped
        own.setdefault(span.id, span)
    for trace, own in traces.items():
        yield from _of_trace(trace, own, noted)


def _of_trace(trace: str, own: Mapping[str, Span], noted: Counter[str]) -> Iterator[_Tree]:
    """Yield the runs of a trace, one for each span without a parent, or one where none is such."""
    ordered = sorted(own.values(), key=_when)
    roots = [one for one in ordered if not one.parent]
    lost = [one for one in ordered if one.parent and one.parent not in own]
    noted["orphan"] += len(lost)
    if not roots and lost:
        roots, lost = [lost[0]], lost[1:]
    reached = _reached([*roots, *lost], ordered)
    circling = [one for one in ordered if one.id not in reached]
    while circling:
        first, *_ = circling
        noted["circle"] += 1
        (lost if roots else roots).append(first)
        reached |= _reached([first], ordered, reached)
        circling = [one for one in circling if one.id not in reached]
    moved = {one.id for one in (*roots, *lost)}
    below: dict[str, list[Span]] = {}
    for one in own.values():
        if one.id not in moved:
            below.setdefault(one.parent, []).append(one)
    below.setdefault(roots[0].id, []).extend(lost)
    for parent, spans in below.items():
        if not any(_is_outside(one, own[parent]) for one in spans):  # else the clocks differ: they stay as they came
            spans.sort(key=_when)
    for number, root in enumerate(roots):
        held = _reached([root], ordered, below=below)
        name = trace if number == 0 else f"{trace}-{root.id}"
        session = name if _PLAIN_ID.fullmatch(name) else hashlib.sha256(sound(name).encode()).hexdigest()[:32]
        yield _Tree(root, session, below, {one: part_of(own[one]) for one in held})


def _when(span: Span) -> tuple[bool, str]:
    return span.begun is None, span.begun.isoformat() if span.begun else ""


def _is_outside(span: Span, parent: Span) -> bool:
    """Return whether a span began before the one above it, or after its end, by more than clocks may differ."""
    if span.begun is None or parent.begun is None or parent.ended is None:
        return False
    return not parent.begun - _SKEW <= span.begun <= parent.ended + _SKEW


def _reached(
    roots: Iterable[Span],
    spans: Iterable[Span],
    known: Iterable[str] = (),
    below: Mapping[str, Sequence[Span]] | None = None,
) -> dict[str, None]:
    """Return the ids of the spans below some, and theirs."""
    if below is None:
        made: dict[str, list[Span]] = {}
        for one in spans:
            made.setdefault(one.parent, []).append(one)
        below = made
    found = dict.fromkeys(known)
    waiting = [*roots]
    while waiting:
        span = waiting.pop()
        if span.id not in found:
            found[span.id] = None
            waiting += below.get(span.id, ())
    return found


class _Clock:
    """Gives the times of spans, within those of their run."""

    def __init__(self, tree: _Tree, spans: Iterable[Span], now: Callable[[], datetime]) -> None:
        given = list(spans)
        begun = tree.root.begun or min((one.begun for one in given if one.begun), default=None) or now()
        ended = tree.root.ended or max((one.ended for one in given if one.ended), default=None) or begun
        self.begun, self.ended = begun, max(begun, ended)
        self.now = begun

    def __call__(self) -> datetime:
        return self.now

    def at(self, moment: datetime | None) -> bool:
        """Go to a moment, or to the nearest of the run; return whether that is far from it."""
        if moment is None:
            return False
        self.now = min(max(moment, self.begun), self.ended)
        return abs(self.now - moment) > _SKEW

    @contextmanager
    def back_to(self, moment: datetime | None) -> Iterator[None]:
        """Go to an earlier moment for a while."""
        now = self.now
        self.at(moment)
        try:
            yield
        finally:
            self.now = now


@dataclass(slots=True)
class _Frame:
    """A run that goes on, or one within it: what it looked at, what its model said last, and which steps are open."""

    run: RecordedRun
    course: Course
    span: str
    searches: list[Course] = field(default_factory=list)
    steps: list[RecordedStep] = field(default_factory=list)
    said: str = ""
    by_words: dict[str, Retrieved] = field(default_factory=dict)
    by_id: dict[str, Retrieved] = field(default_factory=dict)

    def note(self, passages: Iterable[Retrieved]) -> None:
        """Note what was looked at."""
        for one in passages:
            self.by_words.setdefault(" ".join(one.text.split()), one)
            self.by_id.setdefault(one.id or "", one)

    def known(self, passage: Retrieved) -> Retrieved | None:
        """Return the passage looked at that is meant: by its words, or by its id."""
        words = " ".join(self.course.whole.masking.text(passage.text).split())
        return self.by_words.get(words) or (self.by_id.get(passage.id) if passage.id else None)


class _Replay:
    """Tells the recorder one run."""

    def __init__(self, tree: _Tree, traces: Traces, noted: Counter[str], *, keep_prompts: bool) -> None:
        self._tree = tree
        self._noted = noted
        spans = [span for span, ends in tree.walk() if not ends]
        self._clock = _Clock(tree, spans, traces.clock)
        self._looked = 0
        self._called = 0
        self._before: dict[str, tuple[int, int]] = {}  # how much had been looked at and called where a span began
        self._last: tuple[str, str, datetime | None] | None = None
        number = numbers(1)
        clock, session = self._clock, tree.session
        recording: Callable[[Iterator[Event]], Iterator[Event]] = lambda events: traces.record(  # noqa: E731
            events, session, Pauses(clock, lambda: 0.0), None, clock
        )
        whole = Whole(
            Feed(recording), Placing(traces.stores), _pipeline(spans), clock,
            lambda: f"{session}.{next(number)}", keep_prompts,
        )  # fmt: skip
        question = tree.first(lambda part: part.question)
        noted["unasked"] += not question
        course = Course(whole, sound(question or one_line(tree.root.name) or f"trace {tree.root.trace}"), session)
        self._frames = [_Frame(RecordedRun(course), course, tree.root.id)]

    def run(self) -> str:
        """Tell all of it; returns the IRI of its Question."""
        frame = self._frames[0]
        with frame.run:
            frame.course.begin(agent=self._tree.is_agents())
            for span, ends in self._tree.walk():
                part = self._tree.parts[span.id]
                if ends:
                    self._noted["skew"] += self._clock.at(span.ended or span.begun)
                    self._end(span, part)
                else:
                    self._clock.at(span.begun)
                    self._begin(span, part)
            self._clock.now = self._clock.ended
            failed = self._tree.root.error
            answer = self._tree.answer() or ("" if failed else frame.said)
            if answer:
                frame.run.answer(answer)
            if failed is not None:
                frame.run.fail(failed)
            elif not answer:
                self._noted["unanswered"] += 1
        return frame.run.iri

    def _begin(self, span: Span, part: Part) -> None:
        frame = self._frames[-1]
        self._before[span.id] = self._looked, self._called
        if part.role == TOOL:
            frame.course.resume()
            step = frame.run.step("tool", one_line(sound(part.name)), part.arguments)
            frame.steps.append(step)
        elif part.role == AGENT and span.id != self._tree.root.id and part.question not in ("", frame.course.asked):
            course = frame.course.within(sound(part.question))
            course.begin(agent=True)
            self._frames.append(_Frame(RecordedRun(course), course, span.id))

    def _end(self, span: Span, part: Part) -> None:
        frame = self._frames[-1]
        looked, called = self._before.pop(span.id)
        self._noted["textless"] += part.textless
        if part.role == RETRIEVER:
            self._retrieved(frame, span, part, is_whole=self._looked > looked)
        elif part.role == RERANKER:
            self._reranked(frame, span, part)
        elif part.role == LLM:
            self._call(frame, span, part, is_told=self._called > called)
        elif part.role == TOOL:
            step = frame.steps.pop()
            if self._looked == looked:
                self._result(frame, step, part)
            step.done("" if part.result is None else part.result, span.error)
        elif len(self._frames) > 1 and frame.span == span.id:
            self._frames.pop()
            outer = self._frames[-1]
            if answer := part.answer or frame.said:
                frame.run.answer(answer)
            outer.course.take_in(frame.course)

    def _retrieved(self, frame: _Frame, span: Span, part: Part, *, is_whole: bool) -> None:
        """Tell a search; of one that holds others, what it kept of what they found."""
        if not part.passages:
            self._noted["empty"] += not is_whole
        elif is_whole and all(frame.known(one) for one in part.passages):
            if len(part.passages) < len(frame.by_words):
                self._keep(frame, span, part.passages)
        else:
            self._look(frame, span, part.passages, part.question)

    def _reranked(self, frame: _Frame, span: Span, part: Part) -> None:
        """Tell what was kept; where nothing was looked at before, that comes first."""
        if not frame.by_words and part.before:
            self._look(frame, span, part.before, part.question)
        if any(frame.known(one) for one in part.passages):
            self._keep(frame, span, part.passages)
        elif part.passages:
            self._look(frame, span, part.passages, part.question)

    def _look(self, frame: _Frame, span: Span, passages: Sequence[Retrieved], question: str) -> None:
        """Tell what was looked at: by the step that is open, or by a search, which is within where there is one."""
        self._looked += 1
        safe = [replace(one, text=frame.course.whole.masking.text(one.text)) for one in passages]
        frame.note(safe)
        if frame.steps:
            frame.steps[-1].looked_at(safe)
            return
        with self._clock.back_to(span.begun):
            is_within = frame.course.is_agent or bool(frame.course.stage)
            course = frame.course.within(sound(question) or frame.course.asked) if is_within else frame.course
            course.resume()
        RecordedRun(course).looked_at(safe)
        frame.searches.append(course)
        if is_within:
            frame.course.take_in(course)

    def _keep(self, frame: _Frame, span: Span, passages: Sequence[Retrieved]) -> None:
        """Tell what was kept, in the newest search that found some of it and has kept nothing yet."""
        meant = [replace(known, score=one.score) for one in passages if (known := frame.known(one))]
        chunks = [one.chunk for one in frame.course.whole.placing(meant)]
        for course in (frame.course, *reversed(frame.searches)):
            if not frame.steps and course.stage and not course.kept and course.found.keys() & chunks:
                kept = [one for one in meant if course.whole.placing.chunk(one) in course.found]
                self._noted["strange"] += len(passages) - len(kept)
                with self._clock.back_to(span.begun):
                    course.resume()
                RecordedRun(course).kept(kept)
                return
        self._noted["unkept"] += 1

    def _call(self, frame: _Frame, span: Span, part: Part, *, is_told: bool) -> None:
        """Tell a call to a model, once where several spans tell it."""
        if not part.prompt and not part.reply:
            self._noted["silent"] += not is_told
            return
        again = (
            self._last is not None
            and self._last[:2] == (part.prompt, part.reply)
            and _before(span.begun, self._last[2])
        )
        if is_told or again:
            self._noted["again"] += 1
            return
        self._called += 1
        self._last = part.prompt, part.reply, span.ended
        frame.run.prompt(
            sound(part.prompt),
            sound(part.reply),
            model=part.model,
            in_tokens=part.in_tokens,
            out_tokens=part.out_tokens,
            cost=part.cost,
            error=span.error,
        )
        if not frame.steps:
            frame.said = part.reply

    def _result(self, frame: _Frame, step: RecordedStep, part: Part) -> None:
        """Tell the result of a tool as what was looked at: the passages in it, or its words."""
        passages, _ = passages_of(part.result)
        text = part.result if isinstance(part.result, str) else ""
        if not passages and len(text.split()) >= _FEWEST:
            passages = [Retrieved(sound(text), title=truncate(one_line(sound(part.name)), _LONGEST_NAME))]
        if passages:
            frame.note(passages)
            step.looked_at(passages)


def _before(begun: datetime | None, ended: datetime | None) -> bool:
    return begun is not None and ended is not None and begun < ended


def _pipeline(spans: Sequence[Span]) -> str:
    """Return what is said to have answered: the service, or else the tool that traced it."""
    name = one_line(sound(next((one.service for one in spans if one.service), "")))[:_LONGEST_NAME].strip() or "spans"
    return f"{name} (spans)" if name.split("/")[0] in ENGINES else name
