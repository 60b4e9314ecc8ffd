"""The collections that this process holds: in folders, which one process writes to, and on servers.

The process that writes to a folder holds a lock and leaves its name beside it; another process reads. On servers each
writer has a lease.
"""

from __future__ import annotations

import gc
import json
import os
import re
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Self
from weakref import WeakSet, WeakValueDictionary

from filelock import FileLock, Timeout

from explorer.errors import WorkspaceError
from explorer.stores.collection import LIBRARY, Collection, open_collection
from explorer.stores.database import EARLIER
from explorer.stores.places import Served

UNFINISHED = "copying.json"
"""The file in a folder that is the copy of a workspace and not whole yet."""
_MARK = "workspace.json"
_UNWHOLE = (
    "{} is a copy of {} that is not whole yet. Go on with the command that began it, with the same FROM and TO, or "
    "remove the folder."
)
_IN_USE = (
    "{} is in use by {}; close it there, then try again. Or copy a backup of it, which can be made meanwhile "
    "(`explorer backup`)."
)
FORMAT = 4
"""The format of a workspace folder that this version writes, and the only one that it reads."""
_NAME = re.compile(r"\w[\w.-]{0,63}")
_ROOM = 1_000_000  # bytes: opening for writing makes files of some 50 KB


@dataclass(slots=True, weakref_slot=True, eq=False)
class SharedCollection:
    """The open stores of one collection, shared by all workspaces of this process that name the same place.

    When the stores are read-only, `holder` names the process that writes, or `fault` says why this one can't.
    """

    stores: Collection
    lock: FileLock | None = None
    holder: str | None = None
    fault: str | None = None
    users: int = 0
    closed: bool = field(default=False)

    def shared(self) -> Self:
        """Return it for one use more."""
        with _GUARD:
            self.users += 1
        return self

    def release(self) -> None:
        """Release one use; the last one closes the stores and unlocks the folder."""
        with _GUARD:
            self.users -= 1
            if self.users > 0 or self.closed:
                return
            self.closed = True
            self.stores.close()
            if self.lock is not None:
                self.lock.release()

    def disown(self, why: str) -> None:
        """Leave the stores to the process that this one was forked from; nothing of them is ever closed here."""
        import ctypes

        self.closed = True
        self.stores.database.disown(why)
        self.stores.graph.disown(why)
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self))  # to end the graph would wait for threads of the other one


_HELD: WeakValueDictionary[tuple[Path | Served, str], SharedCollection] = WeakValueDictionary()
_OPEN: WeakSet[SharedCollection] = WeakSet()
_GUARD = threading.RLock()  # what is collected meanwhile may close another one


class _Origin:
    """Whether this process used a graph on disk, and why, as a fork of one that did, it can't use any."""

    used = False
    barred: str | None = None


def _forked() -> None:
    """Leave everything to the parent: the threads that write a graph on disk are not in this process."""
    global _GUARD  # noqa: PLW0603 - a thread that is not in this process may have held it
    _GUARD = threading.RLock()
    why = (
        f"This process was forked from process {os.getppid()}, which has used a workspace, so it can't use one; "
        'start it by multiprocessing\'s method "spawn", and open the workspace in it.'
    )
    for shared in list(_OPEN):
        shared.disown(why)
    _HELD.clear()
    if _Origin.used:
        _Origin.barred = why


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def hold(place: Path | Served | None, collection: str) -> SharedCollection:
    """Open a collection: in memory, on servers, or in a folder, for reading if another process writes to that one.

    Raises WorkspaceError.
    """
    if place is None:
        alone = SharedCollection(open_collection(None), users=1)
        _OPEN.add(alone)
        return alone
    if not _NAME.fullmatch(collection):
        raise WorkspaceError(f"{collection!r} can't name a collection; use letters, digits, '-', '_' and '.'.")
    where = _resolved(place) if isinstance(place, Path) else place
    with _GUARD:
        held = _HELD.get((where, collection))
        if held is None or held.closed or held.stores.read_only:  # what hindered it may be gone
            if isinstance(where, Path):
                _Origin.used = True
                held = _opened(where, collection)
            else:
                stores, fault = where.open(collection)
                held = SharedCollection(stores, fault=fault)
            _HELD[where, collection] = held
            _OPEN.add(held)
        held.users += 1
        return held


def _resolved(path: Path) -> Path:
    """Return the whole path of a folder; raises WorkspaceError, also in a process that can't use any."""
    if _Origin.barred:
        raise WorkspaceError(_Origin.barred)
    try:
        return path.expanduser().resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise WorkspaceError(f"{str(path)!r} can't be a folder ({error}); choose another.") from error


def _opened(path: Path, collection: str) -> SharedCollection:
    try:
        _prepare(path)
        folder = path / collection
        folder.mkdir(exist_ok=True)
        if (fault := fault_of(folder)) and (folder / LIBRARY).exists():
            why = f"its folder can't be written ({fault})"
            return SharedCollection(open_collection(folder, read_only=True), fault=why)
        lock = FileLock(path / f"{collection}.lock", thread_local=False)
        if not _acquired(lock):
            return SharedCollection(open_collection(folder, read_only=True), holder=_holder(path, collection))
    except PermissionError as error:
        message = f"No permission to use {error.filename or path}; choose a folder you may write to."
        raise WorkspaceError(message) from error
    except OSError as error:
        raise WorkspaceError(f"{path} can't be used ({error.strerror or error}); choose another folder.") from error
    try:
        stores = open_collection(folder)
    except BaseException:
        lock.release()
        raise
    since = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    told = {"process": os.getpid(), "program": Path(sys.argv[0]).name or "python", "since": since}
    (path / f"{collection}.holder.json").write_text(json.dumps(told), encoding="utf-8")
    return SharedCollection(stores, lock)


def fault_of(folder: Path) -> str | None:
    """Return why nothing can be written in a folder: no right to, a medium for reading alone, no room; else None."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(_ROOM))
    except OSError as error:
        return error.strerror or str(error)
    return None


def _acquired(lock: FileLock) -> bool:
    """Acquire the lock if it is free; one that a workspace of this process dropped without closing is free as well."""
    for collect in (False, True):
        if collect:
            gc.collect()
        try:
            lock.acquire(timeout=0)
        except Timeout:
            continue
        return True
    return False


@contextmanager
def held_folder(path: Path, collection: str) -> Iterator[tuple[Collection, Callable[[], None]]]:
    """Open a collection in a folder for reading, and let no process write to it until the block ends; yields with it
    what raises WorkspaceError where one did, which only one can that writes where this one may not.

    Raises WorkspaceError, also while another process, or this one, has it open for writing.
    """
    where = _resolved(path)
    _Origin.used = True
    if not (where / collection / LIBRARY).exists():
        raise WorkspaceError(f"There is no collection {collection} in {path}; check the name.")
    lock = FileLock(where / f"{collection}.lock", thread_local=False)
    try:
        if not _acquired(lock):
            raise WorkspaceError(_IN_USE.format(path, _holder(where, collection)))
    except OSError:  # where it can't be written nobody of this user writes
        pass
    try:
        stores = open_collection(where / collection, read_only=True)
        try:
            before = stores.database.state()

            def check() -> None:
                if stores.database.state() != before:
                    raise WorkspaceError(f"Somebody wrote to {path} meanwhile; close it there, and try again.")

            yield stores, check
        finally:
            stores.close()
    finally:
        lock.release()


def check_marked(path: Path) -> None:
    """Raise WorkspaceError for a folder that is no workspace, not a whole one, or one of another format."""
    _check_whole(path)
    if not (path / _MARK).exists():
        raise WorkspaceError(f"{path} is no workspace, and no backup of one; check the path.")
    _check_format(path)


def _check_whole(path: Path) -> None:
    try:
        told = json.loads((path / UNFINISHED).read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return
    raise WorkspaceError(_UNWHOLE.format(path, told["from"]))


def _check_format(path: Path) -> None:
    try:
        found = json.loads((path / _MARK).read_text(encoding="utf-8"))["format"]
    except (ValueError, KeyError, TypeError) as error:
        message = f"{path / _MARK} is damaged; restore it, or move the folder away and ingest again."
        raise WorkspaceError(message) from error
    if found in range(FORMAT):
        raise WorkspaceError(EARLIER.format(path, found, FORMAT))
    if found != FORMAT:
        raise WorkspaceError(f"{path} is of format {found}, this version reads {FORMAT}; use the version that made it.")


def _prepare(path: Path) -> None:
    if path.is_file():
        raise WorkspaceError(f"{path} is a file, not a workspace folder; choose a folder.")
    _check_whole(path)
    if (path / _MARK).exists():
        _check_format(path)
        return
    if path.is_dir() and any(path.iterdir()):
        raise WorkspaceError(f"{path} is not a workspace but holds other files; choose a new or empty folder.")
    path.mkdir(parents=True, exist_ok=True)
    mark(path)


def mark(path: Path) -> None:
    """Have a folder be a workspace of this version's format."""
    part = path / f"{_MARK}.part"
    part.write_text(json.dumps({"format": FORMAT}) + "\n", encoding="utf-8")
    part.replace(path / _MARK)


def _holder(path: Path, collection: str) -> str:
    try:
        told = json.loads((path / f"{collection}.holder.json").read_text(encoding="utf-8"))
        return f"process {told['process']} ({told['program']}, since {told['since']})"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"
