"""What is said of passages, pages, sections and documents, and of what was taken from them."""

from __future__ import annotations

from explorer import entities as e
from explorer.dag import ProvenanceDag
from explorer.dag.nodes import Node
from explorer.dag.passage_names import IN_LINE, passage_name
from explorer.ingest.readers.formats import XLS, XLSX
from explorer.language.detection import ENGLISH, name_of
from explorer.text import count, truncate, without_bars
from explorer.wording import panel_rows
from explorer.wording.authors import Author, by_extractor, by_model, hand, nobody
from explorer.wording.names import IN_WIDE, Names, where
from explorer.wording.node_words import Said, Styled, entity_of
from explorer.wording.panel_rows import Item, Row, Rows
from explorer.wording.phrases import found_in, listed
from explorer.wording.retrieved import became_row

_MIMES = {
    "application/pdf": "PDF", "text/html": "web page", "text/markdown": "Markdown text", "text/plain": "plain text",
    "application/epub+zip": "EPUB book", "message/rfc822": "e-mail",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "Word document",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "PowerPoint presentation",
    "application/vnd.ms-word.document.macroEnabled.12": "Word document with macros, not run",
    "application/vnd.ms-powerpoint.presentation.macroEnabled.12": "PowerPoint presentation with macros, not run",
    "text/csv": "table", "text/tab-separated-values": "table", "application/jsonl": "table",
    XLSX: "workbook", XLS: "workbook", "application/vnd.oasis.opendocument.spreadsheet": "workbook",
    "application/vnd.oasis.opendocument.text": "OpenDocument text",
    **dict.fromkeys(("text/turtle", "application/trig", "application/n-triples", "application/n-quads",
                     "application/rdf+xml", "application/ld+json"), "facts in RDF"),
}  # fmt: skip
_LONGEST_TITLE, _LONGEST_SECTION = 120, 22  # letters that a label has room for


class _Source(Said):
    """What was read, or a part of it; without a node on record it is known by the passages on it."""

    styles: tuple[str, ...] = ("k", "n")

    def lines(self, dag: ProvenanceDag, node: Node, *, ranked: bool = False) -> tuple[str, ...]:
        return self.placed(dag, node) if node.entity is None else super().lines(dag, node)

    def placed(self, dag: ProvenanceDag, node: Node) -> tuple[str, ...]:
        """Return its lines as its passages tell of it."""
        first = node.passages[0]
        section = truncate(first.section or "section", _LONGEST_SECTION)
        return (f"p. {first.page}" if first.page is not None else section,)

    def name(self, names: Names, node: Node) -> str:
        if node.passages:
            words = node.passages[0].locator or node.kind
            return words[0].upper() + words[1:]
        return self.described(node) or node.kind

    def described(self, node: Node) -> str:
        """Return its name as the record describes it; empty where it does not."""
        return ""

    def say(self, names: Names, node: Node) -> str:
        return self.name(names, node)

    def author(self, names: Names, node: Node) -> Author:
        return {"sign": "”", "text": "as it was read"}

    def rows(self, names: Names, node: Node) -> Rows:
        items = [names.item(one) for one in names.parents(node) if one.kind == "Passage"]
        return [
            panel_rows.text("Document", node.passages[0].title if node.passages else None),
            *(_extent(node.entity) if isinstance(node.entity, e.Extracted) else []),
            panel_rows.passages("Words used", items) if items else None,
            _around(names, node),
        ]


class Page(_Source):
    """A page of a document."""

    styles: tuple[str, ...] = ("s",)

    def described(self, node: Node) -> str:
        number = node.entity.number if isinstance(node.entity, e.Page | e.Image) else None
        return "" if number is None else f"{type(node.entity).__name__} {number}"

    def heading(self, names: Names, node: Node) -> str:
        return self.name(names, node)

    def say(self, names: Names, node: Node) -> str:
        return f"{self.name(names, node)} of {node.passages[0].title}" if node.passages else self.name(names, node)


class Section(Page):
    """A section of a document."""

    def described(self, node: Node) -> str:
        return f"Section “{node.entity.label}”" if node.entity and node.entity.label else ""


class Image(Page):
    """A picture in a document."""

    styles = _Source.styles
    heading, say = Said.heading, _Source.say


class Chunk(_Source):
    """A piece of a document."""

    def name(self, names: Names, node: Node) -> str:
        index = entity_of(node, e.Chunk).index
        return "Passage" if index is None else f"Passage {index}"


class Document(_Source):
    """A document."""

    styles = ("s",)

    def placed(self, dag: ProvenanceDag, node: Node) -> tuple[str, ...]:
        return (truncate(node.passages[0].title, _LONGEST_TITLE),)

    def name(self, names: Names, node: Node) -> str:
        if node.passages:
            return node.passages[0].title
        described = entity_of(node, e.Document)
        return described.title or described.label or "Document"

    def rows(self, names: Names, node: Node) -> Rows:
        """Return where it came from, what it is, and which parts of it were read, in its own order."""
        described = node.entity if isinstance(node.entity, e.Document) else None
        came_from = node.passages[0].source if node.passages else described.source if described else None
        read = [one for one in names.parents(node) if one.kind in ("Passage", "Page", "Section")]
        read.sort(key=lambda one: min((passage.start for passage in one.passages), default=0))
        items = panel_rows.listing("Read for this answer", [names.item(one) for one in read])
        own = [*_described(described), items, _around(names, node)] if described else [items]
        return [panel_rows.title(self.name(names, node)), panel_rows.text("Came from", came_from), *own]


class Passage(_Source):
    """Words of a document that a fact was taken from, or that an answer quotes."""

    styles = ("n++", "s")

    def placed(self, dag: ProvenanceDag, node: Node) -> tuple[str, ...]:
        """Return how it begins, and where it stands."""
        return tuple(text for _, text in self.in_lines(dag, node, 3))

    def beside(self, dag: ProvenanceDag, node: Node) -> Styled:
        """Return how it begins, and where it stands, of both more than elsewhere."""
        found = node.passages[0]
        return [("n", passage_name(dag, found, IN_WIDE)), ("s", where(found, IN_WIDE))]

    @staticmethod
    def in_lines(dag: ProvenanceDag, node: Node, most: int) -> Styled:
        """Return so many lines of its words, and where it stands."""
        found = node.passages[0]
        return [("n" + "+" * (most - 1), passage_name(dag, found, IN_LINE * most)), ("s", where(found))]

    def name(self, names: Names, node: Node) -> str:
        return Said.name(self, names, node)

    def say(self, names: Names, node: Node) -> str:
        """Return how many facts were taken from it, and where it stands."""
        found, facts = found_in(node.passages[0]), {fact.iri for fact in names.facts(node)}
        return f"{count(len(facts), 'fact')} → these words {found}" if facts else f"this passage {found}"

    def author(self, names: Names, node: Node) -> Author:
        """Return nobody: its words and its facts name their own."""
        return Said.author(self, names, node)

    def rows(self, names: Names, node: Node) -> Rows:
        """Return the words, where they stand, and which facts were taken from them; by whom where several did."""
        first = node.passages[0]
        agents = list(dict.fromkeys(one.extracted_by for one in node.passages))
        items = [_taken(names, fact, node, told=len(agents) > 1) for fact in names.facts(node)]
        words = without_bars(first.text, first.before) or "Its words are not on record here."
        quoted: Row = {"k": "quote", "text": words}
        if first.text:
            how = "word for word" if words == first.text else "from a table, each cell with its column's name"
            quoted["author"] = {"sign": "”", "text": f"copied {how}"}
        resources = panel_rows.resources(node.passages, names.dag)
        return [
            *([*resources, quoted] if len(resources) == 1 else [quoted, *resources]),
            panel_rows.text("Document", first.title),
            panel_rows.text("Place", first.locator),
            became_row(names.dag, node),
            panel_rows.listing("Facts taken from it", items, by_extractor(agents[0]) if len(agents) == 1 else None),
        ]


class Subgraph(Said):
    """The facts that were taken from one span of words."""

    styles = ("k", "n")

    def rows(self, names: Names, node: Node) -> Rows:
        group = entity_of(node, e.Subgraph)
        items: list[Item] = [{"text": names.sentence(edge)} for edge in group.contains]
        sure = None if group.confidence is None else f"{group.confidence:.2f} of 1"
        return [
            {"k": "quote", "text": without_bars(group.source_text)} if group.source_text else None,
            panel_rows.listing("Facts taken", items, none="no fact"),
            panel_rows.text("How sure it was", sure),
            _around(names, node),
        ]

    def author(self, names: Names, node: Node) -> Author:
        activity = names.dag.entities.get(entity_of(node, e.Subgraph).generated_by or "")
        agent = activity.associated_with if isinstance(activity, e.Activity) else None
        if isinstance(activity, e.Activity) and activity.model:
            return by_model("taken from the passage", activity.model)
        return by_extractor(agent.rpartition("/")[2]) if agent else nobody()


def _taken(names: Names, fact: Node, passage: Node, *, told: bool) -> Item:
    """Return a link to a fact that was taken from a passage; where it is `told`, with who took it from there."""
    item = names.fact_item(fact)
    hands = {hand(one.extracted_by) for one in fact.passages if one in passage.passages}
    if told and hands:
        item["more"] = ", ".join(filter(None, (item.get("more"), listed(sorted(hands)))))
    return item


def _described(document: e.Document) -> Rows:
    """Return what a document is, as the record describes it."""
    mime, pages, language = document.mime_type or "", document.page_count, document.language or ENGLISH
    return [
        panel_rows.text("What it is", _MIMES.get(mime, mime)),
        panel_rows.text("Written by", document.creator),
        panel_rows.text("Dated", document.date),
        panel_rows.text("Language", name_of(language) if language != ENGLISH else None),
        panel_rows.text("Length", None if pages is None else count(pages, "page")),
    ]


def _extent(entity: e.Extracted) -> Rows:
    begins = None if entity.char_offset is None else f"after {count(entity.char_offset, 'character')}"
    held = [panel_rows.text("Length", None if entity.char_length is None else count(entity.char_length, "character"))]
    if isinstance(entity, e.Composed):
        tables, pictures = entity.table_count, entity.image_count
        held += [
            panel_rows.text("Tables", None if tables is None else count(tables, "table")),
            panel_rows.text("Pictures", None if pictures is None else count(pictures, "picture")),
        ]
    return [panel_rows.text("Begins", begins), *held]


def _around(names: Names, node: Node) -> Row | None:
    """Return what it was taken from, where that is drawn as a node of the record."""
    above = [one for one in names.parents(node) if one.kind not in ("Passage", "EdgeSelection", "ChunkSelection")]
    return panel_rows.listing("Taken from", [names.item(one) for one in above if one.entity])
