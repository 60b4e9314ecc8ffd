import pytest

from explorer.language.assertions import PAST, PRESENT
from explorer.language.statements import offered, statement, tense


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Is parking on the bridge allowed?", "Parking on the bridge is allowed."),
        ("Are large dogs allowed in the hall?", "Large dogs are allowed in the hall."),
        ("Was the tank made of steel?", "The tank was made of steel."),
        ("Did Edgar Cortright chair the Review Board?", "Edgar Cortright will chair the Review Board."),
        ("Is version 3 supported?", "Version 3 is supported."),
        ("Isn't the pool heated?", "The pool is heated."),
        ("Does the system store passwords in plain text?", "The system will store passwords in plain text."),
    ],
)
def test_a_question_becomes_a_statement_with_its_verb_behind_its_subject(question, text):
    assert statement(question).text == text


def test_what_begins_with_no_verb_is_no_statement():
    assert statement("Who built the tank?") is None
    assert statement("Is it?") is None
    assert statement("") is None


def test_the_tense_is_that_of_the_first_word():
    assert (tense("Did it fail?"), tense("Is it safe?")) == (PAST, PRESENT)


def test_what_is_offered_is_two_statements():
    found = offered(statement("Is the tank made of steel or aluminium?"))
    assert [(name, doc.text) for name, doc in found] == [
        ("steel", "The tank is made of steel."),
        ("aluminium", "The tank is made of aluminium."),
    ]
    assert offered(statement("Is the tank made of steel, lead or aluminium?")) is None
