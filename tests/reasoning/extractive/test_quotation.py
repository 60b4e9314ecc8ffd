from dataclasses import replace

import explorer
from explorer.models.embedding import WordLlamaEmbedder
from explorer.reasoning.extractive.choosing import asked_in
from explorer.reasoning.extractive.fit import sentences_of
from explorer.reasoning.extractive.quotation import Quotation, as_quoted
from explorer.reasoning.extractive.sentence_ranking import SENTENCES
from explorer.reasoning.protocol import ReadPassage, ScoredPassage, Sentence, Verdict
from tests.corpus import shared
from tests.each import each

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


@each("scored", [True, False])
def test_a_quote_stands_in_the_passage_it_cites(scored):
    question = "Who made the fan motors?"
    whole = passages()
    kept = QUOTATION.score_passages(question, whole) if scored else [*map(ScoredPassage, whole)]
    said, reason = quoted(question, kept)
    assert reason == "done"
    assert any("Globe Industries" in sentence.text for sentence in said)
    for sentence in said:
        [number] = sentence.cites
        assert sentence.text in " ".join(kept[number].passage.text.split())


def test_it_declines_when_the_answer_is_not_there_and_says_what_is_missing_of_many_words_a_few():
    kept = [*map(ScoredPassage, passages())]
    said, reason = quoted("Who is the mayor of Lisbon?", kept)
    assert reason == "declined"
    assert "They do not mention “mayor” or “Lisbon”." in said[0].text
    assert said[0].text.startswith("I did not find an answer to this in your documents.")
    assert said[0].cites == ()
    assert quoted("Who is the mayor?", [])[1] == "declined"
    question = " ".join(f"Zarquon{number}" for number in range(500)) + "x" * 10_000
    [refusal, *_], _ = quoted(question, kept)
    assert "or 492 more words" in refusal.text
    assert len(refusal.text) < 700


def test_a_sentence_that_two_chunks_share_is_quoted_once():
    [first] = [passage for passage in passages() if "Globe" in passage.text]
    line = "The fan motors were made by Globe Industries."
    start = first.text.index(line)
    second = replace(first, chunk="urn:chunk:next", subgraph="urn:chunk:next", start=first.start + start, text=line)
    said, _ = quoted("Who made the fan motors?", [ScoredPassage(first), ScoredPassage(second)])
    assert len([sentence for sentence in said if sentence.text == line]) == 1


def told(question, text, title="A report"):
    whole = replace(passages()[0], text=text, title=title, chunk="urn:chunk:told")
    quotation = Quotation(WordLlamaEmbedder(), lambda word: 1.0 + len(word) / 8, chunks=lambda chunks: {
        chunk: ReadPassage(chunk, title, text, sentences_of(text)) for chunk in chunks
    })  # fmt: skip
    *said, verdict = quotation.synthesise(question, [], [ScoredPassage(whole, 0.5)])
    return [sentence.text for sentence in said], verdict


def test_whom_a_pronoun_stands_for_stands_in_brackets():
    text = "Ken Mattingly stayed on the ground. He tested the power-up procedure in the simulator."
    said, _ = told("Who tested the power-up procedure in the simulator?", text)
    assert "He [Ken Mattingly] tested the power-up procedure in the simulator." in said


def test_headings_rows_and_questions_are_no_quotations():
    text = (
        "# Relief valve pressure table\n\n| Valve | Pressure |\n|---|---|\n| relief | 983 psi |\n\n"
        "What pressure opened the relief valve?\n\nThe relief valve opened at a pressure of 983 psi.\n"
    )
    said, _ = told("At what pressure did the relief valve open?", text)
    assert said[0] == "The relief valve opened at a pressure of 983 psi."
    assert all("|" not in line and "#" not in line and "?" not in line for line in said)


def test_at_most_three_sentences_answer_a_part():
    text = " ".join(f"The relief valve number {n} of the tank opened at {n}00 psi in test {n}." for n in range(1, 9))
    said, _ = told("At what pressure did the relief valve of the tank open in the long test of the old ship?", text)
    assert 1 <= len(said) <= SENTENCES


@each(
    ("text", "said"),
    [
        ("<u>Calibration</u> is done by hand.", "Calibration is done by hand."),
        ("- **Terms** end in July 2025\\.", "Terms end in July 2025."),
        ("10. Remove the cuff.", "Remove the cuff."),
        ("and a < b or b > c.", "… and a < b or b > c."),
        ("A part of a sentence", "A part of a sentence …"),
        ("- **Two**\nfans `stir`.", "Two fans stir."),
        ("the tank stood there.", "… the tank stood there."),
        ("Did it?", "Did it?"),
    ],
)
def test_marks_of_lists_and_of_markup_are_no_part_of_a_quotation(text, said):
    assert as_quoted(text) == said
    assert as_quoted("* Four folding chairs", whole=True) == "Four folding chairs"


def asked_of(text, question):
    reader = Quotation(WordLlamaEmbedder(), lambda word: 2.0 if word in text else 5.0)
    reader.chunks = lambda _: {"urn:c": ReadPassage("urn:c", "Notes", text, sentences_of(text))}
    kept = [ScoredPassage(replace(passages()[0], chunk="urn:c", text=text, before="", after=""))]
    return list(reader.synthesise(question, [], kept))


def test_a_list_is_quoted_with_the_sentence_that_leads_it_in():
    text = "The pump is old.\n\nSteps to change the seal:\n\n1. Stop the pump.\n2. Pull the shaft.\n\nThen wait a day."
    said = [one for one in asked_of(text, "What are the steps to change the seal?") if isinstance(one, Sentence)]
    found = next(one for one in said if "Steps" in one.text)
    assert found.text == "Steps to change the seal: 1. Stop the pump. 2. Pull the shaft."
    assert text[slice(*found.source)].startswith("Steps")
    assert text[slice(*found.source)].endswith("shaft.")
    assert not [one for one in said if one.text == "Stop the pump."]


def test_a_row_below_its_heads_and_a_labelled_line_answer_as_sentences_do():
    table = "The club met.\n\n| Action | Who | By |\n|---|---|---|\n| Write to members | Tom | 31 May |\n"
    said = asked_of(table, "Who has to write to the members?")
    assert said[0].text == "Action: Write to members; Who: Tom; By: 31 May"
    said = asked_of("The club met at seven.\n\n**Guest:** Helen Zhou\n", "Who was the guest?")
    assert "Helen Zhou" in said[0].text


@each("engine", ["graph-rag", "document-rag"])
def test_of_many_like_rows_the_one_with_the_number_of_the_question_is_quoted(tmp_path, engine):
    rows = [
        (f"INV-{10000 + n}", f"Customer {chr(65 + n % 26)}", f"{(n * 7919) % 1000}.{n % 90 + 10}") for n in range(150)
    ]
    lines = ["Invoice,Customer,Amount", *(",".join(row) for row in rows)]
    (tmp_path / "invoices.csv").write_text("\n".join(lines))
    with explorer.open() as ws:
        ws.ingest(tmp_path)
        for invoice, customer, amount in (rows[37], rows[111]):
            row = f"Invoice: {invoice}; Customer: {customer}; Amount: {amount}"
            assert ws.run(f"What is the amount of invoice {invoice}?", engine=engine).answer == row
            assert ws.run(f"Which invoice has the amount {amount}?", engine=engine).answer == row


def test_a_part_without_an_answer_has_no_quotation_of_another_matter_and_the_mark_counts_the_parts(tmp_path):
    (tmp_path / "notes.md").write_text("Ada Lund commands the ferry. The pump stopped about two minutes early.\n")
    with explorer.open() as ws:
        ws.ingest(tmp_path)
        run = ws.run("Who commands the ferry and which vaccinations does a trip to Kenya take?")
        not_said = "Your documents do not say: which vaccinations does a trip to Kenya take?"
        assert run.answer == f"Ada Lund commands the ferry. {not_said}"
        assert (run.support.level, run.support.answered) == ("weak", (1, 2))
    first, then = asked_in("How many quotes did the association receive? Which was the cheapest?")
    assert (first.context, then.context) == ("", "quotes association"), "one that says little is about the first"


def test_who_reported_a_reason_is_no_part_of_it():
    *said, _ = asked_of(
        "Two engineers came on Tuesday. They found that the pipe is narrow, which is why the pressure drops. A wide "
        "pipe would cure it.", "Why does the pressure drop?",
    )  # fmt: skip
    assert [one.text for one in said] == ["They found that the pipe is narrow, which is why the pressure drops."]
