"""The sender's seals: what came along with a bundle about how its runs were sealed, and whether that fits them now."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from explorer.record.keys import is_signed
from explorer.record.sealing import sealable
from explorer.stores import ledger as stored
from explorer.stores.collection import Collection
from explorer.stores.ledger import Entry
from explorer.text import one_line, truncate

SHOWN = 16  # digits of a key


@dataclass(frozen=True, slots=True)
class SenderSeal:
    """How a run was sealed where it came from, as far as its bundle said.

    `entry` is that of the sender's ledger, None where none was enclosed; `signers` the public keys (Ed25519,
    hexadecimal) that the bundle was signed by, None for an earlier sender whose entry was passed on. `fits`: the record
    is the one that was sealed, and the signature, if there is one, is right; None without an entry.
    """

    entry: Entry | None
    signers: tuple[str, ...] | None
    fits: bool | None

    def __str__(self) -> str:
        by = ", ".join(f"{key[:SHOWN]}…" for key in self.signers or ())
        bundle = f"the bundle it came in was {f'signed by {by}' if by else 'not signed'}"
        if self.signers is None:
            bundle = "passed on by a later sender"
        if self.entry is None:
            return f"No seal came along; {bundle}."
        signed = f"signed by {self.entry.key[:SHOWN]}…" if self.entry.key else "not signed"
        fits = "fits this record" if self.fits else "does NOT fit this record"
        at = one_line(truncate(self.entry.at[:16].replace("T", " ")))
        return f"Entry {self.entry.number} of the sender's ledger, {at}, {signed}: it {fits}; {bundle}."


def sender_seals(stores: Collection, run: str, record: str | None = None) -> tuple[SenderSeal, ...]:
    """Return the seals that came with a run, in the order they came; `record` is the hash of its triples, if known."""
    found = stored.sender_seals(stores.database, run)
    if found and record is None:
        record = sealable(stores, run).record_hash
    return tuple(SenderSeal(one.entry, one.signers, _fits(one, record)) for one in found)


def _fits(one: stored.Sent, record: str | None) -> bool | None:
    if one.entry is None:
        return None
    statement = one.statement.encode()
    is_right = not one.entry.key or is_signed(one.entry.key, one.entry.signature, statement)
    return is_right and hashlib.sha256(statement).hexdigest() == one.entry.seal and one.entry.record == record
