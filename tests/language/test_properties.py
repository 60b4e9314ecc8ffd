import pytest

from explorer.language.properties import Span, asks, fit, fitting, named, role_of_subject, says_only_class, things
from explorer.language.questions import read


def wanted(question, name):
    return asks(read(question), named(question, name))


def fits(question, name, predicate, value="1913-11-07"):
    return fit(wanted(question, name), predicate, value) is not None


@pytest.mark.parametrize(
    ("question", "name", "span"),
    [
        ("When was Albert Camus born?", "Albert Camus", Span(2, 4)),
        ("Why was Barack Obama awarded it?", "Barack H. Obama", Span(2, 4)),
        ("Who won the Nobel Prize in Physics in 1975?", "Nobel 1975 physics", Span(3, 9)),
        ("Who won the Nobel Prize in Physics in 1976?", "Nobel 1975 physics", None),
        ("When did Kroemer die?", "Herbert Kroemer", Span(2, 3, is_whole=False)),
        ("When did Pierre Curie die?", "Marie Curie", None),
        ("Where did Linus Pauling live?", "Linus Carl Pauling", Span(2, 4, is_whole=False)),
        ("Why was he awarded it?", "Award", None),
    ],
)
def test_a_question_names_a_thing_by_the_words_of_its_name(question, name, span):
    assert named(question, name) == span


def test_the_longest_name_counts_and_a_surname_of_two_people_names_neither():
    assert list(things("Who won Nobel 1975 physics?", ["Physics", "Nobel 1975 physics"])) == ["Nobel 1975 physics"]
    assert things("When did Curie die?", ["Marie Curie", "Pierre Curie"]) == {}


@pytest.mark.parametrize(
    ("question", "predicate"),
    [
        ("When was Albert Camus born?", "birth date"),
        ("When was Albert Camus born?", "date of birth"),
        ("Where was Albert Camus born?", "birth place"),
        ("When did Albert Camus die?", "death date"),
        ("Where did Albert Camus die?", "death place"),
        ("What is Albert Camus also called?", "alternative label"),
        ("What is Albert Camus?", "scope note"),
        ("Define Albert Camus", "definition"),
        ("What is the broader term of Albert Camus?", "has broader"),
        ("Who is Albert Camus married to?", "spouse"),
    ],
)
def test_words_of_a_question_fit_the_nouns_of_predicates(question, predicate):
    assert fits(question, "Albert Camus", predicate)


@pytest.mark.parametrize(
    ("question", "predicate", "value"),
    [
        ("When was Albert Camus born?", "death date", "1960-01-04"),
        ("When was Albert Camus born?", "birth place", "Mondovi"),
        ("Where was Albert Camus born?", "birth date", "1913-11-07"),
        ("When was Albert Camus born?", "birth date", "unknown"),
        ("What is Albert Camus also called?", "definition", "a writer"),
        ("Why was Albert Camus awarded?", "award", "Nobel 1957 literature"),
        ("What is the broader term of Albert Camus?", "has narrower", "x"),
    ],
)
def test_a_predicate_with_another_word_does_not_fit(question, predicate, value):
    assert not fits(question, "Albert Camus", predicate, value)


def test_a_comment_gives_a_reason_where_it_begins_as_one():
    assert fits("Why was Albert Camus awarded?", "Albert Camus", "comment", "“for his literary production”")
    assert not fits("Why was Albert Camus awarded?", "Albert Camus", "comment", "a prize of 1957")
    assert fits("Why was Albert Camus awarded?", "Albert Camus", "motivation", "clear-sighted earnestness")


def test_a_definition_is_better_than_a_note():
    told = [("a", "scope note", "x", "x"), ("b", "definition", "x", "x")]
    assert list(fitting(wanted("What is Talent?", "Talent"), told, as_value=False)) == ["b"]
    assert list(fitting(wanted("What is the scope note of Talent?", "Talent"), told, as_value=False)) == ["a"]


@pytest.mark.parametrize(
    ("question", "as_value"),
    [
        ("Which terms have Hungary as their broader term?", True),
        ("Whose broader term is Hungary?", True),
        ("What is the broader term of Hungary?", False),
    ],
)
def test_who_has_a_thing_as_a_value_is_asked_the_other_way_round(question, as_value):
    told = [("a", "has broader", "Europe", "Europe")]
    assert bool(fitting(wanted(question, "Hungary"), told, as_value=False)) != as_value


def test_what_a_thing_does_and_what_is_done_to_it_are_told_apart():
    contains = [("a", "contains place", "Budapest", "Budapest")]
    assert not fitting(wanted("What contains Hungary?", "Hungary"), contains, as_value=False)
    assert fitting(wanted("What does Hungary contain?", "Hungary"), contains, as_value=False)
    assert [role_of_subject(one) for one in ("contains place", "is replaced by", "author", "member")] == [
        "doer", "done to", "done to", "",
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["Talent is a Concept.", "Party is an Object property.", "Red is a Thing"])
def test_a_class_of_a_modelling_vocabulary_says_nothing(text):
    assert says_only_class("What is talent?", text)
    assert not says_only_class("What kind of thing is talent?", text)


@pytest.mark.parametrize("text", ["Budapest is a City.", "Ownership is a concept.", "Talent is a Concept of old."])
def test_another_class_says_something(text):
    assert not says_only_class("What is it?", text)
