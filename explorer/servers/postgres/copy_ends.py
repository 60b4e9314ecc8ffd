"""What a copy needs of the database at either end: that nobody writes to the one, and that nobody opens the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from explorer.errors import WorkspaceError
from explorer.stores.database import COPYING, OF_PLACE

if TYPE_CHECKING:
    from explorer.servers.postgres.database import PostgresDatabase

_LIVE = "SELECT name FROM writers WHERE token <> ? AND NOT taken AND until > clock_timestamp() ORDER BY token"
_IN_USE = (
    "{} is in use by {}; close it there, then try again. A process that was killed counts for 15 seconds, or "
    "longer where the server was restarted."
)


@contextmanager
def held(database: PostgresDatabase) -> Iterator[Callable[[], None]]:
    """Let nobody write until the block ends, who waits meanwhile; yields what raises WorkspaceError where that was
    lost. Raises it too where another process has the collection open for writing, or this one may not hold it.
    """
    with database.server.lent() as session:
        session.run("BEGIN")
        try:
            session.run("LOCK TABLE writers IN EXCLUSIVE MODE")  # without this row no writer's transaction begins
            rows = session.rows(_LIVE, (_token(database),))
            if rows:
                names = ", ".join(row["name"] for row in rows)
                raise WorkspaceError(_IN_USE.format(database.server.address, names))

            def check() -> None:
                with database.server.reported():
                    session.run("SELECT 1")

            yield check
        finally:
            session.undo()


def claim(database: PostgresDatabase, note: str) -> None:
    """Write down that a collection is to be a copy, which nobody opens then; before this process has a lease, so that
    one that was killed has left this, or none.
    """
    with database.server.lent() as session:
        session.rows("INSERT INTO settings VALUES (?, ?)", (COPYING, note))


def take_leases(database: PostgresDatabase) -> None:
    """Have no other process write on, whose lease may still hold; for who knows that none may."""
    with database.writing() as transaction:
        transaction.execute("UPDATE writers SET taken = true WHERE NOT taken AND token <> ?", (_token(database),))


def empty(database: PostgresDatabase) -> None:
    """Take all rows out of all tables but what says where the collection is, and who writes."""
    tables = ", ".join(f'"{name}"' for name in database.tables() if name not in ("settings", "writers"))
    marks = ", ".join("?" * len(OF_PLACE))
    with database.writing() as transaction:
        transaction.session.run("ALTER TABLE ledger DISABLE TRIGGER ledger_stays")
        transaction.session.run(f"TRUNCATE {tables}")
        transaction.session.run("ALTER TABLE ledger ENABLE TRIGGER ledger_stays")
        transaction.execute(f"DELETE FROM settings WHERE name NOT IN ({marks})", OF_PLACE)  # noqa: S608 - marks alone


def _token(database: PostgresDatabase) -> int:
    return 0 if database.lease is None else database.lease.token
