from explorer.language import questions as q
from explorer.language.questions import read
from tests.each import each


@each(("question", "kind", "head"), [
    ("Who chaired the Apollo 13 Review Board?", q.PERSON, ""),
    ("When was the service module cast off?", q.TIME, ""),
    ("In what country is Normandy located?", q.PLACE, "country"),
    ("What voltage were the switches rated for?", q.NUMBER, "voltage"),
    ("How many men were in the regiment?", q.NUMBER, "man"),
    ("How much charge was left in the batteries?", q.NUMBER, "charge"),
    ("Within how many hours is it published?", q.TIME, "duration"),
    ("Can a file be declared whose name has a blank?", q.YES_NO, ""),
    ("How cold did the command module get?", q.NUMBER, "temperature"),
    ("How long did the burn last?", q.TIME, "duration"),
    ("Why did oxygen tank no. 2 fail?", q.CAUSE, ""),
    ("How was carbon dioxide removed?", q.MANNER, ""),
    ("What was the biggest religion in Quebec?", q.THING, "religion"),
    ("Did the crew use the large engine?", q.YES_NO, ""),
    ("Which band was formed first, The Exies or Circus Diablo?", q.THING, "band"),
    ("Terry McGurrin was the story editor for a show which was written by who?", q.PERSON, ""),
    ("WHO BUILT THE TANK?", q.PERSON, ""),
    ("What is the name of the server?", q.THING, ""),
    ("What is time off in lieu?", q.THING, ""),
    ("What is the time of departure?", q.TIME, "time"),
    ("What is Hale's revenue in 2023?", q.NUMBER, "revenue"),
    ("What was on board?", q.THING, ""),
    ("tank pressure", q.NUMBER, "pressure"),
    ("?", q.THING, ""),
    ("", q.THING, ""),
])  # fmt: skip
def test_a_question_asks_for_a_kind_of_thing(question, kind, head):
    found = read(question)
    assert (found.kind, found.head) == (kind, head)


def test_names_numbers_and_noun_phrases_are_those_of_the_question():
    found = read("Why did Mission Control reject a direct abort of Apollo 13 in 1970?")
    assert "Mission Control" in found.names
    assert {"13", "1970"} <= set(found.numbers)
    assert "direct abort" in found.phrases
    assert read("What is the console called?").phrases == ("console",)
    assert read("Why did the heater switches fail?").phrases == ("heater switches",)
    assert read("Why did oxygen tank no. 2 fail").phrases == ("oxygen tank no. 2",)
    assert read("Who tested tank no. 2 in 1968?").phrases == ("tank no. 2",)


@each(("question", "is_negated"), [
    ("What was not tested before the launch?", True),
    ("Who didn't fly?", True),
    ("Why could tank no. 2 not be emptied?", False),  # it takes for granted that it could not
    ("Why did the crew get no warning?", False),
    ("When did tank no. 2 fail?", False),
    ("Who recorded Man Without Love?", False),
])  # fmt: skip
def test_a_question_that_asks_what_is_not_so_is_negated(question, is_negated):
    assert read(question).is_negated is is_negated
