"""The documents of a collection, each with its facts, its pages, its versions and the runs that used it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePath

from pyoxigraph import Literal, NamedNode, Triple

from explorer import display
from explorer.dag.passage_names import named_from
from explorer.dag.sentences import cut
from explorer.display import Table
from explorer.documents.found_facts import Fact, fact_table, facts_of_chunks
from explorer.errors import RecordError
from explorer.events import Passage
from explorer.ingest.provenance import read_at
from explorer.record.forgetting import named_document, used_of
from explorer.record.listing import TraceSummary
from explorer.record.traces import Traces
from explorer.stores.collection import Collection
from explorer.stores.document_names import DocumentRow, documents, older_documents
from explorer.text import count, escape, one_line, opening, truncate
from explorer.vocab import FACTS, PASSAGE, PROV, SOURCE, STORE, TG

_HEADS = ("Title", "Kind", "Pages", "Passages", "Facts", "Added", "Source")
_KINDS = {"application/pdf": "PDF", "text/markdown": "Markdown", "text/plain": "Text", PASSAGE: "Passage",
          STORE: "Store"}  # fmt: skip
_WORDS, _OF_CHUNK = 120, 80  # letters of a page in a table, and of a chunk in the tree


@dataclass(frozen=True, slots=True)
class Branch:
    """A node of the tree: its kind ("document", "page", "section", "chunk" or "fact"), words, IRI, and what it has."""

    kind: str
    label: str
    iri: str | None
    children: tuple[Branch, ...] = ()

    def lines(self, depth: int = 0) -> Iterator[str]:
        """Yield the tree as lines of text, two blanks for each level."""
        yield f"{'  ' * depth}{one_line(self.label)}"
        for child in self.children:
            yield from child.lines(depth + 1)

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return display.bundle(self.lines(), [f"<ul>{self.html()}</ul>"])

    def html(self) -> str:
        """Return the tree as an item of an HTML list."""
        inner = "".join(child.html() for child in self.children)
        return f"<li>{escape(self.label)}{f'<ul>{inner}</ul>' if inner else ''}</li>"


def chunk_branch(stores: Collection, chunk: Passage) -> Branch:
    """Return a whole chunk with the facts that were taken from it."""
    facts = [Fact(triple, stores) for triple in facts_of_chunks(stores, [chunk.chunk])]
    leaves = tuple(Branch("fact", "{} — {} → {}".format(*fact.words), fact.iri) for fact in facts)
    name = "Passage" if chunk.chunk_index is None else f"Passage {chunk.chunk_index}"
    label = f"{name}, {count(len(facts), 'fact')}: {opening(named_from(chunk), _OF_CHUNK)}"
    return Branch("chunk", label, chunk.chunk, leaves)


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a document, or a section where it has no pages: its span in the document's text, in code points.

    `number` counts pages from 1; a section has its heading as `label` and no number.
    """

    iri: str
    label: str
    number: int | None
    start: int
    end: int
    _document: Document = field(repr=False, compare=False)

    @property
    def text(self) -> str:
        """Its words."""
        return self._document.text[self.start : self.end]

    @property
    def chunks(self) -> tuple[str, ...]:
        """The IRIs of its chunks, in order."""
        stores = self._document.stores
        found = (quad.subject for quad in stores.graph.match(None, PROV.wasDerivedFrom, NamedNode(self.iri), SOURCE))
        numbers = stores.library.chunk_numbers(node.value for node in found if isinstance(node, NamedNode))
        return tuple(sorted(numbers, key=numbers.__getitem__))

    def passage(self, words: str) -> Passage:
        """Return the passage of some words where they first stand in one of its chunks; raises RecordError."""
        return _passage(self._document.stores, self.chunks, words, self.label)

    @property
    def facts(self) -> Table[Fact]:
        """The facts taken from it."""
        stores = self._document.stores
        return fact_table(stores, facts_of_chunks(stores, self.chunks))


@dataclass(frozen=True, slots=True)
class Document:
    """A document of the collection: its IRI, title and where it came from (path, address or given id)."""

    iri: str
    title: str
    source: str
    mime: str
    _traces: Traces = field(repr=False, compare=False)

    @property
    def stores(self) -> Collection:
        """The stores that it is in."""
        return self._traces.stores

    @property
    def kind(self) -> str:
        """What it is: "PDF", "Markdown", "Text", "Passage" (of a corpus), "Store"; of others the ending of its name."""
        ending = PurePath(self.source).suffix.removeprefix(".").upper()
        return _KINDS.get(self.mime) or ending or self.mime

    @property
    def added_at(self) -> str | None:
        """When it was read, as recorded (ISO 8601); None where that is not on record."""
        return read_at(self.stores.graph, self.iri)

    @property
    def read_at(self) -> str | None:
        """When it was last read (ISO 8601): an attached store when it was asked for all, another when it was added."""
        known = self.stores.sources.attached.get(self.iri)
        return self.added_at if known is None else known.read_at

    @property
    def text(self) -> str:
        """Its text, in which all offsets count."""
        return self.stores.library.text(self.iri)

    @property
    def page_count(self) -> int | None:
        """How many pages it has; None for one without pages."""
        found = (quad.object for quad in self.stores.graph.match(NamedNode(self.iri), TG.pageCount, None, FACTS))
        return next((int(term.value) for term in found if not isinstance(term, Triple)), None)

    @property
    def fact_count(self) -> int:
        """How many facts were taken from it."""
        return self.stores.library.fact_counts().get(self.iri, 0)

    @property
    def chunks(self) -> tuple[str, ...]:
        """The IRIs of its chunks, in order."""
        return tuple(self.stores.library.chunks_of(self.iri))

    @property
    def facts(self) -> Table[Fact]:
        """The facts taken from it, in the order of its text; shown as a table."""
        return fact_table(self.stores, facts_of_chunks(self.stores, self.chunks))

    @property
    def pages(self) -> Table[Page]:
        """Its pages, or its sections where it has none; shown as a table."""
        found = [
            Page(part.iri, part.label or (f"Page {part.number}" if part.number else ""), part.number,
                 part.offset or 0, (part.offset or 0) + (part.length or 0), self)
            for part in self.stores.sources.parts(self.iri)
        ]  # fmt: skip
        kind = "Page" if any(page.number is not None for page in found) else "Section"
        return Table(found, (kind, "Passages", "Facts", "Words"), _of_page, "It has no pages or sections.")

    @property
    def versions(self) -> Table[Document]:
        """All versions of it that are here, oldest first, itself among them; shown as a table."""
        library, last = self.stores.library, self.iri
        seen = {last}
        while (newer := library.newer(last)) and newer[0] not in seen:
            last = newer[0]
            seen.add(last)
        now = [one for one in documents(self.stores.database) if one.iri == last]
        return _table(self._traces, [*older_documents(self.stores.database, reversed(library.older(last))), *now])

    @property
    def uses(self) -> tuple[list[TraceSummary], list[TraceSummary]]:
        """The runs of `used_in` and those of `quoted_in`, looked up together."""
        return self._traces.using_and_quoting(*used_of(self.stores, self.iri))

    @property
    def used_in(self) -> list[TraceSummary]:
        """The runs that kept a fact or a passage of it, or of a version before it, newest first; shown as a table."""
        return self._traces.using(*used_of(self.stores, self.iri))

    @property
    def quoted_in(self) -> list[TraceSummary]:
        """Those of these runs whose answer cites a fact or a passage of it; shown as a table."""
        return self._traces.quoting(*used_of(self.stores, self.iri))

    def passage(self, words: str) -> Passage:
        """Return the passage of some words where they first stand in a chunk, whatever the white space between them.

        Raises RecordError where they do not.
        """
        return _passage(self.stores, self.chunks, words, self.title)

    @property
    def hierarchy(self) -> Branch:
        """The document as a tree: its pages or sections, their chunks, and the facts of each."""
        sources = self.stores.sources
        placed = [(iri, passage) for iri in self.chunks for passage in sources.chunk(iri)]
        chunks = {iri: chunk_branch(self.stores, passage) for iri, passage in placed}
        parts = [
            Branch("section" if page.number is None else "page", page.label, page.iri,
                   tuple(chunks[iri] for iri, passage in placed if passage.part == page.iri))
            for page in self.pages
        ]  # fmt: skip
        loose = [chunks[iri] for iri, passage in placed if passage.part is None]
        return Branch("document", f"{self.title} ({self.source})", self.iri, (*parts, *loose))

    def __repr__(self) -> str:
        return f"<Document “{one_line(self.title)}” {one_line(self.source)}>"


def _passage(stores: Collection, chunks: Iterable[str], words: str, name: str) -> Passage:
    wanted = re.compile(r"\s+".join(map(re.escape, words.split())) or r"(?!)")
    for chunk in (one for iri in chunks for one in stores.sources.chunk(iri)):
        if found := wanted.search(chunk.text):
            return cut(chunk, *found.span())
    raise RecordError(f"“{truncate(one_line(words), 60)}” does not stand in one passage of {one_line(name)}.")


def all_documents(traces: Traces) -> Table[Document]:
    """Return the documents of a collection, in the order they came; shown as a table."""
    return _table(traces, documents(traces.stores.database))


def document_table(traces: Traces, iris: Iterable[str]) -> Table[Document]:
    """Return some documents by their IRIs, in the order they came; shown as a table."""
    wanted = set(iris)
    return _table(traces, [row for row in documents(traces.stores.database) if row.iri in wanted])


def document(traces: Traces, named: str) -> Document:
    """Return the document that an IRI, a path, a title or a part of one means; raises RecordError."""
    return _made(traces, named_document(traces.stores, named))


@dataclass(frozen=True, slots=True)
class Former:
    """A document that answers no more: since a newer version took its place, or it was removed."""

    iri: str
    title: str
    state: str


def former_documents(traces: Traces) -> Table[Former]:
    """Return the documents that newer versions took the place of, then those that were removed; shown as a table."""
    stores = traces.stores
    found = [
        Former(one.iri, one.title, f"newer version since {newer[1][:10]}")
        for one in older_documents(stores.database) if (newer := stores.library.newer(one.iri))
    ]  # fmt: skip
    gone = [
        Former(
            quad.subject.value,
            stores.sources.label(quad.subject.value) or quad.subject.value,
            f"removed on {quad.object.value[:10]}",
        )
        for quad in stores.graph.match(None, PROV.invalidatedAtTime, None, FACTS)
        if isinstance(quad.subject, NamedNode) and isinstance(quad.object, Literal)
    ]
    rows = [*found, *sorted(gone, key=lambda one: (one.state, one.title, one.iri))]
    return Table(rows, ("Title", "State", "IRI"), lambda one: (one.title, one.state, one.iri), "No former documents.")


def _table(traces: Traces, rows: list[DocumentRow]) -> Table[Document]:
    return Table(
        (_made(traces, row) for row in rows), _HEADS, _of_document, "No documents yet; add some with ws.ingest."
    )


def _made(traces: Traces, row: DocumentRow) -> Document:
    return Document(row.iri, row.title, row.source, row.mime, traces)


def _of_document(one: Document) -> tuple[str, ...]:
    pages = "" if one.page_count is None else f"{one.page_count:,}"
    added = (one.read_at or "")[:19]
    return one.title, one.kind, pages, f"{len(one.chunks):,}", f"{one.fact_count:,}", added, one.source


def _of_page(one: Page) -> tuple[str, ...]:
    return one.label, f"{len(one.chunks):,}", f"{len(one.facts):,}", opening(one.text, _WORDS)
