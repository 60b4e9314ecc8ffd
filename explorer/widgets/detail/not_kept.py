"""What the detail panel shows for facts that were looked at and not kept, and why each was left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.drawing import labels
from explorer.entities import Candidate, ChunkSelection, EdgeSelection, Focus
from explorer.text import count
from explorer.vocab import session_of
from explorer.widgets.detail import rows
from explorer.widgets.words.phrases import beneath

if TYPE_CHECKING:
    from explorer.dag.nodes import Node
    from explorer.widgets.detail.rows import Rows
    from explorer.widgets.message_types import NotKeptItem, Row
    from explorer.widgets.words.names import Names

MOST = 100  # facts listed
_LIMIT = "below limit"


def not_kept(names: Names, node: Node) -> Rows:
    """The facts left out, best first; each can be picked apart: why not, its score, its idea, its source."""
    known = [member for member in node.members if isinstance(member, Candidate)]
    focus = names.dag.entities.get(node.iri.removesuffix("#not-kept"))
    chosen = (*focus.selected_edges, *focus.selected_chunks) if isinstance(focus, Focus) else ()
    found = (names.dag.entities.get(key) for key in chosen)
    scores = (one.score for one in found if isinstance(one, EdgeSelection | ChunkSelection))
    lowest = min((score for score in scores if score is not None), default=None)
    items = [_item(names, one, lowest) for one in known[:MOST]]
    rest = len(known) - MOST
    unscored = (node.count or 0) - len(known) if known else 0
    listed: Row = {"k": "unkept", "label": "Best of them first", "lowest": lowest, "items": items}
    return [
        rows.text("How many", labels.lines(names.dag, node)[1]),
        rows.text("Why not", _why_all(len(known), unscored)),
        listed if items else None,
        rows.text("Not listed", f"{count(rest, 'more fact')}, each with a lower match" if rest > 0 else None),
    ]


def compare(names: Names, fact: Node) -> Row | None:
    """Return the link from what was kept to what was not, in the same search; nothing where nothing was left out."""
    focus = names.focus(fact)
    left = f"{focus.iri}#not-kept" if focus else ""
    if left not in names.dag.graph:
        return None
    number = names.dag.node(left).count or 0
    return {"k": "links", "items": [{"text": f"Compare with the {number:,} not kept", "node": left}]}


def _item(names: Names, one: Candidate, lowest: float | None) -> NotKeptItem:
    ideas = [node.iri for node in names.dag.within(session_of(one.iri), "Concept")
             if node.text == one.concept and names.drawn(node.iri)]  # fmt: skip
    return {
        "iri": one.iri,
        "text": names.sentence(one.edge),
        "score": one.score,
        "why": _why(one, lowest),
        "idea": one.concept,
        "node": ideas[0] if ideas else None,
    }


def _why_all(scored: int, unscored: int) -> str:
    if not scored:
        return "Those kept fit better; how well each of these fits is not on record."
    said = f"{'One was' if scored == 1 else f'The {scored:,} nearest were'} compared with those kept, and left out:"
    rest = f" The other {unscored:,} were looked at and not compared." if unscored > 0 else ""
    return f"{said} why not, each says below.{rest}"


def _why(one: Candidate, lowest: float | None) -> str:
    """Return why not this one, in a line: "0.47, just below the lowest kept, 0.48"."""
    said = one.not_selected if one.not_selected and one.not_selected != _LIMIT else ""
    if one.score is None:
        return said or "no match recorded"
    if said:
        return f"{one.score:.2f}, {said}"
    if lowest is None:
        return f"{one.score:.2f}, and none was kept"
    if one.score >= lowest:
        return f"{one.score:.2f}, but enough others were kept"
    return beneath(one.score, lowest)


ROWS: rows.Table = {
    "NotKept": not_kept,
}
