"""An entity with what is beside it, as a small graph: itself, the facts that it stands in, and their other ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyoxigraph import NamedNode

from explorer.drawing.columns import SETS, Column, Columns, Place, at_column, rows_of
from explorer.drawing.growing import high_of
from explorer.errors import RecordError
from explorer.view.messages.detail import Detail

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.documents.found_facts import Fact
    from explorer.events import Passage
    from explorer.view.messages.documents import EntityFact, EntityGraph, Nobody
    from explorer.view.messages.run import Arc, Node
    from explorer.workspace import Workspace

MOST = 30  # neighbours, and facts, that are drawn
_EACH = 3  # facts drawn between two
_FIRST, _BETWEEN = 7.0, 6.0  # pixels above the first row, and between two
_HIGH, _LINE, _SMALL = 28.0, 13.0, 12.0  # of a name in one line, of one more line, and of its letters
_SIGN = 18.0  # what the sign of a fact takes in its first line
_STYLES = ("b+", "n+", "s")  # of the lines of a fact: so many for each of its texts
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
    nodes: list[Node] = []
    arcs: list[Arc] = []
    merged = ws.traces.stores.sources.merged
    tops = [_FIRST] * len(SETS)
    for fact, end in rows:
        subject, predicate, obj = fact.words
        key = str(fact.triple)
        lines = (subject, f"— {predicate} → {obj}", _where(fact))
        highs = [high_of([*zip(_STYLES, lines, strict=True)], column.width, taken=_SIGN) for column in said]
        middles = [top + high / 2 for top, high in zip(tops, highs, strict=True)]
        tops = [top + high + _BETWEEN for top, high in zip(tops, highs, strict=True)]
        if not nodes:
            nodes.append(_name(entity.iri, entity.name, itself, middles))
        places = [at_column(*one) for one in zip(said, middles, highs, strict=True)]
        nodes.append(_node(key, "EdgeSelection", places, dict(zip(_STYLES, lines, strict=True))))
        leads_back = merged.reading(fact.triple).subject != NamedNode(entity.iri)
        arcs.append({"from": entity.iri, "to": key, "kind": "selected", "back": leads_back})
        if end:
            if all(node["id"] != end for node in nodes):
                nodes.append(_name(end, names[end], beyond, middles))
            arcs.append({"from": key, "to": end, "kind": "source", "back": leads_back})
    if not nodes:
        nodes.append(_name(entity.iri, entity.name, itself, [_FIRST + _HIGH / 2] * len(SETS)))
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
    return next((one for one in fact.passages if one.until is None), None)


def _where(fact: Fact) -> str:
    first = _first(fact)
    if first is None:
        return "added by hand"
    return first.title if first.page is None else f"p. {first.page} · {first.title}"


def _place(fact: Fact) -> EntityFact:
    first = _first(fact)
    return {"document": first.document if first else "", "part": first.part if first else None}


def _columns(columns: Columns) -> tuple[Column, Column, Column]:
    """Return where an entity, its facts and their other ends stand in a drawing as wide as these columns of a run."""
    left = columns.fact.left
    wide = (columns.width - left - _GUTTER) * _SHARE
    end = left + wide + _GUTTER
    return columns.step, Column(left, wide), Column(end, columns.width - end)


def _name(iri: str, name: str, columns: Sequence[Column], middles: Sequence[float]) -> Node:
    highs = [_HIGH + _LINE * (min(2, rows_of(name, column.width, _SMALL)) - 1) for column in columns]
    places = [at_column(*one) for one in zip(columns, middles, highs, strict=True)]
    return _node(iri, "Concept", places, {"s": name})


def _node(iri: str, kind: str, places: Sequence[Place], lines: dict[str, str]) -> Node:
    return {
        "id": iri,
        "kind": kind,
        "lines": [*lines.items()],
        "name": next(iter(lines.values())),
        "say": " ".join(lines.values()),
        "vis": {},
        "level": "",
        "spots": {"": tuple(places)},
        "detail": _NOTHING,
    }
