from contextlib import closing
from itertools import pairwise

import pytest
from pyoxigraph import Literal

from explorer.engines.facts.graph_walk import explore
from explorer.engines.limits import Limits
from explorer.engines.setting import Setting
from explorer.stores.collection import open_collection
from explorer.stores.document_rows import drop_document
from explorer.stores.link_graph import facts_of
from explorer.stores.vectors.search import Entry, put_vectors
from explorer.vocab import entity_iri
from tests.corpus import Clock
from tests.each import each
from tests.ingest.test_by_model import items, opened
from tests.links import EMBEDDER, add_document, add_facts, fact, woven
from tests.opened import empty
from tests.server import serving

NAMES = ["valve", "tank", "station", "harbour", "island"]
CHAIN = [fact(a, b) for a, b in pairwise(NAMES)]
LEAVES = [fact("tank", f"leaf {n:02}") for n in range(40)]
QUESTION = "What does the valve feed?"
ODD = ["?", "why is it so?", "Zxqv wrtp", "\U0001f680 <b>onerror</b>", "x" * 4000, "and who and who and who"]


def looked(found):
    """The facts looked at, as terms."""
    return tuple(facts_of(found.edges).values())


def explored(stores, question=QUESTION, concepts=("valve",), **limits):
    return explore(Setting(stores, EMBEDDER, "s", Clock()), Limits(**limits), question, list(concepts))


@pytest.fixture(scope="module")
def chain():
    """valve → tank → station → harbour → island, each said in a passage of its own, and many leaves on the tank."""
    told = [(f"Passage {n} says so.", [one]) for n, one in enumerate(CHAIN)]
    return woven({"a": [*told, ("The leaves.", LEAVES)]})


@pytest.fixture(scope="module")
def far():
    """What the question names, what it asks for two facts away, and much that has nothing to do with it."""
    stores = woven({"film": [("Polish-Russian War is a film by Xawery Żuławski.",
                              [fact("polish-russian war", "xawery żuławski", "was directed by")])],
                    "man": [("Xawery Żuławski is the son of Małgorzata Braunek.",
                             [fact("xawery żuławski", "małgorzata braunek", "is the son of")])]})  # fmt: skip
    for n in range(120):
        add_document(stores, f"x{n}", [(f"Ship {n} carries coal to harbour {n % 7}.",
                                        [fact(f"ship {n}", f"harbour {n % 7}", "carries coal to")])])  # fmt: skip
    return stores


def test_a_fact_is_found_over_another_that_leads_to_it(far):
    found = explored(far, "Who is the mother of the director of Polish-Russian War?", ["mother", "director"])
    first, second, *_ = found.nearest
    assert first == fact("polish-russian war", "xawery żuławski", "was directed by")
    assert second == fact("xawery żuławski", "małgorzata braunek", "is the son of")
    assert entity_iri("polish-russian war") in found.seeds
    assert found.nearest[first] > found.nearest[second] > 0


def test_what_a_model_found_in_a_passage_comes_before_what_rules_did(tmp_path):
    (tmp_path / "valves.txt").write_text("Beech Aircraft built the relief valve and Rockwell shipped the oxygen tank.")
    said = items({"n": 1, "subject": "oxygen tank", "predicate": "was shipped by", "object": "Rockwell"})
    with serving(said) as server, opened(server) as ws:
        ws.ingest(tmp_path / "valves.txt", extractors="rules,model", progress=False)
        found = explored(ws.stores, "Who built the relief valve?", ["relief valve"])
        by = [{one.extracted_by for one in ws.stores.sources.passages(one)} for one in found.nearest]
        assert by == [{"model"}, {"rules"}, {"rules"}]


def test_at_most_so_many_facts_in_all_and_worth_scoring_and_so_many_seeds_of_all_concepts(chain):
    found = explored(chain, max_subgraph_size=7, edge_score_limit=3)
    assert (len(looked(found)), len(found.nearest)) == (7, 3)
    assert set(found.nearest) <= set(looked(found))
    assert looked(explored(chain, max_subgraph_size=1)) == tuple(explored(chain, max_subgraph_size=1).nearest)
    for limit in (1, 2, 3):
        assert len(explored(chain, concepts=["valve", "tank", "station"], entity_limit=limit).seeds) == limit


def test_each_fact_is_looked_at_once_however_often_it_is_told():
    again = {name: [(f"Said in {name}.", CHAIN[:2]), (f"And again in {name}.", CHAIN[:2])] for name in "abc"}
    found = explored(woven(again, loose=CHAIN[:1]))
    assert sorted(map(str, looked(found))) == sorted(map(str, CHAIN[:2]))
    assert found.nearest.keys() == set(CHAIN[:2])


@each("question", [QUESTION, *ODD])
def test_any_question_is_borne_and_gives_the_same_facts_in_the_same_order(chain, question):
    one, other = (explored(chain, question, [question]) for _ in range(2))
    assert one == other
    assert list(one.seeds) == sorted(set(one.seeds))
    assert list(one.nearest.items()) == list(other.nearest.items())
    assert all(0 <= reach <= 1 for reach in one.nearest.values())
    assert len(one.nearest) == min(len(looked(one)), 30)
    assert question != QUESTION or entity_iri("valve") in one.seeds


def test_facts_of_one_passage_make_way_for_those_of_others_and_those_without_for_none():
    crowd = [fact("valve", f"part {n}", "has") for n in range(12)]
    feeds = fact("valve", "tank")
    stores = woven({"a": [("The valve has parts.", crowd)], "b": [("The valve feeds a tank.", [feeds])]})
    first = list(explored(stores, "What does the valve have?").nearest)
    assert first.index(feeds) < len(first) - 1
    found = explored(woven(loose=crowd[:5]), "What does the valve have?")
    assert (len(found.nearest), max(found.nearest.values())) == (5, 1)


@each("question", [QUESTION, "?"])
def test_nothing_is_found_in_an_empty_collection(question):
    found = explored(empty(), question, [question])
    assert (found.seeds, looked(found), found.nearest) == ((), (), {})
    assert explored(woven({"a": [("The valve feeds the tank.", [])]})).edges == ()


ALONE = [fact("valve", "tank"), fact("valve", Literal("983 psi"), "opens at"), fact("valve", "valve"),
         fact("valve", Literal("ventil", language="de"), "is called"), fact("valve", Literal('"\n\\'))]  # fmt: skip


@each("question", [QUESTION, "?", ODD[2]])
@each("one", ALONE)
@each("passage", [True, False])
def test_a_collection_of_one_fact_gives_that_fact_to_any_question(question, one, passage):
    stores = woven({"a": [("So it is.", [one])]}) if passage else woven(loose=[one])
    found = explored(stores, question, [question])
    assert looked(found) in {(one,), ()}
    assert question != QUESTION or looked(found) == (one,)
    assert all(0 <= reach <= 1 for reach in found.nearest.values())


def test_a_vector_whose_fact_is_not_in_the_graph_is_passed_over():
    stores = woven(loose=CHAIN)
    gone = fact("valve", "nowhere")
    with stores.database.writing() as connection:
        put_vectors(connection, "edge", "d", [Entry(str(gone), "", "valve feeds nowhere")], EMBEDDER.embed(["valve"]))
    found = explored(stores)
    assert gone not in found.nearest
    assert CHAIN[0] in found.nearest


def test_a_title_that_names_an_entity_brings_the_facts_of_its_document():
    stores = empty()
    for n in range(60):
        add_document(stores, f"x{n}", [(f"Ship {n} is grey.", [fact(f"ship {n}", f"shade {n}", "is")])])
    add_document(stores, "halden", [("It lies by a river.", [fact("river", "border", "runs along")])], "Halden (town)")
    add_document(stores, "lund", [("Anna Lund lived there.", [fact("anna lund", "halden", "lived in")])])
    found = explored(stores, "Where did Anna Lund live?", ["Anna Lund"])
    assert next(iter(found.nearest)) == fact("anna lund", "halden", "lived in")
    assert found.nearest[fact("river", "border", "runs along")] > 0


def test_what_a_dropped_document_said_is_not_found():
    stores = woven({"a": [("The valve.", [CHAIN[0]])], "b": [("The tank.", [CHAIN[1]])]})
    assert set(looked(explored(stores))) == set(CHAIN[:2])
    with stores.database.writing() as connection:
        drop_document(connection, "urn:d:a")
    assert looked(explored(stores)) == (CHAIN[1],)
    add_document(stores, "c", [("The station.", [CHAIN[2]])])
    assert set(looked(explored(stores))) == set(CHAIN[1:3])
    assert entity_iri("valve") not in explored(stores).seeds


def test_a_process_that_only_reads_finds_what_the_writer_adds(tmp_path):
    with closing(open_collection(tmp_path)) as writer:
        add_facts(writer, CHAIN[:1])
        writer.graph.flush()
        with closing(open_collection(tmp_path, read_only=True)) as reader:
            assert looked(explored(reader)) == (CHAIN[0],)
            add_document(writer, "a", [("The tank.", CHAIN[1:])])
            writer.graph.flush()
            reader.refresh()
            assert set(looked(explored(reader))) == set(CHAIN)
