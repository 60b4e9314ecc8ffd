import pytest

from explorer.models.embedding import WordLlamaEmbedder
from explorer.reasoning.extractive.scoring import Scoring

SCORING = Scoring(WordLlamaEmbedder(), lambda word: 3.0 if word == "valve" else 1.0)


def test_a_text_with_the_words_of_the_question_fits_it_best():
    near, far = SCORING.fits("Who built the valve?", ["Beech built the valve.", "The sea is cold today."])
    assert near > 0.6 > far
    assert SCORING.fits("Who built the valve?", []) == []


def test_rare_words_weigh_more():
    [[seldom], [often], [none]] = SCORING.shares(["Who tested the valve?"], ["a valve", "they tested it", ""])
    assert (seldom, often, none) == (pytest.approx(0.75), pytest.approx(0.25), 0.0)
    assert SCORING.shares(["Who is it?"], ["a valve"]) == [[0.0]]


def test_a_text_counts_for_the_part_of_the_question_that_it_fits_best():
    question = "Who tested the valve and what do penguins eat?"
    assert len(SCORING.shares(["a", "b", "c"], ["x", "y"])) == 2
    one, other = SCORING.fits(question, ["Beech tested the valve.", "Penguins eat fish."])
    assert min(one, other) > 0.6
