"""Documents, facts, entities and passages as values: they list what the stores hold and lead on."""

import pytest

import explorer
from explorer.errors import RecordError
from explorer.record import forgetting
from explorer.view.messages.requests import WantDocument
from explorer.vocab import entity_iri
from explorer.widgets.documents.listing import opened
from tests.corpus import QUESTIONS, filled, with_corpus

ws = with_corpus("module")


def test_documents_are_listed_with_what_they_hold_and_when_they_were_read(ws):
    documents = ws.documents
    assert len(documents) == ws.size.documents == len(list(documents))
    assert {one.kind for one in documents} == {"PDF", "Markdown", "Text"}
    for one in documents:
        assert ws.text(one.iri) == one.text
        assert one.added_at.startswith("2026-01-15T10:3")
        assert one.fact_count == len(one.facts) > 0
    report = ws.document("report.pdf")
    assert report.page_count == len(report.pages) == 2
    assert [page.number for page in report.pages] == [1, 2]
    table = str(documents).splitlines()
    assert table[0].split() == ["Title", "Kind", "Pages", "Passages", "Facts", "Added", "Source"]
    assert len(table) == 2 + len(documents)
    assert "<table>" in documents._repr_html_()


def test_a_document_is_meant_by_iri_path_title_or_a_part_that_only_one_has(ws):
    [valves] = [one for one in ws.documents if one.title == "Valves of the tank"]
    for named in (valves.iri, valves.source, "valves of the tank", "valves.md", "Valves of", "valves.m"):
        assert ws.document(named) == valves
    with pytest.raises(
        RecordError, match=r"fits 3 documents: .*Valves of the tank .*valves.md.*; give the path or IRI"
    ):
        ws.document("e")
    with pytest.raises(RecordError, match=r"No document is called “nowhere”.*explorer documents"):
        ws.document("nowhere")
    with pytest.raises(RecordError, match="No document is called"):
        ws.document("  ")


def test_pages_are_slices_of_the_text_and_share_out_its_chunks_and_facts(ws):
    for named in ("report.pdf", "valves.md"):
        one = ws.document(named)
        assert [page.text for page in one.pages] == [one.text[page.start : page.end] for page in one.pages]
        assert [chunk for page in one.pages for chunk in page.chunks] == list(one.chunks)
        assert {fact.triple for page in one.pages for fact in page.facts} == {fact.triple for fact in one.facts}
    assert str(ws.document("notes.txt").pages) == "It has no pages or sections."


def test_a_document_leads_to_the_runs_that_used_it():
    with filled() as ws:
        used = ws.document("notes.txt")
        assert list(used.used_in) == []
        run = ws.run(QUESTIONS[1])
        assert used.iri in {passage.document for passage in run.sources()}
        assert [one.iri for one in used.used_in] == [run.iri]
        cited = {key for citation in run.dag.citations for key in citation.cites}
        quoted = {p.document for key in cited for p in run.passages.get(key, ())}
        assert len(quoted) < len({passage.document for passage in run.sources()})
        assert {one.iri for one in ws.documents if one.quoted_in} == quoted


def test_facts_are_found_by_words_entity_and_document_and_lead_to_their_passages(ws):
    everything = ws.facts(limit=None)
    assert len({fact.triple for fact in everything}) == len(everything) == ws.size.facts
    assert ws.facts(limit=2).more == "There are more than these 2."
    assert list(ws.facts(limit=2)) == list(everything[:2])
    opened = ws.facts("983 psi")[0]
    assert "983 psi" in opened.words
    assert "983 psi" in opened.passages[0].text
    assert ws.node(opened.iri).entity.contains
    about = ws.facts(entity="relief valve", limit=None)
    assert about
    assert all("relief valve" in (fact.words[0], fact.words[2]) for fact in about)
    assert list(ws.facts(entity=entity_iri("relief valve"), limit=None)) == list(about)
    of = ws.facts(document="notes.txt", limit=None)
    assert {fact.triple for fact in of} == {fact.triple for fact in ws.document("notes.txt").facts}
    both = ws.facts("opened", entity="relief valve", document="notes.txt")
    assert both
    assert {fact.triple for fact in both} <= {fact.triple for fact in about} & {fact.triple for fact in of}
    for nothing in (ws.facts("zeppelin"), ws.facts(entity="zeppelin"), ws.facts("(", document="notes.txt")):
        assert str(nothing) == "No facts."
    with pytest.raises(RecordError, match="No document"):
        ws.facts(document="nowhere")


def test_entities_are_found_by_a_part_of_their_name_most_linked_first(ws):
    found = ws.entities("VALVE")
    assert found[0].iri == entity_iri("relief valve")
    assert all("valve" in one.name.casefold() for one in found)
    assert list(found[0].facts) == list(ws.facts(entity="relief valve", limit=None))
    assert found[0].passages >= 2
    everything = ws.entities(limit=1000)
    ends = {
        getattr(end, "value", "") for fact in ws.facts(limit=None) for end in (fact.triple.subject, fact.triple.object)
    }
    assert {one.iri for one in everything} <= ends
    assert entity_iri("relief valve") in {one.iri for one in everything[:3]}
    assert ws.entities(limit=1).more
    assert str(ws.entities("zeppelin")) == "No entities."


def test_a_search_finds_what_document_rag_finds(ws):
    found = ws.search(QUESTIONS[2], limit=3)
    assert "983 psi" in found[0].text
    run = ws.run(QUESTIONS[2], engine="document-rag", doc_limit=3)
    assert [one.chunk for one in found] == [one.document for one in run.chunks]


def test_a_document_is_a_tree_of_pages_chunks_and_facts(ws):
    one = ws.document("report.pdf")
    tree = one.hierarchy
    assert [page.kind for page in tree.children] == ["page", "page"]
    chunks = [chunk for page in tree.children for chunk in page.children]
    assert [chunk.iri for chunk in chunks] == list(one.chunks)
    facts = {fact.label for chunk in chunks for fact in chunk.children}
    assert facts == {"{} — {} → {}".format(*fact.words) for fact in one.facts}
    assert str(tree).splitlines()[1].startswith("  ")
    assert tree._repr_mimebundle_()["text/html"].count("<li>") == len(str(tree).splitlines())
    assert {branch.kind for branch in ws.document("notes.txt").hierarchy.children} == {"chunk"}


def test_names_from_documents_are_text_in_every_table(tmp_path):
    bad = "<img src=x onerror=alert(1)>\x1b[31m"
    (tmp_path / "bad.md").write_text(f"# {bad}\n\nThe pump feeds {bad}.\n", "utf-8")
    with explorer.open() as ws:
        ws.ingest(tmp_path, progress=False)
        one = ws.documents[0]
        for shown in (ws.documents, one.pages, one.facts, ws.search("pump"), ws.entities(), one.versions):
            assert "<img" not in shown._repr_html_()
            assert "\x1b" not in str(shown)
        assert "<img" not in one.hierarchy._repr_mimebundle_()["text/html"]
        assert "\x1b" not in str(one.hierarchy) + repr(one)


def test_questions_to_begin_with_are_answered_by_the_sentence_they_were_made_of(tmp_path):
    (tmp_path / "minutes.md").write_text(
        "# Minutes\n\nThe boiler failed on 17 February because a pump had seized. Maria Keller replaced the pump on 20 "
        "February. The board thanked her. She used a valve fitted to drain the boiler, and other valves are stored in "
        "the shed.\n"
    )
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    with explorer.open() as ws:
        assert ws.suggest() == []
        ws.ingest(tmp_path, progress=False)
        found = ws.suggest("minutes")
        assert found == ws.suggest("minutes")
        assert "What failed on 17 February?" in found
        assert not [one for one in ws.suggest("minutes", 9) if "drain" in one or "shed" in one], "of one, and of others"
        assert len(found) <= 3
        assert ws.suggest(ws.document("table")) == []
        assert set(found) == set(ws.suggest())
        assert ws.suggest(limit=1) == found[:1]
        assert found[0] not in ws.suggest(without=[found[0].upper()])
        assert ws.size.traces == 0, "what is tried is not recorded"
        for question in found:
            trace = ws.run(question, documents=["minutes"])
            assert trace.support.level == "strong"
        with pytest.raises(explorer.QuestionError, match="No document is called"):
            ws.suggest("elsewhere")


def test_questions_of_a_table_are_such_as_one_would_ask(tmp_path):
    rows = "Host,Cores,Memory (GB),Since,On call\npay-01,8,32,2019,yes\nbatch-01,4,16,2021,no\ndb-01,32,256,2022,yes\n"
    (tmp_path / "hosts.csv").write_text(rows)
    with explorer.open() as ws:
        ws.ingest(tmp_path, progress=False)
        found = ws.suggest()
        assert found
        sensible = ("How many cores does {} have?", "What is the memory of {}?")
        hosts = ("pay-01", "batch-01", "db-01")
        assert {*found} <= {question.format(host) for question in sensible for host in hosts}


def test_an_entity_knows_its_neighbours_with_the_facts_between_and_its_documents():
    with filled() as ws:
        valve = ws.entity("relief valve")
        assert valve == ws.entities("relief valve")[0]
        beside = {one.entity.name: [fact.words for fact in one.facts] for one in valve.neighbours}
        assert beside["oxygen tank"] == [("relief valve", "protects", "oxygen tank")]
        assert valve.neighbours[0].entity.name == "Beech Aircraft"
        assert len(beside["Beech Aircraft"]) > 1
        assert {fact for one in valve.neighbours for fact in one.facts} <= {*valve.facts}
        assert {one.title for one in valve.documents} == {"Valves of the tank", "Notes of the shift"}
        assert "Beech Aircraft" in str(valve.neighbours)
        assert [one.entity for one in ws.entity("Boulder").neighbours] == [ws.entity("Beech Aircraft")]
        with pytest.raises(RecordError, match="Nothing here speaks of “Nobody”"):
            ws.entity("Nobody")


def test_questions_about_a_table_of_months_name_the_month_as_one_says_it(tmp_path):
    (tmp_path / "energy.csv").write_text(
        "Month,Electricity (kWh),Outside (C)\n2025-07,61,19\n2025-08,58,18\n2025-09,97,15\n"
    )
    with explorer.open() as ws:
        ws.ingest(tmp_path, progress=False)
        assert ws.suggest(limit=1) == ["What was the electricity in July 2025?"]
        assert not [question for question in ws.suggest() if "outside" in question]


def test_the_runs_that_used_a_document_are_the_same_from_either_side(monkeypatch):
    with filled() as ws:
        for question in QUESTIONS[:3]:
            ws.run(question)
            ws.run(question, "document-rag")

        def runs_of():
            return [([run.iri for run in one.used_in], [run.iri for run in one.quoted_in]) for one in ws.documents]

        from_documents = runs_of()
        assert any(used for used, _ in from_documents)
        assert any(quoted for _, quoted in from_documents)
        monkeypatch.setattr(forgetting, "_MANY", 0)
        monkeypatch.setattr(forgetting, "holdings", None)  # all facts of a document are not read then
        assert runs_of() == from_documents
        together = [one.uses for one in ws.documents]
        assert [([run.iri for run in used], [run.iri for run in quoted]) for used, quoted in together] == from_documents


def test_the_pages_of_a_document_are_read_once_until_the_collection_changes(tmp_path):
    path = tmp_path / "note.md"
    path.write_text("# Pump\n\nPump 1 feeds the basin.\n\n# Basin\n\nThe basin holds water.\n", "utf-8")
    with explorer.open() as ws:
        ws.ingest(path, progress=False)
        one = ws.document("note.md")
        known = ws.sources.parts
        assert opened(ws, WantDocument(one.iri, "1"))[0]["page"]["neighbours"]["next"]
        assert [page.label for page in one.pages] == ["Pump", "Basin"]
        assert (known.cache_info().misses, known.cache_info().hits > 1) == (1, True)
        path.write_text("# Pump\n\nPump 1 feeds the basin.\n\n# Lake\n\nThe lake holds water.\n", "utf-8")
        ws.ingest(path, progress=False)
        assert [page.label for page in ws.document("note.md").pages] == ["Pump", "Lake"]
