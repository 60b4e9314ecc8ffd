from explorer.text import first_sentence, in_quotes, opening, sentence_about, without_bars, without_markup
from tests.each import each

HEADS = "Counts of the day.\n\n| Host | Cores |\n| --- | ---: |\n"


@each(
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


def test_what_is_to_be_put_in_is_no_markup():
    assert without_markup("**git** bisect [<rev>] <b>now</b>") == "git bisect [<rev>] now"


def test_the_first_words_of_a_table_have_no_bars():
    assert opening(f"{HEADS}| pay-01 | 8 |", 90) == "Counts of the day. Host: pay-01; Cores: 8"


def test_double_quotation_marks_within_quotation_marks_become_single():
    assert in_quotes('The fee is 20 "pounds."') == "“The fee is 20 ‘pounds.’”"
    assert in_quotes("“No,” she said.") == "“‘No,’ she said.”"


@each(
    ("text", "title", "begins"),
    [
        ("## Time\n\nThe most important number is the time. It ran.", "", "The most"),
        (
            "The Loss of Tank No. 2 on Apollo 13\tPage 1\n\nReport: The Loss of\nTank No. 2\n\nIt failed.",
            "",
            "It failed",
        ),
        ("Item\tValue\n\nCapacity\t145 kg\n\nThe tank was cold.", "", "The tank"),
        ("9 Conclusions\nOxygen tank no. 2 failed.", "", "Oxygen"),
        ("Why did it fail?\n\nA fire burned inside.", "Why did it fail?", "A fire"),
        ("The\nplatform was urgent. It drifted.", "", "The\nplatform"),
        ("| Part | Mass |\n| --- | --- |\n| tank | 8 kg |", "", "| Part"),
        ("no sentence at all", "", "no sentence"),
        ("", "", ""),
    ],
)
def test_a_passage_begins_with_its_first_sentence_below_titles_and_headings(text, title, begins):
    assert text[first_sentence(text, title) :].startswith(begins)


def test_a_passage_is_called_by_the_sentence_with_most_of_the_key_ideas():
    passage = (
        "# Findings\n\nIt recommended that NASA go on. Tank no. 2 failed because a fire burned in it. Nobody was hurt."
    )
    begins = passage[sentence_about(passage, ["oxygen tank", "fail"]) :]
    assert begins.startswith("Tank no. 2 failed because")
    assert passage[sentence_about(passage, ["mayor"]) :].startswith("It recommended")
    assert sentence_about("", ["tank"]) == 0
