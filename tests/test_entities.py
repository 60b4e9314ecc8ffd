from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer import entities as e
from explorer import rdf
from explorer.entities import CLASSES, Entity, Kind, columns
from explorer.vocab import ANNOTATION, FACTS, PROV, RDF, RETRIEVAL, SOURCE, TG, X, entity_iri
from tests.each import each
from tests.strategies import entities


@each("cls", CLASSES, ids=lambda cls: cls.__name__)
@settings(max_examples=15)
@given(data=st.data())
def test_an_entity_of_any_class_is_read_back_as_it_was_written(cls, data):
    entity = data.draw(entities(cls))
    assert rdf.entities(rdf.triples(entity)) == [entity]


@settings(max_examples=50)
@given(st.sampled_from(CLASSES).flatmap(entities))
def test_an_entity_stands_in_the_graph_of_its_class(entity):
    assert {quad.graph_name for quad in rdf.triples(entity)} <= {type(entity).graph}


@each("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_a_class_states_its_type_its_graph_and_different_predicates(cls):
    assert cls.types
    assert cls.graph in (FACTS, SOURCE, RETRIEVAL, ANNOTATION)
    predicates = [column.predicate for column in columns(cls)]
    assert len(predicates) == len(set(predicates))
    assert cls.__doc__
    assert cls.__dataclass_params__.frozen


@each(
    ("types", "cls"),
    [
        ([PROV.Entity, TG.Question, TG.GraphRagQuestion], e.GraphRagQuestion),
        ([PROV.Entity, TG.Question, TG.AgentQuestion], e.AgentQuestion),
        ([PROV.Entity, TG.Focus, TG.Answer], e.Focus),
        ([PROV.Entity, TG.Plan], e.Plan),
        ([TG.Reflection, TG.Observation, PROV.Entity], e.Observation),
        ([NamedNode("urn:x:Strange")], Entity),
        ([], Entity),
    ],
)
def test_the_most_specific_class_is_chosen_and_an_unknown_one_is_an_entity(types, cls):
    node = NamedNode("urn:x:1")
    assert rdf.class_of(node, [Quad(node, RDF.type, term, RETRIEVAL) for term in types])[0] is cls


def test_counts_that_are_not_known_are_absent_and_zero_is_written():
    silent = rdf.triples(e.Step(iri="urn:x:1", label="s"))
    assert [quad.predicate for quad in silent if quad.predicate in (TG.inToken, TG.outToken, TG.llmModel)] == []
    told = rdf.triples(e.Step(iri="urn:x:1", in_token=0, model=""))
    assert {(quad.predicate, quad.object.value) for quad in told} >= {(TG.inToken, "0"), (TG.llmModel, "")}


def test_a_fact_is_told_by_the_names_in_its_terms():
    tank, fire = NamedNode(entity_iri("oxygen-tank-no.-2")), Literal("a \x1b[31mfire")
    told = e.EdgeSelection(
        iri="urn:e", edge=Triple(tank, NamedNode(entity_iri("failed-because-of")), fire), score=0.956
    )
    assert repr(told) == "<EdgeSelection “oxygen tank no. 2 — failed because of → a [31mfire” 0.96>"
    assert repr(e.EdgeSelection(iri="urn:e")) == "<EdgeSelection no edge recorded>"


def test_only_lists_of_values_are_written_as_json():
    kinds = (column for cls in CLASSES for column in columns(cls) if column.kind in (Kind.JSON, Kind.LIST))
    assert {column.predicate for column in kinds} == {
        X.chunks, X.concepts, X.planSteps, X.subagentGoals, X.parameters, X.quotes, X.read, X.scoreParts, X.support,
        X.supportCut, X.scores, X.left,
    }  # fmt: skip
    written = rdf.triples(e.GraphRagQuestion(iri="urn:x:1", query="q", parameters={"edge_limit": 25}))
    [json] = [quad.object for quad in written if quad.predicate == X.parameters]
    assert (json.value, json.datatype) == ('{"edge_limit": 25}', RDF.JSON)
