import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.reasoning.words import answers_kind, clauses, is_name, is_telling, phrases, stem, stems, tokens


def test_a_number_is_one_word_with_its_sign():
    assert tokens("Oxygen tank no. 2 had 1,204.5 psi at 55:54") == [
        "Oxygen",
        "tank",
        "no. 2",
        "had",
        "1,204.5",
        "psi",
        "at",
        "55:54",
    ]


def test_stop_words_and_single_letters_say_nothing():
    assert [word for word in tokens("Why did the tank, of size A, fail in 2 parts?") if is_telling(word)] == [
        "tank", "size", "fail", "2", "parts",
    ]  # fmt: skip


def test_forms_of_a_word_have_one_stem():
    assert stem("heaters") == stem("heater's") == stem("HEATER’s".lower()) == stem("heater")
    assert stems("The welded-shut switches") == [stem("welded-shut"), "weld", "shut", "switch"]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Why did oxygen tank no. 2 fail?", ["oxygen tank no. 2 fail"]),
        ("Who built the relief valve?", ["built", "relief valve"]),
        ("What did Beech Aircraft do in Boulder?", ["Beech Aircraft", "Boulder"]),
        ("", []),
        ("why?", []),
    ],
)
def test_phrases_are_the_runs_between_words_that_say_nothing(question, found):
    got = phrases(question)
    assert [word for phrase in got for word in phrase.split()] == [word for phrase in found for word in phrase.split()]


def test_a_question_that_asks_two_things_has_two_parts_that_stand_alone():
    first, second = clauses("Who built the Apollo tank and when did it fail?")
    assert first == "Who built the Apollo tank"
    assert second.startswith("when did it fail")
    assert "Apollo" in second
    assert clauses("Who built it?") == ["Who built it?"]


def test_a_kind_of_answer_is_recognised():
    assert answers_kind("Why did it fail?", "It failed because of heat.")
    assert answers_kind("How many fans?", "There were 2 fans.")
    assert not answers_kind("How many fans?", "There were fans.")
    assert not answers_kind("Name it.", "2")


def test_a_name_begins_with_a_capital_or_a_digit():
    assert [is_name(word) for word in ("Beech", "28", "valve")] == [True, True, False]


@settings(max_examples=60)
@given(st.text(max_size=80))
def test_any_text_is_taken_apart_without_failing(text):
    assert all(is_telling(word) in (True, False) for word in tokens(text))
    assert len(set(phrases(text))) == len(phrases(text))
    assert clauses(text)
    assert stems(text) == stems(text)
