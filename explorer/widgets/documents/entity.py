"""An entity with what is beside it, as a small graph: itself, the facts that it stands in, and their other ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyoxigraph import NamedNode

from explorer.drawing.columns import PICTURED, SETS, Column, Columns, at_column
from explorer.errors import RecordError
from explorer.view.messages.detail import Detail

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.documents.facts import Fact
    from explorer.events import Passage
    from explorer.view.messages.documents import EntityFact, EntityGraph, Nobody
    from explorer.view.messages.run import Arc, Node
    from explorer.workspace import Workspace

MOST = 30  # neighbours, and facts, that are drawn
_EACH = 3  # facts drawn between two
_ROW, _FIRST = 64, 36  # pixels from row to row, and down to the middle of the first
_HIGH, _FACT_HIGH = 28, 58  # of a name, of a fact
_GUTTER, _SHARE = 24, 0.62  # between facts and their other ends, and what facts have of the room for both
_TITLES = 20  # documents that are named
_NOTHING: Detail = {"heading": "", "rows": []}


def known(ws: Workspace, iri: str) -> EntityGraph | Nobody:
    """Return an entity with its neighbours, or that nothing speaks of it any more."""
    try:
        return drawn(ws, iri)
    except RecordError:
        return {"t": "nobody", "asked": iri}


def drawn(ws: Workspace, iri: str) -> EntityGraph:
    """Return an entity with its neighbours, those with most facts between first; raises RecordError for none such."""
    entity = ws.entity(NamedNode(iri))
    neighbours, documents = entity.neighbours, entity.documents
    beside = [(fact, one.entity.iri) for one in neighbours[:MOST] for fact in one.facts[:_EACH]]
    known = {fact.triple for one in neighbours for fact in one.facts}
    alone = [(fact, "") for fact in entity.facts if fact.triple not in known]
    rows = [*beside, *alone][:MOST]
    names = {one.entity.iri: one.entity.name for one in neighbours}
    itself, said, beyond = zip(*map(_columns, SETS), strict=True)
    nodes: list[Node] = [_node(entity.iri, "Concept", itself, _FIRST, entity.name)]
    arcs: list[Arc] = []
    merged = ws.traces.stores.sources.merged
    for row, (fact, end) in enumerate(rows):
        y = _FIRST + row * _ROW
        subject, predicate, obj = fact.words
        key = str(fact.triple)
        lines = (subject, f"— {predicate} → {obj}", _where(fact))
        nodes.append(_node(key, "EdgeSelection", said, y, *lines))
        leads_back = merged.reading(fact.triple).subject != NamedNode(entity.iri)
        arcs.append({"from": entity.iri, "to": key, "kind": "selected", "back": leads_back})
        if end:
            if all(node["id"] != end for node in nodes):
                nodes.append(_node(end, "Concept", beyond, y, names[end]))
            arcs.append({"from": key, "to": end, "kind": "source", "back": leads_back})
    return {
        "t": "entity",
        "asked": iri,
        "iri": entity.iri,
        "name": entity.name,
        "names": list(entity.names),
        "facts": len(entity.facts),
        "neighbours": len(neighbours),
        "drawn": sum(node["kind"] == "Concept" for node in nodes) - 1,
        "documents": len(documents),
        "named": [{"iri": one.iri, "title": one.title} for one in documents[:_TITLES]],
        "nodes": nodes,
        "arcs": arcs,
        "places": {str(fact.triple): _place(fact) for fact, _ in rows},
    }


def _first(fact: Fact) -> Passage | None:
    """Return the first passage that says a fact, of a document that is still there."""
    return next((one for one in fact.passages if one.until is None), None)


def _where(fact: Fact) -> str:
    """Return page and document of a fact, the page first: what is cut is the title."""
    first = _first(fact)
    if first is None:
        return "added by hand"
    return f"in {first.title}" if first.page is None else f"p. {first.page} of {first.title}"


def _place(fact: Fact) -> EntityFact:
    """Return where the words of a fact stand, for the page to turn there; nowhere for one that no document says."""
    first = _first(fact)
    return {"document": first.document if first else "", "part": first.part if first else None}


def _columns(columns: Columns) -> tuple[Column, Column, Column]:
    """Return where an entity, its facts and their other ends stand in a drawing as wide as these columns of a run."""
    left = columns.fact.left
    wide = (columns.width - left - _GUTTER) * _SHARE
    end = left + wide + _GUTTER
    return columns.step, Column(left, wide), Column(end, columns.width - end)


def _node(iri: str, kind: str, columns: Sequence[Column], y: int, *lines: str) -> Node:
    styles = ("b", "n", "s") if len(lines) > 1 else ("s",)
    high = _FACT_HIGH if len(lines) > 1 else _HIGH
    places = [at_column(column, y, high) for column in columns]
    x, _, width, _ = places[PICTURED]
    return {
        "id": iri,
        "kind": kind,
        "w": width,
        "h": high,
        "lines": list(zip(styles, lines, strict=True)),
        "name": lines[0],
        "say": " ".join(lines),
        "vis": {"x": x, "y": y},
        "spots": {"": tuple(places)},
        "detail": _NOTHING,
    }
