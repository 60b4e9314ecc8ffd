"""Which passages to read: those near the question and those that hold its words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.reasoning.words import is_telling, tokens
from explorer.stores.collection import Collection

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class PassageSearch:
    """Ranks the chunks of a collection."""

    stores: Collection

    def scores(self, part: str, vector: NDArray[np.float32], limit: int) -> dict[str, float]:
        """Give at most 2 × `limit` chunks by IRI with how near they are to a question (0 to 1), by meaning and words."""
        [near] = self.stores.vectors.search("chunk", vector[None], limit)
        worded = self.stores.library.search([word for word in tokens(part) if is_telling(word)], limit)
        meant = _scaled({hit.key: hit.score for hit in near})
        said = _scaled({**dict(worded), "": 0.0})
        both = {key: meant.get(key, 0.0) + said.get(key, 0.0) for key in {**meant, **said} if key}
        top = max(both.values(), default=0.0) or 1.0
        return {key: score / top for key, score in both.items()}


def _scaled(scores: Mapping[str, float]) -> dict[str, float]:
    """Bring scores to 0…1, the lowest to 0 and the highest to 1."""
    low, high = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    return {key: (score - low) / (high - low) if high > low else 1.0 for key, score in scores.items()}
