from explorer.text import seconds
from explorer.wording import panel_rows
from explorer.wording import phrases as words
from tests.each import each


@each(
    ("number", "said"),
    [(1, "1st"), (2, "2nd"), (3, "3rd"), (11, "11th"), (12, "12th"), (21, "21st"), (1142, "1,142nd")],
)
def test_ordinals(number, said):
    assert words.ordinal(number) == said


@each(("duration", "said"), [(0.0001, "1 ms"), (0.02, "20 ms"), (0.64, "0.6 s"), (1.8, "1.8 s"), (12.4, "12 s")])
def test_durations_have_units(duration, said):
    assert seconds(duration) == said


def test_a_time_that_is_none_is_shown_as_it_is():
    assert panel_rows.time("Asked", "yesterday") == panel_rows.text("Asked", "yesterday")
    assert panel_rows.time("Asked", None) == panel_rows.text("Asked", "time not recorded")
    assert panel_rows.time("Asked", "2026-01-15T10:30:00Z") == {
        "k": "time",
        "label": "Asked",
        "stamp": "2026-01-15T10:30:00Z",
    }


@each(("items", "said"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")])
def test_lists_in_words(items, said):
    assert words.listed(items) == said
