"""The rows of documents: how they come, are taken out, and are kept as they are, so that a document can be back."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import groupby
from typing import Any

from explorer.events import Content
from explorer.stores.database import Database, Many, Transaction, drop
from explorer.stores.library import PUT_CONTENT, StoredDocument, drop_contents, put_contents
from explorer.stores.link_graph import drop_unlinked, put_links, put_links_of_names, terms_of

Row = tuple[Any, ...]

_OF_CHUNKS = "chunk IN (SELECT number FROM chunks WHERE document = ?)"
_TABLES = {  # each with what its rows of a document are found by
    "documents": "iri = ?",
    "replaced": "iri = ?",
    "standing": "document = ?",
    "extracted": "document = ?",
    "stretches": "document = ?",
    "chunks": "document = ?",
    "sentences": _OF_CHUNKS,
    "places": _OF_CHUNKS,
    "spans": _OF_CHUNKS,
    "asked": _OF_CHUNKS,
    "vectors": "document = ?",
}
_NUMBERED = ("documents", "stretches", "chunks", "sentences", "vectors")
_CHUNK_AT = {"sentences": 1, "places": 0, "spans": 1, "asked": 0}  # the column with the number of a chunk
_KIND, _KEY, _DOCUMENT, _CHUNK, _TEXT, _VECTOR = range(1, 7)  # columns of a vector


@dataclass(frozen=True, slots=True)
class Rows:
    """What the tables of the library hold of a document, with its contents, the terms that it speaks of and their
    vectors, and the names that its chunks mention (number of a chunk, IRI of a term); `embedder` made the vectors.
    """

    tables: Mapping[str, Sequence[Row]]
    contents: tuple[Row, ...]
    terms: tuple[Row, ...]
    entities: tuple[Row, ...]
    mentions: tuple[Row, ...]
    embedder: str


@dataclass(frozen=True, slots=True)
class Leaving:
    """A document that leaves, and when (ISO 8601): replaced by a `newer` version, or removed, where that is empty."""

    iri: str
    newer: str
    moment: str

    @property
    def is_removed(self) -> bool:
        """Whether it is removed for good."""
        return not self.newer


def take_out(
    connection: Transaction, one: Leaving, chunks: Sequence[str], facts: Iterable[str], texts: Iterable[str]
) -> None:
    """Take a document out of the search, within the caller's transaction.

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
        drop(connection, "vectors", "key", keys, "AND kind = ? AND document = ?", kind, one.iri)
    for table, column in (("chunks", "document"), ("documents", "iri"), ("standing", "document")):
        connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (one.iri,))  # noqa: S608 - names from this line
    drop_unlinked(connection, spoken)
    if one.is_removed:
        connection.execute("DELETE FROM replaced WHERE iri = ?", (one.iri,))
        gone = Many([one.iri, *chunks, *texts])
        drop_contents(connection, gone)
        connection.execute("DELETE FROM stretches WHERE document = ?", (one.iri,))


def rows_of(database: Database, document: str, contents: Iterable[str]) -> Rows:
    """Return the rows of a document, and those `contents` that leave with it."""
    with database.writing() as connection:

        def rows(sql: str, *values: str | Many) -> tuple[Row, ...]:
            return tuple(map(tuple, connection.rows(sql, values)))

        spoken = Many(terms_of(connection, document))
        return Rows(
            {table: rows(f"SELECT * FROM {table} WHERE {which}", document) for table, which in _TABLES.items()},  # noqa: S608
            rows("SELECT * FROM contents WHERE iri IN (SELECT value FROM json_each(?))", Many(contents)),
            rows("SELECT * FROM terms WHERE iri IN (SELECT value FROM json_each(?))", spoken),
            rows("SELECT * FROM vectors WHERE kind = 'entity' AND key IN (SELECT value FROM json_each(?))", spoken),
            rows(f"SELECT chunk, iri FROM mentions JOIN terms ON number = term WHERE {_OF_CHUNKS}", document),  # noqa: S608
            embedder_of(connection),
        )


def put_back(connection: Transaction, kept: Rows, untrue: Collection[str] = (), no_spans: Collection[str] = ()) -> None:
    """Store the rows of a document again, within the caller's transaction, with their numbers where these are free.

    Facts that are `untrue` by now, by the keys of their vectors, and subgraphs in `no_spans` stay away.
    """
    numbered = {table: kept.tables[table] for table in _NUMBERED}
    numbered["vectors"] = (*numbered["vectors"], *kept.entities)
    moved = {table: _offset(connection, table, rows) for table, rows in numbered.items()}
    _insert(connection, "terms", kept.terms)
    drop_contents(connection, (row[0] for row in kept.contents))
    _insert(connection, "contents", kept.contents)
    for table, rows in kept.tables.items():
        told = [[*row] for row in rows if table != "spans" or row[0] not in no_spans]
        for row in told:
            if table in moved:
                row[0] += moved[table]
            if table in _CHUNK_AT:
                row[_CHUNK_AT[table]] += moved["chunks"]
        if table == "vectors":
            _put_vectors(connection, [row for row in told if row[_KIND] != "edge" or row[_KEY] not in untrue])
        else:
            _insert(connection, table, told)
    _put_vectors(connection, [[row[0] + moved["vectors"], *row[1:]] for row in kept.entities])
    chunks = [(row[0] + moved["chunks"], row[3]) for row in kept.tables["chunks"]]
    titles = [(row[0] + moved["documents"], row[3], b"") for row in kept.tables["documents"]]
    connection.index("title", titles, are_back=True)
    connection.index("text", [(number, text, b"") for number, text in chunks], are_back=True)
    put_links_of_names(connection, [(chunk + moved["chunks"], iri) for chunk, iri in kept.mentions])
    drop_unlinked(connection, [iri for _, iri in kept.terms])


def embedder_of(connection: Transaction) -> str:
    """Return the name of the embedder that made the vectors; empty where there are none."""
    rows = connection.rows("SELECT value FROM settings WHERE name = 'embedder'")
    return str(rows[0]["value"]) if rows else ""


def _put_vectors(connection: Transaction, rows: Iterable[Sequence[Any]]) -> None:
    new = [
        row for row in rows
        if not connection.rows(
            "SELECT 1 FROM vectors WHERE kind = ? AND key = ? AND document = ? AND text = ?",
            (row[_KIND], row[_KEY], row[_DOCUMENT], row[_TEXT]),
        )
    ]  # fmt: skip
    _insert(connection, "vectors", new)
    for kind, of_kind in groupby(sorted(new, key=lambda row: row[_KIND]), key=lambda row: row[_KIND]):
        rows_of_kind = list(of_kind)
        connection.index(kind, [(row[0], row[_TEXT], row[_VECTOR]) for row in rows_of_kind], are_back=True)
        if kind == "edge":
            put_links(connection, [(row[0], row[_KEY], row[_CHUNK]) for row in rows_of_kind])


def _insert(connection: Transaction, table: str, rows: Sequence[Sequence[Any]]) -> None:
    if rows:
        values = ", ".join("?" * len(rows[0]))
        connection.executemany(f"INSERT INTO {table} VALUES ({values}) ON CONFLICT DO NOTHING", rows)  # noqa: S608 - names of ours


def _offset(connection: Transaction, table: str, rows: Sequence[Row]) -> int:
    """Return what is to be added to the numbers of rows: nothing where all are free, or held by the same rows."""
    numbers = [row[0] for row in rows]
    named = f"SELECT * FROM {table} WHERE number IN (SELECT value FROM json_each(?))"  # noqa: S608 - a name of ours
    if {*rows}.issuperset(map(tuple, connection.rows(named, (Many(numbers),)))):
        return 0
    first: int = min(numbers)
    return connection.reserve(table, max(numbers) - first + 1) - first


def put_documents(connection: Transaction, documents: Iterable[StoredDocument]) -> None:
    """Store documents as `writing`, without their chunks, within the caller's transaction."""
    rows = [(*astuple(one), "writing") for one in documents]
    numbers = connection.insert("documents", "iri, source, title, mime, text, state", rows)
    connection.index("title", [(number, row[2], b"") for number, row in zip(numbers, rows, strict=True)])


def put_stretch(connection: Transaction, document: str, start: int, text: str, data: bytes) -> None:
    """Store a part of a long document's text, with its bytes where they are not those of the text."""
    connection.execute(
        "INSERT INTO stretches (document, start, text, data) VALUES (?, ?, ?, ?)", (document, start, text, data)
    )


def put_hash(connection: Transaction, content: Content, sha256: str) -> None:
    """Store a content whose data is in stretches, by the hash of all of it, within the caller's transaction."""
    connection.execute(PUT_CONTENT, (content.iri, content.title, content.mime, b"", sha256))


def put_extracted(connection: Transaction, gone_through: Iterable[tuple[str, Iterable[str]]]) -> None:
    """Note which extractors have gone through all of some documents, by their IRIs, within the caller's transaction."""
    connection.executemany(
        "INSERT INTO extracted VALUES (?, ?) ON CONFLICT DO NOTHING",
        [(document, one) for document, extractors in gone_through for one in extractors],
    )


def drop_extracted(connection: Transaction, document: str) -> None:
    """Note that no extractor has gone through a document, within the caller's transaction."""
    connection.execute("DELETE FROM extracted WHERE document = ?", (document,))


def finish_documents(connection: Transaction, iris: Iterable[str]) -> None:
    """Mark documents as stored whole, and as no older versions."""
    named = list(iris)
    connection.execute(
        "UPDATE documents SET state = 'done' WHERE iri IN (SELECT value FROM json_each(?))", (Many(named),)
    )
    drop(connection, "replaced", "iri", named)


def put_standing(connection: Transaction, places: Iterable[tuple[str, str]]) -> None:
    """Store which documents stand where now, each place with a document's IRI, within the caller's transaction."""
    connection.executemany(
        "INSERT INTO standing VALUES (?, ?, '') ON CONFLICT (place) DO UPDATE SET before = standing.document, "
        "document = excluded.document WHERE standing.document <> excluded.document",
        dict(places).items(),
    )


def stand_again(connection: Transaction, newer: str) -> None:
    """Have documents stand where one came that was not stored, within the caller's transaction."""
    connection.execute("UPDATE standing SET document = before WHERE document = ? AND before <> ''", (newer,))


def drop_document(connection: Transaction, iri: str) -> None:
    """Delete a document's rows: contents, chunks and vectors, with their keywords."""
    owned = {
        "chunks": "document", "vectors": "document", "contents": "iri", "documents": "iri", "standing": "document",
        "stretches": "document",
    }  # fmt: skip
    for table, column in owned.items():
        connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (iri,))  # noqa: S608 - names from this line
