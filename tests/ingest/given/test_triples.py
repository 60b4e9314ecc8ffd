import json

import pytest

from explorer.ingest.chunker import chunks
from explorer.ingest.given.triples import placed, read_triples, sentence_of
from explorer.ingest.readers.document_text import Reading
from explorer.ingest.readers.files import LONGEST_LINE
from explorer.vocab import entity_iri
from tests.each import each

TEXT = (
    "Anna Lund founded Halden Steel. She was born in Bergen, and she left Bergen in 1899. "
    "Halden Steel made rails. The rails were sold in Bergen."
)


def read(*items):
    return read_triples([(n, json.dumps(item).encode()) for n, item in enumerate(items, 1)])


def spans(text, *triples):
    given, faults = read({"id": "p", "triples": [list(words) for words in triples]})
    assert faults == []
    cut = list(chunks(Reading("t", "text/plain", text)))
    return [text[edge.start : edge.end] for edge in placed(given.triples["p"], given, cut)]


@each(("words", "sentence"), [
    (("Anna Lund", "founded", "Halden Steel"), "Anna Lund founded Halden Steel."),
    (("Halden Steel", "made", "rails"), "Halden Steel made rails."),
    (("rails", "sold in", "Bergen"), "The rails were sold in Bergen."),
    (("Anna", "left", "1899"), "She was born in Bergen, and she left Bergen in 1899."),  # one end each: the predicate
    (("Lund’s", "left", "Bergen"), "She was born in Bergen, and she left Bergen in 1899."),  # twice there
    (("Bergen", "has", "a port"), "She was born in Bergen, and she left Bergen in 1899."),
    (("Oslo", "is", "far away"), TEXT),  # neither end is there: the chunk
    (("?", "!", "…"), TEXT),
])  # fmt: skip
def test_a_triple_stands_in_the_sentence_with_most_words_of_its_ends(words, sentence):
    assert spans(TEXT, words) == [sentence]
    assert sentence_of(words, TEXT) == sentence


def test_a_text_without_sentences_is_its_own_span():
    assert spans("123 456\n789", ("123", "before", "789")) == ["123 456\n789"]


def test_a_triple_in_a_long_passage_belongs_to_the_chunk_of_its_sentence():
    text = "\n\n".join(f"The valve number {n} feeds the tank of station {n}." for n in range(60))
    cut = list(chunks(Reading("t", "text/plain", text)))
    given, _ = read({"id": "p", "triples": [["valve number 57", "feeds", "station 57"]]})
    [edge] = placed(given.triples["p"], given, cut)
    assert "57" in text[edge.start : edge.end]
    assert len(cut) > 2
    assert edge.chunk.start <= edge.start < edge.end <= edge.chunk.end


@each(("name", "is_thing"), [
    ("Bergen", True),
    ("a city", True),
    ("steel MILL", True),  # a subject elsewhere
    ("1887", True),  # a subject too
    ("1998", False),
    ("about 30 km", False),
    ("January 1960", False),
    ("$25,000", False),
    ("March of Ancona", True),
    ("over the hill", True),
    ("one two three four five six seven eight nine ten eleven twelve thirteen", False),
])  # fmt: skip
def test_where_no_entities_are_listed_an_object_is_one_when_it_is_a_subject_or_a_short_phrase(name, is_thing):
    given, _ = read({"id": "p", "triples": [["Steel  Mill", "is", "x"], ["1887", "was", "a cold year"]]})
    assert not given.lists
    assert given.is_thing(name) == is_thing


@each(("name", "is_thing"), [
    ("1999", True),
    ("half", True),
    ("steel MILL", True),  # a subject, though not listed
    ("Bergen", True),  # listed for another passage
    ("a city", False),
    ("1998", False),
    ("March of Ancona", False),
])  # fmt: skip
def test_where_entities_are_listed_only_those_and_subjects_are_entities(name, is_thing):
    given, faults = read(
        {"id": "p", "entities": ["1999", 7, "half \ud800"], "triples": [["Steel  Mill", "is", "x"]]},
        {"id": "q", "entities": ["Bergen "], "triples": []},
    )
    assert (given.lists, faults) == (True, [])
    assert given.is_thing(name) == is_thing


@pytest.mark.parametrize("listed", [[], [7, None]])
def test_a_list_without_a_name_is_no_list(listed):
    given, _ = read({"id": "p", "entities": listed, "triples": [["Steel Mill", "is", "x"]]})
    assert (given.lists, given.is_thing("a city")) == (False, True)


def test_names_are_given_without_the_blanks_around_and_once():
    given, faults = read(
        {"id": "p", "triples": [[" Anna\u00a0 Lund ", "founded", "Steel\n"]]},
        {"id": "p", "triples": [["Anna Lund", "founded", "Steel"], ["Anna Lund", "left", "Steel"]]},
        {"id": 7, "triples": []},
    )
    assert faults == []
    assert given.triples == {
        "p": (("Anna Lund", "founded", "Steel"), ("Anna Lund", "left", "Steel")),
        "7": (),
    }
    assert entity_iri("anna lund") in given.things
    assert given.lines == {"p": 1, "7": 3}


BAD_TRIPLES = {
    "is not three texts": [["a", "b"], ["a", "b", "c", "d"], ["a", "b", 3], "abc", None, {"s": "a"}],
    "has an empty end": [["", "b", "c"], ["a", " ", "c"], ["a", "b", "\n"]],
    "is longer than 1,000 characters": [["x" * 1001, "b", "c"]],
    "it has a character that is not text": [["a", "b", "\ud800"]],
}


@each(("said", "one"), [(said, one) for said, bad in BAD_TRIPLES.items() for one in bad])
def test_a_triple_that_is_none_is_refused_and_the_others_are_kept(said, one):
    given, [fault] = read({"id": "p", "triples": [["a", "b", "c"], one]})
    assert given.triples == {"p": (("a", "b", "c"),)}
    assert fault.line == 1
    assert said in fault.reason
    assert fault.reason.startswith("triple 2")
    assert len(fault.reason) < 200


@each(("item", "said"), [
    ({"triples": []}, "no id"),
    ({"id": "p"}, "triples are not an array"),
    ({"id": "p", "triples": {}}, "not an array"),
    ({"id": "p", "triples": [], "entities": "x"}, "entities are not an array"),
    ([], "not a JSON object"),
])  # fmt: skip
def test_a_line_that_gives_no_triples_is_refused(item, said):
    given, [fault] = read(item)
    assert given.triples == {}
    assert said in fault.reason


def test_a_line_that_is_too_long_is_refused():
    _, [fault] = read_triples([(4, None)])
    assert (fault.line, f"{LONGEST_LINE:,}" in fault.reason) == (4, True)
