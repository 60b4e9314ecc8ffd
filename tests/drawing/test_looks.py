"""The colours of how an answer came out."""

import pytest

from explorer.drawing.colours import OUTCOMES
from explorer.drawing.looks import LOOKS, look, table
from explorer.events import ANSWERED, NOT_FOUND, UNSURE

READABLE = 4.5  # contrast of text, by WCAG AA


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    dark, light = sorted(map(luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("came_out", [ANSWERED, UNSURE, NOT_FOUND])
def test_words_are_readable_in_the_colour_of_each_outcome(came_out):
    for fill, text, _ in (one for looks in OUTCOMES[came_out] for one in looks):
        assert contrast(fill, text) >= READABLE


def test_no_kind_has_the_colour_of_an_outcome_but_what_came_out_so():
    of_kinds = {colours for one in LOOKS.values() for colours in one.colours}
    for came_out in (ANSWERED, UNSURE):
        assert of_kinds.isdisjoint(colours for looks in OUTCOMES[came_out] for colours in looks)
        answer, sentence = look("Synthesis", came_out), look("Sentence", came_out)
        assert (answer.colours, sentence.colours) == OUTCOMES[came_out]
        assert not answer.dashes
    assert look("Synthesis", NOT_FOUND).dashes
    assert look("Sentence", NOT_FOUND).dashes
    assert look("Synthesis") == LOOKS["Synthesis"]


def test_the_page_has_the_same_colours():
    outcomes = table()["outcomes"]
    assert [*outcomes] == ["answered", "answered-part", "unsure", "unsure-part", "not-found", "not-found-part"]
    assert (outcomes["unsure-part"]["light"], outcomes["unsure-part"]["dark"]) == OUTCOMES[UNSURE][1]
