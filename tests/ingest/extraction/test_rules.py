import time
from pathlib import Path

import pytest

from explorer.ingest.chunker import chunks
from explorer.ingest.extraction.rules import RuleExtractor
from explorer.ingest.readers.document_text import Reading
from explorer.ingest.readers.files import read
from tests.each import each

SAMPLE = Path(__file__).parents[3] / "sample_data/apollo13/documents"


def edges(text, mime="text/plain", title=""):
    return list(RuleExtractor().edges(chunks(Reading(title, mime, text)), title))


def stated(text, title=""):
    return [(edge.subject, edge.predicate, edge.object) for edge in edges(text, title=title)]


@each(("sentence", "triples"), [
    ("Beech Aircraft redesigned the oxygen tanks.", [("Beech Aircraft", "redesigned", "oxygen tanks")]),
    ("Oxygen tank no. 2 was dropped by the workers in October 1968.",
     [("oxygen tank no. 2", "was dropped by", "workers"), ("oxygen tank no. 2", "was dropped in", "October 1968")]),
    ("Members who have not paid by 31 March lose a plot.", [("members who have not paid by 31 March", "lose", "plot")]),
    ("The pipes lie only 20 cm deep.", [("pipes", "lie", "only 20 cm deep")]),
    ("A starter that smells of acetone needs flour.", [("starter that smells of acetone", "needs", "flour")]),
    ("The tank that failed was built by Beech Aircraft.", [("tank", "was built by", "Beech Aircraft")]),
    ("Any file named a.cfg is read by the tool.", [("any file named a.cfg", "is read by", "tool")]),
    ("Pytest runs any file named a.py.", [("Pytest", "runs", "any file named a.py")]),
    ("Users in the admin group can delete pages.", [("users in the admin group", "can delete", "pages")]),
    ("The specification called for heaters that work on 28 V.", [("specification", "called for", "heaters")]),
    ("Others tested the tank. Some of them opened it.", []),
    ("The shelducks make up the tribe Tadornini,[15] and swans live in the north.[citation needed]",
     [("swans", "live in", "north")]),
    ("The thermostatic switches were rated for 28 V DC.", [("thermostatic switches", "were rated for", "28 V DC")]),
    ("Ken Mattingly trained as the command module pilot.", [("Ken Mattingly", "trained as", "command module pilot")]),
    ("Liebergot was the controller for the power.", [("Liebergot", "was controller for", "power")]),
    ("The return status is zero unless an error occurs.", [("return status", "is (unless an error occurs)", "zero")]),
    ("If the file exists, the command overwrites it.", [("command", "overwrites (if the file exists)", "file")]),
    ("Apollo 13 re-entered the atmosphere over the Pacific Ocean.", [("Apollo 13", "re-entered", "atmosphere")]),
    ("Jack Swigert was the command module pilot.", [("Jack Swigert", "was", "command module pilot")]),
    ("Jack Swigert, the command module pilot, slept.", [("Jack Swigert", "is", "command module pilot")]),
    ("Lovell and Haise showed the tunnel.", [("Lovell", "showed", "tunnel"), ("Haise", "showed", "tunnel")]),
    ("The crew did not open the upper hatch.", [("crew", "did not open", "upper hatch")]),
    ("The insulation no longer lies in the dense oxygen.", [("insulation", "no longer lies in", "dense oxygen")]),
    ("The two switches failed to interrupt the current.", [("switches", "failed to interrupt", "current")]),
    ("Apollo 12 left a seismometer, which recorded the impact.",
     [("Apollo 12", "left", "seismometer"), ("seismometer", "recorded", "impact")]),
    ("The landing was abandoned.", [("landing", "was", "abandoned")]),
    ("The landing went smoothly.", [("landing", "went", "smoothly")]),
    ("The landing had gone smoothly.", [("landing", "had gone", "smoothly")]),
    ("The gauges showed that the tank was empty.", [("tank", "was", "empty")]),
    ("The valve was removed and replaced.", [("valve", "was", "replaced")]),
    ("The valve was opened in Houston.", [("valve", "was opened in", "Houston")]),
    ("After 90   The engineers built the adapter.", [("engineers", "built", "adapter")]),
    ("The oxygen tanks carried oxygen. Oxygen tank no. 2 was moved to Downey.",
     [("oxygen tank no. 2", "was moved to", "Downey")]),
    ("Residents who live in block B pay a fee.", [("residents who live in block B", "pay", "fee")]),
    ("Jim Lovell slept in 1968. A flight of his own, and its end.", [("Jim Lovell", "slept in", "1968")]),
    ("| Date | Event |\n| --- | --- |\n| May 1967 | Delivery of the tank |\n",
     [("Delivery of the tank", "date", "May 1967")]),
    ("The method [`prepareQuery()`][rdf.prepareQuery] takes a query. Pandoc is a [Haskell] library.",
     [("Pandoc", "is", "Haskell library")]),
    ("Marie Curie was a physicist and chemist who studied radium.",
     [("Marie Curie", "was", "physicist"), ("Marie Curie", "was", "chemist"), ("Marie Curie", "studied", "radium")]),
    (
        "Palo Alto is a 2013 film written and directed by Gia Coppola, and starring Charlie Day.",
        [
            ("Palo Alto", "is", "2013 film"),
            ("Palo Alto", "written by", "Gia Coppola"),
            ("Palo Alto", "directed by", "Gia Coppola"),
            ("Palo Alto", "starring", "Charlie Day"),
        ],
    ),
    ("John Smith, a writer born in Leeds, won.", [("John Smith", "born in", "Leeds")]),
    ("The cause was the valve made by Parker.", [("valve", "made by", "Parker")]),
    ("The **fuel cells** stood on\nthe `upper` shelf.", [("fuel cells", "stood on", "upper shelf")]),
])  # fmt: skip
def test_a_sentence_gives_these_statements(sentence, triples):
    found = stated(sentence)
    assert [triple for triple in triples if triple not in found] == []


@each(
    "sentence",
    [
        "It was dropped in 1968.",
        "-S username --superuser=username Specify the user name.",
        "Who dropped the oxygen tank?",
        "If the tank had exploded, the crew would have lost the service module.",
        "Nobody said that the tank had failed the test.",
        "The shelf would have carried the tank.",
        "The engine would have turned the spacecraft round before it reached the Moon.",
        "In no event shall the copyright holders be liable for any claim.",
        "IN NO EVENT SHALL THE COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM.",
        "Neither the pump nor the valve damaged the tank.",
        "It was clear that the flight was over.",
        "See the description of the tank.",
        "# The tank carried oxygen",
        "| The tank | carried oxygen. |",
        "Close the upper valve.",
        "Do not close the upper valve.",
        "Then call the base.",
        "\t`make clean' removes all files, but the\n\tcode can be built\n\n\t`make dist' packs what can\n\tbe sent\n",
        "Steps\n\n1.\tFirst\n\n2.\tSecond\n\n3.\tThird\n",
        *("🚀 . ! ? * _ ` # |", "(" * 900, "no. " * 300 + ".", "a\u0300" * 500 + ".", "- .", "[]()."),
    ],
)
def test_what_is_not_stated_is_not_taken(sentence):
    assert stated(sentence) == []


@each(("sentence", "is_entity"), [
    ("The tank hung on the upper shelf.", True),
    ("The tank was dropped on 21 October 1968.", False),
    ("The tank lost 28.5 pounds of oxygen.", False),
    ("The tank failed at 55:54:53.", False),
    ("The tank held no oxygen.", False),
    ("Palo Alto is a 2013 film.", True),
    ("The film was directed by Charlie Day.", True),
    ("The landing was abandoned.", False),
    ("The landing went smoothly.", False),
])  # fmt: skip
def test_dates_times_and_quantities_are_no_entities(sentence, is_entity):
    assert [edge.object_is_entity for edge in edges(sentence)] == [is_entity]


@each(("text", "triple", "rule"), [
    ("Jim Lovell led the crew. In the evening Lovell slept in the tunnel.", ("Jim Lovell", "slept in", "tunnel"),
     "byPartOfName"),
    ("Jim Lovell slept. He had flown on Gemini 7.", ("Jim Lovell", "had flown on", "Gemini 7"), "byPronoun"),
    ("Jim Lovell wrote a book. His wife sold the house.", ("Jim Lovell's wife", "sold", "house"), "byPronoun"),
    ("Swigert woke the crew.", ("Swigert", "woke", "crew"), ""),
    ("Network Rail cut the trees. The society has no shed.", ("society", "has", "no shed"), ""),
])  # fmt: skip
def test_a_mention_is_read_as_the_name_it_stands_for_and_says_by_which_rule(text, triple, rule):
    (edge,) = [edge for edge in edges(text) if (edge.subject, edge.predicate, edge.object) == triple]
    assert [join.rule for join in edge.joined] == [rule] * bool(rule)
    assert all(join.written in text for join in edge.joined)


@each(("text", "title", "triple"), [
    ("Giancarla Coppola is an American director. She directed the film Palo Alto.", "Gia Coppola",
     ("Gia Coppola", "directed", "film")),
    ("The Boys is a television film starring James Woods. It was directed by Glenn Jordan.", "The Boys (1991 film)",
     ("Boys", "was directed by", "Glenn Jordan")),
    ("Fox Lake is a city in Wisconsin. The city has a mill.", "Fox Lake", ("Fox Lake", "has", "mill")),
    ("The city has a mill.", "Fox Lake", ("city", "has", "mill")),
])  # fmt: skip
def test_what_the_title_names_is_meant_by_what_it_is_said_to_be(text, title, triple):
    assert triple in stated(text, title)


@each(("sentence", "place", "words"), [
    ("The oxygen tank exploded in flight.", 2, {"flight"}),
    ("Name resolution of free variables occurs at runtime, not at compile time.", 2, {"compile time"}),
    ("Members who do not pay the rent by March and who have a plot lose the key.", 0, {"members", "Members"}),
    ("Ducks belong to an order that contains the geese, as well as the screamers.", 0, {"screamers"}),
    ("The crew wanted the best readings they could get.", 1, {"could"}),
    ("The tank again refused.", 1, {"did", "had"}),
    ("The fuel cell had stopped.", 1, {"had"}),
    ("The valve can open.", 1, {"can"}),
])  # fmt: skip
def test_of_what_is_said_these_words_are_no_part_of_a_fact(sentence, place, words):
    assert words.isdisjoint(triple[place] for triple in stated(sentence))


def test_a_name_of_another_document_is_not_remembered():
    extractor = RuleExtractor()
    for text, subject in [("Oxygen tank no. 2 was moved to Downey.", "oxygen tank no. 2")] * 2 + [
        ("The tank was moved to Downey.", "tank")
    ]:
        assert [edge.subject for edge in extractor.edges(chunks(Reading("A", "text/plain", text)))] == [subject]


def test_the_items_of_a_list_are_said_with_the_words_that_begin_it():
    text = "The kit includes the following parts:\n\n- a torque wrench\n- tank no. 2\n\nThe pump weighs 10–20 pounds."
    found = edges(text)
    assert [(edge.subject, edge.predicate, edge.object) for edge in found] == [
        ("kit", "includes", "torque wrench"),
        ("kit", "includes", "tank no. 2"),
        ("pump", "weighs", "10–20 pounds"),
    ]
    assert text[found[1].start : found[1].end] == "- tank no. 2"


def test_the_heads_of_row_and_column_make_the_fact_of_a_cell():
    table = "| Part | Name | Number |\n| --- | --- | --- |\n| Command module | Odyssey | 109 |\n"
    found = edges(f"The parts are these.\n\n{table}", "text/markdown")
    assert [(edge.subject, edge.predicate, edge.object, edge.object_is_entity) for edge in found] == [
        ("Command module", "name", "Odyssey", True),
        ("Command module", "number", "109", False),
    ]
    assert {edge.chunk.text[edge.start - edge.chunk.start : edge.end - edge.chunk.start] for edge in found} == {
        "| Command module | Odyssey | 109 |"
    }


def test_a_row_whose_cells_have_sentences_is_one_row_and_hides_no_heads():
    asked = "| Code | They update the code. | U1 |"
    table = f"| Field | Remarks | Tag |\n| --- | --- | --- |\n{asked}\n| Date | Format to be used. All others | U2 |\n"
    table += "| Flag | See below. | U3 |\n"
    found = [edge for edge in edges(table, "text/markdown") if edge.predicate in {"tag", "remarks"}]
    assert [(edge.subject, edge.predicate, edge.object) for edge in found] == [
        ("Code", "remarks", "They update the code."), ("Code", "tag", "U1"),
        ("Date", "remarks", "Format to be used. All others"), ("Date", "tag", "U2"),
        ("Flag", "remarks", "See below."), ("Flag", "tag", "U3"),
    ]  # fmt: skip
    assert table[found[0].start : found[0].end] == asked


def test_a_row_may_be_known_by_a_code_that_begins_with_a_figure():
    table = (
        "| Index | Customer Id | City |\n| --- | --- | --- |\n| 1 | 1Ef7b82A4CAAD10 | Downey |\n| 2 | 17 | Houston |\n"
    )
    assert stated(table) == [("1Ef7b82A4CAAD10", "index", "1"), ("1Ef7b82A4CAAD10", "city", "Downey")]
    assert stated("| Id | City |\n| --- | --- |\n| 6c7a | Downey |\n") == [("6c7a", "city", "Downey")]


@pytest.mark.parametrize(
    "first",
    ["Salary: 32,534 USD | Open Period: July 24 to 30", "12 April | 65 V", "1. | 3,000"],
)
def test_a_table_that_begins_with_a_filled_row_has_no_heads(first):
    assert stated(f"| {first} |\n| --- | --- |\n| Grade: GS-07 | Full time |\n| Valve | 28 |\n") == []
    years = "|  | 2021 | 2022 |\n| --- | --- | --- |\n| Valves | 28 | 30 |\n"
    assert stated(years) == [("Valves", "2021", "28"), ("Valves", "2022", "30")]


def test_every_edge_has_the_sentence_it_came_from():
    text = "A report\n\nOxygen tank no. 2 was\ndropped in 1968. *Beech Aircraft* built it. Swigert stirred the tank."
    found = edges(text)
    assert {text[edge.start : edge.end] for edge in found} == {
        "Oxygen tank no. 2 was\ndropped in 1968.",
        "*Beech Aircraft* built it.",
        "Swigert stirred the tank.",
    }
    for edge in found:
        assert (edge.start, edge.end) in edge.chunk.sentences
        assert 0 < edge.confidence <= 1


def test_a_bare_noun_is_less_certain_than_a_name():
    bare, named = edges("The workers moved the shelf. North American moved the oxygen tanks.")
    assert bare.confidence < named.confidence


def test_hostile_text_stays_text():
    hostile = "<img src=x onerror=alert(1)>"
    for edge in edges(
        f"Beech Aircraft built the {hostile} tank. {hostile} [a](javascript:b) ]( <<( ?s ?p )>> was \u202e."
    ):
        assert "\n" not in edge.subject + edge.predicate + edge.object


@pytest.mark.parametrize("name", ["tank-history.md", "investigation-report.pdf", "mission-timeline.txt"])
def test_the_sample_documents_give_edges_at_a_useful_rate(name):
    reading = read((SAMPLE / name).read_bytes(), name)
    found = list(chunks(reading))
    begun = time.thread_time()
    taken = list(RuleExtractor().edges(found))
    assert time.thread_time() - begun < 20
    assert len(taken) > 0.6 * sum(len(chunk.sentences) for chunk in found)
    assert len({(e.subject, e.predicate, e.object, e.start) for e in taken}) == len(taken)


def test_documents_that_are_parsed_together_have_the_facts_they_have_alone():
    texts = [
        ("Jim Lovell", "Jim Lovell commanded the ship. He repaired the fan."),
        ("Empty", "# 12"),
        ("Table", "| Part | Mass |\n|---|---|\n| Fan | 12 kg |\n"),
        ("Ed Smylie", "Ed Smylie led the team. He repaired the filter."),
    ]
    given = [(list(chunks(Reading(title, "text/markdown", text))), title) for title, text in texts]
    extractor = RuleExtractor()
    together = list(extractor.documents(given))
    assert together == [extractor.edges(of, title) for of, title in given]
    assert [len(found) for found in together][1] == 0
    assert {edge.subject for edge in together[3]} == {"Ed Smylie"}
