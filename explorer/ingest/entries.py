"""The texts that are embedded: facts with their sentence, entities by name, chunks below their title."""

from __future__ import annotations

from collections.abc import Iterable

from explorer.ingest.extraction.extractor import ExtractedEdge
from explorer.ingest.parsed import Parsed, triple
from explorer.reasoning.protocol import fact_with_sentence
from explorer.stores.vectors.search import Entry
from explorer.vocab import entity_iri

VERSION = "2"  # of these words: another number, and vectors made before are of other words


def edge_entries(parsed: Parsed, edges: Iterable[ExtractedEdge]) -> list[Entry]:
    """Return an entry for each fact and sentence that states it."""
    found: dict[Entry, None] = {}
    for edge in edges:
        sentence = parsed.reading.text[edge.start : edge.end]
        text = fact_with_sentence(edge.subject, edge.predicate, edge.object, sentence)
        found.setdefault(Entry(str(triple(edge)), parsed.chunk_iri(edge.chunk), text))
    return list(found)


def entity_entries(edges: Iterable[ExtractedEdge]) -> list[Entry]:
    """Return an entry for each entity at the ends of some edges, under the name it has first."""
    named: dict[str, Entry] = {}
    for edge in edges:
        for label in (edge.subject, *([edge.object] if edge.object_is_entity else [])):
            named.setdefault(entity_iri(label), Entry(entity_iri(label), "", label))
    return list(named.values())


def chunk_entry(iri: str, title: str, text: str) -> Entry:
    """Return the entry of a chunk; its title comes first, since the text of a chunk may not name its subject."""
    return Entry(iri, iri, f"{title}\n{text}")
