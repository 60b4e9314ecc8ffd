from pyoxigraph import NamedNode, Triple

from explorer.reasoning.close import MOST, close, likest, telling
from explorer.reasoning.protocol import Edge

QUESTION = "Why did the red pump fail?"


def rarity(_):
    return 1.0


def fact(subject, predicate, value):
    ends = (NamedNode(f"urn:{subject.replace(' ', '-')}"), NamedNode(f"urn:{value.replace(' ', '-')}"))
    return Edge(Triple(ends[0], NamedNode("urn:p"), ends[1]), subject, predicate, value, ())


def test_close_is_what_shares_half_of_the_words_and_says_which():
    near, far = fact("red pump", "stood in", "hall"), fact("pump", "stood in", "yard")
    assert close(QUESTION, [far, near], [], rarity) == {near: "It uses your words red pump."}
    assert close(QUESTION, [near], [near.triple], rarity) == {}


def test_what_links_two_such_facts_is_close_too():
    one, other = fact("red pump", "stood in", "hall"), fact("red pump fault", "hit", "north wing")
    link, aside = fact("hall", "is part of", "north wing"), fact("hall", "has", "roof")
    found = close(QUESTION, [link, aside, one, other], [], rarity)
    assert [*found] == [one, other, link]
    assert found[link] == "It links two facts that share words with your question."


def test_at_most_five_are_close():
    many = [fact("red pump", "was in", f"hall {number}") for number in range(9)]
    assert [*close(QUESTION, many, [], rarity)] == many[:MOST]
    assert close("Who is it?", many, [], rarity) == {}


def test_a_fact_tells_of_a_question_if_it_has_a_word_of_any_part():
    plain, own = fact("roof", "was", "green"), fact("pump", "was", "old")
    assert telling("Why did the red pump fail, and who paid the bill?", [plain, own], rarity) == [own]


def test_the_likest_fact_shares_most_words():
    plain, own = fact("roof", "was", "green"), fact("pump", "was", "old")
    assert likest(QUESTION, [plain, own], rarity) == {own: "It uses your word pump."}
    assert likest(QUESTION, [plain], rarity) == {}
