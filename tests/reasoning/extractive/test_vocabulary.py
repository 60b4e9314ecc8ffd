from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from explorer.language.words import stem_set
from explorer.models.embedding import WordLlamaEmbedder
from explorer.reasoning.extractive import vocabulary as module
from explorer.reasoning.extractive.vocabulary import Vocabulary, vocabulary

TEXTS = ["The oxygen-rich Tanks were repaired.", "", "Tank no. 2 of the Odyssey", "… – …", "He repairs tanks."]


def words(known, text):
    [run] = known.of([text])
    return [known.words[number] for number in run]


def test_a_text_has_its_content_words_in_order_with_the_parts_of_hyphenated_ones():
    known = Vocabulary()
    assert words(known, TEXTS[0]) == ["oxygen-rich", "oxygen", "rich", "tanks", "repaired"]
    assert words(known, "") == words(known, "… – …") == []


def test_words_have_the_vectors_and_stems_they_have_alone():
    known = Vocabulary()
    numbers = known.numbers(["valves", "tank", "valves", ""])
    alone = np.concatenate([WordLlamaEmbedder().embed([word]) for word in ("valves", "tank", "valves", "")])
    assert np.allclose(known.vectors(numbers), alone, atol=1e-6)
    assert known.stem_of[numbers[0]] == known.stem_number("valv") != known.stem_of[numbers[1]]
    assert known.stem_number("never") == -1


def test_it_grows_and_keeps_what_it_knew():
    known = Vocabulary()
    first = known.vectors(known.numbers(["tank"])).copy()
    known.of([f"word{number}" for number in range(1_000)])
    assert np.array_equal(known.vectors(known.numbers(["tank"])), first)
    assert len(known.words) == 1_001


def test_shares_are_those_of_the_sets_of_stems():
    weights = {"oxygen": 1.5, "repair": 0.3, "tank": 2.0, "odyssey": 0.1}
    there = [sum(weights[key] for key in weights if key in stem_set(text)) for text in TEXTS]
    assert Vocabulary().shares(TEXTS, weights) == pytest.approx(np.array(there) / sum(weights.values()))
    assert Vocabulary().shares(TEXTS, {}).tolist() == [0.0] * len(TEXTS)
    assert Vocabulary().shares([], weights).tolist() == []


def test_a_full_one_makes_way_for_a_new_one(monkeypatch):
    known = vocabulary()
    assert vocabulary() is known
    known.of(["A text of today."])
    monkeypatch.setattr(module, "_MOST_TEXTS", 0)
    assert vocabulary() is not known
    assert words(known, "A text of today.") == ["text", "today"]


def test_threads_share_it():
    known = Vocabulary()
    texts = [[f"shared{number} own{number}x{thread}" for number in range(300)] for thread in range(8)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(known.of, texts))
    for given, runs in zip(texts, found, strict=True):
        assert [" ".join(known.words[number] for number in run) for run in runs] == given
    assert len(known.words) == len(set(known.words)) == 300 + 8 * 300
