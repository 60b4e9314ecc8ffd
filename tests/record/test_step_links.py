"""The links of a record: every node leads to its run, an answer to its documents, a hash to its words."""

from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from pyoxigraph import NamedNode

from explorer import entities as e
from explorer.vocab import FACTS, PROV, RDF, RETRIEVAL, TG, X, recognise
from tests.corpus import QUESTIONS, filled, with_corpus

DOCS = Path(__file__).parents[2] / "docs" / "record.md"
ENGINES = ["graph-rag", "document-rag", "agent"]
ws = with_corpus()


@pytest.fixture(scope="module")
def runs():
    """A workspace, and a run of each engine in it."""
    with filled() as workspace:
        yield workspace, [workspace.run(QUESTIONS[0], engine, by="Ada") for engine in ENGINES]


def nodes(trace):
    return dict.fromkeys(quad.subject for quad in trace.quads() if quad.graph_name == RETRIEVAL)


def values(ws, node, link):
    return [quad.object for quad in ws.graph.match(node, link, None, RETRIEVAL)]


def test_every_node_of_a_run_leads_to_its_question(runs):
    ws, traces = runs
    for trace in traces:
        run = ws.node(f"urn:trustgraph:prov:run:{recognise(trace.iri).key}").entity
        for node in nodes(trace).keys() - {*map(NamedNode, run.agents), NamedNode(trace.iri)}:
            assert values(ws, node, X.run) == [NamedNode(trace.iri)], node
        assert values(ws, NamedNode(trace.iri), X.run) == []


def test_an_answer_leads_to_its_documents_and_in_no_circle(runs):
    ws, traces = runs
    for trace in traces:
        above, wave = {}, [NamedNode(trace.dag.final.iri)]
        while wave:
            if (node := wave.pop()) not in above:
                above[node] = [quad.object for quad in ws.graph.match(node, PROV.wasDerivedFrom)]
                wave += above[node]
        TopologicalSorter(above).prepare()  # which finds circles
        kinds = {quad.object for node in above for quad in ws.graph.match(node, RDF.type, None, FACTS)}
        assert TG.Document in kinds


def test_an_answer_names_its_citations(runs):
    for trace in runs[1][:2]:
        assert trace.citations
        assert set(trace.dag.final.entity.citations) == {one.iri for one in trace.citations}


def test_every_step_that_took_time_says_when_it_began(runs):
    for trace in runs[1]:
        begun = [step.begun_at for step in trace.steps if step.duration_ms is not None]
        assert begun == sorted(begun) != []
        assert begun[0] >= trace.dag.roots[0].entity.started_at


def test_a_run_is_an_activity_of_its_engine_its_model_and_who_asked(ws, monkeypatch):
    monkeypatch.setenv("EXPLORER_USER", "Grace")
    for by, names in ((None, {"Grace"}), ("Ada\nLovelace", {"Ada Lovelace"}), ("", set())):
        trace = ws.run(QUESTIONS[0], by=by)
        run = ws.node(f"urn:trustgraph:prov:run:{recognise(trace.iri).key}").entity
        assert isinstance(run, e.RunActivity)
        assert (run.used, run.run, run.started_at) == (
            (trace.iri,), trace.iri, trace.dag.roots[0].entity.started_at,
        )  # fmt: skip
        agents = [ws.node(one).entity for one in run.agents]
        assert {one.label for one in agents if isinstance(one, e.Person)} == names
        question = trace.dag.roots[0].entity
        assert {one.label for one in agents if isinstance(one, e.RunAgent)} == {question.engine, question.reasoner}
        assert not any(quad.predicate == PROV.wasAssociatedWith for quad in ws.graph.match(NamedNode(trace.iri)))


@pytest.mark.embedded("on servers the role is on record")
def test_in_a_folder_no_role_of_a_database_is_on_record(ws):
    ws.run(QUESTIONS[0], by="Ada")
    assert not list(ws.graph.match(None, X.databaseRole))


def test_nobody_is_on_record_who_is_not_named(ws, monkeypatch):
    monkeypatch.setenv("USER", "somebody")
    monkeypatch.setenv("LOGNAME", "somebody")
    monkeypatch.delenv("EXPLORER_USER", raising=False)
    ws.run(QUESTIONS[0])
    assert not any("somebody" in str(quad) for quad in ws.graph.match())


def test_runs_without_an_end_are_found_by_the_natural_query(ws):
    ws.run(QUESTIONS[0], "agent")
    cut = ws.ask(QUESTIONS[1], "agent")
    iri = next(cut).iri
    question = DOCS.read_text().split("```sparql\n")[1].split("```")[0]
    assert [str(row["run"]) for row in ws.query(question)] == [iri]
    cut.close()
    assert len(list(ws.query(question))) == 0
