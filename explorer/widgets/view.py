"""The view, which is all that the page draws: ask bar, stages, answer, graph, list, detail and source in one widget.

They are one widget because a click must work while the kernel is busy: the page holds all it has been sent.
"""

from __future__ import annotations

from collections.abc import Callable

import anywidget
import traitlets

from explorer.view import assets as page
from explorer.view import nodes as drawing
from explorer.view.messages.bar import BarState
from explorer.view.messages.comparison import Comparison
from explorer.view.messages.run import Mode, Snapshot
from explorer.view.showing import Showing


class TraceView(anywidget.AnyWidget):
    """Shows one run at a time; changes go out as messages, `snapshot` is for a page that is loaded later.

    `mode` is "ask", "documents", or "past" for a stored run beside the list of past runs; `comparison` stands in place
    of the last.
    `selected` is the IRI of the node that is selected in the page, None for none; `bar` is the state of the ask bar;
    `audit`: whether the audit is open at first.
    """

    _esm = page.esm()
    _css = page.css()
    looks = traitlets.Dict().tag(sync=True)
    options = traitlets.Dict().tag(sync=True)
    selected = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    bar = traitlets.Dict().tag(sync=True)
    audit = traitlets.Bool().tag(sync=True)
    snapshot = traitlets.Dict().tag(sync=True, to_json=lambda _, view: view.whole())

    def __init__(
        self,
        showing: Showing,
        bar: BarState,
        on_message: Callable[[object, list[memoryview]], None],
        mode: Mode = "ask",
        *,
        audit: bool = False,
    ) -> None:
        """Show a run below this bar; `on_message` gets what the page sends, with the bytes beside it."""
        self.showing = showing
        self.mode: Mode = mode
        self.comparison: Comparison | None = None
        super().__init__(looks=drawing.looks(), options=drawing.options(), bar=bar, audit=audit)
        self.add_class("pe-view")
        self.on_msg(lambda _, content, buffers: on_message(content, buffers))

    def whole(self) -> Snapshot:
        """Return all that is on show, for a page that knows nothing yet."""
        snapshot: Snapshot = self.showing.snapshot()
        return {**snapshot, "mode": self.mode, "compare": self.comparison}

    def __repr__(self) -> str:
        """The same words on every machine."""
        return f"<TraceView: {self.showing.state}>"
