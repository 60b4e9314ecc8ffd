"""The derivation of an answer as a growing graph: fold a run's events, one by one.

Nodes are IRIs (a concept or the fold of what was not kept has its step's IRI with a fragment); arcs run parent → child
and carry a kind; sources are nodes too: selection → passage → page → document. Any prefix of a stream is a valid DAG.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from explorer import rdf
from explorer.captions import (
    Known,
    count,
    entity_caption,
    part_caption,
    passage_caption,
    short,
)
from explorer.entities import (
    Candidate,
    Citation,
    EdgeSelection,
    End,
    Entity,
    Exploration,
    Failure,
    Focus,
    Grounding,
    Question,
    Synthesis,
)
from explorer.events import Done, Event, Explain, Passage, Text
from explorer.layout import FACT_X, ROW, STEP_Y, Layout

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True, slots=True)
class Node:
    """A node as it is drawn; `entity` is None for what stands for a passage, a page, a document or a fold."""

    iri: str
    kind: str
    lines: tuple[str, ...]
    x: float
    y: float
    entity: Entity | None = None
    passages: tuple[Passage, ...] = ()
    members: tuple[Entity, ...] = ()


@dataclass(frozen=True, slots=True)
class Arc:
    """An arc parent → child; `score` (0 to 1) where the choice had one."""

    parent: str
    child: str
    kind: str
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """What one event added or updated; nodes are whole, to be put in place by their IRI."""

    nodes: tuple[Node, ...] = ()
    arcs: tuple[Arc, ...] = ()
    text: Text | None = None
    done: Done | None = None


_STEPS: dict[type[Entity], str] = {
    Question: "Question",
    Grounding: "Grounding",
    Exploration: "Exploration",
    Focus: "Focus",
    Synthesis: "Synthesis",
    Failure: "Failure",
}


def kind_of(entity: Entity) -> str:
    """Give the kind of a record node: the name of its class, "Unknown" when the class is not known."""
    return next((kind for cls, kind in _STEPS.items() if isinstance(entity, cls)), type(entity).__name__)


class ProvenanceDag:
    """A fold over events; `graph` is a networkx.DiGraph: nodes carry `kind` and `node`, arcs `kind` and `arc`."""

    def __init__(self) -> None:
        """Start with nothing."""
        import networkx as nx

        self.graph: nx.DiGraph[str] = nx.DiGraph()
        self.known = Known()
        self.answer = ""
        self.done: Done | None = None
        self.end: End | None = None
        self._layout = Layout()
        self._passages: dict[tuple[str, int, int], str] = {}
        self._rows: dict[str, int] = {}

    def fold(self, events: Iterable[Event]) -> ProvenanceDag:
        """Apply all of `events`; returns itself."""
        for event in events:
            self.apply(event)
        return self

    def apply(self, event: Event) -> Change:
        """Take in one event and say what it changed."""
        match event:
            case Explain():
                return self._explain(event)
            case Text():
                self.answer += event.delta
                return Change(text=event)
            case Done():
                self.done = event
                return Change(done=event)
            case _:
                return Change()

    def node(self, iri: str) -> Node:
        """Give a node by its IRI; raises KeyError."""
        node: Node = self.graph.nodes[iri]["node"]
        return node

    def nodes(self, kind: str | None = None) -> list[Node]:
        """Give all nodes, or those of one kind, in the order they came."""
        found = [data["node"] for _, data in self.graph.nodes(data=True) if "node" in data]
        return [node for node in found if kind in (None, node.kind)]

    def arcs(self) -> list[Arc]:
        """Give all arcs, by their parents in the order those came."""
        return [data["arc"] for _, _, data in self.graph.edges(data=True)]

    def path(self, iri: str) -> list[str]:
        """Give the way from the root down to a node, by first parents."""
        way = [iri]
        while parents := [parent for parent in self.graph.predecessors(way[0]) if parent not in way]:
            way.insert(0, parents[0])
        return way

    @property
    def roots(self) -> list[Node]:
        """The nodes without a parent, in the order they came."""
        return [node for node in self.nodes() if self.graph.in_degree(node.iri) == 0]

    def _explain(self, event: Explain) -> Change:
        described = rdf.entities(event.triples)
        self._learn(event, described)
        nodes: list[Node] = []
        arcs: list[Arc] = []
        for entity in described:
            for item in self._grow(entity, event, described):
                (nodes if isinstance(item, Node) else arcs).append(item)  # type: ignore[arg-type]
        return Change(nodes=tuple(nodes), arcs=tuple(arcs))

    def _learn(self, event: Explain, described: list[Entity]) -> None:
        self.known.labels.update(event.labels)
        for entity in described:
            match entity:
                case Exploration():
                    self.known.explored = entity.edge_count
                case Focus():
                    self.known.kept = len(entity.selected_edges)
                case Citation() if entity not in self.known.citations:
                    self.known.citations.append(entity)
                case Synthesis():
                    self.known.declined = entity.termination_reason == "declined"
                case End():
                    self.end = entity

    def _grow(self, entity: Entity, event: Explain, described: list[Entity]) -> Iterator[Node | Arc]:
        match entity:
            case EdgeSelection():
                yield from self._selection(entity, event)
            case Candidate() | Citation() | End():
                return
            case _:
                yield from self._step(entity)
                if isinstance(entity, Grounding):
                    yield from self._concepts(entity)
                if isinstance(entity, Focus):
                    yield from self._not_kept(entity, [e for e in described if isinstance(e, Candidate)])

    def _step(self, entity: Entity) -> Iterator[Node | Arc]:
        kind = kind_of(entity) if type(entity) is not Entity else "Unknown"
        x, y = self._layout.step(kind)
        yield self._put(Node(entity.iri, kind, entity_caption(entity, self.known), x, y, entity))
        for parent in entity.derived_from:
            yield self._join(Arc(parent, entity.iri, "derived"))

    def _concepts(self, grounding: Grounding) -> Iterator[Node | Arc]:
        for number, concept in enumerate(grounding.ordered or grounding.concepts, 1):
            text = short(concept, 32)
            x, y = self._layout.chip(text)
            if y > STEP_Y["Exploration"] - ROW / 2:  # no room: Grounding itself lists the rest
                return
            iri = f"{grounding.iri}#concept-{number}"
            yield self._put(Node(iri, "Concept", (text,), x, y))
            yield self._join(Arc(grounding.iri, iri, "concept"))

    def _not_kept(self, focus: Focus, candidates: list[Candidate]) -> Iterator[Node | Arc]:
        looked = (self.known.explored or 0) - len(focus.selected_edges)
        left = max(looked, len(candidates))
        if left <= 0:
            return
        iri = f"{focus.iri}#not-kept"
        lines = ("Not kept", f"{count(left, 'fact')}")
        yield self._put(Node(iri, "NotKept", lines, FACT_X - 20, STEP_Y["Exploration"], members=tuple(candidates)))
        for parent in focus.derived_from:
            yield self._join(Arc(parent, iri, "candidate"))

    def _selection(self, selection: EdgeSelection, event: Explain) -> Iterator[Node | Arc]:
        passages = event.passages.get(selection.iri, ())
        x, y, row = self._layout.place(self._layout.facts, len(self._layout.facts.taken))
        caption = entity_caption(selection, self.known)
        yield self._put(Node(selection.iri, "EdgeSelection", caption, x, y, selection, passages))
        yield self._join(Arc(event.iri, selection.iri, "selected", selection.score))
        for passage in passages:
            yield from self._source(selection.iri, passage, row)

    def _source(self, selection: str, passage: Passage, row: int) -> Iterator[Node | Arc]:
        key = (passage.chunk, passage.start, passage.end)
        iri = self._passages.setdefault(key, passage.subgraph)
        if iri in self.graph:
            known = self.node(iri)
            if passage not in known.passages:
                yield self._put(replace(known, passages=(*known.passages, passage)))
        else:
            yield self._placed(iri, "Passage", passage_caption(passage), row, passage)
        yield self._join(Arc(selection, iri, "source"))
        yield from self._home(iri, passage)

    def _home(self, iri: str, passage: Passage) -> Iterator[Node | Arc]:
        """Join a passage to its page or section, and that (or else the passage) to its document."""
        row = self._rows[iri]
        if passage.part is not None:
            kind = "Page" if passage.page is not None else "Section"
            if passage.part not in self.graph:
                yield self._placed(passage.part, kind, part_caption(passage), row, passage)
            yield self._join(Arc(iri, passage.part, "source"))
            iri, row = passage.part, self._rows[passage.part]
        if passage.document not in self.graph:
            yield self._placed(passage.document, "Document", (short(passage.title, 30),), row, passage)
        yield self._join(Arc(iri, passage.document, "source"))

    def _placed(self, iri: str, kind: str, lines: tuple[str, ...], wish: int, passage: Passage) -> Node:
        layout = self._layout
        lane = {"Passage": layout.passages, "Document": layout.documents}.get(kind, layout.parts)
        x, y, self._rows[iri] = layout.place(lane, wish)
        return self._put(Node(iri, kind, lines, x, y, passages=(passage,)))

    def _put(self, node: Node) -> Node:
        if node.iri in self.graph and "node" in self.graph.nodes[node.iri]:
            old = self.node(node.iri)
            node = replace(node, x=old.x, y=old.y)
        self.graph.add_node(node.iri, kind=node.kind, node=node)
        return node

    def _join(self, arc: Arc) -> Arc:
        self.graph.add_edge(arc.parent, arc.child, kind=arc.kind, arc=arc)
        for end in (arc.parent, arc.child):
            self.graph.nodes[end].setdefault("kind", "Unknown")
        return arc
