"""A relay before a server, which counts what comes to it."""

import re
import select
import socket
import socketserver
import ssl
import threading
from collections import Counter
from contextlib import contextmanager, suppress

_BESIDE = re.compile(r"(UPDATE|FROM) writers|^SELECT iri FROM documents WHERE state = 'writing'$")  # heartbeats
_REQUEST = re.compile(rb"(?:GET|POST|PUT|DELETE|HEAD) (/\w*)[^\r\n]* HTTP/1\.1\r\n")


class _Relay(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


@contextmanager
def _relayed(connect, reader):
    """The port of a relay to what `connect` connects to; `reader` makes what is given each client's bytes."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            read = reader()
            with connect() as server:
                back = threading.Thread(target=_pass, args=(server, self.request), daemon=True)
                back.start()
                _pass(self.request, server, read)
                back.join()

    with _Relay(("127.0.0.1", 0), Handler) as relay:
        threading.Thread(target=relay.serve_forever, daemon=True).start()
        yield relay.server_address[1]
        relay.shutdown()


def _pass(one, other, read=None):
    with suppress(OSError):
        while data := one.recv(65536):
            if read:
                read(data)
            other.sendall(data)
    with suppress(OSError):
        other.shutdown(socket.SHUT_WR)


class Statements:
    """What comes to a PostgreSQL server over a relay: statements outside of transactions, and transactions."""

    def __init__(self):
        self.reads, self.transactions = [], []

    def clear(self):
        self.reads.clear()
        self.transactions.clear()

    def told(self, sql, transaction):
        """Note a statement; `transaction` has those of the one that is open on the connection, if any."""
        if sql == "BEGIN":
            transaction.append([])
        elif sql in ("COMMIT", "ROLLBACK"):
            self.transactions.append(transaction.pop())
        elif transaction:
            transaction[-1].append(sql)
        elif sql != "SELECT 1" and not _BESIDE.search(sql):
            self.reads.append(sql)


class _Client:
    """The messages of one client of PostgreSQL, by version 3 of its protocol."""

    def __init__(self, counted):
        self.counted = counted
        self.held, self.named, self.bound, self.transaction = bytearray(), {}, {}, []
        self.kinds = 0  # the first message has none

    def __call__(self, data):
        self.held.extend(data)
        while len(self.held) >= 4 + self.kinds:
            size = int.from_bytes(self.held[self.kinds : self.kinds + 4]) + self.kinds
            if len(self.held) < size:
                return
            self._read(bytes(self.held[: self.kinds]), bytes(self.held[4 + self.kinds : size]))
            del self.held[:size]
            self.kinds = 1

    def _read(self, kind, body):
        if kind == b"P":
            name, sql, _ = body.split(b"\0", 2)
            self.named[name] = sql.decode()
        elif kind == b"B":
            portal, name, _ = body.split(b"\0", 2)
            self.bound[portal] = self.named[name]
        elif kind == b"E":
            self.counted.told(self.bound[body.split(b"\0", 1)[0]], self.transaction)
        elif kind == b"Q":
            self.counted.told(body.rstrip(b"\0").decode(), self.transaction)


def _connected(address):
    """A connection to a PostgreSQL server."""
    if not address.host.startswith("/"):
        return socket.create_connection((address.host, address.port))
    made = socket.socket(socket.AF_UNIX)
    made.connect(f"{address.host}/.s.PGSQL.{address.port}")
    return made


@contextmanager
def relayed_postgres(address):
    """The URL of a relay to a server, and what comes to it."""
    counted = Statements()
    word = f":{address.password}" if address.password else ""
    with _relayed(lambda: _connected(address), lambda: _Client(counted)) as port:
        yield f"postgresql://{address.user}{word}@127.0.0.1:{port}/{address.database}?sslmode=disable", counted


@contextmanager
def over_tls(address, certificate):
    """The port of what speaks TLS before a PostgreSQL server, and the versions that clients agreed on.

    `certificate` is a file with the certificate and its key.
    """
    context, agreed = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH), []
    context.load_cert_chain(certificate)

    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            assert self.request.recv(8) == bytes.fromhex("00000008 04d2162f"), "a client begins by asking for TLS"
            self.request.sendall(b"S")
            with (
                suppress(OSError),  # who does not trust the certificate hangs up
                context.wrap_socket(self.request, server_side=True) as client,
                _connected(address) as server,
            ):
                agreed.append(client.version())
                _pass_by_turns(client, server)

    with _Relay(("127.0.0.1", 0), Handler) as relay:
        threading.Thread(target=relay.serve_forever, daemon=True).start()
        yield relay.server_address[1], agreed
        relay.shutdown()


def _pass_by_turns(client, server):
    """Pass on what each of two says, in one thread: TLS does not read and write at the same time."""
    while True:
        for one in [client] if client.pending() else select.select([client, server], [], [])[0]:
            if not (data := one.recv(65536)):
                return
            (server if one is client else client).sendall(data)


@contextmanager
def relayed_http(address):
    """The base URL of a relay to a server, and the requests that come to it by path."""
    counted = Counter()
    host, _, port = address.removeprefix("http://").partition(":")

    def reader():
        return lambda data: counted.update(path.decode() for path in _REQUEST.findall(data))

    with _relayed(lambda: socket.create_connection((host, int(port))), reader) as at:
        yield f"http://127.0.0.1:{at}", counted
