"""What a collection holds, copied from one pair of stores to another: row by row, and statement by statement.

What is there already is compared and not copied again, so that a copy that was cut off goes on. In the end all of the
copy is read again, and its counts and hashes have to be those of what was copied. Blank nodes keep their names, by
which the record was sealed; what finds rows (words, nearness, counts) is made anew, as it is when a document comes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

from pyoxigraph import Quad

from explorer.errors import WorkspaceError
from explorer.stores.database import COPYING, OF_PLACE, Database, Row
from explorer.stores.graph import GraphStore
from explorer.stores.places import Content
from explorer.text import count

_ROWS = 500  # that are read and written together, if they are not too long
_LENGTH = 4_000_000  # letters and bytes of rows that are read together: a longer row is alone
_QUADS = 5_000  # statements in one batch: an update of a server
_MARKS = 1 << 256
_NUL = "\0"

Tell = Callable[[int, str], None]
"""What is told how much was done, and of what."""
Values = tuple[Any, ...]


class Stores(Protocol):
    """Where a collection is: its database and its graph."""

    @property
    def database(self) -> Database:
        """Its tables."""

    @property
    def graph(self) -> GraphStore:
        """Its graph."""


class DiffersError(WorkspaceError):
    """What is there of a copy is not what is to be copied."""


@dataclass(frozen=True, slots=True)
class _Table:
    """A table: its columns, those of them that its rows are in order by, and how long a row is where it may be long."""

    name: str
    key: tuple[str, ...]
    columns: tuple[str, ...]
    length: str = ""

    @property
    def where(self) -> str:
        """The condition by which rows are copied at all."""
        own = ", ".join(f"'{name}'" for name in OF_PLACE)
        return f"name NOT IN ({own})" if self.name == "settings" else "1 = 1"


def _table(name: str, key: str, others: str = "", length: str = "") -> _Table:
    return _Table(name, tuple(key.split()), (*key.split(), *others.split()), length)


TABLES = (
    _table("settings", "name", "value"),
    _table("standing", "place", "document before"),  # before documents: where there is none it is made from them
    _table("contents", "iri", "title mime data sha256", "length(data)"),
    _table("documents", "number", "iri source title mime text state", "length(text)"),
    _table("stretches", "number", "document start text data", "length(text) + length(data)"),
    _table("chunks", "number", "iri document text"),
    _table("sentences", "number", 'chunk start "end" entities vector'),
    _table("places", "chunk", "number start part page section part_start agent"),
    _table("spans", "subgraph", 'chunk start "end" agent'),
    _table("vectors", "number", "kind key document chunk text vector"),
    _table("terms", "number", "iri"),
    _table("mentions", "chunk term"),
    _table("links", "fact", "head tail chunk"),
    _table("sender_seals", "rowid", "about statement seal signature signers", "length(statement)"),
    _table("extracted", "document extractor"),
    _table("asked", "chunk extractor", "replies"),
    _table("replaced", "iri", "source title mime text newer moment", "length(text)"),
    _table("enclosed", "iri", "source text", "length(text)"),
    _table("acts", "number", "kind about told", "length(told)"),
    _table("merged", "number", "alias entity name"),
    _table("listing", "iri", "engine reasoner question started_at reason answer kept failed pattern"),
    _table("unsealed", "about kind", "moment sha256"),
    _table("ledger", "number", "about statement seal signature", "length(statement)"),
)
_NUMBERED = {"documents", "stretches", "chunks", "sentences", "vectors", "terms", "acts", "merged", "sender_seals"}


@dataclass(slots=True)
class _Total:
    """How many rows there are, and the SHA-256 of all in order."""

    rows: int = 0
    sha256: Any = field(default_factory=hashlib.sha256)

    def add(self, rows: Iterable[Values]) -> None:
        """Count rows in."""
        for row in rows:
            self.rows += 1
            for value in row:
                for part in _parts(value):
                    self.sha256.update(part)

    @property
    def told(self) -> tuple[int, str]:
        """It as values."""
        return self.rows, self.sha256.hexdigest()


@dataclass(slots=True)
class _Sum:
    """How many statements there are, and what their hashes come to, in whatever order they are read."""

    quads: int = 0
    hashes: int = 0

    def add(self, line: str) -> None:
        """Count a statement in."""
        self.quads += 1
        self.hashes = (self.hashes + int.from_bytes(hashlib.sha256(line.encode()).digest())) % _MARKS

    @property
    def told(self) -> tuple[int, str]:
        """It as values."""
        return self.quads, f"{self.hashes:064x}"


def steps_of(stores: Stores) -> int:
    """Return how many rows and statements are to be gone through: each is copied, and read again."""
    counted = (f"(SELECT count(*) FROM {one.name} WHERE {one.where})" for one in TABLES)  # noqa: S608 - names of ours
    [row] = stores.database.rows(f"SELECT {', '.join(counted)}")
    return 2 * (sum(row) + stores.graph.size())


def check_blank(database: Database, place: str) -> None:
    """Raise WorkspaceError unless nothing was ever stored in a collection but what says where it is."""
    there = (f"SELECT 1 FROM {one.name} WHERE {one.where}" for one in TABLES)  # noqa: S608 - names of ours
    if database.rows(f"SELECT 1 WHERE {' OR '.join(f'EXISTS ({one})' for one in there)}"):
        raise WorkspaceError(
            f"{place} is not empty, and no unfinished copy; copy into a place that is new, or empty that one yourself."
        )


def keep_note(database: Database, note: dict[str, Any]) -> None:
    """Write down whose copy a collection is, and how far it has come."""
    with database.writing() as transaction:
        transaction.execute(
            "INSERT INTO settings VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            (COPYING, json.dumps(note)),
        )


def note_of(database: Database) -> dict[str, Any] | None:
    """Return what is written down of a copy; None of what is none, or is whole."""
    rows = database.rows("SELECT value FROM settings WHERE name = ?", (COPYING,))
    return json.loads(rows[0]["value"]) if rows else None


def copied(source: Stores, target: Stores, place: str, tell: Tell) -> Content:
    """Copy all that is not there yet, then read the copy again and compare it.

    Raises DiffersError where what is there is something else, or comes out as something else.
    """
    done, totals = 0, dict[str, tuple[int, str]]()
    for table in TABLES:
        total = _Total()
        for total in _copied_rows(source.database, target.database, table, place):
            tell(done + total.rows, f"copying {table.name}")
        totals[table.name] = total.told
        done += total.rows
    quads = _Sum()
    for quads in _copied_quads(source.graph, target):
        tell(done + quads.quads, "copying statements")
    if quads.quads != (there := source.graph.size()):
        raise WorkspaceError(
            f"{place} has {there:,} statements and gave {quads.quads:,} of them. See whether its endpoint limits the "
            "rows or the time of an answer."
        )
    return _verified(target, totals, quads, lambda number, what: tell(done + quads.quads + number, what))


def _verified(target: Stores, totals: dict[str, tuple[int, str]], quads: _Sum, tell: Tell) -> Content:
    """Read all of a copy again; raises DiffersError where anything is not as it was read before."""
    done, whole = 0, hashlib.sha256()
    for table in TABLES:
        total = _Total()
        for rows in _batches(target.database, table):
            total.add(rows)
            tell(done + total.rows, f"checking {table.name}")
        if total.told != totals[table.name]:
            raise DiffersError(_differing(table.name, total.told[0], totals[table.name][0], "row"))
        whole.update(repr((table.name, total.told)).encode())
        done += total.rows
    found = _Sum()
    for number, quad in enumerate(target.graph.match(), 1):
        found.add(str(quad))
        if number % _QUADS == 0:
            tell(done + number, "checking statements")
    if found.told != quads.told:
        raise DiffersError(_differing("the graph", found.quads, quads.quads, "statement"))
    whole.update(repr(found.told).encode())
    _check_counts(target.database)
    documents, runs = (totals[name][0] for name in ("documents", "listing"))
    return Content(documents, runs, found.quads, done, whole.hexdigest())


def _check_counts(database: Database) -> None:
    kinds = {row["kind"]: row["n"] for row in database.rows("SELECT kind, count(*) AS n FROM vectors GROUP BY kind")}
    kinds["text"] = database.rows("SELECT count(*) AS n FROM chunks")[0]["n"]
    for kind, number in kinds.items():
        if (held := database.tally(kind).held) != number:
            raise DiffersError(_differing(f"the index of {kind}", held, number, "row"))


def _differing(what: str, found: int, wanted: int, noun: str) -> str:
    return f"{what} came out with {count(found, noun)} of {wanted:,}, or with other ones"


def first_lost(source: Stores, target: Stores) -> str:
    """Return a statement that does not come out as it went in, in words; empty where there is none."""
    for some in _portions(source.graph.match(), _QUADS // 10):
        there = target.graph.stored(some)
        for quad in some:
            if quad not in there:
                return f"; the first that can't be stored there as it is written is {quad}"
    return ""


def _copied_rows(source: Database, target: Database, table: _Table, place: str) -> Iterator[_Total]:
    """Copy a table; yields the total of what was gone through, after each batch."""
    total, last = _Total(), ()
    for there in _batches(target, table):
        ours = _some(source, table, last, len(there))
        if ours != there:
            raise DiffersError(f"{table.name} is not what it was when the copy began")
        total.add(ours)
        last = there[-1][: len(table.key)]
        yield total
    for rows in _batches(source, table, last):
        _put(target, table, rows, place)
        total.add(rows)
        yield total
    if table.name in _NUMBERED and total.rows:
        with target.writing() as transaction:
            transaction.number_on(table.name, table.key[0])
    yield total


def _put(database: Database, table: _Table, rows: Sequence[Values], place: str) -> None:
    if database.is_shared and any(isinstance(value, str) and _NUL in value for row in rows for value in row):
        raise WorkspaceError(
            f"A text of {place} ({table.name}) has a NUL, which no server stores; forget its document."
        )
    marks = ", ".join("?" * len(table.columns))
    with database.writing() as transaction:
        sql = f"INSERT INTO {table.name} ({', '.join(table.columns)}) VALUES ({marks})"  # noqa: S608 - names of ours
        transaction.executemany(sql, rows)
        match table.name:
            case "chunks":
                transaction.index("text", [(number, text, b"") for number, _, _, text in rows])
            case "documents":
                transaction.index("title", [(row[0], row[3], b"") for row in rows])
            case "vectors":
                for kind in dict.fromkeys(row[1] for row in rows):
                    transaction.index(kind, [(row[0], row[5], row[6]) for row in rows if row[1] == kind])


def _batches(database: Database, table: _Table, last: Values = ()) -> Iterator[list[Values]]:
    """Yield the rows of a table in order, those after a key, as many at a time as are not too long together."""
    while True:
        most = _fitting(database, table, last) if table.length else _ROWS
        rows = _some(database, table, last, most) if most else []
        if not rows:
            return
        yield rows
        last = rows[-1][: len(table.key)]


def _fitting(database: Database, table: _Table, last: Values) -> int:
    """Return how many rows after a key are read together."""
    lengths = [row["n"] for row in _read(database, table, f"{table.length} AS n", last, _ROWS)]
    total = 0
    for number, length in enumerate(lengths):
        total += length
        if total > _LENGTH:
            return max(1, number)
    return len(lengths)


def _some(database: Database, table: _Table, last: Values, most: int) -> list[Values]:
    columns = ", ".join("CAST(data AS BLOB) AS data" if name == "data" else name for name in table.columns)
    return [tuple(row) for row in _read(database, table, columns, last, most)]


def _read(database: Database, table: _Table, columns: str, last: Values, most: int) -> Sequence[Row]:
    key = ", ".join(table.key)
    after = f"AND ({key}) > ({', '.join('?' * len(table.key))})" if last else ""
    sql = f"SELECT {columns} FROM {table.name} WHERE {table.where} {after} ORDER BY {key} LIMIT ?"  # noqa: S608 - as above
    return database.rows(sql, (*last, most))


def _copied_quads(source: GraphStore, target: Stores) -> Iterator[_Sum]:
    """Copy a graph; yields the sum of what was gone through, after each batch."""
    note = note_of(target.database) or {}
    total, quads = _Sum(), source.match()
    for quad in islice(quads, int(note.get("statements", 0))):  # they come in the same order, or it shows at the end
        total.add(str(quad))
    for some in _portions(quads, _QUADS):
        target.graph.add(some)
        for quad in some:
            total.add(str(quad))
        keep_note(target.database, note | {"statements": total.quads})
        yield total
    target.graph.flush()
    yield total


def _portions(quads: Iterator[Quad], most: int) -> Iterator[list[Quad]]:
    while some := list(islice(quads, most)):
        yield some


def _names(table: _Table) -> Iterator[str]:
    return (name.strip('"') for name in table.columns)


def _parts(value: object) -> tuple[bytes, ...]:
    """Return a value as bytes that no other one has."""
    match value:
        case None:
            return (b"n",)
        case int():
            return (f"i{value};".encode(),)
        case str():
            words = value.encode("utf-8", "surrogatepass")
            return f"s{len(words)};".encode(), words
        case bytes() | memoryview():
            return f"b{len(value)};".encode(), bytes(value)
    raise WorkspaceError(f"{value!r} is no value of a column.")
