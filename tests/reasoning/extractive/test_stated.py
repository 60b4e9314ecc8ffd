import pytest

from explorer.engines.reading import sentences_of
from explorer.language.questions import read
from explorer.models.embedding import WordLlamaEmbedder
from explorer.reasoning.extractive.features import features
from explorer.reasoning.extractive.matching import match
from explorer.reasoning.extractive.stated import is_stated
from explorer.reasoning.protocol import ReadPassage


def stated(question, text, title="Report"):
    passage = ReadPassage("urn:chunk:1", title, text, sentences_of(text))
    found = features(match(read(question), [passage], WordLlamaEmbedder(), lambda word: 1.0 + len(word) / 10))
    return is_stated(read(question), found, found.match.lines[-1:])


@pytest.mark.parametrize(
    ("question", "says", "beside"),
    [
        ("Who inspected the valve?", "Ann Webb inspected the valve.", "The valve was inspected twice."),
        ("How many pumps were sold?", "Hale sold 118 pumps.", "Hale sold all pumps on 18 May."),
        (
            "Why were they short of power?",
            "They were short of power because the cells had failed.",
            "There was fear of short circuits, because water had condensed on every panel.",
        ),
        (
            "How did the crew lower the pressure?",
            "The crew lowered the pressure by opening a valve.",
            "The crew lowered the pressure twice.",
        ),
        (
            "When did Beech deliver the tanks?",
            "Beech delivered the tanks in 1968.",
            "Grumman delivered the tanks (except those of Beech) in 1968.",
        ),
    ],
)
def test_a_sentence_states_what_is_asked_or_only_speaks_of_it(question, says, beside):
    assert stated(question, says)
    assert not stated(question, beside)


def test_what_a_heading_names_needs_no_word_of_the_sentence():
    assert stated("When was the relief valve of the Odyssey tested?", "The relief valve was tested in 1968.", "Odyssey")
    assert not stated("When was the relief valve of the Odyssey tested?", "The relief valve was tested in 1968.")
