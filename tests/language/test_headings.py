from explorer.language.headings import headings, headings_above

MANUAL = """NAME
       wind - turns the drum

OPTIONS
       -k, --key KEY
           The key of the drum.

           It is made of brass.

       -q, --quiet
           No bell.

EXIT VALUES
       0
           success

       3
           drum is stuck
"""
PAGE = """Report on the drum

1. Summary

The drum of the winch stood still for two days, and nobody could say who had stopped it.

1.1 First steps

The brake was opened by hand.

2. Costs

The repair took forty hours and cost more than a new drum would have cost in the year before.
"""


def above(text, words, title=""):
    return headings_above(text, [text.index(words)], title)[0]


def test_headings_of_markdown_are_those_with_marks_outside_code():
    text = "# Minutes\n\n## Finance\n\n### *Balance*\n\n$5\n\n```\n# no heading\n```\n\n## [Other](https://a.b/c)\n\nNothing.\n"
    assert [one.text for one in headings(text)] == ["Minutes", "Finance", "*Balance*", "Other"]
    assert above(text, "$5") == ("Minutes", "Finance", "*Balance*")
    assert above(text, "Nothing", title="Minutes") == ("Other",)


def test_a_manual_has_lines_in_capitals_and_terms_that_a_deeper_text_explains():
    assert above(MANUAL, "The key") == ("OPTIONS", "-k, --key KEY")
    assert above(MANUAL, "It is made") == ("OPTIONS", "-k, --key KEY")
    assert above(MANUAL, "No bell") == ("OPTIONS", "-q, --quiet")
    assert above(MANUAL, "drum is stuck") == ("EXIT VALUES", "3")


def test_a_page_has_numbered_headings_and_short_lines_alone():
    assert above(PAGE, "The drum of") == ("1. Summary",)
    assert above(PAGE, "The brake") == ("1. Summary", "1.1 First steps")
    assert above(PAGE, "The repair") == ("2. Costs",)


def test_records_and_ordinary_lines_are_no_headings():
    assert headings("055:55:20 Swigert reports\n  a problem\n") == ()
    assert headings("The tank stood there.\n\nIt was cold, and the fans did not turn for a long time that day.\n") == ()
    assert headings("") == ()


def test_questions_and_answers_with_a_hanging_indent_have_no_headings():
    answers = "A:  A drum is a coil. It\n    is round.\n\nA:  Take the tool\n\nB:  It is of steel, they say.\n"
    assert headings(answers) == ()
    assert headings("NOTE:  The drum\n       is round.\n") == ()
