"""How fast a record is read: triples to entities, a large trace to a graph, a stored trace with its sources."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import perf_counter

from pyoxigraph import Literal, NamedNode, Quad, Triple

import explorer
from benchmarks.table import Row, milliseconds
from explorer import entities as e
from explorer import rdf
from explorer.dag import ProvenanceDag
from explorer.events import Explain
from explorer.record.recovery import rebuild_listing
from explorer.vocab import FACTS, RDFS, entity_iri, iri
from explorer.workspace import Workspace

EDGES = 25
STEPS = 4
LARGE = 10_000
TIMES = 9
STARTED = "2026-01-15T10:30:00Z"


def reading() -> list[Row]:
    """Measure reading the triples of many searches as entities, and one large trace from its file into a graph."""
    quads = [quad for number in range(100) for event in search(f"s{number}", EDGES) for quad in event.triples]
    rate = len(quads) / median(_times(lambda: rdf.entities(quads)))
    large = search("large", LARGE - 5)
    data = rdf.dump((quad for event in large for quad in event.triples), "nq")
    parsed = _times(lambda: rdf.load(data, "nq"), 3)
    folded = _times(lambda: ProvenanceDag().fold(large), 3)
    whole = [a + b for a, b in zip(parsed, folded, strict=True)]
    dag = ProvenanceDag().fold(large)
    more = iter(_more(large[-1].iri))
    one = _times(lambda: dag.apply(next(more)), 99)
    return [
        Row("triples → entities", f"{rate:,.0f} a second", "≥ 50,000 a second"),
        Row(f"a trace of {LARGE:,} nodes parsed and folded", milliseconds(whole), "≤ 1 s"),
        Row("one more event on it", f"{1000 * median(one):.2f} ms ({1000 * max(one):.2f})", "≤ 1 ms"),
    ]


def reading_back(place: Path) -> list[Row]:
    """Measure reading back a search and an agent's run with their sources, from disk and cold."""
    with explorer.open(place) as ws:
        for events in (search("search", EDGES), agent("agent", STEPS)):
            ws.graph.add(quad for event in events for quad in event.triples)
        ws.graph.add(_knowledge(EDGES))
        rebuild_listing(ws.stores)
    with explorer.open(place) as ws:
        return [
            Row(
                f"GraphRAG trace, {EDGES} edges with labels and sources, read back from disk, cold",
                _tenths(_loading(ws, iri("question", "search"))),
                "≤ 10 ms",
            ),
            Row(
                f"agent trace of {STEPS} steps, with such a search in it, read back from disk, cold",
                _tenths(_loading(ws, iri("agent-question", "agent"))),
                "≤ 20 ms",
            ),
        ]


def search(session: str, edges: int, parent: str | None = None) -> list[Explain]:
    """Return the triples of a graph search as TrustGraph records it."""
    node = {kind: iri(kind, session) for kind in ("question", "grounding", "exploration", "focus", "synthesis")}
    selections = [
        e.EdgeSelection(iri=iri("edge", session, number), edge=_edge(number), concept="tank", score=0.5,
                        reasoning="Names what was asked for.")
        for number in range(edges)
    ]  # fmt: skip
    chosen, above = tuple(selection.iri for selection in selections), (parent,) if parent else ()
    return [
        _explain(e.GraphRagQuestion(iri=node["question"], query="Why?", started_at=STARTED, derived_from=above)),
        _explain(e.Grounding(iri=node["grounding"], derived_from=(node["question"],), concepts=("tank", "oxygen"))),
        _explain(e.Exploration(iri=node["exploration"], derived_from=(node["grounding"],), edge_count=edges)),
        _explain(e.Focus(iri=node["focus"], derived_from=(node["exploration"],), selected_edges=chosen), *selections),
        _explain(e.Synthesis(iri=node["synthesis"], derived_from=(node["focus"],), document=iri("answer", session))),
    ]


def agent(session: str, steps: int) -> list[Explain]:
    """Return the triples of an agent's run that searches the graph in its first step."""
    question, inner = iri("agent-question", session), f"{session}-search"
    events, parent = [_explain(e.AgentQuestion(iri=question, query="Why?", started_at=STARTED))], question
    for number in range(1, steps + 1):
        node, thought, seen = (iri(kind, session, number) for kind in ("analysis", "thought", "observation"))
        thinking = e.Thought(iri=thought, derived_from=(node,), document=thought)
        events.append(_explain(e.Analysis(iri=node, action="ask", derived_from=(parent,), thought=thought), thinking))
        events += search(inner, EDGES, node) if number == 1 else []
        above = iri("synthesis", inner) if number == 1 else node
        events.append(_explain(e.Observation(iri=seen, derived_from=(above,), document=seen)))
        parent = seen
    return [*events, _explain(e.Conclusion(iri=iri("conclusion", session), derived_from=(parent,)))]


def _explain(entity: e.Entity, *parts: e.Entity) -> Explain:
    return Explain(entity.iri, tuple(rdf.triples(entity, "trustgraph", parts=parts)))


def _edge(number: int) -> Triple:
    names = (f"part {number}", "belongs to", f"tank {number % 7}")
    subject, predicate, obj = (NamedNode(entity_iri(name)) for name in names)
    return Triple(subject, predicate, obj)


def _knowledge(edges: int) -> Iterator[Quad]:
    """Return a label for the terms of each edge, and a source for each edge: one of eight pages of one document."""
    yield from rdf.triples(e.Document(iri="urn:doc:1", title="Report", label="Report"))
    for number in range(8):
        yield from rdf.triples(e.Page(iri=f"urn:page:{number}", derived_from=("urn:doc:1",), number=number + 1))
    for number in range(edges):
        edge = _edge(number)
        for term in (edge.subject, edge.predicate, edge.object):
            if isinstance(term, NamedNode):
                yield Quad(term, RDFS.label, Literal(term.value), FACTS)
        chunk = e.Chunk(iri=f"urn:chunk:{number}", derived_from=(f"urn:page:{number % 8}",), index=number)
        group = e.Subgraph(
            iri=iri("subgraph", str(number)), derived_from=(chunk.iri,), contains=(edge,),
            source_text="A part belongs to a tank.",
        )  # fmt: skip
        yield from (*rdf.triples(chunk), *rdf.triples(group))


def _more(parent: str) -> Iterator[Explain]:
    for number in range(LARGE):
        yield _explain(e.Entity(iri=f"urn:more:{number}", label="More", derived_from=(parent,)))


def _loading(ws: Workspace, question: str) -> list[float]:
    def load() -> None:
        ws.sources.forget()
        trace = ws.traces.load(question)
        if not (len(trace.edges) == EDGES and trace.sources() and trace.labels):
            message = "what is measured is a trace with its edges, labels and sources"
            raise ValueError(message)

    return _times(load)


def _times(act: Callable[[], object], times: int = TIMES) -> list[float]:
    found = []
    for _ in range(times):
        begun = perf_counter()
        act()
        found.append(perf_counter() - begun)
    return found


def _tenths(times: list[float]) -> str:
    return f"{1000 * median(times):.1f} ms ({1000 * max(times):.1f})"
