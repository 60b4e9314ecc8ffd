import pytest

from explorer.language.claims import asked_claims, claims


def of(text, verb):
    return next(one for one in claims(text) if one.verb == verb)


def test_who_does_it_is_the_same_in_both_voices():
    active, passive = of("Beech built the tank.", "build"), of("The tank was built by Beech.", "build")
    assert active.doer == passive.doer == {"beech"}
    assert active.done_to == passive.done_to == {"tank"}


def test_a_verb_without_a_subject_has_that_of_the_verb_before():
    assert of("The crew opened the valve and closed the hatch.", "close").doer == {"crew"}


def test_what_a_question_asks_for_is_known():
    assert asked_claims("Who built the tank?")[0].asked == "doer"
    assert asked_claims("Which tank did Beech build?")[0].asked == "done_to"


def test_what_is_taken_for_granted_goes_on_in_the_verb_that_completes_it():
    assert [one.verb for one in asked_claims("Why did they decide to rebuild the slipway?")] == ["decide", "rebuild"]
    assert asked_claims("launch date") == ()


def test_a_small_word_against_is_kept():
    assert of("Luca voted against it.", "vote").particles == {"against"}


@pytest.mark.parametrize(
    ("question", "verb"),
    [
        ("How long did the fire in tank no. 2 burn?", "burn"),
        ("How many people did the flood in the mill kill?", "kill"),
        ("How far did the boat of the old club sail?", "sail"),
        ("Why did the crew land on the shore?", "land"),
        ("How did the crew do the work?", "do"),
    ],
)
def test_the_verb_of_a_question_with_did_is_found_where_the_parser_takes_it_for_a_noun(question, verb):
    assert [claim.verb for claim in asked_claims(question)] == [verb]
