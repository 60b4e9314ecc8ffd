import json
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prov.model import ProvActivity, ProvAgent, ProvDocument, ProvEntity
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple

from explorer import rdf
from explorer.entities import Activity, Agent, Chunk, EdgeSelection, Focus, GraphRagQuestion, Subgraph
from explorer.vocab import PROV, RDF, RDFS, TG
from tests.each import each
from tests.rdf.strategies import quads, records

EDGE = Triple(NamedNode("http://trustgraph.ai/e/tank"), NamedNode("urn:p"), Literal("voll", language="de"))
QUESTION = "urn:trustgraph:question:7c9e"
RECORD = [
    quad
    for entity in (
        GraphRagQuestion(iri=QUESTION, query="Why?\n“é”", started_at="2026-01-15T10:30:00Z"),
        Focus(iri="urn:trustgraph:prov:focus:7c9e", derived_from=(QUESTION,), selected_edges=("urn:e:0",)),
        EdgeSelection(iri="urn:e:0", edge=EDGE, score=0.5),
        Subgraph(iri="https://trustgraph.ai/subgraph/1", contains=(EDGE,), generated_by="urn:a:1",
                 derived_from=("urn:chunk:1",)),
        Activity(iri="urn:a:1", label="chunker", used=("urn:chunk:1",), associated_with="urn:g:1",
                 started_at="2026-01-15T10:30:00Z"),
        Agent(iri="urn:g:1", label="chunker"),
        Chunk(iri="urn:chunk:1", index=1),
    )
    for quad in rdf.triples(entity)
] + [Quad(NamedNode("urn:chunk:1"), PROV.invalidatedAtTime, Literal("2026-02-01T00:00:00Z"))]  # fmt: skip


def read(form, described):
    text = rdf.dump(described, form).decode()
    return ProvDocument.deserialize(content=text, format={"prov-json": "json", "prov-n": "provn"}[form])


def ends(document, name):
    """The ends of every relation with this PROV-N name."""
    found = [record for record in document.get_records() if record.get_provn().startswith(name + "(")]
    return sorted(
        tuple(value.uri for _, value in record.formal_attributes if hasattr(value, "uri")) for record in found
    )


@pytest.mark.parametrize("form", ["prov-json", "prov-n"])
def test_every_entity_activity_agent_and_relation_is_there(form):
    document = read(form, RECORD)
    names = {kind: {r.identifier.uri for r in document.get_records(kind)} for kind in
             (ProvEntity, ProvActivity, ProvAgent)}  # fmt: skip
    focus, subgraph = "urn:trustgraph:prov:focus:7c9e", "https://trustgraph.ai/subgraph/1"
    [statement] = [name for name in names[ProvEntity] if "statement" in name]
    assert names[ProvEntity] == {QUESTION, focus, "urn:e:0", subgraph, "urn:chunk:1", statement}
    assert names[ProvActivity] == {"urn:a:1"}
    assert names[ProvAgent] == {"urn:g:1"}
    assert ends(document, "wasDerivedFrom") == [(subgraph, "urn:chunk:1"), (focus, QUESTION)]
    assert ends(document, "wasGeneratedBy") == [(subgraph, "urn:a:1")]
    assert ends(document, "used") == [("urn:a:1", "urn:chunk:1")]
    assert ends(document, "wasAssociatedWith") == [("urn:a:1", "urn:g:1")]
    assert ends(document, "hadMember") == [(subgraph, statement), (focus, "urn:e:0")]
    assert ends(document, "wasInvalidatedBy") == [("urn:chunk:1",)]
    [activity] = document.get_records(ProvActivity)
    assert activity.get_startTime().isoformat() == "2026-01-15T10:30:00+00:00"


def test_every_other_triple_is_an_attribute():
    told = json.loads(rdf.dump(RECORD, "prov-json"))
    question = told["entity"]["trustgraph:question:7c9e"]
    assert question["tg:query"] == "Why?\n“é”"
    assert question["prov:label"] == "GraphRAG Question"
    assert {kind["$"] for kind in question["prov:type"]} == {"prov:Entity", "tg:Question", "tg:GraphRagQuestion"}
    [statement] = [about for name, about in told["entity"].items() if name.startswith("statement:")]
    assert statement["rdf:object"] == {"$": "voll", "lang": "de"}
    assert statement["rdf:subject"]["$"] == "e:tank"


def test_a_node_is_what_it_plays_if_it_has_no_type():
    described = [
        Quad(NamedNode("urn:x"), PROV.wasGeneratedBy, BlankNode("a")),
        Quad(BlankNode("a"), PROV.wasAssociatedWith, NamedNode("urn:g")),
        Quad(BlankNode("a"), PROV.startedAtTime, Literal("yesterday")),
        Quad(NamedNode("urn:x"), PROV.wasDerivedFrom, Literal("no node")),
    ]
    told = json.loads(rdf.dump(described, "prov-json"))
    assert [len(told[kind]) for kind in ("entity", "activity", "agent")] == [1, 1, 1]
    [activity] = told["activity"].values()
    assert activity == {"prov:startedAtTime": "yesterday"}
    [entity] = told["entity"].values()
    assert entity == {"prov:wasDerivedFrom": "no node"}


@settings(max_examples=30)
@given(st.lists(quads, max_size=6) | records)
def test_any_quads_are_written_and_read_by_the_prov_package(described):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        told = ProvDocument.deserialize(content=rdf.dump(described, "prov-json").decode())
        rdf.dump(described, "prov-n")
    nodes = {quad.subject for quad in described}
    assert len(nodes) <= sum(len(one.get_records()) for one in (told, *told.bundles))


@each("iri", ["urn:x:", "http://e/a%20b", "http://e/é", "urn:a.", "urn:-", "urn:a'b", f"{TG.base}a;b"])
def test_any_iri_has_a_name_that_prov_n_can_write(iri):
    described = [Quad(NamedNode(iri), RDF.type, PROV.Entity), Quad(NamedNode(iri), RDFS.label, Literal("x"))]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        [record] = read("prov-n", described).get_records()
    assert record.identifier.uri == iri


def test_a_collection_is_said_to_be_one():
    told = rdf.dump([Quad(NamedNode("urn:f"), TG.selectedEdge, NamedNode("urn:e"))], "prov-n").decode()
    assert "prov:type='prov:Collection'" in told
