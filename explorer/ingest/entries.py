"""The texts that are embedded: facts with their sentence, entities by name, chunks below their title.

A fact and a chunk name the parts that their vectors can be joined from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from explorer.ingest.extraction.extractor import ExtractedEdge
from explorer.ingest.parsed import Parsed, named_nodes, triple
from explorer.reasoning.protocol import fact_with_sentence, passage_with_title
from explorer.stores.sentences import StoredSentence
from explorer.stores.vectors.search import Entry


def edge_entries(parsed: Parsed, edges: Iterable[ExtractedEdge]) -> list[Entry]:
    """Return an entry for each fact and sentence that states it."""
    found: dict[Entry, None] = {}
    for edge in edges:
        words = (edge.subject, edge.predicate, edge.object)
        sentence = parsed.words(edge.start, edge.end)
        found.setdefault(fact_entry(str(triple(edge)), parsed.chunk_iri(edge.chunk), words, sentence))
    return list(found)


def fact_entry(key: str, chunk: str, words: tuple[str, str, str], sentence: str) -> Entry:
    """Return the entry of a fact with a sentence that states it; without one of the fact alone.

    Joined, its vector is that of the sentence: R@5 with minilm is 86.3 on 2Wiki-800 and 73.7 on MuSiQue with given
    triples; with subject, predicate and object, each half of it, 84.3 and 73.3; embedded as it is 85.8 on the first.
    """
    return Entry(key, chunk, fact_with_sentence(*words, sentence), ((sentence, 1.0),) if sentence else ())


def entity_entries(edges: Iterable[ExtractedEdge]) -> list[Entry]:
    """Return an entry for each entity at the ends of some edges, under the name it has first."""
    named: dict[str, Entry] = {}
    for edge in edges:
        subject, _, *others = named_nodes(edge)
        for node, label in (subject, *others):
            named.setdefault(node.value, entity_entry(node.value, label))
    return list(named.values())


def entity_entry(iri: str, name: str) -> Entry:
    """Return the entry of an entity."""
    return Entry(iri, "", name)


def chunk_entry(
    iri: str, title: str, text: str, sentences: Sequence[StoredSentence] = (), headings: Sequence[str] = ()
) -> Entry:
    """Return the entry of a chunk below its title and headings; its parts weigh as much as they are long."""
    parts = [(one, float(len(one))) for one in (title, *headings, *(sentence.text for sentence in sentences))]
    return Entry(iri, iri, passage_with_title(title, text, headings), tuple(parts) if sentences else ())
