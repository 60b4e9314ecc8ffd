"""Search for passages: those near the question by vectors, those that hold its words, or both lists fused."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.language.words import content_words
from explorer.models.embedding import Embedder
from explorer.stores.collection import Collection

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FUSION = 60  # of reciprocal rank fusion: how little the first ranks count more than those after them


@dataclass(frozen=True, slots=True)
class PassageSearch:
    """Ranks the chunks of a collection."""

    stores: Collection
    embedder: Embedder

    def ranked(self, question: str, concepts: Sequence[str], mode: str, limit: int) -> list[str]:
        """Return the IRIs of at most `limit` chunks, best first; `mode` is "vector", "keyword" or "hybrid".

        Hybrid fuses both lists by reciprocal rank; when no word of the question is found, the other list stands alone.
        """
        lists = []
        if mode != "keyword":
            lists.append(self._near(question, concepts, limit))
        if mode != "vector":
            lists.append([chunk for chunk, _ in self.stores.library.search(content_words(question), limit)])
        scores: dict[str, float] = defaultdict(float)
        for ranking in lists:
            for rank, key in enumerate(ranking, 1):
                scores[key] += 1 / (_FUSION + rank)
        return sorted(scores, key=lambda key: -scores[key])[:limit]

    def nearness(self, part: str, vector: NDArray[np.float32], limit: int) -> dict[str, float]:
        """Return at most 2 × `limit` chunks with their nearness to a part of a question, by meaning and by words.

        Both are stretched to 0…1 over what was found, then added; the best is 1.
        """
        [near] = self.stores.vectors.search("chunk", vector[None], limit)
        worded = self.stores.library.search(content_words(part), limit)
        meant = _stretched({hit.key: hit.score for hit in near})
        said = _stretched({"": 0.0, **dict(worded)})
        both = {key: meant.get(key, 0.0) + said.get(key, 0.0) for key in {**meant, **dict(worded)}}
        top = max(both.values(), default=0.0) or 1.0
        return {key: score / top for key, score in both.items()}

    def _near(self, question: str, concepts: Sequence[str], limit: int) -> list[str]:
        """Return the chunks nearest to the question, or to one of its concepts if they are nearer to that."""
        best: dict[str, float] = {}
        for hits in self.stores.vectors.search("chunk", self.embedder.embed([question, *concepts]), limit):
            for hit in hits:
                best[hit.key] = max(hit.score, best.get(hit.key, hit.score))
        return sorted(best, key=lambda key: -best[key])


def _stretched(scores: Mapping[str, float]) -> dict[str, float]:
    low, high = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    return {key: (score - low) / (high - low) if high > low else 1.0 for key, score in scores.items()}
