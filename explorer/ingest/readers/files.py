"""Files to read: finding them, their bytes or lines, and the reader for their format.

What can't be read raises a DocumentError of one sentence.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from explorer.errors import DocumentError
from explorer.ingest.readers.formats import format_of
from explorer.ingest.readers.reading import Reading

LONGEST_LINE = 8_000_000
"""Bytes: a longer line is refused without being read whole."""

Line = tuple[int, bytes | None]
"""A line's number, counted from 1, and its bytes; None for one that is too long."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read; `name` is what the record calls its place."""

    path: Path
    name: str


def sources_of(paths: Sequence[str | Path | Source]) -> list[Source]:
    """Return the files that some paths name: a folder stands for all in it that is not hidden, in order of name."""
    found: list[Source] = []
    for path in paths:
        if isinstance(path, Source):
            found.append(path)
            continue
        place = Path(path)
        try:
            inside = sorted(file for file in place.rglob("*") if file.is_file()) if place.is_dir() else None
        except OSError as error:
            raise DocumentError(f"{_name(place)} can't be read ({error.strerror or error}); check the path.") from error
        if inside is None:
            found.append(Source(place, _name(place)))
            continue
        seen = (file for file in inside if not any(n.startswith(".") for n in file.relative_to(place).parts))
        found += [Source(file, _name(file)) for file in seen]
    if not found:
        message = f"There is no file in {', '.join(str(path) for path in paths) or 'an empty list'}; name some files."
        raise DocumentError(message)
    return found


def data_of(source: Source) -> bytes:
    """Return the bytes of a file; raises DocumentError."""
    with _readable(source):
        return source.path.read_bytes()


def lines_of(source: Source) -> Iterator[Line]:
    """Yield the lines of a file one by one; raises DocumentError when it can't be opened."""
    with _readable(source):
        file = source.path.open("rb")
    with file:
        yield from lines(file)


def read(data: bytes, name: str) -> Reading:
    """Read one file; `name` is its path or name and tells the format unless the bytes tell another.

    Raises DocumentError, in one sentence that names the file, when nothing can be read from it.
    """
    if not data:
        raise DocumentError(f"{name!r} is empty; save some text in it and try again.")
    return format_of(data, name).read(data, name)


def lines(file: BinaryIO) -> Iterator[Line]:
    """Yield the lines of a file that are not blank, holding no more than one of them."""
    number = 0
    while data := file.readline(LONGEST_LINE):
        number += 1
        if len(data) == LONGEST_LINE and not data.endswith(b"\n"):
            while (rest := file.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                pass
            yield number, None
        elif data.strip():
            yield number, data


def _name(path: Path) -> str:
    """Return a path as text, where its bytes are none with a mark in their place."""
    return os.fsencode(path).decode(errors="replace")


@contextmanager
def _readable(source: Source) -> Iterator[None]:
    """Raise a DocumentError of one sentence where a file can't be read."""
    try:
        yield
    except FileNotFoundError as error:
        raise DocumentError(f"There is no file {source.name}; check the path.") from error
    except PermissionError as error:
        raise DocumentError(f"No permission to read {source.name}; change its permissions or copy it.") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise DocumentError(f"{source.name} can't be read ({reason}); check the path.") from error
