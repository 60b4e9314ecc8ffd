from explorer.language.sentences import LONGEST_SENTENCE, is_prose, is_row, labelled, listed, spans, without_mark
from tests.each import each


def said(text):
    return [text[start:end] for start, end in spans(text)]


SENTENCES = {
    "an abbreviation ends none": ["Oxygen tank no. 2 was dropped, see Fig. 3.", " ", "Dr. Berry said so."],
    "an ordinary word ends one": ["They are called bays.", " ", "Bay 4 held them."],
    "a unit ends one": ["They stayed at 28 V DC.", " ", "Nobody noticed the mismatch."],
    "it runs over lines, not over blocks": ["Report of the board", "\n\n", "The tank was\ndropped in 1968.", " ",
                                            "It\nwas moved."],
    "headings, items and rows are their own": ["# Tank", "\n", "First words\nA line that goes on.", "\n",
                                               "- One item\n  over two lines", "\n", "- Another.", " ", "With more.",
                                               "\n", "| a | b |", "\n| --- | --- |\n", "| c | d |", "\n", "After."],
    "records with a time or a speaker are apart": ["055:54:53 Tank two fails", "\n",
                                                   "055:55:20 Swigert reports\n  a problem", "\n",
                                                   "CAPCOM: Say again please", "\n", "LOVELL: We had it"],
    "a number in front of a wrapped line begins no item": ["The tank flew on Apollo\n13.", " ",
                                                           "It was the second of the pair on\n12:30 that day."],
    "code, rules and front matter are none": ["", "---\ntitle: A\n---\n\n", "Head", "\n====\n\n", "Before.",
                                              "\n\n```python\nprint('x')\n```\n\n***\n\n12\n\n", "After."],
    "a line with a bold label is one": ["**Place:** Upper room", "\n", "**Battery:** replaced\nand tested."],
    "headings and terms do not run on": ["CAVEATS", "\n       ", "You may not add a boat.", "\n\n       ",
                                         "-k, --key KEY", "\n           ", "The key of the drum."],
    "it goes on below a label with a hanging indent": ["A:  The drum is a coil.", " ",
                                                       "It is the part\n    of the boat that holds the cable."],
    "it goes on below an option": ["-k     Takes the key that\n       opens the drum."],
    "a picture is none": ["", "![A chart of it](chart.png)\n", "The chart is old."],
}  # fmt: skip


@each("rule", SENTENCES)
def test_where_sentences_end(rule):
    pieces = SENTENCES[rule]  # sentences, with what stands between two of them
    assert said("".join(pieces)) == [piece for piece in pieces[::2] if piece]


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


def test_a_label_without_a_value_is_no_part_of_the_line_before_it():
    text = "Built: 1988\nTonnage: 1 420 t\nEngine:\nOwner:"
    assert [text[start:end] for start, end in spans(text)] == text.split("\n")


@each(("text", "until"), [
    ("Steps to do it:\n\n  1\n      Stop it.\n\n  2\n      Start it.\n\nThen wait.", "Start it."),
    ("Kinds of pumps:\n* Hand pumps,\n  which leak.\n* Feet pumps.\n\nNothing else.", "Feet pumps."),
    ("- Kinds:\n  - hand\n  - foot\n- Costs", "foot"),
    ("Do this:\n\nThe pump was old.", "Do this:"),
    ("No list follows.\n* An item of another one.", "No list follows."),
    ("Ends with it:", "Ends with it:"),
    ("It took these steps:\n\n1 Stop the drum.\n\n2 Open the brake, which\nsticks.\n\n3 Wait.\n\nIt turned.",
     "3 Wait."),
])  # fmt: skip
def test_a_list_belongs_to_the_sentence_that_leads_it_in(text, until):
    first = text.index("\n") if "\n" in text else len(text)
    found = listed(text, 0, first)
    assert text[: found.end if found else first].endswith(until)


def test_of_a_long_list_the_first_items_are_taken():
    text = "Kinds:\n" + "".join(f"* kind {number}\n" for number in range(50))
    found = listed(text, 0, 6)
    assert text[: found.end].endswith("kind 11")
    assert found.more == 38


@each(
    ("text", "is_one"),
    [
        ("About 1,300 orders failed.", True), ("Cockerels are prohibited.", True), ("Nine of 12 hens lay.", True),
        ("**Battery:** replaced", True), ("**Battery:**", False), ("[A chart of the downloads](chart.png)", False),
        ("Table 3.", False), ("See page 14.", False), ("Chapter 2.1 Voltage", False), ("3. Deposit", False),
        ("Oil and gas.", False),
    ],
)  # fmt: skip
def test_a_sentence_of_few_words_has_a_verb_or_a_number_unless_it_is_a_heading_or_label(text, is_one):
    assert is_prose(text) is is_one


def test_what_a_chunk_begins_with_within_a_line_is_no_term():
    text = "The default\n    value of it is true.\n\n-F file\n    Reads a file of words."
    assert text[slice(*next(spans(text)))] == "The default\n    value of it is true."
    assert next(spans(text[text.index("-F") :])) == (0, len("-F file"))


def test_lines_with_labels_are_apart():
    assert said("Facilitator: TC\nMinutes: Anna Berg\n") == ["Facilitator: TC", "Minutes: Anna Berg"]
    assert labelled("- Vice President: Anna Berg") == ("Vice President", "Anna Berg", 18)
    assert labelled("**Deadline:** 5 May") == ("Deadline", "5 May", 14)
    assert labelled("TC: I have read all of it.") is None
    assert labelled("Facilitator:") is None


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
