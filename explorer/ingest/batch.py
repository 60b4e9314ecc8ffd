"""Many files at once: reading them, progress, and what was refused."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from time import perf_counter
from typing import Literal

from explorer.errors import DocumentError
from explorer.ingest import ingested
from explorer.ingest.by_model import ByModel
from explorer.ingest.chunker import USUAL, ChunkSizes, TextChunk
from explorer.ingest.extraction.choice import (
    RULES,
    Chosen,
    Extractor,
    ModelOptions,
    extracted,
    extractors_for,
    names_of,
    understands,
)
from explorer.ingest.extraction.model import ModelExtractor
from explorer.ingest.extraction.tables import rows_of
from explorer.ingest.given.corpus import SUFFIXES, Fault, holds_passages, passages
from explorer.ingest.given.corpus import parsed as as_document
from explorer.ingest.given.corpus import shown as quoted
from explorer.ingest.given.curated_facts import CuratedFact, aligned, read_facts
from explorer.ingest.given.triples import Given, placed, read_triples
from explorer.ingest.ingested import Ingested, RefusedFile
from explorer.ingest.limits import Limits, Meter
from explorer.ingest.parsed import (
    ExtractedDocument,
    Extraction,
    Parsed,
    document_iri,
    facts_stretch,
    file_name,
    head_of,
    long_head,
    parse,
    pieces,
    ready_edges,
    text_stretches,
)
from explorer.ingest.pipeline import Pipeline, TakenError
from explorer.ingest.progress import Progress, Tell, shown, time_left, untold
from explorer.ingest.provenance import CURATOR, IMPORT, VERSION
from explorer.ingest.readers.document_text import NoFacts, Reading
from explorer.ingest.readers.files import Source, data_of, lines_of, places, read
from explorer.ingest.readers.long_text import long_text
from explorer.ingest.readers.rdf_facts import MIMES
from explorer.ingest.readers.rdf_files import RdfFile, Survey, long_rdf_file
from explorer.language.detection import language_of
from explorer.text import count
from explorer.vocab import PASSAGE, STORE

TOGETHER = 2
"""Batches that go into the graph at once: each time takes longer, the more is there."""
_BATCH = 200  # chunks that models go through together
_PASSAGES, _BATCH_BYTES = 1_000, 2_000_000  # in a batch
_SMALL_BATCH = 50  # for an embedder that takes long, so that progress is seen
_READY = 2_000  # facts of a file of facts that are written at once
_FAULTS = 100  # lines: a file that begins with so many that are no passages is no corpus


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """How files are read in.

    `facts` and `triples` are files of what is given beside the documents. What "model" among the `extractors` is,
    `model` says; `keep_prompts` keeps its prompts and replies. A file that takes more than its `limits` is refused, and
    an encrypted one that `password` does not open. `progress` shows a bar, or is told of each step.
    """

    extractors: str | Sequence[str | Chosen] = (RULES,)
    model: ModelOptions = field(default_factory=ModelOptions)
    keep_prompts: bool = True
    facts: Path | None = None
    triples: Path | None = None
    sizes: ChunkSizes | None = None
    limits: Limits = field(default_factory=Limits)
    password: str | None = None
    progress: bool | Tell = True


def ingest(pipeline: Pipeline, sources: Sequence[Source], options: IngestOptions) -> Ingested:
    """Read and store files one by one, of a corpus many passages at once; what can't be read is refused.

    A document that is known stays cut as it is, whatever its `sizes` say. A model goes through documents once their
    text is stored. Raises DocumentError when no file could be read, when the files of facts or triples can't, and for
    extractors that there are not.
    """
    intake = Intake(pipeline, options, extractors_for(options.extractors, options.model))
    own = {path.absolute() for path in (options.facts, options.triples) if path is not None}
    sources = [source for source in sources if source.path.absolute() not in own] or sources
    unread: list[str] = []
    with shown("Reading", len(sources), progress=options.progress is True) as tell:
        for number, source in enumerate(sources):
            tell(number, source.shown or file_name(source.name))
            try:
                with closing(intake.take(source)) as steps:
                    for done in steps:
                        tell(number, f"{source.shown or file_name(source.name)}: {done}")
            except DocumentError as error:
                unread.append(str(error))
                intake.refused.append(RefusedFile(source.name, str(error)))
            for step in intake.by_models(last=number + 1 == len(sources)):
                tell(number, f"{step.file}: passage {step.done:,} of {step.total:,} by a model")
        tell(len(sources), "")
    if len(unread) == len(sources):
        raise DocumentError(unread[0])
    return intake.ended()


class Intake:
    """One call of `ingest`: what it has added so far, what it refused, and which documents it has met."""

    def __init__(self, pipeline: Pipeline, options: IngestOptions, chosen: Sequence[Chosen]) -> None:
        """Read the facts curated by hand, and the triples extracted elsewhere; raises DocumentError where it can't."""
        self.pipeline = pipeline
        self.options = options
        self.extractors = [one for one in chosen if not isinstance(one, ModelExtractor)]
        self.models = [
            ByModel(pipeline, one, options.keep_prompts) for one in chosen if isinstance(one, ModelExtractor)
        ]
        self.curated, reasons = _curated(options.facts)
        self.refused = [RefusedFile(str(options.facts), reason) for reason in reasons]
        self.given: Given | None = None
        if options.triples:
            self.given, faults = read_triples(lines_of(Source(options.triples, str(options.triples))))
            self.refused += [_refused(str(options.triples), fault) for fault in faults]
        self.notes: list[str] = []
        self.no_facts: NoFacts | None = None
        self._tell = options.progress if callable(options.progress) else untold
        self._meter = Meter(options.limits)
        self._added: Counter[str] = Counter()  # by the names of the numbers of `Ingested`
        self._waiting: list[tuple[Parsed, str]] = []  # for the models
        self._kept_sizes: dict[ChunkSizes, list[str]] = {}
        self._wanted: list[CuratedFact] = []  # of a long document: those not found yet
        self._foreign: Counter[tuple[str, str]] = Counter()  # names of documents and their languages
        self._chunks: Counter[tuple[str, str]] = Counter()  # of chunks in another language than their documents
        self._all = tuple(names_of(chosen))  # who is to go through documents
        self._met: set[str] = set()
        self._first: dict[str, Source] = {}  # with the bytes of a document
        self._passages: set[str] = set()

    def take(self, source: Source) -> Generator[str, None, None]:
        """Read and store one file; of a corpus and a long text, yields in words how far it has come after each part."""
        name = source.shown or file_name(source.name)
        if source.name.lower().endswith(SUFFIXES) and holds_passages(lines_of(source), name):
            if source.replaces:
                raise DocumentError(f"{name} holds passages, each a document of its own; it can't replace one.")
            for done in self._corpus(source):
                yield count(done, "passage")
            return
        self._tell(Progress(name, "reading"))
        self._meter = Meter(self.options.limits, source.name)
        parts = self._in_parts(source, name)
        yield from self._whole(source, name) if parts is None else parts

    def _whole(self, source: Source, name: str) -> Iterator[str]:
        """Read a file that is held whole, and store it; one of very many facts part by part."""
        data = data_of(source, self.options.limits)
        try:
            reading = read(data, source.name, places(source)[0], self.options.password, self._meter)
        except DocumentError:
            if not self._has_all_of(data, name):
                raise
            there = Parsed(document_iri(data), source.name, data, Reading("", "", ""), (), places(source))
            self._stand(replace(there, replaces=source.replaces))
            return
        parsed = parse(data, source.name, reading, places(source), sizes=self.options.sizes or USUAL)
        parsed = self._cut(replace(parsed, replaces=source.replaces), name)
        self._compare(parsed.iri, source)
        if len(reading.facts or ()) > _READY and self.pipeline.is_free(parsed):
            head = replace(head_of(parsed), sha256=hashlib.sha256(data).hexdigest())
            yield from self._long(head, pieces(parsed, _READY), name)
        else:
            self._store([(parsed, name)])
        self._note(reading, source.name, name)
        if reading.encoding:
            self.notes.append(f"{name} was read as {reading.encoding}.")

    def _compare(self, iri: str, source: Source) -> None:
        """Note a file with the same bytes as another one of this call: it is the same document."""
        first = self._first.setdefault(iri, source)
        if first.path.resolve() != source.path.resolve():
            names = file_name(source.name), file_name(first.name)
            one, other = names if names[0] != names[1] else (source.name, first.name)
            self.notes.append(f"{one} has the same bytes as {other}: it is the same document.")

    def _note(self, read: Reading | Survey, source: str, name: str) -> None:
        self.refused += [RefusedFile(source, f"{name}, {reason}.") for reason in read.refused]
        self.notes += [f"{name}: {note}." for note in read.notes]
        self.no_facts = read.no_facts

    def _in_parts(self, source: Source, name: str) -> Iterator[str] | None:
        """Return what stores a long file part by part; None for one that is to be held whole."""
        if (facts := long_rdf_file(source, places(source)[0], self.options.limits)) is not None:
            head = long_head(facts, source, self.options.sizes or USUAL)
            self._compare(head.iri, source)
            if self.pipeline.knows(head) and name not in self.curated:
                self._stand(head, self._all)
                return iter(())
            if self.pipeline.is_free(head):
                return self._long_facts(facts, head, name)
            self.options.limits.check_size(source.name, facts.size, self.options.limits.most_held)
        if (text := long_text(source, self.options.limits)) is not None:
            head = long_head(text, source, self.options.sizes or USUAL)
            self._compare(head.iri, source)
            if self.pipeline.is_free(head):
                if self.models:
                    self.notes.append(f"{name} was not gone through by a model: it is too long for one.")
                return self._long(head, text_stretches(head, text), name)
        return None

    def _has_all_of(self, data: bytes, name: str) -> bool:
        """Return whether a document is here and nobody is to go through it, so that its password is not needed."""
        iri = document_iri(data)
        done = self.pipeline.library.has(iri) and not any(self.pipeline.lacks(iri, one) for one in self._all)
        return done and name not in self.curated

    def _stand(self, there: Parsed, by: tuple[str, ...] = ()) -> None:
        """Note that a document that is here stands where a file does, and who has nothing to do with it."""
        self._met.add(file_name(there.source))
        with self.pipeline.library.database.storing:
            self.pipeline.store_all([ExtractedDocument(there, (), by)])

    def _long_facts(self, facts: RdfFile, head: Parsed, name: str) -> Iterator[str]:
        """Store a long file of facts part by part, once all of it was looked through."""
        with facts.surveyed() as survey:
            for share in survey.look():
                self._meter.check()
                self._tell(Progress(name, "reading"))
                yield f"{share:.0%} looked through"
            head = replace(head, reading=survey.reading)
            stretches = ((facts_stretch(head, one.reading, one.start), one.data, one.share)
                         for one in survey.stretches())  # fmt: skip
            yield from self._long(head, stretches, name)
            self._note(survey, head.source, name)

    def _long(self, head: Parsed, stretches: Iterable[tuple[Parsed, bytes, float]], name: str) -> Iterator[str]:
        """Store a long document part by part; each comes with its bytes, and which share is done with it."""
        self._wanted = list(self.curated.get(name, []))
        share, before = 0.0, self._added["chunks"]

        def parts() -> Iterator[tuple[ExtractedDocument, bytes]]:
            nonlocal share
            for part, data, done in stretches:
                self._meter.check()
                share = done
                [found] = self._found([(part, name)], lambda _: None, is_part=True)
                yield found, data

        is_searched = self.extractors and head.reading.mime not in (*MIMES.values(), STORE)
        stage: Literal["facts", "storing"] = "facts" if is_searched else "storing"
        storing = self.pipeline.store_long(head, parts())
        try:
            with self.pipeline.library.database.storing, closing(storing):
                began = perf_counter()
                for part, facts in storing:
                    self._added.update(chunks=len(part.chunks), edges=facts)
                    chunks = self._added["chunks"] - before
                    self._tell(Progress(name, stage, chunks, max(chunks, round(chunks / share))))
                    yield f"{share:.0%}, {time_left((perf_counter() - began) * (1 / share - 1))}"
        except TakenError:  # at the same moment
            self.pipeline.wait_for([head.iri])
            if not self.pipeline.knows(head):
                raise
            self._stand(head)
            return
        self._added.update(documents=1)
        self._not_there(self._wanted)

    def _not_there(self, missing: Iterable[CuratedFact]) -> None:
        self.refused += [
            RefusedFile(str(self.options.facts), f"“{fact.quote[:80]}” is not in {fact.document}.") for fact in missing
        ]

    def by_models(self, *, last: bool) -> Iterator[Progress]:
        """Have the models go through what was stored, some documents at a time; yields each chunk that is done with."""
        if not last and sum(len(parsed.chunks) for parsed, _ in self._waiting) < _BATCH:
            return
        for model in self.models:
            for step in model.go_through(self._waiting):
                self._tell(step)
                yield step
        self._waiting = []

    def ended(self) -> Ingested:
        """Return what the call has added, with all that there is to say of it."""
        refused = [RefusedFile(*one) for model in self.models for one in model.failed]
        of_models = (note for model in self.models for note in model.notes)
        return Ingested(
            self._added["documents"],
            self._added["pages"],
            self._added["chunks"],
            self._added["edges"] + sum(model.edges for model in self.models),
            refused=(*self.refused, *refused, *self.left()),
            notes=(
                *self.notes,
                *ingested.newer(self.pipeline),
                *ingested.kept(self._kept_sizes),
                *ingested.foreign(self._foreign, self._chunks),
                *of_models,
            ),
            left=sum(model.left for model in self.models),
            tokens=sum(model.tokens for model in self.models),
            no_facts=self.no_facts,
        )

    def left(self) -> Iterator[RefusedFile]:
        """Yield a refusal for what was given for documents that were not."""
        for name, facts in self.curated.items():
            if name not in self._met:
                sentence = f"{count(len(facts), 'fact')} of {name} left out: that file is not among those given."
                yield RefusedFile(str(self.options.facts), sentence)
        for name, line in self.given.lines.items() if self.given else ():
            if name not in self._passages:
                sentence = f"no passage has the id {quoted(name)}; check the id, or add the passage to the corpus"
                yield _refused(str(self.options.triples), Fault(line, sentence))

    def _corpus(self, source: Source) -> Iterator[int]:
        """Store a corpus in batches bounded in number and in bytes; raises DocumentError where it holds no passage."""
        faults, untaken = list[Fault](), list[str]()
        done = 0
        batches = self._batches(source, faults, untaken)
        for one in batches:
            with self.pipeline.library.database.storing, self.pipeline.together():
                for batch in chain([one], islice(batches, TOGETHER - 1)):
                    self._store(batch, are_passages=True)
                    done += len(batch)
                    self._tell(Progress(file_name(source.name), "storing", done))
                    yield done
        if not done:
            first = f" (line {faults[0].line}: {faults[0].reason.partition('; ')[0]})" if faults else ""
            raise DocumentError(
                f"{source.name} holds no passage{first}; a corpus has one JSON object a line, with id, title and text."
            )
        self.refused += [_refused(source.name, fault) for fault in faults]
        if untaken:
            lines = count(len(untaken), "line")
            self.notes.append(
                f"{file_name(source.name)} has triples in {lines}, which were not read. To have them instead of those "
                "that rules find, name the file with triples= or --triples too, in a new workspace."
            )

    def _batches(self, source: Source, faults: list[Fault], untaken: list[str]) -> Iterator[list[tuple[Parsed, str]]]:
        """Yield the passages of a corpus in batches; `faults` come to hold lines that are none, `untaken` those whose
        triples are not read. Ends early where a file begins with many faults.
        """
        batch: list[tuple[Parsed, str]] = []
        size, is_corpus = 0, False
        most = _SMALL_BATCH if self.pipeline.is_slow else _PASSAGES
        for passage in passages(lines_of(source), file_name(source.name)):
            if isinstance(passage, Fault):
                faults.append(passage)
                if len(faults) >= _FAULTS and not is_corpus:
                    return
                continue
            is_corpus = True
            self._passages.add(passage.id)
            if passage.has_triples and self.given is None:
                untaken.append(passage.id)
            document = as_document(passage, self.options.sizes or USUAL, f"{places(source)[0]}#{passage.id}")
            batch.append((self._cut(document, passage.id), passage.id))
            size += len(batch[-1][0].data)
            if len(batch) >= most or size >= _BATCH_BYTES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def _found(
        self,
        batch: Sequence[tuple[Parsed, str]],
        seen: Callable[[int], None],
        *,
        are_passages: bool = False,
        is_part: bool = False,
    ) -> Iterator[ExtractedDocument]:
        """Yield documents, or a part of a long one, with what was extracted from each: triples given for a passage
        stand in for the rules.
        """
        given = self.given if are_passages else None
        texts = [one for one in batch if one[0].reading.facts is None]
        searched = {parsed.iri: parsed for parsed, name in texts if not (given and name in given.triples)}
        found = [self._extracted(extractor, [*searched.values()], seen) for extractor in self.extractors]
        for parsed, name in batch:
            self._met.add(name)
            extractions = [by[parsed.iri] for by in found if parsed.iri in by]
            if given is not None and name in given.triples:
                edges = tuple(placed(given.triples[name], given, parsed.chunks))
                extractions.append(Extraction(IMPORT, VERSION, edges))
            if parsed.reading.facts is not None and self.pipeline.lacks(parsed.iri, IMPORT):
                extractions.append(Extraction(IMPORT, VERSION, tuple(ready_edges(parsed))))
            wanted = self._wanted if is_part else self.curated.get(name, [])
            curated, missing = aligned(wanted, parsed.reading.text, list(parsed.chunks), parsed.offset)
            extractions += [Extraction(CURATOR, VERSION, tuple(curated))] if curated else []
            if is_part:
                self._wanted = missing
            else:
                self._not_there(missing)
            by = [extractor.name for extractor in self.extractors]
            if parsed.iri not in searched:
                by += [model.extractor.key for model in self.models]
            elif self.models and not is_part:
                self._waiting.append((parsed, name))
            by += [IMPORT] if parsed.reading.facts is not None else []
            yield ExtractedDocument(parsed, tuple(extractions), tuple(by))

    def _extracted(
        self, extractor: Extractor, documents: Sequence[Parsed], seen: Callable[[int], None]
    ) -> dict[str, Extraction]:
        """Return what an extractor takes from those documents that it has not gone through before, by their IRIs."""
        lacking = [parsed for parsed in documents if self.pipeline.lacks(parsed.iri, extractor.name)]
        left = [parsed for parsed in lacking if not self.pipeline.differs(parsed)]
        if len(left) < len(lacking):
            self.notes.append(ingested.older(len(lacking) - len(left), extractor.name))
        self._foreign.update(
            ("" if parsed.reading.mime == PASSAGE else file_name(parsed.source), parsed.reading.language or "")
            for parsed in left if not understands(extractor, parsed.reading.language) and not parsed.offset
        )  # fmt: skip
        left = [parsed for parsed in left if understands(extractor, parsed.reading.language)]
        found = extracted(extractor, ((self._read_by(extractor, one), one.reading.title) for one in left), seen)
        return {
            parsed.iri: Extraction(extractor.name, extractor.version, tuple(edges))
            for parsed, edges in zip(left, found, strict=True)
        }

    def _read_by(self, extractor: Extractor, parsed: Parsed) -> list[TextChunk]:
        """Return the chunks of a document as an extractor is given them: of one in a language that it does not know,
        the rows of tables alone.
        """
        chunks = []
        for chunk in parsed.chunks:
            language = language_of(chunk.text) if len(parsed.chunks) > 1 else None
            if not understands(extractor, language):
                self._chunks[file_name(parsed.source), language or ""] += 1
                chunk = rows_of(chunk)  # noqa: PLW2901 - the same one
            chunks.append(chunk)
        return chunks

    def _cut(self, parsed: Parsed, name: str) -> Parsed:
        """Return a document as it is cut here, where it is known, and note it where other sizes were asked for."""
        stored = self.pipeline.as_stored(parsed)
        if self.options.sizes not in (None, stored.sizes):
            self._kept_sizes.setdefault(stored.sizes, []).append(name)
        return stored

    def _searched(self, batch: Sequence[tuple[Parsed, str]]) -> Callable[[int], None]:
        """Return what tells how far a file of one document was searched for facts; a corpus counts its passages."""
        (parsed, name), *others = batch
        total = len(parsed.chunks)
        pages = sum(part.kind == "page" for part in parsed.reading.parts)

        def tell(done: int) -> None:
            if others:
                return
            self._meter.check()
            part = parsed.chunks[done - 1].part
            page = part.number if part is not None and pages else 0
            self._tell(Progress(name, "facts" if done < total else "storing", done, total, page, pages))

        return tell

    def _store(self, documents: Sequence[tuple[Parsed, str]], *, are_passages: bool = False) -> None:
        batch = list(self._found(documents, self._searched(documents), are_passages=are_passages))
        with self.pipeline.library.database.storing:
            self.pipeline.wait_for(found.parsed.iri for found in batch)
            new = [found.parsed for found in batch if not self.pipeline.knows(found.parsed)]
            edges = self.pipeline.store_all(batch)
        pages = sum(part.kind == "page" for parsed in new for part in parsed.reading.parts) if not are_passages else 0
        chunks = sum(len(parsed.chunks) for parsed in new)
        self._added.update(documents=len(new), pages=pages, chunks=chunks, edges=edges)


def _curated(facts: Path | None) -> tuple[Mapping[str, list[CuratedFact]], list[str]]:
    """Return the facts of a file by the names of their documents, and why some of its lines are none."""
    if facts is None:
        return {}, []
    try:
        return read_facts(data_of(Source(facts, str(facts))).decode())
    except (DocumentError, UnicodeDecodeError) as error:
        message = f"The facts in {facts} can't be read ({error}); give a JSON-lines file in UTF-8."
        raise DocumentError(message) from error


def _refused(name: str, fault: Fault) -> RefusedFile:
    return RefusedFile(name, f"{file_name(name)}, line {fault.line}: {fault.reason}.")
