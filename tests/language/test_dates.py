import pytest

from explorer.language.dates import dates, spans_of_time


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("in August 2025", (2025, 8, None)),
        ("2025-08", (2025, 8, None)),
        ("08/2025", (2025, 8, None)),
        ("on 3 November, and", (None, 11, 3)),
        ("the 3rd of November", (None, 11, 3)),
        ("November 3, 2025", (2025, 11, 3)),
        ("2025-11-03", (2025, 11, 3)),
        ("3.11.2025", (2025, 11, 3)),
        ("03/11/2025", (2025, 11, 3)),
        ("the year 2026", (2026, None, None)),
    ],
)
def test_dates_are_read_as_people_write_them(text, said):
    [date] = dates(text)
    assert date[:3] == said


@pytest.mark.parametrize(
    "text", ["between 1.2 and 2.0 bar", "you may open it", "12,000 g", "13/45/2025 of 99/2025", ""]
)
def test_other_numbers_and_words_are_no_dates(text):
    assert [date for date in dates(text) if date.month] == []


@pytest.mark.parametrize(
    ("one", "other", "is_in"),
    [
        ("2025-11-03", "3 November", True),
        ("2025-11-03", "November 2025", True),
        ("2025-11-03", "2025", True),
        ("2025-11", "3 November 2025", False),
        ("2025-12-03", "3 November", False),
        ("2024-11-03", "3 November 2025", False),
    ],
)
def test_a_date_lies_in_the_month_or_year_that_is_named(one, other, is_in):
    assert dates(one)[0].is_in(dates(other)[0]) is is_in


def test_a_time_has_a_first_and_a_last_date():
    [(first, last)] = spans_of_time("the heat from July to November 2025")
    inside = [month for month in range(5, 13) if dates(f"2025-{month:02}")[0].lies_between(first, last)]
    assert inside == [7, 8, 9, 10, 11]
    assert not dates("2024-08")[0].lies_between(first, last)
    assert list(spans_of_time("July 2025 and no other")) == []
