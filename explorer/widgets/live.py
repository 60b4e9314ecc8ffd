"""A run in a thread of its own, so that the notebook stays free; it can be stopped, and can pause after a stage."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Generator, Iterator
from functools import partial
from typing import TYPE_CHECKING, cast

from explorer.errors import ExplorerError, ModelError
from explorer.events import Done, Event, Explain
from explorer.stores.document_names import documents
from explorer.view.run import ending
from explorer.view.run.mattered import Mattering
from explorer.view.showing import Showing
from explorer.view.shown_trace import ShownTrace
from explorer.widgets.shown_runs import ASK
from explorer.wording.kinds import kind

if TYPE_CHECKING:
    from explorer.record.trace import Trace
    from explorer.view.messages.requests import Stride
    from explorer.view.messages.run import Teaching
    from explorer.view.messages.what_if import Mattered
    from explorer.widgets.bar.ask import AskBar
    from explorer.widgets.shown_runs import OnShow
    from explorer.widgets.view import TraceView
    from explorer.workspace import Workspace


class LiveRun:
    """One run at a time: its events are shown one by one, each stays for a moment before the next is asked for."""

    def __init__(self, ws: Workspace, bar: AskBar, on_show: OnShow, pace: float) -> None:
        """Nothing runs yet; `pace` is how many seconds a step stays."""
        self._ws = ws
        self.bar = bar
        self._on_show = on_show
        self.lock = on_show.lock
        self.pace = pace
        self._stride: Stride = "stage"
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
        self._stride = "stage"
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

    def go_on(self, by: Stride | None = None) -> None:
        """Let a run go on that waits: by a "stage" or a "step", or as it did before."""
        self._stride = by or self._stride
        self._going_on.set()

    def wait(self, timeout: float | None) -> bool:
        """Wait for the end of the run, at most `timeout` seconds; returns whether it has ended."""
        if self._thread is not None:
            self._thread.join(timeout)
        return not self.is_running

    def follow(self, events: Iterator[Event]) -> Done | None:
        """Show a run below Ask until it ends or `stop`, where its trace is from then on; returns its end.

        None when it was stopped: then all is shown that is on record.
        """
        taken: list[Event] = []
        self._on_show.grow(Showing.begin)
        done = self._drain(events, taken)
        if done is None:
            self._show_rest(taken)
        run = self._on_show.runs[ASK]
        ended = ending.shown(run.dag, done, took=run.elapsed, waited=run.waited)
        self._on_show.grow(lambda showing: showing.end(ended.state, ended.words))
        self._on_show.traces[ASK] = ShownTrace(taken, run.dag)
        return done

    def _drain(self, events: Iterator[Event], taken: list[Event]) -> Done | None:
        for event in events:
            has_waited = False
            for _ in self._take(event, taken):
                has_waited = True
                self._wait_at_stage()
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

    def _take(self, event: Event, taken: list[Event]) -> Iterator[None]:
        """Show an event; yields where the run is to wait, before it for a question, after it for an explanation."""
        bar = self.bar
        if bar.teaches and bar.quizzes and self._on_show.runs[ASK].asks(event):
            yield
        message = self._on_show.grow(lambda showing: showing.apply(event))
        taken.append(event)
        taught = message.get("teaching") if message else None
        if bar.teaches and taught and not self._passes(taught):
            yield

    def _passes(self, taught: Teaching) -> bool:
        """Return whether a run does not wait at a stage: at its answer, which is its end, and within a folded run."""
        return self._stride == "stage" if taught["inside"] else kind(taught["kind"]).end

    def _show_rest(self, taken: list[Event]) -> None:
        """Show where the run was stopped, which is on record since its events were closed."""
        known = self._on_show.runs[ASK].dag
        for root in known.roots[:1]:
            for event in self._ws.traces.replay(root.iri):
                if isinstance(event, Explain) and event.iri not in known.entities:
                    self._on_show.grow(partial(Showing.apply, event=event))
                    taken.append(event)

    def _wait_at_stage(self) -> None:
        self._going_on.clear()
        self._wait(waiting=True)
        if not self._stopping.is_set():
            self._going_on.wait()
        self._wait(waiting=False)

    def _wait(self, *, waiting: bool) -> None:
        self.bar.wait(waiting=waiting)
        self._on_show.grow(lambda showing: showing.wait(waiting=waiting))


def words_of(error: Exception) -> tuple[str, str | None]:
    """Return what the app says of a failure: an expected one in its own words, another with its traceback."""
    if isinstance(error, ModelError):
        return f"{error} Here you can choose another… under Model.", None
    if isinstance(error, ExplorerError):
        return str(error), None
    return f"Something went wrong in the app: {error}. Ask again.", traceback.format_exc()


def find_out(ws: Workspace, view: TraceView, live: LiveRun, run: Trace, over: str) -> None:
    """Begin to find out what the answer of the run on show hangs on; raises as `Workspace.influences` does."""
    showing = view.showing
    mattering = Mattering(showing.run, run, over, documents(ws.stores.database))
    attempts = ws.influences(run, over)

    def tell(told: Mattered) -> Mattered:
        with live.lock:
            showing.mattered = [told, *(one for one in showing.mattered if one["over"] != told["over"])]
            if view.showing is showing:
                view.send(told)
        return told

    def work() -> None:
        told = None
        try:
            for found in attempts:
                told = tell(mattering.told(found))
                if live.is_stopping:
                    break
        except Exception as error:  # noqa: BLE001 - the end of a worker thread: shown in the app
            told = tell(mattering.stopped(words_of(error)[0]))
        finally:
            if told is not None and told["state"] == "going":
                tell(mattering.stopped())
            live.over()
            live.bar.end()

    live.bar.busy()
    live.start(work)
