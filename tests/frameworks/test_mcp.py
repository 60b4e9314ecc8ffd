"""A workspace served to a real client of the Model Context Protocol."""

import asyncio
import importlib
import os
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

import explorer
from explorer.errors import QuestionError
from tests.each import each

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


def asked_of(ws, talk, **options):
    """What a client in this process gets of a server of a workspace."""
    mcp = importlib.import_module("mcp")
    served = importlib.import_module("explorer.cli.mcp_server")

    async def connected():
        async with mcp.Client(served.server(ws, **options)) as client:
            return await talk(client)

    return asyncio.run(connected())


@pytest.fixture
def opened(folder):
    with explorer.open(folder) as ws:
        yield ws


HOSTILE = [
    *(("open_passage", {"passage": one}) for one in ("../../etc/passwd", "file:///etc/passwd", 'a <> "', "x\0", "")),
    *(("show_run", {"run": one}) for one in ("../..", "", "/etc/passwd", "x" * 10_000_000, 'urn:x" } SELECT')),
    *(("verify", {"run": one}) for one in ("..", "http://evil/<>")),
    *(("search", {"text": one}) for one in ("seal " * 2_000_000, "\ud800")),
    *(("search", {"text": "seal", "limit": one}) for one in (0, -1, 10**9, "many")),
    *(("ask", {"question": one}) for one in ("Who? " * 2_000_000, "", "a\0")),
    ("ask", {"question": "Who?", "strategy": "../agent"}),
]
PAGES = ("../../etc/passwd", "%2e%2e%2fx", "%2Fetc%2Fpasswd", "nobody", "nobody/data", "", "x" * 100_000)


def test_what_is_not_in_the_workspace_or_too_much_is_refused_in_a_few_words(opened):
    async def talk(client):
        calls = [await client.call_tool(name, given) for name, given in HOSTILE]
        refused = []
        for uri in ("file:///etc/passwd", *(f"ui://explorer/runs/{page}" for page in PAGES)):
            with pytest.raises(Exception, match=r"Unknown resource|No run is called") as told:
                await client.read_resource(uri)
            refused.append(str(told.value))
        return calls, refused

    calls, refused = asked_of(opened, talk, asks=True)
    for (name, given), result in zip(HOSTILE, calls, strict=True):
        text = result.content[0].text
        assert result.is_error, (name, str(given)[:80])
        assert 30 < len(text) < 600, (name, str(given)[:80], text[:600])
        assert "unexpected" not in text
        assert not text.endswith(f"tool {name}"), "a reason is told"
    assert not any("root:" in one for one in refused)
    assert len(opened.traces.list()) == 1


def test_a_thousand_calls_at_once_are_answered_one_after_the_other(opened):
    async def talk(client):
        return await asyncio.gather(*(client.call_tool("list_runs", {"text": "seal"}) for _ in range(1_000)))

    results = asked_of(opened, talk)
    assert {len(one.structured_content["runs"]) for one in results} == {1}


def test_of_many_questions_at_once_some_wait_and_the_rest_are_told_to_ask_again(opened):
    async def talk(client):
        asked = {"question": QUESTION}
        return await asyncio.gather(*(client.call_tool("ask", asked) for _ in range(40)))

    results = asked_of(opened, talk, asks=True)
    refused = {one.content[0].text for one in results if one.is_error}
    assert refused == {"Error executing tool ask: 9 questions are being answered; ask again when one of them is."}
    answered = sum(not one.is_error for one in results)
    assert answered >= 9
    assert len(opened.traces.list()) == 1 + answered


@contextmanager
def listening(folder, *options):
    """The address of a server on a port of this machine, once it listens."""
    command = served(folder, "--http", "0", *options)
    made = subprocess.Popen(
        command, env=os.environ | {"EXPLORER_MCP_TOKEN": "secret"}, stderr=subprocess.PIPE, text=True
    )
    try:
        yield made.stderr.readline().split()[0]
    finally:
        made.terminate()
        made.wait(20)
        made.stderr.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("http") / "ws"
    explorer.open(folder).close()
    with listening(folder) as at:
        yield at


WHO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
BEGIN = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": WHO}
HEADS = {"Authorization": "Bearer secret", "Accept": "application/json, text/event-stream"}


def sent(address, method="POST", body=BEGIN, **heads):
    httpx = importlib.import_module("httpx")
    given = {name: value for name, value in (HEADS | heads).items() if value is not None}
    return httpx.request(method, address, json=body, headers=given, trust_env=False)


def test_over_http_who_has_the_token_is_answered(address):
    assert address.startswith("http://127.0.0.1:")
    answered = sent(address)
    assert (answered.status_code, "explorer" in answered.text) == (200, True)


@each("method, heads, status", [
    ("POST", {"Authorization": None}, 401),
    ("POST", {"Authorization": "Bearer Secret"}, 401),
    ("POST", {"Authorization": "secret"}, 401),
    ("GET", {"Authorization": None}, 401),
    ("DELETE", {"Authorization": None}, 401),
    ("GET", {"Authorization": None, "Connection": "Upgrade", "Upgrade": "websocket"}, 401),
    ("POST", {"Host": "evil.example:80"}, 421),
    ("POST", {"Host": "127.0.0.1.evil.example"}, 421),
    ("POST", {"Origin": "http://evil.example"}, 403),
    ("POST", {"Origin": "null"}, 403),
])  # fmt: skip
def test_over_http_a_wrong_token_and_a_page_of_another_site_are_refused(address, method, heads, status):
    assert sent(address, method, **heads).status_code == status


def test_over_http_a_body_beyond_all_measure_is_refused(address):
    assert sent(address, body={"text": "x" * 5_000_000}).status_code == 413


def test_a_port_that_is_taken_is_said_in_a_sentence(folder):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = subprocess.run(
            served(folder, "--http", str(port)), capture_output=True, text=True, timeout=60, check=False
        )
    assert ended.returncode == 2
    assert f"Port {port} of this machine can't be used: " in ended.stderr
    assert "Traceback" not in ended.stderr


def test_over_http_an_agent_here_may_call_the_tools_of_a_workspace_that_is_served(address):
    with explorer.mcp_tools(address, token="secret", name="other") as tools:
        named = {one.name: one for one in tools}
        assert set(named) == {f"other.{name}" for name in READS}
        assert named["other.list_runs"]() == "No runs."
    with pytest.raises(QuestionError, match="can't be used: ") as refused, explorer.mcp_tools(address, token="wrong"):
        pass
    assert "wrong" not in str(refused.value)
