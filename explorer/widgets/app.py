"""The app: tabs to ask, to add and see documents and to look at past runs, and one view, over one workspace."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import traitlets

from explorer.engines.registry import load
from explorer.entities import Question
from explorer.errors import ExplorerError, QuestionError, WorkspaceError
from explorer.events import Event
from explorer.record.notes import notes
from explorer.record.trace import Trace
from explorer.sample import is_demo, questions
from explorer.view import stored_run
from explorer.view.messages import requests
from explorer.view.messages.bar import Heading
from explorer.view.messages.message import Trouble
from explorer.view.messages.run import Note
from explorer.view.run.review import review
from explorer.view.showing import Showing
from explorer.vocab import DEFAULT_ENGINE
from explorer.widgets.bar.ask import IN_PROGRESS, MOST_EARLIER, AskBar
from explorer.widgets.documents.tab import DocumentsTab
from explorer.widgets.live import LiveRun, find_out, words_of
from explorer.widgets.lookups import LookUps
from explorer.widgets.past import comparison as comparing
from explorer.widgets.past.tab import PastTab
from explorer.widgets.past.watch import Watch
from explorer.widgets.save.files import SavedCopy
from explorer.widgets.shown_runs import ASK, DOCUMENTS, MODES, PAST, OnShow, Sourcing, Tabs
from explorer.widgets.view import Panel, Panels, TraceView
from explorer.widgets.what_if.left_out import LeavingOut
from explorer.wording.ways import engine_of

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag
    from explorer.record.compare import Comparison
    from explorer.stores.left_out import Without
    from explorer.workspace import Workspace

PACE = 0.08
_EMPTY: Note = {
    "word": "No documents yet",
    "text": 'Add some here, or in a cell with ws.ingest("folder/"). The sample opens with explorer.demo().',
    "leads": "documents",
}
_UNTIL_SEEN = 0.5  # seconds after it is shown: the page draws meanwhile
_TRIES = 3
_SHORT = 55  # letters of a question that stands on one line where the graph is narrowest beside Detail
_CLOSED = "This workspace was closed in Python: only what is shown can be looked at."
_WHILE_CLOSED = (
    requests.ShowAsk, requests.ShowDocuments, requests.ShowPast,
    requests.WantSnapshot, requests.WantFrames, requests.Reopen,
)  # fmt: skip


def app(ws: Workspace | None = None, *, pace: float = PACE, audit: bool = False) -> App:
    """Return the app for a workspace; put it at the end of a cell. `pace`: seconds a step stays before the next.

    Without a workspace it is one in memory, `ws` of the app, which is gone when the kernel ends. With `audit` the audit
    of each run is open: its seal, what `verify` says, and the review of its answer.
    """
    if ws is None:
        from explorer.workspace import open as opened

        ws = opened()
    return App(ws, pace=pace, audit=audit)


class App(TraceView):
    """Ask, watch, click through, look back, compare: its methods do from Python what the page does.

    `selected` is the IRI of the node that somebody selected in the page, None for none; setting it selects there.
    `trace` is the run on show, None while it goes on and before the first; `run` is its IRI, and setting it opens it.
    `status` is "start", "running", "done", "declined", "stopped" or "error". All can be observed:
    `app.observe(print, "selected")`.
    """

    trace = traitlets.Instance(Trace, allow_none=True)
    heading = traitlets.Dict().tag(sync=True)
    audit = traitlets.Bool().tag(sync=True)

    def __init__(self, ws: Workspace, *, pace: float = PACE, audit: bool = False) -> None:
        """Lay out the app; nothing runs yet."""
        self.ws = ws
        self.error: str | None = None
        self._counting = threading.RLock()
        self._copy: SavedCopy | None = None
        self._panels: list[Panel] = []
        examples, beyond = (questions(answerable=one) if is_demo(ws) else [] for one in (True, False))
        self.bar = AskBar(
            lambda state: setattr(self, "ask_bar", state), examples=examples, beyond=beyond,
            earlier=[one.question for one in ws.traces.list(limit=MOST_EARLIER) if not one.runs], model=ws.model_name,
            models=partial(ws.known_models, here=False), takes=ws.estimate,
        )  # fmt: skip
        tries = sorted(self.bar.questions, key=lambda question: len(question) > _SHORT)[:_TRIES]
        self.showing = Showing(tries) if ws.is_ready else Showing(empty=_EMPTY)
        has_runs_alone = bool(ws.size.traces) and not ws.is_ready  # as an archive of runs that were sent has
        first = ASK if ws.is_ready or has_runs_alone else DOCUMENTS
        self.tabs, self.mode = Tabs(selected_index=first), MODES[first]
        self._show_size()
        super().__init__(self._dispatch, audit=audit, ask_bar=self.bar.state)
        self._on_show = OnShow(ws, self.tabs, self, self._drawn)
        self._left = LeavingOut(ws, self.bar, self._on_show)
        self._lock = self._on_show.lock
        self._live = LiveRun(ws, self.bar, self._on_show, pace)
        self._look_ups = LookUps(ws, self._on_show)
        self._past = PastTab(
            ws, self, self._on_show, self._look_ups,
            counted=self._show_size, fresh=self._fresh, failed=self._in_trouble,
        )  # fmt: skip
        self._documents = DocumentsTab(ws, self.send, self._changed, self._suggested, self._in_trouble)
        self.tabs.observe(self._turned, "selected_index")
        self.observe(self._run_set, "run")
        self.observe(Sourcing(ws, self._on_show, self._in_trouble).selected, "selected")
        if has_runs_alone:
            self.tabs.selected_index = PAST
        self._watch = Watch(ws, self._past.ran_elsewhere, self._documents.read_elsewhere)

    @property
    def dag(self) -> ProvenanceDag:
        """The graph of the run on show."""
        dag: ProvenanceDag = self.showing.dag
        return dag

    @property
    def is_running(self) -> bool:
        """Whether a run is going on."""
        return self._live.is_running

    def ask(self, question: str, engine: str = DEFAULT_ENGINE, **asked: Any) -> None:  # noqa: ANN401 - as `ws.ask` takes
        """Ask in the background and return at once; `wait` waits for the end.

        Takes what `Workspace.ask` takes: an engine, its limits, a model, an agent's `tools` and `pattern`. Raises
        QuestionError or WorkspaceError before anything is recorded, also while another run is going on.
        """
        with self._idle():
            events = self.ws.ask(question, engine, **asked)
            self.bar.begin(str(question).strip(), engine, **asked)
            self._begin(events)

    def watch(self, question: str, events: Iterator[Event]) -> None:
        """Show a run of another pipeline while it goes on there: `ws.record(question, watch=app.watch)`.

        Stopping it here ends the watching alone. Raises QuestionError while another run goes on.
        """
        with self._idle():
            self.bar.begin(question, "")
            self._begin(events)

    def ask_again(self, without: Iterable[Without] | None = None) -> None:
        """Ask the run on show again in the background, without some things; at its end both are shown side by side.

        `without` as `Workspace.rerun` takes it, by default what was left out in the page, which is there again for the
        next question unless its box says otherwise. Raises QuestionError or WorkspaceError as that does, also without a
        run on show, and while another goes on.
        """
        with self._idle():
            told = self._ended_run()
            events = self.ws.ask_again(
                told, without=self._left.without if without is None else without, by=self.bar.asker
            )
            if without is None:
                self._left.asked_once()
            question = told.dag.entities[told.iri]
            if isinstance(question, Question):
                given = question.parameters or {}
                self.bar.begin(question.query, engine_of(question), **{**given, "model": told.model})
            self._begin(events, told)

    def what_mattered(self, over: str = "facts") -> None:
        """Find out in the background what the answer of the run on show hangs on, of its facts, passages or documents.

        The page shows it on the answer, and `Workspace.influence` returns it afterwards. Raises QuestionError or
        WorkspaceError as that does, also without a run on show, and while another goes on.
        """
        with self._idle():
            find_out(self.ws, self, self._live, self._ended_run(), over)

    @contextmanager
    def _idle(self) -> Iterator[None]:
        with self._lock:
            if self.is_running:
                raise QuestionError(IN_PROGRESS)
            yield

    def _ended_run(self) -> Trace:
        told = self._on_show.traces.get(self._on_show.tab)
        if told is None:
            raise QuestionError("No run is shown that has ended; ask a question, or open a past run.")
        return told

    def _begin(self, events: Iterator[Event], varied: Trace | None = None) -> None:
        self.error = None
        self._on_show.begin()
        self.trace = None
        load(self.ws.embedder)
        self._live.start(lambda: self._work(events, varied))

    def open(self, trace: Trace | str | None = None) -> None:
        """Show a stored run as it was, by its IRI or as it was loaded, among the past runs, where it can be replayed.

        Raises RecordError when there is no such trace. Without a trace it is what ipywidgets calls by this name: it
        opens the line to the page.
        """
        if trace is None:
            super().open()
            return
        self._on_show.open(trace)

    def play_again(self) -> None:
        """Show the run that was asked last from its record, in its place, where the page can play it.

        Raises QuestionError while a run goes on and before the first, RecordError when it was deleted.
        """
        with self._idle():
            told = self._on_show.traces[ASK]
            if told is None:
                raise QuestionError("Nothing was asked yet that could be played again.")
            self._on_show.play_again(told)

    def compare(self, a: Trace | str, b: Trace | str) -> Comparison:
        """Show two stored runs side by side, by their IRIs or as they were loaded; gives them compared, as data.

        Raises RecordError when there is no such trace.
        """
        compared = self.ws.compare(a, b)
        with self._lock:
            found = {one.iri: review(self.ws.stores, one.dag) for one in (compared.a.trace, compared.b.trace)}
            self.comparison = comparing.message(compared, notes(self.ws.stores), found)
            if self.tabs.selected_index == PAST:
                self.send(self.comparison)
            self.tabs.selected_index = PAST
        return compared

    def stop(self) -> None:
        """Stop the run after the step it is at; what is shown stays on record. Does nothing when none is going on."""
        self._live.stop()

    def next(self, by: requests.Stride = "stage") -> None:
        """Let a run go on that waits: to its next "stage", or to the next "step", also one of a run within it."""
        self._live.go_on(by)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end of the run, at most `timeout` seconds; says whether it has ended."""
        return self._live.wait(timeout)

    @property
    def panels(self) -> Panels:
        """Question, answer, graph and source, each as a widget of its own, to lay out among others."""
        if not self._panels:
            self._panels = [Panel(part, self, self._dispatch) for part in Panels._fields]
            self._prepare()
        return Panels(*self._panels)

    def send(self, content: object, buffers: list[bytes] | None = None) -> None:
        """Send a message to the page, and to the panels."""
        super().send(content, buffers)
        for panel in self._panels:
            panel.send(content, buffers)

    def redraw(self) -> None:
        """Have the page and the panels draw all that is on show."""
        for panel in self._panels:
            panel.redraw()
        super().redraw()

    def _run_set(self, change: Mapping[str, Any]) -> None:
        if all(root.iri != change["new"] for root in self.dag.roots) and change["new"] is not None:
            try:
                self.open(change["new"])
            finally:
                self.told()

    def _work(self, events: Iterator[Event], varied: Trace | None) -> None:
        try:
            done = self._live.follow(events)
            if done is not None and done.reason == "error":
                said = done.error or "The run failed and recorded no reason."
                self._refused(f"{said.rstrip('.')}. Everything up to there is on record; ask again.")
            elif done is not None and (noted := notes(self.ws.stores).get(self._on_show.runs[ASK].dag.roots[0].iri)):
                self.bar.refuse(noted.text or "")  # what was missing in what others sent
            self._left.show()
        except Exception as error:  # noqa: BLE001 - the end of a worker thread: shown in the app
            words = self._failed(error)
            self._on_show.grow(lambda showing: showing.end("error", words))
        finally:
            self._live.over()
            self.bar.end()
            self._show_record(varied)
            self._documents.asked(self.bar.asked)
        from explorer.ingest.readers.page_image import prepare

        prepare()

    def _show_record(self, varied: Trace | None) -> None:
        """Show the trace of the run that has ended, beside the one it varies if it came to an end of its own.

        Whoever observes it may ask the next question at once.
        """
        try:
            self._past.list_again()
            with self._lock:
                if self._on_show.tab == ASK:
                    self._save_copy()
                    self.trace = told = self._on_show.traces[ASK]
                    if varied and told is not None and told.reason in ("done", "declined"):
                        self.compare(varied, told)
        except Exception as error:  # noqa: BLE001 - what an observer raises in this thread: shown in the app
            self._in_trouble(error)

    def _turned(self, change: Mapping[str, Any]) -> None:
        try:
            self._on_show.turn(change["new"])
        except Exception as error:  # noqa: BLE001 - the widget's callback: shown in the app
            self._in_trouble(error)

    def _drawn(self, trace: Trace | None) -> None:
        self._left.show()
        self.trace = trace
        self._save_copy()

    def _fresh(self) -> Showing:
        return Showing(self.bar.questions[:_TRIES])

    def _dispatch(self, content: object, buffers: list[memoryview], sender: TraceView) -> None:
        key = None
        try:
            request = requests.parse(content)
            key = request.key if isinstance(request, requests.WantSource) else None
            if self.ws.closed and not isinstance(request, _WHILE_CLOSED):
                self._in_trouble(WorkspaceError(_CLOSED), key)
            elif isinstance(request, requests.Filing):
                self._documents.act(request, buffers)
            else:
                self._act(request, sender)
        except Exception as error:  # noqa: BLE001 - the widget's callback: shown in the app
            self._in_trouble(error, key)
        finally:
            if isinstance(content, Mapping) and content.get("t") == "ask":
                self.send({"t": "asked"})

    def _act(self, request: requests.OfRuns, sender: TraceView) -> None:  # noqa: C901, PLR0912, PLR0915 - a case for each
        match request:
            case requests.Ask(question):
                self._ask(question)
            case requests.ChangeBar(teaches=teaches, within=within):
                self.bar.apply(request)
                if within:
                    self.tabs.selected_index = ASK
                if teaches is False:  # what waits to be explained goes on
                    self._live.go_on()
            case requests.Connect(model, address, api_key):
                try:
                    self.bar.connected(self.ws.connect(model, base_url=address, api_key=api_key))
                except ExplorerError as error:
                    self._refused(str(error))
            case requests.Stop():
                self.stop()
            case requests.Next(by):
                self.next(by)
            case requests.LeaveOut(run, node):
                self._left.leave(run, node)
            case requests.LeaveDocument(iri):
                self._left.leave_document(iri)
                self.tabs.selected_index = ASK
                if self._on_show.traces[ASK] is None:  # nothing to ask again
                    self.bar.apply(requests.ChangeBar(further=True))
            case requests.PutBack(key):
                self._left.put_back(key)
            case requests.AskAgain():
                self.ask_again()
            case requests.Matter(over):
                self.what_mattered(over)
            case requests.OpenRun(iri):
                self.open(iri)
            case requests.PlayAgain():
                self.play_again()
            case requests.Compare(a, b):
                self.compare(a, b)
            case requests.CloseComparison():
                self.comparison = None
            case requests.ShowDocuments():
                self.tabs.selected_index = DOCUMENTS
            case requests.ShowAsk():
                self.tabs.selected_index = ASK
            case requests.ShowPast():
                self.tabs.selected_index = PAST
            case requests.Annotate() | requests.Tag() | requests.Judge() | requests.Delete() | requests.Undelete():
                self._past.act(request)
            case requests.Reopen():
                self.ws.reopen()
                self._turned({"new": self._on_show.tab})
                self._past.list_again()
            case requests.WantSnapshot():
                sender.redraw()
            case requests.WantFrames(run):
                if run == self.showing.run:
                    stored_run.tell(self.showing)
                sender.redraw()
            case _:
                if isinstance(request, requests.WantRuns):
                    self._show_size()  # the list may hold runs that were asked elsewhere
                if (reply := self._look_ups.reply(request, self.showing)) is not None:
                    sender.send(*reply)

    def _ask(self, question: str) -> None:
        try:
            self.ask(question, **self.bar.chosen, **(self._left.asked if self.bar.further else {}))
            self._left.asked_once()
        except Exception as error:  # noqa: BLE001 - what is refused is shown under the bar
            self._failed(error)

    def close(self) -> None:
        """Close the app, which then no longer looks what others do; the workspace stays open."""
        self._watch.end()
        for panel in self._panels:
            panel.close()
        super().close()

    def _suggested(self, questions: list[str]) -> None:
        if questions and not is_demo(self.ws):
            self.bar.offer(questions)
            self._filled()

    def _changed(self) -> None:
        self.bar.settle()  # what was refused before may be asked now
        self._filled()
        self._past.list_again()

    def _filled(self) -> None:
        self._show_size()
        self._on_show.renew(self._in_trouble)
        self.bar.keep_within(lambda iri: self.ws.stores.library.document(iri) is not None)
        with self._lock:
            if self._on_show.runs[ASK].state == "start" and not self.is_running:
                self._on_show.put(ASK, self._fresh())

    def _failed(self, error: Exception) -> str:
        return self._refused(*words_of(error))

    def _in_trouble(self, error: Exception, key: str | None = None) -> None:
        """Show above the view what went wrong; also in place of the page that was asked for by this key."""
        words, details = (_CLOSED, None) if self.ws.closed else words_of(error)
        trouble: Trouble = {"t": "trouble", "text": words, "details": details, "key": key,
                            "closed": self.ws.closed and self.ws.can_reopen}  # fmt: skip
        self.send(trouble)

    def _refused(self, sentence: str, details: str | None = None) -> str:
        self.error = sentence
        self.bar.refuse(sentence, details)
        return sentence

    def _show_size(self) -> None:
        with self._counting:  # of two threads the later one has counted later
            size = self.ws.size
            read_only = f" · read-only: {self.ws.why_read_only}" if self.ws.read_only else ""
            documents = f"Documents {size.documents:,}" if size.documents else "Documents"
            self.tabs.titles = ("Ask", documents, f"Past runs {size.traces:,}" if size.traces else "Past runs")
            heading: Heading = {"titles": self.tabs.titles, "size": f"{self.ws.name}{read_only}"}
            self.heading = dict(heading)

    def _save_copy(self) -> None:
        if self._copy is not None:
            self._copy.write(self.dag)

    def _prepare(self) -> None:
        # no thread loads: of two that import one package both can be handed half of it, as the user's next cell
        self.bar.look_up()
        with suppress(RuntimeError):  # without a loop nobody can ask on a page
            asyncio.get_running_loop().call_later(_UNTIL_SEEN, load, self.ws.embedder)

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, Any], dict[str, Any]]:
        """The widget, in Jupyter and marimo; where no widgets are, nothing is said in its place."""
        self._prepare()
        seen, about = super()._repr_mimebundle_() or ({}, {})
        return {**seen, "text/plain": repr(self), "text/html": ""}, about

    def _ipython_display_(self, **_: object) -> None:
        from IPython.display import display

        seen, about = self._repr_mimebundle_()
        display(seen, metadata=about, raw=True)  # type: ignore[no-untyped-call]
        with self._lock:  # a run may be growing
            self._copy = SavedCopy(self.dag)

    def __repr__(self) -> str:
        return f"<App: ask the {self.ws.name}>"
