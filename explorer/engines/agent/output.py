"""What a function prints and what it returns, as text of bounded length.

What it prints does not reach the terminal: while tools run, sys.stdout is an object that hands writes of their threads
to buffers of their own, and all others through. A child process, or code that writes to the file descriptor, evades it.
"""

from __future__ import annotations

import json
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
    """Write what a function returned: a text as it is, what JSON has a form for as JSON, all else by its repr.

    A value may be huge, or contain itself: its beginning is written. Raises what it raises when it is looked at.
    """
    if value is None:
        return "(nothing)"
    if isinstance(value, Number):
        return kept(str(value))
    plain = value if isinstance(value, str | Mapping | list | tuple) else _plain(value)
    if isinstance(plain, str):
        return kept(plain)
    text, is_whole = "", False
    pieces = _ENCODER.iterencode(plain)
    try:
        while len(text) <= KEPT and not is_whole:
            more = "".join(islice(pieces, 100))
            text, is_whole = text + more, not more
    except RecursionError:
        text += "…"
    except TypeError:  # of a name that JSON has no form for
        return kept(_ADDRESS.sub("", repr(value)))
    if is_whole:
        return kept(text)
    return f"{kept(text[:KEPT])}… [more than that in all; the first {min(len(text), KEPT):,} characters are kept]"


def _plain(part: object) -> object:
    """Return a value that JSON does not know as one that it knows."""
    from pydantic import TypeAdapter

    match part:
        case set() | frozenset():  # their order is another one each time
            return sorted(islice(part, KEPT), key=repr)
        case bytes() | bytearray():
            return part[: KEPT + 1].decode(errors="replace")
        case Number():
            return int(part) if isinstance(part, Integral) else str(part)
        case Mapping():
            return dict(islice(part.items(), KEPT))
    if is_dataclass(part) and not isinstance(part, type):
        return {one.name: getattr(part, one.name) for one in fields(part)}
    adapter = TypeAdapter[object](object)
    return adapter.dump_python(part, mode="json", fallback=lambda other: _ADDRESS.sub("", repr(other)), warnings=False)


_ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"), default=_plain)
