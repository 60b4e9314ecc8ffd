import gc
import ipaddress
import os
import socket
import sys
import uuid
from contextlib import closing
from functools import cache
from itertools import islice
from pathlib import Path

import pytest
from filelock import FileLock

from tests.opened import ON_SERVERS, on_servers

REAL_CONNECT = socket.socket.connect
REAL_CONNECT_EX = socket.socket.connect_ex
REAL_GETADDRINFO = socket.getaddrinfo


def pytest_collection_modifyitems(config, items):
    """On servers leave out what is about a folder or about memory alone."""
    if ON_SERVERS:
        left_out = [item for item in items if item.get_closest_marker("embedded")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def stays_here(host):
    if isinstance(host, bytes):
        host = host.decode()
    if host in (None, "", "localhost"):
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    """A look-up of another host, or a connection to one, fails the test even if the code survives it."""
    tried = []

    def check(host):
        if not stays_here(host):
            tried.append(host)
            raise OSError(f"tests have no network, and this one asked for {host!r}")

    def connect(sock, address):
        if sock.family in (socket.AF_INET, socket.AF_INET6):
            check(address[0])
        return REAL_CONNECT(sock, address)

    def connect_ex(sock, address):
        if sock.family in (socket.AF_INET, socket.AF_INET6):
            check(address[0])
        return REAL_CONNECT_EX(sock, address)

    def getaddrinfo(host, *args, **kwargs):
        check(host)
        return REAL_GETADDRINFO(host, *args, **kwargs)

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket.socket, "connect_ex", connect_ex)
    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    yield tried
    assert not tried, f"this test asked for other hosts: {tried}"


@pytest.fixture(autouse=True)
def no_model_servers(monkeypatch):
    """Whatever serves models on the machine that tests run on is left alone."""
    from explorer.models import local

    usual = local.SERVERS
    monkeypatch.setattr(local, "SERVERS", {})
    return usual


@pytest.fixture(scope="module", autouse=True)
def left_out_of_garbage_collection():
    """What is there before a module stays, tests and models alike; the collector would look through it."""
    gc.collect()
    gc.freeze()


class Remembering:
    """The parser of English, which parses a sentence once: most tests read the same few documents."""

    def __init__(self, language):
        self.language, self.known = language, {}

    def pipe(self, texts, *, batch_size, as_tuples=False, disable=()):
        given = iter(texts)
        while batch := [*islice(given, batch_size)]:
            keys = [(text, disable) for text in ([text for text, _ in batch] if as_tuples else batch)]
            found = {key: self.known[key] for key in keys if key in self.known}
            new = [*dict.fromkeys(text for text, _ in keys if (text, disable) not in found)]
            found |= {(doc.text, disable): doc for doc in self.language.pipe(new, disable=disable)}
            if len(self.known) > 5_000:
                self.known.clear()
            self.known |= found
            for one, key in zip(batch, keys, strict=True):
                yield (found[key], one[1]) if as_tuples else found[key]


@pytest.fixture(scope="session", autouse=True)
def parsed_once():
    from explorer.language import pipeline

    parser = pipeline._language
    pipeline._language = cache(lambda: Remembering(parser()))
    yield
    pipeline._language = parser


@pytest.fixture(scope="session", autouse=True)
def servers_of_all_tests():
    """What a run on servers has started is stopped in the end; the workspace that tests share is open all the time."""
    if ON_SERVERS:
        from tests.corpus import shared

        shared()
    yield
    if ON_SERVERS:
        on_servers.end()


@pytest.fixture(autouse=True)
def closed_after_the_test(servers_of_all_tests):
    """What a test opened on servers goes with it; what stands for its whole module stays."""
    before = on_servers.opened
    yield
    if ON_SERVERS:
        on_servers.close(before)


@pytest.fixture(scope="session")
def conformance():
    """The folder of recorded sessions and golden triples that EXPLORER_CONFORMANCE_DATA names."""
    named = os.environ.get("EXPLORER_CONFORMANCE_DATA")
    if not named:
        pytest.skip("needs the conformance data: set EXPLORER_CONFORMANCE_DATA to its folder")
    folder = Path(named)
    if not (folder / "golden").is_dir():
        pytest.fail(f"EXPLORER_CONFORMANCE_DATA names {folder}, which has no golden/ folder in it")
    return folder


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory):
    """The folder of a demo workspace that nobody opens: built once for all workers, and copied where one is needed."""
    from explorer import sample

    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "demo"
    with FileLock(f"{folder}.lock"):
        if not (folder / "built").exists():
            sample.demo(folder, progress=False).close()
    return folder


@pytest.fixture
def ws():
    """A workspace with nothing in it."""
    import explorer
    from tests.corpus import Clock, ids

    with explorer.open(ids=ids(), clock=Clock()) as made:
        yield made


@pytest.fixture
def take(ws, tmp_path):
    """Read a new file of this name, with these words or bytes in it."""

    def taken(name, data, **options):
        (tmp_path / name).write_bytes(data if isinstance(data, bytes) else data.encode())
        return ws.ingest(tmp_path / name, progress=False, **options)

    return taken


@pytest.fixture(scope="session")
def postgres():
    """The address of a database: of the one that EXPLORER_TEST_POSTGRES names, else of one from a wheel."""
    if named := os.environ.get("EXPLORER_TEST_POSTGRES"):
        yield named
        return
    from tests.servers.served import started

    with started() as server:
        yield server.get_uri()


@pytest.fixture
def collection(postgres):
    """Connections to a new collection, which goes with the test."""
    from explorer.servers.postgres.server import Address, Server

    server = Server(Address.read(postgres), f"test_{uuid.uuid4().hex}")
    yield server
    with closing(server.connect(None)) as connection:
        connection.run(f'DROP SCHEMA IF EXISTS "{server.schema}" CASCADE')
    server.close()


@pytest.fixture(scope="session")
def endpoint():
    """The addresses of a SPARQL server, for queries, updates and the graph store."""
    from tests.stores.contract.graph_servers import oxigraph

    with oxigraph() as addresses:
        yield " ".join(addresses)


@pytest.fixture
def team(postgres, endpoint):
    """A workspace on servers that goes with the test."""
    from tests.servers.served import Team

    made = Team(postgres, endpoint)
    yield made
    made.close()


@pytest.fixture
def program(monkeypatch, capsys):
    """Run a command in this process as the script does; gives exit code, output and what was said beside it."""
    from explorer import cli

    def command(*arguments):
        monkeypatch.setattr(sys, "argv", ["explorer", *map(str, arguments)])
        code = 0
        try:
            cli.main()
        except SystemExit as end:
            code = end.code or 0
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return code, out, err

    return command
