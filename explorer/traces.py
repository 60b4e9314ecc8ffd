"""Traces on record: recording a run while it goes on, listing, loading and replaying it.

`record` is the only writer. It stores contents, then triples, before it passes an event on; a run that is cut off
leaves a trace without an End, which says so.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from pyoxigraph import Literal, NamedNode, Quad

from explorer import entities as e
from explorer import rdf
from explorer.errors import ExplorerError, RecordError, WorkspaceError
from explorer.events import Done, Event, Explain, Usage
from explorer.replay import Replay, is_own
from explorer.stores.collection import Collection
from explorer.trace import Trace
from explorer.vocab import PROV, RETRIEVAL, TG, X, iri, milliseconds, moment, recognise, timestamp

_NEVER = datetime.min.replace(tzinfo=UTC)  # before all others: traces from elsewhere may tell no time
_QUESTIONS = ("question", "docrag-question", "agent-question")
_LISTED = {*_QUESTIONS, "end"}


@dataclass(frozen=True, slots=True)
class TraceSummary:
    """A trace as it stands in a list; `reason` is None while it runs."""

    iri: str
    engine: str
    question: str
    started_at: str
    reason: str | None

    @property
    def begun(self) -> datetime:
        """When it began, to sort by; before all others when the record tells no time."""
        return moment(self.started_at) or _NEVER


@dataclass(slots=True)
class _Run:
    """How far a run has come: how many steps were told, which of them last, and when it was asked."""

    session: str
    steps: int = 0
    last: str = ""
    started_at: str | None = None

    def take(self, event: Explain) -> None:
        """Count a step that is on record."""
        self.steps += 1
        named = recognise(event.iri)
        if named is None or named.kind != "end":  # nothing derives from the end of a run within this one
            self.last = event.iri
        if named is not None and named.kind in _QUESTIONS and named.key == self.session:
            node, begun = NamedNode(event.iri), PROV.startedAtTime
            self.started_at = next((q.object.value for q in event.triples
                                    if q.subject == node and q.predicate == begun and isinstance(q.object, Literal)),
                                   None)  # fmt: skip


class Traces:
    """The traces of one collection."""

    def __init__(self, stores: Collection, clock: Callable[[], datetime]) -> None:
        """Read and write these stores."""
        self.stores = stores
        self.clock = clock

    def record(self, events: Iterator[Event], session: str) -> Iterator[Event]:
        """Store each step of a run before passing it on; every run that is not cut off ends with one Done.

        A failure becomes a Failure node and Done(reason="error"). Closing the iterator records "stopped", and where.
        """
        run = _Run(session)
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
        self, text: str | None = None, engine: str | None = None, since: str | None = None, limit: int = 50
    ) -> builtins.list[TraceSummary]:
        """Give traces, newest first, that hold `text` in their question, ran on `engine`, began at or after `since`.

        `since` is an ISO 8601 date or time, in UTC unless it names an offset; raises RecordError for anything else.
        """
        earliest = _earliest(since)
        where = ["instr(lower(question), lower(?)) > 0" if text else "?  IS NULL",
                 "engine = ?" if engine else "? IS NULL"]  # fmt: skip
        rows = self.stores.database.rows(
            f"SELECT iri, engine, question, started_at, reason FROM traces WHERE {' AND '.join(where)} ORDER BY iri",  # noqa: S608 - fixed texts
            (text or None, engine or None),
        )
        found = [summary for row in rows if (summary := TraceSummary(*row)).begun >= earliest]
        return sorted(found, key=lambda summary: summary.begun, reverse=True)[:limit]

    def load(self, iri: str) -> Trace:
        """Read a trace by the IRI of its Question; raises RecordError when there is none."""
        return Trace(self.replay(iri))

    def replay(self, iri: str) -> Iterator[Event]:
        """Give a stored trace's events again: the same Explain events in the same order, whole texts, an equal Done."""
        self.stores.refresh()
        if self._question(iri) is None:
            message = f"There is no trace {iri}; `explorer traces` lists those on record."
            raise RecordError(message)
        return Replay(self.stores, iri).events()

    def interrupted(self) -> None:
        """Give an End "interrupted" to each trace that has none, and a node where it was cut off.

        To be called when nothing runs.
        """
        for question in self._unended():
            if named := recognise(question):
                run = _Run(named.key)
                for event in Replay(self.stores, question).events():
                    if isinstance(event, Explain):
                        run.take(event)
                self._cut(run, e.CUT_OFF, None, "interrupted")

    def reindex(self) -> None:
        """Rebuild the index of traces from the record where it differs."""
        recorded = {q.subject.value for q in self.stores.graph.match(None, TG.query, None, RETRIEVAL)
                    if isinstance(q.subject, NamedNode)}  # fmt: skip
        indexed = {row["iri"] for row in self.stores.database.rows("SELECT iri FROM traces")}
        with self.stores.database.writing() as connection:
            for gone in indexed - recorded:
                connection.execute("DELETE FROM traces WHERE iri = ?", (gone,))
        for question in recorded - indexed:
            self._index(rdf.entities(self._quads(question)))
        for question in self._unended():
            named = recognise(question)
            if named is not None:
                self._index(rdf.entities(self._quads(iri("end", named.key))))

    def _store(self, event: Explain, sequence: int) -> Explain:
        number = Quad(NamedNode(event.iri), X.sequence, Literal(str(sequence)), RETRIEVAL)
        event = replace(event, triples=(*event.triples, number))
        if event.contents:
            self.stores.library.put(event.contents)
        self.stores.graph.add(event.triples)
        named = recognise(event.iri)
        if named is None or named.kind in _LISTED:
            self._index(rdf.entities(event.triples))
        return event

    def _index(self, described: builtins.list[e.Entity]) -> None:
        for entity in described:
            if isinstance(entity, e.Question) and not entity.derived_from:
                reason = None if is_own(entity) else "imported"
                row = (entity.iri, _engine(entity), entity.query, entity.started_at or "", reason)
                with self.stores.database.writing() as connection:
                    connection.execute("INSERT OR IGNORE INTO traces VALUES (?, ?, ?, ?, ?)", row)
            if isinstance(entity, e.End) and (named := recognise(entity.iri)):
                with self.stores.database.writing() as connection:
                    questions = [iri(kind, named.key) for kind in _QUESTIONS]
                    connection.execute(
                        "UPDATE traces SET reason = ? WHERE iri IN (?, ?, ?)", (entity.reason, *questions)
                    )

    def _cut(self, run: _Run, said: str, why: str | None, reason: str) -> None:
        """Record that a run came to no end of its own; where, if any step of it was told."""
        if run.last:
            self._fail(run, said, why)
        self._store(_told(self._end(run.session, reason, Usage())), run.steps)

    def _closed(self, run: _Run, done: Done) -> tuple[Event, ...]:
        end = self._end(run.session, done.reason, done.usage)
        took = milliseconds(run.started_at, end.ended_at)
        return self._store(_told(end), run.steps), replace(done, duration_ms=took)

    def _end(self, session: str, reason: str, used: Usage) -> e.End:
        return e.End(
            iri=iri("end", session), reason=reason, ended_at=timestamp(self.clock()),
            in_token=used.in_token, out_token=used.out_token, model=used.model, calls=used.calls,
        )  # fmt: skip

    def _fail(self, run: _Run, said: str, why: str | None) -> tuple[Explain, ...]:
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
        rows = self.stores.database.rows("SELECT iri FROM traces WHERE reason IS NULL")
        return [row["iri"] for row in rows]

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


def _earliest(since: str | None) -> datetime:
    if not since:
        return _NEVER
    if (earliest := moment(since)) is None:
        message = f"{since!r} is no time; give one such as 2026-01-15 or 2026-01-15T10:30:00+01:00."
        raise RecordError(message)
    return earliest


_ENGINES: dict[type[e.Entity], str] = {e.DocRagQuestion: "document-rag", e.AgentQuestion: "agent"}


def _engine(question: e.Question) -> str:
    """Say which engine ran: as recorded, else by the kind of question."""
    return question.engine.split("/")[0] if question.engine else _ENGINES.get(type(question), "graph-rag")
