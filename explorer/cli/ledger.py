"""The commands of seals and keys: `ledger` and `keys`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from explorer.cli.opening import Collection, Endpoint, Place, print_lines, stored

app = typer.Typer()


class Part(StrEnum):
    """What to print of a ledger."""

    HEAD = "head"
    DELETED = "deleted"


class Act(StrEnum):
    """What to do with keys."""

    NEW = "new"


@app.command()
def ledger(
    part: Annotated[
        Part | None,
        typer.Argument(help="head: the last entry alone, to be kept elsewhere; deleted: what is left of deleted runs."),
    ] = None,
    workspace: Place = None,
    endpoint: Endpoint = None,
    collection: Collection = "default",
) -> None:
    """List the ledger: an entry for each run that ended, came, changed or went, with its seal."""
    from explorer.record.ledger import deletions, listed
    from explorer.stores.ledger import head

    for opening in stored(workspace, endpoint, collection):
        with opening as stores:
            match part:
                case Part.HEAD:
                    print_lines([head(stores.database)])
                case Part.DELETED:
                    print_lines(deletions(stores).lines())
                case None:
                    print_lines(listed(stores))


@app.command()
def keys(
    act: Annotated[Act, typer.Argument(help="Make a new key.")],
    path: Annotated[Path, typer.Argument(help="The file to write, outside of any workspace.")],
) -> None:
    """Make a key that signs what is sealed (Ed25519), readable by you alone, and its public half in PATH.pub."""
    from explorer.record.keys import new_key

    match act:
        case Act.NEW:
            key = new_key(path)
            print_lines([
                f"Written: {path}, which signs where EXPLORER_KEY names it, and {path}.pub.",
                f"Who checks needs its public half: {key.public}",
            ])  # fmt: skip
