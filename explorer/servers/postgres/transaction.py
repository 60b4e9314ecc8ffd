"""What is written to a collection on a server in one transaction."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from explorer.servers.postgres.locks import ALONE
from explorer.servers.postgres.nearest import copied
from explorer.servers.postgres.server import Row, Session
from explorer.stores.fts5 import TABLES, Tokens
from explorer.stores.link_graph import named_by

_VALUES = re.compile(r"^(INSERT .*? VALUES )(\(\?(?:, \?)*\))(.*)$", re.DOTALL)
_AT_ONCE = (256, 32, 4, 1)  # rows in one statement: few lengths, so that each is prepared once
_OF_RUNS = re.compile(r"(?:INSERT INTO|UPDATE|DELETE FROM) (?:contents|listing|unsealed|ledger|sentences)\b")


class PostgresTransaction:
    """A transaction that is open on a connection."""

    def __init__(self, session: Session, writer: int, tokens: Tokens) -> None:
        self.session = session
        self.writer = writer
        self.tokens = tokens
        self.changes = 0
        """Whether anything was changed that questions read: 1, else 0."""

    def _note(self, sql: str) -> None:
        if not _OF_RUNS.match(sql):
            self.changes = 1

    def alone(self) -> None:
        self.session.rows("SELECT pg_advisory_xact_lock(hashtext(current_schema()), ?)", (ALONE,))

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        return self.session.rows(sql, tuple(values))

    def execute(self, sql: str, values: Sequence[Any] = ()) -> None:
        self._note(sql)
        self.session.rows(sql, tuple(values))

    def executemany(self, sql: str, values: Iterable[Sequence[Any]]) -> None:
        self._note(sql)
        for statement, flat in _together(sql, values):
            self.session.rows(statement, flat)

    def insert(self, table: str, columns: str, rows: Iterable[Sequence[Any]]) -> list[int]:
        self.changes = 1
        marks = ", ".join("?" * len(columns.split(",")))
        sql = f"INSERT INTO {table} ({columns}) VALUES ({marks}) RETURNING number"  # noqa: S608 - names of ours
        return sorted(row[0] for statement, flat in _together(sql, rows) for row in self.session.rows(statement, flat))

    def reserve(self, table: str, count: int) -> int:
        """Return the first of so many numbers in a row that no other row gets: nobody adds one until this ends."""
        self.session.run(f"LOCK TABLE {table} IN SHARE ROW EXCLUSIVE MODE")
        [row] = self.session.rows(
            "SELECT setval(named.sequence, nextval(named.sequence) + ? - 1) AS last "
            "FROM (SELECT pg_get_serial_sequence(?, 'number') AS sequence) AS named",
            (count, table),
        )
        return int(row["last"]) - count + 1

    def number_on(self, table: str, column: str) -> None:
        self.session.rows(
            f"SELECT setval(pg_get_serial_sequence(?, ?), (SELECT max({column}) FROM {table}))",  # noqa: S608 - names of ours
            (table, column),
        )

    def index(self, kind: str, rows: Sequence[tuple[int, str, bytes]], *, are_back: bool = False) -> None:
        if not rows:
            return
        if kind == "title":
            named = [(iri, number) for number, title, _ in rows for iri in named_by(title)]
            self.executemany("INSERT INTO titles VALUES (?, ?) ON CONFLICT DO NOTHING", named)
            return
        words = self._put_words(kind, rows) if kind in TABLES else 0
        if kind != "text":
            lines = copied(kind, [(number, vector) for number, _, vector in rows])
            self.session.run("COPY nearest FROM STDIN WITH (FORMAT binary)", io.BytesIO(lines))
        self.session.rows(
            "INSERT INTO tallies VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (name, writer) DO UPDATE SET "
            "held = tallies.held + excluded.held, last = greatest(tallies.last, excluded.last), "
            "dropped = tallies.dropped + excluded.dropped, words = tallies.words + excluded.words",
            (kind, self.writer, len(rows), max(row[0] for row in rows), int(are_back), words),
        )

    def _put_words(self, kind: str, rows: Sequence[tuple[int, str, bytes]]) -> int:
        lines, total = list[str](), 0
        for (number, _, _), found in zip(rows, self.tokens.of([text for _, text, _ in rows]), strict=True):
            total += len(found)
            places: dict[str, list[int]] = {}
            for place, term in enumerate(found):
                places.setdefault(term, []).append(place)
            lines += [
                f"{kind}\t{term}\t{number}\t{len(found)}\t{{{','.join(map(str, at))}}}\n" for term, at in places.items()
            ]
        self.session.run("COPY postings FROM STDIN", io.BytesIO("".join(lines).encode()))
        return total


def _together(sql: str, values: Iterable[Sequence[Any]]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield a statement and its values for as many rows as go together."""
    left = [tuple(row) for row in values]
    for size in _AT_ONCE if _VALUES.match(sql) else (1,):
        while len(left) >= size:
            now, left = left[:size], left[size:]
            yield _widened(sql, size), tuple(value for row in now for value in row)


@lru_cache(256)
def _widened(sql: str, rows: int) -> str:
    """Return a statement that adds one row as one that adds several."""
    found = _VALUES.match(sql)
    return found[1] + ", ".join([found[2]] * rows) + found[3] if found else sql
