"""The ledger as a workspace has it: its entries as a table, and what adds to it when runs end, come, change or go."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from pyoxigraph import Literal, NamedNode, Quad

from explorer import entities as e
from explorer.display import AsTable, Table
from explorer.record.keys import Key
from explorer.record.listing import QUESTIONS, questions
from explorer.record.node_lookup import iris, read
from explorer.record.run_deletion import tombstones
from explorer.record.sealing import Sealable, found_anew, left_of, sealable, worded_calls
from explorer.record.sender_seals import SenderSeal, sender_seals
from explorer.stores import ledger as stored
from explorer.stores.collection import Collection
from explorer.stores.ledger import AMENDED, DELETED, FORGOTTEN, IMPORTED, INTERRUPTED, RESTORED, RUN, Entry
from explorer.vocab import PROV, RETRIEVAL, X, iri, session_of, timestamp, to_the_second

_OWN = (RUN, INTERRUPTED)
_HEADS = ("Entry", "Kind", "Run or document", "At", "Signed", "Seal")
_KINDS = {
    RUN: "sealed when it ended", INTERRUPTED: "sealed after it was cut off", IMPORTED: "sealed when it was imported",
    AMENDED: "sealed again, as texts were removed",
    RESTORED: "sealed again when it was restored", DELETED: "deleted", FORGOTTEN: "a document that was removed",
    stored.REEXTRACTED: "a document whose facts were found anew",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class DeletedRun:
    """That a run was deleted, and when; when it came back, and how ("restored" or "imported"), None while it did not.

    `sha256` is the hash of its record, as `export` writes it. What was asked and answered is not kept.
    """

    iri: str
    deleted_at: str
    sha256: str
    back_at: str | None = None
    back: str | None = None


def deletions(stores: Collection) -> Table[DeletedRun]:
    """Return all deletions of runs, oldest first, those that were undone too."""
    found, still = list[DeletedRun](), dict[str, int]()  # where in `found` those stand that did not come back yet
    for one in stored.entries(stores.database):
        if one.kind == DELETED:
            still[one.about] = len(found)
            found.append(DeletedRun(one.about, one.at, one.record))
        elif one.is_seal and one.about in still:
            at = still.pop(one.about)
            found[at] = replace(found[at], back_at=one.at, back=one.kind)
    told = {one.iri for one in found}
    found += [
        DeletedRun(left.iri, left.invalidated_at or "", left.sha256 or "")
        for left in tombstones(stores) if left.iri not in told  # before there was a ledger
    ]  # fmt: skip
    return Table(
        sorted(found, key=lambda one: one.deleted_at),
        ("Run", "Deleted", "Back"),
        lambda one: (
            one.iri, to_the_second(one.deleted_at),
            f"{one.back} {to_the_second(one.back_at)}" if one.back_at is not None else "no",
        ),
        "No run was deleted.",
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Ledger(AsTable):
    """The ledger of a collection; `key` signs what is added, None: nobody does. Entries are counted from 0 here."""

    stores: Collection
    clock: Callable[[], datetime]
    key: Key | None = None

    nothing = "The ledger is empty: nothing was sealed yet."

    @property
    def entries(self) -> list[Entry]:
        """All entries, in the order they were added."""
        return stored.entries(self.stores.database)

    @property
    def head(self) -> str:
        """What to keep outside: the number and the seal of the last entry; of an empty ledger 0 and zeros."""
        return stored.head(self.stores.database)

    @property
    def deletions(self) -> Table[DeletedRun]:
        """What is left of deleted runs: which, when they were deleted, and when they came back, if they did."""
        return deletions(self.stores)

    def entry(self, about: str) -> Entry | None:
        """Return the last entry about a run or a document; None where there is none."""
        return next(reversed(stored.entries(self.stores.database, about)), None)

    def sender_seals(self, run: str) -> tuple[SenderSeal, ...]:
        """Return how a run that came in a bundle was sealed where it came from, and whether that fits it now."""
        return sender_seals(self.stores, run)

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __getitem__(self, at: int) -> Entry:
        return self.entries[at]

    def __repr__(self) -> str:
        return self._lines()

    def _columns(self) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
        rows = [
            (str(one.number), one.kind, one.about, one.at[:19], one.key[:16] or "no", one.seal[:16]) for one in self
        ]
        return _HEADS, rows

    def due(self, run: str) -> str | None:
        """Return the seal that is the last one now where a run is to be sealed; else None.

        To be asked, and the run to be sealed, while `sealing` of the database is held.
        """
        return stored.due(self.stores.database, run)

    def seal(self, run: str, kind: str, at: str, waiting: str | None = None, previous: str | None = None) -> Entry:
        """Add an entry that seals a run as it is on record now, in place of what waits for it.

        `previous` is the last seal, where that is known, as `sealing` was held since.
        """
        with self.stores.database.sealing:
            found = sealable(self.stores, run)
            if kind in _OWN:
                self._link(run, found, previous)
            is_settled = kind not in (IMPORTED, RUN) or found.is_whole  # else the rest of a source may yet come
            return self._append(
                Entry(
                    0, kind, run, at, found.record_hash, "", found.source_hashes if is_settled else {},
                    named="" if kind in _OWN else found.named, lasting=found.lasting_hash,
                    calls=worded_calls(self.stores, found.record), how={} if kind == IMPORTED else found.how_hashes,
                ),
                waiting or kind,
            )  # fmt: skip

    def _append(self, entry: Entry, waiting: str) -> Entry:
        signed = replace(entry, key=self.key.public) if self.key else entry
        with self.stores.database.writing() as connection:
            made = stored.append(connection, signed, self.key.sign if self.key else None)
            stored.settled(connection, entry.about, waiting)
        return made

    def _link(self, run: str, found: Sealable, previous: str | None) -> None:
        """Have the run name the seal that is the last one now, where it does not."""
        if previous is None:
            last = stored.last(self.stores.database)
            previous = last.seal if last else stored.FIRST
        if found.named != previous:
            end = NamedNode(iri("end", session_of(run)))
            node = end if any(quad.subject == end for quad in found.record) else NamedNode(run)
            gone = [
                quad for one in (end, NamedNode(run))
                for quad in self.stores.graph.match(one, X.previous, None, RETRIEVAL)
            ]  # fmt: skip
            self.stores.graph.replace((), [Quad(node, X.previous, Literal(previous), RETRIEVAL)], gone)

    def begin_import(self) -> None:
        """Write down that a file is being imported, so that its runs are sealed also after a kill."""
        with self.stores.database.writing() as connection:
            stored.expect(connection, "", IMPORTED)

    def end_import(self, runs: Iterable[str]) -> None:
        """Seal the runs that a file has brought, and those that it has changed of what was imported before.

        What was on record before and is not of an import is not sealed anew: where it differs now, `verify` says so.
        """
        known, at = self.stores.runs.iris(), timestamp(self.clock())
        for run in runs:
            last = self.entry(run)
            if run in known and (last is None or last.kind != IMPORTED):
                continue
            if last is None or last.kind != IMPORTED or sealable(self.stores, run).record_hash != last.record:
                self.seal(run, IMPORTED, at)
        with self.stores.database.writing() as connection:
            stored.settled(connection, "", IMPORTED)

    def settle_import(self) -> None:
        """Seal what a file has brought whose import was cut off; to be called before runs are listed again."""
        if any(one.kind == IMPORTED for one in stored.unsealed(self.stores.database)):
            known = self.stores.runs.iris()
            self.end_import(one for one in questions(self.stores) if one not in known)

    def settle(self) -> None:
        """Add the entries that wait: of runs that ended, and of what was removed, deleted or restored."""
        if not stored.unsealed(self.stores.database):
            return
        with self.stores.database.sealing:  # whatever waits now is waited for by nobody else
            waiting = stored.unsealed(self.stores.database)
            gone = {*self.stores.database.abandoned(one.about for one in waiting if one.kind == stored.RUN)}
            again = dict[str, str]()
            for one in waiting:
                match one.kind:
                    case stored.RUN if one.about in gone:
                        self.settle_run(one.about)
                    case stored.FORGOTTEN | stored.DELETED:
                        left = left_of(self.stores, one.about) if one.kind == FORGOTTEN else {}
                        self._append(Entry(0, one.kind, one.about, one.moment, one.sha256, "", left), one.kind)
                    case stored.REEXTRACTED:
                        anew = found_anew(self.stores, one.about)
                        self._append(Entry(0, one.kind, one.about, one.moment, "", "", anew), one.kind)
                    case stored.RESTORED:
                        self.seal(one.about, RESTORED, one.moment)
                    case stored.AMENDED:
                        again[one.about] = one.moment
            self._amend(again)

    def settle_run(self, run: str) -> None:
        """Seal a run that has ended and waits for it; one that has not even begun is not waited for."""
        if (end := read(self.stores.graph, iri("end", session_of(run)), e.End)) is not None:
            self.seal(run, INTERRUPTED if end.reason == "interrupted" else RUN, end.ended_at or "", RUN)
        elif read(self.stores.graph, run, e.Question) is None:
            with self.stores.database.writing() as connection:
                stored.settled(connection, run, RUN)

    def _amend(self, nodes: dict[str, str]) -> None:
        runs = dict[str, str]()
        for node, moment in nodes.items():
            runs |= dict.fromkeys(self._runs_of(node), moment)
        for run, moment in runs.items():
            last = self.entry(run)
            if last is not None and last.is_seal and sealable(self.stores, run).record_hash != last.record:
                self.seal(run, AMENDED, moment)
        with self.stores.database.writing() as connection:
            for node in nodes:
                stored.settled(connection, node, AMENDED)

    def _runs_of(self, node: str) -> Iterator[str]:
        graph = self.stores.graph
        if said := iris(quad.object for quad in graph.match(NamedNode(node), X.run, None, RETRIEVAL)):
            yield from said
            return
        asked = [iri(kind, session_of(node)) for kind in QUESTIONS] if session_of(node) else []
        wave, seen = [one for one in asked if read(graph, one, e.Entity) is not None], set[str]()
        while wave:
            key = wave.pop()
            if key in seen:
                continue
            seen.add(key)
            above = iris(quad.object for quad in graph.match(NamedNode(key), PROV.wasDerivedFrom, None, RETRIEVAL))
            wave += above
            if not above:
                yield key


def listed(stores: Collection) -> list[str]:
    """Return all entries as lines of text, as the command line prints them."""
    found = stored.entries(stores.database)
    return [
        f"{one.anchor}  {one.at}  {_KINDS.get(one.kind, one.kind)}  {one.about}"
        f"  {f'signed by {one.key}' if one.key else 'not signed'}"
        for one in found
    ] or [Ledger.nothing]
