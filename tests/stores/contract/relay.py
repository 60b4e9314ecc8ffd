"""A relay before a server, which counts what comes to it."""

import re
import socket
import socketserver
import threading
from collections import Counter
from contextlib import contextmanager, suppress

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

    def reader(self):
        """Read the messages of one client, by the protocol's version 3."""
        held, named, bound, open_ = bytearray(), {}, {}, []
        begun = False

        def told(sql):
            if sql == "BEGIN":
                open_.append([])
            elif sql in ("COMMIT", "ROLLBACK"):
                self.transactions.append(open_.pop())
            elif open_:
                open_[-1].append(sql)
            elif "UPDATE writers" not in sql:  # heartbeats
                self.reads.append(sql)

        def read(data):
            nonlocal begun
            held.extend(data)
            while len(held) >= 5:
                first = 0 if not begun else 1  # the first message has no kind
                size = int.from_bytes(held[first : first + 4]) + first
                if len(held) < size:
                    return
                kind, body = bytes(held[:first]), bytes(held[first + 4 : size])
                del held[:size]
                begun = True
                if kind == b"P":
                    name, sql, _ = body.split(b"\0", 2)
                    named[name] = sql.decode()
                elif kind == b"B":
                    portal, name, _ = body.split(b"\0", 2)
                    bound[portal] = named[name]
                elif kind == b"E":
                    told(bound[body.split(b"\0", 1)[0]])
                elif kind == b"Q":
                    told(body.rstrip(b"\0").decode())

        return read


@contextmanager
def relayed_postgres(address):
    """The URL of a relay to a server, and what comes to it."""
    counted = Statements()

    def connect():
        if not address.host.startswith("/"):
            return socket.create_connection((address.host, address.port))
        made = socket.socket(socket.AF_UNIX)
        made.connect(f"{address.host}/.s.PGSQL.{address.port}")
        return made

    word = f":{address.password}" if address.password else ""
    with _relayed(connect, counted.reader) as port:
        yield f"postgresql://{address.user}{word}@127.0.0.1:{port}/{address.database}?sslmode=disable", counted


@contextmanager
def relayed_http(address):
    """The base URL of a relay to a server, and the requests that come to it by path."""
    counted = Counter()
    host, _, port = address.removeprefix("http://").partition(":")

    def reader():
        return lambda data: counted.update(path.decode() for path in _REQUEST.findall(data))

    with _relayed(lambda: socket.create_connection((host, int(port))), reader) as at:
        yield f"http://127.0.0.1:{at}", counted
