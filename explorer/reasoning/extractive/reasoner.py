"""The reasoner without a model: it compares words and vectors, quotes, and declines when the evidence is not there.

Concepts are the runs between stop words. An edge is scored together with its source sentence. The answer is made of
source sentences, each cited. The same input always gives the same output. It never claims to have understood.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from explorer.events import Passage
from explorer.models.embedding import Embedder
from explorer.reasoning.extractive.quotation import Quotation
from explorer.reasoning.extractive.support import QUOTED, SENTENCES, Measure, is_enough, not_covered, refusal, whole
from explorer.reasoning.extractive.words import answers_kind, clauses, is_telling, phrases, share, stem, tokens
from explorer.reasoning.protocol import (
    Action,
    AgentStep,
    AnswerPart,
    Choice,
    Edge,
    GoalResult,
    Parts,
    Planned,
    ScoredEdge,
    ScoredPassage,
    SelectedEdge,
    Sentence,
    TaskType,
    ToolSpec,
    Unreadable,
    Uses,
    Verdict,
)
from explorer.reasoning.rules.agent import Rules
from explorer.text import truncate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WORDS, ALL_WORDS = 0.3, 0.9  # the share of words in a score: usually, and where they fit fully
GOOD = 0.7  # from here on their share rises
FLOOR = 0.2
CUE = 0.06
LEVELLED = 1.2
CHOSEN = 0.3  # of a quotation's score: how well its edges were scored, against its own words
ASKED = 0.1  # for naming what was asked for
AROUND = 10  # edges whose surroundings count as evidence


@dataclass(slots=True)
class ExtractiveReasoner:
    """Reasons by embedding similarity and shared words; `rarity` gives a word's inverse document frequency.

    For one run: it remembers the texts that it has compared.
    """

    embedder: Embedder
    rarity: Callable[[str], float]
    _measure: Measure = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Begin with nothing compared."""
        self._measure = Measure(self.embedder, self.rarity)

    @property
    def name(self) -> str:
        """Say who reasons and in which version."""
        return "extractive/1"

    def concepts(self, question: str) -> list[str]:
        """Give the question's phrases; the whole question when it has none."""
        return phrases(question) or [question]

    def score_edges(self, question: str, concepts: Sequence[str], edges: Sequence[Edge]) -> list[ScoredEdge]:
        """Score each edge by how well it fits by its words, and by how near the search came to it through the graph."""
        if not edges:
            return []
        scores = [_combined(min(1.0, fit + _asked(question, edge.with_sentence)), edge.reach)
                  for edge, fit in zip(edges, self._fits(question, edges), strict=True)]  # fmt: skip
        near = self._similarities(concepts, [edge.with_sentence for edge in edges])
        scored = [ScoredEdge(edge, min(1.0, score), concepts[int(row.argmax())])
                  for edge, score, row in zip(edges, scores, near, strict=True)]  # fmt: skip
        return sorted(scored, key=lambda item: -item.score)

    def _fits(self, question: str, edges: Sequence[Edge]) -> list[float]:
        """Give how well each edge with its sentence and the text around it fits the part of the question it fits best.

        The parts are made comparable: the best edge of each is lifted toward the best of all, by at most a fifth.
        """
        if not edges:
            return []
        parts = clauses(question)
        spoken = [edge.with_sentence for edge in edges]
        around = list(dict.fromkeys(edge.context for edge in edges))
        near = self._similarities(parts, spoken)
        wide = dict(zip(around, self._similarities(parts, around), strict=True))
        rows = [
            [self._score(part, edge, float(here[i]), float(wide[edge.context][i]))
             for edge, here in zip(edges, near, strict=True)]
            for i, part in enumerate(parts)
        ]  # fmt: skip
        return _levelled(rows)

    def _score(self, part: str, edge: Edge, here: float, around: float) -> float:
        """Combine similarity and shared words of the sentence (0.6) and of the text around it (0.4)."""
        weights, said = self._measure.weights(part), edge.with_sentence
        words = 0.3 * share(weights, self._measure.stems(said)) + 0.2 * share(
            weights, self._measure.stems(edge.context)
        )
        cue = CUE if answers_kind(part, said) else 0.0
        return words + 0.3 * max(0.0, here) + 0.2 * max(0.0, around) + cue

    def select(self, question: str, scored: Sequence[ScoredEdge], limit: int) -> list[ScoredEdge]:
        """Keep what reaches `FLOOR` of the best score."""
        del question
        floor = FLOOR * scored[0].score if scored else 0.0
        return [item for item in scored[:limit] if item.score >= floor]

    def reason_edges(self, question: str, scored: Sequence[ScoredEdge]) -> list[SelectedEdge]:
        """Say by what each edge was matched, and quote its sentence."""
        near = self._similarities([question], [item.edge.with_sentence for item in scored])[:, 0]
        wide = self._similarities([question], [item.edge.context for item in scored])[:, 0]
        return [
            SelectedEdge(item.edge, item.score, item.concept, self._reason(item, question, float(here), float(around)))
            for item, here, around in zip(scored, near, wide, strict=True)
        ]

    def _reason(self, item: ScoredEdge, question: str, here: float, around: float) -> str:
        said = item.edge.with_sentence
        there = self._measure.stems(said)
        shared = [word for word in tokens(question) if is_telling(word) and stem(word) in there]
        why = f"Nearness through the graph {item.edge.reach:.2f}, similarity to the question {here:.2f}, "
        why += f"of the text around it {around:.2f}"
        why += f"; shares the words {', '.join(dict.fromkeys(shared))}" if shared else "; shares no word with it"
        kind = next((kind for part in clauses(question) if (kind := answers_kind(part, said))), None)
        why += f"; names {kind}, which was asked for." if kind else "."
        if item.edge.passages:
            return f"{why} Source: “{truncate(item.edge.passages[0].text, 300)}”"
        return f"{why} No recorded source."

    def synthesise(
        self, question: str, concepts: Sequence[str], selected: Sequence[SelectedEdge]
    ) -> Iterator[Sentence | Verdict]:
        """Quote the sentences that carry most, then name what they do not cover; or decline."""
        chosen = self._sentences(question, selected)
        around = [item.edge.context for item in selected[:AROUND]]
        evidence = " ".join([text for passage, _ in chosen for text in (passage.title, passage.text)] + around)
        missing = self._measure.uncovered(question, evidence)
        best = max(self._fits(question, [item.edge for item in selected]), default=0.0)
        support = self._measure.support(question, missing, min(1.0, best))
        if not chosen or not is_enough(support, missing):
            yield from _declined(selected, missing, support)
            return
        for passage, cites in chosen:
            yield Sentence(whole(passage.text), tuple(cites))
        yield from map(Sentence, not_covered(missing.values()))
        yield Verdict("done", tuple(missing.values()))

    def _sentences(self, question: str, selected: Sequence[SelectedEdge]) -> list[tuple[Passage, list[int]]]:
        """Choose the passages worth quoting, best first by their own words and score, leaving out near repetitions."""
        cites: dict[tuple[str, int, int], list[int]] = {}
        passages: dict[tuple[str, int, int], Passage] = {}
        for number, item in enumerate(selected):
            for passage in item.edge.passages:
                home = next((key for key in passages if _within(key, passage)), None)
                key = home or (passage.document, passage.start, passage.end)
                passages.setdefault(key, passage)
                known = cites.setdefault(key, [])
                known += [] if number in known else [number]
        own = self._measure.own_scores(question, [" ".join(passage.text.split()) for passage in passages.values()])
        own = [(1 - CHOSEN) * score + CHOSEN * max(selected[number].score for number in cites[key])
               + _asked(question, passages[key].text)
               for score, key in zip(own, passages, strict=True)]  # fmt: skip
        floor = QUOTED * max(own, default=0.0)
        best = sorted(zip(passages, own, strict=True), key=lambda item: -item[1])
        worthy = [key for key, score in best if score >= floor]
        return [(passages[key], cites[key]) for key in self._unlike(worthy, passages)]

    def _unlike(
        self, keys: list[tuple[str, int, int]], passages: dict[tuple[str, int, int], Passage]
    ) -> list[tuple[str, int, int]]:
        kept = self._measure.unlike([passages[key].text for key in keys], SENTENCES)
        return [keys[number] for number in kept]

    def _similarities(self, queries: Sequence[str], texts: Sequence[str]) -> NDArray[np.float32]:
        return self._measure.similarities(queries, texts)

    def score_passages(self, question: str, passages: Sequence[Passage]) -> list[ScoredPassage]:
        """Score each passage with its title for the part of the question that it fits best."""
        return Quotation(self._measure).score(question, passages)

    def answer_from(
        self, question: str, concepts: Sequence[str], kept: Sequence[ScoredPassage]
    ) -> Iterator[Sentence | Verdict]:
        """Quote the sentences of the passages that carry most, then name what they do not cover; or decline."""
        return Quotation(self._measure).answer(question, kept)

    def classify(self, question: str, tasks: Sequence[TaskType]) -> Choice:
        """Give the first type of task."""
        return Rules(self._measure).classify(question, tasks)

    def choose_pattern(self, question: str, task: TaskType) -> Choice:
        """Choose by how many parts a question has, and whether it compares or orders steps."""
        return Rules(self._measure).choose_pattern(question, task)

    def next_action(
        self, question: str, framing: str, tools: Sequence[ToolSpec], history: Sequence[AgentStep]
    ) -> Iterator[Action | Uses | AnswerPart]:
        """Search the graph, then the passages; answer in the words of what was found."""
        return Rules(self._measure).next_action(question, framing, tools, history)

    def plan(self, question: str, framing: str, tools: Sequence[ToolSpec]) -> Planned:
        """Give a step for each side of a comparison, each step of a sequence, or each part."""
        return Rules(self._measure).plan(question, framing, tools)

    def act(
        self,
        question: str,
        goal: str,
        previous: Sequence[GoalResult],
        tools: Sequence[ToolSpec],
        tried: Sequence[AgentStep],
    ) -> Action | Unreadable | None:
        """Give the search for a step; None: all was tried."""
        return Rules(self._measure).act(question, goal, previous, tools, tried)

    def decompose(self, question: str, framing: str, tools: Sequence[ToolSpec], limit: int) -> Parts:
        """Split a question by its grammar."""
        return Rules(self._measure).decompose(question, framing, tools, limit)

    def combine(self, question: str, framing: str, found: Sequence[GoalResult], pattern: str) -> Iterator[AnswerPart]:
        """Quote the best sentences of each result, then name the gaps."""
        return Rules(self._measure).combine(question, framing, found, pattern)


def _asked(question: str, text: str) -> float:
    """Give what a text is worth more for naming a cause, a time, a number or a person where one is asked for."""
    return ASKED if any(answers_kind(part, text) for part in clauses(question)) else 0.0


def _combined(fit: float, reach: float) -> float:
    """Weigh how well an edge fits by its words against how near the search came to it.

    Over several hops the graph knows more than words do; the better the words fit, the more they count.
    """
    good = max(0.0, fit - GOOD) / (1 - GOOD)
    words = WORDS + (ALL_WORDS - WORDS) * good
    return words * fit + (1 - words) * reach


def _declined(
    selected: Sequence[SelectedEdge], missing: dict[str, str], support: float
) -> Iterator[Sentence | Verdict]:
    nearest = truncate(selected[0].edge.text, 80) if selected else None
    yield Sentence(refusal(missing, nearest, support))
    yield Verdict("declined", tuple(missing.values()))


def _levelled(rows: Sequence[Sequence[float]]) -> list[float]:
    """Give each edge the score of the part it fits best, parts with low scores lifted by at most `LEVELLED`."""
    height = max(max(row) for row in rows)
    scaled = [[score * min(LEVELLED, height / (max(row) or 1.0)) for score in row] for row in rows]
    return [max(column) for column in zip(*scaled, strict=True)]


def _within(key: tuple[str, int, int], passage: Passage) -> bool:
    return key[0] == passage.document and key[1] < passage.end and passage.start < key[2]
