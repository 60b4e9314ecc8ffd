"""Nodes, arcs and options as vis-network takes them, made by pyvis.

pyvis's network scans a list for each node it is given, so its nodes and edges are made without it. What all of a kind
have in common is sent once, with the looks; the page adds what follows from the lines and the size of a node.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from explorer.drawing.colours import THEMES
from explorer.drawing.looks import LOOKS, Look, table
from explorer.drawing.svg import sheets
from explorer.text import without_bars
from explorer.wording.glossary import GLOSSARY

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag
    from explorer.dag.nodes import Arc, Node
    from explorer.drawing.columns import Place
    from explorer.view.messages import run as messages

_OPTIONS = {
    "autoResize": True,
    "physics": False,
    "layout": {"hierarchical": False, "randomSeed": 1},
    "interaction": {
        "hover": True, "dragNodes": False, "zoomView": False, "tooltipDelay": 400,
        "selectConnectedEdges": False, "hoverConnectedEdges": False,
    },
    "nodes": {"chosen": False, "margin": {"top": 0, "bottom": 0, "left": 10, "right": 6}},
}  # fmt: skip
_BETWEEN, _MARGIN, _HEAD = 74.0, 6.0, 0.4  # of a network: between two drawings, in a box, and the size of arrows
_WIDTH = 1.3  # of the line of what has no score
_UNCUT = {"Concept": 32, "Sentence": 300}  # characters that a label may show
_ASIDE = ("concept", "candidate", "thought")  # kinds of arc that lead beside the way of a run


def looks() -> dict[str, object]:
    """Return the looks of all kinds of node and of arcs, and what the words of a lesson mean."""
    looks = table()
    looks["kinds"] = {name: {**look, "vis": _vis_kind(LOOKS[name])} for name, look in looks["kinds"].items()}
    return {**looks, "arc": _vis_arc(), "aside": {name: _vis_arc(name) for name in _ASIDE}, "glossary": GLOSSARY}


def options() -> dict[str, Any]:
    """Return the options of the live graph: positions are given, physics and hierarchical layout are off."""
    network = _network()
    network.set_options(json.dumps(_OPTIONS))
    return network.options  # type: ignore[no-any-return]


def network(dag: ProvenanceDag) -> Any:  # noqa: ANN401 - pyvis has no type hints
    """Return a run as a network of pyvis: the drawings of its saved picture one below the other, each node once.

    Labels are text, and no node has a title: pyvis takes some titles for markup.
    """
    made, top = _network(), 0.0
    made.toggle_physics(status=False)
    made.set_edge_smooth("continuous")
    for sheet in sheets(dag):
        for node in sheet.nodes:
            if node.iri not in made.node_ids:
                place = sheet.boxes[node.iri]
                shown = _styled_node(sheet.looks[node.iri], "\n".join(sheet.labels[node.iri]), place)
                made.add_node(node.iri, x=place.x, y=place.y + top - sheet.top, physics=False, **shown)
        for arc in sheet.arcs:
            width, arrows = vis_arc(arc).get("width", _WIDTH), {"to": {"enabled": True, "scaleFactor": _HEAD}}
            made.add_edge(arc.parent, arc.child, width=width, dashes=arc.kind in _ASIDE, arrows=arrows)
        top += sheet.bottom - sheet.top + _BETWEEN
    return made


def _styled_node(shown: Look, label: str, place: Place) -> dict[str, Any]:
    """Return how a node looks that stands by itself, without a page that knows the looks of its kind."""
    fill, text, border = shown.light
    colour = text if shown.shape == "box" else THEMES["light"]["second"]
    sized: dict[str, Any] = {"size": shown.size} if shown.size else {
        "widthConstraint": place.width - 2 * _MARGIN,
        "heightConstraint": {"minimum": place.height, "valign": "middle"},
        "margin": {"top": 0, "bottom": 0, "left": _MARGIN, "right": _MARGIN},
    }  # fmt: skip
    return {
        "label": label, "shape": shown.shape, "color": {"background": fill, "border": border},
        "borderWidth": shown.border, "font": {"color": colour, "size": 12},
        "shapeProperties": {"borderRadius": shown.radius, "borderDashes": list(shown.dashes or ()) or False},
        **sized,
    }  # fmt: skip


def whole_words(node: Node) -> str:
    """Return the words of a node whose label may be cut; a passage has its own with it."""
    if node.kind == "Document" and node.passages:
        return node.passages[0].title
    if node.kind == "ChunkSelection" and node.passages:
        first = node.passages[0]
        return f"“{' '.join(without_bars(first.text).split())}” {first.reference}"
    return node.text if len(node.text) > _UNCUT.get(node.kind, len(node.text)) else ""


def vis_arc(arc: Arc) -> messages.Arc:
    """Return an arc as the page gets it; a better match has a thicker line."""
    joined: messages.Arc = {"from": arc.parent, "to": arc.child, "kind": arc.kind}
    width = _WIDTH if arc.score is None else round(min(5.0, max(1.0, 1 + 12 * (arc.score - 0.5))), 1)
    joined = joined if width == _WIDTH else {**joined, "width": width}
    return {**joined, "dashes": True} if arc.is_aligned else joined


def _vis_kind(one: Look) -> dict[str, Any]:
    from pyvis.node import Node as VisNode

    given = {"size": one.size} if one.size else {"shapeProperties": {"borderRadius": one.radius}}
    made = VisNode("", one.shape, "", **given).options
    return {name: value for name, value in made.items() if name not in ("id", "label")}


def _vis_arc(kind: str = "") -> dict[str, Any]:
    """Return how an arc is drawn: of what is beside the way its line is dashed."""
    from pyvis.edge import Edge

    made = Edge("", "", directed=True, width=_WIDTH, dashes=kind in _ASIDE).options
    arrows = {"arrows": ""} if kind == "concept" else {}
    return {name: value for name, value in made.items() if name not in ("from", "to")} | arrows


def _network() -> Any:  # noqa: ANN401 - pyvis has no type hints
    from pyvis.network import Network

    return Network("95vh", directed=True, cdn_resources="in_line")
