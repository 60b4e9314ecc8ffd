"""Recorded agent sessions of TrustGraph 2.11.1, asked again: its knowledge, its replies, its tools, our engine.

The nodes, links, literals and texts of the agent itself are the recorded ones. Differences that are meant:
- the session is told before its PatternDecision (trustgraph.md §5, §16.21);
- tokens on Plan, Decomposition, Synthesis and Conclusion (§2.3, §16.20);
- Observation is a tg:Reflection too (§16.12);
- a step of a plan also derives from the steps it needs and from the answer of its own search, whose Question derives
  from the plan instead of from the step; the answer of a plan derives from each step that nothing else used (§5);
- the thought before the last answer is on record, which TrustGraph only streams;
- "bepurely" is "be purely": white space at the edges of pieces is whole (§17.7);
- times and durations, our own extension terms, and the End.
The searches within have the recorded kinds and links; their entities, selections, scores and tokens are our own.
"""

import itertools
import json
from dataclasses import dataclass

import pytest
from pyoxigraph import Literal, NamedNode

from explorer import entities as e
from explorer.dag import ProvenanceDag
from explorer.engines.agent.engine import AgentEngine
from explorer.engines.agent.functions import as_tools, tool
from explorer.engines.limits import AgentLimits
from explorer.engines.setting import Setting
from explorer.events import Done, Explain, Text
from explorer.ingest.reindex import reindex
from explorer.models.embedding import WordLlamaEmbedder
from explorer.reasoning.agent_protocol import TaskType
from explorer.reasoning.prompted.reasoner import PromptedReasoner
from explorer.record.traces import Traces
from explorer.trustgraph import messages as trustgraph
from explorer.vocab import PROV, RDF, TG, recognise
from tests.corpus import Clock
from tests.engines.test_recorded_replies import knowledge
from tests.script import Recorded

SESSION = "9f8e7d6c-5b4a-4321-8765-0123456789ab"
EMBEDDER = WordLlamaEmbedder()
NAMES = ("react", "plan", "supervisor")
TASKS = (
    TaskType("general", "General queries"),
    TaskType("research", "Investigations", framing="Focus on gathering information from multiple sources."),
)
FIRST = {"react": 1, "plan": 1, "supervisor": 2}  # the number of the first session within; 1 is a correlation there
TIMES = {PROV.startedAtTime, TG.llmDurationMs, TG.toolDurationMs}
TOKENS = {TG.inToken, TG.outToken, TG.llmModel}
PRICED = (e.PatternDecision, e.Plan, e.StepResult, e.Decomposition, e.Synthesis, e.Conclusion)


@tool
def calculator(expression: str) -> float:
    """Evaluate an arithmetic expression.

    expression: Arithmetic expression
    """
    if any(char.isalpha() for char in expression):
        raise ValueError(f"unsupported expression: {expression}")
    return eval(expression, {"__builtins__": {}})  # of the script alone


@dataclass
class Both:
    """A session as it was recorded, and as it is when asked again."""

    ours: list
    theirs: list
    stores: object
    chat: Recorded


def entities(events):
    dag = ProvenanceDag().fold(events)
    return dag.entities


def used(theirs):
    """Tokens as recorded, by the prompt they were used for: those of each step that thinks."""
    known, steps = {}, {}
    for entity in entities(theirs).values():
        if isinstance(entity, e.AgentQuestion):
            steps[recognise(entity.iri).key] = entity.query
    for entity in entities(theirs).values():
        if isinstance(entity, e.Analysis):
            named = recognise(entity.iri)
            known["agent-react", steps[named.key], named.index - 1] = (entity.in_token, entity.out_token)
    return known


@pytest.fixture(scope="module", params=NAMES)
def both(request, conformance):
    wire = conformance / "golden" / "wire"
    name = f"agent-{request.param}-stream"
    told = [json.loads(line) for line in (wire / f"{name}.jsonl").read_text("utf-8").splitlines()]
    prompts = [json.loads(line) for line in (wire / f"{name}.prompts.jsonl").read_text("utf-8").splitlines()]
    theirs = list(trustgraph.events(told))
    stores = knowledge(wire)
    reindex(stores, EMBEDDER, progress=False)
    chat = Recorded(prompts, used(theirs))
    numbers = itertools.count(FIRST[request.param])
    agent = AgentEngine(
        Setting(stores, EMBEDDER, SESSION, Clock(), check=False), lambda: PromptedReasoner(chat, EMBEDDER),
        lambda: f"00000000-0000-4000-8000-{next(numbers):012}",
        AgentLimits(parallel=1, groups=("knowledge-query", "calculator"), selector="reasoning"),
        tools=as_tools([calculator]), tasks=TASKS,
    )  # fmt: skip
    question = prompts[0]["variables"]["question"]
    ours = list(Traces(stores, Clock()).record(agent.run(question), SESSION))
    return Both(ours, theirs, stores, chat)


def of_agents(found):
    """The nodes of agents' own sessions, without those of searches within."""
    own = ((iri, entity) for iri, entity in found.items() if iri.startswith("urn:trustgraph:agent:"))
    return {iri: entity for iri, entity in own if not isinstance(entity, e.StoredContent)}


def said(events, iri):
    """What is told of a node with TrustGraph's terms, but for when and how long."""
    quads = [quad for event in events if isinstance(event, Explain) for quad in event.triples]
    return {
        (quad.predicate, quad.object) for quad in quads
        if quad.subject == NamedNode(iri) and quad.predicate not in TIMES
        and not quad.predicate.value.startswith("urn:provenance-explorer:")
    }  # fmt: skip


def links(found, iri):
    return {(PROV.wasDerivedFrom, NamedNode(parent)) for parent in found[iri].derived_from}


def allowed(found, iri):
    """What we tell beyond the record: as listed above, and nothing else."""
    entity = found[iri]
    more = set()
    if isinstance(entity, PRICED):
        more |= {(term, value) for term, value in said_of(entity) if term in TOKENS}
    if isinstance(entity, e.Observation):
        more.add((RDF.type, TG.Reflection))
    if isinstance(entity, e.StepResult | e.Synthesis):
        more |= links(found, iri)
    return more


def said_of(entity):
    values = ((TG.inToken, entity.in_token), (TG.outToken, entity.out_token), (TG.llmModel, entity.model))
    return {(term, Literal(str(value))) for term, value in values if value is not None}


def test_the_nodes_of_the_agent_are_the_recorded_ones_and_its_last_thoughts(both):
    ours, theirs = of_agents(entities(both.ours)), of_agents(entities(both.theirs))
    assert theirs.keys() <= ours.keys()
    more = [ours[iri] for iri in ours.keys() - theirs.keys()]
    assert all(isinstance(entity, e.Thought) for entity in more)
    assert all(recognise(entity.derived_from[0]).kind == "conclusion" for entity in more)


def test_links_literals_and_times_of_each_node_are_the_recorded_ones(both):
    found = entities(both.ours)
    for iri in of_agents(entities(both.theirs)):
        ours, theirs = said(both.ours, iri), said(both.theirs, iri)
        assert theirs - ours == set(), iri
        assert ours - theirs <= allowed(found, iri), iri
    for iri in of_agents(entities(both.theirs)):
        told = [{quad.predicate for event in events if isinstance(event, Explain) for quad in event.triples
                 if quad.subject == NamedNode(iri)} & TIMES for events in (both.ours, both.theirs)]  # fmt: skip
        assert told[0] == told[1], iri


def texts(events):
    dag = ProvenanceDag().fold(events)
    return {iri: text for (iri, kind), text in dag.texts.items() if text}


def test_texts_are_the_recorded_ones_with_their_white_space(both):
    ours, theirs = texts(both.ours), texts(both.theirs)
    for iri in entities(both.theirs).keys() & theirs.keys():
        entity = entities(both.theirs)[iri]
        if isinstance(entity, e.Decomposition | e.Plan):  # a sentence of the service's own
            continue
        assert ours[iri].split() == theirs[iri].replace("bepurely", "be purely").split(), iri
    assert not any("bepurely" in text for text in ours.values())


def test_contents_are_stored_under_the_recorded_names_and_hold_what_was_streamed(both):
    streamed = texts(both.ours)
    for iri, entity in of_agents(entities(both.theirs)).items():
        document = getattr(entity, "document", None)
        if document is None:
            continue
        content = both.stores.library.get(document)
        assert content.data.decode() == streamed[iri]
        assert content.title.split(":")[0] in TITLES[type(entity)]


TITLES = {
    e.Thought: ("Agent Thought",), e.Observation: ("Agent Observation",), e.Conclusion: ("Agent Answer",),
    e.StepResult: ("Step result",), e.Finding: ("Finding",), e.Synthesis: ("Synthesis",),
}  # fmt: skip


def test_searches_within_have_the_recorded_kinds_and_links(both):
    ours, theirs = entities(both.ours), entities(both.theirs)
    kinds = (e.GraphRagQuestion, e.Grounding, e.Exploration, e.Focus, e.Synthesis)
    searched = {iri: entity for iri, entity in theirs.items()
                if isinstance(entity, kinds) and not iri.startswith("urn:trustgraph:agent:")}  # fmt: skip
    assert searched
    for iri, entity in searched.items():
        assert type(ours[iri]) is type(entity)
        if isinstance(entity, e.GraphRagQuestion):
            above = recognise(entity.derived_from[0])
            expected = f"urn:trustgraph:agent:{SESSION}/plan" if above.kind == "step-result" else entity.derived_from[0]
            assert ours[iri].derived_from == (expected,)
            assert ours[iri].query == entity.query
        else:
            assert ours[iri].above == entity.above


def test_events_come_in_an_order_in_which_parents_are_known(both):
    known = set()
    for event in both.ours:
        if isinstance(event, Explain):
            described = entities([event])
            for entity in described.values():
                if not isinstance(entity, e.Citation):
                    sources = isinstance(entity, e.EdgeSelection | e.ChunkSelection)
                    assert sources or all(parent in known or parent in described for parent in entity.above), entity.iri
            known |= described.keys()


def test_all_recorded_replies_were_asked_for_and_lead_to_one_graph_to_which_every_text_belongs(both):
    dag = ProvenanceDag().fold(both.ours)
    assert [root.iri for root in dag.roots] == [f"urn:trustgraph:agent:{SESSION}"]
    assert dag.cycles == []
    assert {event.node for event in both.ours if isinstance(event, Text)} <= dag.entities.keys()
    assert both.chat.prompts == []
    assert both.ours[-1].reason == "done"


def test_replay_gives_the_same_events(both):
    replayed = list(Traces(both.stores, Clock()).replay(f"urn:trustgraph:agent:{SESSION}"))
    ours = [event for event in both.ours if isinstance(event, Explain) and recognise(event.iri).kind != "end"]
    again = [event for event in replayed if isinstance(event, Explain) and recognise(event.iri).kind != "end"]
    assert [event.iri for event in again] == [event.iri for event in ours]
    for one, other in zip(again, ours, strict=True):
        assert set(one.triples) == set(other.triples), one.iri
        assert set(one.contents) == set(other.contents)
        assert one.passages == other.passages
    assert replayed[-1] == both.ours[-1]
    assert isinstance(replayed[-1], Done)
    assert texts(replayed) == texts(both.ours)
