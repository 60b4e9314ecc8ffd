"""Asking the questions of an evaluation: each run is on record, and what is there already is not asked again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator

from explorer.evaluation.measures import measured
from explorer.evaluation.questions import QuestionFile, place_gold
from explorer.evaluation.results import Evaluation, Outcome
from explorer.evaluation.ways import Way
from explorer.events import Event, Explain
from explorer.ingest.progress import shown
from explorer.record import evaluations
from explorer.record.listing import TROUBLES
from explorer.record.trace import Trace
from explorer.record.traces import Traces
from explorer.stores.collection import Collection
from explorer.text import one_line, truncate
from explorer.vocab import timestamp

_GIVEN_UP = 5  # failed runs in a row, after which the rest of a way is not asked


def evaluate(
    traces: Traces, ask: Callable[[str, Way], Iterator[Event]], state: str, file: QuestionFile,
    ways: tuple[Way, ...], *,
    again: bool, progress: bool,
) -> Evaluation:  # fmt: skip
    """Ask all questions of a file in all ways, except where a run of this evaluation is on record that came to an end.

    `ask` answers one in one way, `state` names all that answers depend on. A way that fails several times in a row is
    given up, which is said among what was refused.
    """
    stores = traces.stores
    questions, misplaced = place_gold(file.questions, stores.library)
    faults = sorted((*file.faults, *misplaced), key=lambda fault: fault.line)
    refused = [f"line {fault.line}: {fault.reason}." for fault in faults]
    key = hashlib.sha256(f"{state} ".encode() + file.data).hexdigest()[:16]
    node = evaluations.opened(stores, key, file.name, file.data, timestamp(traces.clock()), again=again)
    ended = [one.iri for one in traces.among(node.members) if one.reason not in (None, *TROUBLES)]
    known = [traces.load(iri) for iri in node.members if iri in ended]
    outcomes: list[Outcome] = []
    total, done = len(ways) * len(questions), 0
    with shown("Asking", total, progress=progress, left=True) as tell:
        for way in ways:
            before = {trace.question: trace for trace in known if way.asked(trace)}
            failed = 0
            for asked in questions:
                tell(done, truncate(f"{way.name}: {one_line(asked.text)}", 60))
                done += 1
                trace = before.get(asked.text) or Trace(_joined(ask(asked.text, way), node.iri, stores))
                values = measured(asked, trace, stores.sources.chunk_text)
                level = trace.support.level if trace.support else None
                outcomes.append(
                    Outcome(asked, way, trace.iri, trace.reason, level, trace.answer, values, trace.outcome)
                )
                failed = failed + 1 if trace.reason == "error" else 0
                if failed == _GIVEN_UP:
                    error = trace.dag.done.error if trace.dag.done else None
                    refused.append(f"{way.name}: given up after {failed} failed runs in a row ({error}).")
                    break
        tell(total, "")
    return Evaluation(node.iri, file.name, ways, tuple(questions), tuple(outcomes), tuple(refused))


def _joined(running: Iterator[Event], evaluation: str, stores: Collection) -> Iterator[Event]:
    """Yield a run that belongs to an evaluation from its first step on, also when it is cut off."""
    is_joined = False
    for event in running:
        if not is_joined and isinstance(event, Explain):
            evaluations.join(stores, evaluation, event.iri)
            is_joined = True
        yield event
