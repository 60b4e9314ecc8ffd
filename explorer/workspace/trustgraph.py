"""A workspace whose questions TrustGraph answers: they are recorded here, and those stored there are opened."""

from __future__ import annotations

import builtins
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import chain
from typing import Any

from pyoxigraph import Literal, NamedNode, Quad

from explorer import entities as e
from explorer import rdf
from explorer.engines.registry import Limit, checked
from explorer.errors import QuestionError
from explorer.events import Content, Done, Event, Explain
from explorer.models.chat import NO_MODEL
from explorer.models.choice import Models
from explorer.observing.trustgraph import LiveSession, about
from explorer.reasoning.agent_protocol import TaskType
from explorer.record.exporting import enclosed
from explorer.record.importing import ParsedFile, store
from explorer.record.listing import QUESTIONS, Summaries, TraceSummary
from explorer.record.person import person
from explorer.record.times import earliest, latest
from explorer.record.trace import Trace
from explorer.stores.collection import Collection, Size
from explorer.stores.document_names import HasIri
from explorer.stores.left_out import Without
from explorer.trustgraph.encoding import readable
from explorer.trustgraph.gateway import SILENT, Gateway
from explorer.trustgraph.knowledge import Knowledge, StoredRun
from explorer.vocab import DEFAULT_ENGINE, FACTS, RDFS, RETRIEVAL, TG, X, is_call_text, recognise, session_of
from explorer.wording.ways import engine_of
from explorer.workspace import Workspace, open
from explorer.workspace.opened import ShownTraces

_LIMITS = {  # of ours what its services take
    "graph-rag": (
        "entity_limit", "triple_limit", "max_subgraph_size", "max_path_length", "edge_score_limit", "edge_limit",
    ),
    "document-rag": ("doc_limit", "fetch_limit"),
    "agent": ("pattern", "state"),
}  # fmt: skip


def connect_trustgraph(
    address: str,
    *,
    token: str | None = None,
    flow: str = "default",
    collection: str = "default",
    into: Workspace | None = None,
    timeout: float = SILENT,
) -> TrustGraph:
    """Return a workspace whose questions a TrustGraph gateway answers (`ws://host:8088`): give it to `explorer.app`.

    Runs are recorded in `into`, by default in memory. `token` is by default TRUSTGRAPH_TOKEN, and is sent to the
    gateway alone; `flow` and `collection` are those of TrustGraph. The gateway may be silent for `timeout` seconds.
    Raises WorkspaceError where nobody answers or the token is refused, ImportError without websockets.
    """
    gateway = Gateway(address, token or os.environ.get("TRUSTGRAPH_TOKEN"), flow, timeout)
    return TrustGraph(gateway, collection, into)


class StoredTraces(ShownTraces):
    """The runs here, and those that TrustGraph has stored: these are listed with them, and brought when opened."""

    knowledge: Knowledge
    bring: Callable[[str], None]
    stored: tuple[StoredRun, ...] = ()

    def list(
        self,
        text: str | None = None,
        engine: str | None = None,
        since: str | None = None,
        limit: int = 50,
        **asked: Any,  # noqa: ANN401 - as the base has them
    ) -> builtins.list[TraceSummary]:
        """Return runs as `Traces.list` does, and those in TrustGraph alone where none of the other filters is set."""
        here = super().list(text, engine, since, limit, **asked)
        order = asked.pop("order", "newest")
        until = asked.pop("until", None)
        if any(value is not None for value in asked.values()):
            return here
        self.stored = tuple(self.knowledge.runs())
        begin, end = earliest(since), latest(until)
        found = [
            TraceSummary(one.iri, one.engine, one.question, one.started_at, "imported") for one in self.elsewhere()
            if (text or "").casefold() in one.question.casefold() and engine in (None, one.engine)
        ]  # fmt: skip
        both = [*here, *(one for one in found if begin <= one.begun <= end)]
        if order in ("newest", "oldest"):
            both.sort(key=lambda one: one.begun, reverse=order == "newest")
        return Summaries(both[:limit])

    def elsewhere(self) -> Sequence[StoredRun]:
        """Return the runs that were stored in TrustGraph when they were listed last, and are not here."""
        asked = [(NamedNode(one.iri), None, None, RETRIEVAL) for one in self.stored]
        return [one for one, told in zip(self.stored, self.stores.graph.matches(asked, 1), strict=True) if not told]

    def _question(self, iri: str) -> e.Question:
        named = recognise(iri)
        is_run = named is not None and named.kind in QUESTIONS
        if is_run and next(iter(self.stores.graph.match(NamedNode(iri), None, None, RETRIEVAL)), None) is None:
            self.bring(iri)
        return super()._question(iri)


class TrustGraph(Workspace):
    """A workspace that asks TrustGraph, and holds the runs that were asked or opened, with their sources as far as
    these were looked at.
    """

    def __init__(self, gateway: Gateway, collection: str, into: Workspace | None) -> None:
        """Record in the place of another workspace, or in memory."""
        self._gateway = gateway
        self._knowledge = Knowledge(gateway, collection)
        self._of = collection
        kept = f", kept in {into.name}" if into else ""
        with nullcontext(into) if into else open(model=NO_MODEL) as held:
            super().__init__(**{**held.shared(), "name": f"TrustGraph at {gateway.name}{kept}"})

    def ask(
        self,
        question: str,
        engine: str = DEFAULT_ENGINE,
        *,
        model: str | None = None,
        tools: Sequence[Callable[..., object]] = (),
        task_types: Sequence[TaskType] = (),
        without: Iterable[Without] = (),
        documents: Iterable[str | HasIri] = (),
        by: str | None = None,
        **limits: Limit,
    ) -> Iterator[Event]:
        """Have TrustGraph answer a question by its "graph-rag", "document-rag" or "agent"; yields each step once it is
        on record.

        Of the limits those are sent that its services take. Its flow names the model. Raises QuestionError for what
        TrustGraph can't be asked, and WorkspaceError where it can't be reached, before anything is recorded.
        """
        asked = checked(question, engine, limits)
        ours = {"model": model, "tools": tools, "task_types": task_types, "without": [*without],
                "documents": [*documents]}  # fmt: skip
        given = [*(name for name, value in ours.items() if value), *({*limits} - {*_LIMITS[engine]})]
        if given:
            raise QuestionError(f"TrustGraph's {engine} takes no {given[0]!r}: its flow decides that; ask without it.")
        self._check_writable()
        self.stores.refresh()
        words = {"question" if engine == "agent" else "query": asked.text}
        wired = {(name if engine == "agent" else name.replace("_", "-")): value for name, value in limits.items()}
        session = LiveSession(
            asked.text, engine, self._new_session(), self._clock, self._labels, self._knowledge, self._gateway.timeout
        )
        messages = self._gateway.stream(engine, {**words, **wired, "collection": self._of, "streaming": True})
        return self._recorded(session, session.events(messages), by)

    def _recorded(self, session: LiveSession, events: Iterator[Event], by: str | None) -> Iterator[Event]:
        first = next(events)
        run = first.iri if isinstance(first, Explain) else ""
        for event in self.traces.record(chain([first], events), session_of(run), by=person(by)):
            if isinstance(event, Done):
                self.stores.library.add(session.late)
                if session.notes:
                    self.traces.annotate(run, note="\n".join(session.notes))
            yield event

    def ask_again(
        self,
        trace: Trace | str,
        *,
        without: Iterable[Without] = (),
        tools: Sequence[Callable[..., object]] = (),
        task_types: Sequence[TaskType] = (),
        by: str | None = None,
    ) -> Iterator[Event]:
        """Ask the question of a run again, as `ask` does; raises what that raises."""
        told = trace if isinstance(trace, Trace) else self.traces.load(trace)
        question = told.dag.entities[told.iri]
        if not isinstance(question, e.Question):
            raise QuestionError(f"{told.iri} has no question that could be asked again.")
        return self.ask(question.query, engine_of(question), without=without, tools=tools, task_types=task_types, by=by)

    def stored(self) -> Sequence[StoredRun]:
        """Return the runs that TrustGraph has stored, newest first; `traces.load` opens one by its IRI."""
        return self._knowledge.runs()

    def fetch_sources(self, run: str) -> bool:
        """Bring the passages that the facts of a run were taken from, with their documents; False where all are here.

        Raises WorkspaceError where TrustGraph can't be reached, and RecordError where there is no such run.
        """
        dag = self.traces.load(run).dag
        bare = [node.entity for node in dag.nodes() if not node.passages]
        facts = [one.edge for one in bare if isinstance(one, e.EdgeSelection) and one.edge]
        chunks = [one.document for one in bare if isinstance(one, e.ChunkSelection) and one.document]
        chunks += [chunk for one in bare if isinstance(one, e.Exploration) for chunk in one.selected_chunks
                   if not dag.found(chunk)]  # fmt: skip
        if not (facts or chunks) or self.read_only:
            return False
        quads = self._knowledge.sources(facts, dict.fromkeys(chunks))
        cut = [quad.subject.value for quad in quads if quad.object == TG.Chunk and isinstance(quad.subject, NamedNode)]
        held = self.stores.library.held(cut)
        texts = self._knowledge.texts(one for one in cut if one not in held)
        self._keep(quads, [Content(key, "", "text/plain", data) for key, data in texts.items()])
        return bool(quads)

    def push(self, trace: Trace | str) -> None:
        """Write a run into TrustGraph, with its texts, its sources and the labels of its facts, so that TrustGraph's
        own tools show it.

        Raises RecordError where there is no such run, and WorkspaceError where TrustGraph does not take it.
        """
        told = trace if isinstance(trace, Trace) else self.traces.load(trace)
        own = readable(told.quads())
        held = enclosed(self.stores, told, originals=False)
        beside = [quad for quad in held.quads if quad.predicate not in X and quad.object not in X]
        named = {quad.object.value for quad in own if quad.predicate == TG.document
                 and isinstance(quad.object, NamedNode)}  # fmt: skip
        named |= {quad.subject.value for quad in beside if isinstance(quad.subject, NamedNode)}
        texts = {one.iri: (one.title, one.mime, one.data) for one in held.contents
                 if one.iri in named and not is_call_text(one.iri)}  # fmt: skip
        self._knowledge.add(told.iri, [*own, *beside], texts)

    def known_models(self, *, here: bool = True) -> Models:
        """Return no model: the flow of TrustGraph has its own."""
        return Models(())

    def close(self) -> None:
        """Hang up, and close what is held here; a workspace that it was kept in stays open."""
        self._gateway.close()
        super().close()

    @property
    def size(self) -> Size:
        """How much is here, and how many runs are listed."""
        held = super().size
        return replace(held, traces=held.traces + len(self._listed.elsewhere()))

    @property
    def is_ready(self) -> bool:
        """Whether a question can be asked: the documents are at TrustGraph."""
        return True

    @property
    def model_name(self) -> str:
        """What is said of the model: the flow of TrustGraph names it."""
        return "TrustGraph's own"

    def _opened_traces(self) -> ShownTraces:
        self._listed = StoredTraces(self._holding.stores, self._clock, self._key)
        self._listed.knowledge, self._listed.bring = self._knowledge, self._bring
        return self._listed

    def _check_filled(self, stores: Collection) -> None:
        """Refuse nothing: the documents are at TrustGraph."""

    def _labels(self, entities: Iterable[str]) -> dict[str, str]:
        asked = list(entities)
        here = self.sources.labels_of(asked)
        found = self._knowledge.labels(one for one in asked if one not in here)
        self.graph.add(Quad(NamedNode(one), RDFS.label, Literal(label), FACTS) for one, label in found.items())
        if found:
            self.sources.forget()
        return {**found, **here}

    def _bring(self, run: str) -> None:
        quads = self._knowledge.run(run)
        if not quads:
            return
        self._check_writable()
        described = list(rdf.entities(quads))
        self._labels(about(described))
        named = [one.document for one in described if isinstance(one, e.Answer | e.Reflection) and one.document]
        texts = self._knowledge.texts(named)
        self._keep(quads, [Content(key, "", "text/plain", data) for key, data in texts.items()])

    def _keep(self, quads: Sequence[Quad], contents: Sequence[Content]) -> None:
        given = ParsedFile(tuple(quads), tuple(contents), len(quads), 0, ())
        with self.stores.database.importing:
            self._imported(lambda: store(given, self.stores))
