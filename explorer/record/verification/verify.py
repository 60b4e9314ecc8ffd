"""Verifying runs: those of a workspace, those in a file of triples, or a collection in a folder; nothing is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from pyoxigraph import NamedNode

from explorer.display import Table
from explorer.errors import RecordError
from explorer.ingest.progress import shown
from explorer.record import importing
from explorer.record.bundles import checking as bundles
from explorer.record.keys import public_key
from explorer.record.listing import questions
from explorer.record.node_lookup import iris
from explorer.record.run_deletion import deleted
from explorer.record.verification.evidence import Evidence, Finding, Known, check_shapes
from explorer.record.verification.rules import RULES
from explorer.record.verification.seals import Seals
from explorer.record.verification.texts import TEXT_RULES
from explorer.stores.collection import Collection, open_collection
from explorer.stores.ledger import entries
from explorer.text import count, one_line
from explorer.vocab import RETRIEVAL, X

_TOGETHER = 10_000  # quads of runs that are checked at once
_HEADS = ("Node", "What", "Since, or later")


class Verified(Table[Finding]):
    """What was found when runs were checked, shown as a table; `runs` are their Questions, in the order checked.

    `seals` is a sentence on how many of them are sealed, and who signed; empty where there is no ledger, as in a file.
    Of a bundle it is who signed that. `head` is the number and the seal of the last entry of the ledger, to be kept
    outside.
    """

    runs: tuple[str, ...]
    seals: str
    head: str

    @classmethod
    def of(
        cls, runs: Iterable[str], findings: Iterable[Finding], seals: Seals | None = None, said: str = ""
    ) -> Verified:
        """Return what was found."""
        checked, found = tuple(runs), tuple(findings)
        said = seals.sentence if seals else said
        nothing = " ".join(filter(None, (f"{count(len(checked), 'run')} checked, no fault found.", said)))
        made = cls(found, _HEADS, lambda one: (one.node, one.what, one.since or ""), nothing, said)
        made.runs, made.seals, made.head = checked, said, seals.head if seals else ""
        return made

    @property
    def faults(self) -> tuple[Finding, ...]:
        """What does not hold, without what was removed on purpose, or is only noted."""
        return tuple(one for one in self if one.is_fault)

    @property
    def is_sound(self) -> bool:
        """Whether nothing was found but what was removed on purpose, or is only noted."""
        return not self.faults


def verify(
    stores: Collection,
    runs: Iterable[str],
    *,
    with_contents: bool = True,
    whole: bool = False,
    anchor: str | None = None,
    signed_by: str | None = None,
    progress: bool = False,
) -> Verified:
    """Check runs by the shapes, the rules across their nodes, the words and their seals.

    `with_contents`: whether texts that are not there count as missing, and whether there is a ledger. `whole`: these
    are all runs, so that others on the ledger are missing. `anchor` is what the ledger is to lead to, `signed_by` the
    public key by which entries are to be signed. With `progress` a bar shows how many are checked. Raises RecordError
    for what is no run or no anchor.
    """
    checked = tuple(dict.fromkeys(runs))
    stores = stores.remembering()
    seals = Seals(stores, signed_by) if with_contents else None
    found = [*seals.chain(), *seals.waiting()] if seals else []
    found += seals.anchored(anchor) if seals and anchor is not None else ()
    with shown("Checking", len(checked), progress=progress, left=True) as tell:
        for at, record in enumerate(_read(stores, checked, with_contents)):
            tell(at, "")
            found += _faults(record, seals)
        tell(len(checked), "")
    found += (*seals.missing(checked), *seals.others(checked)) if seals and whole else ()
    return Verified.of(checked, dict.fromkeys(found), seals)


def _read(stores: Collection, runs: Iterable[str], with_contents: bool) -> Iterator[Evidence]:  # noqa: FBT001 - as it is given
    """Yield what is on record of runs, of some of them at once, so that the shapes are read once for these."""
    known, some = Known(), list[Evidence]()
    for run in runs:
        some.append(Evidence(stores, run, with_contents, known))
        if sum(len(record.quads) for record in some) > _TOGETHER:
            check_shapes(some)
            yield from some
            some.clear()
    if some:
        check_shapes(some)
        yield from some


def check_named(stores: Collection, runs: Iterable[str]) -> None:
    """Raise RecordError for what is no IRI, and for a part of a run, which is not sealed by itself."""
    for run in runs:
        try:
            quads = list(stores.graph.match(NamedNode(run), X.run, None, RETRIEVAL))
        except ValueError as error:
            raise RecordError(f"{run!r} is not an IRI; copy that of a run from `explorer traces`.") from error
        whole = iris(quad.object for quad in quads)
        if whole and run not in whole and not entries(stores.database, run):
            raise RecordError(f"{one_line(run)} is part of the run {one_line(whole[0])}; verify that one.")


def _faults(record: Evidence, seals: Seals | None) -> Iterator[Finding]:
    if (left := deleted(record.stores, record.run)) is not None:
        yield Finding(record.run, f"it was deleted on {(left.invalidated_at or '')[:10]}", is_removal=True)
        yield from seals.gone(left) if seals else ()
        return
    if record.question is None and seals is not None and (lost := [*seals.lost(record.run)]):
        yield from lost
        return
    if record.question is None:
        raise RecordError(f"There is no run {record.run} to verify; `ws.traces.list()` lists those on record.")
    for rule in (*RULES, *TEXT_RULES):
        yield from rule(record)
    yield from seals.of(record) if seals else ()


def verify_file(
    path: str | Path, form: str | None = None, *, signed_by: str | Path | None = None, fingerprint: str | None = None
) -> Verified:
    """Check the runs in a file of triples or a recorded session, in memory; its texts are not looked for.

    Of a bundle also its files, texts and seals, and its signature: by the public key `signed_by` (digits, or a .pub
    file), if one is given, and whether it has the `fingerprint` that its sender told. Nothing is stored. Raises
    RecordError for a file that can't be read, or without a run, and WorkspaceError for what is no key.
    """
    path = Path(path)
    by = None if signed_by is None else public_key(signed_by)
    try:
        bundle = bundles.read(path, by, fingerprint) if bundles.is_bundle(path) else None
        parsed = importing.of_bundle(bundle) if bundle else importing.read(path.read_bytes(), path.name, form)
    except OSError as error:
        raise RecordError(f"{path} can't be read ({error.strerror or error}); check the path.") from error
    with closing(open_collection(None)) as stores:
        stores.graph.add(parsed.quads)
        stores.library.enclose(parsed.enclosed.texts)
        stores.library.add((*parsed.contents, *parsed.enclosed.contents))
        runs = questions(stores)
        if bundle is None and not runs:
            raise RecordError(f"{path} holds no run to verify.")
        if bundle is not None:
            importing.keep_sealed(bundle.sealed, runs, stores)
        found = verify(stores, runs, with_contents=False)
    if bundle is None:
        return found
    faults = [Finding(name, what) for name, what in bundle.faults]
    faults += [Finding("record.nq", one) for one in parsed.refused]
    return Verified.of(found.runs, (*faults, *found), said=" ".join(bundle.said))


def reading_only(folder: Path) -> closing[Collection]:
    """Open the collection in a folder without writing to it: no run that was cut off is ended, nothing is undone."""
    return closing(open_collection(folder, read_only=True))
