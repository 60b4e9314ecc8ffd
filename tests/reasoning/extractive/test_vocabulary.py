from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from pyoxigraph import Literal, NamedNode, Triple

from explorer.language.words import stem_set
from explorer.models.embedding import WordLlamaEmbedder
from explorer.reasoning.extractive import vocabulary as module
from explorer.reasoning.extractive.fit import Scoring
from explorer.reasoning.extractive.vocabulary import Coverage, Vocabulary, vocabulary
from explorer.reasoning.protocol import Edge

EMBEDDER = WordLlamaEmbedder()
TEXTS = ["The oxygen-rich Tanks were repaired.", "", "Tank no. 2 of the Odyssey", "… – …", "He repairs tanks."]


def words(known, text):
    [run] = known.of([text])
    return [known.words[number] for number in run]


def test_a_text_has_its_content_words_in_order_with_the_parts_of_hyphenated_ones():
    known = Vocabulary(EMBEDDER)
    assert words(known, TEXTS[0]) == ["oxygen-rich", "oxygen", "rich", "tanks", "repaired"]
    assert words(known, "") == words(known, "… – …") == []


def test_words_have_the_vectors_and_stems_they_have_alone():
    known = Vocabulary(EMBEDDER)
    numbers = known.numbers(["valves", "tank", "valves", ""])
    alone = np.concatenate([EMBEDDER.embed([word]) for word in ("valves", "tank", "valves", "")])
    assert np.allclose(known.vectors(numbers), alone, atol=1e-6)
    assert known.stem_of[numbers[0]] == known.stem_number("valv") != known.stem_of[numbers[1]]
    assert known.stem_number("never") == -1


def test_it_grows_and_keeps_what_it_knew():
    known = Vocabulary(EMBEDDER)
    first = known.vectors(known.numbers(["tank"])).copy()
    known.of([f"word{number}" for number in range(1_000)])
    assert np.array_equal(known.vectors(known.numbers(["tank"])), first)
    assert len(known.words) == 1_001


def test_shares_are_those_of_the_sets_of_stems():
    weights = {"oxygen": 1.5, "repair": 0.3, "tank": 2.0, "odyssey": 0.1}
    there = [sum(weights[key] for key in weights if key in stem_set(text)) for text in TEXTS]
    assert Vocabulary(EMBEDDER).shares(TEXTS, weights) == pytest.approx(np.array(there) / sum(weights.values()))
    assert Vocabulary(EMBEDDER).shares(TEXTS, {}).tolist() == [0.0] * len(TEXTS)
    assert Vocabulary(EMBEDDER).shares([], weights).tolist() == []


def test_a_full_one_makes_way_for_a_new_one(monkeypatch):
    known = vocabulary(EMBEDDER)
    assert vocabulary(EMBEDDER) is known
    known.of(["A text of today."])
    monkeypatch.setattr(module, "_MOST_TEXTS", 0)
    assert vocabulary(EMBEDDER) is not known
    assert words(known, "A text of today.") == ["text", "today"]


def test_threads_share_it():
    known = Vocabulary(EMBEDDER)
    texts = [[f"shared{number} own{number}x{thread}" for number in range(300)] for thread in range(8)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(known.of, texts))
    for given, runs in zip(texts, found, strict=True):
        assert [" ".join(known.words[number] for number in run) for run in runs] == given
    assert len(known.words) == len(set(known.words)) == 300 + 8 * 300


PARTS = ("Who repaired the oxygen tank?", "When did Emma’s brother die?")


def shares(*texts, parts=PARTS, rarity=lambda _: 1.0):
    return Coverage(parts, rarity, EMBEDDER).shares(texts)


def test_a_text_covers_a_part_by_any_form_of_its_words_and_by_other_words_for_them_in_part():
    [[tank, emma]] = shares("They were repairing both tanks of oxygen.")
    assert tank == pytest.approx(1.0)
    assert emma < 0.6
    [[_, emma]] = shares("Emma was the sister of Duke Richard, her brother. He died.")
    assert emma > 0.8
    [same], [other], [far] = shares("It was repaired.", "It was fixed.", "It was blue.", parts=["Who repaired it?"])
    assert same == pytest.approx(1.0)
    assert 1.0 > other > far


def test_rare_words_weigh_more():
    rarity = {"oxygen": 9.0}.get
    [oxygen], [tank] = shares("oxygen", "tank", parts=["oxygen tank"], rarity=lambda word: rarity(word, 1.0))
    assert oxygen > 0.9 > tank


def test_texts_without_words_and_parts_without_words_cover_nothing():
    assert shares("", "… – …").tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert shares("Oxygen.", parts=["Who was it?"]).tolist() == [[0.0]]
    assert shares(parts=["Oxygen?"]).shape == (0, 1)


def test_what_was_compared_before_changes_nothing():
    coverage = Coverage(PARTS, lambda _: 1.0, EMBEDDER)
    texts = ["The oxygen-rich tank.", "A brother of Emma died.", "Somebody mended it."]
    one_by_one = np.concatenate([coverage.shares([text]) for text in reversed(texts)])[::-1]
    assert coverage.shares(texts) == pytest.approx(one_by_one)
    assert shares(*texts) == pytest.approx(one_by_one)


SCORING = Scoring(EMBEDDER, lambda word: 3.0 if word == "valve" else 1.0)


def scores(question, *facts):
    edges = [Edge(Triple(NamedNode(f"urn:{n}"), NamedNode("urn:p"), Literal("x")), *said.split(" ", 2), ())
             for n, said in enumerate(facts)]  # fmt: skip
    found = {one.edge.text: one.score for one in SCORING.score_edges(question, [question], edges)}
    return [found[said] for said in facts]


def test_a_fact_with_the_words_of_the_question_fits_it_best_and_rare_words_weigh_more():
    near, far = scores("Who built the valve?", "Beech built valve", "sea is cold")
    assert near > 0.6 > far
    assert scores("Who built the valve?") == []
    seldom, often = scores("Who tested the valve?", "valve is there", "crew tested it")
    assert seldom > often


def test_a_fact_counts_for_the_part_of_the_question_that_it_fits_best():
    one, other = scores("Who tested the valve and what do penguins eat?", "Beech tested valve", "Penguins eat fish")
    assert min(one, other) > 0.6
    assert one == pytest.approx(scores("Who tested the valve?", "Beech tested valve")[0], abs=0.1)
