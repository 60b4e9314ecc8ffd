"""A workspace: the open stores, and everything that can be done with them. `open` returns one."""

from __future__ import annotations

import os
import tempfile
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from pyoxigraph import Literal, NamedNode, Triple

from explorer import __version__, display
from explorer.display import Table
from explorer.documents.corrections import Correction, corrections
from explorer.documents.corrections import correction as correction_of
from explorer.documents.document import Document, all_documents, document
from explorer.documents.entities import KnownEntity, entity_table, find_entities, known
from explorer.documents.facts import Fact, FactLike, find_fact, find_facts
from explorer.documents.impact import Impact, impact
from explorer.documents.passages import find_passages
from explorer.documents.suggestions import suggested
from explorer.engines.registry import DEFAULT_ENGINE, Limit, checked, run
from explorer.engines.setting import Pauses, Setting
from explorer.engines.steps import truncate_question
from explorer.entities import ChunkSelection, EdgeSelection
from explorer.errors import CLOSED, DocumentError, QuestionError, RecordError, WorkspaceError
from explorer.evaluation import named as named_queries
from explorer.evaluation.gaps import Gaps, gaps
from explorer.evaluation.questions import checked_path, read_questions
from explorer.evaluation.results import Evaluation
from explorer.evaluation.running import Asker
from explorer.evaluation.ways import Limitations, Way, ways_of
from explorer.events import Event, Passage
from explorer.ingest.attaching import REQUEST, Attached, attach
from explorer.ingest.batch import Ingested, ingest
from explorer.ingest.chunker import ChunkSizes
from explorer.ingest.extraction.choice import RULES, Chosen, ModelOptions, extractors_for, names_of
from explorer.ingest.limits import UNLIMITED, Limits
from explorer.ingest.outdated import Outdated, outdated
from explorer.ingest.pipeline import Pipeline
from explorer.ingest.progress import Tell, shown
from explorer.ingest.readers.files import Source, read_again, sources_of
from explorer.ingest.reindex import Reindexed, is_indexed, reindex, reindexed
from explorer.language.words import tokens
from explorer.models.choice import Models, known_models, model_at, model_for
from explorer.models.embedding import Embedder, Remembered, embedder_for
from explorer.reasoning.protocol import TaskType
from explorer.record import importing
from explorer.record.bundles.writing import bundle, write
from explorer.record.compare import Comparison, compare
from explorer.record.curation import Change, Named, add_fact, fact_of, retract, signed
from explorer.record.exporting import export
from explorer.record.forgetting import Forgotten, forget, named_document, restore
from explorer.record.importing import Imported
from explorer.record.influence import FEWEST, Attempt, Influence, at_hand, items_of, rated_on_record, stored
from explorer.record.keys import Key, key_of, public_key
from explorer.record.ledger import Ledger
from explorer.record.listing import QUESTIONS, questions
from explorer.record.merging import Belonging, Names, merge, needed_entity, split
from explorer.record.node import Described, describe
from explorer.record.person import person
from explorer.record.purging import Purged, purge
from explorer.record.query import ROWS, SECONDS, QueryTable, query
from explorer.record.recovery import rebuild_listing, settle
from explorer.record.reextraction import Anew, Reextracted
from explorer.record.replay import begun
from explorer.record.report import FORMS, written
from explorer.record.rerun import repeat
from explorer.record.trace import Trace
from explorer.record.traces import Traces
from explorer.record.undoing import undo
from explorer.record.upgrading import Upgraded, upgrade
from explorer.record.upkeep import Upkeep
from explorer.record.verification.verify import Verified, check_named, verify
from explorer.stores.attached import AttachedStore, Attachment, attached_stores
from explorer.stores.backup import back_up
from explorer.stores.curated import settle as settle_curations
from explorer.stores.database import ReadingIn
from explorer.stores.documents import DocumentRow
from explorer.stores.documents import documents as documents_here
from explorer.stores.endpoint.server import plain
from explorer.stores.facts import facts
from explorer.stores.left_out import LeftOut, Without, named
from explorer.stores.limited import HasIri, named_documents
from explorer.stores.lock import SharedCollection, hold
from explorer.stores.served import TIMEOUT, Served, is_served
from explorer.stores.sources import Sources
from explorer.text import count, one_line
from explorer.view.report import page
from explorer.vocab import FACTS, iri, session_of, timestamp

REPORTS = ("html", *FORMS)
"""What a report is written as."""

if TYPE_CHECKING:
    from explorer.models.chat import ChatModel
    from explorer.stores.collection import Collection, Size
    from explorer.stores.graph import GraphStore


class Workspace:
    """An open collection: ingest documents, ask, and read the record. Close it, or use it in a `with` block."""

    def __init__(
        self,
        holding: SharedCollection,
        *,
        name: str,
        place: Path | Served | None,
        embedder: Embedder,
        ids: Callable[[], str],
        clock: Callable[[], datetime],
        chat: ChatModel | None = None,
        base_url: str | None = None,
        record_prompts: bool = True,
        collection: str = "default",
        key: Key | None = None,
    ) -> None:
        self.name = name
        self.path = place if isinstance(place, Path) else None
        self.embedder = embedder
        self.chat = chat
        self.base_url = base_url
        self.record_prompts = record_prompts
        self._place = place
        self._collection = collection
        self._connected: dict[str, ChatModel] = {}
        self._holding = holding
        self._ids = ids
        self._clock = clock
        self._closed = False
        self._key = key
        self._traces = Traces(holding.stores, clock, key)
        self._settle()

    @property
    def stores(self) -> Collection:
        """The open stores: graph, library, database, vectors, sources and link graph.

        Raises WorkspaceError when it is closed, though another one of the same folder may be open.
        """
        if self._closed:
            raise WorkspaceError(CLOSED)
        return self._holding.stores

    @property
    def traces(self) -> Traces:
        """The runs on record; raises WorkspaceError when it is closed."""
        if self._closed:
            raise WorkspaceError(CLOSED)
        return self._traces

    @property
    def ledger(self) -> Ledger:
        """The ledger: an entry for each run that ended, came, changed or went, each with the seal before it."""
        self.stores.refresh()
        return self.traces.ledger

    @property
    def graph(self) -> GraphStore:
        """The RDF dataset: facts, sources, traces."""
        return self.stores.graph

    @property
    def sources(self) -> Sources:
        """The way from edges to passages."""
        return self.stores.sources

    @property
    def read_only(self) -> bool:
        """Whether nothing can be written: another process holds it for writing, or its place can't be written to."""
        return self._holding.stores.read_only

    @property
    def holder(self) -> str | None:
        """The process that holds it for writing, when that is another one."""
        return self._holding.holder

    @property
    def why_read_only(self) -> str | None:
        """What keeps it from being written, in words that go on after "read-only: "; None where nothing does."""
        if self.holder is not None:
            return f"{self.holder} is writing"
        return self._holding.fault

    @property
    def size(self) -> Size:
        """How much it holds."""
        return self.stores.size

    def ingest(
        self,
        *paths: str | Path | Source,
        facts: str | Path | None = None,
        triples: str | Path | None = None,
        extractors: str | Sequence[str | Chosen] = (RULES,),
        model: str | None = None,
        ontology: str | Path | None = None,
        parallel: int = 4,
        max_tokens: int | None = None,
        chunk_size: int | None = None,
        chunk_overlap: int | None = None,
        max_bytes: int | None = None,
        max_unpacked: int | None = None,
        max_pages: int | None = None,
        max_seconds: float | None = None,
        max_memory: int | None = None,
        max_cell: int | None = None,
        password: str | None = None,
        replaces: str | Path | HasIri | None = None,
        progress: bool | Tell = True,
    ) -> Ingested:
        """Read files and folders into the workspace; the same bytes again change nothing.

        `extractors` find the facts: "rules" by default, "model" (`model`, by default the workspace's), objects of yours
        with name, version and edges(), or none: text alone. Documents that are here already are gone through by those
        that have not done so. A model is asked `parallel` requests at a time, for what an `ontology` (a file of OWL or
        RDFS) has terms for, or all; it uses at most `max_tokens`, and the same call goes on where it stopped.
        `chunk_size` (1,000 characters) and `chunk_overlap` (a tenth) cut what is new; what is here stays as it is cut.
        A .jsonl file is a corpus: each line (id, title, text) is a document. `triples` names a JSON-lines file with the
        facts of such passages (id, triples, entities), which stand in for those that rules would find; `facts` one of
        curated facts (subject, predicate, object, document, quote). What can't be read is listed in `refused` and the
        rest goes on; raises DocumentError when nothing at all could be read. `progress` shows a bar, or is a function
        that is given a `Progress` at each step of a file. What a folder holds that is left out (hidden, no file,
        a link out of it) is in `notes`.
        A file is refused, and nothing of it stored, that has more than `max_bytes` (200 MB, JSON-LD 20), unless it is a
        corpus, more than `max_unpacked` bytes (500 MB, workbooks 300) when it is unpacked, more than `max_pages`
        (20,000), a cell of CSV of more than `max_cell` characters (10,000,000), or takes more than `max_seconds` or
        `max_memory` bytes, which by default have no limit.
        `password` opens files that are encrypted (PDF, and Office files with the extra `passwords`); it is not kept.
        A single file may be a new version of the document that it `replaces`, named as `document` takes it, whatever
        the names of both; where they stand is told otherwise: a file that has changed replaces itself.
        """
        self._check_writable()
        pipeline = Pipeline(self.graph, self.stores.library, self.embedder, self._clock)
        limits = Limits(max_bytes, max_unpacked, max_pages, max_seconds, max_memory, max_cell)
        given, curated = (Path(path) if path else None for path in (triples, facts))
        with self._reading_in():
            found = sources_of(paths)
            sources = found.sources if replaces is None else [self._newer(found.sources, replaces)]
            done = ingest(
                pipeline,
                sources,
                curated,
                given,
                extractors=extractors,
                options=ModelOptions(partial(self._model, model), ontology, parallel, max_tokens),
                keep_prompts=self.record_prompts,
                sizes=ChunkSizes.given(chunk_size, chunk_overlap),
                limits=limits,
                password=password,
                progress=progress,
            )
            self.stores.vectors.make_ready()
            return replace(done, notes=(*found.left_out, *done.notes))

    def attach(
        self,
        url: str,
        *,
        named_graph: str | None = None,
        pattern: str | None = None,
        labels: Sequence[str] | None = None,
        languages: Sequence[str] | None = None,
        timeout: float = REQUEST,
        progress: bool | Tell = True,
    ) -> Attached:
        """Read what a SPARQL store holds, which others fill, as a document: its facts answer beside those of files.

        Of a store with named graphs `named_graph` says which (by default its default graph), and `pattern` what to take
        of it: a graph pattern over ?s, ?p and ?o, such as "?s a <https://schema.org/City>". Things are named by
        `labels` (IRIs of predicates: rdfs:label, skos:prefLabel and schema:name), of texts in several languages those
        in the best of `languages` ("en") are taken. All this is kept for the next time; a password (in the URL, or in
        EXPLORER_ATTACHED_USER and EXPLORER_ATTACHED_PASSWORD, or EXPLORER_ATTACHED_TOKEN, for the host that
        EXPLORER_ATTACHED_HOST names) is not. Nothing is ever written to the store. A request may take `timeout`
        seconds. What is cut off goes on where it stopped. `reindex`, or the same call, reads it again: what changed is
        a new version. `progress` is as for `ingest`. Raises WorkspaceError or DocumentError, in one sentence.
        """
        self._check_writable()
        self.stores.vectors.check_embedder(self.embedder.name)
        at, graph = plain(url), named_graph or None
        pipeline = Pipeline(self.graph, self.stores.library, self.embedder, self._clock)
        place = Attachment(at, graph).place
        known = next((one for one in attached_stores(self.stores.database) if one.attachment.place == place), None)
        before = known.attachment if known is not None else Attachment(at, graph)
        given = Attachment(
            at, graph, before.pattern if pattern is None else pattern or None,
            before.labels if labels is None else tuple(labels),
            before.languages if languages is None else tuple(languages),
        )  # fmt: skip
        folder = self.path and self.path / self._collection / "attaching"
        with self._reading_in():
            done = attach(pipeline, given, url, folder, timeout=timeout, progress=progress)
            self.stores.vectors.make_ready()
            return done

    @property
    def attached(self) -> list[AttachedStore]:
        """The stores that are attached, each with its document here, when it was read, and how much it had."""
        self.stores.refresh()
        return attached_stores(self.stores.database)

    @property
    def being_read(self) -> list[ReadingIn]:
        """Who is reading documents in just now, this process too; each shows as a sentence for who asks meanwhile."""
        return self.stores.database.being_read()

    @property
    def documents(self) -> Table[Document]:
        """The documents, in the order they came; shown as a table."""
        self.stores.refresh()
        return all_documents(self.traces)

    def document(self, named: str | Path) -> Document:
        """Return the document that an IRI, a path, a title or a part of one means; raises RecordError."""
        self.stores.refresh()
        return document(self.traces, str(named))

    def impact(self, document: str | Path | HasIri) -> Impact:
        """Return what `forget` would change: facts, and the runs and texts that rest on a document, named as above."""
        self.stores.refresh()
        return impact(self.traces, self._document_row(document))

    def forget(self, document: str | Path | HasIri, *, words: bool = False) -> Forgotten:
        """Remove a document, named as above, with its earlier versions, and every fact without another source.

        Its title, its date, the time and a hash stay, and runs say that their source was removed, and when. What they
        quoted stays in their texts, unless `words`: then texts with five words in a row of it are removed too, and all
        files are written anew, so that none of them holds what was removed. What facts in runs name stays.
        """
        self._check_writable()
        try:
            moment = timestamp(self._clock())
            forgotten = forget(self.stores, self._document_row(document), moment, words=words)
            self.traces.ledger.settle()
            return forgotten
        finally:
            self.graph.flush()

    def restore(self, forgotten: Forgotten) -> Document:
        """Bring back a document that was removed, as it was, as long as what `forget` returned is at hand.

        It has its facts, whoever found them, with all their sources, its earlier versions and its dates again, and runs
        of before rest on it as they did. What people corrected meanwhile stays so, and texts of runs that were removed
        with it do not come back.
        """
        self._check_writable()
        try:
            restore(self.stores, self.embedder, forgotten)
        finally:
            self.graph.flush()
        return self.document(forgotten.iri)

    def reextract(
        self,
        *documents: str | Path | HasIri,
        extractors: str | Sequence[str | Chosen] = (RULES,),
        model: str | None = None,
        ontology: str | Path | None = None,
        parallel: int = 4,
        max_tokens: int | None = None,
        password: str | None = None,
        progress: bool = True,
    ) -> Reextracted:
        """Have facts found anew in documents, named as above, or in all, by `extractors` as `ingest` takes them: what
        only those of before have found goes.

        What people added or retracted, and what was given with a document, stays. Past runs keep what they used. Where
        a model stops by `max_tokens` nothing has gone yet, and the same call goes on. Encrypted ones take their
        `password` again. Raises as `ingest` does.
        """
        self._check_writable()
        options = ModelOptions(partial(self._model, model), ontology, parallel, max_tokens)
        chosen = extractors_for(extractors, options)
        rows = [self._document_row(one) for one in documents] or documents_here(self.stores.database)
        if not rows:
            raise RecordError("There are no documents whose facts could be made anew.")
        before = self.size.facts
        pipeline = Pipeline(self.graph, self.stores.library, self.embedder, self._clock)
        pipeline.anew = anew = Anew(pipeline, self.stores, self.embedder, {
            name: one.version for name, one in zip(names_of(chosen), chosen, strict=True)
        })  # fmt: skip
        anew.begin(row.iri for row in rows)
        library = self.stores.library
        try:
            with tempfile.TemporaryDirectory(prefix="explorer-", ignore_cleanup_errors=True) as folder:
                sources = []
                for number, row in enumerate(rows):
                    path = Path(folder) / f"{number}"
                    path.write_bytes(library.get(row.iri).data)
                    sources.append(read_again(path, row.source, row.mime, library.places(row.iri)))
                done = ingest(
                    pipeline, sources, extractors=extractors, options=options, keep_prompts=self.record_prompts,
                    limits=UNLIMITED, password=password, progress=progress,
                )  # fmt: skip
            if not done.left:
                anew.end()
        finally:
            self.sources.forget()
            self.graph.flush()
        return Reextracted.of(done, anew.done, self.size.facts - before + anew.gone, anew.gone)

    def _newer(self, sources: Sequence[Source], replaced: str | Path | HasIri) -> Source:
        """Return the one file that is to replace a document; raises DocumentError for several."""
        self.stores.refresh()
        row = self._document_row(replaced)
        if len(sources) != 1:
            raise DocumentError(f"{count(len(sources), 'file')} can't replace one document; name a single file.")
        return replace(sources[0], replaces=row.iri)

    def _document_row(self, document: str | Path | HasIri) -> DocumentRow:
        return named_document(self.stores, str(document) if isinstance(document, str | Path) else document.iri)

    def facts(
        self, text: str | None = None, entity: str | None = None, document: str | None = None, limit: int | None = 50
    ) -> Table[Fact]:
        """Return facts: that hold words of a text (best first), about an entity (IRI or name), of a document.

        The words may stand in the fact or in its sentence. Raises RecordError for an unknown document, and for a name
        that several entities have.
        """
        self.stores.refresh()
        return find_facts(self.stores, text, entity, document, limit)

    def add_fact(
        self, s: Named, p: Named, o: Named | Literal, passage: Passage | str | None = None, by: str | None = None,
        *, instead_of: FactLike | None = None,
    ) -> Fact:  # fmt: skip
        """Add a fact by hand, of names or IRIs, with the passage (or the IRI of the chunk) that it rests on, if any.

        It is on record as curated, with the time and who it was: `by`, or EXPLORER_USER. A retracted one is back. What
        it stands `instead_of`, named as `retract` takes it, is retracted in the same step.
        Raises RecordError for what is no fact, or no passage here.
        """
        self._check_writable()
        fact, names = fact_of(s, p, o)
        before = None if instead_of is None else find_fact(self.stores, instead_of).triple
        add_fact(self._change(by), self.embedder, fact, names, passage, before=before)
        return Fact(fact, self.stores)

    def retract(self, fact: FactLike, by: str | None = None, instead: FactLike | None = None) -> Fact:
        """Take a fact back, given itself, by its words, or by the IRI of a selection: it answers no more.

        Who it was and when is on record, past runs show it with that, and with the fact that says it right, `instead`;
        no file brings it back; `add_fact` does. Raises RecordError where it is not among the facts.
        """
        self._check_writable()
        found = find_fact(self.stores, fact)
        right = None if instead is None else find_fact(self.stores, instead).triple
        retract(self._change(by), self.embedder, found.triple, right)
        return found

    def merge(self, kept: Named, other: Named, by: str | None = None) -> KnownEntity:
        """Have an entity, by name or IRI, be read as another, `kept`, which keeps its name or is a new one: its facts
        are that one's, in answers, tables and walks, also what is read later. What is stored stays as it came.

        On record with the time and who it was; `undo` takes it back. Raises RecordError for an unknown entity.
        """
        self._check_writable()
        return known(self.traces, merge(self._change(by), self.embedder, kept, other))

    def split(
        self,
        entity: Named,
        names: Iterable[str] | Mapping[str, Iterable[Belonging | Fact] | Belonging | Fact],
        by: str | None = None,
    ) -> Table[KnownEntity]:
        """Have an entity be several, by their names: one that was merged with it is by itself again.

        Any other name gets the facts of the passages that have it in their words, or what is given for it: documents,
        passages or facts. What is left over stays. On record with the time and who it was; `undo` takes it back.
        Raises RecordError for an unknown entity, and where a name gets nothing.
        """
        self._check_writable()
        made = split(self._change(by), self.embedder, entity, _triples(names))
        return entity_table(known(self.traces, iri) for iri in made)

    def undo(
        self, correction: str | HasIri | Iterable[str | HasIri] | None = None, by: str | None = None
    ) -> Correction:
        """Take back what was corrected, one of `curations` or several, or by IRI; by default the last that stands.

        All of it is taken back or nothing, and returned is the first. Both acts are on record.
        Raises RecordError where something else was done with the same fact since, and where the
        source of a fact that would be back is not here any more.
        """
        self._check_writable()
        given = [correction] if isinstance(correction, str | HasIri) else [*(correction or ())]
        named = [one.iri if isinstance(one, HasIri) else one for one in given]
        return correction_of(self.stores, undo(self._change(by), self.embedder, named)[0])

    @property
    def curations(self) -> Table[Correction]:
        """What people corrected by hand, the last first, with when and who it was; shown as a table."""
        self.stores.refresh()
        return corrections(self.stores)

    def entities(self, text: str | None = None, limit: int = 50) -> Table[KnownEntity]:
        """Return the entities with a text in their name, or all; those with most links first."""
        self.stores.refresh()
        return find_entities(self.traces, text, limit)

    def entity(self, named: Named) -> KnownEntity:
        """Return the entity that a name or IRI means, with its facts, neighbours and documents; raises RecordError."""
        self.stores.refresh()
        return known(self.traces, needed_entity(self.stores, named))

    def search(self, text: str, limit: int = 10) -> Table[Passage]:
        """Return the passages that fit a text best, as document-rag finds them without a model."""
        self.stores.refresh()
        return find_passages(self.stores, self.embedder, text, limit)

    def suggest(self, document: str | HasIri | None = None, limit: int = 3, without: Iterable[str] = ()) -> list[str]:
        """Return questions to begin with, about a document or about several: each is answered without a model.

        They are tried, which takes a second or two and is not recorded; those in `without` are left out. Raises
        QuestionError for an unknown document.
        """
        self.stores.refresh()
        only = None if document is None else named_documents(self.stores, [document])[0]

        def answer(question: str, iri: str | None) -> Trace:
            setting = self._setting("suggested")
            setting = setting if iri is None else setting.without(LeftOut.of((), (), (iri,)))
            return Trace(run(checked(question, DEFAULT_ENGINE, {}), setting, None, self._ids))

        return suggested(self.stores, answer, only, limit, without)

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
        """Answer a question, yielding each step once it is on record.

        Engines are "graph-rag", with the arguments of `Limits`, "document-rag", with those of `PassageLimits`, and
        "agent", with those of `AgentLimits`. `model` names a model behind the workspace's address for this run, by
        default the one it was opened with; "no model" runs without. An agent may also call `tools`, functions of yours
        with typed arguments (see `explorer.tool`), and choose how to work among what `task_types` allow. A what-if
        leaves out `without` before it looks: facts with the sentences they were taken from, passages, documents, and
        entities, as values of a run or as IRIs. `documents`, named as `document` takes them, limits the search to
        these. `by` is who asks, by default EXPLORER_USER; where neither names anybody, nobody is on record. Raises
        QuestionError, ModelError or WorkspaceError at once, before anything is recorded.
        """
        asked = checked(question, engine, limits, tools, task_types)
        chat = self._model(model)
        self._check_writable()
        self.stores.refresh()
        stores = self.stores.bundled(tokens(truncate_question(asked.text)))
        self._check_filled(stores)
        session = self._new_session()
        left = named(self.stores, without) | LeftOut.of((), (), named_documents(self.stores, documents))
        setting = self._setting(session, stores).without(left)
        return self.traces.record(run(asked, setting, chat, self._ids), session, setting.pauses, person(by))

    def run(
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
    ) -> Trace:
        """Answer a question and return the whole trace; arguments and errors are those of `ask`."""
        return Trace(self.ask(
            question, engine, model=model, tools=tools, task_types=task_types, without=without, documents=documents,
            by=by, **limits,
        ))  # fmt: skip

    def rerun(
        self,
        trace: Trace | str,
        *,
        without: Iterable[Without] = (),
        tools: Sequence[Callable[..., object]] = (),
        task_types: Sequence[TaskType] = (),
        by: str | None = None,
    ) -> Trace:
        """Ask a run's question again and return the whole trace; arguments and errors are those of `ask_again`."""
        return Trace(self.ask_again(trace, without=without, tools=tools, task_types=task_types, by=by))

    def ask_again(
        self,
        trace: Trace | str,
        *,
        without: Iterable[Without] = (),
        tools: Sequence[Callable[..., object]] = (),
        task_types: Sequence[TaskType] = (),
        by: str | None = None,
    ) -> Iterator[Event]:
        """Ask a run's question again by the same engine, limits and model, leaving out what it left out and `without`.

        Yields each step once it is on record. The new run says there which one it varies. `trace` is a run or the IRI
        of its Question; an agent's own tools and types of task are given again. `by` is who asks. Raises
        QuestionError at once where something it needs is not on record, and what `ask` raises.
        """
        told = trace if isinstance(trace, Trace) else self.traces.load(trace)
        again = repeat(told, self.embedder.name, tools, task_types)
        chat = self._model(again.model)
        self._check_writable()
        self.stores.refresh()
        stores = self.stores.bundled()
        self._check_filled(stores)
        session = self._new_session()
        setting = self._setting(session, stores).without(again.left_out | named(self.stores, without), told.iri)
        return self.traces.record(run(again.request, setting, chat, self._ids), session, setting.pauses, person(by))

    def influence(
        self,
        trace: Trace | str,
        over: str = "facts",
        *,
        budget: int = 60,
        tools: Sequence[Callable[..., object]] = (),
        task_types: Sequence[TaskType] = (),
        progress: bool = True,
    ) -> Influence:
        """Find out what the answer of a run hangs on: each of its "facts", "passages" or "documents" is rated.

        At most `budget` runs are made without some of them; they are not recorded. The result is, once, as an
        annotation: asked again, the stored one is returned. What is no longer here is not rated. Raises QuestionError
        for a run without an answer, or of which nothing is here, and what `rerun` raises.
        """
        attempts = self.influences(trace, over, budget=budget, tools=tools, task_types=task_types)
        found = next(attempts)
        if isinstance(found, Attempt):
            with shown("Leaving out", found.of, progress=progress) as tell:
                while isinstance(found, Attempt):
                    tell(found.made, found.name)
                    found = next(attempts)
        return found

    def influences(
        self,
        trace: Trace | str,
        over: str = "facts",
        *,
        budget: int = 60,
        tools: Sequence[Callable[..., object]] = (),
        task_types: Sequence[TaskType] = (),
    ) -> Iterator[Attempt | Influence]:
        """Yield an `Attempt` before each run that `influence` makes, then the Influence, once it is on record.

        Whoever does not ask for the next value stops it; nothing of it is on record then. Arguments and errors are
        those of `influence`.
        """
        told = trace if isinstance(trace, Trace) else self.traces.load(trace)
        items = items_of(told, over)
        if budget < FEWEST:
            raise QuestionError(f"budget must be a whole number of at least {FEWEST}, not {budget!r}.")
        if (found := stored(self.stores, told, over)) is not None:
            return iter((found,))
        items = at_hand(self.stores, items, over)
        again = repeat(told, self.embedder.name, tools, task_types)
        chat = self._model(again.model)
        self._check_writable()
        self._check_filled(self.stores)
        setting = replace(self._setting(session_of(told.iri)), embedder=Remembered(self.embedder))

        def rerun(left: LeftOut) -> Trace:
            return Trace(run(again.request, setting.without(again.left_out | left), chat, self._ids))

        return rated_on_record(self.stores, told, items, rerun, over=over, budget=budget, clock=self._clock)

    def evaluate(
        self,
        path: str | Path,
        engines: str | Sequence[str] | None = None,
        models: str | Sequence[str] | None = None,
        limits: Limitations | Sequence[Limitations] | None = None,
        *,
        again: bool = False,
        progress: bool = True,
    ) -> Evaluation:
        """Ask the questions of a JSON-lines file with each engine, model and set of limits, and measure the answers.

        A line is `{question, answerable?, evidence: [{document, quote}]}` or `{question, gold: [document ids],
        answers: [texts], answerable?}`; what is not there is not measured, and what can't be used is in `refused`. By
        default the default engine, the workspace's model and the default limits; of `limits` each engine takes those it
        has. Every run is on record. The same file again, in a workspace that has not changed, asks only what was not
        answered before, unless `again`. Raises DocumentError when nothing can be asked, QuestionError and ModelError.
        """
        ways = ways_of(engines, models, limits, self.chat.name if self.chat else None)
        for way in ways:
            self._model(way.model)
        self._check_writable()
        self._check_filled(self.stores)
        file = read_questions(checked_path(path))
        tallies = [self.stores.database.tally(kind) for kind in ("text", "edge")]
        state = f"{__version__} {self.embedder.name} {tallies}"

        def ask(question: str, way: Way) -> Iterator[Event]:
            return self.ask(
                question,
                way.engine,
                model=way.model,
                tools=(),
                task_types=(),
                without=(),
                documents=(),
                by=None,
                **dict(way.limits),
            )

        return Asker(self.traces, ask, state).evaluate(file, ways, again=again, progress=progress)

    def gaps(self) -> Gaps:
        """Return what is missing over all runs on record: answers, facts about names, citations of documents."""
        self.stores.refresh()
        return gaps(self.stores)

    def connect(self, model: str, *, base_url: str | None = None, api_key: str | None = None) -> str:
        """Make a model known by its name, which is returned: from now on `ask` and the app find it at its own address.

        Without an address it is at that of the workspace; to an address of its own no key is sent but `api_key`. Both
        are kept in memory only, and stand in no message. Nothing is asked yet. Raises QuestionError for what is no
        name, and ModelError for an address or key that can't be right.
        """
        chat = model_at(model, self.chat, self.base_url, address=base_url, key=api_key)
        if self.chat is not None and chat.name == self.chat.name:
            self.chat = chat
        else:
            self._connected[chat.name] = chat
        return chat.name

    def models(self) -> list[str]:
        """Return the names of the models to choose from; why the address lists none is in `known_models`."""
        return list(self.known_models().names)

    def known_models(self, *, here: bool = True) -> Models:
        """Return the models to choose from: the configured one, those connected, those its address lists.

        The address is asked, for at most three seconds, where a model is configured or the address is on this machine.
        With `here` servers on this machine (Ollama, llama.cpp, LM Studio, vLLM) are looked for at their usual ports.
        """
        return known_models(self.chat, self.base_url, self._connected, here=here)

    def compare(self, a: Trace | str, b: Trace | str) -> Comparison:
        """Compare two runs, given whole or by the IRIs of their Questions; raises RecordError."""
        return compare(*(one if isinstance(one, Trace) else self.traces.load(one) for one in (a, b)))

    def passages(self, edge: EdgeSelection | ChunkSelection | Triple) -> list[Passage]:
        """Return all passages that a fact comes from, in order of document and offset; empty: no recorded source.

        Of a chunk that was selected: the chunk. What a run selected comes from the documents as they were then: where
        one was removed since, or a newer version is there, its passages say so in `until` and `newer`.
        """
        if isinstance(edge, ChunkSelection):
            return list(self.sources.chunk(edge.document)) if edge.document else []
        if isinstance(edge, Triple):
            return list(self.sources.passages(edge))
        if edge.edge is None:
            return []
        questions = (iri(kind, session_of(edge.iri)) for kind in QUESTIONS)
        at = next((moment for one in questions if (moment := begun(self.graph, one))), None)
        return list(self.sources.passages_at(edge.edge, at))

    def text(self, iri: str) -> str:
        """Return the text of a document, chunk or other content; all offsets into a document count in it."""
        return self.stores.library.text(iri)

    def data(self, iri: str) -> bytes:
        """Return the bytes of a content: of a document the file as it was read. Raises RecordError."""
        return self.stores.library.get(iri).data

    def node(self, iri: str) -> Described:
        """Return any node of the record with its parents and children; raises RecordError when there is none."""
        self.stores.refresh()
        return describe(self.graph, iri)

    def query(self, sparql: str, *, rows: int = ROWS, seconds: float = SECONDS) -> QueryTable | bool:
        """Ask all graphs together in SPARQL and return a table; of an ASK whether it is so, of triples three columns.

        The prefixes tg, prov, dc, oa, rdf, rdfs, skos, xsd, e (entities) and x are known. Numbers that are typed as
        such are numbers, other values texts. Raises RecordError when the query can't be read, takes longer, or holds a
        SERVICE, as nothing may leave this machine; of more rows the first are returned, and the table says so.
        """
        self.stores.refresh()
        return query(self.graph, sparql, rows, seconds)

    def named_query(
        self, name: str, *, document: str | HasIri | None = None, rows: int = ROWS, seconds: float = SECONDS
    ) -> QueryTable:
        """Ask a query that has a name, such as "facts-cited-often"; `document` is the one "runs-citing" is about.

        `evaluation.named.QUERIES` has them all. Raises RecordError for another name, which names those there are, and
        where the document is missing or not asked for; else as `query` does.
        """
        self.stores.refresh()
        of = None if document is None else self._document_row(document).iri
        return named_queries.ask(self.stores, name, of, rows, seconds)

    def frame(self, name: str) -> QueryTable:
        """Return a table of the record: "runs", "steps", "facts", "passages", "citations" or "documents".

        Facts and passages are those that runs kept. Numbers are numbers, and `to_pandas()` gives a DataFrame where
        pandas is. Raises RecordError for another name.
        """
        self.stores.refresh()
        return named_queries.frame(self.stores, name)

    def verify(self, *runs: Trace | str, anchor: str | None = None, signed_by: str | Path | None = None) -> Verified:
        """Check runs, by default all, from what is stored: shapes, rules across nodes, the words themselves, and seals.

        Returns what does not hold, as a table: at which node, what, and since when it may be so; `is_sound` says
        whether there is none, `seals` what is sealed, and who signed. What was removed on purpose is told and no fault.
        `anchor` is what `ledger.head` was before: a ledger that was cut off or rewritten since is found. `signed_by` is
        a public key, as digits or file, by which all entries are to be signed. Nothing is written. Raises RecordError
        for what is no run, and WorkspaceError for what is no key. `explorer.verify_file` checks a bundle or a file.
        """
        self.stores.refresh()
        named = [one.iri if isinstance(one, Trace) else str(one) for one in runs]
        by = None if signed_by is None else public_key(signed_by)
        check_named(self.stores, named)
        return verify(self.stores, named or questions(self.stores), whole=not named, anchor=anchor, signed_by=by)

    def export(
        self,
        trace: Trace | str,
        format: str = "trig",
        *,
        compat: str | None = None,
        rdf: str = "1.2",
        closed: bool = False,
    ) -> bytes:
        """Return a trace's triples in a file format.

        Formats: trig, nq, turtle, nt, rdfxml, json-ld, prov-json, prov-n. `rdf` is how triple terms are written: "1.2",
        "1.1" as statement nodes, which more libraries read, or "star" (nq, trig, turtle and nt only); JSON-LD and PROV
        always have statement nodes. `compat="trustgraph"` leaves out what TrustGraph does not know, and adds the links
        that its tools need. `closed` adds what the run rests on, in `urn:graph:contents`: answer, prompts, passages,
        pages, documents, labels; so that an empty workspace shows the same run. Raises RecordError for what is not
        known or does not go together, and for an IRI that is none of a run.
        """
        found = self.traces.load(trace) if isinstance(trace, str) else trace
        return export(self.stores, found, format, compat=compat, version=rdf, closed=closed)

    def report(self, *traces: Trace | str, format: str = "html") -> str:
        """Return runs as one self-contained HTML page ("html"), as Markdown ("md"), or their claims as CSV ("csv").

        The page is that of *Save as* in the app: it opens from disk with no request, each run can be clicked through
        down to the highlighted words, and played again. Below it stand for each sentence the facts, reasons and quoted
        words with their place, the quoted PDF pages, verdicts, and what `verify` finds; all of it prints on A4. Raises
        RecordError for no run, one that is not on record, and another format.
        """
        if format not in REPORTS:
            raise RecordError(f"A report is written as {', '.join(REPORTS)}, not {format!r}.")
        if not traces:
            raise RecordError("A report needs at least one run.")
        found = [self._own(one if isinstance(one, str) else one.iri) for one in traces]
        return page(self.stores, found) if format == "html" else written(self.stores, found, format)

    def bundle(self, *traces: Trace | str, path: str | Path, originals: bool = True) -> Path:
        """Write traces with all that they rest on into one archive (.zip) that others can check and import.

        It is an RO-Crate with the record, the texts, the original documents (or, without `originals`, their passages
        and pages alone), a report, what the ledger says of the runs, and a statement over all files, signed where the
        workspace has a key. Its own `verify.py` checks it. The same traces give the same bytes. Returns the path;
        raises RecordError.
        """
        found = [self._own(one if isinstance(one, str) else one.iri) for one in traces]
        report = page(self.stores, found) if found else ""
        write(Path(path), bundle(self.traces.ledger, found, report, originals=originals))
        return Path(path)

    def _own(self, iri: str) -> Trace:
        self.traces.check_own(iri)
        return self.traces.load(iri)

    def import_record(
        self,
        path: str | Path,
        form: str | None = None,
        *,
        signed_by: str | Path | None = None,
        progress: bool | Tell = True,
    ) -> Imported:
        """Import a file of triples, a TrustGraph session (.jsonl) or a bundle; stored as they came, all or none.

        A bundle is checked first, and refused where anything in it does not hold, or is not signed by the public key
        `signed_by` (digits, or a .pub file), if one is given; `notes` say who signed it.
        Files of 20 MB and more are read some statements at a time, JSON-LD and sessions as a whole. `progress` shows a
        bar, or is a function that is given a `Progress` whose `done` of `total` are statements.
        Formats: nq, trig, nt, turtle, rdfxml, json-ld, prov-json, prov-n, wire, bundle; guessed by default. Raises
        RecordError when the file can't be read; single statements that can't are listed in `refused`. Facts in it are
        found by questions once `reindex` has made their vectors; `unindexed` says how many wait for that.
        """
        self._check_writable()
        signed = None if signed_by is None else public_key(signed_by)
        try:
            with self.stores.database.importing, importing.counted(Path(path), progress) as tell:
                self.traces.ledger.begin_import()
                imported = importing.take(Path(path), form, self.stores, tell, signed)
                with self.stores.database.correcting, self.stores.database.noting:
                    settle_curations(self.graph, self.stores.database)
                    self.traces.ledger.end_import(imported.traces)
                    rebuild_listing(self.stores)
        except OSError as error:
            message = f"{path} can't be read ({error.strerror or error}); check the path."
            raise RecordError(message) from error
        return imported

    def reindex(self, *, progress: bool = True) -> Reindexed:
        """Rebuild all vectors with this workspace's embedder, after importing facts or changing the embedder.

        Attached stores are read again; where there are any, vectors are rebuilt only if some are missing or of another
        embedder. If it is cut off, the old vectors stay. Raises WorkspaceError when read-only and where a store is
        away, ModelError when embedding fails.
        """
        self._check_writable()
        stores = [one.attachment for one in attached_stores(self.stores.database)]
        if not stores or not is_indexed(self.stores, self.embedder):
            done = reindex(self.stores, self.embedder, progress=progress)
        again = [self.attach(one.address, named_graph=one.named_graph, progress=progress) for one in stores]
        return reindexed(self.stores, again) if again else done

    def purge(
        self,
        older_than: str | timedelta,
        *,
        keep_reviewed: bool = False,
        dry_run: bool = False,
        progress: bool = True,
    ) -> Purged:
        """Delete all runs that began longer ago than "90d" (or hours h, weeks w, years y), as `traces.delete` does.

        Reviewed ones, with a verdict, stay where `keep_reviewed`. With `dry_run` nothing is deleted. Raises RecordError
        for what is no length of time, WorkspaceError when read-only.
        """
        if not dry_run:
            self._check_writable()
        self.stores.refresh()
        return purge(self.traces, older_than, keep_reviewed=keep_reviewed, dry=dry_run, progress=progress)

    def backup(self, path: str | Path) -> Path:
        """Copy all of it as it is now into a new folder, which is a workspace of its own; returns that folder.

        Others may go on to read and write, in this process and in another. Raises WorkspaceError.
        """
        self.stores.refresh()
        back_up(self.stores, Path(path), self._collection)
        return Path(path)

    def upgrade(self, *, progress: bool = True) -> Upgraded:
        """Add to what an earlier version recorded all that can be derived: links, hashes, and seals, marked as older.

        What was cut off goes on with the same call. Raises WorkspaceError when read-only.
        """
        self._check_writable()
        return upgrade(self.stores, self.traces.ledger, progress=progress)

    def outdated(self) -> Outdated:
        """Return what earlier versions left here, and what `reindex`, `reextract` or `upgrade` would bring."""
        return outdated(self.stores)

    def close(self) -> None:
        """Release the folder or the servers; raises nothing when it is closed already."""
        if not self._closed:
            self._closed = True
            self._upkeep.end()
            self._holding.release()

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._closed

    @property
    def can_reopen(self) -> bool:
        """Whether `reopen` finds it again once it is closed: in its folder or on its servers, and not in memory."""
        return self._place is not None

    def reopen(self) -> None:
        """Open it again where it was; does nothing while it is open. Raises WorkspaceError, also for one in memory."""
        if not self._closed:
            return
        if self._place is None:
            raise WorkspaceError("This workspace was in memory, and closing it has emptied it; make another.")
        self._holding = hold(self._place, self._collection)
        self._traces = Traces(self._holding.stores, self._clock, self._key)
        self._settle()

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
        counts = (size.documents, "document"), (size.pages, "PDF page"), (size.facts, "fact"), (size.traces, "past run")
        contents = ", ".join(count(number, noun) for number, noun in counts)
        held = f"; read-only: {self.why_read_only}" if self.read_only else ""
        return f"<Workspace {one_line(self.name)}: {contents}{held}>"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        if self._closed:
            return display.workspace(repr(self))
        runs = [(run.question, f"{run.engine}, {run.reason or 'running'}") for run in self.traces.list(limit=3)]
        empty = self.stores.library.is_empty() and not runs
        next_ = display.hints(runs, empty=empty, read_only=self.read_only)
        return display.workspace(repr(self), runs, next_, self.outdated().advice)

    def _model(self, model: str | None) -> ChatModel | None:
        """Return the model of a run, by its name; raises QuestionError and ModelError."""
        known = self._connected.get(model.strip()) if isinstance(model, str) else None
        return known or model_for(model, self.chat, self.base_url)

    def _change(self, by: str | None) -> Change:
        return Change(self.stores, signed(timestamp(self._clock()), by))

    @contextmanager
    def _reading_in(self) -> Iterator[None]:
        """Let those who ask meanwhile know that documents are being read in; have all that is read be found then."""
        with self.stores.database.reading_in(person(None)):
            try:
                yield
            finally:
                self.sources.forget()
                self.graph.flush()

    def _settle(self) -> None:
        """Begin to use the stores that are held; who writes there first mends what was cut off."""
        self._closed = False
        if not self.read_only and self._holding.users == 1:
            settle(self.stores, self._clock, self._key)
        self._upkeep = Upkeep(self._traces, self._key)
        if self.stores.database.is_shared and not self.read_only:
            self._upkeep.begin(self)

    def _setting(self, session: str, stores: Collection | None = None) -> Setting:
        held = stores or self.stores.bundled()
        return Setting(
            held,
            self.embedder,
            session,
            self._clock,
            self.record_prompts,
            pauses=Pauses(self._clock),
            being_read=held.database.being_read(),
        )

    def _new_session(self) -> str:
        session = self._ids()
        questions = [NamedNode(iri(kind, session)) for kind in QUESTIONS]
        if any(self.graph.matches([(node, None, None, None) for node in questions])):
            raise WorkspaceError(f"A run {session} is on record already; `ids` must return a new id each time.")
        return session

    def _check_writable(self) -> None:
        if self.holder is not None:
            raise WorkspaceError(
                f"The workspace {self.name} is held by {self.holder}; close it there, then open it here again."
            )
        if self.read_only and isinstance(self._place, Served):
            raise WorkspaceError(f"The workspace {self.name} is read-only: {self.why_read_only}")
        if self.read_only:
            raise WorkspaceError(
                f"The workspace {self.name} is read-only: {self.why_read_only}; make room there, or copy the folder to "
                "a place that can be written, and open it again."
            )

    def _check_filled(self, stores: Collection) -> None:
        if stores.library.is_empty() and not stores.vectors.count("edge"):
            if being_read := stores.database.being_read():
                raise WorkspaceError(f"No documents yet. {being_read[0]}")
            if next(facts(self.graph.match(graph=FACTS)), None) is not None:
                raise WorkspaceError(
                    "The facts here are not indexed yet; build their vectors with ws.reindex() or `explorer reindex`."
                )
            raise WorkspaceError(
                'No documents yet. Add some with ws.ingest("folder/") or `explorer ingest folder/`, '
                "or open the sample with explorer.demo()."
            )
        stores.vectors.check_embedder(self.embedder.name)


def _triples(names: Iterable[str] | Mapping[str, Iterable[Belonging | Fact] | Belonging | Fact]) -> Names:
    """Return what names are to get, with facts as their triples."""
    if not isinstance(names, Mapping):
        return names

    def plain(one: Belonging | Fact) -> Belonging:
        return one.triple if isinstance(one, Fact) else one

    return {
        name: [plain(one) for one in of] if isinstance(of, Iterable) and not isinstance(of, str | Triple) else plain(of)
        for name, of in names.items()
    }


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
    key: str | Path | Key | None = None,
    endpoint: str | None = None,
    timeout: float = TIMEOUT,
) -> Workspace:
    """Open a workspace folder, created if missing; without a path one in memory.

    A workspace that several write to at once is on servers: `path` is the address of a PostgreSQL database
    (postgresql://user@host/database) and `endpoint` that of a SPARQL 1.1 endpoint, by default EXPLORER_ENDPOINT, with
    those for updates and the graph store after it, with spaces between, where these are others. Such a server may take
    `timeout` seconds for an answer. Passwords are read from the environment or from the addresses, and shown nowhere.
    `model` names a chat model behind any OpenAI-compatible address (`base_url`), by default EXPLORER_MODEL; without
    one, or with "no model", the extractive reasoner answers. The key is OPENAI_API_KEY and is never recorded; prompts
    and replies are, unless `record_prompts` is False: then only their hashes. `embedder` is "wordllama", "minilm" (an
    extra: better and slower) or the name of an embedding model at that address.
    `key` names a file with a private key that signs what is sealed, by default EXPLORER_KEY; without one nothing is
    signed. `ids` and `clock` replace random session ids and the time, for records that are the same each time. While
    another process writes, the workspace is read-only and `holder` names that process; so it is where its folder can't
    be written, as on a full disk (`why_read_only`). Raises WorkspaceError or ModelError.
    """
    place = _place(path, endpoint, timeout)
    vectors = embedder_for(embedder, base_url)
    chat = model_for(model or os.environ.get("EXPLORER_MODEL"), None, base_url)
    signing = key_of(key)
    holding = hold(place, collection)
    try:
        return Workspace(
            holding,
            name="in memory" if place is None else place.name or str(place),
            place=place,
            embedder=vectors,
            ids=ids or (lambda: str(uuid.uuid4())),
            clock=clock or (lambda: datetime.now(UTC)),
            chat=chat,
            base_url=base_url,
            record_prompts=record_prompts,
            collection=collection,
            key=signing,
        )
    except BaseException:  # whoever keeps the error would keep the lock
        holding.release()
        raise


def _place(path: str | Path | None, endpoint: str | None, timeout: float) -> Path | Served | None:
    """Return where a workspace is; raises WorkspaceError."""
    if is_served(path):
        return Served.of(str(path), endpoint or os.environ.get("EXPLORER_ENDPOINT"), timeout)
    if endpoint:
        raise WorkspaceError(
            "An endpoint is for the graph of a workspace on servers; name its database too, as postgresql://…"
        )
    return None if path is None else Path(path)
