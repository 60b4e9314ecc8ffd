import pytest
from pyoxigraph import Literal, NamedNode, Triple

from explorer.models.embedding import WordLlamaEmbedder
from explorer.reasoning.extractive.scoring import Scoring
from explorer.reasoning.protocol import Edge

SCORING = Scoring(WordLlamaEmbedder(), lambda word: 3.0 if word == "valve" else 1.0)


def scores(question, *facts):
    edges = [Edge(Triple(NamedNode(f"urn:{n}"), NamedNode("urn:p"), Literal("x")), *said.split(" ", 2), ())
             for n, said in enumerate(facts)]  # fmt: skip
    found = {one.edge.text: one.score for one in SCORING.score_edges(question, [question], edges)}
    return [found[said] for said in facts]


def test_a_fact_with_the_words_of_the_question_fits_it_best_and_rare_words_weigh_more():
    near, far = scores("Who built the valve?", "Beech built valve", "sea is cold")
    assert near > 0.6 > far
    assert scores("Who built the valve?") == []
    seldom, often = scores("Who tested the valve?", "valve is there", "crew tested it")
    assert seldom > often


def test_a_fact_counts_for_the_part_of_the_question_that_it_fits_best():
    one, other = scores("Who tested the valve and what do penguins eat?", "Beech tested valve", "Penguins eat fish")
    assert min(one, other) > 0.6
    assert one == pytest.approx(scores("Who tested the valve?", "Beech tested valve")[0], abs=0.1)
