import pytest

from explorer.language import questions as q
from explorer.language.questions import defines, halves, read


@pytest.mark.parametrize(
    ("question", "kind", "head"),
    [
        ("Who chaired the Apollo 13 Review Board?", q.PERSON, ""),
        ("When was the service module cast off?", q.TIME, ""),
        ("In what country is Normandy located?", q.PLACE, "country"),
        ("What voltage were the switches rated for?", q.NUMBER, "voltage"),
        ("How many men were in the regiment?", q.NUMBER, "man"),
        ("How much did the school charge for it?", q.NUMBER, "price"),
        ("How much charge was left in the batteries?", q.NUMBER, "charge"),
        ("Within how many hours is it published?", q.TIME, "duration"),
        ("Can a file be declared whose name has a blank?", q.YES_NO, ""),
        ("How cold did the command module get?", q.NUMBER, "temperature"),
        ("How long did the burn last?", q.TIME, "duration"),
        ("Why did oxygen tank no. 2 fail?", q.CAUSE, ""),
        ("What caused the accident?", q.CAUSE, ""),
        ("How was carbon dioxide removed?", q.MANNER, ""),
        ("What was the biggest religion in Quebec?", q.THING, "religion"),
        ("Did the crew use the large engine?", q.YES_NO, ""),
        ("Which band was formed first, The Exies or Circus Diablo?", q.CHOICE, "band"),
        ("Terry McGurrin was the story editor for a show which was written by who?", q.PERSON, ""),
        ("WHO BUILT THE TANK?", q.PERSON, ""),
        ("What is the name of the engineer who wiped the database?", q.PERSON, "engineer"),
        ("What is the name of the visitor who lost a coat?", q.PERSON, "visitor"),
        ("What is the treasurer's name?", q.PERSON, "treasurer"),
        ("What is the name of the server?", q.THING, ""),
        ("What is time off in lieu?", q.THING, ""),
        ("What is the time of departure?", q.TIME, "time"),
        ("What is Hale's revenue in 2023?", q.NUMBER, "revenue"),
        ("What was on board?", q.THING, ""),
        ("tank pressure", q.NUMBER, "pressure"),
        ("?", q.THING, ""),
        ("", q.THING, ""),
    ],
)
def test_a_question_asks_for_a_kind_of_thing(question, kind, head):
    found = read(question)
    assert (found.kind, found.head) == (kind, head)


def test_names_and_numbers_are_those_of_the_question():
    found = read("Why did Mission Control reject a direct abort of Apollo 13 in 1970?")
    assert "Mission Control" in found.names
    assert {"13", "1970"} <= set(found.numbers)
    assert "direct abort" in found.phrases


def test_a_verb_is_no_part_of_a_noun_phrase():
    assert read("What is the console called?").phrases == ("console",)
    assert read("Why did the heater switches fail?").phrases == ("heater switches",)
    assert read("Why did oxygen tank no. 2 fail").phrases == ("oxygen tank no. 2",)
    assert read("Who tested tank no. 2 in 1968?").phrases == ("tank no. 2",)


@pytest.mark.parametrize(
    ("question", "is_negated"),
    [
        ("What was not tested before the launch?", True),
        ("Who didn't fly?", True),
        ("Why could tank no. 2 not be emptied?", False),  # it takes for granted that it could not
        ("Why did the crew get no warning?", False),
        ("When did tank no. 2 fail?", False),
        ("Who recorded Man Without Love?", False),
    ],
)
def test_a_question_that_asks_what_is_not_so_is_negated(question, is_negated):
    assert read(question).is_negated is is_negated


@pytest.mark.parametrize(
    ("question", "inner", "outer"),
    [
        ("Who was the director of the center that launched Apollo 13?", "Which center launched Apollo 13?",
         "Who was the director of X?"),
        ("When was the man who replaced Mattingly born?", "Who replaced Mattingly?", "When was X born?"),
        ("Who founded the company whose engineers designed the valve?", "Which company's engineers designed the valve?",
         "Who founded X?"),
    ],
)  # fmt: skip
def test_a_question_inside_a_question_is_asked_first(question, inner, outer):
    found = q.inner(question)
    assert found is not None
    assert (found.text, found.outer("X")) == (inner, outer)


@pytest.mark.parametrize(
    "question", ["What is the ship that sank?", "Which band that split made it?", "Why did nobody see that it was on?"]
)
def test_a_clause_about_what_is_asked_for_is_no_question_of_its_own(question):
    assert q.inner(question) is None


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Who voted against grouting and for what reason?", [q.PERSON, q.CAUSE]),
        ("Who wrote the clock, and when?", [q.PERSON, q.TIME]),
        ("Who has to submit the plan, and by when?", [q.PERSON, q.TIME]),
        ("Which tank must the crew watch, and why?", [q.THING, q.CAUSE]),
        ("Who built the tank and the valve?", [q.PERSON]),
        ("What is known and what follows from it?", [q.THING]),
    ],
)
def test_a_few_words_at_the_end_ask_something_else_of_the_same(text, kinds):
    found = halves(read(text))
    assert [one.kind for one in found] == kinds
    assert all(one.context for one in found[1:])


@pytest.mark.parametrize(
    ("question", "noun"),
    [
        ("what is TOIL?", "TOIL"),
        ("What does TOIL mean?", "TOIL"),
        ("What is a lock file?", "lock file"),
        ("What is time off in lieu?", "time off in lieu"),
        ("What is the role of the chair?", None),
        ("What is Apollo 13?", None),
        ("What does the chair want?", None),
    ],
)
def test_what_is_to_be_defined(question, noun):
    assert defines(read(question)) == noun


def test_what_it_cost_and_what_somebody_was_paid_ask_for_a_number():
    for text, head in [
        ("What did the new pump cost?", "cost"),
        ("What did the lunar module weigh?", "weight"),
        ("What was the person who chaired the board paid?", "salary"),
    ]:
        assert (read(text).kind, read(text).head) == ("number", head)
    assert {"mission", "cost"} <= set(read("What did the mission cost in total?").phrases)


@pytest.mark.parametrize("question", ["How much did oxygen tank no. 4 cost?", "How much did the new boat cost?"])
def test_how_much_is_not_of_a_noun_behind_did(question):
    assert read(question).head == "cost"
