import random
from itertools import pairwise

import numpy as np
import pytest
from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python  # nx.pagerank itself wants SciPy
from pyoxigraph import Literal

from explorer.engines.facts import graph_walk as module
from explorer.engines.facts.graph_walk import walk
from tests.each import each
from tests.links import add_document, drawn, entity, fact, lines, names, place, woven
from tests.opened import empty

EVERYTHING = {"hops": 99, "limit": 10**6}
CHAIN = ["valve", "tank", "station", "harbour", "island"]
WHOLE = pytest.mark.embedded("compares with all links, which over servers no process holds")
SLACK = 0.003  # what is left to walk after so many steps


def chain():
    return woven(loose=[fact(a, b) for a, b in pairwise(CHAIN)])


def ranked(stores, restarts, **bounds):
    """The ranks of a walk by name, from weights by name."""
    graph = stores.links.graph()
    known = {name: number for number, name in names(stores, graph).items()}
    walked = walk(graph, {known[name]: weight for name, weight in restarts.items()}, **(EVERYTHING | bounds))
    named = names(stores, graph)
    return {named[number]: rank for number, rank in zip(walked.nodes.tolist(), walked.ranks.tolist(), strict=True)}


def pagerank(graph, restarts):
    return _pagerank_python(graph, 0.8, personalization=restarts, tol=1e-12, max_iter=500)


def scattered(seed):
    """Facts at random over three documents, some from nowhere, some about values or themselves, some told twice."""
    chance = random.Random(seed)
    things = [f"thing {n}" for n in range(12)]

    def told(count):
        for n in range(count):
            head, tail = chance.choice(things), chance.choice([*things, Literal(f"{n} psi")])
            yield fact(head, tail, chance.choice(["feeds", "holds"]))

    stores = woven(loose=set(told(6)))
    for name, title in (("a", "Thing 3 (machine)"), ("b", "thing 7"), ("c", "Others")):
        add_document(stores, name, [(f"Passage {n} of {name}.", set(told(4))) for n in range(3)], title)
    return stores


@WHOLE
@each("seed", range(3))
def test_the_ranks_are_those_of_personalised_pagerank(seed):
    stores = scattered(seed)
    rows = lines(stores)
    graph = drawn(rows)
    assert any(row[0] is None for row in rows)
    restarts = dict(zip(random.Random(seed).sample(sorted(graph), 4), (1.0, 0.5, 0.2, 3.0), strict=True))
    found = ranked(stores, restarts)
    expected = pagerank(graph, restarts)
    whole = sum(found.values())  # a node without a neighbour keeps nothing
    for name, rank in expected.items():
        assert found.get(name, 0.0) / whole == pytest.approx(rank, abs=SLACK)
    assert {name for name, rank in expected.items() if rank > SLACK} <= found.keys()


@WHOLE
def test_a_title_weighs_as_much_as_four_mentions():
    stores = empty()
    add_document(stores, "d", [("The port.", [fact("port", "sea"), fact("halden", "sea")])], "Halden")
    assert (None, "halden", None, "urn:c:d:0") in lines(stores)
    found = ranked(stores, {"urn:c:d:0": 1.0})
    graph = drawn(lines(stores))
    assert graph["halden"]["urn:c:d:0"]["weight"] == 4
    expected = pagerank(graph, {"urn:c:d:0": 1})
    assert found == pytest.approx(expected, abs=SLACK)
    assert found["halden"] > 2 * found["port"]


@each("hops", [1, 2, 3, 4, 10**9])
def test_it_goes_no_further_than_the_hops_allowed(hops):
    found = ranked(chain(), {"valve": 1.0}, hops=hops)
    assert list(found) == CHAIN[: hops + 1]
    assert all(rank > 0 for rank in found.values())
    assert list(found.values())[2:] == sorted(list(found.values())[2:], reverse=True)


def test_each_hop_is_one_fact_whether_to_its_other_end_or_to_its_passage():
    stores = woven({"a": [("The valve feeds the tank.", [fact("valve", "tank")]), ("Other.", [fact("tank", "sea")])]})
    assert set(ranked(stores, {"valve": 1.0}, hops=1)) == {"valve", "tank", "urn:c:a:0"}
    assert set(ranked(stores, {"urn:c:a:1": 1.0}, hops=1)) == {"tank", "sea", "urn:c:a:1"}
    assert set(ranked(stores, {"urn:c:a:1": 1.0}, hops=2)) == {"tank", "sea", "valve", "urn:c:a:0", "urn:c:a:1"}


def test_only_so_many_facts_of_a_node_lead_on():
    stores = woven(loose=[fact("hub", f"leaf {n:02}") for n in range(40)] + [fact("leaf 39", "end")])
    assert set(ranked(stores, {"hub": 1.0}, limit=5)) == {"hub", *(f"leaf {n:02}" for n in range(5))}
    graph = stores.links.graph()
    assert len(walk(graph, {entity(stores, "hub"): 1.0}, 3, 5).rows) == 5
    assert "hub" in ranked(stores, {"end": 1.0}, limit=5)


def test_weights_are_shares_and_a_walk_from_nowhere_comes_nowhere():
    stores = chain()
    assert ranked(stores, {"valve": 0.001, "harbour": 0.003}) == pytest.approx(
        ranked(stores, {"valve": 10, "harbour": 30})
    )
    for stores in (chain(), empty()):
        walked = walk(stores.links.graph(), {}, 3, 10)
        assert (len(walked.nodes), len(walked.ranks), len(walked.rows)) == (0, 0, 0)


def test_the_walk_tells_the_facts_between_its_nodes_and_the_way_they_are_told_apart():
    stores = chain()
    graph = stores.links.graph()
    walked = walk(graph, {entity(stores, "valve"): 1.0}, 1, 10)
    assert graph.fact[walked.rows].tolist() == [1, 2]
    assert walked.rank(np.array([entity(stores, "valve"), entity(stores, "island"), -1, 10**6]))[1:].tolist() == [0] * 3
    assert walked.nodes.tolist() == sorted(walked.nodes.tolist())


def test_a_node_without_a_neighbour_stays_alone():
    stores = woven({"a": [("Nothing is said.", []), ("Of itself.", [fact("loop", "loop")])]},
                   loose=[fact("valve", Literal("983 psi"))])  # fmt: skip
    graph = stores.links.graph()
    walked = walk(graph, {entity(stores, "valve"): 1.0}, 3, 10)
    assert walked.nodes.tolist() == [entity(stores, "valve")]
    assert graph.tail[walked.rows].tolist() == [-1]
    assert walked.ranks.tolist() == [pytest.approx(0.2)]
    spot = place(stores, graph, "urn:c:a:0")
    assert walk(graph, {spot: 1.0}, 3, 10).nodes.tolist() == [spot]
    assert ranked(stores, {"loop": 1.0}).keys() == {"loop", "urn:c:a:1"}


def test_of_more_than_a_hop_may_add_those_are_kept_to_which_most_of_the_walk_comes(monkeypatch):
    monkeypatch.setattr(module, "_WIDEST", 3)
    near = [fact("valve", f"bolt {n}") for n in range(6)] + [fact("tank", "bolt 4"), fact("tank", "bolt 5")]
    stores = woven(loose=[*near, fact("bolt 5", "ring"), fact("bolt 0", "seal")])
    found = ranked(stores, {"valve": 1.0, "tank": 1.0})
    assert found.keys() == {"valve", "tank", "bolt 0", "bolt 4", "bolt 5", "seal", "ring"}
    assert ranked(stores, {"valve": 1.0, "tank": 1.0}, hops=1).keys() == found.keys() - {"seal", "ring"}
