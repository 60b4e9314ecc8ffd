"""The commands that check the record, and of its seals and keys: `verify`, `ledger` and `keys`."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from explorer.cli.common import fail, print_lines, runnable, stored, use
from explorer.cli.options import At, app
from explorer.errors import RecordError
from explorer.text import count

if TYPE_CHECKING:
    from explorer.record.verification.verify import Verified


@app.command()
def verify(
    at: At,
    runs: Annotated[list[str] | None, Argument(help="Runs (IRI or short name), files of triples, or bundles.")] = None,
    *,
    every: Annotated[bool, Option("--all", help="Check all runs of the workspace.")] = False,
    anchor: Annotated[
        str | None, Option(help="What `explorer ledger head` printed before: finds a ledger that was rewritten.")
    ] = None,
    signed_by: Annotated[
        str | None, Option(help="The public key, as digits or its .pub file, that all must be signed by.")
    ] = None,
    fingerprint: Annotated[
        str | None, Option(help="What `explorer bundle` printed, as the sender of this one bundle told you.")
    ] = None,
) -> None:
    """Check runs: form, texts, quotations, seals.

    Exit code 1: something was found. Who sent a bundle is checked with --signed-by or --fingerprint alone.
    """
    from explorer.record.verification.verify import verify_file

    use(at)
    given = runs or []
    files = [Path(one) for one in given if Path(one).exists()]
    named = [one for one in given if Path(one) not in files]
    if bool(given) == every and (given or anchor is None):
        fail("Name runs or files to verify, or give --all; `explorer traces` lists the runs.")
    if fingerprint is not None and len(files) != 1:
        fail("A fingerprint is that of one bundle; give --fingerprint with that one alone.")
    of_files = [verify_file(path, signed_by=signed_by, fingerprint=fingerprint) for path in files]
    here = named or every or anchor is not None
    found = [*of_files, *(_verified(at, named, anchor, signed_by, every=every) if here else ())]
    for number, one in enumerate(found):
        name = [f"{files[number]}: {_faults(one)} found."] if number < len(files) and len(found) > 1 else []
        print_lines([*name, *map(str, one), *([runnable(one.seals)] if one.seals else [])])
    removed = sum(fault.is_removal for one in found for fault in one)
    noted = sum(fault.is_note for one in found for fault in one)
    more = f"; {count(removed, 'thing')} removed on purpose" if removed else ""
    more += f"; {count(noted, 'thing')} noted" if noted else ""
    checked, faults = sum(len(one.runs) for one in found), any(one.faults for one in found)
    print_lines([f"{count(checked, 'run')} checked, {_faults(*found)} found{more}."])
    if faults:
        raise typer.Exit(1)
    if signed_by is None and fingerprint is None and any(one.seals for one in of_files):
        print_lines(["That nobody changed a bundle on its way only its sender's key or fingerprint can show."])


def _faults(*found: Verified) -> str:
    number = sum(len(one.faults) for one in found)
    return count(number, "fault") if number else "no fault"


def _verified(
    at: At, named: list[str], anchor: str | None, signed_by: str | None, *, every: bool
) -> Iterator[Verified]:
    """Yield what was found in the named workspace, or in each demo workspace that has any of the runs.

    `anchor` is what its ledger must lead to, `signed_by` whose signatures it must have.
    """
    from explorer.record.keys import public_key
    from explorer.record.listing import called, questions
    from explorer.record.run_deletion import deleted
    from explorer.record.verification.verify import check_named, verify
    from explorer.stores.ledger import entries

    left = dict.fromkeys(named)
    by = public_key(signed_by) if signed_by else None
    for opening in stored(at):
        with opening as stores:
            here = questions(stores)
            iris = {one: iri for one in left if (iri := called(one, here))}
            check_named(stores, iris.values())
            known = {one: iri for one, iri in iris.items()
                     if iri in here or deleted(stores, iri) or entries(stores.database, iri)}  # fmt: skip
            wanted = here if every else [*dict.fromkeys(known.values())]
            yield verify(stores, wanted, whole=every, anchor=anchor, signed_by=by, progress=every)
            left = {one: None for one in left if one not in known}
    for one in left:
        if ":" not in one:
            raise RecordError(f"There is no file {one!r}, and no run is called so; `explorer traces` lists the runs.")
        raise RecordError(f"Nothing is on record about {one}; check the IRI.")


class Part(StrEnum):
    """What to print of a ledger."""

    HEAD = "head"
    DELETED = "deleted"


class Act(StrEnum):
    """What to do with keys."""

    NEW = "new"


@app.command()
def ledger(
    at: At,
    part: Annotated[
        Part | None,
        Argument(help="head: the last entry alone, to be kept elsewhere; deleted: what is left of deleted runs."),
    ] = None,
) -> None:
    """List the ledger of seals.

    It has an entry for each run that ended, came, changed or was deleted.
    """
    from explorer.record.ledger import deletions, listed
    from explorer.stores.ledger import head

    for opening in stored(at):
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
    act: Annotated[Act, Argument(help="Make a new key.")],
    path: Annotated[Path, Argument(help="The file to write, outside of any workspace.")],
) -> None:
    """Make a key that signs seals (Ed25519).

    Only you can read it; its public half is PATH.pub.
    """
    from explorer.record.keys import new_key

    match act:
        case Act.NEW:
            key = new_key(path)
            print_lines([
                f"Written: {path}, which signs where EXPLORER_KEY names it, and {path}.pub.",
                f"Who checks needs its public half: {key.public}",
            ])  # fmt: skip
