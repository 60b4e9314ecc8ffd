"""What the detail panel says about passages, pages, sections and documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.widgets import rows
from explorer.widgets.words import by_extractor, place

if TYPE_CHECKING:
    from explorer.nodes import Node
    from explorer.widgets.names import Names
    from explorer.widgets.rows import Row


def passage(names: Names, node: Node) -> list[Row]:
    """The words, where they stand, and which facts were taken from them by whom."""
    first = node.passages[0]
    agents = list(dict.fromkeys(one.extracted_by for one in node.passages))
    items = [names.fact_item(fact) for fact in names.facts(node)]
    held = rows.listing("Facts it holds", items, by_extractor(agents[0])) if items else {}
    return [
        {"k": "quote", "text": first.text, "author": {"sign": "”", "text": "copied word for word"}},
        rows.text("Document", first.title),
        rows.text("Stands on", place(first)),
        held,
        *({"k": "text", "label": " ", "text": "", "author": by_extractor(agent)} for agent in agents[1:] if items),
    ]


def part(names: Names, node: Node) -> list[Row]:
    """A page or section, and the words of it that were used."""
    items = [names.quote_item(one) for one in names.parents(node)]
    return [rows.text("Document", node.passages[0].title), rows.passages("Words used", items)]


def document(names: Names, node: Node) -> list[Row]:
    """A document, where it came from, and which parts of it were used."""
    first = node.passages[0]
    used = names.parents(node)
    items = [
        names.quote_item(one) if one.kind == "Passage" else {"text": names.name(one), "node": one.iri} for one in used
    ]
    return [rows.title(first.title), rows.text("Came from", first.source), rows.listing("Used in this answer", items)]
