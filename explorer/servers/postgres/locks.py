"""The locks of a collection on a server: what only one writer at a time does, whichever process it is in."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager, ExitStack, suppress
from typing import Any

from explorer.errors import WorkspaceError
from explorer.servers.postgres.lease import OnServer
from explorer.servers.postgres.server import ConnectionLostError, Session, SlowError

SEALING, CORRECTING, NOTING, IMPORTING, OPENING, ALONE, COPYING = range(1, 8)  # their numbers in each collection
_TOLD = "INSERT INTO changes VALUES (?, 1) ON CONFLICT (writer) DO UPDATE SET count = changes.count + 1"
_BUSY = "Another writer of {} is {}, for longer than {:g} seconds; try again when it has ended."


class AdvisoryLock:
    """Held by one thread of one process, by an advisory lock on a connection of its own; `own` keeps threads apart.

    Where it `is_told`, it counts as a change of runs each time it was waited for and held.
    """

    def __init__(
        self,
        database: OnServer,
        number: int,
        doing: str,
        own: AbstractContextManager[Any] | None = None,
        *,
        is_told: bool = False,
    ) -> None:
        self._database, self._number, self._doing, self._is_told = database, number, doing, is_told
        self._own: Any = own or threading.RLock()
        self._held = ExitStack()
        self._depth = 0

    def __enter__(self) -> None:
        self._own.acquire()
        self._enter("SELECT pg_advisory_lock(hashtext(current_schema()), ?)", is_told=self._is_told)

    def attempted(self, held: ExitStack) -> bool:
        """Return whether it is free, and then held until the stack is closed."""
        if not self._own.acquire(blocking=False):
            return False
        if not self._enter("SELECT pg_try_advisory_lock(hashtext(current_schema()), ?)"):
            self._own.release()
            return False
        held.push(self)
        return True

    def _enter(self, sql: str, *, is_told: bool = False) -> bool:
        server = self._database.server
        try:
            if not self._depth:
                with ExitStack() as made:
                    session = made.enter_context(server.lent())
                    [row] = session.rows(sql, (self._number,))
                    if row[0] is False:
                        return False
                    made.callback(self._release, session, is_told=is_told)
                    self._held = made.pop_all()
            self._depth += 1
        except BaseException as error:
            self._own.release()
            if isinstance(error, SlowError):
                raise WorkspaceError(_BUSY.format(server.address, self._doing, server.timeout)) from error
            raise
        return True

    def _release(self, session: Session, *, is_told: bool) -> None:
        lease = self._database.lease
        try:
            if is_told and lease is not None:
                session.rows(_TOLD, (lease.token,))
        finally:
            session.rows("SELECT pg_advisory_unlock(hashtext(current_schema()), ?)", (self._number,))

    def __exit__(self, *_: object) -> None:
        try:
            self._depth -= 1
            if not self._depth:
                with suppress(ConnectionLostError):  # it goes with its connection
                    self._held.close()
        finally:
            self._own.release()
