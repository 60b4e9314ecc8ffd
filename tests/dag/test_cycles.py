import itertools

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from explorer.dag.provenance_dag import closes_circle
from explorer.vocab import iri
from tests.agents import SESSIONS, react
from tests.dag.test_dag import fold, layers
from tests.each import each

numbers = st.integers(0, 7).map(str)
arcs = st.lists(st.tuples(numbers, numbers), max_size=20)


def grown(pairs):
    """A graph of those arcs that close no circle, and the others."""
    graph = nx.DiGraph()
    left = []
    for parent, child in pairs:
        graph.add_nodes_from((parent, child))
        if closes_circle(graph, parent, child):
            left.append((parent, child))
        else:
            graph.add_edge(parent, child)
    return graph, left


def depths(dag):
    return {node: depth for depth, layer in enumerate(layers(dag)) for node in layer}


@given(arcs)
def test_only_arcs_that_close_a_circle_are_left_out(pairs):
    graph, left = grown(pairs)
    assert nx.is_directed_acyclic_graph(graph)
    assert all(parent == child or nx.has_path(graph, child, parent) for parent, child in left)


def test_a_long_chain_told_backwards_takes_no_time_to_speak_of():
    names = [str(number) for number in range(20_000)]
    graph, left = grown(list(itertools.pairwise(names))[::-1])
    assert left == []
    assert len(list(nx.topological_generations(graph))) == 20_000
    assert closes_circle(graph, names[-1], names[0])
    assert len(graph) == 20_000


@each("session", SESSIONS)
def test_the_question_is_layer_0_and_every_child_lies_below_its_parents(session):
    dag = fold(SESSIONS[session])
    at = depths(dag)
    assert layers(dag)[0] == [dag.roots[0].iri]
    assert all(at[arc.parent] < at[arc.child] for arc in dag.arcs())
    assert at.keys() == set(dag.graph)


def test_a_search_inside_a_step_makes_its_observation_deeper():
    dag = fold(react("a"))
    at = depths(dag)
    assert dag.path(iri("observation", "a", 1))[1:3] == [iri("pattern-decision", "a"), iri("analysis", "a", 1)]
    assert at[iri("observation", "a", 1)] == 8
    assert at[iri("conclusion", "a")] == 11
    assert iri("conclusion", "a") in dag.path(iri("conclusion", "a"))
