import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.ingest.chunker import chunks
from explorer.ingest.given.curated_facts import CuratedFact, aligned, read_facts
from explorer.ingest.readers.document_text import Reading
from tests.each import each

FACT = {
    "subject": "tank",
    "predicate": "held",
    "object": "oxygen",
    "document": "a.txt",
    "quote": "The tank held oxygen.",
}
TEXT = "The tank \U0001f680 was cold.\n\nThe tank\n  held oxygen. It had 28 V.\n"


def cut(text):
    return list(chunks(Reading("t", "text/plain", text)))


def fact(obj="oxygen", quote="The tank held oxygen."):
    return CuratedFact("tank", "held", obj, "a.txt", quote)


def test_a_line_is_a_fact_and_blank_lines_are_none():
    facts, refused = read_facts(json.dumps(FACT) + "\n\n  \n" + json.dumps(FACT | {"object": " liquid  oxygen "}))
    assert facts == {"a.txt": [fact(), fact("liquid oxygen")]}
    assert refused == []


@each(
    "line",
    ["nonsense", "[]", "7", "null", "{}", json.dumps(FACT | {"object": ""}), json.dumps(FACT | {"quote": 7}),
     json.dumps({**FACT, "subject": None}), json.dumps(FACT | {"subject": " "}), '{"subject": ',
     json.dumps(FACT | {"subject": "\ud800"})],
)  # fmt: skip
def test_a_line_that_is_no_fact_is_refused_with_its_number_and_the_others_are_read(line):
    facts, refused = read_facts(f"{json.dumps(FACT)}\n{line}\n{json.dumps(FACT)}")
    assert len(facts[FACT["document"]]) == 2
    assert len(refused) == 1
    assert refused[0].startswith("Line 2 is not a fact (")
    assert refused[0].endswith("subject, predicate, object, document, quote must be texts.")


@given(st.text(max_size=60))
def test_any_text_is_read_without_failing(text):
    facts, refused = read_facts(text)
    assert facts == {}
    assert len(refused) <= len(text.splitlines())


def test_a_quotation_is_found_whatever_its_white_space_with_the_exact_span():
    [edge], missing = aligned([fact()], TEXT, cut(TEXT))
    assert missing == []
    assert TEXT[edge.start : edge.end] == "The tank\n  held oxygen."
    assert edge.chunk.text[edge.start - edge.chunk.start : edge.end - edge.chunk.start] == TEXT[edge.start : edge.end]
    assert edge.confidence == 1.0


def test_a_quotation_of_two_sentences_belongs_to_the_chunk_that_holds_it_whole():
    text = "It was dropped. It was moved. It was tested. It was flown."
    found = list(chunks(Reading("t", "text/plain", text), 30, 15))
    [edge], missing = aligned([fact(quote="It was moved. It was tested.")], text, found)
    assert (edge.chunk.index, missing) == (2, [])


@each("quote", ["The tank lost oxygen.", "tank held oxygen!", "the tank held oxygen.", ".*"])
def test_words_that_are_not_there_are_missing(quote):
    assert aligned([fact(quote=quote)], TEXT, cut(TEXT)) == ([], [fact(quote=quote)])


@each(("obj", "entity"), [
    ("28 V", False),
    ("about 900 psi", False),
    ("-150 °C", False),
    ("$3", False),
    ("oxygen", True),
    ("Apollo 13", True),
])  # fmt: skip
def test_a_quantity_is_a_value_and_a_name_is_a_thing(obj, entity):
    [edge], _ = aligned([fact(obj)], TEXT, cut(TEXT))
    assert edge.object_is_entity is entity


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_line_ends_where_a_line_of_a_file_ends_and_not_inside_a_text(end):
    lines = [json.dumps(FACT | {"object": f"liquid{mark}oxygen"}, ensure_ascii=False) for mark in "\u2028\u2029\x85"]
    facts, refused = read_facts(end.join(lines))
    assert facts == {"a.txt": [fact("liquid oxygen")] * 3}
    assert refused == []
