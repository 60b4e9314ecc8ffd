"""Several runs of events in parallel: drained by threads into one queue, each after the runs it depends on.

A thread goes on only when its last event was taken, so that each step is on record before what follows from it begins.
"""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from queue import SimpleQueue
from typing import Generic, TypeVar

from explorer.events import Event

R = TypeVar("R")

_PATIENCE = 1.0  # seconds that runs which were stopped are waited for in all; what hangs in a call is left behind


@dataclass(slots=True)
class _Item(Generic[R]):
    """What a thread hands over: an event, or how it ended."""

    key: int
    event: Event | None = None
    value: list[R] = field(default_factory=list)
    error: BaseException | None = None


def run_parallel(
    runs: Mapping[int, Callable[[], Generator[Event, None, R]]], after: Mapping[int, frozenset[int]], parallel: int
) -> Generator[Event, None, dict[int, R]]:
    """Yield the events of runs as they come, at most `parallel` runs at once, each after those it waits for.

    Returns what each run returned. One at a time they go in the order of their numbers. Raises what a run raised, when
    the others were stopped, with a note of what these raised then; `after` must hold no circle.
    """
    if parallel > 1 and len(runs) > 1:
        order = TopologicalSorter({key: after.get(key, ()) for key in runs})
        return (yield from _Threads(runs).events(order, parallel))
    done: dict[int, R] = {}
    while len(done) < len(runs):
        key = min(key for key in runs if key not in done and after.get(key, frozenset()) <= done.keys())
        done[key] = yield from runs[key]()
    return done


class _Threads(Generic[R]):
    def __init__(self, runs: Mapping[int, Callable[[], Generator[Event, None, R]]]) -> None:
        self.runs = runs
        self.queue: SimpleQueue[_Item[R]] = SimpleQueue()
        self.stopped = threading.Event()
        self.threads: list[threading.Thread] = []
        self.taken: dict[int, threading.Semaphore] = {key: threading.Semaphore(0) for key in runs}

    def events(self, order: TopologicalSorter[int], parallel: int) -> Generator[Event, None, dict[int, R]]:
        try:
            done = yield from self._work(order, parallel)
        except GeneratorExit:
            for late in self._stop():
                raise late from None  # as one run does that is closed alone
            raise
        except BaseException as error:
            for late in self._stop():
                error.add_note(f"while another run was stopped: {late!r}")
            raise
        self._stop()
        return done

    def _work(self, order: TopologicalSorter[int], parallel: int) -> Generator[Event, None, dict[int, R]]:
        waiting, running, done = list[int](), 0, dict[int, R]()
        order.prepare()
        while order.is_active():
            waiting = sorted([*waiting, *order.get_ready()])
            while waiting and running < parallel:
                self._begin(waiting.pop(0))
                running += 1
            item = self.queue.get()
            if item.error is not None:
                raise item.error
            if item.event is not None:
                yield item.event
                self.taken[item.key].release()
                continue
            done[item.key] = item.value[0]
            running -= 1
            order.done(item.key)
        return done

    def _begin(self, key: int) -> None:
        work = contextvars.copy_context().run  # what the caller has set holds in each run, as it does in turn
        thread = threading.Thread(target=work, args=(self._drain, key), daemon=True, name="agent")
        thread.start()
        self.threads.append(thread)

    def _drain(self, key: int) -> None:
        """Drain one run; what it raises is raised again where the events are read."""
        try:
            events = self.runs[key]()
            while not self.stopped.is_set():
                self.queue.put(_Item[R](key, next(events)))
                self.taken[key].acquire()
            events.close()
        except StopIteration as end:
            self.queue.put(_Item(key, value=[end.value]))
        except BaseException as error:  # noqa: BLE001 - the end of a thread: handed over, never lost
            self.queue.put(_Item(key, error=error))

    def _stop(self) -> list[BaseException]:
        """Stop all runs; returns what they raised as they were stopped, and nobody has read."""
        self.stopped.set()
        for taken in self.taken.values():
            taken.release()
        until = time.monotonic() + _PATIENCE
        for thread in self.threads:
            thread.join(max(0.0, until - time.monotonic()))
        late: list[BaseException] = []
        while not self.queue.empty():
            if (error := self.queue.get().error) is not None:
                late.append(error)
        return late
