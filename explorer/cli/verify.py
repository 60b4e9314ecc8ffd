"""The command that checks the record: `verify`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from explorer.cli.opening import Collection as Name
from explorer.cli.opening import Endpoint, Place, fail, print_lines, stored
from explorer.cli.runnable import runnable, use
from explorer.errors import RecordError
from explorer.text import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from explorer.record.verification.verify import Verified

app = typer.Typer()


@app.command()
def verify(
    runs: Annotated[
        list[str] | None, typer.Argument(help="Runs (the IRI of the Question), files of triples, or bundles.")
    ] = None,
    workspace: Place = None,
    endpoint: Endpoint = None,
    collection: Name = "default",
    *,
    every: Annotated[bool, typer.Option("--all", help="Check all runs of the workspace.")] = False,
    anchor: Annotated[
        str | None, typer.Option(help="What `explorer ledger head` printed before: finds a ledger that was rewritten.")
    ] = None,
    signed_by: Annotated[
        str | None, typer.Option(help="The public key, as digits or its .pub file, that all must be signed by.")
    ] = None,
    fingerprint: Annotated[
        str | None, typer.Option(help="What `explorer bundle` printed, as the sender of this one bundle told you.")
    ] = None,
) -> None:
    """Check runs, read only: shapes, rules across nodes, texts by their hashes, quotations at their places, and seals.

    Exit code 1: something was found. Who sent a bundle is checked with --signed-by or --fingerprint alone.
    """
    use(workspace, endpoint, collection)
    given = runs or []
    files = [Path(one) for one in given if ":" not in one or Path(one).exists()]
    named = [one for one in given if Path(one) not in files]
    if bool(given) == every and (given or anchor is None):
        fail("Name runs or files to verify, or give --all; `explorer traces` lists the runs.")
    if fingerprint is not None and len(files) != 1:
        fail("A fingerprint is that of one bundle; give --fingerprint with that one alone.")
    here = _Here(workspace, endpoint, collection, anchor, signed_by)
    of_files = list(_of_files(files, signed_by, fingerprint))
    found = [*of_files, *(here.verified(named, every=every) if named or every or anchor is not None else ())]
    for number, one in enumerate(found):
        name = [f"{files[number]}: {_counted(one)}."] if number < len(files) and len(found) > 1 else []
        print_lines([*name, *map(str, one), *([runnable(one.seals)] if one.seals else [])])
    checked = sum(len(one.runs) for one in found)
    faults = sum(len(one.faults) for one in found)
    removed, noted = (sum(map(told, found)) for told in (_removed, _noted))
    more = f"; {count(removed, 'thing')} removed on purpose" if removed else ""
    more += f"; {count(noted, 'thing')} noted" if noted else ""
    print_lines([f"{count(checked, 'run')} checked, {count(faults, 'fault') if faults else 'no fault'} found{more}."])
    if faults:
        raise typer.Exit(1)
    if signed_by is None and fingerprint is None and any(one.seals for one in of_files):
        print_lines(["That nobody changed a bundle on its way only its sender's key or fingerprint can show."])


def _counted(found: Verified) -> str:
    faults = len(found.faults)
    return f"{count(faults, 'fault') if faults else 'no fault'} found"


def _removed(found: Verified) -> int:
    return sum(one.is_removal for one in found)


def _noted(found: Verified) -> int:
    return sum(one.is_note for one in found)


def _of_files(files: list[Path], signed_by: str | None, fingerprint: str | None) -> Iterator[Verified]:
    from explorer.record.verification.files import verify_file

    for path in files:
        yield verify_file(path, signed_by=signed_by, fingerprint=fingerprint)


@dataclass(frozen=True)
class _Here:
    """The workspace that is checked, and what its ledger must lead to and be signed by."""

    workspace: str | None
    endpoint: str | None
    collection: str
    anchor: str | None
    signed_by: str | None

    def verified(self, named: list[str], *, every: bool) -> Iterator[Verified]:
        """Yield what was found in the named workspace, or in each demo workspace that has any of the runs."""
        from explorer.record.deletion import deleted
        from explorer.record.keys import public_key
        from explorer.record.listing import questions
        from explorer.record.verification.verify import check_named, verify
        from explorer.stores.ledger import entries

        left = dict.fromkeys(named)
        by = public_key(self.signed_by) if self.signed_by else None
        for opening in stored(self.workspace, self.endpoint, self.collection):
            with opening as stores:
                check_named(stores, left)
                here = questions(stores)
                known = [one for one in left if one in here or deleted(stores, one) or entries(stores.database, one)]
                wanted = here if every else known
                yield verify(stores, wanted, whole=every, anchor=self.anchor, signed_by=by, progress=every)
                left = {one: None for one in left if one not in wanted}
        if left:
            raise RecordError(f"Nothing is on record about {next(iter(left))}; check the IRI.")
