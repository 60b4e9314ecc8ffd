"""Backup of an open collection, in a folder also while this or another process writes to it: a workspace of its own.

Library and graph are copied as they were at one moment, as a kill would have left them, so that opening the copy mends
what went on then. The copy is made beside its place and moved there when it is whole. What is on servers is copied row
by row, while nobody writes to it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from pathlib import Path

from pyoxigraph import Store

from explorer.errors import WorkspaceError
from explorer.stores.collection import LIBRARY, Collection, open_collection
from explorer.stores.graph import OxigraphStore
from explorer.stores.lock import check_marked, mark
from explorer.stores.places import servers
from explorer.stores.sqlite import SqliteDatabase

_PATIENCE = 30.0  # seconds that another process, which can't be made to wait, may keep on writing
_PAGES = 2_000  # pages of the library that are copied at a time


def back_up(stores: Collection, target: Path, collection: str) -> None:
    """Copy a collection into a new workspace folder; raises WorkspaceError where there is something, or no room."""
    if stores.database.is_shared:
        servers().back_up(stores, target, collection)
        return
    source = _files(stores)[0].path
    place = _free(target, source and source.parent.parent)
    part = place.with_name(f"{place.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        (part / collection).mkdir(parents=True)
        if stores.read_only:
            _copy_read(stores, part / collection)
        else:
            _copy_written(stores, part / collection)
        mark(part)
        if place.exists():
            place.rmdir()
        part.replace(place)
    except (OSError, sqlite3.Error) as error:
        raise WorkspaceError(f"{target} can't be written ({error}); make room there, or choose another.") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def restore(backup: Path, target: Path) -> list[str]:
    """Copy all collections of a backup, or of any workspace, into a new folder; returns their names.

    Raises WorkspaceError for what is no workspace, and as `back_up` does.
    """
    check_marked(backup)
    names = sorted(one.name for one in backup.iterdir() if (one / LIBRARY).exists())
    if not names:
        raise WorkspaceError(f"{backup} holds no collection; name a folder that `explorer backup` has written.")
    place = _free(target, backup)
    part = place.with_name(f"{place.name}.restored")
    shutil.rmtree(part, ignore_errors=True)
    try:
        for name in names:
            stores = open_collection(backup / name, read_only=True)
            try:
                back_up(stores, part / name, name)
            finally:
                stores.close()
        _join(part, place, names)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return names


def _join(part: Path, place: Path, names: list[str]) -> None:
    whole = part / names[0]
    for name in names[1:]:
        (part / name / name).replace(whole / name)
    if place.exists():
        place.rmdir()
    whole.replace(place)


def _free(target: Path, source: Path | None) -> Path:
    """Return a place where nothing is yet; raises WorkspaceError for one that is taken, or in the workspace itself."""
    place = target.expanduser().absolute()
    if place.is_file() or (place.is_dir() and any(place.iterdir())):
        raise WorkspaceError(f"{target} is there already; a backup goes into a new or empty folder.")
    if source is not None and source.resolve() in (place.resolve(), *place.resolve().parents):
        raise WorkspaceError(f"{target} is in what is to be copied; choose a place outside of it.")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WorkspaceError(f"{target} can't be made ({error.strerror or error}); choose another.") from error
    return place


def _files(stores: Collection) -> tuple[SqliteDatabase, OxigraphStore]:
    assert isinstance(stores.database, SqliteDatabase)  # noqa: S101 - others may write to what is on servers
    assert isinstance(stores.graph, OxigraphStore)  # noqa: S101 - as above
    return stores.database, stores.graph


def _copy_written(stores: Collection, folder: Path) -> None:
    """Copy what this process writes, which waits for a moment."""
    database, held = _files(stores)
    with database.still() as library, held.still() as graph:
        if held.path is not None:
            graph.backup(str(folder / "graph"))  # the same files under other names, which takes no time
        else:
            _copy_graph(graph, folder / "graph")
        reading = library()
    with contextlib.closing(reading):
        _copy_library(reading, folder / LIBRARY)


def _copy_read(stores: Collection, folder: Path) -> None:
    """Copy what another process may be writing: library and graph of one moment."""
    database, held = _files(stores)
    reading, graph = database.unchanged(held.newest, _PATIENCE)
    with contextlib.closing(reading):
        _copy_graph(graph, folder / "graph")
        _copy_library(reading, folder / LIBRARY)


def _copy_graph(graph: Store, folder: Path) -> None:
    copy = Store(str(folder))
    copy.bulk_extend(graph)
    copy.flush()


def _copy_library(source: sqlite3.Connection, file: Path) -> None:
    with contextlib.closing(sqlite3.connect(file)) as copy:
        source.backup(copy, pages=_PAGES)
    with file.open("rb") as written:
        os.fsync(written.fileno())
