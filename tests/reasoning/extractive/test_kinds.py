import pytest

from explorer.engines.reading import sentences_of
from explorer.language.questions import read
from explorer.language.words import stem, tokens
from explorer.reasoning.extractive.kinds import counts, kind_in, names_kind, tells


@pytest.mark.parametrize(
    ("question", "text", "has"),
    [
        ("What voltage was it rated for?", "The switch was rated for 28 V DC.", True),
        ("What voltage was it rated for?", "The switch was rated for 20 years.", False),
        ("How far was it dropped?", "It was dropped about 2 inches in 1968.", True),
        ("How far was it dropped?", "Tank no. 2 was dropped in 1968.", False),
        ("How many men flew?", "Three men flew.", True),
        ("When was it cast off?", "It was cast off on 17 April 1970.", True),
        ("When was it cast off?", "It was cast off near the Earth.", False),
        ("How long did it burn?", "It burned for three seconds.", True),
        ("How often is it copied?", "It is copied every 11 minutes.", True),
        (
            "What is the minimum period between settings?",
            "A minimum four hour period is needed.",
            True,
        ),
        ("How much money is left?", "£23,615 is left in the account.", True),
        ("How much money is left?", "Half of the members left twice.", False),
        ("How long did it burn?", "It burned on 17 April 1970.", False),
        ("Who was the flight director?", "Gene Kranz was the flight director.", True),
        ("Who was the flight director?", "The flight director worked in the control room.", False),
        ("Where was it built?", "It was built in Boulder, Colorado.", True),
        ("Where was it built?", "It was built with care.", False),
        ("How often is it copied?", "It is copied over 11 minutes.", False),
        ("How often is it copied?", "It is copied daily.", True),
        ("Where are the vents?", "The vents are located at the rear base of the device.", True),
        ("Where are the vents?", "The vents were found in good order.", False),
    ],
)
def test_a_sentence_has_what_is_asked_for_or_not(question, text, has):
    [sentence] = sentences_of(text)
    asked = {stem(word): word for word in tokens(question)}
    assert bool(kind_in(read(question), sentence.entities, asked, text)[0]) is has


@pytest.mark.parametrize(
    ("text", "does"),
    [
        ("The tank failed because a fire burned inside it.", True),
        ("The crew was woken because the tank failed.", False),
        ("A fire burned inside it, so that the tank failed.", True),
        ("The tank failed, so that the crew was in danger.", False),
        ("A fire burned inside it, so the tank failed.", True),
        ("The tank failed, so the crew was in danger.", False),
        ("Had the tank failed later, the crew would have been on the Moon.", False),
        ("The tank failed in flight.", False),
    ],
)
def test_a_cause_stands_behind_because_and_before_so_that(text, does):
    question = read("Why did the tank fail?")
    assert tells(question, text, {stem(word): word for word in tokens(question.text)}) is does


@pytest.mark.parametrize(
    ("question", "text", "has"),
    [
        ("What voltage was it rated for?", "Two thermostatic switches gave protection.", False),
        ("What voltage was it rated for?", "They were rated for 28 V DC.", True),
        ("When was it cast off?", "They were on board within 45 minutes.", False),
        ("When was it cast off?", "138:01:48 The crew cast it off.", True),
        ("Who made it?", "The motors were made by Globe Industries.", True),
        ("Who made it?", "The motors were made with care.", False),
        ("What was it?", "It was in 1970.", False),
    ],
)
def test_by_its_words_alone_a_text_names_what_is_asked_for_or_not(question, text, has):
    assert names_kind(read(question), text) is has


def test_a_time_of_day_counts_nothing():
    asked = read("How many edits were lost?")
    assert counts(asked, "In all 12 map edits were lost on 17 December 2024.")
    assert not counts(asked, "17 December 2024, 12:21: Map Edits restored")
