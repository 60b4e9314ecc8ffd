"""Facts made anew: what extractors find now stays, what only those of before have found goes."""

import pytest

import explorer
from explorer import rdf, verify_file
from explorer.errors import RecordError
from explorer.record.sealing import sealable
from explorer.vocab import FACTS, PROV, TG
from tests.corpus import filled
from tests.finding import Finder
from tests.tampering import changed, put

TEXT = "Ada Byron leads the club. Bob Smith plays chess. Carl Jung wrote the rules."


@pytest.fixture
def ws(tmp_path):
    (tmp_path / "club.txt").write_text(TEXT)
    with explorer.open() as opened:
        opened.ingest(tmp_path / "club.txt", extractors=[Finder(("Ada", "Bob"))], progress=False)
        yield opened


def told(ws):
    return sorted(" ".join(one.words) for one in ws.facts(limit=None))


def rows(ws):
    database = ws.stores.database
    found = [database.rows(f"SELECT * FROM {table}") for table in ("spans", "links", "terms", "acts", "extracted")]
    keys = database.rows("SELECT kind, key, document, text FROM vectors ORDER BY 1, 2, 3, 4")
    return [sorted(tuple(row) for row in keys), *(len(one) for one in found)]


def test_what_is_found_now_stays_and_the_rest_goes(ws):
    assert told(ws) == ["Ada Byron leads the club", "Bob Smith plays chess"]
    done = ws.reextract(extractors=[Finder(("Bob", "Carl"))], progress=False)
    assert told(ws) == ["Bob Smith plays chess", "Carl Jung wrote the rules"]
    assert (done.documents, done.new, done.gone) == (1, 1, 1)
    assert repr(done) == "<Reextracted 1 document, 1 new fact, 1 fact gone, 0 refused>"
    assert [one.name for one in ws.entities("byron")] == []
    for fact in ws.facts(limit=None):
        for passage in fact.passages:
            assert ws.text(passage.document)[passage.start : passage.end] == passage.text
    assert rdf.validate(ws.graph.match()) == []
    assert ws.run("Who wrote the rules?").edges
    ws.reextract(extractors=[Finder(("Bob",), swapped=True)], progress=False)
    assert told(ws) == ["chess plays Bob Smith"], "the same words may say something else now"
    assert all(fact.passages for fact in ws.facts(limit=None))
    assert rdf.validate(ws.graph.match()) == []
    with explorer.open() as empty, pytest.raises(RecordError, match="no documents"):
        empty.reextract()


def test_it_is_as_if_it_were_read_so_first(ws, tmp_path):
    ws.reextract(extractors=[Finder(("Bob", "Carl"), version="2")], progress=False)
    with explorer.open() as fresh:
        fresh.ingest(tmp_path / "club.txt", extractors=[Finder(("Bob", "Carl"), version="2")], progress=False)
        assert set(ws.graph.match(graph=FACTS)) - set(fresh.graph.match(graph=FACTS)) == set()
        assert {quad.predicate for quad in ws.graph.match()} == {quad.predicate for quad in fresh.graph.match()}
        assert len(set(ws.graph.match())) == len(set(fresh.graph.match()))
        assert rows(ws)[:3] == rows(fresh)[:3]
    again = ws.reextract(extractors=[Finder(("Bob", "Carl"), version="2")], progress=False)
    assert (again.new, again.gone) == (0, 0)


def test_what_people_decided_stays_as_it_is(ws):
    document = ws.document("club")
    ws.add_fact("Ada Byron", "leads", "the club", document.passage("Ada Byron leads the club."))
    ws.add_fact("Dora Maar", "paints", "portraits")
    ws.retract("Bob Smith plays chess")
    done = ws.reextract("club", extractors=[Finder(("Bob", "Carl"))], progress=False)
    assert told(ws) == ["Ada Byron leads the club", "Carl Jung wrote the rules", "Dora Maar paints portraits"]
    assert (done.new, done.gone) == (1, 0)
    [kept] = ws.facts("leads")
    assert [passage.extracted_by for passage in kept.passages] == ["curator"]
    ws.undo(ws.curations[0])
    assert "Bob Smith plays chess" in told(ws)


def test_past_runs_keep_what_they_used(ws):
    old = ws.run("Who leads the club?")
    before = {edge.iri: ws.passages(edge) for edge in old.edges}
    ws.reextract(extractors=[Finder(("Carl",))], progress=False)
    assert told(ws) == ["Carl Jung wrote the rules"]
    past = ws.traces.load(old.iri)
    assert past.edges == old.edges
    assert {edge.iri: ws.passages(edge) for edge in past.edges} == before
    assert all(before.values())


def test_what_a_run_used_is_noted_as_found_anew_and_sealed_so(ws, tmp_path):
    """The ledger says how it is found since: what is changed by hand after that is found, here and in a bundle."""
    run, document = ws.run("Who leads the club?").iri, ws.documents[0].iri
    ws.reextract(extractors=[Finder(("Ada", "Carl"))], progress=False)
    assert [one.kind for one in ws.ledger] == ["run", "reextracted"]
    found = ws.verify()
    assert found.is_sound
    [what] = [one.what for one in found if one.node == document]
    assert what == f"its facts were found anew on {ws.ledger[1].at[:16].replace('T', ' ')}"
    ws.bundle(run, path=tmp_path / "sound.zip")
    assert verify_file(tmp_path / "sound.zip").is_sound
    for number, quad in enumerate(quads := sealable(ws.stores, run).how[document]):
        for gone, come in (([quad], [changed(quad)]), ([quad], []), ([], [changed(quad)])):
            put(ws, gone, come)
            assert document in [one.node for one in ws.verify().faults], (quad, gone, come)
            if number < 2:
                ws.bundle(run, path=tmp_path / "changed.zip")
                said = [one.what for one in verify_file(tmp_path / "changed.zip").faults]
                assert said == ["by whom and how it was read, or its facts were found, is not what was sealed"]
            put(ws, come, gone)
    assert {PROV.startedAtTime, PROV.wasAssociatedWith, TG.componentVersion, TG.chunkSize} < {
        q.predicate for q in quads
    }
    ws.run("Who leads the club?")
    assert ws.verify().is_sound


def test_a_run_is_sound_while_the_entry_that_facts_were_found_anew_is_waited_for(ws, monkeypatch):
    ws.run("Who leads the club?")
    with monkeypatch.context() as cut:
        cut.setattr(type(ws.traces.ledger), "settle", lambda _: None)
        ws.reextract(extractors=[Finder(("Ada", "Carl"))], progress=False)
    assert ws.verify().is_sound
    ws.traces.ledger.settle()
    assert [one.kind for one in ws.ledger] == ["run", "reextracted"]
    assert ws.verify().is_sound


def test_another_document_and_given_facts_stay(monkeypatch):
    with filled() as ws:
        before = {one.triple for one in ws.facts(limit=None)}
        done = ws.reextract(extractors=(), progress=False)
        left = {one.triple for one in ws.facts(limit=None)}
        assert done.gone == len(before - left) > 5
        assert {passage.extracted_by for fact in ws.facts(limit=None) for passage in fact.passages} == {"curator"}
        ws.reextract(progress=False)
        assert {one.triple for one in ws.facts(limit=None)} == before


def test_what_was_cut_off_changes_nothing_of_a_document_and_goes_on_after_those_that_are_done(ws, tmp_path):
    (tmp_path / "court.txt").write_text("Ada Byron plays tennis. Carl Jung built the court.")
    ws.ingest(tmp_path / "court.txt", extractors=[Finder(("Ada",))], progress=False)
    before, whole = told(ws), rows(ws)[:4]

    class Cut(Finder):
        def edges(self, chunks, title=""):
            if "court" in chunks[0].text:
                raise KeyboardInterrupt
            return super().edges(chunks, title)

    with pytest.raises(KeyboardInterrupt):
        ws.reextract("court", extractors=[Cut(("Carl",))], progress=False)
    assert (told(ws), rows(ws)[:4]) == (before, whole)
    with pytest.raises(KeyboardInterrupt):
        ws.reextract(extractors=[Cut(("Carl",), version="2")], progress=False)
    assert told(ws) == ["Ada Byron plays tennis", "Carl Jung wrote the rules"]
    done = ws.reextract(extractors=[Finder(("Carl",), version="2")], progress=False)
    assert (done.documents, done.new, done.gone) == (2, 1, 1)
    assert told(ws) == ["Carl Jung built the court", "Carl Jung wrote the rules"]
    assert not ws.stores.database.rows("SELECT 1 FROM acts")
