"""A connection to TrustGraph's gateway: one for each question that is asked, and one for what is looked up.

A connection that was cut is opened anew with the next request. Of a question that goes on no rest can be asked for.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit, urlunsplit

from explorer.errors import WorkspaceError
from explorer.text import one_line, truncate

if TYPE_CHECKING:
    from websockets.sync.client import ClientConnection

Message = Mapping[str, object]
SILENT = 120.0  # seconds
_SOCKET = "/api/v1/socket"
_LARGEST = 64_000_000  # bytes of a message
_AT_ONCE = 10  # requests under way; a gateway makes more of them wait
_OPENING = 10.0  # seconds
_SAID = 200  # letters of what a gateway says
_SCHEMES = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}
_WITHOUT = "Connecting to TrustGraph needs websockets: pip install 'provenance-explorer[trustgraph]'."


class CutError(WorkspaceError):
    """The connection was cut, or the gateway fell silent."""


class Gateway:
    """Asks one gateway for one flow; `requests` counts what it was asked."""

    def __init__(self, address: str, token: str | None, flow: str, timeout: float = SILENT) -> None:
        """Connect; raises WorkspaceError where nobody listens or the token is refused, and ImportError."""
        parts = urlsplit(address if "://" in address else f"ws://{address}")
        if parts.scheme not in _SCHEMES or not parts.hostname:
            raise WorkspaceError(f"{one_line(address)!r} is no address of a gateway; write it as ws://host:8088.")
        path = parts.path if parts.path.strip("/") else _SOCKET
        self._address = urlunsplit((_SCHEMES[parts.scheme], parts.netloc, path, "", ""))
        self.name = f"{parts.hostname}:{parts.port}" if parts.port else parts.hostname
        self._token = token
        self._flow = flow
        self.timeout = timeout
        self._workspace: str | None = None
        self._lock = threading.RLock()
        self._looking: _Connection | None = None
        self.requests = 0
        self._look()

    def stream(self, service: str, request: Message) -> Iterator[Message]:
        """Ask at once, on a connection of its own, and return the messages as they come; closing them hangs up.

        Raises WorkspaceError where it can't be asked, and with the messages CutError where they break off.
        """
        connection = self._open()
        [key] = connection.send([self._envelope(service, request)])
        return self._messages(connection, key)

    def _messages(self, connection: _Connection, key: str) -> Iterator[Message]:
        try:
            while True:
                message = connection.receive()
                if message.get("id", key) != key:
                    continue
                yield message
                if message.get("complete") is True or _error(message):
                    return
        finally:
            connection.close()

    def look_up(self, asked: Sequence[tuple[str, Message]]) -> list[Message]:
        """Return the reply to each request, a pair of service and fields; the last one of a reply in pieces has all
        lists joined. A cut connection is opened once more. Raises WorkspaceError.
        """
        with self._lock:
            try:
                return self._replies(asked)
            except CutError:
                self._hang_up()
                return self._replies(asked)

    def store(self, kind: str, messages: Sequence[Message]) -> None:
        """Send messages to the import of a kind, such as "triples"; raises WorkspaceError."""
        parts = urlsplit(self._address)
        query = f"token={quote(self._token)}" if self._token else ""
        path = f"{parts.path.removesuffix('/socket')}/flow/{quote(self._flow)}/import/{quote(kind)}"
        connection = _Connection(urlunsplit((*parts[:2], path, query, "")), self.name, self.timeout)
        try:
            for message in messages:
                self.requests += 1
                connection.tell(message)
        finally:
            connection.close()

    def close(self) -> None:
        """Hang up."""
        with self._lock:
            self._hang_up()

    def _hang_up(self) -> None:
        looking, self._looking = self._looking, None
        if looking is not None:
            looking.close()

    def _look(self) -> _Connection:
        self._looking = self._looking or self._open()
        return self._looking

    def _replies(self, asked: Sequence[tuple[str, Message]]) -> list[Message]:
        connection = self._look()
        told: list[Message] = []
        for start in range(0, len(asked), _AT_ONCE):
            keys = connection.send([self._envelope(*one) for one in asked[start : start + _AT_ONCE]])
            found: dict[str, Message] = {}
            waiting = set(keys)
            while waiting:
                message = connection.receive()
                key = str(message.get("id"))
                if key in waiting:
                    found[key] = _joined(found.get(key), message)
                    waiting -= {key} if message.get("complete") is not False or _error(message) else set()
            told += [found[key] for key in keys]
        return told

    def _envelope(self, service: str, request: Message) -> dict[str, object]:
        self.requests += 1
        envelope: dict[str, object] = {"id": uuid.uuid4().hex, "service": service, "request": request}
        if self._workspace is not None:
            envelope["workspace"] = self._workspace
        return envelope if service == "librarian" else {**envelope, "flow": self._flow}

    def _open(self) -> _Connection:
        connection = _Connection(self._address, self.name, self.timeout)
        with ExitStack() as closing:
            closing.callback(connection.close)
            connection.tell({"type": "auth", "token": self._token or ""})
            reply = connection.receive()
            if reply.get("type") == "auth-failed":
                raise WorkspaceError(f"TrustGraph at {self.name} refuses the token; give another as token=….")
            workspace = reply.get("default_workspace")  # an older gateway does not know the message, and says so
            self._workspace = workspace if isinstance(workspace, str) else None
            closing.pop_all()
        return connection


class _Connection:
    """One open socket, of which nothing but WorkspaceError comes."""

    def __init__(self, address: str, name: str, timeout: float) -> None:
        try:
            from websockets.exceptions import WebSocketException
            from websockets.sync.client import connect
        except ImportError as error:
            raise ImportError(_WITHOUT) from error
        self._name = name
        self._timeout = timeout
        self._failures = (OSError, EOFError, WebSocketException)
        self._stack = ExitStack()
        try:
            self._socket: ClientConnection = self._stack.enter_context(
                connect(address, max_size=_LARGEST, open_timeout=_OPENING, close_timeout=1)
            )
        except self._failures as error:
            said = truncate(one_line(str(error)) or type(error).__name__, _SAID)
            raise WorkspaceError(
                f"TrustGraph does not answer at {name} ({said}); check the address, and that its gateway runs."
            ) from error

    def tell(self, message: Message) -> None:
        try:
            self._socket.send(json.dumps(message))
        except self._failures as error:
            raise self._cut() from error

    def send(self, envelopes: Sequence[dict[str, object]]) -> list[str]:
        for one in envelopes:
            self.tell(one)
        return [str(one["id"]) for one in envelopes]

    def receive(self) -> Message:
        """Return the next message; what is none is left out."""
        while True:
            try:
                message = json.loads(self._socket.recv(self._timeout))
            except TimeoutError as error:
                raise CutError(f"TrustGraph at {self._name} was silent for {self._timeout:g} s.") from error
            except self._failures as error:
                raise self._cut() from error
            except (ValueError, RecursionError):
                continue
            if isinstance(message, dict):
                return message

    def close(self) -> None:
        with suppress(*self._failures):
            self._stack.close()

    def _cut(self) -> CutError:
        return CutError(f"The connection to TrustGraph at {self._name} was cut.")


def _error(message: Message) -> object:
    inner = message.get("response")
    return message.get("error") or (inner.get("error") if isinstance(inner, Mapping) else None)


def said(message: Message) -> str:
    """Return what a reply says went wrong, in a line; empty where nothing did."""
    error = _error(message)
    words = error.get("message") or error.get("type") if isinstance(error, Mapping) else error
    return truncate(one_line(str(words)), _SAID) if error else ""


def _joined(before: Message | None, message: Message) -> Message:
    held, inner = (one.get("response") if one else None for one in (before, message))
    if not isinstance(held, Mapping) or not isinstance(inner, Mapping):
        return message
    lists = {key: [*value, *more] for key, value in held.items()
             if isinstance(value, list) and isinstance(more := inner.get(key, []), list)}  # fmt: skip
    return {**message, "response": {**held, **inner, **lists}}
