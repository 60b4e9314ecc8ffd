"""Traces on record: recording a run while it goes on, listing, loading and replaying it.

`record` is the only writer. It stores contents, then triples, before it passes an event on; a run that is cut off
leaves a trace without an End, which says so.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer import entities as e
from explorer import rdf
from explorer.errors import ExplorerError, RecordError, WorkspaceError
from explorer.events import Done, Event, Explain, Usage
from explorer.record.listing import QUESTIONS, Listing, Run, Summaries, TraceSummary, earliest, latest
from explorer.record.replay import Replay, users
from explorer.record.trace import Trace
from explorer.stores.collection import Collection
from explorer.vocab import RETRIEVAL, TG, X, iri, milliseconds, recognise, timestamp


class Traces:
    """The traces of one collection."""

    def __init__(self, stores: Collection, clock: Callable[[], datetime]) -> None:
        """Read and write these stores."""
        self.stores = stores
        self.clock = clock
        self._listing = Listing(stores.database)

    def record(self, events: Iterator[Event], session: str) -> Iterator[Event]:
        """Store each step of a run before passing it on; every run that is not cut off ends with one Done.

        A failure becomes a Failure node and Done(reason="error"). Closing the iterator records "stopped", and where.
        """
        run = Run(session)
        closing: tuple[Event, ...] = ()
        try:
            for event in events:
                if isinstance(event, Done):
                    closing = self._closed(run, event)
                    break
                if isinstance(event, Explain):
                    kept = self._store(event, run.steps)
                    run.take(event)
                    yield kept
                else:
                    yield event
        except (GeneratorExit, KeyboardInterrupt):
            with suppress(WorkspaceError):  # closed in the meantime: the next opening records "interrupted"
                self._cut(run, e.STOPPED, "cancelled", "stopped")
            raise
        except Exception as error:  # noqa: BLE001 - whatever fails in a run is part of its record
            said = str(error) if isinstance(error, ExplorerError) else f"{type(error).__name__}: {error}"
            failure = self._fail(run, said, "error")
            closing = (*failure, *self._closed(run, Done("error", error=said)))
        self.stores.graph.flush()
        yield from closing

    def list(
        self,
        text: str | None = None,
        engine: str | None = None,
        since: str | None = None,
        limit: int = 50,
        *,
        until: str | None = None,
        model: str | None = None,
        problems: bool | None = None,
    ) -> builtins.list[TraceSummary]:
        """Give traces, newest first, that hold `text` in their question or answer and ran on `engine`.

        `since` and `until` are ISO 8601 dates or times, in UTC unless they name an offset; raises RecordError for
        anything else. `model` is the name of one, or "no model". `problems`: only those that failed, were stopped or
        cut off, or of which a step failed (True), or none of these (False).
        """
        begin, end = earliest(since), latest(until)
        found = [
            one for one in self._listing.find(text, engine)
            if begin <= one.begun <= end
            and (model is None or one.model == model)
            and (problems is None or one.has_problems == problems)
        ]  # fmt: skip
        return Summaries(sorted(found, key=lambda summary: summary.begun, reverse=True)[:limit])

    def using(self, *used: Triple | str) -> builtins.list[TraceSummary]:
        """Give the traces, newest first, in which a fact or a chunk (its IRI) was kept, also by a search within them.

        Of several, those that kept any. A fact is one by its terms: a literal in another language, or of another type,
        makes another fact. Raises RecordError for a text that is no IRI.
        """
        self.stores.refresh()
        try:
            terms = [NamedNode(one) if isinstance(one, str) else one for one in used]
        except ValueError as error:
            message = f"A chunk is told by its IRI, and one of these is not an IRI: {used!r}; or give a fact."
            raise RecordError(message) from error
        known = users(self.stores, terms)
        return Summaries(sorted(self._listing.among(known), key=lambda summary: summary.begun, reverse=True))

    def models(self) -> builtins.list[str]:
        """Give the names of the models that reasoned in any trace here."""
        return self._listing.models()

    def load(self, iri: str) -> Trace:
        """Read a trace by the IRI of its Question; raises RecordError when there is none."""
        return Trace(self.replay(iri))

    def replay(self, iri: str) -> Iterator[Event]:
        """Give a stored trace's events again: the same Explain events in the same order, whole texts, an equal Done."""
        self.stores.refresh()
        if self._question(iri) is None:
            lists = "`ws.traces.list()`, or `explorer traces` in a terminal, lists"
            message = f"There is no trace {iri}; {lists} those on record."
            raise RecordError(message)
        return Replay(self.stores, iri).events()

    def interrupted(self) -> None:
        """Give an End "interrupted" to each trace that has none, and a node where it was cut off.

        To be called when nothing runs.
        """
        for question in self._unended():
            if named := recognise(question):
                run = self._walked(question, named.key)
                self._cut(run, e.CUT_OFF, None, "interrupted")

    def reindex(self) -> None:
        """Rebuild the index of traces from the record where it differs."""
        recorded = {q.subject.value for q in self.stores.graph.match(None, TG.query, None, RETRIEVAL)
                    if isinstance(q.subject, NamedNode)}  # fmt: skip
        indexed = self._listing.iris()
        self._listing.drop(indexed - recorded)
        for question in sorted(recorded - indexed):
            self._index(rdf.entities(self._quads(question)))
            if (named := recognise(question)) and question in self._listing.iris():
                self._listing.describe(self._walked(question, named.key), self._ended(named.key))
        for question in self._unended():
            named = recognise(question)
            if named is not None and (reason := self._ended(named.key)) is not None:
                self._listing.describe(self._walked(question, named.key), reason)

    def _walked(self, question: str, session: str) -> Run:
        """Read what is on record of a run."""
        run = Run(session)
        for event in Replay(self.stores, question).events():
            if isinstance(event, Explain):
                run.take(event)
        return run

    def _ended(self, session: str) -> str | None:
        ends = rdf.entities(self._quads(iri("end", session)))
        return next((end.reason for end in ends if isinstance(end, e.End)), None)

    def _store(self, event: Explain, sequence: int) -> Explain:
        number = Quad(NamedNode(event.iri), X.sequence, Literal(str(sequence)), RETRIEVAL)
        event = replace(event, triples=(*event.triples, number))
        if event.contents:
            self.stores.library.put(event.contents)
        self.stores.graph.add(event.triples)
        named = recognise(event.iri)
        if named is None or named.kind in QUESTIONS:
            self._index(rdf.entities(event.triples))
        return event

    def _index(self, described: builtins.list[e.Entity]) -> None:
        for entity in described:
            if isinstance(entity, e.Question) and not entity.derived_from:
                self._listing.add(entity)

    def _cut(self, run: Run, said: str, why: str | None, reason: str) -> None:
        """Record that a run came to no end of its own; where, if any step of it was told."""
        if run.last:
            self._fail(run, said, why)
        self._store(_told(self._end(run.session, reason, Usage())), run.steps)
        self._listing.describe(run, reason)

    def _closed(self, run: Run, done: Done) -> tuple[Event, ...]:
        end = self._end(run.session, done.reason, done.usage)
        took = milliseconds(run.started_at, end.ended_at)
        stored = self._store(_told(end), run.steps)
        self._listing.describe(run, done.reason)
        return stored, replace(done, duration_ms=took)

    def _end(self, session: str, reason: str, used: Usage) -> e.End:
        return e.End(
            iri=iri("end", session), reason=reason, ended_at=timestamp(self.clock()),
            in_token=used.in_token, out_token=used.out_token, model=used.model, calls=used.calls,
        )  # fmt: skip

    def _fail(self, run: Run, said: str, why: str | None) -> tuple[Explain, ...]:
        """Record where a run failed or was cut off; nothing when its record tells of a failure already."""
        node = iri("failure", run.session)
        if self._quads(node):
            return ()
        parents = (run.last,) if run.last else ()
        failure = _told(e.Failure(iri=node, derived_from=parents, error=said, termination_reason=why))
        kept = self._store(failure, run.steps)
        run.take(failure)
        return (kept,)

    def _unended(self) -> builtins.list[str]:
        return self._listing.unended()

    def _quads(self, node: str) -> builtins.list[Quad]:
        return list(self.stores.graph.match(NamedNode(node), None, None, RETRIEVAL))

    def _question(self, node: str) -> e.Question | None:
        try:
            described = rdf.entities(self._quads(node))
        except ValueError:  # no IRI at all
            return None
        return described[0] if described and isinstance(described[0], e.Question) else None


def _told(entity: e.Entity) -> Explain:
    return Explain(entity.iri, tuple(rdf.triples(entity)))
