"""Asking the questions of an evaluation: each run is on record, and what is there already is not asked again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from explorer.evaluation.measures import measured
from explorer.evaluation.questions import GoldQuestion, QuestionFile, place_gold
from explorer.evaluation.results import Evaluation, Outcome
from explorer.evaluation.ways import Way
from explorer.events import Event, Explain
from explorer.ingest.progress import shown
from explorer.record import evaluations
from explorer.record.listing import TROUBLES
from explorer.record.trace import Trace
from explorer.record.traces import Traces
from explorer.text import one_line, truncate
from explorer.vocab import timestamp

_GIVEN_UP = 5  # failed runs in a row, after which the rest of a way is not asked


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks the questions of a file; `ask` answers one in one way, `state` names all that answers depend on."""

    traces: Traces
    ask: Callable[[str, Way], Iterator[Event]]
    state: str

    def evaluate(self, file: QuestionFile, ways: tuple[Way, ...], *, again: bool, progress: bool) -> Evaluation:
        """Ask all questions in all ways, except where a run of this evaluation is on record that came to an end.

        A way that fails several times in a row is given up, which is said among what was refused.
        """
        stores = self.traces.stores
        questions, misplaced = place_gold(file.questions, stores.library)
        faults = sorted((*file.faults, *misplaced), key=lambda fault: fault.line)
        refused = [f"line {fault.line}: {fault.reason}." for fault in faults]
        key = hashlib.sha256(f"{self.state} ".encode() + file.data).hexdigest()[:16]
        moment = timestamp(self.traces.clock())
        node = evaluations.opened(stores, key, file.name, file.data, moment, again=again)
        known = list(self._recorded(node.members))
        outcomes: list[Outcome] = []
        total = len(ways) * len(questions)
        with shown("Asking", total, progress=progress, left=True) as tell:
            done = 0
            for way in ways:
                before = {trace.question: trace for trace in known if way.asked(trace)}
                failed = 0
                for asked in questions:
                    tell(done, truncate(f"{way.name}: {one_line(asked.text)}", 60))
                    done += 1
                    trace = before.get(asked.text) or self._run(asked, way, node.iri)
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

    def _recorded(self, members: tuple[str, ...]) -> Iterator[Trace]:
        ended = {one.iri for one in self.traces.among(members) if one.reason not in (None, *TROUBLES)}
        for iri in members:
            if iri in ended:
                yield self.traces.load(iri)

    def _run(self, asked: GoldQuestion, way: Way, evaluation: str) -> Trace:
        """Ask a question; its run belongs to the evaluation from its first step on, also when it is cut off."""
        events: list[Event] = []
        running = self.ask(asked.text, way)
        for event in running:
            if not events and isinstance(event, Explain):
                evaluations.join(self.traces.stores, evaluation, event.iri)
            events.append(event)
        return Trace(events)
