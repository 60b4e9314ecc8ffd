import pytest

from explorer.engines.passages.search import PassageSearch
from explorer.models.embedding import WordLlamaEmbedder
from tests.corpus import shared
from tests.links import woven
from tests.opened import empty


def ranked(question, mode, limit=10, concepts=()):
    return PassageSearch(shared().stores, WordLlamaEmbedder()).ranked(question, concepts, mode, limit)


@pytest.mark.parametrize("mode", ["vector", "keyword", "hybrid"])
def test_the_passage_that_answers_comes_first_and_none_comes_twice(mode):
    found = ranked("Which company made the motors of the fans?", mode)
    assert "Globe Industries" in shared().text(found[0])
    assert len(set(found)) == len(found)


def test_at_most_as_many_come_as_are_asked_for():
    assert [len(ranked("relief valve", "hybrid", limit)) for limit in (1, 2, 3)] == [1, 2, 3]


def test_hybrid_stands_on_vectors_alone_where_no_word_is_found():
    odd = '(*") ^ -- who is it?'
    assert ranked(odd, "keyword") == []
    assert ranked(odd, "hybrid") == ranked(odd, "vector") != []


def test_what_both_lists_hold_comes_before_what_one_holds():
    question = "heater switches"
    both = set(ranked(question, "vector", 3)) & set(ranked(question, "keyword", 3))
    assert set(ranked(question, "hybrid", 3)[: len(both)]) == both


def nearness(stores, part, limit=10):
    embedder = WordLlamaEmbedder()
    return PassageSearch(stores, embedder).nearness(part, embedder.embed([part])[0], limit)


def test_the_passage_nearest_by_meaning_and_words_has_one_and_the_others_less():
    found = nearness(shared().stores, "Which company made the motors of the fans?")
    best = max(found, key=found.get)
    assert "Globe Industries" in shared().text(best)
    assert found[best] == 1
    assert all(0 <= score <= 1 for score in found.values())
    assert len([score for score in found.values() if score == 1]) == 1


@pytest.mark.parametrize("limit", [1, 2])
def test_both_searches_give_no_more_than_asked_for(limit):
    assert 1 <= len(nearness(shared().stores, "heater switches", limit)) <= 2 * limit


def test_where_no_word_is_found_meaning_alone_counts():
    stores = woven({"a": [("Penguins live on ice.", []), ("Trains run on rails.", [])]})
    found = nearness(stores, "birds of Antarctica")
    assert found == {"urn:c:a:0": 1.0, "urn:c:a:1": 0.0}


def test_a_passage_that_stands_alone_is_the_nearest_there_is():
    stores = woven({"a": [("Penguins live on ice.", [])]})
    assert nearness(stores, "birds of Antarctica") == {"urn:c:a:0": 1.0}
    assert nearness(stores, "penguins") == {"urn:c:a:0": 1.0}
    assert nearness(empty(), "penguins") == {}


def test_in_an_empty_collection_nothing_is_found():
    search = PassageSearch(empty(), WordLlamaEmbedder())
    assert [search.ranked("valve", ["valve"], mode, 5) for mode in ("vector", "keyword", "hybrid")] == [[], [], []]
