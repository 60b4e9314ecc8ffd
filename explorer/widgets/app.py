"""The app: ask bar and view over one workspace, the run in a thread of its own so that the notebook stays free."""

from __future__ import annotations

import html
import json
import threading
import traceback
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any, cast

import ipywidgets as ipw

from explorer import picture
from explorer.captions import count
from explorer.errors import ExplorerError, QuestionError
from explorer.events import Done, Event, Explain
from explorer.widgets import source
from explorer.widgets.ask import AskBar
from explorer.widgets.graph import TraceView
from explorer.widgets.showing import Message, Showing
from explorer.widgets.step_rows import is_agent
from explorer.widgets.words import seconds

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag
    from explorer.trace import Trace
    from explorer.workspace import Workspace

PACE = 0.08
_EMPTY = {
    "term": "No documents yet",
    "text": 'Add some with ws.ingest("folder/"), or open the sample with explorer.demo().',
}


def app(ws: Workspace, *, pace: float = PACE) -> App:
    """Give the app for a workspace; put it at the end of a cell. `pace`: seconds a step stays before the next."""
    return App(ws, pace=pace)


class App(ipw.VBox):
    """Ask, watch, click through. `run` and `stop` do from Python what the buttons do."""

    def __init__(self, ws: Workspace, *, pace: float = PACE) -> None:
        """Lay out the app; nothing runs yet."""
        self.ws = ws
        self.pace = pace
        self.error: str | None = None
        self._lock = threading.RLock()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._copy: _Copy | None = None
        self.top = ipw.HTML()
        self.top.add_class("pe-top")
        self.bar = AskBar(self._asked, self.stop, questions(ws))
        self.view = TraceView(self._fresh(), self._opened, self._asked)
        super().__init__([self.top, self.bar, self.view])
        self.add_class("pe-app")
        self._say_size()

    @property
    def dag(self) -> ProvenanceDag:
        """The graph of the run on show."""
        return self.view.showing.dag

    @property
    def is_running(self) -> bool:
        """Say whether a run is going on."""
        return self._thread is not None and self._thread.is_alive()

    def run(self, question: str, engine: str = "graph-rag", **asked: Any) -> None:  # noqa: ANN401 - as `ask` takes
        """Ask in the background and return at once; `wait` waits for the end.

        Takes what `Workspace.ask` takes: an engine, its limits, an agent's `tools` and `pattern`. Raises QuestionError
        or WorkspaceError before anything is recorded, also while another run is going on.
        """
        with self._lock:
            self._check_idle()
            events = self.ws.ask(question, engine, **asked)
            self._stopping.clear()
            self.error = None
            self.view.showing = Showing()
            self.bar.say(None)
            self.bar.question.value = question.strip()
            self.bar.offer(question.strip())
            self.bar.running(running=True)
            self._thread = threading.Thread(target=self._work, args=(events,), daemon=True, name="explorer-run")
            self._thread.start()

    def open(self, trace: Trace | str | None = None) -> None:
        """Show a stored run as it was, by its IRI or as it was loaded.

        Raises QuestionError while a run is going on, and RecordError when there is no such trace. Without a trace it is
        what ipywidgets calls by this name: it opens the line to the page.
        """
        if trace is None:
            super().open()
            return
        with self._lock:
            self._check_idle()
            found = self.ws.traces.load(trace) if isinstance(trace, str) else trace
            showing = Showing()
            showing.recall(found.events, *recalled(found))
            self.view.showing = showing
            self.error = None
            self.bar.say(None)
            self.view.send_state("snapshot")
            self._save_copy()

    def stop(self) -> None:
        """Stop the run after the step it is at; what is shown stays on record. Does nothing when none is going on."""
        self._stopping.set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end of the run, at most `timeout` seconds; says whether it has ended."""
        if self._thread is not None:
            self._thread.join(timeout)
        return not self.is_running

    def _check_idle(self) -> None:
        if self.is_running:
            message = "A run is going on; press Stop first, or wait until it has ended."
            raise QuestionError(message)

    def _work(self, events: Iterator[Event]) -> None:
        try:
            self._tell(lambda showing: showing.begin())
            state, words = self._drain(events)
            self._tell(lambda showing: showing.end(state, words))
            self._say_size()
            self._save_copy()
        except Exception as error:  # noqa: BLE001 - the end of a worker thread: shown in the app
            words = self._failed(error)
            self._tell(lambda showing: showing.end("error", words))
        finally:
            self.bar.running(running=False)

    def _drain(self, events: Iterator[Event]) -> tuple[str, str]:
        """Show every event until the end or Stop; a step stays for a moment before the next is asked for."""
        done = None
        for event in events:
            self._tell(lambda showing, event=event: showing.take(event))
            done = event if isinstance(event, Done) else done
            if done is None:
                self._stopping.wait(self.pace if isinstance(event, Explain) else self.pace / 4)
                if self._stopping.is_set():
                    break
        cast("Generator[Event]", events).close()
        if done is not None:
            return self._ended(done)
        self._show_where()
        return "stopped", f"Stopped after {seconds(self.view.showing.elapsed)}. Everything up to here is on record."

    def _show_where(self) -> None:
        """Show where the run was stopped: that is on record since its events were closed."""
        root = next(iter(self.dag.roots), None)
        if root is None:
            return
        for event in self.ws.traces.replay(root.iri):
            if isinstance(event, Explain) and event.iri not in self.dag.entities:
                self._tell(lambda showing, event=event: showing.take(event))

    def _ended(self, done: Done) -> tuple[str, str]:
        after = f"after {seconds(self.view.showing.elapsed)}"
        if done.reason == "error":
            said = done.error or "The run failed and recorded no reason."
            self._refused(f"{said.rstrip('.')}. Everything up to there is on record; ask again.")
            return "error", f"Failed {after}. Everything up to here is on record."
        if done.reason == "declined":
            return "declined", f"Ended {after}: your documents do not answer this"
        return "done", f"Ended {after}: {_gained(self.dag)}, all on record"

    def _failed(self, error: Exception) -> str:
        """Show what went wrong: an expected failure in its own words, another with its traceback to unfold."""
        if isinstance(error, ExplorerError):
            return self._refused(str(error))
        return self._refused(f"Something went wrong in the app: {error}. Ask again.", traceback.format_exc())

    def _refused(self, sentence: str, details: str | None = None) -> str:
        self.error = sentence
        self.bar.say(sentence, details)
        return sentence

    def _asked(self, question: str) -> None:
        """Ask from the page: what is refused is said under the bar."""
        try:
            self.run(question, **self.bar.chosen)
        except Exception as error:  # noqa: BLE001 - the widget's callback: shown in the app
            self._failed(error)

    def _tell(self, change: Any) -> None:  # noqa: ANN401 - a function from Showing to Message | None
        with self._lock:
            self.view.show(change(self.view.showing))

    def _opened(self, node: str, key: str) -> tuple[Message, list[bytes]] | None:
        """Give the page of a passage; None for a node that is none, as one of a run that is no longer on show."""
        try:
            with self._lock:
                passage = next((one for other in self.dag.nodes() if other.iri == node for one in other.passages), None)
                if passage is None:
                    return None
                used = [one for other in self.dag.nodes("Passage") for one in other.passages]
            return source.opened(self.ws, passage, used, None if key == node else key.removeprefix(f"{node} "))
        except Exception as error:  # noqa: BLE001 - the widget's callback: shown in the app
            return {"title": "Source", "sub": "", "runs": [], "trouble": self._failed(error)}, []

    def _fresh(self) -> Showing:
        if not self.ws.size.documents:
            return Showing(empty=_EMPTY)
        return Showing(self.bar.examples.options[1:4])

    def _say_size(self) -> None:
        size = self.ws.size
        counted = {"document": size.documents, "page": size.pages, "fact": size.facts}
        words = [self.ws.name, *(count(number, noun) for noun, number in counted.items() if number)]
        if self.ws.read_only:
            words.append(f"read-only: {self.ws.holder} is writing")
        self.top.value = f"<b>Ask</b> {html.escape(' · '.join(words))}"

    def _save_copy(self) -> None:
        if self._copy is not None:
            self._copy.write(self.dag)

    def _ipython_display_(self, **_: object) -> None:
        from IPython.display import display

        display(self._bundle(), raw=True)  # type: ignore[no-untyped-call]
        self._copy = _Copy()

    def _bundle(self) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_() or {}
        shown = picture.html(self.dag) if self.dag.nodes() else "<p>This was an app: run the cell to use it.</p>"
        return {**bundle, "text/plain": repr(self), "text/html": shown}

    def __repr__(self) -> str:
        """Say what it is, the same on every machine."""
        return f"<App: ask the {self.ws.name}>"


class _Copy:
    """A place below the app for a copy of the last run that shows without a kernel, folded until it is opened."""

    def __init__(self) -> None:
        from IPython.display import display

        nothing = {"text/plain": "", "text/html": ""}
        self._handle = display(nothing, raw=True, display_id=True)  # type: ignore[no-untyped-call]

    def write(self, dag: ProvenanceDag) -> None:
        if self._handle is None:
            return
        folded = f"<details><summary>Saved copy of this run</summary>{picture.html(dag)}</details>"
        self._handle.update({"text/plain": picture.text(dag), "text/html": folded}, raw=True)


_RECALLED = {  # how a stored run ended: the state of the view, and the words
    "done": ("done", "Ended{after}"),
    "declined": ("declined", "Ended{after}: your documents did not answer this"),
    "stopped": ("stopped", "Stopped{after}. Everything up to there is on record."),
    "interrupted": ("stopped", "Cut off: the program ended before the run did. Everything up to there is on record."),
    "error": ("error", "Failed{after}: {error}"),
    "running": ("stopped", "Running, or never ended: there is no end on record."),
}


def recalled(trace: Trace) -> tuple[str, str, float | None]:
    """Give the state of the view for a stored run, the line that says how it ended, and the seconds it took."""
    done = trace.dag.done
    took = done.duration_ms / 1000 if done and done.duration_ms is not None else None
    state, words = _RECALLED.get(trace.reason, ("done", f"Ended: {trace.reason}"))
    failure = next((node.lines[-1] for node in reversed(trace.dag.nodes("Failure"))), None)
    said = (done.error if done else None) or failure or "no reason is on record"
    after = "" if took is None else f" after {seconds(took)}"
    return state, words.format(after=after, error=said), took


def _gained(dag: ProvenanceDag) -> str:
    if not is_agent(dag):
        return f"{count(dag.known.kept, dag.known.noun)} kept"
    steps = len(dag.nodes("Analysis")) or len(dag.nodes("StepResult"))
    return f"{count(steps, 'step')} taken"


def questions(ws: Workspace) -> list[str]:
    """Give questions to pick from: those of the sample first if that is what is open, then earlier ones."""
    earlier = [summary.question for summary in ws.traces.list(limit=20)]
    return list(dict.fromkeys([*_samples(ws), *earlier]))


def _samples(ws: Workspace) -> list[str]:
    from explorer.sample import corpus

    if ws.name != "demo workspace":
        return []
    lines = (corpus() / "questions.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["question"] for line in lines]
