"""Parts of the app apart, as widgets to lay out and to link among others."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import traitlets

from explorer.widgets.view import TraceView

if TYPE_CHECKING:
    from collections.abc import Callable


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
