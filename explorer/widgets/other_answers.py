"""The other answers on record that used a fact or a passage, as the detail panel lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyoxigraph import NamedNode, Triple

from explorer import rdf
from explorer.entities import Candidate, ChunkSelection, EdgeSelection, Subgraph
from explorer.record.trace import stores_read
from explorer.stores.link_graph import facts_of
from explorer.text import count, folded, without_bars
from explorer.vocab import SOURCE
from explorer.wording.authors import hand
from explorer.wording.endings import ending
from explorer.wording.ways import method

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from explorer.dag import ProvenanceDag
    from explorer.dag.nodes import Node
    from explorer.events import Passage
    from explorer.record.listing import TraceSummary
    from explorer.view.messages.detail import FactSource, OtherRun
    from explorer.workspace import Workspace

MOST = 50  # questions listed


def items(ws: Workspace, node: Node, dag: ProvenanceDag) -> list[OtherRun]:
    """Return a line for each question of other runs that kept the fact or passage of a node, newest first.

    It leads to the newest of its runs; at most `MOST` are listed, and a last line without an IRI says how many more
    there are. A passage is kept by itself or for a fact that was taken from its words.
    """
    own = {root.iri for root in dag.roots}
    asked: dict[tuple[str, str], list[TraceSummary]] = {}
    for one in ws.traces.using(*_used(ws, node)):
        if one.iri not in own:
            how = ", ".join(filter(None, (method(one.engine, one.pattern), ending(one.reason).word)))
            asked.setdefault((folded(one.question), how), []).append(one)
    newest = [*asked.items()]
    rest = len(newest) - MOST
    more: list[OtherRun] = [{"iri": None, "question": f"and {rest:,} more", "how": "", "when": ""}] if rest > 0 else []
    lines: list[OtherRun] = [
        {
            "iri": runs[0].iri,
            "question": runs[0].question,
            "how": how if len(runs) == 1 else f"{how}, {count(len(runs), 'run')}",
            "when": runs[0].started_at,
        }
        for (_, how), runs in newest[:MOST]
    ]
    return [*lines, *more]


def sources(ws: Workspace, dag: ProvenanceDag, left: str) -> list[FactSource]:
    """Return where something not kept comes from: the words, their place and whose hand; `node` if it is shown.

    It is named by the IRI of its Candidate or chunk, or is a fact, as N-Triples write it.
    """
    shown = {passage.subgraph: node.iri for node in dag.nodes("Passage") for passage in node.passages}
    return [
        {
            "text": without_bars(passage.text, passage.before),
            "where": passage.reference,
            "hand": hand(passage.extracted_by),
            "node": shown.get(passage.subgraph),
        }
        for passage in _passages(ws, dag, left)
    ]


def _passages(ws: Workspace, dag: ProvenanceDag, left: str) -> Sequence[Passage]:
    chosen, sources = dag.entities.get(left), stores_read(dag, ws.stores).sources
    if isinstance(chosen, Candidate):
        return sources.passages(chosen.edge) if chosen.edge is not None else ()
    try:
        return sources.passages(facts_of([left])[left]) if left.startswith("<") else sources.chunk(left)
    except (SyntaxError, ValueError):  # neither a fact nor an IRI
        return ()


def _used(ws: Workspace, node: Node) -> Iterator[Triple | str]:
    match node.entity:
        case EdgeSelection() as fact:
            yield from [fact.edge] if fact.edge is not None else []
        case ChunkSelection() as chunk:
            yield from [chunk.document] if chunk.document else []
        case _ if node.kind == "Passage":
            yield from dict.fromkeys(passage.chunk for passage in node.passages if passage.chunk)
            yield from dict.fromkeys(edge for passage in node.passages for edge in _facts(ws, passage.subgraph))


def _facts(ws: Workspace, subgraph: str) -> Iterator[Triple]:
    for entity in rdf.entities(ws.graph.match(NamedNode(subgraph), None, None, SOURCE)):
        if isinstance(entity, Subgraph):
            yield from entity.contains
