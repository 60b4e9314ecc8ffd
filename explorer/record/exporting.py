"""What leaves of a run: its triples in a format, in TrustGraph's form, or closed, with all that it rests on.

To go with a record there are its texts, and of its sources the nodes, the words and the files. In a closed export each
content is a node of `urn:graph:contents`: `x:text` is a text, or bytes in base64, with `x:title` and `x:mediaType`. A
document has `x:fileName`, and may have both its file and its text, in which all offsets count. What is not there is
told in `x:missing`, and nothing takes its place. An import puts all of it into the library.
"""

from __future__ import annotations

import base64
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import PurePath

from pyoxigraph import Literal, NamedNode, Quad

from explorer import entities as e
from explorer import rdf
from explorer.errors import RecordError
from explorer.events import Content, Explain, Passage
from explorer.record.node_lookup import iris, kind, named, read
from explorer.record.trace import Trace, explored_facts
from explorer.stores.collection import Collection
from explorer.stores.library import EnclosedText
from explorer.text import count
from explorer.trustgraph.encoding import readable
from explorer.vocab import BASE64, CONTENTS, FACTS, PROV, RDFS, SOURCE, X, is_call_text

LARGEST = 6_000_000  # bytes of a content in a literal: escaped or in base64 still below what one term may have
_UP = (PROV.wasDerivedFrom, PROV.wasGeneratedBy, PROV.wasAssociatedWith)


def export(
    stores: Collection,
    trace: Trace,
    form: str,
    *,
    compat: str | None = None,
    version: str = "1.2",
    closed: bool = False,
) -> bytes:
    """Return a run's triples as a file; raises RecordError for what does not go together."""
    if compat not in (None, "trustgraph"):
        raise RecordError(f"compat must be None or 'trustgraph', not {compat!r}.")
    if compat and closed:
        raise RecordError("TrustGraph has no place for contents: give either compat or closed, not both.")
    quads = trace.quads() if compat is None else readable(trace.quads())
    return rdf.dump([*quads, *(quads_of(enclosed(stores, trace)) if closed else ())], form, version)


@dataclass(frozen=True, slots=True)
class Enclosure:
    """What goes with the record of a run: `quads` about its sources, with the labels of what its facts are about;
    `contents` and the `texts` of documents; and what is `missing`, by its IRI, and why.
    """

    quads: tuple[Quad, ...] = ()
    contents: tuple[Content, ...] = ()
    texts: tuple[EnclosedText, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)


def enclosed(stores: Collection, trace: Trace, *, originals: bool = True, largest: int = LARGEST) -> Enclosure:
    """Return what goes with a run, from the library and the graph it is in.

    Without `originals` neither documents nor their texts, but still each passage and the page or section it stands on.
    """
    return _Gathering(stores, trace, originals=originals, largest=largest).all()


class _Gathering:
    def __init__(self, stores: Collection, trace: Trace, *, originals: bool, largest: int) -> None:
        self.stores = stores
        self.trace = trace
        self.originals = originals
        self.largest = largest
        self.nodes = tuple(trace.dag.entities.values())
        self.contents: dict[str, Content] = {}
        self.texts: list[EnclosedText] = []
        self.missing: dict[str, str] = {}

    def all(self) -> Enclosure:
        self._own()
        passages = list(dict.fromkeys(one for found in self.trace.passages.values() for one in found))
        documents = list(dict.fromkeys(one.document for one in passages))
        quads = (*self._sources(passages, documents), *self._labels())
        for document in documents:
            self._document(document)
        self._places(passages)
        return Enclosure(tuple(dict.fromkeys(quads)), tuple(self.contents.values()), tuple(self.texts), self.missing)

    def _own(self) -> None:
        for event in self.trace.events:
            for one in event.contents if isinstance(event, Explain) else ():
                self._put(one)
        stored = [one.iri for one in self.nodes if isinstance(one, e.StoredContent)]
        stored += [one.document for one in self.nodes if isinstance(one, e.Answer | e.Reflection) and one.document]
        for key in stored:
            told = self.trace.dag.entities.get(key)
            removed = told.invalidated_at if isinstance(told, e.StoredContent | e.Reflection) else None
            if removed:
                self.missing[key] = f"removed on {removed[:10]}"
            elif key not in self.contents and key not in self.missing:
                self.missing[key] = "recorded by its hash alone" if is_call_text(key) else "not in the library"

    def _put(self, content: Content) -> None:
        if len(content.data) > self.largest:
            self.missing[content.iri] = _too_large(content.data)
        else:
            self.contents[content.iri] = content

    def _sources(self, passages: Iterable[Passage], documents: Iterable[str]) -> Iterator[Quad]:
        """Yield what is on record of passages, up to their documents and who read them, with all pages of these."""
        graph = self.stores.graph
        wave = deque(key for one in passages for key in (one.subgraph, one.chunk, one.part or "", one.document) if key)
        wave += (key for one in self.nodes if isinstance(one, e.EdgeSelection) for key in one.derived_from)
        for document in documents:
            below = graph.match(None, PROV.wasDerivedFrom, NamedNode(document), SOURCE)
            wave += (one for one in iris(quad.subject for quad in below) if kind(one) in ("page", "section"))
        seen = set[str]()
        while wave:
            if (key := wave.popleft()) in seen:
                continue
            seen.add(key)
            for quad in graph.match(NamedNode(key)):
                if quad.graph_name in (SOURCE, FACTS):
                    yield quad
                if quad.graph_name == SOURCE and quad.predicate in _UP:
                    wave += iris([quad.object])

    def _labels(self) -> Iterator[Quad]:
        facts = [one.edge for one in self.nodes if isinstance(one, e.EdgeSelection | e.Candidate) and one.edge]
        facts += [one for left in self.nodes if isinstance(left, e.Question) for one in left.without_facts]
        lists = (one.explored for one in self.nodes if isinstance(one, e.Exploration) and one.explored)
        facts += [one for key in lists if key in self.contents for one in explored_facts(self.contents[key].data)]
        ends: list[object] = [end for fact in facts for end in (fact.subject, fact.predicate, fact.object)]
        ends += [NamedNode(key) for one in self.nodes if isinstance(one, e.Exploration) for key in one.entities]
        for end in named(ends):
            yield from self.stores.graph.match(end, RDFS.label, None, FACTS)

    def _document(self, document: str) -> None:
        library, removed = self.stores.library, self._removed(document)
        try:
            text, content = library.text(document), library.get(document)
        except RecordError:
            self.missing[document] = f"removed on {removed[:10]}" if removed else "not in the library"
            return
        if not self.originals:
            self.missing[document] = "left out on request"
        elif len(text.encode()) > self.largest:
            self.missing[document] = _too_large(text.encode())
        else:
            self.texts.append(EnclosedText(document, _file_name(library.source(document) or ""), text))
            self._put(content)

    def _removed(self, document: str) -> str | None:
        found = (quad.object for quad in self.stores.graph.match(NamedNode(document), PROV.invalidatedAtTime))
        return next((term.value for term in found if isinstance(term, Literal)), None)

    def _places(self, passages: Iterable[Passage]) -> None:
        """Take the words of each chunk, and of each page or section, that a passage stands in."""
        whole = {one.iri: one.text for one in self.texts}
        for passage in passages:
            if passage.chunk and passage.chunk not in self.contents:
                if text := self.stores.sources.chunk_text(passage.chunk):
                    self._put(_text(passage.chunk, text))
                else:
                    self.missing[passage.chunk] = "not in the library"
            if passage.part and passage.part not in self.contents and passage.document not in whole:
                with suppress(RecordError):
                    whole[passage.document] = self.stores.library.text(passage.document)
            if passage.part and passage.part not in self.contents and whole.get(passage.document):
                part = read(self.stores.graph, passage.part, e.Extracted, SOURCE)
                if isinstance(part, e.Page | e.Section) and part.char_offset is not None and part.char_length:
                    start = part.char_offset
                    self._put(_text(part.iri, whole[passage.document][start : start + part.char_length]))


def _text(iri: str, text: str) -> Content:
    return Content(iri, "", "text/plain", text.encode(errors="replace"))


def _too_large(data: bytes) -> str:
    return f"too large to be enclosed ({count(len(data), 'byte')})"


def _file_name(source: str) -> str:
    """Return an address as it is, and of a path its name alone: where a file lay is nobody's business."""
    return source if "://" in source else PurePath(source.replace("\\", "/")).name


def quads_of(given: Enclosure) -> list[Quad]:
    """Return all that goes with a run as triples, its contents in a graph of their own."""
    texts = {one.iri: one for one in given.texts}
    made = [*given.quads]
    for content in given.contents:
        node, of_document = NamedNode(content.iri), content.iri in texts
        told = [(X.text, _literal(content.data, as_bytes=of_document)), (X.mediaType, Literal(content.mime))]
        told += [(X.title, Literal(content.title))] if content.title else []
        made += [Quad(node, term, value, CONTENTS) for term, value in told]
    for text in given.texts:
        made += [Quad(NamedNode(text.iri), X.text, Literal(text.text), CONTENTS),
                 Quad(NamedNode(text.iri), X.fileName, Literal(text.source), CONTENTS)]  # fmt: skip
    made += [Quad(NamedNode(key), X.missing, Literal(why), CONTENTS) for key, why in given.missing.items()]
    return made


def _literal(data: bytes, *, as_bytes: bool) -> Literal:
    try:
        return Literal(base64.b64encode(data).decode(), datatype=BASE64) if as_bytes else Literal(data.decode())
    except UnicodeDecodeError:
        return _literal(data, as_bytes=True)
