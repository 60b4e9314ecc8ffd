"""The passages of a collection that fit some words best."""

from __future__ import annotations

from functools import cache

from explorer.dag.passage_names import named_from
from explorer.display import Table
from explorer.engines.chunks import Chunks
from explorer.engines.limits import PassageLimits
from explorer.engines.passages.search import PassageSearch
from explorer.events import Passage
from explorer.models.embedding import Embedder, Remembered
from explorer.stores.collection import Collection
from explorer.text import opening

_WORDS = 120  # letters of a passage in a table


def find_passages(stores: Collection, embedder: Embedder, text: str, limit: int = 10) -> Table[Passage]:
    """Return the passages that fit a text best, by meaning and by words, as document-rag finds them without a model."""
    from explorer.reasoning.extractive.reasoner import ExtractiveReasoner

    remembered, limits = Remembered(embedder), PassageLimits(doc_limit=limit)
    reasoner = ExtractiveReasoner(remembered, cache(stores.library.rarity), chunks=Chunks(stores, remembered))
    ranked = PassageSearch(stores, remembered).ranked(text, reasoner.concepts(text), limits.mode, limits.fetched)
    found = [passage for chunk in ranked for passage in stores.sources.chunk(chunk)]
    scored = reasoner.score_passages(text, found)[:limit]
    return Table((one.passage for one in scored), ("Source", "Where", "Words"), _cells, "Nothing is found.")


def _cells(one: Passage) -> tuple[str, ...]:
    return one.title, one.locator, opening(named_from(one), _WORDS)
