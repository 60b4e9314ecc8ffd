"""Documents into the stores: pages, chunks, edges with their sources, labels, vectors, keywords.

The library is the journal. The contents and vectors of some documents are committed as `writing`, their quads go into
the graph in one transaction, then they are marked `done`. What was cut off in between is mended when the collection
is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer import rdf
from explorer.events import Content
from explorer.ingest.entries import chunk_entries, edge_entries, entity_entries
from explorer.ingest.extraction.extractor import EdgeExtractor, ExtractedEdge
from explorer.ingest.parsed import Extraction, Parsed, triple
from explorer.ingest.provenance import activity_quads, document_quads, extraction_activity, subgraph, subgraph_iri
from explorer.stores.library import (
    StoredChunk,
    StoredDocument,
    drop_document,
    finish_document,
    put_contents,
    put_document,
)
from explorer.stores.link_graph import drop_unlinked, link_stored
from explorer.stores.vectors.search import claim_embedder, put_vectors, stored_keys
from explorer.vocab import FACTS, PROV, RDFS, SOURCE, TG, entity_iri, timestamp

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from explorer.models.embedding import Embedder
    from explorer.stores.graph import GraphStore
    from explorer.stores.library import Library
    from explorer.stores.vectors.search import Entry


@dataclass(frozen=True, slots=True)
class ExtractedDocument:
    """A document with what was extracted from it, ready to be stored."""

    parsed: Parsed
    extractions: tuple[Extraction, ...] = ()


class Pipeline:
    """Stores documents and edges, each document whole or not at all."""

    def __init__(self, graph: GraphStore, library: Library, embedder: Embedder, clock: Callable[[], datetime]) -> None:
        """Write to these stores; `clock` returns the time."""
        self.graph = graph
        self.library = library
        self.embedder = embedder
        self.clock = clock

    def extract(self, parsed: Parsed, extractor: EdgeExtractor) -> Extraction:
        """Extract the edges of a document's chunks."""
        return Extraction(extractor.name, extractor.version, tuple(extractor.edges(parsed.chunks)))

    def knows(self, parsed: Parsed) -> bool:
        """Return whether a document is stored already."""
        return self.library.document(parsed.iri) is not None

    def store(self, parsed: Parsed, extractions: Iterable[Extraction]) -> int:
        """Store one document as `store_all` does; returns how many different facts are new."""
        return self.store_all([ExtractedDocument(parsed, tuple(extractions))])

    def store_all(self, documents: Sequence[ExtractedDocument]) -> int:
        """Store different documents with their edges together; of those that are known only what is new.

        Returns how many facts are new, counted in each document by itself. A kill leaves all of them or none.
        """
        known = {found.parsed.iri for found in documents if self.knows(found.parsed)}
        fresh = [self._fresh(found) for found in documents]
        quads = [quad for found in fresh for quad in self._quads(found, known)]
        quads += self._labels(quads, fresh)
        self._write_library(fresh, known)
        self.graph.add(quads)
        with self.library.database.writing() as connection:
            for found in documents:
                if found.parsed.iri not in known:
                    finish_document(connection, found.parsed.iri)
        return sum(len(_facts(found)) for found in fresh)

    def _write_library(self, documents: Sequence[ExtractedDocument], known: Collection[str]) -> None:
        shelved = [(found.parsed.iri, *shelf) for found in documents for shelf in _entries(found, known).items()]
        shelved.append(("", "entity", self._new_entities(documents)))
        vectors = self._embedded(entry.text for _, _, entries in shelved for entry in entries)
        with self.library.database.writing() as connection:
            claim_embedder(connection, self.embedder.name)
            for found in documents:
                if found.parsed.iri not in known:
                    put_document(connection, *_stored(found.parsed))
                    put_contents(connection, _contents(found.parsed))
            for document, kind, entries in shelved:
                if entries:
                    put_vectors(connection, kind, document, entries, vectors.of(entry.text for entry in entries))

    def _new_entities(self, documents: Sequence[ExtractedDocument]) -> list[Entry]:
        """Return the entities that have no vector yet; theirs belong to no document."""
        entries = entity_entries(extraction for found in documents for extraction in found.extractions)
        there = stored_keys(self.library.database, "entity", [entry.key for entry in entries])
        return [entry for entry in entries if entry.key not in there]

    def _embedded(self, texts: Iterable[str]) -> _Embedded:
        different = sorted(dict.fromkeys(texts), key=len)  # texts of like length fill an embedder's batches best
        rows = {text: row for row, text in enumerate(different)}
        return _Embedded(rows, self.embedder.embed(different))

    def _fresh(self, found: ExtractedDocument) -> ExtractedDocument:
        """Return a document without the edges that the same extractor has taken from the same words before."""
        kept = []
        for extraction in found.extractions:
            edges = [edge for edge in extraction.edges if not self._knows_edge(found.parsed, extraction, edge)]
            if edges:
                kept.append(replace(extraction, edges=tuple(edges)))
        return replace(found, extractions=tuple(kept))

    def _knows_edge(self, parsed: Parsed, extraction: Extraction, edge: ExtractedEdge) -> bool:
        return self._has(subgraph_iri(parsed, extraction, edge), TG.contains, triple(edge))

    def _has(self, node: str, predicate: NamedNode, obj: Triple | None = None) -> bool:
        return next(iter(self.graph.match(NamedNode(node), predicate, obj, SOURCE)), None) is not None

    def _quads(self, found: ExtractedDocument, known: Collection[str]) -> Iterator[Quad]:
        if found.parsed.iri not in known:
            yield from document_quads(found.parsed, timestamp(self.clock()))
        for extraction in found.extractions:
            yield from self._extraction_quads(found.parsed, extraction, timestamp(self.clock()))

    def _extraction_quads(self, parsed: Parsed, extraction: Extraction, now: str) -> Iterator[Quad]:
        """Yield the facts and their subgraphs; one that is there already grows, and stays what its first run made."""
        spans: dict[str, list[ExtractedEdge]] = {}
        for edge in extraction.edges:
            spans.setdefault(subgraph_iri(parsed, extraction, edge), []).append(edge)
        activity = extraction_activity(parsed, extraction, now)
        for named, edges in spans.items():
            facts = tuple(dict.fromkeys(triple(edge) for edge in edges))
            for fact in facts:
                yield Quad(fact.subject, fact.predicate, fact.object, FACTS)
            if self._has(named, PROV.wasGeneratedBy):
                yield from (Quad(NamedNode(named), TG.contains, fact, SOURCE) for fact in facts)
            else:
                yield from rdf.triples(subgraph(parsed, named, edges, facts, activity.iri))
        yield from activity_quads(activity)

    def _labels(self, quads: Iterable[Quad], documents: Iterable[ExtractedDocument]) -> list[Quad]:
        """Return a label for each entity that has none yet."""
        named = {quad.subject for quad in quads if quad.predicate == RDFS.label}
        return [
            Quad(NamedNode(key), RDFS.label, Literal(label), FACTS)
            for key, label in _names(documents).items()
            if NamedNode(key) not in named
            and next(iter(self.graph.match(NamedNode(key), RDFS.label, None, FACTS)), None) is None
        ]


@dataclass(frozen=True, slots=True)
class _Embedded:
    """The vectors of some texts, each made once however often the text stands."""

    rows: dict[str, int]
    vectors: NDArray[np.float32]

    def of(self, texts: Iterable[str]) -> NDArray[np.float32]:
        return self.vectors[[self.rows[text] for text in texts]]


def mend(graph: GraphStore, library: Library) -> None:
    """Bring library and graph in step after a kill: finish documents whose quads are there, take back the others with
    the entities that only they speak of. Links what was stored before there were links.
    """
    link_stored(library.database)
    unfinished = library.unfinished()
    if not unfinished:
        return
    with library.database.writing() as connection:
        for document in unfinished:
            whole = next(iter(graph.match(NamedNode(document), None, TG.Document, FACTS)), None) is not None
            (finish_document if whole else drop_document)(connection, document)
        drop_unlinked(connection)


def _facts(found: ExtractedDocument) -> set[Triple]:
    return {triple(edge) for extraction in found.extractions for edge in extraction.edges}


def _names(documents: Iterable[ExtractedDocument]) -> dict[str, str]:
    """Return the first name of each entity and predicate."""
    wanted: dict[str, str] = {}
    edges = (edge for found in documents for extraction in found.extractions for edge in extraction.edges)
    for edge in edges:
        for label in (edge.subject, edge.predicate, *([edge.object] if edge.object_is_entity else [])):
            wanted.setdefault(entity_iri(label), label)
    return wanted


def _entries(found: ExtractedDocument, known: Collection[str]) -> dict[str, list[Entry]]:
    return {
        "edge": edge_entries(found.parsed, found.extractions),
        "chunk": [] if found.parsed.iri in known else chunk_entries(found.parsed),
    }


def _stored(parsed: Parsed) -> tuple[StoredDocument, list[StoredChunk]]:
    reading = parsed.reading
    document = StoredDocument(parsed.iri, parsed.source, reading.title, reading.mime, reading.text)
    return document, [StoredChunk(parsed.chunk_iri(chunk), parsed.iri, chunk.text) for chunk in parsed.chunks]


def _contents(parsed: Parsed) -> list[Content]:
    return [Content(parsed.iri, parsed.reading.title, parsed.reading.mime, parsed.data)]
