"""How well each sentence answers a question: its features, weighed as `weights.json` says."""

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
    from explorer.reasoning.extractive.matching import Row


@dataclass(frozen=True, slots=True)
class Weights:
    """What `benchmarks/calibrate.py` fitted, and on what.

    `ranking`: by the name of a feature its weight. `support`: the same, with the feature's mean; `base`: the log odds
    where all features have their mean. `sure`, `strong` and `none`: the support from which four of five answers are
    right, from which a question is answered, and below which no answer was found.
    """

    fitted_on: str
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
    return Weights(
        read["fitted on"], read["ranking"], support, read["base"], read["sure"], read["strong"], read["none"]
    )


def scores(features: Features) -> Row:
    """Return the score of each sentence: differences count, the value by itself says nothing."""
    import numpy as np

    known = weights().ranking
    row = np.array([known.get(name, 0.0) for name in OF_SENTENCES], dtype=np.float32)
    found: Row = features.sentences @ row
    return found
