import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.reasoning.parts import LONGEST, parts

ONE = """Who wrote it and when?
Who wrote and directed Psycho?
What did Lovell and Swigert build?
What broke and caused the fire?
Who is the man who built Lindos and who sold Rhodes?
What is the tank that failed, and which exploded?
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
???
Why?""".splitlines()

SEVERAL = [
    ("How cold did the cabin get, who played Lovell in the film, and who chaired the board?",
     ["How cold did the cabin get?", "Who played Lovell in the film?", "Who chaired the board?"]),
    ("When was the service module cast off, and what did the crew see?",
     ["When was the service module cast off?", "What did the crew see?"]),
    ("How far was the shelf dropped at the factory, and from which spacecraft was it being removed?",
     ["How far was the shelf dropped at the factory?", "From which spacecraft was the shelf being removed?"]),
    ("Why was Ken Mattingly replaced, and how did he help from the ground?",
     ["Why was Ken Mattingly replaced?", "How did Ken Mattingly help from the ground?"]),
    ("Who chaired the Apollo 13 Review Board, and who appointed it?",
     ["Who chaired the Apollo 13 Review Board?", "Who appointed the Apollo 13 Review Board?"]),
    ("Which engine failed, and why did nobody notice it?",
     ["Which engine failed?", "Why did nobody notice it (engine)?"]),
    ("What caused the fire and what was done about it?", ["What caused the fire?", "What was done about the fire?"]),
    ("What was the birthplace of Lovell and when did he die?",
     ["What was the birthplace of Lovell?", "When did Lovell die?"]),
    ("When and where was Marie Curie born?", ["When was Marie Curie born?", "Where was Marie Curie born?"]),
    ("What is the ship that sank in 1912 and who built it?",
     ["What is the ship that sank in 1912?", "Who built the ship that sank in 1912?"]),
    ("Apollo 13 was launched in 1970. Who commanded it and when did it land?",
     ["Apollo 13 was launched in 1970. Who commanded it?", "When did Apollo 13 land?"]),
    ("1. Who commanded Apollo 13? 2. When did it land?", ["Who commanded Apollo 13?", "When did Apollo 13 land?"]),
    ("(a) who commanded Apollo 13 and (b) when did it land", ["Who commanded Apollo 13?", "When did Apollo 13 land?"]),
    ("- Who paid?\n- Who knew?", ["Who paid?", "Who knew?"]),
    ("List the heaters and name their makers.", ["List the heaters.", "Name the heaters' makers."]),
    ("Explain how the tank failed and why the crew survived.",
     ["Explain how the tank failed.", "Explain why the crew survived."]),
    ("Tell me who was responsible and who was fired.", ["Tell me who was responsible.", "Who was fired?"]),
    ("Can you list the crew and explain their roles?", ["Can you list the crew?", "Explain the crew's roles."]),
    ("Who commanded Apollo 13, when was it launched, and where did it land?",
     ["Who commanded Apollo 13?", "When was Apollo 13 launched?", "Where did Apollo 13 land?"]),
    ("Was the tank dropped and was the gauge broken?", ["Was the tank dropped?", "Was the gauge broken?"]),
    ("Who discovered radium, and was it named after the sun?",
     ["Who discovered radium?", "Was radium named after the sun?"]),
    ("Who wrote Dead Ernest, and where was he born?",
     ["Who wrote Dead Ernest?", "Where was the person who wrote Dead Ernest born?"]),
    ("Who was the first man on the moon, and when was he born?",
     ["Who was the first man on the moon?", "When was the first man on the moon born?"]),
    ("Summarise the accident; explain what caused it.",
     ["Summarise the accident.", "Explain what caused the accident."]),
    ("How many people died and how many survived?", ["How many people died?", "How many survived?"]),
    ("Do you know who built it and when it failed?", ["Do you know who built it?", "Do you know when it failed?"]),
]  # fmt: skip

STEPS = [
    ("First find the commander of Apollo 13, then list his flights.",
     ("Find the commander of Apollo 13.", "List the commander of Apollo 13's flights.")),
    ("Find the author of Brand. After that, find the country he came from.",
     ("Find the author of Brand.", "Find the country the author of Brand came from.")),
    ("Find the birthplace of Ibsen, and then the river that flows through it.",
     ("Find the birthplace of Ibsen.", "Find the river that flows through the birthplace of Ibsen.")),
]  # fmt: skip


@pytest.mark.parametrize("question", ONE)
def test_a_question_of_one_part_stays_as_it_is(question):
    (part,) = parts(question)
    assert (part.text, part.steps) == (question, (question,))


@pytest.mark.parametrize(("question", "texts"), SEVERAL)
def test_each_clause_that_asks_for_itself_is_a_part(question, texts):
    found = parts(question)
    assert [part.text for part in found] == texts
    assert all(len(part.steps) == 1 for part in found)


@pytest.mark.parametrize(("question", "steps"), STEPS)
def test_steps_that_follow_one_another_are_one_part(question, steps):
    (part,) = parts(question)
    assert part.text == question.replace("First find", "Find")
    assert part.steps == steps


def test_a_time_is_no_joint_between_steps():
    assert [part.text for part in parts("What has changed since then and who was there?")] == [
        "What has changed since then?",
        "Who was there?",
    ]


def test_what_is_too_long_for_a_question_is_not_split():
    question = "and who was it " * (LONGEST // 10)
    assert len(parts(question)) == 1


@pytest.mark.parametrize("piece", ["and who ", "and who is it ", "“", "(", "list the a, ", "when and ", ", ", "Ab "])
def test_time_grows_with_the_length_only(piece):
    begun = time.perf_counter()
    assert parts((piece * LONGEST)[: LONGEST - 1])
    assert time.perf_counter() - begun < 5


@settings(deadline=None, max_examples=200)
@given(
    st.lists(st.sampled_from("who when how did and or , ; ? . then after that he it the Lovell list ( “ 1. a)".split()))
)
def test_any_words_give_at_least_one_part(words):
    found = parts(" ".join(words))
    assert found
    assert all(part.steps for part in found)


@given(st.text(max_size=80))
def test_any_text_gives_at_least_one_part(text):
    assert parts(text)
