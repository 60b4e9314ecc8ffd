"""What people corrected is taken back: facts and names are as they were, and both acts stay on record."""

import shutil

import pytest
from pyoxigraph import Quad

import explorer
from explorer import rdf
from explorer.dag.outcome import since
from explorer.errors import RecordError
from explorer.stores import curation_journal, stored_corrections
from explorer.stores.default_graph import facts
from explorer.vocab import ANNOTATION, FACTS, SOURCE
from explorer.wording.answer import answer_author
from explorer.wording.graph_words import NodeWords, label
from explorer.wording.graph_words import said_of as said_of_kind
from explorer.wording.kept import changed_by_hand
from explorer.wording.outcomes import line, signed, word
from tests.corpus import QUESTIONS, filled

BUILT = "Beech Aircraft built relief valve"


@pytest.fixture
def ws(monkeypatch):
    monkeypatch.delenv("EXPLORER_USER", raising=False)
    with filled() as ws:
        yield ws


def rows(ws):
    found = ws.stores.database.rows("SELECT kind, key, document, chunk, text FROM vectors ORDER BY 1, 2, 3, 4, 5")
    return [tuple(row) for row in found]


def without_acts(ws):
    return {quad for quad in ws.graph.match() if quad.graph_name != ANNOTATION}


def test_a_retracted_fact_is_back_as_it_was_and_the_list_says_who_and_when(ws, monkeypatch):
    before, vectors = without_acts(ws), rows(ws)
    ws.retract(BUILT, by="Ada")
    monkeypatch.setenv("EXPLORER_USER", "Grace")
    done = ws.undo()
    assert without_acts(ws) == before
    assert rows(ws) == vectors
    assert (done.act, done.by, done.what) == ("retracted", "Ada", "Beech Aircraft — built — relief valve")
    assert done.undone.endswith(" by Grace")
    assert ws.curations == (done,)
    assert "undone on" in str(ws.curations)
    [fact] = ws.facts(BUILT, limit=1)
    assert fact.curated == ""
    assert not stored_corrections.retracted(ws.graph)
    assert any(edge.edge == fact.triple for edge in ws.run(QUESTIONS[0]).edges)
    assert rdf.validate(ws.graph.match()) == []
    with pytest.raises(RecordError, match="Nothing was corrected by hand"):
        ws.undo()
    with pytest.raises(RecordError, match=r"undone already on .* by Grace"):
        ws.undo(done)
    ws.retract(fact)
    assert len(ws.curations) == 2


@pytest.mark.parametrize("words", ["Crew members heard a loud bang.", None])
def test_an_added_fact_leaves_with_all_that_was_made_of_it(ws, words):
    before, vectors = without_acts(ws), rows(ws)
    passage = ws.document("notes.txt").passage(words) if words else None
    ws.add_fact("Sam Rivers", "sells", "gongs", passage)
    ws.undo()
    assert {quad for quad in without_acts(ws) if quad.graph_name == SOURCE and "subgraph" in str(quad)} == {
        quad for quad in before if quad.graph_name == SOURCE and "subgraph" in str(quad)
    }
    assert rows(ws) == vectors
    assert not ws.facts("gongs")
    again = ws.add_fact("Sam Rivers", "sells", "gongs", passage)
    assert ws.facts("gongs") == (again,)
    ws.undo()
    assert not ws.facts("gongs")


def test_what_a_file_says_as_well_stays_when_adding_it_by_hand_is_undone(ws):
    [fact] = ws.facts(BUILT, limit=1)
    passages, vectors = fact.passages, rows(ws)
    ws.add_fact(*fact.triple, ws.document("notes.txt").passage("Crew members heard a loud bang."))
    assert len(ws.facts(BUILT, limit=1)[0].passages) == len(passages) + 1
    ws.undo()
    assert ws.facts(BUILT, limit=1)[0].passages == passages
    assert rows(ws) == vectors


def test_what_was_done_later_is_undone_first_and_what_has_no_source_any_more_stays_gone(ws):
    ws.retract(BUILT)
    [first] = ws.curations
    fact = ws.add_fact(*next(iter(stored_corrections.retracted(ws.graph))))
    with pytest.raises(RecordError, match=r"was added by hand on .*; undo that first"):
        ws.undo(first)
    ws.undo()
    assert Quad(*fact.triple, FACTS) not in ws.graph
    ws.undo(first.iri)
    assert Quad(*fact.triple, FACTS) in ws.graph
    with pytest.raises(RecordError, match="There is no correction urn:none"):
        ws.undo("urn:none")
    gone = ws.retract("Crew members heard loud bang")
    for document in {passage.document for passage in gone.passages}:
        ws.forget(document)
    with pytest.raises(RecordError, match="is not here any more; add it by hand"):
        ws.undo()
    assert Quad(*gone.triple, FACTS) not in ws.graph


def said_of(ws, run):
    """What a run's line, its answer's node and panel say of how it came out; the list and the node begin so."""
    dag = ws.traces.load(run).dag
    names = NodeWords(dag)
    [listed] = [row for row in ws.traces.list() if row.iri == run]
    in_list = word(listed.outcome, listed.since)
    assert signed(listed.outcome, listed.since) == label(dag, dag.final)[1][1]
    [in_panel] = [row["text"] for row in names.rows(dag.final) if row.get("label") == "Outcome"]
    assert line(dag).startswith(f"{in_list}: ")
    return {line(dag), in_panel.removesuffix("."), said_of_kind(dag.final.kind).why(dag, dag.final).removesuffix(".")}


def test_an_answer_that_says_what_a_person_put_down_says_so_and_when_that_was_undone(demo_folder, tmp_path):
    shutil.copytree(demo_folder, tmp_path / "demo")
    with explorer.open(tmp_path / "demo") as ws:
        question = "Why did oxygen tank no. 2 fail?"
        [kept, *_] = ws.run(question).edges
        wrong = next(
            one for one in ws.facts("oxygen tank no. 2 failed because of", limit=None) if one.triple == kept.edge
        )
        put = ("oxygen tank no. 2", "failed because of", "damaged wires")
        ws.add_fact(*put, wrong.passages[0], by="Ana", instead_of=wrong)
        trace = ws.run(question)
        assert "damaged wires. (added by hand" in trace.answer
        assert answer_author(trace.dag)["text"].startswith("put down by a person, not quoted")
        assert trace.edges[0].reasoning.startswith("Added by hand")
        assert said_of(ws, trace.iri) == {"Answered: a fact that a person put down states it"}, "nothing is quoted"
        kept = trace.dag.node(trace.edges[0].iri)
        assert changed_by_hand(trace.dag, kept) == "added by hand"
        ws.undo(ws.curations)
        after = ws.traces.load(trace.iri)
        assert since(after.dag, after.dag.final) == "corrected"
        [told] = said_of(ws, trace.iri)
        assert told.startswith(
            "Unsure, fact changed since: answered when asked; a fact that it rests on was changed by hand"
        )
        assert changed_by_hand(after.dag, kept) == "added by hand, then taken back"
        assert "that was undone" in after.dag.curated[trace.edges[0].iri]
        assert answer_author(after.dag) == answer_author(trace.dag)


def test_a_fact_that_was_put_in_the_place_of_another_is_one_step_and_so_is_undoing_both(ws, monkeypatch):
    before, vectors = {*facts(ws.graph.match())}, rows(ws)
    written = []
    monkeypatch.setattr(
        curation_journal, "begin", lambda *given, begin=curation_journal.begin: (written.append(1), begin(*given))
    )
    [wrong] = ws.facts(BUILT, limit=1)
    right = ws.add_fact("Beech Aircraft", "sold", "relief valve", wrong.passages[0], by="Ada", instead_of=wrong)
    assert len(written) == 1
    assert [one.act for one in ws.curations] == ["retracted", "added"]
    assert stored_corrections.last_of(ws.graph, wrong.triple).instead == right.triple
    assert {one.triple for one in ws.facts(limit=None)} & {right.triple, wrong.triple} == {right.triple}
    for named in (lambda: None, lambda: ws.curations[0], lambda: ws.curations[1], lambda: ws.curations[:2]):
        done = ws.undo(named(), by="Ada")
        assert len(written) == 2
        assert done.act == "retracted"
        assert all(one.undone for one in ws.curations), "both, whichever is named, and as one act"
        assert {*facts(ws.graph.match())} == before
        assert rows(ws) == vectors
        ws.add_fact("Beech Aircraft", "sold", "relief valve", wrong.passages[0], by="Ada", instead_of=wrong)
        written[:] = written[:1]
    ws.undo()
    with pytest.raises(RecordError, match="words that it has already"):
        ws.add_fact(*wrong.words[:1], wrong.triple.predicate, wrong.triple.object, instead_of=wrong)
    assert {*facts(ws.graph.match())} == before


def test_a_fact_that_was_retracted_for_one_that_was_there_is_undone_by_itself(ws):
    right = ws.add_fact("Beech Aircraft", "sold", "relief valve")
    ws.add_fact("Sam Rivers", "sells", "gongs")
    ws.retract(BUILT, instead=right)
    ws.undo()
    assert [one.undone != "" for one in ws.curations] == [True, False, False]
    assert ws.facts(BUILT, limit=1)
    assert ws.facts("Beech Aircraft sold", limit=1)
