import pytest

from explorer.language.sentences import (
    LONGEST_SENTENCE,
    is_prose,
    is_row,
    labelled,
    listed,
    spans,
    without_mark,
)
from tests.each import each


def said(text):
    return [text[start:end] for start, end in spans(text)]


def test_abbreviations_do_not_end_a_sentence():
    assert said("Oxygen tank no. 2 was dropped, see Fig. 3. Dr. Berry said so.") == [
        "Oxygen tank no. 2 was dropped, see Fig. 3.",
        "Dr. Berry said so.",
    ]


@pytest.mark.parametrize(
    "text", ["They are called bays. Bay 4 held them.", "They stayed at 28 V DC. Nobody noticed the mismatch."]
)
def test_ordinary_words_and_units_end_one(text):
    assert len(said(text)) == 2


@each("marks", ["[15]", "[15][16]", "[note 2]", "[7]: 228", "[a]"])
def test_the_marks_of_notes_belong_to_the_sentence_before(marks):
    assert said(f"They sold computers.{marks} In 1975, they left.") == [
        f"They sold computers.{marks}",
        "In 1975, they left.",
    ]
    assert said(f"The end came.{marks}") == [f"The end came.{marks}"]
    assert is_prose(f"They sold computers at home.{marks}")


def test_a_bracket_that_begins_a_sentence_stays_with_it():
    assert said("They left. [4] is the number of the report.")[1] == "[4] is the number of the report."
    assert without_mark("Employees[191]") == "Employees"
    assert without_mark("a[0] [1]") == "a[0] [1]"


def test_a_sentence_may_run_over_lines_but_not_over_blocks():
    assert said("Report of the board\n\nThe tank was\ndropped in 1968. It\nwas moved.") == [
        "Report of the board",
        "The tank was\ndropped in 1968.",
        "It\nwas moved.",
    ]


def test_headings_items_and_rows_are_sentences_of_their_own():
    text = (
        "# Tank\nFirst words\nA line that goes on.\n- One item\n  over two lines\n- Another. With more.\n"
        "| a | b |\n| --- | --- |\n| c | d |\nAfter."
    )
    assert said(text) == [
        "# Tank",
        "First words\nA line that goes on.",
        "- One item\n  over two lines",
        "- Another.",
        "With more.",
        "| a | b |",
        "| c | d |",
        "After.",
    ]


def test_records_that_begin_with_a_time_or_a_speaker_are_apart():
    text = (
        "055:54:53 Tank two fails\n055:55:20 Swigert reports\n  a problem\nCAPCOM: Say again please\nLOVELL: We had it"
    )
    assert len(said(text)) == 4


def test_a_number_that_begins_a_wrapped_line_begins_no_item():
    assert said("The tank flew on Apollo\n13. It was the second of the pair on\n12:30 that day.") == [
        "The tank flew on Apollo\n13.",
        "It was the second of the pair on\n12:30 that day.",
    ]


def test_code_rules_and_front_matter_are_no_sentences():
    text = "---\ntitle: A\n---\n\nHead\n====\n\nBefore.\n\n```python\nprint('x')\n```\n\n***\n\n12\n\nAfter."
    assert said(text) == ["Head", "Before.", "After."]


@each(
    ("text", "until"),
    [
        ("Steps to do it:\n\n  1\n      Stop it.\n\n  2\n      Start it.\n\nThen wait.", "Start it."),
        ("Kinds of pumps:\n* Hand pumps,\n  which leak.\n* Feet pumps.\n\nNothing else.", "Feet pumps."),
        ("- Kinds:\n  - hand\n  - foot\n- Costs", "foot"),
        ("Do this:\n\nThe pump was old.", "Do this:"),
        ("No list follows.\n* An item of another one.", "No list follows."),
        ("Ends with it:", "Ends with it:"),
    ],
)
def test_a_list_belongs_to_the_sentence_that_leads_it_in(text, until):
    first = text.index("\n") if "\n" in text else len(text)
    found = listed(text, 0, first)
    assert text[: found.end if found else first].endswith(until)


def test_of_a_long_list_the_first_items_are_taken():
    text = "Kinds:\n" + "".join(f"* kind {number}\n" for number in range(50))
    found = listed(text, 0, 6)
    assert text[: found.end].endswith("kind 11")
    assert found.more == 38


def test_a_line_with_a_bold_label_is_a_sentence_of_its_own():
    text = "**Place:** Upper room\n**Battery:** replaced\nand tested.\n"
    assert said(text) == ["**Place:** Upper room", "**Battery:** replaced\nand tested."]
    assert is_prose("**Battery:** replaced")
    assert not is_prose("**Battery:**")


@pytest.mark.parametrize("text", ["About 1,300 orders failed.", "Cockerels are prohibited.", "Nine of 12 hens lay."])
def test_a_sentence_of_few_words_with_a_verb_or_a_number_is_one(text):
    assert is_prose(text)


@each("text", ["Table 3.", "See page 14.", "Chapter 2.1 Voltage", "3. Deposit", "Oil and gas."])
def test_a_heading_or_label_of_few_words_is_none(text):
    assert not is_prose(text)


def test_headings_and_terms_do_not_run_into_what_follows():
    manual = "CAVEATS\n       You may not add a boat.\n\n       -k, --key KEY\n           The key of the drum.\n"
    assert said(manual) == ["CAVEATS", "You may not add a boat.", "-k, --key KEY", "The key of the drum."]


def test_a_sentence_goes_on_below_a_label_with_a_hanging_indent():
    text = "Q:  Who made it?\n\nA:  The drum is a coil. It is the part\n    of the boat that holds the cable.\n"
    assert said(text)[1:] == ["A:  The drum is a coil.", "It is the part\n    of the boat that holds the cable."]
    option = "-k     Takes the key that\n       opens the drum.\n"
    assert said(option) == ["-k     Takes the key that\n       opens the drum."]


def test_lines_with_labels_are_apart():
    assert said("Facilitator: TC\nMinutes: Anna Berg\n") == ["Facilitator: TC", "Minutes: Anna Berg"]
    assert labelled("- Vice President: Anna Berg") == ("Vice President", "Anna Berg", 18)
    assert labelled("**Deadline:** 5 May") == ("Deadline", "5 May", 14)
    assert labelled("TC: I have read all of it.") is None
    assert labelled("Facilitator:") is None


def test_pictures_are_no_sentences():
    assert said("![A chart of it](chart.png)\nThe chart is old.\n") == ["The chart is old."]
    assert not is_prose("[A chart of the downloads](chart.png)")


def test_items_that_only_count_are_a_list():
    text = (
        "It took these steps:\n\n1 Stop the drum.\n\n2 Open the brake, which\nsticks.\n\n3 Wait.\n\nThen it turned.\n"
    )
    found = listed(text, 0, text.index("\n"))
    assert text[: found.end].endswith("3 Wait.")


def test_an_item_of_a_list_is_no_row_where_a_tab_follows_its_mark():
    assert not is_row("-\tAuto flip: Turns the pages after a time.")
    assert not is_row("1.\tTurn it on.")
    assert is_row("-\t12\t15")
    assert is_row("Valve\t983 psi")


def test_a_very_long_sentence_is_cut_between_words():
    text = " ".join(["hydrophobic"] * LONGEST_SENTENCE)
    pieces = [text[start:end] for start, end in spans(text)]
    assert {word for piece in pieces for word in piece.split()} == {"hydrophobic"}
    assert max(map(len, pieces)) <= LONGEST_SENTENCE
