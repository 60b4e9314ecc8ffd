"""Scores from 0 to 1: how well texts, facts and passages fit a question, by vectors and by words weighed by rarity.

No number here is a probability. The weights of facts were chosen together on the 50 MuSiQue questions and the sample's
(docs/benchmarks.md: graph-rag, R@5 66.3 %; expected passage in the first five sources, 14 of 16), those of passages on
the same (document-rag, R@5 55.2 %). None of them was measured by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain
from typing import TYPE_CHECKING

from explorer.events import Passage
from explorer.language import questions as q
from explorer.language.questions import read
from explorer.language.sentences import FEWEST_WORDS, quotable
from explorer.language.words import clauses, names, share, stem_set, weighted
from explorer.models.embedding import Embedder
from explorer.reasoning.extractive.kinds import names_kind
from explorer.reasoning.protocol import Edge, ReachedPassage, ReadPassage, ScoredEdge, ScoredPassage, SourceSentence

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from explorer.language.named_entities import NamedEntity

WORDS, ALL_WORDS = 0.2, 0.9  # share of the fit in a fact's score, against its reach: usually, and where it fits fully
GOOD = 0.7  # fit from which that share rises
STANDS = 0.9  # share of a passage's score that a fact must have to stand for it
FLOOR = 0.2  # share of the best score that a fact or passage must have to be selected
CONCEPT = 0.2  # cosine to a concept from which a fact has one: of 78 facts read the arbitrary ones lay below
DIGITS = 4  # of a score and its parts
CUE = 0.06  # for a text that names the kind of thing asked for, before parts of the question are levelled
ASKED = 0.1  # the same, after
LEVELLED = 1.2  # factor: the best fact of a part is lifted toward the best of all by no more
_SENTENCE_WORDS, _CONTEXT_WORDS = 0.3, 0.2  # of a fact's fit: the share of the words found
_SENTENCE_SIMILARITY, _CONTEXT_SIMILARITY = 0.3, 0.2  # of a fact's fit: cosines; what is below 0 counts as 0
_NAMED = {
    q.CAUSE: "names a cause",
    q.TIME: "names a time",
    q.NUMBER: "names a number",
    q.PERSON: "names someone",
}
_TITLE = 0.2  # for a passage of a document that the question names
_WORDS, _WHOLE, _SENTENCE = 0.4, 0.3, 0.3  # of a passage's score: words found, its cosine, that of its best sentence


@dataclass(slots=True)
class Scoring:
    """Scores texts for questions. For one run: it remembers.

    `rarity` returns a word's inverse document frequency; `chunks` reads chunks by their IRIs.
    """

    embedder: Embedder
    rarity: Callable[[str], float]
    chunks: Callable[[Sequence[str]], Mapping[str, ReadPassage]] = field(default=lambda _: {}, kw_only=True)
    _weights: dict[str, dict[str, float]] = field(default_factory=dict, init=False, repr=False)

    def weights(self, question: str) -> dict[str, float]:
        """Return the stems of a question's content words, each with its rarity."""
        if question not in self._weights:
            self._weights[question] = weighted(question, self.rarity)
        return self._weights[question]

    def similarities(self, queries: Sequence[str], texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the cosine of each text (rows) to each query (columns)."""
        return self.embedder.embed(texts) @ self.embedder.embed(queries).T

    def shares(self, parts: Sequence[str], texts: Sequence[str]) -> list[list[float]]:
        """Return for each text which share of each part's content words it holds, rare words weighing more."""
        weights = [self.weights(part) for part in parts]
        return [[share(weight, there) for weight in weights] for there in map(stem_set, texts)]

    def fits(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return for each text how well it fits the part of the question it fits best: half cosine, half words."""
        parts = clauses(question)
        near = self.similarities(parts, texts)
        return [max(0.5 * float(s) + 0.5 * w for s, w in zip(row, found, strict=True))
                for row, found in zip(near, self.shares(parts, texts), strict=True)]  # fmt: skip

    def score_edges(self, question: str, concepts: Sequence[str], edges: Sequence[Edge]) -> list[ScoredEdge]:
        """Score each edge by how well it fits and by how near the search came to it through the graph; best first."""
        if not edges:
            return []
        near = self.similarities(concepts, [edge.with_sentence for edge in edges])
        scored = []
        for edge, parts, row in zip(edges, self.edge_fits(question, edges), near, strict=True):
            if named := kind_named(question, edge.with_sentence):
                parts[named] = parts.get(named, 0.0) + ASKED
            score, shown = _summed(parts, edge.reach)
            best = int(row.argmax())
            concept = concepts[best] if float(row[best]) >= CONCEPT else None
            scored.append(ScoredEdge(edge, score, concept, parts=shown))
        return sorted(scored, key=lambda item: -item.score)

    def select(
        self, question: str, scored: Sequence[ScoredEdge], limit: int, reached: Sequence[ReachedPassage] = ()
    ) -> list[ScoredEdge | ScoredPassage]:
        """Return the facts and passages that carry most, best first, at most `limit` in all.

        A fact stands for the passages it was taken from, unless one of them fits much better than the fact does.
        """
        reach = {one.passage: one.reach for one in reached}
        wholes = []
        for item in self.score_passages(question, list(reach)):
            score, parts = _summed(item.parts, reach[item.passage])
            wholes.append(ScoredPassage(item.passage, score, parts=parts))
        of = {item.passage.chunk: item.score or 0.0 for item in wholes}
        standing = [item for item in scored
                    if all(item.score >= STANDS * of.get(one.chunk, 0.0) for one in item.edge.passages)]  # fmt: skip
        told = {passage.chunk for item in standing for passage in item.edge.passages}
        both: list[ScoredEdge | ScoredPassage] = [*standing, *(one for one in wholes if one.passage.chunk not in told)]
        best = sorted(both, key=lambda item: -(item.score or 0.0))[:limit]
        floor = FLOOR * (best[0].score or 0.0) if best else 0.0
        return [item for place, item in enumerate(best) if (item.score or 0.0) >= floor]

    def edge_fits(self, question: str, edges: Sequence[Edge]) -> list[dict[str, float]]:
        """Return how well each edge, its sentence and the text around fit the part of the question they fit best.

        In parts, by what they come from. The best edge of each part of the question is lifted toward the best of all,
        by at most a fifth: so they are made comparable.
        """
        if not edges:
            return []
        parts = clauses(question)
        around = list(dict.fromkeys(edge.context for edge in edges))
        near = self.similarities(parts, [edge.with_sentence for edge in edges])
        wide = dict(zip(around, self.similarities(parts, around), strict=True))
        rows = [
            [self._edge_fit(part, edge, float(here[i]), float(wide[edge.context][i]))
             for edge, here in zip(edges, near, strict=True)]
            for i, part in enumerate(parts)
        ]  # fmt: skip
        tops = [max(sum(fit.values()) for fit in row) for row in rows]
        lifts = [min(LEVELLED, max(tops) / (top or 1.0)) - 1 for top in tops]
        levelled = [[{**fit, "lifted": lift * sum(fit.values())} if lift else fit for fit in row]
                    for row, lift in zip(rows, lifts, strict=True)]  # fmt: skip
        found: list[dict[str, float]] = []
        for column in zip(*levelled, strict=True):
            sums = [sum(fit.values()) for fit in column]
            found.append(dict(column[sums.index(max(sums))]))
        return found

    def _edge_fit(self, part: str, edge: Edge, here: float, around: float) -> dict[str, float]:
        """Return what shared words and cosines of the sentence (0.6 in all) and of the text around it (0.4) come to."""
        weights, text = self.weights(part), edge.with_sentence
        named = kind_named(part, text)
        return {
            "shared words": _SENTENCE_WORDS * share(weights, stem_set(text)),
            "similarity": _SENTENCE_SIMILARITY * max(0.0, here),
            "words around it": _CONTEXT_WORDS * share(weights, stem_set(edge.context)),
            "similarity around it": _CONTEXT_SIMILARITY * max(0.0, around),
            **({named: CUE} if named else {}),
        }

    def score_passages(self, question: str, passages: Sequence[Passage]) -> list[ScoredPassage]:
        """Score each passage with its title, best first; equal ones stay in the order given.

        The score is of the part of the question that a passage fits best: by words, and by meaning as a whole and of
        its best sentence.
        """
        if not passages:
            return []
        import numpy as np

        parts = clauses(question)
        read = self.chunks([passage.chunk for passage in passages if passage.chunk])
        whole = [read.get(passage.chunk) or read_alone(passage) for passage in passages]
        wholes = [one.with_title for one in whole]
        lines = [_long_enough(one.sentences) or [""] for one in whole]
        first = [0, *accumulate(map(len, lines))][:-1]
        best = np.maximum.reduceat(self.similarities(parts, list(chain.from_iterable(lines))), first)
        near = np.stack([
            _WORDS * np.array(self.shares(parts, wholes)), _WHOLE * self.similarities(parts, wholes), _SENTENCE * best
        ])  # fmt: skip
        scored = []
        for place, passage in enumerate(passages):
            fit = near[:, place, int(near[:, place].sum(axis=0).argmax())].tolist()
            made = dict(zip(("shared words", "similarity", "similarity of its best sentence"), fit, strict=True))
            if names(question, passage.title):
                made["its title is named"] = _TITLE
            score, shown = _summed(made)
            scored.append(ScoredPassage(passage, score, parts=shown))
        return sorted(scored, key=lambda item: -(item.score or 0.0))


def kind_named(question: str, text: str) -> str | None:
    """Return "names a time" and the like where a part of a question asks for that, and a text has it."""
    for part in clauses(question):
        asked = read(part)
        if asked.kind in _NAMED and names_kind(asked, text):
            return _NAMED[asked.kind]
    return None


def _summed(parts: Mapping[str, float], reach: float | None = None) -> tuple[float, dict[str, float]]:
    """Return a score and the parts that it is the sum of, to the digit.

    Where the graph came near something by `reach` that is a part too. Over several hops the graph knows more than words
    do; the better the words fit, the more they count.
    """
    fit = min(1.0, sum(parts.values()))
    words = 1.0 if reach is None else WORDS + (ALL_WORDS - WORDS) * (max(0.0, fit - GOOD) / (1 - GOOD))
    made = {"nearness through the graph": (1 - words) * reach} if reach is not None else {}
    made |= {name: words * part for name, part in parts.items()}
    shown = {name: round(part, DIGITS) for name, part in made.items()}
    over = round(sum(shown.values()) - (words * fit + (1 - words) * (reach or 0.0)), DIGITS)
    if sum(parts.values()) > fit and over > 0:
        shown["above the highest score"] = -over
    low = round(min(0.0, sum(shown.values())), DIGITS)
    if low < 0:
        shown["below the lowest score"] = -low
    return round(sum(shown.values()), DIGITS), {name: part for name, part in shown.items() if part}


def read_alone(passage: Passage) -> ReadPassage:
    """Read a passage by itself, where its chunk is not at hand: its sentences, without what is named in them."""
    sentences = [Alone(start, start + len(text), text) for start, text in quotable(passage.text)]
    sentences = sentences or [Alone(0, len(passage.text), passage.text)]
    return ReadPassage(passage.chunk, passage.title, passage.text, sentences)


@dataclass(frozen=True, slots=True)
class Alone:
    """A sentence of a passage that is read by itself, with the entities that were looked for in it."""

    start: int
    end: int
    text: str
    entities: tuple[NamedEntity, ...] = ()


def _long_enough(sentences: Iterable[SourceSentence]) -> list[str]:
    """Return the texts of sentences that say something, unlike headings and the rest of a table."""
    return [one.text for one in sentences if len(one.text.split()) >= FEWEST_WORDS]
