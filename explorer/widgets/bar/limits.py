"""The row of limits below the ask bar: a field for each limit of an engine, kept for each engine, and when to wait."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields

import ipywidgets as ipw

from explorer.engines.questions import LIMITS, Limit
from explorer.errors import QuestionError
from explorer.widgets.bar.limit_words import AT_MOST, CHOICES, OTHER, SEARCHED, written

_ELSEWHERE = ("pattern",)  # How picks it


class Bound:
    """The field of one limit; an empty one means what is usual, which it shows in grey.

    `usual` tells what kind it is; None stands for a whole number that the engine chooses by itself.
    """

    def __init__(self, name: str, usual: Limit) -> None:
        """Make the field."""
        self.name = name
        self.usual = usual
        self.field = self._made(f"{name}, as usual {written(usual) or 'empty'}")

    def _made(self, tooltip: str) -> ipw.Text | ipw.Dropdown | ipw.Checkbox:
        words = {**AT_MOST, **OTHER}.get(self.name, self.name)
        if isinstance(self.usual, bool):
            return _classed(ipw.Checkbox(self.usual, description=words, indent=False, tooltip=tooltip), "pe-tick")
        if self.name in CHOICES:
            choices = [(SEARCHED.get(one, one), one) for one in CHOICES[self.name]]
            picker = ipw.Dropdown(options=choices, value=self.usual, description=words, tooltip=tooltip)
            return _classed(picker, "pe-picked")
        shown = {"placeholder": written(self.usual) or "empty", "continuous_update": False}
        return _classed(ipw.Text(description=words, tooltip=tooltip, **shown), "pe-number", self._width)

    @property
    def _width(self) -> str:
        return "wide" if self.usual is None or isinstance(self.usual, str | Sequence) else "slim"

    @property
    def value(self) -> Limit:
        """Give what is chosen; a number that can't be read as it was typed, for the engine to refuse."""
        given = self.field.value
        if not isinstance(self.field, ipw.Text):
            return given  # type: ignore[no-any-return]
        text = given.strip()
        if not text or isinstance(self.usual, str):
            return text or self.usual
        if isinstance(self.usual, Sequence):
            return tuple(name for part in text.split(",") if (name := part.strip()))
        return _number(text)

    @value.setter
    def value(self, value: Limit) -> None:
        if isinstance(self.field, ipw.Text):
            self.field.value = "" if written(value) == written(self.usual) else written(value)
        else:
            self.field.value = value


class Bounds(ipw.Box):
    """The fields of one engine; `on_change` hears of every change."""

    def __init__(self, engine: str, on_change: Callable[[], None]) -> None:
        """Make a field for each limit, numbers first."""
        self.engine = engine
        given = [field for field in fields(LIMITS[engine]) if field.name not in _ELSEWHERE]
        numbers_first = sorted(given, key=lambda field: field.name not in AT_MOST)
        usual = LIMITS[engine]()
        self.bounds = {field.name: Bound(field.name, getattr(usual, field.name)) for field in numbers_first}
        super().__init__([ipw.Label("At most"), *(bound.field for bound in self.bounds.values())])
        self.add_class("pe-bounds")
        for bound in self.bounds.values():
            bound.field.observe(lambda _: on_change(), "value")

    @property
    def changed(self) -> dict[str, Limit]:
        """Give what differs from what is usual."""
        return {name: bound.value for name, bound in self.bounds.items() if bound.value != bound.usual}

    def show(self, given: Mapping[str, object]) -> None:
        """Show these limits, and of the others what is usual; names that are no limits here are left alone."""
        for name, bound in self.bounds.items():
            bound.value = given.get(name, bound.usual)  # type: ignore[assignment]

    def mark(self, refusal: str | None) -> None:
        """Mark the field that a refusal begins with the name of; None: none is refused."""
        for name, bound in self.bounds.items():
            is_wrong = refusal is not None and refusal.split()[0] == name
            (bound.field.add_class if is_wrong else bound.field.remove_class)("wrong")

    def enable(self, *, enabled: bool) -> None:
        """Let the fields be changed, or not."""
        for bound in self.bounds.values():
            bound.field.disabled = not enabled


class LimitsRow(ipw.Box):
    """The limits of the engine that is picked, each engine's own kept; `on_change` hears of every change."""

    def __init__(self, engine: str, on_change: Callable[[], None]) -> None:
        """Lay out a row that is folded; the fields of an engine are made when they are first shown."""
        self.engine = engine
        self._on_change = on_change
        self._bounds: dict[str, Bounds] = {}
        self._given: dict[str, Mapping[str, object]] = {}  # what fields that are not made yet will show
        self._quiet = False
        self._enabled = True
        self.toggle = _classed(ipw.ToggleButton(description="Limits"), "pe-limits-toggle")
        self.waits = _classed(
            ipw.Checkbox(
                description="Wait at each stage", indent=False, tooltip="Stop after each stage until Next is pressed"
            ),
            *("pe-tick", "pe-wait"),
        )
        self.usual = _classed(
            ipw.Button(description="As usual", tooltip="Set all limits back to what is usual"), "pe-small"
        )
        super().__init__([])
        self.add_class("pe-limits")
        self.toggle.observe(lambda _: self._fold(), "value")
        self.usual.on_click(lambda _: self.show({}))
        self._fold()
        self._count()

    @property
    def changed(self) -> dict[str, Limit]:
        """Give the limits of the picked engine that differ from what is usual."""
        if self.engine in self._bounds:
            return self._bounds[self.engine].changed
        given = self._given.get(self.engine, {})
        usual = {name: value for name, value in asdict(LIMITS[self.engine]()).items() if name not in _ELSEWHERE}
        return {name: given[name] for name, value in usual.items() if given.get(name, value) != value}  # type: ignore[misc]

    @property
    def refusal(self) -> str | None:
        """Say what the engine refuses of them, in its own words; None when it takes them."""
        try:
            LIMITS[self.engine](**self.changed)  # type: ignore[arg-type]
        except QuestionError as error:
            return str(error)
        return None

    def pick(self, engine: str) -> None:
        """Show the limits of an engine."""
        self.engine = engine
        self._fold()
        self._changed()

    def show(self, given: Mapping[str, object]) -> None:
        """Show these limits of the picked engine, and of the others what is usual."""
        self._given[self.engine] = dict(given)
        if self.engine in self._bounds:
            self._quiet = True
            try:
                self._bounds[self.engine].show(given)
            finally:
                self._quiet = False
        self._changed()

    def enable(self, *, enabled: bool) -> None:
        """Let the limits be changed, or not; whether to wait can be changed at any time."""
        self._enabled = enabled
        self.toggle.disabled = self.usual.disabled = not enabled
        if self.toggle.value:  # folded fields can't be reached, and can't be unfolded while this is disabled
            for bounds in self._bounds.values():
                bounds.enable(enabled=enabled)

    def _of_engine(self) -> Bounds:
        if self.engine not in self._bounds:
            made = self._bounds[self.engine] = Bounds(self.engine, self._changed)
            self._quiet = True
            made.show(self._given.get(self.engine, {}))
            self._quiet = False
            made.enable(enabled=self._enabled)
        return self._bounds[self.engine]

    def _fold(self) -> None:
        is_open = self.toggle.value
        self.toggle.tooltip = "Fold the limits" if is_open else "How far to look, and whether to wait at each stage"
        self.layout.display = None if is_open else "none"
        if is_open:
            self.children = [self._of_engine(), self.waits, self.usual]

    def _changed(self) -> None:
        if not self._quiet:
            self._count()
            if self.engine in self._bounds:
                self._bounds[self.engine].mark(self.refusal)
            self._on_change()

    def _count(self) -> None:
        number = len(self.changed)
        self.toggle.description = f"Limits · {number} changed" if number else "Limits"
        self.usual.layout.visibility = None if number else "hidden"


def _classed(widget: ipw.DOMWidget, *names: str) -> ipw.DOMWidget:
    for name in names:
        widget.add_class(name)
    return widget


def _number(text: str) -> int | float | str:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text
