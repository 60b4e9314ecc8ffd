from itertools import pairwise

import pytest
from pyoxigraph import NamedNode, Quad

from explorer.engines.exploration import Exploration
from explorer.engines.limits import Limits
from explorer.reasoning.embedding import WordLlamaEmbedder
from explorer.stores.collection import open_collection
from explorer.stores.vectors import Entry, put_vectors
from explorer.vocab import FACTS, entity_iri

EMBEDDER = WordLlamaEmbedder()
NAMES = ["valve", "tank", "station", "harbour", "island"]
FEEDS = NamedNode(entity_iri("feeds"))


def node(name):
    return NamedNode(entity_iri(name))


@pytest.fixture(scope="module")
def chain():
    """valve → tank → station → harbour → island, and many leaves on the tank."""
    stores = open_collection(None)
    pairs = list(pairwise(NAMES)) + [("tank", f"leaf {n:02}") for n in range(40)]
    stores.graph.add(Quad(node(a), FEEDS, node(b), FACTS) for a, b in pairs)
    with stores.database.writing() as connection:
        entries = [Entry(entity_iri(name), "", name) for name in NAMES]
        put_vectors(connection, "entity", "d", entries, EMBEDDER.embed(NAMES))
    return stores


def explored(stores, **limits):
    return Exploration(stores, Limits(**limits)).explore("valve", ["valve"], EMBEDDER)


def ends(found):
    return {edge.object.value.rsplit("/", 1)[1] for edge in found.edges}


@pytest.mark.parametrize(("hops", "reached"), [(1, {"tank"}), (3, {"tank", "station", "harbour"})])
def test_no_further_than_the_hops_allowed(chain, hops, reached):
    found = explored(chain, entity_limit=1, triple_limit=100, max_path_length=hops)
    assert found.seeds == (entity_iri("valve"),)
    assert ends(found) & set(NAMES) == reached


def test_at_most_so_many_facts_of_one_node_and_in_all(chain):
    leaves = [name for name in ends(explored(chain, entity_limit=1, triple_limit=5)) if name.startswith("leaf")]
    assert len(leaves) <= 5
    found = explored(chain, max_subgraph_size=7, edge_score_limit=3)
    assert (len(found.edges), len(found.nearest)) == (7, 3)
    assert set(found.nearest) <= set(found.edges)


def test_each_fact_is_looked_at_once_and_always_in_the_same_order(chain):
    found = explored(chain)
    assert len(set(found.edges)) == len(found.edges)
    assert explored(chain) == found


def test_nothing_is_found_in_an_empty_graph():
    found = explored(open_collection(None))
    assert (found.seeds, found.edges, found.nearest) == ((), (), ())


def test_a_vector_whose_fact_is_not_in_the_graph_is_passed_over(chain):
    gone = f"{node('valve')} {FEEDS} {node('nowhere')}"
    with chain.database.writing() as connection:
        put_vectors(connection, "edge", "d", [Entry(gone, "", "valve feeds nowhere")], EMBEDDER.embed(["valve"]))
    assert "nowhere" not in ends(explored(chain))


def test_the_seeds_of_all_concepts_together_keep_to_the_limit(chain):
    concepts = ["valve", "tank", "station"]
    for limit in (1, 2, 3):
        found = Exploration(chain, Limits(entity_limit=limit)).explore("valve", concepts, EMBEDDER)
        assert len(found.seeds) == limit
