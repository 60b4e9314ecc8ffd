"""What an export holds: of RDF 1.1 and RDF-star, in TrustGraph's form, and closed, as an empty workspace shows it."""

import base64
import hashlib
from contextlib import contextmanager

import pytest
import rdflib
from pyoxigraph import Dataset, Literal, Quad, RdfFormat, parse

import explorer
from explorer import entities as e
from explorer import rdf
from explorer.errors import RecordError
from explorer.record import exporting
from explorer.trustgraph.encoding import plain
from explorer.view.source.page import opened
from explorer.vocab import BASE64, CONTENTS, PROV, RETRIEVAL, TG, X, iri
from tests.corpus import QUESTIONS, filled, shared
from tests.each import each

SUFFIXES = {"turtle": "ttl", "rdfxml": "rdf", "json-ld": "jsonld", "prov-json": "json", "prov-n": "provn"}
RDFLIB = {"nq": "nquads", "trig": "trig", "turtle": "turtle", "nt": "nt", "rdfxml": "xml", "json-ld": "json-ld"}
STARRED = ("nq", "trig", "turtle", "nt")
RUNS = {
    "graph-rag": (QUESTIONS[1], {}),
    "document-rag": (QUESTIONS[0], {"engine": "document-rag"}),
    "react": (QUESTIONS[1], {"engine": "agent", "pattern": "react"}),
    "plan": (QUESTIONS[1], {"engine": "agent", "pattern": "plan-then-execute"}),
    "declined": (QUESTIONS[3], {}),
}


@pytest.fixture(scope="module")
def runs():
    return {name: shared().run(question, **how) for name, (question, how) in RUNS.items()}


@contextmanager
def elsewhere(folder, data, form="nq"):
    """An empty workspace into which bytes were imported, and what it says of that."""
    path = folder / f"run.{SUFFIXES.get(form, form)}"
    path.write_bytes(data)
    with explorer.open() as other:
        yield other, other.import_record(path, progress=False)


def shows_the_same(there, here):
    assert there.answer == here.answer
    assert set(there.quads()) == set(here.quads())
    assert there.citations == here.citations
    assert list(there.edges) == list(here.edges)
    assert list(there.chunks) == list(here.chunks)
    assert dict(there.labels) == dict(here.labels)
    assert there.explored == here.explored
    places = [[(p.document, p.title, p.page, p.start, p.end, p.text, p.before) for p in of.sources()]
              for of in (there, here)]  # fmt: skip
    assert places[0] == places[1]
    assert there.reason == here.reason


@each(("form", "version"), [*((form, "1.1") for form in RDFLIB), *((form, "star") for form in STARRED)])
def test_without_triple_terms_others_read_it_and_an_import_puts_them_back(runs, tmp_path, form, version):
    run = runs["plan"]
    data = shared().export(run, form, rdf=version)
    if version == "star":
        assert not any(mark in data for mark in (b"<<(", b")>>"))
    else:
        assert len(rdflib.Dataset().parse(data=data, format=RDFLIB[form])) > len(run.quads()) // 2
    with elsewhere(tmp_path, data, form) as (ws, done):
        assert done.refused == ()
        assert set(ws.traces.load(run.iri).quads()) == set(run.quads())


def test_marks_within_texts_are_no_triple_terms():
    asked = e.GraphRagQuestion(iri="urn:trustgraph:question:1", query='say "<<( a )>>" \\ <<(')
    back = rdf.load(rdf.dump(rdf.triples(asked), "nq", "star"), "nq").quads
    assert asked.query in [quad.object.value for quad in back]


@each(
    ("options", "said"),
    [
        ({"rdf": "1.3"}, r"no version '1\.3' here; choose one of 1\.2, 1\.1, star"),
        ({"compat": "other"}, "compat must be None or 'trustgraph', not 'other'"),
        ({"compat": "trustgraph", "closed": True}, "give either compat or closed, not both"),
        *(({"format": form, "rdf": "star"}, f"RDF-star is written as nq, trig, turtle, nt only, not as {form}")
          for form in ("json-ld", "rdfxml", "prov-json", "prov-n")),
    ],
)  # fmt: skip
def test_what_is_not_known_or_does_not_go_together_is_refused(runs, options, said):
    with pytest.raises(RecordError, match=said):
        shared().export(runs["graph-rag"], **{"format": "nq"} | options)


@each("name", RUNS)
def test_oxigraph_reads_rdf_1_2_and_the_default_is_as_before(runs, name):
    data = shared().export(runs[name], "nq")
    assert data == shared().export(runs[name], "nq", compat=None, rdf="1.2", closed=False)
    assert set(parse(data, RdfFormat.N_QUADS)) == set(runs[name].quads())


@each(
    ("name", "form", "version"),
    [
        *((name, "nq", "1.2") for name in RUNS),
        *(("react", form, "1.2") for form in rdf.WRITTEN),
        *(("graph-rag", "trig", version) for version in ("1.1", "star")),
    ],
)
def test_a_closed_export_shows_the_same_run_in_an_empty_workspace(runs, tmp_path, name, form, version):
    run = shared().traces.load(runs[name].iri)
    with elsewhere(tmp_path, shared().export(run, form, closed=True, rdf=version), form) as (ws, done):
        assert (done.refused, done.traces) == ((), (run.iri,))
        shows_the_same(ws.traces.load(run.iri), run)
        assert ws.verify().is_sound
        assert (ws.size.documents, ws.size.pages, ws.size.facts) == (0, 0, 0)


def test_pages_are_highlighted_as_where_the_run_was_made(runs, tmp_path):
    run = runs["graph-rag"]
    with elsewhere(tmp_path, shared().export(run, "nq", closed=True)) as (ws, _):
        for passage in run.sources():
            here, there = opened(shared().stores, passage), opened(ws.stores, passage)
            assert there[0]["runs"] == here[0]["runs"]
            assert there[0]["sub"] == here[0]["sub"]
            assert there[0].get("page") == here[0].get("page") or there[0]["page"]["boxes"] == here[0]["page"]["boxes"]
            assert len(there[1]) == len(here[1])


def contents(ws, run):
    return [quad for quad in parse(ws.export(run, "nq", closed=True), RdfFormat.N_QUADS) if quad.graph_name == CONTENTS]


def test_each_content_stands_in_the_graph_of_contents(runs):
    run = runs["graph-rag"]
    told = {quad.subject.value: quad.object for quad in contents(shared(), run) if quad.predicate == X.text}
    assert told[run.dag.final.entity.document].value == run.answer
    for passage in run.sources():
        assert passage.text in told[passage.chunk].value
        assert passage.part is None or passage.text in told[passage.part].value
    files = [quad for quad in contents(shared(), run) if quad.object == BASE64 or _is_bytes(quad)]
    assert {hashlib.sha256(base64.b64decode(quad.object.value)).hexdigest()[:32] for quad in files} == {
        quad.subject.value.rpartition("/")[2] for quad in files
    }


def _is_bytes(quad):
    return isinstance(quad.object, Literal) and quad.object.datatype == BASE64


def test_what_is_removed_too_large_or_not_there_is_told_and_not_made_up(tmp_path):
    with filled(tmp_path / "ws") as ws:
        run = ws.run(QUESTIONS[1])
        sources = list(dict.fromkeys(passage.document for passage in run.sources()))
        ws.forget(sources[0])
        with ws.stores.database.writing() as connection:
            connection.execute("DELETE FROM contents WHERE iri = ?", (run.dag.final.entity.document,))
        run = ws.traces.load(run.iri)
        missing = {q.subject.value: q.object.value for q in contents(ws, run) if q.predicate == X.missing}
        assert missing[run.dag.final.entity.document] == "not in the library"
        assert missing[sources[0]].startswith("removed on ")
        small = exporting.enclosed(ws.stores, run, largest=10)
        assert all("too large" in why or "removed" in why or "not in" in why for why in small.missing.values())
        assert all(len(one.data) <= 10 for one in small.contents)


def exchanged(run, value, is_it):
    """A closed export with another text in place of the first that is meant, and whose that is."""
    quads = list(parse(shared().export(run, "nq", closed=True), RdfFormat.N_QUADS))
    old = next(quad for quad in quads if quad.predicate == X.text and is_it(quad))
    new = Quad(old.subject, old.predicate, value, CONTENTS)
    return rdf.dump([new if quad == old else quad for quad in quads], "nq"), old.subject.value


def test_a_text_or_a_document_that_was_changed_on_the_way_is_left_out_and_told(runs, tmp_path):
    run = runs["graph-rag"]
    answer = run.dag.final.entity.document
    data, _ = exchanged(run, Literal(f"No. {run.answer}"), lambda quad: quad.subject.value == answer)
    with elsewhere(tmp_path, data) as (ws, done):
        assert done.refused == (f"{answer}: its content was changed since it was recorded, and was left out.",)
        assert ws.traces.load(run.iri).answer == ""
    data, document = exchanged(run, Literal("AAAA", datatype=BASE64), _is_bytes)
    with elsewhere(tmp_path, data) as (ws, done):
        assert [line.partition(": ")[0] for line in done.refused] == [document]
        with pytest.raises(RecordError):
            ws.data(document)


def test_what_is_here_already_stays_as_it_is(runs, tmp_path):
    run = runs["graph-rag"]
    (tmp_path / "run.nq").write_bytes(shared().export(run, "nq", closed=True))
    with filled(tmp_path / "ws") as ws:
        before = {quad for quad in ws.graph.match() if quad.graph_name != RETRIEVAL}
        size = ws.size
        assert ws.import_record(tmp_path / "run.nq", progress=False).refused == ()
        assert {quad for quad in ws.graph.match() if quad.graph_name != RETRIEVAL} == before
        assert (ws.size.documents, ws.size.pages, ws.size.facts) == (size.documents, size.pages, size.facts)
        shows_the_same(ws.traces.load(run.iri), run)


def test_a_file_with_contents_is_the_same_each_time(runs):
    run = runs["react"]
    assert shared().export(run, "nq", closed=True) == shared().export(shared().traces.load(run.iri), "nq", closed=True)


# TrustGraph


@each("name", RUNS)
def test_the_form_for_trustgraph_has_none_of_our_terms_and_no_link_of_ours(runs, name):
    quads = list(parse(shared().export(runs[name], "nq", compat="trustgraph"), RdfFormat.N_QUADS))
    assert not [quad for quad in quads if X.base in str(quad)]
    assert not [quad for quad in quads if quad.object == PROV.Activity or quad.predicate == PROV.wasAssociatedWith]
    selections = {quad.object for quad in quads if quad.predicate in (TG.selectedEdge, TG.selectedChunk)}
    derived = [quad for quad in quads if quad.predicate == PROV.wasDerivedFrom]
    assert not [quad for quad in derived if quad.subject in selections or quad.object in selections]
    observed = {quad.subject for quad in quads if quad.object == TG.Observation}
    assert not [quad for quad in quads if quad.subject in observed and quad.object == TG.Reflection]


@each("name", ["document-rag", "react", "plan"])
def test_trustgraph_finds_each_answer_and_step_below_what_it_was_made_of(runs, name):
    """The answer from passages also below what was looked at, the first step of an agent also below its question."""
    run = runs[name]
    quads = parse(shared().export(run, "nq", compat="trustgraph"), RdfFormat.N_QUADS)
    found = {(q.subject.value, q.object.value) for q in quads if q.predicate == PROV.wasDerivedFrom}
    session, first = run.iri.rpartition(":")[2], f"{run.iri}/{'i1' if name == 'react' else 'plan'}"
    answer, focus, looked_at = (iri(f"docrag-{kind}", session) for kind in ("synthesis", "focus", "exploration"))
    passages = {(answer, focus), (answer, looked_at), (focus, looked_at)}
    assert (passages if name == "document-rag" else {(first, run.iri), (first, f"{run.iri}/pattern-decision")}) <= found


def test_what_trustgraph_wrote_itself_keeps_its_form(conformance):
    for path in sorted((conformance / "golden" / "builders").glob("*.nq")):
        given = rdf.load(path.read_bytes(), "nq").quads
        assert Dataset(plain(given)) == Dataset(given), path.name
