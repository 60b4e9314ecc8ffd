"""The rows of documents: what the database has of them beside their bytes, from chunks and sentences to vectors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.ingest.annotation import annotated, annotated_by_capitals, names_in, with_vectors
from explorer.ingest.entries import chunk_entry, edge_entries, entity_entries
from explorer.ingest.extraction.choice import RULES
from explorer.ingest.parsed import ExtractedDocument, Parsed
from explorer.ingest.provenance import call_contents, chunk_place, spans_of
from explorer.ingest.vectors import Vectors
from explorer.language.tables import told_above
from explorer.stores.chunks import StoredChunk, put_chunks, put_places, put_spans
from explorer.stores.library import put_contents
from explorer.stores.link_graph import put_mentions
from explorer.stores.sentences import StoredSentence, put_sentences
from explorer.stores.vectors.search import Entry, put_placed, stored_keys

if TYPE_CHECKING:
    from explorer.ingest.vectors import Matrix
    from explorer.stores.database import Database, Transaction


@dataclass(frozen=True, slots=True)
class Rows:
    """What is stored of some documents, of which some are `new`: sentences of chunks, the entries of each kind with
    their documents, and the vectors of all entries in this order.
    """

    documents: Sequence[ExtractedDocument]
    new: Sequence[Parsed]
    sentences: Mapping[str, Sequence[StoredSentence]]
    indexed: Mapping[str, Sequence[tuple[str, Entry]]]
    vectors: Matrix

    @classmethod
    def made(
        cls, documents: Sequence[ExtractedDocument], new: Sequence[Parsed], vectors: Vectors, database: Database
    ) -> Rows:
        """Make them, which takes the time; raises ModelError when the embedder fails."""
        sentences = with_vectors(_sentences(documents, new), vectors)
        edges = [(found.parsed.iri, one) for found in documents for one in edge_entries(found.parsed, found.edges)]
        held: list[tuple[str, Entry]] = []
        for parsed in new:
            title, named = parsed.reading.title, ((parsed.chunk_iri(chunk), chunk) for chunk in parsed.chunks)
            places = [chunk.start - parsed.offset for chunk in parsed.chunks]
            above = told_above(parsed.reading.text, places, title, once=True)
            held += [(parsed.iri, chunk_entry(iri, title, chunk.text, sentences[iri], headings))
                     for (iri, chunk), headings in zip(named, above, strict=True)]  # fmt: skip
        entities = entity_entries(edge for found in documents for edge in found.edges)
        there = stored_keys(database, "entity", [entry.key for entry in entities])
        # the vectors of entities belong to no document
        new_ones = [("", entry) for entry in entities if entry.key not in there]
        indexed = {"edge": edges, "chunk": held, "entity": new_ones}
        made = vectors.of_entries([entry for placed in indexed.values() for _, entry in placed])
        return cls(documents, new, sentences, indexed, made)

    def put(self, connection: Transaction) -> None:
        """Store them within the caller's transaction."""
        named = {parsed.chunk_iri(chunk): (parsed, chunk) for parsed in self.new for chunk in parsed.chunks}
        put_chunks(connection, [StoredChunk(iri, parsed.iri, chunk.text) for iri, (parsed, chunk) in named.items()])
        put_places(connection, {iri: chunk_place(chunk, parsed) for iri, (parsed, chunk) in named.items()})
        taken = [(found.parsed, extraction) for found in self.documents for extraction in found.extractions]
        put_spans(connection, {iri: span for one in taken for iri, span in spans_of(*one).items()})
        for parsed, extraction in taken:
            if (run := extraction.run) and run.keep:
                chunk = parsed.chunk_iri(run.chunk)
                put_contents(connection, call_contents(chunk, run, "prompt"))
                put_contents(connection, call_contents(chunk, run, "reply"))
        put_sentences(connection, self.sentences)
        titles = ((iri, parsed.reading.title) for iri, (parsed, _) in named.items())
        put_mentions(connection, {iri: names_in(title, self.sentences[iri]) for iri, title in titles})
        begin = 0
        for kind, placed in self.indexed.items():
            put_placed(connection, kind, placed, self.vectors[begin : begin + len(placed)])
            begin += len(placed)


def _sentences(documents: Iterable[ExtractedDocument], new: Iterable[Parsed]) -> dict[str, list[StoredSentence]]:
    """Return the sentences of new documents: only what the rules went through is read for names, which takes as long
    as all the rest of what has facts already.
    """
    ruled = {found.parsed.iri for found in documents if _by_rules(found)}
    read, left = dict[str, str](), dict[str, str]()
    for parsed in new:
        texts = read if parsed.iri in ruled else left
        texts |= {parsed.chunk_iri(chunk): chunk.text for chunk in parsed.chunks}
    return annotated(read) | annotated_by_capitals(left)


def _by_rules(found: ExtractedDocument) -> bool:
    return any(extraction.agent == RULES for extraction in found.extractions)
