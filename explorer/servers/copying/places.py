"""The two ends of a copy: a workspace that is held against writing, and one that nobody can open before it is whole."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from filelock import FileLock, Timeout

from explorer.errors import WorkspaceError
from explorer.servers.copying.content import keep_note, note_of
from explorer.servers.server_workspace import (
    Served,
    ServedFilling,
    collections_of,
    filling_served,
    finish_served,
    held_served,
)
from explorer.stores.collection import LIBRARY, Collection
from explorer.stores.database import COPYING
from explorer.stores.graph import OxigraphStore
from explorer.stores.lock import UNFINISHED, check_marked, fault_of, held_folder, mark
from explorer.stores.sqlite import SqliteDatabase

_PART, _LOCK = "copying", "copying.lock"  # in a folder that is being filled
_ASIDE = (_LOCK, f"{UNFINISHED}.part")
_MOVING = "moving"

Held = AbstractContextManager[tuple[Collection, Callable[[], None]]]


def name_of(place: Path | Served) -> str:
    """Return what a workspace that is copied is known by: a folder by its whole path, servers by their addresses."""
    return str(place) if isinstance(place, Served) else str(place.expanduser().resolve())


def collections_in(place: Path | Served) -> list[str]:
    """Return the names of the collections of a workspace; raises WorkspaceError where there is none."""
    if isinstance(place, Served):
        names = collections_of(place)
    else:
        check_marked(place)
        names = sorted(one.name for one in place.iterdir() if (one / LIBRARY).exists())
    if not names:
        raise WorkspaceError(f"{place} holds no collection; check the path.")
    return names


def held(place: Path | Served, collection: str) -> Held:
    """Open a collection for reading, and let nobody write to it; yields with it what checks that nobody did."""
    if isinstance(place, Served):
        return held_served(place, collection)
    check_marked(place)
    return held_folder(place, collection)


def filling(place: Path | Served, origin: Path | Served | str, names: list[str]) -> AbstractContextManager[Goal]:
    """Begin to fill a workspace with collections of another one, or go on; raises WorkspaceError unless it is empty, or
    was begun to be filled from the same one.
    """
    known = origin if isinstance(origin, str) else name_of(origin)
    if name_of(place) == known:
        raise WorkspaceError(f"{place} is to be copied to itself; name another place.")
    if isinstance(place, Served):
        return _filling_servers(place, known)
    return _filling_folder(place, known, names)


@dataclass(slots=True)
class _Servers:
    """Collections on servers that are being filled; each is held until all are done.

    `is_filled`: whether all is there and was compared, so that only `finish` is left to do, as of `_Folder`.
    """

    place: Served
    origin: str
    opened: ExitStack
    fillings: list[ServedFilling] = field(default_factory=list)
    is_filled: bool = False

    def fill(self, collection: str) -> ServedFilling:
        """Open a collection; raises WorkspaceError unless it is empty, or was being filled from the same one."""
        found = self.opened.enter_context(filling_served(self.place, collection, self.origin))
        self.fillings.append(found)
        return found

    def finish(self) -> None:
        """Have all of them be open to everybody."""
        finish_served(self.fillings)


@contextmanager
def _filling_servers(place: Served, origin: str) -> Iterator[Goal]:
    with ExitStack() as opened:
        yield _Servers(place, origin, opened)


@dataclass(slots=True)
class _FolderFilling:
    """A collection in a folder that is being filled."""

    folder: Path
    origin: str
    database: SqliteDatabase = field(init=False)
    graph: OxigraphStore = field(init=False)

    def open(self) -> None:
        """Open its stores, which are made where they are new."""
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            self.database = SqliteDatabase(self.folder / LIBRARY).open()
            self.graph = OxigraphStore(self.folder / "graph").open()
        except WorkspaceError as error:
            if why := fault_of(self.folder):
                raise WorkspaceError(f"{self.folder} can't be written ({why}); make room there.") from error
            raise
        if note_of(self.database) is None:
            keep_note(self.database, {"from": self.origin})

    def empty(self) -> None:
        """Take out all that was filled in."""
        self.close()
        shutil.rmtree(self.folder)
        self.open()

    def close(self) -> None:
        """Close its stores."""
        self.graph.close()
        self.database.close()


@dataclass(slots=True)
class _Folder:
    """A folder that is being filled: its collections are in a folder within it, until all of them are whole."""

    place: Path
    origin: str
    fillings: list[_FolderFilling] = field(default_factory=list)
    is_filled: bool = False

    def fill(self, collection: str) -> _FolderFilling:
        """Open a collection."""
        with _told(self.place):
            made = _FolderFilling(self.place / _PART / collection, self.origin)
            made.open()
        self.fillings.append(made)
        return made

    def finish(self) -> None:
        """Move its collections to where they are looked for, then have the folder be a workspace."""
        with _told(self.place):
            for one in self.fillings:
                with one.database.writing() as transaction:
                    transaction.execute("DELETE FROM settings WHERE name = ?", (COPYING,))
                one.close()
            if not self.is_filled:
                _write(self.place / UNFINISHED, {"from": self.origin, "state": _MOVING})
            part = self.place / _PART
            for folder in sorted(part.iterdir()) if part.exists() else ():
                folder.replace(self.place / folder.name)
            part.rmdir() if part.exists() else None
            mark(self.place)
            (self.place / UNFINISHED).unlink()

    def close(self) -> None:
        """Close what is open."""
        for one in self.fillings:
            one.close()


Filling = ServedFilling | _FolderFilling
Goal = _Servers | _Folder


@contextmanager
def _filling_folder(target: Path, origin: str, names: list[str]) -> Iterator[Goal]:
    place = target.expanduser().absolute()
    if str(place.resolve()).startswith(f"{origin}{os.sep}"):
        raise WorkspaceError(f"{target} is in what is to be copied; choose a place outside of it.")
    with _told(place):
        if place.is_file():
            raise WorkspaceError(f"{target} is a file; copy into a new or empty folder.")
        place.mkdir(parents=True, exist_ok=True)
        lock = FileLock(place / _LOCK, thread_local=False)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise WorkspaceError(f"Another process copies into {target}; wait for it.") from None
    try:
        with _told(place):
            is_filled = _begin(target, place, origin, names)
        goal = _Folder(place, origin, is_filled=is_filled)
        try:
            yield goal
        finally:
            goal.close()
    finally:
        lock.release()
        if not (place / UNFINISHED).exists():
            (place / _LOCK).unlink(missing_ok=True)


def _begin(target: Path, place: Path, origin: str, names: list[str]) -> bool:
    """Write down whose copy a folder is to be, or see that it is that already; returns whether it only is to be moved.

    Raises WorkspaceError for a folder that holds anything else.
    """
    told = place / UNFINISHED
    part = place / _PART
    if told.exists():
        note = json.loads(told.read_text("utf-8"))
        if note["from"] != origin:
            raise WorkspaceError(
                f"{target} is an unfinished copy of {note['from']}, and not of {origin}. Go on with that one, or remove"
                " the folder, or copy to another one."
            )
        if note.get("state") == _MOVING:
            return True
        for folder in part.iterdir() if part.exists() else ():
            if folder.name not in names:
                shutil.rmtree(folder)
        return False
    if any(one.name not in _ASIDE for one in place.iterdir()):
        raise WorkspaceError(
            f"{target} is there already, and no unfinished copy; copy into a new or empty folder, or remove that one."
        )
    _write(told, {"from": origin})
    return False


def _write(file: Path, note: dict[str, str]) -> None:
    """Write a note as a whole, or not at all."""
    part = file.with_name(f"{file.name}.part")
    part.write_text(json.dumps(note) + "\n", "utf-8")
    part.replace(file)


@contextmanager
def _told(place: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise WorkspaceError(f"{place} can't be written ({error}); make room there, or choose another.") from error
