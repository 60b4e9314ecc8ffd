"""The commands: `ask`, `ingest`, `evaluate` and others here, the rest by what they are about in modules beside it.

Exit codes: 0 done (declining is done), 1 part of a batch was refused, 2 wrong use or failure.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from contextvars import copy_context
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from typer import Argument, Option

from explorer.cli.common import command, fail, opened, print_lines, refuse, runnable
from explorer.cli.options import At, Finding, Service, Vectors, app
from explorer.errors import ExplorerError, QuestionError, WorkspaceError
from explorer.text import count

if TYPE_CHECKING:
    from explorer.workspace import Workspace


def _version(asked: bool) -> None:
    if asked:
        from explorer.version import __version__

        typer.echo(f"explorer {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Ask your documents, and see how each answer came about."""


@app.command()
def ask(
    question: Annotated[str, Argument(help="The question.")],
    at: At,
    service: Service,
    engine: Annotated[
        str,
        Option(help="How to answer: graph-rag (from facts), document-rag (from passages) or agent (in steps)."),
    ] = "graph-rag",
    mode: Annotated[str | None, Option(help="How document-rag searches: vector, keyword or hybrid.")] = None,
    selector: Annotated[
        str | None,
        Option(help="How graph-rag selects: passages (by reading), reasoning (after a walk) or rerank (at each hop)."),
    ] = None,
    pattern: Annotated[
        str | None,
        Option(help="How an agent works: react, plan-then-execute or supervisor; by default it chooses."),
    ] = None,
    tool: Annotated[
        list[str] | None,
        Option(help="A function of yours that an agent may call, as module:function; can be repeated."),
    ] = None,
    mcp: Annotated[
        list[str] | None,
        Option(help="An MCP server whose tools an agent may call: a command that starts it, or its URL; repeatable."),
    ] = None,
    model: Annotated[
        str | None,
        Option(envvar="EXPLORER_MODEL", help="Chat model to reason with; by default, or with “no model”, none."),
    ] = None,
    no_check: Annotated[
        bool, Option("--no-check", help="Don't have the model read its sentences again beside what they cite.")
    ] = False,
    embedder: Vectors = None,
    without: Annotated[
        list[str] | None,
        Option(help="IRI of a fact, passage, document or entity to leave out, as if it weren't there; repeatable."),
    ] = None,
    document: Annotated[
        list[str] | None,
        Option(help="Look in this document alone: its title, path or IRI, or a part of one; repeatable."),
    ] = None,
    by: Annotated[
        str | None, Option("--by", envvar="EXPLORER_USER", help="Who asks; by default nobody is named.")
    ] = None,
    trustgraph: Annotated[
        str | None,
        Option("--trustgraph", help="Have TrustGraph answer, at ws://host:8088; its token is TRUSTGRAPH_TOKEN."),
    ] = None,
    explain: Annotated[bool, Option("--explain", help="Print each step as it happens.")] = False,
    usage: Annotated[bool, Option("--usage", help="Print tokens, model calls and time of the run.")] = False,
    as_json: Annotated[bool, Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """Ask a question; print the answer and its sources."""
    from explorer.cli import lines
    from explorer.cli.json import run_json
    from explorer.engines.agent.mcp_tools import mcp_tools
    from explorer.events import Explain
    from explorer.record.trace import Trace

    events = []
    given = {"mode": mode, "selector": selector, "pattern": pattern}
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    kept = opened(at, model=model, service=service, embedder=embedder, check=not no_check)
    with kept as own, _asked(own, trustgraph) as ws, ExitStack() as served:
        functions: list[Callable[..., object]] = [_function(name) for name in tool or ()]
        for server in mcp or ():
            functions += served.enter_context(mcp_tools(server))
        left, only = without or (), document or ()
        for event in ws.ask(question, engine, tools=functions, without=left, documents=only, by=by, **chosen):
            events.append(event)
            if explain and isinstance(event, Explain):
                try:
                    print_lines(lines.step_lines(event), to_stderr=as_json)
                except BrokenPipeError:  # nobody reads on, as behind `| head`: the run comes to its end all the same
                    explain = False
        trace = Trace(events)
    done = trace.dag.done
    if done and done.error:
        shown = command(f"explorer show {trace.iri}")
        fail(f"The run failed: {done.error} What it found before that is on record: {shown}")
    if as_json:
        print_lines([run_json(trace)])
    else:
        print_lines(["", *lines.answer_lines(trace)] if explain else lines.answer_lines(trace))
        print_lines(lines.usage_lines(trace) if usage else ())


@dataclass(frozen=True, slots=True)
class Reading:
    """What is read beside documents, how they are cut, and what is refused: arguments of `Workspace.ingest`."""

    facts: Annotated[Path | None, Option(help="JSON lines of facts curated by hand.")] = None
    triples: Annotated[
        Path | None, Option(help="JSON lines of triples (id, triples) for the passages of a .jsonl corpus.")
    ] = None
    chunk_size: Annotated[int | None, Option(help="Characters of a passage, by default 1,000.")] = None
    chunk_overlap: Annotated[int | None, Option(help="Characters that passages may share, by default a tenth.")] = None
    max_bytes: Annotated[
        int | None, Option(help="Refuse larger files; by default those over 200 MB, JSON-LD over 20.")
    ] = None
    max_unpacked: Annotated[
        int | None, Option(help="Refuse archives of more bytes unpacked; by default 500 MB, workbooks 300.")
    ] = None
    max_pages: Annotated[int | None, Option(help="Refuse files of more pages; by default 20,000.")] = None
    max_seconds: Annotated[float | None, Option(help="Refuse a file that takes longer; by default by its size.")] = None
    max_memory: Annotated[
        int | None, Option(help="Refuse a file that takes more bytes of memory; by default 4 GB.")
    ] = None
    max_cell: Annotated[
        int | None, Option(help="Refuse CSV files with a cell of more characters; by default 10,000,000.")
    ] = None
    replaces: Annotated[
        str | None, Option(help="The document that a single file is a new version of: title, path or IRI.")
    ] = None


@app.command()
def ingest(
    paths: Annotated[
        list[Path],
        Argument(
            help="Files and folders: PDF, Word, Excel, slides, EPUB, HTML, mail, text, RDF; .jsonl, a passage a line."
        ),
    ],
    at: At,
    service: Service,
    finding: Finding,
    reading: Reading,
    embedder: Vectors = None,
) -> None:
    """Read documents into a workspace, created if missing."""
    with opened(at, make=True, service=service, embedder=embedder) as ws:
        done = ws.ingest(*paths, **asdict(reading), **asdict(finding))
        size = ws.size
    added = (done.documents, "document"), (done.pages, "PDF page"), (done.chunks, "passage"), (done.edges, "fact")
    print_lines([f"Added {', '.join(count(number, noun) for number, noun in added)}."])
    print_lines([f"The workspace holds {count(size.documents, 'document')} and {count(size.facts, 'different fact')}."])
    print_lines(map(runnable, done.notes))
    refuse(refused.reason for refused in done.refused)


@app.command()
def evaluate(
    file: Annotated[Path, Argument(help="JSON lines of questions, with evidence, or gold and answers.")],
    at: At,
    service: Service,
    engine: Annotated[
        list[str] | None, Option(help="An engine to ask: graph-rag, document-rag or agent; can be repeated.")
    ] = None,
    model: Annotated[
        list[str] | None, Option(help="A chat model to reason with, or “no model”; can be repeated.")
    ] = None,
    limit: Annotated[
        list[str] | None, Option(help="Limits as NAME=VALUE, with commas for several; each repetition is a way.")
    ] = None,
    embedder: Vectors = None,
    again: Annotated[bool, Option("--again", help="Ask all anew, also what was answered before.")] = False,
    csv: Annotated[Path | None, Option(help="CSV file to write: a line for each question and way.")] = None,
    html: Annotated[Path | None, Option(help="HTML page to write, with all tables.")] = None,
) -> None:
    """Ask a file of questions; measure the answers."""
    limits = [_limits_of(one) for one in limit or ()]
    with opened(at, service=service, embedder=embedder) as ws:
        found = ws.evaluate(file, engine, model, limits or None, again=again)
    for path, text in ((csv, found.to_csv), (html, found.to_html)):
        if path is not None:
            text(path)
    print_lines([repr(replace(found, refused=()))])
    for number in range(1, len(found.ways)):
        print_lines(["", repr(found.compare(0, number))])
    print_lines(["", f"On record: {command(f'explorer traces --evaluation {found.iri}')}"])
    refuse(found.refused)


@app.command()
def gaps(at: At) -> None:
    """List what was not found, and unused names and documents."""
    with opened(at) as ws:
        print_lines(ws.gaps().lines())


@app.command()
def reindex(at: At, embedder: Vectors = None) -> None:
    """Rebuild the search index; read attached stores again."""
    with opened(at, embedder=embedder) as ws:
        done = ws.reindex()
    print_lines([*(one.sentence for one in done.attached), f"Indexed {done.text}."])
    print_lines(runnable(note) for one in done.attached for note in one.notes)
    refuse(refused.reason for one in done.attached for refused in one.refused)


@app.command()
def reextract(
    at: At,
    service: Service,
    finding: Finding,
    documents: Annotated[list[str] | None, Argument(help="Documents: titles, paths or IRIs; by default all.")] = None,
) -> None:
    """Find the facts of documents anew.

    What only earlier extractors have found goes.
    """
    with opened(at, service=service) as ws:
        done = ws.reextract(*documents or (), **asdict(finding))
    print_lines([f"Gone through: {done.text}.", *map(runnable, done.notes)])
    refuse(f"{one.path}: {one.reason}" for one in done.refused)


@app.command()
def demo() -> None:
    """Build the demo workspace on first use."""
    from explorer.sample import demo as open_demo

    with open_demo() as ws:
        ready = f"The {ws.name} with {count(ws.size.documents, 'document')} is ready"
    print_lines([f'{ready}; next: explorer ask "Why did oxygen tank no. 2 fail?"'])


def main() -> None:
    """Run a command; expected failures end with one sentence and exit code 2."""
    copy_context().run(_run)  # which workspace is in use is known in it alone


def _run() -> None:
    try:
        app()
    except ExplorerError as error:
        fail(str(error))
    except SystemExit as end:
        if end.code == 130:  # typer's exit code for Ctrl-C
            fail("Stopped. What was shown is on record.")
        raise
    except BrokenPipeError:
        raise SystemExit(0) from None
    except OSError as error:
        fail(f"{error.filename or 'A file'} can't be used ({error.strerror or error}); check the path and try again.")


def _limits_of(text: str) -> dict[str, int | float | str | bool]:
    """Read limits such as "edge_limit=6, selector=rerank"; raises QuestionError for what is none."""
    import json

    limits: dict[str, int | float | str | bool] = {}
    for part in text.split(","):
        name, sign, given = (word.strip() for word in part.partition("="))
        if not (name and sign and given):
            raise QuestionError(f"{part.strip()!r} is not a limit; write NAME=VALUE, such as edge_limit=6.")
        try:
            value = json.loads(given)
        except ValueError:
            value = given
        limits[name] = value if isinstance(value, int | float) else given
    return limits


def _asked(ws: Workspace, trustgraph: str | None) -> AbstractContextManager[Workspace]:
    """Return what answers: the workspace itself, or TrustGraph, whose runs it keeps."""
    if trustgraph is None:
        return nullcontext(ws)
    from explorer.workspace.trustgraph import connect_trustgraph

    try:
        return connect_trustgraph(trustgraph, into=ws)
    except ImportError as error:
        raise WorkspaceError(str(error)) from error


def _function(name: str) -> Callable[..., object]:
    """Import a function by its name, from the present folder too; raises QuestionError."""
    from importlib import import_module

    module, _, function = name.partition(":")
    if not module or not function:
        raise QuestionError(f"{name!r} names no function; give --tool module:function, such as tools:convert.")
    sys.path.insert(0, "")
    try:
        found = getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise QuestionError(f"The tool {name} can't be imported ({error}); check its module and name.") from error
    finally:
        sys.path.remove("")
    if not callable(found):
        raise QuestionError(f"{name} is {type(found).__name__}, not a function; name one.")
    return cast("Callable[..., object]", found)
