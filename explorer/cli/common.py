"""What the commands share: which workspace they open, how they print, how they end, and commands that they name."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from explorer.cli.options import At, Service
from explorer.errors import RecordError, WorkspaceError
from explorer.text import strip_controls

if TYPE_CHECKING:
    from explorer.stores.collection import Collection
    from explorer.workspace import Workspace

WITHOUT = frozenset({"copy", "demo", "keys", "servers"})
"""The commands that are told no workspace, or not by an option."""
_DEMO, _AS_USUAL = At(), Service()
_IN_USE: ContextVar[At] = ContextVar("in_use", default=_DEMO)
_TOLD = re.compile(r"`(explorer [a-z][^`]*)`")
_NAMED = re.compile(r" (?:-w|--workspace)\b")
_AT_ONCE = 1_000  # lines that are written together: each by itself takes a hundred times as long


def opened(
    at: At,
    *,
    make: bool = False,
    model: str | None = None,
    service: Service = _AS_USUAL,
    embedder: str | None = None,
    check: bool = True,
) -> Workspace:
    """Open the named workspace, or the demo; raises WorkspaceError where there is none, unless one is to be made."""
    use(at)
    if at.workspace is None:
        if embedder is not None:
            raise WorkspaceError("The demo workspace has its own embedder; name another workspace with -w DIR.")
        from explorer.sample import demo as open_demo
        from explorer.sample import is_built, place

        building = "" if is_built() else ", which is built now (once)"
        typer.echo(f"Using the demo workspace{building}; name another with -w DIR.", err=True)
        ws = open_demo(model=model, **asdict(service))
        ws.check = check
        if ws.path != place():
            typer.echo("It is in use by another process; this is a copy, with runs of its own.", err=True)
        return ws
    from explorer.stores.places import is_served
    from explorer.workspace import open as open_workspace

    served = is_served(at.workspace)
    if not make and not served and not Path(at.workspace).exists():
        raise WorkspaceError(f"There is no workspace {at.workspace}; make one with `explorer ingest PATH`.")
    return open_workspace(
        at.workspace,
        collection=at.collection,
        model=model,
        embedder=embedder,
        endpoint=at.endpoint if served else None,  # else what the environment says is not for this one
        check=check,
        **asdict(service),
    )


def reading(at: At) -> Iterator[Workspace]:
    """Open the named workspace; without a name each demo workspace in turn, as a run may be on record in any."""
    use(at)
    if at.workspace is None:
        from explorer.sample import demos, is_built

        if is_built():
            typer.echo("Using the demo workspace; name another with -w DIR.", err=True)
            yield from demos()
            return
    with opened(at) as ws:
        yield ws


def stored(at: At) -> Iterator[AbstractContextManager[Collection]]:
    """Yield what opens the named collection, or those of all demo workspaces, without writing; raises RecordError."""
    from explorer.record.verification.verify import reading_only
    from explorer.sample import folders as demos
    from explorer.stores.lock import check_marked
    from explorer.stores.places import is_served, served

    use(at)
    if at.workspace is None:
        typer.echo("Using the demo workspace; name another with -w DIR.", err=True)
        yield from (reading_only(where / at.collection) for _, where in demos())
    elif is_served(at.workspace):
        yield served(at.workspace, at.endpoint).reading(at.collection)
    elif (Path(at.workspace) / at.collection).is_dir():
        check_marked(Path(at.workspace))
        yield reading_only(Path(at.workspace) / at.collection)
    else:
        raise RecordError(f"There is no collection {at.collection} in {at.workspace}; check the path.")


@contextmanager
def holding(iri: str, at: At) -> Iterator[tuple[Workspace, str]]:
    """Open the workspace that has a node on record, or a run that is named in short, and return its IRI with it.

    Raises RecordError when none does.
    """
    unknown = RecordError(f"Nothing is on record about {iri}; check the IRI.")
    for ws in reading(at):
        try:
            whole = ws.traces.named(iri)
            ws.node(whole)
        except RecordError as error:
            unknown = error
            continue
        yield ws, whole
        return
    raise unknown


def print_lines(text: Iterable[str], *, to_stderr: bool = False) -> None:
    """Print lines without what a terminal would obey."""
    lines = iter(text)
    while batch := [*map(strip_controls, islice(lines, _AT_ONCE))]:
        typer.echo("\n".join(batch), err=to_stderr)


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


def use(at: At) -> None:
    """Note which workspace the command at hand is about."""
    _IN_USE.set(at)


def command(said: str) -> str:
    """Return a command, such as `explorer show IRI`, with the options that name the workspace in use.

    Passwords in addresses are left out.
    """
    at = _IN_USE.get()
    verb = said.split()[1]
    if at.workspace is None or verb in WITHOUT or _NAMED.search(said):
        return said
    from explorer.stores.places import is_served, without_password

    options = ["-w", without_password(at.workspace)]
    if is_served(at.workspace) and at.endpoint:
        options += ["--endpoint", " ".join(map(without_password, at.endpoint.split()))]
    if at.collection != "default":
        options += ["-C", at.collection]
    return f"{said} {shlex.join(options)}"


def runnable(message: str) -> str:
    """Return a message of ours with each command in backticks for the workspace in use."""
    return _TOLD.sub(lambda found: f"`{command(found[1])}`", message)
