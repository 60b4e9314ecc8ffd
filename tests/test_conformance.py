"""What we write and read, against what TrustGraph 2.11.1 wrote for the same arguments, and what its services sent."""

import json
import random
import re
from dataclasses import fields, replace

import networkx as nx
import pytest
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, parse

import explorer
from explorer import entities as e
from explorer import rdf
from explorer.dag import ProvenanceDag
from explorer.events import Done, Explain, Text
from explorer.trustgraph import messages as trustgraph
from explorer.vocab import DC, FACTS, PROV, RDF, RDFS, RETRIEVAL, TG, recognise
from tests.builders import BUILDERS, called, term
from tests.dag.test_dag import shape
from tests.each import each
from tests.trustgraph.written import messages

CASES = (
    "agent-decomposition agent-final-after-observation agent-final-direct agent-finding-from-conclusion "
    "agent-finding-from-decomposition agent-iteration-1-full agent-iteration-2-chained agent-iteration-min "
    "agent-observation agent-observation-subtrace agent-pattern-decision agent-plan agent-session agent-step-result "
    "agent-synthesis-plan derived-chunk derived-page derived-section derived-untyped docrag-exploration docrag-focus "
    "docrag-grounding docrag-question docrag-question-subtrace docrag-synthesis-from-focus document-full document-min "
    "graphrag-exploration graphrag-exploration-empty graphrag-focus-crossencoder graphrag-focus-empty "
    "graphrag-focus-reasoning graphrag-grounding graphrag-grounding-no-usage graphrag-question "
    "graphrag-question-subtrace graphrag-synthesis subgraph-full subgraph-min"
).split()
SESSIONS = {
    "graphrag-stream": "graph-rag", "graphrag-nonstream": "graph-rag", "legacy263-graphrag-stream": "graph-rag",
    "docrag-rerank-stream": "document-rag", "agent-react-stream": "agent", "agent-plan-stream": "agent",
    "agent-supervisor-stream": "agent",
}  # fmt: skip


class Case:
    """One call of a builder: its arguments by name, its triples in the order of the wire, and as they were stored."""

    def __init__(self, folder, name):
        built = json.loads((folder / f"{name}.json").read_text("utf-8"))
        self.builder = built["builder"]
        self.ordered = [_quad(row) for row in built["wire_ordered"]]
        text = (folder / f"{name}.nq").read_text("utf-8")
        terms = re.sub(r"<< (.*?) >>(?= (?:<[^>]*> )?\.$)", r"<<( \1 )>>", text, flags=re.MULTILINE)
        self.stored = set(parse(terms, format=RdfFormat.N_QUADS))
        signature = json.loads((folder / "_signatures.json").read_text("utf-8"))[self.builder]
        times = (quad.object.value for quad in self.ordered if quad.predicate == PROV.startedAtTime)
        clock = {"timestamp": next(times, None)} if any("timestamp" in name for name in signature) else {}
        self.given = clock | called(signature, built["args"], built["kwargs"])

    def built(self):
        """The same in entities of ours."""
        return BUILDERS[self.builder](self.given)

    def placed(self, quads):
        """Quads in the graph that TrustGraph put this case in; which one it is, is decided after building."""
        [graph] = {quad.graph_name for quad in self.ordered}
        return [Quad(*quad.triple, graph) for quad in quads]


def _quad(row):
    return Quad(term(row["s"]), term(row["p"]), term(row["o"]), NamedNode(row["g"]) if row.get("g") else FACTS)


@pytest.fixture
def builders(conformance):
    return conformance / "golden" / "builders"


def same(quad):
    """A score reads as a number, so that "0" and "0.0" are the same one."""
    score = quad.predicate == TG.score
    return Quad(quad.subject, quad.predicate, Literal(str(float(quad.object.value))), RETRIEVAL) if score else quad


def written(described, compat):
    """The triples of entities, each right after the link to it, and what nothing links to at the end."""
    first, *parts = described
    quads = rdf.triples(first, compat, parts=parts)
    told = {quad.subject.value for quad in quads}
    loose = [part for part in parts if part.iri not in told]
    return quads + [quad for part in loose for quad in rdf.triples(part, compat)]


def test_no_builder_of_trustgraph_is_left_out(builders):
    found = {path.stem for path in builders.glob("*.nq")}
    assert found - set(CASES) == {"vocabulary"}
    assert {Case(builders, name).builder for name in CASES} == set(BUILDERS)


@each("name", CASES)
def test_the_same_arguments_give_the_triples_that_trustgraph_wrote(builders, name):
    case = Case(builders, name)
    quads = case.placed(written(case.built(), "trustgraph"))
    assert {same(quad) for quad in quads} == {same(quad) for quad in case.stored}


@each("name", [name for name in CASES if name != "derived-untyped"])
def test_the_same_arguments_give_the_triples_in_the_order_of_the_wire(builders, name):
    case = Case(builders, name)
    assert set(case.ordered) == case.stored
    quads = case.placed(written(case.built(), "trustgraph"))
    assert list(map(same, quads)) == list(map(same, case.ordered))


@each("name", CASES)
def test_an_entity_that_is_read_holds_every_value_and_is_written_as_it_was_stored(builders, name):
    """Each triple has its field, in whatever order it comes."""
    case = Case(builders, name)
    built = [_plain(entity) for entity in case.built()]
    read = rdf.entities(case.ordered)
    assert sorted(read, key=lambda entity: entity.iri) == sorted(built, key=lambda entity: entity.iri)
    loose = [triple for entity in read for triple in entity.other]
    assert loose == [] or case.given.get("entity_uri") == "urn:thing:1"
    for quads in (case.stored, random.Random(0).sample(case.ordered, len(case.ordered))):
        read = rdf.entities(quads)
        theirs = case.placed(quad for entity in read for quad in rdf.triples(entity, "trustgraph"))
        assert {same(quad) for quad in theirs} == {same(quad) for quad in case.stored}
    read = rdf.entities(case.stored)
    assert {quad for entity in read for quad in rdf.triples(entity)} == case.stored


def _plain(entity):
    """An entity without what TrustGraph does not write."""
    return replace(entity, ordered=None) if isinstance(entity, e.Grounding | e.Plan | e.Decomposition) else entity


def test_the_labels_of_the_vocabulary_are_kept(builders):
    stored = set(parse((builders / "vocabulary.nq").read_bytes(), format=RdfFormat.N_QUADS))
    read = rdf.entities(stored)
    assert all(entity.label for entity in read)
    for compat in (None, "trustgraph"):
        assert {quad for entity in read for quad in rdf.triples(entity, compat)} == stored


def test_every_field_that_trustgraph_writes_was_tried(builders):
    """Else a field could be lost without any case that says so."""
    seen = {
        (type(entity), field.name)
        for name in CASES
        for entity in rdf.entities(Case(builders, name).ordered)
        for field in fields(entity)
        if getattr(entity, field.name) not in (None, (), "")
    }
    tried = {name for _, name in seen}
    ours = {column.name for cls in e.CLASSES for column in e.columns(cls) if column.predicate in TG}
    unwritten = {"source_text", "source_offset", "source_length", "embedding_model"}  # declared, never emitted
    assert ours - tried - unwritten - {"error"} == set()  # no recorded case failed


def test_a_failed_observation_says_so_in_its_types_and_its_error():
    quads = rdf.triples(e.Observation(iri="urn:o:1", error="No such tool."), "trustgraph")
    assert {quad.object for quad in quads if quad.predicate == RDF.type} == {PROV.Entity, TG.Observation, TG.Error}
    assert Literal("No such tool.") in {quad.object for quad in quads if quad.predicate == TG.toolError}


def test_every_iri_of_ours_that_trustgraph_makes_is_recognised(builders):
    named = json.loads((builders / "_uris.json").read_text("utf-8"))
    made = {value for value in _strings(named) if value.startswith(("urn:trustgraph:", "https://trustgraph.ai/"))}
    assert made
    assert [node for node in made if recognise(node) is None and not node.startswith(TG.base)] == []


def _strings(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, str):
        yield value


def test_every_term_of_trustgraph_is_in_the_vocabulary(builders):
    constants = json.loads((builders / "_namespaces.json").read_text("utf-8"))
    terms = {value for value in constants.values() if isinstance(value, str) and value.startswith((TG.base, PROV.base))}
    ours = {term.value for space in (TG, PROV, DC, RDF, RDFS) for term in space}
    assert terms - ours - {TG.base, PROV.base} == set()
    assert RETRIEVAL.value in constants.values()


def recorded(conformance, name):
    """A recorded session: its file, its service, and its events."""
    path = conformance / "golden" / "wire" / f"{name}.jsonl"
    messages = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return path, SESSIONS[name], list(trustgraph.events(messages))


def steps(events):
    return [event for event in events if isinstance(event, Explain)]


def told(events):
    return {quad for event in steps(events) for quad in event.triples}


def test_no_recorded_session_is_left_out(conformance):
    found = {path.stem for path in (conformance / "golden" / "wire").glob("*.jsonl") if ".prompts" not in path.name}
    assert found == set(SESSIONS)


@each("name", SESSIONS)
def test_a_session_is_one_connected_graph_with_one_root_and_one_final_answer(conformance, name):
    _, service, events = recorded(conformance, name)
    dag = ProvenanceDag().fold(events)
    assert nx.is_directed_acyclic_graph(dag.graph)
    assert nx.is_weakly_connected(dag.graph)
    assert dag.cycles == []
    [root] = dag.roots
    asked = {"graph-rag": e.GraphRagQuestion, "document-rag": e.DocRagQuestion, "agent": e.AgentQuestion}[service]
    assert type(root.entity) is asked
    assert set(dag.graph) == {root.iri} | nx.descendants(dag.graph, root.iri)
    final = dag.final
    assert type(final.entity) in (e.Synthesis, e.Conclusion)
    assert recognise(final.iri).key == recognise(root.iri).key
    assert [event for event in events if isinstance(event, Done)] == events[-1:]
    assert events[-1].reason == "done"
    assert dag.answer == dag.text(final.iri) != ""


@each("name", SESSIONS)
def test_nothing_in_a_session_is_unknown_or_only_named(conformance, name):
    _, _, events = recorded(conformance, name)
    dag = ProvenanceDag().fold(events)
    assert {data["kind"] for _, data in dag.graph.nodes(data=True)} & {"Unknown"} == set()
    assert {node.iri for node in dag.nodes()} == set(dag.graph)
    assert [entity.other for entity in dag.entities.values() if entity.other] == []
    lost = told(events) - {quad for entity in dag.entities.values() for quad in rdf.triples(entity)}
    assert lost == set()
    assert rdf.validate(told(events)) == []


@each("name", SESSIONS)
def test_a_session_written_as_messages_and_read_again_is_the_same(conformance, name):
    _, service, events = recorded(conformance, name)
    again = list(trustgraph.events(list(messages(events, service))))
    assert [event.triples for event in steps(again)] == [event.triples for event in steps(events)]
    assert shape(ProvenanceDag().fold(again)) == shape(ProvenanceDag().fold(events))


@each("name", SESSIONS)
def test_a_session_in_a_workspace_replays_the_same(conformance, name):
    path, _, events = recorded(conformance, name)
    with explorer.open() as ws:
        done = ws.import_record(path)
        assert (done.read, done.refused) == (done.given, ())
        [iri] = done.traces
        trace = ws.traces.load(iri)
        live = ProvenanceDag().fold(events)
        stored, given = set(ws.graph.match(graph=RETRIEVAL)), told(events)
        assert set(trace.quads()) == stored >= given
        added = {quad.subject.value for quad in stored - given}  # texts that only the stream has, each as a node
        assert added.isdisjoint(quad.subject.value for quad in given)
        assert added <= {event.node for event in trace.events if isinstance(event, Text)}
        nodes, arcs = shape(trace.dag)
        known = {(iri, kind) for iri, kind in nodes if iri not in added}
        assert (known, {arc for arc in arcs if arc[1] not in added}) == shape(live)
        assert trace.question == live.roots[0].entity.query
        assert (trace.answer, trace.reason, trace.dag.final.iri) == (live.answer, "done", live.final.iri)
        texts = {event.node: event.delta for event in trace.events if isinstance(event, Text)}
        kept = {node: text for node, text in texts.items() if node not in added}
        assert kept == {node.iri: live.text(node.iri) for node in live.nodes() if live.text(node.iri)}
        assert all(texts[node] for node in added)


@each("name", SESSIONS)
def test_a_session_in_pieces_is_the_same_graph(conformance, name):
    """Each triple by itself, as a store might give them; what stands for many things counts those it has heard of."""
    _, _, events = recorded(conformance, name)
    pieces = [Explain(quad.subject.value, (quad,)) for event in steps(events) for quad in event.triples]
    expected, dag = ProvenanceDag().fold(events), ProvenanceDag().fold(pieces)
    folds = {node.iri for node in (*dag.nodes(), *expected.nodes()) if node.kind in ("Concept", "NotKept")}
    for found, wanted in zip(shape(dag), shape(expected), strict=True):
        assert {item for item in found if not folds & set(item)} == {item for item in wanted if not folds & set(item)}
    counts = {node.iri: node.count for node in expected.nodes("NotKept")}
    assert all(node.count == counts.get(node.iri, 0) for node in dag.nodes("NotKept"))


@each("name", SESSIONS)
def test_all_at_once_a_session_is_the_same_graph(conformance, name):
    """As one set of triples, in no order, as a file has them."""
    _, _, events = recorded(conformance, name)
    every = tuple(sorted(told(events), key=str))
    expected, dag = ProvenanceDag().fold(events), ProvenanceDag().fold([Explain("urn:any:node", every)])
    assert shape(dag) == shape(expected)


@each("name", SESSIONS)
def test_a_session_is_not_blamed_in_a_file_nor_in_a_workspace_without_its_sources(conformance, name):
    path, _, _ = recorded(conformance, name)
    with explorer.open() as ws:
        ws.import_record(path, progress=False)
        assert list(map(str, ws.verify().faults)) == []
        assert list(map(str, explorer.verify_file(path).faults)) == []
