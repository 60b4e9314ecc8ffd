import copy
import pickle
from dataclasses import replace
from math import exp

import pytest
from pyoxigraph import Literal, Quad

from explorer.entities import Citation, EdgeSelection, Exploration
from explorer.errors import RecordError
from explorer.events import Done, Explain, Usage
from explorer.rdf import triples
from explorer.record.trace import Trace
from explorer.vocab import RDF, X
from tests.corpus import QUESTIONS, shared


@pytest.fixture(scope="module")
def trace():
    return shared().run(QUESTIONS[1])


def test_a_trace_tells_its_run_and_how_well_its_evidence_bears_the_answer(trace):
    assert trace.question == QUESTIONS[1]
    assert trace.iri.startswith("urn:trustgraph:question:s")
    assert trace.reason == "done"
    assert trace.answer == trace.dag.answer == "The heater switches failed because the ground supply gave 65 V DC."
    assert all(isinstance(edge, EdgeSelection) and edge.reasoning and edge.score is None for edge in trace.edges)
    assert trace.edges[0].concept == "heater switches"
    assert trace.usage == Usage(None, None, None)
    assert not [quad for quad in trace.quads() if quad.predicate.value.endswith(("inToken", "outToken", "llmModel"))]
    assert trace.support.level == "strong"
    assert trace.support.value == pytest.approx(1 / (1 + exp(-sum(trace.support.parts.values()))), abs=0.001)
    assert shared().run(QUESTIONS[3]).support.level == "none"
    assert shared().traces.load(trace.iri).support == trace.support


def test_all_facts_that_were_looked_at_are_on_record_those_scored_first(trace):
    [exploration] = [one for one in trace.steps if isinstance(one, Exploration)]
    explored = trace.explored
    assert len(explored) == len(set(explored)) == exploration.edge_count > len(trace.edges)
    scored = {one.edge for one in (*trace.edges, *trace.candidates)}
    assert set(explored[: len(scored)]) == scored
    assert trace.candidates == tuple(sorted(trace.candidates, key=lambda one: one.rank))
    again = shared().traces.load(trace.iri)
    assert (again.explored, again.candidates) == (explored, trace.candidates)
    assert shared().run(QUESTIONS[1]).explored == explored
    whole, theirs = ({quad.predicate for quad in triples(exploration, compat)} for compat in (None, "trustgraph"))
    assert X.explored in whole - theirs


def test_facts_found_hop_by_hop_are_on_record_too_and_of_each_search_of_an_agent():
    hops = shared().run(QUESTIONS[1], selector="rerank")
    assert set(hops.explored) >= {one.edge for one in (*hops.edges, *hops.candidates)}
    team = shared().run("Who built the relief valve, and why did the heater switches fail?", engine="agent")
    assert set(team.explored) >= {one.edge for one in team.edges}
    assert shared().run(QUESTIONS[1], engine="document-rag").explored == ()


def changed(trace, change):
    """The trace as if some of its quads had been stored otherwise, or not at all."""
    told = [one for one in trace.events if isinstance(one, Explain)]
    return Trace([replace(one, triples=tuple(filter(None, map(change, one.triples)))) for one in told])


def test_a_run_of_before_says_nothing_of_what_it_looked_at(trace):
    assert changed(trace, lambda quad: quad if quad.predicate != X.explored else None).explored == ()


def test_citations_are_spans_of_the_answer_that_rest_on_selections(trace):
    selected = {edge.iri for edge in trace.edges}
    assert trace.citations
    for citation in trace.citations:
        assert isinstance(citation, Citation)
        assert 0 <= citation.start < citation.end <= len(trace.answer)
        assert set(citation.cites) <= selected
        words = trace.answer[citation.start : citation.end].rstrip(".")
        sources = [passage.text for edge in citation.cites for passage in trace.passages[edge]]
        assert any(words in " ".join(text.split()) for text in sources)
    run = shared().run(QUESTIONS[1], "document-rag")
    first = run.citations[0]
    [passage] = run.passages[first.cites[0]]
    assert passage.text[first.source_start : first.source_end] == run.answer[first.start : first.end]


def test_sources_begin_with_those_the_answer_cites(trace):
    first = trace.sources()[0]
    assert " ".join(first.text.split()).rstrip(".") in trace.answer
    spans = [(source.document, source.start) for source in trace.sources()]
    assert len(spans) == len(set(spans))


def test_a_trace_shows_itself_in_one_line_and_as_a_picture(trace):
    assert repr(trace) == f"<Trace “{QUESTIONS[1]}” done, {trace.outcome}: 1 used, 14 more read>"
    shown = trace._repr_mimebundle_()
    assert shown["text/plain"].startswith("? Question")
    assert "<p><img " in shown["text/html"]


def test_a_hostile_question_is_shown_in_one_line_without_what_a_terminal_obeys():
    trace = shared().run("Why \x1b[31m did\nthe <b>heater</b>\x07 fail?")
    assert repr(trace).startswith("<Trace “Why [31m did the <b>heater</b> fail?” ")
    assert "\x1b" not in trace._repr_mimebundle_()["text/plain"]
    assert "<b>" not in trace._repr_mimebundle_()["text/html"]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda trace: pickle.loads(pickle.dumps(trace))])
def test_a_copy_of_a_trace_tells_the_same(trace, copied):
    other = copied(trace)
    assert other is not trace
    assert (other.iri, other.answer, [*other.edges]) == (trace.iri, trace.answer, [*trace.edges])
    assert [node.iri for node in other.dag.nodes()] == [node.iri for node in trace.dag.nodes()]
    assert other.quads() == trace.quads()


@pytest.mark.parametrize("iri", [None, "", "urn:x", 3])
def test_a_node_that_is_not_there_is_told_in_a_sentence(trace, iri):
    with pytest.raises(KeyError, match=f"There is no node {iri!r} in this graph"):
        trace.dag.node(iri)


def test_a_run_without_a_question_says_so_and_one_without_an_end_is_running():
    empty = Trace([Done("error", error="x")])
    with pytest.raises(RecordError, match="no Question"):
        _ = empty.question
    assert (empty.answer, empty.reason, empty.edges) == ("", "error", ())
    run = shared().ask(QUESTIONS[0])
    assert Trace([next(run), next(run)]).reason == "running"
    run.close()


@pytest.mark.parametrize("rerank", [True, False])
def test_a_trace_of_passages_tells_its_run(rerank):
    trace = shared().run(QUESTIONS[1], "document-rag", rerank=rerank, doc_limit=2)
    assert trace.iri.startswith("urn:trustgraph:docrag:s")
    assert trace.edges == ()
    assert len(trace.chunks) == (2 if rerank else 0)
    assert [shared().passages(chunk) for chunk in trace.chunks] == [
        list(trace.passages[chunk.iri]) for chunk in trace.chunks
    ]
    assert trace.sources() == trace.events[-1].sources != ()
    said = "1 used, 1 close, 3 more read" if rerank else "nothing kept"
    assert repr(trace) == f"<Trace “{QUESTIONS[1]}” done, {trace.outcome}: {said}>"


def test_support_that_another_wrote_otherwise_is_none(trace):
    other = Literal('{"value": "high"}', datatype=RDF.JSON)

    def as_told(quad):
        return Quad(quad.subject, quad.predicate, other, quad.graph_name) if quad.predicate == X.support else quad

    told = changed(trace, as_told)
    assert (told.support, trace.support.level) == (None, "strong")
