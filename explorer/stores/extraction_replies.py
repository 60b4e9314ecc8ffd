"""The journal of what a model was asked about chunks: replies that are paid for, until their facts are stored."""

from __future__ import annotations

from collections.abc import Iterable

from explorer.stores.database import Database, Many, Transaction


def replies_of(database: Database, chunks: Iterable[str], extractor: str) -> dict[str, str | None]:
    """Return what the journal has of chunks, by their IRIs: replies that wait, None where their facts are stored."""
    rows = database.rows(
        "SELECT iri, replies FROM asked JOIN chunks ON chunks.number = asked.chunk "
        "WHERE extractor = ? AND iri IN (SELECT value FROM json_each(?))",
        (extractor, Many(chunks)),
    )
    return {row["iri"]: row["replies"] for row in rows}


def keep_replies(database: Database, chunk: str, extractor: str, replies: str | None) -> None:
    """Note the replies about a chunk; None: their facts are stored."""
    with database.writing() as connection:
        connection.execute(
            "INSERT INTO asked SELECT number, ?, ? FROM chunks WHERE iri = ? "
            "ON CONFLICT (chunk, extractor) DO UPDATE SET replies = excluded.replies",
            (extractor, replies, chunk),
        )


def drop_replies_about(connection: Transaction, document: str, extractors: Iterable[str]) -> None:
    """Leave the journal without what it has of a document's chunks, within the caller's transaction."""
    connection.executemany(
        "DELETE FROM asked WHERE extractor = ? AND chunk IN (SELECT number FROM chunks WHERE document = ?)",
        [(extractor, document) for extractor in extractors],
    )


def drop_replies(connection: Transaction, chunks: Iterable[str], extractor: str) -> None:
    """Leave the journal without what it has of some chunks, within the caller's transaction."""
    connection.execute(
        "DELETE FROM asked WHERE extractor = ? AND chunk IN "
        "(SELECT number FROM chunks WHERE iri IN (SELECT value FROM json_each(?)))",
        (extractor, Many(chunks)),
    )
