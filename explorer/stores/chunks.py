"""Chunks as they are stored: their texts, where they stand, and what facts were taken from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass
from typing import Any, Self

from explorer.stores.database import Transaction, numbered

PLACED = (
    "chunks.iri, documents.iri, title, source, mime, chunks.text, "
    "places.number, places.start, part, page, section, part_start, places.agent"
)
"""The columns of a chunk with its place."""


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk's text, for the keyword index and for reading it back."""

    iri: str
    document: str
    text: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a chunk stands, as the graph has it: its number within its page, section or document, and who cut it.

    `start` and `part_start` (0 without a part) count from the start of the document's text, in code points.
    """

    number: int | None
    start: int
    part: str | None
    page: int | None
    section: str | None
    part_start: int
    agent: str


@dataclass(frozen=True, slots=True)
class Span:
    """A span of a chunk that facts were taken from, in code points, and by whom."""

    chunk: str
    start: int
    end: int
    agent: str


@dataclass(frozen=True, slots=True)
class PlacedChunk:
    """A chunk with its document's IRI, title, source and media type, its text and its place."""

    iri: str
    document: str
    title: str
    source: str | None
    mime: str | None
    text: str
    place: Place
    until: str | None = None
    newer: str | None = None

    @classmethod
    def of(cls, iri: str, *columns: Any) -> Self:  # noqa: ANN401 - as stored
        """Return it from the columns that `PLACED` names."""
        document, title, source, mime, text, *place = columns
        return cls(iri, document, title, source, mime, text, Place(*place))


def put_chunks(connection: Transaction, chunks: Iterable[StoredChunk]) -> None:
    """Store chunks with their keywords, within the caller's transaction."""
    given = list(chunks)
    numbers = connection.insert("chunks", "iri, document, text", [(c.iri, c.document, c.text) for c in given])
    connection.index("text", [(number, c.text, b"") for number, c in zip(numbers, given, strict=True)])


def put_places(connection: Transaction, places: Mapping[str, Place]) -> None:
    """Store where chunks stand, by their IRIs, in place of what was stored, within the caller's transaction."""
    chunks = numbered(connection, "chunks", places)
    connection.executemany(
        "INSERT INTO places VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (chunk) DO UPDATE SET "
        "number = excluded.number, start = excluded.start, part = excluded.part, page = excluded.page, "
        "section = excluded.section, part_start = excluded.part_start, agent = excluded.agent",
        [(chunks[iri], *astuple(place)) for iri, place in places.items() if iri in chunks],
    )


def put_spans(connection: Transaction, spans: Mapping[str, Span]) -> None:
    """Store what subgraphs of facts were taken from, by their IRIs, within the caller's transaction."""
    chunks = numbered(connection, "chunks", dict.fromkeys(one.chunk for one in spans.values()))
    connection.executemany(
        "INSERT INTO spans VALUES (?, ?, ?, ?, ?) ON CONFLICT (subgraph) DO UPDATE SET "
        'chunk = excluded.chunk, start = excluded.start, "end" = excluded."end", agent = excluded.agent',
        [(subgraph, chunks[one.chunk], one.start, one.end, one.agent)
         for subgraph, one in spans.items() if one.chunk in chunks],
    )  # fmt: skip
