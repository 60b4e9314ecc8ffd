from explorer.language.dates import dates
from tests.each import each


@each(("text", "said"), [
    ("in August 2025", (2025, 8, None)),
    ("2025-08", (2025, 8, None)),
    ("08/2025", (2025, 8, None)),
    ("on 3 November, and", (None, 11, 3)),
    ("the 3rd of November", (None, 11, 3)),
    ("November 3, 2025", (2025, 11, 3)),
    ("2025-11-03", (2025, 11, 3)),
    ("2025-11-03T10:15:00Z", (2025, 11, 3)),
    ("3.11.2025", (2025, 11, 3)),
    ("03/11/2025", (2025, 11, 3)),
    ("the year 2026", (2026, None, None)),
])  # fmt: skip
def test_dates_are_read_as_people_write_them(text, said):
    [date] = dates(text)
    assert date[:3] == said


@each("text", ["between 1.2 and 2.0 bar", "you may open it", "12,000 g", "13/45/2025 of 99/2025", ""])
def test_other_numbers_and_words_are_no_dates(text):
    assert [date for date in dates(text) if date.month] == []
