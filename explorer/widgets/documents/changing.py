"""What is looked up or changed beside whatever else the app does: one thing after the other, in a thread."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable


class Changing:
    """Does one thing after the other in a thread, in the order they came. `failed` is told of what was raised."""

    def __init__(self, failed: Callable[[Exception], None]) -> None:
        """Begin with nothing to do."""
        self._failed = failed
        self._waiting: deque[Callable[[], None]] = deque()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def do(self, what: Callable[[], None]) -> None:
        """Do something after all that waits."""
        with self._lock:
            self._waiting.append(what)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, daemon=True, name="explorer-changing")
                self._thread.start()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until all is done, at most `timeout` seconds; returns whether it is."""
        thread = self._thread
        if thread is not None:
            thread.join(timeout)
        return thread is None or not thread.is_alive()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._thread = None
                    return
                what = self._waiting.popleft()
            try:
                what()
            except Exception as error:  # noqa: BLE001 - the end of a worker thread: shown in the app
                self._failed(error)
