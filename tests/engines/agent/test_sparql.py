import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer.engines.agent.functions import as_tools
from explorer.engines.agent.searches import sparql_tool
from explorer.engines.agent.tools import Call, Toolbox
from explorer.servers.endpoint.store import EndpointStore
from explorer.stores.database import AwayError
from explorer.stores.graph import OxigraphStore
from explorer.stores.sparql_client import Address
from explorer.vocab import RDFS, SOURCE, TG, entity_iri, iri
from tests.each import each
from tests.stores.contract.graph_servers import oxigraph

TANK, HOLDS = NamedNode(entity_iri("tank")), NamedNode(entity_iri("holds"))
CHUNK, SUBGRAPH = NamedNode(iri("chunk", "c1")), NamedNode(iri("subgraph", "s1"))
QUADS = [
    Quad(TANK, RDFS.label, Literal("Tank")),
    Quad(TANK, HOLDS, Literal("oxygen", language="en")),
    Quad(SUBGRAPH, TG.contains, Triple(TANK, HOLDS, Literal("oxygen", language="en")), SOURCE),
    Quad(SUBGRAPH, NamedNode("http://www.w3.org/ns/prov#wasDerivedFrom"), CHUNK, SOURCE),
]
BOMB = "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l } ORDER BY ?c ?f ?i ?l"


@pytest.fixture(params=["memory", "disk"])
def graph(request, tmp_path):
    made = OxigraphStore(None if request.param == "memory" else tmp_path / "g").open()
    made.add(QUADS)
    yield made
    made.close()


@pytest.fixture
def memory():
    made = OxigraphStore(None).open()
    made.add(QUADS)
    return made


def asked(graph, query, timeout=10.0, **more):
    generator = sparql_tool(graph).run(Call({"query": query, **more}, "urn:trustgraph:agent:s/i1", timeout))
    with pytest.raises(StopIteration) as stopped:
        next(generator)
    return stopped.value.value


@contextmanager
def listening():
    """A server on loopback, and the paths it was asked for."""
    paths = []

    class Listener(BaseHTTPRequestHandler):
        def do_GET(self):
            paths.append(self.path)
            self.send_error(404)

        do_POST = do_GET  # noqa: N815

        def log_message(self, *args):
            pass

    server = HTTPServer(("127.0.0.1", 0), Listener)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/sparql", paths
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_the_facts_answer(graph):
    result = asked(graph, "SELECT ?s ?o {\n  ?s <http://trustgraph.ai/e/holds> ?o\n}")
    assert result.text == json.dumps({"s": TANK.value, "o": "oxygen"})
    assert result.transformation == "SELECT ?s ?o { ?s <http://trustgraph.ai/e/holds> ?o }"
    assert (result.error, result.consulted, result.basic) == (None, (), False)
    assert asked(graph, "ASK { ?s ?p ?o }").text == "yes"
    assert asked(graph, "ASK { ?s <urn:no> ?o }").text == "no"
    assert asked(graph, "SELECT * { ?s <urn:no> ?o }").text == "(no rows)"
    assert asked(graph, "CONSTRUCT WHERE { ?s <urn:no> ?o }").text == "(no triples)"


def test_named_graphs_are_reached_by_name_only(graph):
    assert asked(graph, f"SELECT * {{ ?s <{TG.contains.value}> ?o }}").text == "(no rows)"
    result = asked(graph, f"SELECT ?s ?o FROM <{SOURCE.value}> {{ ?s ?p ?o }} ORDER BY ?p")
    assert len(result.text.splitlines()) == 2
    assert sorted(result.consulted) == sorted([SUBGRAPH.value, CHUNK.value])


def test_more_rows_than_can_be_read_are_left_out(memory):
    memory.add(Quad(TANK, HOLDS, Literal(str(number))) for number in range(500))
    result = asked(memory, "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }")
    lines = result.text.splitlines()
    assert len(lines) == 201
    assert lines[-1] == "… [only the first 200 rows; add a LIMIT or narrow the query]"


def test_nothing_leaves_the_machine(graph):
    with listening() as (address, paths):
        for query in (
            f"SELECT * {{ SERVICE <{address}> {{ ?s ?p ?o }} }}",
            f"SELECT * {{ ?s ?p ?o FILTER(?s<<{address}#'>)SERVICE SILENT<{address}>{{}} FILTER('1'='1') }}",
            f"PREFIX x: <{address}> ASK {{ SERVICEx:a#\n{{ ?s ?p ?o }} }}",
        ):
            assert "SERVICE is refused" in asked(graph, query).error
        assert asked(graph, f"SELECT * FROM <{address}> {{ ?s ?p ?o }}").text == "(no rows)"
        assert asked(graph, f"SELECT * {{ GRAPH <{address}> {{ ?s ?p ?o }} }}").text == "(no rows)"
        assert "only queries that read" in asked(graph, f"LOAD <{address}>").error
        assert paths == []


@each("query", ["SELECT", "SELECT \ud800", "DELETES {}"])
def test_what_can_not_be_read_is_refused(graph, query):
    result = asked(graph, query)
    assert result.error.startswith("the SPARQL query can't be read: ")
    assert result.text == f"Error: {result.error}"


@each(
    "query", ["DROP ALL", "DELETE WHERE { ?s ?p ?o }", "#\nPREFIX x: <urn:x#> BASE <urn:b> insert data { x:a x:b x:c }"]
)
def test_what_writes_is_refused_before_it_is_asked(graph, query):
    assert asked(graph, query).error.startswith("only queries that read are answered")


@each(
    ("arguments", "said"),
    [
        ({}, "argument 'query' is missing"),
        ({"query": "  "}, "argument 'query' is missing"),
        ({"query": ["ASK {}"]}, "argument 'query' is missing"),
        ({"query": "ASK {}", "limit": 3}, "there is no argument 'limit'"),
        ({"query": "#" * 20_001}, "has 20,001 characters"),
    ],
)
def test_wrong_arguments_are_told(memory, arguments, said):
    [tool] = as_tools([sparql_tool(memory)])
    with pytest.raises(StopIteration) as stopped:
        next(tool.run(Call(arguments, "urn:n", 5)))
    assert said in stopped.value.value.error


def test_a_query_that_takes_too_long_is_stopped(graph):
    graph.add(Quad(TANK, HOLDS, Literal(str(number))) for number in range(2_000))
    started = time.perf_counter()
    result = asked(graph, BOMB, timeout=0.4)
    assert time.perf_counter() - started < 10
    assert result.error == "the SPARQL query took longer than 0.4 s and was stopped; narrow it or add a LIMIT"
    assert result.leaked is None


@each(
    "query",
    ["SELECT * " + "{" * 9_000 + "}" * 9_000, "SELECT * { ?s ?p ?o FILTER(" + "(" * 9_900 + "1" + ")" * 9_900 + ") }"],
)
def test_a_query_that_brings_its_process_down_is_an_error(memory, query):
    assert "nested too deeply" in asked(memory, query).error


def test_a_closed_graph_is_an_error(graph):
    graph.close()
    assert "closed" in asked(graph, "ASK {}").error


@pytest.mark.servers
@pytest.mark.parametrize(
    "query", ["ASK { ?s ?p ?o }", "SELECT * { ?s ?p ?o FILTER (!isBlank(?o)) }"], ids=["sent", "here"]
)
def test_a_server_that_stops_between_two_queries_ends_the_run(query):
    with oxigraph() as addresses:
        graph = EndpointStore(Address.of(*addresses), "tools").open()
        graph.add(QUADS)
        assert asked(graph, query).error is None
    box = Toolbox([sparql_tool(graph)])
    with pytest.raises(AwayError, match="can't be reached"):
        next(box.call("sparql-query", Call({"query": query}, "urn:trustgraph:agent:s/i1", 10.0)))
    graph.close()
