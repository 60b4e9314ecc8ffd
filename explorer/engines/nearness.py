"""How near each fact is to each part of a question: by meaning and by words, of its sentence and of the text around."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from explorer.reasoning.words import is_telling, tokens
from explorer.stores.collection import Collection
from explorer.stores.vectors import Entry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_HERE, _AROUND = 0.3, 0.2
_BM25_HALF = 4.0
_HITS = 200


class Nearness:
    """Scores of all facts for the parts of one question; a fact with several sources counts by its nearest one."""

    def __init__(self, stores: Collection, parts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Score; `vectors` holds one row for each part."""
        self.keys, columns = _columns(stores, parts, vectors)
        heights = [max(column.values(), default=0.0) for column in columns]
        top = max(heights, default=0.0)
        self._columns = columns
        self._scale = [top / height if height else 0.0 for height in heights]

    def of(self, key: str) -> float:
        """Give how near a fact is to the part it fits best; the best fact of each part stands equally high."""
        scores = (column.get(key, 0.0) * scale for column, scale in zip(self._columns, self._scale, strict=True))
        return max(scores, default=0.0)

    def nearest(self, limit: int) -> list[str]:
        """Give the keys of the nearest facts, best first."""
        return sorted(self.keys, key=lambda key: -self.of(key))[:limit]


def _columns(
    stores: Collection, parts: Sequence[str], vectors: NDArray[np.float32]
) -> tuple[list[str], list[dict[str, float]]]:
    entries, here = stores.vectors.scores("edge", vectors)
    chunks, around = stores.vectors.scores("chunk", vectors)
    row_of = {chunk.key: row for row, chunk in enumerate(chunks)}
    columns = []
    for number, part in enumerate(parts):
        words = [word for word in tokens(part) if is_telling(word)]
        edge_words = {hit.key: hit.score for hit in reversed(stores.vectors.keywords(words, _HITS))}
        chunk_words = dict(stores.library.search(words, _HITS))
        wide = {
            key: _AROUND * max(0.0, float(around[row, number])) + _AROUND * _damped(chunk_words.get(key, 0.0))
            for key, row in row_of.items()
        }
        columns.append(_column(entries, here[:, number], edge_words, wide))
    return list(dict.fromkeys(entry.key for entry in entries)), columns


def _column(
    entries: Sequence[Entry], near: NDArray[np.float32], words: dict[str, float], wide: dict[str, float]
) -> dict[str, float]:
    best: dict[str, float] = {}
    for entry, similarity in zip(entries, near.tolist(), strict=True):
        score = _HERE * (max(0.0, similarity) + _damped(words.get(entry.key, 0.0))) + wide.get(entry.chunk, 0.0)
        if score > best.get(entry.key, 0.0):
            best[entry.key] = score
    return best


def _damped(bm25: float) -> float:
    """Bring a BM25 score to 0…1."""
    return bm25 / (bm25 + _BM25_HALF) if bm25 > 0 else 0.0
