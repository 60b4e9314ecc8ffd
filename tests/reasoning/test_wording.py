import pytest

from explorer.models.embedding import WordLlamaEmbedder
from explorer.reasoning.protocol import Cited
from explorer.reasoning.wording import compared, worded

EMBEDDER = WordLlamaEmbedder()
SOURCE = "Beech Aircraft built oxygen tank no. 2 in 1966. It was not replaced before the flight. It cost 1,200 dollars."


@pytest.mark.parametrize(
    ("sentence", "level", "missing"),
    [
        ("Oxygen tank no. 2 was built by Beech Aircraft.", "found", ()),
        ("It cost 1200 dollars.", "found", ()),
        ("The tank was not replaced before the flight.", "found", ()),
        ("The tank was replaced before the flight.", "near", ("a negation, on one side only",)),
        ("Beech Aircraft did not build oxygen tank no. 2.", "near", ("a negation, on one side only",)),
        ("Beech Aircraft built oxygen tank no. 2 in 1967.", "near", ("1967",)),
        ("Oxygen tank no. 2 was built by Grumman in 1966.", "near", ("Grumman",)),
        ("Five of these cost 1,200 dollars.", "near", ("Five",)),
        ("Paris is the capital of France.", "none", ("Paris", "France")),
        ("The answer is 1000.", "none", ("1000",)),
    ],
)
def test_the_words_of_a_sentence_are_looked_for_in_what_it_cites(sentence, level, missing):
    assert compared(sentence, [SOURCE], EMBEDDER) == (level, missing)


def test_a_sentence_that_cites_nothing_has_no_source():
    assert compared("Beech Aircraft built oxygen tank no. 2.", [], EMBEDDER) == ("none", ())


def test_several_sources_count_together():
    sources = ["Beech Aircraft built the tank.", "The tank stood in Boulder."]
    assert compared("The tank that Beech Aircraft built stood in Boulder.", sources, EMBEDDER)[0] == "found"


def test_every_sentence_of_an_answer_is_compared_cited_or_not():
    text = "It is well known. Beech Aircraft built it in 1966. Everybody agrees. Nobody else did"
    cited = Cited(18, 50, (0,))
    found = worded(text, [cited], [SOURCE], EMBEDDER)
    assert [text[one.span.start : one.span.end] for one in found] == [
        "It is well known.", "Beech Aircraft built it in 1966.", "Everybody agrees.", "Nobody else did",
    ]  # fmt: skip
    assert [one.level for one in found] == ["none", "found", "none", "none"]


def test_an_empty_answer_has_no_sentences():
    assert worded(" \n", [], [], EMBEDDER) == []
