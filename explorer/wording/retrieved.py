"""What is said of what another pipeline retrieved, and of how a sentence of its answer is known to rest on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.dag import ProvenanceDag
from explorer.dag.nodes import Node
from explorer.dag.passage_names import unquoted_name
from explorer.dag.retrieved import LEFT, RetrievedPassage, retrieved
from explorer.text import one_line
from explorer.vocab import session_of
from explorer.wording import panel_rows
from explorer.wording.panel_rows import Item, Row

if TYPE_CHECKING:
    from explorer.entities import Citation
    from explorer.wording.names import Names

_AGREES = {
    "agrees": "the words stand there",
    "points elsewhere": "the words stand in another passage",
    "no such words": "no such words stand there",
}
_LONGEST = 60  # letters of a passage in a list


def became(one: RetrievedPassage) -> str:
    """Return what became of a passage, in a line: "left out · no. 3 found (7.1) · below the limit"."""
    return " · ".join(filter(None, (one.state, one.moved, one_line(one.why) if one.state == LEFT else "")))


def became_row(dag: ProvenanceDag, node: Node) -> Row | None:
    """Return what became of the passage of a node; nothing for another run's."""
    chunks = {passage.chunk for passage in node.passages}
    return panel_rows.text(
        "What became of it", next((became(one) for one in retrieved(dag) if one.passage.chunk in chunks), "")
    )


def became_each(names: Names, node: Node) -> Row | None:
    """Return what became of each passage that a step looked at, in its order; nothing for another run's."""
    dag, found = names.dag, retrieved(names.dag, session_of(node.iri))
    own = {passage.chunk for iri in dag.graph.successors(node.iri) if "node" in dag.graph.nodes[iri]
           for passage in dag.node(iri).passages} if node.kind == "Observation" else None  # fmt: skip
    items: list[Item] = []
    for one in (one for one in found if own is None or one.passage.chunk in own):
        iri = one.passage.subgraph
        there = iri if iri in dag.graph and names.drawn(iri) else None
        items.append({"text": unquoted_name(one.passage, _LONGEST), "more": became(one), "node": there})
    return panel_rows.listing("What became of each", items)


def how_known(one: Citation) -> str:
    """Return how it is known that a sentence rests on what it cites; nothing of a run of our own."""
    if one.said_by:
        also = " Explorer found its words elsewhere too." if one.aligned and one.agreement != "agrees" else ""
        return f"Said by {one.said_by}; {_AGREES.get(one.agreement or '', 'not compared')}.{also}"
    return "Explorer found its words there; the run named no source." if one.aligned else ""
