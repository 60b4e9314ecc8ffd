"""A service on loopback that speaks OpenAI's chat completions and says what a test tells it to, however wrong."""

import json
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = "sk-test-4f1c9d7e0b2a8866"
MODEL = "stub-llm-1"


@dataclass
class Reply:
    """One response: pieces of text as a stream of events, or a body; then how it ends."""

    pieces: tuple[str, ...] = ()
    usage: tuple[int, int] | None = (11, 7)
    finish: str | None = "stop"
    model: str = MODEL
    status: int = 200
    headers: dict = field(default_factory=dict)
    body: str | None = None
    kind: str = "text/event-stream"
    wait: float = 0.0  # seconds before each piece
    raw: tuple[str, ...] = ()  # lines as they are, before the end
    cut: bool = False  # the connection breaks off instead of an end


def says(text, size=40, **more):
    """A whole reply in pieces."""
    return Reply(tuple(text[i : i + size] for i in range(0, len(text), size)), **more)


def whole(text, refusal=None):
    """A reply that does not come as a stream."""
    message = {"role": "assistant", "content": text, "refusal": refusal}
    told = {"model": MODEL, "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 2}}  # fmt: skip
    return Reply(body=json.dumps(told), kind="application/json")


def lines(items, **more):
    """A reply of one JSON object a line."""
    return says("\n".join(map(json.dumps, items)), size=500, **more)


def rows(request):
    """The rows of data in a prompt."""
    _, _, data = request["messages"][1]["content"].partition("BEGIN DATA\n")
    return [json.loads(line) for line in data.partition("\nEND DATA")[0].splitlines()]


def fails(status, message="no", code=None, **headers):
    """A response that tells of an error, as such services do."""
    error = {"message": message, "type": "error", "param": None, "code": code}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status=status, body=json.dumps({"error": error}), kind="application/json", headers=named)


def offers(*names):
    """The list of models a service has."""
    listed = [{"id": name, "object": "model", "created": 0, "owned_by": "someone"} for name in names]
    return Reply(body=json.dumps({"object": "list", "data": listed}), kind="application/json")


def page(text="<html><body>Welcome</body></html>", status=200):
    """A response for people."""
    return Reply(status=status, body=text, kind="text/html")


@dataclass
class Server:
    """What was asked, and what is still to be said; the last reply is said again and again."""

    replies: list
    asked: list = field(default_factory=list)
    keys: list = field(default_factory=list)
    times: list = field(default_factory=list)
    url: str = ""
    gone: threading.Event = field(default_factory=threading.Event)  # set when a reader left before the end
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next(self, request, key):
        with self.lock:
            self.asked.append(request)
            self.keys.append(key)
            self.times.append(time.monotonic())
            reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        return reply(request) if callable(reply) else reply

    def prompt(self, number):
        """The user's part of a request."""
        return self.asked[number]["messages"][1]["content"]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        reply = self.server.script.next(asked, self.headers.get("authorization", ""))
        try:
            self.answer(reply)
        except OSError:
            self.server.script.gone.set()
        self.close_connection = True

    def do_GET(self):
        self.answer(self.server.script.next(self.path, self.headers.get("authorization", "")))
        self.close_connection = True

    def answer(self, reply):
        self.send_response(reply.status)
        self.send_header("content-type", reply.kind)
        self.send_header("connection", "close")
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if reply.body is not None:
            self.send_header("content-length", str(len(reply.body.encode())))
            self.end_headers()
            self.wfile.write(reply.body.encode())
            return
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for piece in reply.pieces:
            time.sleep(reply.wait)
            self.event(reply, [{"index": 0, "delta": {"content": piece}, "finish_reason": None}])
        for line in reply.raw:
            time.sleep(reply.wait)
            self.chunk(line)
        if reply.cut:
            self.connection.close()
            return
        if reply.finish:
            self.event(reply, [{"index": 0, "delta": {}, "finish_reason": reply.finish}])
        if reply.usage:
            told, made = reply.usage
            used = {"prompt_tokens": told, "completion_tokens": made, "total_tokens": told + made}
            self.event(reply, [], usage=used)
        if reply.finish:
            self.chunk("data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def event(self, reply, choices, **more):
        chunk = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": reply.model, "choices": choices}
        self.chunk(f"data: {json.dumps({**chunk, **more})}\n\n")

    def chunk(self, text):
        data = text.encode()
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()


class Quiet(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):  # who asked has gone
            super().handle_error(request, client_address)


@contextmanager
def serving(*replies):
    """A running service that says these replies in order."""
    script = Server(list(replies))
    server = Quiet(("127.0.0.1", 0), Handler)
    server.script = script
    script.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def answering(body, status=200, wait=0.0, headers=()):
    """A server that gives each GET one answer: its port, and the paths and headers that were asked with."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append((self.path, dict(self.headers)))
            time.sleep(wait)
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body if isinstance(body, bytes) else json.dumps(body).encode())

        def log_message(self, *_):
            pass

    server = Quiet(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1], asked
    finally:
        server.shutdown()
        server.server_close()
