from dataclasses import replace

from explorer.engines.reading import sentences_of
from explorer.language.questions import read
from explorer.reasoning.extractive.comparing import compared, put_by_rule
from explorer.reasoning.extractive.matching import Line
from explorer.reasoning.protocol import ReadPassage


def passages(*texts):
    return [ReadPassage(f"urn:chunk:{n}", title, text, sentences_of(text)) for n, (title, text) in enumerate(texts)]


BANDS = passages(
    ("Circus Diablo", "Circus Diablo is a rock group. It was formed in 2006 by Billy Morrison."),
    ("The Exies", "The Exies is an American band, formed in 1997. They released a record in 2001."),
)
TOWNS = passages(
    ("Nantong", "Nantong is a city in Jiangsu province, China."),
    ("Jingdezhen", "Jingdezhen is a city in northeastern Jiangxi province."),
)


def test_of_two_things_the_years_say_which_came_first():
    found = compared(read("Which band was formed first, The Exies or Circus Diablo?"), BANDS)
    assert found.text == "The Exies 1997, Circus Diablo 2006: The Exies first."
    assert [(line.passage, line.number) for line in found.lines] == [(1, 0), (0, 1)]
    assert "year" in found.rule


def test_whether_two_things_share_one_is_read_beside_its_noun():
    found = compared(read("Are Nantong and Jingdezhen situated in the same province?"), TOWNS)
    assert found.text == "Nantong Jiangsu province, Jingdezhen Jiangxi province: not the same."


def test_nothing_is_compared_where_a_side_lacks_or_none_is_asked_for():
    assert compared(read("Which band was formed first, The Exies or The Beatles?"), BANDS) is None
    assert compared(read("Who formed Circus Diablo?"), BANDS) is None
    assert compared(read("Are Nantong and Lisbon situated in the same province?"), TOWNS) is None


def test_of_both_things_one_sentence_each_says_yes():
    fish = passages(("Eel", "The eel is a fish with a long body."), ("Shark", "The shark is a fish without bones."))
    found = put_by_rule(read("Are the Eel and the Shark both fish?"), fish, [Line(0, 0)])
    assert found is not None
    assert (found.text, found.lines, found.settles) == ("Yes, both:", (Line(0, 0), Line(1, 0)), True)
    assert put_by_rule(read("Are the Eel and the Shark both birds?"), fish, [Line(0, 0)]) is None


def test_a_date_that_says_more_does_not_contradict_one_that_says_less():
    dated = passages(("One", "The tank failed in April 1970."), ("Two", "The tank failed on 13 April 1970."))
    dated = [replace(passage, document=passage.title) for passage in dated]
    assert put_by_rule(read("When did the tank fail?"), dated, [Line(0, 0), Line(1, 0)]) is None
    other = replace(dated[1], text="", sentences=sentences_of("The tank failed in May 1971."))
    found = put_by_rule(read("When did the tank fail?"), [dated[0], other], [Line(0, 0), Line(1, 0)])
    assert found is not None
    assert found.text == "The documents differ: April 1970 against May 1971."
