"""A derivation without widgets: as SVG, as nested text, as a page; for saved notebooks, reports and terminals.

The same graph always gives the same bytes. All text is escaped; nothing is loaded from anywhere.
"""

from __future__ import annotations

import base64
import re
import unicodedata
from collections.abc import Iterator
from html import escape as escape_markup

from explorer.captions import SIGNS, short
from explorer.dag import ProvenanceDag
from explorer.entities import EdgeSelection, Synthesis
from explorer.layout import DOCUMENT_X, HEADS_ABOVE, WIDTHS, chip_width
from explorer.nodes import Arc, Node
from explorer.palette import THEMES, look

_LINE = 15
_HEADS = (("Facts kept, best match first", "EdgeSelection", 218), ("Found in passage", "Passage", 532),
          ("On page", "Page", 748), ("Of document", "Document", 832))  # fmt: skip
_OPENING = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-4 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
    'height="{height:.0f}" font-family="Helvetica, Arial, sans-serif" font-size="12">'
)
_POINTS = ("Page", "Section", "Document")
_DEEPEST = 100  # levels of a nested list: browsers give up at some hundred, and lines would be all indentation


_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def plain(text: str) -> str:
    """Drop what a terminal would obey: control and direction marks, but for newline and tab."""
    return "".join(char for char in text if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cf", "Cs"))


def folded(text: str) -> str:
    """Give a text on one line, for a terminal."""
    return plain(" ".join(text.split()))


def escape(text: str) -> str:
    """Make a text safe in markup, without the characters that no markup may hold."""
    return escape_markup(_NO_XML.sub("", text))


def svg(dag: ProvenanceDag) -> str:
    """Draw the graph as it stands, in light colours."""
    nodes = dag.nodes()
    width = DOCUMENT_X + 74
    height = max((node.y for node in nodes), default=0) + 46
    parts = [
        _OPENING.format(width=width, height=height),
        f'<rect width="100%" height="100%" fill="{THEMES["light"]["canvas"]}"/>',
    ]
    parts += [_curve(arc, dag.node(arc.parent), dag.node(arc.child)) for arc in dag.arcs() if _drawn(dag, arc)]
    kinds = {node.kind for node in nodes}
    heads = min((node.y for node in nodes if node.kind == "EdgeSelection"), default=0) - HEADS_ABOVE
    bold = f'fill="{THEMES["light"]["second"]}" font-weight="600" font-size="11"'
    parts += [f'<text x="{x}" y="{heads:.0f}" {bold}>{head}</text>' for head, kind, x in _HEADS if kind in kinds]
    parts += [_shape(node) for node in nodes]
    return "\n".join([*parts, "</svg>"])


def text(dag: ProvenanceDag) -> str:
    """Give the derivation as nested lines, from the question down to the sources."""
    lines = [f"{'  ' * depth}{line}".rstrip() for root in dag.roots for depth, line in _branch(dag, root)]
    if dag.answer:
        lines += ["", dag.answer]
    return plain("\n".join(lines)) if lines else "Nothing has been asked yet."


def html(dag: ProvenanceDag) -> str:
    """Give picture, answer and nested list as a fragment that survives a notebook's sanitiser."""
    if not dag.nodes():
        return "<p>Nothing has been asked yet.</p>"
    image = base64.b64encode(svg(dag).encode()).decode()
    return (
        f'<p><img alt="How the answer came about" src="data:image/svg+xml;base64,{image}"/></p>'
        f"<p>{escape(dag.answer)}</p><details><summary>The same as a list</summary>{_tree(dag)}</details>"
    )


def page(dag: ProvenanceDag) -> str:
    """Give a whole HTML page: question, answer, picture, and each fact with its reason and its words."""
    question = next((node.lines[-1] for node in dag.nodes("Question")), "Provenance")
    facts = "".join(_fact(node) for node in dag.nodes("EdgeSelection"))
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; '
        "style-src 'unsafe-inline'\">"
        f"<title>{escape(question)}</title><style>body{{font:15px/1.5 sans-serif;max-width:60em;margin:2em auto;"
        "padding:0 1em}blockquote{border-left:3px solid #a86e00;margin:.4em 0;padding:.2em 1em;background:#fdf6e6}"
        "img{max-width:100%}small{color:#5c5c5c}</style></head><body>"
        f"<h1>{escape(question)}</h1>{html(dag)}<h2>Facts kept</h2><ul>{facts}</ul></body></html>\n"
    )


def _drawn(dag: ProvenanceDag, arc: Arc) -> bool:
    return all("node" in dag.graph.nodes[end] for end in (arc.parent, arc.child))


def _half(node: Node) -> float:
    width = chip_width(node.lines[0]) if node.kind == "Concept" else WIDTHS.get(node.kind, WIDTHS["Unknown"])
    return width / 2


def _height(node: Node) -> float:
    return 25 if node.kind == "Concept" else 52 if node.kind == "Question" else 38


def _curve(arc: Arc, parent: Node, child: Node) -> str:
    stroke = f'fill="none" stroke="{THEMES["light"]["edge"]}"'
    if arc.kind == "derived":
        top, bottom = parent.y + _height(parent) / 2, child.y - _height(child) / 2
        return f'<path d="M{parent.x:.0f} {top:.0f}V{bottom:.0f}" {stroke} stroke-width="1.3"/>'
    width = min(5.0, 1 + 12 * max(0.0, (arc.score or 0.0) - 0.5)) if arc.kind == "selected" else 1
    x1, x2 = parent.x + _half(parent), child.x - _half(child)
    middle = (x1 + x2) / 2
    way = f"M{x1:.0f} {parent.y:.0f}C{middle:.0f} {parent.y:.0f} {middle:.0f} {child.y:.0f} {x2:.0f} {child.y:.0f}"
    return f'<path d="{way}" {stroke} stroke-width="{width:.1f}"/>'


def _shape(node: Node) -> str:
    looks = look(node.kind)
    fill, colour, border = looks.light
    style = f'fill="{fill}" stroke="{border}" stroke-width="{looks.border}"'
    if node.kind in _POINTS:
        label = escape(short(node.lines[0], 18))
        return (
            f'<circle cx="{node.x:.0f}" cy="{node.y:.0f}" r="{looks.size}" {style}/>'
            f'<text x="{node.x:.0f}" y="{node.y + looks.size + 12:.0f}" text-anchor="middle" font-size="10" '
            f'fill="#222222">{label}</text>'
        )
    half, height = _half(node), _height(node)
    dashes = f' stroke-dasharray="{looks.dashes[0]} {looks.dashes[1]}"' if looks.dashes else ""
    box = (
        f'<rect x="{node.x - half:.0f}" y="{node.y - height / 2:.0f}" width="{2 * half:.0f}" height="{height}" '
        f'rx="{min(looks.radius, height / 2)}" {style}{dashes}/>'
    )
    return box + "".join(_lines(node, colour))


def _lines(node: Node, colour: str) -> Iterator[str]:
    sign = SIGNS.get(node.kind, "")
    lines = [f"{sign} {node.lines[0]}".strip(), *_wrapped(node)] if node.kind != "Passage" else list(node.lines)
    fits = int(_half(node) * 2 / 6.6)
    if node.kind == "Concept":
        yield _written(node.x, node.y + 4, node.lines[0], colour, 'text-anchor="middle" font-size="11"')
        return
    top = node.y - _LINE * (len(lines) - 1) / 2 + 4
    for number, line in enumerate(lines):
        weight = 'font-weight="600"' if number == 0 else ""
        yield _written(node.x - _half(node) + 9, top + number * _LINE, short(line, fits), colour, weight)


def _wrapped(node: Node) -> list[str]:
    if node.kind != "Question" or len(node.lines[1]) <= 26:
        return list(node.lines[1:])
    words, first = node.lines[1].split(), ""
    while words and len(first) + len(words[0]) < 26:
        first = f"{first} {words.pop(0)}".strip()
    return [first, " ".join(words)] if first else [node.lines[1]]


def _written(x: float, y: float, line: str, colour: str, more: str) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" fill="{colour}" {more}>{escape(line)}</text>'


def _branch(dag: ProvenanceDag, root: Node) -> Iterator[tuple[int, str]]:
    """Give a node and all below it, each with how deep it stands; what is below a node is told once."""
    waiting, seen = [(0, root)], set[str]()
    while waiting:
        depth, node = waiting.pop()
        yield min(depth, _DEEPEST), f"{SIGNS.get(node.kind, '·')} {_said(node)}"
        if node.iri in seen:
            continue
        seen.add(node.iri)
        step = 0 if node.kind in ("Question", "Grounding", "Exploration", "Focus") else 1
        children = [dag.node(child) for child in dag.graph.successors(node.iri) if "node" in dag.graph.nodes[child]]
        children.sort(key=lambda child: child.kind in ("Grounding", "Exploration", "Focus", "Synthesis"))
        waiting += [(depth + (step if _is_step(child) else 1), child) for child in reversed(children)]


def _is_step(node: Node) -> bool:
    return node.kind in ("Grounding", "Exploration", "Focus", "Synthesis", "Failure")


def _said(node: Node) -> str:
    if isinstance(node.entity, EdgeSelection):
        score = f" ({node.entity.score:.2f})" if node.entity.score is not None else ""
        return " ".join(node.lines) + score
    if isinstance(node.entity, Synthesis):
        return f"Synthesis · {node.lines[-1]}"
    if node.kind == "Passage" and node.passages:
        return f"“{short(node.passages[0].text, 160)}”"
    return " · ".join(dict.fromkeys(node.lines)) if node.kind != "Concept" else node.lines[0]


def _tree(dag: ProvenanceDag) -> str:
    parts, depth = ["<ul>"], 0
    for level, line in (told for root in dag.roots for told in _branch(dag, root)):
        parts.append("<ul>" * (level - depth) if level > depth else "</ul>" * (depth - level))
        parts.append(f"<li>{escape(line.strip())}</li>")
        depth = level
    return "".join([*parts, "</ul>" * (depth + 1)])


def _fact(node: Node) -> str:
    reason = node.entity.reasoning if isinstance(node.entity, EdgeSelection) else None
    quotes = "".join(
        f"<blockquote>{escape(passage.text)}<br><small>{escape(passage.place)}</small></blockquote>"
        for passage in node.passages
    )
    none = "" if node.passages else "<blockquote>No recorded source.</blockquote>"
    return f"<li><b>{escape(' '.join(node.lines))}</b><br>{escape(reason or '')}{quotes}{none}</li>"
