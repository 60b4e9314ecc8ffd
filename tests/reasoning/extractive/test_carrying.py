import pytest

from explorer.engines.chunks import sentences_of
from explorer.language.questions import read
from explorer.reasoning.extractive.carrying import in_context, name_in, with_name
from explorer.reasoning.protocol import ReadPassage


def test_a_part_that_says_little_is_about_what_the_first_is():
    first, then = in_context([read("How many quotes did the association receive?"), read("Which was the cheapest?")])
    assert (first.context, then.context) == ("", "quotes association")


@pytest.mark.parametrize(
    ("part", "before", "named"),
    [
        ("Which plot does the treasurer have?", "Who is the treasurer?", "Which plot does Tom Hale have?"),
        ("How large is his plot (club)?", "Who leads the club?", "How large is Tom Hale's plot?"),
        ("When was she born (club)?", "Who leads the club?", "When was Tom Hale born?"),
    ],
)
def test_the_person_found_takes_the_place_of_the_role(part, before, named):
    assert with_name(read(part), read(before), "Tom Hale").text == named


def test_a_part_that_speaks_of_something_else_stays():
    assert with_name(read("When is the next meeting?"), read("Who is the treasurer?"), "Tom Hale") is None
    assert with_name(read("When is the next meeting?"), read("Where was it?"), "Tom Hale") is None


@pytest.mark.parametrize(
    ("question", "name"), [("Who is the treasurer?", "Tom Hale"), ("Who chairs the committee?", "Ruth Okafor")]
)
def test_of_several_people_the_one_beside_what_is_asked_is_meant(question, name):
    text = "Present: Ruth Okafor (chair), Tom Hale (treasurer), Priya Nair and Ben Whitlock."
    assert name_in(read(question), ReadPassage("urn:c", "Minutes", text, sentences_of(text)), 0) == name


def test_a_row_names_a_person_under_its_label():
    text = "| Plot | Member |\n|---|---|\n| 17 | Joan Ferris |\n"
    passage = ReadPassage("urn:c", "Plots", text, sentences_of(text))
    row = next(n for n, one in enumerate(passage.sentences) if "Joan" in one.text)
    assert name_in(read("Who has plot 17?"), passage, row) == "Joan Ferris"
