"""A run that is limited to some documents sees these alone, by every engine, and says so on record."""

import pytest

from explorer.errors import QuestionError
from explorer.stores.left_out import LeftOut, named, without
from explorer.vocab import SOURCE, TG
from explorer.wording.graph_words import NodeWords
from tests.corpus import with_corpus

ENGINES = ("graph-rag", "document-rag", "agent")
QUESTION = "Who built the relief valve?"
ws = with_corpus("module")


def rest(ws, *documents, left=()):
    within = [ws.document(one).iri for one in documents]
    return without(ws.stores, named(ws.stores, left) | LeftOut.of((), (), within), ws.embedder.embed)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_finds_nothing_outside_of_the_documents(ws, engine):
    notes = ws.document("notes.txt")
    run = ws.run(QUESTION, engine, documents=["notes.txt"])
    assert "Beech Aircraft" in run.answer
    assert {one.document for one in run.sources()} == {notes.iri}
    other = ws.run(QUESTION, engine, documents=[ws.document("report.pdf")])
    assert "Beech" not in other.answer
    assert notes.iri not in {one.document for one in other.sources()}


def test_it_is_on_record_and_kept_by_a_rerun_and_a_replay(ws):
    notes = ws.document("notes.txt")
    run = ws.run(QUESTION, documents=[notes.iri, "Notes of the shift"])
    assert ws.node(run.iri).entity.within == (notes.iri,)
    assert {one.document for one in ws.traces.load(run.iri).sources()} == {notes.iri}
    again = ws.rerun(run, without=[run.edges[0]])
    assert ws.node(again.iri).entity.within == (notes.iri,)
    assert {one.document for one in again.sources()} <= {notes.iri}
    ws.run(QUESTION)
    told = [dict(one.differs).get("documents") for one in ws.traces.list(QUESTION)]
    assert {"in all documents", "in “Notes of the shift” (1 of 3 documents)"} <= set(told)


def test_an_answer_that_was_not_found_says_where_it_was_looked_for(ws):
    where = "in “Notes of the shift” (1 of 3 documents)"
    run = ws.run("Who painted the ceiling of the Sistine Chapel?", documents=["notes.txt"])
    assert run.answer.startswith(f"I did not find an answer to this {where}.")
    assert ("documents", where) in next(one for one in ws.traces.list() if one.iri == run.iri).differs
    rows = NodeWords(run.dag).rows(run.dag.node(run.iri))
    assert where.removeprefix("in ") in [row["text"] for row in rows if row.get("label") == "Searched in"]


def test_its_stores_hold_the_rows_of_the_documents_alone(ws):
    left = rest(ws, "notes.txt")
    notes = ws.document("notes.txt")
    assert left.held("text") == len(notes.chunks) < ws.stores.held("text")
    facts = {str(fact.triple) for fact in notes.facts}
    vector = ws.embedder.embed(["relief valve"])
    assert {hit.key for hit in left.vectors.search("edge", vector, 100)[0]} == facts
    assert {hit.key for hit in left.vectors.keywords(["valve"], 100)} <= facts
    assert {hit.key for hit in left.vectors.search("chunk", vector, 100)[0]} == set(notes.chunks)
    assert {iri for iri, _ in left.library.search(["valve", "switches"], 100)} <= set(notes.chunks)
    assert left.library.rarity("valve") == ws.stores.library.rarity("valve")
    graph, whole = left.links.graph(), ws.stores.links.graph()
    assert 0 < len(graph.fact) < len(whole.fact)
    held = {quad.object for quad in left.graph.match(None, TG.contains, None, SOURCE)}
    assert {str(fact) for fact in held} == facts
    assert all(
        quad.triple in held for fact in held for quad in left.graph.match(fact.subject, fact.predicate, fact.object)
    )
    shared = next(fact.triple for fact in notes.facts if len(ws.passages(fact.triple)) > 1)
    assert {one.document for one in left.sources.passages(shared)} == {notes.iri}


def test_what_is_left_out_besides_is_gone_too(ws):
    fact = next(fact for fact in ws.document("notes.txt").facts if "983 psi" in fact.words)
    left = rest(ws, "notes.txt", left=[fact.triple])
    assert str(fact.triple) not in {hit.key for hit in left.vectors.keywords(["psi"], 100)}
    assert "983 psi" not in " ".join(
        one.text for chunk in ws.document("notes.txt").chunks for one in left.sources.chunk(chunk)
    )
    nothing = ws.run(QUESTION, documents=["notes.txt"], without=[ws.document("notes.txt")])
    assert nothing.reason == "declined"
    assert not nothing.sources()


def test_a_query_sees_the_documents_alone(ws):
    query = "SELECT (count(*) AS ?n) WHERE { ?d a <https://trustgraph.ai/ns/Document> }"
    assert [row["n"].value for row in rest(ws, "notes.txt").graph.query(query)] == ["1"]


def test_unknown_and_ambiguous_documents_are_refused_before_anything_is_recorded(ws):
    runs = len(ws.traces.list(limit=1000))
    for given, words in ((["nowhere"], "No document"), (["e"], "fits 3 documents"), ("notes.txt", "must be a list")):
        with pytest.raises(QuestionError, match=words):
            ws.ask(QUESTION, documents=given)
    assert len(ws.traces.list(limit=1000)) == runs
