"""The view of one run in the page: stages, answer, graph, list, detail and source in one widget.

They are one widget because a click must work while the kernel is busy: the page holds all it has been sent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anywidget
import traitlets

from explorer import palette
from explorer.widgets import drawing, page
from explorer.widgets.showing import Message, Showing


class TraceView(anywidget.AnyWidget):
    """Shows one run at a time; changes go out as messages, `snapshot` is for a page that is loaded later."""

    _esm = page.esm()
    _css = page.css()
    looks = traitlets.Dict().tag(sync=True)
    options = traitlets.Dict().tag(sync=True)
    snapshot = traitlets.Dict().tag(sync=True, to_json=lambda _, view: view.showing.snapshot())

    def __init__(
        self,
        showing: Showing,
        open_source: Callable[[str, str], tuple[Message, list[bytes]] | None],
        ask: Callable[[str], None],
    ) -> None:
        """Show a run; `open_source` fetches a page by node and key, if there is one, `ask` asks an example."""
        self.showing = showing
        self._open_source = open_source
        self._ask = ask
        super().__init__(looks=palette.table(), options=drawing.options())
        self.add_class("pe-view")
        self.on_msg(self._heard)

    def show(self, message: Message | None) -> None:
        """Send what is new."""
        if message is not None:
            self.send(message)

    def _heard(self, _: object, content: dict[str, Any], buffers: object) -> None:
        del buffers
        match content.get("t"):
            case "snapshot?":
                self.send_state("snapshot")
            case "open":
                self._open(content["node"], content["key"], content.get("run"))
            case "ask":
                self._ask(content["question"])

    def _open(self, node: str, key: str, run: str | None) -> None:
        opened = self._open_source(node, key)
        if opened is not None:
            self.send({"t": "source", "run": run, "key": key, **opened[0]}, opened[1])

    def __repr__(self) -> str:
        """Say what it is, the same on every machine."""
        return f"<TraceView: {self.showing.state}>"
