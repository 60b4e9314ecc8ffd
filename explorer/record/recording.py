"""Recording a run: contents, then triples, are stored before a step is passed on.

A run that is cut off leaves a trace without an End, which says so.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime

from pyoxigraph import Literal, NamedNode, Quad

from explorer import entities as e
from explorer import rdf
from explorer.errors import WorkspaceError, message_of
from explorer.events import Done, Event, Explain, Pauses, Usage
from explorer.prices import UNKNOWN, Prices
from explorer.record.ledger import Ledger
from explorer.record.listing import QUESTIONS, Listing, RunProgress
from explorer.record.step_links import linked
from explorer.stores.collection import Collection
from explorer.stores.database import AwayError
from explorer.stores.ledger import INTERRUPTED, RUN, expect
from explorer.stores.library import put_contents
from explorer.vocab import RETRIEVAL, X, iri, recognise, timestamp


@dataclass(frozen=True, slots=True)
class CutOff:
    """A run whose end could not be written, by the IRI of its Question: what failed, and as what it is to end."""

    question: str
    error: str
    termination_reason: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class Recording:
    """One run that is being recorded, the only writer of the record; `run` is how far it has come, `by` who asked.

    It is sealed on the `ledger` when it ends, or, of a run that was earlier, at the time that `now` gives. Where that
    can't be written it is added to `cut_off`.
    """

    stores: Collection
    ledger: Ledger
    clock: Callable[[], datetime]
    run: RunProgress
    pauses: Pauses
    by: str | None = None
    cut_off: list[CutOff] = field(default_factory=list)
    now: Callable[[], datetime] | None = None
    prices: Prices = UNKNOWN

    def events(self, events: Iterator[Event]) -> Iterator[Event]:
        """Store each step before passing it on; every run that is not cut off ends with one Done.

        A failure becomes a Failure node and Done(reason="error"). Closing the iterator records "stopped", and where.
        Raises WorkspaceError where the end can't be stored or sealed, as on a full disk; the next opening does it. So
        does a server that is away, at once; the end is written when it is back.
        """
        done: Done | None = None
        failed: tuple[Event, ...] = ()
        try:
            for event in events:
                if isinstance(event, Done):
                    done = event
                    break
                told = self._store(event) if isinstance(event, Explain) else event
                with self.pauses.watched():
                    yield told
        except (GeneratorExit, KeyboardInterrupt):
            # closed in the meantime: the next opening records "interrupted"
            with suppress(WorkspaceError), self._kept(e.STOPPED, "cancelled", "stopped"):
                self.cut(e.STOPPED, "cancelled", "stopped")
            raise
        except Exception as error:
            message = message_of(error)
            if isinstance(events, Generator):
                with suppress(WorkspaceError):  # of sub-agents that lost the same server
                    events.close()
            if isinstance(error, AwayError) and self.stores.database.is_shared:
                # to write it would take as long again
                self.cut_off.append(CutOff(self.run.question, message, "error", "error"))
                raise
            with self._kept(message, "error", "error"):
                failed, done = self._fail(message, "error"), Done("error", error=message)
        reason = done.reason if done else "stopped"
        with self._kept("Its end could not be written.", "error", reason):
            closing = (*failed, *(self._close(done) if done else ()))  # what fails here is no second end of the run
        self.stores.graph.flush()
        yield from closing

    @contextmanager
    def _kept(self, error: str, termination_reason: str | None, reason: str) -> Iterator[None]:
        """Note how a run is to end where a server is away while that is written."""
        try:
            yield
        except AwayError:
            self.cut_off.append(CutOff(self.run.question, error, termination_reason, reason))
            raise

    def cut(self, error: str, termination_reason: str | None, reason: str) -> None:
        """Record that a run came to no end of its own; where, if any of its steps is on record."""
        if self.run.last:
            self._fail(error, termination_reason)
        self._end(reason, Usage())

    def _close(self, done: Done) -> tuple[Event, ...]:
        stored, end = self._end(done.reason, done.usage)
        took = end.took(self.run.started_at)
        return stored, replace(done, duration_ms=took, paused_ms=end.paused_ms, prices=self.prices)

    def _end(self, reason: str, usage: Usage) -> tuple[Explain, e.End]:
        with self.stores.database.sealing:  # of two runs that end at once one comes after the other
            previous = self.ledger.due(self.run.question)
            end = e.End(
                iri=iri("end", self.run.session), reason=reason, ended_at=timestamp(self.clock()),
                paused_ms=self.pauses.milliseconds, in_token=usage.in_token, out_token=usage.out_token,
                model=usage.model, calls=usage.calls, previous=previous,
            )  # fmt: skip
            stored = self._store(Explain(end.iri, tuple(rdf.triples(end))))
            Listing(self.stores.runs).describe(self.run, reason)
            if previous is not None:
                kind = INTERRUPTED if reason == "interrupted" else RUN
                at = end.ended_at if self.now is None else timestamp(self.now())
                self.ledger.seal(self.run.question, kind, at or "", RUN, previous)
        return stored, end

    def _fail(self, error: str, termination_reason: str | None) -> tuple[Explain, ...]:
        """Record where a run failed or was cut off; nothing when a failure is on its record already."""
        node = iri("failure", self.run.session)
        if next(iter(self.stores.graph.match(NamedNode(node), None, None, RETRIEVAL)), None) is not None:
            return ()
        parents = (self.run.last,) if self.run.last else ()
        failure = e.Failure(iri=node, derived_from=parents, error=error, termination_reason=termination_reason)
        return (self._store(Explain(node, tuple(rdf.triples(failure)))),)

    def _store(self, event: Explain) -> Explain:
        number = Quad(NamedNode(event.iri), X.sequence, Literal(str(self.run.steps)), RETRIEVAL)
        self.run.begin(event.iri)
        numbered = replace(
            event, triples=(*linked(event, self.run.question, self.by, self.stores.database.role), number)
        )
        begins = event.iri == self.run.question
        if begins or numbered.contents:
            with self.stores.database.writing() as connection:
                put_contents(connection, numbered.contents)
                if begins:
                    expect(connection, event.iri, RUN)
        self.stores.graph.add(numbered.triples)
        named = recognise(event.iri)
        if named is None or named.kind in QUESTIONS:
            Listing(self.stores.runs).add(rdf.entities(numbered.triples))
        self.run.apply(event)
        return numbered
