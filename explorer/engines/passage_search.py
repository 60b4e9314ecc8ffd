"""Which passages to read: those near the question, those that hold its words, or both lists fused."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from explorer.reasoning.embedding import Embedder
from explorer.reasoning.words import is_telling, tokens
from explorer.stores.collection import Collection

_FUSION = 60  # of reciprocal rank fusion: how little the first ranks count more than those after them


@dataclass(frozen=True, slots=True)
class PassageSearch:
    """Ranks the chunks of a collection."""

    stores: Collection
    embedder: Embedder

    def ranked(self, question: str, concepts: Sequence[str], mode: str, limit: int) -> list[str]:
        """Give the IRIs of at most `limit` chunks, best first; `mode` is "vector", "keyword" or "hybrid".

        Hybrid fuses both lists by reciprocal rank; when no word of the question is found, the other list stands alone.
        """
        lists = []
        if mode != "keyword":
            lists.append(self._near(question, concepts, limit))
        if mode != "vector":
            lists.append(self._worded(question, limit))
        return _fused(lists)[:limit]

    def _near(self, question: str, concepts: Sequence[str], limit: int) -> list[str]:
        """Give the chunks nearest to the question, or to one of its concepts if they are nearer to that."""
        best: dict[str, float] = {}
        for hits in self.stores.vectors.search("chunk", self.embedder.embed([question, *concepts]), limit):
            for hit in hits:
                best[hit.key] = max(hit.score, best.get(hit.key, hit.score))
        return sorted(best, key=lambda key: -best[key])

    def _worded(self, question: str, limit: int) -> list[str]:
        words = [word for word in tokens(question) if is_telling(word)]
        return [chunk for chunk, _ in self.stores.library.search(words, limit)]


def _fused(lists: Sequence[Sequence[str]]) -> list[str]:
    scores: dict[str, float] = defaultdict(float)
    for ranking in lists:
        for rank, key in enumerate(ranking, 1):
            scores[key] += 1 / (_FUSION + rank)
    return sorted(scores, key=lambda key: -scores[key])
