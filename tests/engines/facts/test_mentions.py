"""Names as nodes of the walk, and passages that are kept where no fact stands for them."""

import unicodedata

import pytest
from pyoxigraph import NamedNode

import explorer
from explorer import entities as e
from explorer import rdf
from explorer.events import Explain
from explorer.record.trace import Trace
from explorer.trustgraph.encoding import plain
from explorer.vocab import TG, entity_iri
from tests.each import each

FILES = {
    "film.txt": "Palo Verde (1999 film)? A slow picture by Gia Halden, with Ada Moreno.",
    "director.txt": "Gia Halden, daughter of the painter Rolf Halden.",
    "town.txt": "The port of Zürich lies by the lake. The lake feeds the river.",
    "motor.txt": "Globe Industries made the fan motors. The motors drive the fans.",
}
QUESTION = "Who is the father of the director of Palo Verde?"


@pytest.fixture(scope="module")
def ws(tmp_path_factory):
    folder = tmp_path_factory.mktemp("names")
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
    with explorer.open(folder / "ws") as opened:
        opened.ingest(*(folder / name for name in FILES), progress=False)
        yield opened


def documents(trace):
    return [passage.source.rsplit("/", 1)[-1] for passage in trace.sources()]


def test_a_passage_that_only_shares_a_name_with_a_named_one_is_found_without_any_fact(ws):
    trace = ws.run(QUESTION)
    assert documents(trace)[:2] == ["film.txt", "director.txt"]


def test_what_is_kept_is_facts_and_passages_that_none_of_them_stands_for(ws):
    trace = ws.run(QUESTION)
    assert trace.chunks
    told = {passage.chunk for edge in trace.edges for passage in trace.passages[edge.iri]}
    assert not told & {chunk.document for chunk in trace.chunks}
    numbers = sorted(int(one.iri.rsplit(":", 1)[1]) for one in (*trace.edges, *trace.chunks))
    assert numbers == list(range(len(numbers)))
    [focus] = [step for step in trace.steps if isinstance(step, e.Focus)]
    assert focus.selected == tuple(one.iri for one in (*trace.edges, *trace.chunks))
    assert all(0 < chunk.score <= 1 for chunk in trace.chunks)


@each("question", [QUESTION, "Who made the fan motors?", "What does the lake feed?"])
def test_what_is_quoted_stands_in_what_it_cites(ws, question):
    trace = ws.run(question)
    assert trace.citations
    for one in trace.citations:
        told = [passage for key in one.cites for passage in trace.passages[key]]
        text = ws.stores.sources.chunk_text(told[0].chunk)[one.source_start : one.source_end]
        assert any(passage.text in text or text in passage.text for passage in told)


def test_a_passage_kept_is_replayed_as_it_was_and_valid(ws):
    events = list(ws.ask(QUESTION))
    trace = Trace(events)
    again = ws.traces.load(trace.iri)
    assert [event for event in again.events if isinstance(event, Explain)] == [
        event for event in events if isinstance(event, Explain)
    ]
    assert (again.chunks, again.sources()) == (trace.chunks, trace.sources())
    quads = [quad for event in events if isinstance(event, Explain) for quad in event.triples]
    assert rdf.validate(quads) == []


def test_trustgraph_is_told_of_the_facts_alone(ws):
    events = list(ws.ask(QUESTION))
    quads = [quad for event in events if isinstance(event, Explain) for quad in event.triples]
    told = " ".join(map(str, plain(quads)))
    assert TG.selectedChunk.value not in told
    assert ":prov:chunk:" not in told
    assert ":prov:chunk:" in " ".join(map(str, quads))


def test_a_name_is_no_fact_and_no_seed(ws):
    iri = entity_iri("Gia Halden")
    assert not list(ws.graph.match(NamedNode(iri)))
    [exploration] = [step for step in ws.run("Who is Gia Halden?").steps if isinstance(step, e.Exploration)]
    assert iri not in exploration.entities


@each("form", ["NFC", "NFD"])
def test_a_name_is_found_however_its_accents_are_written(ws, form):
    trace = ws.run(unicodedata.normalize(form, "Where is the port of Zürich?"))
    assert documents(trace)[0] == "town.txt"
    assert entity_iri(unicodedata.normalize(form, "Zürich")) == entity_iri("Zürich")


def test_reindex_builds_the_index_of_a_workspace_of_before(ws):
    before = ws.stores.database.rows("SELECT chunk, iri FROM mentions JOIN terms ON term = number ORDER BY 1, 2")
    with ws.stores.database.writing() as connection:
        connection.execute("DELETE FROM mentions")
    ws.reindex()
    again = ws.stores.database.rows("SELECT chunk, iri FROM mentions JOIN terms ON term = number ORDER BY 1, 2")
    assert list(map(tuple, again)) == list(map(tuple, before))
