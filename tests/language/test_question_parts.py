import time

from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.language.question_parts import LONGEST, open_pronoun, parts, with_names
from tests.each import each

ONE = """Who wrote it and when?
Who wrote and directed Psycho?
What did Lovell and Swigert build?
What broke and caused the fire?
Who is the man who built Lindos and who sold Rhodes?
Who sang "What Is and What Should Never Be"?
Who wrote Where Eagles Dare and What Is Love?
What is the difference between what he said and what he did?
What are the rights and wrongs of the case and so on?
Apollo 13 was launched in 1970. Who commanded it?
When did Curie discover and name radium?
What is the age and name of the commander?
What does the table list and show?
Who was Lovell, who commanded Apollo 13?
When the tank exploded, what did the crew do?
Was it built in Boulder or was it built in Downey?
Who founded the firm and was the president of it?
If the tank fails, then what happens?
Did the board find out who was responsible and who was fired?
By whom was the tank built and in what year?
What happened? Why?
David Jones is an international in rugby union and another sport that was started when?
Why did both the heaters and the fans fail?
What did Lovell, who commanded Apollo 13, and who flew twice, say?
When and where was Marie Curie born?
Explain how the tank failed and why the crew survived.
Can you list the crew and explain the roles?
Summarise the accident; explain what caused the fire.
Do you know who built the tank and when the valve failed?
First find the commander of Apollo 13, then list the flights.
???
Why?""".splitlines()

SEVERAL = [
    ("Who are the tenants? And what is the rent?", ["Who are the tenants?", "What is the rent?"]),
    ("How cold did the cabin get, how warm was it before, and who chaired the board?",
     ["How cold did the cabin get?", "How warm was it before (cabin)?", "Who chaired the board?"]),
    ("When was the service module cast off, and what did the crew see?",
     ["When was the service module cast off?", "What did the crew see?"]),
    ("How far was the shelf dropped, and from which spacecraft was the other removed?",
     ["How far was the shelf dropped?", "From which spacecraft was the other removed?"]),
    ("1. Who commanded Apollo 13? 2. When did it fly?", ["Who commanded Apollo 13?", "When did it fly (Apollo 13)?"]),
    ("(a) who commanded Apollo 13 and (b) when did Apollo 12 land",
     ["Who commanded Apollo 13?", "When did Apollo 12 land?"]),
    ("- Who paid?\n- Who knew?", ["Who paid?", "Who knew?"]),
    ("- Who built the tank?\n- When?\n- Who sold the valve?", ["Who built the tank? When?", "Who sold the valve?"]),
    ("Was the tank dropped and was the gauge broken?", ["Was the tank dropped?", "Was the gauge broken?"]),
    ("Apollo 13 was launched in 1970. Who led the crew and when did the ship land?",
     ["Apollo 13 was launched in 1970. Who led the crew?", "When did the ship land?"]),
    ("How many people died and how many survived?", ["How many people died?", "How many survived?"]),
    ("What has changed since then and who was there?", ["What has changed since then?", "Who was there?"]),
]  # fmt: skip

NAMES = [  # a question, and its last part
    ("Who chaired the Apollo 13 Review Board, and who appointed it?", "Who appointed it (Apollo 13 Review Board)?"),
    ("Which engine failed, and why did nobody notice it?", "Why did nobody notice it (engine)?"),
    ("When did the tank explode and who built it?", "Who built it (tank)?"),
    ("Who commanded Apollo 13, when was it launched, and where did it land?", "Where did it land (Apollo 13)?"),
    ("When was the pump sold? What did the crew do when they saw the fire?",
     "What did the crew do when they saw the fire?"),
]  # fmt: skip


@each("question", ONE)
def test_a_question_of_one_part_stays_as_it_is(question):
    assert parts(question) == [(question,)]


@each(("question", "texts"), SEVERAL)
def test_each_clause_that_asks_for_itself_is_a_part(question, texts):
    assert parts(question) == [(text,) for text in texts]


def test_steps_that_follow_one_another_are_one_part():
    steps = ("Who wrote Dead Ernest?", "Where was he born (Dead Ernest)?")
    assert parts("Who wrote Dead Ernest, and where was he born?") == [steps]


@each(("question", "last"), NAMES)
def test_a_part_that_speaks_by_a_pronoun_has_the_names_of_the_part_before(question, last):
    assert parts(question)[-1][-1] == last


def test_names_that_a_question_has_are_not_added_to_it():
    assert with_names("Where was he born?", ["Ibsen", "Ibsen", "Skien"]) == "Where was he born (Ibsen, Skien)?"
    assert with_names("Where was Ibsen born?", ["Ibsen"]) == "Where was Ibsen born?"
    assert with_names("Where was he born (Brand)?", ["Ibsen"]) == "Where was he born (Brand, Ibsen)?"


@each(("text", "is_so"), [
    ("Where was he born?", True),
    ("When was that?", True),
    ("What did Lovell say when he landed?", False),
    ("What did Lovell tell his crew?", False),
    ("Who built this tank?", False),
])  # fmt: skip
def test_a_pronoun_is_open_unless_its_noun_stands_before_it(text, is_so):
    assert (open_pronoun(text) is not None) == is_so


def test_what_is_too_long_for_a_question_is_not_split():
    question = "and who was it " * (LONGEST // 10)
    assert len(parts(question)) == 1


@each(
    "piece",
    ["and who is it ", "“", "(", "list the a, ", "when and ", ", ", "Ab ", "the a of ", "A's ", "did the a it? "],
)
def test_time_grows_with_the_length_only(piece):
    begun = time.thread_time()
    assert parts((piece * LONGEST)[: LONGEST - 1])
    assert time.thread_time() - begun < 5


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.sampled_from("who when how did and or , ; ? . then after that he it the Lovell list ( “ 1. a)".split()))
)
def test_any_words_give_at_least_one_part(words):
    found = parts(" ".join(words))
    assert found
    assert all(found)


@given(st.text(max_size=80))
def test_any_text_gives_at_least_one_part(text):
    assert parts(text)
