"""Runs of other pipelines from the spans of their traces, told to the recorder in the order and at the times they had.

A trace is a run; its id gives the ids of the record, so that no trace is read twice. What was cut or left out where it
was traced is said in notes.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import count as numbers

from pyoxigraph import NamedNode

from explorer.errors import QuestionError
from explorer.events import Event, Pauses
from explorer.ingest.progress import Progress, Tell
from explorer.models.embedding import Embedder
from explorer.observing.conventions import part_of
from explorer.observing.part_walk import Walk
from explorer.observing.passage_places import Placing
from explorer.observing.pushed_run import Feed
from explorer.observing.recorder import RecordedRun
from explorer.observing.run_parts import AGENT, CHAIN, TOOL, Part
from explorer.observing.run_writer import Course, Whole
from explorer.observing.spans import Span, SpanFile
from explorer.record.listing import QUESTIONS
from explorer.record.run_deletion import deleted
from explorer.record.storing_imports import Imported
from explorer.record.traces import Traces
from explorer.stores.collection import Collection
from explorer.text import count, one_line, sound
from explorer.vocab import iri
from explorer.wording.ways import ENGINES

_PLAIN_ID = re.compile(r"[\w-]{1,64}", re.ASCII)
_LONGEST_NAME = 80
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


def take(given: SpanFile, name: str, traces: Traces, embedder: Embedder, tell: Tell, *, keep_prompts: bool) -> Imported:
    """Record the runs that the spans of a file tell, each of which is then on record as one that was watched."""
    noted, asked, read = Counter[str](), list[str](), 0
    traced = given.traces
    for number, trace in enumerate(traced):
        tell(Progress(name, "storing", number, len(traced)))
        for tree in _trees(trace, given.spans(trace), noted):
            if not tree.tells():
                noted["nothing"] += 1
            elif (session := _free(tree.session, traces.stores)) is None:
                noted["known"] += 1
            else:
                asked.append(
                    _replay(replace(tree, session=session), traces, embedder, noted, keep_prompts=keep_prompts)
                )
                read += len(tree.parts)
    forms = " and ".join(given.forms)
    notes = [f"{count(len(asked), 'run')} of {forms}: {read:,} of {count(given.given, 'span')} read."]
    for key in filter(noted.__getitem__, _NOTES):
        noun, said = _NOTES[key]
        notes.append(f"{count(noted[key], noun).replace('call to a models', 'calls to models')} {said}")
    return Imported(given.given, read, tuple(given.refused), tuple(asked), notes=tuple(notes))


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


@dataclass(frozen=True, slots=True)
class _Tree:
    """The spans of one run: its first, and those below each, in order of time, with what they say."""

    root: Span
    session: str
    below: Mapping[str, Sequence[Span]]
    above: Mapping[str, str]
    parts: Mapping[str, Part]

    def tells(self) -> bool:
        return self.parts[self.root.id].tells or any(part.role != CHAIN for part in self.parts.values())


def _trees(trace: str, spans: Sequence[Span], noted: Counter[str]) -> Iterator[_Tree]:
    """Yield the runs of a trace, one for each span without a parent, or one where none is such."""
    own: dict[str, Span] = {}
    for span in spans:
        own.setdefault(span.id, span)
    ordered = sorted(own.values(), key=_when)
    noted["twice"] += len(spans) - len(own)
    noted["cut"] += sum(span.dropped for span in spans)
    noted["orphan"] += sum(bool(one.parent) and one.parent not in own for one in ordered)
    above = _without_circles({one.id: one.parent for one in ordered if one.parent in own}, noted)
    tops = [one for one in ordered if one.id not in above]
    roots = [one for one in tops if not one.parent] or tops[:1]
    above |= {one.id: roots[0].id for one in tops if one not in roots}
    below: dict[str, list[Span]] = {}
    for one in own.values():
        if one.id in above:
            below.setdefault(above[one.id], []).append(one)
    for parent, inner in below.items():
        if not any(_is_outside(one, own[parent]) for one in inner):  # else the clocks differ: they stay as they came
            inner.sort(key=_when)
    for number, root in enumerate(roots):
        name = trace if number == 0 else f"{trace}-{root.id}"
        session = name if _PLAIN_ID.fullmatch(name) else hashlib.sha256(sound(name).encode()).hexdigest()[:32]
        yield _Tree(root, session, below, above, {one.id: part_of(one) for one, ends in _walk(root, below) if not ends})


def _without_circles(above: dict[str, str], noted: Counter[str]) -> dict[str, str]:
    """Return which span stands above which, without the first that it meets of each circle."""
    done = set[str]()
    for one in [*above]:
        path, at = dict[str, None](), one
        while at in above and at not in done and at not in path:
            path[at] = None
            at = above[at]
        if at in path:
            noted["circle"] += 1
            del above[at]
        done.update(path)
    return above


def _walk(root: Span, below: Mapping[str, Sequence[Span]]) -> Iterator[tuple[Span, bool]]:
    """Yield each span where it begins (False) and where it ends (True), however deep they are."""
    waiting = [(root, False)]
    while waiting:
        span, ends = waiting.pop()
        yield span, ends
        if not ends:
            waiting.append((span, True))
            waiting += [(one, False) for one in reversed(below.get(span.id, ()))]


def _when(span: Span) -> tuple[bool, str]:
    return span.begun is None, span.begun.isoformat() if span.begun else ""


def _is_outside(span: Span, parent: Span) -> bool:
    """Return whether a span began before the one above it, or after its end, by more than clocks may differ."""
    if span.begun is None or parent.begun is None or parent.ended is None:
        return False
    return not parent.begun - _SKEW <= span.begun <= parent.ended + _SKEW


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


def _replay(tree: _Tree, traces: Traces, embedder: Embedder, noted: Counter[str], *, keep_prompts: bool) -> str:
    """Tell one run as it went; returns the IRI of its Question."""
    spans = [span for span, ends in _walk(tree.root, tree.below) if not ends]
    clock, session, number = _Clock(tree, spans, traces.clock), tree.session, numbers(1)
    recording: Callable[[Iterator[Event]], Iterator[Event]] = lambda events: traces.record(  # noqa: E731
        events, session, Pauses(clock, lambda: 0.0), None, clock
    )
    ids = lambda: f"{session}.{next(number)}"  # noqa: E731
    whole = Whole(Feed(recording), Placing(traces.stores), _pipeline(spans), clock, ids, keep_prompts, embedder)
    asked = next(filter(None, (tree.parts[span.id].question for span in spans)), "")
    noted["unasked"] += not asked
    named = asked or one_line(tree.root.name) or f"trace {tree.root.trace}"
    run = RecordedRun(Course(whole, sound(named), session))
    walk = Walk(lambda _: run, noted)
    with run:
        run.course.begin(agent=any(part.role in (AGENT, TOOL) for part in tree.parts.values()))
        for span, ends in _walk(tree.root, tree.below):
            part = tree.parts[span.id]
            if not ends:
                clock.at(span.begun)
                walk.begin(span.id, tree.above.get(span.id), part)
                continue
            noted["skew"] += clock.at(span.ended or span.begun)
            if span is tree.root:
                clock.now = clock.ended
            walk.end(span.id, part, None if span.error is None else QuestionError(span.error))
    return run.iri


def _pipeline(spans: Sequence[Span]) -> str:
    """Return what is said to have answered: the service, or else the tool that traced it."""
    name = one_line(sound(next((one.service for one in spans if one.service), "")))[:_LONGEST_NAME].strip() or "spans"
    return f"{name} (spans)" if name.split("/")[0] in ENGINES else name
