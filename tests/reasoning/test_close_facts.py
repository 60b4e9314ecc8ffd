from pyoxigraph import NamedNode, Triple

from explorer.language.words import clauses
from explorer.models.embedding import WordLlamaEmbedder
from explorer.reasoning.close_facts import MOST, Fit
from explorer.reasoning.extractive.vocabulary import Coverage
from explorer.reasoning.protocol import Edge

QUESTION = "Why did the red pump fail?"


def fit(question=QUESTION):
    return Fit(question, Coverage(clauses(question), lambda _: 1.0, WordLlamaEmbedder()))


def fact(subject, predicate, value):
    ends = (NamedNode(f"urn:{subject.replace(' ', '-')}"), NamedNode(f"urn:{value.replace(' ', '-')}"))
    return Edge(Triple(ends[0], NamedNode("urn:p"), ends[1]), subject, predicate, value, ())


def test_close_is_what_covers_most_words_and_says_which_and_five_at_most():
    near, far = fact("red pump", "failed in", "hall"), fact("pump", "stood in", "yard")
    assert fit().close([far, near], []) == {near: "Close to your question. The fact has “red pump fail”."}
    assert fit().close([near], [near.triple]) == {}
    many = [fact("red pump", "failed in", f"hall {number}") for number in range(9)]
    assert [*fit().close(many, [])] == many[:MOST]
    assert fit("Who is it?").close(many, []) == {}
    assert fit().close([], []) == {}


def test_of_what_is_not_close_it_is_said_what_it_lacks():
    far, other, near = fact("pump", "stood in", "yard"), fact("roof", "was", "9"), fact("red pump", "failed in", "hall")
    told = fit().left([far, other, near])
    assert [*told] == [far, other, near]
    assert told[far] == "The fact has “pump”, and lacks “red” and “fail”: not close enough to your question."
    assert told[other] == "The fact has none of your words: not close enough to your question."
    assert told[near] == "The fact has “red pump fail”: close, but enough others were kept."
    two = fit("Why did the red pump fail, and who paid the bill?").left([near])
    assert [*two.values()] == [
        "The fact has “red pump fail”, and lacks “paid” and “bill”: close, but enough others were kept."
    ]


def test_facts_of_a_sentence_tell_of_a_question_if_they_cover_half_of_a_part_of_it():
    plain, own = fact("roof", "was", "green"), fact("pump", "failed on", "Monday")
    asked = fit("Why did the red pump fail, and who paid the bill?")
    assert asked.telling([plain, own]) == [own]
    assert asked.telling([plain]) == []
    assert asked.telling([]) == []
