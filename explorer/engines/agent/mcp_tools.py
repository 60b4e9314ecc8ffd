"""Tools of servers of the Model Context Protocol.

    with explorer.mcp_tools("uvx mcp-server-time") as tools:
        trace = ws.run("What happened on this day?", engine="agent", tools=tools)

A server is started, or connected to, when its block begins, and ended with it. What it says is text of somebody else:
it is cut to a limit, a call that takes too long is given up, and a server that ends or hangs is an error of its call.
It sees its arguments alone: no keys of the environment, no files, and no model of ours, if it asks for one.
"""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import shutil
import signal
import threading
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Generator, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, Self, cast

from explorer.engines.agent.functions import LONGEST, FunctionTool, kind_of
from explorer.engines.agent.output import KEPT, kept, written
from explorer.engines.agent.tools import HANGS, Call, Tool, ToolResult, failed
from explorer.errors import QuestionError
from explorer.events import Event
from explorer.reasoning.agent_protocol import Argument, ToolSpec
from explorer.text import one_line, strip_controls

MOST = 100  # tools of one server
_ARGUMENTS, _ABOUT = 50, 400  # of one tool, and characters of what is said of each
_START = 30.0  # seconds until a server has told its tools
_END = 10.0  # seconds that a server has to end
LONGEST_MESSAGE = 32 * 2**20  # bytes: a message is a line
_PATIENCE = 2.0  # seconds for a server to end in, before it is killed
_USUAL = 60.0  # seconds for a call from Python
_TYPES = ("string", "integer", "number", "boolean", "array", "object")


class ServerTool(FunctionTool):
    """A tool of a server; calling it from Python returns the text of its result, as an agent is given it."""

    def __init__(self, connection: _Connection, spec: ToolSpec, called: str) -> None:
        def ask(**arguments: Any) -> str:  # noqa: ANN401 - as the server takes them
            return connection.call(called, arguments, _USUAL).text

        ask.__name__, ask.__doc__ = spec.name, spec.description
        super().__init__(ask, name=spec.name, description=spec.description)
        self._spec, self._run = spec, partial(_run, connection, called)

    def as_tool(self) -> Tool:
        """Return the tool."""
        return Tool(spec=self._spec, run=self._run)


@contextmanager
def mcp_tools(
    server: str | Sequence[str], *, name: str | None = None, token: str | None = None
) -> Iterator[list[ServerTool]]:
    """Yield the tools of a server of the Model Context Protocol, for `tools` of `ask` and `run`, while the block lasts.

    `server` is a command that starts one here, as a text or a list, or the address of one that runs: http:// or
    https://, to which the `token` is sent if one is given. Tools are called by the name of the server, a full stop and
    their own; `name` is by default what the server calls itself. Raises QuestionError where there is no such server, it
    does not answer within 30 seconds, or two of its tools would have one name.
    """
    connection = _Connection(_target(server, token), _said(server))
    try:
        yield connection.tools(name)
    finally:
        connection.end()


def _target(server: str | Sequence[str], token: str | None) -> Any:  # noqa: ANN401 - a transport of the library
    """Return what the library connects to; nothing is started yet."""
    try:
        from mcp.client.streamable_http import streamable_http_client
        from mcp.shared._httpx_utils import create_mcp_http_client
    except ImportError as error:
        message = "Tools of MCP servers need the package mcp: pip install 'provenance-explorer[mcp]'."
        raise QuestionError(message) from error
    if isinstance(server, str) and server.startswith(("http://", "https://")):
        heads = {"Authorization": f"Bearer {token}"} if token else None
        return streamable_http_client(server, http_client=create_mcp_http_client(headers=heads))
    try:
        words = shlex.split(server) if isinstance(server, str) else list(server)
    except ValueError:  # a quotation mark without its other
        words = []
    if not words:
        raise QuestionError(f"{server!r} is no command that starts a server; write it as in a terminal.")
    return _running(words)


def _said(server: str | Sequence[str]) -> str:
    """Return how a server is called in messages: without what may be secret, which is all but its first word."""
    words = server.split() if isinstance(server, str) else list(server)
    return re.sub(r"(?<=//)[^/@]*@|[?#].*", "", one_line(words[0]))[:200] if words else ""


@dataclass(slots=True)
class _Connection:
    target: Any
    said: str
    called: str = ""
    _hung: int = 0
    _listed: Future[tuple[str, list[Any]]] = field(default_factory=Future)
    _client: Any = None
    _loop: asyncio.AbstractEventLoop | None = None
    _over: asyncio.Event = field(default_factory=asyncio.Event)
    _thread: threading.Thread | None = None

    def tools(self, name: str | None) -> list[ServerTool]:
        self._thread = threading.Thread(target=self._live, name=f"MCP server {self.said}", daemon=True)
        self._thread.start()
        try:
            own, offered = self._listed.result(_START)
        except TimeoutError:
            raise QuestionError(f"The MCP server {self.said!r} did not answer within {_START:g} s.") from None
        except Exception as error:
            raise QuestionError(f"The MCP server {self.said!r} can't be used: {_reason(error)}.") from error
        if len(offered) > MOST:
            raise QuestionError(f"The MCP server {self.said!r} offers more than {MOST} tools, which no agent can read.")
        self.called = _plain(name or own)[:24] or "mcp"
        made = [ServerTool(self, _spec(self.called, one), one.name) for one in offered]
        names = [one.name for one in made]
        if twice := [one for one in names if names.count(one) > 1]:
            raise QuestionError(f"The MCP server {self.said!r} offers two tools named {twice[0]!r}; it can't be used.")
        return made

    def call(self, name: str, arguments: Mapping[str, Any], seconds: float) -> ToolResult:
        """Call a tool, and give it up when its time is over; whatever goes wrong is its result."""
        if self._loop is None or self._hung >= HANGS:
            return failed(f"the server of '{name}' has ended")
        try:
            asked = asyncio.run_coroutine_threadsafe(self._client.call_tool(name, dict(arguments)), self._loop)
            result = asked.result(max(0.0, min(seconds, threading.TIMEOUT_MAX)))
        except TimeoutError:
            asked.cancel()
            self._hung += 1
            if self._hung >= HANGS:  # it may go on for ever, and send as much as it likes
                self._wind_up()
            return failed(f"'{name}' did not come back within {seconds:g} s; its result is discarded")
        except (Exception, CancelledError) as error:  # noqa: BLE001 - of the library, or of what the server said
            return failed(f"the server of '{name}' gave no result: {_reason(error)}")
        text = _text(result)
        if result.is_error:
            return failed(kept(text, LONGEST))
        return ToolResult(text=text, transformation=f"asked the MCP server {self.called}: {self.said}")

    def end(self) -> None:
        self._wind_up()
        if self._thread is not None:
            self._thread.join(_END)

    def _wind_up(self) -> None:
        with suppress(RuntimeError):  # it has ended by itself
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._over.set)

    def _live(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:  # noqa: BLE001 - of the library, which groups them
            if not self._listed.done():
                self._listed.set_exception(ConnectionError(_reason(error)))
        finally:
            self._loop = None

    async def _serve(self) -> None:
        """Talk to the server until the end, which may come before it has said anything."""
        self._loop = asyncio.get_running_loop()
        talking = asyncio.ensure_future(self._talk())
        over = asyncio.ensure_future(self._over.wait())
        await asyncio.wait((talking, over), return_when=asyncio.FIRST_COMPLETED)
        if not self._listed.done():
            talking.cancel()
        await talking

    async def _talk(self) -> None:
        from mcp import Client

        async with Client(self.target, cache=None) as self._client:
            page = await self._client.list_tools()
            offered = [*page.tools]
            while page.next_cursor and len(offered) <= MOST:
                page = await self._client.list_tools(cursor=page.next_cursor)
                offered += page.tools
            told = self._client.server_info
            self._listed.set_result((told.name if told else "mcp", offered))
            await self._over.wait()


def _run(connection: _Connection, name: str, call: Call) -> Generator[Event, None, ToolResult]:
    yield from ()  # it has no trace of its own
    return connection.call(name, call.arguments, call.timeout)


def _plain(name: str) -> str:
    return re.sub(r"[^\w.-]+", "_", name)


def _spec(prefix: str, offered: Any) -> ToolSpec:  # noqa: ANN401 - a tool of the library
    schema = offered.input_schema
    given, required = schema.get("properties"), schema.get("required")
    needed = required if isinstance(required, list) else []
    each = islice(given.items(), _ARGUMENTS) if isinstance(given, dict) else ()
    arguments = tuple(_argument(name, part, schema, needs=name in needed) for name, part in each if len(name) <= 64)
    about = one_line(offered.description or offered.title or "")
    return ToolSpec(f"{prefix}.{_plain(offered.name)}"[:64], kept(about, LONGEST), arguments)


def _argument(name: str, part: Any, schema: Mapping[str, Any], *, needs: bool) -> Argument:  # noqa: ANN401 - any JSON
    kind, words = "string", ""
    with suppress(AttributeError, KeyError, TypeError, ValueError):  # a schema that is none
        kind, allowed = kind_of({**part, "$defs": schema.get("$defs", {})})
        words = one_line(f"{part.get('description', '')} {allowed}")
    return Argument(one_line(name), kind if kind in _TYPES else "string", kept(words, _ABOUT), needs)


def _text(result: Any) -> str:  # noqa: ANN401 - a result of the library
    text = "\n".join(map(_block, result.content))
    if not text and result.structured_content is not None:
        text = written(result.structured_content)
    return kept(strip_controls(text[:KEPT]), KEPT, len(text)) or "(nothing)"


def _block(block: Any) -> str:  # noqa: ANN401 - a part of a result of the library
    resource = getattr(block, "resource", block)
    text: str | None = getattr(resource, "text", None)
    if text is not None:
        return text
    about = (block.type, getattr(resource, "mime_type", None), getattr(resource, "uri", None))
    return f"[not shown: {', '.join(str(one) for one in about if one)}]"


def _reason(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    said = one_line(str(error)[:LONGEST])[:300].rstrip(".")
    return said or type(error).__name__


class _Pipes:
    """Messages to and from a server, as the library reads and writes them; one that is too long is the last."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def send(self, message: Any) -> None:  # noqa: ANN401 - of the library
        """Write a message."""
        self._writer.write(message.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
        await self._writer.drain()

    async def __anext__(self) -> Any:  # noqa: ANN401 - a message of the library, or why a line is none
        from mcp.shared.message import SessionMessage
        from mcp.types import jsonrpc_message_adapter

        try:
            line = await self._reader.readline()
        except ValueError:  # the line has no end within the limit
            line = b""
        if not line:
            raise StopAsyncIteration
        try:
            return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
        except ValueError as error:
            return error

    def __aiter__(self) -> Self:
        return self

    async def __aenter__(self) -> Self:
        """Return itself; the process lives longer."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Leave the process to whoever has started it."""

    async def ended(self, process: Process) -> None:
        """Close the pipes, and wait until the server has ended."""
        self._writer.close()
        while await self._reader.read(2**16):
            pass
        await process.wait()


@asynccontextmanager
async def _running(words: Sequence[str]) -> AsyncIterator[tuple[_Pipes, _Pipes]]:
    """Start a server, and end it with the block; of our environment it is given what names no secret."""
    from mcp.client.stdio import get_default_environment

    process = await asyncio.create_subprocess_exec(
        shutil.which(words[0]) or words[0], *words[1:], stdin=PIPE, stdout=PIPE, stderr=DEVNULL,
        env=get_default_environment(), limit=LONGEST_MESSAGE, start_new_session=True,
    )  # fmt: skip
    pipes = _Pipes(cast("asyncio.StreamReader", process.stdout), cast("asyncio.StreamWriter", process.stdin))
    try:
        yield pipes, pipes
    finally:
        ending = asyncio.ensure_future(pipes.ended(process))
        await asyncio.wait((ending,), timeout=_PATIENCE)
        if not ending.done():
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
            await asyncio.wait((ending,), timeout=_PATIENCE)
        ending.cancel()
