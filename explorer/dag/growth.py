"""The derivation of an answer as a growing graph: fold the events of any runs, one by one, in any order.

Nodes are IRIs (a concept or the fold of what was not kept has its step's IRI with a fragment); arcs run parent → child
and carry a kind; sources are nodes too: selection → passage → page → document. Any prefix of a stream is a valid DAG.
What comes twice changes nothing, what comes in pieces is joined; what is named before it is described waits as a node
without a place.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from explorer import entities as e
from explorer import rdf
from explorer.dag import labels as captions
from explorer.dag.cycles import Layers
from explorer.dag.layout import FACT_X, Layout
from explorer.dag.nodes import Arc, Change, Node, Register, in_order, kind_of, place_in_run
from explorer.events import Done, Event, Explain, Passage, Text
from explorer.text import count, truncate
from explorer.vocab import is_call_text, recognise, session_of

if TYPE_CHECKING:
    import networkx as nx

_FINAL = (e.Synthesis, e.Conclusion)
_FINAL_NODES = ("synthesis", "docrag-synthesis", "agent-synthesis", "conclusion")


class ProvenanceDag:
    """A fold over events; `graph` is a networkx.DiGraph: nodes carry `kind` and `node`, arcs `kind` and `arc`.

    `entities` holds all nodes of the record by IRI, in the order they came. `cycles` holds the arcs that bad data would
    close a circle with; they are shown, and left out of `graph`.
    """

    def __init__(self) -> None:
        """Start with nothing."""
        import networkx as nx

        self.graph: nx.DiGraph[str] = nx.DiGraph()
        self.known = captions.Known()
        self.entities: dict[str, e.Entity] = {}
        self.texts: dict[tuple[str, str], str] = {}
        self.done: Done | None = None
        self.end: e.End | None = None
        self._cycles: dict[Arc, None] = {}
        self._register = Register()
        self._layers = Layers(self.graph)
        self._layout = Layout()
        self._nodes = self._register.by_iri
        self._answers: dict[str, None] = {}
        self._citations: dict[str, e.Citation] = {}
        self._roots: dict[str, None] = {}
        self._questions: dict[str, None] = {}
        self._passages: dict[tuple[str, int, int], str] = {}
        self._rows: dict[str, int] = {}
        self._found: dict[str, tuple[str, tuple[Passage, ...]]] = {}
        self._now: dict[str, list[Node]] = {}

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
                key = (event.node, event.kind)
                self.texts[key] = self.texts.get(key, "") + event.delta
                return Change(text=event)
            case Done():
                self.done = event
                return Change(done=event)
            case _:
                return Change()

    def node(self, iri: str) -> Node:
        """Give a node by its IRI; raises KeyError, also while it is only named and not described."""
        return self._nodes[iri]

    def nodes(self, kind: str | None = None) -> list[Node]:
        """Give all nodes, or those of one kind, in the order they came."""
        return self._register.nodes(kind)

    def within(self, session: str, kind: str) -> list[Node]:
        """Give the nodes of one kind that belong to one session, in the order they came; to none, when it is empty."""
        return self._register.within(session, kind)

    def arcs(self) -> list[Arc]:
        """Give all arcs, by their parents in the order those came; those of bad data last."""
        return [data["arc"] for _, _, data in self.graph.edges(data=True)] + self.cycles

    def path(self, iri: str) -> list[str]:
        """Give the way from the root down to a node, by first parents."""
        way = [iri]
        while parent := next(self.graph.predecessors(way[-1]), None):
            way.append(parent)
        return way[::-1]

    def depth(self, iri: str) -> int:
        """Give the length of the longest way from a root to a node; raises KeyError."""
        return self._layers.depths()[iri]

    def layers(self) -> list[list[str]]:
        """Give the nodes by depth: the roots, then what derives from them, and so on."""
        return self._layers.all()

    @property
    def cycles(self) -> list[Arc]:
        """The arcs of bad data that would close a circle, in the order they came."""
        return list(self._cycles)

    @property
    def roots(self) -> list[Node]:
        """The described nodes without a parent, in the order they came: one for each top-level trace.

        A Question whose parents are only named is a root too: a trace within another, told by itself.
        """
        if "roots" in self._now:
            return self._now["roots"]
        own = [iri for iri in self._roots if iri in self._nodes]
        inner = [iri for iri in self._questions if iri not in self._roots
                 and not any(parent in self._nodes for parent in self.graph.predecessors(iri))]  # fmt: skip
        self._now["roots"] = [self.node(iri) for iri in (*own, *inner)]
        return self._now["roots"]

    @property
    def answers(self) -> list[Node]:
        """All answers, of sub-traces and sub-agents too, in the order they came."""
        return [self.node(iri) for iri in self._answers]

    @property
    def final(self) -> Node | None:
        """The answer of the top session: its Synthesis or Conclusion; None while there is none."""
        if "final" not in self._now:
            self._now["final"] = self._finals()[-1:]
        return next(iter(self._now["final"]), None)

    def _finals(self) -> list[Node]:
        finals = [self.node(iri) for iri in self._answers if isinstance(self.node(iri).entity, _FINAL)]
        top = self._top()
        own = [node for node in finals if not top or session_of(node.iri) in top]
        return [node for node in own if not self._leads_on(node.iri)] or own

    @property
    def answer(self) -> str:
        """The text of the final answer as far as it is known; while it is being written, what there is of it."""
        final = self.final
        if final is not None:
            return self.text(final.iri)
        top = self._top()
        written = ((node, text) for (node, kind), text in reversed(self.texts.items()) if kind == "answer")
        return next((text for node, text in written if not top or _is_final(node, top)), "")

    def _top(self) -> set[str]:
        """Return the sessions of the top-level questions; none where the IRI of one names no session."""
        sessions = {session_of(root.iri) for root in self.roots if root.kind == "Question"}
        return set() if "" in sessions else sessions

    def text(self, iri: str) -> str:
        """Give the text of an answer, thought or observation as far as it is known; else an empty one."""
        entity = self._nodes[iri].entity if iri in self._nodes else None
        kind = "answer" if isinstance(entity, e.Answer) else kind_of(entity).lower() if entity else ""
        inline = entity.content if isinstance(entity, e.Answer | e.Reflection) else None
        return self.texts.get((iri, kind)) or inline or ""

    def _leads_on(self, iri: str) -> bool:
        return any(self.graph.edges[iri, child]["kind"] == "derived" for child in self.graph.successors(iri))

    def _explain(self, event: Explain) -> Change:
        self._now = {}
        described = [self._joined(entity) for entity in rdf.entities(event.triples)]
        self._learn(event, described)
        nodes: dict[str, Node] = {}
        arcs: list[Arc] = []
        for entity in in_order(event.iri, described):
            for item in self._grow(entity, event):
                if isinstance(item, Node):
                    nodes[item.iri] = item
                else:
                    arcs.append(item)
        self._now = {}
        return Change(tuple(nodes.values()), tuple(arcs))

    def _joined(self, entity: e.Entity) -> e.Entity:
        """Join what is told of a node with what was told of it before."""
        before = self.entities.get(entity.iri)
        if before is not None and (before != entity or before.original != entity.original):
            [entity] = rdf.entities(dict.fromkeys((*rdf.triples(before), *rdf.triples(entity))))
        self.entities[entity.iri] = entity
        return entity

    def _learn(self, event: Explain, described: list[e.Entity]) -> None:
        self.known.labels.update(event.labels)
        for entity in described:
            match entity:
                case e.Exploration():
                    self.known.explored, self.known.noun = captions.looked_at(entity)
                    self._found.update({chunk: (entity.iri, found) for chunk, found in event.passages.items()})
                case e.Focus():
                    self.known.kept = len(captions.selected(entity))
                case e.Citation() if entity != self._citations.get(entity.iri):
                    self._citations[entity.iri] = entity
                    self.known.citations.append(entity)
                case e.Synthesis():
                    self.known.declined = entity.termination_reason == "declined"
                case e.End():
                    self.end = entity

    def _grow(self, entity: e.Entity, event: Explain) -> Iterator[Node | Arc]:
        match entity:
            case e.EdgeSelection() | e.ChunkSelection():
                yield from self._selection(entity, event)
            case e.Citation():
                yield from self._cited(entity)
            case e.Candidate() | e.End() | e.Agent() | e.Activity():
                return
            case _ if is_call_text(entity.iri):  # hashes of prompts and replies, kept in their stead
                return
            case _:
                yield from self._step(entity)
        match entity:
            case e.Grounding():
                yield from self._concepts(entity)
            case e.Exploration():
                below = [self.entities.get(child) for child in self.graph.successors(entity.iri)]
                for focus in (one for one in below if isinstance(one, e.Focus)):  # could not say of how many it kept
                    yield from (*self._step(focus), *self._not_kept(focus))
            case e.Focus():
                yield from (
                    self._join(Arc(entity.iri, key, "selected", self._score(key))) for key in captions.selected(entity)
                )
                yield from self._not_kept(entity)
            case e.Analysis() if entity.thought:
                yield self._join(Arc(entity.iri, entity.thought, "thought"))
            case e.Observation() | e.StepResult():
                for chunk, passages in event.passages.items():  # which its tool says it consulted
                    row = self._rows.setdefault(chunk, len(self._rows))
                    yield from (part for passage in passages for part in self._source(entity.iri, passage, row))

    def _step(self, entity: e.Entity) -> Iterator[Node | Arc]:
        kind = kind_of(entity)
        x, y = self._place(entity.iri, kind)
        yield self._put(Node(entity.iri, kind, captions.entity_caption(entity, self._known_of(entity)), x, y, entity))
        if isinstance(entity, e.Answer | e.Question):
            (self._answers if isinstance(entity, e.Answer) else self._questions)[entity.iri] = None
        for parent in sorted(entity.derived_from, key=lambda one: place_in_run(self.entities.get(one))):
            yield self._join(Arc(parent, entity.iri, "derived"))

    def _cited(self, citation: e.Citation) -> Iterator[Node | Arc]:
        """Join the chunks that an answer cites by themselves, as nothing was chosen among them, to who found them."""
        for key in citation.cites:
            stage, passages = self._found.get(key, ("", ()))
            for passage in passages:
                yield from self._source(stage, passage, self._rows.setdefault(key, len(self._rows)))

    def _explored(self, focus: e.Focus) -> tuple[int | None, str]:
        above = (self.entities.get(parent) for parent in focus.derived_from)
        return next((captions.looked_at(stage) for stage in above if isinstance(stage, e.Exploration)), (None, "fact"))

    def _known_of(self, entity: e.Entity) -> captions.Known:
        """Give what a node's caption needs of its own run; there may be several."""
        match entity:
            case e.Focus():
                explored, noun = self._explored(entity)
                return replace(self.known, explored=explored, noun=noun)
            case e.Synthesis() | e.Conclusion():
                session = session_of(entity.iri)
                cited = [one for one in self.known.citations if not session or session_of(one.iri) == session]
                return replace(self.known, citations=cited, declined=entity.termination_reason == "declined")
            case _:
                return self.known

    def _score(self, selection: str) -> float | None:
        found = self.entities.get(selection)
        return found.score if isinstance(found, e.EdgeSelection | e.ChunkSelection) else None

    def _place(self, iri: str, kind: str) -> tuple[float, float]:
        if iri in self._nodes:
            known = self.node(iri)
            return known.x, known.y
        return self._layout.step(kind)

    def _concepts(self, grounding: e.Grounding) -> Iterator[Node | Arc]:
        if f"{grounding.iri}#concept-1" in self.graph:
            return
        for number, concept in enumerate(grounding.ordered or grounding.concepts, 1):
            iri = f"{grounding.iri}#concept-{number}"
            text = truncate(concept, 32)
            spot = self._layout.chip(text, self.node(grounding.iri).y)
            if spot is None:  # no room: Grounding itself lists the rest
                return
            yield self._put(Node(iri, "Concept", (text,), *spot))
            yield self._join(Arc(grounding.iri, iri, "concept"))

    def _not_kept(self, focus: e.Focus) -> Iterator[Node | Arc]:
        found = (self.entities.get(key) for key in focus.candidates)
        members = tuple(entity for entity in found if isinstance(entity, e.Candidate))
        explored, noun = self._explored(focus)
        left = max((explored or 0) - len(captions.selected(focus)), len(members))
        iri, parent = f"{focus.iri}#not-kept", next(iter(focus.derived_from), None)
        if parent is None or (left <= 0 and iri not in self._nodes):
            return
        y = self.node(parent).y if parent in self._nodes else self.node(focus.iri).y - 80
        yield self._put(Node(iri, "NotKept", ("Not kept", count(max(left, 0), noun)), FACT_X - 20, y, members=members))
        yield self._join(Arc(parent, iri, "candidate"))

    def _selection(self, selection: e.EdgeSelection | e.ChunkSelection, event: Explain) -> Iterator[Node | Arc]:
        passages = event.passages.get(selection.iri, ())
        kind = type(selection).__name__
        if selection.iri in self._rows:
            known = self.node(selection.iri)
            x, y, row = known.x, known.y, self._rows[selection.iri]
        else:
            x, y, row = self._layout.fact()
            self._rows[selection.iri] = row
        caption = captions.entity_caption(selection, self.known)
        if isinstance(selection, e.ChunkSelection) and passages:
            caption = captions.chunk_caption(selection, passages[0])
        yield self._put(Node(selection.iri, kind, caption, x, y, selection, passages))
        for stage in [
            iri for iri in self.graph.predecessors(selection.iri) if isinstance(self.entities.get(iri), e.Focus)
        ]:
            yield self._join(Arc(stage, selection.iri, "selected", selection.score))
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
            yield self._placed(iri, "Passage", captions.passage_caption(passage), row, passage)
        yield self._join(Arc(selection, iri, "source"))
        yield from self._home(iri, passage)

    def _home(self, iri: str, passage: Passage) -> Iterator[Node | Arc]:
        """Join a passage to its page or section, and that (or else the passage) to its document."""
        row = self._rows[iri]
        if passage.part is not None:
            kind = "Page" if passage.page is not None else "Section"
            if passage.part not in self.graph:
                yield self._placed(passage.part, kind, captions.part_caption(passage), row, passage)
            yield self._join(Arc(iri, passage.part, "source"))
            iri, row = passage.part, self._rows[passage.part]
        if passage.document not in self.graph:
            yield self._placed(passage.document, "Document", (truncate(passage.title, 30),), row, passage)
        yield self._join(Arc(iri, passage.document, "source"))

    def _placed(self, iri: str, kind: str, lines: tuple[str, ...], wish: int, passage: Passage) -> Node:
        layout = self._layout
        lane = {"Passage": layout.passages, "Document": layout.documents}.get(kind, layout.parts)
        x, y, self._rows[iri] = layout.place(lane, wish)
        return self._put(Node(iri, kind, lines, x, y, passages=(passage,)))

    def _put(self, node: Node) -> Node:
        if node.iri not in self.graph:
            self._roots[node.iri] = None
        elif node.iri in self._nodes:
            old = self.node(node.iri)
            node = replace(node, x=old.x, y=old.y)
        self._register.put(node)
        self.graph.add_node(node.iri, kind=node.kind, node=node)
        self._layers.changed()
        return node

    def _join(self, arc: Arc) -> Arc:
        for end in (arc.parent, arc.child):
            if end not in self.graph:
                self.graph.add_node(end, kind="Unknown")
                self._roots[end] = None
        if self.graph.has_edge(arc.parent, arc.child):
            known: Arc = self.graph.edges[arc.parent, arc.child]["arc"]
            arc = known if arc.score is None and known.kind != "derived" else arc
        elif self._layers.closes_circle(arc.parent, arc.child):
            arc = replace(arc, kind="cycle")
            self._cycles[arc] = None
            return arc
        self.graph.add_edge(arc.parent, arc.child, kind=arc.kind, arc=arc)
        self._layers.changed()
        self._roots.pop(arc.child, None)
        return arc


def _is_final(node: str, sessions: Container[str]) -> bool:
    named = recognise(node)
    return named is not None and named.key in sessions and named.kind in _FINAL_NODES
