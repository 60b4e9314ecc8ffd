"""The parts of a drawing as SVG: boxes with their lines, circles with their names, and the arcs between them."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from explorer.dag.nodes import Arc
from explorer.drawing.kinds import THEMES, kind
from explorer.drawing.lanes import chip_width, width_of
from explorer.text import escape, truncate

LINE = 15
BOLD = 'font-weight="600"'
_LETTER = 6.6  # the width of a letter, so wide that most are narrower
_HALF = 26  # letters of a question in a line of its box
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


def box(name: str, lines: Sequence[str], x: float, y: float) -> Box:
    """Return the outline of a node of a search."""
    width = chip_width(lines[0]) if name == "Concept" else width_of(name)
    return Box(x, y, width, 25 if name == "Concept" else 52 if name == "Question" else 38)


def fitted(name: str, lines: Sequence[str], place: Box) -> list[str]:
    """Return the lines of a node of a search as they stand in its box, or below its circle."""
    if name == "Concept":
        return [lines[0]]
    if kind(name).size:
        return [truncate(lines[0], 18)]
    first, *more = lines
    if name == "Question" and len(more[0]) > _HALF:
        words, head = more[0].split(), ""
        while words and len(head) + len(words[0]) < _HALF:
            head = f"{head} {words.pop(0)}".strip()
        more = [head, " ".join(words)] if head else more
    first = first if name == "Passage" else f"{kind(name).sign} {first}".strip()
    return [truncate(line, int(place.width / _LETTER)) for line in (first, *more)]


def shape(place: Box, name: str, lines: Sequence[str]) -> str:
    """Draw a node: a box with these lines, the first of them bold, or a circle above its name."""
    looks = kind(name)
    fill, colour, border = looks.light
    if looks.size:
        return (
            f'<circle cx="{place.x:.0f}" cy="{place.y:.0f}" r="{looks.size}" fill="{fill}" stroke="{border}" '
            f'stroke-width="{looks.border}"/>'
            f'<text x="{place.x:.0f}" y="{place.y + looks.size + 12:.0f}" text-anchor="middle" font-size="10" '
            f'fill="#222222">{escape(lines[0])}</text>'
        )
    if name == "Concept":
        return outline(place, name) + written(
            place.x, place.y + 4, lines[0], colour, 'text-anchor="middle" font-size="11"'
        )
    top = place.y - LINE * (len(lines) - 1) / 2 + 4
    rows = (written(place.left + 9, top + number * LINE, line, colour, "" if number else BOLD)
            for number, line in enumerate(lines))  # fmt: skip
    return outline(place, name) + "".join(rows)


def outline(place: Box, name: str) -> str:
    """Draw the empty box of a kind."""
    looks = kind(name)
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
