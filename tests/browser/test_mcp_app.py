"""The page of a run in a host of MCP Apps: in a frame without an origin, under the policy that such hosts set."""

import asyncio
import importlib
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import expect

import explorer
from tests.browser.conftest import poll, rest
from tests.each import each

pytestmark = pytest.mark.frameworks
sys.path.append(str(Path(__file__).parents[2] / ".frameworks"))

LOG = "# Log\n\nAda Smith replaced the seal of the second pump on 3 April. Lunch was served at noon.\n"
QUESTION = "Who replaced the seal of the pump?"
AT = "http://127.0.0.1:9"  # where nobody listens: all that a frame asks for is answered here, or fails
POLICY = (  # of a resource that names no other domains
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "media-src 'self' data:; connect-src 'none'; frame-src 'none'; object-src 'none'; base-uri 'self'"
)
HOST = """<!DOCTYPE html><meta charset="utf-8"><title>Host</title>
<iframe id="app" sandbox="allow-scripts" src="/app" style="width: 1100px; height: 150px"></iframe>
<script>
const { result, resources } = GIVEN, frame = document.getElementById("app");
window.heard = [];
const post = (message) => frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
addEventListener("message", ({ source, data: { id, method, params, result: ended } }) => {
    if (source !== frame.contentWindow) return;
    window.heard.push(method ?? `ended ${id}`);
    if (method === "ui/initialize")
        post({ id, result: { protocolVersion: params.protocolVersion, hostInfo: { name: "test", version: "1" },
                             hostCapabilities: { serverResources: {} }, hostContext: { theme: "light" } } });
    if (method === "ui/notifications/initialized") {
        post({ method: "ui/notifications/tool-input", params: { arguments: {} } });
        post({ method: "ui/notifications/tool-result", params: result });
    }
    const read = () => ({ contents: [{ uri: params.uri, text: resources[params.uri] }] });
    if (method === "resources/read") post({ id, result: read() });
    if (method === "ui/notifications/size-changed") frame.style.height = `${params.height}px`;
});
</script>"""


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What a client gets: the tool, its result as it was sent, and what can be read for it."""
    mcp = importlib.import_module("mcp")
    served = importlib.import_module("explorer.cli.mcp_server")
    folder = tmp_path_factory.mktemp("mcp")
    (folder / "log.md").write_text(LOG)

    async def talk(server, run):
        async with mcp.Client(server) as client:
            [tool] = [one for one in (await client.list_tools()).tools if one.name == "show_run"]
            result = await client.call_tool("show_run", {"run": run})
            [link] = [str(one.uri) for one in result.content if one.type == "resource_link"]
            view = tool.meta["ui"]["resourceUri"]
            read = {uri: (await client.read_resource(uri)).contents[0] for uri in (view, link, f"{link}/data")}
            return view, link, result, read

    with explorer.open() as ws:
        ws.ingest(folder / "log.md", progress=False)
        talking = talk(served.server(ws), ws.run(QUESTION).iri)
        with ThreadPoolExecutor(1) as beside:  # the browser has a loop of its own here
            return beside.submit(asyncio.run, talking).result()


def shown(page, told, uri):
    """The frame of a host that shows a resource, with the result of the tool."""
    _, _, result, read = told
    given = {
        "result": result.model_dump(mode="json", by_alias=True),
        "resources": {at: one.text for at, one in read.items()},
    }
    host = HOST.replace("GIVEN", json.dumps(given).replace("<", "\\u003c"))
    page.route(f"{AT}/host", lambda route: route.fulfill(body=host, content_type="text/html"))
    page.route(f"{AT}/app", lambda route: route.fulfill(
        body=read[uri].text, content_type="text/html; charset=utf-8", headers={"Content-Security-Policy": POLICY}
    ))  # fmt: skip
    page.goto(f"{AT}/host")
    return page.frame_locator("#app")


@each("of", ["the tool", "the link"])
def test_a_host_shows_the_run_and_a_citation_leads_to_its_words(page, told, of):
    view, link, result, read = told
    uri = {"the tool": view, "the link": link}[of]
    assert read[uri].mime_type == "text/html;profile=mcp-app"
    frame = shown(page, told, uri)
    expect(frame.locator("h1")).to_have_text(QUESTION)
    frame.locator(".pe-canvas canvas").wait_for()
    inside = page.frames[1]
    assert inside.evaluate("self.origin") == "null"
    poll(inside, "() => window.labels.some(({ text }) => text.startsWith('◆ Ada Smith'))", True)
    frame.locator(".pe-answer .pe-cite").first.click()
    words = [one["text"] for said in result.structured_content["citations"] for one in said["sources"]]
    expect(frame.locator(".pe-desk mark.mine").first).to_be_visible()
    assert frame.locator(".pe-desk mark.mine").first.text_content() in " ".join(words)
    poll(
        inside, "() => innerHeight > 400 && innerHeight === Math.min(1000, document.documentElement.scrollHeight)", True
    )
    expect(frame.locator(".pe-told")).to_have_count(["the tool", "the link"].index(of))
    high = "document.body.getBoundingClientRect().height"
    before = inside.evaluate(high)
    page.evaluate("frame.style.height = '3000px'")
    rest(inside)
    assert inside.evaluate(high) == before, "it does not grow with its frame"
    page.evaluate("post({ id: 77, method: 'ui/resource-teardown', params: { reason: 'over' } })")
    poll(page, "() => window.heard.at(-1)", "ended 77")
    heard = page.evaluate("window.heard")
    assert heard[:2] == ["ui/initialize", "ui/notifications/initialized"]
    assert heard.count("ui/initialize") == 1
