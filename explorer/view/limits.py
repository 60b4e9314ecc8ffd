"""The limits of the engines: their words, how they are typed in the ask bar, and what the engines refuse of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache

from explorer.engines.limits import MODES, SELECTORS
from explorer.engines.registry import LIMITS, Limit
from explorer.errors import QuestionError
from explorer.view.messages.bar import LimitKind, LimitState, Typed
from explorer.wording.limits import AT_MOST, OTHER, SEARCHED, written

CHOICES = {"selector": SELECTORS, "mode": MODES}
_ELSEWHERE = ("pattern",)  # How picks it


@dataclass(frozen=True, slots=True)
class Field:
    """One limit of an engine. `usual` is its default, and so its type; None: a whole number the engine chooses."""

    name: str
    usual: Limit

    @property
    def empty(self) -> Typed:
        """The field's value as long as nothing is typed or picked, which means the default."""
        return self.usual if isinstance(self.usual, bool) or self.name in CHOICES else ""  # type: ignore[return-value]

    def read(self, typed: Typed) -> Limit:
        """Return the limit that was typed; text that is no number as it is, for the engine to refuse."""
        if isinstance(typed, bool) or self.name in CHOICES:
            return typed
        text = typed.strip()
        if not text or isinstance(self.usual, str):
            return text or self.usual
        if isinstance(self.usual, Sequence):
            return tuple(name for part in text.split(",") if (name := part.strip()))
        return _number(text)

    def typed(self, value: object) -> Typed:
        """Return a limit as it would be typed."""
        if isinstance(value, bool) or self.name in CHOICES:
            return value  # type: ignore[return-value]
        return "" if written(value) == written(self.usual) else written(value)

    def state(self, value: Typed, *, wrong: bool) -> LimitState:
        """Return the field for the page."""
        kind: LimitKind = "number"
        if isinstance(self.usual, bool):
            kind = "tick"
        elif self.name in CHOICES:
            kind = "choice"
        elif self.usual is None or isinstance(self.usual, str | Sequence):
            kind = "text"
        usual = written(self.usual) or "none"
        return {
            "name": self.name,
            "kind": kind,
            "words": {**AT_MOST, **OTHER}.get(self.name, self.name),
            "tip": f"{self.name}: {usual} by default",
            "usual": self.empty if kind in ("tick", "choice") else usual,
            "value": value,
            "choices": [(one, SEARCHED.get(one, one)) for one in CHOICES.get(self.name, ())],
            "wrong": wrong,
        }


class TypedLimits:
    """The limits of one engine as they stand in the ask bar, typed but not yet asked with."""

    def __init__(self, engine: str) -> None:
        """Begin with the defaults."""
        self.engine = engine
        self._fields = fields_of(engine)
        self._typed: dict[str, Typed] = {name: field.empty for name, field in self._fields.items()}

    @property
    def changed(self) -> dict[str, Limit]:
        """The limits that differ from their defaults."""
        read = {name: field.read(self._typed[name]) for name, field in self._fields.items()}
        return {name: value for name, value in read.items() if value != self._fields[name].usual}

    @property
    def refusal(self) -> str | None:
        """Why the engine refuses these limits, in its own words; None when it takes them."""
        return self._refusal_of(self.changed)

    @property
    def states(self) -> list[LimitState]:
        """The fields for the page; wrong are those refused by themselves, and those without which the rest is taken."""
        changed, is_refused = self.changed, self.refusal is not None
        alone = {name for name, value in changed.items() if self._refusal_of({name: value})}
        without = {name for name in changed if self._refusal_of({**changed, name: self._fields[name].usual}) is None}
        wrong = (alone or without) if is_refused else set()
        return [field.state(self._typed[name], wrong=name in wrong) for name, field in self._fields.items()]

    def set_typed(self, typed: Mapping[str, Typed]) -> None:
        """Take what was typed or picked; the names are those of `fields_of` the engine."""
        for name, value in typed.items():
            field = self._fields[name]
            self._typed[name] = bool(value) if isinstance(field.usual, bool) else str(value)

    def set_values(self, values: Mapping[str, object]) -> None:
        """Show these limits, and the others at their defaults; names that are no limits here are left alone."""
        self._typed = {name: field.typed(values.get(name, field.usual)) for name, field in self._fields.items()}

    def _refusal_of(self, values: Mapping[str, Limit]) -> str | None:
        try:
            LIMITS[self.engine](**values)  # type: ignore[arg-type]
        except QuestionError as error:
            return str(error)
        return None


@cache
def fields_of(engine: str) -> dict[str, Field]:
    """Return the limits of an engine by name, numbers first."""
    usual = LIMITS[engine]()
    names = [field.name for field in fields(usual) if field.name not in _ELSEWHERE]
    return {name: Field(name, getattr(usual, name)) for name in sorted(names, key=lambda name: name not in AT_MOST)}


def _number(text: str) -> int | float | str:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text
