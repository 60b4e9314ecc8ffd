"""A document into the stores: pages, chunks, edges with their sources, labels, vectors, keywords.

The library is the journal. A document's contents and vectors are committed as `writing`, its quads go into the graph
in one transaction, then it is marked `done`. What was cut off in between is mended when the collection is opened.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import PurePath
from typing import TYPE_CHECKING

from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer import entities as e
from explorer import rdf
from explorer.events import Content
from explorer.ingest.chunker import Chunk, chunks
from explorer.ingest.extractors import EdgeExtractor, ExtractedEdge
from explorer.ingest.readers import Part, Reading
from explorer.stores.library import (
    StoredChunk,
    StoredDocument,
    drop_document,
    finish_document,
    put_contents,
    put_document,
)
from explorer.stores.vectors import Entry, claim_embedder, put_vectors
from explorer.vocab import FACTS, PROV, RDFS, SOURCE, TG, entity_iri, iri, timestamp

if TYPE_CHECKING:
    from explorer.reasoning.embedding import Embedder
    from explorer.stores.graph import GraphStore
    from explorer.stores.library import Library

CHUNK_SIZE, CHUNK_OVERLAP = 1000, 100
READER, CHUNKER, CURATOR = "reader", "chunker", "curator"
VERSION = "1"
_NAMES = uuid.UUID("6f1d7a52-1f0c-5b0e-9a35-0c6a4f0b7c11")


@dataclass(frozen=True, slots=True)
class Extraction:
    """What one extractor took from a document."""

    agent: str
    version: str
    edges: tuple[ExtractedEdge, ...]


@dataclass(frozen=True, slots=True)
class Parsed:
    """A document read and cut, before anything of it is stored."""

    iri: str
    source: str
    data: bytes
    reading: Reading
    chunks: tuple[Chunk, ...]

    def part_iri(self, part: Part) -> str:
        """Give the IRI of a page or section."""
        return iri(part.kind, _name(self.iri, part.kind, part.number))

    def chunk_iri(self, chunk: Chunk) -> str:
        """Give the IRI of a chunk."""
        part = (chunk.part.kind, chunk.part.number) if chunk.part else ("document", 0)
        return iri("chunk", _name(self.iri, *part, CHUNK_SIZE, CHUNK_OVERLAP, chunk.index))


def document_iri(data: bytes) -> str:
    """Give the IRI of a document from its bytes: the same bytes are the same document."""
    return iri("document", hashlib.sha256(data).hexdigest()[:32])


def parse(data: bytes, source: str, reading: Reading) -> Parsed:
    """Cut what was read into chunks."""
    cut = tuple(chunks(reading, CHUNK_SIZE, CHUNK_OVERLAP))
    return Parsed(document_iri(data), source, data, reading, cut)


class Pipeline:
    """Stores documents and edges; one document at a time, each whole or not at all."""

    def __init__(self, graph: GraphStore, library: Library, embedder: Embedder, clock: Callable[[], datetime]) -> None:
        """Write to these stores; `clock` gives the time."""
        self.graph = graph
        self.library = library
        self.embedder = embedder
        self.clock = clock

    def extract(self, parsed: Parsed, extractor: EdgeExtractor) -> Extraction:
        """Take the edges out of a document's chunks."""
        return Extraction(extractor.name, extractor.version, tuple(extractor.edges(parsed.chunks)))

    def store(self, parsed: Parsed, extractions: Iterable[Extraction]) -> int:
        """Store a new document with its edges; gives how many different facts. A known one: adds new edges."""
        known = self.library.document(parsed.iri) is not None
        fresh = [new for extraction in extractions if (new := self._fresh(parsed, extraction)).edges]
        quads = [] if known else list(_document_quads(parsed, timestamp(self.clock())))
        for extraction in fresh:
            quads += self._extraction_quads(parsed, extraction, timestamp(self.clock()))
        quads += self._labels(quads, fresh)
        self._write_library(parsed, fresh, known=known)
        self.graph.add(quads)
        if not known:
            with self.library.database.writing() as connection:
                finish_document(connection, parsed.iri)
        return len({triple(edge) for extraction in fresh for edge in extraction.edges})

    def _write_library(self, parsed: Parsed, fresh: list[Extraction], *, known: bool) -> None:
        kinds = {
            "edge": _edge_entries(parsed, fresh),
            "entity": _entity_entries(fresh),
            "chunk": [] if known else [Entry(parsed.chunk_iri(c), parsed.chunk_iri(c), c.text) for c in parsed.chunks],
        }
        embedded = [
            (kind, entries, self.embedder.embed([entry.text for entry in entries]))
            for kind, entries in kinds.items()
            if entries
        ]
        with self.library.database.writing() as connection:
            claim_embedder(connection, self.embedder.name)
            if not known:
                put_document(connection, *_stored(parsed))
                put_contents(connection, _contents(parsed))
            for kind, entries, vectors in embedded:
                put_vectors(connection, kind, parsed.iri, entries, vectors)

    def _fresh(self, parsed: Parsed, extraction: Extraction) -> Extraction:
        """Leave out the edges that the same extractor has taken from the same words before."""
        edges = [
            edge
            for edge in extraction.edges
            if not self._has(_subgraph_iri(parsed, extraction, edge), TG.contains, triple(edge))
        ]
        return replace(extraction, edges=tuple(edges))

    def _has(self, node: str, predicate: NamedNode, obj: Triple | None = None) -> bool:
        return next(iter(self.graph.match(NamedNode(node), predicate, obj, SOURCE)), None) is not None

    def _extraction_quads(self, parsed: Parsed, extraction: Extraction, now: str) -> Iterator[Quad]:
        """Give the facts and their subgraphs; one that is there already grows, and stays what its first run made."""
        spans: dict[str, list[ExtractedEdge]] = {}
        for edge in extraction.edges:
            spans.setdefault(_subgraph_iri(parsed, extraction, edge), []).append(edge)
        activity = _activity(parsed.iri, extraction.agent, extraction.version, now, _activity_iri(parsed, extraction))
        for subgraph, edges in spans.items():
            facts = tuple(dict.fromkeys(triple(edge) for edge in edges))
            for fact in facts:
                yield Quad(fact.subject, fact.predicate, fact.object, FACTS)
            if self._has(subgraph, PROV.wasGeneratedBy):
                yield from (Quad(NamedNode(subgraph), TG.contains, fact, SOURCE) for fact in facts)
            else:
                yield from rdf.triples(_subgraph(parsed, subgraph, edges, facts, activity.iri))
        yield from _activity_quads(activity)

    def _labels(self, quads: list[Quad], fresh: list[Extraction]) -> list[Quad]:
        """Name each entity that has no name yet."""
        wanted: dict[str, str] = {}
        for extraction in fresh:
            for edge in extraction.edges:
                for label in (
                    edge.subject,
                    edge.predicate,
                    *([edge.object] if edge.object_is_entity else []),
                ):
                    wanted.setdefault(entity_iri(label), label)
        named = {quad.subject for quad in quads if quad.predicate == RDFS.label}
        return [
            Quad(NamedNode(key), RDFS.label, Literal(label), FACTS)
            for key, label in wanted.items()
            if NamedNode(key) not in named
            and next(iter(self.graph.match(NamedNode(key), RDFS.label, None, FACTS)), None) is None
        ]


def mend(graph: GraphStore, library: Library) -> None:
    """Bring library and graph in step after a kill: finish documents whose quads are there, take back the others."""
    for document in library.unfinished():
        whole = next(iter(graph.match(NamedNode(document), None, TG.Document, FACTS)), None) is not None
        with library.database.writing() as connection:
            (finish_document if whole else drop_document)(connection, document)


def triple(edge: ExtractedEdge) -> Triple:
    """Give an extracted edge as RDF terms."""
    obj = NamedNode(entity_iri(edge.object)) if edge.object_is_entity else Literal(edge.object)
    return Triple(NamedNode(entity_iri(edge.subject)), NamedNode(entity_iri(edge.predicate)), obj)


def spoken(edge: ExtractedEdge, text: str) -> str:
    """Give an edge together with its source sentence, as it is embedded."""
    return f"{edge.subject} {edge.predicate} {edge.object}. {' '.join(text[edge.start : edge.end].split())}"


def _edge_entries(parsed: Parsed, extractions: Iterable[Extraction]) -> list[Entry]:
    text = parsed.reading.text
    edges = [edge for extraction in extractions for edge in extraction.edges]
    return list(
        dict.fromkeys(Entry(str(triple(edge)), parsed.chunk_iri(edge.chunk), spoken(edge, text)) for edge in edges)
    )


def _entity_entries(extractions: Iterable[Extraction]) -> list[Entry]:
    named: dict[str, Entry] = {}
    for extraction in extractions:
        for edge in extraction.edges:
            for label in (edge.subject, *([edge.object] if edge.object_is_entity else [])):
                named.setdefault(entity_iri(label), Entry(entity_iri(label), "", label))
    return list(named.values())


def _stored(parsed: Parsed) -> tuple[StoredDocument, list[StoredChunk]]:
    reading = parsed.reading
    document = StoredDocument(parsed.iri, parsed.source, reading.title, reading.mime, reading.text)
    return document, [StoredChunk(parsed.chunk_iri(chunk), parsed.iri, chunk.text) for chunk in parsed.chunks]


def _contents(parsed: Parsed) -> list[Content]:
    reading = parsed.reading
    return [Content(parsed.iri, reading.title, reading.mime, parsed.data)]


def _document_quads(parsed: Parsed, now: str) -> Iterator[Quad]:
    reading = parsed.reading
    pages = [part for part in reading.parts if part.kind == "page"]
    yield from rdf.triples(
        e.Document(
            iri=parsed.iri,
            title=reading.title,
            label=reading.title,
            date=reading.date,
            creator=reading.author,
            page_count=len(pages) or None,
            mime_type=reading.mime,
        )
    )
    reader = _activity(parsed.iri, READER, VERSION, now)
    chunker = replace(_activity(parsed.iri, CHUNKER, VERSION, now), chunk_size=CHUNK_SIZE, chunk_overlap=CHUNK_OVERLAP)
    for part in reading.parts:
        yield from rdf.triples(_part(parsed, part, reader.iri))
    for chunk in parsed.chunks:
        yield from rdf.triples(_chunk(parsed, chunk, chunker.iri))
    for activity in (reader, chunker):
        yield from _activity_quads(activity)


def _part(parsed: Parsed, part: Part, activity: str) -> e.Extracted:
    where = (parsed.iri,)
    length = part.end - part.start
    if part.kind == "page":
        return e.Page(
            iri=parsed.part_iri(part), derived_from=where, generated_by=activity, label=part.label,
            number=part.number, char_offset=part.start, char_length=length,
        )  # fmt: skip
    return e.Section(
        iri=parsed.part_iri(part), derived_from=where, generated_by=activity, label=part.label,
        char_offset=part.start, char_length=length,
    )  # fmt: skip


def _chunk(parsed: Parsed, chunk: Chunk, activity: str) -> e.Chunk:
    parent = parsed.part_iri(chunk.part) if chunk.part else parsed.iri
    return e.Chunk(
        iri=parsed.chunk_iri(chunk),
        derived_from=(parent,),
        generated_by=activity,
        label=f"Chunk {chunk.index}",
        index=chunk.index,
        char_offset=chunk.start - (chunk.part.start if chunk.part else 0),
        char_length=chunk.end - chunk.start,
    )


def _subgraph(
    parsed: Parsed, subgraph: str, edges: list[ExtractedEdge], facts: tuple[Triple, ...], activity: str
) -> e.Subgraph:
    first = edges[0]
    return e.Subgraph(
        iri=subgraph,
        contains=facts,
        derived_from=(parsed.chunk_iri(first.chunk),),
        generated_by=activity,
        source_text=parsed.reading.text[first.start : first.end],
        source_offset=first.start - first.chunk.start,
        source_length=first.end - first.start,
        confidence=min(edge.confidence for edge in edges),
    )


def _subgraph_iri(parsed: Parsed, extraction: Extraction, edge: ExtractedEdge) -> str:
    return iri("subgraph", _name(parsed.chunk_iri(edge.chunk), extraction.agent, edge.start, edge.end))


def _activity(document: str, agent: str, version: str, now: str, activity: str | None = None) -> e.Activity:
    return e.Activity(
        iri=activity or iri("activity", _name(document, agent, version)),
        label=f"{agent} extraction",
        used=(document,),
        associated_with=iri("agent", agent),
        started_at=now,
        version=version,
    )


def _activity_quads(activity: e.Activity) -> list[Quad]:
    agent = e.Agent(iri=activity.associated_with or "", label=activity.label and activity.label.split(" ")[0])
    return [*rdf.triples(activity), *rdf.triples(agent)]


def _activity_iri(parsed: Parsed, extraction: Extraction) -> str:
    """Name an extraction by what it found, so that each set of facts has an activity of its own."""
    spans = [(edge.subject, edge.predicate, edge.object, edge.start, edge.end) for edge in extraction.edges]
    found = hashlib.sha256(repr(sorted(spans)).encode()).hexdigest()
    return iri("activity", _name(parsed.iri, extraction.agent, extraction.version, found))


def _name(*parts: object) -> str:
    return str(uuid.uuid5(_NAMES, "\x1f".join(str(part) for part in parts)))


def file_name(source: str) -> str:
    """Give the last part of a path or URL, by which a facts file names its documents."""
    return PurePath(source).name
