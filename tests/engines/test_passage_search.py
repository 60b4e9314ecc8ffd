import pytest

from explorer.engines.passage_search import PassageSearch
from explorer.reasoning.embedding import WordLlamaEmbedder
from explorer.stores.collection import open_collection
from tests.corpus import shared


def ranked(question, mode, limit=10, concepts=()):
    return PassageSearch(shared()._holding.stores, WordLlamaEmbedder()).ranked(question, concepts, mode, limit)


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


def test_in_an_empty_collection_nothing_is_found():
    search = PassageSearch(open_collection(None), WordLlamaEmbedder())
    assert [search.ranked("valve", ["valve"], mode, 5) for mode in ("vector", "keyword", "hybrid")] == [[], [], []]
