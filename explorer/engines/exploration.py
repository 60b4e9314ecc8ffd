"""Which facts to look at: those near the question, those of its names, and those a walk from there comes to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from pyoxigraph import Triple

from explorer.engines.limits import Limits
from explorer.engines.passage_search import PassageSearch
from explorer.engines.walk import Walk, walk
from explorer.reasoning.embedding import Embedder
from explorer.reasoning.words import clauses, is_telling, share, spans, stems, tokens, weighted
from explorer.stores.collection import Collection
from explorer.stores.web import Web, facts_of
from explorer.vocab import FACTS, entity_iri

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_HITS = 50  # facts, and passages, that each search gives
_NEAR = 30  # facts nearest to a part of the question, looked at whatever the walk finds
_LINKED = 5  # the nearest of them, where the walk restarts
_BY_WORDS = 0.5  # shared words against similarity
_BY_NAME, _BY_MEANING, _BY_PASSAGE = 0.5, 0.05, 0.05  # restarts there, against those at the nearest facts
_ALIKE = 2  # entities near to a concept in meaning
_BY_REACH = 0.7  # how near the walk came, against words and meaning
_AGAIN = 0.7  # each further fact of a passage counts so much less than the one before


@dataclass(frozen=True, slots=True)
class Explored:
    """What was looked at.

    `seeds`: the IRIs of the entities the search started from. `edges`: the facts looked at. `nearest`: those worth
    scoring, each with its reach: how near the walk came to its passage, or to its ends if it has none, as a share of
    the nearest (0 to 1).
    """

    seeds: tuple[str, ...] = ()
    edges: tuple[Triple, ...] = ()
    nearest: Mapping[Triple, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Exploration:
    """One search in the default graph, within limits."""

    stores: Collection
    embedder: Embedder
    limits: Limits

    def explore(self, question: str, concepts: Sequence[str]) -> Explored:
        """Collect at most `max_subgraph_size` facts, and of them at most `edge_score_limit` worth scoring."""
        web = self.stores.webs.web()
        parts = clauses(question)
        vectors = self.embedder.embed([*parts, *concepts])
        about, meant = vectors[: len(parts)], vectors[len(parts) :]
        linked = self._linked(parts, about)
        seeds = self._seeds(web, question, meant, linked)
        restarts = {**seeds, **self._passages(web, parts, about, max(seeds.values(), default=1.0))}
        walked = walk(web, restarts, self.limits.max_path_length, 2 * self.limits.triple_limit)
        return self._collected(web, walked, list(seeds), [*linked], parts, about)

    def _linked(self, parts: Sequence[str], vectors: NDArray[np.float32]) -> dict[int, float]:
        """Give the numbers of the facts nearest to each part of the question, with how near they are."""
        linked: dict[int, float] = {}
        for part, vector in zip(parts, vectors, strict=True):
            words = [word for word in tokens(part) if is_telling(word)]
            [near] = self.stores.vectors.search("edge", vector[None], _HITS)
            numbers = list(dict.fromkeys(hit.number for hit in [*near, *self.stores.vectors.keywords(words, _HITS)]))
            scores = self._nearness(numbers, [part], vector[None])[1]
            for i in sorted(range(len(numbers)), key=lambda i: -scores[i])[:_NEAR]:
                linked[numbers[i]] = max(scores[i], linked.get(numbers[i], 0.0))
        return linked

    def _nearness(
        self, numbers: Sequence[int], parts: Sequence[str], vectors: NDArray[np.float32]
    ) -> tuple[list[str], list[float]]:
        """Give the keys of facts, and how near each is to the part it fits best, by meaning and by words."""
        if not numbers:
            return [], []
        entries, rows = self.stores.vectors.edges(numbers)
        near = rows @ vectors.T
        weights = [weighted(part, self.stores.library.rarity) for part in parts]
        scores = [
            max(float(cosine) + _BY_WORDS * share(words, there) for cosine, words in zip(row, weights, strict=True))
            for there, row in zip((set(stems(entry.text)) for entry in entries), near, strict=True)
        ]
        return [entry.key for entry in entries], scores

    def _seeds(
        self, web: Web, question: str, meant: NDArray[np.float32], linked: Mapping[int, float]
    ) -> dict[int, float]:
        """Give the entities to start from with their weights: ends of the nearest facts, names, and what is alike.

        An entity that is mentioned in many passages says less about each of them.
        """
        top = max(linked.values(), default=1.0)
        found: dict[int, list[float]] = {}
        best = sorted(linked, key=lambda number: -linked[number])[:_LINKED]
        for row, score in zip(web.rows_of(best).tolist(), (linked[number] for number in best), strict=True):
            for node in {int(web.head[row]), int(web.tail[row])} - {-1}:
                found.setdefault(node, []).append(score)
        weights = {node: sum(scores) / len(scores) for node, scores in found.items()}
        named = self.stores.webs.entities(map(entity_iri, spans(question)))
        for node in named.values():
            weights[node] = weights.get(node, 0.0) + _BY_NAME * top
        alike = self.stores.vectors.search("entity", meant, self._alike(len(meant)))
        near = {hit.key: hit.score for hits in alike for hit in reversed(hits)}
        for iri, node in self.stores.webs.entities(near).items():
            weights[node] = weights.get(node, 0.0) + _BY_MEANING * top * max(0.0, near[iri])
        best = sorted(weights, key=lambda node: -weights[node])[: self.limits.entity_limit]
        return {node: weights[node] / web.mentions(node) for node in best}

    def _alike(self, concepts: int) -> int:
        return min(_ALIKE, max(1, self.limits.entity_limit // max(1, concepts)))

    def _passages(
        self, web: Web, parts: Sequence[str], vectors: NDArray[np.float32], top: float
    ) -> dict[int, float]:
        """Give the passages near the question, with the small weights at which the walk restarts there."""
        scores: dict[str, float] = {}
        for part, vector in zip(parts, vectors, strict=True):
            for iri, score in PassageSearch(self.stores, self.embedder).nearness(part, vector, _HITS).items():
                scores[iri] = max(score, scores.get(iri, 0.0))
        numbers = self.stores.library.chunk_numbers(scores)
        return {web.passages_from + numbers[iri]: _BY_PASSAGE * top * score
                for iri, score in scores.items() if score > 0 and web.passages_from + numbers[iri] < web.size}  # fmt: skip

    def _collected(
        self, web: Web, walked: Walk, seeds: Sequence[int], linked: Sequence[int], parts: Sequence[str],
        vectors: NDArray[np.float32],
    ) -> Explored:  # fmt: skip
        reach = _reach(web, walked)
        order = sorted(reach, key=lambda row: -reach[row])
        rows = list(dict.fromkeys([*web.rows_of(linked).tolist(), *order]))[: self.limits.max_subgraph_size]
        keys, near = self._nearness([int(web.fact[row]) for row in rows], parts, vectors)
        facts = self._recorded(keys)
        best = _in_turn(near, [reach.get(row, 0.0) for row in rows], web.passage[rows].tolist())
        nearest: dict[Triple, float] = {}
        for i in best:
            if (fact := facts.get(keys[i])) is not None and len(nearest) < self.limits.edge_score_limit:
                nearest.setdefault(fact, reach.get(rows[i], 0.0))
        named = self.stores.webs.iris(seeds)
        return Explored(tuple(sorted(named.values())), tuple(dict.fromkeys(facts.values())), nearest)

    def _recorded(self, keys: Sequence[str]) -> dict[str, Triple]:
        """Read facts from their keys, if the graph has them; an index may know one that was cut off before."""
        found = {}
        for key, fact in zip(keys, facts_of(keys), strict=True):
            known = self.stores.graph.match(fact.subject, fact.predicate, fact.object, FACTS)
            if next(iter(known), None) is not None:
                found[key] = fact
        return found


def _reach(web: Web, walked: Walk) -> dict[int, float]:
    """Give for the rows of facts that a walk came to how near it came, best 1."""
    import numpy as np

    rows = walked.rows[web.fact[walked.rows] > 0]
    if not len(rows):
        return {}
    places = walked.rank(web.passage[rows])
    ends = (walked.rank(web.head[rows]) + walked.rank(web.tail[rows])) / 2
    lone = web.passage[rows] < 0
    height = np.where(lone, ends.max(where=lone, initial=0.0), places.max())
    reach = np.where(lone, ends, places) / np.where(height > 0, height, 1.0)
    return dict(zip(rows.tolist(), np.sqrt(reach).tolist(), strict=True))


def _in_turn(near: Sequence[float], reach: Sequence[float], passages: Sequence[int]) -> list[int]:
    """Give the places of facts, best first; facts of one passage make way for those of others.

    A fact without a passage (−1) makes way for none.
    """
    top = max(near, default=0.0) or 1.0
    worth = [_BY_REACH * r + (1 - _BY_REACH) * n / top for r, n in zip(reach, near, strict=True)]
    turns: dict[int, int] = {}
    for i in sorted(range(len(worth)), key=lambda i: -worth[i]):
        worth[i] *= _AGAIN ** turns.setdefault(passages[i], 0)
        turns[passages[i]] += passages[i] >= 0
    return sorted(range(len(worth)), key=lambda i: -worth[i])
