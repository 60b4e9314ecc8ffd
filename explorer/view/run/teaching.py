"""Lessons: what a stage that has just ended was for, with this run's numbers, and why it came out so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.wording.kinds import kind
from explorer.wording.nodes import said_of

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag
    from explorer.dag.nodes import Node
    from explorer.view.messages.run import Teaching


def teaching(dag: ProvenanceDag, node: Node, *, inside: bool = False) -> Teaching | None:
    """Explain a stage that has ended: a sentence on what it did, and one on why it came out so.

    None for a node that ends no stage; `inside` says that it belongs to a run within the run.
    """
    said, looks = said_of(node.kind), kind(node.kind)
    lesson = said.lesson(dag, node)
    if lesson is None:
        return None
    return {
        "kind": node.kind, "word": looks.word, "text": lesson,
        "why": said.why(dag, node), "figures": said.figures(dag, node), "node": node.iri, "inside": inside,
    }  # fmt: skip
