from explorer.models.embedding import WordLlamaEmbedder
from explorer.reasoning.lexical_support import Source, beside, compared, worded
from explorer.reasoning.protocol import Cited
from tests.each import each

EMBEDDER = WordLlamaEmbedder()
SOURCE = "Beech Aircraft built oxygen tank no. 2 in 1966. It was not replaced before the flight. It cost 1,200 dollars."


@each(
    ("sentence", "level", "missing"),
    [
        ("Oxygen tank no. 2 was built by Beech Aircraft.", "found", ()),
        ("It cost 1200 dollars.", "found", ()),
        ("The tank was not replaced before the flight.", "found", ()),
        ("The tank was replaced before the flight.", "near", ("the source says “not”",)),
        ("Beech Aircraft did not build oxygen tank no. 2.", "near", ("this “not”",)),
        ("Beech Aircraft built oxygen tank no. 2 in 1967.", "near", ("1967",)),
        ("Oxygen tank no. 2 was built by Grumman in 1966.", "near", ("Grumman",)),
        ("Five of these cost 1,200 dollars.", "near", ("Five",)),
        ("Paris is the capital of France.", "none", ("Paris", "France")),
        ("The answer is 1000.", "none", ("1000",)),
    ],
)
def test_the_words_of_a_sentence_are_looked_for_in_what_it_cites(sentence, level, missing):
    assert compared(sentence, [Source(SOURCE)], EMBEDDER) == (level, missing)


def test_several_sources_or_sentences_however_far_apart_count_together_and_none_are_no_source():
    sources = [Source("Beech Aircraft built the tank."), Source("The tank stood in Boulder.")]
    assert compared("The tank that Beech Aircraft built stood in Boulder.", sources, EMBEDDER)[0] == "found"
    assert compared("Beech Aircraft built oxygen tank no. 2.", [], EMBEDDER) == ("none", ())
    text = "Ada built the pump. Grass grew in the yard. Bo paid the bill in 1966."
    sentence = "Ada built the pump and Bo paid the bill in 1966."
    assert compared(sentence, [Source(text)], EMBEDDER)[0] == "near"
    assert compared(sentence, [Source(text, (0, len(text)))], EMBEDDER) == ("found", ())


def test_every_sentence_of_an_answer_is_compared_cited_or_not():
    text = "It is well known. Beech Aircraft built it in 1966. Everybody agrees. Nobody else did"
    found = worded(text, {Cited(18, 50, (0,)): [Source(SOURCE)]}, EMBEDDER)
    assert [text[one.span.start : one.span.end] for one in found] == [
        "It is well known.", "Beech Aircraft built it in 1966.", "Everybody agrees.", "Nobody else did",
    ]  # fmt: skip
    assert [one.level for one in found] == ["none", "found", "none", "none"]
    assert worded(" \n", {}, EMBEDDER) == []


@each("text", ["Three things:\n1. Beech built it.", "Am 14. Februar 2009 brach ein Blatt."])
def test_what_leads_in_a_list_and_a_number_with_a_point_are_no_sentences_of_their_own(text):
    begin = text.find("1.") if "1." in text else 0
    assert [text[one.span.start :] for one in worded(text, {}, EMBEDDER)] == [text[max(0, begin) :]]


def test_beside_a_sentence_stand_the_words_that_it_cites_before_those_that_are_like_it():
    filler = "The valve was opened and the valve was closed again by the crew. " * 20
    text = f"Kim gave the order. {filler}"
    assert "Kim gave the order." not in beside("The crew opened the valve.", Source(text), 200)
    shown = beside("The crew opened the valve.", Source(text, (0, 19)), 200)
    assert shown.startswith("Kim gave the order. The valve")
    assert len(shown) <= 600
    assert Source.of("Pump", "It is red.", (0, 2)) == Source("Pump\n\nIt is red.", (6, 8)), "below its title"
    assert Source.of("Pump", "# Pump It is red.", (7, 9)) == Source("# Pump It is red.", (7, 9))
