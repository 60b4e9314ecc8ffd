"""A derivation without widgets: as SVG, as nested text, as a page; for saved notebooks, reports and terminals.

The same graph always gives the same bytes. All text is escaped; nothing is loaded from anywhere.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass

from explorer.dag import ProvenanceDag
from explorer.dag.nodes import Node
from explorer.drawing.folding import of_agent
from explorer.drawing.kinds import THEMES
from explorer.drawing.labels import lines
from explorer.drawing.outline import BEST, FIRST, outline
from explorer.drawing.svg import Sheet, sheets, stacked
from explorer.entities import Citation, EdgeSelection
from explorer.text import count, escape, strip_controls

__all__ = ["Picture", "html", "page", "svg", "text"]

TALLEST = 640  # pixels of a notebook that a picture takes
_LINE = "border-bottom:1px solid #bdbdbd"  # below which a tall picture goes on
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
    width, height, parts = stacked(sheets(dag))
    canvas = f'<rect width="100%" height="100%" fill="{THEMES["light"]["canvas"]}"/>'
    return "\n".join([_OPENING.format(width=width, height=height), canvas, *parts, "</svg>"])


def text(dag: ProvenanceDag) -> str:
    """Return the derivation as nested lines, from the question down to the sources."""
    rows = [f"{'  ' * depth}{line}".rstrip() for depth, line in outline(dag)]
    if dag.answer:
        rows += ["", dag.answer]
    return strip_controls("\n".join(rows)) if rows else "Nothing has been asked yet."


def html(dag: ProvenanceDag) -> str:
    """Return picture, answer and nested list as a fragment that survives a notebook's sanitiser; a tall one scrolls."""
    if not dag.nodes():
        return _NONE
    return f'<div style="max-height:{TALLEST}px;overflow:auto;{_LINE}">{_image(dag)}</div>{_answer(dag)}'


def page(dag: ProvenanceDag) -> str:
    """Return a whole HTML page: question, answer, picture, and each fact with its reason and its words."""
    question = next((lines(dag, node)[-1] for node in dag.nodes("Question")), "Provenance")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; '
        "style-src 'unsafe-inline'\">"
        f"<title>{escape(question)}</title><style>body{{font:15px/1.5 sans-serif;max-width:60em;margin:2em auto;"
        "padding:0 1em}blockquote{border-left:3px solid #a86e00;margin:.4em 0;padding:.2em 1em;background:#fdf6e6}"
        "img{max-width:100%}small{color:#5c5c5c}</style></head><body>"
        f"<h1>{escape(question)}</h1>"
        f"{_image(dag) + _answer(dag) if dag.nodes() else _NONE}{_facts(dag)}</body></html>\n"
    )


def _image(dag: ProvenanceDag) -> str:
    image = base64.b64encode(svg(dag).encode()).decode()
    return f'<p><img alt="How the answer came about" src="data:image/svg+xml;base64,{image}"/></p>'


def _answer(dag: ProvenanceDag) -> str:
    return f"<p>{escape(dag.answer)}</p><details><summary>The same as a list</summary>{_tree(dag)}</details>"


def _tree(dag: ProvenanceDag) -> str:
    parts, depth = ["<ul>"], 0
    for level, line in outline(dag):
        parts.append("<ul>" * (level - depth) if level > depth else "</ul>" * (depth - level))
        parts.append(f"<li>{escape(line.strip())}</li>")
        depth = level
    return "".join([*parts, "</ul>" * (depth + 1)])


def _facts(dag: ProvenanceDag) -> str:
    """List the facts with their reasons and words; of an agent's run those of each search by themselves."""
    if not of_agent(dag.nodes()):
        return f"<h2>Facts kept</h2>{_listed(dag, dag.nodes('EdgeSelection'))}"
    cited = {key for entity in dag.entities.values() if isinstance(entity, Citation) for key in entity.cites}
    return "".join(_found(dag, sheet, cited) for sheet in sheets(dag))


def _found(dag: ProvenanceDag, sheet: Sheet, cited: set[str]) -> str:
    """Return what answers cite of one search, or else what fitted best."""
    shown = [node for node in sheet.selected if node.iri in cited]
    which, shown = ("cited by answers", shown) if shown else ("the best matches", sheet.selected[:BEST])
    heading = f"<h2>{escape(sheet.heading or 'Facts kept')}</h2>"
    heading += f"<p><small>{len(shown)} of {len(sheet.selected)} kept: {which}</small></p>"
    return f"{heading}{_listed(dag, shown)}" if sheet.selected else ""


def _listed(dag: ProvenanceDag, facts: list[Node]) -> str:
    """List facts, beyond the bound of a drawing behind a line that opens."""
    first, more = ("".join(_fact(dag, one) for one in some) for some in (facts[:FIRST], facts[FIRST:]))
    rest = f"<details><summary>{count(len(facts) - FIRST, 'more fact')}</summary><ul>{more}</ul></details>"
    return f"<ul>{first}</ul>{rest if more else ''}"


def _fact(dag: ProvenanceDag, node: Node) -> str:
    reason = node.entity.reasoning if isinstance(node.entity, EdgeSelection) else None
    quotes = "".join(
        f"<blockquote>{escape(passage.text)}<br><small>{escape(passage.place)}</small></blockquote>"
        for passage in node.passages
    )
    none = "" if node.passages else "<blockquote>No recorded source.</blockquote>"
    return f"<li><b>{escape(' '.join(lines(dag, node)))}</b><br>{escape(reason or '')}{quotes}{none}</li>"
