"""The command that checks the record: `verify`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from explorer.cli.opening import Collection as Name
from explorer.cli.opening import Place, fail, print_lines
from explorer.errors import RecordError
from explorer.text import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from explorer.record.verification.verify import Verified

app = typer.Typer()


@app.command()
def verify(
    runs: Annotated[
        list[str] | None, typer.Argument(help="Runs (the IRI of the Question), or files of triples.")
    ] = None,
    workspace: Place = None,
    collection: Name = "default",
    *,
    every: Annotated[bool, typer.Option("--all", help="Check all runs of the workspace.")] = False,
) -> None:
    """Check runs, read only: shapes, rules across their nodes, and the words. Exit code 1: something was found."""
    given = runs or []
    files = [Path(one) for one in given if ":" not in one or Path(one).exists()]
    named = [one for one in given if Path(one) not in files]
    if bool(given) == every:
        fail("Name runs or files to verify, or give --all; `explorer traces` lists the runs.")
    found = [*_of_files(files), *(_of_workspace(named, workspace, collection) if named or every else ())]
    for one in found:
        print_lines(map(str, one))
    checked = sum(len(one.runs) for one in found)
    faults = sum(len(one.faults) for one in found)
    removed = sum(map(len, found)) - faults
    more = f"; {count(removed, 'thing')} removed on purpose" if removed else ""
    print_lines([f"{count(checked, 'run')} checked, {count(faults, 'fault') if faults else 'nothing'} found{more}."])
    if faults:
        raise typer.Exit(1)


def _of_files(files: list[Path]) -> Iterator[Verified]:
    from explorer.record.verification.files import verify_file

    return map(verify_file, files)


def _of_workspace(named: list[str], workspace: Path | None, collection: str) -> Iterator[Verified]:
    """Yield what was found in the named workspace, or in each demo workspace that has any of the runs."""
    from explorer.record.deletion import deleted
    from explorer.record.verification.files import reading_only
    from explorer.record.verification.verify import questions, verify

    left = dict.fromkeys(named)
    for folder in _folders(workspace, collection):
        with reading_only(folder) as stores:
            here = questions(stores)
            wanted = [one for one in left if one in here or deleted(stores, one)] if named else here
            yield verify(stores, wanted)
            left = {one: None for one in left if one not in wanted}
    if left:
        raise RecordError(f"Nothing is on record about {next(iter(left))}; check the IRI.")


def _folders(workspace: Path | None, collection: str) -> Iterator[Path]:
    from explorer.sample import folders

    if workspace is None:
        typer.echo("Using the demo workspace; name another with -w DIR.", err=True)
        yield from (where / collection for _, where in folders())
    elif (workspace / collection).is_dir():
        yield workspace / collection
    else:
        raise RecordError(f"There is no collection {collection} in {workspace}; check the path.")
