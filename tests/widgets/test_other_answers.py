"""Other answers that used a fact or a passage, and where facts that were not kept come from."""

import pytest
from pyoxigraph import Literal, Quad

from explorer.dag import ProvenanceDag
from explorer.entities import Candidate
from explorer.record.recovery import rebuild_listing
from explorer.vocab import iri
from explorer.widgets import other_answers as others
from tests import agents
from tests.corpus import OPEN, QUESTIONS, filled


@pytest.fixture(scope="module")
def ws():
    with filled() as opened:
        for asked in (OPEN, *QUESTIONS[:3]):
            opened.run(asked)
        opened.run(QUESTIONS[0], "document-rag")
        yield opened


def dag_of(ws, number):
    """The graph of one run, counted from the newest."""
    return ws.traces.load(ws.traces.list()[number].iri).dag


def test_a_fact_names_the_other_runs_that_kept_it(ws):
    dag = dag_of(ws, 1)
    for node in dag.nodes("EdgeSelection"):
        told = others.items(ws, node, dag)
        expected = [one for one in ws.traces.using(node.entity.edge) if one.iri != dag.roots[0].iri]
        assert [one["iri"] for one in told] == [one.iri for one in expected]
        assert all(one["question"] and one["when"] and one["how"] == "Graph search" for one in told)
    assert any(others.items(ws, node, dag) for node in dag.nodes("EdgeSelection"))


def test_a_passage_names_runs_that_kept_it_or_a_fact_of_it(ws):
    dag = dag_of(ws, 0)
    asked = [one for node in dag.nodes("ChunkSelection") for one in others.items(ws, node, dag)]
    assert {(one["question"], one["how"]) for one in asked} == {
        (one, "Graph search") for one in (OPEN, QUESTIONS[0])
    }, "they quote it too"
    found = [one for node in dag_of(ws, 3).nodes("Passage") for one in others.items(ws, node, dag_of(ws, 3))]
    assert {one["how"] for one in found} == {"Graph search", "Passage search"}
    assert QUESTIONS[0] not in {one["question"] for one in found if one["how"] == "Graph search"}


def test_a_step_was_used_by_no_other(ws):
    dag = dag_of(ws, 1)
    assert [others.items(ws, node, dag) for node in dag.nodes("Focus")] == [[]]


def test_runs_of_one_question_are_one_line_and_many_lines_are_cut():
    what, others_of = Literal("What?"), {number: Literal(f"What of {number}?") for number in range(5, 60)}
    with filled() as opened:
        told = ((n, quad) for n in range(60) for event in agents.search(f"q{n}") for quad in event.triples)
        opened.graph.add(
            Quad(one.subject, one.predicate, others_of.get(n, what) if one.object == what else one.object,
                 one.graph_name) for n, one in told
        )  # fmt: skip
        rebuild_listing(opened.stores)
        dag = opened.traces.load(iri("question", "q7")).dag
        [fact] = dag.nodes("EdgeSelection")
        *listed, rest = others.items(opened, fact, dag)
        assert [one["how"] for one in listed if one["question"] == "What?"] == ["Graph search, 5 runs"]
        assert len(listed) == others.MOST
        assert dag.roots[0].iri not in {one["iri"] for one in listed}
        assert (rest["iri"], rest["question"]) == (None, f"and {55 - others.MOST} more")


def test_a_fact_without_an_edge_was_used_by_no_other():
    events = agents.search("q")
    quads = [quad for event in events for quad in event.triples if quad.predicate.value.rpartition("/")[2] != "edge"]
    with filled() as opened:
        opened.graph.add(quads)
        rebuild_listing(opened.stores)
        dag = opened.traces.load(iri("question", "q")).dag
        [fact] = dag.nodes("EdgeSelection")
        assert others.items(opened, fact, dag) == []


def test_a_fact_that_was_not_kept_tells_its_words(ws):
    told = 0
    for number in range(1, 4):
        dag = dag_of(ws, number)
        for one in dag.entities.values():
            if isinstance(one, Candidate):
                found = others.sources(ws, dag, one.iri)
                assert [source["text"] for source in found] == [passage.text for passage in ws.passages(one.edge)]
                assert all(source["where"] and source["hand"] for source in found)
                assert all(source["node"] is None or source["node"] in dag.graph for source in found)
                told += len(found)
    assert told


def test_what_is_no_candidate_has_no_words(ws):
    assert others.sources(ws, dag_of(ws, 1), iri("candidate", "none", 0)) == []
    assert others.sources(ws, ProvenanceDag(), "") == []
