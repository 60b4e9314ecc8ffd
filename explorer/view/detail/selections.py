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
from explorer.view.detail.steps import asked_by, entity_of
from explorer.view.words.authors import by, by_extractor, by_rules, hand, scored
from explorer.view.words.phrases import closest, listed
from explorer.vocab import local_name

if TYPE_CHECKING:
    from explorer.dag.nodes import Node
    from explorer.view.detail.rows import Rows
    from explorer.view.messages.detail import End, Row, TripleRow
    from explorer.view.words.names import Names

_LONGEST_QUOTE, _LONGEST_TIP = 320, 2_000  # characters; all the words are below, in Source


def fact(names: Names, node: Node) -> Rows:
    """One fact: what it says, why it was kept, all its sources, and how well it fits; the figures last."""
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
        *rows.resources(node.passages, names.dag),
        rows.text("Why it was kept", chosen.reasoning, author),
        _curated(names, node),
        _sources(names, node),
        rows.listing("Key idea it fits", [{"text": chosen.concept, "node": idea}]) if chosen.concept else None,
        *_figures(names, node, chosen),
        unkept.compare(names, node),
    ]


def chunk(names: Names, node: Node) -> Rows:
    """One passage that was kept, from what is quoted from it on: where it stands, why, and how well it fits."""
    chosen, focus = entity_of(node, ChunkSelection), names.focus(node)
    author = scored(names.dag, focus) if focus and focus.model else by_rules("worded")
    items = [names.place_item(source) for source in names.children(node, "source")]
    where = rows.passages("Where it stands", items) if items else rows.text("Where it stands", "No recorded source.")
    return [
        _quotation(names, node),
        *rows.resources(node.passages, names.dag),
        rows.text("Why it was kept", reason_of(names.dag, chosen), author),
        where,
        *_figures(names, node, chosen),
        unkept.compare(names, node),
    ]


def _quotation(names: Names, node: Node) -> Row | None:
    """Return a passage from what is quoted of it on, with the sentence that has most words of the question."""
    if not node.passages:
        return None
    passage = node.passages[0]
    whole = " ".join(named_from(passage, names.dag).split())
    shown, best = opening(whole, _LONGEST_QUOTE), closest(asked_by(names.dag, node), passage.text)
    if best and best not in shown:
        shown = _with_sentence(shown, whole, best, " ".join(passage.text.split()))
    return rows.quotation(shown, truncate(whole, _LONGEST_TIP))


def _with_sentence(shown: str, whole: str, best: str, text: str) -> str:
    """Return what is shown of a passage with a sentence of it that is not in it, which stands before or after it."""
    before, _, _ = text.partition(whole)
    at = before.rfind(best)
    if at < 0:
        return f"{shown} … {best}"
    between = before[at + len(best) :].strip()
    return f"{best} {'… ' if between else ''}{shown}"


def _figures(names: Names, node: Node, chosen: EdgeSelection | ChunkSelection) -> Rows:
    """Return the score of what was selected with its parts, its rank and who scored it; the page adds up the parts."""
    if chosen.score is None:
        return []
    parts = list(parts_of(chosen).items())
    score = f"{chosen.score:.2f} of 1"
    author = scored(names.dag, names.focus(node))
    return rows.folded(
        {"k": "match", "label": "Score", "value": chosen.score, "text": score, "parts": parts},
        {"k": "sum", "label": "Score in parts", "text": names.rank(node), "author": author},
    )


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
