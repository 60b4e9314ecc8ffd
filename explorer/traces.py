"""Traces on record: recording a run while it goes on, listing, loading and replaying it.

`record` is the only writer. It stores contents, then triples, before it passes an event on; a run that is cut off
leaves a trace without an End, which says so.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

from pyoxigraph import Literal, NamedNode, Quad

from explorer import entities as e
from explorer import rdf
from explorer.errors import ExplorerError, RecordError, WorkspaceError
from explorer.events import Done, Event, Explain, Passage, Text, Usage
from explorer.stores.collection import Collection
from explorer.trace import Trace, carried_by
from explorer.vocab import RETRIEVAL, TG, X, iri, recognise, timestamp


@dataclass(frozen=True, slots=True)
class TraceSummary:
    """A trace as it stands in a list; `reason` is None while it runs."""

    iri: str
    engine: str
    question: str
    started_at: str
    reason: str | None


class Traces:
    """The traces of one collection."""

    def __init__(self, stores: Collection, clock: Callable[[], datetime]) -> None:
        """Read and write these stores."""
        self.stores = stores
        self.clock = clock

    def record(self, events: Iterator[Event], session: str) -> Iterator[Event]:
        """Store each step of a run before passing it on; every run that is not cut off ends with one Done.

        A failure becomes a Failure node and Done(reason="error"). Closing the iterator records "stopped".
        """
        last, sequence = "", 0
        closing: tuple[Event, ...] = ()
        try:
            for event in events:
                if isinstance(event, Done):
                    closing = (self._store(self._end(session, event.reason, event.usage), sequence), event)
                    break
                if isinstance(event, Explain):
                    kept = self._store(event, sequence)
                    last, sequence = event.iri, sequence + 1
                    yield kept
                else:
                    yield event
        except (GeneratorExit, KeyboardInterrupt):
            with suppress(WorkspaceError):  # closed in the meantime: the next opening records "interrupted"
                self._store(self._end(session, "stopped"), sequence)
            raise
        except Exception as error:  # noqa: BLE001 - whatever fails in a run is part of its record
            said = str(error) if isinstance(error, ExplorerError) else f"{type(error).__name__}: {error}"
            failure = self._store(self._failure(session, said, last), sequence)
            closing = (failure, self._store(self._end(session, "error"), sequence + 1), Done("error", error=said))
        self.stores.graph.flush()
        yield from closing

    def list(
        self, text: str | None = None, engine: str | None = None, since: str | None = None, limit: int = 50
    ) -> builtins.list[TraceSummary]:
        """Give traces, newest first, that hold `text` in their question, ran on `engine`, began at or after `since`."""
        where = ["instr(lower(question), lower(?)) > 0" if text else "?  IS NULL",
                 "engine = ?" if engine else "? IS NULL", "started_at >= ?" if since else "? IS NULL"]  # fmt: skip
        rows = self.stores.database.rows(
            f"SELECT iri, engine, question, started_at, reason FROM traces WHERE {' AND '.join(where)} "  # noqa: S608 - fixed texts
            "ORDER BY started_at DESC, iri LIMIT ?",
            (text or None, engine or None, since or None, limit),
        )
        return [TraceSummary(*row) for row in rows]

    def load(self, iri: str) -> Trace:
        """Read a trace by the IRI of its Question; raises RecordError when there is none."""
        return Trace(self.replay(iri))

    def replay(self, iri: str) -> Iterator[Event]:
        """Give a stored trace's events again: the same Explain events in the same order, whole texts, an equal Done."""
        named = recognise(iri)
        if self.stores.read_only:
            self.stores.graph.refresh()
        if named is None or named.kind != "question" or not self._quads(iri):
            message = f"There is no trace {iri}; `explorer traces` lists those on record."
            raise RecordError(message)
        return self._replay(named.key)

    def interrupted(self) -> None:
        """Give an End "interrupted" to each trace that has none; to be called when nothing runs."""
        for summary in self._unended():
            named = recognise(summary)
            if named is not None:
                self._store(self._end(named.key, "interrupted"), self._steps(named.key))

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
        self._index(rdf.entities(event.triples))
        return event

    def _index(self, described: builtins.list[e.Entity]) -> None:
        for entity in described:
            if isinstance(entity, e.Question) and not entity.derived_from:
                row = (
                    entity.iri,
                    (entity.engine or "graph-rag").split("/")[0],
                    entity.query,
                    entity.started_at or "",
                )
                with self.stores.database.writing() as connection:
                    connection.execute("INSERT OR IGNORE INTO traces VALUES (?, ?, ?, ?, NULL)", row)
            if isinstance(entity, e.End) and (named := recognise(entity.iri)):
                with self.stores.database.writing() as connection:
                    connection.execute(
                        "UPDATE traces SET reason = ? WHERE iri = ?",
                        (entity.reason, iri("question", named.key)),
                    )

    def _end(self, session: str, reason: str, usage: Usage | None = None) -> Explain:
        used = usage or Usage()
        entity = e.End(
            iri=iri("end", session), reason=reason, ended_at=timestamp(self.clock()),
            in_token=used.in_token, out_token=used.out_token, model=used.model,
        )  # fmt: skip
        return Explain(entity.iri, tuple(rdf.triples(entity)))

    def _failure(self, session: str, said: str, last: str) -> Explain:
        entity = e.Failure(iri=iri("failure", session), derived_from=(last,) if last else (), error=said)
        return Explain(entity.iri, tuple(rdf.triples(entity)))

    def _unended(self) -> builtins.list[str]:
        rows = self.stores.database.rows("SELECT iri FROM traces WHERE reason IS NULL")
        return [row["iri"] for row in rows]

    def _quads(self, node: str) -> builtins.list[Quad]:
        return list(self.stores.graph.match(NamedNode(node), None, None, RETRIEVAL))

    def _steps(self, session: str) -> int:
        return sum(bool(self._quads(iri(kind, session))) for kind in _STAGES)

    def _replay(self, session: str) -> Iterator[Event]:
        roots = [entity for kind in _STAGES for entity in self._read(iri(kind, session))]
        described: builtins.list[e.Entity] = []
        passages: dict[str, tuple[Passage, ...]] = {}
        end: e.End | None = None
        error: str | None = None
        for root in sorted(roots, key=lambda entity: entity.sequence if entity.sequence is not None else 0):
            yield from self._text(root)
            event = self._explain(root, session)
            described += rdf.entities(event.triples)
            passages |= event.passages
            end = root if isinstance(root, e.End) else end
            error = root.error if isinstance(root, e.Failure) else error
            yield event
        if end is not None and end.reason in ("done", "declined", "error"):
            usage = Usage(end.in_token, end.out_token, end.model)
            sources = () if error else carried_by(described, passages)
            yield Done(end.reason, usage, sources, error)

    def _explain(self, root: e.Step, session: str) -> Explain:
        parts: builtins.list[e.Entity] = []
        passages: dict[str, tuple[Passage, ...]] = {}
        labels: dict[str, str] = {}
        sources = self.stores.sources
        match root:
            case e.Exploration():
                labels = {seed: label for seed in root.entities if (label := sources.label(seed))}
            case e.Focus():
                parts = [part for key in (*root.selected_edges, *root.candidates) for part in self._parts(key)]
                selections = [part for part in parts if isinstance(part, e.EdgeSelection) and part.edge]
                passages = {part.iri: sources.passages(part.edge) for part in selections if part.edge}
                edges = [part.edge for part in parts if isinstance(part, e.EdgeSelection | e.Candidate) and part.edge]
                labels = sources.labels(edges)
            case e.Synthesis():
                parts = list(self._citations(session))
        written = rdf.triples(replace(root, sequence=None), parts=parts)
        loose = [quad for part in parts if isinstance(part, e.Citation) for quad in rdf.triples(part)]
        number = [Quad(NamedNode(root.iri), X.sequence, Literal(str(root.sequence)), RETRIEVAL)]
        contents = (self.stores.library.get(root.document),) if isinstance(root, e.Synthesis) and root.document else ()
        known = number if root.sequence is not None else []
        return Explain(root.iri, (*written, *loose, *known), contents, passages, labels)

    def _text(self, root: e.Entity) -> Iterator[Text]:
        if isinstance(root, e.Synthesis) and root.document:
            whole = self.stores.library.get(root.document).data.decode()
            if whole:
                yield Text(root.iri, "answer", whole)

    def _read(self, node: str) -> builtins.list[e.Step]:
        return [_ordered(entity) for entity in rdf.entities(self._quads(node)) if isinstance(entity, e.Step)]

    def _parts(self, node: str) -> builtins.list[e.Entity]:
        return rdf.entities(self._quads(node))

    def _citations(self, session: str) -> Iterator[e.Entity]:
        number = 0
        while found := self._parts(iri("citation", session, number)):
            yield from (replace(item, cites=_by_index(item.cites)) for item in found if isinstance(item, e.Citation))
            number += 1


_STAGES = ("question", "grounding", "exploration", "focus", "synthesis", "failure", "end")


def _ordered(step: e.Step) -> e.Step:
    """Put back the order that RDF forgets, from the ordinals and indexes that were recorded."""
    match step:
        case e.Grounding() if step.ordered:
            return replace(step, concepts=tuple(dict.fromkeys(step.ordered)))
        case e.Exploration():
            return replace(step, entities=tuple(sorted(step.entities)))
        case e.Focus():
            return replace(step, selected_edges=_by_index(step.selected_edges), candidates=_by_index(step.candidates))
        case _:
            return step


def _by_index(nodes: tuple[str, ...]) -> tuple[str, ...]:
    def index(node: str) -> tuple[int, str]:
        named = recognise(node)
        return (named.index if named and named.index is not None else 0, node)

    return tuple(sorted(nodes, key=index))
