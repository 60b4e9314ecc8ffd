"""Vectors by kind ("entity", "edge", "chunk"), kept in SQLite, searched exactly in memory."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.errors import WorkspaceError
from explorer.stores.database import Database
from explorer.stores.library import any_of
from explorer.stores.web import put_links

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Hit:
    """A stored vector near a query: its number and key, the text it stands for, and the cosine similarity (−1 to 1)."""

    number: int
    key: str
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class Entry:
    """What a stored vector stands for; `chunk` is where an edge's sentence lies."""

    key: str
    chunk: str
    text: str


@dataclass(frozen=True, slots=True)
class _Shelf:
    """All vectors of one kind as one matrix of unit rows, and what each row stands for."""

    stamp: int
    numbers: list[int]
    entries: list[Entry]
    matrix: Matrix


class VectorIndex:
    """Exact search by cosine similarity; a kind's matrix is loaded when first searched and after each change."""

    def __init__(self, database: Database) -> None:
        """Use an open database."""
        self.database = database
        self._shelves: dict[str, _Shelf] = {}
        self._lock = threading.Lock()

    def count(self, kind: str) -> int:
        """Give the number of vectors of a kind."""
        return int(self.database.rows("SELECT count(*) AS n FROM vectors WHERE kind = ?", (kind,))[0]["n"])

    def search(self, kind: str, queries: Matrix, limit: int) -> list[list[Hit]]:
        """Find the `limit` nearest of a kind for each query row (m, d); best first, ties in stored order."""
        import numpy as np

        shelf = self._shelf(kind)
        if not shelf.entries or not len(queries):
            return [[] for _ in queries]
        scores = unit(queries) @ shelf.matrix.T
        found = []
        for row in scores:
            best = np.argsort(-row, kind="stable")[:limit]
            found.append([Hit(shelf.numbers[i], shelf.entries[i].key, shelf.entries[i].text, float(row[i])) for i in best])
        return found

    def keywords(self, words: Iterable[str], limit: int) -> list[Hit]:
        """Find edges whose fact or sentence holds any of the words; `score` is BM25, higher is better, best first."""
        query = any_of(words)
        rows = query and self.database.rows(
            "SELECT number, key, vectors.text AS text, -bm25(spoken) AS score FROM spoken "
            "JOIN vectors ON number = spoken.rowid WHERE spoken MATCH ? ORDER BY score DESC, number LIMIT ?",
            (query, limit),
        )
        return [Hit(row["number"], row["key"], row["text"], row["score"]) for row in rows or []]

    def scores(self, kind: str, queries: Matrix) -> tuple[Sequence[Entry], Matrix]:
        """Give all entries of a kind with the cosine of each (rows) to each query (columns)."""
        import numpy as np

        shelf = self._shelf(kind)
        if not shelf.entries:
            return shelf.entries, np.zeros((0, len(queries)), dtype=np.float32)
        return shelf.entries, shelf.matrix @ unit(queries).T

    def facts(self, numbers: Sequence[int]) -> tuple[list[Entry], Matrix]:
        """Give stored edges by their numbers, with their vectors as rows (n, d)."""
        import numpy as np

        marks = ", ".join("?" * len(numbers))
        rows = self.database.rows(
            f"SELECT number, key, chunk, text, vector FROM vectors WHERE number IN ({marks})",  # noqa: S608 - question marks only
            numbers,
        )
        row_of = {row["number"]: row for row in rows}
        found = [row_of[number] for number in numbers]
        vectors = np.frombuffer(b"".join(row["vector"] for row in found), dtype=np.float32)
        return [Entry(row["key"], row["chunk"], row["text"]) for row in found], vectors.reshape(len(found), -1)

    def check_embedder(self, name: str) -> None:
        """Make sure that an embedder's vectors can be compared with those here; raises WorkspaceError."""
        for row in self.database.rows("SELECT value FROM settings WHERE name = 'embedder'"):
            _check_same(row["value"], name)

    def _shelf(self, kind: str) -> _Shelf:
        [row] = self.database.rows(
            "SELECT max(number) AS n, count(*) AS c, (SELECT value FROM settings WHERE name = 'generation') AS g "
            "FROM vectors WHERE kind = ?",
            (kind,),
        )
        stamp = hash((row["n"], row["c"], row["g"]))
        with self._lock:
            shelf = self._shelves.get(kind)
            if shelf is None or shelf.stamp != stamp:
                shelf = self._shelves[kind] = self._load(kind, stamp)
            return shelf

    def _load(self, kind: str, stamp: int) -> _Shelf:
        import numpy as np

        rows = self.database.rows(
            "SELECT number, key, chunk, text, vector FROM vectors WHERE kind = ? ORDER BY number", (kind,)
        )
        if not rows:
            return _Shelf(stamp, [], [], np.zeros((0, 0), dtype=np.float32))
        matrix = np.frombuffer(b"".join(row["vector"] for row in rows), dtype=np.float32).reshape(len(rows), -1)
        return _Shelf(stamp, [row["number"] for row in rows], [Entry(row["key"], row["chunk"], row["text"]) for row in rows], matrix)


def put_vectors(
    connection: sqlite3.Connection, kind: str, document: str, entries: Sequence[Entry], vectors: Matrix
) -> None:
    """Store one vector for each entry, as unit vectors, within the caller's transaction."""
    connection.executemany(
        "INSERT OR IGNORE INTO vectors (kind, key, document, chunk, text, vector) VALUES (?, ?, ?, ?, ?, ?)",
        [
            (kind, entry.key, document, entry.chunk, entry.text, vector.tobytes())
            for entry, vector in zip(entries, unit(vectors), strict=True)
        ],
    )
    if kind == "edge":
        put_links(connection, document, ((entry.key, entry.chunk, entry.text) for entry in entries))


def drop_vectors(connection: sqlite3.Connection) -> None:
    """Take out all vectors, and with them the claim of their embedder, within the caller's transaction.

    Numbers of rows begin anew, so the setting `generation` goes up: it tells old vectors from new ones.
    """
    connection.execute("DELETE FROM vectors")
    connection.execute("DELETE FROM settings WHERE name = 'embedder'")
    connection.execute(
        "INSERT INTO settings VALUES ('generation', '1') ON CONFLICT (name) DO UPDATE SET value = value + 1"
    )


def claim_embedder(connection: sqlite3.Connection, name: str) -> None:
    """Remember which embedder makes a collection's vectors; raises WorkspaceError when another one made them."""
    connection.execute("INSERT OR IGNORE INTO settings VALUES ('embedder', ?)", (name,))
    _check_same(connection.execute("SELECT value FROM settings WHERE name = 'embedder'").fetchone()[0], name)


def _check_same(made_by: str, name: str) -> None:
    if made_by != name:
        message = (
            f"The vectors of this collection were made by {made_by}, not {name}; open it with that embedder, "
            "or make them anew with ws.reindex() or `explorer reindex`."
        )
        raise WorkspaceError(message)


def unit(vectors: Matrix) -> Matrix:
    """Scale each row to length 1; rows of zeros stay."""
    import numpy as np

    rows = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.divide(rows, np.where(lengths == 0, 1, lengths), dtype=np.float32)
