"""The server: where it is, who asks, over which transport; its connections, and what its failures are called."""

from __future__ import annotations

import os
import re
import ssl
import time
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from explorer.errors import CLOSED, WorkspaceError
from explorer.stores.database import AwayError, DeniedError, how_to_start

if TYPE_CHECKING:
    from pg8000.native import Connection
    from sqlalchemy.pool import PoolProxiedConnection, QueuePool

TIMEOUT = 10.0  # seconds that an answer may take
_KEPT, _MORE = 4, 12  # connections: that are kept open, and more while they are needed
_PREPARED = 400  # statements of a connection
_MARK = "\N{REPLACEMENT CHARACTER}"
_BYTES = 17  # the number of PostgreSQL's type for them
_PARAMETERS = {"host", "port", "sslmode", "sslrootcert", "passfile"}
_MODES = ("disable", "prefer", "require", "verify-ca", "verify-full")
_FIELD = re.compile(r"((?:\\.|[^:\\])*)(?::|$)")  # of a line in a file of passwords
_IDLE = 1.0  # seconds after which a connection is tried before it is used
_DENIED = ("42501", "25006")  # codes: no right to, or a server for reading alone
_LOST = {"57P01", "57P02", "57P03", "08000", "08003", "08006", "25P03"}  # codes: it shuts down, or broke off


class ConnectionLostError(AwayError):
    """The server does not answer: whether what was asked last was done is not known."""


class SlowError(ConnectionLostError):
    """The server did not answer in time, so that to ask once more would take as long."""


@dataclass(frozen=True, slots=True)
class Address:
    """A database on a server, by `postgresql://user:password@host:port/database?sslmode=…`."""

    user: str
    host: str
    port: int
    database: str
    sslmode: str = "prefer"
    sslrootcert: str | None = None
    password: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        """Return it without the password."""
        return f"{self.user}@{self.host}:{self.port}/{self.database}"

    @classmethod
    def read(cls, url: str) -> Address:
        """Return the address in a URL; the password from there, PGPASSWORD, or a file of passwords.

        Raises WorkspaceError, which never repeats the URL, as that may hold the password.
        """
        from sqlalchemy.engine import make_url
        from sqlalchemy.exc import ArgumentError

        try:
            found = make_url(url)
            given = {name: value for name, value in found.query.items() if isinstance(value, str)}
            host = given.get("host") or found.host or os.environ.get("PGHOST") or "localhost"
            port = int(given.get("port") or found.port or os.environ.get("PGPORT") or 5432)
        except (ArgumentError, ValueError):
            raise WorkspaceError(f"This is no address of a database; write {_FORM}.") from None
        user = found.username or os.environ.get("PGUSER")
        if not user or not found.database:
            raise WorkspaceError(
                f"The address of the database names no {'database' if user else 'user'}; write {_FORM}."
            )
        if unknown := found.query.keys() - _PARAMETERS:
            known = ", ".join(sorted(_PARAMETERS))
            raise WorkspaceError(f"The address of the database has {', '.join(sorted(unknown))}; known are {known}.")
        mode = given.get("sslmode") or os.environ.get("PGSSLMODE") or "prefer"
        if mode not in _MODES:
            raise WorkspaceError(f"sslmode {mode!r} is not known; use one of {', '.join(_MODES)}.")
        made = cls(user, host, port, found.database, mode, given.get("sslrootcert"))
        password = found.password or os.environ.get("PGPASSWORD") or made.stored_password(given.get("passfile"))
        return cls(user, host, port, found.database, mode, given.get("sslrootcert"), password and str(password))

    def stored_password(self, file: str | None = None) -> str | None:
        """Return the password from a file of passwords (PGPASSFILE, ~/.pgpass): host:port:database:user:password."""
        place = Path(file or os.environ.get("PGPASSFILE") or Path.home() / ".pgpass").expanduser()
        try:
            lines = place.read_text("utf-8").splitlines()
        except OSError:
            if file:
                raise WorkspaceError(f"The file of passwords {file} can't be read; check its path.") from None
            return None
        wanted = (self.host, str(self.port), self.database, self.user)
        for line in lines:
            told = [re.sub(r"\\(.)", r"\1", one) for one in _FIELD.findall(line.strip())[:5]]
            if len(told) == 5 and all(one in ("*", own) for one, own in zip(told, wanted, strict=False)):
                return told[4]
        return None

    @property
    def transport(self) -> dict[str, Any]:
        """How pg8000 comes there: by a socket in a folder, or over TLS as `sslmode` says."""
        if self.host.startswith("/"):
            return {"unix_sock": f"{self.host}/.s.PGSQL.{self.port}"}
        tls: bool | ssl.SSLContext | None = None  # if the server has it
        if self.sslmode == "disable":
            tls = False
        elif self.sslmode != "prefer":
            tls = self._trusting()
            tls.check_hostname = self.sslmode == "verify-full"
            if self.sslmode == "require":
                tls.verify_mode = ssl.CERT_NONE
        return {"host": self.host, "port": self.port, "ssl_context": tls}

    def _trusting(self) -> ssl.SSLContext:
        """Return what trusts the certificates of the file that is named, else those of this machine."""
        try:
            return ssl.create_default_context(cafile=self.sslrootcert)
        except OSError as error:
            message = f"The file of certificates {self.sslrootcert} can't be read ({_words(error)}); check its path."
            raise WorkspaceError(message) from error


_FORM = "postgresql://user@host/database"


class Server:
    """Connections to a database, shared by the threads of this process; `schema` is first on their search path."""

    def __init__(self, address: Address, schema: str, timeout: float = TIMEOUT) -> None:
        """Connect to nothing yet; an answer may take `timeout` seconds."""
        self.address = address
        self.schema = schema
        self.timeout = timeout
        self._closed: str | None = None

    @cached_property
    def _pool(self) -> QueuePool:
        from sqlalchemy.pool import QueuePool

        return QueuePool(
            self._connect,
            pool_size=_KEPT,
            max_overflow=_MORE,
            timeout=self.timeout,
            reset_on_return=None,
            use_lifo=True,
        )

    def _connect(self) -> Connection:
        return self.connect(self.timeout)

    def connect(self, timeout: float | None) -> Connection:
        """Return a connection of its own; None: its answers may take any time."""
        to = self.address
        path = f'"{self.schema}", public'
        limit = 0 if timeout is None else int(timeout * 900)
        with self.reported():
            made = _connection_type()(
                to.user, database=to.database, password=to.password, timeout=timeout,
                application_name="provenance-explorer",
                startup_params={"options": f"-c statement_timeout={limit} -c TimeZone=UTC"}, **to.transport,
            )  # fmt: skip
            made.run(
                "SELECT set_config('search_path', :path, false), set_config('hnsw.ef_search', '400', false)", path=path
            )
        return made

    @contextmanager
    def lent(self) -> Iterator[Session]:
        """Yield a connection; one that broke is not used again. Raises WorkspaceError."""
        if self._closed:
            raise WorkspaceError(self._closed)
        with self.reported():
            held = self._pool.connect()
            if time.monotonic() - held.info.get("used", 0) > _IDLE:
                held = self._checked(held)
            try:
                yield Session(cast("Connection", held.dbapi_connection), held.info.setdefault("prepared", {}))
            except BaseException as error:
                if _is_loss(error):
                    held.invalidate()
                raise
            finally:
                held.info["used"] = time.monotonic()
                held.close()

    def _checked(self, held: PoolProxiedConnection) -> PoolProxiedConnection:
        """Return a connection that was not used for some time, or another one where it was lost in between."""
        if "used" not in held.info:
            return held
        try:
            with self.reported():
                cast("Connection", held.dbapi_connection).run("SELECT 1")
        except BaseException as error:
            held.invalidate()
            held.close()
            if not isinstance(error, ConnectionLostError) or isinstance(error, SlowError):
                raise
            self.forget()
            return self._pool.connect()
        return held

    def again(self, ask: Callable[[Session], Any]) -> Any:  # noqa: ANN401 - what `ask` returns
        """Return what a reading function finds, on another connection where the first one was lost."""
        try:
            with self.lent() as session:
                return ask(session)
        except SlowError:
            raise
        except ConnectionLostError:
            self.forget()
            with self.lent() as session:
                return ask(session)

    def forget(self) -> None:
        """Close the connections that nobody uses: where one was lost, the others are."""
        self._pool.dispose()

    def close(self, why: str = CLOSED) -> None:
        """Close all connections; whatever is asked from then on raises WorkspaceError with this sentence."""
        if not self._closed:
            self._closed = why
            if why == CLOSED:  # else they are those of the process that this one was forked from
                self._pool.dispose()

    @contextmanager
    def reported(self) -> Iterator[None]:
        """Turn a failure of the server, or of the way there, into one sentence."""
        from pg8000.exceptions import DatabaseError, InterfaceError
        from sqlalchemy.exc import SQLAlchemyError

        try:
            yield
        except DatabaseError as error:
            raise self._told(error) from error
        except (InterfaceError, OSError, SQLAlchemyError) as error:
            before = error.__context__
            while before is not None:
                if isinstance(before, DatabaseError):  # what it said before it hung up
                    raise self._told(before) from error
                before = before.__context__
            if isinstance(error, TimeoutError) or isinstance(error.__cause__, TimeoutError):
                raise SlowError(f"{self.address} has not answered for {self.timeout:g} seconds; {_LATER}") from error
            hint = _of_tls(error) or f"see whether it runs{how_to_start(self.address.host)}, then try again."
            raise ConnectionLostError(f"{self.address} can't be reached ({_words(error)}); {hint}") from error

    def _told(self, error: Exception) -> WorkspaceError:
        fields = error.args[0] if error.args and isinstance(error.args[0], dict) else {}
        code, message = fields.get("C", ""), fields.get("M", str(error))
        if code in _LOST:
            return ConnectionLostError(f"{self.address} has closed the connection ({message}); {_LATER}")
        if code == "57014":
            return SlowError(f"{self.address} took longer than {self.timeout:g} seconds; {_LATER}")
        what = {
            "28P01": "check the password, in PGPASSWORD or a file of passwords",
            "28000": "check the user and what the server lets in",
            "3D000": "check the name, or create it there",
            "42501": "ask its owner for the right to do this",
            "42P01": "ask its owner for the right to use its schema",
            "25006": "it is for reading alone; name the one that takes writes",
            "54000": "an IRI in it is longer than the 2,700 bytes that an index holds; shorten it",
            "53100": "make room on its disk, then try again",
            "53300": "it has too many connections; try again, or raise its limit",
        }.get(code, "see its log")
        kind = DeniedError if code in _DENIED else WorkspaceError
        return kind(f"{self.address} refused this ({message}); {what}.")


_LATER = "see whether it runs, then try again."


def _words(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _of_tls(error: BaseException) -> str:
    """Return what to do where it was TLS that failed, else nothing."""
    if isinstance(error, ssl.SSLCertVerificationError) or isinstance(error.__cause__, ssl.SSLCertVerificationError):
        return (
            "name the host as its certificate does, and by sslrootcert=FILE the certificate that signed it, "
            "where this machine does not know that."
        )
    if str(error) == "Server refuses SSL":
        return "it has no TLS: have it set up there, or ask without by sslmode=prefer."
    return ""


def _is_loss(error: BaseException) -> bool:
    """Return whether a connection can't be used on: it is lost, or was left in the middle of an answer."""
    from pg8000.exceptions import DatabaseError

    if isinstance(error, DatabaseError):
        fields = error.args[0] if error.args and isinstance(error.args[0], dict) else {}
        return fields.get("C", "") in _LOST
    return isinstance(error, ConnectionLostError) or not isinstance(error, WorkspaceError | GeneratorExit)


@cache
def _connection_type() -> Any:  # noqa: ANN401 - the library has no types
    from pg8000.exceptions import Error
    from pg8000.native import Connection

    class Closable(Connection):  # type: ignore[misc]
        """A connection that can be closed when it is lost, which else SQLAlchemy tells the log."""

        def close(self) -> None:
            """Close it; the server may not hear of that."""
            with suppress(Error, OSError):
                super().close()

    return Closable


class Row(tuple[Any, ...]):
    """A row of an answer: values in order, or by the names of their columns."""

    __slots__ = ()
    places: dict[str, int]

    def __getitem__(self, key: Any) -> Any:  # noqa: ANN401 - as tuples have it
        return super().__getitem__(self.places[key] if isinstance(key, str) else key)


class Session:
    """A connection: statements as the stores write them, each prepared once, by what is `prepared` on it."""

    def __init__(self, connection: Connection, prepared: dict[str, _Prepared]) -> None:
        self.connection = connection
        self._prepared = prepared

    def rows(self, sql: str, values: tuple[Any, ...] = ()) -> list[Row]:
        """Run a statement and return its rows."""
        known = self._known(sql)
        return [known.row_type(row) for row in known.run(self.connection, values)]

    def together(self, asked: Sequence[tuple[str, tuple[Any, ...]]]) -> list[list[Row]]:
        """Run reading statements as one, and return the rows of each: they come as JSON, bytes in it by base64."""
        parts, readers = list[str](), list[Callable[[Any], list[Row]]]()
        for place, (sql, _) in enumerate(asked):
            known = self._known(sql)
            if isinstance(sql, Packed):
                parts.append(f"({sql})")
                readers.append(partial(_packed, known.row_type))
                continue
            names = [f"c{number}" for number in range(len(known.columns))]
            coded = [number for number, column in enumerate(known.columns) if column["type_oid"] == _BYTES]
            told = [f"encode({name}, 'base64')" if number in coded else name for number, name in enumerate(names)]
            parts.append(
                f"(SELECT json_agg(json_build_array({', '.join(told)})) "  # noqa: S608 - statements of ours
                f"FROM ({sql}) AS part{place} ({', '.join(names)}))"
            )
            readers.append(partial(_read, known.row_type, coded))
        [found] = self.rows(f"SELECT {', '.join(parts)}", tuple(value for _, values in asked for value in values))
        return [read(told) for read, told in zip(readers, found, strict=True)]

    def _known(self, sql: str) -> _Prepared:
        """Return a prepared statement; the last ones are kept."""
        if sql not in self._prepared:
            while len(self._prepared) >= _PREPARED:
                self.connection.close_prepared_statement(self._prepared.pop(next(iter(self._prepared))).name)
            self._prepared[sql] = _Prepared.made(self.connection, sql)
        else:
            self._prepared[sql] = self._prepared.pop(sql)  # the one that was used last goes last
        return self._prepared[sql]

    def undo(self, error: BaseException | None = None) -> None:
        """Undo the transaction that is open, unless the connection is lost by an error: then the server does it."""
        from pg8000.exceptions import Error

        if error is None or not _is_loss(error):
            with suppress(Error, OSError):
                self.connection.run("ROLLBACK")

    def run(self, sql: str, stream: Any = None) -> None:  # noqa: ANN401 - lines for COPY
        """Run a statement without values, not prepared."""
        self.connection.run(sql, stream=stream)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A statement that a connection has prepared."""

    name: bytes
    statement: str
    columns: Sequence[dict[str, Any]]
    readers: Sequence[Callable[[str], Any]]
    row_type: type[Row]

    @classmethod
    def made(cls, connection: Connection, sql: str) -> _Prepared:
        """Prepare a statement as the stores write it.

        It is numbered here: to look for names in it letter by letter takes pg8000 as long as the server takes for it.
        """
        statement = spoken(sql)
        name, columns, readers = connection.prepare_statement(statement, ())
        return cls(name, statement, columns or (), readers, _row_type(columns))

    def run(self, connection: Connection, values: Iterable[Any]) -> Sequence[list[Any]]:
        """Return its rows."""
        from pg8000.converters import make_params

        params = make_params(connection.py_types, map(_writable, values))
        found = connection.execute_named(self.name, params, self.columns, self.readers, self.statement)
        return found.rows or ()


class Packed(str):
    """A statement that gives one row of one value, bytes."""

    __slots__ = ()


def spoken(sql: str) -> str:
    """Return a statement of the stores as PostgreSQL reads it, its values by their numbers."""
    sql = sql.replace("IN (SELECT value FROM json_each(?))", "= ANY(?)")
    sql = sql.replace("CAST(data AS BLOB)", "data")  # which in SQLite may be a text that was put there by hand
    first, *others = sql.split("?")  # no statement has one in a text
    return first + "".join(f"${place}{piece}" for place, piece in enumerate(others, 1))


def _writable(value: Any) -> Any:  # noqa: ANN401 - a value of any kind
    """Return a value as it is sent: with a mark in place of each NUL of a text, as PostgreSQL stores none.

    Lists of numbers or texts are written as arrays here: pg8000 does it letter by letter, and there are thousands.
    """
    if isinstance(value, str):
        return value.replace("\0", _MARK)
    if isinstance(value, list):
        kinds = {*map(type, value)}
        if kinds <= {int}:
            return f"{{{','.join(map(str, value))}}}"
        if kinds <= {str}:
            return f"{{{','.join(map(_quoted, value))}}}"
        return [_writable(one) for one in value]
    return value


def _quoted(text: str) -> str:
    """Return a text as it stands in an array."""
    told = text.replace("\0", _MARK).replace("\\", r"\\").replace('"', r"\"")
    return f'"{told}"'


def _packed(row_type: type[Row], told: bytes | None) -> list[Row]:
    """Return the one row of a packed statement."""
    return [row_type((told,))]


def _read(row_type: type[Row], coded: Sequence[int], rows: Iterable[list[Any]] | None) -> list[Row]:
    """Return rows that came as JSON; of some of their values the bytes."""
    found = list[Row]()
    for row in rows or ():
        for place in coded:
            row[place] = None if row[place] is None else b64decode(row[place])
        found.append(row_type(row))
    return found


def _row_type(columns: Any) -> type[Row]:  # noqa: ANN401 - as pg8000 describes them
    places = {column["name"]: place for place, column in enumerate(columns or ())}
    return type("Row", (Row,), {"__slots__": (), "places": places})
