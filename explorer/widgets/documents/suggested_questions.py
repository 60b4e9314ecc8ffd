"""Questions to begin with, looked for beside whatever else the app does: of the document that is open, or of all."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from explorer.errors import ExplorerError
from explorer.widgets.documents.worker import Worker

if TYPE_CHECKING:
    from explorer.workspace import Workspace


class Suggesting:
    """Looks for questions in a thread, for the last that was asked for first; what was found is remembered.

    `found` is called, from that thread, with the IRI of the document (None: all of them) and the questions; `failed`
    with what was raised instead.
    """

    def __init__(
        self, ws: Workspace, found: Callable[[str | None, list[str]], None], failed: Callable[[Exception], None]
    ) -> None:
        """Begin with none."""
        self._failed = failed
        self._ws = ws
        self._found = found
        self._known: dict[str | None, list[str]] = {}
        self._asked: set[str] = set()
        self._wanted: list[str | None] = []
        self._lock = threading.Lock()
        self._worker = Worker("explorer-suggesting", self._next)
        self.wait = self._worker.wait

    def want(self, document: str | None) -> None:
        """Look for questions about a document, or about all, unless they are known; `found` is told of either."""
        with self._lock:
            known = self._known.get(document)
            if known is None:
                self._wanted = [*(one for one in self._wanted if one != document), document]
        if known is not None:
            self._found(document, known)
        else:
            self._worker.wake()

    def asked(self, question: str) -> None:
        """Offer a question no more that was asked, and others where it was offered."""
        with self._lock:
            self._asked.add(question)
            gone = [document for document, known in self._known.items() if question in known]
            for document in gone:
                del self._known[document]
        for document in gone:
            self.want(document)

    def forget(self) -> None:
        """Look anew the next time, since what the workspace holds has changed."""
        with self._lock:
            self._known.clear()

    def _next(self) -> Callable[[], None] | None:
        with self._lock:
            return partial(self._look, self._wanted.pop()) if self._wanted else None

    def _look(self, document: str | None) -> None:
        try:
            with self._lock:
                asked = set(self._asked)
            questions = self._ws.suggest(document, without=asked)
        except ExplorerError:  # it was removed meanwhile, or all is closed: there is nothing to suggest
            questions = []
        except Exception as error:  # noqa: BLE001 - the end of a worker thread: shown in the app
            if not self._ws.closed:  # while it was searched
                self._failed(error)
            return
        with self._lock:
            self._known[document] = questions
        try:
            self._found(document, questions)
        except ExplorerError:
            if not self._ws.closed:  # meanwhile: then nobody sees them
                raise
