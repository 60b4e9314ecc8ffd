"""Files that are read one after the other, beside whatever else the app does, and how far each has come."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from explorer.errors import ExplorerError
from explorer.ingest.readers.files import Source
from explorer.text import count

if TYPE_CHECKING:
    from pathlib import Path

    from explorer.ingest.batch import Ingested
    from explorer.ingest.progress import Progress
    from explorer.widgets.messages.documents import FileState, ReadFile
    from explorer.workspace import Workspace

_EVERY = 0.2  # seconds between two messages on the same file
_SURE = 2.0  # seconds of work before the time left is told


@dataclass(slots=True)
class _File:
    file: str
    name: str
    state: FileState = "coming"
    share: float | None = None  # of what is going on
    said: str = ""
    began: float = 0.0
    path: Path | None = None


class Reading:
    """The files of one app, in the order they came. `changed` is called, from any thread, when the page has to know.

    `read` is called after each file that added something to the workspace.
    """

    def __init__(self, ws: Workspace, changed: Callable[[], None], read: Callable[[], None]) -> None:
        """Begin without files."""
        self._ws = ws
        self._changed = changed
        self._read = read
        self._files: dict[str, _File] = {}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._told = 0.0

    def coming(self, file: str, name: str, share: float) -> None:
        """Take note that so much of a file has come."""
        with self._lock:
            one = self._files.setdefault(file, _File(file, name))
            one.state, one.share = "coming", share
        self._tell_now_and_then()

    def refuse(self, file: str, name: str, reason: str) -> None:
        """Say beside a file why it is not read."""
        with self._lock:
            one = self._files.setdefault(file, _File(file, name))
            one.state, one.share, one.said = "refused", None, reason
        self._changed()

    def add(self, file: str, path: Path) -> None:
        """Read a file that has come; it is deleted afterwards."""
        with self._lock:
            one = self._files[file]
            one.state, one.share, one.path = "waiting", None, path
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, daemon=True, name="explorer-reading")
                self._thread.start()
        self._changed()

    def drop(self, file: str) -> None:
        """Take a file off the list, unless it is being read just now."""
        with self._lock:
            one = self._files.get(file)
            if one is None or one.state == "reading":
                return
            del self._files[file]
            if one.path is not None:
                one.path.unlink(missing_ok=True)
        self._changed()

    @property
    def is_busy(self) -> bool:
        """Whether a file still waits to be read."""
        with self._lock:
            return any(one.state == "waiting" for one in self._files.values())

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until all files are read, at most `timeout` seconds; returns whether they are."""
        thread = self._thread
        if thread is not None:
            thread.join(timeout)
        return thread is None or not thread.is_alive()

    def files(self) -> list[ReadFile]:
        """Return all files with how far each has come."""
        now = time.monotonic()
        with self._lock:
            return [
                {"file": one.file, "name": one.name, "state": one.state, "share": one.share, "said": one.said,
                 "left": _left(one, now)}
                for one in self._files.values()
            ]  # fmt: skip

    def _work(self) -> None:
        while True:
            with self._lock:
                one = next((one for one in self._files.values() if one.state == "waiting"), None)
                if one is None or one.path is None:
                    self._thread = None
                    return
                one.state, one.began = "reading", time.monotonic()
                path = one.path
            self._changed()
            added = False
            try:
                ingested = self._ws.ingest(Source(path, one.name), progress=partial(self._step, one))
                said, added = _said(ingested), ingested.documents > 0
                self._end(one, "read" if ingested.documents or not ingested.refused else "refused", said)
            except ExplorerError as error:
                self._end(one, "refused", str(error))
            except Exception as error:  # noqa: BLE001 - the end of a worker thread: shown beside the file
                self._end(one, "refused", f"Something went wrong: {error}")
            finally:
                path.unlink(missing_ok=True)
            self._changed()
            if added:
                self._read()

    def _step(self, one: _File, step: Progress) -> None:
        with self._lock:
            if step.stage == "reading":
                one.said, one.share = "reading", None
            elif step.total:
                one.share = step.done / step.total
                page = f"page {step.page} of {step.pages}" if step.page else ""
                one.said = page or ("looking for facts" if step.stage == "facts" else "storing")
            else:
                one.said = count(step.done, "passage")
        self._tell_now_and_then()

    def _end(self, one: _File, state: FileState, said: str) -> None:
        with self._lock:
            one.state, one.share, one.said, one.path = state, None, said, None

    def _tell_now_and_then(self) -> None:
        now = time.monotonic()
        if now - self._told >= _EVERY:
            self._told = now
            self._changed()


def _left(one: _File, now: float) -> float | None:
    """Return the seconds that are left by what was done so far; None before that can be told."""
    spent = now - one.began
    if one.state != "reading" or not one.share or spent < _SURE:
        return None
    return spent / one.share - spent


def _said(ingested: Ingested) -> str:
    """Return in a few words what a file brought."""
    if ingested.refused:
        first = ingested.refused[0].reason
        more = len(ingested.refused) - 1
        return first if not more else f"{first} And {count(more, 'more line')} left out."
    if not ingested.documents:
        return "known already: nothing new"
    pages = [count(ingested.pages, "page")] if ingested.pages else []
    many = [count(ingested.documents, "passage")] if ingested.documents > 1 else []
    return ", ".join([*many, *pages, count(ingested.edges, "fact")])
