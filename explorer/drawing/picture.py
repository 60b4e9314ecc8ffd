"""A derivation without widgets: as SVG, as nested text, as a fragment of HTML; for saved notebooks and terminals.

The same graph always gives the same bytes. All text is escaped; nothing is loaded from anywhere.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from explorer.dag import ProvenanceDag
from explorer.drawing.colours import THEMES
from explorer.drawing.outline import outline
from explorer.drawing.svg import ARROW, Sheet, sheets, stacked
from explorer.text import escape, strip_controls
from explorer.wording.outcomes import line, told

__all__ = ["Picture", "drawn", "html", "listed", "svg", "text"]

TALLEST = 1600  # pixels of a notebook that a picture takes: some thirty facts, or twenty steps of an agent
_LINE = "border-bottom:1px solid #bdbdbd"  # below which one that is taller goes on
_NONE = "<p>Nothing has been asked yet.</p>"
_OPENING = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-4 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
    'height="{height:.0f}" font-family="Helvetica, Arial, sans-serif" font-size="12">'
)


@dataclass(frozen=True, slots=True)
class Picture:
    """A derivation as far as it has come, to stand at the end of a cell: `Picture(dag)`."""

    dag: ProvenanceDag

    def __repr__(self) -> str:
        return text(self.dag)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/plain": text(self.dag), "text/html": html(self.dag)}


def svg(dag: ProvenanceDag) -> str:
    """Return the graph as it stands, in light colours: of an agent's run each drawing below that which holds it."""
    return _svg(sheets(dag))


def _svg(drawings: Sequence[Sheet]) -> str:
    width, height, parts = stacked(drawings)
    canvas = f'<rect width="100%" height="100%" fill="{THEMES["light"]["canvas"]}"/>'
    return "\n".join([_OPENING.format(width=width, height=height), ARROW, canvas, *parts, "</svg>"])


def text(dag: ProvenanceDag) -> str:
    """Return the derivation as nested lines, from the question down to the sources."""
    rows = [f"{'  ' * depth}{row}".rstrip() for depth, row in outline(dag)]
    if dag.answer:
        rows += ["", *([said] if (said := line(dag)) else []), told(dag)]
    return strip_controls("\n".join(rows)) if rows else "Nothing has been asked yet."


def html(dag: ProvenanceDag) -> str:
    """Return picture, answer and nested list as a fragment that survives a notebook's sanitiser.

    The picture is that of the run itself, which scrolls where it is very tall; what ran within it opens below.
    """
    own, within = list[Sheet](), list[Sheet]()
    for sheet in sheets(dag):
        (within if sheet.heading else own).append(sheet)
    if not own and not within:
        return _NONE
    inside = (
        f"<details><summary>{escape(one.heading)}</summary>{_image(_svg([replace(one, heading='')]))}</details>"
        for one in within
    )
    said = f"<p>{escape(line(dag))}</p>" if line(dag) else ""
    whole = f'<div style="max-height:{TALLEST}px;overflow:auto;{_LINE}">{_image(_svg(own))}</div>'
    return f"{whole}{said}<p>{escape(told(dag))}</p>{''.join(inside)}{listed(dag)}"


def drawn(dag: ProvenanceDag, made: str | None = None) -> str:
    """Return the picture as a fragment of HTML, with all that ran within the run; `made` is its SVG, if known."""
    return _image(svg(dag) if made is None else made) if dag.nodes() else _NONE


def listed(dag: ProvenanceDag, numbers: Mapping[str, int] | None = None) -> str:
    """Return the derivation as a nested list, behind a line that opens; with `numbers` as `outline` takes them."""
    return f"<details><summary>The same as a list</summary>{_tree(dag, numbers)}</details>" if dag.nodes() else ""


def _image(made: str) -> str:
    image = base64.b64encode(made.encode()).decode()
    return f'<p><img alt="How the answer came about" src="data:image/svg+xml;base64,{image}"/></p>'


def _tree(dag: ProvenanceDag, numbers: Mapping[str, int] | None) -> str:
    parts, depth = ["<ul>"], 0
    for level, row in outline(dag, numbers):
        parts.append("<ul>" * (level - depth) if level > depth else "</ul>" * (depth - level))
        parts.append(f"<li>{escape(row.strip())}</li>")
        depth = level
    return "".join([*parts, "</ul>" * (depth + 1)])
