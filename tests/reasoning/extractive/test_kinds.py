from explorer.language.questions import read
from explorer.language.words import stem_set
from explorer.reasoning.extractive.ranking import kind_in
from explorer.reasoning.extractive.scoring import sentences_of
from tests.each import each


@each(
    ("question", "text", "has"),
    [
        ("How many men flew?", "Three men flew.", True),
        ("How many men flew?", "The men flew.", False),
        ("How many of the 12 tanks failed?", "Of 12 tanks none was lost.", False),
        ("When was it cast off?", "It was cast off on 17 April 1970.", True),
        ("When was it cast off?", "It was cast off near the Earth.", False),
        ("How long did it burn?", "It burned for three seconds.", True),
        ("How much money is left?", "£23,615 is left in the account.", True),
        ("Who was the flight director?", "Gene Kranz was the flight director.", True),
        ("Who was the flight director?", "The flight director worked in the control room.", False),
        ("Where was it built?", "It was built in Boulder, Colorado.", True),
        ("Where was it built?", "It was built with care.", False),
        ("Why was it built?", "It was built in 1970.", False),
    ],
)
def test_a_sentence_has_what_is_asked_for_or_not(question, text, has):
    [sentence] = sentences_of(text)
    assert bool(kind_in(read(question), sentence.entities, stem_set(question), text)) is has


def test_a_name_is_less_sure_than_a_person():
    [sentence] = sentences_of("The report of Globe Industries was read.")
    assert 0 < kind_in(read("Who read it?"), sentence.entities, frozenset(), sentence.text) < 1
