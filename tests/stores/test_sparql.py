import json
import subprocess
import sys
import time

import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Store, Triple

from explorer.stores import sparql as querying
from explorer.stores.sparql import LONGEST, MOST, ROWS, QueryResult, ask, calls_out, table
from explorer.stores.sparql_child import answered
from explorer.vocab import SOURCE
from tests.each import each

A, IS, CHUNK = NamedNode("http://trustgraph.ai/e/a"), NamedNode("http://trustgraph.ai/e/is"), NamedNode("urn:chunk:c")
SERVICE = "http://127.0.0.1:1/"


@pytest.fixture
def store():
    made = Store()
    made.extend([Quad(A, IS, Literal("x", language="en")), Quad(CHUNK, IS, Triple(A, IS, BlankNode("b")), SOURCE)])
    return made


LINE = '<http://trustgraph.ai/e/a> <http://trustgraph.ai/e/is> "x"@en .'


@pytest.mark.parametrize(("query", "result"), [
    ("SELECT ?s ?o ?none { ?s ?p ?o }",
     QueryResult("rows", ('{"s": "http://trustgraph.ai/e/a", "o": "x"}',), (A.value,))),
    ("ASK { ?s ?p ?o }", QueryResult("truth", ("yes",))),
    ("ASK { ?s <urn:no> ?o }", QueryResult("truth", ("no",))),
    ("CONSTRUCT WHERE { ?s ?p ?o }", QueryResult("triples", (LINE,), (A.value, IS.value))),
    ("DESCRIBE <http://trustgraph.ai/e/a>", QueryResult("triples", (LINE,), (A.value, IS.value))),
])  # fmt: skip
def test_rows_are_lines_of_json_a_truth_is_yes_or_no_and_triples_are_lines_of_n_triples(store, query, result):
    assert ask(store, query) == result


def test_named_graphs_are_reached_by_name_only(store):
    triple = "<<( <http://trustgraph.ai/e/a> <http://trustgraph.ai/e/is> _:b )>>"
    for query in ("SELECT ?o { GRAPH ?g { ?s ?p ?o } }", f"SELECT ?o FROM <{SOURCE.value}> {{ ?s ?p ?o }}"):
        answer = ask(store, query)
        assert [json.loads(line) for line in answer.lines] == [{"o": triple}]
        assert answer.iris == (A.value, IS.value)


def test_no_more_is_given_than_can_be_read(store):
    store.extend(Quad(A, IS, Literal(str(number))) for number in range(1_000))
    many = ask(store, "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }")
    assert (len(many.lines), many.cut) == (ROWS, True)
    store.extend(Quad(A, NamedNode("urn:long"), Literal(f"{number}{'x' * 3_000}")) for number in range(100))
    long = ask(store, "SELECT * { ?s <urn:long> ?o }")
    assert long.cut
    assert sum(map(len, long.lines)) <= MOST
    assert len(json.loads(long.lines[0])["o"]) < LONGEST + 50
    exactly = ask(store, f"SELECT ?p {{ ?s ?p ?o }} LIMIT {ROWS}")
    assert (len(exactly.lines), exactly.cut) == (ROWS, False)


@each("query", [
    "SELECT * { SERVICE <U> { ?s ?p ?o } }",
    "SELECT * { service silent <U> { ?s ?p ?o } }",
    "SELECT * {SERVICE<U>{}}",
    "SELECT * {sErViCeSiLeNt<U>{}}",
    "PREFIX x:<U> SELECT * {SERVICEx:a{}}",
    "PREFIX x:<U> SELECT * {SERVICE SILENTx:a#c\n{}}",
    "PREFIX x:<U> SELECT * {SERVICE x:a\\#b {}}",
    "PREFIX :<U> SELECT * {SERVICE:{}}",
    "BASE <U> SELECT * { SERVICE <> {} }",
    "SELECT * { VALUES ?x { <U> } SERVICE ?x {} }",
    "SELECT * { VALUES ?x { <U> } SERVICE$x{} }",
    "SELECT * {SERVICE#}\r<U>#'\"{\n\t{}}",
    "SELECT * { ?s ?p ?o FILTER(?s<?o)SERVICE<U>{} }",
    "SELECT * { ?s ?p ?o FILTER(?s<<U#'>)SERVICE<U>{} FILTER('1'='1') }",
    "SELECT * { ?s ?p ?o FILTER(?s<?o)SERVICE?o#>\n{} }",
    "SELECT (EXISTS { SERVICE <U> {} } AS ?x) {}",
    "SELECT * { { SELECT * { OPTIONAL { SERVICE <U> {} } } } }",
    "SELECT * { ?s ?p ?o LATERAL { SERVICE <U> {} } }",
    "SELECT * { ?s ?p '''a\n''' . SERVICE <U> {} }",
    "SELECT * { \\u0053ERVICE <U> \\U0000007B} }",
    "CONSTRUCT { ?s ?p ?o } WHERE { SERVICE <U> { ?s ?p ?o } }",
    "ASK { SERVICE <U> {} }",
])  # fmt: skip
def test_a_query_that_would_call_another_machine_is_found(store, query):
    assert calls_out(query.replace("U>", f"{SERVICE}>"))
    assert "SERVICE is refused" in ask(store, query).error


@each("query", [
    "SELECT * { <http://trustgraph.ai/e/service-module> ?p ?o }",
    "SELECT * { ?service ?p ?o . ?o ?p ?service }",
    "SELECT * { ?s rdfs:label 'the service module: a part' . ?s ?p { }",
    "PREFIX service: <urn:service:> SELECT * { ?s service:of ?o OPTIONAL { ?o service:by ?s } }",
    "SELECT * { ?s ?p ?o } # service",
    "SELECT * FROM <http://127.0.0.1:1/> { ?s ?p ?o }",
    "SELECT * { GRAPH <urn:service> { ?s ?p ?o } }",
])  # fmt: skip
def test_the_word_service_may_stand_in_a_query(query):
    assert not calls_out(query)


@each("piece", ["service ", "service#\n", "service<", "SERVICE x", "service#", "\\u0053", "service:\\a"])
def test_a_query_of_any_kind_is_looked_through_at_once(piece):
    query = piece * (20_000 // len(piece))
    started = time.thread_time()
    calls_out(query)
    assert time.thread_time() - started < 0.5


def test_a_graph_that_is_not_there_is_an_error(tmp_path):
    answer = answered(tmp_path / "none", "ASK {}", 30)
    assert answer.error.startswith("the graph can't be read: ")


def test_the_process_loads_next_to_nothing_of_the_package():
    code = (
        f"import sys, explorer.child_process, {querying.__name__}; print(*(n for n in sys.modules if 'explorer' in n))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {*done.stdout.split()} == {
        "explorer", "explorer.child_process", "explorer.errors", "explorer.stores", "explorer.version",
        querying.__name__,
    }  # fmt: skip


@each(("rows", "most", "kept"), [(3, 1_000, 3), (4, 1_000, 4), (9, 8, 2), (9, 7, 1)])
def test_of_a_table_whole_rows_are_kept_up_to_a_number_and_a_size(rows, most, kept):
    made = Store()
    made.extend(Quad(A, IS, Literal(f"x{number}")) for number in range(4))
    found = table(made, "SELECT ?o { ?s ?p ?o } ORDER BY ?o", {}, rows, most)
    assert found.lines == ('"x0"', '"x1"', '"x2"', '"x3"')[:kept]
    assert (found.names, found.cut) == (("o",), kept < 4)
