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
        ("", "Sharks are fish.", None),
    ],
)
def test_a_sentence_says_so_or_not_so_of_the_same_subject_or_neither(question, sentence, is_so):
    assert says(question, sentence) is is_so
