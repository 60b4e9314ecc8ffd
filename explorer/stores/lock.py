"""A workspace's folder: what it must hold, and which process may write.

One process writes at a time; it holds a lock and leaves its name beside it. Another process reads.
"""

from __future__ import annotations

import gc
import json
import os
import re
import sys
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from weakref import WeakValueDictionary

from filelock import FileLock, Timeout

from explorer.errors import WorkspaceError
from explorer.stores.collection import Collection, open_collection

_MARK = "workspace.json"
_FORMAT = 1
_NAME = re.compile(r"\w[\w.-]{0,63}")


@dataclass(slots=True, weakref_slot=True)
class SharedCollection:
    """The open stores of one collection, shared by all workspaces of this process that name the same folder.

    `holder` names the process that writes when the stores are read-only.
    """

    stores: Collection
    lock: FileLock | None = None
    holder: str | None = None
    users: int = 0
    closed: bool = field(default=False)

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


_HELD: WeakValueDictionary[tuple[Path, str], SharedCollection] = WeakValueDictionary()
_GUARD = threading.Lock()


def hold(path: Path | None, collection: str) -> SharedCollection:
    """Open a collection for writing if it is free, for reading if another process writes; raises WorkspaceError."""
    if path is None:
        return SharedCollection(open_collection(None), users=1)
    if not _NAME.fullmatch(collection):
        message = f"{collection!r} can't name a collection; use letters, digits, '-', '_' and '.'."
        raise WorkspaceError(message)
    try:
        key = (path.expanduser().resolve(), collection)
    except (OSError, RuntimeError, ValueError) as error:
        message = f"{str(path)!r} can't be a folder ({error}); choose another."
        raise WorkspaceError(message) from error
    with _GUARD:
        held = _HELD.get(key)
        if held is None or held.closed or held.holder is not None:  # who held it may have let go
            held = _HELD[key] = _opened(key[0], collection)
        held.users += 1
        return held


def _opened(path: Path, collection: str) -> SharedCollection:
    try:
        _prepare(path)
        folder = path / collection
        folder.mkdir(exist_ok=True)
        lock = FileLock(path / f"{collection}.lock", thread_local=False)
        if not _acquired(lock):
            return SharedCollection(open_collection(folder, read_only=True), holder=_holder(path, collection))
    except PermissionError as error:
        message = f"No permission to use {error.filename or path}; choose a folder you may write to."
        raise WorkspaceError(message) from error
    except OSError as error:
        message = f"{path} can't be used ({error.strerror or error}); choose another folder."
        raise WorkspaceError(message) from error
    try:
        stores = open_collection(folder)
    except BaseException:
        lock.release()
        raise
    since = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    told = {"process": os.getpid(), "program": Path(sys.argv[0]).name or "python", "since": since}
    (path / f"{collection}.holder.json").write_text(json.dumps(told), encoding="utf-8")
    return SharedCollection(stores, lock)


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


def _prepare(path: Path) -> None:
    """Create the folder, or check that it is a workspace."""
    if path.is_file():
        message = f"{path} is a file, not a workspace folder; choose a folder."
        raise WorkspaceError(message)
    mark = path / _MARK
    if path.is_dir() and not mark.exists() and any(path.iterdir()):
        message = f"{path} is not a workspace but holds other files; choose a new or empty folder."
        raise WorkspaceError(message)
    path.mkdir(parents=True, exist_ok=True)
    if not mark.exists():
        mark.write_text(json.dumps({"format": _FORMAT}) + "\n", encoding="utf-8")
    try:
        found = json.loads(mark.read_text(encoding="utf-8"))["format"]
    except (ValueError, KeyError, TypeError) as error:
        message = f"{mark} is damaged; restore it, or move the folder away and ingest again."
        raise WorkspaceError(message) from error
    if found != _FORMAT:
        message = f"{path} is of format {found}, this version reads {_FORMAT}; use the version that made it."
        raise WorkspaceError(message)


def _holder(path: Path, collection: str) -> str:
    try:
        told = json.loads((path / f"{collection}.holder.json").read_text(encoding="utf-8"))
        return f"process {told['process']} ({told['program']}, since {told['since']})"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"
