"""What is looked up or changed beside whatever else the app does: one thing after the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial

from explorer.widgets.documents.worker import Worker


class Changing:
    """Does one thing after the other in a thread, in the order they came. `failed` is told of what was raised."""

    def __init__(self, failed: Callable[[Exception], None]) -> None:
        """Begin with nothing to do."""
        self._failed = failed
        self._waiting: deque[Callable[[], None]] = deque()
        self._worker = Worker("explorer-changing", self._next)
        self.wait = self._worker.wait

    def do(self, what: Callable[[], None]) -> None:
        """Do something after all that waits."""
        self._waiting.append(what)
        self._worker.wake()

    def _next(self) -> Callable[[], None] | None:
        return partial(self._try, self._waiting.popleft()) if self._waiting else None

    def _try(self, what: Callable[[], None]) -> None:
        try:
            what()
        except Exception as error:  # noqa: BLE001 - the end of a worker thread: shown in the app
            self._failed(error)
