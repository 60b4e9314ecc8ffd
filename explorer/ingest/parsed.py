"""A parsed document: its parts and chunks and the edges extracted from them, as values, before anything is stored."""

from __future__ import annotations

import hashlib
import uuid
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import attrgetter
from pathlib import PurePath
from typing import TYPE_CHECKING

from pyoxigraph import Literal, NamedNode, Triple

from explorer.ingest.chunker import USUAL, ChunkSizes, TextChunk, chunks, chunks_between
from explorer.ingest.extraction.rules import ExtractedEdge
from explorer.ingest.readers.document_text import DocumentPart, Reading
from explorer.ingest.readers.files import Source, places
from explorer.ingest.readers.long_text import LongText
from explorer.reasoning.protocol import ModelCall
from explorer.vocab import X, entity_iri, iri

if TYPE_CHECKING:
    from explorer.ingest.readers.rdf_files import RdfFile

_NAMES = uuid.UUID("6f1d7a52-1f0c-5b0e-9a35-0c6a4f0b7c11")


@dataclass(frozen=True, slots=True)
class ModelRun:
    """How a model went through one chunk: `key` tells it from other models and ontologies.

    With `keep` false only the hashes of prompts and replies are recorded.
    """

    key: str
    model: str
    ontology: str | None
    chunk: TextChunk
    calls: tuple[ModelCall, ...]
    keep: bool = True


@dataclass(frozen=True, slots=True)
class Extraction:
    """What one extractor took from a document."""

    agent: str
    version: str
    edges: tuple[ExtractedEdge, ...]
    run: ModelRun | None = None  # where it was a model, and what of one chunk
    apart: str = ""  # what tells it from others by the same agent

    @property
    def key(self) -> str:
        """What tells the extractor from others."""
        return self.run.key if self.run else self.apart or self.agent


@dataclass(frozen=True, slots=True)
class Parsed:
    """A document read and cut, before anything of it is stored.

    `places` name where it stands, the first one exactly: what stood there before is an earlier version. So is the
    document that it `replaces`, whose places it takes. One that is stored in parts is not held: it has the hash of its
    bytes, and of it is read a stretch, whose text begins at `offset`; offsets count from the start of the whole text
    all the same.
    """

    iri: str
    source: str
    data: bytes
    reading: Reading
    chunks: tuple[TextChunk, ...]
    places: tuple[str, ...]
    sizes: ChunkSizes = USUAL
    replaces: str = ""
    offset: int = 0
    sha256: str = ""

    def words(self, start: int, end: int) -> str:
        """Return the text between two offsets in the document."""
        return self.reading.text[start - self.offset : end - self.offset]

    def cut(self, sizes: ChunkSizes) -> Parsed:
        """Return the same document cut into chunks of these sizes."""
        return replace(self, chunks=tuple(chunks(self.reading, sizes.size, sizes.overlap)), sizes=sizes)

    def part_iri(self, part: DocumentPart) -> str:
        """Return the IRI of a page or section."""
        return iri(part.kind, name_of(self.iri, part.kind, part.number))

    def chunk_iri(self, chunk: TextChunk) -> str:
        """Return the IRI of a chunk."""
        part = (chunk.part.kind, chunk.part.number) if chunk.part else ("document", 0)
        return iri("chunk", name_of(self.iri, *part, self.sizes.size, self.sizes.overlap, chunk.index))


@dataclass(frozen=True, slots=True)
class ExtractedDocument:
    """A document with what was extracted from it, ready to be stored; `by` names who has gone through all of it."""

    parsed: Parsed
    extractions: tuple[Extraction, ...] = ()
    by: tuple[str, ...] = ()

    @property
    def edges(self) -> list[ExtractedEdge]:
        """All edges, of one extraction after the other."""
        return [edge for extraction in self.extractions for edge in extraction.edges]

    def without(self, facts: Collection[Triple]) -> ExtractedDocument:
        """Return the document without the edges that are some facts."""
        if not facts:
            return self
        left = (replace(one, edges=tuple(edge for edge in one.edges if triple(edge) not in facts))
                for one in self.extractions)  # fmt: skip
        return replace(self, extractions=tuple(left))


def document_iri(data: bytes) -> str:
    """Return the IRI of a document from its bytes: the same bytes are the same document."""
    return iri("document", hashlib.sha256(data).hexdigest()[:32])


def parse(
    data: bytes, source: str, reading: Reading, places: tuple[str, ...] = (), *, sizes: ChunkSizes = USUAL
) -> Parsed:
    """Cut what was read into chunks; it stands at `places`, by default at its source."""
    return Parsed(document_iri(data), source, data, reading, (), places or (source,), sizes).cut(sizes)


def long_head(file: LongText | RdfFile, source: Source, sizes: ChunkSizes) -> Parsed:
    """Return a long file as a document of which nothing is read yet."""
    head = Parsed(iri("document", file.sha256[:32]), source.name, b"", file.reading, (), places(source), sizes)
    return replace(head, replaces=source.replaces, sha256=file.sha256)


def text_stretches(head: Parsed, text: LongText) -> Iterator[tuple[Parsed, bytes, float]]:
    """Yield the stretches of a long text, cut into chunks, each with its bytes and the share that is done with it."""
    number = 1
    for start, words, data in text.stretches():
        # not at the start of a text: what stands there is no front matter
        padded, first = (words, 0) if not start else (f"\n{words}", 1)
        span, sizes = (first, len(padded)), (head.sizes.size, head.sizes.overlap)
        cut = tuple(chunks_between(padded, span, sizes, number, offset=start - first))
        part = replace(head, reading=replace(head.reading, text=words), chunks=cut, offset=start)
        number += len(cut)
        yield part, data, (start + len(words)) / text.length


def facts_stretch(head: Parsed, reading: Reading, start: int) -> Parsed:
    """Return a stretch of a long file of facts, cut into chunks; places in `reading` count in the whole text."""
    whole = {part.number: part for part in reading.parts}
    own = replace(
        reading, parts=tuple(replace(part, start=part.start - start, end=part.end - start) for part in reading.parts)
    )
    cut = (
        replace(
            chunk, start=chunk.start + start, end=chunk.end + start, part=whole[chunk.part.number],
            sentences=tuple((begin + start, end + start) for begin, end in chunk.sentences),
        )
        for chunk in chunks(own, head.sizes.size, head.sizes.overlap) if chunk.part is not None
    )  # fmt: skip
    return replace(head, reading=reading, chunks=tuple(cut), offset=start)


def head_of(parsed: Parsed) -> Parsed:
    """Return a document without its text and its parts, which are stored by themselves."""
    return replace(parsed, data=b"", reading=replace(parsed.reading, text="", parts=(), facts=()), chunks=())


def pieces(parsed: Parsed, most: int) -> Iterator[tuple[Parsed, bytes, float]]:
    """Yield stretches of a file of facts that was read whole, of at most some facts and of whole parts, each with a
    share of its bytes, and which share of it is done with it.
    """
    reading, data = parsed.reading, parsed.data
    facts, chunks = reading.facts or (), parsed.chunks
    starts = [part.start for part in reading.parts]
    begins = attrgetter("start")
    begin = fact = chunk = first = written = 0
    for number in range(1, len(starts) + 1):
        end = starts[number] if number < len(starts) else len(reading.text)
        later = bisect_left(facts, starts[number + 1], key=begins) if number + 1 < len(starts) else len(facts)
        if number < len(starts) and later - fact <= most:
            continue
        last_fact, last_chunk = (bisect_left(many, end, key=begins) for many in (facts, chunks))
        share = end / len(reading.text)
        upto = round(share * len(data))
        stretch = replace(reading, text=reading.text[begin:end], parts=reading.parts[first:number],
                          facts=facts[fact:last_fact])  # fmt: skip
        yield (
            replace(parsed, data=b"", reading=stretch, chunks=chunks[chunk:last_chunk], offset=begin),
            data[written:upto],
            share,
        )
        begin, fact, chunk, first, written = end, last_fact, last_chunk, number, upto


def triple(edge: ExtractedEdge) -> Triple:
    """Return an extracted edge as RDF terms."""
    obj = edge.object_node or (_named(edge.object) if edge.object_is_entity else Literal(edge.object))
    return Triple(edge.subject_node or _named(edge.subject), edge.predicate_node or _named(edge.predicate), obj)


@lru_cache(maxsize=20_000)
def _named(label: str) -> NamedNode:
    return NamedNode(entity_iri(label))


def ready_edges(parsed: Parsed) -> Iterator[ExtractedEdge]:
    """Yield the facts that a file states as such, each in the chunk that its line begins in."""
    starts = [chunk.start for chunk in parsed.chunks]
    for fact in parsed.reading.facts or ():
        chunk = parsed.chunks[max(0, bisect_right(starts, fact.start) - 1)]
        subject, predicate, obj = fact.triple.subject, fact.triple.predicate, fact.triple.object
        yield ExtractedEdge(
            *fact.words, isinstance(obj, NamedNode), fact.start, min(fact.end, chunk.end), None, chunk,
            predicate_node=predicate,
            object_node=obj if isinstance(obj, NamedNode | Literal) else None,
            subject_node=subject if isinstance(subject, NamedNode) else None,
            line=fact.line, sources=fact.sources,
        )  # fmt: skip


def named_nodes(edge: ExtractedEdge) -> list[tuple[NamedNode, str]]:
    """Return the IRIs in a fact, each with the words for it."""
    fact, words = triple(edge), (edge.subject, edge.predicate, edge.object)
    terms = zip((fact.subject, fact.predicate, fact.object), words, strict=True)
    return [(term, word) for term, word in terms if isinstance(term, NamedNode)]


def joined(edge: ExtractedEdge) -> tuple[Triple, ...]:
    """Return the mentions that an edge was read off under another name: entity, rule, and the words on the page."""
    return tuple(
        Triple(NamedNode(entity_iri(reference.name)), getattr(X, reference.rule), Literal(reference.written))
        for reference in edge.joined
    )


@lru_cache(maxsize=10_000)
def name_of(*parts: object) -> str:
    """Return the UUID that stands for some parts, the same each time."""
    return str(uuid.uuid5(_NAMES, "\x1f".join(str(part) for part in parts)))


def file_name(source: str) -> str:
    """Return the last part of a path or URL, by which a facts file names its documents."""
    return PurePath(source).name
