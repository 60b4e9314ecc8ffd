import numpy as np
import pytest

from explorer.reasoning.extractive.vocabulary import Coverage

PARTS = ("Who repaired the oxygen tank?", "When did Emma’s brother die?")


def shares(*texts, parts=PARTS, rarity=lambda _: 1.0):
    return Coverage(parts, rarity).shares(texts)


def test_a_text_with_all_words_of_a_part_covers_it_in_any_of_their_forms():
    [[tank, emma]] = shares("They were repairing both tanks of oxygen.")
    assert tank == pytest.approx(1.0)
    assert emma < 0.6


def test_another_word_for_the_same_thing_covers_a_word_in_part():
    [same], [other], [far] = shares("It was repaired.", "It was fixed.", "It was blue.", parts=["Who repaired it?"])
    assert same == pytest.approx(1.0)
    assert 1.0 > other > far


def test_a_possessive_ending_is_no_part_of_a_name():
    [[_, emma]] = shares("Emma was the sister of Duke Richard, her brother. He died.")
    assert emma > 0.8


def test_rare_words_weigh_more():
    rarity = {"oxygen": 9.0}.get
    [oxygen], [tank] = shares("oxygen", "tank", parts=["oxygen tank"], rarity=lambda word: rarity(word, 1.0))
    assert oxygen > 0.9 > tank


def test_texts_without_words_and_parts_without_words_cover_nothing():
    assert shares("", "… – …").tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert shares("Oxygen.", parts=["Who was it?"]).tolist() == [[0.0]]
    assert shares(parts=["Oxygen?"]).shape == (0, 1)


def test_what_was_compared_before_changes_nothing():
    coverage = Coverage(PARTS, lambda _: 1.0)
    texts = ["The oxygen-rich tank.", "A brother of Emma died.", "Somebody mended it."]
    one_by_one = np.concatenate([coverage.shares([text]) for text in reversed(texts)])[::-1]
    assert coverage.shares(texts) == pytest.approx(one_by_one)
    assert shares(*texts) == pytest.approx(one_by_one)
