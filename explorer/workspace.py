"""A workspace: the open stores with what can be done with them. `open` makes one."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from pyoxigraph import NamedNode, Triple

from explorer import display, rdf
from explorer.engines.questions import Limit, Models, checked, known_models, model_for, run
from explorer.engines.setting import Setting
from explorer.entities import ChunkSelection, EdgeSelection, Entity
from explorer.errors import RecordError, WorkspaceError
from explorer.events import Event, Passage
from explorer.ingest.batch import Ingested, ingest
from explorer.ingest.pipeline import Pipeline, mend
from explorer.ingest.readers.files import Source, sources_of
from explorer.ingest.reindex import Reindexed, reindex, unindexed
from explorer.models.embedding import Embedder, embedder_for
from explorer.reasoning.protocol import TaskType
from explorer.record import importing
from explorer.record.compare import Comparison, compare
from explorer.record.importing import Imported
from explorer.record.trace import Trace
from explorer.record.traces import Traces
from explorer.stores.facts import facts
from explorer.stores.lock import SharedCollection, hold
from explorer.stores.sources import Sources
from explorer.text import count, one_line
from explorer.vocab import FACTS, PROV, TG, X, iri

if TYPE_CHECKING:
    from explorer.models.chat import ChatModel
    from explorer.stores.collection import Collection
    from explorer.stores.graph import OxigraphStore

_LINKS = (PROV.wasDerivedFrom, PROV.wasGeneratedBy, PROV.used, PROV.wasAssociatedWith, X.cites)
_MEMBERS = (TG.selectedEdge, TG.selectedChunk, TG.thought, X.candidate)


@dataclass(frozen=True, slots=True)
class Described:
    """A node of the record with what it derives from and what derives from it, as IRIs."""

    entity: Entity
    parents: tuple[str, ...]
    children: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Size:
    """How much a workspace holds; facts are counted once however many sources they have."""

    documents: int
    pages: int
    facts: int
    traces: int


class Workspace:
    """An open collection: ingest documents, ask, and read the record. Close it, or use it in a `with` block."""

    def __init__(
        self,
        holding: SharedCollection,
        *,
        name: str,
        path: Path | None,
        embedder: Embedder,
        ids: Callable[[], str],
        clock: Callable[[], datetime],
        chat: ChatModel | None = None,
        base_url: str | None = None,
        record_prompts: bool = True,
    ) -> None:
        """Use held stores; `open` makes them."""
        self.name = name
        self.path = path
        self.embedder = embedder
        self.chat = chat
        self.base_url = base_url
        self.record_prompts = record_prompts
        self._holding = holding
        self._ids = ids
        self._clock = clock
        self.traces = Traces(holding.stores, clock)
        self._closed = False

    @property
    def stores(self) -> Collection:
        """The open stores: graph, library, database, vectors, sources and link graph."""
        return self._holding.stores

    @property
    def graph(self) -> OxigraphStore:
        """The RDF dataset: facts, sources, traces."""
        return self.stores.graph

    @property
    def sources(self) -> Sources:
        """The way from edges to passages."""
        return self.stores.sources

    @property
    def read_only(self) -> bool:
        """Say whether another process holds the workspace for writing."""
        return self.stores.read_only

    @property
    def holder(self) -> str | None:
        """Who holds it for writing, when that is another process."""
        return self._holding.holder

    @property
    def size(self) -> Size:
        """How much it holds."""
        rows = self.stores.database.rows(
            "SELECT (SELECT count(*) FROM documents WHERE state = 'done') AS documents, "
            "(SELECT count(DISTINCT key) FROM vectors WHERE kind = 'edge') AS facts, "
            "(SELECT count(*) FROM listing) AS traces"
        )
        pages = sum(1 for _ in self.graph.match(None, TG.pageNumber))
        return Size(rows[0]["documents"], pages, rows[0]["facts"], rows[0]["traces"])

    def ingest(
        self,
        *paths: str | Path | Source,
        facts: str | Path | None = None,
        triples: str | Path | None = None,
        progress: bool = True,
    ) -> Ingested:
        """Read files and folders into the workspace; the same bytes again change nothing.

        A .jsonl file is a corpus: each line (id, title, text) is a document. `triples` names a JSON-lines file with the
        facts of such passages (id, triples, entities), which stand in for those that rules would find; `facts` one of
        curated facts (subject, predicate, object, document, quote). What can't be read is told in `refused` and the
        rest goes on; raises DocumentError when nothing at all could be read.
        """
        self._check_writable()
        pipeline = Pipeline(self.graph, self.stores.library, self.embedder, self._clock)
        given, curated = (Path(path) if path else None for path in (triples, facts))
        try:
            return ingest(pipeline, sources_of(paths), curated, given, progress=progress)
        finally:
            self.sources.forget()
            self.graph.flush()

    def ask(
        self,
        question: str,
        engine: str = "graph-rag",
        *,
        model: str | None = None,
        tools: Sequence[Callable[..., object]] = (),
        task_types: Sequence[TaskType] = (),
        **limits: Limit,
    ) -> Iterator[Event]:
        """Answer a question, yielding each step once it is on record.

        Engines are "graph-rag", with the arguments of `Limits`, "document-rag", with those of `PassageLimits`, and
        "agent", with those of `AgentLimits`. `model` names a model behind the workspace's address for this run, by
        default the one it was opened with; "no model" runs without. An agent may also call `tools`, functions of yours
        with typed arguments (see `explorer.tool`), and choose how to work among what `task_types` allow. Raises
        QuestionError, ModelError or WorkspaceError at once, before anything is recorded.
        """
        asked = checked(question, engine, limits, tools, task_types)
        chat = model_for(model, self.chat, self.base_url)
        self._check_writable()
        self._check_filled()
        session = self._fresh(self._ids())
        setting = Setting(self.stores, self.embedder, session, self._clock, self.record_prompts)
        return self.traces.record(run(asked, setting, chat, self._ids), session)

    def run(
        self,
        question: str,
        engine: str = "graph-rag",
        *,
        model: str | None = None,
        tools: Sequence[Callable[..., object]] = (),
        task_types: Sequence[TaskType] = (),
        **limits: Limit,
    ) -> Trace:
        """Answer a question and give the whole trace; arguments and what it raises are those of `ask`."""
        return Trace(self.ask(question, engine, model=model, tools=tools, task_types=task_types, **limits))

    def models(self) -> list[str]:
        """Give the names of the models to choose from; what keeps the address from telling is in `known_models`."""
        return list(self.known_models().names)

    def known_models(self) -> Models:
        """Give the models to choose from: the configured one, those its address offers, those of past runs.

        The address is asked, for at most three seconds, where a model is configured or the address is on this machine.
        """
        return known_models(self.chat, self.base_url, self.traces.models())

    def compare(self, a: Trace | str, b: Trace | str) -> Comparison:
        """Lay two runs side by side, given whole or by the IRIs of their Questions; raises RecordError."""
        return compare(*(one if isinstance(one, Trace) else self.traces.load(one) for one in (a, b)))

    def passages(self, edge: EdgeSelection | ChunkSelection | Triple) -> list[Passage]:
        """Give all passages an edge comes from, in order of document and offset; empty: no recorded source.

        Of a chunk that was selected: the chunk.
        """
        if isinstance(edge, ChunkSelection):
            return list(self.sources.chunk(edge.document)) if edge.document else []
        triple = edge.edge if isinstance(edge, EdgeSelection) else edge
        return [] if triple is None else list(self.sources.passages(triple))

    def text(self, iri: str) -> str:
        """Give the text of a document, chunk or other content; all offsets into a document count in it."""
        return self.stores.library.text(iri)

    def data(self, iri: str) -> bytes:
        """Give the bytes of a content: of a document the file as it was read. Raises RecordError."""
        return self.stores.library.get(iri).data

    def node(self, iri: str) -> Described:
        """Give any node of the record with its parents and children; raises RecordError when there is none."""
        try:
            node = NamedNode(iri)
        except ValueError as error:
            message = f"{iri!r} is not an IRI; copy one from `explorer traces` or from a record."
            raise RecordError(message) from error
        self.stores.refresh()
        described = rdf.entities(self.graph.match(node))
        if not described:
            message = f"Nothing is on record about {iri}; check the IRI."
            raise RecordError(message)
        parents: list[object] = [q.object for link in _LINKS for q in self.graph.match(node, link)]
        parents += [q.subject for link in _MEMBERS for q in self.graph.match(None, link, node)]
        children: list[object] = [q.subject for link in _LINKS for q in self.graph.match(None, link, node)]
        children += [q.object for link in _MEMBERS for q in self.graph.match(node, link)]
        return Described(described[0], _iris(parents), _iris(children))

    def export(self, trace: Trace, format: str = "trig") -> bytes:
        """Give a trace's triples in a file format; raises RecordError for one that is not known.

        Formats: trig, nq, turtle, nt, rdfxml, json-ld, prov-json, prov-n.
        """
        return rdf.dump(trace.quads(), format)

    def report(self, trace: Trace) -> str:
        """Give a trace as one HTML page that needs nothing else: the picture, the answer, each fact with its words."""
        from explorer.drawing import picture

        return picture.page(trace.dag)

    def import_record(self, path: str | Path, form: str | None = None) -> Imported:
        """Take in a file of triples, or a recorded TrustGraph session (.jsonl); stored as they came, all or none.

        Formats: nq, trig, nt, turtle, rdfxml, json-ld, wire; guessed from name and content by default. Raises
        RecordError when the file can't be read; single statements that can't are told in `refused`. Facts in it are
        found by questions once `reindex` has made their vectors; `unindexed` says how many wait for that.
        """
        self._check_writable()
        try:
            data = Path(path).read_bytes()
        except OSError as error:
            message = f"{path} can't be read ({error.strerror or error}); check the path."
            raise RecordError(message) from error
        parsed = importing.read(data, Path(path).name, form)
        missing = unindexed(self.stores.database, facts(parsed.quads))
        found = tuple(importing.questions(parsed.quads))
        other = self.stores.library.add(parsed.contents)
        kept = tuple(f"{iri}: the text that is stored already was kept, another one left out." for iri in other)
        self.graph.add(parsed.quads)
        self.traces.reindex()
        self.sources.forget()
        self.graph.flush()
        return Imported(parsed.given, parsed.given - parsed.faulty, (*parsed.refused, *kept), found, missing)

    def reindex(self, *, progress: bool = True) -> Reindexed:
        """Make all vectors anew with this workspace's embedder: after another one was chosen, or facts were imported.

        What cuts it off leaves the old vectors. Raises WorkspaceError when read-only, ModelError when embedding fails.
        """
        self._check_writable()
        return reindex(self.stores, self.embedder, progress=progress)

    def close(self) -> None:
        """Let go of the folder; raises nothing when it is closed already."""
        if not self._closed:
            self._closed = True
            self._holding.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._closed:
            return f"<Workspace {one_line(self.name)}: closed>"
        size = self.size
        counts = (size.documents, "document"), (size.pages, "page"), (size.facts, "fact"), (size.traces, "past run")
        said = ", ".join(count(number, noun) for number, noun in counts)
        held = f"; read-only: {self.holder} is writing" if self.read_only else ""
        return f"<Workspace {one_line(self.name)}: {said}{held}>"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        if self._closed:
            return display.workspace(repr(self))
        told = [(run.question, f"{run.engine}, {run.reason or 'running'}") for run in self.traces.list(limit=3)]
        empty = self.stores.library.is_empty() and not told
        return display.workspace(repr(self), told, display.hints(told, empty=empty, read_only=self.read_only))

    def _fresh(self, session: str) -> str:
        asked = (NamedNode(iri(kind, session)) for kind in ("question", "docrag-question", "agent-question"))
        if any(next(iter(self.graph.match(node)), None) is not None for node in asked):
            message = f"There is a run {session} on record already; let `ids` give a new one each time."
            raise WorkspaceError(message)
        return session

    def _check_writable(self) -> None:
        if self.read_only:
            message = f"The workspace {self.name} is held by {self.holder}; close it there, then open it here again."
            raise WorkspaceError(message)

    def _check_filled(self) -> None:
        if self.stores.library.is_empty() and not self.stores.vectors.count("edge"):
            if next(facts(self.graph.match(graph=FACTS)), None) is not None:
                message = (
                    "The facts here are not indexed yet; make their vectors with ws.reindex() or `explorer reindex`."
                )
                raise WorkspaceError(message)
            message = (
                'No documents yet. Add some with ws.ingest("folder/") or `explorer ingest folder/`, '
                "or open the sample with explorer.demo()."
            )
            raise WorkspaceError(message)
        self.stores.vectors.check_embedder(self.embedder.name)


def open(
    path: str | Path | None = None,
    *,
    collection: str = "default",
    model: str | None = None,
    base_url: str | None = None,
    record_prompts: bool = True,
    embedder: Embedder | str | None = None,
    ids: Callable[[], str] | None = None,
    clock: Callable[[], datetime] | None = None,
) -> Workspace:
    """Open a workspace folder, made if missing; without a path one in memory.

    `model` names a chat model behind any OpenAI-compatible address (`base_url`), by default EXPLORER_MODEL; without
    one, or with "no model", the extractive reasoner answers. The key is OPENAI_API_KEY and is never recorded; prompts
    and replies are, unless `record_prompts` is False: then only their hashes. `embedder` is "wordllama", "minilm" (an
    extra: better and slower) or the name of an embedding model at that address.
    `ids` and `clock` replace random session ids and the time, for records that are the same each time. While another
    process writes, the workspace is read-only and says who holds it. Raises WorkspaceError or ModelError.
    """
    where = None if path is None else Path(path)
    holding = hold(where, collection)
    ws = Workspace(
        holding,
        name="in memory" if where is None else where.name or str(where),
        path=where,
        embedder=embedder_for(embedder, base_url),
        ids=ids or (lambda: str(uuid.uuid4())),
        clock=clock or (lambda: datetime.now(UTC)),
        chat=_chat(model, base_url),
        base_url=base_url,
        record_prompts=record_prompts,
    )
    if not ws.read_only and holding.users == 1:
        mend(holding.stores.graph, holding.stores.library)
        ws.traces.reindex()
        ws.traces.interrupted()
    return ws


def _chat(model: str | None, base_url: str | None) -> ChatModel | None:
    return model_for(model or os.environ.get("EXPLORER_MODEL"), None, base_url)


def _iris(nodes: list[object]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(node.value for node in nodes if isinstance(node, NamedNode)))
