"""Words by SQLite's FTS5: one table of chunks, one of edges, without a copy of their texts."""

from __future__ import annotations

import secrets
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from explorer.stores.database import Database, Many

TOKENIZE = "porter unicode61 remove_diacritics 2"
"""How texts are cut into words."""
TABLES = {"text": "keywords", "edge": "spoken"}
"""The tables of words, by what they are of."""


@dataclass(frozen=True, slots=True)
class Fts5:
    """The words of one table, as `keywords.WordIndex` has it."""

    database: Database
    table: str

    def ranked(self, words: Sequence[str], limit: int, among: Iterable[int] | None = None) -> list[tuple[int, float]]:
        only = "" if among is None else "AND +rowid IN (SELECT value FROM json_each(?)) "
        sql = (
            f"SELECT rowid, -bm25({self.table}) AS score FROM {self.table} "  # noqa: S608 - names of ours
            f"WHERE {self.table} MATCH ? {only}ORDER BY score DESC, rowid LIMIT ?"
        )
        some = () if among is None else (Many(among),)
        return [(row[0], row[1]) for row in self.database.rows(sql, (_any(words), *some, limit))] if words else []

    def holding(self, asked: Sequence[Sequence[str]], limit: int | None = None) -> list[int]:
        query = " AND ".join(f"({_any(words)})" for words in asked)
        sql = f"SELECT rowid FROM {self.table} WHERE {self.table} MATCH ? ORDER BY rowid LIMIT ?"  # noqa: S608 - as above
        return [row[0] for row in self.database.rows(sql, (query, -1 if limit is None else limit))]

    def sample(self, word: str, limit: int, *, from_end: bool = False) -> tuple[int, int]:
        way, end = ("DESC", "min") if from_end else ("ASC", "max")
        sql = (
            f"SELECT count(*), coalesce({end}(rowid), 0) FROM (SELECT rowid FROM {self.table} "  # noqa: S608 - as above
            f"WHERE {self.table} MATCH ? ORDER BY rowid {way} LIMIT ?)"
        )
        [row] = self.database.rows(sql, (_any([word]), limit))
        return row[0], row[1]

    def marked(self, words: Sequence[str], among: Iterable[int]) -> dict[int, list[tuple[int, int]]]:
        mark = secrets.token_hex(16)  # which no text can have
        sql = (
            f"SELECT rowid, highlight({self.table}, 0, ?, ?) FROM {self.table} "  # noqa: S608 - as above
            f"WHERE {self.table} MATCH ? AND +rowid IN (SELECT value FROM json_each(?))"
        )
        rows = self.database.rows(sql, (mark, mark, _any(words), Many(among)))
        return {number: spans_between(text, mark) for number, text in rows}


def spans_between(text: str, mark: str) -> list[tuple[int, int]]:
    """Return the spans of a text that stood between two marks each, counted without the marks."""
    at, found = 0, list[tuple[int, int]]()
    for number, piece in enumerate(text.split(mark)):
        if number % 2:
            found.append((at, at + len(piece)))
        at += len(piece)
    return found


def _any(words: Iterable[str]) -> str:
    """Return a query that any of the words fits; marks of the query language are no part of words."""
    return " OR ".join(f'"{word}"' for word in words)


class Tokens:
    """The words of texts as FTS5 cuts them, for indexes that are elsewhere; by a table in memory."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._connection.execute(f'CREATE VIRTUAL TABLE cut USING fts5 (text, tokenize="{TOKENIZE}")')
        self._connection.execute("CREATE VIRTUAL TABLE token USING fts5vocab (cut, instance)")

    def of(self, texts: Sequence[str]) -> list[list[str]]:
        """Return the terms of each text, in order."""
        found: list[list[str]] = [[] for _ in texts]
        with self._filled(dict(enumerate(texts))):
            for number, term in self._connection.execute("SELECT doc, term FROM token ORDER BY doc, offset"):
                found[number].append(term)
        return found

    def marked(self, texts: Mapping[int, str], words: Sequence[str]) -> dict[int, list[tuple[int, int]]]:
        """Return where any of the words stand in texts, in code points, in order; texts without any are left out."""
        mark = secrets.token_hex(16)  # which no text can have
        with self._filled(texts):
            sql = "SELECT rowid, highlight(cut, 0, ?, ?) FROM cut WHERE cut MATCH ?"
            rows = self._connection.execute(sql, (mark, mark, _any(words))).fetchall()
        return {number: spans_between(text, mark) for number, text in rows}

    @contextmanager
    def _filled(self, texts: Mapping[int, str]) -> Iterator[None]:
        with self._lock:
            self._connection.execute("BEGIN")
            try:
                self._connection.executemany("INSERT INTO cut (rowid, text) VALUES (?, ?)", texts.items())
                yield
            finally:
                self._connection.rollback()
