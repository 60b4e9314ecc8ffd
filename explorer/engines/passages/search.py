"""Search for passages: those near the question by vectors, those that hold its words, or both lists fused."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, chain
from typing import TYPE_CHECKING

from explorer.language.words import content_words, tokens
from explorer.models.embedding import Embedder, cosines
from explorer.reasoning.extractive.fit import COVERED, COVERED_BY_SENTENCE, SIMILAR
from explorer.reasoning.extractive.vocabulary import Coverage
from explorer.stores.collection import Collection

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
        lists: list[Callable[[], list[str]]] = []
        if near is not None:
            lists.append(partial(self._near, near, limit))
        if mode != "vector":
            lists.append(partial(self._worded, words, limit))
        self.stores.database.read_ahead([partial(self.stores.library.look, tokens(question)), *lists])
        scores: dict[str, float] = defaultdict(float)
        for ranking in lists:
            for rank, key in enumerate(ranking(), 1):
                scores[key] += 1 / (_FUSION + rank)
        return sorted(scores, key=lambda key: -scores[key])[:limit]

    def nearness(self, part: str, vector: NDArray[np.float32], limit: int) -> dict[str, float]:
        """Return at most 2 × `limit` chunks with their nearness to a part of a question, from 0 to 1, the best.

        Those that a search by meaning and one by words find are compared as passages are scored: by how well they and
        their best sentences cover the words of the part, and by their meaning.
        """
        import numpy as np

        texts, vectors, lines = self.read(part, vector, limit)
        if not texts:
            return {}
        first = [0, *accumulate(map(len, lines))][:-1]
        coverage = Coverage([part], self.rarity or self.stores.library.rarity, self.embedder)
        fits = (
            COVERED * coverage.shares(list(texts.values()))[:, 0]
            + COVERED_BY_SENTENCE * np.maximum.reduceat(coverage.shares(list(chain.from_iterable(lines)))[:, 0], first)
            + SIMILAR * cosines(vectors, vector[None])[:, 0]
        )
        low, high = fits.min(), fits.max()
        stretched = (fits - low) / (high - low) if high > low else np.ones_like(fits)
        return dict(zip(texts, stretched.tolist(), strict=True))

    def read(
        self, part: str, vector: NDArray[np.float32], limit: int
    ) -> tuple[dict[str, str], NDArray[np.float32], list[list[str]]]:
        """Return the texts of the chunks that are found, by their IRIs, their vectors, and the sentences of each.

        One without sentences, as in collections of earlier versions, is one by itself.
        """
        found, stores = self.found(part, vector, limit), self.stores
        stores.database.read_ahead((partial(stores.vectors.chunks, found), partial(stores.sentences.lines, found)))
        texts, vectors = stores.vectors.chunks(found)
        known = stores.sentences.lines(texts)
        lines = [[line for _, line in known.get(chunk, ((0, text),))] for chunk, text in texts.items()]
        return texts, vectors, lines

    def found(self, part: str, vector: NDArray[np.float32], limit: int) -> list[str]:
        """Return the chunks that a search by meaning and one by words find."""
        searches = partial(self._near, vector[None], limit), partial(self._worded, content_words(part), limit)
        self.stores.database.read_ahead(searches)
        return list(dict.fromkeys(chunk for search in searches for chunk in search()))

    def _worded(self, words: Sequence[str], limit: int) -> list[str]:
        return [chunk for chunk, _ in self.stores.library.search(words, limit)]

    def _near(self, vectors: NDArray[np.float32], limit: int) -> list[str]:
        """Return the chunks nearest to the question, or to one of its concepts if they are nearer to that."""
        best: dict[str, float] = {}
        for hits in self.stores.vectors.search("chunk", vectors, limit):
            for hit in hits:
                best[hit.key] = max(hit.score, best.get(hit.key, hit.score))
        return sorted(best, key=lambda key: -best[key])
