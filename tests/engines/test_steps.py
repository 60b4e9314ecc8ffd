from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from explorer.engines.agent.session import Session
from explorer.engines.setting import Setting
from explorer.engines.steps import LONGEST_READ, MOST_CONCEPTS, limit_concepts, truncate_question, truncation_note
from explorer.events import Pauses


@given(st.text(st.characters(exclude_categories=("Cc", "Cf", "Cs")), max_size=50))
def test_a_question_of_usual_length_is_read_whole(question):
    assert truncate_question(question) == question


def test_of_a_long_question_the_beginning_and_the_end_are_read_and_nothing_that_nobody_sees():
    shortened = truncate_question("a" * 50_000 + "b" * 50_000)
    assert shortened == f"{'a' * 2_000} […] {'b' * 2_000}"
    assert len(truncate_question("x" * LONGEST_READ)) == LONGEST_READ
    assert truncate_question("a\x1b[1;31mb\x1b[0m\x07 \u202ec\u200b\ufeff") == "ab c"
    assert truncate_question("می\u200cشود 👩🏽\u200d🚀") == "می\u200cشود 👩🏽\u200d🚀"


def test_what_asks_in_the_midst_of_a_long_question_is_read_too():
    beside = "The sky was grey. " * 500
    read = truncate_question(f"{beside}Who built it? {beside}When? {beside}", 300)
    assert read == f"{beside[:100]} […] Who built it? When? […] {beside[-100:]}"
    assert truncation_note(beside * 9, 300).endswith("the first and last 150 were read")
    assert truncation_note(f"{beside}Who? {beside}").endswith(
        "the first and last 1,333 were read, and what asks between"
    )
    assert len(truncate_question(f"{beside}{'Who built it? ' * 9}{'and' * 9_000}? {beside}", 300)) < 320


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
