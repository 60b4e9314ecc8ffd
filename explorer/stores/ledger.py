"""The ledger of a collection: entries that are only ever added, each with the seal of the one before it.

An entry is a statement, a JSON object in one canonical form; its SHA-256 is its seal, and stands in the next one. What
happens to a run or a document is written down as `unsealed` together with the change itself; the entry follows, and
where a kill came between, it follows when the collection is next opened.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from json.encoder import encode_basestring_ascii
from typing import Final, NamedTuple

from explorer.stores.database import Database, Row, Transaction, among

FIRST: Final = "0" * 64
"""What stands in the first entry in place of a seal before it."""
RUN, INTERRUPTED, IMPORTED, AMENDED, RESTORED = "run", "interrupted", "imported", "amended", "restored"
DELETED, FORGOTTEN, REEXTRACTED = "deleted", "forgotten", "reextracted"
SEALS: Final = (RUN, INTERRUPTED, IMPORTED, AMENDED, RESTORED)
"""The kinds of entries that seal a run; a DELETED one says that a run went, a FORGOTTEN one that a document did, a
REEXTRACTED one that its facts were found anew.
"""

Sign = Callable[[bytes], str]


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry: what was sealed, when (ISO 8601), and the `seal` of it; all hashes are SHA-256 in hexadecimal.

    `about` is the Question of a run, or a document that was removed or gone through again. `record` is the hash of the
    run's triples, of a run that was deleted the one that is on record, of a document that of its bytes. `sources` has
    for each document that the run's selections lead to the hash of what is on record of it and its passages; of a
    document that was removed the hash of what is left of it, and of each of its passages; of one gone through again,
    of how each of its facts that runs used is found since. `how` has for each document of the run the hash of how it
    was read and its facts were found, empty where that is not sealed. `named` is the x:previous that an imported run
    came with. `lasting` is the hash of a run's triples that stay as they are when texts of it are removed. `calls`
    is how many prompts and replies had their words when it was sealed. `key` is the public key
    (Ed25519, hexadecimal) that `signature` is by, empty where nobody signed.
    """

    number: int
    kind: str
    about: str
    at: str
    record: str
    previous: str
    sources: Mapping[str, str] = field(default_factory=dict)
    how: Mapping[str, str] = field(default_factory=dict)
    named: str = ""
    lasting: str = ""
    calls: int = 0
    key: str = ""
    seal: str = ""
    signature: str = ""

    @property
    def anchor(self) -> str:
        """Its number and its seal, as they are kept outside."""
        return f"{self.number}:{self.seal}"

    @property
    def is_seal(self) -> bool:
        """Whether it seals a run."""
        return self.kind in SEALS

    @property
    def statement(self) -> bytes:
        """What is hashed and signed: the entry as JSON without spaces, its keys sorted, in ASCII."""
        told: dict[str, object] = {
            "about": self.about, "at": self.at, "kind": self.kind, "number": self.number, "previous": self.previous,
            "record": self.record,
        }  # fmt: skip
        more = {
            "calls": self.calls, "how": dict(self.how), "key": self.key, "lasting": self.lasting, "named": self.named,
            "sources": dict(self.sources),
        }  # fmt: skip
        told |= {name: one for name, one in more.items() if one}
        return json.dumps(told, sort_keys=True, separators=(",", ":")).encode()

    @classmethod
    def stored(cls, row: Row) -> Entry:
        """Return an entry from its row; one that can't be read is told by `kind` ""."""
        try:
            told = json.loads(row["statement"])
            return cls(
                number=int(told["number"]), kind=str(told["kind"]), about=str(told["about"]), at=str(told["at"]),
                record=str(told["record"]), previous=str(told["previous"]), sources=dict(told.get("sources", {})),
                how=dict(told.get("how", {})),
                named=str(told.get("named", "")), lasting=str(told.get("lasting", "")),
                calls=int(told.get("calls", 0)), key=str(told.get("key", "")),
                seal=row["seal"], signature=row["signature"],
            )  # fmt: skip
        except (ValueError, KeyError, TypeError, RecursionError):
            return cls(row["number"], "", row["about"], "", "", "", seal=row["seal"], signature=row["signature"])


@dataclass(frozen=True, slots=True)
class Unsealed:
    """What waits for its entry: of a run or document, of which kind, when it happened, and the hash that goes in."""

    about: str
    kind: str
    moment: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Sent:
    """What came with a run about how its sender sealed it: an entry of another ledger, with its statement as it came.

    `entry` is None, and the statement empty, where none came; `signers` are the public keys (hexadecimal) that the
    bundle was signed by, None for the entry of an earlier sender that the last one has passed on.
    """

    statement: str
    entry: Entry | None
    signers: tuple[str, ...] | None

    @property
    def line(self) -> dict[str, str]:
        """It as a line of a bundle's ledger; empty without an entry."""
        if self.entry is None:
            return {}
        return {"statement": self.statement, "seal": self.entry.seal, "signature": self.entry.signature}


class Broken(NamedTuple):
    """An entry that is not as it was added: its hash is not its seal, or else it does not follow the one before it."""

    number: int
    about: str
    is_hashed: bool


@dataclass(frozen=True, slots=True)
class Chain:
    """The ledger as it is checked: the `seals` of all entries by their numbers, in order, and what is `broken`."""

    seals: dict[int, str]
    broken: tuple[Broken, ...]


def expect(connection: Transaction, about: str, kind: str, moment: str = "", sha256: str = "") -> None:
    """Write down that an entry is to follow, within the caller's transaction."""
    connection.execute(
        "INSERT INTO unsealed VALUES (?, ?, ?, ?) ON CONFLICT (about, kind) DO UPDATE SET moment = excluded.moment, "
        "sha256 = excluded.sha256",
        (about, kind, moment, sha256),
    )


def unsealed(database: Database) -> list[Unsealed]:
    """Return what waits for its entry, in the order it happened."""
    rows = database.rows("SELECT about, kind, moment, sha256 FROM unsealed ORDER BY moment, kind DESC, about")
    return [Unsealed(*row) for row in rows]


def due(database: Database, run: str) -> str | None:
    """Return the seal that is the last one where a run is to be sealed, that of an empty ledger `FIRST`; else None."""
    rows = database.rows(
        "SELECT coalesce((SELECT seal FROM ledger ORDER BY number DESC LIMIT 1), ?) AS seal FROM unsealed "
        "WHERE about = ? AND kind = ?",
        (FIRST, run, RUN),
    )
    return rows[0]["seal"] if rows else None


def settled(connection: Transaction, about: str, kind: str) -> None:
    """Write down that nothing waits any more, within the caller's transaction."""
    connection.execute("DELETE FROM unsealed WHERE about = ? AND kind = ?", (about, kind))


def append(connection: Transaction, entry: Entry, sign: Sign | None) -> Entry:
    """Add an entry after the last one, within the caller's transaction; returns it with number, seal and signature."""
    rows = connection.rows("SELECT number, seal FROM ledger ORDER BY number DESC LIMIT 1")
    number, previous = (rows[0]["number"] + 1, rows[0]["seal"]) if rows else (1, FIRST)
    placed = replace(entry, number=number, previous=previous)
    statement = placed.statement
    made = replace(placed, seal=hashlib.sha256(statement).hexdigest(), signature=sign(statement) if sign else "")
    connection.execute(
        "INSERT INTO ledger VALUES (?, ?, ?, ?, ?)",
        (made.number, made.about, statement.decode(), made.seal, made.signature),
    )
    return made


def keep_sender_seal(
    connection: Transaction, about: str, entry: Mapping[str, str], signers: Iterable[str] | None
) -> None:
    """Keep what came with a run, within the caller's transaction; `entry` is a line of a bundle's ledger, or empty.

    What was passed on, without signers, is not kept again where it came before.
    """
    statement, seal, signature = (entry.get(name, "") for name in ("statement", "seal", "signature"))
    if signers is None and connection.rows(
        "SELECT 1 FROM sender_seals WHERE (about, statement, seal, signature) = (?, ?, ?, ?)",
        (about, statement, seal, signature),
    ):
        return
    told = json.dumps(None if signers is None else [*signers])
    connection.execute(
        "INSERT INTO sender_seals (about, statement, seal, signature, signers) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT DO NOTHING",
        (about, statement, seal, signature, told),
    )


def sender_seals(database: Database, about: str) -> list[Sent]:
    """Return what came with a run, in the order it came."""
    rows = database.rows(
        "SELECT 0 AS number, about, statement, seal, signature, signers FROM sender_seals WHERE about = ? "
        "ORDER BY rowid",
        (about,),
    )
    return [Sent(row["statement"], Entry.stored(row) if row["statement"] else None, _signers(row)) for row in rows]


def _signers(row: Row) -> tuple[str, ...] | None:
    told = json.loads(row["signers"])
    return None if told is None else tuple(told)


def entries(database: Database, about: str | None = None) -> list[Entry]:
    """Return the entries in order, or those about one run or document."""
    columns = "SELECT number, about, statement, seal, signature FROM ledger"
    if about is None:
        rows = database.rows(f"{columns} ORDER BY number")
    else:
        rows = database.rows(f"{columns} WHERE about = ? ORDER BY number", (about,))
    return [Entry.stored(row) for row in rows]


def removals(database: Database) -> list[Entry]:
    """Return the entries about documents that were removed, in order; others are not parsed, which would take long."""
    rows = database.rows(
        "SELECT number, about, statement, seal, signature FROM ledger WHERE instr(statement, ?) > 0 ORDER BY number",
        (f'"kind":"{FORGOTTEN}"',),
    )
    return [entry for entry in map(Entry.stored, rows) if entry.kind == FORGOTTEN]


def last(database: Database) -> Entry | None:
    """Return the last entry; None where there is none."""
    rows = database.rows("SELECT number, about, statement, seal, signature FROM ledger ORDER BY number DESC LIMIT 1")
    return Entry.stored(rows[0]) if rows else None


def head(database: Database) -> str:
    """Return the number and the seal of the last entry, to be kept outside; where there is none 0 and zeros."""
    found = last(database)
    return found.anchor if found else f"0:{FIRST}"


def chain(database: Database) -> Chain:
    """Return the seals of all entries, and those that do not have the hash that is their seal, or the seal before them.

    Their statements are not parsed, which would take most of the time: in JSON no string holds `"name":` as it is.
    """
    seals, broken, before = dict[int, str](), list[Broken](), FIRST
    rows = database.rows("SELECT number, about, statement, seal FROM ledger ORDER BY number")
    for number, (own, about, statement, seal) in enumerate(rows, 1):
        is_hashed = hashlib.sha256(statement.encode()).hexdigest() == seal
        is_linked = own == number and f'"number":{number},"previous":"{before}"' in statement
        if not (is_hashed and is_linked and f'"about":{encode_basestring_ascii(about)},' in statement):
            broken.append(Broken(own, about, is_hashed))
        seals[own] = before = seal
    return Chain(seals, tuple(broken))


def about(database: Database, iris: Iterable[str]) -> set[str]:
    """Return those of some runs or documents that the ledger has an entry about."""
    return {row["about"] for row in among(database, "SELECT DISTINCT about FROM ledger", "about", iris)}
