"""What a what-if leaves out is nowhere to be found: neither its facts nor its words, by no engine and no tool."""

import pytest
from pyoxigraph import Literal, NamedNode, Triple

import explorer
from explorer.engines.steps import NOTHING_LEFT
from explorer.errors import QuestionError
from explorer.stores.left_out import LeftOut, named, without
from explorer.vocab import RETRIEVAL, entity_iri

PUMP = """# Pump room

The red pump cools the reactor. The blue valve feeds the red pump. Oskar Lind checked the blue valve."""
DRAIN = "# Drain\n\nThe grey drain empties the basin. Oskar Lind opened the grey drain in March."
ENGINES = ("graph-rag", "document-rag", "agent")


@pytest.fixture
def ws(tmp_path):
    (tmp_path / "pump.md").write_text(PUMP, "utf-8")
    (tmp_path / "drain.md").write_text(DRAIN, "utf-8")
    with explorer.open() as ws:
        ws.ingest(tmp_path, progress=False)
        yield ws


def fact(ws, words):
    facts = {quad.triple for quad in ws.graph.match() if isinstance(quad.subject, NamedNode)}
    found = [one for one in facts if any(words in passage.text for passage in ws.passages(one))]
    assert found, words
    return min(found, key=str)


def rest(ws, *left):
    return without(ws.stores, named(ws.stores, left), ws.embedder.embed)


def chunk_of(ws, words):
    return ws.passages(fact(ws, words))[0].chunk


@pytest.mark.parametrize("engine", ENGINES)
def test_the_sentence_of_a_fact_that_is_left_out_is_not_quoted_by_any_engine(ws, engine):
    question = "What cools the reactor?"
    assert "The red pump cools the reactor" in ws.run(question, engine).answer
    run = ws.run(question, engine, without=[fact(ws, "cools")])
    assert "cools the reactor" not in run.answer
    assert not any("cools the reactor" in passage.text for passage in run.sources())


def test_its_words_are_blank_in_their_chunk_so_that_offsets_stay(ws):
    chunk = chunk_of(ws, "cools")
    [before], [after] = ws.sources.chunk(chunk), rest(ws, fact(ws, "cools")).sources.chunk(chunk)
    assert len(after.text) == len(before.text)
    assert "cools" not in after.text
    assert "The blue valve feeds the red pump." in after.text
    assert after.text.index("The blue valve") == before.text.index("The blue valve")


def test_the_sentence_is_not_found_by_its_words_or_meaning(ws):
    chunk, left = chunk_of(ws, "cools"), rest(ws, fact(ws, "cools"))
    assert chunk in dict(ws.stores.library.search(["reactor"]))
    assert chunk not in dict(left.library.search(["reactor"]))
    assert chunk in dict(left.library.search(["valve"]))
    query = ws.embedder.embed(["the red pump cools the reactor"])
    score = {hit.key: hit.score for hit in ws.stores.vectors.search("chunk", query, 10)[0]}
    lower = {hit.key: hit.score for hit in left.vectors.search("chunk", query, 10)[0]}
    assert lower.keys() == score.keys()
    assert lower[chunk] < score[chunk]
    assert not any("cools" in hit.text for hit in left.vectors.search("edge", query, 10)[0])
    assert not any("cools" in one.text for found in left.sentences.of([chunk]).values() for one in found)
    assert not any("cools" in text for lines in left.sentences.lines([chunk]).values() for _, text in lines)


def test_facts_that_rest_on_other_sentences_stay(ws):
    left = rest(ws, fact(ws, "cools"))
    other = fact(ws, "feeds")
    assert left.sources.passages(other) == ws.sources.passages(other)
    assert left.recorded([str(other)]) == {str(other): other}
    assert left.recorded([str(fact(ws, "cools"))]) == {}


def test_what_was_left_out_is_there_again_in_the_next_run(ws):
    question = "What cools the reactor?"
    before = ws.run(question).answer
    ws.run(question, without=[fact(ws, "cools")])
    assert ws.run(question).answer == before


@pytest.mark.parametrize("engine", ENGINES)
def test_a_document_that_is_left_out_is_no_source(ws, engine):
    document = ws.passages(fact(ws, "opened"))[0].document
    run = ws.run("Who opened the grey drain?", engine, without=[document])
    assert document not in {passage.document for passage in run.sources()}
    assert "Lind opened" not in run.answer


def test_an_entity_goes_with_its_facts_and_with_every_sentence_that_names_it(ws):
    left = rest(ws, entity_iri("Oskar Lind"))
    documents = [document.iri for document in ws.stores.library.documents()]
    chunks = [chunk for document in documents for chunk in ws.stores.library.chunks_of(document)]
    texts = " ".join(one.text for chunk in chunks for one in left.sources.chunk(chunk))
    assert "Oskar Lind" not in texts
    assert "The blue valve feeds the red pump." in texts
    assert left.links.entities([entity_iri("Oskar Lind")]) == {}


def test_a_passage_is_left_out_as_a_chunk_a_selection_or_a_sentence(ws):
    run = ws.run("What cools the reactor?", "document-rag")
    top = run.chunks[0]
    for left in (top, top.document, top.iri, ws.passages(top)[0]):
        assert top.document not in {one.document for one in ws.run(run.question, "document-rag", without=[left]).chunks}
    sentence = ws.passages(fact(ws, "cools"))[0]
    assert "cools" not in rest(ws, sentence).sources.chunk(sentence.chunk)[0].text


def test_sparql_sees_neither_what_is_left_out_nor_other_runs(ws):
    gone = fact(ws, "cools")
    ws.run("What cools the reactor?")
    store = rest(ws, gone).graph.store
    assert not any(gone in {quad.triple, quad.object} for quad in store)
    assert not any("pump cools" in str(quad.object) for quad in store)
    assert not any(quad.graph_name == RETRIEVAL for quad in store)
    assert any(quad.triple == fact(ws, "feeds") for quad in store)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_what_if_that_leaves_nothing_is_declined_and_says_so(ws, engine):
    everything = [document.iri for document in ws.stores.library.documents()]
    run = ws.run("What cools the reactor?", engine, without=everything)
    assert (run.reason, run.answer, run.sources()) == ("declined", NOTHING_LEFT, ())


@pytest.mark.parametrize(("left", "says"), [
    (["urn:chunk:none"], "There is no fact, passage, document or entity urn:chunk:none here"),
    (["no iri"], "'no iri' is not an IRI"),
    ("urn:chunk:none", "must be a list"),
    ([3], "3 is not a fact"),
    ([Triple(NamedNode("urn:a"), NamedNode("urn:b"), Literal("c"))], "There is no fact"),
])  # fmt: skip
def test_what_is_unknown_is_refused_before_anything_is_recorded(ws, left, says):
    with pytest.raises(QuestionError, match=says):
        ws.run("What cools the reactor?", without=left)
    assert ws.traces.list() == []


def test_a_run_records_what_it_left_out_and_is_replayed_as_it_went(ws):
    left = fact(ws, "cools")
    run = ws.run("What feeds the pump?", without=[left, chunk_of(ws, "opened")])
    question = run.dag.entities[run.iri]
    assert (question.without_facts, question.without) == ((left,), (chunk_of(ws, "opened"),))
    assert ws.traces.load(run.iri).events[-1] == run.events[-1]
    assert ws.traces.load(run.iri).quads() == run.quads()
    assert ws.traces.list()[0].without == 2
    assert ws.traces.list()[0].ended == f"{run.reason}, without 2"


def test_what_is_named_twice_is_left_out_once():
    one = Triple(NamedNode("urn:a"), NamedNode("urn:b"), Literal("c"))
    assert LeftOut.of([one, one], ["urn:y", "urn:x", "urn:y"]) == LeftOut((one,), ("urn:x", "urn:y"))
    assert LeftOut((one,)) | LeftOut((), ("urn:x",)) == LeftOut((one,), ("urn:x",))
    assert not LeftOut()
