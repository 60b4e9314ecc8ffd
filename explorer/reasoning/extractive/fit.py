"""Scores from 0 to 1: how well texts, facts and passages fit a question, by vectors and by words weighed by rarity.

No number here is a probability. Weights were chosen together on the shared halves of the questions
(docs/benchmarks.md), those of a passage's fit also on SQuAD's 1,299 answerable ones: its gold passage among the first
five in 95.2 %, by shared words in place of covered ones in 93.8.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate, chain
from typing import TYPE_CHECKING

from explorer.events import Passage
from explorer.language.named_entities import named_entities
from explorer.language.sentences import FEWEST_WORDS, spans
from explorer.language.words import clauses, content_stems, names, stem_set
from explorer.models.embedding import Embedder, cosines
from explorer.reasoning.close_facts import listed, told
from explorer.reasoning.extractive.vocabulary import Coverage
from explorer.reasoning.protocol import Edge, Reached, ReadPassage, ScoredEdge, ScoredPassage, SelectedEdge
from explorer.stores.sentences import StoredEntity, StoredSentence
from explorer.text import truncate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WORDS, ALL_WORDS = 0.2, 0.9  # share of the fit in a score, against the reach: usually, and of what fits best
GOOD = 0.8  # share of the best fit from which that share rises
DIGITS = 4  # of a score and its parts
# how well a passage and its best sentence cover the question's words, and the cosines of both
COVERED, COVERED_BY_SENTENCE, SIMILAR, SENTENCE = 0.3, 0.3, 0.2, 0.2
_TITLE = 0.2  # for what comes from a document that the question names
LINKED, MEANT = "nearness through the graph", "similarity"
MEANT_BY_SENTENCE = "similarity of its best sentence"
TITLED = "its title is named"
_FITS = ("words covered", "words covered by its best sentence", MEANT, MEANT_BY_SENTENCE)
_LONGEST_TITLE = 60
_MOST_READ = 2_000  # texts: 10 MB
_CARRIES = 0.5  # share of a score from which one part is said to carry it
_ALIKE = {
    LINKED: "the graph links it to your question",
    MEANT: "it is close to your question in meaning",
    MEANT_BY_SENTENCE: "its best sentence is close to your question in meaning",
}


@dataclass(slots=True)
class Scoring:
    """Scores texts for questions. For one run: it remembers.

    `rarity` returns a word's inverse document frequency; `chunks` reads chunks by their IRIs.
    """

    embedder: Embedder
    rarity: Callable[[str], float]
    chunks: Callable[[Sequence[str]], Mapping[str, ReadPassage]] = field(default=lambda _: {}, kw_only=True)
    _coverages: dict[str, Coverage] = field(default_factory=dict, init=False, repr=False)

    def coverage(self, question: str) -> Coverage:
        """Return what compares texts with the words of each part of a question."""
        if question not in self._coverages:
            self._coverages[question] = Coverage(clauses(question), self.rarity, self.embedder)
        return self._coverages[question]

    def similarities(self, queries: Sequence[str], texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the cosine of each text (rows) to each query (columns)."""
        return cosines(self.embedder.embed(texts), self.embedder.embed(queries))

    def score_edges(self, question: str, concepts: Sequence[str], edges: Sequence[Edge]) -> list[ScoredEdge]:
        """Score each edge with its sentence by the part of the question it fits best: half cosine, half words."""
        if not edges:
            return []
        texts, parts = [edge.with_sentence for edge in edges], clauses(question)
        fits = self.similarities(parts, texts) + self.coverage(question).shares(texts)
        near = self.similarities(concepts, texts).argmax(axis=1).tolist()
        scored = [ScoredEdge(edge, round(max(0.0, float(fit)) / 2, DIGITS), concepts[at])
                  for edge, fit, at in zip(edges, fits.max(axis=1), near, strict=True)]  # fmt: skip
        return sorted(scored, key=lambda item: -item.score)

    def select(
        self, question: str, scored: Sequence[ScoredEdge], limit: int, reached: Reached
    ) -> list[ScoredEdge | ScoredPassage]:
        """Return the best facts, at most `limit`."""
        del question, reached
        return [*scored[:limit]]

    def reason_edges(self, question: str, selected: Sequence[ScoredEdge | ScoredPassage]) -> list[SelectedEdge]:
        """State which words of the question each edge has."""
        return [SelectedEdge(item.edge, item.score, item.concept, told(question, item.edge), parts=item.parts)
                for item in selected if isinstance(item, ScoredEdge)]  # fmt: skip

    def score_reached(self, question: str, reached: Reached) -> list[ScoredPassage]:
        """Score passages by how well each fits and by how near the search came to it; best first."""
        fitting = self.score_passages(question, list(reached))
        top = max((_fit(item.parts) for item in fitting), default=0.0)
        found = []
        for item in fitting:
            score, parts = _summed(item.parts, reached[item.passage], top)
            found.append(ScoredPassage(item.passage, score, parts=parts))
        return sorted(found, key=lambda item: -(item.score or 0.0))

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


def _fit(parts: Mapping[str, float]) -> float:
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
    """Read a passage by itself, where its chunk is not at hand."""
    sentences = sentences_of(passage.text) or [StoredSentence(0, len(passage.text), passage.text)]
    return ReadPassage(passage.chunk, passage.title, passage.text, sentences, passage.document)


@lru_cache(maxsize=_MOST_READ)
def sentences_of(text: str) -> Sequence[StoredSentence]:
    """Return the sentences of a text with the named entities in them; those of the last texts are remembered."""
    placed = list(spans(text))
    found = named_entities([text[start:end] for start, end in placed])
    return tuple(StoredSentence(start, end, text[start:end], tuple(StoredEntity(*one) for one in entities))
                 for (start, end), entities in zip(placed, found, strict=True))  # fmt: skip


def _long_enough(passage: ReadPassage) -> Iterator[tuple[str, str]]:
    """Yield the sentences that say something, unlike headings and the rest of a table, also below their headings."""
    for number, one in enumerate(passage.sentences):
        below = " ".join([*passage.above(number), one.text])
        is_heading = one.text.lstrip().startswith("#")
        if len((one.text if is_heading else below).split()) >= FEWEST_WORDS:
            yield one.text, below


def passage_reason(question: str, passage: Passage, score: float, parts: Mapping[str, float]) -> str:
    """Return why a passage was selected whose score is the sum of `parts`, as the end of a sentence."""
    there, titled = stem_set(passage.text), stem_set(passage.title)
    words = content_stems(question) & there
    is_one = len(words) > 1 and any(words <= stem_set(passage.text[start:end]) for start, end in spans(passage.text))
    has, lacks = listed(question, passage.text), listed(question, "", there | titled, absent=True)
    title = listed(question, passage.title, titled - there)
    said = [f"it has {has}{' in one sentence' * is_one}"] if has else []
    said += [f"its title has {title}"] if title else []
    own = bool(said)
    said += [f"it lacks {lacks}"] if own and lacks else []
    if TITLED in parts:
        said.append(f"your question names its document, “{truncate(passage.title, _LONGEST_TITLE)}”")
    most = max(_ALIKE, key=lambda name: parts.get(name, 0.0))
    if parts.get(most, 0.0) > (_CARRIES * score if own or TITLED in parts else 0.0):
        said.append(_ALIKE[most])
    told = "; ".join(said)
    return told if own else ", but ".join(filter(None, ("it has none of your words", told)))
