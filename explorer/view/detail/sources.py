"""What the detail panel shows for passages, pages, sections and documents, and about what was taken from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.entities import Composed, Document, Extracted, Subgraph
from explorer.ingest.readers.formats import XLS, XLSX
from explorer.language.detection import ENGLISH, name_of
from explorer.text import count, without_bars
from explorer.view.detail import rows
from explorer.view.detail.steps import entity_of
from explorer.view.words.authors import by_extractor, hand
from explorer.view.words.phrases import listed

if TYPE_CHECKING:
    from explorer.dag.nodes import Node
    from explorer.view.detail.rows import Rows
    from explorer.view.messages.detail import Item, Row
    from explorer.view.words.names import Names

_MIMES = {
    "application/pdf": "PDF", "text/html": "web page", "text/markdown": "Markdown text", "text/plain": "plain text",
    "application/epub+zip": "EPUB book", "message/rfc822": "e-mail",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "Word document",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "PowerPoint presentation",
    "application/vnd.ms-word.document.macroEnabled.12": "Word document with macros, not run",
    "application/vnd.ms-powerpoint.presentation.macroEnabled.12": "PowerPoint presentation with macros, not run",
    "text/csv": "table", "text/tab-separated-values": "table", "application/jsonl": "table",
    XLSX: "workbook", XLS: "workbook",
    **dict.fromkeys(("text/turtle", "application/trig", "application/n-triples", "application/n-quads",
                     "application/rdf+xml", "application/ld+json"), "facts in RDF"),
}  # fmt: skip


def passage(names: Names, node: Node) -> Rows:
    """The words, where they stand, and which facts were taken from them; by whom, with each where several hands did."""
    first = node.passages[0]
    agents = list(dict.fromkeys(one.extracted_by for one in node.passages))
    items = [_taken(names, fact, node, told=len(agents) > 1) for fact in names.facts(node)]
    words = without_bars(first.text, first.before) or "Its words are not on record here."
    quoted: Row = {"k": "quote", "text": words}
    if first.text:
        quoted["author"] = {"sign": "”", "text": "copied word for word"}
    resources = rows.resources(node.passages, names.dag)
    return [
        *([*resources, quoted] if len(resources) == 1 else [quoted, *resources]),
        rows.text("Document", first.title),
        rows.text("Place", first.locator),
        rows.listing("Facts taken from it", items, by_extractor(agents[0]) if len(agents) == 1 else None),
    ]


def _taken(names: Names, fact: Node, passage: Node, *, told: bool) -> Item:
    """Return a link to a fact that was taken from a passage; where it is `told`, with who took it from there."""
    item = names.fact_item(fact)
    hands = {hand(one.extracted_by) for one in fact.passages if one in passage.passages}
    if told and hands:
        item["more"] = ", ".join(filter(None, (item.get("more"), listed(sorted(hands)))))
    return item


def part(names: Names, node: Node) -> Rows:
    """A page, section, picture or piece of a document, and the words of it that were used."""
    items = [names.item(one) for one in names.parents(node) if one.kind == "Passage"]
    return [
        rows.text("Document", node.passages[0].title if node.passages else None),
        *(_extent(node.entity) if isinstance(node.entity, Extracted) else []),
        rows.passages("Words used", items) if items else None,
        _around(names, node),
    ]


def document(names: Names, node: Node) -> Rows:
    """A document, where it came from, and which parts of it were read, in its own order."""
    described = node.entity if isinstance(node.entity, Document) else None
    came_from = node.passages[0].source if node.passages else described.source if described else None
    read = [one for one in names.parents(node) if one.kind in ("Passage", "Page", "Section")]
    read.sort(key=lambda one: min((passage.start for passage in one.passages), default=0))
    shown = [rows.title(names.name(node)), rows.text("Came from", came_from)]
    items = rows.listing("Read for this answer", [names.item(one) for one in read])
    if described is None:
        return [*shown, items]
    mime, pages, language = described.mime_type or "", described.page_count, described.language or ENGLISH
    return [
        *shown,
        rows.text("What it is", _MIMES.get(mime, mime)),
        rows.text("Written by", described.creator),
        rows.text("Dated", described.date),
        rows.text("Language", name_of(language) if language != ENGLISH else None),
        rows.text("Length", None if pages is None else count(pages, "page")),
        items,
        _around(names, node),
    ]


def subgraph(names: Names, node: Node) -> Rows:
    """The facts that were taken from one span of words."""
    group = entity_of(node, Subgraph)
    items: list[Item] = [{"text": names.sentence(edge)} for edge in group.contains]
    sure = None if group.confidence is None else f"{group.confidence:.2f} of 1"
    return [
        {"k": "quote", "text": without_bars(group.source_text)} if group.source_text else None,
        rows.listing("Facts taken", items, none="no fact"),
        rows.text("Quoted, but not in the passage", group.not_aligned and f"“{group.not_aligned}”"),
        rows.text("How sure it was", sure),
        _around(names, node),
    ]


def _extent(entity: Extracted) -> Rows:
    begins = None if entity.char_offset is None else f"after {count(entity.char_offset, 'character')}"
    held = [rows.text("Length", None if entity.char_length is None else count(entity.char_length, "character"))]
    if isinstance(entity, Composed):
        tables, pictures = entity.table_count, entity.image_count
        held += [
            rows.text("Tables", None if tables is None else count(tables, "table")),
            rows.text("Pictures", None if pictures is None else count(pictures, "picture")),
        ]
    return [rows.text("Begins", begins), *held]


def _around(names: Names, node: Node) -> Row | None:
    """Return what it was taken from, where that is drawn as a node of the record."""
    above = [one for one in names.parents(node) if one.kind not in ("Passage", "EdgeSelection", "ChunkSelection")]
    return rows.listing("Taken from", [names.item(one) for one in above if one.entity])


ROWS: rows.Table = {
    "Passage": passage,
    "Page": part,
    "Section": part,
    "Image": part,
    "Chunk": part,
    "Subgraph": subgraph,
    "Document": document,
}
