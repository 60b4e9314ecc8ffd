"""What people correct: facts added and retracted are on record, found or no longer found, and whole or not at all."""

import shutil
from dataclasses import replace

import pytest
from pyoxigraph import Literal, NamedNode, Quad, Triple

import explorer
from explorer import entities as e
from explorer import rdf
from explorer.cli import lines
from explorer.dag.outcome import told
from explorer.errors import RecordError, WorkspaceError
from explorer.events import Explain
from explorer.stores import stored_corrections
from explorer.stores.collection import open_collection
from explorer.stores.curation_journal import Act, begin
from explorer.vocab import ANNOTATION, FACTS, entity_iri
from tests.corpus import QUESTIONS, filled
from tests.each import each

BUILT = "Beech Aircraft built relief valve"
DEBRIEF = "Debrief\n\nBeech Aircraft built the relief valve. The pump feeds the basin.\n"


@pytest.fixture
def ws(monkeypatch):
    monkeypatch.delenv("EXPLORER_USER", raising=False)
    with filled() as ws:
        yield ws


def acts(ws):
    found = [one for one in rdf.entities(ws.graph.match(graph=ANNOTATION)) if isinstance(one, e.Curation)]
    return sorted(found, key=lambda one: one.made_at)


def selected(trace, fact):
    return [edge for edge in trace.edges if edge.edge == fact.triple]


def built(ws):
    return next(one for one in ws.facts(limit=None) if one.words == ("Beech Aircraft", "built", "relief valve"))


def test_an_added_fact_with_a_passage_is_found_by_the_next_question_and_leads_to_the_words(ws):
    passage = ws.document("notes.txt").passage("Crew members\nheard a loud bang.")
    assert passage.text == "Crew members heard a loud bang."
    before = ws.size.facts
    fact = ws.add_fact("Sam Rivers", "oversaw", "Relief valve", passage, by="Ada  Lovelace\n")
    assert fact.words == ("Sam Rivers", "oversaw", "relief valve")
    assert ws.size.facts == before + 1
    [source] = fact.passages
    assert ws.text(source.document)[source.start : source.end] == source.text == passage.text
    assert source.extracted_by == "curator"
    [act] = acts(ws)
    assert (act.act, act.fact, act.by) == ("added", fact.triple, "Ada Lovelace")
    assert fact.curated == f"added by hand on {act.made_at[:10]} by Ada Lovelace"
    assert [one.name for one in ws.entities("Sam")] == ["Sam Rivers"]
    assert fact in ws.document("notes.txt").facts
    run = ws.run("What did Sam Rivers oversee?")
    assert selected(run, fact)
    assert ws.passages(selected(run, fact)[0]) == [source]
    ws.reindex(progress=False)
    assert [one.passages for one in ws.facts("Sam oversaw")] == [(source,)]
    assert rdf.validate(ws.graph.match()) == []


def test_a_fact_without_a_passage_says_that_it_was_added_by_hand_and_by_whom(ws, monkeypatch):
    ws.add_fact("pump", "feeds", "basin")
    ws.retract("pump feeds basin", by=" ")
    assert [one.by for one in acts(ws)] == [None, None], "who does not say so"
    assert acts(ws)[1].words == f"retracted on {acts(ws)[1].made_at[:10]}"
    monkeypatch.setenv("EXPLORER_USER", "Grace")
    fact = ws.add_fact("pump", "feeds", "about 40 basins")
    assert fact.triple.object == Literal("about 40 basins")
    assert fact.passages == ()
    assert fact.cells[3:] == (f"{acts(ws)[2].words}", "", "curator")
    assert fact.curated.endswith(" by Grace")
    assert ws.node(fact.iri).entity.contains == (fact.triple,)
    run = ws.run("What does the pump feed?")
    [kept] = selected(run, fact)
    assert run.dag.curated[kept.iri] == fact.curated
    assert fact.curated in str(run.edges)
    assert ws.traces.load(run.iri).dag.curated == run.dag.curated


def test_a_retracted_fact_answers_no_more_and_past_runs_show_that(ws):
    old = ws.run(QUESTIONS[0])
    fact = built(ws)
    [kept] = selected(old, fact)
    passages = fact.passages
    assert len(passages) == 2
    before = ws.size.facts
    assert ws.retract(kept, by="Ada") == fact
    assert fact.triple not in {one.triple for one in ws.facts(limit=None)}
    assert ws.size.facts == before - 1
    assert Quad(*fact.triple, FACTS) not in ws.graph
    assert not selected(ws.run(QUESTIONS[0]), fact)
    past = ws.traces.load(old.iri)
    assert past.edges == old.edges
    assert past.answer == old.answer
    assert ws.passages(kept) == list(passages)
    assert past.dag.curated[kept.iri] == fact.curated
    assert fact.curated.startswith("retracted on ")
    assert fact.curated.endswith(" by Ada")
    told = [line for event in past.events if isinstance(event, Explain) for line in lines.step_lines(event)]
    assert f"By hand: {fact.curated}" in [line.strip() for line in told]
    with pytest.raises(RecordError, match=r"“Beech Aircraft — built — relief valve” is not .* retracted on .* by Ada"):
        ws.retract(kept)


def test_a_past_answer_that_quotes_passages_is_not_sure_once_what_it_quotes_was_taken_back(ws):
    old = ws.run("Who built the relief valve?", "document-rag")
    assert old.support.sure
    ws.retract(built(ws), by="Ada")
    past = ws.traces.load(old.iri)
    assert not past.support.sure
    said = f"Retracted by hand on {acts(ws)[0].made_at[:10]} by Ada: “Beech Aircraft built relief valve”."
    assert set(past.dag.curated.values()) == {said}
    assert (old.outcome, past.outcome, past.support.since) == ("answered", "unsure", "corrected")
    [listed] = [one for one in ws.traces.list() if one.iri == old.iri]
    assert (listed.outcome, listed.support.since) == ("unsure", "corrected")
    ws.undo()
    assert ws.traces.load(old.iri).outcome == "answered"


def test_a_sentence_of_which_nothing_changed_stays_as_it_was_beside_one_whose_fact_was_taken_back(tmp_path):
    (tmp_path / "mill.txt").write_text(
        "The mill was built by Ann Berg in 1871. A flood damaged the mill in 1902.", "utf-8"
    )
    with explorer.open(tmp_path / "ws") as mill:
        mill.ingest(tmp_path / "mill.txt", progress=False)
        old = mill.run("Who built the mill, and what damaged the mill?")
        [flood] = [
            one for one in old.edges if one.edge.object.value.endswith("/mill") and "flood" in one.edge.subject.value
        ]
        mill.retract(flood)
        past = mill.traces.load(old.iri)
        assert (old.outcome, past.outcome) == ("answered", "unsure")
        assert [own for text, _, own in told(past.dag) if text] == ["answered", None]


def test_no_file_brings_a_retracted_fact_back_but_a_person_does(ws, tmp_path):
    fact = ws.retract(BUILT)
    sources = fact.passages
    (tmp_path / "again.md").write_text(ws.document("valves.md").text)
    (tmp_path / "debrief.txt").write_text(DEBRIEF)
    ws.ingest(tmp_path, progress=False)
    data = tmp_path / "facts.nt"
    data.write_text(f"{fact.triple} .\n<urn:a> <urn:b> <urn:c> .\n")
    imported = ws.import_record(data)
    assert any("retracted here" in reason for reason in imported.refused)
    ws.reindex(progress=False)
    assert fact.triple not in {one.triple for one in ws.facts(limit=None)}
    assert fact.triple not in curated_keys(ws)
    assert {"pump"} <= {one.name for one in ws.entities("pump")}
    assert len(fact.passages) > len(sources)  # where it stands is on record all the same
    ws.add_fact(*fact.triple, by="Ada")
    assert fact in ws.facts(limit=None)
    assert set(sources) <= set(fact.passages)
    assert selected(ws.run(QUESTIONS[0]), fact)
    assert [one.act for one in acts(ws)] == ["retracted", "added"]
    assert not stored_corrections.retracted(ws.graph)


def curated_keys(ws):
    keys = [row["key"] for row in ws.stores.database.rows("SELECT key FROM vectors WHERE kind = 'edge'")]
    return set(ws.stores.recorded(keys).values())


def test_an_added_fact_can_be_retracted_and_leaves_no_entity_behind(ws):
    fact = ws.add_fact("Sam Rivers", "lives in", "Lisbon")
    assert ws.retract(fact) == fact
    assert [*ws.entities("Lisbon"), *ws.facts("Lisbon")] == []
    assert ws.add_fact("Sam Rivers", "lives in", "Lisbon") == fact
    assert [one.act for one in acts(ws)] == ["added", "retracted", "added"]
    ws.add_fact("Sam Rivers", "lives in", "Lisbon")  # it is there
    assert len(acts(ws)) == 3
    assert [one.name for one in ws.entities("Lisbon")] == ["Lisbon"]


@each(
    ("given", "said"),
    [
        (("", "feeds", "basin"), "has a name or an IRI"),
        (("pump", " \n", "basin"), "has a name or an IRI"),
        (("pump", "feeds", "\ud800"), "has a name or an IRI"),
        ((Literal("pump"), "feeds", "basin"), "has a name or an IRI"),
        (("p" * 1001, "feeds", "basin"), "of at most 1,000 characters"),
        (("pump", NamedNode("http://purl.org/dc/elements/1.1/title"), "basin"), "no fact to add"),
        (("http://<x>", "feeds", "basin"), "is not an IRI"),
    ],
)
def test_what_is_no_fact_is_refused(ws, given, said):
    before = set(ws.graph.match())
    with pytest.raises(RecordError, match=said):
        ws.add_fact(*given)
    assert set(ws.graph.match()) == before


def test_words_that_do_not_stand_there_are_no_passage(ws):
    passage = ws.document("notes.txt").passage("Crew members heard a loud bang.")
    for given, said in ((replace(passage, text="Nobody heard it."), "do not stand"), ("urn:chunk:none", "no passage")):
        with pytest.raises(RecordError, match=said):
            ws.add_fact("crew", "heard", "bang", given)
    with pytest.raises(RecordError, match="does not stand in one passage"):
        ws.document("notes.txt").passage("Nobody heard it.")
    assert ws.add_fact("crew", "heard", "bang", passage.chunk).passages[0].text == ws.text(passage.chunk)


def test_which_fact_is_meant_is_said_by_its_words(ws):
    with pytest.raises(RecordError, match=r"“relief valve” fits \d+ facts: .*; give all the words of one"):
        ws.retract("relief valve")
    with pytest.raises(RecordError, match=r"No fact is called “Lisbon”.*explorer facts"):
        ws.retract("Lisbon")
    with pytest.raises(RecordError, match="is not a fact"):
        ws.retract(7)
    assert ws.retract("TESTED relief valve, Beech Aircraft").words == ("Beech Aircraft", "tested", "relief valve")


@pytest.mark.embedded("copies the folder, and opens its stores")
def test_what_was_cut_off_is_finished_when_the_workspace_is_next_opened(tmp_path):
    here, there = tmp_path / "a", tmp_path / "b"
    with filled(here) as ws:
        ws.add_fact("pump", "feeds", "basin")
    shutil.copytree(here, there)
    fact = Triple(*(NamedNode(entity_iri(name)) for name in ("pump", "feeds", "basin")))
    with explorer.open(here) as ws:
        ws.retract(fact, by="Ada")
        [_, act] = acts(ws)
    stores = open_collection(there / "default")
    with stores.database.writing() as connection:  # as far as `retract` comes before the graph is written
        connection.execute("DELETE FROM vectors WHERE kind = 'edge' AND key = ?", (str(fact),))
        begin(connection, "facts", Act(gone=[Quad(*fact, FACTS)], come=rdf.triples(act)))
    stores.close()
    with explorer.open(here) as one, explorer.open(there) as other:
        assert set(other.graph.match()) == set(one.graph.match())
        assert Quad(*fact, FACTS) not in other.graph
        assert not other.stores.database.rows("SELECT 1 FROM acts")


@pytest.mark.embedded("a server says by the role who may write")
def test_a_workspace_that_is_read_only_is_not_corrected(tmp_path, monkeypatch):
    with filled(tmp_path / "ws") as ws:
        monkeypatch.setattr(ws._holding.stores.database, "read_only", True)
        for correct in (lambda: ws.add_fact("pump", "feeds", "basin"), lambda: ws.retract(BUILT)):
            with pytest.raises(WorkspaceError, match="read-only"):
                correct()
        monkeypatch.undo()


def test_what_people_added_with_words_of_a_former_version_is_told_when_it_goes(tmp_path):
    file = tmp_path / "debrief.txt"
    file.write_text(DEBRIEF)
    with explorer.open() as ws:
        ws.ingest(file, progress=False)
        passage = ws.document("debrief").passage("The pump feeds the basin.")
        ws.add_fact("Pump", "stands in", "Halden", passage, by="Ada")
        ws.add_fact("Basin", "stands in", "Halden", by="Ada")
        file.write_text(DEBRIEF.replace("pump", "large pump"))
        done = ws.ingest(file, progress=False)
        assert (
            "With it 1 fact went that people had added, as the words are not in the new version: "
            "“pump — stands in → Halden”; add it again."
        ) in done.notes
        assert [fact.words for fact in ws.facts("stands")] == [("basin", "stands in", "Halden")]
        assert not any("people had added" in note for note in ws.ingest(file, progress=False).notes)
