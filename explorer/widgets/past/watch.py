"""Looking whether others ask, write at runs or read documents in, while an app of a workspace they share is open."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable

from explorer.errors import WorkspaceError
from explorer.workspace import Workspace

EVERY = 0.5
"""Seconds between looking: two small statements of the database each time."""


class Watch:
    """A thread that calls methods of the app: `ran` after runs, or what is written at them, have changed, and `read`
    when somebody begins or ends to read documents in.

    In a workspace that nobody else can write to there is no such thread.
    """

    def __init__(self, ws: Workspace, ran: Callable[[], None], read: Callable[[], None]) -> None:
        """Look until `end`, or until the app is gone, as long as the workspace is open."""
        self._ws = ws
        self._ran, self._read = (weakref.WeakMethod(one, lambda _: self.end()) for one in (ran, read))
        self._ended = threading.Event()
        if ws.stores.database.is_shared:
            threading.Thread(target=self._go_on, name="watch", daemon=True).start()

    def end(self) -> None:
        """Stop looking."""
        self._ended.set()

    def _go_on(self) -> None:
        ran: object = None
        read: object = []
        while not self._ended.wait(EVERY):
            try:
                database = self._ws.stores.database
                if (found := database.run_changes()) != ran and (changed := self._ran()) is not None:
                    changed()
                ran = found
                if (reading := database.being_read()) != read and (changed := self._read()) is not None:
                    changed()
                read = reading
            except WorkspaceError:  # it was closed, and may be opened again, or its server is away
                continue
