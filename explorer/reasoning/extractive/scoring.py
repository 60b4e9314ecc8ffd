"""Scores from 0 to 1: how well texts, facts and passages fit a question, by vectors and by words weighed by rarity.

No number here is a probability. Weights were chosen together on the shared halves of the questions
(docs/benchmarks.md), those of a passage's fit also on SQuAD's 1,299 answerable ones: its gold passage among the first
five in 95.2 %, by shared words in place of covered ones in 93.8.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain, islice
from typing import TYPE_CHECKING

from explorer.events import Passage
from explorer.language import questions as q
from explorer.language.questions import read
from explorer.language.sentences import FEWEST_WORDS, quotable
from explorer.language.words import clauses, names, share, stem_set, weighted
from explorer.models.embedding import Embedder, cosines
from explorer.reasoning.extractive.coverage import Coverage
from explorer.reasoning.extractive.kinds import names_kind
from explorer.reasoning.protocol import Edge, ReachedPassage, ReadPassage, ScoredEdge, ScoredPassage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from explorer.language.named_entities import NamedEntity

WORDS, ALL_WORDS = 0.2, 0.9  # share of the fit in a score, against the reach: usually, and of what fits best
GOOD = 0.8  # share of the best fit from which that share rises
STANDS = 0.9  # share of a passage's score that a fact must have to stand for it
# Which facts and passages are kept: the best up to the tenth different passage, as many as Document RAG keeps, and what
# scores nearly as much as the best; none far below it. On the shared halves 11 to 16 in place of 25. R@10 with six
# and ten passages: HotpotQA 93 and 96, 2Wiki 92 and 97, SQuAD 98 and 99, MuSiQue by rules 69 and 77, the sample 74 and
# 87; R@5 is the same. With a floor of 0.6 R@5 fell on 2Wiki from 89 to 85.
FEWEST, CARRIES, FLOOR = 10, 0.8, 0.5
FACTS = 2  # of a passage that are kept, at most: with three no more was found, and 2 more kept
CONCEPT = 0.2  # cosine to a concept from which a fact has one: of 78 facts read the arbitrary ones lay below
DIGITS = 4  # of a score and its parts
CUE = 0.06  # for a fact that names the kind of thing asked for
LEVELLED = 1.2  # factor: the best fact of a part is lifted toward the best of all by no more
# how well a passage and its best sentence cover the question's words, and the cosines of both; of a fact the same of
# the text around it and of its own sentence
COVERED, COVERED_BY_SENTENCE, SIMILAR, SENTENCE = 0.3, 0.3, 0.2, 0.2
_TITLE = 0.2  # for what comes from a document that the question names
_NAMED = {
    q.CAUSE: "names a cause",
    q.TIME: "names a time",
    q.NUMBER: "names a number",
    q.PERSON: "mentions a name",
}
LINKED, MEANT, MEANT_AROUND = "nearness through the graph", "similarity", "similarity around it"
MEANT_BY_SENTENCE = "similarity of its best sentence"
TITLED = "its title is named"
CUES = tuple(_NAMED.values())
_EDGE_FITS = ("words covered", MEANT, "words covered around it", MEANT_AROUND)
_FITS = ("words covered", "words covered by its best sentence", MEANT, MEANT_BY_SENTENCE)


@dataclass(slots=True)
class Scoring:
    """Scores texts for questions. For one run: it remembers.

    `rarity` returns a word's inverse document frequency; `chunks` reads chunks by their IRIs.
    """

    embedder: Embedder
    rarity: Callable[[str], float]
    chunks: Callable[[Sequence[str]], Mapping[str, ReadPassage]] = field(default=lambda _: {}, kw_only=True)
    _weights: dict[str, dict[str, float]] = field(default_factory=dict, init=False, repr=False)
    _coverages: dict[str, Coverage] = field(default_factory=dict, init=False, repr=False)

    def weights(self, question: str) -> dict[str, float]:
        """Return the stems of a question's content words, each with its rarity."""
        if question not in self._weights:
            self._weights[question] = weighted(question, self.rarity)
        return self._weights[question]

    @property
    def keeps(self) -> str:
        """By which rule it selects fewer than the limit allows."""
        return (
            f"kept: the best first, at most {FACTS} facts of a passage, until there are {FEWEST} different passages; "
            f"then only what has {CARRIES:.0%} of the best score or more, and nothing below {FLOOR:.0%} of it; "
            f"and what the quoted sentences rest on"
        )

    def coverage(self, question: str) -> Coverage:
        """Return what compares texts with the words of each part of a question."""
        if question not in self._coverages:
            self._coverages[question] = Coverage(clauses(question), self.rarity)
        return self._coverages[question]

    def similarities(self, queries: Sequence[str], texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the cosine of each text (rows) to each query (columns)."""
        return cosines(self.embedder.embed(texts), self.embedder.embed(queries))

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
        fits = self.edge_fits(question, edges)
        best = max(map(_fit, fits))
        scored = []
        for edge, parts, row in zip(edges, fits, near, strict=True):
            score, shown = _summed(parts, edge.reach, best)
            nearest = int(row.argmax())
            concept = concepts[nearest] if float(row[nearest]) >= CONCEPT else None
            scored.append(ScoredEdge(edge, score, concept, parts=shown))
        return sorted(scored, key=lambda item: -item.score)

    def select(
        self, question: str, scored: Sequence[ScoredEdge], limit: int, reached: Sequence[ReachedPassage] = ()
    ) -> list[ScoredEdge | ScoredPassage]:
        """Return the facts and passages that carry most, best first, at most `limit` in all.

        A fact stands for the passages it was taken from, unless one of them fits much better than the fact does.
        """
        wholes = self.score_reached(question, [one for one in reached if one.reach > 0])
        of = {item.passage.chunk: item.score or 0.0 for item in wholes}
        standing = [item for item in scored
                    if all(item.score >= STANDS * of.get(one.chunk, 0.0) for one in item.edge.passages)]  # fmt: skip
        told = {passage.chunk for item in standing for passage in item.edge.passages}
        both: list[ScoredEdge | ScoredPassage] = [*standing, *(one for one in wholes if one.passage.chunk not in told)]
        return list(islice(_carrying(sorted(both, key=lambda item: -(item.score or 0.0))), limit))

    def score_reached(self, question: str, reached: Sequence[ReachedPassage]) -> list[ScoredPassage]:
        """Score passages by how well each fits and by how near the search came to it; best fit first."""
        reach = {one.passage: one.reach for one in reached}
        fitting = self.score_passages(question, list(reach))
        top = max((_fit(item.parts) for item in fitting), default=0.0)
        found = []
        for item in fitting:
            score, parts = _summed(item.parts, reach[item.passage], top)
            found.append(ScoredPassage(item.passage, score, parts=parts))
        return found

    def edge_fits(self, question: str, edges: Sequence[Edge]) -> list[dict[str, float]]:
        """Return how well each edge, its sentence and the text around fit the part of the question they fit best.

        In parts, by what they come from. The best edge of each part of the question is lifted toward the best of all,
        by at most a fifth: so they are made comparable.
        """
        if not edges:
            return []
        import numpy as np

        parts = clauses(question)
        texts, around = [edge.with_sentence for edge in edges], [edge.context for edge in edges]
        covered, wide = self.coverage(question).shares(texts), self.coverage(question).shares(around)
        table = np.stack([
            COVERED_BY_SENTENCE * covered, SENTENCE * self.similarities(parts, texts),
            COVERED * wide, SIMILAR * self.similarities(parts, around),
        ], axis=2)  # fmt: skip
        rows = [
            [_edge_fit(part, edge, here)
             for edge, here in zip(edges, table[:, i].tolist(), strict=True)]
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

    def score_passages(self, question: str, passages: Sequence[Passage]) -> list[ScoredPassage]:
        """Score each passage with its title, best first; equal ones stay in the order given.

        The score is of the part of the question that a passage fits best: by words, and by meaning as a whole and of
        its best sentence.
        """
        if not passages:
            return []
        import numpy as np

        parts = clauses(question)
        known = self.chunks([passage.chunk for passage in passages if passage.chunk])
        whole = [known.get(passage.chunk) or read_alone(passage) for passage in passages]
        wholes = [one.with_title for one in whole]
        read = [list(_long_enough(one)) or [("", "")] for one in whole]
        lines = [[text for text, _ in one] for one in read]
        below = [headed for one in read for _, headed in one]
        first = [0, *accumulate(map(len, lines))][:-1]
        sentences = list(chain.from_iterable(lines))
        coverage = self.coverage(question)
        near = np.stack([
            COVERED * coverage.shares(wholes),
            COVERED_BY_SENTENCE * np.maximum.reduceat(coverage.shares(below), first),
            SIMILAR * self.similarities(parts, wholes),
            SENTENCE * np.maximum.reduceat(self.similarities(parts, sentences), first),
        ])  # fmt: skip
        scored = []
        for place, passage in enumerate(passages):
            fit = near[:, place, int(near[:, place].sum(axis=0).argmax())].tolist()
            made = dict(zip(_FITS, fit, strict=True))
            if names(question, passage.title):
                made[TITLED] = _TITLE
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


def _carrying(best: Sequence[ScoredEdge | ScoredPassage]) -> Iterator[ScoredEdge | ScoredPassage]:
    """Yield what carries an answer: the best up to the tenth different passage, and what scores nearly as much."""
    top = (best[0].score or 0.0) if best else 0.0
    told: Counter[str] = Counter()
    for item in best:
        score = item.score or 0.0
        if score < FLOOR * top or (len(told) >= FEWEST and score < CARRIES * top):
            return
        chunks = {one.chunk for one in ([item.passage] if isinstance(item, ScoredPassage) else item.edge.passages)}
        if not chunks or any(told[chunk] < FACTS for chunk in chunks):
            told.update(chunks)
            yield item


def _edge_fit(part: str, edge: Edge, fits: Sequence[float]) -> dict[str, float]:
    """Return how well an edge fits a part of a question, by what that comes from; what is below 0 counts as 0."""
    named = kind_named(part, edge.with_sentence)
    titled = any(names(part, passage.title) for passage in edge.passages[:1])
    return {
        **dict(zip(_EDGE_FITS, (max(0.0, fit) for fit in fits), strict=True)),
        **({TITLED: _TITLE} if titled else {}),
        **({named: CUE} if named else {}),
    }


def _fit(parts: Mapping[str, float]) -> float:
    """Return how well something fits a question, at most 1."""
    return min(1.0, sum(parts.values()))


def _summed(
    parts: Mapping[str, float], reach: float | None = None, best: float = 1.0
) -> tuple[float, dict[str, float]]:
    """Return a score and the parts that it is the sum of, to the digit.

    Where the graph came near something by `reach` that is a part too, as large as the `best` fit of all where the graph
    came nearest. Over several hops the graph knows more than words do; what fits nearly as well as the best counts by
    that. With a reach alone 61 % of MuSiQue's passages were among the first five, with the fit alone 68; with both 74.
    """
    fit = _fit(parts)
    good = max(0.0, fit / best - GOOD) / (1 - GOOD) if best > 0 else 0.0
    words = 1.0 if reach is None else WORDS + (ALL_WORDS - WORDS) * min(1.0, good)
    near = (1 - words) * best * (reach or 0.0)
    made = {LINKED: near} if reach is not None else {}
    made |= {name: words * part for name, part in parts.items()}
    shown = {name: round(part, DIGITS) for name, part in made.items()}
    over = round(sum(shown.values()) - (words * fit + near), DIGITS)
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


def _long_enough(passage: ReadPassage) -> Iterator[tuple[str, str]]:
    """Yield the sentences that say something, unlike headings and the rest of a table, also below their headings."""
    for number, one in enumerate(passage.sentences):
        below = " ".join([*passage.above(number), one.text])
        is_heading = one.text.lstrip().startswith("#")
        if len((one.text if is_heading else below).split()) >= FEWEST_WORDS:
            yield one.text, below
