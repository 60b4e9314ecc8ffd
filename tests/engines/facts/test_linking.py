import numpy as np
import pytest
from pyoxigraph import Literal

from explorer.engines.facts.linking import Linking
from explorer.engines.limits import Limits
from explorer.language.words import weighted
from explorer.reasoning.extractive.vocabulary import Vocabulary
from explorer.stores.document_rows import drop_document
from tests.each import each
from tests.links import EMBEDDER, add_document, entity, fact, names, spoken, woven
from tests.opened import empty

FEEDS = fact("relief valve", "oxygen tank")
DOCUMENTS = {
    "a": [("The relief valve feeds the oxygen tank.", [FEEDS]),
          ("Penguins live on the island.", [fact("penguins", "island", "live on")])],
    "b": [("Halden is a town. It has a port.", [fact("halden", "port", "has"), fact("halden", "town", "is a")]),
          ("The oxygen tank stands in Halden.", [fact("oxygen tank", "halden", "stands in")])],
}  # fmt: skip
PAIRS = [(head, tail) for head in ("valve", "harbour") for tail in ("tank", "snow")]


@pytest.fixture(scope="module")
def stores():
    return woven(DOCUMENTS)


def linked(stores, question, concepts=(), **limits):
    graph = stores.links.graph()
    facts, entities, passages = Linking(stores, EMBEDDER, question, concepts).linked(graph, Limits(**limits))
    keys = {row["number"]: row["key"] for row in stores.database.rows("SELECT number, key FROM vectors")}
    named = names(stores, graph)
    told = ((facts, keys), (entities, named), (passages, named))
    return tuple({known[number]: weight for number, weight in found.items()} for found, known in told)


def test_the_nearest_facts_come_first_and_the_walk_restarts_at_their_ends(stores):
    facts, entities, _ = linked(stores, "What does the relief valve feed?")
    assert next(iter(facts)) == str(FEEDS)
    assert list(facts.values()) == sorted(facts.values(), reverse=True)
    assert {"relief valve", "oxygen tank"} <= entities.keys()
    assert entities["relief valve"] > entities["penguins"]


def test_an_entity_weighs_more_that_the_question_names_or_a_concept_means_and_less_that_many_passages_mention(stores):
    _, others, _ = linked(stores, "What does it have?")
    for asked in ("halden", "(Halden's)?"):
        _, entities, _ = linked(stores, f"What does {asked} have?")
        assert entities["halden"] > others.get("halden", 0.0)
    question = "Which animals are there?"
    _, without, _ = linked(stores, question)
    _, entities, _ = linked(stores, question, ["birds of Antarctica", "penguins"])
    assert without.get("penguins", 0.0) < entities["penguins"]
    many = {"d": [(f"The hub feeds leaf {n}.", [fact("hub", f"leaf {n}")]) for n in range(9)]}
    _, entities, _ = linked(woven(many), "Which leaf does the hub feed, leaf 3?")
    assert entities["leaf 3"] > 3 * entities["hub"]


@each("limit", [1, 2, 5])
def test_no_more_entities_than_allowed(stores, limit):
    question = "What do the relief valve, the oxygen tank, the penguins and Halden have?"
    _, entities, _ = linked(stores, question, ["valve", "tank", "island"], entity_limit=limit)
    assert 1 <= len(entities) <= limit


def test_passages_near_the_question_weigh_a_little_even_without_a_fact():
    stores = woven({"c": [("The mayor of Lisbon sleeps.", [])]} | DOCUMENTS)
    facts, _, passages = linked(stores, "Where does the mayor of Lisbon sleep?")
    assert max(passages, key=passages.get) == "urn:c:c:0"
    assert min(passages.values()) > 0
    assert passages["urn:c:c:0"] == pytest.approx(0.05 * max(facts.values()))


def test_each_part_of_a_question_is_looked_up(stores):
    facts, _, passages = linked(stores, "Where do penguins live and what does the relief valve feed?")
    assert {str(FEEDS), str(fact("penguins", "island", "live on"))} == set(list(facts)[:2])
    assert {"urn:c:a:0", "urn:c:a:1"} <= passages.keys()


def test_nearness_adds_half_the_shared_words_to_the_similarity(stores):
    linking = Linking(stores, EMBEDDER, "What does the relief valve feed?", [])
    [row] = stores.database.rows("SELECT number, text FROM vectors WHERE key = ?", (str(FEEDS),))
    found = linking.nearness([10**6, row["number"], row["number"]])
    question, text = EMBEDDER.embed(["What does the relief valve feed?", spoken(FEEDS)])
    asked = weighted("What does the relief valve feed?", stores.library.rarity)
    [words] = Vocabulary(EMBEDDER).shares([spoken(FEEDS)], asked)
    assert words > 0.9
    assert found.keys() == {row["number"]}
    assert found[row["number"]].key == str(FEEDS)
    assert found[row["number"]].score == pytest.approx(float(question @ text) + 0.5 * words, abs=0.003)
    assert linking.nearness([]) == linking.nearness([10**6]) == {}


@each("question", ["What does the relief valve feed?", "?", "why is it so?", "\U0001f680"])
def test_in_an_empty_collection_nothing_is_linked(question):
    assert linked(empty(), question, ["valve"]) == ({}, {}, {})


@each("question", ["?", "why is it so?", "Zxqv wrtp", "\U0001f680 <b>", "x" * 3000])
@each("pair", PAIRS)
def test_a_start_never_weighs_less_than_nothing(pair, question):
    stores = woven(loose=[fact(*pair), fact("sea", "cold", "is")])
    _, entities, passages = linked(stores, question, ["quarterly earnings"])
    assert all(weight > 0 for weight in [*entities.values(), *passages.values()])


def test_a_value_at_the_end_of_a_fact_is_no_start():
    stores = woven(loose=[fact("relief valve", Literal("983 psi"), "opens at")])
    _, entities, _ = linked(stores, "At what pressure does the relief valve open, 983 psi?")
    assert entities.keys() == {"relief valve"}


@pytest.mark.embedded("over servers links are read when the walk comes to them")
def test_entities_stored_since_the_web_was_read_are_left_out(stores):
    """Another process stores documents while this one asks."""
    stores = woven(DOCUMENTS)
    graph = stores.links.graph()
    add_document(stores, "late", [(f"Late thing {n} feeds Lisbon.", [fact(f"late {n}", "lisbon")]) for n in range(30)])
    linking = Linking(stores, EMBEDDER, "What feeds Lisbon, late 7?", ["lisbon", "late 7"])
    _, entities, passages = linking.linked(graph, Limits())
    assert set(entities) <= set(range(graph.passages_from))
    assert set(passages) <= set(range(graph.passages_from, graph.size))


def test_entities_of_which_no_fact_is_left_are_left_out():
    stores = woven(DOCUMENTS)
    gone = entity(stores, "penguins")
    with stores.database.writing() as connection:
        drop_document(connection, "urn:d:a")
    linking = Linking(stores, EMBEDDER, "Where do penguins live?", ["penguins"])
    _, entities, _ = linking.linked(stores.links.graph(), Limits())
    assert gone not in entities
    assert np.isfinite(list(entities.values())).all()
