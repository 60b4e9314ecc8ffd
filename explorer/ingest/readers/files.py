"""The files to read: which they are, and their bytes or lines. What can't be read is told in one sentence."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from explorer.errors import DocumentError
from explorer.ingest.given.corpus import Line, lines


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read; `name` is what the record calls its place."""

    path: Path
    name: str


def sources_of(paths: Sequence[str | Path | Source]) -> list[Source]:
    """Give the files that some paths name: a folder stands for all in it that is not hidden, in order of name."""
    found: list[Source] = []
    for path in paths:
        if isinstance(path, Source):
            found.append(path)
            continue
        found += [Source(file, _name(file)) for file in _files(Path(path))]
    if not found:
        message = f"There is no file in {', '.join(str(path) for path in paths) or 'an empty list'}; name some files."
        raise DocumentError(message)
    return found


def data_of(source: Source) -> bytes:
    """Give the bytes of a file; raises DocumentError."""
    with _readable(source):
        return source.path.read_bytes()


def lines_of(source: Source) -> Iterator[Line]:
    """Give the lines of a file one by one; raises DocumentError when it can't be opened."""
    with _readable(source):
        file = source.path.open("rb")
    with file:
        yield from lines(file)


def _files(place: Path) -> list[Path]:
    try:
        if place.is_dir():
            return sorted(f for f in place.rglob("*") if f.is_file() and not _hidden(f.relative_to(place)))
    except OSError as error:
        message = f"{_name(place)} can't be read ({error.strerror or error}); check the path."
        raise DocumentError(message) from error
    return [place]


def _name(path: Path) -> str:
    """Give a path as text, where its bytes are none with a mark in their place."""
    return os.fsencode(path).decode(errors="replace")


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


@contextmanager
def _readable(source: Source) -> Iterator[None]:
    """Say in one sentence why a file can't be read."""
    try:
        yield
    except FileNotFoundError as error:
        message = f"There is no file {source.name}; check the path."
        raise DocumentError(message) from error
    except PermissionError as error:
        message = f"No permission to read {source.name}; change its permissions or copy it."
        raise DocumentError(message) from error
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) and error.strerror else error
        message = f"{source.name} can't be read ({said}); check the path."
        raise DocumentError(message) from error
