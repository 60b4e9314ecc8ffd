"""The tables of a collection, by numbered files of SQL that are run in order, each once."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from explorer.errors import WorkspaceError

if TYPE_CHECKING:
    from explorer.servers.postgres.server import Server, Session

_LOCK = 7_120_431  # of this program among the advisory locks of a database
_FORMAT = "format"
_NO_VECTORS = (
    "{} has no pgvector; install it on the server, then have an owner of the database run CREATE EXTENSION vector."
)


def steps() -> list[tuple[int, str]]:
    """Return the files: number and SQL of each, in order."""
    found = files("explorer.servers.postgres").joinpath("migrations").iterdir()
    named = sorted(one.name for one in found if one.name.endswith(".sql"))
    here = files("explorer.servers.postgres").joinpath("migrations")
    return [(int(name.partition("_")[0]), here.joinpath(name).read_text("utf-8")) for name in named]


def newest() -> int:
    """Return the format that this version reads and writes."""
    return steps()[-1][0]


def prepare(server: Server, *, read_only: bool = False) -> None:
    """Make the tables of a collection that is new; raises WorkspaceError for one of another format, of which only
    `upgrade` brings an older one up.
    """
    found = format_of(server)
    if found is None and read_only:
        raise WorkspaceError(f"{server.address} has no collection {server.schema}; open it for writing first.")
    if found is None:
        _migrate(server)
    elif found < newest():
        raise WorkspaceError(
            f"{server.address} was made by an earlier version (format {found}, this one has {newest()}); "
            "run `explorer upgrade` once, while nobody else writes."
        )
    elif found > newest():
        raise WorkspaceError(
            f"{server.address} is of format {found}, this version reads up to {newest()}; use the version that made it."
        )


def upgrade(server: Server) -> int:
    """Bring a collection up to the newest format, in one transaction; returns the one it had.

    Raises WorkspaceError while anybody holds a lease to write.
    """
    before = format_of(server)
    if before is None:
        raise WorkspaceError(f"{server.address} has no collection {server.schema}; check the name.")
    if before < newest():
        _migrate(server)
    return before


def format_of(server: Server) -> int | None:
    """Return the format of a collection; None where there is none."""
    with server.lent() as session:
        return _format(server, session)


def _format(server: Server, session: Session) -> int | None:
    if not session.rows("SELECT 1 FROM pg_tables WHERE schemaname = ? AND tablename = 'settings'", (server.schema,)):
        return None
    rows = session.rows("SELECT value FROM settings WHERE name = ?", (_FORMAT,))
    return int(rows[0]["value"]) if rows else None


def _migrate(server: Server) -> None:
    """Run the files that were not run yet, while nobody else does."""
    from explorer.servers.postgres.server import Session

    with server.reported():
        connection = server.connect(None)
        try:
            session = Session(connection, {})
            session.run("BEGIN")
            session.run(f"SELECT pg_advisory_xact_lock({_LOCK})")
            before = _format(server, session) or 0
            if before >= newest():  # another process was quicker
                return
            if before and session.rows("SELECT 1 FROM writers WHERE NOT taken AND until > clock_timestamp()"):
                raise WorkspaceError(f"Somebody writes to {server.address}; upgrade it when they have closed it.")
            if not before:
                _begin(server, session)
            for number, sql in steps():
                if number > before:
                    session.run(sql)
                    session.rows(
                        "INSERT INTO settings VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                        (_FORMAT, str(number)),
                    )
            session.run("COMMIT")
        finally:
            connection.close()


def _begin(server: Server, session: Session) -> None:
    """Make the schema, and see that the database can hold a collection."""
    [row] = session.rows("SHOW server_encoding")
    if row[0] != "UTF8":
        raise WorkspaceError(f"{server.address} stores text as {row[0]}; create a database with ENCODING 'UTF8'.")
    session.run(f'CREATE SCHEMA IF NOT EXISTS "{server.schema}"')
    if not session.rows("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'"):
        raise WorkspaceError(_NO_VECTORS.format(server.address))
    session.run("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
