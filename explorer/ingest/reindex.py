"""All vectors of a collection rebuilt from its graph and library: for another embedder, or for imported facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from pyoxigraph import NamedNode, Triple

from explorer.errors import WorkspaceError
from explorer.events import Passage
from explorer.ingest.given.triples import sentence_of
from explorer.ingest.indexed_rows import (
    annotated,
    annotated_by_capitals,
    chunk_entry,
    entity_entry,
    fact_entry,
    names_in,
    with_vectors,
)
from explorer.ingest.progress import shown
from explorer.ingest.vectors import Vectors
from explorer.language.tables import told_above
from explorer.models.embedding import Embedder
from explorer.rdf.labels import edge_labels
from explorer.stores.chunks import Place, Span, put_places, put_spans
from explorer.stores.database import Database, Transaction
from explorer.stores.default_graph import facts
from explorer.stores.library import Stretch
from explorer.stores.link_graph import put_mentions
from explorer.stores.sentences import put_sentences
from explorer.stores.vectors.codes import decoded
from explorer.stores.vectors.search import Entry, claim_embedder, drop_vectors, put_vectors, stored_keys
from explorer.text import count
from explorer.vocab import FACTS, RDF, SOURCE, TG, local_name

if TYPE_CHECKING:
    from explorer.ingest.attaching import Attached
    from explorer.stores.collection import Collection
    from explorer.stores.fact_sources import Sources

_BATCH = 1_000
_SMALL_BATCH = 200  # for an embedder that takes long, so that progress is seen

Item = TypeVar("Item")
Placed = tuple[str, Entry]
"""The document that an entry belongs to, empty when there is none, and the entry."""


@dataclass(frozen=True, slots=True)
class Reindexed:
    """How much has vectors now; a fact counts once however many sources it has."""

    facts: int
    entities: int
    chunks: int
    attached: tuple[Attached, ...] = ()
    """The attached stores, as they were read again."""

    def __repr__(self) -> str:
        return f"<Reindexed {self.text}>"

    @property
    def text(self) -> str:
        """The counts in words."""
        counts = (self.facts, "fact"), (self.entities, "thing"), (self.chunks, "passage")
        return ", ".join(count(number, noun) for number, noun in counts)


def reindex(stores: Collection, embedder: Embedder, *, progress: bool) -> Reindexed:
    """Replace all vectors of a collection by those of `embedder`: of each fact with each of its sentences, each entity
    by its label, each chunk below its title and each of its sentences, which are found anew with the names in them
    (those that no rules went through and no question has read by their capitals, as before).

    All of it is one transaction of the library, so what cuts it off leaves the old vectors as they were. Raises
    ModelError when the embedder fails.
    """
    with shown("Embedding", 1, progress=progress) as tell, stores.database.writing() as connection:
        drop_vectors(connection)
        claim_embedder(connection, embedder.name)
        index = _Index(stores, Vectors(embedder), connection)
        size = _SMALL_BATCH if index.vectors.joins else _BATCH
        done = 0
        for stored in _batches(stores.library.chunks(), size):
            index.add_chunks(stored)
            done += len(stored)
            tell(0, f"{done:,} passages")
        for chunks in _batches(_other_chunks(stores), size):
            index.add("chunk", chunks)
        done = 0
        for batch in _batches(facts(stores.graph.match(graph=FACTS)), size):
            index.add_facts(batch)
            done += len(batch)
            tell(0, f"{done:,} facts")
        merged = stores.sources.merged
        kept = set(merged.keepers) - stored_keys(stores.database, "entity", list(merged.keepers))
        named = sorted((iri, merged.names.get(iri) or local_name(iri)) for iri in kept)
        index.add("entity", [("", entity_entry(iri, name)) for iri, name in named])
        tell(1, "")
        return reindexed(stores)


def reindexed(stores: Collection, attached: Iterable[Attached] = ()) -> Reindexed:
    """Return how much has vectors."""
    edges, entities, chunks = (stores.vectors.distinct(kind) for kind in ("edge", "entity", "chunk"))
    return Reindexed(edges, entities, chunks, tuple(attached))


def is_indexed(stores: Collection, embedder: Embedder) -> bool:
    """Return whether all facts have vectors of an embedder."""
    try:
        stores.vectors.check_embedder(embedder.name)
    except WorkspaceError:
        return False
    return next(unindexed(stores.database, facts(stores.graph.match(graph=FACTS))), None) is None


def unindexed(database: Database, given: Iterable[Triple]) -> Iterator[Triple]:
    """Yield the facts among some that have no vector, and so are not found by questions."""
    for batch in _batches(given):
        known = stored_keys(database, "edge", [*map(str, batch)])
        yield from (fact for fact in batch if str(fact) not in known)


@dataclass(frozen=True, slots=True)
class _Index:
    """The vectors of one reindexing, as they are made."""

    stores: Collection
    vectors: Vectors
    connection: Transaction

    def add_chunks(self, batch: Sequence[tuple[str, str, str, str]]) -> None:
        """Add chunks of the library with their sentences, and the names that they mention."""
        stored = self.stores.sentences.of(iri for iri, *_ in batch)
        left = {iri for iri, found in stored.items() if not all(one.is_read for one in found)}
        made = annotated({iri: text for iri, _, _, text in batch if iri not in left})
        made |= annotated_by_capitals({iri: text for iri, _, _, text in batch if iri in left})
        sentences = with_vectors({iri: made[iri] for iri, *_ in batch}, self.vectors)
        put_sentences(self.connection, sentences)
        put_mentions(self.connection, {iri: names_in(title, sentences[iri]) for iri, _, title, _ in batch})
        recorded = (self.stores.sources.recorded(iri) for iri, *_ in batch)
        places = {chunk.iri: chunk.place for chunk in recorded if chunk}
        put_places(self.connection, places)
        above = self._headings(batch, places)
        self.add(
            "chunk",
            [
                (document, chunk_entry(iri, title, text, sentences[iri], above.get(iri, ())))
                for iri, document, title, text in batch
            ],
        )

    def _headings(
        self, batch: Sequence[tuple[str, str, str, str]], places: Mapping[str, Place]
    ) -> dict[str, tuple[str, ...]]:
        """Return the headings above each chunk that stands in its document's text."""
        of: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
        for iri, document, title, text in batch:
            if iri in places:
                of[document].append((iri, title, text))
        found: dict[str, tuple[str, ...]] = {}
        for document, chunks in of.items():
            held = Stretch(0, "")
            for iri, title, text in chunks:
                start = places[iri].start
                if not held.text or not held.is_whole:
                    held = self.stores.library.around([(document, start)]).get((document, start), held)
                if held.text.startswith(text, start - held.start):
                    [found[iri]] = told_above(held.text, [start - held.start], title)
        return found

    def add_facts(self, batch: Sequence[Triple]) -> None:
        """Add facts with their sentences, and the entities at their ends that are not there yet."""
        labels = self.stores.sources.own_labels(batch)
        passages = {fact: self.stores.sources.passages(fact) for fact in batch}
        spans = (span for found in passages.values() for passage in found if (span := self._span(passage)))
        put_spans(self.connection, dict(spans))
        placed = [
            one for fact, found in passages.items()
            for one in sentence_entries(self.stores.sources, fact, found, edge_labels(fact, labels))
        ]  # fmt: skip
        if self.vectors.joins:
            of_chunks = self.stores.sentences.of(entry.chunk for _, entry in placed).values()
            told = [one for sentences in of_chunks for one in sentences]
            self.vectors.know([one.text for one in told], decoded([one.code for one in told]))
        self.add("edge", placed)
        ends = (end for fact in batch for end in (fact.subject, fact.object))
        named = dict.fromkeys(end.value for end in ends if isinstance(end, NamedNode))
        there = stored_keys(self.stores.database, "entity", list(named))
        new = (iri for iri in named if iri not in there)
        self.add("entity", [("", entity_entry(iri, labels.get(iri) or local_name(iri))) for iri in new])

    def add(self, kind: str, placed: Sequence[Placed]) -> None:
        """Embed entries and store them, each with its document."""
        if not placed:
            return
        vectors = self.vectors.of_entries([entry for _, entry in placed])
        rows: dict[str, list[int]] = defaultdict(list)
        for row, (document, _) in enumerate(placed):
            rows[document].append(row)
        for document, numbers in rows.items():
            put_vectors(self.connection, kind, document, [placed[n][1] for n in numbers], vectors[numbers])

    def _span(self, passage: Passage) -> tuple[str, Span] | None:
        """Return what a passage is of its chunk, if its words stand there."""
        chunk = self.stores.sources.recorded(passage.chunk)
        start = passage.start - chunk.place.start if chunk else 0
        if chunk is None or start < 0 or chunk.text[start : start + len(passage.text)] != passage.text:
            return None
        return passage.subgraph, Span(passage.chunk, start, start + len(passage.text), passage.extracted_by)


def sentence_entries(
    sources: Sources, fact: Triple, passages: Sequence[Passage], words: tuple[str, str, str]
) -> Iterator[Placed]:
    """Yield an entry for each sentence that a fact was taken from; one for the fact alone where none is recorded.

    Of a source that names no more than a chunk, the sentence is looked up.
    """
    for passage in passages:
        is_whole = passage.text == sources.chunk_text(passage.chunk)
        text = sentence_of(words, passage.text) if is_whole else passage.text
        yield passage.document, fact_entry(str(fact), passage.chunk, words, text)
    if not passages:
        yield "", fact_entry(str(fact), "", words, "")


def _other_chunks(stores: Collection) -> Iterator[Placed]:
    """Yield the chunks that only the graph knows and whose text is there."""
    for quad in stores.graph.match(None, RDF.type, TG.Chunk, SOURCE):
        iri = quad.subject.value if isinstance(quad.subject, NamedNode) else ""
        if iri and not stores.library.chunk_numbers([iri]):
            for passage in stores.sources.chunk(iri):
                if passage.text and passage.until is None:
                    yield passage.document, chunk_entry(iri, passage.title, passage.text)


def _batches(items: Iterable[Item], size: int = _BATCH) -> Iterator[list[Item]]:
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch
