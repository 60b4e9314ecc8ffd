import itertools
from dataclasses import replace

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Triple

from explorer import entities as e
from explorer.dag import Arc, Node, ProvenanceDag
from explorer.events import Done, Explain, Progress, Text
from explorer.layout import WIDTHS, chip_width
from explorer.vocab import entity_iri, iri
from tests.corpus import QUESTIONS, shared
from tests.strategies import passage, step, streams

EDGE = Triple(NamedNode(entity_iri("tank")), NamedNode(entity_iri("holds")), Literal("oxygen"))
PATH = ["question", "grounding", "exploration", "focus"]


def placed(dag):
    return {node.iri: (node.x, node.y) for node in dag.nodes()}


def boxes(dag):
    """What each node covers: left, top, right, bottom; of a point, the point itself without its label."""
    for node in dag.nodes():
        width = chip_width(node.lines[0]) if node.kind == "Concept" else WIDTHS[node.kind]
        height = {"Concept": 25, "Question": 52, "Page": 18, "Section": 18, "Document": 22}.get(node.kind, 38)
        yield node, (node.x - width / 2, node.y - height / 2, node.x + width / 2, node.y + height / 2)


def overlaps(dag):
    for (a, p), (b, q) in itertools.combinations(boxes(dag), 2):
        if p[0] < q[2] and q[0] < p[2] and p[1] < q[3] and q[1] < p[3]:
            yield a.lines, b.lines


def focus(*edges, left=()):
    """A Focus step of selections with the passages of each."""
    selections = [e.EdgeSelection(iri=iri("edge", "s", i), edge=EDGE, score=0.5) for i in range(len(edges))]
    candidates = [e.Candidate(iri=iri("candidate", "s", i), edge=EDGE) for i in range(len(left))]
    entity = e.Focus(
        iri=iri("focus", "s"),
        derived_from=(iri("exploration", "s"),),
        selected_edges=tuple(part.iri for part in selections),
        candidates=tuple(part.iri for part in candidates),
    )
    found = {part.iri: tuple(passages) for part, passages in zip(selections, edges, strict=True)}
    return step(entity, 3, parts=[*selections, *candidates], passages=found)


@settings(max_examples=60)
@given(streams())
def test_any_prefix_of_a_stream_is_a_valid_dag_whose_nodes_stay_where_they_are(events):
    dag, before = ProvenanceDag(), {}
    for event in events:
        change = dag.apply(event)
        assert nx.is_directed_acyclic_graph(dag.graph)
        assert all("node" in data and data["kind"] == data["node"].kind for _, data in dag.graph.nodes(data=True))
        assert all(data["kind"] == data["arc"].kind for _, _, data in dag.graph.edges(data=True))
        assert len(dag.roots) <= 1
        now = placed(dag)
        assert before.items() <= now.items()
        assert {node.iri for node in change.nodes} >= now.keys() - before.keys()
        before = now


@settings(max_examples=60)
@given(streams())
def test_the_changes_alone_rebuild_the_graph(events):
    dag, nodes, arcs = ProvenanceDag(), {}, {}
    for event in events:
        change = dag.apply(event)
        nodes |= {node.iri: node for node in change.nodes}
        arcs |= {(arc.parent, arc.child): arc for arc in change.arcs}
    assert list(nodes.values()) == dag.nodes()
    assert set(arcs.values()) == set(dag.arcs())


@settings(max_examples=60)
@given(streams())
def test_every_node_is_reached_from_the_question(events):
    dag = ProvenanceDag().fold(events)
    for node in dag.nodes():
        way = dag.path(node.iri)
        assert (way[0], way[-1]) == (iri("question", "s"), node.iri)
        assert all(dag.graph.has_edge(*pair) for pair in itertools.pairwise(way))


@settings(max_examples=60)
@given(streams())
def test_nothing_covers_anything_else(events):
    assert list(overlaps(ProvenanceDag().fold(events))) == []


@settings(max_examples=40)
@given(streams(), st.randoms(use_true_random=False))
def test_steps_in_any_order_give_the_same_graph(events, random):
    expected = ProvenanceDag().fold(events)
    steps = [event for event in events if isinstance(event, Explain)]
    random.shuffle(steps)
    dag = ProvenanceDag().fold(steps)
    assert set(dag.graph.edges) >= set(expected.graph.edges) - {
        edge for edge in expected.graph.edges if edge[1].endswith("#not-kept")
    }
    assert nx.is_directed_acyclic_graph(dag.graph)
    assert {node.iri for node in dag.nodes()} >= {node.iri for node in expected.nodes() if node.kind != "NotKept"}


@settings(max_examples=40)
@given(streams())
def test_a_step_told_twice_adds_nothing_and_moves_nothing(events):
    dag = ProvenanceDag().fold(events)
    before, edges, said = placed(dag), set(dag.graph.edges), [node.lines for node in dag.nodes()]
    dag.fold(event for event in events if isinstance(event, Explain))
    assert (placed(dag), set(dag.graph.edges)) == (before, edges)
    assert [node.lines for node in dag.nodes()] == said


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_run_grows_from_the_question_to_the_answer(question):
    trace = shared().run(question)
    dag = trace.dag
    steps = [node.kind for node in dag.nodes() if node.kind in ("Failure", *map(str.title, [*PATH, "synthesis"]))]
    assert steps == ["Question", "Grounding", "Exploration", "Focus", "Synthesis"]
    assert [root.kind for root in dag.roots] == ["Question"]
    assert list(overlaps(dag)) == []


def test_the_way_leads_from_the_question_over_the_edge_to_the_document():
    trace = shared().run(QUESTIONS[1])
    dag = trace.dag
    [document, *_] = [p.document for p in trace.sources() if p.page is not None]
    kinds = [dag.node(node).kind for node in dag.path(document)]
    assert kinds == [
        "Question", "Grounding", "Exploration", "Focus", "EdgeSelection", "Passage", "Page", "Document",
    ]  # fmt: skip
    arcs = {(dag.node(arc.parent).kind, dag.node(arc.child).kind): arc.kind for arc in dag.arcs()}
    assert arcs[("Focus", "EdgeSelection")] == "selected"
    assert arcs[("EdgeSelection", "Passage")] == arcs[("Passage", "Page")] == arcs[("Page", "Document")] == "source"
    assert arcs[("Grounding", "Concept")] == "concept"
    assert arcs[("Exploration", "NotKept")] == "candidate"
    assert arcs[("Focus", "Synthesis")] == "derived"


def test_arcs_to_selections_carry_the_score():
    dag = ProvenanceDag()
    change = dag.apply(focus([passage("a", 1, 0, 3)]))
    assert Arc(iri("focus", "s"), iri("edge", "s", 0), "selected", 0.5) in change.arcs


def test_one_passage_of_two_facts_is_one_node():
    dag = ProvenanceDag().fold([focus([passage("a", 1, 0, 3)], [passage("a", 1, 0, 3)])])
    [node] = dag.nodes("Passage")
    assert dag.graph.in_degree(node.iri) == 2


def test_the_same_words_taken_by_two_extractors_are_one_node_that_knows_both():
    twice = [passage("a", 1, 0, 3, agent) for agent in ("rules", "curator")]
    dag = ProvenanceDag().fold([focus(twice)])
    [node] = dag.nodes("Passage")
    assert [found.extracted_by for found in node.passages] == ["rules", "curator"]


def test_a_fact_with_several_sources_has_an_arc_to_each():
    dag = ProvenanceDag().fold([focus([passage("a", 1, 0, 3), passage("b", None, 2, 2)])])
    assert dag.graph.out_degree(iri("edge", "s", 0)) == 2
    assert [node.kind for node in dag.nodes()][-3:] == ["Passage", "Section", "Document"]


def test_a_passage_of_a_document_without_parts_leads_straight_to_it():
    dag = ProvenanceDag().fold([focus([replace(passage("a", None, 0, 3), part=None, section=None)])])
    assert [node.kind for node in dag.nodes()][-2:] == ["Passage", "Document"]
    assert dag.graph.number_of_edges() == 4


def test_a_fact_without_a_source_stands_alone():
    dag = ProvenanceDag().fold([focus([])])
    assert dag.graph.out_degree(iri("edge", "s", 0)) == 0
    assert dag.node(iri("edge", "s", 0)).passages == ()


def test_what_was_not_kept_is_one_node_that_counts_and_holds_it():
    dag = ProvenanceDag()
    dag.apply(step(e.Exploration(iri=iri("exploration", "s"), edge_count=12), 2))
    dag.apply(focus([], left=[1, 2]))
    [node] = dag.nodes("NotKept")
    assert node.lines == ("Not kept", "11 facts")
    assert [type(member) for member in node.members] == [e.Candidate] * 2


def test_concepts_keep_their_order_and_duplicates():
    dag = ProvenanceDag()
    dag.apply(step(e.Grounding(iri=iri("grounding", "s"), ordered=["b", "a", "b"], concepts=("b", "a")), 1))
    assert [node.lines for node in dag.nodes("Concept")] == [("b",), ("a",), ("b",)]


def test_a_node_of_an_unknown_type_is_shown_where_it_belongs():
    dag = ProvenanceDag()
    dag.apply(step(e.GraphRagQuestion(iri="urn:q:1", query="q"), 0))
    dag.apply(step(e.Entity(iri="urn:plan:1", label="Plan with 3 steps", derived_from=("urn:q:1",)), 1))
    assert dag.node("urn:plan:1").kind == "Unknown"
    assert dag.path("urn:plan:1") == ["urn:q:1", "urn:plan:1"]


def test_a_child_may_come_before_its_parent():
    dag = ProvenanceDag()
    dag.apply(step(e.Grounding(iri="urn:g:1", derived_from=("urn:q:1",)), 1))
    assert [node.iri for node in dag.nodes()] == ["urn:g:1"]
    dag.apply(step(e.GraphRagQuestion(iri="urn:q:1", query="q"), 0))
    assert [node.kind for node in dag.roots] == ["Question"]


def test_text_and_end_are_taken_in_and_passed_on():
    dag = ProvenanceDag()
    piece, end = Text("urn:s:1", "answer", "It "), Done("done")
    assert dag.apply(Progress("focus", 0, 1)).nodes == ()
    assert dag.apply(piece).text == piece
    assert dag.apply(Text("urn:s:1", "answer", "failed.")).text.delta == "failed."
    assert dag.apply(end).done == end
    assert (dag.answer, dag.done) == ("It failed.", end)


def test_an_unknown_node_is_a_key_error():
    with pytest.raises(KeyError):
        ProvenanceDag().node("urn:x:1")


def test_nodes_and_arcs_are_values():
    assert Node("urn:x:1", "Concept", ("a",), 0, 0) == Node("urn:x:1", "Concept", ("a",), 0, 0)
    assert isinstance(ProvenanceDag().graph, nx.DiGraph)
