"""Files to read: finding them, their bytes or lines, and the reader for their format.

What can't be read raises a DocumentError of one sentence.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import BinaryIO, NamedTuple

from explorer.child_process import hold
from explorer.errors import DocumentError
from explorer.ingest.limits import Limits, Meter
from explorer.ingest.readers.damage import fault
from explorer.ingest.readers.document_text import Reading
from explorer.ingest.readers.formats import format_of, is_archive
from explorer.ingest.readers.reader_process import MEMORY, READING, seconds_for
from explorer.ingest.readers.unlocking import unlocked
from explorer.language.detection import language_of
from explorer.vocab import PASSAGE

LONGEST_LINE = 8_000_000
"""Bytes: a longer line is refused without being read whole."""

_MARK = "\N{REPLACEMENT CHARACTER}"
_NAMED = 5  # of what is left out for a reason
_SPECIAL = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device",
            stat.S_IFDIR: "a folder"}  # fmt: skip

Line = tuple[int, bytes | None]
"""A line's number, counted from 1, and its bytes; None for one that is too long."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read; `name` is what the record calls its place, `shown` what progress calls it, if not by its end.

    `places` name where it stands, if that is not by its path or name; `replaces` is the document, by its IRI, that it
    is a new version of, wherever that stands.
    """

    path: Path
    name: str
    places: tuple[str, ...] = ()
    replaces: str = ""
    shown: str = ""


def read_again(path: Path, name: str, mime: str, places: Sequence[str]) -> Source:
    """Return what reads the bytes of a document in a file again as it was read first, where it stands."""
    if mime == PASSAGE:  # its bytes are its line of a corpus, its place that of the corpus with its id
        return Source(path, f"{name}.jsonl", tuple(place.removesuffix(f"#{name}") for place in places))
    return Source(path, name, tuple(places))


class Found(NamedTuple):
    """The files that some paths name, and a sentence for each kind of things in their folders that are left out."""

    sources: list[Source]
    left_out: list[str]


def sources_of(paths: Sequence[str | Path | Source]) -> Found:
    """Find the files that some paths name: a folder stands for all files in it, in order of name.

    What is hidden there or no file is left out, and links that lead out of the folder are not followed.
    """
    sources: list[Source] = []
    left_out: list[str] = []
    for path in paths:
        if isinstance(path, Source):
            sources.append(path)
            continue
        if not isinstance(path, str | Path):
            raise DocumentError(f"{path!r} is no path; give files and folders one after another, a list as *paths.")
        place = Path(path)
        try:
            inside = list(_inside(place, place.resolve())) if place.is_dir() else [(place, "")]
        except (OSError, RuntimeError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else error
            raise DocumentError(f"{_name(place)} can't be read ({reason}); check the path.") from error
        sources += [Source(file, _name(file)) for file, why in inside if not why]
        for reason in dict.fromkeys(why for _, why in inside if why):
            names = [_name(file.relative_to(place)) for file, why in inside if why == reason]
            more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
            left_out.append(f"Left out of {_name(place)}, {reason}: {', '.join(names[:_NAMED])}{more}.")
    if not sources:
        message = f"There is no file in {', '.join(str(path) for path in paths) or 'an empty list'}; name some files."
        raise DocumentError(" ".join([message, *left_out]))
    return Found(sources, left_out)


def _inside(folder: Path, root: Path) -> Iterator[tuple[Path, str]]:
    """Yield what is in a folder, in order of name, each with why it is left out, empty for a file to read."""
    try:
        entries = sorted(folder.iterdir())
    except PermissionError:
        yield folder, "without permission to look into it"
        return
    for entry in entries:
        if entry.name.startswith("."):
            yield entry, "as it is hidden"
        elif entry.is_symlink() and (why := _why_not_followed(entry, root)):
            yield entry, why
        elif entry.is_dir():
            yield from _inside(entry, root)
        else:
            yield entry, "" if entry.is_file() else "as it is no file"


def _why_not_followed(link: Path, root: Path) -> str:
    try:
        target = link.resolve(strict=True)
    except (OSError, RuntimeError):  # the second for a link that leads to itself
        return "as it is a link to nothing"
    if not target.is_relative_to(root):
        return "as it is a link out of that folder (name what it leads to, to have that read)"
    return "as it is a link to a folder in it" if target.is_dir() else ""


def places(source: Source) -> tuple[str, ...]:
    """Return what a file's place is known by: its path from the root, unless it has a name of its own; that name."""
    name = source.name
    if source.places or name != _name(source.path):
        return source.places or (name,)
    folder = source.path.absolute().parent.resolve()  # a link to a file is a place of its own
    return os.fsencode(folder / source.path.name).decode(errors="backslashreplace"), name


def data_of(source: Source, limits: Limits = Limits()) -> bytes:  # noqa: B008 - a constant
    """Return the bytes of a file; raises DocumentError, before it reads more than are allowed, and for one that changes
    meanwhile.
    """
    is_held = PurePath(source.name).suffix.lower() == ".jsonld"
    most = limits.most_held if is_held else limits.most_bytes
    with opened(source) as file:
        before = os.fstat(file.fileno())
        size = before.st_size
        data = b"" if size > most else file.read(size + 1)
        after = os.fstat(file.fileno())
        if (size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
            raise DocumentError(f"{source.name} was changed while it was read; try again when nobody writes to it.")
    limits.check_size(source.name, max(size, len(data)), most)
    return data


def lines_of(source: Source) -> Iterator[Line]:
    """Yield the lines of a file one by one; raises DocumentError when it can't be opened."""
    with opened(source) as file:
        yield from lines(file)


@contextmanager
def opened(source: Source) -> Iterator[BinaryIO]:
    """Open a file; raises DocumentError where it can't be read, or is a pipe or device, which might never end."""
    with _readable(source):
        kind = _SPECIAL.get(stat.S_IFMT(source.path.stat().st_mode))
        if kind is None:
            file = source.path.open("rb")
    if kind is not None:
        raise DocumentError(f"{source.name} is {kind}, not a file; name a file.")
    with file, _readable(source):
        yield file


def read(data: bytes, name: str, place: str = "", password: str | None = None, meter: Meter | None = None) -> Reading:
    """Read one file; `name` is its path or name and tells the format unless the bytes tell another.

    `place` is where it stands, by default `name`; `password` opens it where it is encrypted; `meter` has its limits.
    All but text as it was typed is read in a process of its own, as a library in C may crash, or take all memory.

    Raises DocumentError, in one sentence that names the file and the fault, when nothing can be read from it, whatever
    its reader raises: no file ends the reading of others.
    """
    if not data:
        raise DocumentError(f"{name!r} is empty; save some text in it and try again.")
    meter, kind = meter or Meter(name=name), ""
    limits = meter.limits
    try:
        form = None if is_archive(data) else format_of(data, name)
        if form is not None and form.is_typed and not limits.is_timed:
            kind = form.name
            reading = form.read(data, name)
        else:
            seconds = limits.seconds or (None if form and form.has_steps else seconds_for(data, is_packed=form is None))
            reading = READING.call(name, seconds, _read, data, name, place or name, password, limits)
        meter.check_pages(sum(part.kind == "page" for part in reading.parts))
        read = _without_nul(reading)
        return replace(read, language=language_of(read.text) or read.language)
    except DocumentError:
        raise
    except Exception as error:
        raise fault(error, name, kind) from error


def _without_nul(reading: Reading) -> Reading:
    """Return a reading with a mark in place of each NUL, which not every store can hold: places stay as they are."""
    texts = (reading.text, reading.title, *(part.label for part in reading.parts))
    if not any("\0" in text for text in texts):
        return reading
    text, title, *labels = (text.replace("\0", _MARK) for text in texts)
    parts = tuple(replace(part, label=label) for part, label in zip(reading.parts, labels, strict=True))
    return replace(reading, text=text, title=title, parts=parts)


def _read(data: bytes, name: str, place: str, password: str | None, limits: Limits) -> Reading:
    kind, most = "", max(MEMORY, limits.memory or 0)
    hold(most)
    try:
        data = unlocked(data, name, password) if password else data
        form = format_of(data, name)
        kind = form.name
        return form.read(data, name, place=place, meter=Meter(limits, name))
    except DocumentError:
        raise
    except MemoryError:
        raise limits.too_much_memory(name, most) from None
    except Exception as error:  # noqa: BLE001 - here, as no traceback comes to the process that asked
        raise fault(error, name, kind) from None


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
