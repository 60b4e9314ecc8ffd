"""Looking whether others have asked, or written at runs, while an app of a workspace that they share is open."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable

from explorer.errors import WorkspaceError
from explorer.workspace import Workspace

EVERY = 0.5
"""Seconds between looking: one small statement of the database each time."""


class RunWatch:
    """A thread that calls a method of the app, `changed`, after runs, or what is written at them, have changed.

    In a workspace that nobody else can write to there is no such thread.
    """

    def __init__(self, ws: Workspace, changed: Callable[[], None]) -> None:
        """Look until `end`, or until the app is gone, as long as the workspace is open."""
        self._ws = ws
        self._changed = weakref.WeakMethod(changed, lambda _: self.end())
        self._ended = threading.Event()
        if ws.stores.database.is_shared:
            threading.Thread(target=self._go_on, name="run-watch", daemon=True).start()

    def end(self) -> None:
        """Stop looking."""
        self._ended.set()

    def _go_on(self) -> None:
        seen: object = None
        while not self._ended.wait(EVERY):
            try:
                found = self._ws.stores.database.run_changes()
                changed = self._changed()
                if found != seen and changed is not None:
                    changed()
                seen = found
            except WorkspaceError:  # it was closed, and may be opened again, or its server is away
                continue
