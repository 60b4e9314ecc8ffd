import pytest

from explorer.language.assertions import CAN, IS, MUST, assertions, limited
from explorer.language.pipeline import parsed


def last(sentence):
    return [*assertions(parsed(sentence))][-1]


@pytest.mark.parametrize(
    ("sentence", "force", "is_denied", "verb"),
    [
        ("You cannot open the valve.", CAN, True, "open"),
        ("You must not open the valve.", CAN, True, "open"),
        ("You need not open the valve.", MUST, True, "open"),
        ("Do not open the valve.", CAN, True, "open"),
        ("Visitors are required to wear a badge.", MUST, False, "wear"),
        ("Visitors are prohibited from opening the valve.", CAN, True, "opening"),
        ("The lease allows the tenant to keep pets.", CAN, False, "keep"),
        ("Parking in the yard is not forbidden.", CAN, False, None),
        ("The crew failed to open the valve.", IS, True, "open"),
        ("The mill no longer grinds corn.", IS, True, "grinds"),
    ],
)
def test_what_may_must_or_is_not_so_is_read_off_the_grammar(sentence, force, is_denied, verb):
    found = last(sentence)
    done = found.verb.text if found.verb is not None else None
    assert (found.force, found.is_denied, done) == (force, is_denied, verb)


@pytest.mark.parametrize(
    "sentence",
    [
        "He denied that the valve leaked.",
        "Had the valve leaked, the pump would have stopped.",
        "The valve could have leaked.",
        "The fan stops the pump or slows it.",
    ],
)
def test_what_is_supposed_or_reported_is_not_asserted(sentence):
    assert all(one.verb.lemma_ not in {"leak", "stop", "slow"} for one in assertions(parsed(sentence)))


def test_who_does_it_is_the_same_in_both_voices():
    active, passive = last("Beech built the tank."), last("The tank was built by Beech.")
    assert (active.doer.text, active.done_to.text) == (passive.doer.text, passive.done_to.text) == ("Beech", "tank")


def test_words_that_hedge_are_known():
    assert limited(last("The mill often grinds corn.")) == {"often"}
    assert limited(last("The ticket is not only valid for trains.")) <= {"only"}
