from dataclasses import replace

from pyoxigraph import Literal, NamedNode, Triple

from explorer.models.embedding import WordLlamaEmbedder
from explorer.reasoning.close_facts import told
from explorer.reasoning.extractive.fit import LINKED, TITLED, passage_reason
from explorer.reasoning.extractive.reasoner import ExtractiveReasoner
from explorer.reasoning.extractive.sentence_ranking import SENTENCES
from explorer.reasoning.protocol import Edge, ScoredPassage, Sentence
from explorer.vocab import entity_iri
from tests.strategies import passage

REASONER = ExtractiveReasoner(WordLlamaEmbedder(), lambda _: 1.0)
QUESTION = "At what pressure did the relief valve open?"
TEXTS = [
    "The relief valve opened at a pressure of 983 psi.",
    "Two fans stirred the oxygen.",
    "The crew slept in the lunar module.",
]


def edge(number, text, sourced=True):
    found = replace(passage("a", 1, 100 * number, 3), text=text, end=100 * number + len(text))
    triple = Triple(NamedNode(entity_iri(f"s{number}")), NamedNode(entity_iri("p")), Literal(text))
    words = text.rstrip(".").split()
    return Edge(triple, words[1], words[2], " ".join(words[3:]), (found,) if sourced else ())


EDGES = [edge(number, text) for number, text in enumerate(TEXTS)]


def asked(question, edges):
    concepts = REASONER.concepts(question)
    kept = REASONER.select(question, REASONER.score_edges(question, concepts, edges), 25, {})
    selected = REASONER.reason_edges(question, kept)
    *sentences, verdict = REASONER.synthesise(question, concepts, selected)
    return selected, sentences, verdict


def test_the_quality_that_is_asked_for_is_a_key_idea():
    assert REASONER.concepts("How cold did it get in the hut?") == ["hut", "cold"]
    assert "far" not in REASONER.concepts("How far is the hut?")
    assert REASONER.concepts("What books did Bayle publish?") == ["books", "Bayle", "publish"]
    assert REASONER.concepts("Which file of the files is locked?") == ["file", "locked"]
    assert REASONER.concepts("what is it?") == ["what is it?"]


def test_the_edge_that_fits_comes_first():
    concepts = REASONER.concepts(QUESTION)
    scored = REASONER.score_edges(QUESTION, concepts, EDGES[::-1])
    assert scored[0].edge == EDGES[0]
    assert all(0 <= item.score <= 1 and item.concept in (*concepts, None) for item in scored)
    assert scored[0].concept in concepts
    assert [item.score for item in scored] == sorted((item.score for item in scored), reverse=True)
    assert len(REASONER.select(QUESTION, scored, 2, {})) == 2
    for found in REASONER.score_passages(QUESTION, [one.passages[0] for one in EDGES]):
        assert round(sum(found.parts.values()), 4) == found.score


def fact(subject, predicate, obj, sentence):
    return replace(edge(0, sentence), subject=subject, predicate=predicate, object=obj)


def test_a_reason_says_which_words_of_the_question_a_fact_uses_or_its_source_has():
    asked_why = "Why did oxygen tank no. 2 fail?"
    caused = fact("oxygen tank no. 2", "failed because of", "a fire", "Oxygen tank no. 2 failed because of a fire.")
    other = replace(caused, subject="tank no. 2", predicate="had a", object="failure")
    plain = fact("the crew", "slept in", "the module", "The crew slept in the module.")
    loose = replace(caused, subject="tank", predicate="held", object="oxygen")
    held = fact("it", "held", "gas", "The tank held gas.")
    quoted = "Its sentence is quoted."
    for given, said in (
        ((caused,), "The fact has “oxygen tank no. 2” and “fail”."),
        ((caused, quoted), f"{quoted} The fact has “oxygen tank no. 2” and “fail”."),
        ((other,), "The fact has “tank no. 2” and “fail”, and lacks “oxygen”."),
        ((loose,), "The fact has “oxygen” and “tank”, and lacks “no. 2” and “fail”."),
        ((held,), "Its source has “tank”, and lacks “oxygen”, “no. 2” and “fail”."),
        ((plain,), "The fact has none of your words."),
    ):
        assert told(asked_why, *given) == said
    by_hand = told(asked_why, replace(caused, by_hand="added by hand"), quoted)
    assert by_hand.startswith("Added by hand, and the answer says it. The fact has “oxygen tank no. 2”")
    twice = replace(caused, subject="the command module", object="the lunar module")
    assert told("Who built the command module and the lunar module?", twice) == (
        "The fact has “command module” and “lunar module”, and lacks “built”.")  # fmt: skip
    long = " and ".join(f"the valve{number}" for number in range(12))
    assert told(f"Where are {long}?", fact("valves", "are", long, long)).endswith("“valve7” and 4 more words.")


def test_the_reason_for_a_passage_is_such_a_sentence_too():
    question = "Why did oxygen tank no. 2 fail?"
    burnt = replace(passage("d", 1, 0, 60), title="Report", text="It was cold. Oxygen tank no. 2 failed in a fire.")
    apart = replace(burnt, title="Oxygen", text="The tank held. A pump may fail.")
    other = replace(burnt, title="Crew", text="They slept.")

    def why(one, parts):
        return passage_reason(question, one, sum(parts.values()), parts)

    words = {"words covered": 0.3, "similarity": 0.1}
    assert why(burnt, words) == "it has “oxygen tank no. 2” and “fail” in one sentence"
    assert why(apart, words) == "it has “tank” and “fail”; its title has “oxygen”; it lacks “no. 2”"
    assert why(apart, {TITLED: 0.2, **words}).endswith("; your question names its document, “Oxygen”")
    assert why(burnt, {LINKED: 0.5, **words}).endswith("; the graph links it to your question")
    assert why(other, words) == "it has none of your words, but it is close to your question in meaning"
    assert why(other, {"words covered": 0.1}) == "it has none of your words"


def test_the_answer_is_made_of_source_sentences_with_citations():
    selected, sentences, verdict = asked(QUESTION, EDGES)
    assert (verdict.reason, verdict.missing, verdict.support.level) == ("done", (), "strong")
    assert sentences[0] == Sentence(TEXTS[0], (0,), (0, len(TEXTS[0])))
    for sentence in sentences:
        for cited in sentence.cites:
            assert sentence.text in [found.text for found in selected[cited].edge.passages]
    assert len([sentence for sentence in sentences if sentence.cites]) <= SENTENCES


def test_it_declines_without_any_edge_and_without_any_source():
    for edges in ([], [edge(0, TEXTS[0], sourced=False)]):
        _, _, verdict = asked(QUESTION, edges)
        assert verdict.reason == "declined"


def test_the_same_sentence_of_two_facts_is_quoted_once_and_cites_both():
    _, sentences, _ = asked(QUESTION, [EDGES[0], replace(EDGES[0], subject="valve")])
    assert [sentence.cites for sentence in sentences if sentence.cites] == [(0, 1)]


def test_an_answer_from_a_fact_and_a_whole_passage_cites_both_by_their_numbers():
    text = "It rained. At a pressure of 983 psi the relief valve of tank no. 2 opened, as investigators found later."
    whole = replace(passage("a", 1, 0, 3), chunk="urn:chunk:other", text=text)
    [fact] = REASONER.reason_edges(QUESTION, REASONER.score_edges(QUESTION, ["valve"], EDGES[:1]))
    *sentences, verdict = REASONER.synthesise(QUESTION, ["valve"], [ScoredPassage(whole, 0.9), fact])
    assert verdict.reason == "done"
    assert {cite for sentence in sentences for cite in sentence.cites} == {0, 1}
    assert all("rained" not in sentence.text for sentence in sentences)
