"""The parts of a drawing as SVG: boxes with their lines, circles with their names, and the arcs between them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from explorer.dag.labels import SIGNS
from explorer.dag.layout import WIDTHS, chip_width
from explorer.dag.nodes import Arc, Node
from explorer.drawing.palette import STAND_INS, THEMES, look
from explorer.text import escape, truncate

LINE = 15
POINTS = ("Page", "Section", "Document")
BOLD = 'font-weight="600"'
_LETTER = 6.6  # the width of a letter, so wide that most are narrower
_LONGEST = 300  # letters: more never fit into a box


@dataclass(frozen=True, slots=True)
class Box:
    """The outline of a node: its middle, its width and its height."""

    x: float
    y: float
    width: float
    height: float

    @property
    def left(self) -> float:
        """The left edge."""
        return self.x - self.width / 2

    @property
    def right(self) -> float:
        """The right edge."""
        return self.x + self.width / 2

    @property
    def top(self) -> float:
        """The upper edge."""
        return self.y - self.height / 2

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.y + self.height / 2


def box(node: Node) -> Box:
    """Give the outline that a node has where it stands."""
    width = chip_width(node.lines[0]) if node.kind == "Concept" else WIDTHS.get(node.kind, WIDTHS["Unknown"])
    return Box(node.x, node.y, width, 25 if node.kind == "Concept" else 52 if node.kind == "Question" else 38)


def shape(node: Node) -> str:
    """Draw a node of a search: a box with its lines, or a circle above its name."""
    looks, place = look(node.kind), box(node)
    if node.kind in POINTS:
        fill, _, border = looks.light
        return (
            f'<circle cx="{node.x:.0f}" cy="{node.y:.0f}" r="{looks.size}" fill="{fill}" stroke="{border}" '
            f'stroke-width="{looks.border}"/>'
            f'<text x="{node.x:.0f}" y="{node.y + looks.size + 12:.0f}" text-anchor="middle" font-size="10" '
            f'fill="#222222">{escape(truncate(node.lines[0], 18))}</text>'
        )
    return outline(place, node.kind) + "".join(_lines(node, place, looks.light[1]))


def block(place: Box, kind: str, lines: Iterable[str]) -> str:
    """Draw a box with these lines, the first of them bold."""
    written = list(lines)
    return outline(place, kind) + "".join(_stacked(place, written, look(kind).light[1]))


def outline(place: Box, kind: str) -> str:
    """Draw the empty box of a kind."""
    looks = look(kind)
    fill, _, border = looks.light
    dashes = f' stroke-dasharray="{looks.dashes[0]} {looks.dashes[1]}"' if looks.dashes else ""
    return (
        f'<rect x="{place.left:.0f}" y="{place.top:.0f}" width="{place.width:.0f}" height="{place.height}" '
        f'rx="{min(looks.radius, place.height / 2)}" fill="{fill}" stroke="{border}" '
        f'stroke-width="{looks.border}"{dashes}/>'
    )


def written(x: float, y: float, line: str, colour: str, more: str) -> str:
    """Write one line of text."""
    return f'<text x="{x:.0f}" y="{y:.0f}" fill="{colour}" {more}>{escape(line)}</text>'


def sign(kind: str) -> str:
    """Give the sign of a kind, before its first line."""
    return STAND_INS[kind][1] if kind in STAND_INS else SIGNS.get(kind, "")


def curve(arc: Arc, one: Box, other: Box) -> str:
    """Draw an arc of a search: down from step to step, and to the right to what was found."""
    if arc.kind == "derived":
        return path(arc, f"M{one.x:.0f} {one.top + one.height:.0f}V{other.top:.0f}")
    return path(arc, across(one, other))


def across(one: Box, other: Box) -> str:
    """Give the way from the right edge of a box to the left edge of another."""
    middle = (one.right + other.left) / 2
    return (
        f"M{one.right:.0f} {one.y:.0f}C{middle:.0f} {one.y:.0f} {middle:.0f} {other.y:.0f} "
        f"{other.left:.0f} {other.y:.0f}"
    )


def path(arc: Arc, way: str) -> str:
    """Draw an arc along this way; a better match has a thicker line."""
    width = 1.3 if arc.kind == "derived" else 1.0
    if arc.kind == "selected":
        width = min(5.0, 1 + 12 * max(0.0, (arc.score or 0.0) - 0.5))
    return f'<path d="{way}" fill="none" stroke="{THEMES["light"]["edge"]}" stroke-width="{width:.1f}"/>'


def wrapped(text: str, width: float, most: int) -> list[str]:
    """Give a text in at most so many lines that fit into a box of this width; the last one is cut."""
    fits = (width - 16) / _LETTER
    folded = " ".join(text[:_LONGEST].split())
    lines: list[str] = []
    while folded and len(lines) < most:
        last = len(lines) == most - 1
        line = _cut(folded, fits) if last else _head(folded, fits)
        lines.append(line)
        folded = folded[len(line) :].lstrip()
    return lines


def _head(text: str, fits: float) -> str:
    """Give as many words of a text as fit, at least one letter; a word that is too long is cut."""
    room = _room(text, fits)
    if room >= len(text) or " " not in text[: room + 1]:
        return text[:room]
    return text[: room + 1].rsplit(" ", 1)[0]


def _cut(text: str, fits: float) -> str:
    return text if _room(text, fits) >= len(text) else truncate(text, _room(text, fits - 1) + 1)


def _room(text: str, fits: float) -> int:
    """Count the letters at the beginning of a text that fit."""
    taken = 0.0
    for number, letter in enumerate(text):
        taken += _wide(letter)
        if taken > fits:
            return max(1, number)
    return len(text)


def _wide(letter: str) -> float:
    if unicodedata.east_asian_width(letter) in "WF":
        return 2.0
    return 1.6 if letter in "MWmw@%—…" else 1.25 if letter.isupper() else 1.0


def _lines(node: Node, place: Box, colour: str) -> Iterator[str]:
    if node.kind == "Concept":
        yield written(node.x, node.y + 4, node.lines[0], colour, 'text-anchor="middle" font-size="11"')
        return
    lines = [f"{sign(node.kind)} {node.lines[0]}".strip(), *_halved(node)] if node.kind != "Passage" else node.lines
    fits = int(place.width / _LETTER)
    yield from _stacked(place, [truncate(line, fits) for line in lines], colour)


def _stacked(place: Box, lines: list[str], colour: str) -> Iterator[str]:
    top = place.y - LINE * (len(lines) - 1) / 2 + 4
    for number, line in enumerate(lines):
        yield written(place.left + 9, top + number * LINE, line, colour, BOLD if number == 0 else "")


def _halved(node: Node) -> list[str]:
    if node.kind != "Question" or len(node.lines[1]) <= 26:
        return list(node.lines[1:])
    words, first = node.lines[1].split(), ""
    while words and len(first) + len(words[0]) < 26:
        first = f"{first} {words.pop(0)}".strip()
    return [first, " ".join(words)] if first else [node.lines[1]]
