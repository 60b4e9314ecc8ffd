"""Questions to begin with, looked for beside whatever else the app does: of the document that is open, or of all."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from explorer.errors import ExplorerError

if TYPE_CHECKING:
    from explorer.workspace import Workspace


class Suggesting:
    """Looks for questions in a thread, for the last that was asked for first; what was found is remembered.

    `found` is called, from that thread, with the IRI of the document (None: all of them) and the questions.
    """

    def __init__(self, ws: Workspace, found: Callable[[str | None, list[str]], None]) -> None:
        """Begin with none."""
        self._ws = ws
        self._found = found
        self._known: dict[str | None, list[str]] = {}
        self._wanted: list[str | None] = []
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def want(self, document: str | None) -> None:
        """Look for questions about a document, or about all, unless they are known; `found` is told of either."""
        with self._lock:
            known = self._known.get(document)
            if known is None:
                self._wanted = [*(one for one in self._wanted if one != document), document]
                if self._thread is None:
                    self._thread = threading.Thread(target=self._work, daemon=True, name="explorer-suggesting")
                    self._thread.start()
        if known is not None:
            self._found(document, known)

    def forget(self) -> None:
        """Look anew the next time, since what the workspace holds has changed."""
        with self._lock:
            self._known.clear()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing is looked for, at most `timeout` seconds; returns whether that is so."""
        thread = self._thread
        if thread is not None:
            thread.join(timeout)
        return thread is None or not thread.is_alive()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._wanted:
                    self._thread = None
                    return
                document = self._wanted.pop()
            try:
                questions = self._ws.suggest(document)
            except ExplorerError:  # it was removed meanwhile: there is nothing to suggest
                questions = []
            except Exception:
                with self._lock:
                    self._thread = None
                if self._ws.closed:  # while it was searched
                    return
                raise
            with self._lock:
                self._known[document] = questions
            self._found(document, questions)
