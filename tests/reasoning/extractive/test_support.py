import math
from dataclasses import replace

import pytest

from explorer.events import Support
from explorer.language.questions import read
from explorer.language.words import stem_set
from explorer.models.embedding import WordLlamaEmbedder
from explorer.reasoning.extractive import sentence_ranking
from explorer.reasoning.extractive.choosing import Part
from explorer.reasoning.extractive.fit import sentences_of
from explorer.reasoning.extractive.matching import Line, match
from explorer.reasoning.extractive.quotation import nearest
from explorer.reasoning.extractive.sentence_ranking import OF_SENTENCES, OF_SUPPORT, features, kind_in
from explorer.reasoning.extractive.sources import Source
from explorer.reasoning.extractive.support import PARTS, is_stated, joined, level, listing, part_of, support
from explorer.reasoning.protocol import ReadPassage
from tests.each import each

TEXT = "The relief valve of the tank opened in 1970. Beech Aircraft of Boulder built the tank for North American."


def found_in(question, text, title="Tanks"):
    """What is found of a question in a passage, and the passage."""
    passage = ReadPassage("urn:chunk:1", title, text, sentences_of(text))
    matched = match(read(question), [passage], WordLlamaEmbedder(), lambda word: 1.0 + len(word) / 10)
    return matched and features(matched), passage


def given(question, text=TEXT):
    found, _ = found_in(question, text)
    return support(found, int(sentence_ranking.scores(found).argmax())) if found else support(None)


def test_the_value_is_what_its_parts_come_to():
    found = given("Who built the tank?")
    assert set(found.parts) == set(PARTS)
    assert found.value == pytest.approx(1 / (1 + math.exp(-sum(found.parts.values()))), abs=0.001)
    assert found.level == level(found.value)
    assert given("Who built the tank?", "") == Support(0.0, "none")


@each(
    ("question", "other", "part"),
    [
        ("Who built the tank of Boulder?", "Who built the tank of Lisbon?", "names"),
        ("What opened in 1970?", "What opened in 1985?", "numbers"),
        ("What did Beech Aircraft build?", "What did Beech Aircraft not build?", "negation"),
    ],
)
def test_what_is_missing_is_seen_in_its_part(question, other, part):
    assert given(question).parts[part] > given(other).parts[part]


def test_every_feature_is_weighed_and_counts_for_a_part():
    known = sentence_ranking.weights()
    assert set(known.ranking) == set(OF_SENTENCES)
    assert set(known.support) <= set(OF_SUPPORT)
    assert {part_of(name) for name in known.support} <= set(PARTS)
    assert 0 < known.none < known.strong < known.sure < 1


def test_an_answer_is_as_well_supported_as_its_weakest_part():
    strong, none = Support(0.8, "strong"), Support(0.1, "none")
    assert joined([strong, none]) == Support(0.1, "weak", answered=(1, 2))
    assert joined([strong], 2) == replace(strong, level="weak", sure=False, answered=(1, 3))
    mixed = Support(0.1, "weak", answered=(2, 3))
    assert joined([mixed]) == mixed
    assert joined([mixed, strong]) == Support(0.1, "weak", answered=(3, 4))
    assert joined([none, none]) == none
    assert joined([]) is None
    strong, sure = Support(0.3, "strong"), Support(0.9, "strong", sure=True)
    assert not joined([strong, sure]).sure
    assert joined([sure, sure]).sure
    assert not joined([sure, Support(0.1, "none")]).sure


def test_of_many_words_some_are_listed():
    assert listing(["a", "b"]) == "a, b"
    assert listing(map(str, range(9))) == "0, 1, 2, 3, 4, 5, 6, 7, 8"
    assert listing(map(str, range(1_500))) == "0, 1, 2, 3, 4, 5, 6, 7 and 1,492 more words"
    assert len(listing(["x" * 5_000])) <= 40


def test_a_value_below_what_a_question_needs_is_not_strong():
    known = sentence_ranking.weights()
    values = (known.none - 0.001, known.none, known.strong - 0.001, known.strong)
    assert [level(value) for value in values] == ["none", "weak", "weak", "strong"]


@each(
    ("question", "text", "has"),
    [
        ("How many men flew?", "Three men flew.", True),
        ("How many men flew?", "The men flew.", False),
        ("How many of the 12 tanks failed?", "Of 12 tanks none was lost.", False),
        ("When was it cast off?", "It was cast off on 17 April 1970.", True),
        ("When was it cast off?", "It was cast off near the Earth.", False),
        ("How long did it burn?", "It burned for three seconds.", True),
        ("How much money is left?", "£23,615 is left in the account.", True),
        ("Who was the flight director?", "Gene Kranz was the flight director.", True),
        ("Who was the flight director?", "The flight director worked in the control room.", False),
        ("Where was it built?", "It was built in Boulder, Colorado.", True),
        ("Where was it built?", "It was built with care.", False),
        ("Why was it built?", "It was built in 1970.", False),
    ],
)
def test_a_sentence_has_what_is_asked_for_or_not(question, text, has):
    [sentence] = sentences_of(text)
    assert bool(kind_in(read(question), sentence.entities, stem_set(question), text)) is has


def test_a_name_is_less_sure_than_a_person():
    [sentence] = sentences_of("The report of Globe Industries was read.")
    assert 0 < kind_in(read("Who read it?"), sentence.entities, frozenset(), sentence.text) < 1


def stated(question, text, title="Report"):
    found, _ = found_in(question, text, title)
    return is_stated(read(question), found, found.match.lines[-1:])


@each(
    ("question", "says", "beside"),
    [
        ("Who inspected the valve?", "Ann Webb inspected the valve.", "The valve was inspected twice."),
        ("Who said that the tank had no fans?", "Ann Webb said that the tank had no fans.",
         "Ann Webb said that the tank had fans."),
        ("Why were they short of power?", "They were short of power because the cells had failed.",
         "There was fear of short circuits, because water had condensed on every panel."),
        ("Who was the inspector?", "The inspector was Ann Webb.", "The inspector had met Ann Webb in Oslo."),
        ("What was absorbed into the Norman language?", "The Gaulish language was absorbed into the Norman language.",
         "The Norman language was absorbed into the French language."),
        ("When did Beech deliver the tanks?", "Beech delivered the tanks in 1968.",
         "Grumman delivered the tanks (except those of Beech) in 1968."),
        ("Who governed the northern region?", "A prince governed the northern region.",
         "A prince governed the central region."),
        ("What did the board approve?", "The board approved a new budget.", "The board did not approve a new budget."),
    ],
)  # fmt: skip
def test_a_sentence_states_what_is_asked_or_only_speaks_of_it(question, says, beside):
    assert stated(question, says)
    assert not stated(question, beside)


def test_what_a_heading_names_needs_no_word_of_the_sentence_which_may_speak_of_something_else():
    assert stated("When was the relief valve of the Odyssey tested?", "The relief valve was tested in 1968.", "Odyssey")
    assert not stated("When was the relief valve of the Odyssey tested?", "The relief valve was tested in 1968.")
    question = "What was absorbed into the Norman language?"
    beside = "The Norman language was absorbed into the Saxon language of the subjects."
    assert stated(question, "The Gaulish dialect was absorbed into the language.", "Norman")
    assert not stated(question, beside, "Norman")
    assert stated("Who commanded the Kestrel?", "Ann Webb commanded the Kestrel.", "The Kestrel")
    assert not stated("Who commanded the Kestrel?", "Ann Webb commanded the spare crew.", "The Kestrel")


def test_what_comes_nearest_is_what_its_source_says():
    first = "Scientists has related Award."
    asked = "Why was the Nobel prize awarded?"
    found, passage = found_in(asked, f"{first}\nNobel prize has broader Award.\n", "Store")
    part, kept = Part(read(asked), found, support(None, None), [Line(0, 1)]), [(4, 0, len(first))]
    led = nearest([part], [Source(passage, kept, [], kept)])
    assert (led.text, led.cites) == (f"What comes nearest: “{first}”", (4,))
    whole = nearest([part], [Source(passage, [], [4], [])])
    assert (whole.text, whole.cites) == ("What comes nearest: “Nobel prize has broader Award.”", (4,))
