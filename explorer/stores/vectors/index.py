"""The vectors of one kind, ready to be searched and kept in step with SQLite.

Few are compared one by one. Of many a quantised index finds candidates, and those are compared by their stored vectors,
so similarities are the same either way. On disk that index has a file beside the collection's: only a cache, extended
by what was added since, and rebuilt when it is damaged or describes other rows.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from explorer.stores.database import Database, Tally, among
from explorer.stores.vectors.codes import decoded
from explorer.stores.vectors.quantised import QuantisedIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from explorer.stores.database import Matrix

    Numbers = NDArray[np.int64]

FEW = 20_000  # vectors that are compared one by one
_BATCH = 8192
_TRAINING = 4096  # vectors that codes are trained on
_SPARE = 100  # candidates beyond twice what is asked for
_FRACTION = 16  # the file is rewritten once it lacks more than this part of its rows


class Held(Database, Protocol):
    """A database whose files are in a folder, where one process writes: vectors are held by each that searches."""

    path: Path | None


class KindIndex:
    """A `NearestIndex` that this process holds."""

    def __init__(self, database: Held, kind: str, few: int = FEW) -> None:
        self.database = database
        self.kind = kind
        self.few = few
        self._lock = threading.Lock()
        self._forget()

    def nearest(self, queries: Matrix, limit: int) -> list[list[tuple[int, float]]]:
        with self._lock:
            self._catch_up()
            if self._quantised is None:
                return [nearest_rows(self._numbers, self._matrix, query, limit) for query in queries]
            found = self._quantised.candidates(queries, _SPARE + 2 * limit)
        return [
            nearest_rows(*stored(self.database, candidates.tolist()), query, limit)
            for query, candidates in zip(queries, found, strict=True)
        ]

    def make_ready(self) -> None:
        """Write what a search would first have to make from many vectors; does nothing where that is few of them."""
        with self._lock:
            held = self.database.tally(self.kind).held
            if self._file is None or held <= self.few:
                return
            saved = self._saved or int(QuantisedIndex.about(self._file).get("held", 0))
            if held - saved > saved // _FRACTION:
                self._catch_up()

    def _forget(self) -> None:
        import numpy as np

        self._seen, self._saved = Tally(), 0
        self._quantised: QuantisedIndex | None = None
        self._numbers: Numbers = np.zeros(0, dtype=np.int64)
        self._matrix: Matrix = np.zeros((0, 0), dtype=np.float32)

    def _catch_up(self) -> None:
        """Add what was stored since, or start again where rows were changed or taken away."""
        now = self.database.tally(self.kind)
        if now == self._seen:
            return
        many = now.held > self.few
        if not self._seen.leads_to(now) or many != (self._quantised is not None):
            self._forget()
            if many:
                self._load(now)
        self._grow(now)
        if self._saved and len(self._quantised or ()) != now.held:  # the file described other rows
            self._forget()
            self._grow(now)
        self._save()

    def _grow(self, now: Tally) -> None:
        import numpy as np

        for numbers, vectors in _rows(self.database, self.kind, self._seen.last, now.last):
            if now.held <= self.few:
                self._numbers = np.concatenate([self._numbers, numbers])
                self._matrix = np.concatenate([self._matrix, vectors]) if len(self._matrix) else vectors
                continue
            if self._quantised is None:
                self._quantised = QuantisedIndex.trained(vectors[:_TRAINING])
            self._quantised.add(numbers, vectors)
        self._seen = now

    @property
    def _file(self) -> Path | None:
        path = self.database.path
        return path and path.with_name(f"nearest-{self.kind}.npz")

    def _load(self, now: Tally) -> None:
        """Load the quantised index from its file if all rows that it describes are still there."""
        loaded = QuantisedIndex.load(self._file) if self._file else None
        if loaded is None:
            return
        quantised, about = loaded
        then = Tally(len(quantised), int(about["last"]), int(about["dropped"]))
        if then.leads_to(now) and about["digest"] == self._digest(then.last):
            self._quantised, self._seen, self._saved = quantised, then, len(quantised)

    def _save(self) -> None:
        """Write the quantised index to its file, unless that lacks few rows only."""
        if self._quantised is None or self._file is None or self.database.read_only:
            return
        if len(self._quantised) - self._saved <= self._saved // _FRACTION:
            return
        about: dict[str, int | str] = {
            "held": len(self._quantised),
            "last": self._seen.last,
            "dropped": self._seen.dropped,
            "digest": self._digest(self._seen.last),
        }
        with suppress(OSError):  # what could not be written is rebuilt next time
            self._quantised.save(self._file, about)
            self._saved = len(self._quantised)

    def _digest(self, number: int) -> str:
        """Return a hash by which a row differs from any with its number in another copy of the collection."""
        rows = self.database.rows("SELECT kind, key, document, text, vector FROM vectors WHERE number = ?", (number,))
        return hashlib.sha256(repr([tuple(row) for row in rows]).encode()).hexdigest()


class SomeVectors:
    """A `NearestIndex` of some vectors alone: each is compared."""

    def __init__(self, database: Database, numbers: Iterable[int]) -> None:
        self._database, self._some = database, numbers

    def nearest(self, queries: Matrix, limit: int) -> list[list[tuple[int, float]]]:
        """Find for each query row the nearest of them: (row number, cosine), best first, then as stored."""
        return [nearest_rows(*self._vectors, query, limit) for query in queries]

    def make_ready(self) -> None:
        """Do nothing: vectors are read when they are searched."""

    @cached_property
    def _vectors(self) -> tuple[Numbers, Matrix]:
        return stored(self._database, sorted(self._some))


def stored(database: Database, numbers: Sequence[int]) -> tuple[Numbers, Matrix]:
    """Read vectors by their row numbers: those that are there, in the order of their numbers, once each."""
    return arrays(among(database, "SELECT number, vector FROM vectors", "number", numbers, "ORDER BY number"))


def _rows(database: Database, kind: str, after: int, last: int) -> Iterator[tuple[Numbers, Matrix]]:
    while batch := database.rows(
        "SELECT number, vector FROM vectors WHERE kind = ? AND number > ? AND number <= ? ORDER BY number LIMIT ?",
        (kind, after, last, _BATCH),
    ):
        yield arrays(batch)
        after = batch[-1]["number"]


def arrays(rows: Sequence[Iterable[Any]]) -> tuple[Numbers, Matrix]:
    """Return numbers, and vectors as they are stored, as arrays."""
    import numpy as np

    return np.array([number for number, _ in rows], dtype=np.int64), decoded([vector for _, vector in rows])


def nearest_rows(numbers: Numbers, vectors: Matrix, query: Matrix, limit: int) -> list[tuple[int, float]]:
    """Return the rows most similar to a query, best first, equal ones in order; `numbers` rise.

    Summed up row by row: the last digits of a matrix product depend on where a row stands in the matrix, and BLAS would
    start threads for it.
    """
    import numpy as np

    if limit <= 0 or not len(numbers):
        return []
    scores = np.einsum("ij,j->i", vectors, query)
    if len(scores) > limit:
        near = np.flatnonzero(scores >= np.partition(scores, -limit)[-limit])
        numbers, scores = numbers[near], scores[near]
    order = np.argsort(-scores, kind="stable")[:limit]
    return list(zip(numbers[order].tolist(), scores[order].tolist(), strict=True))
