from explorer.models.embedding import WordLlamaEmbedder
from explorer.reasoning.extractive.scoring import Scoring
from explorer.reasoning.extractive.support import Support, listing, support

SCORING = Scoring(WordLlamaEmbedder(), lambda word: 3.0 if word == "valve" else 1.0)


def test_words_that_stand_nowhere_are_not_covered():
    assert support(SCORING, "Who built the valve of Lisbon?", "Beech built a valve.", 0.5).missing == ("Lisbon",)
    assert support(SCORING, "Lisbon?", "", 0.5).missing == ("Lisbon",)


def test_a_name_that_is_not_covered_asks_for_more_support():
    assert Support(0.5, ("achieve",)).is_enough
    assert not Support(0.5, ("Lisbon",)).is_enough
    assert not Support(0.4).is_enough


def test_a_refusal_says_what_was_nearest_and_by_how_much_it_fails():
    told = "Support for an answer, by all that was kept, is 0.50 of 1; it takes"
    said = Support(0.5, ("Lisbon",)).refusal("the valve")
    nothing = "Nothing was found about Lisbon. Nearest was “the valve”."
    assert said == f"Your documents don't answer this. {nothing} {told} 0.60."
    assert Support(0.5).refusal(None).endswith(f"{told} 0.47.")
    assert Support(0.0).refusal(None).startswith("Your documents don't answer this. Support")


def test_of_many_words_some_are_listed():
    assert listing(["a", "b"]) == "a, b"
    assert listing(map(str, range(9))) == "0, 1, 2, 3, 4, 5, 6, 7, 8"
    assert listing(map(str, range(1_500))) == "0, 1, 2, 3, 4, 5, 6, 7 and 1,492 more words"
    assert len(listing(["x" * 5_000])) <= 40
