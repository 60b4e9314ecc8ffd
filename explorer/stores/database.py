"""The database of a collection, whatever keeps it: contents, documents, chunks, vectors, journals, the table of runs.

One set of store modules serves every database. Their SQL is what SQLite and PostgreSQL both read: `?` for a value,
`IN (SELECT value FROM json_each(?))` for any of `Many`, `ON CONFLICT`, `"end"` in quotes. What the two do differently
is behind this protocol and not in the statements: the tables, and how rows go with others (triggers here, foreign keys
there); how added rows are numbered, counted and found by words and by nearness (`Transaction.index`); who may write.
So there is no second copy of any store, and no layer that writes SQL: SQLAlchemy's Core would say the same in other
words, and take ten times as long as SQLite does for a look-up by a key.

`stores.sqlite` is the embedded database.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from explorer.errors import WorkspaceError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]
    Numbers = NDArray[np.integer[Any]]
    Mask = NDArray[np.bool_]

ANEW = "write anew"
"""The setting that says that what was removed may be left in the files."""

COPYING = "copying"
"""The setting of a collection that is the copy of another one and not whole yet: whose, and how far."""

OF_PLACE = ("graph", "dialect", "format", ANEW, COPYING)
"""Settings that tell of the place that a collection is in: a copy has its own."""

EARLIER = (
    "{} was written by an earlier development version (format {}, this one reads {}). Export its runs and reviews with "
    "that version (`explorer bundle`). Read its documents again into a new workspace, and import the runs."
)
"""What is said of a workspace of an earlier format."""

WHOLE = "document NOT IN (SELECT iri FROM documents WHERE state = 'writing')"
"""The condition by which a row of a document that is being stored is not found."""


class AwayError(WorkspaceError):
    """A server is away, or too slow: what was asked last may have been done, or not."""


def how_to_start(host: str | None) -> str:
    """Return, for a message about a server that can't be reached, what starts one of this machine; else nothing."""
    is_here = host is not None and (host.startswith("/") or host in ("localhost", "127.0.0.1", "::1"))
    return " (`explorer servers FOLDER` starts those of this machine)" if is_here else ""


class DeniedError(WorkspaceError):
    """Who is connected may read here, and not write."""


class Many(list[Any]):
    """Values for `IN (SELECT value FROM json_each(?))`: JSON for SQLite, an array for a server."""

    def __init__(self, values: Iterable[Any]) -> None:
        super().__init__(values)

    def __conform__(self, protocol: object) -> str:
        return json.dumps(self)


Asked = tuple[str, Sequence[Any]]
"""A reading statement and its values."""

Read = Callable[[], object]
"""A read of a store, with its arguments."""


@dataclass(frozen=True, slots=True)
class ReadingIn:
    """Documents are being read in: by whom, as they are named or else by their process, and since when (UTC)."""

    by: str
    since: datetime

    def __str__(self) -> str:
        return (
            f"Documents are being read in by {self.by} since {self.since:%Y-%m-%d %H:%M} UTC; "
            "ask again when they are there."
        )


class Row(Protocol):
    """A row of an answer: values by the names of their columns, or in order."""

    def __getitem__(self, key: Any, /) -> Any:  # noqa: ANN401 - a name or an index, and a value of any kind
        """Return a value."""

    def __iter__(self) -> Iterator[Any]:
        """Yield the values in order."""


@dataclass(frozen=True, slots=True)
class Tally:
    """How many rows there are of a kind of vectors (or, by the name "text", of chunks), updated with each change.

    `last` is the highest number of a row, `dropped` how many were ever taken away or changed: while `dropped` stays,
    all that is new has higher numbers than `last` was, where one process writes.
    """

    held: int = 0
    last: int = 0
    dropped: int = 0

    def leads_to(self, other: Tally) -> bool:
        """Return whether only rows were added between this tally and a later one."""
        return self.dropped == other.dropped and self.last <= other.last and self.held <= other.held


class Transaction(Protocol):
    """What `Database.writing` yields, and the functions of the stores write with: all of it is stored, or nothing."""

    def alone(self) -> None:
        """Have no other transaction of those that ask for this go on until this one has ended."""

    def rows(self, sql: str, values: Sequence[Any] = ()) -> Sequence[Row]:
        """Run one statement and return its rows, with what the transaction has written."""

    def execute(self, sql: str, values: Sequence[Any] = ()) -> None:
        """Run one statement."""

    def executemany(self, sql: str, values: Iterable[Sequence[Any]]) -> None:
        """Run one statement for each of some values."""

    def insert(self, table: str, columns: str, rows: Iterable[Sequence[Any]]) -> list[int]:
        """Add rows to a table that numbers them; returns their numbers, which rise."""

    def reserve(self, table: str, count: int) -> int:
        """Return the first of so many numbers in a row that are free, and that no other row of a table will get."""

    def number_on(self, table: str, column: str) -> None:
        """Have the next row of a table that numbers them get a number after all that are there; for who has added rows
        with numbers that were theirs before.
        """

    def index(self, kind: str, rows: Sequence[tuple[int, str, bytes]], *, are_back: bool = False) -> None:
        """Count rows that were added, and have them be found: chunks ("text") and edges by their words, the kinds of
        vectors by nearness, documents ("title") by what their titles name. Each is given as (number, text, vector);
        `are_back` where others have higher numbers.
        """


class WordIndex(Protocol):
    """Which rows hold which words, in any of their forms (Porter's stems, without diacritics).

    A word may be several with blanks between: these stand one after the other. Rows come by their numbers.
    """

    def ranked(self, words: Sequence[str], limit: int, among: Iterable[int] | None = None) -> list[tuple[int, float]]:
        """Return rows that hold any of the words with their BM25, best first, then as stored; `among` some, or all."""

    def holding(self, asked: Sequence[Sequence[str]], limit: int | None = None) -> list[int]:
        """Return the first rows, as stored, that hold at least one word of each group."""

    def sample(self, word: str, limit: int, *, from_end: bool = False) -> tuple[int, int]:
        """Return how many rows hold a word, counted up to a limit, and the last row that was counted (0: none)."""

    def marked(self, words: Sequence[str], among: Iterable[int]) -> dict[int, list[tuple[int, int]]]:
        """Return where any of the words stand in the texts of some rows, in code points, in order."""


class NearestIndex(Protocol):
    """Search among the vectors of one kind; up to so many of them are compared one by one."""

    def nearest(self, queries: Matrix, limit: int) -> list[list[tuple[int, float]]]:
        """Find for each query row of length 1 the nearest: (row number, cosine), best first, then as stored."""

    def make_ready(self) -> None:
        """Make what a search would first have to make from many vectors."""


class Rows(Protocol):
    """Rows of links with all their values, and nodes by number: entities first, passages from `passages_from` on.

    A row says that the fact numbered `fact` stands between `head` and `tail` and comes from `passage`; −1: none. One
    whose fact is `TITLE` says that the document which begins with the passage is named like entity `head`, one whose
    fact is `MENTION` that the passage mentions it: an entity may be no more than a proper name.
    """

    @property
    def passages_from(self) -> int:
        """The node of the chunk that would have the number 0."""

    @property
    def fact(self) -> Numbers:
        """The facts by number."""

    @property
    def head(self) -> Numbers:
        """The entities that facts are about."""

    @property
    def tail(self) -> Numbers:
        """The entities that they lead to."""

    @property
    def passage(self) -> Numbers:
        """The passages that they come from."""


class Column(Protocol):
    """One value of each row, as `Rows` has it."""

    def __getitem__(self, rows: Any, /) -> Numbers:  # noqa: ANN401 - whatever picks from an array
        """Return the values of rows."""


class LinkGraph(Protocol):
    """The links of a collection, in memory or where they are stored: what is asked for many at once is read at once.

    Rows ascend in the order titles, facts as stored, mentions.
    """

    @property
    def passages_from(self) -> int:
        """The node of the chunk that would have the number 0."""

    @property
    def fact(self) -> Column:
        """The facts of rows."""

    @property
    def head(self) -> Column:
        """The entities that they are about."""

    @property
    def tail(self) -> Column:
        """The entities that they lead to."""

    @property
    def passage(self) -> Column:
        """The passages that they come from."""

    def look(self, nodes: Iterable[int]) -> None:
        """Read what will be asked of nodes one by one: whether they are known, stand in facts, and are mentioned."""

    def rows(self, nodes: Numbers, limit: int) -> Numbers:
        """Return the first `limit` rows in which each node stands, node by node."""

    def around(self, nodes: Numbers, limit: int) -> Numbers:
        """Return the first `limit` rows in which each node stands, once each, ascending; nodes ascend too.

        Titles and mentions whose entity is not among the nodes may be left out.
        """

    def rows_of(self, facts: Sequence[int]) -> Numbers:
        """Return the rows of facts by their numbers; ones that are not there are left out."""

    def ends(self, rows: Numbers) -> Numbers:
        """Return the nodes of rows, a line of head, tail and passage for each; −1: none."""

    def among(self, nodes: Numbers) -> Callable[[Numbers], Numbers]:
        """Return a function that gives the places of nodes among some, which ascend; −1 for others."""

    def has_passage(self, node: int) -> bool:
        """Return whether a passage is in it: not one that was stored since."""

    def knows(self, entity: int) -> bool:
        """Return whether an entity has a link; one that was stored since, or whose facts are gone, has none."""

    def stands(self, entity: int) -> bool:
        """Return whether an entity stands in a fact: others are names that passages mention."""

    def mentions(self, entity: int) -> int:
        """Return in how many passages an entity is mentioned, at least 1."""

    def degrees(self, nodes: Numbers) -> Numbers:
        """Return how many links nodes have."""

    def most_linked(self, among: Iterable[int] | None = None) -> Iterator[int]:
        """Yield entities, those with most links first; all, or some."""

    def where(self, is_there: Callable[[Rows], Mask]) -> LinkGraph:
        """Return the graph of those rows for which a function of rows is true; its nodes have the same numbers."""


class Database(Protocol):
    """An open database. What fails raises WorkspaceError, which names it and says what to do."""

    @property
    def read_only(self) -> bool:
        """Whether nothing can be written."""

    @property
    def is_shared(self) -> bool:
        """Whether other processes may write at the same time as this one."""

    @property
    def role(self) -> str | None:
        """The role by which the server knows who writes; None where there is no server, or nothing is written."""

    @property
    def storing(self) -> AbstractContextManager[Any]:
        """Held by a thread that stores documents, from looking what is there until they are whole."""

    @property
    def correcting(self) -> AbstractContextManager[Any]:
        """Held by who changes facts by hand or has documents leave: by one thread of all processes, which also holds
        `storing`, from looking what is there until all is written. Raises WorkspaceError where another one goes on.
        """

    @property
    def noting(self) -> AbstractContextManager[Any]:
        """Held by who writes verdicts and notes, or deletes runs, as `correcting` is, but beside `storing`."""

    @property
    def importing(self) -> AbstractContextManager[Any]:
        """Held by who imports a record, as `noting` is."""

    @property
    def sealing(self) -> AbstractContextManager[Any]:
        """Held by a thread that adds to the ledger, from reading its last seal until the next one is there."""

    def rows(self, sql: str, values: Sequence[Any] = ()) -> Sequence[Row]:
        """Run one reading statement and return all its rows."""

    def bundled(self) -> Database:
        """Return it for the length of one question, in which what is read ahead is one statement and remembered: where
        statements go over a network. In a folder it is this one.
        """

    def read_ahead(self, plan: Iterable[Read]) -> None:
        """Ask together what some reads will ask, which may run several times and so change nothing; does nothing, and
        takes nothing, where that is no quicker.
        """

    def tally(self, name: str) -> Tally:
        """Return the tally of a kind of vectors, or of "text" (chunks), without counting them."""

    def words(self, kind: str) -> WordIndex:
        """Return the index of the words of all chunks ("text"), or of all edges."""

    def nearest(self, kind: str, few: int) -> NearestIndex:
        """Return the index of the vectors of a kind; up to `few` of them are compared one by one."""

    def link_graph(self) -> Callable[[], LinkGraph]:
        """Return a function that returns the graph of all links as it is when it is called."""

    def writing(self) -> AbstractContextManager[Transaction]:
        """Open a transaction: all of it is stored, or nothing."""

    def settling(self) -> AbstractContextManager[bool]:
        """Hold all of these, but for `sealing`, without waiting for them; yields whether that could be had."""

    def abandoned(self, iris: Iterable[str], *, own: bool = False) -> list[str]:
        """Return those of some documents and runs, begun and not ended, that no writer is at any more; with `own` those
        of this process too, for who knows that it is at none of them.
        """

    def elsewhere(self, documents: Iterable[str]) -> list[str]:
        """Return those of some documents that other processes are storing."""

    def reading_in(self, by: str | None) -> AbstractContextManager[None]:
        """Have everybody know, until the block ends or this process does, that documents are being read in."""

    def being_read(self) -> list[ReadingIn]:
        """Return who is reading documents in, this process too, who began first first."""

    def taken_over(self) -> bool:
        """Take over what writers have left that are gone since this was last asked; returns whether there were any."""

    def state(self) -> object:
        """Return what differs once another process has changed facts, documents or what people corrected."""

    def run_changes(self) -> object:
        """Return what differs once another process has begun or ended a run, or written at one."""

    def write_anew(self) -> None:
        """Have nothing that was removed be left in what keeps it."""

    def disown(self, why: str) -> None:
        """Leave it to the process that this one was forked from: whatever is asked raises WorkspaceError."""

    def close(self) -> None:
        """Close all connections."""


def among(
    reader: Database | Transaction, select: str, column: str, values: Iterable[Any], rest: str = ""
) -> Sequence[Row]:
    """Return the rows that have any of some values in a column; `rest` are further conditions, or an order."""
    sql = f"{select} WHERE {column} IN (SELECT value FROM json_each(?)) {rest}"  # noqa: S608 - words of ours
    return reader.rows(sql, (Many(values),))


def drop(
    connection: Transaction, table: str, column: str, values: Iterable[Any], rest: str = "", *others: object
) -> None:
    """Delete the rows of a table that have any of some values in a column, within the caller's transaction; `rest` are
    further conditions, on `others`.
    """
    sql = f"DELETE FROM {table} WHERE {column} IN (SELECT value FROM json_each(?)) {rest}"  # noqa: S608 - words of ours
    connection.execute(sql, (Many(values), *others))


def numbered(reader: Database | Transaction, table: str, iris: Iterable[str]) -> dict[str, int]:
    """Return the numbers of what a table holds of some IRIs."""
    rows = among(reader, f"SELECT iri, number FROM {table}", "iri", iris)  # noqa: S608 - a name of ours
    return {row["iri"]: row["number"] for row in rows}
