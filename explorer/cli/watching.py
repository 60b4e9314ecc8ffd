"""A folder and a workspace kept alike: what is new or changed is read, what is gone is told, or forgotten.

The folder is looked at every so often, which works on every disk, also across a network. A file is read once it has
looked the same twice, so that one which is still being written is left alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.cli.common import command, runnable
from explorer.errors import DocumentError
from explorer.ingest.readers.files import sources_of
from explorer.text import count, one_line

if TYPE_CHECKING:
    from explorer.workspace import Workspace

_Look = tuple[int, int]
"""When a file was changed last, and its size."""


@dataclass(slots=True)
class Watch:
    """A folder that is watched; `forgets` says whether documents go with their files."""

    ws: Workspace
    folder: Path
    forgets: bool
    _before: dict[Path, _Look] = field(default_factory=dict)
    _read: dict[Path, _Look] = field(default_factory=dict)
    _told: set[str] = field(default_factory=set)

    def look(self) -> Iterator[str]:
        """Look at the folder once: read what has changed and looks as it did the last time; yields what was done."""
        now = dict(_files(self.folder))
        ready = [file for file, look in now.items() if self._before.get(file) == look != self._read.get(file)]
        self._before = now
        yield from self._ingest(ready)
        self._read = {file: now[file] if file in ready else look for file, look in self._read.items() if file in now}
        self._read |= {file: now[file] for file in ready}
        if not any(look != self._read.get(file) for file, look in now.items()):  # else one may have moved
            yield from self._gone()

    def _ingest(self, files: list[Path]) -> Iterator[str]:
        if not files:
            return
        try:
            done = self.ws.ingest(*files, progress=False)
        except DocumentError as error:
            if any(map(Path.is_file, files)):
                yield f"Refused: {runnable(str(error))}"
            return
        if done.documents or done.edges:
            added = count(done.documents, "document"), count(done.chunks, "passage"), count(done.edges, "fact")
            yield f"Read {_named(files)}: added {', '.join(added)}."
        yield from map(runnable, done.notes)
        # a file that went meanwhile is no news here
        yield from (f"Refused: {runnable(refused.reason)}" for refused in done.refused if _is_there(refused.path))

    def _gone(self) -> Iterator[str]:
        """Tell of documents of which no file is there any more, or forget them."""
        library = self.ws.stores.library
        for place, document in library.standing(str(self.folder.absolute().resolve())):
            if _is_there(place):
                continue
            if any(_is_there(other) for other in library.places(document) if other != place):
                library.leave(place)
            elif self.forgets:
                yield self.ws.forget(document).sentence
            elif place not in self._told:
                self._told.add(place)
                yield f"{one_line(place)} is gone; its document stays ({command(f'explorer forget {document}')})."


def _files(folder: Path) -> Iterator[tuple[Path, _Look]]:
    try:
        sources = sources_of([folder]).sources
    except DocumentError:  # none is there
        return
    for source in sources:
        try:
            stat = source.path.stat()
        except OSError:  # it went this moment
            continue
        yield source.path, (stat.st_mtime_ns, stat.st_size)


def _is_there(place: str) -> bool:
    """Return whether the file of a place is there: its path, or its path and an id in it."""
    parts = place.split("#")
    return any(Path("#".join(parts[:size])).is_file() for size in range(len(parts), 0, -1))


def _named(files: Iterable[Path]) -> str:
    names = [one_line(file.name) for file in files]
    return names[0] if len(names) == 1 else count(len(names), "file")
