"""The view, which is all that the page draws: the app in one widget, or one part of it.

The app is one widget because a click must work while the kernel is busy: the page holds all it has been sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import anywidget
import traitlets

from explorer.errors import RecordError
from explorer.view import assets as page
from explorer.view import pyvis_nodes as drawing
from explorer.view.messages.comparison import Comparison
from explorer.view.messages.run import Mode, Snapshot
from explorer.view.showing import Showing


class TraceView(anywidget.AnyWidget):
    """Shows one run at a time; changes go out as messages, `snapshot` is for a page that is loaded later.

    `part` is what is drawn of the app, empty for all of it; `mode` is "ask", "documents", or "past" for a stored run
    beside the list of past runs; `comparison` stands in place of the last.
    `run` is the IRI of the run on show, None before the first; `status` says how it stands, `selected` is the IRI of
    the node that is selected in the page, None for none; `ask_bar` is the state of the ask bar.
    """

    _esm = page.esm()
    _css = page.css()
    part = traitlets.Unicode().tag(sync=True)
    looks = traitlets.Dict().tag(sync=True)
    options = traitlets.Dict().tag(sync=True)
    showing = traitlets.Instance(Showing)
    run = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    status = traitlets.Unicode("start").tag(sync=True)
    selected = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    ask_bar = traitlets.Dict().tag(sync=True)
    snapshot = traitlets.Dict().tag(sync=True, to_json=lambda _, view: view.whole())
    mode: Mode = "ask"
    comparison: Comparison | None = None

    def __init__(self, on_message: Callable[[object, list[memoryview], TraceView], None], **traits: object) -> None:
        """Show a run; `on_message` gets what the page sends, the bytes beside it, and whom to reply to."""
        super().__init__(looks=drawing.looks(), options=drawing.options(), **traits)
        self.on_msg(lambda _, content, buffers: on_message(content, buffers, self))

    def whole(self) -> Snapshot:
        """Return all that is on show, for a page that knows nothing yet."""
        snapshot: Snapshot = self.showing.snapshot()
        return {**snapshot, "mode": self.mode, "compare": self.comparison}

    def redraw(self) -> None:
        """Have the page draw all that is on show."""
        self.send_state("snapshot")

    def told(self) -> None:
        """Say by `run` and `status` what is on show."""
        self.run = next((root.iri for root in self.showing.dag.roots), None)
        self.status = self.showing.state

    def set_state(self, sync_data: Mapping[str, Any]) -> None:
        """Take in what the page has, but not a node of a run that is no longer on show."""
        if self._has(sync_data.get("selected")):
            super().set_state(sync_data)
        else:
            self.send_state("selected")

    def _has(self, node: str | None) -> bool:
        return node is None or self.showing.has(node)

    @traitlets.validate("selected")
    def _known(self, proposal: Mapping[str, Any]) -> str | None:
        node: str | None = proposal["value"]
        if not self._has(node):
            raise RecordError(f"{node} is not in the run that is shown; `app.dag.nodes()` gives the nodes that are.")
        return node


class Panel(TraceView):
    """One part of an app: its question, answer, graph or source.

    `run`, `selected` and `status` are those of the app: set in one place, they are so in all.
    """

    def __init__(
        self, part: str, app: TraceView, on_message: Callable[[object, list[memoryview], TraceView], None]
    ) -> None:
        """Show a part of what the app shows; `on_message` as in TraceView."""
        self.showing = app.showing
        super().__init__(on_message, part=part, layout={"width": "100%"})
        for name in ("showing", "ask_bar"):
            traitlets.dlink((app, name), (self, name))
        for name in ("run", "status", "selected"):
            traitlets.link((app, name), (self, name))

    def __repr__(self) -> str:
        """The same words on every machine."""
        return f"<Panel: {self.part}>"


class Panels(NamedTuple):
    """The panels of an app."""

    question: Panel
    answer: Panel
    graph: Panel
    source: Panel
