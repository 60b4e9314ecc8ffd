from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.language.words import (
    clauses,
    content_words,
    is_content,
    is_name,
    meant,
    names,
    opposites,
    phrases,
    spans,
    stem,
    stems,
    tokens,
    weighted,
)
from tests.each import each


def test_a_number_is_one_word_with_its_sign():
    found = tokens("Oxygen tank no. 2 had 1,204.5 psi at 55:54")
    assert found == ["Oxygen", "tank", "no. 2", "had", "1,204.5", "psi", "at", "55:54"]


def test_stop_words_single_letters_and_pronouns_say_nothing():
    assert [word for word in tokens("Why did the tank, of size A, fail in 2 parts?") if is_content(word)] == [
        "tank", "size", "fail", "2", "parts",
    ]  # fmt: skip
    assert content_words("Once I've gone they'd see what we're at, says O'Reilly") == ["gone", "says", "O'Reilly"]


def test_forms_of_a_word_have_one_stem_and_a_name_begins_with_a_capital_or_a_digit():
    assert stem("heaters") == stem("heater's") == stem("HEATER’s".lower()) == stem("heater")
    assert stems("The welded-shut switches") == [stem("welded-shut"), "weld", "shut", "switch"]
    assert [is_name(word) for word in ("Beech", "28", "valve")] == [True, True, False]


@each(("question", "found"), [
    ("Why did oxygen tank no. 2 fail?", ["oxygen tank no. 2 fail"]),
    ("Who built the relief valve?", ["built", "relief valve"]),
    ("What did Beech Aircraft do in Boulder?", ["Beech Aircraft", "Boulder"]),
    ("", []),
    ("why?", []),
])  # fmt: skip
def test_phrases_are_the_runs_between_words_that_say_nothing(question, found):
    got = phrases(question)
    assert [word for phrase in got for word in phrase.split()] == [word for phrase in found for word in phrase.split()]


def test_a_question_that_asks_two_things_has_two_parts_that_stand_alone():
    first, second = clauses("Who built the Apollo tank and when did it fail?")
    assert first == "Who built the Apollo tank"
    assert second.startswith("when did it fail")
    assert "Apollo" in second
    assert clauses("Who built it?") == ("Who built it?",)


def test_each_telling_word_is_weighed_by_its_rarity_once_and_never_by_nothing():
    rarity = {"valve": 3.0, "heaters": 0.0, "Valves": 2.0}
    assert weighted("Why did the valve of the heaters fail?", lambda word: rarity.get(word, 1.0)) == {
        "valv": 3.0, "heater": 0.1, "fail": 1.0,
    }  # fmt: skip
    assert weighted("valve Valves", rarity.__getitem__) == {"valv": 2.0}
    assert weighted("why is it?", rarity.__getitem__) == {}


def test_what_may_be_a_name_is_each_run_of_up_to_six_words():
    assert spans("the Polish-Russian War") == [
        "the Polish-Russian War", "the Polish-Russian", "Polish-Russian War", "Polish-Russian", "War",
    ]  # fmt: skip
    assert {"Schindler's List", "Schindler List", "Schindler"} <= set(spans("Who made Schindler's List?"))
    assert max(len(run.split()) for run in spans("a b c d e f g h i j")) == 6
    assert spans("") == spans("?") == spans("why") == []
    assert spans("Bergen, Bergen") == ["Bergen Bergen", "Bergen"]
    assert {"AT&T", "St Mary Church"} <= set(spans("Did AT&T build St. Mary's Church?"))


@each(("question", "title", "named"), [
    ("Who directed Polish-Russian War?", "Polish-Russian War", True),
    ("Who directed polish-russian war?", "Polish-Russian War (film)", True),
    ("Where is Halden's port?", "Halden", True),
    ("Where is halden?", "Halden", False),  # of one word: as common as any other
    ("What is in the green door?", "Green Door (song)", True),
    ("What is green? The door.", "Door Green", False),
    ("Which door is green?", "Green Door", False),
    ("Who wrote 1984?", "1984", True),
    ("Who is it?", "", False),
    ("Who is it?", "(film)", False),
    ("", "Halden", False),
    ("Halden", "Halden is a town in the south of Norway", False),
])  # fmt: skip
def test_a_question_names_a_title_whose_words_stand_there_in_a_row(question, title, named):
    assert names(question, title) == named


@each(("word", "known"), [
    ("apolo", "apollo"), ("reveiw", "review"), ("comanded", "commanded"), ("celoron", "céloron"), ("vale", None),
    ("apollon13", None), ("pollo", None), ("oxygen", None),
])  # fmt: skip
def test_an_unknown_word_is_read_as_a_known_one_of_nearly_the_same_letters(word, known):
    assert meant(word, ["apollo", "review", "commanded", "céloron", "valve"]) == known


def test_another_word_with_letters_at_its_end_is_no_slip():
    assert meant("systemd", {"system"}) is None
    assert meant("submitt", {"submit"}) == "submit"
    assert meant("significan", {"significant"}) == "significant"


def test_words_that_mean_the_opposite_are_known_in_both_directions():
    assert "last" in opposites("first")
    assert "first" in opposites("last")
    assert stem("unhappy") in opposites(stem("happy"))
    assert stem("happy") in opposites(stem("unhappy"))


@settings(max_examples=60)
@given(st.text(max_size=80))
def test_any_text_is_taken_apart_without_failing(text):
    assert all(is_content(word) in (True, False) for word in tokens(text))
    assert len(set(phrases(text))) == len(phrases(text))
    assert clauses(text)
    assert stems(text) == stems(text)
    assert all(1 <= len(run.split()) <= 6 for run in spans(text))
    assert names(text, text) in (True, False)
    assert {*weighted(text, lambda _: 1.0)} <= {*stems(text)}
