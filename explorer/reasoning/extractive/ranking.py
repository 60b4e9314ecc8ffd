"""How well each sentence answers a question, by its features weighed as `weights.json` says; and which are quoted."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from explorer.reasoning.extractive.features import OF_SENTENCES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.reasoning.extractive.features import Features
    from explorer.reasoning.extractive.matching import Match, Row

SENTENCES = 3
"""Sentences that answer one part of a question, at most."""
# Chosen on SQuAD's 1,299 answerable questions, each article left out, and on HotpotQA's and MuSiQue's 97
NEW, LINKED, APART = 4.0, 0.3, 0.8
NEVER = -1e9
"""The score of a sentence that may not be quoted."""


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
