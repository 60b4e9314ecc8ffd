"""A derivation as nested lines, from the question down to the sources: how deep each stands, and what it says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from explorer.dag.passage_names import passage_name
from explorer.drawing.folding import of_agent
from explorer.drawing.growing import BOUNDS
from explorer.entities import ChunkSelection, EdgeSelection
from explorer.wording.graph_words import lines
from explorer.wording.kinds import SOURCES, STAGES, kind

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag
    from explorer.dag.nodes import Node

FIRST = BOUNDS["fact"][0]  # facts or passages that are listed of a search by itself
BEST = 5  # facts or passages that are listed of a search within an agent's run
_DEEPEST = 100  # levels of a nested list: browsers give up at some hundred, and lines would be all indentation
_CHOSEN = ("EdgeSelection", "ChunkSelection", "Passage")


def outline(dag: ProvenanceDag, numbers: Mapping[str, int] | None = None) -> Iterator[tuple[int, str]]:
    """Yield each node with how deep it stands; what is below a node comes once.

    What was kept has its rank, or with `numbers`, those of what the answer cites by its IRI, its number there if any.
    Of an agent's run each step comes once, and of a search within it only the best facts or passages.
    """
    brief = of_agent(dag.nodes())
    seen = set[str]()
    for root in dag.roots:
        for depth, node in _branch(dag, root, seen if brief else set(), brief=brief):
            told = node if isinstance(node, str) else f"{kind(node.kind).sign} {_words(dag, node, numbers)}"
            yield min(depth, _DEEPEST), told


def _branch(dag: ProvenanceDag, root: Node, seen: set[str], *, brief: bool) -> Iterator[tuple[int, Node | str]]:
    waiting: list[tuple[int, Node | str]] = [(0, root)]
    while waiting:
        depth, node = waiting.pop()
        if isinstance(node, str):
            yield depth, node
            continue
        again = node.iri in seen
        if again and brief and node.kind not in SOURCES:
            continue
        yield depth, node
        if not again:
            seen.add(node.iri)
            waiting += reversed([(depth + deeper, child) for deeper, child in _below(dag, node, brief=brief)])


def _below(dag: ProvenanceDag, node: Node, *, brief: bool) -> Iterator[tuple[int, Node | str]]:
    """Yield what stands below a node, with how much deeper, and a line for what is left out, in brief more."""
    step = 0 if node.kind in ("Question", *STAGES) else 1
    children = [dag.node(child) for child in dag.graph.successors(node.iri) if "node" in dag.graph.nodes[child]]
    chosen = [child for child in children if child.kind in _CHOSEN]
    left = {child.iri for child in chosen[BEST if brief else FIRST :]}
    for child in sorted(children, key=lambda child: child.kind in STAGES):
        if child.iri not in left:
            yield step if child.kind in (*STAGES, "Failure") else 1, child
        elif child is chosen[-1]:
            noun = "fact" if child.kind == "EdgeSelection" else "passage"
            yield 1, f"… and {len(left):,} more {noun}{'s' if len(left) > 1 else ''}"


def _words(dag: ProvenanceDag, node: Node, numbers: Mapping[str, int] | None) -> str:
    own = lines(dag, node, ranked=numbers is None)
    if isinstance(node.entity, EdgeSelection | ChunkSelection):
        if numbers and node.iri in numbers:
            own = (f"[{numbers[node.iri]}]", *own)
        score = f" ({node.entity.score:.2f})" if node.entity.score is not None else ""
        return " ".join(own) + score
    if node.kind == "Passage" and node.passages:
        return passage_name(dag, node.passages[0], 160)
    if node.kind == "Concept" or not own:
        return own[0]
    return " · ".join(dict.fromkeys(own))
