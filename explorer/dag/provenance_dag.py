"""The derivation of an answer as a growing graph: fold the events of any runs, one by one, in any order.

Nodes are IRIs (a concept, and what was not selected, has its step's IRI with a fragment); arcs run parent → child and
carry a kind; sources are nodes too: selection → passage → page → document. Any prefix of a stream is a valid DAG.
What comes twice changes nothing, what comes in pieces is joined; what is named before it is described waits as a node
of kind "Unknown". The graph holds whole texts and no coordinates: how it is drawn is decided in `drawing`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar, cast

from explorer import entities as e
from explorer import rdf
from explorer.dag.nodes import Arc, Change, Node, kind_of, place_in_run
from explorer.events import Done, Event, Explain, Passage, Text
from explorer.text import one_line
from explorer.vocab import by_index, is_call_text, recognise, session_of

if TYPE_CHECKING:
    import networkx as nx

T = TypeVar("T")

_FINAL = (e.Synthesis, e.Conclusion)
_NO_STEPS = (  # nodes that stand beside a run, or are drawn with a step
    e.Candidate, e.End, e.Agent, e.Activity, e.Influence, e.Rating, e.Evaluation, e.Note, e.Curation, e.Deleted,
    e.Verdict, e.Remark, e.JudgedSentence, e.Quotation, e.Position, e.RunActivity, e.RunAgent, e.Person,
    e.StoredContent,
)  # fmt: skip
_FINAL_NODES = ("synthesis", "docrag-synthesis", "agent-synthesis", "conclusion")


class ProvenanceDag:
    """A fold over events; `graph` is a networkx.DiGraph: nodes carry `kind` and `node`, arcs `kind` and `arc`.

    `entities` holds all nodes of the record by IRI, in the order they came, `labels` the names of the entities in its
    facts. `curated` holds what was done with kept facts by hand, by the IRIs of their selections. `changed` are the
    contents, by IRI, whose hash is not the one on record any more. `cycles` holds the arcs
    that bad data would close a circle with; they are shown, and left out of `graph`. `applied` counts the events.
    """

    def __init__(self) -> None:
        import networkx as nx

        self.graph: nx.DiGraph[str] = nx.DiGraph()
        self.entities: dict[str, e.Entity] = {}
        self.labels: dict[str, str] = {}
        self.curated: dict[str, str] = {}
        self.changed: set[str] = set()
        self.applied = 0
        self.texts: dict[tuple[str, str], str] = {}
        self.done: Done | None = None
        self.end: e.End | None = None
        self._cycles: dict[Arc, None] = {}
        self._nodes: dict[str, Node] = {}
        self._kinds: dict[str, dict[str, None]] = defaultdict(dict)
        self._sessions: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        self._answers: dict[str, None] = {}
        self._citations: dict[str, e.Citation] = {}
        self._roots: dict[str, None] = {}
        self._questions: dict[str, None] = {}
        self._passages: dict[tuple[str, int, int], str] = {}
        self._found: dict[str, tuple[str, tuple[Passage, ...]]] = {}
        self._made: tuple[int, dict[object, object]] = (0, {})

    def fold(self, events: Iterable[Event]) -> ProvenanceDag:
        """Apply all of `events` and return the graph itself."""
        for event in events:
            self.apply(event)
        return self

    def apply(self, event: Event) -> Change:
        """Apply one event and return what it changed."""
        self.applied += 1
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
        """Return a node by its IRI; raises KeyError, also while it is only named and not described."""
        if iri in self._nodes:
            return self._nodes[iri]
        raise KeyError(f"There is no node {one_line(repr(iri))} in this graph; `nodes()` has those that there are.")

    def nodes(self, kind: str | None = None) -> list[Node]:
        """Return all nodes, or those of one kind, in the order they came."""
        return list(self._nodes.values()) if kind is None else [self._nodes[iri] for iri in self._kinds.get(kind, ())]

    def within(self, session: str, kind: str) -> list[Node]:
        """Return the nodes of one kind and session, in the order they came; those of no session, when it is empty."""
        return [self._nodes[iri] for iri in self._sessions.get((session, kind), ())]

    def arcs(self) -> list[Arc]:
        """Return all arcs, by their parents in the order those came; those of bad data last."""
        return [data["arc"] for _, _, data in self.graph.edges(data=True)] + self.cycles

    def path(self, iri: str) -> list[str]:
        """Return the path from the root down to a node, by first parents."""
        path = [iri]
        while parent := next(self.graph.predecessors(path[-1]), None):
            path.append(parent)
        return path[::-1]

    @property
    def cycles(self) -> list[Arc]:
        """The arcs of bad data that would close a circle, in the order they came."""
        return list(self._cycles)

    @property
    def citations(self) -> list[e.Citation]:
        """All citations, in the order they came."""
        return list(self._citations.values())

    @property
    def roots(self) -> list[Node]:
        """The described nodes without a parent, in the order they came: one for each top-level trace.

        A Question whose parents are only named is a root too: a trace within another, recorded by itself.
        """
        return self.once("roots", self._found_roots)

    def _found_roots(self) -> list[Node]:
        own = [iri for iri in self._roots if iri in self._nodes]
        inner = [iri for iri in self._questions if iri not in self._roots
                 and not any(parent in self._nodes for parent in self.graph.predecessors(iri))]  # fmt: skip
        return [self.node(iri) for iri in (*own, *inner)]

    @property
    def answers(self) -> list[Node]:
        """All answers, of sub-traces and sub-agents too, in the order they came."""
        return [self.node(iri) for iri in self._answers]

    @property
    def final(self) -> Node | None:
        """The answer of the top session: its Synthesis or Conclusion; None while there is none."""
        return next(reversed(self.once("finals", self._finals)), None)

    def _finals(self) -> list[Node]:
        finals = [self.node(iri) for iri in self._answers if isinstance(self.node(iri).entity, _FINAL)]
        top = self._top()
        own = [node for node in finals if not top or session_of(node.iri) in top]
        return [node for node in own if not any(
            self.graph.edges[node.iri, child]["kind"] == "derived" for child in self.graph.successors(node.iri)
        )] or own  # fmt: skip

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
        """Return the sessions of the top-level questions; none where the IRI of one names none."""
        sessions = {session_of(root.iri) for root in self.roots if root.kind == "Question"}
        return set() if "" in sessions else sessions

    def is_changed(self, iri: str) -> bool:
        """Return whether a text of a node is not the one that was recorded any more."""
        match self._nodes[iri].entity if iri in self._nodes else None:
            case e.Answer() | e.Reflection() as entity if entity.document in self.changed:
                return True
            case e.Exploration() as entity if entity.explored in self.changed:
                return True
            case e.Step() as entity:
                return not self.changed.isdisjoint((*entity.prompt, *entity.reply))
            case _:
                return False

    def text(self, iri: str) -> str:
        """Return the text of an answer, thought or observation as far as it is known; else an empty one."""
        entity = self._nodes[iri].entity if iri in self._nodes else None
        kind = "answer" if isinstance(entity, e.Answer) else kind_of(entity).lower() if entity else ""
        inline = entity.content if isinstance(entity, e.Answer | e.Reflection) else None
        return self.texts.get((iri, kind)) or inline or ""

    def exploration(self, focus: e.Focus) -> e.Exploration | None:
        """Return the step whose facts or passages a Focus chose from; None where it is not on record."""
        above = (self.entities.get(parent) for parent in focus.above)
        return next((stage for stage in above if isinstance(stage, e.Exploration)), None)

    def found(self, chunk: str) -> tuple[Passage, ...]:
        """Return the passage that an Exploration found as this chunk; nothing for one that none did."""
        return self._found.get(chunk, ("", ()))[1]

    def numbers(self, kept: tuple[str, ...]) -> dict[str, int]:
        """Return the number of each node that a step has kept, from 1 by their indexes; made once while that stands."""
        return self.once(kept, lambda: {node: at for at, node in enumerate(by_index(kept), 1)})

    def once(self, key: object, make: Callable[[], T]) -> T:
        """Return what is made of the graph, once until another event comes; `key` says what that is."""
        at, made = self._made
        if at != self.applied:
            made = {}
            self._made = self.applied, made
        if key not in made:
            made[key] = make()
        return cast("T", made[key])

    def _explain(self, event: Explain) -> Change:
        self.labels.update(event.labels)
        self.curated.update(event.curated)
        self.changed |= event.changed
        described = [self._joined(entity) for entity in event.entities]
        for entity in described:
            match entity:
                case e.Exploration():
                    self._found.update({chunk: (entity.iri, found) for chunk, found in event.passages.items()})
                case e.Citation():
                    self._citations[entity.iri] = entity
                case e.End():
                    self.end = entity
        nodes: dict[str, Node] = {}
        arcs: list[Arc] = []
        for entity in sorted(described, key=lambda entity: entity.iri != event.iri):  # what the event is about first
            for item in self._grow(entity, event):
                if isinstance(item, Node):
                    nodes[item.iri] = item
                else:
                    arcs.append(item)
        return Change(tuple(nodes.values()), tuple(arcs))

    def renew(self, now: Callable[[Passage], Passage]) -> list[Node]:
        """Take in what its passages are now, and return the nodes that this changes; it grows by nothing."""
        changed = []
        for node in self.nodes():
            fresh = tuple(map(now, node.passages))
            if any((one, one.until, one.newer) != (was, was.until, was.newer)
                   for one, was in zip(fresh, node.passages, strict=True)):  # fmt: skip
                changed.append(self._put(replace(node, passages=fresh)))
        return changed

    def _joined(self, entity: e.Entity) -> e.Entity:
        before = self.entities.get(entity.iri)
        if before is not None and (before != entity or before.original != entity.original):
            [entity] = rdf.entities(dict.fromkeys((*rdf.triples(before), *rdf.triples(entity))))
        self.entities[entity.iri] = entity
        return entity

    def _grow(self, entity: e.Entity, event: Explain) -> Iterator[Node | Arc]:
        yield from self._described(entity, event)
        match entity:
            case e.Grounding():
                yield from self._concepts(entity)
            case e.Exploration():
                below = [self.entities.get(child) for child in self.graph.successors(entity.iri)]
                for focus in (one for one in below if isinstance(one, e.Focus)):  # it came first, without its total
                    yield from (*self._step(focus), *self._not_selected(focus))
            case e.Focus():
                for key in entity.selected:
                    chosen = self.entities.get(key)
                    score = chosen.score if isinstance(chosen, e.EdgeSelection | e.ChunkSelection) else None
                    yield self._join(Arc(entity.iri, key, "selected", score))
                yield from self._not_selected(entity)
            case e.Analysis() if entity.thought:
                yield self._join(Arc(entity.iri, entity.thought, "thought"))
            case e.Observation() | e.StepResult():
                for passage in (one for found in event.passages.values() for one in found):  # which its tool consulted
                    yield from self._source(entity.iri, passage)

    def _described(self, entity: e.Entity, event: Explain) -> Iterator[Node | Arc]:
        match entity:
            case e.EdgeSelection() | e.ChunkSelection():
                yield from self._selection(entity, event.passages.get(entity.iri, ()))
            case e.Citation():
                for key in entity.cites:  # chunks that were found, where nothing was chosen among them
                    stage, passages = self._found.get(key, ("", ()))
                    for passage in passages:
                        yield from self._source(stage, passage)
            case _ if isinstance(entity, _NO_STEPS) or is_call_text(entity.iri):  # a call's text may be a hash alone
                return
            case _:
                yield from self._step(entity)

    def _step(self, entity: e.Entity) -> Iterator[Node | Arc]:
        yield self._put(Node(entity.iri, kind_of(entity), entity))
        if isinstance(entity, e.Answer | e.Question):
            (self._answers if isinstance(entity, e.Answer) else self._questions)[entity.iri] = None
        for parent in sorted(entity.above, key=lambda one: place_in_run(self.entities.get(one))):
            yield self._join(Arc(parent, entity.iri, "derived"))

    def _concepts(self, grounding: e.Grounding) -> Iterator[Node | Arc]:
        if f"{grounding.iri}#concept-1" in self.graph:
            return
        for number, concept in enumerate(grounding.ordered or grounding.concepts, 1):
            iri = f"{grounding.iri}#concept-{number}"
            yield self._put(Node(iri, "Concept", text=concept))
            yield self._join(Arc(grounding.iri, iri, "concept"))

    def _not_selected(self, focus: e.Focus) -> Iterator[Node | Arc]:
        found = (self.entities.get(key) for key in focus.candidates)
        members = tuple(entity for entity in found if isinstance(entity, e.Candidate))
        stage = self.exploration(focus)
        explored = (stage.count if stage else None) or 0
        alike = focus.selected if stage is not None and stage.of_chunks else focus.selected_edges
        count = max(explored - len(alike), len(members))
        iri, parent = f"{focus.iri}#not-kept", next(iter(focus.above), None)
        if parent is None or (count <= 0 and iri not in self._nodes):
            return
        yield self._put(Node(iri, "NotKept", members=members, count=count))
        yield self._join(Arc(parent, iri, "candidate"))

    def _selection(
        self, selection: e.EdgeSelection | e.ChunkSelection, passages: tuple[Passage, ...]
    ) -> Iterator[Node | Arc]:
        yield self._put(Node(selection.iri, kind_of(selection), selection, passages))
        stages = [iri for iri in self.graph.predecessors(selection.iri) if isinstance(self.entities.get(iri), e.Focus)]
        for stage in stages:
            yield self._join(Arc(stage, selection.iri, "selected", selection.score))
        for passage in passages:
            yield from self._source(selection.iri, passage)

    def _source(self, found_by: str, passage: Passage) -> Iterator[Node | Arc]:
        """Join a passage to what rests on it, and to its page or section, and that (or else it) to its document."""
        iri = self._passages.setdefault((passage.chunk, passage.start, passage.end), passage.subgraph)
        if iri not in self._nodes:
            yield self._put(Node(iri, "Passage", passages=(passage,)))
        elif passage not in (known := self.node(iri)).passages:
            yield self._put(replace(known, passages=(*known.passages, passage)))
        yield self._join(Arc(found_by, iri, "source"))
        if passage.part is not None:
            if passage.part not in self._nodes:
                kind = "Page" if passage.page is not None else "Section"
                yield self._put(Node(passage.part, kind, passages=(passage,)))
            yield self._join(Arc(iri, passage.part, "source"))
            iri = passage.part
        if passage.document not in self._nodes:
            yield self._put(Node(passage.document, "Document", passages=(passage,)))
        yield self._join(Arc(iri, passage.document, "source"))

    def _put(self, node: Node) -> Node:
        if node.iri not in self.graph:
            self._roots[node.iri] = None
        session, old = session_of(node.iri), self._nodes.get(node.iri)
        if old is not None and old.kind != node.kind:
            del self._kinds[old.kind][node.iri], self._sessions[session, old.kind][node.iri]
        self._nodes[node.iri] = node
        self._kinds[node.kind][node.iri] = self._sessions[session, node.kind][node.iri] = None
        self.graph.add_node(node.iri, kind=node.kind, node=node)
        return node

    def _join(self, arc: Arc) -> Arc:
        for end in (arc.parent, arc.child):
            if end not in self.graph:
                self.graph.add_node(end, kind="Unknown")
                self._roots[end] = None
        if self.graph.has_edge(arc.parent, arc.child):
            known: Arc = self.graph.edges[arc.parent, arc.child]["arc"]
            arc = known if arc.score is None and known.kind != "derived" else arc
        elif closes_circle(self.graph, arc.parent, arc.child):
            arc = replace(arc, kind="cycle")
            self._cycles[arc] = None
            return arc
        self.graph.add_edge(arc.parent, arc.child, kind=arc.kind, arc=arc)
        self._roots.pop(arc.child, None)
        return arc


def closes_circle(graph: nx.DiGraph[str], parent: str, child: str) -> bool:
    """Return whether an arc would close a circle; one to a new child, or from a new parent, costs nothing."""
    if parent == child or not (graph.succ[child] and graph.pred[parent]):
        return parent == child
    import networkx as nx

    found: bool = nx.has_path(graph, child, parent)
    return found


def _is_final(node: str, sessions: Container[str]) -> bool:
    named = recognise(node)
    return named is not None and named.key in sessions and named.kind in _FINAL_NODES
