import pytest

from explorer.models.embedding import WordLlamaEmbedder
from explorer.reasoning.extractive.support import Measure, is_enough, refusal, some, whole

MEASURE = Measure(WordLlamaEmbedder(), lambda word: 3.0 if word == "valve" else 1.0)


def test_a_text_with_the_words_of_the_question_fits_it_best():
    near, far = MEASURE.own_scores("Who built the valve?", ["Beech built the valve.", "The sea is cold today."])
    assert near > 0.6 > far
    assert MEASURE.own_scores("Who built the valve?", []) == []


def test_rare_words_weigh_more():
    [[seldom], [often], [none]] = MEASURE.shares(["Who tested the valve?"], ["a valve", "they tested it", ""])
    assert (seldom, often, none) == (pytest.approx(0.75), pytest.approx(0.25), 0.0)
    assert MEASURE.shares(["Who is it?"], ["a valve"]) == [[0.0]]


def test_a_text_counts_for_the_part_of_the_question_that_it_fits_best():
    question = "Who tested the valve and what do penguins eat?"
    assert len(MEASURE.shares(["a", "b", "c"], ["x", "y"])) == 2
    one, other = MEASURE.own_scores(question, ["Beech tested the valve.", "Penguins eat fish."])
    assert min(one, other) > 0.6


def test_words_that_stand_nowhere_are_not_covered():
    assert MEASURE.uncovered("Who built the valve of Lisbon?", "Beech built a valve.") == {"lisbon": "Lisbon"}
    assert MEASURE.uncovered("Lisbon?", "") == {"lisbon": "Lisbon"}


def test_a_name_that_is_not_covered_asks_for_more_support():
    assert is_enough(0.5, {"achiev": "achieve"})
    assert not is_enough(0.5, {"lisbon": "Lisbon"})
    assert not is_enough(0.4, {})


def test_likeness_leaves_out_what_was_said_before():
    texts = ["The valve opened.", "The valve opened.", "Snow fell on the hills."]
    assert MEASURE.unlike(texts, 5) == [0, 2]
    assert MEASURE.unlike(texts, 1) == [0]


def test_a_refusal_says_what_was_nearest_and_by_how_much_it_fails():
    told = "Support for an answer, by all that was kept, is 0.50 of 1; it takes"
    said = refusal({"lisbon": "Lisbon"}, "the valve", 0.5)
    nothing = "Nothing was found about Lisbon. Nearest was “the valve”."
    assert said == f"Your documents don't answer this. {nothing} {told} 0.60."
    assert refusal({}, None, 0.5).endswith(f"{told} 0.47.")
    assert refusal({}, None, 0.0).startswith("Your documents don't answer this. Support")


def test_of_many_words_some_are_listed():
    assert some(["a", "b"]) == "a, b"
    assert some(map(str, range(9))) == "0, 1, 2, 3, 4, 5, 6, 7, 8"
    assert some(map(str, range(1_500))) == "0, 1, 2, 3, 4, 5, 6, 7 and 1,492 more words"
    assert len(some(["x" * 5_000])) <= 40


def test_a_quoted_sentence_has_no_marks_and_says_where_it_was_cut():
    assert whole("- **Two**\nfans `stir`.") == "Two fans stir."
    assert whole("Slayton, who led them") == "Slayton, who led them …"
    assert whole("the tank stood there.") == "… the tank stood there."
    assert whole("Did it?") == "Did it?"
