"""What the detail panel shows for a fact or a passage that was selected: why, how well it fits, where it is from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyoxigraph import Literal, NamedNode

from explorer.dag.passage_names import named_from
from explorer.entities import INSTEAD, RETRACTED, ChunkSelection, EdgeSelection
from explorer.rdf.labels import term_label
from explorer.record.reasons import reason_of
from explorer.record.trace import parts_of
from explorer.text import opening, truncate
from explorer.view.detail import not_kept as unkept
from explorer.view.detail import rows
from explorer.view.detail.steps import entity_of
from explorer.view.words.authors import by, by_extractor, by_rules, hand, scored
from explorer.view.words.phrases import listed
from explorer.vocab import local_name

if TYPE_CHECKING:
    from explorer.dag.nodes import Node
    from explorer.view.detail.rows import Rows
    from explorer.view.messages.detail import End, Row, TripleRow
    from explorer.view.words.names import Names

_LONGEST_QUOTE, _LONGEST_TIP = 320, 2_000  # characters; all the words are below, in Source


def fact(names: Names, node: Node) -> Rows:
    """One fact: what it says, all its sources, which stay in sight so, why it was kept, and how well it fits."""
    chosen = entity_of(node, EdgeSelection)
    focus = names.focus(node)
    author = by(names.dag, focus.model if focus else None, "reasoned", by_rules("worded"))
    ends: list[End] = []
    for term in (chosen.edge.subject, chosen.edge.predicate, chosen.edge.object) if chosen.edge else ():
        tip = None
        if isinstance(term, Literal):
            tip = f"language: {term.language}" if term.language else f"type: {local_name(term.datatype.value)}"
        iri = term.value if isinstance(term, NamedNode) else None
        ends.append({"text": term_label(term, names.dag.labels), "tip": tip, "iri": iri})
    idea = next(iter(names.concepts(chosen)), None)
    said: TripleRow | None = {"k": "triple", "s": ends[0], "p": ends[1], "o": ends[2]} if ends else None
    if said is not None and names.dag.curated.get(node.iri, "").startswith(RETRACTED):
        said["gone"] = True
    return [
        _right(names, node),
        said,
        _sources(names, node),
        _curated(names, node),
        rows.text("Why it was kept", chosen.reasoning, author),
        _score(chosen),
        _sum(names, node, chosen),
        rows.listing("Key idea it fits", [{"text": chosen.concept, "node": idea}]) if chosen.concept else None,
        unkept.compare(names, node),
    ]


def chunk(names: Names, node: Node) -> Rows:
    """One passage that was kept, from what is quoted from it on: where it stands, why, and how well it fits."""
    chosen, focus = entity_of(node, ChunkSelection), names.focus(node)
    author = scored(names.dag, focus) if focus and focus.model else by_rules("worded")
    items = [names.place_item(source) for source in names.children(node, "source")]
    where = rows.passages("Where it stands", items) if items else rows.text("Where it stands", "No recorded source.")
    whole = " ".join(named_from(node.passages[0], names.dag).split()) if node.passages else ""
    return [
        rows.quotation(opening(whole, _LONGEST_QUOTE), truncate(whole, _LONGEST_TIP)),
        where,
        rows.text("Why it was kept", reason_of(names.dag, chosen), author),
        _score(chosen),
        _sum(names, node, chosen),
        unkept.compare(names, node),
    ]


def _score(chosen: EdgeSelection | ChunkSelection) -> Row | None:
    """Return the score of what was selected, with its parts."""
    if chosen.score is None:
        return None
    parts = list(parts_of(chosen).items())
    return {"k": "match", "label": "Score", "value": chosen.score, "text": f"{chosen.score:.2f} of 1", "parts": parts}


def _sum(names: Names, node: Node, chosen: EdgeSelection | ChunkSelection) -> Row | None:
    """Return the rank of what was selected, and who scored it; the page puts the sum of its parts before these."""
    if chosen.score is None:
        return None
    author = scored(names.dag, names.focus(node))
    return {"k": "sum", "label": "Score in parts", "text": names.rank(node), "author": author}


def _sources(names: Names, node: Node) -> Row | None:
    """Return all sources of a fact; when several hands took it down, each source says whose."""
    if not node.passages:
        none = (
            "No document: nobody named a passage."
            if "added by hand" in names.dag.curated.get(node.iri, "")
            else "No recorded source."
        )
        return rows.text("Where it is from", none)
    sources = names.children(node, "source")
    items = [names.place_item(source) for source in sources]
    agents = {passage.extracted_by for passage in node.passages}
    if len(agents) == 1:
        return rows.passages("Where it is from", items, by_extractor(agents.pop()))
    for item, source in zip(items, sources, strict=True):
        hands = {hand(passage.extracted_by) for passage in node.passages if passage in source.passages}
        item["more"] = listed(sorted(hands))
    return rows.passages("Where it is from", items)


def _curated(names: Names, node: Node) -> Row | None:
    """Return what was done with a fact by hand: it was added, or retracted since, or names in it were merged."""
    words = names.dag.curated.get(node.iri, "").partition(INSTEAD)[0]
    row = rows.text("By hand", f"{words[:1].upper()}{words[1:]}." if words else "")
    if row is not None:
        row["undoes"] = True
    return row


def _right(names: Names, node: Node) -> Row | None:
    """Return the fact that a person put in the place of this one."""
    row = rows.text("Right is", names.dag.curated.get(node.iri, "").partition(INSTEAD)[2])
    if row is not None:
        row["strong"] = True
    return row


ROWS: rows.Table = {
    "EdgeSelection": fact,
    "ChunkSelection": chunk,
}
