"""How well each sentence of some passages answers a question: its features, weighed as `weights.json` says.

Features are numbers from 0 to about 1, by name. They rest on shared words weighed by rarity, on word vectors, on
cosines of the embedder (`matching`), on named entities, and on where a sentence stands. Those of the best sentence are
weighed again in `support`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from explorer.language import questions as q
from explorer.language.words import content_stems, opposites, stem, tokens
from explorer.reasoning.extractive.matching import Match

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.language.questions import Question
    from explorer.reasoning.extractive.matching import Match, Row
    from explorer.stores.sentences import StoredEntity

_FIRMLY = {
    q.PERSON: frozenset({"person"}),
    q.TIME: frozenset({"time"}),
    q.NUMBER: frozenset({"number", "quantity", "money", "percent"}),
    q.PLACE: frozenset({"place"}),
}
_UNSURE = 0.6  # of a person where a name, an organisation or a group stands, of a place likewise
_WRITTEN = {q.TIME: re.compile(r"\b(?:1\d|20)\d\d\b"), q.NUMBER: re.compile(r"\d+(?:[.,:]\d+)*")}
_CAUSE = re.compile(
    r"\b(?:because|since|due to|owing to|thanks to|caus(?:e|es|ed|ing)|as a (?:result|consequence)|result(?:s|ed|ing)?|"
    r"reasons?|therefore|thus|so that|which (?:is|was) why|le(?:a?d|ads) to|"
    r"in order to|to (?:avoid|protect|keep|prevent|ensure))\b", re.IGNORECASE
)  # fmt: skip
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
SENTENCES = 3
"""Sentences that answer one part of a question, at most."""
# Chosen on SQuAD's 1,299 answerable questions, each article left out, and on HotpotQA's and MuSiQue's 97
NEW, LINKED, APART = 4.0, 0.3, 0.8
NEVER = -1e9
"""The score of a sentence that may not be quoted."""


def kind_in(asked: Question, entities: Sequence[StoredEntity], known: frozenset[str], text: str) -> float:
    """Return how surely a sentence has what is asked for beside the words of the question, of which `known` are stems.

    1 where it has a person, a time and so on, less where that is only a name, 0 where it has none.
    """
    wanted = asked.entities
    found = {one.kind for one in entities if one.kind in wanted and not content_stems(one.text) <= known}
    if found:
        return 1.0 if found & _FIRMLY.get(asked.kind, wanted) else _UNSURE
    written = _WRITTEN.get(asked.kind)
    return float(written is not None and any(one not in asked.text for one in written.findall(text)))


def tells_cause(text: str) -> bool:
    """Return whether a sentence has a word that names a cause."""
    return _CAUSE.search(text) is not None


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
        there, wanted = ({stem(word) for word in tokens(one)} for one in (text, asked.text))
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
            "antonym": any(opposites(key) & there for key in wanted - there),
        }
        return np.array([known[name] for name in OF_SUPPORT], dtype=np.float32)


def features(match: Match, put_down: int = 0) -> Features:
    """Return the features of all sentences of some passages; what people put down stands first, and has no rank."""
    import numpy as np

    of = np.array([line.passage for line in match.lines])
    weights, keys = match.weights / (match.weights.sum() or 1.0), frozenset(match.keys)
    named = np.array([match.names_in(stems) for stems in match.stems_of_passages])
    entities = [match.sentence(line).entities for line in match.lines]
    known = {
        "meaning": match.found @ weights,
        "meaning around": match.around @ weights,
        "cosine": match.cosines,
        "passage rank": 1 / (1 + np.maximum(of - put_down, 0)),
        "passage cosine": match.cosines_of_passages[of],
        "names in passage": named[of],
        "kind": [kind_in(match.question, found, keys, text) for found, text in zip(entities, match.texts, strict=True)],
        "length": np.log1p([len(run) for run in match.stemmed]) / 3,
        "begins with pronoun": [_PRONOUN.match(text) is not None for text in match.texts],
    }
    return Features(match, np.stack([np.asarray(known[name], dtype=np.float32) for name in OF_SENTENCES], axis=1))


@dataclass(frozen=True, slots=True)
class Weights:
    """What `benchmarks/calibrate.py` fitted.

    `ranking`: by the name of a feature its weight. `support`: the same, with the feature's mean; `base`: the log odds
    where all features have their mean. `sure`, `strong` and `none`: the support from which answers that state what is
    asked are right, from which a question is answered, and below which no answer was found.
    """

    ranking: Mapping[str, float]
    support: Mapping[str, tuple[float, float]]
    base: float
    sure: float
    strong: float
    none: float


@lru_cache(maxsize=1)
def weights() -> Weights:
    """Read the weights that come with the package."""
    read = json.loads((files("explorer.reasoning.extractive") / "weights.json").read_text("utf-8"))
    support = {name: (mean, weight) for name, (mean, weight) in read["support"].items()}
    return Weights(read["ranking"], support, read["base"], read["sure"], read["strong"], read["none"])


def scores(features: Features) -> Row:
    """Return the score of each sentence: differences count, the value by itself says nothing."""
    import numpy as np

    known = weights().ranking
    row = np.array([known.get(name, 0.0) for name in OF_SENTENCES], dtype=np.float32)
    found: Row = features.sentences @ row
    return found


def quoted(match: Match, scores: Row) -> list[int]:
    """Return the places of the sentences that are quoted: the best, and after it those that add to it.

    A sentence adds words of the question that those before it lack, by rarity and meaning. It is linked to them where
    the title of its passage stands in one of theirs, or the title of one of theirs in it: so one hop leads to the next,
    which a long question needs. What has the same words as one of them adds nothing.
    """
    import numpy as np

    picks = [int(scores.argmax())]
    best, covered = float(scores[picks[0]]), match.found[picks[0]]
    said = [match.text(line).casefold().split() for line in match.lines]
    linked = np.zeros(len(scores))
    while len(picks) < SENTENCES:
        linked = np.maximum(linked, match.links(picks[-1]))
        gains = (match.weights * np.maximum(match.found - covered, 0)).sum(axis=1)
        values = scores + NEW * gains + LINKED * len(match.words) * linked
        values[[i for i, words in enumerate(said) if any(words == said[place] for place in picks)]] = NEVER
        then = int(values.argmax())
        if best - float(values[then]) > APART:
            break
        picks.append(then)
        covered = np.maximum(covered, match.found[then])
    return picks
