"""What must hold between the record and the words: hashes, spans of citations, passages at their offsets."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator

from pyoxigraph import Literal, NamedNode

from explorer import entities as e
from explorer import rdf
from explorer.dag.sentences import ADDED
from explorer.record.verification.evidence import Evidence, Finding
from explorer.vocab import ENTITY_BASE, FACTS, RDFS, entity_iri, is_call_text, recognise, session_of

_FORMS = ("text/plain", "application/n-triples")
_WORD = re.compile(r"[^\W_]+")
_HASH = re.compile(r"[0-9a-f]{32}")  # of a document, as far as it is in its IRI


def hashed(record: Evidence) -> Iterator[Finding]:
    """Each text of the run is there, and is the one that was recorded."""
    by_hash_alone = _are_by_hash_alone(record)
    for one in record.nodes.values():
        if not isinstance(one, e.StoredContent | e.Reflection) or one.sha256 is None:
            continue
        data = record.data(one.iri)
        yield from _kept_as_text(record, one.iri)
        if one.invalidated_at is not None:
            when = one.invalidated_at[:10]
            yield Finding(one.iri, f"its text was removed on {when}", is_removal=True)
            if data is not None and not data.startswith(f"Removed on {when} with the document “".encode()):
                yield record.fault(one.iri, "other words stand where its text was removed")
        elif data is None:
            if record.with_contents and not (by_hash_alone and is_call_text(one.iri)):
                yield record.fault(one.iri, "its text is missing")
        elif hashlib.sha256(data).hexdigest() != one.sha256 or record.text(one.iri) != data.decode(errors="replace"):
            yield record.fault(one.iri, "its text was changed since it was recorded")


def _are_by_hash_alone(record: Evidence) -> bool:
    """Return whether no prompt and no reply of a run has its text, as is asked for with `record_prompts=False`.

    Where it was sealed with some of them, they were there.
    """
    if record.with_contents and record.seal is not None and record.seal.calls:
        return False
    calls = [one for one in record.of(e.StoredContent) if is_call_text(one.iri)]
    return not any(one.invalidated_at or record.data(one.iri) is not None for one in calls)


def _kept_as_text(record: Evidence, content: str) -> Iterator[Finding]:
    """Yield where the library has a text of a run in another form than all of them have."""
    for _, mime in record.stores.library.described(content):
        if record.is_own and mime not in _FORMS:
            yield record.fault(content, f"the library has it as {mime!r}, and it is a text")


def spanned(record: Evidence) -> Iterator[Finding]:
    """The spans of citations lie in the answer, and in the chunk that they quote."""
    for answer in record.of(e.Answer):
        if not isinstance(answer, e.Synthesis | e.Conclusion) or answer.document is None:
            continue
        text = record.text(answer.document)
        if text is None or record.removed(answer.document):
            continue
        for citation in record.of(e.Citation):
            if session_of(citation.iri) != session_of(answer.iri):
                continue
            if (citation.end or 0) > len(text):
                yield record.fault(citation.iri, f"its span ends at {citation.end}, the answer at {len(text)}")
            elif answer.termination_reason != "declined":
                yield from _as_quoted(record, citation, text[citation.start or 0 : citation.end or 0])
    for citation in record.of(e.Citation):
        yield from _quoted(record, citation)


def _as_quoted(record: Evidence, citation: e.Citation, said: str) -> Iterator[Finding]:
    """Yield which words a sentence has that was quoted by rules, and the passages that it cites have not."""
    if not citation.places or citation.lexical_support is not None:
        return
    cited = (record.nodes[key] for key in citation.cites if key in record.nodes)
    texts = [record.text(chunk) for one in cited for chunk in _chunks(record, one)]
    there = {word.casefold() for text in texts if text is not None for word in _WORD.findall(text)}
    other = [word for word in _WORD.findall(ADDED.sub("", said)) if word.casefold() not in there]
    if there and None not in texts and other:
        has = ", ".join(f"“{word}”" for word in dict.fromkeys(other))
        yield Finding(citation.iri, f"its sentence has {has}; the passage that it quotes has not", is_note=True)


def _quoted(record: Evidence, citation: e.Citation) -> Iterator[Finding]:
    places = citation.spans
    start, end = citation.source_start or 0, citation.source_end or 0
    if not (0 <= start < end or start == end == 0) or {*(citation.quotes or ())} - {*places}:
        yield record.fault(citation.iri, "a span that it quotes ends before it begins, or is of nothing that it cites")
    for key, end in ((key, end) for key, spans in places.items() for _, end in spans):
        texts = [record.text(chunk) for chunk in _chunks(record, record.nodes[key])] if key in record.nodes else []
        lengths = [len(text) for text in texts if text is not None]
        if lengths and None not in texts and end > max(lengths):  # else it may have been in one removed
            yield record.fault(citation.iri, "the span that it quotes ends after the passage")


def _chunks(record: Evidence, selection: e.Entity) -> Iterator[str]:
    if isinstance(selection, e.ChunkSelection) and selection.document:
        yield selection.document
    for key in selection.derived_from if isinstance(selection, e.EdgeSelection) else ():
        source = record.source(key)
        yield from source.derived_from if isinstance(source, e.Subgraph) else ()


def sourced(record: Evidence) -> Iterator[Finding]:
    """The words of each passage stand at their offsets, up to the document, and its bytes are those that its IRI names.

    What was removed with its document is told as that.
    """
    told: set[str] = set()
    for selection in (*record.of(e.EdgeSelection), *record.of(e.ChunkSelection)):
        for key in selection.derived_from:
            subgraph = record.source(key)
            if isinstance(subgraph, e.Subgraph):
                yield from _taken(record, selection, subgraph)
        for chunk in dict.fromkeys(_chunks(record, selection)):
            if chunk not in told:
                told.add(chunk)
                yield from _placed(record, chunk, told)


def _taken(record: Evidence, selection: e.Entity, subgraph: e.Subgraph) -> Iterator[Finding]:
    if isinstance(selection, e.EdgeSelection) and selection.edge not in record.facts_of(subgraph):
        if record.is_read_otherwise(subgraph.iri):
            told = "here its passage was read by other rules, which found another fact"
            yield Finding(selection.iri, told, is_note=True)
        else:
            yield record.fault(selection.iri, f"its fact is not among those of {subgraph.iri}")
    chunk = next(iter(subgraph.derived_from), None)
    text = record.text(chunk) if chunk else None
    if text is None or subgraph.source_text is None or subgraph.source_offset is None:
        return
    start = subgraph.source_offset
    if text[start : start + len(subgraph.source_text)] != subgraph.source_text:
        yield record.fault(subgraph.iri, "its words do not stand in the passage at their offset")
    elif subgraph.source_length not in (None, len(subgraph.source_text)):
        yield record.fault(subgraph.iri, "it is not as long as it says")
    span = record.stores.library.spans([subgraph.iri]).get(subgraph.iri)
    if span is not None and (span.chunk, span.start, span.end) != (chunk, start, start + len(subgraph.source_text)):
        yield record.fault(subgraph.iri, "the library has it at another place than the record")


def _placed(record: Evidence, chunk: str, told: set[str]) -> Iterator[Finding]:
    stored = record.stores.sources.recorded(chunk)
    if stored is None:
        if record.is_own and record.with_contents and record.source(chunk) is not None:
            yield record.fault(chunk, "it leads to no document")
        return  # else told as what is named and not there
    document = record.source(stored.document)
    until = document.invalidated_at if isinstance(document, e.Document) else None
    if until is not None and stored.newer is None:
        if stored.document not in told:
            told.add(stored.document)
            yield Finding(stored.document, f"it was removed on {until[:10]}", is_removal=True)
        return
    text = record.text(chunk)
    if text is None:
        if record.with_contents:
            yield record.fault(chunk, "its words are missing")
        return
    if record.stores.library.document_of(chunk) not in (None, stored.document):
        yield record.fault(chunk, "the library has it as a passage of another document")
    placed = record.stores.library.placed([chunk]).get(chunk)
    if placed is not None and placed.place != stored.place:
        yield record.fault(chunk, "the library has it at another place than the record")
    key = stored.document, stored.place.start
    around = record.stores.library.around([key]).get(key)
    whole = record.text(stored.document) if around is None else None
    start = stored.place.start - (around.start if around else 0)
    known = around.text if around else whole
    if known is not None and known[start : start + len(text)] != text:
        yield record.fault(chunk, "its words are not those of the document at its offset")
    described = record.source(chunk)
    if isinstance(described, e.Chunk) and described.char_length not in (None, len(text)):
        yield record.fault(chunk, f"it has {len(text)} characters, not {described.char_length}")
    if stored.document not in told:
        told.add(stored.document)
        yield from _named_by_its_bytes(record, stored.document)


def called(record: Evidence) -> Iterator[Finding]:
    """What the facts that were kept are about has the name that its IRI was made of, where it was made of one."""
    edges = [one.edge for one in record.of(e.EdgeSelection) if one.edge is not None]
    ends = dict.fromkeys(end for edge in edges for end in (edge.subject, edge.predicate, edge.object))
    for end in ends:
        if not isinstance(end, NamedNode) or not end.value.startswith(ENTITY_BASE):
            continue
        key = f"called {end.value}"
        names = () if record.known.fits.get(key) else record.stores.graph.match(end, RDFS.label, None, FACTS)
        told = (quad.object.value for quad in names if isinstance(quad.object, Literal))
        others = [name for name in told if entity_iri(name) != end.value]
        record.known.fits[key] = not others
        for name in others:
            what = f"it is called {name!r} here, and its IRI was made of another name"
            yield Finding(end.value, what, is_note=True)


def as_read(record: Evidence) -> Iterator[Finding]:
    """The bytes and texts of documents, pages, sections and chunks are those that they were read with."""
    for document, quads in record.sealable.sources.items() if record.with_contents else ():
        described = rdf.entities(quads)
        pages = next((one.page_count for one in described if isinstance(one, e.Document)), None)
        for one in described:
            if isinstance(one, e.Document) and one.invalidated_at is None and record.source(one.iri) is not None:
                if one.sha256 and not _has(record, one.iri, "bytes", one.sha256):
                    yield record.fault(one.iri, "its bytes were changed since it was read")
                yield from _listed(record, one)
                if one.text_sha256 and not _has(record, one.iri, "text", one.text_sha256):
                    yield record.fault(one.iri, "its text was changed since it was read")
            elif isinstance(one, e.Chunk) and one.sha256 and not _has(record, one.iri, "text", one.sha256):
                yield record.fault(one.iri, "its text was changed since it was read")
            elif isinstance(one, e.Page) and (one.number or 1) > (pages or math.inf):
                yield record.fault(one.iri, f"it is page {one.number} of {pages}")
            elif isinstance(one, e.Page | e.Section) and one.sha256 and one.char_offset is not None:
                end = one.char_offset + (one.char_length or 0)
                own = _has(record, one.iri, "bytes", one.sha256)  # where it came without its document
                if not (own and _has(record, document, f"text {one.char_offset} {end}", one.sha256)):
                    yield record.fault(one.iri, "its text was changed since it was read")


def _listed(record: Evidence, document: e.Document) -> Iterator[Finding]:
    """Yield where the library, if the document was read here, has it not or under another title or form."""
    library = record.stores.library
    if not library.has_row(document.iri) and library.chunks_of(document.iri):
        yield record.fault(document.iri, "it is not among the documents any more, and its passages are")
    for title, mime in library.described(document.iri):
        if document.title not in (None, title):
            yield record.fault(document.iri, f"the library calls it {title!r}, the record {document.title!r}")
        if document.mime_type not in (None, mime):
            yield record.fault(document.iri, f"the library has {mime!r}, the record {document.mime_type!r}")
        if document.sha256 and record.data(document.iri) is None:
            yield record.fault(document.iri, "its bytes are missing")


def _has(record: Evidence, node: str, what: str, sha256: str) -> bool:
    """Return whether what is stored has a hash; what is not there is told otherwise."""
    key = f"{sha256} {what} {node}"
    if key not in record.known.fits:
        kind, *span = what.split(" ")
        text = record.text(node) if kind == "text" else None
        words = text[int(span[0]) : int(span[1])] if text is not None and span else text
        data = record.data(node) if kind == "bytes" else None if words is None else words.encode(errors="replace")
        record.known.fits[key] = data is None or hashlib.sha256(data).hexdigest() == sha256
    return record.known.fits[key]


def _named_by_its_bytes(record: Evidence, document: str) -> Iterator[Finding]:
    named = recognise(document)
    if named is None or named.kind != "document" or not _HASH.fullmatch(named.key):
        return
    key = f"named {document}"
    if key not in record.known.fits:
        data = record.data(document)
        record.known.fits[key] = not data or hashlib.sha256(data).hexdigest().startswith(named.key)
    if not record.known.fits[key]:
        yield record.fault(document, "its bytes are not those that its IRI names")


TEXT_RULES = (hashed, spanned, sourced, called, as_read)
