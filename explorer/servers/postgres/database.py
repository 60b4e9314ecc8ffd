"""The tables of a collection on a server, as `stores.database` asks for them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from explorer.errors import WorkspaceError
from explorer.servers.postgres.lease import WriterLease
from explorer.servers.postgres.locks import COPYING, CORRECTING, IMPORTING, NOTING, OPENING, SEALING, AdvisoryLock
from explorer.servers.postgres.migrating import prepare
from explorer.servers.postgres.nearest import ServerIndex
from explorer.servers.postgres.postings import Postings
from explorer.servers.postgres.server import ConnectionLostError, Row, Server, Session, SlowError
from explorer.servers.postgres.transaction import PostgresTransaction
from explorer.stores.database import ANEW, Asked, Many, Read, ReadingIn, Tally
from explorer.stores.fts5 import Tokens

if TYPE_CHECKING:
    from explorer.servers.postgres.hops import FetchedGraph
    from explorer.servers.postgres.link_cache import Fetched

_HELD = 300  # answers that a question remembers, and how many are read ahead: a statement has at most 1,664 parts
_ROUNDS = 8  # after which what a plan still asks is left to be asked when it is needed
TALLIES: Asked = (
    "SELECT name, CAST(sum(held) AS bigint), max(last), CAST(sum(dropped) AS bigint) FROM tallies GROUP BY name",
    (),
)
_WHO_READS = """
SELECT coalesce(who, name) AS who, CAST(extract(epoch FROM reading.since) AS float8) AS since
FROM reading JOIN writers ON token = writer WHERE NOT taken AND until > clock_timestamp() ORDER BY number
"""
READING: Asked = (_WHO_READS, ())
_LOOKED, _PAUSE = 20, 0.1  # how often, and seconds between, it is looked up whether a transaction was made
_STATE = """
SELECT (SELECT concat_ws(' ', sum(held), sum(dropped), max(last)) FROM tallies),
    (SELECT count(*) FROM documents WHERE state = 'writing'), (SELECT count(*) FROM acts WHERE kind <> 'runs'),
    (SELECT concat_ws(' ', count(*), max(number)) FROM merged)
"""


class PostgresDatabase:
    """The tables of one collection; `lease` is that of this process, None where it only reads."""

    def __init__(self, server: Server, lease: WriterLease | None = None) -> None:
        self.server = server
        self.lease = lease
        self.storing = threading.RLock()
        self.sealing = AdvisoryLock(self, SEALING, "adding to the ledger")
        self.correcting = AdvisoryLock(self, CORRECTING, "correcting facts or removing documents", self.storing)
        self.noting = AdvisoryLock(self, NOTING, "writing verdicts or notes, or deleting runs", is_told=True)
        self.importing = AdvisoryLock(self, IMPORTING, "importing a record")
        self.opening = AdvisoryLock(self, OPENING, "opening it")
        self.copying = AdvisoryLock(self, COPYING, "copying into it")
        self.tokens = Tokens()
        self._local = threading.local()
        self.changes = _Changes()
        self.fetched: Fetched | None = None  # of its links, as they are while it has this state
        self.seen: object = None
        self._unsaid = list[int]()

    @property
    def read_only(self) -> bool:
        return self.lease is None

    @property
    def is_shared(self) -> bool:
        return True

    @property
    def role(self) -> str | None:
        return None if self.lease is None else self.lease.role

    def open(self) -> PostgresDatabase:
        """See that the tables are there, or make them where the collection is new; raises WorkspaceError."""
        try:
            self.make_tables()
            self.begin()
        except BaseException:
            self.server.close()
            raise
        return self

    def make_tables(self) -> None:
        """See that the tables are there, or make them where the collection is new; raises WorkspaceError."""
        prepare(self.server, read_only=self.read_only)

    def begin(self) -> None:
        """Get a lease, unless this only reads."""
        if self.lease is not None:
            self.lease.acquire()

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """Run one reading statement and return all its rows; within a transaction of this thread, in it."""
        held: Session | None = getattr(self._local, "session", None)
        if held is not None:
            with self.server.reported():
                return held.rows(sql, tuple(values))
        found: list[Row] = self.server.again(lambda session: session.rows(sql, tuple(values)))
        return found

    def bundled(self) -> BundledDatabase:
        return BundledDatabase(self)

    def read_ahead(self, plan: Iterable[Read]) -> None:
        """Do nothing: only for the length of a question is anything remembered."""

    def tally(self, name: str) -> Tally:
        [row] = self.rows(
            "SELECT CAST(coalesce(sum(held), 0) AS bigint), coalesce(max(last), 0), "
            "CAST(coalesce(sum(dropped), 0) AS bigint) FROM tallies WHERE name = ?",
            (name,),
        )
        return Tally(*row)

    def words(self, kind: str) -> Postings:
        return Postings(self, kind, self.tokens)

    def nearest(self, kind: str, few: int) -> ServerIndex:
        return ServerIndex(self, kind, few)

    def link_graph(self) -> Callable[[], FetchedGraph]:
        """Return what begins to fetch links anew."""
        from explorer.servers.postgres.hops import FetchedGraph

        return lambda: FetchedGraph(self)

    def abandoned(self, iris: Iterable[str], *, own: bool = False) -> list[str]:
        """Return those of some documents and runs whose writer's lease has run out, with `own` those of this one too;
        who only reads takes none over.
        """
        return [] if self.lease is None else self.lease.abandoned(iris, own=own)

    def elsewhere(self, documents: Iterable[str]) -> list[str]:
        return [] if self.lease is None else self.lease.elsewhere(documents)

    @contextmanager
    def reading_in(self, by: str | None) -> Iterator[None]:
        with self.writing() as transaction:
            token = 0 if self.lease is None else self.lease.token
            [row] = transaction.rows("INSERT INTO reading (writer, who) VALUES (?, ?) RETURNING number", (token, by))
        try:
            yield
        finally:
            self._unsaid.append(row["number"])
            with suppress(WorkspaceError):  # while the server is away: `taken_over` says it when that is back
                self._say_read()

    def being_read(self) -> list[ReadingIn]:
        return [ReadingIn(row["who"], datetime.fromtimestamp(row["since"], UTC)) for row in self.rows(*READING)]

    def _say_read(self) -> None:
        """Have nobody believe any longer that this process reads in what it has read."""
        if ended := self._unsaid[:]:
            with self.writing() as transaction:
                transaction.execute(
                    "DELETE FROM reading WHERE number IN (SELECT value FROM json_each(?))", (Many(ended),)
                )
            del self._unsaid[: len(ended)]

    def taken_over(self) -> bool:
        """Take over what writers have left whose leases have run out; returns whether there were any."""
        self._say_read()
        return self.lease is not None and self.lease.taken_over()

    def others(self) -> list[str]:
        """Return who else writes, by name."""
        return [] if self.lease is None else self.lease.others()

    def state(self) -> object:
        """Return what differs once documents, facts or what people corrected have changed, and once that is whole."""
        state = tuple(self.rows(_STATE)[0])
        if self.seen != state or (self.fetched is not None and self.fetched.is_full):
            self.fetched, self.seen = None, state
        return state

    def run_changes(self) -> object:
        return self.rows("SELECT coalesce(sum(count), 0) AS count FROM changes")[0]["count"]

    @contextmanager
    def settling(self) -> Iterator[bool]:
        """Hold what others hold while they correct, note, import or store, where that is free."""
        with ExitStack() as held:
            yield all(one.attempted(held) for one in (self.correcting, self.noting, self.importing))

    def setting(self, name: str) -> str | None:
        """Return a setting of the collection."""
        rows = self.rows("SELECT value FROM settings WHERE name = ?", (name,))
        return str(rows[0]["value"]) if rows else None

    def keep_setting(self, name: str, value: str) -> None:
        """Store a setting of the collection."""
        with self.writing() as transaction:
            transaction.execute(
                "INSERT INTO settings VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                (name, value),
            )

    def drop_setting(self, name: str) -> None:
        """Forget a setting of the collection."""
        with self.writing() as transaction:
            transaction.execute("DELETE FROM settings WHERE name = ?", (name,))

    def is_empty(self) -> bool:
        """Return whether there is neither a document nor a run."""
        return not self.rows("SELECT 1 FROM documents UNION ALL SELECT 1 FROM listing LIMIT 1")

    @contextmanager
    def writing(self) -> Iterator[PostgresTransaction]:
        """Open a transaction: all of it is stored, or nothing. Raises WorkspaceError, also where its lease is gone.

        Where the reply to its end is lost, the server is asked whether it was made.
        """
        number, is_ending = "", False
        try:
            with self._begun() as (session, lease, number):
                transaction = PostgresTransaction(session, lease.token, self.tokens)
                self._local.session = session
                try:
                    yield transaction
                finally:
                    self._local.session = None
                is_ending = True
                session.run("COMMIT")
        except SlowError:
            raise
        except ConnectionLostError:
            if not (is_ending and self._is_made(number)):
                raise
        self.changes.count += transaction.changes

    @contextmanager
    def fenced(self) -> Iterator[None]:
        """Keep the lease of this process from being taken over while something is written that is not in the database.

        Raises WorkspaceError where it was taken.
        """
        if getattr(self._local, "session", None) is not None:  # this thread's transaction does it
            yield
            return
        with self._begun() as (session, _, _):
            yield
            session.undo()

    @contextmanager
    def _begun(self) -> Iterator[tuple[Session, WriterLease, str]]:
        """Yield a connection with a transaction, in which the lease is not taken, and its number; it is undone where
        this fails.
        """
        if self.lease is None:
            raise WorkspaceError(f"{self.server.address} is open for reading alone.")
        with self.server.lent() as session:
            session.run("BEGIN")
            try:
                yield session, self.lease, self.lease.check(session)
            except BaseException as error:
                session.undo(error)
                raise

    def _is_made(self, number: str) -> bool:
        for _ in range(_LOOKED):
            [row] = self.rows("SELECT pg_xact_status(CAST(CAST(? AS text) AS xid8)) AS status", (number,))
            if row["status"] != "in progress":
                return bool(row["status"] == "committed")
            time.sleep(_PAUSE)
        return False

    @property
    def is_owned(self) -> bool:
        """Whether who is connected may do what only the owner of the tables may: index them, and write them anew."""
        [row] = self.rows(
            "SELECT pg_has_role(nspowner, 'USAGE') AS owned FROM pg_namespace WHERE nspname = current_schema()"
        )
        return bool(row["owned"])

    def write_anew(self) -> None:
        """Have nothing that was removed be left in the tables' files; of who does not own them the next opening by
        their owner does it.
        """
        if not self.is_owned:
            return
        connection = self.server.connect(None)
        try:
            with self.server.reported():
                for table in sorted(t for t in self.tables()):
                    connection.run(f'VACUUM FULL "{self.server.schema}"."{table}"')
        finally:
            connection.close()
        self.drop_setting(ANEW)

    def tables(self) -> list[str]:
        """Return the names of all tables."""
        rows = self.rows("SELECT tablename FROM pg_tables WHERE schemaname = ?", (self.server.schema,))
        return [row["tablename"] for row in rows]

    def disown(self, why: str) -> None:
        if self.lease is not None:
            self.lease.disown()
        self.server.close(why)

    def close(self) -> None:
        """Give the lease back, and close all connections."""
        try:
            if self.lease is not None:
                self.lease.release()
        finally:
            self.server.close()


@dataclass(slots=True)
class _Changes:
    """How many transactions of this process have changed what questions read."""

    count: int = 0


_Key = tuple[str, tuple[Any, ...]]  # a statement and its values


class _UnknownError(Exception):
    """A read asks what is not known yet."""


class BundledDatabase(PostgresDatabase):
    """The tables for the length of one question: what is read ahead is one statement, and remembered.

    A question sees what it has read as it was then, unless this process has changed something since.
    """

    def __init__(self, whole: PostgresDatabase) -> None:
        vars(self).update(vars(whole))
        self.whole = whole
        self._seen = self.changes.count
        self._lock = threading.Lock()
        self._held: dict[_Key, list[Row]] = {}
        self._planning = threading.local()

    def bundled(self) -> BundledDatabase:
        return self

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        key = sql, _hashable(values)
        with self._lock:
            self._look()
            if key in self._held:
                self._held[key] = found = self._held.pop(key)  # what was used last goes last
                return found
        if (wanted := self._wanted()) is not None:
            wanted[key] = sql, tuple(values)
            raise _UnknownError
        return super().rows(sql, values)

    def link_graph(self) -> Callable[[], FetchedGraph]:
        from explorer.servers.postgres.hops import FetchedGraph
        from explorer.servers.postgres.link_cache import Fetched

        fetched = self.whole.fetched = self.whole.fetched or Fetched()
        return lambda: FetchedGraph(self, fetched)

    def read_ahead(self, plan: Iterable[Read]) -> None:
        """Read by one statement what all reads of a plan ask first, then what they ask when they know that, and so on.

        A read stops at what is not known; one that plans reads itself has all of these asked.
        """
        reads = [*plan]
        if self._wanted() is not None:
            if self._unknown(reads):
                raise _UnknownError
            return
        for _ in range(_ROUNDS):
            self._planning.wanted = wanted = dict[_Key, Asked]()
            try:
                reads = self._unknown(reads)
            finally:
                self._planning.wanted = None
            if not reads:
                return
            self._read(wanted)

    def _wanted(self) -> dict[_Key, Asked] | None:
        """Return what reads ask that are run to learn that, in this thread; None where none is run so."""
        wanted: dict[_Key, Asked] | None = getattr(self._planning, "wanted", None)
        return wanted

    @staticmethod
    def _unknown(reads: Sequence[Read]) -> list[Read]:
        left = list[Read]()
        for read in reads:
            try:
                read()
            except _UnknownError:
                left.append(read)
        return left

    def _read(self, wanted: dict[_Key, Asked]) -> None:
        always = {(sql, _hashable(values)): (sql, values) for sql, values in (TALLIES, READING)}
        with self._lock:
            wanted = {key: one for key, one in (always | wanted).items() if key not in self._held}
            wanted = dict(islice(wanted.items(), _HELD))
        if not wanted:  # another thread has read it meanwhile
            return
        if len(wanted) == 1:
            [one] = wanted.values()
            read = [super().rows(*one)]
        else:
            asked = [(sql, tuple(values)) for sql, values in wanted.values()]
            read = self.server.again(lambda session: session.together(asked))
        with self._lock:
            self._held.update(zip(wanted, read, strict=True))
            for oldest in [*islice(self._held, max(0, len(self._held) - _HELD))]:
                del self._held[oldest]

    def tally(self, name: str) -> Tally:
        """Return the tally of a kind of vectors, or of "text" (chunks), as it was when one was first asked for."""
        self.read_ahead([partial(self.rows, *TALLIES)])
        return next((Tally(*told) for kind, *told in self.rows(*TALLIES) if kind == name), Tally())

    def close(self) -> None:
        """Do nothing: the whole is closed."""

    def _look(self) -> None:
        """Forget what is remembered where this process has changed something since."""
        if self._seen != self.changes.count:
            self._seen = self.changes.count
            self._held.clear()


def _hashable(values: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(tuple(value) if isinstance(value, list) else value for value in values)
