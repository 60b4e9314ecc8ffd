"""Documents that leave, as the library tells them: the journal of what is to be done, and the rows that go."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from explorer.events import Content
from explorer.stores.database import ANEW, Database, Many, Transaction
from explorer.stores.ledger import AMENDED, FORGOTTEN, expect
from explorer.stores.library import put_contents
from explorer.stores.link_graph import drop_unlinked, terms_of


@dataclass(frozen=True, slots=True)
class Leaving:
    """A document that leaves: replaced by a `newer` version, or removed, where that is empty.

    `sha256` is the hash of its bytes. `words` are the texts that go with it: IRIs of contents, and nodes whose reasons.
    """

    iri: str
    newer: str
    moment: str
    sha256: str
    words: Mapping[str, Sequence[str]]

    @property
    def is_removed(self) -> bool:
        """Whether it is removed for good."""
        return not self.newer


def begin(connection: Transaction, document: str, moment: str, newer: str = "", words: str = "{}") -> None:
    """Write down that a document is to leave, within the caller's transaction."""
    connection.execute(
        "INSERT INTO leaving VALUES (?, ?, ?, coalesce((SELECT sha256 FROM contents WHERE iri = ?), ''), ?) "
        "ON CONFLICT (iri) DO UPDATE SET newer = excluded.newer, moment = excluded.moment, sha256 = excluded.sha256, "
        "words = excluded.words",
        (document, newer, moment, document, words),
    )


def begun(database: Database) -> list[Leaving]:
    """Return the documents that are to leave."""
    rows = database.rows("SELECT iri, newer, moment, sha256, words FROM leaving ORDER BY iri")
    return [Leaving(row["iri"], row["newer"], row["moment"], row["sha256"], json.loads(row["words"])) for row in rows]


def take_back(connection: Transaction, newer: str) -> None:
    """Have documents stay that were to make room for one that was not stored, within the caller's transaction."""
    connection.execute("DELETE FROM leaving WHERE newer = ?", (newer,))
    connection.execute("UPDATE standing SET document = before WHERE document = ? AND before <> ''", (newer,))


def stay(connection: Transaction, documents: Iterable[str]) -> None:
    """Have documents stay that were to leave unless all of them is brought back, within the caller's transaction."""
    connection.executemany("DELETE FROM leaving WHERE iri = ?", [(one,) for one in documents])


def write_anew(connection: Transaction) -> None:
    """Write down that files may hold what was removed, until they are written anew; in the caller's transaction."""
    connection.execute("INSERT INTO settings VALUES (?, '') ON CONFLICT DO NOTHING", (ANEW,))


def is_left(database: Database) -> bool:
    """Return whether files may hold what was removed."""
    return bool(database.rows("SELECT 1 FROM settings WHERE name = ?", (ANEW,)))


def take_answers(connection: Transaction, texts: Iterable[str], said: str) -> None:
    """Put a sentence in place of some answers where runs are listed by them, within the caller's transaction."""
    connection.execute(
        "UPDATE listing SET answer = ? WHERE answer IN (SELECT value FROM json_each(?))", (said, Many(texts))
    )


def done(connection: Transaction, one: Leaving) -> None:
    """Write down that a document has left, within the caller's transaction; the ledger is to tell of one removed."""
    connection.execute("DELETE FROM leaving WHERE iri = ?", (one.iri,))
    if one.is_removed:
        expect(connection, one.iri, FORGOTTEN, one.moment, one.sha256)
        for node in dict.fromkeys(node for nodes in one.words.values() for node in nodes):
            expect(connection, node, AMENDED, one.moment)


def take_out(
    connection: Transaction, one: Leaving, chunks: Sequence[str], facts: Iterable[str], texts: Iterable[str]
) -> None:
    """Take a document out of the search, within the caller's transaction; a second time changes nothing.

    Of a replaced one the text and the texts of its chunks stay, as contents. `facts` are the keys of its vectors,
    `texts` the contents that go with a document that is removed.
    """
    if not one.is_removed:
        rows = connection.rows(
            "SELECT chunks.iri, title, chunks.text FROM chunks JOIN documents ON documents.iri = document "
            "WHERE document = ?",
            (one.iri,),
        )
        put_contents(connection, [Content(iri, title, "text/plain", text.encode()) for iri, title, text in rows])
        connection.execute(
            "INSERT INTO replaced SELECT iri, source, title, mime, text, ?, ? FROM documents WHERE iri = ? "
            "ON CONFLICT DO NOTHING",
            (one.newer, one.moment, one.iri),
        )
    spoken = terms_of(connection, one.iri)
    for kind, keys in (("edge", facts), ("chunk", chunks)):
        connection.execute(
            "DELETE FROM vectors WHERE kind = ? AND key IN (SELECT value FROM json_each(?)) AND document = ?",
            (kind, Many(keys), one.iri),
        )
    for table, column in (("chunks", "document"), ("documents", "iri"), ("standing", "document")):
        connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (one.iri,))  # noqa: S608 - names from this line
    drop_unlinked(connection, spoken)
    if one.is_removed:
        connection.execute("DELETE FROM replaced WHERE iri = ?", (one.iri,))
        gone = Many([one.iri, *chunks, *texts])
        connection.execute("DELETE FROM contents WHERE iri IN (SELECT value FROM json_each(?))", (gone,))
        connection.execute("DELETE FROM stretches WHERE document = ?", (one.iri,))
