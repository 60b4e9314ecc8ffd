"""The ask bar: question, how to work at it, by which model and how far, Ask which turns into Stop, what went wrong."""

from __future__ import annotations

import html
import threading
from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets as ipw

from explorer.engines.questions import Models
from explorer.widgets.bar.examples import Examples
from explorer.widgets.bar.hint import hinted
from explorer.widgets.bar.limits import LimitsRow
from explorer.widgets.bar.model import LATE, ModelChoice

HOW: dict[str, dict[str, str]] = {
    "Graph search": {"engine": "graph-rag"},
    "Passage search": {"engine": "document-rag"},
    "Agent": {"engine": "agent"},
    "Agent, step by step": {"engine": "agent", "pattern": "react"},
    "Agent, plan first": {"engine": "agent", "pattern": "plan-then-execute"},
    "Agent, as a team": {"engine": "agent", "pattern": "supervisor"},
}


class AskBar(ipw.VBox):
    """A question, how to work at it, and a button.

    `on_ask` gets the question; `on_stop` and `on_next`, which a waiting run goes on by, nothing. All run in a kernel
    thread.
    """

    def __init__(
        self,
        on_ask: Callable[[str], None],
        on_stop: Callable[[], None],
        examples: Sequence[str],
        on_next: Callable[[], None] | None = None,
        *,
        earlier: Sequence[str] = (),
        model: str | None = None,
        models: Callable[[], Models] | None = None,
    ) -> None:
        """Lay out the bar: `examples` and `earlier` questions to pick from, the newest first.

        `model` is the workspace's own; `models` gives those there are, and is called by `look_up` only.
        """
        self._on_ask, self._on_stop, self._on_next = on_ask, on_stop, on_next
        self._pending: threading.Timer | None = None
        self._is_running = self._is_waiting = False
        self._refusal: str | None = None
        self.question = ipw.Text(
            placeholder="Ask something about your documents", continuous_update=False, description="Your question"
        )
        self.examples = Examples(examples, earlier, self._picked)
        self.how = ipw.Dropdown(options=tuple(HOW), description="How", tooltip="How to work at the question")
        self.model = ModelChoice(model, models)
        self.limits = LimitsRow("graph-rag", self._check)
        self.next = ipw.Button(description="Next")
        self.button = ipw.Button(description="Ask", tooltip="Ask (Enter)")
        self.trouble = ipw.HTML()
        super().__init__([self._row(), self.limits, self.trouble])
        self._listen()
        self.waiting(waiting=False)
        self.say(None)

    def _row(self) -> ipw.Box:
        examples, how = hinted(self.examples), hinted(self.how)
        asked = ipw.Box([self.question, examples])
        row = ipw.Box([asked, how, self.model, self.limits.toggle, self.next, self.button])
        for widget, name in ((row, "pe-ask"), (asked, "pe-asked"), (self.question, "pe-question"),
                             (examples, "pe-examples"), (self.how, "pe-labelled"), (how, "pe-how"),
                             (self.next, "pe-next"), (self.button, "pe-go"),
                             (self.trouble, "pe-trouble-line")):  # fmt: skip
            widget.add_class(name)
        return row

    def _listen(self) -> None:
        self.question.on_msg(self._entered)
        self.question.observe(self._typed, "value")
        self.how.observe(lambda _: self.limits.pick(HOW[self.how.value]["engine"]), "value")
        self.limits.waits.observe(lambda _: self.waiting(waiting=self._is_waiting), "value")
        self.next.on_click(lambda _: self._go_on())
        self.button.on_click(lambda _: self._pressed())

    @property
    def chosen(self) -> dict[str, Any]:
        """Give what to ask with: engine, pattern of an agent, model and limits, the last two where not as usual."""
        model = self.model.chosen
        return {**HOW[self.how.value], **({} if model is None else {"model": model}), **self.limits.changed}

    @property
    def waits(self) -> bool:
        """Say whether a run is to wait at each stage until Next is pressed."""
        return bool(self.limits.waits.value)

    def show(self, engine: str, **asked: object) -> None:
        """Show how a run is asked: its engine, and of the arguments of `ask` the pattern, the model and the limits."""
        way = {"engine": engine, **({"pattern": asked["pattern"]} if asked.get("pattern") else {})}
        self.how.value = next((name for name, known in HOW.items() if known == way), self.how.value)
        model = asked.get("model")
        self.model.show(None if model is None else str(model))
        self.limits.show(asked)

    def look_up(self) -> None:
        """Ask once, in a thread, which models there are; call it when the bar is shown."""
        self.model.look_up()

    def running(self, *, running: bool) -> None:
        """Turn Ask into Stop, or back; how to work can't be changed in between, the next question can."""
        self._is_running = running
        self.button.description = "■ Stop" if running else "Ask"
        self.button.tooltip = "Stop: what is shown stays on record" if running else "Ask (Enter)"
        (self.button.add_class if running else self.button.remove_class)("stop")
        self.button.disabled = False
        self.how.disabled = running
        self.model.enable(enabled=not running)
        self.limits.enable(enabled=not running)
        self.waiting(waiting=False)

    def waiting(self, waiting: bool) -> None:  # noqa: FBT001 - reads as the sentence it is
        """Tell that the run waits for Next, or goes on. Next stays there and enabled, so that it keeps the focus."""
        self._is_waiting = waiting
        self.next.layout.display = None if waiting or self.waits else "none"
        idle = "The next stage is not reached yet" if self._is_running else "Nothing waits: ask a question first"
        self.next.tooltip = "Go on to the next stage" if waiting else idle
        (self.next.remove_class if waiting else self.next.add_class)("idle")

    def say(self, sentence: str | None, details: str | None = None) -> None:
        """Show a sentence under the bar, with details to unfold; None takes it away. Both are shown as text."""
        self._refusal = None
        self.trouble.layout.display = None if sentence else "none"
        more = f"<details><summary>Details</summary><pre>{html.escape(details)}</pre></details>" if details else ""
        self.trouble.value = f"<div role='alert'>{html.escape(sentence)}{more}</div>" if sentence else ""

    def offer(self, question: str) -> None:
        """Add a question to those to pick from, newest first."""
        self.examples.offer(question)

    def _check(self) -> None:
        """Say what the engine refuses of its limits; what was said of them before is taken away."""
        refusal = self.limits.refusal
        if refusal or self._refusal:
            self.say(refusal)
            self._refusal = refusal

    def _pressed(self) -> None:
        if self.button.description == "Ask":
            self._ask()
        else:
            self.button.disabled = True
            self._on_stop()

    def _go_on(self) -> None:
        if self._is_waiting:
            self.waiting(waiting=False)
            if self._on_next is not None:
                self._on_next()

    def _entered(self, _: object, content: dict[str, Any], buffers: object) -> None:
        """Enter was pressed: the page sends it before the changed question, so that has a moment to arrive."""
        del buffers
        if content.get("event") == "submit":
            self._pending = threading.Timer(LATE, self._ask)
            self._pending.start()

    def _typed(self, _: object) -> None:
        if self._pending is not None and self._pending.is_alive():
            self._ask()

    def _ask(self) -> None:
        if self._pending is not None:
            self._pending.cancel()
            self._pending = None
        self._on_ask(self.question.value)

    def _picked(self, question: str) -> None:
        self.question.value = question

    def __repr__(self) -> str:
        """Say what it is, the same on every machine."""
        return f"<AskBar {self.question.value!r}>"
