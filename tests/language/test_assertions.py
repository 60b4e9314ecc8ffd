import pytest

from explorer.language.assertions import says


@pytest.mark.parametrize(
    ("question", "sentence", "is_so"),
    [
        ("Was the probe damaged?", "The docking probe was damaged when it struck the ring.", True),
        ("Was the probe damaged?", "The probe was not damaged.", False),
        ("Wasn't the probe damaged?", "The probe was not damaged.", True),
        ("Did Swigert replace Mattingly?", "Swigert replaced Mattingly two days before the launch.", True),
        ("Did Mattingly replace Swigert?", "Swigert replaced Mattingly two days before the launch.", None),
        ("Was Swigert replaced by Mattingly?", "Swigert replaced Mattingly.", None),
        ("Did the crew land on the Moon?", "The crew did not land on the Moon.", False),
        ("Did the crew land on the Moon?", "The crew landed on the Earth.", None),
        ("Did the tank explode?", "Engineers feared that the tank would explode.", None),
        ("Did the tank explode?", "If the tank exploded, the crew was lost.", None),
        ("Did oxygen tank no. 2 fail?", "Oxygen tank no. 2 failed.", True),
        ("Does the clock use the century byte?", "The clock does not use the century byte.", False),
        ("Are sharks fish?", "Sharks are fish without bones.", True),
        ("Do most scientists use computers?", "A quarter of the scientists use computers.", None),
        ("Do most scientists use computers?", "Most scientists use computers.", True),
        ("Do scientists write or buy software?", "Scientists write software.", None),
        ("Does grouting need a permit?", "Rebuilding needs a permit; grouting needs none.", False),
        ("Is the slipway safe for people?", "She does not consider the slipway safe for people.", False),
        ("Is the slipway safe for people?", "The engineer considers the slipway to be safe for people.", True),
        ("Can a trigger be declared for a file?", "It is not possible to declare a trigger for a file.", False),
        ("Can a trigger be declared for a file?", "It is possible to declare a trigger for a file.", True),
        ("", "Sharks are fish.", None),
    ],
)
def test_a_sentence_says_so_or_not_so_of_the_same_subject_or_neither(question, sentence, is_so):
    assert says(question, sentence) is is_so


def test_it_stands_for_what_the_heading_says_and_for_nothing_else():
    sentence = "She does not consider it dangerous for people walking."
    assert says("Is the slipway dangerous for people walking?", sentence, "3. The slipway") is False
    assert says("Is the slipway dangerous for people walking?", sentence, "4. Summer regatta") is None
    assert says("Is the slipway closed?", "It is closed.", "3. The slipway") is True
