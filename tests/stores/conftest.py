"""Databases of each kind: in memory, in a folder, and on a real PostgreSQL server with a schema for each test."""

import uuid
from contextlib import closing

import pytest

from explorer.servers.postgres.database import PostgresDatabase
from explorer.servers.postgres.lease import WriterLease
from explorer.servers.postgres.server import Address, Server
from explorer.stores.sqlite import SqliteDatabase


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
