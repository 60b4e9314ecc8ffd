"""A run in a thread of its own, so that the notebook stays free; it can be stopped, and can pause after a stage."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator
from typing import Protocol, cast

from explorer.events import Done, Event, Explain


class Hold(Protocol):
    """Called when a run waits, and when it goes on."""

    def __call__(self, *, holding: bool) -> None:
        """Take note that the run waits, or goes on."""


class LiveRun:
    """One run at a time: takes its events one by one, each of which stays for a moment before the next is asked for."""

    def __init__(self, pace: float) -> None:
        """Nothing runs yet; `pace` is how many seconds a step stays."""
        self.pace = pace
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()
        self._going_on = threading.Event()
        self._over = threading.Event()

    @property
    def is_running(self) -> bool:
        """Whether a run is going on."""
        return self._thread is not None and self._thread.is_alive() and not self._over.is_set()

    @property
    def is_stopping(self) -> bool:
        """Whether `stop` was called since it began."""
        return self._stopping.is_set()

    def start(self, work: Callable[[], None]) -> None:
        """Begin `work`, which drains a run; one that is going on has to be over."""
        self._stopping.clear()
        self._over.clear()
        self._thread = threading.Thread(target=work, daemon=True, name="explorer-run")
        self._thread.start()

    def over(self) -> None:
        """End `is_running` from within the work: the run is over, though its thread goes on for a moment."""
        self._over.set()

    def stop(self) -> None:
        """End the run after the step it is at, also where it waits."""
        self._stopping.set()
        self._going_on.set()

    def go_on(self) -> None:
        """Let a run go on that waits at a stage."""
        self._going_on.set()

    def wait(self, timeout: float | None) -> bool:
        """Wait for the end of the run, at most `timeout` seconds; returns whether it has ended."""
        if self._thread is not None:
            self._thread.join(timeout)
        return not self.is_running

    def drain(self, events: Iterator[Event], take: Callable[[Event], Iterator[None]], hold: Hold) -> Done | None:
        """Hand every event to `take` until the end or `stop`; returns the end, None when stopped.

        `take` yields where the run is to wait: then `hold` is called, and again once the run goes on.
        """
        for event in events:
            has_waited = False
            for _ in take(event):
                has_waited = True
                self._wait_at_stage(hold)
                if self._stopping.is_set():
                    break
            if isinstance(event, Done):
                return event
            if not has_waited:
                self._stopping.wait(self.pace if isinstance(event, Explain) else self.pace / 4)
            if self._stopping.is_set():
                break
        cast("Generator[Event]", events).close()
        return None

    def _wait_at_stage(self, hold: Hold) -> None:
        self._going_on.clear()
        hold(holding=True)
        if not self._stopping.is_set():
            self._going_on.wait()
        hold(holding=False)
