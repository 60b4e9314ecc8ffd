"""Words by a table of postings: which terms stand where in which rows, cut as FTS5 cuts them, ranked by BM25 in SQL.

PostgreSQL's own full text search has no BM25 (its rank knows nothing of how rare a word is), and what has it is an
extension that few servers carry. So texts are cut by FTS5 itself, in memory, and scored by its formula, in its order:
scores are those of a folder to the last digit. It costs a row of some 110 bytes, with its keys, for each different word
of a text, against some 20 in a folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from explorer.stores.database import Database, Many
from explorer.stores.fts5 import Tokens

Phrase = tuple[str, ...]  # terms that stand one after the other
_TEXTS = {"text": "chunks", "edge": "vectors"}
_NOTHING = "SELECT CAST(0 AS bigint) AS number, 0 AS often, 0 AS length WHERE false"


class Postings:
    """The words of one kind of rows, as `keywords.WordIndex` has it."""

    def __init__(self, database: Database, kind: str, tokens: Tokens) -> None:
        self.database = database
        self.kind = kind
        self.tokens = tokens

    def ranked(self, words: Sequence[str], limit: int, among: Iterable[int] | None = None) -> list[tuple[int, float]]:
        asked = [phrase for phrase in self._phrases(words) if phrase]
        if not asked:
            return []
        parts, values = list[str](), list[Any]()
        for place, phrase in enumerate(asked):
            sql, given = self._found(phrase)
            parts.append(f"SELECT {place} AS place, number, often, length FROM ({sql}) AS p{place}")  # noqa: S608 - ours
            values += given
        only = "" if among is None else "WHERE number IN (SELECT value FROM json_each(?)) "
        sql = (
            "WITH held AS (SELECT sum(held)::float8 AS n, sum(words)::float8 / sum(held)::float8 AS mean "  # noqa: S608 - ours
            f"FROM tallies WHERE name = ?), hits AS MATERIALIZED ({' UNION ALL '.join(parts)}), "
            "often AS (SELECT place, count(*)::float8 AS often FROM hits GROUP BY place), "
            "rare AS (SELECT place, ln((n - often + 0.5::float8) / (often + 0.5::float8)) AS idf FROM often, held) "
            "SELECT number, sum(CASE WHEN idf <= 0 THEN 1e-6::float8 ELSE idf END * "
            "((often * (1.2::float8 + 1.0::float8)) / (often + 1.2::float8 * "
            "(1::float8 - 0.75::float8 + 0.75::float8 * length / mean))) ORDER BY place) AS score "
            f"FROM hits JOIN rare USING (place) CROSS JOIN held {only}"
            "GROUP BY number ORDER BY score DESC, number LIMIT ?"
        )
        some = () if among is None else (Many(among),)
        return [(number, score) for number, score in self.database.rows(sql, (self.kind, *values, *some, limit))]

    def holding(self, asked: Sequence[Sequence[str]], limit: int | None = None) -> list[int]:
        groups = [[phrase for phrase in self._phrases(words) if phrase] for words in asked]
        if not groups or not all(groups):
            return []
        values: list[Any] = []
        firsts = list[str]()
        for phrase in groups[0]:
            sql, given = self._found(phrase)
            firsts.append(f"SELECT number FROM ({sql}) AS held")  # noqa: S608 - words from here
            values += given
        conditions = ["true"]
        for group in groups[1:]:
            stands = [self._stands("first.number", phrase) for phrase in group]
            conditions.append(f"({' OR '.join(sql for sql, _ in stands)})")
            values += [value for _, given in stands for value in given]
        sql = (
            f"SELECT number FROM ({' UNION '.join(firsts)}) AS first WHERE {' AND '.join(conditions)} "  # noqa: S608 - ours
            "ORDER BY number LIMIT ?"
        )
        return [row["number"] for row in self.database.rows(sql, (*values, limit))]

    def sample(self, word: str, limit: int, *, from_end: bool = False) -> tuple[int, int]:
        [phrase] = self._phrases([word])
        way, end = ("DESC", "min") if from_end else ("ASC", "max")
        sql, values = self._found(phrase) if phrase else (_NOTHING, [])
        sql = (
            f"SELECT count(*), coalesce({end}(number), 0) FROM (SELECT number FROM ({sql}) AS held "  # noqa: S608 - as above
            f"ORDER BY number {way} LIMIT ?) AS counted"
        )
        [row] = self.database.rows(sql, (*values, limit))
        return row[0], row[1]

    def marked(self, words: Sequence[str], among: Iterable[int]) -> dict[int, list[tuple[int, int]]]:
        phrases = [phrase for phrase in self._phrases(words) if phrase]
        if not phrases:
            return {}
        stands = [self._stands("held.number", phrase) for phrase in phrases]
        rows = self.database.rows(
            f"SELECT number, text FROM {_TEXTS[self.kind]} AS held WHERE number IN (SELECT value FROM json_each(?)) "  # noqa: S608
            f"AND ({' OR '.join(sql for sql, _ in stands)})",
            (Many(among), *(value for _, given in stands for value in given)),
        )
        return self.tokens.marked({row["number"]: row["text"] for row in rows}, words)

    def _phrases(self, words: Sequence[str]) -> list[Phrase]:
        return [tuple(terms) for terms in self.tokens.of(words)]

    def _found(self, phrase: Phrase) -> tuple[str, list[Any]]:
        """Return SQL for the rows that hold a phrase, how often, and how many words each has, with its values."""
        rarest = max(phrase, key=len)
        if len(phrase) == 1:
            sql = "SELECT number, cardinality(places) AS often, length FROM postings WHERE kind = ? AND term = ?"
            return sql, [self.kind, rarest]
        times, values = self._times("driver.number", phrase)
        counted = (
            f"SELECT number, CAST(({times}) AS integer) AS often, length FROM postings AS driver "  # noqa: S608 - ours
            "WHERE kind = ? AND term = ?"
        )
        return f"SELECT * FROM ({counted}) AS phrased WHERE often > 0", [*values, self.kind, rarest]  # noqa: S608

    def _stands(self, number: str, phrase: Phrase) -> tuple[str, list[Any]]:
        """Return a condition that a phrase stands in a row, with its values."""
        if len(phrase) == 1:
            sql = f"EXISTS (SELECT 1 FROM postings AS p WHERE p.kind = ? AND p.term = ? AND p.number = {number})"  # noqa: S608
            return sql, [self.kind, phrase[0]]
        times, values = self._times(number, phrase)
        return f"(({times}) > 0)", values

    def _times(self, number: str, phrase: Phrase) -> tuple[str, list[Any]]:
        """Return SQL for how often a phrase stands in a row, with its values."""
        places = f"(SELECT p.places FROM postings AS p WHERE p.kind = ? AND p.term = ? AND p.number = {number})"  # noqa: S608
        after = [f"at + {place} = ANY({places}::integer[])" for place in range(1, len(phrase))]
        sql = f"SELECT count(*) FROM unnest({places}) AS at WHERE {' AND '.join(['true', *after])}"  # noqa: S608 - as above
        return sql, [value for term in phrase for value in (self.kind, term)]
