"""Addresses of servers, passwords that are told nobody, and failures that say what happened and what to do."""

import re
import threading
import time
from contextlib import closing

import pytest

from explorer.errors import WorkspaceError
from explorer.servers.postgres.database import PostgresDatabase
from explorer.servers.postgres.lease import WriterLease
from explorer.servers.postgres.server import Address, ConnectionLostError, Server
from tests.servers.served import kill, started

SECRET = "s3cr:et%"


@pytest.fixture(autouse=True)
def no_settings(monkeypatch, tmp_path):
    for name in ("PGPASSWORD", "PGUSER", "PGHOST", "PGPORT", "PGSSLMODE", "PGPASSFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


def test_a_password_is_read_and_never_shown():
    found = Address.read("postgresql://ann:s3cr%3Aet%25@db.example:6432/notes?sslmode=verify-full")
    assert (found.user, found.host, found.port, found.database, found.password) == (
        "ann",
        "db.example",
        6432,
        "notes",
        SECRET,
    )
    assert str(found) == "ann@db.example:6432/notes"
    assert "s3cr" not in repr(found)


@pytest.mark.parametrize("way", ["PGPASSWORD", "PGPASSFILE", "passfile", "home"])
def test_a_password_comes_from_the_environment_or_a_file(way, monkeypatch, tmp_path):
    more, file = "", tmp_path / (".pgpass" if way == "home" else "words")
    if way == "PGPASSWORD":
        monkeypatch.setenv("PGPASSWORD", SECRET)
    else:
        file.write_text("# of ours\nother:*:*:*:no\n*:5432:notes:ann:s3cr\\:et%\n*:*:*:*:late\n")
    if way == "PGPASSFILE":
        monkeypatch.setenv("PGPASSFILE", str(file))
    if way == "passfile":
        more = f"?passfile={file}"
    assert Address.read(f"postgresql://ann@db.example/notes{more}").password == SECRET
    assert Address.read("postgresql://ann@db.example/other").password in (SECRET, "late", None)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("nonsense s3cr", "This is no address"),
        ("postgresql://ann:s3cr@host:port/x", "This is no address"),
        ("postgresql://ann:s3cr@host", "names no database"),
        ("postgresql://host/x", "names no user"),
        ("postgresql://ann:s3cr@host/x?sslmode=maybe", "sslmode 'maybe' is not known"),
        ("postgresql://ann:s3cr@host/x?option=1", "has option; known are"),
        ("postgresql://ann@host/x?passfile=/nowhere", "can't be read"),
    ],
)
def test_an_address_that_is_none_is_refused_without_repeating_it(url, said):
    with pytest.raises(WorkspaceError, match=said) as failed:
        Address.read(url)
    assert "s3cr" not in str(failed.value)


@pytest.mark.parametrize(
    ("mode", "hostname", "verified"),
    [("require", False, "CERT_NONE"), ("verify-ca", False, "CERT_REQUIRED"), ("verify-full", True, "CERT_REQUIRED")],
)
def test_tls_is_as_the_address_says(mode, hostname, verified):
    context = Address("ann", "db.example", 5432, "notes", mode).transport["ssl_context"]
    assert (context.check_hostname, context.verify_mode.name) == (hostname, verified)
    assert Address("ann", "db.example", 5432, "notes", "disable").transport["ssl_context"] is False
    assert Address("ann", "/run/pg", 5433, "notes").transport == {"unix_sock": "/run/pg/.s.PGSQL.5433"}


def test_what_the_server_refuses_says_what_to_do(collection):
    to = collection.address
    nothing = Address(to.user, to.host, to.port, "nothing here")
    with pytest.raises(WorkspaceError, match="check the name, or create it there"):
        PostgresDatabase(Server(nothing, "x")).open()
    nobody = Address(to.user, "/nowhere", to.port, to.database)
    with pytest.raises(ConnectionLostError, match=r"can't be reached .*see whether it runs"):
        PostgresDatabase(Server(nobody, "x")).open()


def test_a_wrong_password_and_a_role_that_only_reads_are_told(collection):
    with closing(collection.connect(None)) as owner:
        owner.run("DROP ROLE IF EXISTS looks")
        owner.run("CREATE ROLE looks LOGIN PASSWORD 'right'")
    with closing(PostgresDatabase(collection, WriterLease(collection)).open()):
        pass
    to, server = collection.address, Server(collection.address, collection.schema)
    with closing(server.connect(None)) as owner:
        owner.run(f'GRANT USAGE ON SCHEMA "{server.schema}" TO looks')
        owner.run(f'GRANT SELECT ON ALL TABLES IN SCHEMA "{server.schema}" TO looks')
    looks = Server(Address("looks", to.host, to.port, to.database, password="right"), server.schema)
    with closing(PostgresDatabase(looks).open()) as reader:
        assert reader.tally("text").held == 0
    looks = Server(Address("looks", to.host, to.port, to.database, password="right"), server.schema)
    with closing(looks), pytest.raises(WorkspaceError, match="ask its owner for the right"):
        PostgresDatabase(looks, WriterLease(looks)).open()
    with closing(server.connect(None)) as owner:
        owner.run("DROP OWNED BY looks")
        owner.run("DROP ROLE looks")


@pytest.fixture
def own_server():
    """A server that a test may stop."""
    with started() as server:
        yield server


def cut_off(database, server):
    """Begin to write, and have the server be killed."""
    with database.writing() as connection:
        connection.execute("INSERT INTO settings VALUES ('b', 'x')")
        kill(server)
        connection.execute("INSERT INTO settings VALUES ('c', 'x')")


def test_a_server_that_is_killed_ends_what_goes_on_and_is_used_again_when_it_is_back(own_server):
    server = Server(Address.read(own_server.get_uri()), "explorer_default", timeout=5)
    with closing(PostgresDatabase(server, WriterLease(server)).open()) as database:
        with database.writing() as connection:
            connection.execute("INSERT INTO settings VALUES ('a', 'x')")
        began = time.monotonic()
        with pytest.raises(ConnectionLostError, match=re.escape(str(server.address))):
            cut_off(database, own_server)
        with pytest.raises(ConnectionLostError):
            database.tally("text")
        assert time.monotonic() - began < 10
        own_server.ensure_postgres_running()
        found = database.rows("SELECT name FROM settings WHERE value = 'x'")
        assert [row["name"] for row in found] == ["a"]
        with database.writing() as connection:
            connection.execute("INSERT INTO settings VALUES ('b', 'x')")
        assert len(database.rows("SELECT name FROM settings WHERE value = 'x'")) == 2


def test_an_answer_that_takes_too_long_is_given_up(collection):
    server = Server(collection.address, collection.schema, timeout=1)
    with closing(PostgresDatabase(server, WriterLease(server)).open()) as database:
        began = time.monotonic()
        with pytest.raises(ConnectionLostError, match=r"longer than 1 seconds|not answered for 1 seconds"):
            database.rows("SELECT pg_sleep(30)")
        assert time.monotonic() - began < 10
        assert database.tally("text").held == 0


def test_many_threads_share_few_connections(collection):
    with closing(PostgresDatabase(collection, WriterLease(collection)).open()) as database:
        failed = []

        def ask():
            try:
                for _ in range(5):
                    database.tally("text")
            except WorkspaceError as error:
                failed.append(error)

        threads = [threading.Thread(target=ask) for _ in range(24)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failed == []
