"""The reasoner without a model: it compares words and vectors, quotes, and declines when the evidence is not there.

Concepts are the runs between stop words. An edge is scored together with its source sentence. The answer is made of
source sentences, each cited. The same input always gives the same output. It never claims to have understood.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.captions import short
from explorer.events import Passage
from explorer.reasoning.embedding import Embedder
from explorer.reasoning.reasoner import Edge, Scored, Selected, Sentence, Verdict
from explorer.reasoning.words import answers_kind, clauses, is_name, is_telling, phrases, stem, stems, tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

REACH = 0.7
FLOOR = 0.2
CUE = 0.06
LEVELLED = 1.2
NEAR_WORD = 0.62
RAREST = 2.5  # an unknown word may be another word for a known thing: it must not outweigh all others
CUT_OFF = 0.47
NAMED_CUT_OFF = 0.6
SENTENCES = 5
QUOTED = 0.75
CHOSEN = 0.3
AROUND = 10
LIKENESS = 0.92


@dataclass(frozen=True, slots=True)
class ExtractiveReasoner:
    """Reasons by embedding similarity and shared words; `rarity` gives a word's inverse document frequency."""

    embedder: Embedder
    rarity: Callable[[str], float]

    @property
    def name(self) -> str:
        """Say who reasons and in which version."""
        return "extractive/1"

    def concepts(self, question: str) -> list[str]:
        """Give the question's phrases; the whole question when it has none."""
        return phrases(question) or [question]

    def score_edges(self, question: str, concepts: Sequence[str], edges: Sequence[Edge]) -> list[Scored]:
        """Score each edge half by its words, half by how near the search came to it through the graph."""
        if not edges:
            return []
        scores = [(1 - REACH) * fit + REACH * edge.reach for edge, fit in zip(edges, self._fits(question, edges), strict=True)]
        near = self._similarities(concepts, [_spoken(edge) for edge in edges])
        scored = [Scored(edge, min(1.0, score), concepts[int(row.argmax())])
                  for edge, score, row in zip(edges, scores, near, strict=True)]  # fmt: skip
        return sorted(scored, key=lambda item: -item.score)

    def _fits(self, question: str, edges: Sequence[Edge]) -> list[float]:
        """Give how well each edge with its sentence and the text around it fits the part of the question it fits best.

        The parts are made comparable: the best edge of each is lifted toward the best of all, by at most a fifth.
        """
        parts = clauses(question)
        spoken = [_spoken(edge) for edge in edges]
        around = list(dict.fromkeys(edge.context for edge in edges))
        near = self._similarities(parts, spoken)
        wide = dict(zip(around, self._similarities(parts, around), strict=True))
        rows = [
            [_score(edge, said, weights, float(here[i]), float(wide[edge.context][i])) + _bonus(part, said)
             for edge, said, here in zip(edges, spoken, near, strict=True)]
            for i, part in enumerate(parts)
            for weights in [self._weights(part)]
        ]  # fmt: skip
        return _levelled(rows)

    def select(self, question: str, scored: Sequence[Scored], limit: int) -> list[Scored]:
        """Keep what reaches `FLOOR` of the best score."""
        del question
        floor = FLOOR * scored[0].score if scored else 0.0
        return [item for item in scored[:limit] if item.score >= floor]

    def reason_edges(self, question: str, scored: Sequence[Scored]) -> list[Selected]:
        """Say by what each edge was matched, and quote its sentence."""
        near = self._similarities([question], [_spoken(item.edge) for item in scored])[:, 0]
        wide = self._similarities([question], [item.edge.context for item in scored])[:, 0]
        return [
            Selected(item.edge, item.score, item.concept, _reason(item, question, float(here), float(around)))
            for item, here, around in zip(scored, near, wide, strict=True)
        ]

    def synthesise(
        self, question: str, concepts: Sequence[str], selected: Sequence[Selected]
    ) -> Iterator[Sentence | Verdict]:
        """Quote the sentences that carry most, then name what they do not cover; or decline."""
        chosen = self._sentences(question, selected)
        around = [item.edge.context for item in selected[:AROUND]]
        evidence = " ".join([text for passage, _ in chosen for text in (passage.title, passage.text)] + around)
        missing = self._uncovered(question, evidence)
        support = self._support(question, missing, selected)
        if not chosen or support < CUT_OFF or (support < NAMED_CUT_OFF and any(map(is_name, missing.values()))):
            yield from _declined(selected, missing, support)
            return
        for passage, cites in chosen:
            yield Sentence(_whole(passage.text), tuple(cites))
        if missing:
            yield Sentence(f"Not found in these passages: {', '.join(missing.values())}.")
        yield Verdict("done")

    def _support(self, question: str, missing: dict[str, str], selected: Sequence[Selected]) -> float:
        """Give how well the evidence bears an answer: the mean of the best match and of the share of words covered."""
        weights = {word: min(RAREST, weight) for word, weight in self._weights(question).items()}
        total = sum(weights.values())
        lost = sum(weight for word, weight in weights.items() if word in missing)
        covered = 1 - lost / total if total else 0.0
        fits = self._fits(question, [item.edge for item in selected]) if selected else [0.0]
        return 0.5 * covered + 0.5 * min(1.0, max(fits))

    def _sentences(self, question: str, selected: Sequence[Selected]) -> list[tuple[Passage, list[int]]]:
        """Choose the passages worth quoting for their own words, best edges first, leaving out near repetitions."""
        cites: dict[tuple[str, int, int], list[int]] = {}
        passages: dict[tuple[str, int, int], Passage] = {}
        for number, item in enumerate(selected):
            for passage in item.edge.passages:
                home = next((key for key in passages if _within(key, passage)), None)
                key = home or (passage.document, passage.start, passage.end)
                passages.setdefault(key, passage)
                known = cites.setdefault(key, [])
                known += [] if number in known else [number]
        own = self._own_scores(question, [" ".join(passage.text.split()) for passage in passages.values()])
        own = [(1 - CHOSEN) * score + CHOSEN * max(selected[number].score for number in cites[key])
               for score, key in zip(own, passages, strict=True)]  # fmt: skip
        floor = QUOTED * max(own, default=0.0)
        worthy = [key for key, score in zip(passages, own, strict=True) if score >= floor]
        return [(passages[key], cites[key]) for key in self._unlike(worthy, passages)]

    def _own_scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Give for each sentence how well it fits the part of the question it fits best, by meaning and words."""
        parts = clauses(question)
        near = self._similarities(parts, texts)
        shares = [[_share(weights, text) for weights in map(self._weights, parts)] for text in texts]
        return [max(0.5 * float(s) + 0.5 * w for s, w in zip(row, share, strict=True))
                for row, share in zip(near, shares, strict=True)]  # fmt: skip

    def _unlike(
        self, keys: list[tuple[str, int, int]], passages: dict[tuple[str, int, int], Passage]
    ) -> list[tuple[str, int, int]]:
        vectors = self.embedder.embed([passages[key].text for key in keys])
        kept: list[int] = []
        for i in range(len(keys)):
            if len(kept) < SENTENCES and all(float(vectors[i] @ vectors[j]) < LIKENESS for j in kept):
                kept.append(i)
        return [keys[i] for i in kept]

    def _weights(self, question: str) -> dict[str, float]:
        """Give the stems of the question's telling words, each with its rarity."""
        words = {stem(word): word for word in tokens(question) if is_telling(word)}
        return {key: max(0.1, self.rarity(word)) for key, word in words.items()}

    def _uncovered(self, question: str, evidence: str) -> dict[str, str]:
        """Give the question's telling words that stand nowhere in the evidence, nor anything near them in meaning."""
        words = {stem(word): word for word in tokens(question) if is_telling(word)}
        there = set(stems(evidence))
        open_words = {key: word for key, word in words.items() if key not in there}
        vocabulary = sorted({token.lower() for token in tokens(evidence) if is_telling(token)})
        if not open_words or not vocabulary:
            return open_words
        near = self._similarities(vocabulary, list(open_words.values())).max(axis=1)
        return {key: word for (key, word), score in zip(open_words.items(), near, strict=True) if score < NEAR_WORD}

    def _similarities(self, queries: Sequence[str], texts: Sequence[str]) -> NDArray[np.float32]:
        """Give the cosine of each text (rows) to each query (columns)."""
        return self.embedder.embed(texts) @ self.embedder.embed(queries).T


def _declined(selected: Sequence[Selected], missing: dict[str, str], support: float) -> Iterator[Sentence | Verdict]:
    said = "Your documents don't answer this."
    if missing:
        said += f" Nothing was found about {', '.join(missing.values())}."
    if selected:
        said += f" Nearest was “{short(selected[0].edge.text, 80)}”, match {selected[0].score:.2f} of 1."
    yield Sentence(f"{said} Support for an answer is {support:.2f}, the cut-off is {CUT_OFF:.2f}.")
    yield Verdict("declined")


def _spoken(edge: Edge) -> str:
    sentence = edge.passages[0].text if edge.passages else ""
    return f"{edge.text}. {' '.join(sentence.split())}"


def _share(weights: dict[str, float], text: str) -> float:
    there = set(stems(text))
    total = sum(weights.values())
    return sum(weight for word, weight in weights.items() if word in there) / total if total else 0.0


def _score(edge: Edge, said: str, weights: dict[str, float], here: float, around: float) -> float:
    """Combine similarity and shared words of the sentence (0.6) and of the text around it (0.4)."""
    words = 0.3 * _share(weights, said) + 0.2 * _share(weights, edge.context)
    return words + 0.3 * max(0.0, here) + 0.2 * max(0.0, around)


def _bonus(part: str, said: str) -> float:
    return CUE if answers_kind(part, said) else 0.0


def _levelled(rows: Sequence[Sequence[float]]) -> list[float]:
    """Give each edge the score of the part it fits best, parts with low scores lifted by at most `LEVELLED`."""
    height = max(max(row) for row in rows)
    scaled = [[score * min(LEVELLED, height / (max(row) or 1.0)) for score in row] for row in rows]
    return [max(column) for column in zip(*scaled, strict=True)]


def _reason(item: Scored, question: str, here: float, around: float) -> str:
    said = _spoken(item.edge)
    there = set(stems(said))
    shared = [word for word in tokens(question) if is_telling(word) and stem(word) in there]
    why = f"Similarity to the question {here:.2f}, of the text around it {around:.2f}"
    why += f"; shares the words {', '.join(dict.fromkeys(shared))}" if shared else "; shares no word with it"
    kind = next((kind for part in clauses(question) if (kind := answers_kind(part, said))), None)
    why += f"; names {kind}, which was asked for." if kind else "."
    if item.edge.passages:
        return f"{why} Source: “{short(item.edge.passages[0].text, 300)}”"
    return f"{why} No recorded source."


def _within(key: tuple[str, int, int], passage: Passage) -> bool:
    return key[0] == passage.document and key[1] < passage.end and passage.start < key[2]


def _whole(text: str) -> str:
    """Give a source sentence on one line, without list marks, ending like a sentence."""
    line = " ".join(text.split()).lstrip("-*•#> ").replace("**", "").replace("`", "")
    return line if line.endswith((".", "!", "?", "”", '"')) else f"{line}."
