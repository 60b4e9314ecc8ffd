"""How an answer and its parts came out, in words."""

import explorer
from explorer.drawing import picture
from explorer.view.report_paper import Reported, paper
from explorer.wording.answer import answer_author
from explorer.wording.outcomes import told
from tests.corpus import QUESTIONS, shared

HALF = f"{QUESTIONS[0][:-1]}, and who is the mayor of Lisbon?"
MISSING = "Your documents do not say: who is the mayor of Lisbon? (∅ not found)"


def test_each_part_of_a_question_has_its_own_outcome_also_one_that_was_not_found():
    trace = shared().run(HALF)
    assert trace.outcome == "unsure"
    assert [(one.outcome, bool(one.cites)) for one in trace.citations] == [("answered", True), ("not found", False)]
    assert told(trace.dag).endswith(f" [1] [2] (✓ answered) {MISSING}")
    assert shared().verify(trace).is_sound


def test_parts_that_came_out_alike_have_none_of_their_own():
    trace = shared().run(QUESTIONS[0])
    assert trace.outcome == "answered"
    assert [one.outcome for one in trace.citations] == [None]
    assert told(trace.dag).endswith(" [1] [2]")


def test_what_leaves_the_app_says_how_each_part_came_out():
    trace = shared().run(HALF)
    shown = trace._repr_mimebundle_()
    for said in (shown["text/plain"], shown["text/html"], paper(Reported(trace.dag))):
        assert MISSING in said
    drawn = picture.svg(trace.dag)
    for sign in ("? Unsure", "✓ “", "∅ “Your documents"):
        assert sign in drawn
    labels = [node["label"] for node in trace.to_pyvis().nodes]
    assert any(label.startswith("∅ “") for label in labels)


def test_the_row_of_a_table_is_not_called_a_copy_word_for_word(tmp_path):
    (tmp_path / "towns.csv").write_text("City,Population 2020,Area km2\nBergen,285900,465\nOslo,697000,454\n")
    with explorer.open(tmp_path / "ws") as ws:
        ws.ingest(tmp_path / "towns.csv", progress=False)
        row = ws.run("What was the population of Oslo in 2020?")
        assert row.answer == "City: Oslo; Population 2020: 697000; Area km2: 454"
        assert answer_author(row.dag)["text"].startswith("copied from the sources, each table cell")
    assert answer_author(shared().run(QUESTIONS[0]).dag)["text"].startswith("copied word for word")
