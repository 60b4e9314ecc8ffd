import math
from dataclasses import replace

import pytest

from explorer.engines.reading import sentences_of
from explorer.events import Support
from explorer.language.questions import read
from explorer.models.embedding import WordLlamaEmbedder
from explorer.reasoning.extractive import ranking
from explorer.reasoning.extractive.features import OF_SENTENCES, OF_SUPPORT, features
from explorer.reasoning.extractive.kinds import counts
from explorer.reasoning.extractive.matching import match
from explorer.reasoning.extractive.support import PARTS, joined, lacks, level, listing, part_of, support, weaker
from explorer.reasoning.protocol import ReadPassage

TEXT = "The relief valve of the tank opened in 1970. Beech Aircraft of Boulder built the tank for North American."


def given(question, text=TEXT):
    lacking, support_of = lacked(question, text)
    return weaker(support_of, lacking) if lacking else support_of


def lacked(question, text):
    passage = ReadPassage("urn:chunk:1", "Tanks", text, sentences_of(text))
    matched = match(read(question), [passage], WordLlamaEmbedder(), lambda word: 1.0 + len(word) / 10)
    if matched is None:
        return None, support(None, None)
    found = features(matched)
    scores = ranking.scores(found)
    return lacks(read(question), found, [matched.lines[int(scores.argmax())]]), support(found, scores)


def test_the_value_is_what_its_parts_come_to():
    found = given("Who built the tank?")
    assert set(found.parts) == set(PARTS)
    assert found.value == pytest.approx(1 / (1 + math.exp(-sum(found.parts.values()))), abs=0.001)
    assert found.level == level(found.value)


def test_what_the_passage_says_has_more_support_than_what_it_does_not():
    assert given("Who built the tank?").value > given("Who built the cathedral of Lisbon?").value
    assert given("When did the valve open?").value > given("Why did the valve open?").value
    assert given("Which vaccinations does a trip to Kenya take?").level == "none"


@pytest.mark.parametrize(
    ("question", "other", "part"),
    [
        ("Who built the tank of Boulder?", "Who built the tank of Lisbon?", "names"),
        ("What opened in 1970?", "What opened in 1985?", "numbers"),
        ("What did Beech Aircraft build?", "What did Beech Aircraft not build?", "negation"),
    ],
)
def test_what_is_missing_is_seen_in_its_part(question, other, part):
    assert given(question).parts[part] > given(other).parts[part]


def test_without_a_sentence_there_is_no_support():
    assert given("Who built the tank?", "") == Support(0.0, "none")


def test_every_feature_is_weighed_and_counts_for_a_part():
    known = ranking.weights()
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


def test_an_answer_is_sure_where_all_its_parts_are():
    strong, sure = Support(0.3, "strong"), Support(0.9, "strong", sure=True)
    assert not joined([strong, sure]).sure
    assert joined([sure, sure]).sure
    assert not joined([sure, Support(0.1, "none")]).sure


def test_of_many_words_some_are_listed():
    assert listing(["a", "b"]) == "a, b"
    assert listing(map(str, range(9))) == "0, 1, 2, 3, 4, 5, 6, 7, 8"
    assert listing(map(str, range(1_500))) == "0, 1, 2, 3, 4, 5, 6, 7 and 1,492 more words"
    assert len(listing(["x" * 5_000])) <= 40


def test_where_a_number_of_the_question_is_not_there_no_answer_is_strong():
    assert given("Who built the tank for North American?").level == "strong"
    assert given("Who built the tank no. 4 for North American?").level != "strong"


@pytest.mark.parametrize(
    ("question", "text", "said", "is_firm"),
    [
        (
            "How often are Azure disk snapshots made?",
            "The rows: hourly snapshots of disks. Azure disk snapshots.",
            "Azure",
            False,
        ),
        (
            "How much revenue did the firm lose?",
            "The firm lost revenue and one of its products.",
            "a figure for the revenue",
            True,
        ),
        (
            "What is the name of the engineer who wiped the disk?",
            "Trying to mend PostgreSQL, an engineer wiped it.",
            "names no engineer",
            True,
        ),
        (
            "How many teams are in the League?",
            "The league has 3 rules that teams keep.",
            "counts",
            False,
        ),
        (
            "How many dollars did the mission cost?",
            "The mission cost 3 lives.",
            "counts “dollar”",
            True,
        ),
        ("What did the mission cost?", "The crew of the mission lost 31.5 pounds of weight.", "a sum of money", True),
        (
            "How many hours did Kai work at first?",
            "Kai worked 10 hours a week.",
            "first",
            False,
        ),
        (
            "Why did the crew get no warning before the tank failed?",
            "The crew had a warning light. It was red. The tank failed because a fire got inside it.",
            "does not speak of “crew, warning”",
            True,
        ),
        ("Who has to put the files there?", "BASE_DIR is where files are put.", "does not say who", True),
    ],
)
def test_an_answer_without_what_is_asked_for_is_not_sure(question, text, said, is_firm):
    lacking, _ = lacked(question, text)
    assert lacking is not None
    assert (said in lacking.said, lacking.firm) == (True, is_firm)


def test_what_defines_a_term_in_brackets_says_what_it_is():
    assert lacked("What is TOIL?", "TOIL (time off in lieu) is given to those who work longer.")[0] is None
    assert lacked("What is TOIL?", "Once approved, your TOIL will be added.")[0] is not None


@pytest.mark.parametrize(
    ("question", "says", "beside"),
    [
        ("What is pericynthion?", "It ran for two hours after pericynthion, the point closest to the Moon.",
         "It ran for two hours after pericynthion."),
        ("Who repairs the boiler?", "The landlord repairs the boiler and the roof.", "It repairs the boiler."),
        ("Who is Tom Wilk?", "The gate was mended by the treasurer Tom Wilk.", "The gate was mended near Tom Wilk."),
        ("Who is Dana Hale?", "Dana Hale, who was in charge of the pumps, opened it.", "Dana Hale opened it."),
    ],
)  # fmt: skip
def test_who_somebody_is_who_does_it_and_what_a_thing_is_may_be_said_beside(question, says, beside):
    assert lacked(question, says)[0] is None
    assert lacked(question, beside)[0] is not None


def test_how_cold_is_said_by_a_temperature():
    text = "The temperature of the cabin fell to 38 °F. The cabin was small."
    assert given("How cold did the cabin get?", text).level == "strong"


def test_a_heading_in_capitals_is_no_name():
    text = "THE WAY HOME\n\nOn the way home the temperature of the cabin fell to 38 °F."
    assert lacked("how cold did the cabin get on the way home?", text)[0] is None


@pytest.mark.parametrize(
    "text",
    [
        "The League has five (5) strong teams.",
        "Teams of the League in 2020\n\nTeams: 14",
        "The number of teams is 5 in the League.",
    ],
)
def test_how_many_is_counted(text):
    assert counts(read("How many teams are in the League?"), text)


def test_a_role_is_not_named_by_a_word_of_the_same_root():
    asked = "Who was the investigator in charge?"
    lacking, _ = lacked(asked, "The report is free of charge, says the Transport Investigation Commission.")
    assert lacking.said == "this names no investigator"
    lacking, _ = lacked(asked, "The investigator in charge was Naveen Mathew.")
    assert lacking is None
