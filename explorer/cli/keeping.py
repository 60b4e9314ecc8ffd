"""The commands that keep a workspace, and what is in it: `purge`, `copy`, `backup` and `restore`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from explorer.cli.opening import Collection, Endpoint, Place, fail, holding, opened, print_lines, refuse, stored
from explorer.errors import RecordError
from explorer.text import one_line

app = typer.Typer()


@app.command()
def purge(
    older_than: Annotated[str, typer.Option(help="Hours, days, weeks or years since a run began: 12h, 90d, 6w, 2y.")],
    workspace: Place = None,
    endpoint: Endpoint = None,
    collection: Collection = "default",
    keep_reviewed: Annotated[bool, typer.Option("--keep-reviewed", help="Keep runs with a verdict.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print what would be deleted.")] = False,
) -> None:
    """Delete old runs; their IRIs, the time and a hash of each record stay, and the ledger notes them."""
    with opened(workspace, endpoint, collection) as ws:
        print_lines(ws.purge(older_than, keep_reviewed=keep_reviewed, dry_run=dry_run).lines())


@app.command()
def copy(
    source: Annotated[
        str, typer.Argument(metavar="FROM", help="The workspace: a folder, or postgresql://user@host/database.")
    ],
    target: Annotated[str, typer.Argument(metavar="TO", help="Where it goes: a new or empty folder, or a database.")],
    endpoint: Endpoint = None,
    collection: Annotated[
        str | None, typer.Option("-C", "--collection", help="Copy this collection alone; by default all.")
    ] = None,
) -> None:
    """Copy a workspace from a folder to servers, or back; the same command goes on with one that was cut off."""
    print_lines(_copied(source, target, endpoint, collection))


@app.command()
def backup(
    folder: Annotated[Path, typer.Argument(help="A new folder, which will be a workspace of its own.")],
    workspace: Place = None,
    endpoint: Endpoint = None,
    collection: Collection = "default",
) -> None:
    """Copy a workspace as it is now into a folder, one in a folder also while another process writes to it."""
    from explorer.stores.backup import back_up

    for opening in stored(workspace, endpoint, collection):
        with opening as stores:
            back_up(stores, folder, collection)
        print_lines([f"Written: {folder}"])
        return
    fail("There is no workspace yet that could be copied; make one with `explorer ingest PATH -w DIR`.")


@app.command()
def restore(
    source: Annotated[
        Path, typer.Argument(help="A folder of `explorer backup`, or a file of `explorer delete --keep`.")
    ],
    folder: Annotated[
        str | None, typer.Argument(help="Of a backup: the new workspace folder, or postgresql://user@host/database.")
    ] = None,
    workspace: Place = None,
    endpoint: Endpoint = None,
    collection: Collection = "default",
) -> None:
    """Bring back a backup, as a new workspace, or the runs that `explorer delete --keep` has written to a file."""
    if source.is_dir():
        if folder is None:
            fail(f"Name the new folder for the backup: explorer restore {source} FOLDER.")
        else:
            _backup(source, folder, endpoint)
    elif folder is not None:
        fail(f"{source} is no folder of a backup; runs in a file go back into their workspace (-w DIR).")
    else:
        _runs(source, workspace, endpoint, collection)


def _backup(source: Path, target: str, endpoint: str | None) -> None:
    from explorer.stores.backup import restore as restored
    from explorer.stores.places import is_served

    if is_served(target):
        print_lines(_copied(str(source), target, endpoint))
    else:
        print_lines([f"Restored into {target}: {', '.join(restored(source, Path(target)))}"])


def _copied(source: str, target: str, endpoint: str | None, collection: str | None = None) -> list[str]:
    from explorer.record.copying import copy as copied
    from explorer.stores.places import is_served

    given = endpoint if is_served(source) or is_served(target) else None  # else the environment's is not for these
    return copied(source, target, endpoint=given, collection=collection).lines()


def _runs(file: Path, workspace: str | None, endpoint: str | None, collection: str) -> None:
    from explorer.record.deletion import Deletion

    refused = []
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        try:
            run = Deletion.from_json(line)
            with holding(run.iri, workspace, endpoint, collection) as ws:
                ws.traces.restore(run)
            print_lines([f"Brought back: {run.iri} {one_line(run.question)}"])
        except RecordError as error:
            refused.append(f"line {number} of {file}: {error}")
    refuse(refused)
