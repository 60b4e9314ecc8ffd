"""The runs on show: the one that was asked last, and the one that was opened among the past runs."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import traitlets

from explorer.entities import EdgeSelection
from explorer.errors import RecordError
from explorer.record.notes import notes
from explorer.record.trace import Trace, stores_read, withdrawn_of
from explorer.view import stored_run
from explorer.view.run.mattered import on_record
from explorer.view.run.review import review
from explorer.view.showing import Showing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pyoxigraph import Triple

    from explorer.dag import ProvenanceDag
    from explorer.events import Event, Passage
    from explorer.view.messages.documents import Curated
    from explorer.view.messages.run import Delta, Mode, Note
    from explorer.widgets.view import TraceView
    from explorer.workspace import Workspace

ASK, DOCUMENTS, PAST = 0, 1, 2
MODES: dict[int, Mode] = {ASK: "ask", DOCUMENTS: "documents", PAST: "past"}
_NOTHING_PAST: Note = {"word": "No run chosen", "text": "Pick one from the list: it is shown as it was, step by step."}
_RESTS = ("EdgeSelection", "ChunkSelection")


class Tabs(traitlets.HasTraits):
    """What is written on each tab, and which of them is open."""

    titles = traitlets.Tuple(("Ask", "Documents", "Past runs"))
    selected_index = traitlets.Int(min=0, max=2)


class OnShow:
    """A run below Ask and one below Past runs; the view draws that of the open tab. `traces`: those that have ended.

    `lock` is held while one of them grows or is exchanged for another.
    """

    def __init__(self, ws: Workspace, tabs: Tabs, view: TraceView, drawn: Callable[[Trace | None], None]) -> None:
        """Begin with what the view shows, below Ask; `drawn` is called whenever the view draws another run."""
        self._ws = ws
        self._tabs = tabs
        self._view = view
        self._drawn = drawn
        self.lock = threading.RLock()
        self.runs = {ASK: view.showing, PAST: Showing(empty=_NOTHING_PAST)}
        self.traces: dict[int, Trace | None] = {ASK: None, PAST: None}

    @property
    def tab(self) -> int:
        """The tab that is open."""
        index: int = self._tabs.selected_index
        return index

    @property
    def dags(self) -> Iterator[ProvenanceDag]:
        """The graphs of both runs."""
        return (one.dag for one in self.runs.values())

    def named(self, run: str) -> Showing | None:
        """Return the run that the page calls by this name, None where it is no longer on show."""
        return next((one for one in self.runs.values() if one.run == run), None)

    def turn(self, tab: int) -> None:
        """Draw what a tab that was opened shows."""
        with self.lock:
            self.draw(tab)

    def draw(self, tab: int) -> None:
        """Have the view draw what a tab shows."""
        self._view.mode = MODES[tab]
        if tab == DOCUMENTS:
            self._view.redraw()
            return
        self._view.showing = self.runs[tab]
        self._view.redraw()
        self._view.selected = None
        self._view.told()
        self._drawn(self.traces[tab])

    def put(self, tab: int, showing: Showing, trace: Trace | None = None) -> None:
        """Put a run in the place of a tab's run."""
        with self.lock:
            self._keep(tab, showing, trace)
            if self.tab == tab:
                self.draw(tab)

    def _keep(self, tab: int, showing: Showing, trace: Trace | None) -> None:
        self.runs[tab], self.traces[tab] = showing, trace
        showing.mattered = on_record(self._ws.stores, showing.run, trace) if trace else []
        showing.reviewed = review(self._ws.stores, showing.dag) if trace else None
        if tab == PAST:
            self.entitle()

    def begin(self) -> None:
        """Open Ask for a run that begins: its first message clears what the page shows there."""
        with self.lock:
            self._view.comparison = None  # so that the run is found in the list, not behind what was compared before
            self._keep(ASK, Showing(sources=self._sources_of), None)
            if self.tab == ASK:
                self._view.showing = self.runs[ASK]
            self._view.selected = None
            self._view.told()
            self._tabs.selected_index = ASK

    def grow(self, change: Callable[[Showing], Delta | None]) -> Delta | None:
        """Change what the run that is asked has put on the screen; the page is sent what is new, if it is on show."""
        with self.lock:
            message = change(self.runs[ASK])
            if message is not None and self._view.showing is self.runs[ASK]:
                self._view.send(message)
                self._view.told()
            return message

    def open(self, trace: Trace | str) -> None:
        """Open Past runs with a stored run, as it was; raises RecordError when there is no such trace."""
        showing, found = self._replayed(trace) if isinstance(trace, str) else (self._recalled(trace.events)[0], trace)
        with self.lock:
            self._view.comparison = None
            self.put(PAST, showing, found)
            self._tabs.selected_index = PAST

    def play_again(self, trace: Trace) -> None:
        """Open Ask with the run that was asked last, from its record; raises RecordError when it was deleted."""
        with self.lock:
            self.put(ASK, self._replayed(trace.iri)[0], trace)
            self._tabs.selected_index = ASK

    def _replayed(self, iri: str) -> tuple[Showing, Trace]:
        return self._recalled(self._ws.traces.replay(iri))

    def _recalled(self, events: Iterable[Event]) -> tuple[Showing, Trace]:
        return stored_run.shown(events, sources=self._sources_of)

    def _sources_of(self, dag: ProvenanceDag, fact: Triple) -> Sequence[Passage]:
        return stores_read(dag, self._ws.stores).sources.passages(fact)

    def entitle(self) -> None:
        """Put above the past run its question, with the name and the note that people gave it."""
        if (trace := self.traces[PAST]) is not None:
            self.runs[PAST].title = stored_run.titled(trace, notes(self._ws.stores).get(trace.iri))

    def put_away(self, run: str, fresh: Showing) -> None:
        """Show a run no longer that was deleted, and below Ask a fresh start in its place."""
        compared = self._view.comparison
        if compared is not None and run in (compared["a"]["iri"], compared["b"]["iri"]):
            self._view.comparison = None
        empty = {ASK: fresh, PAST: Showing(empty=_NOTHING_PAST)}
        gone = [at for at, showing in self.runs.items() if _is_of(showing, run)]
        for at in gone:
            self.runs[at], self.traces[at] = empty[at], None
        if self.tab in gone or self._view.comparison is not compared:
            self.draw(self.tab)

    def review(self, run: str) -> None:
        """Show beside the answer of a run what reviewers found of it by now."""
        with self.lock:
            for showing in self.runs.values():
                if _is_of(showing, run):
                    showing.reviewed = review(self._ws.stores, showing.dag)
                    if self._view.showing is showing:
                        self._view.send({"t": "reviewed", "run": showing.run, "badge": showing.reviewed})

    def end_past(self) -> None:
        """Show to its end a run among the past ones that still went on when it was opened."""
        with self.lock:
            trace = self.traces[PAST]
            if trace is None or trace.dag.done is not None:
                return
            ended = (one.reason for one in self._ws.traces.among([trace.iri]))
            if any(reason not in (None, "imported") for reason in ended):  # of another's record no end may ever come
                self.put(PAST, *self._replayed(trace.iri))

    def renew(self, failed: Callable[[Exception], None]) -> None:
        """Have the runs say what was done with their facts by hand, and which of their sources were removed.

        The past run is drawn anew from its record when its documents went or came back, as its graph names them, with
        the same node selected. `failed` gets a RecordError where that run was deleted meanwhile; it stays as it is.
        """
        with self.lock:
            for tab, showing in [*self.runs.items()]:
                chosen = (node.entity for node in showing.dag.nodes("EdgeSelection"))
                edges = {one.iri: one.edge for one in chosen if isinstance(one, EdgeSelection) and one.edge is not None}
                sources = self._ws.sources
                words = sources.curations(edges) | withdrawn_of(showing.dag, sources)
                details, outcomes, answer = showing.renew(words, sources.anew)
                if self._view.showing is showing and (details or answer):
                    told: Curated = {"t": "curated", "run": showing.run, "details": details, "outcomes": outcomes,
                                     "answer": answer}  # fmt: skip
                    self._view.send(told)
                past = self.traces[PAST]
                if tab == PAST and past and any(showing.dag.node(one).kind == "Passage" for one in details):
                    try:
                        self.draw_anew(PAST, past.iri)
                    except RecordError as error:
                        failed(error)

    def draw_anew(self, tab: int, run: str) -> None:
        """Draw a run from its record again, if its tab still shows it, with the same node selected."""
        showing, trace = self._replayed(run)
        with self.lock:
            shown, selected = self.traces[tab], self._view.selected
            if shown is None or shown.iri != run:
                return
            self.put(tab, showing, trace)
            if self.tab == tab and selected is not None and showing.has(selected):
                self._view.selected = selected


def _is_of(showing: Showing, run: str) -> bool:
    return run in {root.iri for root in showing.dag.roots}


class Sourcing:
    """Brings the sources of the runs on show, in a thread, each run's once; `failed` is told what went wrong."""

    def __init__(self, ws: Workspace, on_show: OnShow, failed: Callable[[Exception], None]) -> None:
        """Nothing is brought yet."""
        self._ws = ws
        self._on_show = on_show
        self._failed = failed
        self._brought: set[str] = set()

    def selected(self, change: Mapping[str, Any]) -> None:
        """Take note of a node that was selected; one that has its passages needs nothing."""
        tab = self._on_show.tab
        trace = self._on_show.traces.get(tab)
        if trace is None or change["new"] is None or trace.iri in self._brought:
            return
        dag = self._on_show.runs[tab].dag
        chosen = (node for kind in _RESTS for node in dag.nodes(kind) if node.iri == change["new"])
        if any(not node.passages for node in chosen):
            self._brought.add(trace.iri)
            threading.Thread(target=self._bring, args=(tab, trace.iri), daemon=True, name="explorer-sources").start()

    def _bring(self, tab: int, run: str) -> None:
        try:
            if self._ws.fetch_sources(run):
                self._on_show.draw_anew(tab, run)
        except Exception as error:  # noqa: BLE001 - the end of a worker thread: shown in the app
            self._brought.discard(run)  # it is asked for again when it is selected again
            self._failed(error)
