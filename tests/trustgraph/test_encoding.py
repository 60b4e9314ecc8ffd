"""What our own runs look like as messages."""

import json

from hypothesis import given
from hypothesis import strategies as st

from explorer import entities as e
from explorer.events import Done, Explain, Progress, Text, Usage
from explorer.trustgraph.messages import events
from explorer.vocab import TG, X, iri
from tests import strategies as own
from tests.each import each
from tests.trustgraph.written import messages

FINAL = {"end_of_stream": False, "end_of_session": True}
QUESTION = e.GraphRagQuestion(iri=iri("question", "s"), query="q", started_at="2026-01-15T10:30:00Z", engine="e/1")
SYNTHESIS = iri("synthesis", "s")


def told(run):
    """What a stream says, without what only a live run has."""
    kept = [event for event in run if not isinstance(event, Progress) and event != Text(SYNTHESIS, "answer", "")]
    return [Explain(event.iri, event.triples) if isinstance(event, Explain) else event for event in kept]


def bodies(run, service="graph-rag", **how):
    return [message["response"] for message in messages(run, service, **how)]


@given(own.streams())
def test_a_run_of_our_own_reads_back_as_it_was(run):
    wire = json.loads(json.dumps(list(messages(run, "graph-rag"))))
    assert told(events(wire)) == told(run)


@given(own.streams())
def test_what_trustgraph_gets_has_nothing_of_our_extension(run):
    found = list(events(messages(run, "graph-rag", compat="trustgraph")))
    quads = [quad for step in found if isinstance(step, Explain) for quad in step.triples]
    assert [quad for quad in quads if quad.predicate in X or quad.object in X] == []
    assert [quad for quad in quads if quad.predicate == TG.edge] == [
        quad for step in run if isinstance(step, Explain) for quad in step.triples if quad.predicate == TG.edge
    ]
    assert all(step.triples for step in found if isinstance(step, Explain))
    assert found[-1].reason == run[-1].reason


@given(st.sampled_from(["graph-rag", "document-rag", "agent"]), own.streams())
def test_any_run_survives_any_service(service, run):
    found, given = told(events(messages(run, service))), told(run)
    for kind in (Explain, Text):
        assert [event for event in found if isinstance(event, kind)] == [x for x in given if isinstance(x, kind)]
    assert found[-1].error == run[-1].error


@each("service", ["graph-rag", "document-rag", "agent"])
@each("error", ["no model", "gateway-error: no\nroute", "agent-error: twice", "odd: said"])
def test_an_error_reads_back_with_its_type(service, error):
    assert list(events(messages([Done("error", Usage(1), (), error)], service))) == [Done("error", Usage(1), (), error)]


def test_all_passages_of_the_answer_survive_with_their_words():
    sources = (own.passage("a", 1, 0, 3), own.passage("a", None, 5, 2, "curator"))
    assert list(events(messages([Done("done", sources=sources)], "document-rag")))[-1].sources == sources


def agent_run(*texts):
    question = e.AgentQuestion(iri=iri("agent-question", "a"), query="q", started_at="2026-01-15T10:30:00Z")
    return [own.step(question, 0), *texts, Done("done")]


def test_the_answer_of_an_inner_run_is_kept_but_trustgraph_is_not_told():
    run = agent_run(Text(SYNTHESIS, "answer", "inner"), Text(iri("conclusion", "sub"), "answer", "sub"))
    assert [event.node for event in events(messages(run, "agent")) if isinstance(event, Text)] == [
        SYNTHESIS,
        iri("conclusion", "sub"),
    ]
    *_, last = kept = bodies(run, "agent", compat="trustgraph")
    assert len(kept) == 2
    assert last["message_id"] == iri("conclusion", "a")


def test_types_and_parents_of_our_own_are_left_out_and_what_came_from_elsewhere_is_not_touched():
    observation = e.Observation(iri=iri("observation", "a", 1), derived_from=(iri("analysis", "a", 1),), error="e")
    (step, _) = events(messages([own.step(observation, 0), Done("done")], "agent", compat="trustgraph"))
    reflects = [quad for quad in step.triples if quad.object == TG.Reflection]
    assert (reflects, len(step.triples)) == ([], 6)
    (foreign, _) = events(messages([step, Done("done")], "agent", compat="trustgraph"))
    assert foreign.triples == step.triples


def test_a_triple_in_the_default_graph_says_so():
    quad = own.step(QUESTION, 0).triples[0]
    loose = type(quad)(quad.subject, quad.predicate, quad.object)
    (body,) = bodies([Explain(QUESTION.iri, (loose,))])
    assert body["explain_triples"][0]["g"] == ""
    assert next(events([body])).triples == (loose,)


def test_a_run_that_was_cut_off_has_no_last_message():
    wire = list(messages([own.step(QUESTION, 0)], "graph-rag"))
    assert len(wire) == 1
    assert list(events(wire))[-1].reason == "error"
