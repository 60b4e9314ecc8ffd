"""What is known of how well each sentence of some passages fits a question: numbers from 0 to about 1, by name.

They rest on shared words weighed by rarity, on word vectors, on cosines of the embedder (`matching.py`), on named
entities, and on where a sentence stands. `ranking.py` weighs those of each, `support.py` those of the best.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.language import questions as q
from explorer.language.opposites import opposites
from explorer.language.words import stem, tokens
from explorer.reasoning.extractive.kinds import kind_in
from explorer.reasoning.extractive.matching import Match

if TYPE_CHECKING:
    from explorer.reasoning.extractive.matching import Row

OF_SENTENCES = (
    "meaning", "meaning around", "cosine", "passage rank", "passage cosine", "names in passage", "kind", "length",
    "begins with pronoun",
)  # fmt: skip
OF_SUPPORT = (
    "words of all", "worst", "passage cosine", "title", "name lost", "number lost", "time lost", "negation lost",
    "antonym",
)  # fmt: skip

_PRONOUN = re.compile(
    r"(?:\W*(?:and|but|however|then|also|later|there|thus|moreover|furthermore|in addition|instead|therefore),? )?"
    r"(?:he|she|it|they|his|her|its|their|this|these|those|that|such|both)\b", re.IGNORECASE
)  # fmt: skip
NEGATION = re.compile(
    r"\b(?:not|never|no|without|nobody|nothing|none|neither|nor|cannot|unable|fail\w*|refus\w*)\b|n[’']t\b",
    re.IGNORECASE,
)
_BEST = 3  # passages in which the words of a question are looked for


@dataclass(frozen=True, slots=True)
class Features:
    """The features of every sentence of some passages for one question: a row for each of `match.lines`."""

    match: Match
    sentences: Row

    def named(self, name: str) -> Row:
        """Return one feature of all sentences."""
        column: Row = self.sentences[:, OF_SENTENCES.index(name)]
        return column

    def of_support(self, best: int) -> Row:
        """Return what is known of the best sentence, by its place, and of what was found."""
        import numpy as np

        match, asked, text = self.match, self.match.question, self.match.texts[best]
        weights, passage = match.weights / (match.weights.sum() or 1.0), match.lines[best].passage
        beside = match.numbers_there[max(0, best - 1) : best + 2]
        known = {
            "words of all": (weights * match.exact_of_passages[:_BEST].max(axis=0)).sum(),
            "worst": match.found[best].min(initial=1.0),
            "passage cosine": match.cosines_of_passages[passage],
            "title": (weights * match.exact_of_titles[passage]).sum(),
            "name lost": match.names_in(frozenset().union(*match.stems_of_passages)) < 1,
            "number lost": not match.numbers <= frozenset().union(*beside),
            "time lost": asked.kind == q.TIME and not self.named("kind")[best],
            "negation lost": asked.is_negated and not NEGATION.search(text),
            "antonym": _has_antonym(asked.text, text),
        }
        return np.array([known[name] for name in OF_SUPPORT], dtype=np.float32)


def features(match: Match) -> Features:
    """Return the features of all sentences of some passages."""
    import numpy as np

    of = np.array([line.passage for line in match.lines])
    weights, keys = match.weights / (match.weights.sum() or 1.0), frozenset(match.keys)
    named = np.array([match.names_in(stems) for stems in match.stems_of_passages])
    entities = [match.sentence(line).entities for line in match.lines]
    known = {
        "meaning": match.found @ weights,
        "meaning around": match.around @ weights,
        "cosine": match.cosines,
        "passage rank": 1 / (1 + of),
        "passage cosine": match.cosines_of_passages[of],
        "names in passage": named[of],
        "kind": [kind_in(match.question, found, keys, text) for found, text in zip(entities, match.texts, strict=True)],
        "length": np.log1p([len(run) for run in match.stemmed]) / 3,
        "begins with pronoun": [_PRONOUN.match(text) is not None for text in match.texts],
    }
    return Features(match, np.stack([np.asarray(known[name], dtype=np.float32) for name in OF_SENTENCES], axis=1))


def _has_antonym(asked: str, text: str) -> bool:
    """Return whether the opposite of a word of a question stands in a sentence, and not the word itself."""
    there = {stem(word) for word in tokens(text)}
    return any(opposites(key) & there for key in {stem(word) for word in tokens(asked)} - there)
