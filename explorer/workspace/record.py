"""What a workspace does with what is on record: look at it, check it, write it out, and import what others have."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.display import Table
from explorer.errors import ExplorerError, RecordError
from explorer.ingest.progress import Tell
from explorer.record.keys import public_key
from explorer.record.listing import questions
from explorer.record.node_lookup import Described, describe
from explorer.record.purging import Purged
from explorer.record.query import ROWS, SECONDS, QueryTable, query
from explorer.record.recovery import rebuild_listing
from explorer.record.trace import Trace
from explorer.stores.document_names import HasIri
from explorer.stores.stored_corrections import settle as settle_curations
from explorer.view.shown_trace import ShownTrace
from explorer.vocab import recognise
from explorer.workspace.opened import Opened

if TYPE_CHECKING:
    from explorer.record.compare import Comparison
    from explorer.record.foreign_records import Derivation
    from explorer.record.storing_imports import Imported
    from explorer.record.verification.verify import Verified


class Record(Opened):
    """The record: compared, queried, verified, written as files, imported, backed up, and cleared of old runs."""

    def compare(self, a: Trace | str, b: Trace | str) -> Comparison:
        """Compare two runs, given whole or by the IRIs of their Questions; raises RecordError."""
        from explorer.record.compare import compare

        return compare(*(one if isinstance(one, Trace) else self.traces.load(one) for one in (a, b)))

    def node(self, iri: str) -> Described:
        """Return any node of the record with its parents and children; raises RecordError when there is none."""
        self.stores.refresh()
        return describe(self.graph, iri)

    def imported(self) -> Table[Derivation]:
        """Return what was imported and is no run, as PROV of other tools: each record with its nodes and relations."""
        from explorer.record.foreign_records import imported

        self.stores.refresh()
        return imported(self.graph)

    def derivation(self, iri: str) -> Derivation:
        """Return the record of others that a node is of; its `lines()` are its activities, entities and agents.

        Raises RecordError for a node of a run, or of nothing of PROV.
        """
        from explorer.record.foreign_records import derivation

        self.stores.refresh()
        return derivation(self.graph, iri)

    def query(self, sparql: str, *, rows: int = ROWS, seconds: float = SECONDS) -> QueryTable | bool:
        """Ask all graphs, or those of a FROM, in SPARQL and return a table; of an ASK whether it is so, of triples
        three columns.

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

        `evaluation.named_queries.QUERIES` has them all. Raises RecordError for another name, which lists them, and
        where the document is missing or not asked for; else as `query` does.
        """
        from explorer.evaluation import named_queries

        self.stores.refresh()
        of = None if document is None else self._document_row(document).iri
        return named_queries.ask(self.stores, name, of, rows, seconds)

    def frame(self, name: str) -> QueryTable:
        """Return a table of the record: "runs", "steps", "facts", "passages", "citations" or "documents".

        Facts and passages are those that runs kept. Numbers are numbers, and `to_pandas()` gives a DataFrame where
        pandas is. Raises RecordError for another name.
        """
        from explorer.evaluation import named_queries

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
        from explorer.record.verification.verify import check_named, verify

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
        """Return the triples of a run, or of a record of others that a node is of, in a file format.

        Formats: trig, nq, turtle, nt, rdfxml, json-ld, prov-json, prov-n. `rdf` is how triple terms are written: "1.2",
        "1.1" as statement nodes, which more libraries read, or "star" (nq, trig, turtle and nt only); JSON-LD and PROV
        always have statement nodes. `compat="trustgraph"` leaves out what TrustGraph does not know, and adds the links
        that its tools need. `closed` adds what the run rests on, in `urn:graph:contents`: answer, prompts, passages,
        pages, documents, labels; so that an empty workspace shows the same run. Raises RecordError for what is not
        known or does not go together, and for an IRI that is none of a run.
        """
        from explorer.rdf import dump
        from explorer.record.exporting import export
        from explorer.record.foreign_records import quads_of

        if isinstance(trace, str) and recognise(trace) is None and (quads := quads_of(self.graph, trace, sys.maxsize)):
            return dump(quads, format, rdf)
        found = self.traces.load(trace) if isinstance(trace, str) else trace
        return export(self.stores, found, format, compat=compat, version=rdf, closed=closed)

    def report(self, *traces: Trace | str, format: str = "html") -> str:
        """Return runs as one self-contained HTML page ("html"), as Markdown ("md"), or their claims as CSV ("csv").

        The page is that of *Save as* in the app: it opens from disk with no request, each run can be clicked through
        down to the highlighted words, and played again. Below it stand for each sentence the facts, reasons and quoted
        words with their place, the quoted PDF pages, verdicts, and what `verify` finds; all of it prints on A4. Raises
        RecordError for no run, one that is not on record, and another format.
        """
        from explorer.view.report import page
        from explorer.view.report_content import FORMS, written

        if format not in (forms := ("html", *FORMS)):
            raise RecordError(f"A report is written as {', '.join(forms)}, not {format!r}.")
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
        from explorer.record.bundles.writing import bundle, write
        from explorer.view.report import page

        found = [self._own(one if isinstance(one, str) else one.iri) for one in traces]
        report = page(self.stores, found) if found else ""
        write(Path(path), bundle(self.traces.ledger, found, report, originals=originals))
        return Path(path)

    def import_record(
        self,
        path: str | Path,
        form: str | None = None,
        *,
        signed_by: str | Path | None = None,
        progress: bool | Tell = True,
    ) -> Imported:
        """Import a file of triples, a TrustGraph session (.jsonl), a bundle, or spans of another tool.

        Triples, sessions and bundles are stored as they came, all or none. Spans are recorded as runs, at the times
        that they had: OTLP (JSON), or an export of Phoenix, Langfuse or MLflow. A trace is read once; `notes` say what
        was cut or missing.

        A bundle is checked first, and refused where anything in it does not hold, or is not signed by the public key
        `signed_by` (digits, or a .pub file), if one is given; `notes` say who signed it.
        Files of 20 MB and more are read some statements at a time, JSON-LD and sessions as a whole. `progress` shows a
        bar, or is a function that is given a `Progress` whose `done` of `total` are statements, of spans runs.
        Formats: nq, trig, nt, turtle, rdfxml, json-ld, prov-json, prov-n, wire, bundle, spans; guessed by default.
        What PROV and RO-Crates of others say is a document too, in sentences that answer questions: the name of the
        file and ".txt". Of 20 MB or more, or over 20,000 statements, there is none.
        Raises RecordError when the file can't be read; single statements that can't are listed in `refused`. Facts in
        it are found by questions once `reindex` has made their vectors; `unindexed` says how many wait for that.
        """
        from explorer.observing import spans
        from explorer.record import importing

        self._check_writable()
        signed = None if signed_by is None else public_key(signed_by)
        try:
            if signed is None and (found := spans.read(Path(path), form)) is not None:
                from explorer.observing.span_runs import take

                self.stores.refresh()
                with self.stores.database.importing, importing.counted(Path(path), progress, "runs") as tell:
                    return take(
                        found, Path(path).name, self.traces, self.embedder, tell, keep_prompts=self.record_prompts
                    )
            with self.stores.database.importing, importing.counted(Path(path), progress) as tell:
                imported = self._imported(lambda: importing.take(Path(path), form, self.stores, tell, signed))
        except OSError as error:
            raise RecordError(f"{path} can't be read ({error.strerror or error}); check the path.") from error
        return self._told_in_words(imported, Path(path)) if imported.words else imported

    def _told_in_words(self, imported: Imported, path: Path) -> Imported:
        """Read in as a document what a record of others says, so that it answers questions."""
        from explorer.ingest.batch import IngestOptions, ingest
        from explorer.ingest.pipeline import Pipeline
        from explorer.ingest.readers.files import Source

        name, place = (os.fsencode(f"{one}.txt").decode(errors="replace") for one in (path.name, path.absolute()))
        pipeline = Pipeline(self.graph, self.stores.library, self.embedder, self._clock)
        note = f"What it says answers questions, as the document {name}."
        try:
            with tempfile.TemporaryDirectory(prefix="explorer-", ignore_cleanup_errors=True) as folder:
                file = Path(folder) / "words.txt"
                file.write_text(imported.words, "utf-8", errors="replace")
                source = Source(file, name, (place, name))
                is_new = ingest(pipeline, [source], IngestOptions(extractors=(), progress=False)).documents > 0
            self.stores.vectors.make_ready()
        except (ExplorerError, OSError) as error:
            is_new, note = True, f"What it says does not answer questions yet ({error}); import it again."
        self.sources.forget()
        self.graph.flush()
        return replace(imported, notes=(*imported.notes, note)) if is_new else imported

    def _imported(self, take: Callable[[], Imported]) -> Imported:
        """Have a record from elsewhere stored, and noted in the ledger and the list of runs."""
        self.traces.ledger.begin_import()
        imported = take()
        with self.stores.database.correcting, self.stores.database.noting:
            settle_curations(self.graph, self.stores.database)
            self.traces.ledger.end_import(imported.traces)
            rebuild_listing(self.stores)
        return imported

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
        from explorer.record.purging import purge

        if not dry_run:
            self._check_writable()
        self.stores.refresh()
        return purge(self.traces, older_than, keep_reviewed=keep_reviewed, dry=dry_run, progress=progress)

    def backup(self, path: str | Path) -> Path:
        """Copy all of it as it is now into a new folder, which is a workspace of its own; returns that folder.

        Others may go on to read and write, in this process and in another. Raises WorkspaceError.
        """
        from explorer.stores.backup import back_up

        self.stores.refresh()
        back_up(self.stores, Path(path), self._collection)
        return Path(path)

    def _own(self, iri: str) -> ShownTrace:
        self.traces.check_own(iri)
        return self.traces.load(iri)
