import pytest

from explorer.text import in_quotes, opening, without_bars

HEADS = "Counts of the day.\n\n| Host | Cores |\n| --- | ---: |\n"


@pytest.mark.parametrize(
    ("text", "before", "shown"),
    [
        ("| pay-01 | 8 |", HEADS, "Host: pay-01; Cores: 8"),
        (f"{HEADS}| pay-01 | 8 |\n| db-01 |  |\n", "", "Counts of the day.\n\nHost: pay-01; Cores: 8\nHost: db-01\n"),
        ("| 16 March 1970 | The test begins |", "", "16 March 1970; The test begins"),
        ("| Host | Cores |\n|---|---|", "", "Host; Cores"),
        ("| a \\| b | c |", "", "a \\| b; c"),
        ("redistribute <ipv4|ipv6> KIND", HEADS, "redistribute <ipv4|ipv6> KIND"),
        ("| one | two | three |", HEADS, "one; two; three"),
        ("| 5 | 6 |", f"{HEADS}| 3 | 4 |\nOther words.\n", "5; 6"),
    ],
)
def test_rows_of_a_table_are_read_as_their_cells_with_the_heads_of_their_columns(text, before, shown):
    assert without_bars(text, before) == shown


def test_the_first_words_of_a_table_have_no_bars():
    assert opening(f"{HEADS}| pay-01 | 8 |", 90) == "Counts of the day. Host: pay-01; Cores: 8"


def test_double_quotation_marks_within_quotation_marks_become_single():
    assert in_quotes('The fee is 20 "pounds."') == "“The fee is 20 ‘pounds.’”"
    assert in_quotes("“No,” she said.") == "“‘No,’ she said.”"
