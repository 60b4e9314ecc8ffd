"""A quantised index of many vectors: four bits for each pair of numbers, from which those near a query are found fast.

Product quantisation with the "fast scan" of faiss (André, Kermarrec and Le Scouarnec, 2017). All codes are compared,
so nothing is missed for lying in another cell, adding is cheap, and what is found is the same each time. The nearest
by their codes are candidates only: comparing them by their vectors is up to the caller.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from explorer.stores.database import Matrix

    Numbers = NDArray[np.int64]

_FORMAT = 1
_BITS = 4
_DAMAGED = (OSError, EOFError, ValueError, KeyError, RuntimeError, zipfile.BadZipFile)
_ROUNDS = 8  # of k-means: with 25, the usual number, no more of the true nearest are found


class QuantisedIndex:
    """Codes of vectors by the numbers they go by; `learned` and `load` make one."""

    def __init__(self, index: Any, numbers: Numbers, width: int) -> None:  # noqa: ANN401 - faiss names no such type
        """Use an index of faiss, the row number of each of its vectors, and the length of the vectors."""
        self.index = index
        self.numbers = numbers
        self.width = width

    @classmethod
    def trained(cls, sample: Matrix) -> QuantisedIndex:
        """Return an empty index whose codes were trained on a sample; the same sample gives the same codes."""
        import faiss
        import numpy as np

        width = sample.shape[1]
        index = faiss.IndexPQFastScan(_even(width), _even(width) // 2, _BITS, faiss.METRIC_INNER_PRODUCT)
        index.pq.cp.niter = _ROUNDS
        with _one_thread():
            index.train(_padded(sample))
        return cls(index, np.zeros(0, dtype=np.int64), width)

    def __len__(self) -> int:
        return len(self.numbers)

    def add(self, numbers: Numbers, vectors: Matrix) -> None:
        """Add one vector for each number."""
        import numpy as np

        self.index.add(_padded(vectors))
        self.numbers = np.concatenate([self.numbers, numbers])

    def candidates(self, queries: Matrix, limit: int) -> list[Numbers]:
        """Return for each query row the numbers of the `limit` vectors that seem nearest, in no order."""
        if not len(self):
            return [self.numbers for _ in queries]
        with _one_thread():
            _, places = self.index.search(_padded(queries), min(limit, len(self)))
        return [self.numbers[row[row >= 0]] for row in places]

    def save(self, path: Path, about: dict[str, int | str]) -> None:
        """Write it to a file, whole or not at all, with facts `about` it for the caller that reads it back."""
        import faiss
        import numpy as np

        header = json.dumps({**about, "format": _FORMAT, "width": self.width}).encode()
        part = path.with_name(path.name + ".part")
        with part.open("wb") as file:
            np.savez(
                file,
                about=np.frombuffer(header, dtype=np.uint8),
                numbers=self.numbers,
                index=faiss.serialize_index(self.index),
            )
        part.replace(path)

    @classmethod
    def about(cls, path: Path) -> dict[str, int | str]:
        """Read the facts about a file alone; none where there is no file, or a damaged one."""
        import numpy as np

        with suppress(*_DAMAGED), path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            about: dict[str, int | str] = json.loads(stored["about"].tobytes())
            return about
        return {}

    @classmethod
    def load(cls, path: Path) -> tuple[QuantisedIndex, dict[str, int | str]] | None:
        """Read a file back with the facts about it; None when there is no file, or a damaged one."""
        import faiss
        import numpy as np

        # the index can always be rebuilt, so whatever is wrong with its file need not be reported
        with suppress(*_DAMAGED):
            with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:  # checks sums
                about: dict[str, int | str] = json.loads(stored["about"].tobytes())
                if about["format"] != _FORMAT:
                    return None
                loaded = cls(faiss.deserialize_index(stored["index"]), stored["numbers"], int(about["width"]))
            return (loaded, about) if loaded.index.ntotal == len(loaded) else None
        return None


@contextmanager
def _one_thread() -> Iterator[None]:
    """Keep faiss to one thread: so little work is done at a time that several would mostly wait for each other."""
    import faiss

    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(threads)


def _even(width: int) -> int:
    return width + width % 2


def _padded(vectors: Matrix) -> Matrix:
    """Return rows of an even length, in the memory layout that faiss needs."""
    import numpy as np

    wide = np.pad(vectors, ((0, 0), (0, vectors.shape[1] % 2)))
    return np.ascontiguousarray(wide, dtype=np.float32)
