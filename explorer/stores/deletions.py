"""The journal of runs that are to be deleted, until nothing is left of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from explorer.stores.database import Database, Many, Transaction
from explorer.stores.ledger import DELETED, RESTORED, expect


@dataclass(frozen=True, slots=True)
class Deleting:
    """A run that is to be deleted: when that was said, the hash of its record, and the contents that go with it."""

    iri: str
    moment: str
    sha256: str
    contents: tuple[str, ...]


def begin(connection: Transaction, one: Deleting) -> None:
    """Write down that a run is to be deleted, within the caller's transaction."""
    told = (one.iri, one.moment, one.sha256, json.dumps(one.contents))
    connection.execute(
        "INSERT INTO deletions VALUES (?, ?, ?, ?) ON CONFLICT (iri) DO UPDATE SET moment = excluded.moment, "
        "sha256 = excluded.sha256, contents = excluded.contents", told,
    )  # fmt: skip


def begun(database: Database) -> list[Deleting]:
    """Return the runs that are to be deleted."""
    rows = database.rows("SELECT iri, moment, sha256, contents FROM deletions ORDER BY iri")
    return [Deleting(row["iri"], row["moment"], row["sha256"], tuple(json.loads(row["contents"]))) for row in rows]


def drop_contents(connection: Transaction, iris: Iterable[str]) -> None:
    """Delete contents, within the caller's transaction."""
    connection.execute("DELETE FROM contents WHERE iri IN (SELECT value FROM json_each(?))", (Many(iris),))


def done(connection: Transaction, one: Deleting) -> None:
    """Write down that a run is deleted, within the caller's transaction; the ledger is to tell of it."""
    connection.execute("DELETE FROM deletions WHERE iri = ?", (one.iri,))
    expect(connection, one.iri, DELETED, one.moment, one.sha256)


def undone(connection: Transaction, iri: str, moment: str) -> None:
    """Write down that a run is back, within the caller's transaction; the ledger is to tell of it."""
    connection.execute("DELETE FROM deletions WHERE iri = ?", (iri,))
    expect(connection, iri, RESTORED, moment)
