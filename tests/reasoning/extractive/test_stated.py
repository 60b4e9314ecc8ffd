from explorer.language.questions import read
from explorer.models.embedding import WordLlamaEmbedder
from explorer.reasoning.extractive.matching import match
from explorer.reasoning.extractive.ranking import features
from explorer.reasoning.extractive.scoring import sentences_of
from explorer.reasoning.extractive.support import is_stated
from explorer.reasoning.protocol import ReadPassage
from tests.each import each


def stated(question, text, title="Report"):
    passage = ReadPassage("urn:chunk:1", title, text, sentences_of(text))
    found = features(match(read(question), [passage], WordLlamaEmbedder(), lambda word: 1.0 + len(word) / 10))
    return is_stated(read(question), found, found.match.lines[-1:])


@each(
    ("question", "says", "beside"),
    [
        ("Who inspected the valve?", "Ann Webb inspected the valve.", "The valve was inspected twice."),
        ("Who said that the tank had no fans?", "Ann Webb said that the tank had no fans.",
         "Ann Webb said that the tank had fans."),
        ("Why were they short of power?", "They were short of power because the cells had failed.",
         "There was fear of short circuits, because water had condensed on every panel."),
        ("Who was the inspector?", "The inspector was Ann Webb.", "The inspector had met Ann Webb in Oslo."),
        ("What was absorbed into the Norman language?", "The Gaulish language was absorbed into the Norman language.",
         "The Norman language was absorbed into the French language."),
        ("When did Beech deliver the tanks?", "Beech delivered the tanks in 1968.",
         "Grumman delivered the tanks (except those of Beech) in 1968."),
        ("Who governed the northern region?", "A prince governed the northern region.",
         "A prince governed the central region."),
        ("What did the board approve?", "The board approved a new budget.", "The board did not approve a new budget."),
    ],
)  # fmt: skip
def test_a_sentence_states_what_is_asked_or_only_speaks_of_it(question, says, beside):
    assert stated(question, says)
    assert not stated(question, beside)


def test_what_a_heading_names_needs_no_word_of_the_sentence_which_may_speak_of_something_else():
    assert stated("When was the relief valve of the Odyssey tested?", "The relief valve was tested in 1968.", "Odyssey")
    assert not stated("When was the relief valve of the Odyssey tested?", "The relief valve was tested in 1968.")
    question = "What was absorbed into the Norman language?"
    beside = "The Norman language was absorbed into the Saxon language of the subjects."
    assert stated(question, "The Gaulish dialect was absorbed into the language.", "Norman")
    assert not stated(question, beside, "Norman")
    assert stated("Who commanded the Kestrel?", "Ann Webb commanded the Kestrel.", "The Kestrel")
    assert not stated("Who commanded the Kestrel?", "Ann Webb commanded the spare crew.", "The Kestrel")
