"""What a function prints and what it returns, as text of bounded length.

What it prints does not reach the terminal: while tools run, sys.stdout is an object that hands writes of their threads
to buffers of their own, and all others through. A child process, or code that writes to the file descriptor, evades it.
"""

from __future__ import annotations

import math
import re
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from itertools import islice
from numbers import Integral, Number
from typing import Any, TextIO, cast

KEPT = 100_000  # characters of a result
PRINTED = 2_000  # characters of what is printed
_DEPTH = 60  # containers in containers, beyond which a result is no use to anyone
_SURROGATE = re.compile("[\ud800-\udfff]")
_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+(?=>)")


@dataclass(slots=True)
class Printed:
    """What one thread has printed: its beginning, and the number of characters of all of it."""

    text: str = ""
    size: int = 0

    def add(self, text: str) -> None:
        """Append what is printed next."""
        self.text += text[: PRINTED - len(self.text)]
        self.size += len(text)

    def shown(self) -> str:
        """Return the text, truncated where it is too long, without white space at its end."""
        return kept(self.text.rstrip() if self.size == len(self.text) else self.text, PRINTED, self.size)


@dataclass(slots=True)
class _Bytes:
    """The `buffer` of what looks like a text file."""

    printed: Printed

    def write(self, data: bytes) -> int:
        self.printed.add(bytes(data).decode(errors="replace"))
        return len(data)

    def flush(self) -> None:
        """Nothing waits."""


_OWN = threading.local()  # `printed`: where what this thread prints goes


class _Divided:
    """What stands in for sys.stdout: writes of threads that have their own place for them go there."""

    def __init__(self, under: TextIO) -> None:
        self.under = under

    @property
    def buffer(self) -> object:
        printed = _own()
        return self.under.buffer if printed is None else _Bytes(printed)

    def write(self, text: str) -> int:
        printed = _own()
        if printed is None:
            return self.under.write(text)
        printed.add(str(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        if _own() is None:
            self.under.flush()

    def close(self) -> None:
        if _own() is None:
            self.under.close()

    def isatty(self) -> bool:
        return _own() is None and self.under.isatty()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the file beneath has
        return getattr(self.under, name)


_USERS: list[Printed] = []  # what the threads print for which sys.stdout is divided
_LOCK = threading.RLock()


@contextmanager
def printing() -> Iterator[Printed]:
    """Keep what this thread prints, until it is done; the last one restores sys.stdout."""
    before, printed = _own(), Printed()
    with _LOCK:
        _USERS.append(printed)
        if not isinstance(sys.stdout, _Divided):  # someone may have put another file there meanwhile
            sys.stdout = cast("TextIO", _Divided(sys.stdout))
    _OWN.printed = printed
    try:
        yield printed
    finally:
        _OWN.printed = before
        with _LOCK:
            _USERS.pop()
            if not _USERS and isinstance(sys.stdout, _Divided):
                sys.stdout = sys.stdout.under


def _own() -> Printed | None:
    found: Printed | None = getattr(_OWN, "printed", None)
    return found


def kept(text: str, most: int = KEPT, size: int | None = None) -> str:
    """Return a text that can be stored: truncated to the limit, and without halves of characters.

    `size` says how long it was, if this is but its beginning.
    """
    size = len(text) if size is None else size
    shown = _SURROGATE.sub("\ufffd", str(text[:most]))
    return shown if size <= most else f"{shown}… [{size:,} characters in all; the first {most:,} are kept]"


def written(value: object) -> str:
    """Write what a function returned: a text as it is, values that JSON has a form for in JSON, all else by its repr.

    Raises whatever the value raises when it is looked at.
    """
    if isinstance(value, str):
        return kept(value)
    if value is None:
        return "(nothing)"
    if isinstance(value, Number):
        return kept(str(value))
    paring = _Paring()
    text = _json(paring.pared(value))
    if text is None:
        return kept(_ADDRESS.sub("", repr(value)))
    if not paring.cut:
        return kept(text)
    return f"{kept(text[:KEPT])}… [more than that in all; the first {min(len(text), KEPT):,} characters are kept]"


def _json(value: object) -> str | None:
    """Write a value as JSON, or as the bare text if that is what its form is; None if it has none."""
    from pydantic import TypeAdapter

    def other(part: object) -> str:
        if part is value:
            raise TypeError
        return _ADDRESS.sub("", repr(part))

    adapter = TypeAdapter[Any](Any)
    try:
        text = adapter.dump_json(value, fallback=other, warnings=False).decode()
    except (TypeError, ValueError, RecursionError):
        return None
    return str(adapter.validate_json(text)) if text.startswith('"') else text


@dataclass(slots=True)
class _Paring:
    """Copies a value as far as it can be shown: some are huge, contain themselves, or the same part over and over."""

    left: int = KEPT  # characters, at least
    cut: bool = False

    def pared(self, value: object, depth: int = 0) -> object:
        self.left -= 1
        if isinstance(value, str | bytes):
            return self._text(value)
        if isinstance(value, bool):
            return value
        if isinstance(value, Integral):
            return int(value)
        if isinstance(value, Number):  # also of other libraries; what JSON has no number for is text
            return value if isinstance(value, float) and math.isfinite(value) else str(value)
        mapping = isinstance(value, Mapping)
        if not mapping and not isinstance(value, list | tuple | set | frozenset) and not _has_fields(value):
            return value
        if depth > _DEPTH:
            self.cut = True
            return "…"
        if mapping:
            return self._pairs(cast("Mapping[Any, Any]", value).items(), depth)
        if _has_fields(value):
            return self._pairs(((part.name, getattr(value, part.name)) for part in fields(cast("Any", value))), depth)
        return self._items(cast("list[object]", value), depth)

    def _text(self, value: str | bytes) -> str:
        text = value if isinstance(value, str) else value[: self.left + 10].decode(errors="replace")
        self.cut = self.cut or len(value) > self.left + 10
        shown = _SURROGATE.sub("\ufffd", text[: max(0, self.left + 10)])
        self.left -= len(shown)
        return shown

    def _pairs(self, pairs: Any, depth: int) -> dict[Any, object]:  # noqa: ANN401 - of any types
        made: dict[Any, object] = {}
        for name, value in pairs:
            if self._is_full():
                break
            plain = name is None or isinstance(name, bool | int | float)
            key = name if plain else self._text(name if isinstance(name, str) else _ADDRESS.sub("", repr(name)))
            made[key] = self.pared(value, depth + 1)
        return made

    def _items(self, items: list[object] | set[object], depth: int) -> list[object]:
        if isinstance(items, set | frozenset):  # their order is another one each time
            items = sorted(islice(items, KEPT), key=repr)
        made = []
        for item in items:
            if self._is_full():
                break
            made.append(self.pared(item, depth + 1))
        return made

    def _is_full(self) -> bool:
        self.cut = self.cut or self.left <= 0
        return self.left <= 0


def _has_fields(value: object) -> bool:
    return is_dataclass(value) and not isinstance(value, type)
