"""Nodes, arcs and options as vis-network takes them, made by pyvis.

pyvis's network scans a list for each node it is given, so its nodes and edges are made without it. What the page can
tell from the kind, the lines and the size of a node is left out of its dict.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from explorer.drawing.kinds import kind, table
from explorer.drawing.layout import DRAWN_WIDTH
from explorer.widgets.words.glossary import GLOSSARY

if TYPE_CHECKING:
    from explorer.dag.nodes import Arc, Node
    from explorer.drawing.folding import Spot
    from explorer.widgets.messages import run as messages

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


def looks() -> dict[str, object]:
    """Return the looks of all kinds of node, and what the words of a lesson mean."""
    return {**table(DRAWN_WIDTH), "glossary": GLOSSARY}


def options() -> dict[str, Any]:
    """Return the options of the live graph: positions are given, physics and hierarchical layout are off."""
    network = _network()
    network.set_options(json.dumps(_OPTIONS))
    return network.options  # type: ignore[no-any-return]


def vis_node(node: Node, spot: Spot, size: tuple[float, float]) -> dict[str, Any]:
    """Return the dict of a node for vis-network, without its label."""
    from pyvis.node import Node as VisNode

    one, (x, y), (width, height) = kind(node.kind), spot, size
    given: dict[str, Any] = {"x": x, "y": y}
    if node.kind == "Document" and node.passages:  # its line may be cut; a passage has its own words with it
        given["title"] = node.passages[0].title
    if one.size:
        given["size"] = one.size
    else:
        given |= {"widthConstraint": {"minimum": width - 16}, "heightConstraint": {"minimum": height},
                  "shapeProperties": {"borderRadius": one.radius}}  # fmt: skip
    made = VisNode(node.iri, one.shape, "", **given).options
    return {name: value for name, value in made.items() if name != "label"}


def vis_arc(arc: Arc) -> messages.Arc:
    """Return the dict of an arc for vis-network; a better match has a thicker line."""
    from pyvis.edge import Edge

    width = 1.3 if arc.score is None else min(5.0, max(1.0, 1 + 12 * (arc.score - 0.5)))
    aside = arc.kind in ("concept", "candidate", "thought")
    line: dict[str, Any] = {"width": round(width, 1), "kind": arc.kind, "dashes": aside}
    line |= {"arrows": ""} if arc.kind == "concept" else {}
    options: messages.Arc = Edge(arc.parent, arc.child, directed=True, **line).options
    return options


def _network() -> Any:  # noqa: ANN401 - pyvis has no type hints
    from pyvis.network import Network

    return Network(directed=True)
