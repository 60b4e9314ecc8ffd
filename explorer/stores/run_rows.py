"""The rows by which runs are listed: how each began, how it ended and what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from explorer.stores.database import Database, Many, Transaction, among, drop

_COLUMNS = "iri, engine, reasoner, question, started_at, reason, kept, failed, pattern"


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run's row: its Question, how and when it was asked, how it ended (None: it runs), and what was kept.

    `reasoner` and `started_at` are empty where they are not on record.
    """

    iri: str
    engine: str
    reasoner: str
    question: str
    started_at: str
    reason: str | None
    kept: int | None = None
    failed: int = 0
    pattern: str | None = None


@dataclass(frozen=True, slots=True)
class RunTable:
    """The rows of the runs in an open database."""

    database: Database

    def add(self, runs: Iterable[ListedRun]) -> None:
        """Insert rows; a run that has one keeps it."""
        rows = [(one.iri, one.engine, one.reasoner, one.question, one.started_at, one.reason) for one in runs]
        if rows:
            with self.database.writing() as connection:
                connection.executemany(
                    "INSERT INTO listing (iri, engine, reasoner, question, started_at, reason) "
                    "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", rows,
                )  # fmt: skip

    def describe(
        self, iris: Sequence[str], *, reason: str | None, answer: str, kept: int | None, failed: int,
        pattern: str | None,
    ) -> None:  # fmt: skip
        """Update the row of the one run that has one of some IRIs; `reason` None leaves that as it is."""
        with self.database.writing() as connection:
            connection.execute(
                "UPDATE listing SET reason = coalesce(?, reason), answer = ?, kept = ?, failed = ?, pattern = ? "
                "WHERE iri IN (SELECT value FROM json_each(?))",
                (reason, answer, kept, failed, pattern, Many(iris)),
            )

    def drop(self, iris: Iterable[str]) -> None:
        """Delete the rows of runs that are no longer on record."""
        with self.database.writing() as connection:
            drop(connection, "listing", "iri", iris)

    def iris(self) -> set[str]:
        """Return the IRIs of the runs that have a row."""
        return {row["iri"] for row in self.database.rows("SELECT iri FROM listing")}

    def has(self, iri: str) -> bool:
        """Return whether a run has a row."""
        return bool(self.database.rows("SELECT 1 FROM listing WHERE iri = ?", (iri,)))

    def unended(self) -> list[str]:
        """Return the IRIs of the runs that have no end."""
        return [row["iri"] for row in self.database.rows("SELECT iri FROM listing WHERE reason IS NULL")]

    def reasoners(self) -> list[str]:
        """Return what reasoned in any of them, in the order of the alphabet."""
        rows = self.database.rows("SELECT DISTINCT reasoner FROM listing ORDER BY reasoner")
        return [row["reasoner"] for row in rows]

    def find(
        self, *, text: str | None, named: Sequence[str], engine: str | None, reasoners: Sequence[str] | None,
        problems: bool | None, troubles: Sequence[str],
    ) -> dict[str, str]:  # fmt: skip
        """Return when those runs began that have `text` in question or answer, or are `named`; by IRI, in its order.

        `engine`, `reasoners` and `problems` (a failed step, or an end among `troubles`) narrow it, unless None.
        """
        of = "{} IN (SELECT value FROM json_each(?))".format
        asked: list[tuple[str, Sequence[object]]] = []  # conditions, each with its values
        if text:
            holds = "instr(folded({}), folded(?)) > 0".format
            which = f"({holds('question')} OR {holds('answer')} OR {of('iri')})"
            asked.append((which, (text, text, Many(named))))
        if engine:
            asked.append(("engine = ?", (engine,)))
        if reasoners is not None:
            asked.append((of("reasoner"), (Many(reasoners),)))
        if problems is not None:
            which = f"(failed > 0 OR (reason IS NOT NULL AND {of('reason')}))"
            asked.append((which if problems else f"NOT {which}", (Many(troubles),)))
        where = " AND ".join(["0 = 0", *(which for which, _ in asked)])
        rows = self.database.rows(
            f"SELECT iri, started_at FROM listing WHERE {where} ORDER BY iri",  # noqa: S608 - words from here
            [value for _, values in asked for value in values],
        )
        return {row["iri"]: row["started_at"] for row in rows}

    def among(self, iris: Iterable[str]) -> list[ListedRun]:
        """Return the rows of those of some nodes that are runs, by IRI."""
        rows = among(self.database, f"SELECT {_COLUMNS} FROM listing", "iri", sorted(iris), "ORDER BY iri")  # noqa: S608
        return [ListedRun(*row) for row in rows]

    def answers(self, iris: Iterable[str]) -> dict[str, str]:
        """Return the answers of those of some nodes that are runs, by IRI; empty where there is none yet."""
        rows = among(self.database, "SELECT iri, answer FROM listing", "iri", sorted(iris))
        return {row["iri"]: row["answer"] or "" for row in rows}


def take_answers(connection: Transaction, texts: Iterable[str], said: str) -> None:
    """Put a sentence in place of some answers where runs are listed by them, within the caller's transaction."""
    connection.execute(
        "UPDATE listing SET answer = ? WHERE answer IN (SELECT value FROM json_each(?))", (said, Many(texts))
    )
