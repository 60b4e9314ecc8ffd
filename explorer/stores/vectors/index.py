"""The vectors of one kind, ready to be searched and kept in step with SQLite.

Few are compared one by one. Of many a sketch finds candidates, and those are compared by their stored vectors, so
similarities are exact either way. On disk the sketch is kept in a file beside the collection's: only a cache, caught
up with what was added since, and made anew when it is damaged or tells of other rows.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.stores.database import Database, Tally
from explorer.stores.vectors.quantised import Sketch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]
    Numbers = NDArray[np.int64]

FEW = 20_000
_BATCH = 8192
_LESSON = 4096
_SPARE = 100
_FRACTION = 16
_BLUR = 1e-5


class Shelf:
    """Search among the vectors of one kind; up to `few` of them are compared one by one."""

    def __init__(self, database: Database, kind: str, few: int = FEW) -> None:
        """Read nothing yet."""
        self.database = database
        self.kind = kind
        self.few = few
        self._lock = threading.Lock()
        self._forget()

    def nearest(self, queries: Matrix, limit: int) -> list[list[tuple[int, float]]]:
        """Find for each query row of length 1 the nearest: (row number, cosine), best first, then as stored."""
        with self._lock:
            self._follow()
            if self._sketch is None:
                return _best(self._numbers, self._matrix, queries, limit)
            found = self._sketch.candidates(queries, _SPARE + 2 * limit)
        return [self._compared(query, numbers, limit) for query, numbers in zip(queries, found, strict=True)]

    def _compared(self, query: Matrix, candidates: Numbers, limit: int) -> list[tuple[int, float]]:
        return _best(*stored(self.database, candidates.tolist()), query[None], limit)[0]

    def _forget(self) -> None:
        import numpy as np

        self._seen, self._kept = Tally(), 0
        self._sketch: Sketch | None = None
        self._numbers: Numbers = np.zeros(0, dtype=np.int64)
        self._matrix: Matrix = np.zeros((0, 0), dtype=np.float32)

    def _follow(self) -> None:
        """Take in what was stored since, or start anew where more than that has changed."""
        now = self.database.tally(self.kind)
        if now == self._seen:
            return
        many = now.held > self.few
        if not self._seen.leads_to(now) or many != (self._sketch is not None):
            self._forget()
            if many:
                self._load(now)
        self._grow(now)
        if self._kept and len(self._sketch or ()) != now.held:  # the file told of other rows
            self._forget()
            self._grow(now)
        self._keep()

    def _grow(self, now: Tally) -> None:
        """Add all rows that are not here yet."""
        import numpy as np

        for numbers, vectors in _rows(self.database, self.kind, self._seen.last, now.last):
            if now.held <= self.few:
                self._numbers = np.concatenate([self._numbers, numbers])
                self._matrix = np.concatenate([self._matrix, vectors]) if len(self._matrix) else vectors
                continue
            if self._sketch is None:
                self._sketch = Sketch.learned(vectors[:_LESSON])
            self._sketch.add(numbers, vectors)
        self._seen = now

    @property
    def _file(self) -> Path | None:
        path = self.database.path
        return path and path.with_name(f"nearest-{self.kind}.npz")

    def _load(self, now: Tally) -> None:
        """Take the sketch from its file if that tells of rows that are still there."""
        kept = Sketch.load(self._file) if self._file else None
        if kept is None:
            return
        sketch, about = kept
        then = Tally(len(sketch), int(about["last"]), int(about["dropped"]))
        if then.leads_to(now) and about["digest"] == self._digest(then.last):
            self._sketch, self._seen, self._kept = sketch, then, len(sketch)

    def _keep(self) -> None:
        """Write the sketch to its file, unless the few rows it lacks are soon added again."""
        if self._sketch is None or self._file is None or self.database.read_only:
            return
        if len(self._sketch) - self._kept <= self._kept // _FRACTION:
            return
        about: dict[str, int | str] = {
            "last": self._seen.last,
            "dropped": self._seen.dropped,
            "digest": self._digest(self._seen.last),
        }
        with suppress(OSError):  # what can't be kept is made anew next time
            self._sketch.save(self._file, about)
            self._kept = len(self._sketch)

    def _digest(self, number: int) -> str:
        """Tell one row from any other that may come to have its number in another copy of the collection."""
        rows = self.database.rows("SELECT kind, key, document, text, vector FROM vectors WHERE number = ?", (number,))
        return hashlib.sha256(repr([tuple(row) for row in rows]).encode()).hexdigest()


def stored(database: Database, numbers: Sequence[int]) -> tuple[Numbers, Matrix]:
    """Read vectors by their row numbers: those that are there, in the order of their numbers, once each."""
    return _arrays(
        database.rows(
            "SELECT number, vector FROM vectors WHERE number IN (SELECT value FROM json_each(?)) ORDER BY number",
            (json.dumps(list(numbers)),),
        )
    )


def _rows(database: Database, kind: str, after: int, last: int) -> Iterator[tuple[Numbers, Matrix]]:
    """Read a kind's vectors with their numbers from one number to another, in batches."""
    while batch := database.rows(
        "SELECT number, vector FROM vectors WHERE kind = ? AND number > ? AND number <= ? ORDER BY number LIMIT ?",
        (kind, after, last, _BATCH),
    ):
        yield _arrays(batch)
        after = batch[-1]["number"]


def _arrays(rows: Sequence[sqlite3.Row]) -> tuple[Numbers, Matrix]:
    import numpy as np

    numbers = np.fromiter((row["number"] for row in rows), dtype=np.int64, count=len(rows))
    flat = np.frombuffer(b"".join(row["vector"] for row in rows), dtype=np.float32)
    return numbers, flat.reshape(len(rows), -1) if rows else flat.reshape(0, 0)


def _best(numbers: Numbers, vectors: Matrix, queries: Matrix, limit: int) -> list[list[tuple[int, float]]]:
    """Give for each query the rows most similar to it, best first, equal ones in order; `numbers` rise.

    A matrix product tells which they may be; its last digits depend on the processor and on where a row stands in the
    matrix, so the similarities themselves are summed up row by row.
    """
    if not len(numbers) or limit <= 0:
        return [[] for _ in queries]
    return [
        _ranked(numbers, vectors, query, rough, limit)
        for query, rough in zip(queries, queries @ vectors.T, strict=True)
    ]


def _ranked(numbers: Numbers, vectors: Matrix, query: Matrix, rough: Matrix, limit: int) -> list[tuple[int, float]]:
    import numpy as np

    if len(rough) > limit:
        near = np.flatnonzero(rough >= np.partition(rough, -limit)[-limit] - _BLUR)
        numbers, vectors = numbers[near], vectors[near]
    scores = np.einsum("ij,j->i", vectors, query)
    order = np.argsort(-scores, kind="stable")[:limit]
    return list(zip(numbers[order].tolist(), scores[order].tolist(), strict=True))
