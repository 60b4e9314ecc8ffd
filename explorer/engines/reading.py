"""Whole chunks with their sentences, as a reasoner reads them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from explorer.language.named_entities import named_entities
from explorer.language.sentences import spans
from explorer.reasoning.protocol import ReadPassage
from explorer.stores.collection import Collection
from explorer.stores.sentences import StoredEntity, StoredSentence


def read_chunks(stores: Collection, chunks: Iterable[str]) -> dict[str, ReadPassage]:
    """Return chunks with their sentences, in the order given; one whose origin is not on record is left out.

    Where an earlier version stored no sentences they are found now, which takes longer.
    """
    wanted = list(dict.fromkeys(chunks))
    known = stores.sentences.of(wanted)
    wholes = {chunk: passage for chunk in wanted for passage in stores.sources.chunk(chunk)}
    return {
        chunk: ReadPassage(chunk, whole.title, whole.text, known.get(chunk) or sentences_of(whole.text))
        for chunk, whole in wholes.items()
    }


def sentences_of(text: str) -> Sequence[StoredSentence]:
    """Return the sentences of a text with the named entities in them."""
    placed = list(spans(text))
    found = named_entities([text[start:end] for start, end in placed])
    return [StoredSentence(start, end, text[start:end], tuple(StoredEntity(*one) for one in entities))
            for (start, end), entities in zip(placed, found, strict=True)]  # fmt: skip
