"""The vectors of what is stored: each text is embedded once, and one that is made of others may be joined from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from explorer.errors import ModelError
from explorer.models.embedding import Embedder, Joining
from explorer.stores.vectors.search import Entry

if TYPE_CHECKING:
    from explorer.stores.database import Matrix

_ROOM = 20_000  # vectors that are remembered: 30 MB


@dataclass(frozen=True, slots=True)
class Vectors:
    """Makes vectors for the length of one ingest."""

    embedder: Embedder
    _known: dict[str, Matrix] = field(default_factory=dict, init=False, repr=False)

    @property
    def joins(self) -> bool:
        """Whether facts and passages have vectors that are joined from those of their parts."""
        return isinstance(self.embedder, Joining)

    def know(self, texts: Sequence[str], vectors: Matrix) -> None:
        """Remember vectors that are stored already."""
        self._known.update(zip(texts, vectors, strict=True))

    def of(self, texts: Sequence[str]) -> Matrix:
        """Return an (n, d) array of float32 with rows of length 1, one for each text."""
        import numpy as np

        new = sorted({text: None for text in texts if text not in self._known}, key=len)
        if new or not texts:  # those of like length fill an embedder's batches best
            made = self.embedder.embed(new)
            if not texts:
                return made
            self._known.update(zip(new, made, strict=True))
        found = [self._known[text] for text in texts]
        if len({row.shape for row in found}) > 1:
            message = f"{self.embedder.name} gives vectors of different lengths; let it serve one model all the time."
            raise ModelError(message)
        rows = np.stack(found)
        if len(self._known) > _ROOM:
            self._known.clear()
        return rows

    def of_entries(self, entries: Sequence[Entry]) -> Matrix:
        """Return the vector of each entry, joined from those of its parts where it has some and the embedder joins."""
        import numpy as np

        embedder = self.embedder
        if not isinstance(embedder, Joining) or not entries:
            return self.of([entry.text for entry in entries])
        parts = [entry.parts or ((entry.text, 1.0),) for entry in entries]
        rows = self.of([text for one in parts for text, _ in one])
        ends = np.cumsum([len(one) for one in parts])[:-1]
        return np.stack([
            embedder.joined(of_parts, [weight for _, weight in one])
            for one, of_parts in zip(parts, np.split(rows, ends), strict=True)
        ])  # fmt: skip
