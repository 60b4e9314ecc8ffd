from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.language import pipeline
from explorer.language.named_entities import KINDS, named_entities


def found(text):
    [entities] = named_entities([text])
    return [(one.kind, one.text) for one in entities]


def test_people_places_and_times_have_their_kind():
    assert found("James Lovell was born in Cleveland in March 1928.") == [
        ("person", "James Lovell"),
        ("place", "Cleveland"),
        ("time", "March 1928"),
    ]


def test_a_name_has_no_article_is_any_run_of_capitals_but_a_first_word_and_keeps_its_offsets():
    assert ("organisation", "Sri Lanka Army") in found("The Sri Lanka Army's patrol units were sent home.")
    assert ("name", "Odyssey Moon Hold") in found("They repaired the Odyssey Moon Hold before noon.")
    assert found("Valves were opened.") == []
    text = "It was Jack\nSwigert who spoke."
    [[entity]] = named_entities([text])
    assert text[entity.start : entity.end] == "Jack\nSwigert"


@settings(max_examples=40, deadline=None)
@given(st.text(alphabet="aA Bc.\n'’\"“5é\U0001f680", max_size=60))
def test_entities_have_exact_offsets_and_do_not_overlap(text):
    [entities] = named_entities([text])
    for one in entities:
        assert one.text == " ".join([text[one.start : one.end]]).replace("\n", " ")
        assert one.kind in {*KINDS.values(), "name"}
        assert one.text.strip()
    assert all(a.end <= b.start for a, b in pairwise(entities))


def test_what_the_parser_found_is_what_is_found_without_it(monkeypatch):
    texts = ["James Lovell was born in Cleveland in March 1928.", "The Sri Lanka Army lost 3 tanks.", "It rained."]
    monkeypatch.setattr(pipeline, "_KNOWN", {})
    alone = list(named_entities(texts))
    assert not pipeline._KNOWN
    list(pipeline.parse((text, None) for text in texts[:2]))
    assert set(pipeline._KNOWN) == set(texts[:2])
    assert list(named_entities(texts)) == alone


def test_no_more_sentences_are_remembered_than_there_is_room_for(monkeypatch):
    monkeypatch.setattr(pipeline, "_KNOWN", {})
    monkeypatch.setattr(pipeline, "_MOST_KNOWN", 2)
    list(pipeline.parse((f"There were {number} fans.", None) for number in range(5)))
    assert len(pipeline._KNOWN) == 1
