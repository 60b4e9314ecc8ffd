from dataclasses import replace

import pytest

from explorer.models.embedding import WordLlamaEmbedder
from explorer.reasoning.extractive.quotation import Quotation, as_quoted, distinct
from explorer.reasoning.protocol import ScoredPassage, Sentence, Verdict
from tests.corpus import shared

QUOTATION = Quotation(WordLlamaEmbedder(), lambda _: 2.0)


def passages():
    stores = shared().stores
    return [passage for row in stores.database.rows("SELECT iri FROM chunks ORDER BY number")
            for passage in stores.sources.chunk(row["iri"])]  # fmt: skip


def quoted(question, kept):
    *said, verdict = QUOTATION.synthesise(question, [], kept)
    assert isinstance(verdict, Verdict)
    return said, verdict.reason


def test_the_best_passage_comes_first_with_scores_from_0_to_1():
    read = QUOTATION.score_passages("Who made the fan motors?", passages())
    assert "Globe Industries" in read[0].passage.text
    assert [one.score for one in read] == sorted((one.score for one in read), reverse=True)
    assert all(0 <= one.score <= 1 for one in read)
    assert QUOTATION.score_passages("Why?", []) == []


@pytest.mark.parametrize("scored", [True, False])
def test_a_quote_stands_in_the_passage_it_cites(scored):
    question = "Who made the fan motors?"
    kept = (
        QUOTATION.score_passages(question, passages()) if scored else [ScoredPassage(passage) for passage in passages()]
    )
    said, reason = quoted(question, kept)
    assert reason == "done"
    assert any("Globe Industries" in sentence.text for sentence in said)
    for sentence in said:
        [number] = sentence.cites
        assert sentence.text in " ".join(kept[number].passage.text.split())


def test_it_declines_when_the_answer_is_not_there_and_says_what_is_missing():
    said, reason = quoted("Who is the mayor of Lisbon?", [ScoredPassage(passage) for passage in passages()])
    assert reason == "declined"
    assert "Nothing was found about mayor, Lisbon." in said[0].text
    assert said[0].text.startswith("Nothing close was found.")
    assert said[0].cites == ()
    assert quoted("Who is the mayor?", [])[1] == "declined"


def test_of_many_words_that_are_missing_a_few_are_named():
    question = " ".join(f"Zarquon{number}" for number in range(500)) + "x" * 10_000
    [refusal], _ = quoted(question, [ScoredPassage(passage) for passage in passages()])
    assert "and 492 more words" in refusal.text
    assert len(refusal.text) < 700


def test_a_sentence_that_two_chunks_share_is_quoted_once():
    [first] = [passage for passage in passages() if "Globe" in passage.text]
    line = "The fan motors were made by Globe Industries."
    start = first.text.index(line)
    second = replace(first, chunk="urn:chunk:next", subgraph="urn:chunk:next", start=first.start + start, text=line)
    said, _ = quoted("Who made the fan motors?", [ScoredPassage(first), ScoredPassage(second)])
    assert [sentence.cites for sentence in said if sentence.text == line] == [(0,)]


def test_what_comes_is_the_same_each_time():
    kept = [ScoredPassage(passage) for passage in passages()]
    assert quoted("Why did the switches fail?", kept) == quoted("Why did the switches fail?", kept)
    assert all(isinstance(part, Sentence) for part in quoted("Why did the switches fail?", kept)[0])


def test_likeness_leaves_out_what_was_said_before():
    texts = ["The valve opened.", "The valve opened.", "Snow fell on the hills."]
    assert distinct(QUOTATION, texts, 5) == [0, 2]
    assert distinct(QUOTATION, texts, 1) == [0]


def test_a_quoted_sentence_has_no_marks_and_says_where_it_was_cut():
    assert as_quoted("- **Two**\nfans `stir`.") == "Two fans stir."
    assert as_quoted("Slayton, who led them") == "Slayton, who led them …"
    assert as_quoted("the tank stood there.") == "… the tank stood there."
    assert as_quoted("Did it?") == "Did it?"
