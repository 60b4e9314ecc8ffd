"""Databases of each kind: in memory, in a folder, and on a real PostgreSQL server with a schema for each test."""

import pytest

from explorer.servers.postgres.database import PostgresDatabase
from explorer.servers.postgres.lease import WriterLease
from explorer.stores.sqlite import SqliteDatabase


@pytest.fixture(params=["memory", "folder", "postgres"])
def database(request, tmp_path):
    if request.param == "postgres":
        server = request.getfixturevalue("collection")
        made = PostgresDatabase(server, WriterLease(server)).open()
    else:
        made = SqliteDatabase(None if request.param == "memory" else tmp_path / "library.sqlite").open()
    yield made
    made.close()
