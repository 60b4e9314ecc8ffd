"""Answers from whole passages without a model: their best sentences, quoted and cited, or a refusal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

from explorer.events import Passage
from explorer.reasoning.extractive.support import SENTENCES, Measure, is_enough, not_covered, refusal, whole
from explorer.reasoning.extractive.words import answers_kind, clauses, names
from explorer.reasoning.protocol import ScoredPassage, Sentence, Verdict
from explorer.text import truncate

_OWN, _AROUND = 0.5, 0.5  # of a sentence's score: its own words, and those of the passage it stands in
_CUE = 0.06
_FITTING = 0.75  # a sentence is worth quoting from this share of the best one's own score on
_TITLE = 0.2  # for a passage of a document that the question names
_WORDS, _WHOLE, _SENTENCE = 0.4, 0.3, 0.3  # of a passage's score
_NEAREST = 1  # the best passage counts as evidence, quoted or not; of more, any question finds its words somewhere
_FEWEST_WORDS = 4  # fewer are a heading or the rest of a table
_BLOCK_END = re.compile(
    r"\n\s*\n|(?<=[.!?:;”\"])[ \t]*\n|\n(?=[ \t]*(?:[-*+•‣◦|>]|#{1,6}|\d{1,3}[.)])[ \t])|(?<=\n)(?=```)"
)
_NUMBERED_HEADING = re.compile(r"[ \t]*\d{1,2}(?:\.\d{1,2})*[ \t]+[A-Z][^\n.!?]{0,80}\n")
_MARKUP = re.compile(r"[ \t]*(?:#{1,6}[ \t]|\||```|~~~)")


@dataclass(frozen=True, slots=True)
class _Quote:
    """A sentence of a passage, given by its number and the sentence's offset in it."""

    number: int
    start: int
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class Quotation:
    """Scores passages, and answers in their own sentences."""

    measure: Measure

    def score(self, question: str, passages: Sequence[Passage]) -> list[ScoredPassage]:
        """Score each passage with its title, from 0 to 1, best first; equal ones stay in the order given."""
        if not passages:
            return []
        scores = [score + (_TITLE if names(question, passage.title) else 0.0)
                  for passage, score in zip(passages, self._fits(question, passages), strict=True)]  # fmt: skip
        found = [
            ScoredPassage(passage, max(0.0, min(1.0, score))) for passage, score in zip(passages, scores, strict=True)
        ]
        return sorted(found, key=lambda read: -(read.score or 0.0))

    def _fits(self, question: str, passages: Sequence[Passage]) -> list[float]:
        """Give how well passages fit the part of the question they fit best: by words, and by meaning as a whole and of
        the best sentence.
        """
        import numpy as np

        parts = clauses(question)
        spoken = [_spoken(passage) for passage in passages]
        said = [[f"{passage.title}. {text}" for _, text in sentences(passage.text)] or [""] for passage in passages]
        first = [0, *accumulate(map(len, said))][:-1]
        best = np.maximum.reduceat(self.measure.similarities(parts, list(chain.from_iterable(said))), first)
        fits = _SENTENCE * best + _WHOLE * self.measure.similarities(parts, spoken)
        fits += _WORDS * np.array(self.measure.shares(parts, spoken))
        return [float(fit) for fit in fits.max(axis=1)]

    def answer(self, question: str, kept: Sequence[ScoredPassage]) -> Iterator[Sentence | Verdict]:
        """Quote the best sentences in the order of their passages, then name what they don't cover; or decline."""
        scored = self._scored(question, kept)
        quotes = self._quotes(question, scored)
        best = max((read.score or 0.0 for read in scored), default=0.0)
        used = {*range(_NEAREST), *(quote.number for quote in quotes)}
        evidence = " ".join(_spoken(read.passage) for number, read in enumerate(scored) if number in used)
        missing = self.measure.uncovered(question, evidence)
        bearing = self.measure.own_scores(question, [_spoken(read.passage) for read in scored])
        support = self.measure.support(question, missing, max(bearing, default=0.0))
        if not quotes or not is_enough(support, missing):
            nearest = next((read for read in scored if read.score == best), None)
            named = truncate(nearest.passage.text, 80) if nearest else None
            yield Sentence(refusal(missing, named, support))
            yield Verdict("declined", tuple(missing.values()))
            return
        for quote in sorted(quotes, key=lambda quote: (quote.number, quote.start)):
            yield Sentence(whole(quote.text), (quote.number,))
        yield from map(Sentence, not_covered(missing.values()))
        yield Verdict("done", tuple(missing.values()))

    def _scored(self, question: str, kept: Sequence[ScoredPassage]) -> list[ScoredPassage]:
        """Give the passages in their order with scores; who found them may have given none."""
        if all(read.score is not None for read in kept):
            return list(kept)
        known = {read.passage: read.score for read in self.score(question, [read.passage for read in kept])}
        return [ScoredPassage(read.passage, known[read.passage]) for read in kept]

    def _quotes(self, question: str, kept: Sequence[ScoredPassage]) -> list[_Quote]:
        """Choose the sentences worth quoting, best first, leaving out near repetitions."""
        found: dict[tuple[str, int], tuple[int, int, str]] = {}
        for number, read in enumerate(kept):
            for start, text in sentences(read.passage.text):  # one in an overlap counts for the better passage
                found.setdefault((read.passage.document, read.passage.start + start), (number, start, text))
        spots = list(found.values())
        own = self.measure.own_scores(question, [text for _, _, text in spots]) if spots else []
        parts = clauses(question)
        quotes = [
            _Quote(number, start, text, _OWN * score + _AROUND * (kept[number].score or 0.0) + _bonus(parts, text))
            for (number, start, text), score in zip(spots, own, strict=True)
        ]
        floor = _FITTING * max(own, default=0.0)
        fitting = [quote for quote, score in zip(quotes, own, strict=True) if score >= floor > 0]
        worthy = sorted(fitting, key=lambda quote: -quote.score)
        if not worthy:
            return []
        return [worthy[i] for i in self.measure.unlike([quote.text for quote in worthy], SENTENCES)]


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """Give the sentences of a passage on one line each, with where they start; headings and tables have none."""
    from nupunkt import sent_spans

    begin = 0
    for end in [*(match.end() for match in _BLOCK_END.finditer(text)), len(text)]:
        if heading := _NUMBERED_HEADING.match(text, begin, end):
            begin = heading.end()
        block = text[begin:end]
        for first, last in [] if _MARKUP.match(block) or not block.strip() else sent_spans(block):
            line = " ".join(block[first:last].split())
            if len(line.split()) >= _FEWEST_WORDS:
                yield begin + first, line
        begin = end


def _spoken(passage: Passage) -> str:
    return f"{passage.title}. {' '.join(passage.text.split())}"


def _bonus(parts: Sequence[str], said: str) -> float:
    return _CUE if any(answers_kind(part, said) for part in parts) else 0.0
