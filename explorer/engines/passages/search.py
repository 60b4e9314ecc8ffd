"""Search for passages: those near the question by vectors, those that hold its words, or both lists fused."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import TYPE_CHECKING

from explorer.language.words import content_words, tokens
from explorer.models.embedding import Embedder, cosines
from explorer.reasoning.extractive.coverage import Coverage
from explorer.reasoning.extractive.scoring import COVERED, COVERED_BY_SENTENCE, SIMILAR
from explorer.stores.collection import Collection
from explorer.stores.database import Asked

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FUSION = 60  # of reciprocal rank fusion: how little the first ranks count more than those after them


@dataclass(frozen=True, slots=True)
class PassageSearch:
    """Ranks the chunks of a collection; `rarity` where that of its words is remembered."""

    stores: Collection
    embedder: Embedder
    rarity: Callable[[str], float] | None = None

    def ranked(self, question: str, concepts: Sequence[str], mode: str, limit: int) -> list[str]:
        """Return the IRIs of at most `limit` chunks, best first; `mode` is "vector", "keyword" or "hybrid".

        Hybrid fuses both lists by reciprocal rank; when no word of the question is found, the other list stands alone.
        """
        words = content_words(question)
        near = self.embedder.embed([question, *concepts]) if mode != "keyword" else None
        self.stores.database.ahead(self._words(question))
        self.stores.database.ahead(self._ranking(words if mode != "vector" else [], near, limit))
        self.stores.database.ahead(self._ranked(words if mode != "vector" else [], near, limit))
        lists = []
        if near is not None:
            lists.append(self._near(near, limit))
        if mode != "vector":
            lists.append([chunk for chunk, _ in self.stores.library.search(words, limit)])
        scores: dict[str, float] = defaultdict(float)
        for ranking in lists:
            for rank, key in enumerate(ranking, 1):
                scores[key] += 1 / (_FUSION + rank)
        return sorted(scores, key=lambda key: -scores[key])[:limit]

    def nearness(self, part: str, vector: NDArray[np.float32], limit: int) -> dict[str, float]:
        """Return at most 2 × `limit` chunks with their nearness to a part of a question, from 0 to 1, the best.

        Those that a search by meaning and one by words find are compared as passages are scored: by how well they and
        their best sentences cover the words of the part, and by their meaning.
        """
        import numpy as np

        texts, vectors = self.stores.vectors.chunks(self.found(part, vector, limit))
        if not texts:
            return {}
        lines = self._sentences(texts)
        first = [0, *accumulate(map(len, lines))][:-1]
        coverage = Coverage([part], self.rarity or self.stores.library.rarity)
        fits = (
            COVERED * coverage.shares(list(texts.values()))[:, 0]
            + COVERED_BY_SENTENCE * np.maximum.reduceat(coverage.shares(list(chain.from_iterable(lines)))[:, 0], first)
            + SIMILAR * cosines(vectors, vector[None])[:, 0]
        )
        return dict(zip(texts, _stretched(fits).tolist(), strict=True))

    def found(self, part: str, vector: NDArray[np.float32], limit: int) -> list[str]:
        """Return the chunks that a search by meaning and one by words find."""
        [near] = self.stores.vectors.search("chunk", vector[None], limit)
        worded = self.stores.library.search(content_words(part), limit)
        return list(dict.fromkeys([*(hit.key for hit in near), *dict(worded)]))

    def searches(self, part: str, vector: NDArray[np.float32], limit: int) -> Iterator[Asked]:
        """Yield what `found` asks a database first."""
        yield from self.stores.vectors.search_ahead("chunk", vector[None], limit)
        yield from self.stores.library.search_ahead(content_words(part), limit)

    def hits(self, part: str, vector: NDArray[np.float32], limit: int) -> Iterator[Asked]:
        """Yield what `found` asks then."""
        yield from self.stores.vectors.hits_ahead("chunk", vector[None], limit)
        yield from self.stores.library.found_ahead(content_words(part), limit)

    def texts(self, chunks: Sequence[str]) -> Iterator[Asked]:
        """Yield what is asked to compare chunks."""
        yield from self.stores.vectors.chunks_ahead(chunks)
        yield from self.stores.sentences.lines_ahead(chunks)

    def _words(self, question: str) -> Iterator[Asked]:
        yield from self.stores.library.rarities_ahead(tokens(question))

    def _ranking(self, words: Sequence[str], near: NDArray[np.float32] | None, limit: int) -> Iterator[Asked]:
        yield from self.stores.library.search_ahead(words, limit)
        if near is not None:
            yield from self.stores.vectors.search_ahead("chunk", near, limit)

    def _ranked(self, words: Sequence[str], near: NDArray[np.float32] | None, limit: int) -> Iterator[Asked]:
        yield from self.stores.library.found_ahead(words, limit)
        if near is not None:
            yield from self.stores.vectors.hits_ahead("chunk", near, limit)

    def _sentences(self, texts: Mapping[str, str]) -> list[list[str]]:
        """Return the sentences of chunks, or each as one where it has none."""
        known = self.stores.sentences.lines(texts)
        return [[line for _, line in known.get(chunk, ((0, text),))] for chunk, text in texts.items()]

    def _near(self, vectors: NDArray[np.float32], limit: int) -> list[str]:
        """Return the chunks nearest to the question, or to one of its concepts if they are nearer to that."""
        best: dict[str, float] = {}
        for hits in self.stores.vectors.search("chunk", vectors, limit):
            for hit in hits:
                best[hit.key] = max(hit.score, best.get(hit.key, hit.score))
        return sorted(best, key=lambda key: -best[key])


def _stretched(values: NDArray[np.float32]) -> NDArray[np.float32]:
    low, high = values.min(), values.max()
    return (values - low) / (high - low) if high > low else values * 0 + 1
