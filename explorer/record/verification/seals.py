"""What must hold between the record and the ledger: the chain of seals, the hashes in it, and who signed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from pyoxigraph import Literal, NamedNode, Quad

from explorer import entities as e
from explorer.errors import RecordError
from explorer.record.keys import is_signed
from explorer.record.sealing import by_node, digest, left_hash
from explorer.record.sender_seals import SHOWN, SenderSeal, sender_seals
from explorer.record.verification.evidence import Evidence, Finding
from explorer.stores import ledger as stored
from explorer.stores.collection import Collection
from explorer.stores.ledger import AMENDED, DELETED, FORGOTTEN, IMPORTED, INTERRUPTED, RESTORED, RUN, Entry
from explorer.text import count, one_line
from explorer.vocab import FACTS, PROV

_OWN = (RUN, INTERRUPTED)
_COPIED = (
    "A folder that was copied while it was in use can lack runs, texts or entries. Copy it by `explorer backup`, "
    "and check that."
)


@dataclass
class Seals:
    """The ledger of a collection as runs are checked by it; `signed_by` is the public key that all must be signed by.

    `sealed`, `unsealed` and `signers` are what was found of the runs that were checked. `is_apart`: record and ledger
    do not end together.
    """

    stores: Collection
    signed_by: str | None = None
    sealed: list[str] = field(default_factory=list)
    unsealed: list[str] = field(default_factory=list)
    signers: dict[str, None] = field(default_factory=dict)
    is_apart: bool = False
    _known_left: dict[str, tuple[Finding, ...]] = field(default_factory=dict, repr=False)

    @cached_property
    def _chain(self) -> stored.Chain:
        return stored.chain(self.stores.database)

    @cached_property
    def _waiting(self) -> list[stored.Unsealed]:
        return stored.unsealed(self.stores.database)

    @property
    def head(self) -> str:
        """The number and the seal of the last entry; of an empty ledger 0 and zeros."""
        number, seal = next(reversed(self._chain.seals.items()), (0, stored.FIRST))
        return f"{number}:{seal}"

    @property
    def sentence(self) -> str:
        """What was found of seals and signatures; empty where no run was checked."""
        checked = len(self.sealed) + len(self.unsealed)
        copied = f" {_COPIED}" if self.is_apart else ""
        if not checked:
            return f"The ledger ends at entry {self.head.partition(':')[0]}.{copied}"
        signers = [f"signed by the key {key[:SHOWN]}…" if key else "not signed" for key in sorted(self.signers)]
        said = [f"{len(self.sealed)} of {count(checked, 'run')} sealed", *signers]
        if self.unsealed:
            said.append(f"{len(self.unsealed)} not sealed")
        return f"{', '.join(said)}.{copied}"

    def chain(self) -> Iterator[Finding]:
        """Yield which entries of the ledger are not as they were added."""
        for one in self._chain.broken:
            name = f"entry {one.number} of the ledger"
            if not one.is_hashed:
                yield Finding(name, f"its seal is not the hash of what it says of {one.about}")
            else:
                yield Finding(name, "it does not follow the entry before it: one was changed, taken out or put in")

    def waiting(self) -> Iterator[Finding]:
        """Yield, as notes, what waits for its entry, but for runs that go on."""
        for one in self._waiting:
            if one.kind != RUN:
                told = f"the ledger has no entry yet that it was {one.kind}; opening the workspace adds it"
                yield Finding(one.about or "the ledger", told, is_note=True)

    def anchored(self, anchor: str) -> Iterator[Finding]:
        """Yield where the ledger does not lead to what was kept outside of it; raises RecordError for no anchor."""
        number, _, seal = anchor.strip().rpartition(":")
        if not number.isdecimal() or len(seal) != len(stored.FIRST):
            raise RecordError(f"{anchor!r} is no anchor; give what `explorer ledger head` printed, such as 12:4f0c….")
        if int(number) == 0:
            return
        known = self._chain.seals.get(int(number))
        if known is None:
            yield Finding(f"entry {number} of the ledger", "it is not there any more: the ledger was cut off")
        elif known != seal.lower():
            yield Finding(f"entry {number} of the ledger", "it has another seal: the ledger was rewritten")

    def missing(self, checked: Iterable[str]) -> Iterator[Finding]:
        """Yield the runs that were sealed, were not deleted, and are not on record; checked are those that are."""
        known, last = {*checked}, dict[str, Entry]()
        for one in stored.entries(self.stores.database):
            last[one.about] = one
        waiting = {one.about for one in self._waiting if one.kind == DELETED}
        for about, one in last.items():
            if about not in known | waiting and one.is_seal:
                yield self._lost(one)

    def others(self, checked: Iterable[str]) -> Iterator[Finding]:
        """Yield what does not hold of entries about what was not checked, such as documents that were removed."""
        known = {*checked}
        others = [one for one in stored.entries(self.stores.database) if one.about not in known]
        yield from self._signed(others)
        for document in dict.fromkeys(one.about for one in others if one.kind == FORGOTTEN):
            yield from self._left(document)

    def lost(self, run: str) -> Iterator[Finding]:
        """Yield that a run whose Question is not on record was sealed; nothing of one that the ledger does not know."""
        yield from (self._lost(one) for one in stored.entries(self.stores.database, run)[-1:] if one.is_seal)

    def _lost(self, last: Entry) -> Finding:
        self.is_apart = True
        return Finding(last.about, f"it was sealed on {last.at[:10]}, and is not on record any more", last.at)

    def of(self, record: Evidence) -> Iterator[Finding]:
        """Yield what does not hold between a run and its entries."""
        own = stored.entries(self.stores.database, record.run)
        if not own:
            self.unsealed.append(record.run)
            yield from self._never(record)
            return
        self.sealed.append(record.run)
        self.signers |= dict.fromkeys(one.key for one in own)
        yield from self._signed(own)
        last, seals = own[-1], [one for one in own if one.is_seal]
        if not last.is_seal:
            if not self._waits(record.run, RESTORED):
                yield Finding(record.run, f"the ledger says that it was deleted on {last.at[:10]}, and it is on record")
            return
        if record.record_hash != last.record and not self._changes(record, last):
            yield Finding(record.run, "its record is not the one that was sealed: it was changed since", last.at)
        for before, after in pairwise(own):
            yield from self._again(record, before, after, seals)
        first = next((one for one in seals if one.kind in _OWN), None)
        if first is not None and len(seals) > 1 and not _lasts(record, first):
            what = "more than its reasons is not as it was first sealed, and only texts of it were removed"
            yield Finding(record.run, what, first.at)
        if record.sealable.named != (first.previous if first else last.named):
            yield Finding(record.run, "x:previous is not the seal before its own", last.at)
        yield from self._sent(record, seals)
        yield from self._sources(record, last, seals[0].number)
        yield from self._how(record, last, seals[0].number)

    def _again(self, record: Evidence, before: Entry, after: Entry, seals: Sequence[Entry]) -> Iterator[Finding]:
        """Yield why an entry about a run may not follow the one before it, and what there is to note of one that may.

        A run is sealed once. It is sealed again where texts of it were removed, where it came back after it was
        deleted, as the record that it was, and where a further file changed what was imported.
        """
        entry = f"entry {after.number} of the ledger"
        since = f"; it was first sealed on {_minute(seals[0].at)} as entry {seals[0].number} of the ledger"
        was = next((one for one in reversed(seals) if one.number < after.number), None)
        is_same = was is None or was.record == after.record
        if not after.is_seal:
            return  # that it was deleted, also once more after it came back in part, as restoring it was cut off
        if before.kind == DELETED:
            how = f"it was deleted on {_minute(before.at)} and {after.kind} on {_minute(after.at)}"
            if after.kind == RESTORED and not is_same:
                yield Finding(record.run, "it was restored as another record than the one that was sealed", after.at)
            elif not self._may_come_back(after, [one for one in seals if one.number < after.number]):
                yield Finding(record.run, f"{how}, as another record than the one that was sealed", after.at)
            now = ", and is the same now" if is_same else ", as another record"
            yield Finding(record.run, f"{how}{since}{now}", is_note=True)
        elif after.kind == AMENDED:
            if not self._is_amended(record, after, seals):
                yield Finding(record.run, "it was sealed again, and not only as texts of it were removed", after.at)
            else:
                what = f"texts of it were removed on {_minute(after.at)}, and its reasons are those that it had then"
                yield Finding(record.run, f"{what}{since}", is_note=True)
        elif after.kind == IMPORTED == before.kind:
            yield Finding(record.run, f"a further file changed it on {_minute(after.at)}{since}", is_note=True)
        else:
            yield Finding(record.run, f"{entry} seals it again, and nothing says why", after.at)

    @staticmethod
    def _may_come_back(after: Entry, before: Sequence[Entry]) -> bool:
        """Return whether a run that was deleted may be there again: as a record that was sealed before, also one from
        before texts of it were removed. Of one that was only ever imported, another file may bring another record.
        """
        is_own = any(one.kind in _OWN for one in before)
        known = not is_own or after.record in {one.record for one in before}
        return after.kind in (RESTORED, IMPORTED) and known

    def _never(self, record: Evidence) -> Iterator[Finding]:
        """Yield that a run without an entry should have one."""
        if record.end is None or not record.is_own or self._waits(record.run, RUN):
            return
        begun = record.question.started_at if record.question else None
        if record.sealable.named:
            self.is_apart = True
            yield Finding(record.run, "it names a seal, and the ledger has no entry about it: it was taken out", begun)
        else:
            yield Finding(record.run, "it is not sealed, and each run is sealed when it ends", begun)

    def gone(self, left: e.Deleted) -> Iterator[Finding]:
        """Yield what does not hold between what is left of a run that was deleted and its entries."""
        own = stored.entries(self.stores.database, left.iri)
        if not own or self._waits(left.iri, DELETED):
            return
        self.signers |= dict.fromkeys(one.key for one in own)
        yield from self._signed(own)
        last = own[-1]
        if last.kind != DELETED:
            yield Finding(left.iri, "it says that it was deleted, and the ledger does not", last.at)
        elif (last.record, last.at) != (left.sha256, left.invalidated_at):
            yield Finding(left.iri, "when it was deleted, or its hash, is not what the ledger says", last.at)

    def _sent(self, record: Evidence, seals: Sequence[Entry]) -> Iterator[Finding]:
        """Yield that a run is not the one that any of its senders sealed; what was removed here changes it, too."""
        sent = sender_seals(self.stores, record.run, record.record_hash)
        came = [one for one in sent if one.entry is not None]
        if came and {one.kind for one in seals} == {IMPORTED} and not any(one.fits for one in came):
            yield Finding(record.run, "its record is not the one that its sender sealed", seals[0].at)
        elif any(one.signers is None and not one.fits for one in came) and not self._removed(seals, came):
            yield Finding(record.run, "its record is not the one that an earlier sender sealed", seals[0].at)

    @staticmethod
    def _removed(seals: Sequence[Entry], came: Sequence[SenderSeal]) -> bool:
        """Return whether texts of a run were removed, here or where it came through."""
        return AMENDED in {one.kind for one in (*seals, *(one.entry for one in came if one.entry))}

    def _sources(self, record: Evidence, last: Entry, since: int) -> Iterator[Finding]:
        """Yield the sources of a run that are not as they were sealed; those that were removed are told as that."""
        now = record.sealable.sources
        for document, sealed in last.sources.items():
            yield from self._left(document)
            yield from self._unsaid(document, last)
            quads = now.get(document, ())
            if sealed == digest(quads):
                continue
            moment = self._forgotten(document, since)
            if moment is not None and self._is_back(document):
                told = f"it was removed on {moment[:10]} and read again: what is here is not what was sealed"
                yield Finding(document, told, is_note=True)
            elif moment is not None:
                yield Finding(document, f"it was removed on {moment[:10]}", is_removal=True)
            else:
                yield Finding(document, "what is on record of it and its passages was changed since", last.at)

    def _how(self, record: Evidence, last: Entry, since: int) -> Iterator[Finding]:
        """Yield the documents that were not read, or whose facts were not found, as it was sealed.

        Facts that were found anew since are as that was noted on the ledger.
        """
        for document, sealed in last.how.items():
            quads = record.sealable.how.get(document, ())
            if sealed == digest(quads) or self._forgotten(document, since) is not None:
                continue
            said = [one for one in stored.entries(self.stores.database, document)
                    if one.kind == stored.REEXTRACTED and one.number > last.number]  # fmt: skip
            waits = any((one.about, one.kind) == (document, stored.REEXTRACTED) for one in self._waiting)
            if waits or (
                said
                and by_node(quads) == _among(said[-1].sources, (*quads, *record.sealable.sources.get(document, ())))
            ):
                when = " since" if waits else f" on {_minute(said[-1].at)}"
                yield Finding(document, f"its facts were found anew{when}", is_note=True)
            else:
                what = "by whom and how it was read, or its facts were found, was changed since"
                yield Finding(document, what, said[-1].at if said else last.at)

    def _left(self, document: str) -> Iterator[Finding]:
        """Yield what is left of a document and is not as it was when the ledger noted that it was removed.

        One that came back is compared as any other.
        """
        if document not in self._known_left:
            said = [one for one in stored.entries(self.stores.database, document) if one.kind == FORGOTTEN]
            left = said[-1].sources if said and not self._is_back(document) else {}
            self._known_left[document] = tuple(
                Finding(node, "what was left of it when its document was removed was changed since", said[-1].at)
                for node, sha256 in left.items() if left_hash(self.stores, node) != sha256
            )  # fmt: skip
        yield from self._known_left[document]

    def _unsaid(self, document: str, last: Entry) -> Iterator[Finding]:
        """Yield that a document is told as removed, and the ledger does not say so."""
        told = self.stores.graph.match(NamedNode(document), PROV.invalidatedAtTime, None, FACTS)
        for when in [_value(quad) for quad in told] if last.kind in (RUN, INTERRUPTED) else ():
            if self._forgotten(document, 0) is None:
                what = f"it is told as removed on {one_line(when[:10])}, and the ledger does not say so"
                yield Finding(document, what, last.at)

    def _is_back(self, document: str) -> bool:
        """Return whether a document that was removed was read again, also where a newer version replaced it since."""
        library, gone = self.stores.library, NamedNode(document)
        is_told = any(self.stores.graph.match(gone, PROV.invalidatedAtTime, None, FACTS))
        return not is_told and (library.has(document) or library.newer(document) is not None)

    def _forgotten(self, document: str, after: int) -> str | None:
        """Return when a document was removed after an entry; None where it was not."""
        said = [one.at for one in stored.entries(self.stores.database, document)
                if one.kind == FORGOTTEN and one.number > after]  # fmt: skip
        said += [one.moment for one in self._waiting if (one.about, one.kind) == (document, FORGOTTEN)]
        return said[0] if said else None

    def _waits(self, run: str, *kinds: str) -> bool:
        return any(one.kind == IMPORTED or (one.about == run and one.kind in kinds) for one in self._waiting)

    def _changes(self, record: Evidence, last: Entry) -> bool:
        """Return whether texts of a run were removed and the entry that says so is not there yet."""
        waiting = [one.moment for one in self._waiting if one.kind == AMENDED and one.about in record.nodes]
        return bool(waiting) and {*waiting} <= self._removals(record) and _lasts(record, last)

    def _is_amended(self, record: Evidence, after: Entry, seals: Sequence[Entry]) -> bool:
        """Return whether a run was sealed again for nothing but texts that went with a document that was removed.

        A reason that went leaves a sentence in its place.
        """
        removals = self._removals(record)
        if after.at not in removals:
            return False
        before = next((one for one in reversed(seals) if one.number < after.number and one.kind != AMENDED), None)
        return before is None or (before.lasting == after.lasting and _lasts(record, before))

    def _removals(self, record: Evidence) -> set[str]:
        """Return when documents were removed, also those whose entry is not there yet."""
        return {one.at for one in record.removals} | {one.moment for one in self._waiting if one.kind == FORGOTTEN}

    def _signed(self, own: Sequence[Entry]) -> Iterator[Finding]:
        """Yield which entries are not signed by the key that they name, or not by the one that they are to be by."""
        for one in own:
            name = f"entry {one.number} of the ledger"
            if not one.kind:
                yield Finding(name, f"what it says of {one.about} can't be read")
            elif one.key and not is_signed(one.key, one.signature, one.statement):
                yield Finding(name, f"its signature is not by the key {one.key[:SHOWN]}… that it names", one.at)
            elif one.signature and not one.key:
                yield Finding(name, "it has a signature, and names no key", one.at)
            elif self.signed_by and one.key != self.signed_by:
                by = f"signed by another key, {one.key[:SHOWN]}…" if one.key else "not signed"
                yield Finding(name, f"it is {by}", one.at)


def _among(hashes: Mapping[str, str], quads: Iterable[Quad]) -> dict[str, str]:
    """Return those of the hashes by node whose nodes some triples name."""
    named = {term.value for quad in quads for term in (quad.subject, quad.object) if isinstance(term, NamedNode)}
    return {node: sha256 for node, sha256 in hashes.items() if node in named}


def _minute(at: str) -> str:
    return one_line(at[:16].replace("T", " "))


def _lasts(record: Evidence, sealed: Entry) -> bool:
    """Return whether all of a run but its reasons, and when texts of it were removed, is as it was sealed."""
    return record.sealable.lasting_hash == sealed.lasting


def _value(quad: Quad) -> str:
    return quad.object.value if isinstance(quad.object, Literal) else ""
