from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer import entities as e
from explorer import rdf
from explorer.entities import CLASSES, Entity
from explorer.vocab import PROV, RDF, RDFS, RETRIEVAL, SOURCE, TG, X, entity_iri
from tests.each import each
from tests.strategies import entities

NODE = NamedNode("urn:x:1")
EDGE = Triple(NamedNode(entity_iri("a")), NamedNode(entity_iri("is")), Literal("x", language="fr"))


def predicates(quads):
    return [quad.predicate for quad in quads]


def test_a_selection_follows_the_link_to_it():
    focus = e.Focus(iri="urn:f:1", selected_edges=("urn:e:0", "urn:e:1"))
    parts = [e.EdgeSelection(iri=f"urn:e:{i}", edge=EDGE, score=0.5) for i in range(2)]
    written = rdf.triples(focus, parts=parts)
    subjects = [quad.subject.value for quad in written]
    assert subjects == ["urn:f:1"] * 4 + ["urn:e:0"] * 3 + ["urn:f:1"] + ["urn:e:1"] * 3
    assert written[3].object == NamedNode("urn:e:0")
    assert written[7].object == NamedNode("urn:e:1")


def test_steps_begin_with_types_label_and_what_they_derive_from():
    written = rdf.triples(e.Exploration(iri="urn:x:1", derived_from=("urn:g:1",), edge_count=0, sequence=2))
    order = [RDF.type, RDF.type, RDFS.label, PROV.wasDerivedFrom, TG.edgeCount, X.sequence]
    assert predicates(written) == order


def test_a_subgraph_begins_with_what_it_contains():
    written = rdf.triples(e.Subgraph(iri="urn:s:1", contains=(EDGE,), derived_from=("urn:c:1",)))
    assert predicates(written) == [TG.contains, RDF.type, RDF.type, PROV.wasDerivedFrom]
    assert {quad.graph_name for quad in written} == {SOURCE}


def test_numbers_are_written_as_plain_literals_and_read_from_typed_ones():
    [count] = [
        q.object for q in rdf.triples(e.Exploration(iri="urn:x:1", edge_count=47)) if q.predicate == TG.edgeCount
    ]
    assert count == Literal("47")
    typed = Literal("47", datatype=NamedNode("http://www.w3.org/2001/XMLSchema#integer"))
    types = [Quad(NODE, RDF.type, cls, RETRIEVAL) for cls in e.Exploration.types]
    [read] = rdf.entities([*types, Quad(NODE, TG.edgeCount, typed, RETRIEVAL)])
    assert read.edge_count == 47


@each(("predicate", "value"), [
    (TG.edgeCount, Literal("many")),
    (TG.edgeCount, NamedNode("urn:not:a:number")),
    (PROV.wasDerivedFrom, Literal("not an IRI")),
    (NamedNode("urn:unknown:p"), Literal("kept")),
])  # fmt: skip
def test_what_no_field_can_hold_is_kept_beside(predicate, value):
    types = [Quad(NODE, RDF.type, cls, RETRIEVAL) for cls in e.Exploration.types]
    given = [*types, Quad(NODE, predicate, value, RETRIEVAL)]
    [read] = rdf.entities(given)
    assert read.edge_count is None
    assert read.derived_from == ()
    assert read.other == (Triple(NODE, predicate, value),)
    assert set(rdf.triples(read)) == set(given)


def test_nodes_come_in_the_order_they_are_first_mentioned():
    quads = [q for n in ("b", "a", "c") for q in rdf.triples(e.Grounding(iri=f"urn:x:{n}", concepts=("x",)))]
    assert [entity.iri for entity in rdf.entities(quads)] == ["urn:x:b", "urn:x:a", "urn:x:c"]


def test_trustgraph_gets_nothing_of_the_extension():
    question = e.GraphRagQuestion(iri="urn:q:1", query="q", engine="graph-rag/0", parameters={}, sequence=0)
    focus = e.Focus(iri="urn:f:1", selected_edges=("urn:e:0",), candidates=("urn:c:0",), duration_ms=1)
    parts = [e.EdgeSelection(iri="urn:e:0", edge=EDGE), e.Candidate(iri="urn:c:0", edge=EDGE, rank=1)]
    ours = [e.End(iri="urn:end:1", reason="done"), e.Citation(iri="urn:cit:1", start=0), parts[1]]
    written = rdf.triples(question, "trustgraph") + rdf.triples(focus, "trustgraph", parts=parts)
    written += [quad for entity in ours for quad in rdf.triples(entity, "trustgraph")]
    assert {quad.subject.value for quad in written} == {"urn:q:1", "urn:f:1", "urn:e:0"}
    assert "provenance-explorer" not in "".join(map(str, written))


def test_another_compatibility_is_refused():
    with pytest.raises(ValueError, match="not 'w3c'"):
        rdf.triples(Entity(iri="urn:x:1"), compat="w3c")


@settings(max_examples=25)
@given(st.lists(st.sampled_from(CLASSES).flatmap(entities), max_size=3, unique_by=lambda entity: entity.iri))
def test_entities_are_read_whatever_the_order_of_triples(described):
    quads = sorted((quad for entity in described for quad in rdf.triples(entity)), key=str, reverse=True)
    read = {entity.iri: entity for entity in rdf.entities(quads)}
    written = defaultdict(set)
    for quad in quads:
        written[quad.subject.value].add(quad)
    assert {key: set(rdf.triples(entity)) for key, entity in read.items()} == dict(written)
