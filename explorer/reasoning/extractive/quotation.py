"""Quotation: answers made of the best sentences of facts' sources or of whole passages, each cited; or a refusal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from explorer.events import Passage
from explorer.language.sentences import quotable
from explorer.language.words import asked_kind
from explorer.reasoning.extractive.scoring import CUE, Scoring, bonus, with_title
from explorer.reasoning.extractive.support import Support, not_covered, support
from explorer.reasoning.protocol import Kept, ScoredPassage, SelectedEdge, Sentence, Verdict
from explorer.text import truncate

SENTENCES = 5  # of an answer, at most
QUOTED = 0.75  # share of the best sentence's own score from which a sentence is quoted; not measured by itself
LIKENESS = 0.92  # cosine from which a sentence repeats another; not measured by itself
_CHOSEN = 0.3  # of a quotation's score: how well its edges were scored, against its own words; not measured by itself
_OWN, _AROUND = 0.5, 0.5  # of a sentence's score: its own words, and those of its passage; not measured by itself
_SURROUNDING = 10  # edges whose surroundings count as evidence
_NEAREST = 1  # the best passage counts as evidence, quoted or not; of more, any question finds its words somewhere


@dataclass(slots=True)
class Quotation(Scoring):
    """Answers in sentences of the sources."""

    def synthesise(self, question: str, concepts: Sequence[str], kept: Sequence[Kept]) -> Iterator[Sentence | Verdict]:
        """Quote the sentences that carry most, then name the words they do not cover; or decline."""
        wholes = [item for item in kept if isinstance(item, ScoredPassage)]
        if len(wholes) == len(kept):
            yield from self._from_passages(question, wholes)
            return
        quotes = self._quotes(question, kept)
        around = [with_title(item.passage) if isinstance(item, ScoredPassage) else item.edge.context
                  for item in kept[:_SURROUNDING]]  # fmt: skip
        evidence = " ".join([text for passage, _ in quotes for text in (passage.title, passage.text)] + around)
        edges = [item.edge for item in kept if isinstance(item, SelectedEdge)]
        best = max(self.edge_fits(question, edges) + self.fits(question, [with_title(one.passage) for one in wholes]))
        nearest = kept[0].passage.text if isinstance(kept[0], ScoredPassage) else kept[0].edge.text
        found = support(self, question, evidence, min(1.0, best))
        yield from _answer([(passage.text, cites) for passage, cites in quotes], found, nearest)

    def _from_passages(self, question: str, selected: Sequence[ScoredPassage]) -> Iterator[Sentence | Verdict]:
        """Quote the best sentences in the order of their passages, then name the words they don't cover; or decline."""
        scored = selected
        if any(item.score is None for item in selected):  # the search that found them may have set none
            best_first = self.score_passages(question, [item.passage for item in selected])
            scores = {item.passage: item.score for item in best_first}
            scored = [ScoredPassage(item.passage, scores[item.passage]) for item in selected]
        quotes = self._passage_quotes(question, scored)
        wholes = [with_title(item.passage) for item in scored]
        used = {*range(_NEAREST), *(number for number, _, _ in quotes)}
        evidence = " ".join(whole for number, whole in enumerate(wholes) if number in used)
        nearest = max(scored, key=lambda item: item.score or 0.0, default=None)
        found = support(self, question, evidence, max(self.fits(question, wholes), default=0.0))
        ordered = [(text, (number,)) for number, _, text in sorted(quotes)]
        yield from _answer(ordered, found, nearest.passage.text if nearest else None)

    def _quotes(self, question: str, kept: Sequence[Kept]) -> list[tuple[Passage, tuple[int, ...]]]:
        """Select the spans worth quoting, best first by their own words and score, leaving out near repetitions."""
        cites: dict[tuple[str, int, int], list[int]] = {}
        passages: dict[tuple[str, int, int], Passage] = {}
        for number, item in enumerate(kept):
            for passage in _spans(item):
                own = (passage.document, passage.start, passage.end)
                overlapping = (k for k in passages if k[0] == own[0] and k[1] < own[2] and own[1] < k[2])
                key = next(overlapping, own)
                passages.setdefault(key, passage)
                numbers = cites.setdefault(key, [])
                numbers += [] if number in numbers else [number]
        fits = self.fits(question, [" ".join(passage.text.split()) for passage in passages.values()])
        scores = {
            key: (1 - _CHOSEN) * fit + _CHOSEN * max(kept[number].score or 0.0 for number in cites[key])
            + bonus(question, passages[key].text)
            for fit, key in zip(fits, passages, strict=True)
        }  # fmt: skip
        floor = QUOTED * max(scores.values(), default=0.0)
        worthy = [key for key in sorted(scores, key=lambda key: -scores[key]) if scores[key] >= floor]
        places = distinct(self, [passages[key].text for key in worthy], SENTENCES)
        return [(passages[key], tuple(cites[key])) for key in (worthy[place] for place in places)]

    def _passage_quotes(self, question: str, scored: Sequence[ScoredPassage]) -> list[tuple[int, int, str]]:
        """Select the sentences worth quoting, best first, leaving out near repetitions.

        Each with the number of its passage and its offset in that.
        """
        found: dict[tuple[str, int], tuple[int, int, str]] = {}
        for number, item in enumerate(scored):
            for start, text in quotable(item.passage.text):  # one in an overlap counts for the better passage
                found.setdefault((item.passage.document, item.passage.start + start), (number, start, text))
        fits = self.fits(question, [text for _, _, text in found.values()]) if found else []
        floor = QUOTED * max(fits, default=0.0)
        worthy = [
            (_OWN * fit + _AROUND * (scored[quote[0]].score or 0.0) + (CUE if asked_kind(question, quote[2]) else 0.0),
             quote)
            for quote, fit in zip(found.values(), fits, strict=True) if fit >= floor > 0
        ]  # fmt: skip
        best = [quote for _, quote in sorted(worthy, key=lambda item: -item[0])]
        return [best[place] for place in distinct(self, [text for _, _, text in best], SENTENCES)]


def _spans(item: Kept) -> Sequence[Passage]:
    """Return the spans that can be quoted for a fact, where it was taken from, or for a passage, its sentences."""
    if not isinstance(item, ScoredPassage):
        return item.edge.passages
    whole = item.passage
    return [replace(whole, start=whole.start + start, end=whole.start + start + len(text), text=text)
            for start, text in quotable(whole.text)]  # fmt: skip


def distinct(scoring: Scoring, texts: Sequence[str], limit: int) -> list[int]:
    """Return the places of the first texts that don't repeat one before them, at most `limit`."""
    if not texts:
        return []
    vectors = scoring.embedder.embed(texts)
    places: list[int] = []
    for i in range(len(texts)):
        if len(places) < limit and all(float(vectors[i] @ vectors[j]) < LIKENESS for j in places):
            places.append(i)
    return places


def as_quoted(text: str) -> str:
    """Return a source sentence on one line, without list marks; where it is only a part of one, dots say so."""
    line = " ".join(text.split()).lstrip("-*•#> ").replace("**", "").replace("`", "")
    begun = f"… {line}" if line[:1].islower() else line
    return begun if line.endswith((".", "!", "?", "”", '"')) else f"{begun} …"


def _answer(
    quotes: Sequence[tuple[str, tuple[int, ...]]], found: Support, nearest: str | None
) -> Iterator[Sentence | Verdict]:
    if not quotes or not found.is_enough:
        yield Sentence(found.refusal(truncate(nearest, 80) if nearest is not None else None))
        yield Verdict("declined", found.missing)
        return
    for text, cites in quotes:
        yield Sentence(as_quoted(text), cites)
    yield from map(Sentence, not_covered(found.missing))
    yield Verdict("done", found.missing)
