"""The sentences of chunks, with the names, times and numbers in each, as they were found when the chunk was stored."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from explorer.stores.database import Database


class StoredEntity(NamedTuple):
    """A name, time or number: its kind, its span in its sentence in code points, and its words."""

    kind: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class StoredSentence:
    """A sentence of a chunk: its span there in code points, its text, and the named entities in it, in order."""

    start: int
    end: int
    text: str
    entities: tuple[StoredEntity, ...] = ()


class Sentences:
    """Sentences by the IRI of their chunk; a collection that an earlier version filled has none until `reindex`."""

    def __init__(self, database: Database) -> None:
        """Use an open database."""
        self.database = database

    def of(self, chunks: Iterable[str]) -> dict[str, tuple[StoredSentence, ...]]:
        """Return the sentences of chunks, in order; a chunk of which none are stored is left out."""
        if not self._stored():
            return {}
        rows = self.database.rows(
            'SELECT chunks.iri, chunks.text, start, "end", entities FROM chunks '
            "JOIN sentences ON sentences.chunk = chunks.number "
            'WHERE chunks.iri IN (SELECT value FROM json_each(?)) AND "end" > start '
            "ORDER BY chunks.number, start, sentences.number",
            (json.dumps(list(dict.fromkeys(chunks))),),
        )
        found: dict[str, list[StoredSentence]] = defaultdict(list)
        for iri, text, start, end, entities in rows:
            line = text[start:end]
            spans = (StoredEntity(kind, first, last, line[first:last]) for kind, first, last in json.loads(entities))
            found[iri].append(StoredSentence(start, end, line, tuple(spans)))
        return {iri: tuple(sentences) for iri, sentences in found.items()}

    def missing(self) -> int:
        """Return how many chunks were stored by a version that found no sentences, and not reindexed since."""
        if not self._stored():
            return self.database.tally("text").held
        [row] = self.database.rows("SELECT count(*) FROM chunks WHERE number NOT IN (SELECT chunk FROM sentences)")
        return int(row[0])

    def _stored(self) -> bool:
        """Return whether the table is there: a file of before that was opened for reading alone has none."""
        return bool(self.database.rows("SELECT 1 FROM sqlite_master WHERE name = 'sentences'"))


def put_sentences(connection: sqlite3.Connection, sentences: Mapping[str, Sequence[StoredSentence]]) -> None:
    """Store the sentences of chunks, by the chunk's IRI, in place of older ones, within the caller's transaction.

    A chunk without any has one empty row, which says that it was looked at.
    """
    connection.executemany(
        "DELETE FROM sentences WHERE chunk = (SELECT number FROM chunks WHERE iri = ?)", [(iri,) for iri in sentences]
    )
    connection.executemany(
        'INSERT INTO sentences (chunk, start, "end", entities) SELECT number, ?, ?, ? FROM chunks WHERE iri = ?',
        [
            (one.start, one.end, json.dumps([entity[:3] for entity in one.entities], separators=(",", ":")), iri)
            for iri, found in sentences.items()
            for one in found or (StoredSentence(0, 0, ""),)
        ],
    )
