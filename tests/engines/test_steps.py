from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from explorer.engines.agent.session import Session
from explorer.engines.setting import Pauses, Setting
from explorer.engines.steps import LONGEST_READ, MOST_CONCEPTS, limit_concepts, truncate_question


@given(st.text(max_size=50))
def test_a_question_of_usual_length_is_read_whole(question):
    assert truncate_question(question) == question


def test_of_a_long_question_the_beginning_and_the_end_are_read():
    shortened = truncate_question("a" * 50_000 + "b" * 50_000)
    assert shortened == f"{'a' * 2_000} […] {'b' * 2_000}"
    assert len(truncate_question("x" * LONGEST_READ)) == LONGEST_READ


def test_of_many_concepts_the_first_and_the_last_are_looked_for():
    assert limit_concepts(["a", "b", "a"]) == ["a", "b", "a"]
    assert limit_concepts([str(number) for number in range(100)]) == [
        str(number) for number in [*range(10), *range(90, 100)]
    ]
    assert len(limit_concepts(["x"] * 100)) == MOST_CONCEPTS


def test_no_step_counts_the_time_in_which_its_run_waited_for_the_reader():
    spent = [0.0]

    def clock():
        return datetime(2026, 1, 15, 10, 30, tzinfo=UTC) + timedelta(seconds=spent[0])

    pauses = Pauses(clock, lambda: spent[0])
    steps = Session(Setting(None, None, "s", clock, pauses=pauses), None).steps
    before = clock()
    for waited, worked in ((30, 2), (0.1, 3)):
        with pauses.watched():
            spent[0] += waited
        spent[0] += worked
    assert steps.since(before) == 5100
    assert steps.since(clock()) == 0
    assert pauses.milliseconds == 30_000
