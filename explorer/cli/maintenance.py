"""The commands that keep a workspace, and what is in it: `purge`, `copy`, `backup`, `restore`, `servers` and `mcp`."""

from __future__ import annotations

import os
import secrets
import signal
import socket
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from explorer.cli.common import fail, holding, opened, print_lines, refuse, stored
from explorer.cli.options import At, Endpoint, app
from explorer.errors import RecordError
from explorer.stores import places
from explorer.text import one_line


@app.command()
def purge(
    older_than: Annotated[str, Option(help="Hours, days, weeks or years since a run began: 12h, 90d, 6w, 2y.")],
    at: At,
    keep_reviewed: Annotated[bool, Option("--keep-reviewed", help="Keep runs with a verdict.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Only print what would be deleted.")] = False,
) -> None:
    """Delete old runs.

    Their IRIs, the time and a hash of each record stay, and the ledger notes them.
    """
    with opened(at) as ws:
        print_lines(ws.purge(older_than, keep_reviewed=keep_reviewed, dry_run=dry_run).lines())


@app.command()
def copy(
    source: Annotated[
        str, Argument(metavar="FROM", help="The workspace: a folder, or postgresql://user@host/database.")
    ],
    target: Annotated[str, Argument(metavar="TO", help="Where it goes: a new or empty folder, or a database.")],
    endpoint: Endpoint = None,
    collection: Annotated[
        str | None, Option("-C", "--collection", help="Copy this collection alone; by default all.")
    ] = None,
) -> None:
    """Copy a workspace between a folder and servers.

    After a break the same command goes on.
    """
    print_lines(_copied(source, target, endpoint, collection))


@app.command()
def backup(
    folder: Annotated[Path, Argument(help="A new folder, which will be a workspace of its own.")], at: At
) -> None:
    """Copy a workspace into a folder.

    One in a folder is copied also while another process writes to it.
    """
    from explorer.stores.backup import back_up

    for opening in stored(at):
        with opening as stores:
            back_up(stores, folder, at.collection)
        print_lines([f"Written: {folder}"])
        return
    fail("There is no workspace yet that could be copied; make one with `explorer ingest PATH -w DIR`.")


@app.command()
def restore(
    at: At,
    source: Annotated[Path, Argument(help="A folder of `explorer backup`, or a file of `explorer delete --keep`.")],
    folder: Annotated[
        str | None, Argument(help="Of a backup: the new workspace folder, or postgresql://user@host/database.")
    ] = None,
) -> None:
    """Bring back a backup, or deleted runs.

    A backup is a new workspace. Runs come from the file that `explorer delete --keep` has written.
    """
    if source.is_dir():
        if folder is None:
            fail(f"Name the new folder for the backup: explorer restore {source} FOLDER.")
        else:
            _backup(source, folder, at.endpoint)
    elif folder is not None:
        fail(f"{source} is no folder of a backup; runs in a file go back into their workspace (-w DIR).")
    else:
        _runs(source, at)


def _backup(source: Path, target: str, endpoint: str | None) -> None:
    from explorer.stores.backup import restore as restored
    from explorer.stores.places import is_served

    if is_served(target):
        print_lines(_copied(str(source), target, endpoint))
    else:
        print_lines([f"Restored into {target}: {', '.join(restored(source, Path(target)))}"])


def _copied(source: str, target: str, endpoint: str | None, collection: str | None = None) -> list[str]:
    from explorer.record.workspace_copy import copy as copied
    from explorer.stores.places import is_served

    given = endpoint if is_served(source) or is_served(target) else None  # else the environment's is not for these
    return copied(source, target, endpoint=given, collection=collection).lines()


def _runs(file: Path, at: At) -> None:
    from explorer.record.run_deletion import Deletion

    refused = []
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        try:
            run = Deletion.from_json(line)
            with holding(run.iri, at) as (ws, _):
                ws.traces.restore(run)
            print_lines([f"Brought back: {run.iri} {one_line(run.question)}"])
        except RecordError as error:
            refused.append(f"line {number} of {file}: {error}")
    refuse(refused)


@app.command()
def servers(
    folder: Annotated[Path, Argument(help="What the servers hold is there; made if missing.")],
    port: Annotated[int, Option(help="The port of the endpoint, on this machine alone; 0 takes any.")] = places.PORT,
) -> None:
    """Run both servers of a workspace here, until Ctrl-C."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        places.servers().run_here(folder, port, print_lines)
    except KeyboardInterrupt:
        print_lines(["Stopped."])


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


@app.command()
def mcp(
    at: At,
    asks: Annotated[bool, Option("--ask", help="Also let agents ask; their runs are put on record.")] = False,
    http: Annotated[
        int | None,
        Option(
            min=0, max=65_535, help="Serve on this port of this machine, with a token; by default on stdin and stdout."
        ),
    ] = None,
) -> None:
    """Serve a workspace to agents, by the Model Context Protocol."""
    try:
        from explorer.cli import mcp_server
    except ImportError:
        fail("`explorer mcp` needs the package mcp: pip install 'provenance-explorer[mcp]'.")
    with opened(at) as ws:
        made = mcp_server.server(ws, asks=asks)
        if http is None:
            made.run("stdio")
            return
        try:
            listening = socket.create_server(("127.0.0.1", http))
        except OSError as error:
            fail(f"Port {http} of this machine can't be used: {error.strerror}; take another with --http.")
        import uvicorn

        token = os.environ.get("EXPLORER_MCP_TOKEN") or secrets.token_urlsafe(24)
        port = listening.getsockname()[1]
        typer.echo(f"http://127.0.0.1:{port}/mcp with Authorization: Bearer {token}", err=True)
        guarded = mcp_server.guarded(made.streamable_http_app(), token)
        uvicorn.Server(uvicorn.Config(guarded, log_level="warning", ws="none")).run(sockets=[listening])
