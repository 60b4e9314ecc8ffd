"""The sentences of chunks, with the names, times and numbers in each, and its vector, as the chunk was stored."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from explorer.stores.collection_view import Viewed
from explorer.stores.database import Database, Many, Transaction, among, drop, numbered

_BY_CAPITALS = "by capitals"
_TEXTS = "SELECT number, iri, text FROM chunks WHERE iri IN (SELECT value FROM json_each(?)) ORDER BY number"
_PLACES = (
    'SELECT chunk, start, "end" FROM sentences WHERE chunk IN (SELECT number FROM chunks '
    'WHERE iri IN (SELECT value FROM json_each(?))) AND "end" > start ORDER BY chunk, start, number'
)


class StoredEntity(NamedTuple):
    """A name, time or number: its kind, its span in its sentence in code points, and its words."""

    kind: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class StoredSentence:
    """A sentence of a chunk: its span there in code points, its text, and the named entities in it, in order.

    `code` is its vector in a byte a number (`codes.coded`), empty where none is stored. Of a sentence that is not read
    yet, the entities are names by their capitals alone.
    """

    start: int
    end: int
    text: str
    entities: tuple[StoredEntity, ...] = ()
    code: bytes = b""
    is_read: bool = True


class Sentences(Viewed):
    """Sentences by the IRI of their chunk."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def of(self, chunks: Iterable[str]) -> dict[str, tuple[StoredSentence, ...]]:
        """Return the sentences of chunks, in order; a chunk of which none are stored is left out."""
        select = (
            'SELECT chunks.iri, chunks.text, start, "end", entities, vector FROM chunks '
            "JOIN sentences ON sentences.chunk = chunks.number"
        )
        order = "ORDER BY chunks.number, start, sentences.number"
        found: dict[str, list[StoredSentence]] = defaultdict(list)
        told = among(self.database, select, "chunks.iri", dict.fromkeys(chunks), order)
        for iri, text, start, end, entities, code in told:
            line, those = text[start:end], found[iri]
            if not self.view.is_whole(iri, start, line):
                continue
            written = json.loads(entities)
            is_read = isinstance(written, list)
            named = written if is_read else written[_BY_CAPITALS]
            spans = (StoredEntity(kind, first, last, line[first:last]) for kind, first, last in named)
            those.append(StoredSentence(start, end, line, tuple(spans), code or b"", is_read))
        return {iri: tuple(sentences) for iri, sentences in found.items()}

    def keep(self, chunks: Mapping[str, Iterable[StoredSentence]]) -> None:
        """Store what is named in sentences that were read since; does nothing where nothing can be written."""
        if not self.database.read_only:
            with self.database.writing() as connection:
                connection.executemany(
                    "UPDATE sentences SET entities = ? WHERE chunk = (SELECT number FROM chunks WHERE iri = ?) "
                    'AND start = ? AND "end" = ?',
                    [(_written(one), iri, one.start, one.end) for iri, found in chunks.items() for one in found],
                )

    def lines(self, chunks: Iterable[str]) -> dict[str, list[tuple[int, str]]]:
        """Return where the sentences of chunks begin and their words alone, in order, which is quicker than `of`."""
        given = (Many(sorted(set(chunks))),)
        held, places = (partial(self.database.rows, sql, given) for sql in (_TEXTS, _PLACES))
        self.database.read_ahead((held, places))
        of = {number: (iri, text) for number, iri, text in held()}
        found: dict[str, list[tuple[int, str]]] = {}
        for number, start, end in places():
            iri, text = of[number]
            if self.view.is_whole(iri, start, line := text[start:end]):
                found.setdefault(iri, []).append((start, line))
        return found


def put_sentences(connection: Transaction, sentences: Mapping[str, Sequence[StoredSentence]]) -> None:
    """Store the sentences of chunks, by the chunk's IRI, in place of older ones, within the caller's transaction."""
    chunks = numbered(connection, "chunks", sentences)
    drop(connection, "sentences", "chunk", chunks.values())
    connection.executemany(
        'INSERT INTO sentences (chunk, start, "end", entities, vector) VALUES (?, ?, ?, ?, ?)',
        [
            (chunks[iri], one.start, one.end, _written(one), one.code or None)
            for iri, found in sentences.items() if iri in chunks
            for one in found
        ],
    )  # fmt: skip


def _written(sentence: StoredSentence) -> str:
    spans = [entity[:3] for entity in sentence.entities]
    return json.dumps(spans if sentence.is_read else {_BY_CAPITALS: spans}, separators=(",", ":"))
