"""SPARQL over the record: a table with limits, and nothing leaves the machine."""

import csv
import io
import sys

import pytest
from pyoxigraph import Quad, RdfFormat, parse

from explorer.errors import RecordError, WorkspaceError
from explorer.record.query import QueryTable
from tests.corpus import QUESTIONS, filled
from tests.each import each
from tests.engines.agent.test_sparql import listening

BOMB = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n2 ?o }"


@pytest.fixture(scope="module", params=["folder", "memory"])
def ws(request, tmp_path_factory):
    place = tmp_path_factory.mktemp("query") / "ws" if request.param == "folder" else None
    with filled(place) as found:
        found.run(QUESTIONS[0])
        yield found


def test_facts_sources_and_runs_answer_together(ws):
    found = ws.query("""SELECT DISTINCT ?asked ?title {
        ?question tg:query ?asked .
        ?selection a tg:EdgeSelection ; tg:edge ?fact .
        ?subgraph tg:contains ?fact ; prov:wasDerivedFrom+ ?document .
        ?document a tg:Document ; dc:title ?title }""")
    assert isinstance(found, QueryTable)
    assert {row["asked"] for row in found} == {QUESTIONS[0]}
    assert found.names == ("asked", "title")
    titles = {document.title for document in ws.documents}
    assert {row["title"] for row in found} <= titles
    assert found[0] == dict(zip(found.names, found[0].values(), strict=True))


def test_values_have_the_types_that_they_are_written_with(ws):
    found = ws.query("""SELECT ?whole ?real ?is ?text ?tagged ?iri ?odd ?none {
        VALUES (?whole ?real ?is ?text ?tagged ?iri ?odd ?none) {
        (12 1.5 true "12" "Wort"@de tg:Document "many"^^xsd:integer UNDEF) } }""")
    [row] = found
    assert list(row.values()) == [12, 1.5, True, "12", "Wort", "https://trustgraph.ai/ns/Document", "many", None]
    [row] = ws.query('SELECT (<<( e:tank e:holds "a \\"b\\" \\n c" )>> AS ?fact) (BNODE("x") AS ?blank) {}')
    assert row["fact"].startswith("<<( <http://trustgraph.ai/e/tank>")
    assert row["blank"].startswith("_:")


@pytest.mark.embedded("a SPARQL server refuses such names")
def test_names_that_would_split_a_row_are_read_whole(ws):
    lines = b'<urn:a\\u0009b> <urn:odd> <urn:c\\u000Ad> .\n<urn:e> <urn:odd> "f\\tg\\nh"^^<urn:i\\u000Dj> .\n'
    ws.graph.add(
        Quad(one.subject, one.predicate, one.object) for one in parse(lines, RdfFormat.N_TRIPLES, lenient=True)
    )
    rows = ws.query("SELECT ?s ?none ?o { ?s <urn:odd> ?o } ORDER BY ?s")
    assert [[*row.values()] for row in rows] == [["urn:a\tb", None, "urn:c\nd"], ["urn:e", None, "f\tg\nh"]]
    assert [*ws.query("SELECT * {}")] == [{}]


def test_a_truth_is_a_truth_and_triples_are_three_columns(ws):
    assert ws.query("ASK { ?run a tg:GraphRagQuestion }") is True
    assert ws.query("ASK { ?run a tg:AgentQuestion }") is False
    made = ws.query("CONSTRUCT { ?d rdfs:label ?t } WHERE { ?d a tg:Document ; dc:title ?t }")
    assert made.names == ("subject", "predicate", "object")
    assert {row["object"] for row in made} == {document.title for document in ws.documents}


def test_it_is_shown_as_a_table_cut_where_it_was_asked_to_be(ws):
    found = ws.query("SELECT ?s { ?s ?p ?o }", rows=3)
    assert (len(found), len(found[:2]), type(found[:2])) == (3, 2, QueryTable)
    assert "the first 3" in found.more
    assert "the first 3" in repr(found)
    assert repr(ws.query("SELECT ?s { ?s <urn:no> ?o }")) == "No rows."
    hostile = ws.query("SELECT * { VALUES ?a { '<script>alert(1)</script>' } }")
    assert "<script>" not in hostile._repr_html_()
    assert "&lt;script&gt;" in hostile._repr_html_()


def test_as_csv_no_text_is_a_formula_and_without_pandas_and_closed_it_says_so(ws, monkeypatch):
    text = ws.query("SELECT ?a ?b { VALUES (?a ?b) { ('=1+1' -3) ('x, \"y\"' UNDEF) } }").to_csv()
    assert list(csv.reader(io.StringIO(text))) == [["a", "b"], ["'=1+1", "-3"], ['x, "y"', ""]]
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        ws.query("SELECT ?s { ?s ?p ?o }", rows=1).to_pandas()
    closed = filled(None)
    closed.close()
    with pytest.raises(WorkspaceError, match="closed"):
        closed.query("ASK { ?s ?p ?o }")


@each(
    ("query", "why"),
    [
        ("SELECT ?s {", "can't be read"),
        ("", "can't be read"),
        ("SELECT * { ?s nope:x ?o }", "can't be read"),
        ("INSERT DATA { <urn:a> <urn:b> <urn:c> }", "can't be read"),
        ("SELECT * { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }", "nothing may leave this machine"),
        ("SELECT \ud800 {", "can't be read"),
        (f"SELECT * {{ {'{' * 30_000} ?s ?p ?o {'}' * 30_000} }}", "nested too deeply|can't be read"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_sentence(ws, query, why):
    before = len(list(ws.graph.match()))
    with pytest.raises(RecordError, match=why):
        ws.query(query)
    assert len(list(ws.graph.match())) == before


ONE = "<urn:graph:source>"
IN_ONE = f"SELECT ?s {{ GRAPH {ONE} {{ ?s ?p ?o }} }}"


@pytest.mark.parametrize(
    ("query", "as_if"),
    [
        (f"SELECT ?s FROM {ONE} {{ ?s ?p ?o }}", IN_ONE),
        (f"SELECT ?s\nfrom#x\n{ONE} FROM <urn:graph:none> {{ ?s ?p ?o }}", IN_ONE),
        ("SELECT ?s FROM <urn:graph:none> { ?s ?p ?o }", "SELECT ?s { FILTER(false) }"),
        (f"SELECT ?s FROM NAMED {ONE} {{ ?s ?p ?o }}", "SELECT ?s { FILTER(false) }"),
        (f"SELECT ?s FROM NAMED {ONE} {{ GRAPH ?g {{ ?s ?p ?o }} }}", IN_ONE),
        (
            f"SELECT ?s {{ ?s ?p ?o FILTER(str(?from) != ' FROM \\' {ONE}' || 1 = 1) }} # FROM {ONE}",
            "SELECT ?s { ?s ?p ?o }",
        ),
        ("PREFIX from: <urn:FROM> SELECT ?s { ?s ?p ?o FILTER(?p != from:from) }", "SELECT ?s { ?s ?p ?o }"),
    ],
)
def test_a_from_says_which_graphs_are_asked(ws, query, as_if):
    wanted = sorted(str(row["s"]) for row in ws.query(as_if))
    assert sorted(str(row["s"]) for row in ws.query(query)) == wanted
    assert sorted(_plain(row["s"]) for row in ws.graph.query(query)) == wanted


def _plain(term):
    return getattr(term, "value", str(term))


def test_a_query_without_end_is_stopped(ws):
    with pytest.raises(RecordError, match=r"took longer than 0\.5 s"):
        ws.query(BOMB, seconds=0.5)
    for limits in ({"rows": 0}, {"seconds": 0}, {"seconds": -1}):
        with pytest.raises(RecordError, match="at least one row and some time"):
            ws.query("SELECT ?s { ?s ?p ?o }", **limits)


def test_no_service_is_asked_in_this_process_either(ws):
    with listening() as (address, asked):
        for ask in (ws.graph.query, ws.query):
            with pytest.raises(RecordError, match="nothing may leave this machine"):
                ask(f"SELECT * {{ SERVICE SILENT <{address}> {{ ?s ?p ?o }} }}")
    assert asked == []
