"""Older spellings: what earlier releases and documents wrote is read into today's fields and written as it was."""

import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, RdfFormat, Triple, parse

from explorer import entities as e
from explorer import rdf
from explorer.dag import ProvenanceDag
from explorer.events import Explain
from explorer.vocab import FACTS, PROV, RDF, RDFS, RETRIEVAL, SOURCE, TG
from tests.each import each

PREFIXES = """
@prefix tg: <https://trustgraph.ai/ns/> . @prefix prov: <http://www.w3.org/ns/prov#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix e: <http://trustgraph.ai/e/> .
"""
FIRST = """
<urn:trustgraph:session:s1> a prov:Activity ; rdfs:label "GraphRAG query session" ;
    prov:startedAtTime "2024-01-15T10:30:00Z" ; tg:query "What was it?" .
<urn:trustgraph:prov:retrieval:s1> a prov:Entity ; rdfs:label "Retrieved edges" ;
    prov:wasGeneratedBy <urn:trustgraph:session:s1> ; tg:edgeCount 50 .
<urn:trustgraph:prov:selection:s1> a prov:Entity ; rdfs:label "Selected edges" ;
    prov:wasDerivedFrom <urn:trustgraph:prov:retrieval:s1> ;
    tg:selectedEdge <urn:trustgraph:prov:edge:s1:0>, <urn:trustgraph:prov:edge:s1:1> .
<urn:trustgraph:prov:edge:s1:0> tg:edge <<( e:a e:is "x"@fr )>> ; tg:reasoning "It says so." .
<urn:trustgraph:prov:edge:s1:1> tg:edge <<( e:a e:is e:b )>> ; tg:reasoning "It follows." .
<urn:trustgraph:prov:answer:s1> a prov:Entity ; rdfs:label "GraphRAG answer" ;
    prov:wasDerivedFrom <urn:trustgraph:prov:selection:s1> ; tg:document <urn:trustgraph:answer:s1> .
"""
NODE = NamedNode("urn:x:1")


def quads(turtle, graph=RETRIEVAL):
    found = parse((PREFIXES + turtle).encode(), format=RdfFormat.TURTLE)
    return [Quad(q.subject, q.predicate, q.object, graph) for q in found]


def one(turtle, graph=RETRIEVAL):
    """The only node of some Turtle, which is written again as it was."""
    given = quads(turtle, graph)
    [entity] = rdf.entities(given)
    assert set(rdf.triples(entity)) == set(given)
    return entity


def test_the_first_records_are_read_as_the_stages_they_were_and_written_again_as_they_were():
    described = question, exploration, focus, first, second, synthesis = rdf.entities(quads(FIRST))
    assert isinstance(question, e.GraphRagQuestion)
    assert (question.query, question.started_at) == ("What was it?", "2024-01-15T10:30:00Z")
    assert isinstance(exploration, e.Exploration)
    assert (exploration.edge_count, exploration.derived_from) == (50, (question.iri,))
    assert isinstance(focus, e.Focus)
    assert focus.selected_edges == (first.iri, second.iri)
    assert isinstance(first, e.EdgeSelection)
    assert (first.edge.object, first.reasoning) == (Literal("x", language="fr"), "It says so.")
    assert isinstance(synthesis, e.Synthesis)
    assert (synthesis.document, synthesis.derived_from) == ("urn:trustgraph:answer:s1", (focus.iri,))
    assert {quad for entity in described for quad in rdf.triples(entity)} == set(quads(FIRST))


def test_the_first_records_are_one_graph_from_question_to_answer():
    dag = ProvenanceDag().fold([Explain("urn:trustgraph:session:s1", tuple(quads(FIRST)))])
    assert [node.kind for node in dag.nodes() if node.kind != "NotKept"] == [
        "Question", "Exploration", "Focus", "EdgeSelection", "EdgeSelection", "Synthesis",
    ]  # fmt: skip
    assert [root.kind for root in dag.roots] == ["Question"]
    assert dag.path(dag.final.iri)[0] == dag.roots[0].iri
    assert dag.cycles == []


def test_for_trustgraph_the_first_records_are_written_as_it_writes_today():
    today = {quad for entity in rdf.entities(quads(FIRST)) for quad in rdf.triples(entity, "trustgraph")}
    assert PROV.wasGeneratedBy not in {quad.predicate for quad in today}
    question = NamedNode("urn:trustgraph:session:s1")
    assert Quad(question, RDF.type, TG.GraphRagQuestion, RETRIEVAL) in today
    selection = NamedNode("urn:trustgraph:prov:edge:s1:0")
    assert Quad(selection, RDF.type, TG.EdgeSelection, RETRIEVAL) in today
    assert Quad(NamedNode("urn:trustgraph:prov:retrieval:s1"), TG.edgeCount, Literal("50"), RETRIEVAL) in today
    assert {type(entity) for entity in rdf.entities(today)} == {type(entity) for entity in rdf.entities(quads(FIRST))}


@each(("iri", "cls"), [
    ("urn:trustgraph:session:s1", e.GraphRagQuestion),
    ("urn:trustgraph:question:s1", e.GraphRagQuestion),
    ("urn:trustgraph:docrag:s1", e.DocRagQuestion),
    ("urn:trustgraph:agent:s1", e.AgentQuestion),
    ("urn:trustgraph:agent:session:s1", e.AgentQuestion),
    ("https://example.org/asked", e.Question),
])  # fmt: skip
def test_an_activity_with_a_query_is_a_question_of_the_kind_its_iri_says(iri, cls):
    question = one(f'<{iri}> a prov:Activity ; tg:query "Why?" .')
    assert type(question) is cls
    assert question.query == "Why?"


@each(("turtle", "cls"), [
    ('<urn:x:1> a prov:Entity ; rdfs:label "Retrieved edges" .', e.Exploration),
    ('<urn:x:1> a prov:Entity ; rdfs:label "Selected edges" .', e.Focus),
    ('<urn:x:1> a prov:Entity ; rdfs:label "GraphRAG answer" .', e.Synthesis),
    ('<urn:x:1> rdfs:label "GraphRAG query session" .', e.GraphRagQuestion),
    ('<urn:x:1> a prov:Entity ; tg:edgeCount "3" .', e.Exploration),
    ('<urn:x:1> a prov:Entity ; tg:chunkCount "3" .', e.Exploration),
    ("<urn:x:1> a prov:Entity ; tg:selectedEdge <urn:x:2> .", e.Focus),
    ("<urn:x:1> tg:edge <<( e:a e:is e:b )>> .", e.EdgeSelection),
    ("<urn:trustgraph:prov:retrieval:s1> a prov:Entity .", e.Exploration),
    ("<urn:trustgraph:prov:selection:s1> a prov:Entity .", e.Focus),
    ("<urn:trustgraph:prov:answer:s1> a prov:Entity .", e.Synthesis),
    ('<urn:trustgraph:prov:answer:s1> a prov:Entity ; tg:content "It is." .', e.Synthesis),
    ("<urn:trustgraph:agent:session:s1/i2> a prov:Entity .", e.Analysis),
    ("<urn:x:1> a prov:Entity .", e.Entity),
])  # fmt: skip
def test_a_node_without_a_class_is_known_by_field_label_or_iri(turtle, cls):
    assert type(one(turtle)) is cls


THEIRS = [cls for cls in e.CLASSES if len(cls.types) > 1 and cls not in (e.RunActivity, e.RunAgent, e.Person)]


@each("cls", THEIRS, ids=lambda cls: cls.__name__)
def test_a_class_is_known_without_its_co_types(cls):
    own = [term for term in cls.types if term not in (PROV.Entity, TG.Answer, TG.Reflection, TG.ToolUse)]
    given = [Quad(NODE, RDF.type, term, cls.graph) for term in own or cls.types[-1:]]
    [entity] = rdf.entities(given)
    assert type(entity) is cls
    assert set(rdf.triples(entity)) == set(given)
    assert {quad.object for quad in rdf.triples(entity, "trustgraph")} >= set(cls.types)


def test_types_belong_to_their_subject_alone():
    """The Thought that comes in one message with its Analysis is no reason to take the Analysis for a Reflection."""
    given = quads("""<urn:a:1> a tg:Analysis, tg:ToolUse, prov:Entity ; tg:thought <urn:t:1> .
                     <urn:t:1> a tg:Reflection, tg:Thought ; prov:wasDerivedFrom <urn:a:1> .""")
    assert [type(entity) for entity in rdf.entities(given)] == [e.Analysis, e.Thought]


def test_an_observation_that_is_also_a_reflection_is_an_observation():
    observation = one("<urn:x:1> a prov:Entity, tg:Observation, tg:Reflection ; tg:document <urn:x:1> .")
    assert type(observation) is e.Observation
    assert observation.document == "urn:x:1"


def test_thought_and_observation_as_texts_of_their_step():
    analysis = one("""<urn:trustgraph:agent:s1/i1> a prov:Activity, tg:Analysis ; prov:wasGeneratedBy <urn:q:1> ;
        tg:action "ask" ; tg:thought "I should look." ; tg:observation "It is so." .""")
    assert isinstance(analysis, e.Analysis)
    assert (analysis.thought, analysis.thought_text, analysis.observation_text) == (None, "I should look.", "It is so.")
    assert (analysis.action, analysis.derived_from) == ("ask", ("urn:q:1",))


@each(("turtle", "cls", "content"), [
    ('<urn:x:1> a prov:Entity, tg:Synthesis ; tg:content "It is." .', e.Synthesis, "It is."),
    ('<urn:x:1> a prov:Entity, tg:Conclusion ; tg:answer "It is." .', e.Conclusion, "It is."),
    ('<urn:x:1> a tg:Reflection, tg:Thought ; tg:content "Hm." .', e.Thought, "Hm."),
    ('<urn:x:1> a prov:Entity, tg:Observation ; tg:content "" .', e.Observation, ""),
])  # fmt: skip
def test_inline_texts_are_read_and_told(turtle, cls, content):
    entity = one(turtle)
    assert type(entity) is cls
    assert (entity.content, entity.document) == (content, None)
    dag = ProvenanceDag().fold([Explain("urn:x:1", tuple(quads(turtle)))])
    assert dag.text("urn:x:1") == content


@pytest.mark.parametrize(
    ("predicate", "cls"), [("thoughtDocument", "tg:Thought"), ("observationDocument", "tg:Observation")]
)
def test_documents_of_thoughts_and_observations_had_names_of_their_own(predicate, cls):
    entity = one(f"<urn:x:1> a {cls}, tg:Reflection ; tg:{predicate} <urn:doc:1> .")
    assert entity.document == "urn:doc:1"


@pytest.mark.parametrize("link", ["tg:reifies", "tg:contains"])
def test_a_statement_node_is_a_subgraph_of_one_edge(link):
    subgraph = one(
        f"<https://trustgraph.ai/stmt/1> {link} <<( e:a e:is 5 )>> ; prov:wasDerivedFrom <urn:c:1> .", SOURCE
    )
    assert isinstance(subgraph, e.Subgraph)
    [edge] = subgraph.contains
    assert edge.object == Literal("5", datatype=NamedNode("http://www.w3.org/2001/XMLSchema#integer"))
    assert subgraph.derived_from == ("urn:c:1",)


def test_who_generated_what_was_extracted_is_no_parent():
    chunk = one("<urn:chunk:1> a prov:Entity, tg:Chunk ; prov:wasGeneratedBy <urn:act:1> .", SOURCE)
    assert (chunk.generated_by, chunk.derived_from) == ("urn:act:1", ())


def test_both_links_to_a_parent_are_read():
    step = one(
        "<urn:x:1> a prov:Entity, tg:Grounding ; prov:wasGeneratedBy <urn:q:1> ; prov:wasDerivedFrom <urn:q:2> ."
    )
    assert set(step.derived_from) == {"urn:q:1", "urn:q:2"}


COUNT, SCORE = "a prov:Entity, tg:Exploration ; tg:edgeCount", "a tg:EdgeSelection ; tg:score"
CONCEPTS = "a prov:Entity, tg:Grounding ; <urn:provenance-explorer:ns:concepts>"


@each(
    ("literal", "value"),
    [("7", 7), ('"7"', 7), ('"007"', 7), ('"7"^^xsd:long', 7), ('"-1"', -1), ('"0"', 0),
     ("0.5", 0.5), ('"0.5"', 0.5), ('"1"', 1), ("5.0e-1", 0.5), ('"0.50"', 0.5), ('"-2.5"', -2.5)],
)  # fmt: skip
def test_numbers_are_read_from_any_spelling(literal, value):
    assert one(f"<urn:x:1> {SCORE} {literal} .").score == value
    assert isinstance(value, float) or one(f"<urn:x:1> {COUNT} {literal} .").edge_count == value


@each(
    "told",
    [*(f"{COUNT} {odd}" for odd in ('"many"', '""', '"7 edges"', '"1.5"', "<urn:n:7>", '"7"@en', '"9"^^<urn:odd>')),
     *(f"{SCORE} {odd}" for odd in ('"nan"', '"inf"', '"1e400"', '"0x1"', '"1_0"', '"٣"')),
     *(f"{CONCEPTS} {odd}" for odd in ('"{broken"', '"null"', '"[1, 2"', '"{}"', '"[]"', '"3"'))],
)  # fmt: skip
def test_odd_values_are_kept_as_they_were(told):
    one(f"<urn:x:1> {told} .")


def test_a_literal_in_the_place_of_a_node_is_kept_beside():
    focus = one('<urn:x:1> a prov:Entity, tg:Focus ; tg:selectedEdge "urn:e:0", <urn:e:1> ; prov:wasDerivedFrom "x" .')
    assert (focus.selected_edges, focus.derived_from) == (("urn:e:1",), ())
    assert len(focus.other) == 2


def test_two_classes_that_exclude_each_other_are_both_kept():
    entity = one("<urn:x:1> a prov:Entity, tg:Focus, tg:Grounding, tg:Synthesis, tg:Answer .")
    assert type(entity) in (e.Focus, e.Grounding, e.Synthesis)
    assert {triple.predicate for triple in entity.other} == {RDF.type}


def test_unknown_classes_and_predicates_survive():
    known = one('<urn:x:1> a prov:Entity, tg:Focus, tg:Novelty ; tg:novel "1", <urn:n:1> ; <urn:p:1> true .')
    assert type(known) is e.Focus
    assert len(known.other) == 4
    unknown = one('<urn:x:2> a tg:Novelty ; rdfs:label "New" ; prov:wasDerivedFrom <urn:x:1> ; tg:novel "1" .')
    assert type(unknown) is e.Entity
    assert (unknown.label, unknown.derived_from) == ("New", ("urn:x:1",))


@each("graph", [FACTS, SOURCE, NamedNode("urn:graph:other"), BlankNode("g")])
@each("turtle", ["<urn:x:1> a prov:Entity, tg:Focus .", '<urn:x:1> a tg:Novelty ; tg:novel "1" .'])
def test_a_node_in_another_graph_is_written_there(graph, turtle):
    one(turtle, graph)


@pytest.mark.parametrize("graph", [FACTS, SOURCE, RETRIEVAL])
def test_a_node_that_is_not_known_stays_in_its_graph_for_trustgraph_too(graph):
    given = quads('<urn:x:1> a tg:Novelty ; rdfs:label "New" ; tg:novel "1" .', graph)
    [entity] = rdf.entities(given)
    assert set(rdf.triples(entity, "trustgraph")) == set(given)


def test_a_label_in_another_language_is_kept():
    assert one('<urn:x:1> a prov:Entity, tg:Focus ; rdfs:label "Fokus"@de .').label == "Fokus"


def test_a_node_described_in_two_graphs_is_one_node():
    given = [Quad(NODE, RDF.type, TG.Document, FACTS), Quad(NODE, RDFS.label, Literal("T"), SOURCE)]
    [entity] = rdf.entities(given)
    assert isinstance(entity, e.Document)
    assert set(rdf.triples(entity)) == set(given)


def test_what_blank_nodes_say_is_no_node_of_the_record():
    assert rdf.entities([Quad(BlankNode("b"), RDF.type, TG.Focus, RETRIEVAL)]) == []


def test_a_failed_step_is_still_that_step():
    for name, cls in (("Observation", e.Observation), ("Finding", e.Finding), ("StepResult", e.StepResult)):
        told = one(f'<urn:x:1> a prov:Entity, tg:{name}, tg:Answer, tg:Error ; tg:toolError "No." .')
        assert type(told) is cls
        assert told.error == "No."
        silent = one(f"<urn:x:1> a prov:Entity, tg:{name}, tg:Answer, tg:Error .")
        assert type(silent) is cls
    assert type(one('<urn:x:1> a prov:Entity, tg:Error ; tg:toolError "No." .')) is e.Failure


def test_several_failed_synonyms_of_one_edge_are_all_kept():
    edges = [Triple(NODE, RDFS.label, Literal(word)) for word in "ab"]
    given = [Quad(NODE, TG.edge, edge, RETRIEVAL) for edge in edges]
    [selection] = rdf.entities(given)
    assert selection.edge == edges[0]
    assert [triple.object for triple in selection.other] == edges[1:]
    assert set(rdf.triples(selection)) == set(given)
