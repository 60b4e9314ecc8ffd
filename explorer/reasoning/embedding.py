"""Text to vectors."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Anything that turns n texts into an (n, d) array of float32 with rows of length 1."""

    @property
    def name(self) -> str:
        """Say which model with how many dimensions makes the vectors."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give one row for each text; an empty text gives a row of zeros."""


class WordLlamaEmbedder:
    """Static word vectors averaged over a text: 256 dimensions, weights in the wheel, no network."""

    name = "wordllama-256"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give an (n, 256) array of float32 with rows of length 1."""
        import numpy as np

        if not texts:
            return np.zeros((0, 256), dtype=np.float32)
        vectors = _wordllama().embed([text or " " for text in texts], norm=True)
        return np.nan_to_num(np.asarray(vectors, dtype=np.float32))


@cache
def _wordllama() -> Any:  # noqa: ANN401 - wordllama has no type hints
    """Load the model once; the folder is named since it does not find its own tokenizer without a network."""
    from pathlib import Path

    import wordllama

    folder = Path(wordllama.__file__).parent
    return wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
