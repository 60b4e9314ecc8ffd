"""A sketch of many vectors: four bits for each pair of numbers, from which those near a query are found quickly.

Product quantisation with the "fast scan" of faiss (André, Kermarrec and Le Scouarnec, 2017). All codes are compared,
so nothing is missed for lying in another cell, adding is cheap, and what is found is the same each time. The nearest
by their codes are candidates only: comparing them by their vectors is up to the caller.
"""

from __future__ import annotations

import json
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]
    Numbers = NDArray[np.int64]

_FORMAT = 1
_BITS = 4


class Sketch:
    """Codes of vectors by the numbers they go by; `learned` and `load` make one."""

    def __init__(self, index: Any, numbers: Numbers, width: int) -> None:  # noqa: ANN401 - faiss names no such type
        """Use an index of faiss and the number that each of its vectors goes by; `width` is how long vectors are."""
        self.index = index
        self.numbers = numbers
        self.width = width

    @classmethod
    def learned(cls, lesson: Matrix) -> Sketch:
        """Make an empty one that has learned its codes from some vectors; the same ones give the same codes."""
        import faiss
        import numpy as np

        width = lesson.shape[1]
        index = faiss.IndexPQFastScan(_even(width), _even(width) // 2, _BITS, faiss.METRIC_INNER_PRODUCT)
        threads = faiss.omp_get_max_threads()
        faiss.omp_set_num_threads(1)  # so little work that several would mostly wait for each other
        try:
            index.train(_padded(lesson))
        finally:
            faiss.omp_set_num_threads(threads)
        return cls(index, np.zeros(0, dtype=np.int64), width)

    def __len__(self) -> int:
        return len(self.numbers)

    def add(self, numbers: Numbers, vectors: Matrix) -> None:
        """Add one vector for each number."""
        import numpy as np

        self.index.add(_padded(vectors))
        self.numbers = np.concatenate([self.numbers, numbers])

    def candidates(self, queries: Matrix, limit: int) -> list[Numbers]:
        """Give for each query row the numbers of the `limit` vectors that seem nearest, in no order."""
        if not len(self):
            return [self.numbers for _ in queries]
        _, places = self.index.search(_padded(queries), min(limit, len(self)))
        return [self.numbers[row[row >= 0]] for row in places]

    def save(self, path: Path, about: dict[str, int | str]) -> None:
        """Write it to a file, whole or not at all, with what the caller wants to know when it is read."""
        import faiss
        import numpy as np

        told = json.dumps({**about, "format": _FORMAT, "width": self.width}).encode()
        part = path.with_name(path.name + ".part")
        with part.open("wb") as file:
            np.savez(
                file,
                about=np.frombuffer(told, dtype=np.uint8),
                numbers=self.numbers,
                index=faiss.serialize_index(self.index),
            )
        part.replace(path)

    @classmethod
    def load(cls, path: Path) -> tuple[Sketch, dict[str, int | str]] | None:
        """Read a file back, with what was said about it; None when there is none, or it is damaged."""
        import faiss
        import numpy as np

        # a sketch can always be made anew, so whatever is wrong with its file need not be told
        with suppress(OSError, EOFError, ValueError, KeyError, RuntimeError, zipfile.BadZipFile):
            with path.open("rb") as file, np.load(file, allow_pickle=False) as kept:  # checks the sums of what it reads
                about: dict[str, int | str] = json.loads(kept["about"].tobytes())
                if about["format"] != _FORMAT:
                    return None
                made = cls(faiss.deserialize_index(kept["index"]), kept["numbers"], int(about["width"]))
            return (made, about) if made.index.ntotal == len(made) else None
        return None


def _even(width: int) -> int:
    return width + width % 2


def _padded(vectors: Matrix) -> Matrix:
    """Give rows of an even length, as faiss wants them in memory."""
    import numpy as np

    wide = np.pad(vectors, ((0, 0), (0, vectors.shape[1] % 2)))
    return np.ascontiguousarray(wide, dtype=np.float32)
