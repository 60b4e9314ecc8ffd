"""Where the words are in what a part of a run was given and gave: texts, messages, mappings, objects of a library."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

REDACTED = ("", "__REDACTED__")
_DEEPEST = 12
_USER, _MODEL = ("user", "human"), ("assistant", "ai", "model")
_ASKED = (
    "question", "query", "user_query", "query_str", "query_text", "input", "user_input", "prompt", "inputs", "kwargs",
    "args",
)  # fmt: skip
_ANSWERED = ("answer", "final_answer", "final_output", "output", "response", "result", "outputs", "reply")
_SAID = (
    "content", "text", "page_content", "parts", "contents", "message", "message_content", "kwargs", "choices",
    "messages", "generations", "data", "value", "prompt", "completion", "",
)  # fmt: skip
_CALLED = {"args", "kwargs"}
_SPOKEN = {"role", "type", "tool_calls"}  # of a message, also of one that says nothing
_TYPES = ("human", "ai", "system", "tool")
_Read = Callable[[object], Any]


def decoded_json(value: object) -> Any:  # noqa: ANN401 - any value of JSON
    """Return what a text that is JSON says; anything else as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "[", '"'):
        with suppress(ValueError, RecursionError):
            return json.loads(value)
    return value


def asked_in(given: object) -> str:
    """Return the question in what a library gave: a text, or where one stands, of messages the user's last."""
    return given if isinstance(given, str) else _text_in(given, _ASKED, _USER, lambda one: one)


def said_in(given: object) -> str:
    """Return the words in what a library gave back: a text, or where one stands, of messages the last."""
    return given if isinstance(given, str) else _text_in(given, _ANSWERED, _MODEL, lambda one: one) or _whole(given)


def question_of(given: object) -> str:
    """Return the question in what is on file, where texts may be JSON."""
    return _text_in(given, _ASKED, _USER, decoded_json) or _whole(given)


def answer_of(given: object) -> str:
    """Return the answer in what is on file, where texts may be JSON."""
    return _text_in(given, _ANSWERED, _MODEL, decoded_json) or _whole(given)


def words(given: object, depth: int = 0) -> str:
    """Return all words of what a model was given or replied, each message after who said it."""
    value = decoded_json(given)
    if isinstance(value, str):
        return "" if value in REDACTED else value
    if value is None or depth > _DEEPEST:
        return ""
    if (parts := listed(value)) is not None:
        return "\n\n".join(filter(None, (words(one, depth + 1) for one in parts)))
    if not isinstance(value, Mapping):
        return str(value)
    said = [value[key] for key in _SAID if not is_empty(value.get(key))][:1]
    if value.keys() == _CALLED or not (said or _SPOKEN & value.keys()):  # of a function, what it was called with
        said = [one for one in value.values() if isinstance(one, str | list | tuple | Mapping)]
    text = words(said, depth + 1)
    calls = value.get("tool_calls") or (value if value.get("type") in ("tool_call", "tool_call_response") else None)
    if calls and not text:
        text = json.dumps(calls, ensure_ascii=False, default=str)
    by = str(value.get("role") or "")
    return f"{by}: {text}" if by and text else text


def reply_of(given: object) -> str:
    """Return the words of a reply without who said it, where it is one message."""
    found = words(given)
    return next((found.removeprefix(f"{by}: ") for by in _MODEL if found.startswith(f"{by}: ")), found)


def listed(value: object) -> list[Any] | None:
    """Return a list in either form: as such, or as a mapping of numbers; None for anything else."""
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, Mapping) and value and all(str(key).isdecimal() and len(str(key)) < 10 for key in value):
        return [one for _, one in sorted(value.items(), key=lambda item: int(item[0]))]
    return None


def is_empty(value: object) -> bool:
    """Return whether a value tells nothing."""
    return value is None or (isinstance(value, str | list | tuple | Mapping) and not value)


def _whole(given: object) -> str:
    """Return what has no text of a known name: a text, or a value of JSON."""
    if is_empty(given) or isinstance(given, str):
        return "" if given in REDACTED or not isinstance(given, str) else given.strip()
    return json.dumps(given, ensure_ascii=False, default=str) if isinstance(given, Mapping | list) else str(given)


def _text_in(given: object, keys: Sequence[str], roles: Sequence[str], read: _Read, depth: int = 0) -> str:
    value = read(given)
    if isinstance(value, str):
        return "" if value in REDACTED else value.strip()
    if depth > _DEEPEST or value is None:
        return ""
    parts = listed(value)
    if parts is not None:
        by = [one for one in parts if _said_by(one) in roles]
        return next(filter(None, (_text_in(one, keys, roles, read, depth + 1) for one in reversed(by or parts))), "")
    held = _held(value, (*keys, "messages", *_SAID))
    inner = [one for one in held.values() if not is_empty(one)]
    if not inner and isinstance(value, Mapping) and len(value) == 1:
        inner = [*value.values()]
    return next(filter(None, (_text_in(one, keys, roles, read, depth + 1) for one in inner)), "")


def _said_by(value: object) -> str:
    """Return the role of who said a message, in whatever form it stands; empty where none is named."""
    for _ in range(3):
        if isinstance(value, tuple) and len(value) == 2:  # ("user", "…")
            return str(value[0]).lower()
        held = _held(value, ("role", "type", "message", "kwargs", "data"))
        if named := held.get("role") or (held.get("type") if held.get("type") in _TYPES else None):
            return str(getattr(named, "value", named)).lower()
        value = held.get("message") or held.get("kwargs") or held.get("data")
    return ""


def _held(value: object, keys: Sequence[str]) -> dict[str, Any]:
    """Return what a mapping or an object tells by some names, in their order."""
    if isinstance(value, Mapping):
        return {key: value[key] for key in keys if key in value}
    return {key: one for key in keys if key and not callable(one := getattr(value, key, None))}
