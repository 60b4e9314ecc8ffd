"""Vectors by kind ("entity", "edge", "chunk"), stored in SQLite and searched by similarity or by words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING

from explorer.errors import WorkspaceError
from explorer.stores.collection_view import EVERYTHING, Viewed
from explorer.stores.database import WHOLE, Asked, Database, Many, NearestIndex, Tally, Transaction, among
from explorer.stores.keywords import Keywords, bare
from explorer.stores.keywords import phrase as spoken
from explorer.stores.link_graph import put_links
from explorer.stores.vectors.codes import coded, decoded
from explorer.stores.vectors.index import FEW, SomeVectors

if TYPE_CHECKING:
    from explorer.stores.database import Matrix


_LENGTH = "SELECT length(vector) FROM vectors LIMIT 1"  # bytes
_EMBEDDER = "SELECT value FROM settings WHERE name = 'embedder'"
STANDING: tuple[Asked, ...] = ((_LENGTH, ()), (_EMBEDDER, ()))
"""What every question asks."""
_HITS, _EDGES = (
    f"SELECT number, key, chunk, text{more} FROM vectors "  # noqa: S608 - words of ours
    f"WHERE number IN (SELECT value FROM json_each(?)) AND {WHOLE}"
    for more in ("", ", vector")
)
_CHUNKS = (
    "SELECT key, text, vector FROM vectors WHERE number IN (SELECT min(number) FROM vectors "
    "WHERE kind = 'chunk' AND key IN (SELECT value FROM json_each(?)) GROUP BY key) ORDER BY key"
)
_BATCH = 500


@dataclass(frozen=True, slots=True)
class Hit:
    """A stored vector near a query: its key, the text it stands for, and the cosine similarity (−1 to 1).

    `number` is its row in the library, `chunk` where an edge's sentence lies.
    """

    key: str
    text: str
    score: float
    number: int
    chunk: str


@dataclass(frozen=True, slots=True)
class Entry:
    """What a stored vector stands for; `chunk` is where an edge's sentence lies.

    `parts` are the shorter texts that its text is made of, each with how much it weighs there, where that is known.
    """

    key: str
    chunk: str
    text: str
    parts: tuple[tuple[str, float], ...] = field(default=(), compare=False)


class VectorIndex(Viewed):
    """Search by cosine similarity among the vectors of each kind, and by words among the edges."""

    def __init__(self, database: Database, few: int = FEW) -> None:
        """Use an open database; up to `few` vectors of a kind are compared one by one."""
        self.database = database
        self.few = few
        self._indexes: dict[str, NearestIndex] = {}
        self._keywords = Keywords(database, "edge")
        self._distinct: dict[str, tuple[Tally, int]] = {}

    def count(self, kind: str) -> int:
        """Return the number of vectors of a kind."""
        return self.database.tally(kind).held

    def distinct(self, kind: str) -> int:
        """Return the number of different keys of a kind: a fact has a vector for each of its sentences.

        Counted once until vectors come or go.
        """
        tally = self.database.tally(kind)
        if self._distinct.get(kind, (None, 0))[0] != tally:
            [row] = self.database.rows("SELECT count(DISTINCT key) FROM vectors WHERE kind = ?", (kind,))
            self._distinct[kind] = tally, int(row[0])
        return self._distinct[kind][1]

    def make_ready(self) -> None:
        """Make what searches need beside the vectors, so that no question has to wait for it."""
        for kind in ("edge", "chunk", "entity"):
            self._index(kind).make_ready()

    def look(self, words: Iterable[str]) -> None:
        """Read ahead how often words stand in edges, as `edges_near` and `keywords` ask."""
        self._keywords.look(words)

    def search(self, kind: str, queries: Matrix, limit: int) -> list[list[Hit]]:
        """Find the `limit` nearest of a kind for each query row (m, d); best first, ties in stored order.

        Among many vectors a few of the nearest may be missed; the similarities given are those of the stored vectors.
        """
        if not len(queries) or not self.count(kind):
            return [[] for _ in queries]
        return self._hits(self._nearest(kind, unit(queries), limit))

    def edges_near(self, queries: Matrix, words: Iterable[Sequence[str]], limit: int) -> list[int]:
        """Return the row numbers of edges, once each: the `limit` nearest to each query, then those that hold words."""
        near = partial(self._nearest, "edge", unit(queries), limit)
        worded = [partial(self._worded, one, limit) for one in words]
        self.database.read_ahead((near, *worded))
        found = near() if len(queries) else []
        found += [search() for search in worded]
        return list(dict.fromkeys(number for ranking in found for number, _ in ranking))

    def edges(self, numbers: Sequence[int]) -> tuple[dict[int, Entry], Matrix]:
        """Return edges by their row numbers, and their unit vectors (n, d) in the same order, without gone ones."""
        there = numbers if self.view is EVERYTHING else [one for one in numbers if one in self.view.rows("edge")]
        rows = self.database.rows(_EDGES, (Many(there),))
        entries = {number: Entry(key, chunk, text) for number, key, chunk, text, _ in rows}
        return entries, decoded([row[4] for row in rows])

    def edge_numbers(self, keys: Iterable[str]) -> list[int]:
        """Return the row numbers of edges by their keys, in stored order."""
        rows = among(self.database, "SELECT number FROM vectors", "key", keys, "AND kind = 'edge' ORDER BY number")
        return [row["number"] for row in rows]

    def edge_keys(self, numbers: Iterable[int] | None = None) -> Iterator[str]:
        """Yield the keys of the edges with some row numbers, in their order; of all edges in stored order for None."""
        if numbers is None:
            yield from self._all_edge_keys()
            return
        given = iter(numbers)
        while batch := list(islice(given, _BATCH)):
            rows = among(self.database, "SELECT number, key FROM vectors", "number", batch)
            keys = {row["number"]: row["key"] for row in rows}
            yield from (keys[number] for number in batch if number in keys)

    def _all_edge_keys(self) -> Iterator[str]:
        last = 0
        while rows := self.database.rows(
            "SELECT number, key FROM vectors WHERE kind = 'edge' AND number > ? ORDER BY number LIMIT ?", (last, _BATCH)
        ):
            yield from (row["key"] for row in rows)
            last = rows[-1]["number"]

    def edges_worded(self, words: Iterable[str], among: Sequence[int]) -> list[int]:
        """Return the row numbers of edges among some whose fact or sentence holds any of the words, best first."""
        return [number for number, _ in self._keywords.words.ranked(bare(words), len(among), among)]

    def edges_holding(self, phrase: str, limit: int) -> list[int]:
        """Return the first row numbers of edges whose fact or sentence holds words one after the other."""
        return self._keywords.words.holding([[asked]], limit) if (asked := spoken(phrase)) else []

    def entities_called(self, name: str, limit: int = 2) -> list[str]:
        """Return the entities that have a name, whatever the case of its letters, so many at most."""
        rows = self.database.rows(
            "SELECT key FROM vectors WHERE kind = 'entity' AND folded(text) = folded(?) ORDER BY key LIMIT ?",
            (name, limit),
        )
        return [row["key"] for row in rows]

    def entities_holding(self, text: str) -> list[str]:
        """Return the entities whose names hold a text, whatever the case of its letters, once each."""
        rows = self.database.rows(
            "SELECT DISTINCT key FROM vectors WHERE kind = 'entity' AND instr(folded(text), folded(?)) > 0", (text,)
        )
        return [row["key"] for row in rows]

    def chunks(self, keys: Sequence[str]) -> tuple[dict[str, str], Matrix]:
        """Return the texts of chunks by their IRIs, title first, and their unit vectors in the same order."""
        rows = self.database.rows(_CHUNKS, (Many(sorted({*keys} - self.view.chunks)),))
        texts, vectors = {key: text for key, text, _ in rows}, decoded([row[2] for row in rows])
        places = {key: place for place, key in enumerate(texts)}
        masked = [one for one in self.view.vectors() if one.key in places]
        if masked:
            vectors = vectors.copy()  # what a database gives can't be written to
        for one in masked:
            texts[one.key], vectors[places[one.key]] = one.text, one.vector
        return texts, vectors

    def keywords(self, words: Iterable[str], limit: int) -> list[Hit]:
        """Find edges whose fact or sentence holds any of the words; `score` is BM25, higher is better, best first.

        Where thousands of edges hold them, the rarest words decide (`Keywords`).
        """
        return self._hits([self._worded(words, limit)])[0]

    def check_embedder(self, name: str) -> None:
        """Raise WorkspaceError unless an embedder's vectors can be compared with those here."""
        for row in self.database.rows(_EMBEDDER):
            _check_same(row["value"], name)

    def _nearest(self, kind: str, queries: Matrix, limit: int) -> list[list[tuple[int, float]]]:
        _check_length(self.database.rows(_LENGTH), queries)
        rows = self.view.rows(kind)
        found = self._index(kind).nearest(queries, limit if rows.alone else limit + len(rows.numbers))
        if self.view is EVERYTHING:
            return found
        masked = self.view.vectors() if kind == "chunk" else ()
        near = [[(one.number, float(one.vector @ query)) for one in masked] for query in queries]
        near = [[*(hit for hit in hits if hit[0] in rows), *own] for hits, own in zip(found, near, strict=True)]
        return [sorted(hits, key=lambda hit: (-hit[1], hit[0]))[:limit] for hits in near]

    def _worded(self, words: Iterable[str], limit: int) -> list[tuple[int, float]]:
        return self._keywords.search(words, limit, self.view.rows("edge"))

    def _index(self, kind: str) -> NearestIndex:
        if (rows := self.view.rows(kind)).alone:
            return self._alone.setdefault(kind, SomeVectors(self.database, rows.numbers))
        return self._indexes.setdefault(kind, self.database.nearest(kind, self.few))

    @cached_property
    def _alone(self) -> dict[str, SomeVectors]:
        return {}

    def _hits(self, found: Sequence[Sequence[tuple[int, float]]]) -> list[list[Hit]]:
        """Read what the found rows stand for; a row that has gone since, or is not whole, is left out."""
        asked = Many(sorted({number for row in found for number, _ in row}))
        of = {row["number"]: row for row in self.database.rows(_HITS, (asked,))}
        told = {number: row["text"] for number, row in of.items()}
        told |= {one.number: one.text for one in self.view.vectors()}
        return [[Hit(of[n]["key"], told[n], score, n, of[n]["chunk"]) for n, score in row if n in of] for row in found]


def put_vectors(connection: Transaction, kind: str, document: str, entries: Sequence[Entry], vectors: Matrix) -> None:
    """Store one vector for each entry of a document, within the caller's transaction, unless it is there.

    Raises WorkspaceError where they are of another length than those that are stored.
    """
    put_placed(connection, kind, [(document, entry) for entry in entries], vectors)


def put_placed(connection: Transaction, kind: str, placed: Sequence[tuple[str, Entry]], vectors: Matrix) -> None:
    """Store one vector for each entry, given with the document that it belongs to, as `put_vectors` does."""
    _check_length(connection.rows(_LENGTH), vectors)
    there = {
        tuple(row) for row in connection.rows(
            "SELECT document, key, text FROM vectors WHERE kind = ? AND key IN (SELECT value FROM json_each(?))",
            (kind, Many(dict.fromkeys(entry.key for _, entry in placed))),
        )
    }  # fmt: skip
    new: dict[tuple[str, str, str], tuple[str, str, str, str, str, bytes]] = {}
    for (document, entry), vector in zip(placed, coded(vectors), strict=True):
        if (told := (document, entry.key, entry.text)) not in there:
            new.setdefault(told, (kind, entry.key, document, entry.chunk, entry.text, vector))
    rows = [*new.values()]
    numbers = connection.insert("vectors", "kind, key, document, chunk, text, vector", rows)
    connection.index(kind, [(number, row[4], row[5]) for number, row in zip(numbers, rows, strict=True)])
    if kind == "edge":
        put_links(connection, [(number, row[1], row[3]) for number, row in zip(numbers, rows, strict=True)])


def stored_keys(database: Database, kind: str, keys: Sequence[str]) -> set[str]:
    """Return those of some keys that have a vector of a kind."""
    rows = among(database, "SELECT DISTINCT key FROM vectors", "key", keys, f"AND kind = '{kind}'")
    return {row["key"] for row in rows}


def drop_vectors(connection: Transaction) -> None:
    """Delete all vectors, and the name of their embedder, within the caller's transaction."""
    connection.execute("DELETE FROM vectors")
    connection.execute("DELETE FROM settings WHERE name = 'embedder'")


def claim_embedder(connection: Transaction, name: str) -> None:
    """Record which embedder makes a collection's vectors; raises WorkspaceError when another one made them."""
    connection.execute("INSERT INTO settings VALUES ('embedder', ?) ON CONFLICT DO NOTHING", (name,))
    [row] = connection.rows("SELECT value FROM settings WHERE name = 'embedder'")
    _check_same(row["value"], name)


def _check_length(held: Iterable[Iterable[int]], vectors: Matrix) -> None:
    for (numbers,) in held:
        if len(vectors) and vectors.shape[-1] != numbers:
            raise WorkspaceError(
                f"The embedder gives vectors of {vectors.shape[-1]} numbers, those of this collection have "
                f"{numbers}. Let it serve the model it served before, or make them anew with ws.reindex() or "
                "`explorer reindex`."
            )


def _check_same(made_by: str, name: str) -> None:
    if made_by != name:
        raise WorkspaceError(
            f"The vectors of this collection were made by {made_by}, not {name}. Open it with that embedder, "
            "or make them anew with ws.reindex() or `explorer reindex`."
        )


def unit(vectors: Matrix) -> Matrix:
    """Scale each row to length 1; rows of zeros stay."""
    import numpy as np

    rows = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.divide(rows, np.where(lengths == 0, 1, lengths), dtype=np.float32)
