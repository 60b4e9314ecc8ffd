"""The texts that are embedded: facts with their sentence, entities by name, chunks below their title."""

from __future__ import annotations

from collections.abc import Iterable

from explorer.ingest.extraction.extractor import ExtractedEdge
from explorer.ingest.parsed import Extraction, Parsed, triple
from explorer.reasoning.protocol import fact_with_sentence
from explorer.stores.vectors.search import Entry
from explorer.vocab import entity_iri

VERSION = "2"  # of these words: another number, and vectors made before are of other words


def edge_entries(parsed: Parsed, extractions: Iterable[Extraction]) -> list[Entry]:
    """Return an entry for each fact and sentence that states it."""
    text = parsed.reading.text
    edges = [edge for extraction in extractions for edge in extraction.edges]
    return list(
        dict.fromkeys(
            Entry(str(triple(edge)), parsed.chunk_iri(edge.chunk), _spoken_edge(edge, text)) for edge in edges
        )
    )


def entity_entries(extractions: Iterable[Extraction]) -> list[Entry]:
    """Return an entry for each entity at the ends of some edges, under the name it has first."""
    named: dict[str, Entry] = {}
    for extraction in extractions:
        for edge in extraction.edges:
            for label in (edge.subject, *([edge.object] if edge.object_is_entity else [])):
                named.setdefault(entity_iri(label), Entry(entity_iri(label), "", label))
    return list(named.values())


def chunk_entries(parsed: Parsed) -> list[Entry]:
    """Return an entry for each chunk."""
    named = ((parsed.chunk_iri(chunk), chunk.text) for chunk in parsed.chunks)
    return [chunk_entry(iri, parsed.reading.title, text) for iri, text in named]


def chunk_entry(iri: str, title: str, text: str) -> Entry:
    """Return the entry of a chunk; its title comes first, since the text of a chunk may not name its subject."""
    return Entry(iri, iri, f"{title}\n{text}")


def _spoken_edge(edge: ExtractedEdge, text: str) -> str:
    return fact_with_sentence(edge.subject, edge.predicate, edge.object, text[edge.start : edge.end])
