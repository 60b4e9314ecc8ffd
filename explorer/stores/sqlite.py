"""The SQLite file of a collection: its journal of contents, vectors, ingested documents, and the index of traces.

One writer at a time; each reading thread has its own connection. Write-ahead logging: a killed process loses nothing
that was committed.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock, Timeout

from explorer.errors import CLOSED, MOVED, WorkspaceError
from explorer.stores.database import ANEW, Read, ReadingIn, Tally
from explorer.stores.fts5 import TABLES, Fts5
from explorer.stores.link_graph import HeldLinks
from explorer.stores.vectors.index import KindIndex

T = TypeVar("T")
_PAUSE = 0.02  # seconds until another look at what another process writes
_PAGE = 16_384  # bytes: a row with a vector has 1.2 KB, of which three fill a usual page badly
_CACHE = 16_000  # KiB for each thread: a search looks up hundreds of rows all over the file, in 2 MB more slowly
_READ_ONLY = ("mode=ro", "mode=ro&immutable=1")  # the second where not even a file for locks can be made


class _ThreadConnection:
    """A thread's connection; it is closed when the thread has ended."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection


class SqliteDatabase:
    """Connections to one SQLite file, or to one in memory when `path` is None."""

    def __init__(self, path: Path | None, *, read_only: bool = False) -> None:
        self.path = path
        self.read_only = read_only
        self.storing = threading.RLock()
        """Held by a thread that stores documents, from looking what is there until they are whole."""
        self.correcting = self.storing
        self.sealing = threading.RLock()
        """Held by a thread that adds to the ledger, from reading its last seal until the next one is there."""
        self.noting, self.importing = threading.RLock(), threading.RLock()
        self._local = threading.local()
        self._all: list[tuple[weakref.ref[_ThreadConnection], sqlite3.Connection]] = []
        self._lock = threading.RLock()
        self._shared: _ThreadConnection | None = None
        self._mode = "mode=rwc"
        self._closed: str | None = None
        self._reading = list[ReadingIn]()
        self._told: FileLock | None = None
        self._opened: tuple[Path, os.stat_result] | None = None

    @property
    def is_shared(self) -> bool:
        """Return False: the folder is locked."""
        return False

    @property
    def role(self) -> None:
        """Return None: there is no server."""

    def open(self) -> SqliteDatabase:
        """Connect and make the tables that are missing; raises WorkspaceError when the file can't be used."""
        try:
            if self.path is None:
                self._shared = self._connect(":memory:")
            if self.read_only:
                self._mode = self._mode_of_reading()
            else:
                self._connection().execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()  # it is a database at all
                self._connection().executescript(files("explorer.stores").joinpath("schema.sql").read_text("utf-8"))
            self._connection().execute("SELECT 1 FROM documents LIMIT 1").fetchone()
            self._opened = None if self.path is None else (self.path.absolute(), self.path.stat())
        except sqlite3.Error as error:
            message = f"{self.path} is not a library that can be opened ({error}); restore it or choose another folder."
            raise WorkspaceError(message) from error
        return self

    def _mode_of_reading(self) -> str:
        """Return how the file can be read: what waits in its journal is there only for those who can lock it."""
        assert self.path is not None  # noqa: S101 - only memory has no path
        waits = self.path.with_name(f"{self.path.name}-wal")
        for mode in _READ_ONLY if not waits.exists() or not waits.stat().st_size else _READ_ONLY[:1]:
            connection = sqlite3.connect(f"{self.path.resolve().as_uri()}?{mode}", uri=True)
            try:
                connection.execute("SELECT 1 FROM documents LIMIT 1").fetchone()
            except sqlite3.OperationalError:
                continue
            finally:
                connection.close()
            return mode
        return _READ_ONLY[0]

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        # threads that share a connection would wait for each other: for it, and for Python to call `folded`
        with self._lock if self._shared else nullcontext(), self._reported():
            return self._connection().execute(sql, values).fetchall()

    def bundled(self) -> SqliteDatabase:
        """Return this: a statement costs nothing beside its work."""
        return self

    def read_ahead(self, plan: Iterable[Read]) -> None:
        """Do nothing, not even look at the plan."""

    def tally(self, name: str) -> Tally:
        rows = self.rows("SELECT held, last, dropped FROM tallies WHERE name = ?", (name,))
        return Tally(*rows[0]) if rows else Tally()

    def words(self, kind: str) -> Fts5:
        return Fts5(self, TABLES[kind])

    def nearest(self, kind: str, few: int) -> KindIndex:
        return KindIndex(self, kind, few)

    def link_graph(self) -> HeldLinks:
        return HeldLinks(self)

    def abandoned(self, iris: Iterable[str], *, own: bool = False) -> list[str]:
        """Return all of them: the folder is locked, so what is not ended was left by a process that is gone."""
        del own
        return list(iris)

    def elsewhere(self, documents: Iterable[str]) -> list[str]:
        """Return none: the folder is locked."""
        del documents
        return []

    @contextmanager
    def reading_in(self, by: str | None) -> Iterator[None]:
        one = ReadingIn(by or f"process {os.getpid()} ({Path(sys.argv[0]).name or 'python'})", datetime.now(UTC))
        with self._lock:
            self._reading.append(one)
            if len(self._reading) == 1 and self.path is not None:
                self._tell_reading(self.path, one)
        try:
            yield
        finally:
            with self._lock:
                self._reading.remove(one)
                if not self._reading and self._told is not None:
                    self._told.release()

    def being_read(self) -> list[ReadingIn]:
        """Return who is reading documents in: of another process, as long as it holds a lock in the folder."""
        if not self.read_only or self.path is None:
            return list(self._reading)
        lock, told = self._reading_files(self.path)
        try:
            if lock.exists():
                with FileLock(lock, thread_local=False).acquire(timeout=0):
                    return []
        except Timeout:
            with suppress(OSError, ValueError, KeyError, TypeError):  # it has just begun, or ended
                one = json.loads(told.read_text("utf-8"))
                return [ReadingIn(str(one["by"]), datetime.fromisoformat(one["since"]))]
        except OSError:  # where no lock can be had, nothing is read in
            pass
        return []

    def _tell_reading(self, path: Path, one: ReadingIn) -> None:
        """Take the lock that other processes look at, beside a file that says who."""
        lock, told = self._reading_files(path)
        self._told = FileLock(lock, thread_local=False)
        with suppress(OSError):  # where nothing can be written, storing the documents says so
            told.write_text(json.dumps({"by": one.by, "since": one.since.isoformat()}), "utf-8")
            self._told.acquire()  # who looks holds it for a moment

    @staticmethod
    def _reading_files(path: Path) -> tuple[Path, Path]:
        return path.with_name("reading.lock"), path.with_name("reading.json")

    def taken_over(self) -> bool:
        """Return False: there is no other writer."""
        return False

    def state(self) -> int:
        """Return the number of changes by other processes."""
        return self._version()

    def run_changes(self) -> int:
        return self._version()

    @contextmanager
    def settling(self) -> Iterator[bool]:
        """Hold what threads of this process hold who write."""
        with self.storing, self.noting, self.importing:
            yield True

    @contextmanager
    def writing(self) -> Iterator[SqliteTransaction]:
        with self._lock, self._reported():
            connection = self._connection()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield SqliteTransaction(connection)
            except BaseException:
                connection.rollback()
                raise
            connection.commit()

    @contextmanager
    def still(self) -> Iterator[Callable[[], sqlite3.Connection]]:
        """While nobody writes, yield a function that returns a connection which goes on to see what is there now."""
        with self._lock, self._reported():
            yield self._pinned

    def unchanged(self, look: Callable[[], T], patience: float) -> tuple[sqlite3.Connection, T]:
        """Return a connection that goes on to see what is there, and what `look` finds, as of one moment.

        Where another process writes meanwhile, it is made to wait for that moment. Raises WorkspaceError where it can't
        be, since this process may not lock the file, and has made no pause in `patience` seconds.
        """
        until = time.monotonic() + patience
        with self._reported():
            while True:
                before = self._version()
                connection = self._pinned()
                found = look()
                if self._version() == before:
                    return connection, found
                connection.close()
                holding = self._hold()
                if holding is not None:
                    with closing(holding):
                        return self._pinned(), look()
                if time.monotonic() > until:
                    raise WorkspaceError("Another process writes on and on; try again when it has a pause.")
                time.sleep(_PAUSE)

    def _hold(self) -> sqlite3.Connection | None:
        """Return a connection that lets no process write until it is closed, or None where that can't be had."""
        holding = self._connect_alone("mode=rw")
        try:
            holding.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            holding.close()
            return None
        return holding

    def _version(self) -> int:
        found: int = self.rows("PRAGMA data_version")[0][0]
        return found

    def _pinned(self) -> sqlite3.Connection:
        """Return a connection of its own that goes on to see what is there now."""
        if self.path is None:
            copy = sqlite3.connect(":memory:", check_same_thread=False)
            with self._lock:
                self._connection().backup(copy)
            return copy
        connection = self._connect_alone(self._mode if self.read_only else _READ_ONLY[0])
        connection.execute("BEGIN")
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
        return connection

    def _connect_alone(self, mode: str) -> sqlite3.Connection:
        assert self.path is not None  # noqa: S101 - only memory has no path
        return sqlite3.connect(f"{self.path.resolve().as_uri()}?{mode}", uri=True, isolation_level=None, timeout=10)

    def write_anew(self) -> None:
        """Write all of the file anew, so that nothing of what was removed is left in it.

        Raises WorkspaceError when that can't be written; then it is as it was.
        """
        with self._lock, self._reported():
            connection = self._connection()
            for table in TABLES.values():  # else these know words by which rows that are gone were found
                connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")  # noqa: S608 - as above
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.execute("DELETE FROM settings WHERE name = ?", (ANEW,))

    def close(self) -> None:
        if self._closed:
            return
        with self._lock:
            self._closed = CLOSED
            for _, connection in self._all:
                connection.close()
            self._all.clear()

    def disown(self, why: str) -> None:
        self._closed = why
        # a thread that is not in this process may have held the other ones
        self._lock, self.storing, self.sealing = threading.RLock(), threading.RLock(), threading.RLock()
        self.correcting, self.noting, self.importing = self.storing, threading.RLock(), threading.RLock()

    def _connection(self) -> sqlite3.Connection:
        if self._closed:
            raise WorkspaceError(self._closed)
        if self._shared is not None:
            return self._shared.connection
        self._check_place()
        if not hasattr(self._local, "own"):
            assert self.path is not None  # noqa: S101 - only memory has no path
            self._local.own = self._connect(f"{self.path.resolve().as_uri()}?{self._mode}")
        own: _ThreadConnection = self._local.own
        return own.connection

    def _check_place(self) -> None:
        """Raise WorkspaceError where the file is not there any more: what is open would go on, and be lost."""
        if self._opened is None:
            return
        path, opened = self._opened
        with suppress(FileNotFoundError, NotADirectoryError):
            if os.path.samestat(path.stat(), opened):
                return
        raise WorkspaceError(MOVED.format(path.parent))

    def _connect(self, uri: str) -> _ThreadConnection:
        connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=10)
        connection.row_factory = sqlite3.Row
        connection.create_function("folded", 1, lambda text: text.casefold() if text else text, deterministic=True)
        connection.execute(f"PRAGMA cache_size=-{_CACHE}")
        if not self.read_only:
            connection.execute(f"PRAGMA page_size={_PAGE}")  # a file that has pages keeps them
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
        own = _ThreadConnection(connection)
        with self._lock:
            for _, orphan in (one for one in self._all if one[0]() is None):
                orphan.close()
            self._all = [one for one in self._all if one[0]() is not None] + [(weakref.ref(own), connection)]
        return own

    @contextmanager
    def _reported(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            if self._closed:
                raise WorkspaceError(self._closed) from error
            place = self.path or "The library in memory"
            message = f"{place} can't be used ({error}); restore it, make room on its disk, or close what else uses it."
            raise WorkspaceError(message) from error


@dataclass(frozen=True, slots=True)
class SqliteTransaction:
    """A transaction that is open on a connection."""

    connection: sqlite3.Connection

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        return self.connection.execute(sql, values).fetchall()

    def alone(self) -> None:
        """Do nothing: a transaction that writes is alone."""

    def execute(self, sql: str, values: Sequence[Any] = ()) -> None:
        self.connection.execute(sql, values)

    def executemany(self, sql: str, values: Iterable[Sequence[Any]]) -> None:
        self.connection.executemany(sql, values)

    def insert(self, table: str, columns: str, rows: Iterable[Sequence[Any]]) -> list[int]:
        given = list(rows)
        first = self.reserve(table, len(given))
        marks = ", ".join("?" * len(columns.split(",")))
        self.connection.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", given)  # noqa: S608 - names of ours
        return list(range(first, first + len(given)))

    def reserve(self, table: str, count: int) -> int:
        [row] = self.connection.execute(f"SELECT coalesce(max(number), 0) FROM {table}")  # noqa: S608 - a name of ours
        return int(row[0]) + 1

    def number_on(self, table: str, column: str) -> None:
        """Do nothing: numbers go on from the highest one."""

    def index(self, kind: str, rows: Sequence[tuple[int, str, bytes]], *, are_back: bool = False) -> None:
        """Count rows that were added, and have them be found by their words; vectors are read when they are searched,
        titles when links are. A trigger for each row takes longer.
        """
        if kind == "title":
            return
        self.connection.execute("INSERT OR IGNORE INTO tallies (name) VALUES (?)", (kind,))
        if rows:
            self.connection.execute(
                "UPDATE tallies SET held = held + ?, last = max(last, ?), dropped = dropped + ? WHERE name = ?",
                (len(rows), max(row[0] for row in rows), are_back, kind),
            )
        if kind in TABLES:
            sql = f"INSERT INTO {TABLES[kind]} (rowid, text) VALUES (?, ?)"  # noqa: S608 - a name of ours
            self.connection.executemany(sql, [row[:2] for row in rows])
