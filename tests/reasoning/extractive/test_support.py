import math
from dataclasses import replace

import pytest

from explorer.events import Support
from explorer.language.questions import read
from explorer.models.embedding import WordLlamaEmbedder
from explorer.reasoning.extractive import ranking
from explorer.reasoning.extractive.matching import match
from explorer.reasoning.extractive.ranking import OF_SENTENCES, OF_SUPPORT, features
from explorer.reasoning.extractive.scoring import sentences_of
from explorer.reasoning.extractive.support import PARTS, joined, level, listing, part_of, support
from explorer.reasoning.protocol import ReadPassage
from tests.each import each

TEXT = "The relief valve of the tank opened in 1970. Beech Aircraft of Boulder built the tank for North American."


def given(question, text=TEXT):
    passage = ReadPassage("urn:chunk:1", "Tanks", text, sentences_of(text))
    matched = match(read(question), [passage], WordLlamaEmbedder(), lambda word: 1.0 + len(word) / 10)
    if matched is None:
        return support(None)
    found = features(matched)
    return support(found, int(ranking.scores(found).argmax()))


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
    known = ranking.weights()
    values = (known.none - 0.001, known.none, known.strong - 0.001, known.strong)
    assert [level(value) for value in values] == ["none", "weak", "weak", "strong"]
