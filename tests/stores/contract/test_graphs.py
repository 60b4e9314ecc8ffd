"""What every graph store does: in memory, in a folder, and on servers of both kinds, with union and without."""

import time
from subprocess import TimeoutExpired
from uuid import uuid4

import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple

from explorer.errors import RecordError
from explorer.servers.endpoint.store import EndpointStore
from explorer.stores.graph import OxigraphStore
from explorer.stores.sparql_client import Address
from explorer.vocab import ANNOTATION, FACTS, RETRIEVAL, SOURCE, TG
from tests.stores.contract.graph_servers import oxigraph, rdflib_endpoint

pytestmark = pytest.mark.contract

A, B, IS = (NamedNode(f"http://trustgraph.ai/e/{name}") for name in ("a", "b", "is"))
XSD = "http://www.w3.org/2001/XMLSchema#"
VALUES = [
    Literal("x"), Literal("x", language="fr"), Literal("x", language="en"), NamedNode("urn:t:x"), BlankNode("b0"),
    Literal("1", datatype=NamedNode(f"{XSD}integer")), Literal("1.5", datatype=NamedNode(f"{XSD}decimal")),
    Literal("no date", datatype=NamedNode(f"{XSD}date")), Literal('"quoted"\n\\ and \t'), Literal("ß 漢字 🜁"),
    Literal('{"a": [1]}', datatype=NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON")),
    NamedNode("http://example.org/é%20(x)'?a=b&c=%C3%A9#$"),
]  # fmt: skip
OTHERS = [pytest.param(name, marks=pytest.mark.servers) for name in ("oxigraph-union", "rdflib", "rdflib-union")]
KINDS = ["memory", "folder", "oxigraph", *OTHERS]


@pytest.fixture(scope="module")
def servers():
    """Returns the addresses of a server by its name; each is started once."""
    from contextlib import ExitStack

    with ExitStack() as running:
        known = {}

        def at(name):
            if name not in known:
                start = oxigraph if name.startswith("oxigraph") else rdflib_endpoint
                known[name] = running.enter_context(start(union=name.endswith("-union")))
            return known[name]

        yield at


@pytest.fixture(params=KINDS)
def opened(request, servers, tmp_path):
    """Opens a new graph each time; on a server all stand side by side."""
    made = []

    def new(name=None):
        if request.param in ("memory", "folder"):
            path = None if request.param == "memory" else tmp_path / f"g{len(made)}"
            made.append(OxigraphStore(path).open())
        else:
            made.append(EndpointStore(Address.of(*servers(request.param)), name or f"t {uuid4()}/é").open())
        return made[-1]

    yield new
    for one in made:
        one.close()


@pytest.fixture
def graph(opened):
    return opened()


def test_terms_come_back_as_they_were_stored(graph):
    given = [Quad(A, IS, value) for value in VALUES]
    graph.add(given)
    assert set(graph.match(A, IS)) == set(given)
    assert graph.stored(given) == set(given)
    for quad in given:
        assert list(graph.match(A, IS, quad.object, FACTS)) == [quad]
        assert quad in graph


def test_blank_nodes_are_found_where_they_stand(graph):
    given = [Quad(BlankNode("x-1"), IS, A), Quad(A, IS, BlankNode("x-1"), SOURCE),
             Quad(A, TG.contains, Triple(BlankNode("x-1"), IS, BlankNode("y")), SOURCE)]  # fmt: skip
    graph.add(given)
    assert list(graph.match(BlankNode("x-1"))) == [given[0]]
    assert list(graph.match(None, None, BlankNode("x-1"))) == [given[1]]
    assert set(graph.match()) == set(given)


def test_a_triple_is_found_by_its_terms(graph):
    facts = [Triple(A, IS, value) for value in VALUES]
    facts.append(Triple(A, IS, Triple(B, IS, Triple(A, IS, Literal("deep")))))
    given = [Quad(NamedNode(f"urn:sg:{number}"), TG.contains, fact, SOURCE) for number, fact in enumerate(facts)]
    graph.add(given)
    for quad in given:
        assert list(graph.match(None, TG.contains, quad.object, SOURCE)) == [quad]
        assert list(graph.match(quad.subject)) == [quad]
    assert set(graph.match()) == set(given)
    assert list(graph.match(None, TG.contains, Triple(A, IS, Literal("other")), SOURCE)) == []


def test_look_ups_in_a_bundle_are_those_made_one_by_one(graph):
    graph.add(Quad(NamedNode(f"urn:n:{n}"), IS, Literal(str(n % 7)), g) for n in range(50) for g in (FACTS, SOURCE))
    graph.add([Quad(NamedNode("urn:n:1"), TG.contains, Triple(A, IS, B), SOURCE)])
    patterns = [(NamedNode(f"urn:n:{n}"), None, None, None) for n in range(60)]
    patterns += [(None, IS, Literal("3"), FACTS), (None, TG.contains, Triple(A, IS, B), SOURCE), (None, None, B, None)]
    patterns += [(None, IS, None, SOURCE), patterns[1]]
    found = graph.matches(patterns)
    assert [set(one) for one in found] == [set(graph.match(*pattern)) for pattern in patterns]
    assert sum(map(len, found)) > 100
    assert graph.matches([]) == []
    for limit in (1, 3, 100):
        few = graph.matches(patterns[-6:], limit)
        assert [len(one) for one in few] == [min(limit, len(all_)) for all_ in found[-6:]]
        assert all({*one} <= {*all_} for one, all_ in zip(few, found[-6:], strict=True))


def test_a_pattern_without_a_graph_fits_all_graphs(graph):
    given = [Quad(A, IS, Literal(g.value if g != FACTS else "facts"), g) for g in
             (FACTS, SOURCE, RETRIEVAL, ANNOTATION, NamedNode("urn:of:others"), BlankNode("g"))]  # fmt: skip
    graph.add(given)
    assert set(graph.match(A)) == set(given)
    assert list(graph.match(A, graph=FACTS)) == given[:1]
    assert list(graph.match(A, graph=NamedNode("urn:of:others"))) == [given[4]]


def test_what_is_replaced_goes_and_comes_in_one(graph):
    fact = Triple(A, IS, Literal("secret"))
    graph.add([Quad(A, IS, Literal("old")), Quad(A, IS, Literal("source"), SOURCE), Quad(B, IS, Literal("b")),
               Quad(B, TG.contains, fact, SOURCE), Quad(B, IS, BlankNode("b"), SOURCE)])  # fmt: skip
    graph.replace([(A, FACTS), (B, SOURCE)], [Quad(A, IS, Literal("new"))], gone=[Quad(B, IS, Literal("b"))])
    assert set(graph.match()) == {Quad(A, IS, Literal("new")), Quad(A, IS, Literal("source"), SOURCE)}
    graph.add([Quad(A, TG.contains, fact, SOURCE), Quad(B, TG.contains, fact, SOURCE)])
    graph.replace([], [], gone=[Quad(B, TG.contains, fact, SOURCE)])
    assert list(graph.match(None, TG.contains, fact, SOURCE)) == [Quad(A, TG.contains, fact, SOURCE)]


def test_batches_are_taken_in_as_one(graph):
    graph.add([Quad(A, IS, Literal("old"))])
    many = [[Quad(NamedNode(f"urn:n:{b}:{n}"), IS, Literal(str(n)), SOURCE if n % 2 else FACTS) for n in range(200)]
            for b in range(3)]  # fmt: skip
    graph.take_in(iter(many), [(A, FACTS)])
    assert set(graph.match()) == {quad for batch in many for quad in batch}


def test_batches_that_end_in_a_failure_leave_nothing(graph):
    graph.add([Quad(A, IS, Literal("old"))])

    def batches():
        yield [Quad(B, IS, Literal("new"), SOURCE)]
        raise RecordError("no more of it can be read")

    with pytest.raises(RecordError, match="no more"):
        graph.take_in(batches(), [(A, FACTS)])
    assert list(graph.match()) == [Quad(A, IS, Literal("old"))]


def test_a_query_goes_over_all_graphs_together_and_names_them_as_a_folder_does(graph):
    fact = Triple(A, IS, Literal("fact"))
    graph.add([Quad(A, IS, Literal("fact")), Quad(A, IS, BlankNode("b"), SOURCE), Quad(B, TG.contains, fact, SOURCE)])
    rows = graph.solutions("SELECT ?o WHERE { <http://trustgraph.ai/e/a> ?p ?o }")
    assert {type(row["o"]) for row in rows} == {Literal, BlankNode}
    rows = graph.solutions("SELECT ?g ?o WHERE { GRAPH ?g { ?s <http://trustgraph.ai/e/is> ?o } }")
    assert [row["g"] for row in rows] == [SOURCE]
    rows = graph.query("SELECT ?s WHERE { GRAPH <urn:graph:source> { ?s ?p <<( ?a ?b ?c )>> } }")
    assert [(names.value) for names in rows.variables] == ["s"]
    assert [row["s"] for row in rows] == [B]
    assert bool(graph.query("ASK { ?s ?p 'fact' }")) is True
    triples = list(graph.query("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o FILTER(isLiteral(?o)) }"))
    assert triples == [fact]


@pytest.mark.parametrize("sparql", [
    "", "SELECT", "DROP ALL", "SELECT ?s WHERE { ?s foo:bar ?o }", "INSERT DATA { <urn:a> <urn:b> <urn:c> }",
    "LOAD <http://127.0.0.1:1/>", "\0",
])  # fmt: skip
def test_what_is_no_query_is_refused(graph, sparql):
    graph.add([Quad(A, IS, Literal("fact"))])
    with pytest.raises(RecordError, match="can't be read"):
        graph.query(sparql)
    assert graph.answered(sparql, 30).error.startswith("the SPARQL query can't be read: ")
    assert len(list(graph.match())) == 1


def test_a_service_is_refused(graph):
    sparql = "SELECT * WHERE { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }"
    with pytest.raises(RecordError, match="SERVICE"):
        graph.query(sparql)
    assert "SERVICE" in graph.answered(sparql, 30).error


def test_an_agent_is_answered_by_facts_alone_and_by_so_many_rows(graph):
    graph.add(Quad(NamedNode(f"urn:n:{n:03}"), IS, Literal("fact")) for n in range(250))
    graph.add([Quad(A, IS, Literal("source"), SOURCE)])
    found = graph.answered("SELECT ?s ?o WHERE { ?s ?p ?o } ORDER BY ?s", 60)
    assert found.cut
    assert len(found.lines) == 200
    assert found.iris[0] == "urn:n:000"
    found = graph.answered("SELECT ?o WHERE { GRAPH <urn:graph:source> { ?s ?p ?o } }", 60)
    assert found.lines == ('{"o": "source"}',)
    table = {
        "query": "SELECT ?o WHERE { e:a ?p ?o }",
        "prefixes": {"e": "http://trustgraph.ai/e/"},
        "rows": 5,
        "most": 999,
    }
    assert graph.answered(table, 60).lines == ('"source"',)


def test_a_query_is_cut_off_when_its_time_is_up(graph):
    graph.add(Quad(NamedNode(f"urn:n:{n}"), IS, Literal(str(n))) for n in range(300))
    endless = "SELECT (COUNT(*) AS ?n) WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l FILTER(?c != ?f) }"
    started = time.perf_counter()
    with pytest.raises(TimeoutExpired):
        graph.answered(endless, 1)
    assert time.perf_counter() - started < 20
    assert Quad(NamedNode("urn:n:1"), IS, Literal("1")) in graph


def test_quads_are_counted_as_they_were_stored(graph):
    taken = Triple(A, IS, Triple(A, IS, Literal("taken")))
    graph.add([
        Quad(A, IS, Literal("x")), Quad(BlankNode("b1"), IS, taken, SOURCE), Quad(B, IS, taken, SOURCE),
        Quad(A, IS, B, NamedNode("urn:t:graph")), Quad(A, IS, B, NamedNode("urn:t:graph")),
    ])  # fmt: skip
    assert graph.size() == 4 == len([*graph.match()])
    if isinstance(graph, EndpointStore):
        graph.put_mark("own")
        graph.emptied()
        assert (graph.size(), graph.mark(), [*graph.match()]) == (0, "own", [])


def test_two_collections_never_mix(opened):
    one, other = opened(), opened()
    one.add([Quad(A, IS, Literal("one")), Quad(A, IS, Literal("one source"), SOURCE)])
    other.add([Quad(A, IS, Literal("other")), Quad(A, IS, Literal("other source"), SOURCE)])
    assert {quad.object.value for quad in one.match()} == {"one", "one source"}
    assert {quad.object.value for quad in other.match(A)} == {"other", "other source"}
    for sparql in ("SELECT ?o WHERE { ?s ?p ?o }", "SELECT ?o WHERE { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }"):
        assert {row["o"].value for row in one.solutions(sparql)} == {"one", "one source"}
    assert one.answered("SELECT ?o WHERE { ?s ?p ?o }", 60).lines == ('{"o": "one"}',)
    one.replace([(A, FACTS)], [])
    assert {quad.object.value for quad in other.match(A, graph=FACTS)} == {"other"}


def test_a_query_that_is_nested_deeply_does_not_take_this_process_with_it(graph):
    for deep in (f"{'{' * 30_000} ?s ?p ?o {'}' * 30_000}", f"?s ?p ?o FILTER({'1+' * 100_000}1)"):
        found = graph.answered(f"SELECT * {{ {deep} }}", 20)
        assert found.error is None or "nested too deeply" in found.error or "can't be read" in found.error
