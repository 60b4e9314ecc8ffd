import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.reasoning.rules.clauses import LONGEST, parts

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
    ("How much salt and how many walnuts are needed?", ["How much salt are needed?", "How many walnuts are needed?"]),
    ("Who are the tenants? And what is the rent?", ["Who are the tenants?", "What is the rent?"]),
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
     ("Find the commander of Apollo 13.", "List his flights (the commander of Apollo 13).")),
    ("Find the author of Brand. After that, find the country he came from.",
     ("Find the author of Brand.", "Find the country the author of Brand came from.")),
    ("Find the birthplace of Ibsen, and then the river that flows through it.",
     ("Find the birthplace of Ibsen.", "Find the river that flows through it (the birthplace of Ibsen).")),
    ("Explain how the tank failed, then describe what broke, and finally summarize the report.",
     ("Explain how the tank failed.", "Describe what broke.", "Summarize the report.")),
    ("Find the pump. Then list the valves. Finally, summarize the report.",
     ("Find the pump.", "List the valves.", "Summarize the report.")),
    ("Find the builder of the tank, then its founder, then his wife.",
     ("Find the builder of the tank.", "Find its founder (the builder of the tank).",
      "Find his wife (the builder of the tank).")),
    ("Find the mass of Apollo 12 and the mass of Apollo 13, then compare them.",
     ("Find the mass of Apollo 12 and the mass of Apollo 13.",
      "Compare them (the mass of Apollo 12, the mass of Apollo 13).")),
]  # fmt: skip

NAMES = [  # a question, and its last part
    ("How much did the new pump cost and what colour is it?", "What colour is the new pump?"),
    ("What caused the East–West Schism and who started it?", "Who started the East–West Schism?"),
    ("When was the Treaty of Versailles signed and who signed it?", "Who signed the Treaty of Versailles?"),
    ("Where is the University of Oxford and when was it founded?", "When was the University of Oxford founded?"),
    ("Who founded the Journal of Mathematical Physics and when was it sold?",
     "When was the Journal of Mathematical Physics sold?"),
    ("When did Apollo 13's tank explode and who built it?", "Who built Apollo 13's tank?"),
    ("What did NASA's administrator say and when did he resign?", "When did NASA's administrator resign?"),
    ("What is C++ and who made it?", "Who made C++?"),
    ("What is C# and when was it made?", "When was C# made?"),
    ("Where is Austin, Texas and when was it founded?", "When was Austin, Texas founded?"),
    ("Where did Vincent van Gogh live and when did he die?", "When did Vincent van Gogh die?"),
    ("Where was Robert Smith Jr. born and what did he do?", "What did Robert Smith Jr. do?"),
    ('Who sings "Hey Jude" and when was it released?', 'When was "Hey Jude" released?'),
    ('Who wrote the song "Yesterday", and who sang it?', 'Who sang the song "Yesterday"?'),
    ("Who directed The Lord of the Rings and when was it released?", "When was The Lord of the Rings released?"),
    ("Why did oxygen tank no. 2 fail and who built it?", "Who built oxygen tank no. 2?"),
    ("Did the crew eat the food and who cooked for them?", "Who cooked for the crew?"),
    ("Who invented the telephone? Where was he born? When did he die?",
     "When did the person who invented the telephone die?"),
    ("Why did it fail??? Who did it!!!", "Who did it?"),
    ("WHO BUILT THE TANK AND WHEN WAS IT SOLD?", "WHEN WAS the tank SOLD?"),
    ("What year did the spouse of Marie Curie die and where was he buried?",
     "Where was the spouse of Marie Curie buried?"),
    ("What is the name of the man who built the tank and who sold it?", "Who sold the tank?"),
]  # fmt: skip

UNCLEAR = [  # the last part of a question whose pronoun may stand for several things, or for none that is named
    ("What did Priya Nair propose and who voted against it?", "Who voted against it (Priya Nair)?"),
    ("Who wrote Pride and Prejudice and when was it published?", "When was it published (Pride and Prejudice)?"),
    ("What is the weight of the tank and who built it?", "Who built it (the weight of the tank)?"),
    ("What is the population of Austin, Texas and when was it founded?",
     "When was it founded (the population of Austin, Texas)?"),
    ("What was dropped at the factory and who built it?", "Who built it (the factory)?"),
    ("Which treaty ended the war and who signed it?", "Who signed it (treaty, the war)?"),
    ("Who killed Abraham Lincoln and when did he die?", "When did he die (Abraham Lincoln)?"),
    ("Who was the wife of Ibsen and when did he die?", "When did he die (the wife of Ibsen)?"),
    ("When did the Treaty of Versailles end World War I, and who signed it?",
     "Who signed it (the Treaty of Versailles, World War I)?"),
    ("Who was Lovell? What did Swigert and Haise do? When did he die?", "When did he die (Swigert and Haise)?"),
    ("Who built the tank and when was that?", "When was that (the tank)?"),
    ("Compare the tank with the valve, and say which is heavier.", "Say which is heavier (the tank, the valve)."),
    ("Who directed Gone with the Wind and when was it released?", "When was it released (Gone with the Wind)?"),
    ("Who gave Lovell the Medal of Freedom and when was he born?",
     "When was he born (Lovell the Medal of Freedom)?"),
    ("What is Paris's population and when was it founded?", "When was it founded (Paris's population)?"),
    ('Who directed "Jaws" and who wrote its score?', 'Who wrote its score ("Jaws")?'),
    ("What went wrong and who fixed it?", "Who fixed it?"),
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


@pytest.mark.parametrize(("question", "last"), NAMES)
def test_a_pronoun_gives_way_to_the_whole_name_that_it_stands_for(question, last):
    assert parts(question)[-1].text == last


@pytest.mark.parametrize(("question", "last"), UNCLEAR)
def test_a_pronoun_that_is_not_clear_stays_with_the_likely_names_after_it(question, last):
    assert parts(question)[-1].text == last


def test_a_bare_question_word_joins_the_part_before_it():
    assert len(parts("1. Who built it? 2. When? 3. Where?")) == 1
    assert [part.text for part in parts("- Who built the tank?\n- When?\n- By whom was it sold?")] == [
        "Who built the tank? When?",
        "By whom was the tank sold?",
    ]


def test_a_sequence_beside_a_question_is_a_part_with_steps():
    found = parts("Who paid? Find the tank, then list its parts.")
    assert [part.steps for part in found] == [("Who paid?",), ("Find the tank.", "List the tank's parts.")]


def test_a_time_is_no_joint_between_steps():
    assert [part.text for part in parts("What has changed since then and who was there?")] == [
        "What has changed since then?",
        "Who was there?",
    ]


def test_what_is_too_long_for_a_question_is_not_split():
    question = "and who was it " * (LONGEST // 10)
    assert len(parts(question)) == 1


@pytest.mark.parametrize(
    "piece",
    [
        "and who ",
        "and who is it ",
        "“",
        "(",
        "list the a, ",
        "when and ",
        ", ",
        "Ab ",
        "the a of ",
        "A's ",
        "A and ",
        "did the a it? ",
    ],
)
def test_time_grows_with_the_length_only(piece):
    begun = time.thread_time()
    assert parts((piece * LONGEST)[: LONGEST - 1])
    assert time.thread_time() - begun < 5


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
