"""A server of the Model Context Protocol in a process of its own: a message is a line, and none is beyond a limit."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Self, cast

LONGEST = 32 * 2**20  # bytes of a message
_PATIENCE = 2.0  # seconds to end in, before it is killed


class Pipes:
    """Messages to and from a server, as the library reads and writes them; one that is too long is the last."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Store both ends."""
        self._reader, self._writer = reader, writer

    async def send(self, message: Any) -> None:  # noqa: ANN401 - of the library
        """Write a message."""
        self._writer.write(message.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
        await self._writer.drain()

    async def __anext__(self) -> Any:  # noqa: ANN401 - a message of the library, or why a line is none
        """Read the next message."""
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
        """Return itself."""
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
async def running(words: Sequence[str]) -> AsyncIterator[tuple[Pipes, Pipes]]:
    """Start a server, and end it with the block; of our environment it is given what names no secret."""
    from mcp.client.stdio import get_default_environment

    process = await asyncio.create_subprocess_exec(
        shutil.which(words[0]) or words[0], *words[1:], stdin=PIPE, stdout=PIPE, stderr=DEVNULL,
        env=get_default_environment(), limit=LONGEST, start_new_session=True,
    )  # fmt: skip
    pipes = Pipes(cast("asyncio.StreamReader", process.stdout), cast("asyncio.StreamWriter", process.stdin))
    try:
        yield pipes, pipes
    finally:
        ending = asyncio.ensure_future(pipes.ended(process))
        await asyncio.wait((ending,), timeout=_PATIENCE)
        if not ending.done():
            _kill(process)
            await asyncio.wait((ending,), timeout=_PATIENCE)
        ending.cancel()


def _kill(process: Process) -> None:
    with suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
