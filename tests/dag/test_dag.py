import itertools
import random
import time
from dataclasses import replace

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer import entities as e
from explorer.dag import ProvenanceDag
from explorer.dag.nodes import Arc
from explorer.events import Done, Explain, Progress, Text
from explorer.vocab import PROV, RDF, RETRIEVAL, TG, entity_iri, iri
from explorer.wording.graph_words import lines
from tests.agents import SESSIONS, planned, react, search, told
from tests.corpus import shared
from tests.each import each
from tests.strategies import passage, step, streams

EDGE = Triple(NamedNode(entity_iri("tank")), NamedNode(entity_iri("holds")), Literal("oxygen"))
PATH = ["question", "grounding", "exploration", "focus"]


def fold(events):
    return ProvenanceDag().fold(events)


def shape(dag):
    """Nodes with their kinds, and arcs with theirs and their scores."""
    nodes = {(node.iri, node.kind) for node in dag.nodes()}
    return nodes, {(arc.parent, arc.child, arc.kind, arc.score) for arc in dag.arcs()}


def layers(dag):
    return list(nx.topological_generations(dag.graph))


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
def test_any_prefix_of_a_stream_is_a_valid_dag_and_each_new_node_is_a_change(events):
    dag, before = ProvenanceDag(), set()
    for event in events:
        change = dag.apply(event)
        assert nx.is_directed_acyclic_graph(dag.graph)
        assert all("node" in data and data["kind"] == data["node"].kind for _, data in dag.graph.nodes(data=True))
        assert all(data["kind"] == data["arc"].kind for _, _, data in dag.graph.edges(data=True))
        assert len(dag.roots) <= 1
        now = {node.iri for node in dag.nodes()}
        assert before <= now
        assert {node.iri for node in change.nodes} >= now - before
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


@settings(max_examples=40)
@given(streams(), st.randoms(use_true_random=False))
def test_steps_in_any_order_give_the_same_graph(events, shuffle):
    steps = [event for event in events if isinstance(event, Explain)]
    shuffle.shuffle(steps)
    assert shape(fold(steps)) == shape(fold(events))


@settings(max_examples=40)
@given(streams())
def test_a_step_told_twice_changes_nothing(events):
    dag = ProvenanceDag().fold(events)
    before, edges, said = dag.nodes(), set(dag.graph.edges), [lines(dag, node) for node in dag.nodes()]
    dag.fold(event for event in events if isinstance(event, Explain))
    assert (dag.nodes(), set(dag.graph.edges)) == (before, edges)
    assert [lines(dag, node) for node in dag.nodes()] == said


def test_the_way_leads_from_the_question_over_the_edge_to_the_document():
    trace = shared().run("What were the heater switches rated for?", edge_limit=4)
    dag = trace.dag
    [document, *_] = [p.document for edge in trace.edges for p in trace.passages[edge.iri] if p.page is not None]
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
    assert (node.count, lines(dag, node)) == (11, ("Not kept", "11 facts"))
    assert [type(member) for member in node.members] == [e.Candidate] * 2


def test_every_concept_is_a_node_with_its_whole_text_in_its_order_twice_where_it_came_twice():
    ideas = [f"idea {number % 50}, put in very many words that no box has room for" for number in range(60)]
    dag = fold([step(e.Grounding(iri=iri("grounding", "s"), ordered=ideas, concepts=(*sorted({*ideas}),)), 1)])
    assert [node.text for node in dag.nodes("Concept")] == ideas
    assert {arc.child for arc in dag.arcs()} == {node.iri for node in dag.nodes("Concept")}


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


@each("seed", range(4))
@each("session", SESSIONS)
def test_a_session_of_any_kind_in_any_order_is_one_graph(session, seed):
    events, dag, before = SESSIONS[session], ProvenanceDag(), set()
    for event in random.Random(seed).sample(events, len(events)):
        dag.apply(event)
        assert nx.is_directed_acyclic_graph(dag.graph)
        assert before <= (before := {node.iri for node in dag.nodes()})
    assert shape(dag) == shape(fold(events))
    assert [root.iri for root in dag.roots] == [
        next(event.iri for event in events if isinstance(dag.entities[event.iri], e.Question))
    ]
    assert dag.final.iri == events[-1].iri
    assert nx.is_weakly_connected(dag.graph)


@each("session", SESSIONS)
def test_a_session_told_twice_is_told_once(session):
    events = SESSIONS[session]
    twice = [event for event in events for _ in range(2)]
    assert shape(fold(twice)) == shape(fold(events + events)) == shape(fold(events))
    dag = fold(twice)
    assert len({node.iri for node in dag.answers}) == len(dag.answers) == len(fold(events).answers)


def test_several_sessions_at_once_are_several_roots():
    events = [event for row in itertools.zip_longest(react("a"), search("q"), planned("p")) for event in row if event]
    dag = fold(events)
    assert {root.iri for root in dag.roots} == {
        iri("agent-question", "a"), iri("question", "q"), iri("agent-question", "p"),
    }  # fmt: skip
    assert nx.number_weakly_connected_components(dag.graph) == 3
    assert set(shape(dag)[1]) == {arc for events in (react("a"), search("q"), planned("p"))
                                  for arc in shape(fold(events))[1]}  # fmt: skip


def test_each_session_counts_only_what_is_its_own():
    dag = ProvenanceDag()
    for session, explored in (("a", 12), ("b", 40)):
        above = iri("exploration", session)
        dag.apply(step(e.Exploration(iri=above, edge_count=explored), 2))
    for session in "ab":
        chosen, above = (iri("edge", session, 0),), (iri("exploration", session),)
        dag.apply(step(e.Focus(iri=iri("focus", session), derived_from=above, selected_edges=chosen), 3))
    assert [lines(dag, node)[1] for node in dag.nodes("Focus")] == ["1 kept, 11 more read", "1 kept, 39 more read"]
    assert [lines(dag, node)[1] for node in dag.nodes("NotKept")] == ["11 facts", "39 facts"]


def test_a_focus_that_came_before_its_exploration_says_of_how_many_once_it_is_there():
    events = search("q")
    dag = fold([events[3], events[2]])
    assert lines(dag, dag.node(iri("focus", "q")))[1] == "1 kept, 5 more read"
    assert [lines(dag, node)[1] for node in dag.nodes("NotKept")] == ["5 facts"]


def test_a_search_within_a_step_hangs_together_with_it():
    dag = fold(react("a"))
    assert dag.path(iri("synthesis", "a-search"))[:4] == [
        iri("agent-question", "a"), iri("pattern-decision", "a"), iri("analysis", "a", 1), iri("question", "a-search"),
    ]  # fmt: skip
    assert dag.graph.edges[iri("analysis", "a", 1), iri("thought", "a", 1)]["kind"] == "thought"
    assert dag.graph.edges[iri("synthesis", "a-search"), iri("observation", "a", 1)]["kind"] == "derived"


@each("session", SESSIONS)
def test_all_answers_are_found_and_one_is_the_final_one(session):
    dag = fold(SESSIONS[session])
    answers = {node.iri for node in dag.answers}
    assert answers == {node for node, entity in dag.entities.items() if isinstance(entity, e.Answer)}
    assert len(answers) == {"search": 1, "react": 2, "planned": 5, "team": 7}[session]
    assert dag.final.iri in answers


def test_the_answer_of_a_search_inside_is_not_the_final_one_even_when_it_comes_last():
    events = planned("p")
    inner = [event for event in events if "p-search" in event.iri]
    dag = fold([event for event in events if event not in inner] + inner)
    assert dag.final.iri == iri("agent-synthesis", "p")
    assert dag.answers[-1].iri == iri("synthesis", "p-search")


def test_there_is_no_final_answer_before_one_is_told():
    assert fold(react("a")[:2]).final is None
    assert fold([]).final is None
    assert fold([]).roots == fold([]).answers == []


def test_a_trace_within_another_told_by_itself_has_its_question_as_root():
    dag = fold(search("q", parent=iri("analysis", "a", 1)))
    assert [root.iri for root in dag.roots] == [iri("question", "q")]
    assert dag.final.iri == iri("synthesis", "q")
    dag.fold(react("a"))
    assert [root.iri for root in dag.roots] == [iri("agent-question", "a")]


def test_a_node_that_is_named_only_has_no_place_until_it_is_told():
    selected = e.Focus(iri="urn:f:1", derived_from=("urn:x:1",), selected_edges=("urn:e:0",))
    dag = fold([step(selected, 3)])
    assert [node.iri for node in dag.nodes()] == ["urn:f:1"]
    assert dag.graph.nodes["urn:e:0"] == dag.graph.nodes["urn:x:1"] == {"kind": "Unknown"}
    dag.apply(step(e.EdgeSelection(iri="urn:e:0", edge=EDGE, score=0.25), 4))
    assert dag.node("urn:e:0").kind == "EdgeSelection"
    assert dag.graph.edges["urn:f:1", "urn:e:0"]["arc"] == Arc("urn:f:1", "urn:e:0", "selected", 0.25)


def test_a_node_told_in_two_pieces_is_whole():
    whole = step(e.Grounding(iri="urn:g:1", derived_from=("urn:q:1",), concepts=("a", "b")), 1)
    for cut in range(1, len(whole.triples)):
        pieces = [Explain("urn:g:1", whole.triples[:cut]), Explain("urn:g:1", whole.triples[cut:])]
        for ordered in (pieces, pieces[::-1]):
            dag = fold(ordered)
            assert dag.node("urn:g:1").kind == "Grounding"
            assert set(dag.entities["urn:g:1"].concepts) == {"a", "b"}
            assert dag.path("urn:g:1") == ["urn:q:1", "urn:g:1"]


def circle(length):
    nodes = [f"urn:c:{number}" for number in range(length)]
    return [
        told(e.Analysis(iri=node, action="go", derived_from=(nodes[number - 1],))) for number, node in enumerate(nodes)
    ]


@each("length", [1, 2, 3, 500])
def test_a_circle_is_flagged_and_left_out_of_the_graph(length):
    dag = fold(circle(length))
    assert nx.is_directed_acyclic_graph(dag.graph)
    [arc] = dag.cycles
    assert fold(circle(length) * 2).cycles == [arc]
    assert arc.kind == "cycle"
    assert arc in dag.arcs()
    assert len(dag.nodes()) == len(dag.graph) == length
    assert len(dag.roots) == 1
    assert len(dag.path("urn:c:0")) <= length
    assert sum(map(len, layers(dag))) == length


def test_everything_derived_from_everything_never_hangs():
    nodes = [f"urn:c:{number}" for number in range(60)]
    events = [told(e.Analysis(iri=node, action="go", derived_from=tuple(nodes))) for node in nodes]
    dag = fold(events)
    assert nx.is_directed_acyclic_graph(dag.graph)
    assert dag.graph.number_of_edges() + len(dag.cycles) == 60 * 60
    assert len(layers(dag)) == 60


def test_many_children_of_one_node_take_no_more_than_their_time():
    about = [(RDF.type, PROV.Entity), (RDF.type, TG.Plan), (PROV.wasDerivedFrom, NamedNode("urn:root:1"))]
    nodes = [NamedNode(f"urn:k:{number}") for number in range(30_000)]
    children = tuple(Quad(node, *said, RETRIEVAL) for node in nodes for said in about)
    begun = time.thread_time()
    dag = fold([told(e.AgentQuestion(iri="urn:root:1", query="q")), Explain("urn:root:1", children)])
    assert dag.graph.out_degree("urn:root:1") == 30_000
    assert [root.iri for root in dag.roots] == ["urn:root:1"]
    assert [len(layer) for layer in layers(dag)] == [1, 30_000]
    assert dag.path("urn:k:29999") == ["urn:root:1", "urn:k:29999"]
    assert time.thread_time() - begun < 20  # some 2 s; far more only if it grows with the square
