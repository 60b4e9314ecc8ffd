"""What is missing over many runs."""

import explorer
from tests.corpus import QUESTIONS, filled


def test_without_runs_and_documents_nothing_is_missing():
    with explorer.open() as ws:
        found = ws.gaps()
    assert (found.runs, found.questions, found.names, found.documents) == (0, (), (), ())
    assert "Asked and not found, in 0 runs: 0" in repr(found)


def test_what_no_run_answered_is_told_once_with_how_often_it_was_asked():
    with filled() as ws:
        ws.run(QUESTIONS[2])
        ws.run(QUESTIONS[3])
        last = ws.run(f" {QUESTIONS[3].upper()}", "document-rag")
        found = ws.gaps()
    assert found.runs == 3
    asked = {one.question: one for one in found.questions}
    assert asked[last.question].times == 2
    assert asked[last.question].run == last.iri
    assert QUESTIONS[2] not in asked


def test_documents_that_no_answer_cites_are_told():
    with filled() as ws:
        assert ws.gaps().documents == ()
        trace = ws.run(QUESTIONS[2])
        cited = {key for citation in trace.citations for key in citation.cites}
        used = {passage.document for key in cited for passage in trace.passages[key]}
        documents = {one.iri for one in ws.stores.library.documents()}
        assert {one.iri for one in ws.gaps().documents} == documents - used
        assert used


def test_a_name_in_a_document_that_no_fact_has_is_told(tmp_path):
    (tmp_path / "b.txt").write_text("A letter to Henrietta Quillfeather of Lisbon, unread.", "utf-8")
    with filled() as ws:
        ws.ingest(tmp_path / "b.txt", progress=False)
        names = {one.name for one in ws.gaps().names}
    assert "Beech Aircraft" not in names
    assert any("Quillfeather" in name for name in names)


def test_gaps_show_text_as_text():
    with filled() as ws:
        ws.run("Who <img src=x> is the mayor of Lisbon?")
        found = ws.gaps()
    assert "<img" not in found._repr_html_()
    assert "mayor of Lisbon" in repr(found)


def test_the_head_of_a_page_names_nothing_that_is_missing(tmp_path):
    (tmp_path / "b.md").write_text("# Quillfeather Brothers Yearly Review\n\nThe tank was red and old.\n", "utf-8")
    with filled() as ws:
        ws.ingest(tmp_path / "b.md", progress=False)
        assert not [one for one in ws.gaps().names if "Quillfeather" in one.name]
