import itertools
import random

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.dag.cycles import Layers
from explorer.vocab import iri
from tests.agents import SESSIONS, react, team
from tests.dag.test_dag import fold

numbers = st.integers(0, 7).map(str)
arcs = st.lists(st.tuples(numbers, numbers), max_size=20)


def grown(pairs):
    """A graph of those arcs that close no circle, and the others."""
    graph = nx.DiGraph()
    layers, left = Layers(graph), []
    for parent, child in pairs:
        graph.add_nodes_from((parent, child))
        if layers.closes_circle(parent, child):
            left.append((parent, child))
        else:
            graph.add_edge(parent, child)
            layers.changed()
    return graph, layers, left


@given(arcs)
def test_only_arcs_that_close_a_circle_are_left_out(pairs):
    graph, _, left = grown(pairs)
    assert nx.is_directed_acyclic_graph(graph)
    assert all(parent == child or nx.has_path(graph, child, parent) for parent, child in left)


@given(arcs)
def test_a_depth_is_the_longest_way_from_a_root(pairs):
    graph, layers, _ = grown(pairs)
    for node, depth in layers.depths().items():
        ways = [nx.dag_longest_path_length(graph.subgraph({node} | nx.ancestors(graph, node)))]
        assert depth == max(ways)


@given(arcs, st.randoms(use_true_random=False))
def test_layers_do_not_depend_on_the_order_of_arcs(pairs, shuffle):
    graph, layers, _ = grown(pairs)
    mixed = list(graph.edges)
    shuffle.shuffle(mixed)
    again, other, left = grown(mixed)
    assert left == []
    again.add_nodes_from(graph)
    other.changed()
    assert other.depths() == layers.depths()


def test_depths_are_counted_anew_after_a_change():
    graph, layers, _ = grown([("a", "b")])
    assert layers.all() == [["a"], ["b"]]
    graph.add_edge("b", "c")
    layers.changed()
    assert layers.all() == [["a"], ["b"], ["c"]]


def test_nothing_has_no_layers():
    assert Layers(nx.DiGraph()).all() == []


def test_a_long_chain_told_backwards_takes_no_time_to_speak_of():
    names = [str(number) for number in range(20_000)]
    graph, layers, left = grown(list(itertools.pairwise(names))[::-1])
    assert left == []
    assert layers.depths()[names[-1]] == 19_999
    assert layers.closes_circle(names[-1], names[0])
    assert len(graph) == 20_000


@pytest.mark.parametrize("session", SESSIONS)
def test_the_question_is_layer_0_and_every_child_lies_below_its_parents(session):
    dag = fold(SESSIONS[session])
    assert dag.layers()[0] == [dag.roots[0].iri]
    assert all(dag.depth(arc.parent) < dag.depth(arc.child) for arc in dag.arcs())
    assert {node for layer in dag.layers() for node in layer} == set(dag.graph)


def test_a_search_inside_a_step_makes_its_observation_deeper():
    dag = fold(react("a"))
    kinds = {dag.node(node).kind: dag.depth(node) for node in dag.path(iri("conclusion", "a"))}
    assert dag.path(iri("observation", "a", 1))[1:3] == [iri("pattern-decision", "a"), iri("analysis", "a", 1)]
    assert dag.depth(iri("observation", "a", 1)) == 8
    assert kinds["Conclusion"] == dag.depth(iri("conclusion", "a")) == 11


def test_a_shuffled_session_has_the_same_layers():
    events = team()
    expected = fold(events)
    dag = fold(random.Random(1).sample(events, len(events)))
    assert [sorted(layer) for layer in dag.layers()] == [sorted(layer) for layer in expected.layers()]


def test_the_depth_of_what_is_not_there_is_a_key_error():
    with pytest.raises(KeyError):
        fold([]).depth("urn:x:1")
