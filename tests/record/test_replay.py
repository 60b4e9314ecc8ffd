"""Traces of others as events again; own ones are compared with the live run in test_traces."""

import pytest
from pyoxigraph import NamedNode, Quad

import explorer
from explorer import entities as e
from explorer import rdf
from explorer.dag import ProvenanceDag
from explorer.events import Content, Done, Explain, Text
from explorer.record.recovery import rebuild_listing
from explorer.vocab import PROV, RETRIEVAL, iri
from tests.agents import SESSIONS, planned, react, search, team
from tests.corpus import QUESTIONS, Clock, filled, ids
from tests.dag.test_dag import shape
from tests.each import each
from tests.rdf.test_older import FIRST
from tests.rdf.test_older import quads as quads_of
from tests.record.test_importing import quads
from tests.strategies import step


def stored(events, contents=()):
    """A workspace with the triples of some events in it, as an import leaves them."""
    ws = explorer.open(ids=ids(), clock=Clock())
    ws.graph.add(quads(events))
    ws.stores.library.put(contents)
    rebuild_listing(ws.stores)
    return ws


def replayed(events, question=None, contents=()):
    with stored(events, contents) as ws:
        asked = question or ProvenanceDag().fold(events).roots[0].iri
        return list(ws.traces.replay(asked))


@each("session", SESSIONS)
def test_a_foreign_trace_replays_whole_and_in_order_each_time_the_same(session):
    """With all its triples and no others, to the same graph, parents before their children."""
    events, dag, seen = SESSIONS[session], ProvenanceDag(), set()
    found = replayed([*events, *search("other")], events[0].iri if session == "search" else None)
    assert quads(found) == quads(events)
    assert found == replayed(events[::-1])
    assert [event for event in found if isinstance(event, Done)] == [found[-1]] == [Done("done")]
    for event in found[:-1]:
        read = rdf.entities(event.triples)
        assert [*event.entities] == read
        assert [one.original for one in event.entities] == [one.original for one in read]
        dag.apply(event)
        seen.add(event.iri)
        assert set(dag.entities[event.iri].derived_from) <= seen | set(dag.entities)
        assert len(dag.roots) == 1
    assert shape(dag) == shape(ProvenanceDag().fold(events))
    assert dag.final.iri == events[-1].iri


def test_stages_come_in_their_usual_order():
    kinds = [type(rdf.entities(event.triples)[0]) for event in replayed(react("a")) if isinstance(event, Explain)]
    assert kinds == [
        e.AgentQuestion, e.PatternDecision, e.Analysis, e.GraphRagQuestion, e.Grounding, e.Exploration, e.Focus,
        e.Synthesis, e.Observation, e.Analysis, e.Observation, e.Conclusion,
    ]  # fmt: skip


@pytest.mark.parametrize(("session", "named"), [(planned, "plan"), (team, "decomposition")])
def test_a_plan_is_told_in_the_order_it_was_done(session, named):
    """RDF forgets it, and the alphabet knows it no better: g10 stands before g2."""
    dag = ProvenanceDag().fold(replayed(session("z", 12)[::-1], iri("agent-question", "z")))
    plan = dag.entities[iri(named, "z")]
    assert (plan.steps if named == "plan" else plan.goals) == tuple(f"g{number}" for number in range(12))


def test_parts_are_told_with_their_step():
    found = {event.iri: event for event in replayed(react("a")) if isinstance(event, Explain)}
    assert iri("thought", "a", 1) not in found
    subjects = [quad.subject.value for quad in found[iri("analysis", "a", 1)].triples]
    assert iri("thought", "a", 1) in subjects
    subjects = {quad.subject.value for quad in found[iri("focus", "a-search")].triples}
    assert subjects == {iri("focus", "a-search"), iri("edge", "a-search", 0)}


def test_a_trace_within_another_is_loaded_by_itself():
    events = react("a")
    with stored(events) as ws:
        trace = ws.traces.load(iri("question", "a-search"))
        assert (trace.question, trace.iri, trace.reason) == ("What?", iri("question", "a-search"), "done")
        assert trace.dag.roots[0].iri == trace.iri
        assert iri("synthesis", "a-search") in trace.dag.graph
        assert len(trace.edges) == 1
        assert [summary.iri for summary in ws.traces.list()] == [iri("agent-question", "a")]
    with stored(team("t")) as ws:
        assert ws.traces.load(iri("agent-question", "t-1")).question == "Why?"
        assert ws.traces.load(iri("agent-question", "t")).dag.final.iri == iri("agent-synthesis", "t")


def test_texts_in_the_library_are_told_once_each_before_their_step():
    contents = [
        Content(iri("thought", "a", 1), "Thought", "text/plain", "Größe?".encode()),
        Content(iri("agent-answer", "a"), "Answer", "text/plain", b"It is so."),
        Content(iri("observation", "a", 2), "Observation", "text/plain", b""),
    ]
    found = replayed(react("a"), contents=contents)
    assert [event for event in found if isinstance(event, Text)] == [
        Text(iri("thought", "a", 1), "thought", "Größe?"),
        Text(iri("conclusion", "a"), "answer", "It is so."),
    ]
    told = {content for event in found if isinstance(event, Explain) for content in event.contents}
    assert told == set(contents)
    assert ProvenanceDag().fold(found).answer == "It is so."


def test_a_foreign_trace_without_an_answer_of_its_own_has_no_end():
    """Also where the search within its first step was answered, and then the agent broke off."""
    broken = [event for event in react("a") if event.iri != iri("conclusion", "a")]
    assert not [event for event in replayed(broken) if isinstance(event, Done)]
    with stored(search("q")[:4]) as ws:
        trace = ws.traces.load(iri("question", "q"))
        assert trace.reason == "running"
        assert not [event for event in trace.events if isinstance(event, Done)]


@pytest.mark.parametrize("link", [PROV.wasDerivedFrom, PROV.wasGeneratedBy])
def test_old_links_are_walked_too(link):
    def older(quad):
        return Quad(
            quad.subject, link if quad.predicate == PROV.wasDerivedFrom else quad.predicate, quad.object, RETRIEVAL
        )

    events = [Explain(event.iri, tuple(map(older, event.triples))) for event in search("q")]
    assert quads(replayed(events, iri("question", "q"))) == quads(events)


def test_a_circle_on_record_is_told_whole_and_never_hangs():
    events = search("q")
    back = Quad(NamedNode(iri("grounding", "q")), PROV.wasDerivedFrom, NamedNode(iri("synthesis", "q")), RETRIEVAL)
    found = replayed([*events, Explain(iri("grounding", "q"), (back,))], iri("question", "q"))
    assert quads(found) == quads(events) | {back}
    dag = ProvenanceDag().fold(found)
    assert len(dag.cycles) == 1
    assert len(dag.nodes("Synthesis")) == 1


def test_a_node_of_an_unknown_class_is_told_where_it_belongs():
    strange = e.Entity(iri="urn:x:1", label="New", derived_from=(iri("grounding", "q"),))
    found = replayed([*search("q"), Explain("urn:x:1", tuple(rdf.triples(strange)))])
    assert "urn:x:1" in [event.iri for event in found if isinstance(event, Explain)]
    assert ProvenanceDag().fold(found).node("urn:x:1").kind == "Unknown"


def test_steps_of_old_names_replay_as_they_were_stored():
    given = quads_of(FIRST)
    with stored([Explain("urn:trustgraph:session:s1", tuple(given))]) as ws:
        trace = ws.traces.load("urn:trustgraph:session:s1")
        assert set(trace.quads()) == set(given)
        assert [edge.reasoning for edge in trace.edges] == ["It says so.", "It follows."]
        assert [summary.engine for summary in ws.traces.list()] == ["graph-rag"]


def test_a_foreign_trace_lies_beside_own_ones_and_is_never_interrupted(tmp_path):
    asked = iri("agent-question", "a")
    with filled(tmp_path / "ws") as ws:
        own = ws.run(QUESTIONS[0])
        ws.graph.add(quads(react("a")))
        rebuild_listing(ws.stores)
    with explorer.open(tmp_path / "ws") as ws:
        assert {(one.engine, one.reason) for one in ws.traces.list()} == {("graph-rag", "done"), ("agent", "imported")}
        assert ws.traces.load(own.iri).quads() == own.quads()
        assert set(ws.traces.load(asked).quads()) == quads(react("a"))


def test_what_an_agent_here_reports_replays_as_it_was_stored():
    asked, analysis, seen = iri("agent-question", "a"), iri("analysis", "a", 1), iri("observation", "a", 1)
    reported = {"detail_level": "enhanced", "consulted": ("urn:chunk:a", "urn:chunk:b", "urn:chunk:c"),
                "transformation": "t", "confidence": 0.25, "leaked": "tool-1"}  # fmt: skip
    result = e.StepResult(
        iri=iri("step-result", "a", 0), derived_from=(asked,), goal="g", tool="count", arguments='{"n": 1}', **reported
    )
    events = [
        step(e.AgentQuestion(iri=asked, query="Why?", started_at="2026-01-15T10:30:00Z", engine="agent/1"), 0),
        step(e.Analysis(iri=analysis, derived_from=(asked,), action="count"), 1),
        step(e.Observation(iri=seen, derived_from=(analysis,), **reported), 2),
        step(result, 3),
        step(e.End(iri=iri("end", "a"), reason="done", ended_at="2026-01-15T10:30:01.5Z", calls=0), 4),
    ]
    with stored(events) as ws:
        told = list(ws.traces.replay(asked))
    assert [event.triples for event in told if isinstance(event, Explain)] == [event.triples for event in events]
    assert rdf.validate(quads(events)) == []
    assert (told[-1].usage.calls, told[-1].duration_ms) == (0, 1500)
