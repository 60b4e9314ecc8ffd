"""Threads that do one thing after the other, beside whatever else the app does, and end with the program."""

from __future__ import annotations

import atexit
import threading
import weakref
from collections import deque
from collections.abc import Callable
from functools import partial

_LONGEST = 30.0  # seconds that the end of the program waits for what is being done


class Worker:
    """Does what `take` returns until it returns None, in a thread of its own; `wake` tells that there is more.

    `take` is called in that thread, one at a time. What it returns catches what it raises.
    """

    def __init__(self, name: str, take: Callable[[], Callable[[], None] | None]) -> None:
        """Begin with nothing to do; `name` is that of the thread."""
        self._name = name
        self._take = take
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_over = False
        _workers.add(self)

    def wake(self) -> None:
        """Go on, or begin, as there is something to do."""
        with self._lock:
            if self._thread is None and not self._is_over:
                self._thread = threading.Thread(target=self._work, daemon=True, name=self._name)
                self._thread.start()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until all is done, at most `timeout` seconds; returns whether it is."""
        thread = self._thread
        if thread is not None:
            thread.join(timeout)
        return thread is None or not thread.is_alive()

    def end(self) -> None:
        """Do nothing more after what is being done; the end of that is waited for."""
        self._is_over = True
        self.wait(_LONGEST)

    def _work(self) -> None:
        while True:
            with self._lock:
                what = None if self._is_over else self._take()
                if what is None:
                    self._thread = None
                    return
            try:
                what()
            except BaseException:  # the next one finds a thread again
                with self._lock:
                    self._thread = None
                raise


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


_workers: weakref.WeakSet[Worker] = weakref.WeakSet()


@atexit.register
def _end_all() -> None:
    """End them all: a thread that the end of the program cuts off in a library ends the whole process in error."""
    for worker in list(_workers):
        worker.end()
