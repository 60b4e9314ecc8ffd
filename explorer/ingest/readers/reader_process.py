"""A file is read in a process of its own: one that hangs or crashes the library in C that reads it is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from explorer.child_process import Apart, CrashError
from explorer.errors import DocumentError
from explorer.ingest.limits import MEGABYTE

STEP = 60.0
"""Seconds that one step, such as a page, or a megabyte, may take unless something else is said."""

MEMORY = 4 << 30
"""Bytes that a process may take."""

P = ParamSpec("P")
T = TypeVar("T")


class Reader:
    """A process that reads files, one at a time."""

    def __init__(self) -> None:
        self.apart = Apart(MEMORY)

    def call(self, name: str, seconds: float | None, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what a function of a module returns that reads the file called `name`, as `Apart.call` does.

        Raises what it raises, and DocumentError where a step takes more than so many seconds (None: `STEP`), or
        memory, or where it brings the process down.
        """
        allowed, more, what = STEP if seconds is None else seconds, "", "a part of it" if seconds is None else "it"
        try:
            return self.apart.call(allowed, function, *args, **kwargs)
        except TimeoutError:
            why = f"{what} takes more than {allowed:,g} s"
            more = ", or allow more with max_seconds= or --max-seconds"
        except MemoryError:
            why = f"it takes more than {MEMORY >> 30} GB of memory"
        except CrashError:
            why = "it brings down what reads it"
        raise DocumentError(f"{name!r} can't be read, {why}; save or print it to a new file and take that{more}.")


def seconds_for(data: bytes, *, is_packed: bool) -> float:
    """Return the seconds that a file may take which is read in one step: `STEP`, and again for each megabyte begun,
    where one that is packed counts ten times.
    """
    return STEP * (1 + -(-len(data) * (10 if is_packed else 1) // MEGABYTE))


READING = Reader()
PICTURES = Reader()
"""So that a picture need not wait for a long document."""
