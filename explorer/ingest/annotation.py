"""The sentences of chunks with the named entities in them, and the names that chunks mention: found when stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from explorer.language.named_entities import MEASURED, named_entities, names_by_capitals
from explorer.language.sentences import spans
from explorer.stores.sentences import StoredEntity, StoredSentence
from explorer.stores.vectors.codes import coded

if TYPE_CHECKING:
    from explorer.ingest.vectors import Vectors


def annotated(chunks: Mapping[str, str]) -> dict[str, list[StoredSentence]]:
    """Return the sentences of each chunk's text, by the chunk's IRI; raises ModelError without a model."""
    placed = [(iri, start, end, text[start:end]) for iri, text in chunks.items() for start, end in spans(text)]
    placed.sort(key=lambda one: (len(one[3]), one[3]))  # of like length they fill the model's batches best
    texts = list(dict.fromkeys(text for _, _, _, text in placed))
    known = dict(zip(texts, named_entities(texts), strict=True))
    found: dict[str, list[StoredSentence]] = {iri: [] for iri in chunks}
    for iri, start, end, text in placed:
        entities = tuple(StoredEntity(*entity) for entity in known[text])
        found[iri].append(StoredSentence(start, end, text, entities))
    return {iri: sorted(sentences, key=lambda one: one.start) for iri, sentences in found.items()}


def annotated_by_capitals(chunks: Mapping[str, str]) -> dict[str, list[StoredSentence]]:
    """Return the sentences of each chunk's text with names by their capitals: what else is in them is read when asked.

    It takes a tenth of the time.
    """

    def sentence(start: int, end: int, text: str) -> StoredSentence:
        return StoredSentence(
            start, end, text, tuple(StoredEntity(*name) for name in names_by_capitals(text)), is_read=False
        )

    return {iri: [sentence(start, end, text[start:end]) for start, end in spans(text)] for iri, text in chunks.items()}


def with_vectors(chunks: Mapping[str, Sequence[StoredSentence]], vectors: Vectors) -> dict[str, list[StoredSentence]]:
    """Return the sentences of chunks with their vectors; raises ModelError when the embedder fails."""
    codes = iter(coded(vectors.of([one.text for sentences in chunks.values() for one in sentences])))
    return {iri: [replace(one, code=next(codes)) for one in sentences] for iri, sentences in chunks.items()}


def names_in(title: str, sentences: Iterable[StoredSentence]) -> list[str]:
    """Return the names that a chunk mentions, its document's title first."""
    found = (entity.text for sentence in sentences for entity in sentence.entities if entity.kind not in MEASURED)
    return list(dict.fromkeys((title, *found)))
