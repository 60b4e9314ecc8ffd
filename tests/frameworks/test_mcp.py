"""A workspace served to a real client of the Model Context Protocol."""

import asyncio
import importlib
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import explorer

pytestmark = pytest.mark.frameworks

LOG = "# Log\n\nAda Smith replaced the seal of the second pump on 3 April.\n"
QUESTION = "Who replaced the seal of the pump?"
READS = {"search", "list_runs", "show_run", "open_passage", "verify"}
FRAMEWORKS = str(Path(__file__).parents[2] / ".frameworks")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "log.md").write_text(LOG)
    with explorer.open(tmp_path / "ws") as ws:
        ws.ingest(tmp_path / "log.md", progress=False)
        ws.run(QUESTION)
    return tmp_path / "ws"


def served(folder, *options):
    """The command, with the libraries of others behind what it runs with."""
    code = f"import sys; sys.path.append({FRAMEWORKS!r}); from explorer.cli.commands import main; main()"
    return [sys.executable, "-c", code, "mcp", "-w", str(folder), *options]


def talked(folder, *options):
    """All that a client gets of a server on stdin and stdout."""
    mcp = importlib.import_module("mcp")
    stdio = importlib.import_module("mcp.client.stdio")
    command, *arguments = served(folder, *options)

    async def talk():
        told = {}
        started = stdio.stdio_client(mcp.StdioServerParameters(command=command, args=arguments))
        async with started as streams, mcp.ClientSession(*streams) as client:
            await client.initialize()
            told["tools"] = {one.name: one for one in (await client.list_tools()).tools}

            async def call(name, **given):
                told[name] = await client.call_tool(name, given)
                return told[name].structured_content

            found = await call("search", text="seal of the pump")
            await call("open_passage", passage=found["passages"][0]["passage"])
            runs = await call("list_runs")
            run = runs["runs"][0]["run"]
            await call("show_run", run=run)
            await call("verify", run=run)
            told["outside"] = await client.call_tool("open_passage", {"passage": "file:///etc/passwd"})
            told["nobody"] = await client.call_tool("show_run", {"run": "nobody"})
            [link] = [one for one in told["show_run"].content if one.type == "resource_link"]
            told["page"] = (await client.read_resource(str(link.uri))).contents[0]
            if "ask" in told["tools"]:
                await call("ask", question="What did Ada Smith do on 3 April?")
        return told

    return asyncio.run(talk())


def test_a_client_reads_and_nothing_is_written(folder):
    told = talked(folder)
    assert set(told["tools"]) == READS
    assert all(one.annotations.read_only_hint for one in told["tools"].values())
    shown = told["show_run"].structured_content
    assert (shown["question"], shown["seal"].count(":")) == (QUESTION, 1)
    words = [one for said in shown["citations"] for one in said["sources"]]
    assert any(LOG[one["start"] : one["end"]] == one["text"] for one in words)
    assert told["open_passage"].structured_content["title"] == "Log"
    assert told["verify"].structured_content == {"sound": True, "findings": []}
    assert told["outside"].is_error
    assert told["nobody"].is_error
    assert told["page"].mime_type == "text/html;profile=mcp-app"
    assert "<script" in told["page"].text
    with explorer.open(folder) as ws:
        assert len(ws.traces.list()) == 1


def test_a_client_that_may_ask_puts_a_run_on_record(folder):
    told = talked(folder, "--ask")
    assert set(told["tools"]) == READS | {"ask"}
    assert "Ada Smith replaced the seal" in told["ask"].structured_content["answer"]
    with explorer.open(folder) as ws:
        assert len(ws.traces.list()) == 2


def test_over_http_a_token_is_asked_for(folder):
    httpx = importlib.import_module("httpx")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = served(folder, "--http", str(port))
    server = subprocess.Popen(command, env=os.environ | {"EXPLORER_MCP_TOKEN": "secret"}, stderr=subprocess.DEVNULL)
    try:
        at, deadline = f"http://127.0.0.1:{port}/mcp", time.monotonic() + 60
        while True:
            try:
                refused = httpx.post(at, json={}, trust_env=False)
                break
            except httpx.ConnectError:
                assert time.monotonic() < deadline, "it does not listen"
                time.sleep(0.2)
        assert refused.status_code == 401
        who = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": who}
        heads = {"Authorization": "Bearer secret", "Accept": "application/json, text/event-stream"}
        answered = httpx.post(at, json=begin, headers=heads, trust_env=False)
        assert (answered.status_code, "explorer" in answered.text) == (200, True)
    finally:
        server.terminate()
        server.wait(20)
