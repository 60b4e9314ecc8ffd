"""The journal of documents that extractors are to go through once more, until a call has gone through all of them."""

from __future__ import annotations

from collections.abc import Iterable

from explorer.stores.database import Many, Transaction
from explorer.stores.library import put_extracted

BEGUN, DONE = "", "done"


def state(connection: Transaction, document: str, by: str) -> str | None:
    """Return how far some extractors, named with their versions, are with a document; None where it is not begun."""
    rows = connection.rows("SELECT state FROM again WHERE document = ? AND extractors = ?", (document, by))
    return next((row["state"] for row in rows), None)


def begin(connection: Transaction, document: str, by: str) -> None:
    """Write down that extractors are to go through a document, within the caller's transaction."""
    connection.execute(
        "INSERT INTO again VALUES (?, ?, ?) ON CONFLICT (document) DO UPDATE SET extractors = excluded.extractors, "
        "state = excluded.state",
        (document, by, BEGUN),
    )


def done(connection: Transaction, document: str, by: Iterable[str]) -> None:
    """Write down that some extractors, and no others, have gone through a document, within the caller's transaction."""
    connection.execute("DELETE FROM extracted WHERE document = ?", (document,))
    put_extracted(connection, [(document, by)])
    connection.execute("UPDATE again SET state = ? WHERE document = ?", (DONE, document))


def end(connection: Transaction, documents: Iterable[str]) -> None:
    """Leave the journal without some documents, within the caller's transaction."""
    connection.execute("DELETE FROM again WHERE document IN (SELECT value FROM json_each(?))", (Many(documents),))
