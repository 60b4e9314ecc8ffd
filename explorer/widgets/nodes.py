"""Nodes, arcs and options as vis-network takes them, made by pyvis.

pyvis's network scans a list for each node it is given, so its nodes and edges are made without it. What the page can
tell from the kind, the lines and the size of a node is left out of its dict.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from explorer.dag.layout import WIDTHS, chip_width
from explorer.drawing.palette import look
from explorer.entities import AgentQuestion

if TYPE_CHECKING:
    from explorer.dag.nodes import Arc, Node

Lines = list[tuple[str, str]]
SIZES = {"k": 11.0, "b": 13.0, "n": 13.0, "s": 11.5}
_WRAPPED = {"Question": "n", "Synthesis": "b", "Failure": "n", "Unknown": "n"}
_STYLES: dict[str, tuple[str, ...]] = {
    "Focus": ("k", "b"),
    "Concept": ("s",),
    "EdgeSelection": ("b", "n"),
    "Passage": ("n", "s"),
    "Page": ("s",),
    "Section": ("s",),
    "Document": ("s",),
}
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


def options() -> dict[str, Any]:
    """Give the options of the live graph: positions are given, physics and hierarchical layout are off."""
    network = _network()
    network.set_options(json.dumps(_OPTIONS))
    return network.options  # type: ignore[no-any-return]


def styled(node: Node) -> Lines:
    """Give the lines of a label with their styles: k kind, b bold, n normal, s small; each + is one more line."""
    if node.kind in _WRAPPED:
        return [("k", node.lines[0]), *((_WRAPPED[node.kind] + "+", line) for line in node.lines[1:])]
    styles = _STYLES.get(node.kind, ("k", "n"))
    lines = [(style, line) for style, line in zip(styles, node.lines, strict=False)]
    if node.kind == "NotKept":
        lines[-1] = ("n", f"{lines[-1][1]} – see why")
    return lines


def labelled(node: Node, lines: Lines | None = None) -> Lines:
    """Give the styled lines a node is drawn with: these where there are any, else its own."""
    return styled(node) if lines is None else lines


def box(node: Node, lines: Lines | None = None) -> tuple[float, float]:
    """Give width and height of a node's outline, without a label that stands below it."""
    one = look(node.kind)
    if one.shape != "box":
        return one.size * 2, one.size * 2
    if node.kind == "Concept":
        return chip_width(node.lines[0]), 25.0
    height = sum(SIZES[style[0]] * len(style) for style, _ in labelled(node, lines))
    wide = 216 if isinstance(node.entity, AgentQuestion) and node.kind == "Question" else WIDTHS["Unknown"]
    return wide if node.kind == "Question" else WIDTHS.get(node.kind, wide), height + 17


def arc_width(score: float | None) -> float:
    """Give the width of an arc: a better match has a thicker line."""
    return 1.3 if score is None else min(5.0, max(1.0, 1 + 12 * (score - 0.5)))


def _network() -> Any:  # noqa: ANN401 - pyvis has no type hints
    from pyvis.network import Network

    return Network(directed=True)


class Drawing:
    """The dicts of one graph; arcs wait until both their ends are there."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._known: set[str] = set()
        self._waiting: list[Arc] = []

    def node(self, node: Node, lines: Lines | None = None) -> dict[str, Any]:
        """Give the dict of a node, new or changed; `lines` where it is not drawn with its own."""
        from pyvis.node import Node as VisNode

        self._known.add(node.iri)
        made = VisNode(node.iri, look(node.kind).shape, "", **self._given(node, lines)).options
        return {name: value for name, value in made.items() if name != "label"}

    def arcs(self, arcs: Iterable[Arc]) -> list[dict[str, Any]]:
        """Give the dicts of the arcs that can be drawn by now."""
        from pyvis.edge import Edge

        known = self._known
        pending, self._waiting = [*self._waiting, *arcs], []
        made: list[dict[str, Any]] = []
        for arc in pending:
            if arc.parent not in known or arc.child not in known:
                self._waiting.append(arc)
                continue
            made.append(Edge(arc.parent, arc.child, directed=True, **_line(arc)).options)
        return made

    def _given(self, node: Node, lines: Lines | None) -> dict[str, Any]:
        one = look(node.kind)
        width, height = box(node, lines)
        given: dict[str, Any] = {
            "x": node.x,
            "y": node.y,
        }
        whole = _whole(node) if lines is None else None
        if whole is not None:
            given["title"] = whole
        if one.shape != "box":
            return given | {"size": one.size}
        constraints = {"widthConstraint": {"minimum": width - 16}, "heightConstraint": {"minimum": height}}
        return given | constraints | {"shapeProperties": {"borderRadius": one.radius}}


def _whole(node: Node) -> str | None:
    """Give the words that the lines of a node have cut; a passage has its own with it."""
    return node.passages[0].title if node.kind == "Document" and node.passages else None


def _line(arc: Arc) -> dict[str, Any]:
    aside = arc.kind in ("concept", "candidate", "thought")
    line: dict[str, Any] = {"width": round(arc_width(arc.score), 1), "kind": arc.kind, "dashes": aside}
    return line | {"arrows": ""} if arc.kind == "concept" else line
