"""One recorded run, read whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

from pyoxigraph import Quad, RdfFormat, Triple, parse

from explorer import entities as e
from explorer.dag import ProvenanceDag
from explorer.dag.nodes import kind_of
from explorer.dag.outcome import outcome, standing_support
from explorer.dag.passage_names import named_from
from explorer.dag.retrieved import RetrievedPassage, retrieved
from explorer.dag.sentences import citations, quoted
from explorer.display import Table
from explorer.errors import RecordError
from explorer.events import Event, Explain, Passage, Support, Usage
from explorer.models.chat import NO_MODEL
from explorer.prices import Money
from explorer.rdf.labels import edge_labels
from explorer.reasoning.corrected_facts import outdated, withdrawn
from explorer.stores.collection import Collection
from explorer.stores.fact_sources import Sources
from explorer.stores.left_out import read_by
from explorer.stores.passage_order import as_read, distinct, ordered_sources
from explorer.text import count, one_line, opening
from explorer.vocab import session_of
from explorer.wording.outcomes import how_far
from explorer.wording.scores import Selection
from explorer.wording.tally import tally
from explorer.wording.ways import engine_of, method

E = TypeVar("E", bound=e.Entity)

_WORDS = 120  # letters of a passage in a table


class Trace:
    """One recorded run, read whole: the question, what was selected and why, the answer, and the steps between them."""

    def __init__(self, events: Iterable[Event], dag: ProvenanceDag | None = None) -> None:
        """Fold a run's events; `dag` is their graph, where they are folded already."""
        self.events = tuple(events)
        self.dag = ProvenanceDag().fold(self.events) if dag is None else dag
        self._entities = tuple(self.dag.entities.values())

    @property
    def iri(self) -> str:
        """The IRI of its Question."""
        return self.asked.iri

    @property
    def question(self) -> str:
        """What was asked."""
        return self.asked.query

    @property
    def changed(self) -> tuple[str, ...]:
        """The contents, by IRI, that do not have the hash on record any more: they were changed since."""
        return tuple(sorted(self.dag.changed))

    @property
    def answer(self) -> str:
        """The answer's text; empty when the run failed or ended before there was one whole."""
        return "" if self.reason == "error" else self.dag.answer

    @property
    def steps(self) -> tuple[e.Step, ...]:
        """The steps of the run itself, in order; those of searches and agents within it are in `dag.entities`."""
        own = session_of(self.iri)
        return tuple(one for one in all_of(self, e.Step) if not isinstance(one, e.End) and session_of(one.iri) == own)

    @property
    def edges(self) -> Table[e.EdgeSelection]:
        """The selected edges, best first, each with concept, score and reasoning; shown as a table."""
        edges = all_of(self, e.EdgeSelection)
        return Table(edges, ("Fact", "Score", "Key idea", "Source", "Where"), self._of_edge, "No facts were kept.")

    @property
    def chunks(self) -> Table[e.ChunkSelection]:
        """The selected passages, best first, each with its score; shown as a table."""
        chunks = all_of(self, e.ChunkSelection)
        return Table(chunks, ("Passage", "Score", "Source", "Where"), self._of_chunk, "No passages were kept.")

    @property
    def retrieved(self) -> Table[RetrievedPassage]:
        """What a run of another pipeline retrieved, and what became of each passage; shown as a table.

        Empty for runs of explorer's own engines: see `chunks` and `candidates`.
        """
        heads = ("Passage", "What became of it", "Found and kept", "Why", "Source")
        return Table(retrieved(self.dag), heads, self._of_retrieved, "No run of another pipeline.")

    @property
    def explored(self) -> tuple[Triple, ...]:
        """The facts that were looked at, kept or not, nearest first; empty where they are not on record, as before.

        Of an agent's run those of each search, in turn.
        """
        lists = {one.explored for one in all_of(self, e.Exploration)}
        found = (content for event in self.events if isinstance(event, Explain) for content in event.contents)
        return tuple(dict.fromkeys(fact for one in found if one.iri in lists for fact in explored_facts(one.data)))

    @property
    def candidates(self) -> tuple[e.Candidate, ...]:
        """The facts that were scored and not kept, best first, each with its score."""
        return all_of(self, e.Candidate)

    @property
    def citations(self) -> Table[e.Citation]:
        """The sentences of the answer, each with the words it rests on, and how far; shown as a table.

        Of a search within a run look at its own trace.
        """
        final = self.dag.final
        own = session_of(final.iri) if final else ""
        found = (span for span in all_of(self, e.Citation) if not own or session_of(span.iri) == own)
        heads = ("Sentence", "How far", "Rests on", "Where", "Words")
        return Table(found, heads, self._of_citation, "No sentence cites anything.", is_whole=True)

    @property
    def reason(self) -> str:
        """How it ended: done, declined, error, stopped, interrupted; "running" without an end."""
        if self.dag.end is not None and self.dag.end.reason:
            return self.dag.end.reason
        return self.dag.done.reason if self.dag.done else "running"

    @property
    def outcome(self) -> str | None:
        """How the answer came out, as it stands now: "answered", "unsure" or "not found".

        None where that is not on record, as in runs of others. An answered one is unsure where a fact that it cites was
        taken back since, or a source of it removed.
        """
        return outcome(self.dag)

    @property
    def support(self) -> Support | None:
        """How well its evidence bears the answer; None where that is not on record, as in runs of before.

        It is not sure any more where a fact that the answer cites was taken back since, or a source of it removed.
        """
        return standing_support(self.dag)

    @property
    def usage(self) -> Usage:
        """Tokens and model, as reported."""
        return self.dag.done.usage if self.dag.done else Usage()

    @property
    def cost(self) -> Money | None:
        """What it cost, by the prices known where it is on record, or as spans told; None where nothing is known."""
        return self.dag.done.prices.cost(self._entities) if self.dag.done else None

    @property
    def costs(self) -> dict[str, Money]:
        """What each kind of step cost, by its class, as far as it is known."""
        if self.dag.done is None:
            return {}
        steps = [one for one in all_of(self, e.Step) if not isinstance(one, e.End)]
        by_kind = {kind_of(one): [each for each in steps if type(each) is type(one)] for one in steps}
        told = {kind: self.dag.done.prices.cost(of_kind) for kind, of_kind in by_kind.items()}
        return {kind: money for kind, money in told.items() if money is not None}

    @property
    def duration_ms(self) -> int | None:
        """How long it took, without the time it waited for its reader; None where that is not on record."""
        return self.dag.done.duration_ms if self.dag.done else None

    @property
    def method(self) -> str:
        """The engine and the agent's pattern in words: "Graph search", "Agent, as a team"."""
        decided = (step.pattern for step in self.steps if isinstance(step, e.PatternDecision))
        return method(engine_of(self.asked), next(filter(None, decided), None))

    @property
    def model(self) -> str | None:
        """The model that reasoned, "no model" for the extractive reasoner; None where it is not on record."""
        named = self.usage.model or next((step.model for step in self.steps if step.model), None)
        return named or model_of(self.asked.reasoner)

    @property
    def labels(self) -> Mapping[str, str]:
        """The names of the entities in its edges; they cannot be changed."""
        return MappingProxyType(self.dag.labels)

    def sources(self) -> Table[Passage]:
        """Return the passages: what the answer cites, then what else was kept or read, best first; shown as a table."""
        found = carried_by(self._entities, self.passages)
        heads = ("Source", "Where", "Words")
        return Table(found, heads, lambda one: (one.title, one.locator, one.text), "No sources are on record.")

    @property
    def passages(self) -> dict[str, tuple[Passage, ...]]:
        """Passages by the IRI of the selection they belong to."""
        return {key: found for event in self.events if isinstance(event, Explain)
                for key, found in event.passages.items()}  # fmt: skip

    @property
    def asked(self) -> e.Question:
        """Its Question: what was asked, how and when; raises RecordError where it has none."""
        entities = (*(root.entity for root in self.dag.roots), *self._entities)  # a run within it may come first
        question = next((entity for entity in entities if isinstance(entity, e.Question)), None)
        if question is None:
            raise RecordError("This trace has no Question; nothing of the run was recorded.")
        return question

    def _of_edge(self, edge: e.EdgeSelection) -> tuple[str, ...]:
        fact = "{} — {} → {}".format(*edge_labels(edge.edge, self.dag.labels)) if edge.edge else ""
        return fact, _score(edge), edge.concept or "", *self._place(edge)

    def _of_chunk(self, chunk: e.ChunkSelection) -> tuple[str, ...]:
        words = next((named_from(one, self.dag) for one in self.passages.get(chunk.iri, ())), "")
        return opening(words, _WORDS), _score(chunk), *self._place(chunk)

    def _of_citation(self, one: e.Citation) -> tuple[str, ...]:
        said = self.dag.answer[one.start or 0 : one.end or 0]
        nodes = (
            self.dag.node(key) for key in one.cites if key in self.dag.graph and "node" in self.dag.graph.nodes[key]
        )
        words = [part for node in nodes for passage in node.passages[:1] for part in quoted(self.dag, one, passage)]
        each = [(part.reference, f"{part.start}–{part.end}", f"“{part.text}”") for part in words]
        rests, where, told = (
            ("; ".join(dict.fromkeys(cells)) for cells in zip(*each, strict=True)) if each else [""] * 3
        )
        return said, how_far(self.dag, one), rests or "nothing", where, told

    def _of_retrieved(self, one: RetrievedPassage) -> tuple[str, ...]:
        words = opening(named_from(one.passage, self.dag), _WORDS)
        return words, one.state, one.moved, one.why, one.passage.reference

    def _place(self, selection: Selection) -> tuple[str, str]:
        """Return the document of a selection's first passage, and where it stands there and how often elsewhere."""
        places = self.passages.get(selection.iri, ())
        if not places:
            decided = self.dag.curated.get(selection.iri, "")
            return decided if "added by hand" in decided else "no recorded source", ""
        more = count(len(places) - 1, "more place") if places[1:] else ""
        return places[0].title, ", and ".join(filter(None, (places[0].locator, more)))

    def quads(self) -> list[Quad]:
        """Return its triples in the order they were recorded."""
        return [quad for event in self.events if isinstance(event, Explain) for quad in event.triples]

    def __repr__(self) -> str:
        came_out = ", ".join(filter(None, (self.reason, self.outcome if self.reason == "done" else None)))
        return f"<Trace “{one_line(self.question)}” {came_out}: {tally(self.dag)}>"


def all_of(trace: Trace, cls: type[E]) -> tuple[E, ...]:
    """Return the nodes of a class in a run, and in those within it, in the order they stand on record."""
    return tuple(one for one in trace.dag.entities.values() if isinstance(one, cls))


def explored_facts(data: bytes) -> list[Triple]:
    """Read the facts of an Exploration's `explored`, in their order; none of a list that was removed."""
    if not data.startswith(b"<"):
        return []
    return [quad.triple for quad in parse(data, format=RdfFormat.N_TRIPLES)]


def _score(selection: Selection) -> str:
    return "" if selection.score is None else f"{selection.score:.2f}"


def stores_read(dag: ProvenanceDag, stores: Collection) -> Collection:
    """Return a collection with the sources that a run has read: no other is named as one of what it looked at."""
    return read_by(stores, next((root.entity for root in dag.roots if isinstance(root.entity, e.Question)), None))


def withdrawn_of(dag: ProvenanceDag, sources: Sources) -> dict[str, str]:
    """Return what the answers of a run quote or say that was taken back or corrected by hand, by their citations, and
    by their own IRIs that they tell of a correction which was undone since.
    """
    asked = next((root.entity.query for root in dag.roots if isinstance(root.entity, e.Question)), None)
    answers = [one.iri for one in dag.nodes() if isinstance(one.entity, e.Answer)]

    def passages(iri: str) -> Sequence[Passage]:
        return dag.node(iri).passages if iri in dag.graph.nodes else ()

    found: dict[str, str] = {}
    for answer in answers:
        text = dag.text(answer)
        found |= outdated(answer, text, sources)
        found |= withdrawn(citations(dag, answer), passages, text, asked or "", sources)
    return found


def carried_by(described: Iterable[e.Entity], passages: Mapping[str, tuple[Passage, ...]]) -> tuple[Passage, ...]:
    """Return the passages of a run by how much they carried its answer, from its entities in the order of the record.

    Of a run with others within it: first what its own answer cites, then what carried each search, in their order.
    """
    sessions: dict[str, list[e.Entity]] = {}
    for entity in described:
        sessions.setdefault(session_of(entity.iri), []).append(entity)
    if len(sessions) < 2:
        alone = [entity for entities in sessions.values() for entity in entities]
        return (*_carried(alone, passages), *distinct(_consulted(alone, passages)))
    known = {entity.iri for entities in sessions.values() for entity in entities}
    questions = {key: one for key, entities in sessions.items() for one in entities if isinstance(one, e.Question)}
    own = next((sessions[key] for key, one in questions.items() if not known & {*one.derived_from}), [])
    cited = [key for entity in own if isinstance(entity, e.Citation) for key in entity.cites]
    found = [p for key in cited for p in passages.get(key, ())]
    for entities in sessions.values():
        if not any(isinstance(entity, e.Failure) for entity in entities):  # a failed search carried nothing it found
            found += _carried(entities, passages)
        found += _consulted(entities, passages)
    return distinct(found)


def model_of(reasoner: str | None) -> str | None:
    """Return the model that reasoned, "no model" for the extractive reasoner; None where no reasoner was recorded."""
    return NO_MODEL if reasoner and reasoner.startswith("extractive") else reasoner or None


def _consulted(entities: Iterable[e.Entity], passages: Mapping[str, tuple[Passage, ...]]) -> list[Passage]:
    reports = [entity for entity in entities if isinstance(entity, e.Observation | e.StepResult)]
    return [p for report in reports for key in report.consulted for p in passages.get(key, ())]


def _carried(entities: list[e.Entity], passages: Mapping[str, tuple[Passage, ...]]) -> tuple[Passage, ...]:
    narrowed = {parent for entity in entities if isinstance(entity, e.Focus) for parent in entity.above}
    selections: list[Selection] = []
    for entity in entities:
        if isinstance(entity, Selection):
            selections.append(entity)
        elif isinstance(entity, e.Exploration) and entity.iri not in narrowed:  # answered from all that was found
            found = entity.ordered or entity.selected_chunks
            selections += [e.ChunkSelection(iri=chunk, document=chunk) for chunk in found]
        elif isinstance(entity, e.Focus):
            selections += as_read(entity.read or ())
    cited = [key for entity in entities if isinstance(entity, e.Citation) for key in entity.cites]
    return ordered_sources(selections, passages, cited)
