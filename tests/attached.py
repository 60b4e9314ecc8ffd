"""A store that others fill, for the tests: a real server, and a door in front of it that behaves as some servers do."""

import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx

LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
EX = "http://example.org/"


def fill(store, turtle, graph=None):
    params = {"graph": graph} if graph else {"default": ""}
    headers = {"Content-Type": "text/turtle"}
    httpx.put(store, params=params, content=turtle.encode(), headers=headers, trust_env=False).raise_for_status()


class Door:
    """What stands between a store and those who ask: it notes each request, and can cap, refuse, break or spoil."""

    def __init__(self, behind):
        self.behind = behind
        self.asked = []
        self.cap = None  # rows of a reply, in silence
        self.most = None  # requests that are answered
        self.refuses = ()  # words that no query may have
        self.spoil = None  # changes the rows of a reply
        self.answer = None  # (status, headers, body) in place of the store's
        self.pause = 0.0
        self._client = httpx.Client(timeout=60, trust_env=False)

    def reply(self, method, path, sparql, headers):
        self.asked.append((method, path, sparql, headers))
        time.sleep(self.pause)
        if self.answer is not None:
            return self.answer
        if self.most is not None and len(self.asked) > self.most:
            return 500, {}, b"out of order"
        if any(word in sparql for word in self.refuses):
            return 400, {}, b"this can't be asked here"
        accept = {"Accept": "application/sparql-results+json", "Content-Type": "application/sparql-query"}
        _, mark, dataset = path.partition("?")
        found = self._client.post(f"{self.behind}{mark}{dataset}", content=sparql.encode(), headers=accept)
        if not found.is_success:
            return found.status_code, {}, found.content
        told = found.json()
        rows = told["results"]["bindings"]
        told["results"]["bindings"] = (self.spoil or list)(rows)[: self.cap]
        return 200, {"Content-Type": "application/sparql-results+json"}, json.dumps(told).encode()


@contextmanager
def door(behind):
    """A door before the address of a store; its own address is `at`."""
    known = Door(behind)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            sparql = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
            status, headers, body = known.reply(self.command, self.path, sparql, dict(self.headers))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    for method in ("GET", "PUT", "PATCH", "DELETE"):
        setattr(Handler, f"do_{method}", Handler.do_POST)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    known.at = f"http://127.0.0.1:{server.server_port}/sparql"
    try:
        yield known
    finally:
        server.shutdown()
        server.server_close()
        known._client.close()
