"""A run that is pushed by whoever does it, recorded as runs are that are pulled, and watched by others meanwhile."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from queue import SimpleQueue

from explorer.events import Done, Event


class Feed:
    """Hands events to the record one by one, and what is stored to those who watch."""

    def __init__(self, record: Callable[[Iterator[Event]], Iterator[Event]]) -> None:
        """Begin to record; `record` stores each event before it passes it on."""
        self.stored: list[Event] = []
        self._waiting: deque[Event] = deque()
        self._recorded = record(self._source())
        self._watching: list[SimpleQueue[Event | None]] = []
        self.over = False

    def push(self, event: Event) -> None:
        """Store an event, and tell those who watch; of a Done the end of the run."""
        self._waiting.append(event)
        if not isinstance(event, Done):
            self._tell(next(self._recorded))
            return
        try:
            for stored in self._recorded:
                self._tell(stored)
        finally:
            self._end()

    def stop(self) -> None:
        """End the run as one that was stopped."""
        close: Callable[[], None] = self._recorded.close  # type: ignore[attr-defined]
        close()
        self._end()

    def watch(self) -> Iterator[Event]:
        """Yield what is stored from now on, until the run ends; for another thread."""
        told: SimpleQueue[Event | None] = SimpleQueue()
        for event in self.stored:
            told.put(event)
        self._watching.append(told)
        if self.over:
            told.put(None)
        return self._told(told)

    def _told(self, told: SimpleQueue[Event | None]) -> Iterator[Event]:
        try:
            while (event := told.get()) is not None:
                yield event
        finally:
            self._watching = [one for one in self._watching if one is not told]

    def _source(self) -> Iterator[Event]:
        while self._waiting:
            yield self._waiting.popleft()

    def _tell(self, event: Event) -> None:
        self.stored.append(event)
        for one in self._watching:
            one.put(event)

    def _end(self) -> None:
        self.over = True
        for one in self._watching:
            one.put(None)
