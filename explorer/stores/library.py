"""The library: contents by IRI, the documents they belong to, and a keyword index over their chunks."""

from __future__ import annotations

import hashlib
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from explorer.errors import RecordError
from explorer.events import Content
from explorer.stores.chunks import PLACED, PlacedChunk, Span
from explorer.stores.collection_view import Viewed
from explorer.stores.database import WHOLE, Asked, Database, Many, Row, Tally, Transaction, among, drop, numbered
from explorer.stores.keywords import Keywords, bare
from explorer.stores.keywords import phrase as spoken

_FILLED = "SELECT 1 FROM documents WHERE state = 'done' LIMIT 1"
STANDING: tuple[Asked, ...] = ((_FILLED, ()),)
"""What every question asks."""
_STRETCHES = (
    "SELECT start, text FROM stretches WHERE document = ? AND start <= ? AND start >= "
    "(SELECT max(start) FROM stretches WHERE document = ? AND start <= ?) ORDER BY start"
)
_WHOLE = "(SELECT * FROM documents WHERE state = 'done') AS whole"
_DOCUMENTS = f"SELECT iri, source, title, mime, text FROM {_WHOLE}"  # noqa: S608 - words of ours
_ROWS = (_WHOLE, "chunks", "replaced", "enclosed")  # where a text may be, the first one first
_CONTENTS = "SELECT iri, title, mime, CAST(data AS BLOB) AS data FROM contents"
PUT_CONTENT = (
    "INSERT INTO contents VALUES (?, ?, ?, ?, ?) ON CONFLICT (iri) DO UPDATE SET "
    "title = excluded.title, mime = excluded.mime, data = excluded.data, sha256 = excluded.sha256"
)
_BATCH = 1_000
_AROUND = 30_000  # code points on each side of a place in a long text
_TOKEN = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as the library knows it; `text` is what all offsets into the document count in."""

    iri: str
    source: str
    title: str
    mime: str
    text: str


class Stretch(NamedTuple):
    """A document's text, or a part of it, and the offset at which that begins."""

    start: int
    text: str
    is_whole: bool = True

    @property
    def end(self) -> int:
        """The offset at which it ends."""
        return self.start + len(self.text)

    def cut(self, start: int, end: int) -> str:
        """Return what it has of a span of the document."""
        return self.text[max(0, start - self.start) : max(0, end - self.start)]


@dataclass(frozen=True, slots=True)
class EnclosedText:
    """The text of a document that comes with the record of a run, and where that document came from."""

    iri: str
    source: str
    text: str


class Spot(NamedTuple):
    """A place of words in a document, in code points from the start of its text, and its page or section, if any."""

    start: int
    end: int
    part: str | None


class Library(Viewed):
    """Contents, documents and chunks of one collection, in SQLite; keyword search as `Keywords` does it."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._keywords = Keywords(database, "text")
        self._counts: tuple[Tally, dict[str, Mapping[str, int]]] = (Tally(), {})

    def put(self, contents: Iterable[Content]) -> None:
        """Store contents, all or none; one stored before under the same IRI stays when equal, else is replaced."""
        with self.database.writing() as connection:
            put_contents(connection, contents)

    def add(self, contents: Iterable[Content]) -> list[str]:
        """Store contents from elsewhere, none over one that is there; returns the IRIs whose contents differ."""
        given = list(contents)
        rows = among(self.database, "SELECT iri, data FROM contents", "iri", (one.iri for one in given))
        known = {row["iri"]: row["data"] for row in rows}
        self.put(content for content in given if content.iri not in known)
        return [content.iri for content in given if known.get(content.iri) not in (None, content.data)]

    def get(self, iri: str) -> Content:
        """Return a content by its IRI; raises RecordError when there is none."""
        for found in self.contents([iri]).values():
            return found
        raise RecordError(f"The library holds nothing under {iri}; check the IRI.")

    def contents(self, iris: Iterable[str]) -> dict[str, Content]:
        """Return those of some contents that are here, by their IRIs."""
        found = (Content(*row) for row in among(self.database, _CONTENTS, "iri", iris))
        return {one.iri: one if one.data else replace(one, data=self._bytes(one.iri)) for one in found}

    def _bytes(self, document: str) -> bytes:
        rows = self.database.rows("SELECT text, data FROM stretches WHERE document = ? ORDER BY start", (document,))
        return b"".join(row["data"] or row["text"].encode() for row in rows)

    def hash(self, iri: str) -> str | None:
        """Return the SHA-256 of a content, in hexadecimal; None where there is none."""
        rows = self.database.rows("SELECT sha256 FROM contents WHERE iri = ?", (iri,))
        return rows[0]["sha256"] if rows else None

    def held(self, iris: Iterable[str]) -> set[str]:
        """Return those of some contents that are here."""
        asked = list(iris)
        rows = among(self.database, "SELECT iri FROM contents", "iri", asked) if asked else ()
        return {row["iri"] for row in rows}

    def described(self, iri: str) -> list[tuple[str, str]]:
        """Return the title and media type under which there is a document, and a content, of an IRI."""
        rows = self.database.rows(
            "SELECT title, mime FROM documents WHERE iri = ? UNION ALL SELECT title, mime FROM contents WHERE iri = ?",
            (iri, iri),
        )
        return [(row["title"], row["mime"]) for row in rows]

    def has_row(self, document: str) -> bool:
        """Return whether a document is there, whole or not."""
        return bool(self.database.rows("SELECT 1 FROM documents WHERE iri = ?", (document,)))

    def document_of(self, chunk: str) -> str | None:
        """Return the document that a chunk is of; None where it is no chunk of one."""
        rows = self.database.rows("SELECT document FROM chunks WHERE iri = ?", (chunk,))
        return rows[0]["document"] if rows else None

    def texts_of_runs(self) -> Iterator[Content]:
        """Yield the contents that are none of a document or a chunk, in the order of their IRIs."""
        last = ""
        while rows := self.database.rows(
            f"{_CONTENTS} WHERE iri > ? "  # noqa: S608 - ours
            "AND iri NOT IN (SELECT iri FROM documents) AND iri NOT IN (SELECT iri FROM replaced) "
            "AND iri NOT IN (SELECT iri FROM chunks) ORDER BY iri LIMIT ?",
            (last, _BATCH),
        ):
            yield from (Content(*row) for row in rows)
            last = rows[-1]["iri"]

    def text(self, iri: str) -> str:
        """Return a content as text: of a document its whole text, else the content decoded. Raises RecordError."""
        return self.view.masked.get(iri) or self.view.blank(self._text(iri), iri, 0)

    def _text(self, iri: str) -> str:
        found = self._first("text", _ROWS, iri)
        return self.get(iri).data.decode("utf-8", errors="replace") if found is None else self._whole(iri, found)

    def _first(self, column: str, tables: Iterable[str], iri: str) -> str | None:
        """Return what the first of some tables has in a column for an IRI; None where none has a row."""
        for table in tables:
            if rows := self.database.rows(f"SELECT {column} FROM {table} WHERE iri = ?", (iri,)):  # noqa: S608 - names of ours
                return str(rows[0][column])
        return None

    def _whole(self, document: str, text: str) -> str:
        if text:
            return text
        rows = self.database.rows("SELECT text FROM stretches WHERE document = ? ORDER BY start", (document,))
        return "".join(row["text"] for row in rows)

    def around(self, places: Iterable[tuple[str, int]]) -> dict[tuple[str, int], Stretch]:
        """Return the texts of whole documents, of those that are stored in stretches what is around a place in each.

        They are keyed as given; others are left out.
        """
        given = list(dict.fromkeys(places))
        documents = sorted({document for document, _ in given})
        rows = among(self.database, f"SELECT iri, text FROM {_WHOLE}", "iri", documents)  # noqa: S608 - words of ours
        texts = dict(map(tuple, rows))
        there = [(document, place) for document, place in given if document in texts]
        long = {key for key in there if not texts[key[0]]}
        self.database.read_ahead(partial(self._around, *key) for key in long)
        return {key: self._around(*key) if key in long else Stretch(0, texts[key[0]]) for key in there}

    def _around(self, document: str, place: int) -> Stretch:
        held = self.database.rows(_STRETCHES, (document, place + _AROUND, document, max(0, place - _AROUND)))
        text, first = "".join(row["text"] for row in held), max(0, place - _AROUND)
        begin = held[0]["start"] if held else 0
        return Stretch(first, text[first - begin : place - begin + _AROUND], is_whole=False)

    def documents(self) -> list[StoredDocument]:
        """Return all documents that are stored whole, in the order they came."""
        return [self._document(row) for row in self.database.rows(f"{_DOCUMENTS} ORDER BY number")]

    def chunks(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield all chunks in the order they came: the IRI, the document's IRI and title, the text."""
        last = 0
        while rows := self.database.rows(
            "SELECT chunks.number, chunks.iri, document, title, chunks.text FROM chunks "
            "JOIN documents ON documents.iri = document WHERE chunks.number > ? ORDER BY chunks.number LIMIT ?",
            (last, _BATCH),
        ):
            yield from (tuple(row)[1:] for row in rows)
            last = rows[-1]["number"]

    def source(self, iri: str) -> str | None:
        """Return where a document that is stored whole came from: path, URL or given id; None for any other IRI."""
        return self._first("source", (_WHOLE, "replaced", "enclosed"), iri)

    def enclose(self, texts: Iterable[EnclosedText]) -> None:
        """Store texts of documents that came with a record: they are read with it, and not searched.

        One that is here already stays as it is.
        """
        with self.database.writing() as connection:
            connection.executemany(
                "INSERT INTO enclosed VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                [(one.iri, one.source, one.text) for one in texts],
            )

    def newer(self, iri: str) -> tuple[str, str] | None:
        """Return the version that took the place of a document, and when; None for any other IRI."""
        rows = self.database.rows("SELECT newer, moment FROM replaced WHERE iri = ?", (iri,))
        return (rows[0]["newer"], rows[0]["moment"]) if rows else None

    def newer_ones(self, iris: Iterable[str]) -> dict[str, str]:
        """Return for those of some documents whose place another version took that version."""
        rows = among(self.database, "SELECT iri, newer FROM replaced", "iri", iris)
        return {row["iri"]: row["newer"] for row in rows}

    def older(self, iri: str) -> list[str]:
        """Return the versions before a document, the last one first: those that it took the place of, and theirs."""
        found: dict[str, None] = {}
        wave = [iri]
        while wave:
            rows = among(self.database, "SELECT iri FROM replaced", "newer", wave, "ORDER BY moment DESC, iri")
            wave = [row["iri"] for row in rows if row["iri"] not in found]
            found |= dict.fromkeys(wave)
        return list(found)

    def at(self, place: str) -> str | None:
        """Return the document that stands at a place now."""
        return self.standing_at([place]).get(place)

    def standing_at(self, places: Iterable[str]) -> dict[str, str]:
        """Return for those of some places at which documents stand now the document."""
        rows = among(self.database, "SELECT place, document FROM standing", "place", places)
        return {row["place"]: row["document"] for row in rows}

    def places(self, iri: str) -> list[str]:
        """Return the places at which a document stands now."""
        rows = self.database.rows("SELECT place FROM standing WHERE document = ? ORDER BY place", (iri,))
        return [row["place"] for row in rows]

    def standing(self, folder: str) -> list[tuple[str, str]]:
        """Return the places in a folder at which documents stand now, each with its document."""
        begin = folder.rstrip("/") + "/"
        rows = self.database.rows(
            "SELECT place, document FROM standing WHERE substr(place, 1, ?) = ? ORDER BY place", (len(begin), begin)
        )
        return [(row["place"], row["document"]) for row in rows]

    def leave(self, place: str) -> None:
        """Store that nothing stands at a place any more."""
        with self.database.writing() as connection:
            connection.execute("DELETE FROM standing WHERE place = ?", (place,))

    def document(self, iri: str) -> StoredDocument | None:
        """Return one document that is stored whole, None for any other IRI."""
        rows = self.database.rows(f"{_DOCUMENTS} WHERE iri = ?", (iri,))
        return self._document(rows[0]) if rows else None

    def _document(self, row: Row) -> StoredDocument:
        iri, source, title, mime, text = row
        return StoredDocument(iri, source, title, mime, self._whole(iri, text))

    def has(self, iri: str) -> bool:
        """Return whether a document is stored whole."""
        return bool(self.stored([iri]))

    def stored(self, iris: Iterable[str]) -> set[str]:
        """Return those of some documents that are stored whole."""
        return {row["iri"] for row in among(self.database, f"SELECT iri FROM {_WHOLE}", "iri", iris)}  # noqa: S608 - ours

    def search(self, words: Iterable[str], limit: int = 10) -> list[tuple[str, float]]:
        """Find chunks that hold any of the words: (chunk IRI, BM25 score, higher is better), best first.

        One that has lost some of the words scores less by their rarity.
        """
        asked, masked = list(words), self.view.masked
        found = self._keywords.search(asked, limit + len(masked), self.view.rows("text"))
        iris = self.chunks_numbered(number for number, _ in found)
        told = [(iris[number], score) for number, score in found if number in iris]
        if masked:
            told = [(iri, score * self._share(asked, iri) if iri in masked else score) for iri, score in told]
            told = sorted((one for one in told if one[1] > 0), key=lambda one: -one[1])
        return told[:limit]

    def _share(self, words: Sequence[str], iri: str) -> float:
        """Return by how much of the words' rarity a chunk still holds those that it held."""
        there = [_beginnings(text) for text in (self._text(iri), self.view.masked[iri])]
        before, now = (sum(self.rarity(word) for word in words if _beginnings(word) & held) for held in there)
        return min(1.0, now / before) if before > 0 else float(bool(_beginnings(" ".join(words)) & there[1]))

    def placed(self, chunks: Iterable[str]) -> dict[str, PlacedChunk]:
        """Return chunks of whole documents with their places; those are left out of which none is stored."""
        select = (
            f"SELECT {PLACED} FROM chunks JOIN places ON chunk = chunks.number "  # noqa: S608 - words of ours
            "JOIN documents ON documents.iri = document"
        )
        rows = among(self.database, select, "chunks.iri", chunks, "AND state = 'done'")
        return {row[0]: PlacedChunk.of(*row) for row in rows}

    def spans(self, subgraphs: Iterable[str]) -> dict[str, Span]:
        """Return what subgraphs of facts were taken from; those are left out of which that is not stored."""
        return self.spans_placed(subgraphs)[0]

    def spans_placed(self, subgraphs: Iterable[str]) -> tuple[dict[str, Span], dict[str, PlacedChunk]]:
        """Return what `spans` does, and what `placed` has of the chunks that these are in."""
        select = (
            f'SELECT subgraph, spans.start, "end", spans.agent, {PLACED} '  # noqa: S608 - words of ours
            "FROM spans JOIN chunks ON chunks.number = spans.chunk LEFT JOIN places ON places.chunk = chunks.number "
            "LEFT JOIN documents ON documents.iri = chunks.document AND state = 'done'"
        )
        spans, chunks = dict[str, Span](), dict[str, PlacedChunk]()
        for subgraph, start, end, agent, *chunk in among(self.database, select, "subgraph", subgraphs):
            spans[subgraph] = Span(chunk[0], start, end, agent)
            if None not in (chunk[1], chunk[-1]):  # its document is done, and its place is stored
                chunks[chunk[0]] = PlacedChunk.of(*chunk)
        return spans, chunks

    def subgraphs_in(self, chunks: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return the subgraphs of facts that were taken from chunks, as they come; those without are left out."""
        found: dict[str, list[str]] = defaultdict(list)
        select = "SELECT iri, subgraph FROM spans JOIN chunks ON chunks.number = spans.chunk"
        for chunk, subgraph in among(self.database, select, "iri", chunks, "ORDER BY spans.start, subgraph"):
            found[chunk].append(subgraph)
        return {chunk: tuple(those) for chunk, those in found.items()}

    def chunk_numbers(self, iris: Iterable[str]) -> dict[str, int]:
        """Return the numbers of chunks by their IRIs."""
        return numbered(self.database, "chunks", sorted({*iris} - self.view.chunks))

    def chunks_of(self, document: str) -> list[str]:
        """Return the IRIs of a document's chunks, in order."""
        rows = self.database.rows("SELECT iri FROM chunks WHERE document = ? ORDER BY number", (document,))
        return [row["iri"] for row in rows]

    def fact_counts(self) -> Mapping[str, int]:
        """Return how many facts were taken from each document, by its IRI; counted once until facts come or go."""
        return self._counted(
            "SELECT document, count(*) FROM (SELECT DISTINCT key, document FROM vectors WHERE kind = 'edge') "
            "GROUP BY document"
        )

    def shared_facts(self) -> int:
        """Return how many facts were taken from more than one document; counted once until facts come or go."""
        return self._counted(
            "SELECT 'shared', count(*) FROM "
            "(SELECT 1 FROM vectors WHERE kind = 'edge' GROUP BY key HAVING count(DISTINCT document) > 1) AS shared"
        )["shared"]

    def _counted(self, sql: str) -> Mapping[str, int]:
        stamp = self.database.tally("edge")
        if self._counts[0] != stamp:
            self._counts = stamp, {}
        if sql not in self._counts[1]:
            self._counts[1][sql] = dict(map(tuple, self.database.rows(sql)))
        return self._counts[1][sql]

    def holding(self, phrase: str, limit: int | None = None) -> list[str]:
        """Return the IRIs of all chunks that hold the words of a phrase, one after the other, in any of their forms."""
        rows = among(self.database, "SELECT iri FROM chunks", "number", self._holding(phrase, limit), "ORDER BY number")
        return [row["iri"] for row in rows]

    def _holding(self, words: str, limit: int | None = None) -> list[int]:
        return self._keywords.words.holding([[asked]], limit) if (asked := spoken(words)) else []

    def documents_holding(self, phrase: str) -> dict[str, str]:
        """Return the documents that hold the words of a phrase as `holding` has it, with the first chunk of each."""
        rows = self.database.rows(
            "SELECT document, iri FROM chunks WHERE number IN (SELECT min(number) FROM chunks "  # noqa: S608 - ours
            f"WHERE number IN (SELECT value FROM json_each(?)) AND {WHOLE} GROUP BY document) ORDER BY number",
            (Many(self._holding(phrase)),),
        )
        return {row["document"]: row["iri"] for row in rows}

    def spots(self, phrase: str, documents: Iterable[str]) -> dict[str, list[Spot]]:
        """Return where the words of a phrase stand in documents, one after the other in any of their forms, in order.

        In a document without them, where any of them stands.
        """
        asked = list(documents)
        found: dict[str, list[Spot]] = {}
        for words in ([spoken(phrase)], bare(phrase.split())):
            left = [one for one in asked if one not in found]
            found |= self._spots(words, left) if any(words) and left else {}
        return found

    def _spots(self, words: Sequence[str], documents: Iterable[str]) -> dict[str, list[Spot]]:
        select = (
            "SELECT chunks.number, chunks.document, start, part FROM chunks JOIN places ON places.chunk = chunks.number"
        )
        rows = among(self.database, select, "chunks.document", documents, "ORDER BY start")
        marked = self._keywords.words.marked(words, [row["number"] for row in rows])
        found: dict[str, dict[tuple[int, int], Spot]] = {}
        for chunk, document, start, part in rows:
            for first, last in marked.get(chunk, ()):
                spot = Spot(start + first, start + last, part)
                found.setdefault(document, {}).setdefault(spot[:2], spot)  # chunks may overlap
        return {document: sorted(known.values(), key=lambda one: one[:2]) for document, known in found.items()}

    def chunks_numbered(self, numbers: Iterable[int]) -> dict[int, str]:
        """Return the IRIs of chunks by their numbers, without those of documents that are being stored."""
        rows = among(self.database, "SELECT number, iri FROM chunks", "number", numbers, f"AND {WHOLE}")
        return {row["number"]: row["iri"] for row in rows}

    def look(self, words: Iterable[str]) -> None:
        """Read ahead how often words stand in it, as `search` and `rarity` ask."""
        self._keywords.look(words)

    def rarity(self, word: str) -> float:
        """Return a word's inverse document frequency over all chunks: 0 for one that stands in each of them.

        Of a word in thousands of chunks it is judged, not counted (`Keywords.frequency`).
        """
        total, frequency = self._keywords.frequency(word)
        return math.log((total + 1) / (frequency + 0.5)) if total else 0.0

    def is_empty(self) -> bool:
        """Return whether no document is stored whole."""
        return not self.database.rows(_FILLED)

    def extractors(self, document: str) -> tuple[str, ...]:
        """Return the names of the extractors that have gone through all of a document."""
        rows = self.database.rows("SELECT extractor FROM extracted WHERE document = ? ORDER BY extractor", (document,))
        return tuple(row["extractor"] for row in rows)

    def unfinished(self) -> list[str]:
        """Return the IRIs of documents whose storing was cut off."""
        return [row["iri"] for row in self.database.rows("SELECT iri FROM documents WHERE state = 'writing'")]


def _beginnings(text: str) -> set[str]:
    """Return the words of a text by their first letters, as the keyword index takes forms of a word for one."""
    return {word[: max(4, len(word) - 3)] for word in _TOKEN.findall(text.lower())}


def put_contents(connection: Transaction, contents: Iterable[Content]) -> None:
    """Store contents within a transaction that the caller holds."""
    connection.executemany(
        f"{PUT_CONTENT} WHERE contents.sha256 <> excluded.sha256",
        [(c.iri, c.title, c.mime, c.data, hashlib.sha256(c.data).hexdigest())
         for c in {c.iri: c for c in contents}.values()],
    )  # fmt: skip


def drop_contents(connection: Transaction, iris: Iterable[str]) -> None:
    """Delete contents, within the caller's transaction."""
    drop(connection, "contents", "iri", iris)
