"""Links that are fetched hop by hop are those that stand in memory."""

import random

import numpy as np
import pytest

from explorer.engines.facts.graph_walk import walk
from explorer.stores.collection import joined, open_collection
from explorer.stores.database import Many
from explorer.stores.graph import OxigraphStore
from explorer.stores.link_graph import MENTION, put_mentions
from explorer.stores.merged_entities import Merged, put_merged
from explorer.vocab import entity_iri
from tests.links import add_document, add_facts, fact

pytestmark = pytest.mark.contract

THINGS = [f"thing {n}" for n in range(9)]


@pytest.fixture
def stores(database):
    made = joined(database, OxigraphStore(None).open())
    yield made
    made.graph.close()


def fill(stores, seed, *, merged):
    """Store documents at random, some named like an entity, with facts, mentions and merged entities."""
    chance = random.Random(seed)
    for number in range(4):
        told = [
            (f"text {number} {i}", {fact(*chance.sample(THINGS, 2)): None for _ in range(chance.randrange(4))})
            for i in range(3)
        ]
        add_document(stores, f"d{number}", told, chance.choice([f"{chance.choice(THINGS)} (aside)", "On it", None]))
        with stores.database.writing() as connection:
            names = chance.sample([*THINGS, "once", f"name {number}"], 3)
            put_mentions(connection, {f"urn:c:d{number}:{i}": names[i:] for i in range(3)})
    add_facts(stores, {fact(*chance.sample(THINGS, 2)): None for _ in range(3)})
    if merged:
        with stores.database.writing() as connection:
            put_merged(connection, Merged({entity_iri("thing 1"): entity_iri("thing 2")}))
    return stores


def told(stores, is_there=None):
    """What the graph says of each node, by names: its rows in order, whether it stands in facts, its passages.

    Of rows, given by names, only those that are there.
    """
    database, graph = stores.database, stores.links.graph()
    if is_there is not None:
        graph = graph.where(lambda rows: named_rows(database, rows, is_there))
    chunks = {
        graph.passages_from + row["number"]: row["iri"] for row in database.rows("SELECT number, iri FROM chunks")
    }
    terms = {row["number"]: row["iri"] for row in database.rows("SELECT number, iri FROM terms")}
    facts = {row["number"]: (row["key"], row["document"]) for row in database.rows("SELECT * FROM vectors")}
    named = {**terms, **chunks, -1: None}
    known = {node: iri for node, iri in terms.items() if graph.knows(node)} | chunks
    found = {}
    for node, iri in sorted(known.items(), key=lambda one: one[1]):
        rows = graph.rows(np.array([node]), 4)
        kinds, ends = graph.fact[rows].tolist(), graph.ends(rows).tolist()
        lines = [(facts.get(kind, kind), *(named[end] for end in line)) for kind, line in zip(kinds, ends, strict=True)]
        about = () if node in chunks else (graph.stands(node), graph.mentions(node), *graph.degrees(np.array([node])))
        found[iri] = lines, about
    begin = {node: 1.0 for node, iri in known.items() if iri in (entity_iri("thing 2"), entity_iri("thing 5"))}
    walked = walk(graph, begin, 2, 4)
    ranks = {named[node]: rank for node, rank in zip(walked.nodes.tolist(), walked.ranks.tolist(), strict=True)}
    return found, ranks


def crowded(stores):
    """Store passages that mention many names, hubs among them, and facts between all."""
    chance = random.Random(7)
    names = [f"name {n}" for n in range(40)]
    for number in range(12):
        told = [
            (f"text {number} {i}", {fact(*chance.sample(names, 2)): None for _ in range(chance.randrange(7))})
            for i in range(3)
        ]
        add_document(stores, f"d{number}", told, chance.choice(names))
        with stores.database.writing() as connection:
            put_mentions(connection, {
                f"urn:c:d{number}:{i}": [*names[:2], f"once {number} {i}", *chance.sample(names, chance.randrange(9))]
                for i in range(3)
            })  # fmt: skip
    add_facts(stores, {fact("name 0", f"leaf {n}"): None for n in range(9)})
    return stores


def walked(stores, hops, limit):
    """The ranks of all that a walk comes to, by names, and the facts that it comes to."""
    graph = stores.links.graph()
    chunks = {graph.passages_from + n: iri for n, iri in stores.database.rows("SELECT number, iri FROM chunks")}
    terms = dict(map(tuple, stores.database.rows("SELECT number, iri FROM terms")))
    keys = dict(map(tuple, stores.database.rows("SELECT number, key FROM vectors")))
    begin = stores.links.entities(map(entity_iri, ["name 5", "leaf 1"])).values()
    found = walk(graph, dict.fromkeys(begin, 1.0), hops, limit)
    ranks = {
        (terms | chunks)[node]: rank for node, rank in zip(found.nodes.tolist(), found.ranks.tolist(), strict=True)
    }
    return ranks, sorted(keys[number] for number in graph.fact[found.rows].tolist() if number > 0)


def test_a_walk_comes_to_the_same_wherever_the_links_stand_and_however_few_of_a_node_lead_on(stores):
    memory = crowded(open_collection(None))
    crowded(stores)
    ways = [(hops, limit) for limit in (1, 2, 4, 8, 12, 60) for hops in (1, 2, 3)]
    random.Random(3).shuffle(ways)  # what was fetched before is of more rows of a node, or of fewer
    for hops, limit in ways:
        ranks, facts = walked(memory, hops, limit)
        found, others = walked(stores, hops, limit)
        assert found == pytest.approx(ranks, rel=1e-12), (hops, limit)
        assert others == facts, (hops, limit)


def named_rows(database, rows, is_there):
    chunks = {row["number"]: row["iri"] for row in database.rows("SELECT number, iri FROM chunks")}
    keys = {row["number"]: row["key"] for row in database.rows("SELECT number, key FROM vectors")}
    places = [chunks.get(node - rows.passages_from) for node in rows.passage.tolist()]
    return np.array(
        [is_there(keys.get(number, number), place) for number, place in zip(rows.fact.tolist(), places, strict=True)],
        dtype=bool,
    )


@pytest.mark.parametrize("merged", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_links_and_what_is_left_of_them_are_the_same_wherever_they_stand(stores, seed, merged):
    memory = fill(open_collection(None), seed, merged=merged)
    fill(stores, seed, merged=merged)

    def is_there(fact, place):
        return place not in ("urn:c:d1:0", "urn:c:d2:1") and "thing-5" not in str(fact)

    for which in (None, is_there):
        found, ranks = told(stores, which)
        wanted, known = told(memory, which)
        assert found == wanted
        assert ranks == pytest.approx(known, rel=1e-12)
    assert wanted != told(memory)[0]


def test_what_is_left_out_is_not_come_to(stores):
    fill(stores, 1, merged=False)
    left = stores.links.graph().where(lambda rows: rows.fact != MENTION)
    for node in stores.links.entities(map(entity_iri, THINGS)).values():
        assert MENTION not in left.fact[left.rows(np.array([node]), 100)].tolist()


def test_facts_are_found_by_their_numbers(stores):
    fill(stores, 2, merged=False)
    graph = stores.links.graph()
    numbers = [row["number"] for row in stores.database.rows("SELECT number FROM vectors WHERE kind = 'edge'")]
    assert graph.fact[graph.rows_of([*numbers, 10**6])].tolist() == numbers
    rows = stores.database.rows(
        "SELECT fact FROM links WHERE fact IN (SELECT value FROM json_each(?))", (Many(numbers),)
    )
    assert len(rows) == len(numbers)


def test_entities_with_most_links_come_first(stores):
    add_facts(stores, [fact("hub", f"leaf {n}") for n in range(4)])
    graph = stores.links.graph()
    [first, *_] = graph.most_linked()
    assert stores.links.iris([first]) == {first: entity_iri("hub")}
    some = stores.links.entities([entity_iri("leaf 1"), entity_iri("hub")])
    assert [*graph.most_linked(some.values())] == [some[entity_iri("hub")], some[entity_iri("leaf 1")]]
