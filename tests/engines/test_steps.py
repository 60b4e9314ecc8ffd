from hypothesis import given
from hypothesis import strategies as st

from explorer.engines.steps import LONGEST_READ, MOST_CONCEPTS, read, telling


@given(st.text(max_size=50))
def test_a_question_of_usual_length_is_read_whole(question):
    assert read(question) == question


def test_of_a_long_question_the_beginning_and_the_end_are_read():
    shortened = read("a" * 50_000 + "b" * 50_000)
    assert shortened == f"{'a' * 2_000} […] {'b' * 2_000}"
    assert len(read("x" * LONGEST_READ)) == LONGEST_READ


def test_of_many_concepts_the_first_and_the_last_are_looked_for():
    assert telling(["a", "b", "a"]) == ["a", "b", "a"]
    assert telling([str(number) for number in range(100)]) == [str(number) for number in [*range(10), *range(90, 100)]]
    assert len(telling(["x"] * 100)) == MOST_CONCEPTS
