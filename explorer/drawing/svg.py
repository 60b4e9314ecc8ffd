"""A run as SVG: its drawings one below the other, its own first, then what each folded run did inside.

Boxes with their lines, pages and documents with their names, and the arcs between them, in the shapes of the app; what
is too much for a drawing is one node in it, see `growing.BOUNDS`.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from explorer.dag.nodes import Arc, Change, Node
from explorer.dag.outcome import outcome_at
from explorer.dag.sentences import first_source
from explorer.drawing.citation_lines import leading
from explorer.drawing.colours import THEMES
from explorer.drawing.columns import PICTURED, Place
from explorer.drawing.final import Reading
from explorer.drawing.finishing import is_over, read
from explorer.drawing.folding import Drawings
from explorer.drawing.growing import lines_in
from explorer.drawing.looks import Look, look
from explorer.entities import AgentQuestion
from explorer.text import escape, truncate
from explorer.wording.agent import has_failed
from explorer.wording.graph_words import label
from explorer.wording.kinds import kind, signed
from explorer.wording.ways import search_word

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag
    from explorer.drawing.column_heads import Head
    from explorer.wording.node_words import Styled

_GAP, _HEADING, _MARGIN, _NAME, _BELOW = 34.0, 40.0, 10.0, 54.0, 18.0
_BOW, _RULE = 32.0, 800
_TURN = 9.0  # how far from a box an arc turns
_NEAR, _NEXT = 40.0, 80.0  # how far what follows at once is at most, and in a drawing that grows
_HEAD = 6.0  # of an arc
_BRANCH, _STACK, _ASIDE = 24.0, 4, 0.866  # of a bracket what is as wide as its score; how far a stack shows; cos 30°
_SECOND = THEMES["light"]["second"]
ARROW = (  # the head of an arc, as large whatever the width of the line
    '<defs><marker id="to" viewPlace="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" '
    f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z" '
    f'fill="{THEMES["light"]["edge"]}"/></marker></defs>'
)
LINE, _LEAST_LINE = 15, 13  # from line to line, and at least where a box has no more room
BOLD = 'font-weight="600"'
_LETTER = 6.6  # the width of a letter, so wide that most are narrower
_NARROW = frozenset(" fijlrt.,:;!|()[]'“”‘’")
_LONGEST = 300  # letters: more never fit into a box


@dataclass(slots=True)
class Sheet:
    """One drawing: its heading, "" for that of the run itself; its nodes as they stand, their outlines and arcs.

    `selected` are all facts or passages of a search, also those that were too much for a drawing and stand on pages.
    """

    heading: str
    selected: list[Node] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    boxes: dict[str, Place] = field(default_factory=dict)
    labels: dict[str, list[str]] = field(default_factory=dict)
    bold: dict[str, int] = field(default_factory=dict)  # how many of the first lines are
    looks: dict[str, Look] = field(default_factory=dict)
    numbers: dict[str, list[int]] = field(default_factory=dict)
    arcs: list[Arc] = field(default_factory=list)
    heads: list[Head] = field(default_factory=list)

    @property
    def right(self) -> float:
        """Where the drawing ends, with the names that stand below pages and documents."""
        return max(self.boxes[node.iri].x + _NAME if self.looks[node.iri].size else self.boxes[node.iri].right
                   for node in self.nodes)  # fmt: skip

    @property
    def top(self) -> float:
        """Where the drawing begins."""
        return min(0.0, min(place.top for place in self.boxes.values()) - 8)

    @property
    def bottom(self) -> float:
        """Where the drawing ends, with the names that stand below pages and documents."""
        return max(self.boxes[node.iri].bottom + (_BELOW if self.looks[node.iri].size else 8) for node in self.nodes)


def sheets(dag: ProvenanceDag) -> list[Sheet]:
    """Sort a run into its drawings: the run itself, then each run within below it; pages are not drawn."""
    drawings = Drawings(dag)
    ranks = {
        "Passage": 1,
        "Page": 2,
        "Section": 2,
    }  # a passage stands in each drawing that found it: its arcs come last
    late = sorted(dag.arcs(), key=lambda arc: ranks.get(dag.graph.nodes[arc.parent]["kind"], 0))
    nodes, arcs = drawings.apply(Change(tuple(dag.nodes()), tuple(late)))
    made = {level: Sheet(_heading(drawings, level)) for level in _in_order(drawings) if not drawings.paged(level)}
    reading = read(drawings) if is_over(dag) else Reading()
    for node in nodes:
        if node.kind in ("EdgeSelection", "ChunkSelection"):
            made[drawings.whole(node.iri)].selected.append(node)
    for iri in dict.fromkeys((*reading.places, *(node.iri for node in nodes))):
        node = reading.nodes.get(iri) or drawings.node(iri)
        lines = reading.lines.get(iri) or label(dag, node)
        for level, spot in reading.spots(drawings, iri).items():
            if level in made and (place := spot[PICTURED]) is not None:
                made[level].numbers[iri] = reading.numbers.get(iri, [])
                stands = replace(node, kind=reading.kinds.get(iri, node.kind))
                made[level].looks[iri] = look("Failure" if has_failed(node) else stands.kind, outcome_at(dag, node))
                _stand(made[level], stands, place, lines)
    for head in reading.all_heads(drawings):
        *_, level, columns = head
        if level in made and columns == PICTURED:
            made[level].heads.append(head)
    for sheet in made.values():
        shown = (_quoting(dag, arc, sheet) for arc in (*_shortcuts(dag, sheet), *arcs, *reading.arcs))
        sheet.arcs += dict.fromkeys(arc for arc in shown if arc.parent in sheet.boxes and arc.child in sheet.boxes)
    return [sheet for sheet in made.values() if sheet.nodes]


def _quoting(dag: ProvenanceDag, arc: Arc, sheet: Sheet) -> Arc:
    """Return an arc to a sentence as it is drawn: from the passage of what it cites."""
    passage = first_source(dag, arc.parent) if arc.kind == "cites" and arc.parent in dag.graph else None
    return replace(arc, parent=passage) if passage in sheet.boxes else arc


def _shortcuts(dag: ProvenanceDag, sheet: Sheet) -> Iterator[Arc]:
    """Yield arcs past the passages that do not stand by themselves: from what was kept to their page or document."""
    for parent, passage, link in dag.graph.edges(sheet.boxes, data="kind"):
        if link == "source" and passage not in sheet.boxes:
            yield from (Arc(parent, child, link) for child in dag.graph.successors(passage) if child in sheet.boxes)


def stacked(drawings: Iterable[Sheet]) -> tuple[float, float, list[str]]:
    """Draw all drawings one below the other; returns width, height and the parts of the picture."""
    width, y, parts = 0.0, 0.0, list[str]()
    for sheet in drawings:
        if sheet.heading:
            rule = f'<path d="M0 {y + _GAP:.0f}H{_RULE}" stroke="{THEMES["light"]["faint"]}"/>'
            parts.append(rule + written(0, y + _GAP + 22, sheet.heading, _SECOND, f'{BOLD} font-size="14"'))
            y += _GAP + _HEADING
        parts += _drawn(sheet, y - sheet.top)
        y += sheet.bottom - sheet.top
        width = max(width, sheet.right)
    return width + _BOW, y + _MARGIN, parts


def _in_order(drawings: Drawings) -> list[str]:
    """Return the drawings, each before those within it; what hangs together with nothing comes last."""
    within: dict[str, list[str]] = defaultdict(list)
    for level, fold in drawings.folds.items():
        within[fold.parent].append(level)
    waiting, order = [*reversed(drawings.kinds), ""], dict[str, None]()
    while waiting:
        level = waiting.pop()
        if level not in order:
            order[level] = None
            waiting += reversed(within[level])
    return list(order)


def _heading(drawings: Drawings, level: str) -> str:
    """Return which run a drawing shows: "Inside part 2, step 1: Graph search"."""
    if not level or level not in drawings.folds:
        return "Another run" if level else ""
    entity = drawings.folds[level].node.entity
    what = "agent" if isinstance(entity, AgentQuestion) else search_word(entity)
    steps, at, seen = list[str](), level, set[str]()
    while at in drawings.folds and at not in seen:
        seen.add(at)
        steps.append(drawings.step(at))
        at = drawings.folds[at].parent
    way = ", ".join(step for step in reversed(steps) if step)
    return f"Inside {way}: {what}" if way else f"Inside: {what}"


def _stand(sheet: Sheet, node: Node, place: Place, lines: Styled) -> None:
    (head, first), *more = lines
    begin = signed(node.kind, first)
    beside = float(sum(map(_wide_of, sheet.numbers[node.iri])))
    own, left = list[str](), min(lines_in(place.height), int((place.height - 4) // _LEAST_LINE))
    heads = 0
    for number, (style, words) in enumerate(((head, begin), *more)):
        most = max(1, min(len(style), left - len(own) - (len(more) - number)))
        own += wrapped(words, place.width, most, beside=0.0 if own else beside)
        heads = len(own) if not number and style[0] in "kb" else heads
    sheet.nodes.append(node)
    sheet.boxes[node.iri] = place
    sheet.bold[node.iri] = heads
    sheet.labels[node.iri] = [truncate(first, 18)] if sheet.looks[node.iri].size else own or [""]


def _drawn(sheet: Sheet, down: float) -> Iterator[str]:
    """Draw one drawing, moved down so far: arcs, heads of the columns, nodes."""
    boxes = {name: place._replace(y=place.y + down) for name, place in sheet.boxes.items()}
    led = _led(sheet, boxes)
    for arc in sheet.arcs:
        one, other = boxes[arc.parent], boxes[arc.child]
        if (way := led.get((arc.parent, arc.child))) is not None:
            yield path(replace(arc, score=None), way)
        elif arc.kind == "cites":  # in further rows their numbers tell as much
            continue
        elif arc.kind == "selected" and one.right <= other.left:  # a bracket: the score is told by its branch alone
            begin = max(one.right + _TURN, other.left - _BRANCH)
            yield path(replace(arc, score=None), _turning(arc, one, other))
            yield path(arc, f"M{begin:.0f} {other.y:.0f}H{other.left - _HEAD:.0f}", ends=False)
        else:
            yield path(replace(arc, score=None), _turning(arc, one, other))
    for x, y, words, align, *_ in sheet.heads:
        anchor = 'text-anchor="middle" ' if align == "center" else ""
        yield written(x, y + down, words, _SECOND, f'{anchor}{BOLD} font-size="11"')
    for node in sheet.nodes:
        place, looks, lines = boxes[node.iri], sheet.looks[node.iri], sheet.labels[node.iri]
        yield shape(place, looks, lines, bold=sheet.bold[node.iri], is_idea=node.kind == "Concept")
        yield _numbered(place, sheet.numbers.get(node.iri, []))


def _led(sheet: Sheet, boxes: Mapping[str, Place]) -> dict[tuple[str, str], str]:
    """Return the paths to the answers of a drawing, and to the first row of their sentences."""
    kinds = {node.iri: node.kind for node in sheet.nodes}
    stands = [(box.left, box.top, box.right, box.bottom) for box in boxes.values()]
    stands += [
        (box.x - _NAME / 2, box.bottom, box.x + _NAME / 2, box.bottom + _BELOW)
        for iri, box in boxes.items()
        if sheet.looks[iri].size
    ]
    first = min((boxes[iri].y for iri, one in kinds.items() if one == "Sentence"), default=0.0)
    rows: dict[float, list[tuple[str, str]]] = defaultdict(list)
    for arc in sheet.arcs:
        one, other = boxes[arc.parent], boxes[arc.child]
        is_derived = arc.kind == "derived" and kind(kinds[arc.child]).end and one.left > other.right
        if other.top >= one.bottom and (is_derived or (arc.kind == "cites" and other.y <= first)):
            rows[other.top].append((arc.parent, arc.child))
    return {pair: way for pairs in rows.values() for pair, way in leading(pairs, boxes, stands).items()}


def _wide_of(number: int) -> int:
    return 12 + 7 * len(str(number))


def _numbered(place: Place, numbers: Sequence[int]) -> str:
    """Draw the numbers that something has in the answer's text, at the right of its box."""
    fill, colour, border = look("EdgeSelection").light
    x, drawn = place.right - 4, ""
    for number in reversed(numbers):
        wide = _wide_of(number) - 3
        x -= wide + 3
        pill = f'<rect x="{x:.0f}" y="{place.top + 4:.0f}" width="{wide}" height="14" rx="7"'
        drawn += f'{pill} fill="{fill}" stroke="{border}"/>'
        middle = f'text-anchor="middle" {BOLD} font-size="10"'
        drawn += written(x + wide / 2, place.top + 14.5, f"{number}", colour, middle)
    return f"<g>{drawn}</g>" if drawn else ""


def _turning(arc: Arc, one: Place, other: Place) -> str:
    """Return the path of an arc: it turns in the gutters between columns."""
    if one.right <= other.left:
        is_fan = arc.kind in ("selected", "folded")
        levels = (one.y, other.y) if other.top < one.y < other.bottom else (other.y,)
        for y in levels if not is_fan else ():
            if one.top < y < one.bottom:
                return f"M{one.right:.0f} {y:.0f}H{other.left:.0f}"
        turn = f"H{one.right + _TURN:.0f}V{other.y:.0f}" if one.y != other.y else ""
        return f"M{one.right:.0f} {one.y:.0f}{turn}H{other.left:.0f}"
    if one.y == other.y:
        return f"M{one.left:.0f} {one.y:.0f}H{other.right:.0f}"
    above, below = (one, other) if one.y < other.y else (other, one)
    x = min(above.x, below.x)
    if above.left < x < above.right and below.left < x < below.right:
        return f"M{x:.0f} {above.bottom:.0f}V{below.top:.0f}"
    gap = below.top - above.bottom
    level = above.bottom + _TURN if _NEAR <= gap < _NEXT else below.top - _TURN / 2
    if gap < _NEXT:
        return f"M{above.x:.0f} {above.bottom:.0f}V{level:.0f}H{below.x:.0f}V{below.top:.0f}"
    return f"M{above.right:.0f} {above.y:.0f}H{above.right + _TURN:.0f}V{level:.0f}H{below.x:.0f}V{below.top:.0f}"


def shape(place: Place, looks: Look, lines: Sequence[str], *, bold: int, is_idea: bool = False) -> str:
    """Draw a node: a box with these lines, so many of the first `bold`, or the sign of a source above its name."""
    _, colour, _ = looks.light
    if looks.size:
        return (
            f'{_sign(place, looks)}<text x="{place.x:.0f}" y="{place.y + looks.size + 12:.0f}" '
            f'text-anchor="middle" font-size="10" fill="#222222">{escape(lines[0])}</text>'
        )
    if is_idea:
        return outline(place, looks) + written(
            place.x, place.y + 4, lines[0], colour, 'text-anchor="middle" font-size="11"'
        )
    pitch = max(_LEAST_LINE, min(LINE, (place.height - 6) / len(lines)))
    top = place.y - pitch * (len(lines) - 1) / 2 + 4
    rows = (written(place.left + 9, top + number * pitch, line, colour, BOLD if number < bold else "")
            for number, line in enumerate(lines))  # fmt: skip
    return outline(place, looks) + "".join(rows)


def _sign(place: Place, looks: Look) -> str:
    fill, _, border = looks.light
    painted = f'fill="{fill}" stroke="{border}" stroke-width="{looks.border}"'
    size = looks.size
    if looks.shape == "square":
        where = f'x="{place.left:.0f}" y="{place.top:.0f}" width="{2 * size}" height="{2 * size}"'
        return f'<rect {where} rx="{looks.radius}" {painted}/>'
    half, slant = size / 2, size * _ASIDE
    corners = ((size, 0), (half, slant), (-half, slant), (-size, 0), (-half, -slant), (half, -slant))
    points = " ".join(f"{place.x + x:.1f},{place.y + y:.1f}" for x, y in corners)
    return f'<polygon points="{points}" {painted}/>'


def outline(place: Place, looks: Look) -> str:
    """Return the empty box of a node that looks so."""
    fill, _, border = looks.light
    dashes = f' stroke-dasharray="{looks.dashes[0]} {looks.dashes[1]}"' if looks.dashes else ""
    size = (
        f'width="{place.width:.0f}" height="{place.height}" rx="{min(looks.radius, place.height / 2)}" '
        f'stroke-width="{looks.border}"'
    )
    stack = ""
    if looks.stacked:
        stack = (
            f'<g opacity="0.45"><rect x="{place.left + _STACK:.0f}" y="{place.top + _STACK:.0f}" {size} '
            f'fill="{border}"/></g>'
        )
    return f'{stack}<rect x="{place.left:.0f}" y="{place.top:.0f}" {size} fill="{fill}" stroke="{border}"{dashes}/>'


def written(x: float, y: float, line: str, colour: str, more: str) -> str:
    """Return one line of text."""
    return f'<text x="{x:.0f}" y="{y:.0f}" fill="{colour}" {more}>{escape(line)}</text>'


def path(arc: Arc, way: str, *, ends: bool = True) -> str:
    """Return an arc along this way, with its head where it ends; a better match has a thicker line."""
    width = 1.3 if arc.kind == "derived" else 1.0
    if arc.kind == "selected":
        width = min(5.0, 1 + 12 * max(0.0, (arc.score or 0.0) - 0.5))
    head = ' marker-end="url(#to)"' if ends and arc.kind != "concept" else ""
    dashes = ' stroke-dasharray="3 3"' if arc.is_aligned else ""
    return f'<path d="{way}" fill="none" stroke="{THEMES["light"]["edge"]}" stroke-width="{width:.1f}"{dashes}{head}/>'


def wrapped(text: str, width: float, most: int, *, beside: float = 0.0) -> list[str]:
    """Return a text in at most so many lines that fit into a box of this width; the last one is cut. `beside` is what
    stands at the right of the first.
    """
    folded = " ".join(text[:_LONGEST].split())
    lines: list[str] = []
    while folded and len(lines) < most:
        fits = (width - 16 - (0.0 if lines else beside)) / _LETTER
        last = len(lines) == most - 1
        line = _cut(folded, fits) if last else _head(folded, fits)
        lines.append(line)
        folded = folded[len(line) :].lstrip()
    return lines


def _head(text: str, fits: float) -> str:
    """Return as many words of a text as fit, at least one letter; a word that is too long is cut."""
    room = _room(text, fits)
    if room >= len(text) or " " not in text[: room + 1]:
        return text[:room]
    return text[: room + 1].rsplit(" ", 1)[0]


def _cut(text: str, fits: float) -> str:
    return text if _room(text, fits) >= len(text) else truncate(text, _room(text, fits - 1) + 1)


def _room(text: str, fits: float) -> int:
    taken = 0.0
    for number, letter in enumerate(text):
        taken += _wide(letter)
        if taken > fits:
            return max(1, number)
    return len(text)


def _wide(letter: str) -> float:
    if unicodedata.east_asian_width(letter) in "WF":
        return 2.0
    return 1.6 if letter in "MWmw@%—…" else 1.25 if letter.isupper() else 0.7 if letter in _NARROW else 1.0
