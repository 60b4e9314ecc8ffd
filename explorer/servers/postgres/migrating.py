"""The tables of a collection, by numbered files of SQL that are run in order."""

from __future__ import annotations

from importlib.resources import files

from explorer.errors import WorkspaceError
from explorer.servers.postgres.server import Server, Session
from explorer.stores.database import EARLIER

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
    """Make the tables of a collection that is new; raises WorkspaceError for one of another format."""
    found = format_of(server)
    if found is None and read_only:
        raise WorkspaceError(f"{server.address} has no collection {server.schema}; open it for writing first.")
    if found is None:
        _make(server)
    elif found < newest():
        raise WorkspaceError(EARLIER.format(server.address, found, newest()))
    elif found > newest():
        raise WorkspaceError(
            f"{server.address} is of format {found}, this version reads {newest()}; use the version that made it."
        )


def format_of(server: Server) -> int | None:
    """Return the format of a collection; None where there is none."""
    with server.lent() as session:
        return _format(server, session)


def _format(server: Server, session: Session) -> int | None:
    if not session.rows("SELECT 1 FROM pg_tables WHERE schemaname = ? AND tablename = 'settings'", (server.schema,)):
        return None
    rows = session.rows("SELECT value FROM settings WHERE name = ?", (_FORMAT,))
    return int(rows[0]["value"]) if rows else None


def _make(server: Server) -> None:
    """Run the files, while nobody else does."""
    from explorer.servers.postgres.server import Session

    with server.reported():
        connection = server.connect(None)
        try:
            session = Session(connection, {})
            session.run("BEGIN")
            session.run(f"SELECT pg_advisory_xact_lock({_LOCK})")
            if _format(server, session) is not None:  # another process was quicker
                return
            _begin(server, session)
            for _, sql in steps():
                session.run(sql)
            session.rows("INSERT INTO settings VALUES (?, ?)", (_FORMAT, str(newest())))
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
