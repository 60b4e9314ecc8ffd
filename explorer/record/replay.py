"""Replay: the events of a stored trace, found by walking the record from its Question, put in order, in full.

Own traces are ordered by `x:sequence`, others by derivation, the stages and steps of each session in their usual
order. Nothing but the record is needed; contents and sources are added as far as the library has them.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from graphlib import CycleError, TopologicalSorter
from itertools import chain, count, filterfalse
from typing import Any, TypeVar

from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer import entities as e
from explorer import rdf
from explorer.dag.nodes import kind_of
from explorer.entities import Kind, columns
from explorer.events import Content, Done, Event, Explain, Passage, Text, Usage
from explorer.reasoning.corrected_facts import outdated, passages_of, withdrawn
from explorer.record.node_lookup import about, iris, is_own, kind, named, read
from explorer.record.step_links import links_last
from explorer.record.trace import carried_by
from explorer.stores.collection import Collection
from explorer.stores.document_names import titles
from explorer.stores.graph import GraphStore, Pattern
from explorer.stores.reading_ahead import Lookups
from explorer.vocab import PROV, RETRIEVAL, TG, X, by_index, iri, recognise, session_of

_SPLIT = (e.Plan, e.Decomposition)
_LINKS = (PROV.wasDerivedFrom, PROV.wasGeneratedBy)
_ENDED = ("done", "declined", "error")
_SELECTED = ("edge", "candidate", "chunk-selection")
Used = Triple | NamedNode
"""A fact, or a chunk by its IRI."""
T = TypeVar("T", bound=Triple | NamedNode)
_RANK = {one.__name__: rank for rank, one in enumerate(e.ORDER)}


@dataclass(frozen=True, slots=True)
class Replay:
    """The trace below one Question; a `brief` one is without what was selected, considered and cited, with what is
    known of it: its steps alone, each with its own triples and texts.
    """

    stores: Collection
    question: str
    brief: bool = False
    _graph: Lookups = field(init=False, repr=False, compare=False)
    _texts: dict[str, Content] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_graph", Lookups(self.stores.graph))

    def events(self) -> Iterator[Event]:
        """Yield its events in order; one Done at the end, unless the run was cut off."""
        found = self._reach()
        self._ahead(found.values())
        found |= {key: _as_done(entity, found) for key, entity in found.items() if isinstance(entity, _SPLIT)}
        parts = {part for entity in found.values() for part in _parts_of(entity)}
        roots = [entity for key, entity in found.items() if key not in parts and not isinstance(entity, e.Citation)]
        citations: dict[str, list[e.Entity]] = defaultdict(list)
        for entity in found.values():
            if isinstance(entity, e.Citation):
                citations[session_of(entity.iri)].append(entity)
        replayed: list[e.Entity] = []
        explains: list[Explain] = []
        steps = [root for root in roots if isinstance(root, e.Step) and root.sequence is not None]
        own_order = len(steps) == len(roots)
        for root in sorted(steps, key=lambda step: step.sequence or 0) if own_order else _derived_order(roots):
            own = [found[key] for key in _parts_of(root) if key in found]
            own += citations[session_of(root.iri)] if isinstance(root, e.Synthesis | e.Conclusion) else []
            replayed += [root, *own]
            for entity in (*own, root):
                if (content := self._content(entity)) is not None and content.data:
                    said = "answer" if isinstance(entity, e.Answer) else type(entity).__name__.lower()
                    yield Text(entity.iri, said, content.data.decode("utf-8", errors="replace"))
            explains.append(self._explain(root, own))
            yield explains[-1]
        yield from self._done(found, replayed, explains)

    def _ahead(self, found: Iterable[e.Entity]) -> None:
        """Read what is known of the nodes of a trace: their texts, their sources, and the hashes of both."""
        told = list(found)
        texts = dict.fromkeys(text for one in told for text in _texts_of(one))
        self._texts.update(self.stores.library.contents(texts))
        run = iri("run", session_of(self.question)) if session_of(self.question) else self.question
        self._graph.ahead(about(node) for node in (*texts, run))
        if self.brief:
            return
        edges = (one.edge for one in told if isinstance(one, e.EdgeSelection | e.Candidate) and one.edge is not None)
        chunks = [one.document for one in told if isinstance(one, e.ChunkSelection) and one.document]
        chunks += [chunk for one in told if isinstance(one, e.Exploration) for chunk in one.selected_chunks]
        chunks += [chunk for one in told if isinstance(one, e.Observation | e.StepResult) for chunk in one.consulted]
        self.stores.sources.ahead(edges, chunks)

    def nodes(self) -> Iterator[str]:
        """Yield the nodes of the trace, with its texts and the activity that it was, as far as they are described."""
        found = self._reach()
        yield from found
        for entity in found.values():
            yield from (text for text in _texts_of(entity) if text not in found and self._about(text))
        question = found.get(self.question)
        yield from (one.iri for one in self._activity(question)) if isinstance(question, e.Question) else ()

    def _reach(self) -> dict[str, e.Entity]:
        """Return all nodes of the trace: what derives from the Question, what that selects, and how it ended."""
        found: dict[str, e.Entity] = {}
        steps = self._graph.graph.match(None, X.run, NamedNode(self.question), RETRIEVAL)
        known = recognise(self.question)
        ends = [iri(end, known.key) for end in ("end", "failure")] if known else []
        own = iris(quad.subject for quad in steps)
        self._look([self.question, *ends, *(node for node in own if not (self.brief and _is_selected(node)))])
        wave = deque([self.question])
        while wave:
            key = wave.popleft()
            if key in found:
                continue
            if not self._graph.knows(about(key)):
                self._look([key, *wave])
            described = self._read(key)
            if described is None:
                continue
            found[key] = described
            wave += (part for part in _parts_of(described) if not (self.brief and _is_selected(part)))
            if isinstance(described, e.EdgeSelection | e.ChunkSelection | e.Candidate):
                continue  # from which nothing derives
            for link in _LINKS:
                wave += [child.value for child in _subjects(self._graph, link, NamedNode(key))]
            known = recognise(key)
            if known and isinstance(described, e.Question):
                wave += [iri("end", known.key), iri("failure", known.key)]
            if known and isinstance(described, e.Answer) and not self.brief:
                for index in count():
                    if (citation := self._read(cited := iri("citation", known.key, index))) is None:
                        break
                    found[cited] = citation
        return found

    def _look(self, nodes: Iterable[str]) -> None:
        """Read what is known of nodes, and of those from which others derive what does."""
        given = list(nodes)
        links = ((None, link, NamedNode(key), RETRIEVAL) for key in given if not _is_selected(key) for link in _LINKS)
        self._graph.ahead(chain(map(about, given), links))

    def _read(self, key: str) -> e.Entity | None:
        described = read(self._graph, key, e.Entity)
        return None if described is None else _ordered(described)

    def _explain(self, root: e.Entity, parts: list[e.Entity]) -> Explain:
        if self.brief:
            texts = (content for one in (root, *parts) if (content := self._content(one)) is not None)
            return Explain(root.iri, tuple(rdf.triples(root, parts=parts)), tuple(texts))
        edges = [one.edge for one in parts if isinstance(one, e.EdgeSelection | e.Candidate) and one.edge is not None]
        loose = [quad for part in parts if isinstance(part, e.Citation) for quad in rdf.triples(part)]
        written = rdf.triples(root, parts=parts)
        number = [quad for quad in written if quad.predicate == X.sequence]
        body = [quad for quad in written if quad.predicate != X.sequence]
        contents = [content for entity in (root, *parts) if (content := self._content(entity)) is not None]
        said = [one for one in (root, *parts) if isinstance(one, e.Answer | e.Reflection)]
        of = [one.document for one in said if one.document and one.document != one.iri]
        others = _others_of(root)
        contents += [self._texts[key] for key in others if key in self._texts]
        told = [quad for key in (*of, *others) for quad in self._about(key)]  # also of those that were not stored
        if isinstance(root, e.Question) and root.iri == self.question:
            told += [quad for one in self._activity(root) for quad in rdf.triples(one)]
        sources = self.stores.sources
        if isinstance(root, e.Exploration):
            labels = {seed: label for seed in root.entities if (label := sources.label(seed))}
        else:
            labels = sources.labels([*edges, *(root.without_facts if isinstance(root, e.Question) else ())])
            labels |= titles(self.stores.database, root.without) if isinstance(root, e.Question) else {}
        triples = (*links_last(dict.fromkeys((*body, *loose, *told))), *number)
        changed = frozenset(one.iri for one in contents if is_changed(self._graph, one))
        event = Explain(
            root.iri, triples, tuple(contents), self._passages(root, parts), labels, self._curated(root, parts), changed
        )
        event.read({part.iri: part for part in parts if not part.original})
        return event

    def _about(self, content: str) -> list[Quad]:
        """Return what is on record of a content: its hash, and when it was removed."""
        return [*self._graph.match(*about(content))]

    def _activity(self, question: e.Question) -> list[e.Entity]:
        run = self._read(iri("run", session_of(question.iri))) if session_of(question.iri) else None
        if not isinstance(run, e.RunActivity):
            return []
        first = [iri("agent", name) for name in (question.engine, question.reasoner) if name]
        agents = sorted(run.agents, key=lambda key: (first.index(key) if key in first else len(first), key))
        return [replace(run, agents=tuple(agents)), *(one for key in agents if (one := self._read(key)) is not None)]

    def _passages(self, root: e.Entity, parts: list[e.Entity]) -> dict[str, tuple[Passage, ...]]:
        sources = self.stores.sources
        if isinstance(root, e.Exploration):
            return {chunk: found for chunk in root.selected_chunks if (found := sources.chunk(chunk))}
        if isinstance(root, e.Observation | e.StepResult):
            return {passage.chunk: (passage,) for chunk in root.consulted for passage in sources.chunk(chunk)}
        at = begun(self._graph, self.question)
        facts = {
            one.iri: tuple(
                passage for passage in sources.passages_at(one.edge, at)
                if not one.derived_from or passage.subgraph in one.derived_from  # and not what was found since
            )
            for one in parts if isinstance(one, e.EdgeSelection) and one.edge
        }  # fmt: skip
        chunks = (one for one in parts if isinstance(one, e.ChunkSelection) and one.document)
        read = (root.read or ()) if isinstance(root, e.Focus) else ()
        return facts | {one.iri: sources.chunk(one.document or "") for one in chunks} | {
            chunk: found for chunk in read if (found := sources.chunk(chunk))}  # fmt: skip

    def _curated(self, root: e.Entity, parts: Sequence[e.Entity]) -> dict[str, str]:
        edges = {one.iri: one.edge for one in parts if isinstance(one, e.EdgeSelection) and one.edge}
        sources = self.stores.sources
        content = self._content(root) if isinstance(root, e.Answer) else None
        text = content.data.decode(errors="replace") if content else ""
        done = sources.curations(edges) | outdated(root.iri, text, sources)
        cited = [one for one in parts if isinstance(one, e.Citation)] if sources.retracted else []
        if not cited:
            return done
        asked = self._read(self.question)
        question = asked.query or "" if isinstance(asked, e.Question) else ""
        passages = lambda key: passages_of(key, self._read(key), sources)  # noqa: E731
        return done | withdrawn(cited, passages, text, question, sources)

    def _content(self, entity: e.Entity) -> Content | None:
        if not isinstance(entity, e.Answer | e.Reflection) or entity.document is None:
            return None
        return self._texts.get(entity.document)  # None where it was imported without its contents

    def _done(self, found: dict[str, e.Entity], replayed: list[e.Entity], explains: list[Explain]) -> Iterator[Done]:
        known = recognise(self.question)
        end = found.get(iri("end", known.key)) if known else None
        failure = found.get(iri("failure", known.key)) if known else None
        failed = isinstance(end, e.End) and end.reason == "error"
        error = failure.error if isinstance(failure, e.Failure) else self._given_up(replayed) if failed else None
        passages = {key: sources for explain in explains for key, sources in explain.passages.items()}
        sources = () if error else carried_by(replayed, passages)
        if not isinstance(end, e.End):
            if not is_own(found[self.question]) and _is_answered(found, self.question):
                yield Done("done", sources=sources)
        elif end.reason in _ENDED:
            usage = Usage(end.in_token, end.out_token, end.model, end.calls)
            question = found[self.question]
            started_at = question.started_at if isinstance(question, e.Question) else None
            yield Done(end.reason, usage, sources, error, end.took(started_at), end.paused_ms)

    def _given_up(self, replayed: Iterable[e.Entity]) -> str | None:
        """Return the last text of an agent that ran out of steps, or of which all steps failed."""
        last = (one for one in replayed if isinstance(one, e.Conclusion | e.Synthesis))
        own = (one for one in last if session_of(one.iri) == session_of(self.question))
        stopped = next((one for one in own if one.termination_reason in ("max-iterations", "error")), None)
        content = self._content(stopped) if stopped else None
        return content.data.decode("utf-8", errors="replace") if content else None


def is_changed(graph: Lookups, content: Content) -> bool:
    """Return whether a content of a run does not have the hash that is on record any more; False where none is, and of
    one that was removed on purpose.
    """
    told = list(graph.match(*about(content.iri)))
    hashes = {quad.object.value for quad in told if quad.predicate == X.sha256 and isinstance(quad.object, Literal)}
    if not hashes or any(quad.predicate == PROV.invalidatedAtTime for quad in told):
        return False
    return hashlib.sha256(content.data).hexdigest() not in hashes


def begun(graph: GraphStore | Lookups, question: str) -> str | None:
    """Return when a run began, as recorded; None where that is not on record."""
    told = (quad for quad in graph.match(*about(question)) if quad.predicate == PROV.startedAtTime)
    return next((quad.object.value for quad in told if isinstance(quad.object, Literal)), None)


def users(stores: Collection, used: Iterable[Used]) -> set[str]:
    """Return the runs that selected facts or chunks, also in a run within them; and the nodes on the way back to them.

    A chunk is selected by a Focus, and by a search without one: it answered from all it found.
    """
    return {*reached(stores, selecting_steps(stores.graph, list(used)))}


def reached(stores: Collection, steps: Mapping[str, Used]) -> dict[str, Used]:
    """Return the runs that steps are of, also in a run within them, and the nodes on the way back to them, each with
    what the first of its steps has. Cycles are walked once.
    """
    runs = {session: run for run in stores.runs.iris() if (session := session_of(run))}
    wave, seen = dict(steps), dict[str, Used]()
    while wave:
        seen |= wave
        for key, one in wave.items():
            if (session := session_of(key)) in runs:
                seen.setdefault(runs[session], one)
        within = sorted(key for key in wave if session_of(key) not in runs)
        links: list[Pattern] = [(NamedNode(key), link, None, RETRIEVAL) for key in within for link in _LINKS]
        above = dict[str, Used]()
        for key, quads in zip((key for key in within for _ in _LINKS), stores.graph.matches(links), strict=True):
            ends = iris(quad.object for quad in quads)
            above |= dict.fromkeys(filterfalse(_is_selected, ends), wave[key])  # a Focus rests on what it selected too
        wave = {key: one for key, one in above.items() if key not in seen}
    return seen


def citing(stores: Collection, used: Iterable[Used]) -> set[str]:
    """Return the sessions whose answers cite a fact or a chunk, each by itself or by its selection."""
    given = list(used)
    selections = leading(stores.graph, [(_selected_by(one), one) for one in given])
    cited = (*selections, *(one for one in given if isinstance(one, NamedNode)))
    citations = leading(stores.graph, [(X.cites, one) for one in cited])
    return {session_of(citation.value) for citation in citations}


def selecting_steps(graph: GraphStore, used: Sequence[Used]) -> dict[str, Used]:
    """Return the steps that selected facts or chunks, each with the first that it did."""
    selections = leading(graph, [(_selected_by(one), one) for one in used])
    ways = (TG.selectedEdge, TG.selectedChunk)
    selecting = leading(graph, [(way, one) for one in selections for way in ways])
    found = {step.value: selections[one] for step, one in selecting.items()}
    known = {session_of(step) for step in found} - {""}
    lookups, chunks = Lookups(graph), [one for one in used if isinstance(one, NamedNode)]
    steps = leading(graph, [(TG.selectedChunk, one) for one in chunks])
    steps = {step: one for step, one in steps.items() if session_of(step.value) not in known}
    lookups.ahead((None, PROV.wasDerivedFrom, step, RETRIEVAL) for step in steps)
    children = {step: [key.value for key in _subjects(lookups, PROV.wasDerivedFrom, step)] for step in steps}
    lookups.ahead(about(key) for keys in children.values() for key in keys)
    return found | {
        step.value: steps[step] for step, keys in children.items()
        if not any(read(lookups, key, e.Focus) for key in keys)
    }  # fmt: skip


def _selected_by(used: Used) -> NamedNode:
    return TG.edge if isinstance(used, Triple) else TG.document


def leading(graph: GraphStore, links: Sequence[tuple[NamedNode, T]]) -> dict[NamedNode, T]:
    """Return the nodes that have one of some links, each with the end of the first."""
    told = graph.matches([(None, link, end, RETRIEVAL) for link, end in links])
    found = dict[NamedNode, T]()
    for (_, end), quads in zip(links, told, strict=True):
        for node in named(quad.subject for quad in quads):
            found.setdefault(node, end)
    return found


def _subjects(graph: Lookups, link: NamedNode, end: Triple | NamedNode) -> list[NamedNode]:
    return named(quad.subject for quad in graph.match(None, link, end, RETRIEVAL))


def _is_answered(found: dict[str, e.Entity], question: str) -> bool:
    """Return whether the session itself came to an answer, and not only a search or an agent within it."""
    finals = [key for key, entity in found.items() if isinstance(entity, e.Synthesis | e.Conclusion)]
    if known := recognise(question):
        return any((final := recognise(key)) is not None and final.key == known.key for key in finals)
    led_on = {parent for entity in found.values() for parent in entity.derived_from}
    return any(key not in led_on for key in finals)


def _parts_of(entity: e.Entity) -> tuple[str, ...]:
    """Return the nodes that are in the same event as a step."""
    match entity:
        case e.Focus():
            return (*entity.selected_edges, *entity.selected_chunks, *entity.candidates)
        case e.Analysis() if entity.thought:
            return (entity.thought,)
        case _:
            return ()


def _texts_of(entity: e.Entity) -> tuple[str, ...]:
    own = entity.document if isinstance(entity, e.Answer | e.Reflection) else None
    return (*([own] if own else ()), *_others_of(entity))


def _others_of(entity: e.Entity) -> tuple[str, ...]:
    """Return the texts that belong to a step besides that of an answer: what it looked at, its prompts and replies."""
    explored = (entity.explored,) if isinstance(entity, e.Exploration) and entity.explored else ()
    return (*explored, *entity.prompt, *entity.reply) if isinstance(entity, e.Step) else ()


def _is_selected(part: str) -> bool:
    return kind(part) in _SELECTED


def _derived_order(roots: list[e.Entity]) -> list[e.Entity]:
    """Return parents before children, those that could come next by stage, number and IRI; cycles have no order."""
    known = {root.iri: root for root in roots}
    order = TopologicalSorter({root.iri: known.keys() & set(root.above) for root in roots})
    try:
        order.prepare()
    except CycleError:
        return sorted(roots, key=_stage)
    placed: list[e.Entity] = []
    while order.is_active():
        ready = order.get_ready()
        placed += sorted((known[key] for key in ready), key=_stage)
        order.done(*ready)
    return placed


def _stage(entity: e.Entity) -> tuple[int, int, str]:
    return _RANK.get(kind_of(entity), len(_RANK)), _index(entity.iri), entity.iri


def _ordered(entity: e.Entity) -> e.Entity:
    """Return a node in the order that RDF forgets: of the ordinals and indexes recorded, else of the alphabet."""
    if entity.original:

        def turn(quad: Quad) -> tuple[str, int, str]:
            link = quad.object.value if isinstance(quad.object, NamedNode) else ""
            return str(quad.predicate), _index(link), str(quad.object)

        return replace(entity, original=tuple(sorted(entity.original, key=turn)))
    ordered = vars(entity).get("ordered")
    if isinstance(entity, e.Question):
        entity = replace(entity, without_facts=tuple(sorted(entity.without_facts, key=str)))
    written = vars(entity)
    several = [column for column in columns(type(entity))
               if column.many and column.kind is not Kind.TRIPLE and len(written[column.name]) > 1]  # fmt: skip
    values: dict[str, Any] = {column.name: _in_turn(ordered, written[column.name])
              for column in several if column.predicate != PROV.wasDerivedFrom}  # fmt: skip
    if isinstance(entity, e.EdgeSelection | e.ChunkSelection):
        values["derived_from"] = tuple(sorted(entity.derived_from))
    return replace(entity, **values) if values else entity


def _as_done(entity: e.Entity, found: dict[str, e.Entity]) -> e.Entity:
    """Return a plan, or the parts of a question, without an order on record in the order of their results."""
    done = [result for result in found.values() if isinstance(result, e.StepResult | e.Finding)]
    own = [one for one in done if (session := session_of(one.iri)) and session == session_of(entity.iri)]
    goals = [one.goal for one in sorted(own, key=lambda one: _index(one.iri)) if one.goal is not None]
    match entity:
        case e.Plan() if not entity.ordered:
            return replace(entity, steps=_in_turn(goals, entity.steps))
        case e.Decomposition() if not entity.ordered:
            return replace(entity, goals=_in_turn(goals, entity.goals))
        case _:
            return entity


def _in_turn(ordered: list[str] | None, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*(value for value in ordered or () if value in values), *by_index(values))))


def _index(node: str) -> int:
    known = recognise(node)
    return (known.index or 0) if known else 0
