"""The choice of a model in the ask bar: from a list, or by a name that is typed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import ipywidgets as ipw

from explorer.engines.questions import Models
from explorer.models.chat import NO_MODEL
from explorer.widgets.bar.hint import Hint

ANOTHER = "another…"
LATE = 0.15  # seconds in which a changed text follows the Enter that sent it
_ABOUT = "Which model reasons; with no model the built-in reasoner measures and copies"


class ModelChoice(Hint):
    """A list of models with "no model" among them; its last line turns it into a field for a name."""

    def __init__(self, own: str | None, known: Callable[[], Models] | None) -> None:
        """Offer the workspace's `own` model; `known` gives the others, which is asked when `look_up` says so."""
        self.own = own or NO_MODEL
        self._known = known
        self._looking = False
        self._filling = False
        self._before = self.own  # what is chosen while a name is being typed
        self._lock = threading.RLock()
        self.list = ipw.Dropdown(options=[*dict.fromkeys((self.own, NO_MODEL)), ANOTHER], description="Model")
        self.name = ipw.Text(placeholder="its name, then Enter", description="Model", continuous_update=False)
        self.name.tooltip = "The name of a model behind the workspace's address; leave it empty to go back"
        self.name.layout.display = "none"
        super().__init__([self.list, self.name], tooltip=_ABOUT)
        for widget in (self.list, self.name):
            widget.add_class("pe-labelled")
        self.add_class("pe-model")
        self.list.observe(self._picked, "value")
        self.name.observe(lambda _: self._typed(), "value")
        self.name.on_msg(self._entered)

    @property
    def chosen(self) -> str | None:
        """Give the name of the model, "no model" for none, and None for the workspace's own."""
        name = self._before if self.list.value == ANOTHER else self.list.value
        return None if name == self.own else str(name)

    def show(self, model: str | None) -> None:
        """Show a model, or "no model"; None is the workspace's own."""
        with self._lock:
            name = (self.own if model is None else model.strip()) or NO_MODEL
            self._offer([name])
            self.list.value = name
            self.list.layout.display, self.name.layout.display = None, "none"

    def enable(self, *, enabled: bool) -> None:
        """Let another one be chosen, or not; a name that was begun is taken, an empty one was none."""
        if self.list.value == ANOTHER:
            self._typed()
        self.list.disabled = self.name.disabled = not enabled

    def look_up(self) -> None:
        """Ask once which models there are, in a thread; what keeps the address from telling is in the tooltip."""
        if self._known is not None and not self._looking:
            self._looking = True
            threading.Thread(target=self._look, args=(self._known,), daemon=True, name="explorer-models").start()

    def _look(self, known: Callable[[], Models]) -> None:
        try:
            found = known()
        except Exception as error:  # noqa: BLE001 - the end of a worker thread: shown in the tooltip
            found = Models((), str(error))
        with self._lock:
            self._offer(found.names)
            if found.trouble:
                self.tooltip = f"{_ABOUT}. {found.trouble}"

    def _offer(self, names: tuple[str, ...] | list[str]) -> None:
        """Add names to the list, in which what is chosen stays chosen."""
        chosen, known = self.list.value, self.list.options[:-1]
        self._filling = True
        try:
            with self.list.hold_sync():
                self.list.options = [*dict.fromkeys((*known, *names)), ANOTHER]
                self.list.value = chosen
        finally:
            self._filling = False

    def _picked(self, change: dict[str, Any]) -> None:
        if self._filling:
            return
        if change["new"] != ANOTHER:
            self._before = change["new"] or self._before
            return
        self.list.layout.display, self.name.layout.display = "none", None
        self.name.value = ""
        self.name.focus()

    def _entered(self, _: object, content: dict[str, Any], buffers: object) -> None:
        """Enter was pressed: in an empty field that means back. The page sends it before a changed name."""
        del buffers
        if content.get("event") == "submit":
            threading.Timer(LATE, self._typed).start()

    def _typed(self) -> None:
        with self._lock:
            if self.list.value == ANOTHER and self.name.layout.display is None:
                self.show(self.name.value.strip() or self._before)
