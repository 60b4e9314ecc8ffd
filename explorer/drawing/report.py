"""The report of a run: one HTML page with picture and answer, and each fact with its reason and its words.

It loads nothing, and the same run always gives the same bytes. All text is escaped.
"""

from __future__ import annotations

from explorer.dag import ProvenanceDag
from explorer.dag.nodes import Node
from explorer.drawing.folding import of_agent
from explorer.drawing.labels import lines
from explorer.drawing.outline import BEST, FIRST
from explorer.drawing.picture import figure
from explorer.drawing.svg import Sheet, sheets
from explorer.entities import Citation, EdgeSelection
from explorer.text import count, escape, without_bars


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
        f"{figure(dag)}{_facts(dag)}</body></html>\n"
    )


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
        f"<blockquote>{escape(without_bars(passage.text, passage.before))}<br>"
        f"<small>{escape(passage.place)}</small></blockquote>"
        for passage in node.passages
    )
    none = "" if node.passages else "<blockquote>No recorded source.</blockquote>"
    return f"<li><b>{escape(' '.join(lines(dag, node)))}</b><br>{escape(reason or '')}{quotes}{none}</li>"
