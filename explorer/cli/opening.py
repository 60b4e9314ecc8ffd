"""What the commands share: which workspace they open, how they print, and how they end."""

from __future__ import annotations

import os
import re
import sys
from contextlib import contextmanager
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from explorer.cli.runnable import runnable, use
from explorer.errors import RecordError, WorkspaceError
from explorer.models.endpoint import AS_USUAL, Bounds
from explorer.text import strip_controls

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager
    from typing import TextIO

    from explorer.stores.collection import Collection as Stores
    from explorer.workspace import Workspace

RESOURCE, HOLDER = "Resource: ", "It belongs to: "
"""What stands before an address of which a terminal makes a link."""
_ADDRESS = re.compile(rf"(\s*(?:{RESOURCE}|{HOLDER}))(https?://\S+)$")
_WITH_LINKS, _FIRST_VTE = ("iTerm.app", "WezTerm", "vscode", "Hyper", "ghostty"), 5_000
_AT_ONCE = 1_000  # lines that are written together: each by itself takes a hundred times as long

Place = Annotated[
    str | None,
    typer.Option(
        "-w",
        "--workspace",
        envvar="EXPLORER_WORKSPACE",
        help="Workspace folder, or postgresql://user@host/database; by default the demo.",
    ),
]
Endpoint = Annotated[
    str | None,
    typer.Option(
        "--endpoint",
        envvar="EXPLORER_ENDPOINT",
        help="SPARQL endpoint that has the graph of a workspace on servers; after spaces for updates and graph store.",
    ),
]
Collection = Annotated[str, typer.Option("-C", "--collection", help="Collection within the workspace.")]
Password = Annotated[
    str | None,
    typer.Option(
        "--password", envvar="EXPLORER_PASSWORD",
        help="Opens files that are encrypted; in the variable it stays out of the history of the shell.",
    ),
]  # fmt: skip
Extractors = Annotated[
    str, typer.Option("--extractors", help="Who finds facts: rules, model, or both with a comma between them; or none.")
]
Model = Annotated[
    str | None, typer.Option("--model", envvar="EXPLORER_MODEL", help="The chat model, for the extractor “model”.")
]
Address = Annotated[
    str | None,
    typer.Option("--base-url", envvar="OPENAI_BASE_URL", help="Address of the model; the key is in OPENAI_API_KEY."),
]
Silence = Annotated[
    float | None,
    typer.Option("--timeout", envvar="EXPLORER_MODEL_TIMEOUT", help="Seconds for which the model may be silent (300)."),
]
RunTime = Annotated[
    float | None,
    typer.Option(
        "--run-timeout", envvar="EXPLORER_MODEL_RUN_TIMEOUT", help="Seconds for all calls of a run to it (3,600)."
    ),
]
Context = Annotated[
    int | None,
    typer.Option(
        "--context", envvar="EXPLORER_MODEL_CONTEXT", help="Tokens that a prompt with its reply may have (8,192)."
    ),
]
Ontology = Annotated[
    Path | None, typer.Option("--ontology", help="OWL or RDFS: the model looks for what it has terms for, alone.")
]
Parallel = Annotated[int, typer.Option("--parallel", help="Requests to the model at a time.")]
MaxTokens = Annotated[
    int | None, typer.Option("--max-tokens", help="Tokens that the model may use in this call; the same call goes on.")
]
Vectors = Annotated[
    str | None,
    typer.Option(
        "--embedder", help="Embedding model: wordllama (the default), minilm (an extra) or a model at the address."
    ),
]


def opened(
    workspace: str | None,
    endpoint: str | None,
    collection: str,
    *,
    make: bool = False,
    model: str | None = None,
    base_url: str | None = None,
    embedder: str | None = None,
    bounds: Bounds = AS_USUAL,
    check: bool = True,
) -> Workspace:
    """Open the named workspace, or the demo; raises WorkspaceError where there is none, unless one is to be made."""
    use(workspace, endpoint, collection)
    if workspace is None:
        if embedder is not None:
            raise WorkspaceError("The demo workspace has its own embedder; name another workspace with -w DIR.")
        from explorer.sample import demo as open_demo
        from explorer.sample import is_built, place

        building = "" if is_built() else ", which is built now (once)"
        typer.echo(f"Using the demo workspace{building}; name another with -w DIR.", err=True)
        ws = open_demo(model=model, base_url=base_url, **asdict(bounds))
        ws.check = check
        if ws.path != place():
            typer.echo("It is in use by another process; this is a copy, with runs of its own.", err=True)
        return ws
    from explorer.stores.places import is_served
    from explorer.workspace import open as open_workspace

    given = endpoint if is_served(workspace) else None  # else what the environment says is not for this one
    if not make and not is_served(workspace) and not Path(workspace).exists():
        raise WorkspaceError(f"There is no workspace {workspace}; make one with `explorer ingest PATH`.")
    return open_workspace(
        workspace, collection=collection, model=model, base_url=base_url, embedder=embedder, endpoint=given,
        check=check, **asdict(bounds),
    )  # fmt: skip


def reading(workspace: str | None, endpoint: str | None, collection: str) -> Iterator[Workspace]:
    """Open the named workspace; without a name each demo workspace in turn, as a run may be on record in any."""
    use(workspace, endpoint, collection)
    if workspace is None:
        from explorer.sample import demos, is_built

        if is_built():
            typer.echo("Using the demo workspace; name another with -w DIR.", err=True)
            yield from demos()
            return
    with opened(workspace, endpoint, collection) as ws:
        yield ws


def stored(workspace: str | None, endpoint: str | None, collection: str) -> Iterator[AbstractContextManager[Stores]]:
    """Yield what opens the named collection, or those of all demo workspaces, without writing; raises RecordError."""
    from explorer.record.verification.files import reading_only
    from explorer.sample import folders as demos
    from explorer.stores.lock import check_marked
    from explorer.stores.places import is_served, served

    use(workspace, endpoint, collection)
    if workspace is None:
        typer.echo("Using the demo workspace; name another with -w DIR.", err=True)
        yield from (reading_only(where / collection) for _, where in demos())
    elif is_served(workspace):
        yield served(workspace, endpoint).reading(collection)
    elif (Path(workspace) / collection).is_dir():
        check_marked(Path(workspace))
        yield reading_only(Path(workspace) / collection)
    else:
        raise RecordError(f"There is no collection {collection} in {workspace}; check the path.")


@contextmanager
def holding(iri: str, workspace: str | None, endpoint: str | None, collection: str) -> Iterator[Workspace]:
    """Open the workspace that has a node on record; raises RecordError when none does."""
    unknown = RecordError(f"Nothing is on record about {iri}; check the IRI.")
    for ws in reading(workspace, endpoint, collection):
        try:
            ws.node(iri)
        except RecordError as error:
            unknown = error
            continue
        yield ws
        return
    raise unknown


def print_lines(text: Iterable[str], *, to_stderr: bool = False) -> None:
    """Print lines without what a terminal would obey."""
    lines, told = iter(text), _linked if has_links(sys.stderr if to_stderr else sys.stdout) else str
    while batch := [told(strip_controls(line)) for line in islice(lines, _AT_ONCE)]:
        typer.echo("\n".join(batch), err=to_stderr)


def has_links(stream: TextIO) -> bool:
    """Return whether what is written goes to a terminal that is known to show links."""
    if not stream.isatty() or os.environ.get("TERM") == "dumb":
        return False
    vte = os.environ.get("VTE_VERSION", "")
    return (
        os.environ.get("TERM_PROGRAM") in _WITH_LINKS
        or any(name in os.environ for name in ("KITTY_WINDOW_ID", "WT_SESSION", "KONSOLE_VERSION"))
        or (vte.isdecimal() and int(vte) >= _FIRST_VTE)
    )


def _linked(line: str) -> str:
    """Return a line with its address as a link; what a terminal would obey is gone from it already."""
    found = _ADDRESS.match(line)
    return f"{found[1]}\x1b]8;;{found[2]}\x1b\\{found[2]}\x1b]8;;\x1b\\" if found else line


def refuse(reasons: Iterable[str]) -> None:
    """Print why parts of a batch were refused, and exit with 1 if any was."""
    lines = [f"Refused: {runnable(reason)}" for reason in reasons]
    print_lines(lines, to_stderr=True)
    if lines:
        raise typer.Exit(1)


def fail(message: str) -> None:
    """Print a sentence, and exit with 2."""
    typer.echo(f"explorer: {strip_controls(runnable(message))}", err=True)
    raise SystemExit(2)
