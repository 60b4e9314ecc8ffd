"""The tool that asks the graph in SPARQL: read only, on this machine only, and never for long."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Generator, Mapping
from functools import partial
from typing import Any

from explorer.engines.agent.tools import Call, Tool, ToolResult, failed
from explorer.errors import WorkspaceError
from explorer.events import Event
from explorer.reasoning.protocol import Argument, ToolSpec
from explorer.stores import sparql_process as querying
from explorer.stores.database import AwayError
from explorer.stores.graph import GraphStore
from explorer.vocab import recognise

NAME = "sparql-query"
SECONDS = 10.0  # at most, however long calls may take
LONGEST = 20_000  # characters of a query
CONSULTED = ("document", "page", "section", "chunk", "image", "subgraph")

_UPDATE = re.compile(
    r"\A(?:\s|#[^\n]*\n|(?:PREFIX|BASE)\s[^>]*>)*+(?:INSERT|DELETE|LOAD|CLEAR|DROP|CREATE|ADD|MOVE|COPY|WITH)\b",
    re.IGNORECASE,
)

_SPEC = ToolSpec(
    NAME,
    "Ask the knowledge graph in SPARQL. Facts are in the default graph, with the rdfs:label of things and predicates, "
    'by which to look for them, such as ?p rdfs:label ?l FILTER(CONTAINS(LCASE(STR(?l)), "made")). '
    "urn:graph:source says what they were taken from. "
    f"SELECT, ASK, CONSTRUCT and DESCRIBE; at most {querying.ROWS} rows come back.",
    (Argument("query", "string", "A SPARQL query that only reads, with the prefixes it uses"),),
)


def sparql_tool(graph: GraphStore) -> Tool:
    """Return the tool that runs SPARQL queries over a graph; calling it raises AwayError where a server is away."""
    return Tool(spec=_SPEC, run=partial(_run, graph))


def _run(graph: GraphStore, call: Call) -> Generator[Event, None, ToolResult]:
    yield from ()  # it has no trace of its own
    query = call.arguments.get("query")
    wrong = _wrong(call.arguments)
    if wrong is not None or not isinstance(query, str):
        return failed(wrong or "argument 'query' must be a string that holds a SPARQL query")
    seconds = max(0.0, min(call.timeout, SECONDS))
    try:
        return _result(query, graph.answered(query.encode(errors="replace").decode(), seconds))
    except subprocess.TimeoutExpired:
        return failed(f"the SPARQL query took longer than {seconds:g} s and was stopped; narrow it or add a LIMIT")
    except AwayError:  # no result from which an agent goes on: the run ends
        raise
    except (WorkspaceError, OSError) as error:  # the second when no process can be started
        return failed(f"the SPARQL query can't be asked: {error}")


def _wrong(arguments: Mapping[str, Any]) -> str | None:
    """Return what is wrong with the arguments; None if nothing is."""
    unknown = [name for name in arguments if name != "query"]
    if unknown:
        return f"there is no argument '{unknown[0]}'; there is only: query"
    query = arguments.get("query")
    if not isinstance(query, str) or not query.strip():
        return "argument 'query' is missing; expected a SPARQL query"
    if _UPDATE.search(query):
        return "only queries that read are answered: SELECT, ASK, CONSTRUCT, DESCRIBE"
    if len(query) > LONGEST:
        return f"the SPARQL query has {len(query):,} characters; write it in at most {LONGEST:,}"
    return None


def _result(query: str, answer: querying.QueryResult) -> ToolResult:
    """Return the result of a query as text, with the IRIs it names."""
    if answer.error is not None:
        return failed(answer.error)
    lines = list(answer.lines) or ["(no rows)" if answer.form == "rows" else "(no triples)"]
    if answer.cut:
        lines.append(f"… [only the first {len(answer.lines)} {answer.form}; add a LIMIT or narrow the query]")
    return ToolResult(
        text="\n".join(lines),
        transformation=" ".join(query.encode(errors="replace").decode().split())[:500],
        consulted=tuple(iri for iri in answer.iris if (named := recognise(iri)) and named.kind in CONSULTED),
    )
