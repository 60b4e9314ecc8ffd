"""Linking a question to the graph: the facts near it, the entities it names, and the passages that fit it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice

from explorer.engines.limits import Limits
from explorer.engines.passages.search import PassageSearch
from explorer.language.questions import read
from explorer.language.words import clauses, content_words, is_name, spans, stem, tokens, weighted
from explorer.models.embedding import Embedder, Remembered, cosines
from explorer.reasoning.extractive.vocabulary import vocabulary
from explorer.stores.collection import Collection
from explorer.stores.database import LinkGraph, Read
from explorer.vocab import entity_iri

# chosen together on the shared halves, R@5 in the order kept, before these and with them: 2Wiki-800 63 and 85,
# HotpotQA 74 and 89, MuSiQue with given triples 66 and 68; on SQuAD 89 and 92
_HITS = 50  # facts, and passages, that each search gives
_NEAR = 30  # of the facts found, those nearest to a part of the question are looked at, whatever the walk finds
_NEAREST = 5  # at the ends of these the walk restarts
_BY_WORDS = 0.5  # shared words against similarity
_BY_NAME, _BY_WORD = 3.0, 0.3  # the weight of restarts at what the question names, with a capital and without,
_BY_FACT, _BY_MEANING, _BY_PASSAGE = 0.3, 0.05, 0.05  # and of the others: at facts, near concepts, in near passages
_SHARP = 3  # a passage half as near as the nearest is an eighth as good a start
_ALIKE = 2  # entities near to a concept in meaning


@dataclass(frozen=True, slots=True)
class Near:
    """A stored fact by its key, and how near it is to a question: similarity (−1 to 1) and half the words shared."""

    key: str
    score: float


def _of_things(parts: Sequence[str], concepts: Sequence[str]) -> list[str]:
    """Return the concepts near which entities are looked for: all but the verbs of the question, which name none."""
    verbs = {key for part in parts for key, name in read(part).classes if name == "verb"}
    found = [concept for concept in concepts if " " in concept or stem(concept) not in verbs]
    return found or [*concepts]


class Linking:
    """Links one question, of which the parts are looked up one by one and the best one counts."""

    def __init__(self, stores: Collection, embedder: Embedder, question: str, concepts: Sequence[str]) -> None:
        self.stores = stores
        self.question = question
        self.parts = clauses(question)
        self._embedder = Remembered.of(embedder)
        vectors = self._embedder.embed([*self.parts, *_of_things(self.parts, concepts)])
        self._about, self._meant = vectors[: len(self.parts)], vectors[len(self.parts) :]
        words = [word for part in self.parts for word in tokens(part)]
        stores.database.read_ahead(partial(one.look, words) for one in (stores.library, stores.vectors))
        rarity = cache(stores.library.rarity)
        self._weights = [weighted(part, rarity) for part in self.parts]
        self._search = PassageSearch(stores, embedder, rarity)
        self._near: dict[int, Near] = {}

    def linked(
        self, graph: LinkGraph, limits: Limits
    ) -> tuple[Mapping[int, float], Mapping[int, float], Mapping[int, float]]:
        """Return where to start from: facts by number, and with their weights the nodes of at most `entity_limit`
        entities, and those of passages.
        """
        alike = max(1, min(_ALIKE, limits.entity_limit // max(1, len(self._meant))))
        self.stores.database.read_ahead(self._reads(graph, alike))
        facts = self._facts()
        top = max([0.0, *facts.values()]) or 1.0
        nearest, near = _nearest(facts), self._alike(alike)
        entities = self._entities(graph, nearest, near, top, limits.entity_limit)
        near_passages = self._passages(graph)
        return facts, entities, {node: _BY_PASSAGE * top * score**_SHARP for node, score in near_passages}

    def nearness(self, numbers: Sequence[int]) -> dict[int, Near]:
        """Return how near stored facts are to the part of the question that each fits best, by meaning and by words."""
        if unknown := [number for number in numbers if number not in self._near]:
            self._compare(unknown)
        return {number: self._near[number] for number in numbers if number in self._near}

    def _reads(self, graph: LinkGraph, alike: int) -> Iterator[Read]:
        """Yield what `linked` reads: what searches find, and where that is in the graph."""
        links, library, parts = self.stores.links, self.stores.library, [*zip(self.parts, self._about, strict=True)]
        yield lambda: graph.rows_of([*_nearest(self._facts())])
        yield lambda: links.entities(self._alike(alike))
        yield lambda: links.entities(self._names().values())
        yield from (partial(self._search.read, part, vector, _HITS) for part, vector in parts)
        yield lambda: library.chunk_numbers({chunk for one in parts for chunk in self._search.found(*one, _HITS)})

    def _alike(self, limit: int) -> dict[str, float]:
        """Return the entities nearest to each concept in meaning, so many at most, with how near they are."""
        found = self.stores.vectors.search("entity", self._meant, limit)
        return {hit.key: max(0.0, hit.score) for hits in found for hit in hits}

    def _compare(self, numbers: Sequence[int]) -> None:
        import numpy as np

        entries, vectors = self.stores.vectors.edges(numbers)
        if not entries:
            return
        self._embedder.know([entry.text for entry in entries.values()], vectors)
        texts = [entry.text for entry in entries.values()]
        known = vocabulary(self._embedder)
        shares = np.stack([known.shares(texts, words) for words in self._weights], axis=1)
        scores = (cosines(vectors, self._about) + _BY_WORDS * shares).max(axis=1).tolist()
        for (number, entry), score in zip(entries.items(), scores, strict=True):
            self._near[number] = Near(entry.key, score)

    def _facts(self) -> dict[int, float]:
        numbers = self.stores.vectors.edges_near(self._about, map(content_words, self.parts), _HITS)
        scores = {number: found.score for number, found in self.nearness(numbers).items()}
        nearest = sorted(scores, key=lambda number: (-scores[number], number))
        return {number: scores[number] for number in nearest[: _NEAR * len(self.parts)]}

    def _entities(
        self, graph: LinkGraph, nearest: Mapping[int, float], near: Mapping[str, float], top: float, limit: int
    ) -> dict[int, float]:
        """Return the entities that the question names, those at the ends of the nearest facts, and those `near` to a
        concept in meaning; `top` is the score of the nearest fact.

        One that is mentioned in many passages says less about each of them.
        """
        weights = _ends(graph, nearest)
        named, alike = self.stores.links.entities(self._names().values()), self.stores.links.entities(near)
        graph.look([*weights, *named.values(), *alike.values()])
        for node, weight in self._named(graph, named).items():
            weights[node] = weights.get(node, 0.0) + weight * top
        for iri, node in alike.items():
            weights[node] = weights.get(node, 0.0) + _BY_MEANING * top * near[iri]
        known = (node for node, weight in weights.items() if weight > 0 and graph.knows(node))
        best = sorted(known, key=lambda node: (-weights[node], node))[:limit]
        return {node: weights[node] / graph.mentions(node) for node in best}

    def _names(self) -> dict[str, str]:
        """Return the words of the question that may be names, with the entities that would have them."""
        return {name: entity_iri(name) for name in spans(self.question)}

    def _named(self, graph: LinkGraph, nodes: Mapping[str, int]) -> dict[int, float]:
        """Return the entities and names that the question holds, but none within a longer one; with their weights."""
        found = self._names()
        weights: dict[int, float] = {}
        longer: list[str] = []
        for name in sorted(found, key=len, reverse=True):
            node, padded = nodes.get(found[name]), f" {name.lower()} "
            if node is None or not graph.knows(node) or any(padded in other for other in longer):
                continue
            longer.append(padded)
            weight = _BY_NAME if any(map(is_name, content_words(name))) else _BY_WORD
            weights[node] = max(weight, weights.get(node, 0.0))
        return weights

    def _passages(self, graph: LinkGraph) -> Iterator[tuple[int, float]]:
        """Return the passages near the question with how near they are, best 1."""
        scores: dict[str, float] = {}
        for part, vector in zip(self.parts, self._about, strict=True):
            for chunk, score in self._search.nearness(part, vector, _HITS).items():
                scores[chunk] = max(score, scores.get(chunk, 0.0))
        for chunk, number in self.stores.library.chunk_numbers(scores).items():
            if scores[chunk] > 0 and graph.has_passage(graph.passages_from + number):
                yield graph.passages_from + number, scores[chunk]


def _nearest(facts: Mapping[int, float]) -> dict[int, float]:
    """Return the facts whose ends the walk restarts at, with the weight of that; `facts` come nearest first."""
    return {number: _BY_FACT * score for number, score in islice(facts.items(), _NEAREST) if score > 0}


def _ends(graph: LinkGraph, facts: Mapping[int, float]) -> dict[int, float]:
    """Return the entities at the ends of facts, each with the mean score of its facts."""
    found: dict[int, list[float]] = {}
    graph.rows_of([*facts])  # at once, where they are fetched
    for number, score in facts.items():
        for node in dict.fromkeys(graph.ends(graph.rows_of([number]))[:, :2].flatten().tolist()):
            if node >= 0:
                found.setdefault(node, []).append(score)
    return {node: sum(scores) / len(scores) for node, scores in found.items()}
