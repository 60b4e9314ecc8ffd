"""The record of how a document was read: its parts and chunks, who cut and extracted, and where each fact stands."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer import entities as e
from explorer import rdf
from explorer.events import Content
from explorer.ingest.chunker import ChunkSizes, TextChunk
from explorer.ingest.extraction.rules import ExtractedEdge
from explorer.ingest.parsed import Extraction, ModelRun, Parsed, joined, name_of
from explorer.ingest.readers.document_text import DocumentPart
from explorer.stores.chunks import Place, Span
from explorer.stores.graph import GraphStore
from explorer.version import PROVENANCE
from explorer.vocab import PROV, SOURCE, X, iri

READER, CHUNKER, CURATOR, IMPORT = "reader", "chunker", "curator", "import"
VERSION = PROVENANCE


def document_quads(parsed: Parsed, now: str, hashes: tuple[str, str] | None = None) -> Iterator[Quad]:
    """Describe a document with its parts and chunks, and the reader and chunker that made them; `now`: ISO 8601.

    `hashes` are those of the bytes and the text of one that is stored in parts.
    """
    reading = parsed.reading
    pages = [part for part in reading.parts if part.kind == "page"]
    sha256, text_sha256 = hashes or (hashlib.sha256(parsed.data).hexdigest(), text_hash(reading.text))
    yield from rdf.triples(
        e.Document(
            iri=parsed.iri,
            title=reading.title,
            label=reading.title,
            date=reading.date,
            creator=reading.author,
            language=reading.language,
            page_count=len(pages) or None,
            mime_type=reading.mime,
            sha256=sha256,
            text_sha256=text_sha256,
        )
    )
    reader = _activity(parsed.iri, READER, VERSION, now)
    cutting = _activity(parsed.iri, CHUNKER, VERSION, now)
    chunker = replace(cutting, chunk_size=parsed.sizes.size, chunk_overlap=parsed.sizes.overlap)
    yield from part_quads(parsed)
    yield from chunk_quads(parsed)
    for activity in (reader, chunker):
        yield from activity_quads(activity)


def part_quads(parsed: Parsed) -> Iterator[Quad]:
    """Describe the pages or sections of a document, or of a part of one."""
    reader = iri("activity", name_of(parsed.iri, READER, VERSION))
    for part in parsed.reading.parts:
        yield from rdf.triples(_part(parsed, part, reader))


def chunk_quads(parsed: Parsed) -> Iterator[Quad]:
    """Describe the chunks of a document, or of a part of one."""
    chunker = iri("activity", name_of(parsed.iri, CHUNKER, VERSION))
    for chunk in parsed.chunks:
        yield from rdf.triples(_chunk(parsed, chunk, chunker))


def text_hash(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def read_at(graph: GraphStore, document: str) -> str | None:
    """Return when a document was read, as recorded; None where that is not on record."""
    reader = NamedNode(iri("activity", name_of(document, READER, VERSION)))
    found = (quad.object for quad in graph.match(reader, PROV.startedAtTime, None, SOURCE))
    return min((term.value for term in found if isinstance(term, Literal)), default=None)


def sizes_of(graph: GraphStore, document: str) -> ChunkSizes | None:
    """Return how a document was cut, as recorded; None where that is not on record."""
    chunker = NamedNode(iri("activity", name_of(document, CHUNKER, VERSION)))
    described = rdf.entities(graph.match(chunker, None, None, SOURCE))
    found = next((one for one in described if isinstance(one, e.Activity)), None)
    if found is None or found.chunk_size is None or found.chunk_overlap is None:
        return None
    return ChunkSizes(found.chunk_size, found.chunk_overlap)


def _part(parsed: Parsed, part: DocumentPart, activity: str) -> e.Extracted:
    where = (parsed.iri,)
    length, words = part.end - part.start, parsed.words(part.start, part.end)
    sha256 = text_hash(words) if len(words) == length else None  # of a long text, words may be in another stretch
    if part.kind == "page":
        return e.Page(
            iri=parsed.part_iri(part), derived_from=where, generated_by=activity, label=part.label,
            number=part.number, char_offset=part.start, char_length=length, sha256=sha256,
        )  # fmt: skip
    return e.Section(
        iri=parsed.part_iri(part), derived_from=where, generated_by=activity, label=part.label,
        char_offset=part.start, char_length=length, sha256=sha256,
    )  # fmt: skip


def _chunk(parsed: Parsed, chunk: TextChunk, activity: str) -> e.Chunk:
    parent = parsed.part_iri(chunk.part) if chunk.part else parsed.iri
    return e.Chunk(
        iri=parsed.chunk_iri(chunk),
        derived_from=(parent,),
        generated_by=activity,
        label=f"Chunk {chunk.index}",
        index=chunk.index,
        char_offset=chunk.start - (chunk.part.start if chunk.part else 0),
        char_length=chunk.end - chunk.start,
        sha256=text_hash(chunk.text),
    )


def chunk_place(chunk: TextChunk, parsed: Parsed) -> Place:
    """Return where a chunk stands, as `document_quads` describes it."""
    part = chunk.part
    return Place(
        number=chunk.index,
        start=chunk.start,
        part=parsed.part_iri(part) if part else None,
        page=part.number if part and part.kind == "page" else None,
        section=part.label if part and part.kind == "section" else None,
        part_start=part.start if part else 0,
        agent=CHUNKER,
    )


def subgraph(
    parsed: Parsed, named: str, edges: Sequence[ExtractedEdge], facts: tuple[Triple, ...], activity: str
) -> e.Subgraph:
    """Describe where some edges of one span stand; `named` is the subgraph's IRI."""
    first = edges[0]
    return e.Subgraph(
        iri=named,
        contains=facts,
        derived_from=(parsed.chunk_iri(first.chunk),),
        generated_by=activity,
        source_text=parsed.words(first.start, first.end),
        source_offset=first.start - first.chunk.start,
        source_length=first.end - first.start,
        confidence=min((edge.confidence for edge in edges if edge.confidence is not None), default=None),
        joined=tuple(dict.fromkeys(join for edge in edges for join in joined(edge))),
        label=None if first.line is None else f"Line {first.line}",
        sources=tuple(dict.fromkeys(source for edge in edges for source in edge.sources)),
    )


def spans_of(parsed: Parsed, extraction: Extraction) -> dict[str, Span]:
    """Return what the subgraphs of an extraction were taken from, as `subgraph` describes it, by their IRIs."""
    return {
        subgraph_iri(parsed, extraction, edge): Span(
            parsed.chunk_iri(edge.chunk), edge.start - edge.chunk.start, edge.end - edge.chunk.start, extraction.agent
        )
        for edge in extraction.edges
        if edge.chunk.start <= edge.start and edge.end <= edge.chunk.end
    }


def subgraph_iri(parsed: Parsed, extraction: Extraction, edge: ExtractedEdge) -> str:
    """Return the IRI of an edge's subgraph: one for each chunk, extractor and span."""
    return iri("subgraph", name_of(parsed.chunk_iri(edge.chunk), extraction.key, edge.start, edge.end))


def extraction_activity(parsed: Parsed, extraction: Extraction, now: str) -> e.Activity:
    """Describe one extraction; it is named by what it found, so that each set of facts has an activity of its own.

    That of a model is of one chunk, and has its prompts and replies.
    """
    if extraction.run is not None:
        return _model_activity(parsed, extraction, extraction.run, now)
    spans = [(edge.subject, edge.predicate, edge.object, edge.start, edge.end) for edge in extraction.edges]
    found = hashlib.sha256(repr(sorted(spans)).encode()).hexdigest()
    named = iri("activity", name_of(parsed.iri, extraction.agent, extraction.version, found))
    return replace(_activity(parsed.iri, extraction.agent, extraction.version, now), iri=named)


def _model_activity(parsed: Parsed, extraction: Extraction, run: ModelRun, now: str) -> e.Activity:
    chunk, used = parsed.chunk_iri(run.chunk), [call.usage for call in run.calls]
    return replace(
        _activity(parsed.iri, extraction.agent, extraction.version, now),
        iri=iri("activity", _session(chunk, run)),
        used=(parsed.iri, chunk),
        model=run.model,
        ontology=run.ontology,
        prompt=tuple(content.iri for content in call_contents(chunk, run, "prompt")),
        reply=tuple(content.iri for content in call_contents(chunk, run, "reply")),
        in_token=_sum(one.in_token for one in used),
        out_token=_sum(one.out_token for one in used),
    )


def call_contents(chunk: str, run: ModelRun, kind: str) -> list[Content]:
    """Return the prompts or the replies (`kind`) of a model's run over a chunk."""
    texts = (call.prompt if kind == "prompt" else call.reply for call in run.calls)
    return [
        Content(iri(kind, _session(chunk, run), number), f"{kind.title()} {number + 1}", "text/plain", text.encode())
        for number, text in enumerate(texts)
    ]


def call_hashes(chunk: str, run: ModelRun) -> Iterator[Quad]:
    """Yield the hashes of prompts and replies that are not kept."""
    for content in (*call_contents(chunk, run, "prompt"), *call_contents(chunk, run, "reply")):
        digest = hashlib.sha256(content.data).hexdigest()
        yield Quad(NamedNode(content.iri), X.sha256, Literal(digest), SOURCE)


def _session(chunk: str, run: ModelRun) -> str:
    return name_of(chunk, run.key)


def _sum(tokens: Iterable[int | None]) -> int | None:
    told = list(tokens)
    return None if None in told else sum(one for one in told if one is not None)


def activity_quads(activity: e.Activity) -> list[Quad]:
    """Describe an activity with its agent."""
    agent = e.Agent(iri=activity.associated_with or "", label=(activity.label or "").partition(" ")[0] or None)
    return [*rdf.triples(activity), *rdf.triples(agent)]


def _activity(document: str, agent: str, version: str, now: str) -> e.Activity:
    return e.Activity(
        iri=iri("activity", name_of(document, agent, version)),
        label=f"{agent} extraction",
        used=(document,),
        associated_with=iri("agent", agent),
        started_at=now,
        version=version,
    )
