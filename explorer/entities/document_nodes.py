"""The nodes of a document that was read: parts, chunks, the edges found in them, and what found them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pyoxigraph import NamedNode, Triple

from explorer.entities.node_table import LATE, Entity, Kind, many, one
from explorer.vocab import DC, FACTS, PROV, RDFS, SOURCE, TG, Graph, X

__all__ = [
    "Activity",
    "Agent",
    "Chunk",
    "Composed",
    "Document",
    "Extracted",
    "Image",
    "Page",
    "Section",
    "Subgraph",
]


@dataclass(frozen=True, kw_only=True)
class Document(Entity):
    """A document of the library; its IRI is also the key of its bytes.

    `revision_of` are the versions that it took the place of. `sha256` is that of its bytes, `text_sha256` that of its
    text in UTF-8, in hexadecimal. Of one that was removed there is when that was.
    """

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Document)
    graph: ClassVar[Graph] = FACTS

    title: str | None = one(DC.title, rank=-1)
    source: str | None = one(DC.source, Kind.IRI)
    date: str | None = one(DC.date)
    creator: str | None = one(DC.creator)
    language: str | None = one(DC.language)
    page_count: int | None = one(TG.pageCount, Kind.INTEGER)
    mime_type: str | None = one(TG.mimeType)
    revision_of: tuple[str, ...] = many(PROV.wasRevisionOf, Kind.IRI)
    invalidated_at: str | None = one(PROV.invalidatedAtTime)
    sha256: str | None = one(X.sha256)
    text_sha256: str | None = one(X.textSha256, rank=4)


@dataclass(frozen=True, kw_only=True)
class Extracted(Entity):
    """Anything made from a document: the activity that made it, and its span in its parent (code points).

    `sha256` is that of its text in UTF-8, in hexadecimal.
    """

    graph: ClassVar[Graph] = SOURCE

    label: str | None = one(RDFS.label)
    generated_by: str | None = one(PROV.wasGeneratedBy, Kind.IRI, rank=0)
    char_offset: int | None = one(TG.charOffset, Kind.INTEGER, rank=2)
    char_length: int | None = one(TG.charLength, Kind.INTEGER, rank=2)
    sha256: str | None = one(X.sha256, rank=4)


@dataclass(frozen=True, kw_only=True)
class Composed(Extracted):
    """What a decoder reports about the elements of a page or section."""

    mime_type: str | None = one(TG.mimeType)
    element_types: str | None = one(TG.elementTypes)
    table_count: int | None = one(TG.tableCount, Kind.INTEGER)
    image_count: int | None = one(TG.imageCount, Kind.INTEGER)


@dataclass(frozen=True, kw_only=True)
class Page(Composed):
    """A page of a document, numbered from 1."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Page)

    number: int | None = one(TG.pageNumber, Kind.INTEGER)


@dataclass(frozen=True, kw_only=True)
class Section(Composed):
    """A section of a document without pages; its label is the heading."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Section)


@dataclass(frozen=True, kw_only=True)
class Image(Composed):
    """A picture found in a document; numbered like pages where it fills one."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Image)

    number: int | None = one(TG.pageNumber, Kind.INTEGER)


@dataclass(frozen=True, kw_only=True)
class Chunk(Extracted):
    """A piece of a page, section or document, numbered from 1 within it; its IRI is the key of its text."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Chunk)

    index: int | None = one(TG.chunkIndex, Kind.INTEGER)


@dataclass(frozen=True, kw_only=True)
class Subgraph(Entity):
    """The edges that one extractor found in one span of one chunk; offsets count from the start of the chunk.

    `joined` are the names that edges are not written with: entity, rule, and the words of the span. `sources` are what
    a file that states facts as such names for them.
    """

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Subgraph)
    graph: ClassVar[Graph] = SOURCE

    contains: tuple[Triple, ...] = many(TG.contains, Kind.TRIPLE, rank=-1)
    generated_by: str | None = one(PROV.wasGeneratedBy, Kind.IRI, rank=0)
    source_text: str | None = one(TG.sourceText)
    source_offset: int | None = one(TG.sourceCharOffset, Kind.INTEGER)
    source_length: int | None = one(TG.sourceCharLength, Kind.INTEGER)
    confidence: float | None = one(X.confidence, Kind.NUMBER, rank=4)
    joined: tuple[Triple, ...] = many(X.joined, Kind.TRIPLE, rank=4)
    sources: tuple[str, ...] = many(DC.source, Kind.IRI, rank=4)


@dataclass(frozen=True, kw_only=True)
class Activity(Entity):
    """One run of one component over one document, of a model over one chunk; `prompt` and `reply` are contents."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Activity,)
    graph: ClassVar[Graph] = SOURCE

    used: tuple[str, ...] = many(PROV.used, Kind.IRI)
    associated_with: str | None = one(PROV.wasAssociatedWith, Kind.IRI)
    started_at: str | None = one(PROV.startedAtTime)
    version: str | None = one(TG.componentVersion)
    chunk_size: int | None = one(TG.chunkSize, Kind.INTEGER, rank=LATE)
    chunk_overlap: int | None = one(TG.chunkOverlap, Kind.INTEGER, rank=LATE)
    model: str | None = one(TG.llmModel, rank=LATE)
    ontology: str | None = one(TG.ontology, Kind.IRI, rank=LATE)
    embedding_model: str | None = one(TG.embeddingModel, rank=LATE)
    in_token: int | None = one(TG.inToken, Kind.INTEGER, rank=LATE)
    out_token: int | None = one(TG.outToken, Kind.INTEGER, rank=LATE)
    prompt: tuple[str, ...] = many(X.prompt, Kind.IRI, rank=LATE)
    reply: tuple[str, ...] = many(X.reply, Kind.IRI, rank=LATE)


@dataclass(frozen=True, kw_only=True)
class Agent(Entity):
    """The agent of an activity: a component, a curator, an importer."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Agent,)
    graph: ClassVar[Graph] = SOURCE
