"""Runs of a library while they go on: what it calls back for each of its parts becomes a recorded run.

A part begins and ends: a chain or an agent, a retriever, a tool, a call to a model. What goes wrong here never reaches
the run that is observed: it is told once, as a warning.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from explorer.errors import ExplorerError, QuestionError
from explorer.observing.recorder import RecordedRun, RecordedStep
from explorer.reasoning.replies.citations import answer_of

Kind = Literal["chain", "retriever", "reranker", "tool", "model"]
_ASKED = ("question", "query", "input", "user_input", "messages", "text", "content", "prompt")
_SAID = ("output", "answer", "result", "response", "final_output", "messages", "content", "text")
_USER = ("human", "user")
_DEEPEST = 5
_FEWEST = 4  # words of a tool's result that a sentence may rest on


@dataclass(frozen=True, slots=True)
class Call:
    """A call to a model: what it was given, what came back, by which model, and its tokens where they are known."""

    prompt: str
    reply: str = ""
    model: str | None = None
    in_tokens: int | None = None
    out_tokens: int | None = None
    message: object = None  # the reply as it came
    cost: float | None = None


@dataclass(slots=True)
class _Part:
    """A part that has begun; `found` is how many passages were looked at within it, and `replied` the last reply."""

    kind: Kind
    given: object
    run: RecordedRun
    above: _Part | None
    step: RecordedStep | None = None
    name: str = ""
    found: int = 0
    replied: object = None


@dataclass(slots=True)
class Observer:
    """Records the runs of one library by `record`, which makes a run of a question."""

    record: Callable[[str], RecordedRun]
    _parts: dict[Hashable, _Part] = field(default_factory=dict, init=False)
    _lock: threading.RLock = field(default_factory=threading.RLock, init=False)
    _has_warned: bool = field(default=False, init=False)

    def begin(
        self,
        key: Hashable,
        parent: Hashable | None,
        kind: Kind,
        given: object,
        name: str = "",
        *,
        is_whole: bool = True,
    ) -> None:
        """Tell that a part begins, with what it was given.

        One without a known parent is a run of its own; where it can be none (`is_whole`), it is passed over.
        """
        with self._safe(), self._lock:
            above = self._parts.get(parent)
            if above is None and not is_whole:
                return
            if above is None:
                self._parts[key] = _Part(kind, given, self.record(asked_in(given) or name or kind), None, name=name)
                return
            step = above.run.step("tool", name, given) if kind == "tool" else above.step
            self._parts[key] = _Part(kind, given, above.run, above, step, name)

    def end(self, key: Hashable, result: object = None, error: BaseException | None = None) -> None:
        """Tell that a part ended: with passages of a retriever, a Call of a model, another result, or an error."""
        with self._safe(), self._lock:
            part = self._parts.pop(key, None)
            if part is None:
                return
            if part.kind in ("retriever", "reranker") and error is None:
                self._looked(part, list(result) if isinstance(result, Sequence) else [])
            elif part.kind == "model" and isinstance(result, Call):
                part.run.prompt(
                    result.prompt, result.reply, model=result.model,
                    in_tokens=result.in_tokens, out_tokens=result.out_tokens, cost=result.cost,
                )  # fmt: skip
                for one in _up(part):
                    one.replied = result.message
            elif part.kind == "tool" and part.step is not None and part.above is not None:
                self._returned(part, part.step, result, error)
            if part.above is None:
                _end(part, result, error)

    def _looked(self, part: _Part, passages: list[object]) -> None:
        before = part.found
        for one in _up(part):
            one.found = len(passages)
        if part.step is not None:
            if not before:
                part.step.looked_at(passages)
        elif part.kind == "reranker" or before > len(passages):  # a retriever chooses among what one within it found
            part.run.kept(passages)
        elif not before:
            part.run.looked_at(passages, query=asked_in(part.given) or None)

    def _returned(self, part: _Part, step: RecordedStep, result: object, error: BaseException | None) -> None:
        said = said_in(result)
        if not part.found and len(said.split()) >= _FEWEST:  # what it returned is what the answer may rest on
            step.looked_at([{"text": said, "title": part.name}])
        step.done(said, error if error is None or isinstance(error, Exception) else type(error).__name__)

    @contextmanager
    def _safe(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # noqa: BLE001 - the run that is observed goes on, whatever happens here
            if not self._has_warned:
                self._has_warned = True
                told = str(error) if isinstance(error, ExplorerError) else f"{type(error).__name__}: {error}"
                warnings.warn(f"explorer could not record all of this run: {told}", RuntimeWarning, stacklevel=4)


def _up(part: _Part) -> Iterator[_Part]:
    above = part.above
    while above is not None:
        yield above
        above = above.above


def _end(part: _Part, result: object, error: BaseException | None) -> None:
    if isinstance(error, Exception) and type(error).__name__ != "CancelledError":
        part.run.fail(error)
    elif error is not None or part.kind in ("retriever", "reranker"):
        part.run.stop()
    else:
        try:
            part.run.answer(_answer(part, result))
        except ExplorerError as fault:
            part.run.fail(fault)
            raise
        part.run.end()


def _answer(part: _Part, result: object) -> object:
    """Return the answer: the last reply of a model as it came where it is this, for the citations in it."""
    if isinstance(result, Call):  # a model that was asked by itself
        return result.message if isinstance(result.message, str) else result.reply
    said = said_in(result)
    try:
        if part.replied is not None and answer_of(part.replied)[0].strip() == said.strip():
            return part.replied
    except QuestionError:  # a reply without a text, as one that calls a tool
        pass
    return said


def asked_in(given: object, depth: int = 0) -> str:
    """Return the question in what a part was given: a text, messages, or a mapping with either; else nothing."""
    return _text_in(given, _ASKED, _USER, depth)


def said_in(result: object) -> str:
    """Return the text in what came of a part: a text, a message, the last of some, or a mapping with either."""
    return _text_in(result, _SAID, (), 0) or ("" if result is None else str(result))


def _text_in(value: object, keys: Sequence[str], roles: Sequence[str], depth: int) -> str:
    if isinstance(value, str):
        return value
    if value is None or depth > _DEEPEST:
        return ""
    if isinstance(value, Mapping):
        return next(
            (text for key in keys if key in value and (text := _text_in(value[key], keys, roles, depth + 1))), ""
        )
    if isinstance(value, list | tuple):
        of_role = [one for one in value if not roles or _role(one) in roles] or list(value)
        return next((text for one in reversed(of_role) if (text := _text_in(one, keys, roles, depth + 1))), "")
    held = {key: found for key in keys if (found := getattr(value, key, None)) is not None and not callable(found)}
    return _text_in(held, keys, roles, depth + 1) if held else ""


def _role(message: object) -> str:
    told = (
        message if isinstance(message, Mapping) else {name: getattr(message, name, None) for name in ("role", "type")}
    )
    if isinstance(message, tuple) and len(message) == 2:  # ("user", "…")
        return str(message[0])
    return str(told.get("role") or told.get("type") or "")
