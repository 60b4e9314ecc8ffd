"""The ask bar: question, examples and earlier ones, how to work at it, Ask which turns into Stop, what went wrong."""

from __future__ import annotations

import html
import threading
from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets as ipw

HOW: dict[str, dict[str, str]] = {
    "Graph search": {"engine": "graph-rag"},
    "Passage search": {"engine": "document-rag"},
    "Agent": {"engine": "agent"},
    "Agent, step by step": {"engine": "agent", "pattern": "react"},
    "Agent, plan first": {"engine": "agent", "pattern": "plan-then-execute"},
    "Agent, as a team": {"engine": "agent", "pattern": "supervisor"},
}
_EXAMPLES = "Examples"
_LATE = 0.15  # seconds in which a changed question follows the Enter that sent it


class AskBar(ipw.VBox):
    """A question and a button. `on_ask` gets the question, `on_stop` nothing; both run in a kernel thread."""

    def __init__(self, on_ask: Callable[[str], None], on_stop: Callable[[], None], examples: Sequence[str]) -> None:
        """Lay out the bar; `examples` are questions to pick from."""
        self._on_ask = on_ask
        self._on_stop = on_stop
        self._pending: threading.Timer | None = None
        self.question = ipw.Text(
            placeholder="Ask something about your documents", continuous_update=False, tooltip="Your question"
        )
        self.examples = ipw.Dropdown(options=(_EXAMPLES, *examples), tooltip="Examples and earlier questions")
        self.how = ipw.Dropdown(options=tuple(HOW), tooltip="How to work at the question")
        self.button = ipw.Button(description="Ask", tooltip="Ask (Enter)")
        self.trouble = ipw.HTML()
        row = ipw.Box([self.question, self.examples, self.how, self.button])
        for widget, name in ((row, "pe-ask"), (self.question, "pe-question"), (self.examples, "pe-examples"),
                             (self.how, "pe-how"), (self.button, "pe-go"),
                             (self.trouble, "pe-trouble-line")):  # fmt: skip
            widget.add_class(name)
        super().__init__([row, self.trouble])
        self.question.on_msg(self._entered)
        self.question.observe(self._typed, "value")
        self.examples.observe(self._picked, "value")
        self.button.on_click(lambda _: self._pressed())
        self.say(None)

    @property
    def chosen(self) -> dict[str, str]:
        """Give the engine, and of an agent the pattern, that is picked."""
        return HOW[self.how.value]

    def running(self, *, running: bool) -> None:
        """Turn Ask into Stop, or back."""
        self.button.description = "■ Stop" if running else "Ask"
        self.button.tooltip = "Stop: what is shown stays on record" if running else "Ask (Enter)"
        (self.button.add_class if running else self.button.remove_class)("stop")
        self.button.disabled = False

    def say(self, sentence: str | None, details: str | None = None) -> None:
        """Show a sentence under the bar, with details to unfold; None takes it away. Both are shown as text."""
        self.trouble.layout.display = None if sentence else "none"
        more = f"<details><summary>Details</summary><pre>{html.escape(details)}</pre></details>" if details else ""
        self.trouble.value = f"<div role='alert'>{html.escape(sentence)}{more}</div>" if sentence else ""

    def offer(self, question: str) -> None:
        """Add a question to those to pick from, newest first."""
        known = [question, *(one for one in self.examples.options[1:] if one != question)]
        self.examples.options = (_EXAMPLES, *known)

    def _pressed(self) -> None:
        if self.button.description == "Ask":
            self._ask()
        else:
            self.button.disabled = True
            self._on_stop()

    def _entered(self, _: object, content: dict[str, Any], buffers: object) -> None:
        """Enter was pressed: the page sends it before the changed question, so that has a moment to arrive."""
        del buffers
        if content.get("event") == "submit":
            self._pending = threading.Timer(_LATE, self._ask)
            self._pending.start()

    def _typed(self, _: object) -> None:
        if self._pending is not None and self._pending.is_alive():
            self._ask()

    def _ask(self) -> None:
        if self._pending is not None:
            self._pending.cancel()
            self._pending = None
        self._on_ask(self.question.value)

    def _picked(self, change: dict[str, Any]) -> None:
        if change["new"] not in (_EXAMPLES, None):
            self.question.value = change["new"]
            self.examples.index = 0

    def __repr__(self) -> str:
        """Say what it is, the same on every machine."""
        return f"<AskBar {self.question.value!r}>"
