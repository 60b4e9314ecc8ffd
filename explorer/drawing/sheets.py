"""The drawings of a run, one below the other: its own first, then what each folded run did inside.

What is too much for a drawing is one node in it: see `layout.BOUNDS`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from explorer.dag.nodes import Arc, Change, Node
from explorer.drawing import labels
from explorer.drawing.columns import Head, heads
from explorer.drawing.drawings import Levels
from explorer.drawing.folds import agent_lines, has_failed
from explorer.drawing.kinds import ASKED_OF_AGENT, SOURCES, THEMES, kind
from explorer.drawing.places import Spot
from explorer.drawing.svg import BOLD, LINE, Box, across, box, fitted, path, shape, wrapped, written
from explorer.drawing.ways import search_word
from explorer.entities import AgentQuestion

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag

_GAP, _HEADING, _MARGIN, _NAME = 34.0, 40.0, 10.0, 54.0
_SIGN, _BOW, _PORT, _RULE = 18.0, 32.0, 88.0, 904
_SECOND = THEMES["light"]["second"]


@dataclass(slots=True)
class Sheet:
    """One drawing: its heading, "" for that of the run itself; its nodes as they stand, their outlines and arcs.

    `paged` is one with what was too much for another; `kept` are all facts or passages of a search, on pages too.
    """

    heading: str
    paged: bool = False
    kept: list[Node] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    boxes: dict[str, Box] = field(default_factory=dict)
    labels: dict[str, list[str]] = field(default_factory=dict)
    arcs: list[Arc] = field(default_factory=list)
    heads: list[Head] = field(default_factory=list)

    @property
    def right(self) -> float:
        """Where the drawing ends, with the names that stand below circles."""
        return max(self.boxes[node.iri].x + _NAME if kind(node.kind).size else self.boxes[node.iri].right
                   for node in self.nodes)  # fmt: skip

    @property
    def top(self) -> float:
        """Where the drawing begins."""
        return min(0.0, min(place.top for place in self.boxes.values()) - 8)

    @property
    def bottom(self) -> float:
        """Where the drawing ends, with the names that stand below circles."""
        return max(place.bottom for place in self.boxes.values()) + 8


def sheets(dag: ProvenanceDag) -> list[Sheet]:
    """Sort a run into its drawings: the run itself, then each run within below it, with their pages."""
    levels = Levels(dag)
    nodes, arcs = levels.take(Change(tuple(dag.nodes()), tuple(sorted(dag.arcs(), key=_late(dag)))))
    made = {level: Sheet(_heading(levels, level), levels.paged(level)) for level in _in_order(levels)}
    for node in nodes:
        if node.kind in ("EdgeSelection", "ChunkSelection"):
            made[levels.whole(node.iri)].kept.append(node)
        for level, (x, y) in levels.spots[node.iri].items():
            _put(made[level], dag, node, (x, y), by_rows=levels.rows(level))
    for arc in arcs:
        for level in levels.spots.get(arc.parent, ()):
            if level in levels.spots.get(arc.child, ()):
                made[level].arcs.append(arc)
    for head in heads(levels):
        made[head[4]].heads.append(head)
    return [sheet for sheet in made.values() if sheet.nodes]


def stacked(drawings: Iterable[Sheet]) -> tuple[float, float, list[str]]:
    """Draw all drawings but pages one below the other; gives width, height and the parts of the picture."""
    width, y, parts = 0.0, 0.0, list[str]()
    for sheet in (one for one in drawings if not one.paged):
        if sheet.heading:
            parts.append(_ruled(sheet.heading, y + _GAP))
            y += _GAP + _HEADING
        parts += _drawn(sheet, y - sheet.top)
        y += sheet.bottom - sheet.top
        width = max(width, sheet.right)
    return width + _BOW, y + _MARGIN, parts


def _late(dag: ProvenanceDag) -> Callable[[Arc], int]:
    """Sort what leads from passages behind what leads to them: a passage stands in each drawing that found it."""
    ranks = {"Passage": 1, "Page": 2, "Section": 2}
    return lambda arc: ranks.get(dag.graph.nodes[arc.parent]["kind"], 0)


def _in_order(levels: Levels) -> list[str]:
    """Give the drawings, each before those within it; what hangs together with nothing comes last."""
    within: dict[str, list[str]] = defaultdict(list)
    for level, fold in levels.folds.items():
        within[fold.parent].append(level)
    waiting, order = [*reversed(levels.kinds), ""], dict[str, None]()
    while waiting:
        level = waiting.pop()
        if level not in order:
            order[level] = None
            waiting += reversed(within[level])
    return list(order)


def _heading(levels: Levels, level: str) -> str:
    """Say which run a drawing shows: "Inside part 2, step 1: Graph search"."""
    if not level or level not in levels.folds:
        return "Another run" if level else ""
    entity = levels.folds[level].node.entity
    what = "agent" if isinstance(entity, AgentQuestion) else search_word(entity)
    steps, at, seen = list[str](), level, set[str]()
    while at in levels.folds and at not in seen:
        seen.add(at)
        steps.append(levels.step(at))
        at = levels.folds[at].parent
    way = ", ".join(step for step in reversed(steps) if step)
    return f"Inside {way}: {what}" if way else f"Inside: {what}"


def _put(sheet: Sheet, dag: ProvenanceDag, node: Node, spot: Spot, *, by_rows: bool) -> None:
    """Add a node to a drawing; a step of an agent is as high as its words need."""
    own, lines = labels.lines(dag, node), agent_lines(dag, node)
    if lines is None and by_rows and node.kind not in SOURCES:
        lines = [("k", own[0]), *(("n++", line) for line in own[1:])]
    if lines is None:
        place = box(node.kind, own, *spot)
        label = fitted(node.kind, own, place)
    else:
        width = ASKED_OF_AGENT if node.kind == "Question" else kind(node.kind).width
        (_, head), *more = lines
        label = [f"{kind(_kind(node)).sign} {' '.join(wrapped(head, width - _SIGN, 1))}"]
        label += [line for style, words in more for line in wrapped(words, width, len(style))]
        place = Box(*spot, width, LINE * len(label) + 8)
    sheet.nodes.append(node)
    sheet.boxes[node.iri], sheet.labels[node.iri] = place, label


def _kind(node: Node) -> str:
    return "Failure" if has_failed(node) else node.kind


def _drawn(sheet: Sheet, down: float) -> Iterator[str]:
    """Draw one drawing, moved down so far: arcs, heads of the columns, nodes."""
    boxes = {name: replace(place, y=place.y + down) for name, place in sheet.boxes.items()}
    columns: dict[float, list[float]] = defaultdict(list)
    for place in sorted(boxes.values(), key=lambda place: place.y):
        columns[place.left].append(place.y)
    for arc in sheet.arcs:
        one, other = boxes[arc.parent], boxes[arc.child]
        yield path(arc, _way(one, other, columns[one.left]))
    for x, y, words, align, _ in sheet.heads:
        anchor = 'text-anchor="middle" ' if align == "center" else ""
        yield written(x, y + down, words, _SECOND, f'{anchor}{BOLD} font-size="11"')
    for node in sheet.nodes:
        yield shape(boxes[node.iri], _kind(node), sheet.labels[node.iri])


def _way(one: Box, other: Box, column: list[float]) -> str:
    """Give the way from box to box: to the right where it can, else down, and round what stands between them."""
    if one.right <= other.left:
        return across(one, other)
    if one.y == other.y:
        return across(other, one)
    above, below = (one, other) if one.y < other.y else (other, one)
    if one.left == other.left and column and bisect_left(column, below.y) - bisect_right(column, above.y) > 0:
        return _round(above, below)
    start, end = (above.x, below.x) if one.left != other.left else (above.left + _PORT, below.left + _PORT)
    middle = (above.bottom + below.top) / 2
    return f"M{start:.0f} {above.bottom:.0f}C{start:.0f} {middle:.0f} {end:.0f} {middle:.0f} {end:.0f} {below.top:.0f}"


def _round(above: Box, below: Box) -> str:
    bow = max(above.right, below.right) + _BOW
    return (
        f"M{above.right:.0f} {above.y:.0f}C{bow:.0f} {above.y:.0f} {bow:.0f} {below.y:.0f} "
        f"{below.right:.0f} {below.y:.0f}"
    )


def _ruled(heading: str, y: float) -> str:
    """Write the heading of a drawing, under a line."""
    return f'<path d="M0 {y:.0f}H{_RULE}" stroke="{THEMES["light"]["faint"]}"/>' + written(
        0, y + 22, heading, _SECOND, f'{BOLD} font-size="14"'
    )
