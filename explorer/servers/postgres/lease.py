"""A writer's lease: a row with a moment until which it holds, by the server's clock, put off by a heartbeat.

Its number is a fencing token: every transaction that writes locks the row against being taken (`FOR KEY SHARE`, for
which the heartbeat does not wait) and stops where it was. Who takes over what a writer left waits for that lock, so a
writer that was only paused either has written before, or cannot any more.
"""

from __future__ import annotations

import atexit
import os
import socket
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from explorer.errors import WorkspaceError
from explorer.servers.postgres.server import Server, Session
from explorer.stores.database import Database, Many

LASTS = 15.0  # seconds without a heartbeat, after which a lease has run out
_BEATS = 3  # heartbeats in that time
_UNTIL = "clock_timestamp() + make_interval(secs => CAST(? AS double precision))"
_BEGIN = f"INSERT INTO writers (name, until) VALUES (?, {_UNTIL}) RETURNING token, role"  # noqa: S608 - words from here
# a server that was away could not hear of anybody: all have the time of a lease after it has come back
_GONE = (
    "SELECT token FROM writers WHERE {} until < clock_timestamp() "
    "AND (since > pg_postmaster_start_time() OR "
    "pg_postmaster_start_time() < clock_timestamp() - make_interval(secs => CAST(? AS double precision))) {}"
)
_GO_ON = f"UPDATE writers SET until = {_UNTIL} WHERE token = ? AND NOT taken RETURNING 1"  # noqa: S608 - as above
_HOLD = (
    "SELECT set_config('explorer.writer', CAST(token AS text), true), "
    "CAST(pg_current_xact_id() AS text) AS number FROM writers "
    "WHERE token = ? AND NOT taken FOR KEY SHARE"
)
_LOST = (
    "Another process has taken over what this one was writing to {}: it was not heard of for long. "
    "What it had not written is lost; close the workspace, open it again and repeat it."
)


class WriterLease:
    """The lease of this process on one collection."""

    def __init__(self, server: Server, lasts: float = LASTS) -> None:
        self.server = server
        self.lasts = lasts
        self.token = 0
        self.role = ""
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def acquire(self) -> WriterLease:
        """Get a lease of this process's own, and put it off until `release`."""
        name = f"process {os.getpid()} on {socket.gethostname()} ({Path(sys.argv[0]).name or 'python'})"
        with self.server.lent() as session:
            [row] = session.rows(_BEGIN, (name, self.lasts))
        self.token, self.role = int(row["token"]), str(row["role"])
        self._thread = threading.Thread(target=self._beat, name="lease", daemon=True)
        self._thread.start()
        atexit.register(self.release)
        return self

    def check(self, session: Session) -> str:
        """Keep the lease from being taken until the transaction ends, in which triggers know whose it is; returns its
        number. Raises WorkspaceError where the lease was taken.
        """
        held = session.rows(_HOLD, (self.token,))
        if not held:
            raise WorkspaceError(_LOST.format(self.server.address))
        return str(held[0]["number"])

    def abandoned(self, iris: Iterable[str], *, own: bool = False) -> list[str]:
        """Return those of some documents and runs, begun and not ended, whose writer's lease has run out; take it.

        What is not known to have a writer was never begun by one. With `own` those of this one too.
        """
        asked = list(iris)
        if not asked:
            return []
        with self.server.lent() as session:
            session.run("BEGIN")
            try:
                writers = {*self._of(session, asked).values()}
                self._take(session, "AND token IN (SELECT value FROM json_each(?))", writers)
                of = self._of(session, asked)
                rows = session.rows(
                    "SELECT token FROM writers WHERE token IN (SELECT value FROM json_each(?)) AND taken",
                    (Many({*of.values()}),),
                )
            except BaseException as error:
                session.undo(error)
                raise
            session.run("COMMIT")
        gone = {row["token"] for row in rows} | {0} | ({self.token} if own else set())
        return [iri for iri in asked if iri not in of or of[iri] in gone]

    def taken_over(self) -> bool:
        """Take all leases that have run out; returns whether there were any."""
        with self.server.lent() as session:
            if not session.rows(_GONE.format("NOT taken AND", "LIMIT 1"), (self.lasts,)):
                return False
            session.run("BEGIN")
            try:
                taken = self._take(session)
            except BaseException as error:
                session.undo(error)
                raise
            session.run("COMMIT")
        return taken

    def _take(self, session: Session, which: str = "", among: Iterable[int] | None = None) -> bool:
        """Take leases that have run out, once the transactions of their writers have ended; in a transaction."""
        values = (self.lasts,) if among is None else (self.lasts, Many(among))
        rows = session.rows(_GONE.format("NOT taken AND", f"{which} ORDER BY token FOR UPDATE"), values)
        tokens = Many(row["token"] for row in rows)
        session.rows("UPDATE writers SET taken = true WHERE token IN (SELECT value FROM json_each(?))", (tokens,))
        return bool(tokens)

    def elsewhere(self, documents: Iterable[str]) -> list[str]:
        """Return those of some documents that other writers are storing."""
        with self.server.lent() as session:
            rows = session.rows(
                "SELECT documents.iri FROM documents LEFT JOIN begun ON begun.iri = documents.iri "
                "WHERE documents.iri IN (SELECT value FROM json_each(?)) AND state = 'writing' "
                "AND coalesce(begun.writer, 0) <> ?",
                (Many(documents), self.token),
            )
        return [row["iri"] for row in rows]

    def others(self) -> list[str]:
        """Return who else writes, by name."""
        with self.server.lent() as session:
            rows = session.rows(
                "SELECT name FROM writers WHERE token <> ? AND NOT taken AND until > clock_timestamp() ORDER BY token",
                (self.token,),
            )
        return [row["name"] for row in rows]

    def release(self) -> None:
        """End the lease: nobody waits for it to run out, unless the server is away."""
        if self._ended.is_set() or not self.token:
            return
        self._ended.set()
        atexit.unregister(self.release)
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
        with suppress(WorkspaceError), self.server.lent() as session:  # else it runs out by itself
            session.rows("UPDATE writers SET until = clock_timestamp() WHERE token = ?", (self.token,))

    def disown(self) -> None:
        """Leave the lease to the process that this one was forked from."""
        self._ended.set()
        atexit.unregister(self.release)

    def beat(self) -> bool:
        """Put the lease off; returns whether it is still held: one that has run out is, until somebody takes it."""
        with self.server.lent() as session:
            found = session.rows(_GO_ON, (self.lasts, self.token))
        return bool(found)

    def _beat(self) -> None:
        while not self._ended.wait(self.lasts / _BEATS):
            try:
                if not self.beat():
                    return
            except WorkspaceError:  # the next one may come through; if none does, the lease runs out
                continue

    def _of(self, session: Session, iris: Iterable[str]) -> dict[str, int]:
        rows = session.rows(
            "SELECT iri, writer FROM begun WHERE iri IN (SELECT value FROM json_each(?))", (Many(iris),)
        )
        return {row["iri"]: row["writer"] for row in rows}


class OnServer(Database, Protocol):
    """A database on a server: with that, the lease of who writes, and whether its tables are of this role."""

    server: Server
    lease: WriterLease | None

    @property
    def is_owned(self) -> bool:
        """Whether the role that is connected owns the tables."""
