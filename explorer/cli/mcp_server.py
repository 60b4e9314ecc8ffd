"""A workspace for agents, by the Model Context Protocol: answers with citations down to the words, and runs on record.

It reads, and asks only where that is allowed. Nothing outside the workspace can be named: only runs and passages that
are on record. An answer is text, data for programs, and a link to the page of its run.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any

from mcp.server import MCPServer
from mcp.server.apps import APP_MIME_TYPE
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, ResourceLink, TextContent, ToolAnnotations

from explorer.cli.json import passage_json
from explorer.cli.lines import answer_lines
from explorer.dag.sentences import quotation
from explorer.errors import ExplorerError, RecordError
from explorer.text import strip_controls
from explorer.version import __version__
from explorer.vocab import session_of

if TYPE_CHECKING:
    from explorer.record.trace import Trace
    from explorer.workspace import Workspace

PAGE = "ui://explorer/runs/{run}"
_USE = "Answers from documents, with the words that each sentence rests on. Cite document, page and words."
_MOST = 50  # runs and passages that are listed
_READS = ToolAnnotations(readOnlyHint=True, openWorldHint=False)
_Scope = MutableMapping[str, Any]


def server(ws: Workspace, *, asks: bool = False) -> MCPServer:
    """Return a server of a workspace; with `asks` it also answers questions, which puts runs on record."""
    made = MCPServer("explorer", version=__version__, instructions=_USE)

    @made.tool(annotations=_READS)
    def search(text: str, limit: int = 5) -> CallToolResult:
        """Find passages by meaning and by words."""
        found = [passage_json(one) | {"passage": one.chunk} for one in ws.search(text, max(1, min(limit, _MOST)))]
        return _result("\n".join(f"{one['title']}: {one['text']}" for one in found) or "Nothing was found.",
                       {"passages": found})  # fmt: skip

    @made.tool(annotations=_READS)
    def list_runs(text: str = "", limit: int = 20) -> CallToolResult:
        """List the runs on record, those that hold a text, newest first."""
        found = [
            {"run": one.iri, "question": one.question, "outcome": one.outcome, "started": one.started_at}
            for one in ws.traces.list(text or None, limit=max(1, min(limit, _MOST)))
        ]
        return _result("\n".join(f"{one['question']} ({one['run']})" for one in found) or "No runs.", {"runs": found})

    @made.tool(annotations=_READS)
    def show_run(run: str) -> CallToolResult:
        """Show a run on record: its answer, and what each sentence of it rests on."""
        return _told(ws, _loaded(ws, run))

    @made.tool(annotations=_READS)
    def open_passage(passage: str) -> CallToolResult:
        """Open a passage by its IRI: its words, and where they stand."""
        found = ws.stores.sources.chunk(passage) or ws.stores.sources.passage(passage)
        if not found:
            raise ToolError(f"There is no passage {passage!r:.200} here; `search` and `show_run` name them.")
        return _result(f"{found[0].reference}: {found[0].text}", passage_json(found[0]))

    @made.tool(annotations=_READS)
    def verify(run: str) -> CallToolResult:
        """Check the record of a run: shapes, rules, words at their places, and its seal."""
        checked = ws.verify(_loaded(ws, run).iri)
        faults = [str(one) for one in checked]
        return _result("\n".join(faults) or checked.nothing, {"sound": not faults, "findings": faults})

    if asks:

        @made.tool(annotations=ToolAnnotations(readOnlyHint=False, destructiveHint=False, openWorldHint=False))
        def ask(question: str, strategy: str = "graph-rag") -> CallToolResult:
            """Answer a question from the documents; the run is put on record."""
            try:
                return _told(ws, ws.run(question, strategy))
            except ExplorerError as error:
                raise ToolError(str(error)) from error

    @made.resource(PAGE, mime_type=APP_MIME_TYPE, description="The page of a run, to be clicked through.")
    def page(run: str) -> str:
        return ws.report(_loaded(ws, run).iri)

    return made


def guarded(app: Callable[..., Awaitable[None]], token: str) -> Callable[..., Awaitable[None]]:
    """Return a web app that only those may use who send the token: `Authorization: Bearer TOKEN`."""
    wanted = f"Bearer {token}".encode()

    async def checked(
        scope: _Scope, receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]
    ) -> None:
        told = dict(scope.get("headers") or ()).get(b"authorization", b"")
        if scope["type"] != "http" or secrets.compare_digest(told, wanted):
            await app(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 401, "headers": [(b"content-type", b"text/plain")]})
        await send({"type": "http.response.body", "body": b"Send the token: Authorization: Bearer TOKEN"})

    return checked


def _loaded(ws: Workspace, run: str) -> Trace:
    """Return a run by its IRI, its short name, or the session in it."""
    try:
        return ws.traces.load(ws.traces.named(run))
    except RecordError as error:
        raise ToolError(str(error)) from error


def _told(ws: Workspace, trace: Trace) -> CallToolResult:
    sealed = ws.ledger.entry(trace.iri)
    data = {
        "run": trace.iri, "question": trace.question, "answer": trace.answer, "outcome": trace.outcome,
        "reason": trace.reason, "seal": sealed.anchor if sealed else None,
        "citations": [
            {"sentence": trace.answer[one.start or 0 : one.end or 0], "start": one.start, "end": one.end,
             "support": one.lexical_support, "not_in_source": [*one.not_in_source],
             "sources": [passage_json(quotation(trace.dag, one, found[0])) | {"passage": found[0].chunk}
                         for key in one.cites if (found := trace.passages.get(key) or trace.dag.found(key))]}
            for one in trace.citations
        ],
    }  # fmt: skip
    uri = PAGE.replace("{run}", session_of(trace.iri))
    link = ResourceLink(type="resource_link", uri=uri, name="The page of the run", mimeType=APP_MIME_TYPE)
    return _result("\n".join(answer_lines(trace)), data, link)


def _result(text: str, data: dict[str, Any], *links: ResourceLink) -> CallToolResult:
    words = TextContent(type="text", text=strip_controls(text))
    return CallToolResult(content=[words, *links], structuredContent=data)
