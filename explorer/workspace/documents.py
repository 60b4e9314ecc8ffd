"""What a workspace does with documents: read them in, find and show them, remove them, and make their facts anew."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.display import Table
from explorer.errors import DocumentError, RecordError
from explorer.events import Passage
from explorer.ingest.progress import Tell
from explorer.record.person import person
from explorer.record.trace import Trace
from explorer.stores.attached import AttachedStore, Attachment, attached_stores
from explorer.stores.database import ReadingIn
from explorer.stores.document_names import HasIri, named_documents
from explorer.stores.document_names import documents as documents_here
from explorer.stores.left_out import LeftOut
from explorer.stores.places import plain
from explorer.text import count
from explorer.vocab import DEFAULT_ENGINE, timestamp
from explorer.workspace.opened import Opened

if TYPE_CHECKING:
    from explorer.documents.document import Document
    from explorer.documents.impact import Impact
    from explorer.ingest.attaching import Attached
    from explorer.ingest.extraction.choice import Chosen
    from explorer.ingest.ingested import Ingested
    from explorer.ingest.readers.files import Source
    from explorer.ingest.reindex import Reindexed
    from explorer.record.forgetting import Forgotten
    from explorer.record.reextraction import Reextracted


class Documents(Opened):
    """Documents: read in, shown, searched, removed, brought back, and gone through again."""

    def ingest(
        self,
        *paths: str | Path | Source,
        facts: str | Path | None = None,
        triples: str | Path | None = None,
        extractors: str | Sequence[str | Chosen] = ("rules",),
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
        (20,000), a cell of CSV of more than `max_cell` characters (10,000,000), or takes more than `max_seconds`
        (60 for a page of a PDF or a megabyte of another file, ten times as much in Office files and books) or
        `max_memory` bytes (4 GB).
        `password` opens files that are encrypted (PDF, and Office files with the extra `passwords`); it is not kept.
        A single file may be a new version of the document that it `replaces`, named as `document` takes it, whatever
        the names of both; where they stand is told otherwise: a file that has changed replaces itself.
        """
        from explorer.ingest.batch import IngestOptions, ingest
        from explorer.ingest.chunker import ChunkSizes
        from explorer.ingest.extraction.choice import ModelOptions
        from explorer.ingest.limits import Limits
        from explorer.ingest.pipeline import Pipeline
        from explorer.ingest.readers.files import sources_of

        self._check_writable()
        pipeline = Pipeline(self.graph, self.stores.library, self.embedder, self._clock)
        limits = Limits(max_bytes, max_unpacked, max_pages, max_seconds, max_memory, max_cell)
        options = IngestOptions(
            extractors=extractors,
            model=ModelOptions(partial(self._model, model), ontology, parallel, max_tokens),
            keep_prompts=self.record_prompts,
            facts=Path(facts) if facts else None,
            triples=Path(triples) if triples else None,
            sizes=ChunkSizes.given(chunk_size, chunk_overlap),
            limits=limits,
            password=password,
            progress=progress,
        )
        with self._reading_in():
            found = sources_of(paths)
            sources = found.sources if replaces is None else [self._newer(found.sources, replaces)]
            done = ingest(pipeline, sources, options)
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
        max_statements: int | None = None,
        timeout: float = 60.0,
        progress: bool | Tell = True,
    ) -> Attached:
        """Read what a SPARQL store holds, which others fill, as a document: its facts answer beside those of files.

        Of a store with named graphs `named_graph` says which (by default its default graph), and `pattern` what to take
        of it: a graph pattern over ?s, ?p and ?o, such as "?s a <https://schema.org/City>". Things are named by
        `labels` (IRIs of predicates: rdfs:label, skos:prefLabel and schema:name), of texts in several languages those
        in the best of `languages` ("en") are taken. A store with more than `max_statements` (1,000,000) is refused, as
        it tells before anything of it is read. All this is kept for the next time; a password (in the URL, or in
        EXPLORER_ATTACHED_USER and EXPLORER_ATTACHED_PASSWORD, or EXPLORER_ATTACHED_TOKEN, for the host that
        EXPLORER_ATTACHED_HOST names) is not. Nothing is ever written to the store. A request may take `timeout`
        seconds. What is cut off goes on where it stopped. `reindex`, or the same call, reads it again: what changed is
        a new version. `progress` is as for `ingest`. Raises WorkspaceError or DocumentError, in one sentence.
        """
        from explorer.ingest.attaching import attach
        from explorer.ingest.pipeline import Pipeline

        self._check_writable()
        self.stores.vectors.check_embedder(self.embedder.name)
        at, graph = plain(url), named_graph or None
        pipeline = Pipeline(self.graph, self.stores.library, self.embedder, self._clock)
        new = Attachment(at, graph)
        known = (one.attachment for one in attached_stores(self.stores.database))
        before = next((one for one in known if one.place == new.place), new)
        given = Attachment(
            at, graph, before.pattern if pattern is None else pattern or None,
            before.labels if labels is None else tuple(labels),
            before.languages if languages is None else tuple(languages),
            max_statements or before.max_statements,
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
        from explorer.documents.document import all_documents

        self.stores.refresh()
        return all_documents(self.traces)

    def document(self, named: str | Path) -> Document:
        """Return the document that an IRI, a path, a title or a part of one means; raises RecordError."""
        from explorer.documents.document import document

        self.stores.refresh()
        return document(self.traces, str(named))

    def text(self, iri: str) -> str:
        """Return the text of a document, chunk or other content; all offsets into a document count in it."""
        return self.stores.library.text(iri)

    def data(self, iri: str) -> bytes:
        """Return the bytes of a content: of a document the file as it was read. Raises RecordError."""
        return self.stores.library.get(iri).data

    def search(self, text: str, limit: int = 10) -> Table[Passage]:
        """Return the passages that fit a text best, as document-rag finds them without a model."""
        from explorer.documents.passages import find_passages

        self.stores.refresh()
        return find_passages(self.stores, self.embedder, text, limit)

    def suggest(self, document: str | HasIri | None = None, limit: int = 3, without: Iterable[str] = ()) -> list[str]:
        """Return questions to begin with, about a document or about several: each is answered without a model.

        They are tried, which takes a second or two and is not recorded; those in `without` are left out. Raises
        QuestionError for an unknown document.
        """
        from explorer.documents.suggested_questions import suggested
        from explorer.engines.registry import checked, run

        self.stores.refresh()
        only = None if document is None else named_documents(self.stores.database, [document])[0]

        def answer(question: str, iri: str | None) -> Trace:
            setting = self._setting("suggested")
            setting = setting if iri is None else setting.without(LeftOut.of((), (), (iri,)))
            return Trace(run(checked(question, DEFAULT_ENGINE, {}), setting, None, self._ids))

        return suggested(self.stores, answer, only, limit, without)

    def impact(self, document: str | Path | HasIri) -> Impact:
        """Return what `forget` would change: facts, and the runs and texts that rest on a document, named as above."""
        from explorer.documents.impact import impact

        self.stores.refresh()
        return impact(self.traces, self._document_row(document))

    def forget(self, document: str | Path | HasIri, *, words: bool = False) -> Forgotten:
        """Remove a document, named as above, with its earlier versions, and every fact without another source.

        Its title, its date, the time and a hash stay, and runs say that their source was removed, and when. What they
        quoted stays in their texts, unless `words`: then texts with five words in a row of it are removed too, and all
        files are written anew, so that none of them holds what was removed. What facts in runs name stays.
        """
        from explorer.record.forgetting import forget

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
        from explorer.record.forgetting import restore

        self._check_writable()
        try:
            restore(self.stores, self.embedder, forgotten)
        finally:
            self.graph.flush()
        return self.document(forgotten.iri)

    def reextract(
        self,
        *documents: str | Path | HasIri,
        extractors: str | Sequence[str | Chosen] = ("rules",),
        model: str | None = None,
        ontology: str | Path | None = None,
        parallel: int = 4,
        max_tokens: int | None = None,
        password: str | None = None,
        progress: bool = True,
    ) -> Reextracted:
        """Find the facts of documents, named as above, or of all, anew, by `extractors` as `ingest` takes them.

        What only earlier extractors have found goes. What people added or retracted, and what was given with a
        document, stays. Past runs keep what they used. Where a model stops by `max_tokens` nothing has gone yet, and
        the same call goes on. Encrypted ones take their `password` again. Raises as `ingest` does.
        """
        from explorer.ingest.batch import IngestOptions, ingest
        from explorer.ingest.extraction.choice import ModelOptions, extractors_for, names_of
        from explorer.ingest.limits import UNLIMITED
        from explorer.ingest.pipeline import Pipeline
        from explorer.ingest.readers.files import read_again
        from explorer.record.reextraction import Anew, Reextracted

        self._check_writable()
        given = IngestOptions(
            extractors=extractors,
            model=ModelOptions(partial(self._model, model), ontology, parallel, max_tokens),
            keep_prompts=self.record_prompts,
            limits=UNLIMITED,
            password=password,
            progress=progress,
        )
        chosen = extractors_for(extractors, given.model)
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
                done = ingest(pipeline, sources, given)
            if not done.left:
                anew.end()
            self.traces.ledger.settle()
        finally:
            self.sources.forget()
            self.graph.flush()
        return Reextracted.of(done, anew.done, self.size.facts - before + anew.gone, anew.gone)

    def reindex(self, *, progress: bool = True) -> Reindexed:
        """Rebuild all vectors with this workspace's embedder, after importing facts or changing the embedder.

        Attached stores are read again; where there are any, vectors are rebuilt only if some are missing or of another
        embedder. If it is cut off, the old vectors stay. Raises WorkspaceError when read-only and where a store is
        away, ModelError when embedding fails.
        """
        from explorer.ingest.reindex import is_indexed, reindex, reindexed

        self._check_writable()
        stores = [one.attachment for one in attached_stores(self.stores.database)]
        if not stores or not is_indexed(self.stores, self.embedder):
            done = reindex(self.stores, self.embedder, progress=progress)
        again = [self.attach(one.address, named_graph=one.named_graph, progress=progress) for one in stores]
        return reindexed(self.stores, again) if again else done

    def _newer(self, sources: Sequence[Source], replaced: str | Path | HasIri) -> Source:
        self.stores.refresh()
        row = self._document_row(replaced)
        if len(sources) != 1:
            raise DocumentError(f"{count(len(sources), 'file')} can't replace one document; name a single file.")
        return replace(sources[0], replaces=row.iri)

    @contextmanager
    def _reading_in(self) -> Iterator[None]:
        """Let those who ask meanwhile know that documents are being read in; have all that is read be found then."""
        with self.stores.database.reading_in(person(None)):
            try:
                yield
            finally:
                self.sources.forget()
                self.graph.flush()
