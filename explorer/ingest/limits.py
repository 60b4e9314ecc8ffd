"""What one file may take: bytes, also when it is unpacked, pages, time and memory. One that takes more is refused."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, fields
from pathlib import Path
from time import perf_counter

from explorer.errors import DocumentError

MOST_BYTES = 200_000_000
"""Of a file: one that is held whole, all but long texts and what is read line by line, is held some five times over."""

MOST_BYTES_OF_FACTS = 20_000_000
"""Of a file of facts that is held whole, which takes some 25 times its size to be read."""

MOST_UNPACKED = 500_000_000
"""Bytes of an Office file or a book when it is unpacked; of one part of it that is markup a tenth."""

MOST_PAGES = 20_000

MOST_OF_A_CELL = 10_000_000
"""Code points of a cell of a CSV file: more is no value, and would be held several times over."""

_LARGEST = 2**31 - 1  # what a number in C holds everywhere
MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a file: in bytes, bytes once it is unpacked, pages or slides, seconds, bytes of memory, and
    characters of a cell of a CSV file.

    None stands for what is usual. Of time that is 60 s for a page of a PDF; for any other file 60 s and as much again
    for each megabyte begun, which counts ten times in an Office file or book. Text as it was typed and what is read
    piece by piece have none by default. Of memory it is 4 GB, for what is read in a process of its own.

    Raises DocumentError for what can't be meant.
    """

    bytes: int | None = None
    unpacked: int | None = None
    pages: int | None = None
    seconds: float | None = None
    memory: int | None = None
    cell: int | None = None

    def __post_init__(self) -> None:
        for one in fields(self):
            given: object = getattr(self, one.name)
            kinds = int | float if one.name == "seconds" else int
            if given is not None and (not isinstance(given, kinds) or isinstance(given, bool) or not given > 0):
                number = "number" if one.name == "seconds" else "whole number"
                raise DocumentError(f"max_{one.name} must be a {number} greater than 0, not {given!r}.")

    @property
    def is_timed(self) -> bool:
        """Whether the time of a file is limited."""
        return self.seconds is not None and self.seconds < sys.maxsize

    @property
    def most_bytes(self) -> int:
        """Bytes of a file at most."""
        return MOST_BYTES if self.bytes is None else self.bytes

    @property
    def most_held(self) -> int:
        """Bytes at most of a file of facts that is held whole."""
        return MOST_BYTES_OF_FACTS if self.bytes is None else self.bytes

    @property
    def most_of_a_cell(self) -> int:
        """Code points of a cell of a CSV file at most."""
        return min(MOST_OF_A_CELL if self.cell is None else self.cell, _LARGEST)

    def cell_too_long(self, name: str) -> DocumentError:
        """Return the error for a file that has a cell of more characters."""
        return DocumentError(
            f"{name!r} has a cell of more than {self.most_of_a_cell:,} characters; divide it, read the file as text, "
            f"or {_more('cell')}"
        )

    def too_much_memory(self, name: str, most: int) -> DocumentError:
        """Return the error for a file that takes more memory than is allowed."""
        return DocumentError(
            f"{name} takes more than {most / MEGABYTE:,.0f} MB of memory, the most that was allowed; divide it, or "
            f"{_more('memory')}"
        )

    def check_size(self, name: str, size: int, most: int | None = None) -> None:
        """Raise DocumentError for a file of more bytes than are read, or than `most`."""
        most = self.most_bytes if most is None else most
        if size > most:
            raise DocumentError(
                f"{name} has {size:,} bytes, more than the {most:,} that are read of a file; divide it, or "
                f"{_more('bytes')}"
            )

    def check_unpacked(self, name: str, size: int, largest: int = 0, usual: int = MOST_UNPACKED) -> None:
        """Raise DocumentError for an archive that unpacks to more bytes than are read, its `largest` text to a tenth of
        them.
        """
        most = usual if self.unpacked is None else self.unpacked
        if size > most or largest > most // 10:
            raise DocumentError(
                f"{name!r} is too large unpacked ({size / MEGABYTE:,.0f} MB, its largest text "
                f"{largest / MEGABYTE:,.0f} MB); divide it into several documents, or {_more('unpacked')}"
            )


def _more(limit: str) -> str:
    return f"allow more with max_{limit}= or --max-{limit}."


UNLIMITED = Limits(*[sys.maxsize] * len(fields(Limits)))
"""Of a document that was read before."""


def _memory() -> int:
    """Return how many bytes the process holds; where the system does not say it, how many it has held at most."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * resource.getpagesize()
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024


@dataclass(slots=True)
class Meter:
    """What one file has taken so far, looked at while it is read."""

    limits: Limits = field(default_factory=Limits)
    name: str = ""
    _began: float = field(default_factory=perf_counter)
    _held: int = field(default_factory=_memory)

    def check(self) -> None:
        """Raise DocumentError where it has taken too much time, or the process too much memory since it began."""
        limits = self.limits
        if limits.seconds is not None and perf_counter() - self._began > limits.seconds:
            raise DocumentError(
                f"{self.name} takes more than {limits.seconds:,g} s, the most that was allowed; divide it, or "
                f"{_more('seconds')}"
            )
        if limits.memory is not None and _memory() - self._held > limits.memory:
            raise limits.too_much_memory(self.name, limits.memory)

    def check_pages(self, number: int) -> None:
        """Raise DocumentError for more pages than are read, and as `check` does."""
        most = MOST_PAGES if self.limits.pages is None else self.limits.pages
        if number > most:
            raise DocumentError(
                f"{self.name} has {number:,} pages, more than the {most:,} that are read of a file; divide it, or "
                f"{_more('pages')}"
            )
        self.check()
