import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.ingest.extraction.alignment import aligned

TEXT = (
    "The relief\nvalve opens at 983 psi — “no one” tested it. Zoë's *naïve* plan of the cafe\u0301, in the of\ufb01ce "
    "on Main\u00ad Street, cost $40.\r\nNobody asked; the board wrote to all of its members in April 1970. "
    "𝔸𝔹 stands too."
)


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("valve opens at 983 psi", "valve opens at 983 psi"),
        ('  "valve opens at 983 psi" ', "valve opens at 983 psi"),
        ("The relief valve opens", "The relief\nvalve opens"),
        ("the RELIEF   valve opens", "The relief\nvalve opens"),
        ('983 psi - "no one" tested it', "983 psi — “no one” tested it"),
        ("Zoe’s naive plan", "Zoë's *naïve* plan"),
        ("plan of the café", "plan of the cafe\u0301"),
        ("plan of the cafe", "plan of the cafe\u0301"),
        ("in the office on Main Street", "in the of\ufb01ce on Main\u00ad Street"),
        ("cost $40. Nobody asked", "cost $40.\r\nNobody asked"),
        ("AB stands too.", "𝔸𝔹 stands too."),
        ("the board wrote … in April 1970", "the board wrote to all of its members in April 1970"),
        ("the board wrote [...] April 1970.", "the board wrote to all of its members in April 1970."),
        ("the board wrote to all its members in April 1970", "the board wrote to all of its members in April 1970"),
        ("relief valve openes at 983 psi", "relief\nvalve opens at 983 psi"),
    ],
)
def test_words_are_found_as_they_stand(quote, words):
    start, end = aligned(quote, TEXT)
    assert TEXT[start:end] == words


@pytest.mark.parametrize(
    "quote",
    [
        "",
        "it",
        "“…”",
        "the valve was closed by the crew of the second shift",
        "relief valve opened at 938 psi",  # another number
        "members in April 1970 … the board wrote to",  # the other way round
        "x" * 5_000,
    ],
)
def test_words_that_are_not_there_are_found_nowhere(quote):
    assert aligned(quote, TEXT) is None


@given(st.text(max_size=80), st.text(max_size=80), st.text(min_size=1, max_size=40))
def test_a_span_is_within_the_text_and_whole_words_are_found_where_they_are(before, after, words):
    text = before + words + after
    found = aligned(words, text)
    if found is not None:
        assert 0 <= found[0] < found[1] <= len(text)
    elif sum(map(str.isalnum, words)) >= 6:
        assert words.strip().strip("\"'“”‘’«» ") not in text
