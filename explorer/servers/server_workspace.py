"""A workspace on servers: where it is, and how a collection there is opened.

Its tables are in a schema of a PostgreSQL database, its graph on a SPARQL endpoint. Each of the two has a mark that
says which belongs to which, so that no workspace is read with the graph of another one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING
from uuid import uuid4

from explorer.errors import WorkspaceError
from explorer.servers.copying.content import check_blank, keep_note, note_of
from explorer.servers.endpoint.store import EndpointStore
from explorer.servers.endpoint.terms import Dialect
from explorer.stores.collection import Collection, joined
from explorer.stores.database import COPYING, DeniedError
from explorer.stores.places import TIMEOUT
from explorer.stores.sparql_client import Address as Endpoint

if TYPE_CHECKING:
    from explorer.servers.postgres.database import PostgresDatabase
    from explorer.servers.postgres.server import Address

_POSTGRES = ("postgres", "postgresql")
_ADDRESSES = 3  # for queries, updates and the graph store
_LONGEST = 54  # letters of a collection's name: a schema's has at most 63 bytes
_SCHEMA = "explorer_"
_GRAPH, _DIALECT = "graph", "dialect"  # settings
_NEEDED = "The graph of a workspace on servers is on a SPARQL endpoint; give its address by {}."
_FORM = "endpoint= (--endpoint, EXPLORER_ENDPOINT), such as http://localhost:3030/explorer/sparql"
_OTHER = (
    "{endpoint} has a graph for the collection {collection} of another workspace than {database}. Give the endpoint "
    "that this one was made with, or take another collection."
)
_UNWHOLE = (
    "The collection {} of {} is a copy of {} that is not whole yet. Go on with the command that began it, with the "
    "same FROM and TO."
)
_OF_ANOTHER = (
    "The collection {} of {} is an unfinished copy of {}, and not of {}. Go on with that one, or drop its schema and "
    "its graphs, or copy to another place."
)
_GONE = (
    "{endpoint} does not have the graph of the collection {collection} in {database}. Give the endpoint that it was "
    "made with, or restore that one."
)


@dataclass(frozen=True, slots=True)
class Served:
    """Where a workspace on servers is, and how many seconds an answer may take; no password is shown of it."""

    database: Address
    endpoint: Endpoint
    timeout: float = TIMEOUT

    @classmethod
    def of(cls, url: str, endpoint: str | None, timeout: float = TIMEOUT) -> Served:
        """Read the address of a database and that of an endpoint: for queries, and after spaces, where these are
        others, for updates and for the graph store protocol. Raises WorkspaceError.
        """
        scheme = url.partition("://")[0]
        if scheme.lower() not in _POSTGRES:
            raise WorkspaceError(
                f"A workspace is a folder, or a database as postgresql://user@host/database, and no {scheme}://."
            )
        missing = [name for name in ("pg8000", "sqlalchemy") if find_spec(name) is None]
        if missing:
            raise WorkspaceError(
                f"A workspace on servers needs {' and '.join(missing)}; install "
                "`pip install 'provenance-explorer[servers]'`."
            )
        from explorer.servers.postgres.server import Address

        addresses = (endpoint or "").split()
        if not addresses:
            raise WorkspaceError(_NEEDED.format(_FORM))
        if len(addresses) > _ADDRESSES:
            raise WorkspaceError("An endpoint has at most three addresses: for queries, updates and the graph store.")
        return cls(Address.read(url), Endpoint.of(*addresses), timeout)

    def __str__(self) -> str:
        return f"{self.database} with {self.endpoint.query}"

    @property
    def name(self) -> str:
        """What the workspace is called."""
        return f"{self.database.database} on {self.database.host}"

    def open(self, collection: str) -> tuple[Collection, str | None]:
        """Open a collection, which is made where it is new; returns with it why it can only be read, if so.

        Raises WorkspaceError.
        """
        try:
            return _opened(self, collection, read_only=False), None
        except DeniedError as error:
            try:
                return _opened(self, collection, read_only=True), str(error)
            except WorkspaceError:
                raise error from None

    @contextmanager
    def reading(self, collection: str) -> Iterator[Collection]:
        """Open a collection without writing to it, until the block ends; raises WorkspaceError."""
        stores = _opened(self, collection, read_only=True)
        try:
            yield stores
        finally:
            stores.close()


@contextmanager
def held_served(place: Served, collection: str) -> Iterator[tuple[Collection, Callable[[], None]]]:
    """Open a collection on servers for reading, and let nobody write to it until the block ends; yields with it what
    raises WorkspaceError where that was lost. Raises it too while anybody has it open for writing.
    """
    with place.reading(collection) as stores, held_open(stores) as check:
        yield stores, check


def held_open(stores: Collection) -> AbstractContextManager[Callable[[], None]]:
    """Let nobody write to a collection on servers that is open until a block ends, as `held_served` does."""
    from explorer.servers.postgres.copy_ends import held

    return held(_database(stores))


def served_name(stores: Collection) -> str:
    """Return how messages name where an open collection on servers is."""
    assert isinstance(stores.graph, EndpointStore)  # noqa: S101 - it was opened here
    return f"{_database(stores).server.address} with {stores.graph.server.address.query}"


def _database(stores: Collection) -> PostgresDatabase:
    from explorer.servers.postgres.database import PostgresDatabase

    assert isinstance(stores.database, PostgresDatabase)  # noqa: S101 - it was opened here
    return stores.database


def collections_of(place: Served) -> list[str]:
    """Return the names of all collections in a database, those that are not whole yet too; raises WorkspaceError."""
    from explorer.servers.postgres.server import Server

    server = Server(place.database, _SCHEMA, place.timeout)
    try:
        with server.lent() as session:
            rows = session.rows("SELECT schemaname FROM pg_tables WHERE tablename = 'settings' ORDER BY schemaname")
    finally:
        server.close()
    return [row[0].removeprefix(_SCHEMA) for row in rows if row[0].startswith(_SCHEMA)]


@contextmanager
def filling_served(place: Served, collection: str, origin: str) -> Iterator[ServedFilling]:
    """Open a collection on servers that is to be the copy of one in another place, named `origin`, and that nobody can
    open until `finish_served`. Raises WorkspaceError unless it is empty, or such a copy, and no other process is at it.
    """
    from explorer.servers.postgres.copy_ends import claim, take_leases
    from explorer.servers.postgres.database import PostgresDatabase
    from explorer.servers.postgres.lease import WriterLease
    from explorer.servers.postgres.server import Server

    server = Server(place.database, schema_of(collection), place.timeout)
    database = PostgresDatabase(server, WriterLease(server))
    with ExitStack() as opened:
        opened.callback(database.close)
        database.make_tables()
        if not database.copying.attempted(opened):
            raise WorkspaceError(f"Another process copies into the collection {collection} of {place}; wait for it.")
        note = note_of(database)
        if note is None:
            check_blank(database, f"The collection {collection} of {place}")
            claim(database, json.dumps({"from": origin}))
            database.begin()
            if names := database.others():  # they opened it before this note was there
                database.drop_setting(COPYING)
                raise WorkspaceError(f"{place} is in use by {', '.join(names)}; close it there, then try again.")
        elif note["from"] != origin:
            raise WorkspaceError(_OF_ANOTHER.format(collection, place, note["from"], origin))
        else:
            database.begin()
            take_leases(database)
        graph = _graph(place, collection, database)
        opened.callback(graph.close)
        yield ServedFilling(database, graph)


@dataclass(frozen=True, slots=True)
class ServedFilling:
    """The tables and the graph of a collection on servers that is being filled."""

    database: PostgresDatabase
    graph: EndpointStore

    def empty(self) -> None:
        """Take out all that was filled in."""
        from explorer.servers.postgres.copy_ends import empty

        origin = (note_of(self.database) or {}).get("from", "")
        self.graph.emptied()
        empty(self.database)
        keep_note(self.database, {"from": origin})


def finish_served(fillings: Sequence[ServedFilling]) -> None:
    """Have collections that were filled, of one database, be open to everybody, all at once."""
    first = fillings[0].database
    with first.writing() as transaction:
        for one in fillings:
            schema = one.database.server.schema
            transaction.execute(f'DELETE FROM "{schema}".settings WHERE name = ?', (COPYING,))  # noqa: S608 - as it is named


def _opened(place: Served, collection: str, *, read_only: bool) -> Collection:
    from explorer.servers.postgres.database import PostgresDatabase
    from explorer.servers.postgres.lease import WriterLease
    from explorer.servers.postgres.server import Server

    server = Server(place.database, schema_of(collection), place.timeout)
    database = PostgresDatabase(server, None if read_only else WriterLease(server)).open()
    try:
        _check_whole(place, collection, database)
        return joined(database, _graph(place, collection, database))
    except BaseException:
        database.close()
        raise


def _check_whole(place: Served, collection: str, database: PostgresDatabase) -> None:
    if (note := note_of(database)) is not None:
        raise WorkspaceError(_UNWHOLE.format(collection, place, note["from"]))


def schema_of(collection: str) -> str:
    """Return the schema of a collection; raises WorkspaceError for a name that is too long for one."""
    if len(collection.encode()) > _LONGEST:
        raise WorkspaceError(
            f"The name {collection} is too long for a collection on a server, which has at most {_LONGEST} bytes. "
            "Take a shorter one."
        )
    return f"{_SCHEMA}{collection}"


def _graph(place: Served, collection: str, database: PostgresDatabase) -> EndpointStore:
    known = database.setting(_DIALECT)
    kept = json.loads(known) if known else {}
    dialect = Dialect(**kept["dialect"]) if kept.get("at") == place.endpoint.query else None
    if dialect is None and database.read_only:
        raise WorkspaceError(f"{place} was never opened for writing; have somebody do so who may.")
    graph = EndpointStore(
        place.endpoint, collection, timeout=place.timeout, dialect=dialect, fence=database.fenced
    ).open()  # fmt: skip
    try:
        if database.read_only:
            _check_mark(place, collection, database, graph)
            return graph
        with database.opening:
            _check_mark(place, collection, database, graph)
            if dialect is None:
                told = json.dumps({"at": place.endpoint.query, "dialect": asdict(graph.dialect)})
                database.keep_setting(_DIALECT, told)
            if not database.others():
                graph.sweep()
    except BaseException:
        graph.close()
        raise
    return graph


def _check_mark(place: Served, collection: str, database: PostgresDatabase, graph: EndpointStore) -> None:
    """Raise WorkspaceError unless the graph is that of the database; who may write marks both where they are new."""
    own, there = database.setting(_GRAPH), graph.mark()
    if own == there and own is not None:
        return
    if there is not None or database.read_only or not database.is_empty():
        said = _GONE if there is None else _OTHER
        raise WorkspaceError(said.format(endpoint=place.endpoint.query, database=place.database, collection=collection))
    if own is None:
        own = uuid4().hex
        database.keep_setting(_GRAPH, own)
    graph.put_mark(own)
