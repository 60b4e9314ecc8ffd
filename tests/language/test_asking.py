import pytest

from explorer.language.asking import ends_in_noun, questions_from


@pytest.mark.parametrize(
    ("sentence", "questions"),
    [
        ("The boiler failed because a pump had seized.", ["Why did the boiler fail?"]),
        ("The fire was put out because the crew acted at once.", ["Why was the fire put out?"]),
        ("Maria Keller replaced the pump on 20 February.",
         ["When did Maria Keller replace the pump?", "Who replaced the pump?"]),
        ("The repair cost $1,840.", ["How much did the repair cost?"]),
        ("The library has opened on Sundays since 2019.", []),
        ("The mill was built in June 1969.", ["When was the mill built?"]),
        ("The archive is a room under the roof.", ["What is the archive?"]),
        ("Maria Keller led the repair.", ["What did Maria Keller lead?", "Who led the repair?"]),
        ("The valve could stop the flow.", ["What could the valve stop?"]),
        ("The pipeline has two relief valves.", ["How many relief valves does the pipeline have?"]),
        ("The dough rests for 18 hours at 5 °C.", ["How long does the dough rest?"]),
        ("The club was founded by Ruth Ferris.", ["Who founded the club?"]),
        ("Diving ducks forage deep underwater.", []),
        ("The new pump cost 612 pounds and was paid in February.", ["How much did the new pump cost?"]),
        ("The checkout was down for 47 minutes on 4 May.",
         ["How long was the checkout down?", "When was the checkout down for 47 minutes?"]),
        ("The value must be a number above zero.", []),
        ("The fault was caused by blocked air vents.", ["What caused the fault?"]),
        ("Firmware updates are installed at 3 in the morning.", []),
    ],
)  # fmt: skip
def test_what_a_sentence_says_is_asked_for(sentence, questions):
    found = [question for question, answer in questions_from([sentence]) if answer == sentence]
    assert sorted(found) == sorted(questions)


@pytest.mark.parametrize(
    "sentence",
    [
        "The lunar module kept the three astronauts alive until they could return.",
        "The lunar module kept three men alive.",
        "The work was the main reason why the next flight was delayed.",
        "The first was the quantity probe.",
        "Mission Control checked his arithmetic.",
        "55:55:20 Swigert reported a problem to Houston.",
        "The lunar module carried canisters for two men for about two days.",
        "The pressure of carbon dioxide had by then reached about 7.5 millimeters of mercury.",
    ],
)
def test_what_a_sentence_leaves_open_or_tells_of_other_sentences_is_not_asked(sentence):
    assert list(questions_from([sentence])) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "He replaced the pump on 20 February.",
        "It was built in 1969.",
        "The pump was not replaced in June 1969.",
        "In June 1969 the pump, which was old, broke, and the crew left.",
        "Replace the pump every year.",
        "See page 12.",
        "Nobody.",
        "",
        "<script>alert(1)</script>",
    ],
)
def test_what_needs_other_sentences_or_is_no_plain_statement_asks_nothing(sentence):
    assert list(questions_from([sentence])) == []


def test_a_word_that_only_begins_its_sentence_has_no_capital_in_the_question():
    found = dict(questions_from(["Amber glasses lengthen their sleep.", "They wore amber glasses."]))
    assert not [question for question in found if "Amber" in question]


def test_a_name_keeps_the_capital_it_begins_with():
    assert "What did Sy Liebergot watch?" in dict(questions_from(["Sy Liebergot watched the electrical power."]))


@pytest.mark.parametrize(("words", "is_so"), [("size", True), ("flow rate", True), ("opens", False), ("joined", False)])
def test_the_head_of_a_column_that_is_a_verb_is_no_noun(words, is_so):
    assert ends_in_noun(words) == is_so
