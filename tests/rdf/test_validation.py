import subprocess
import sys
import time

import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple

from explorer import entities as e
from explorer import rdf
from explorer.rdf.validation import ValidationResult
from explorer.vocab import PROV, RDF, RDFS, RETRIEVAL, SOURCE, TG, X
from tests.each import each
from tests.rdf.ontology import ontology

EDGE = Triple(NamedNode("urn:s"), NamedNode("urn:p"), Literal("o"))
NODE = NamedNode("urn:x:1")


def violations(record):
    return [finding for finding in rdf.validate(record) if finding.severity == "violation"]


def test_what_trustgraph_writes_conforms(conformance):
    for path in sorted((conformance / "golden" / "builders").glob("*.nq")):
        assert violations(rdf.load(path.read_bytes(), "nq").quads) == [], path.name


def of(cls, *more):
    """A node with the types of a class, a parent, and what else is said of it."""
    types = [(RDF.type, kind) for kind in cls.types]
    return [Quad(NODE, predicate, value, cls.graph)
            for predicate, value in [*types, (PROV.wasDerivedFrom, NamedNode("urn:x:0")), *more]]  # fmt: skip


SELECTED = (TG.edge, EDGE)


@each(("described", "path", "message"), [
    # wrong ranges
    (of(e.Exploration, (TG.edgeCount, Literal("many"))), TG.edgeCount,
     "tg:edgeCount is 'many', not a whole number from 0."),
    (of(e.Exploration, (TG.edgeCount, Literal("-1"))), TG.edgeCount,
     "tg:edgeCount is '-1', not a whole number from 0."),
    (of(e.Page, (TG.pageNumber, Literal("0"))), TG.pageNumber, "tg:pageNumber is '0', not a whole number from 1."),
    (of(e.EdgeSelection, SELECTED, (TG.score, Literal("high"))), TG.score, "tg:score is 'high', not a number."),
    (of(e.Subgraph, (TG.contains, EDGE), (X.confidence, Literal("1.1"))), X.confidence,
     "x:confidence is '1.1', not a number from 0 to 1."),
    (of(e.Question, (TG.query, Literal("q")), (PROV.startedAtTime, Literal("now"))), PROV.startedAtTime,
     "prov:startedAtTime is 'now', not a time in ISO 8601."),
    (of(e.End, (X.reason, Literal("bored"))), X.reason,
     "x:reason is 'bored', not done, declined, error, stopped or interrupted."),
    (of(e.End, (X.reason, Literal("done")), (X.calls, Literal("few"))), X.calls,
     "x:calls is 'few', not a whole number from 0."),
    (of(e.Observation, (X.detailLevel, Literal("full"))), X.detailLevel,
     "x:detailLevel is 'full', not basic or enhanced."),
    (of(e.Observation, (X.consulted, Literal("page 3"))), X.consulted, "x:consulted is 'page 3', not a node."),
    (of(e.StepResult, (TG.planStep, Literal("g")), (X.confidence, Literal("2"))), X.confidence,
     "x:confidence is '2', not a number from 0 to 1."),
    (of(e.Grounding, (X.concepts, Literal("[]"))), X.concepts, "x:concepts is '[]', not a JSON literal."),
    # a literal where a node belongs, and the other way round
    (of(e.Focus, (TG.selectedEdge, Literal("urn:e"))), TG.selectedEdge, "tg:selectedEdge is 'urn:e', not a node."),
    (of(e.Focus, (PROV.wasDerivedFrom, Literal("x"))), PROV.wasDerivedFrom, "prov:wasDerivedFrom is 'x', not a node."),
    (of(e.Focus, (TG.selectedEdge, BlankNode("b"))), TG.selectedEdge, "tg:selectedEdge is 'b', not a node."),
    (of(e.Grounding, (TG.concept, NODE)), TG.concept, "tg:concept is <urn:x:1>, not a literal."),
    (of(e.Grounding, (TG.concept, EDGE)), TG.concept, "tg:concept is a quoted triple, not a literal."),
    (of(e.EdgeSelection, (TG.edge, NODE)), TG.edge, "tg:edge is <urn:x:1>, not a quoted triple."),
    (of(e.EdgeSelection, (TG.edge, Literal("s p o"))), TG.edge, "tg:edge is 's p o', not a quoted triple."),
    # what has to be there, and once
    (of(e.EdgeSelection), TG.edge, "tg:edge is missing."),
    (of(e.Question), TG.query, "tg:query is missing."),
    (of(e.Failure), TG.toolError, "tg:toolError is missing."),
    (of(e.Synthesis)[:-1], PROV.wasDerivedFrom, "prov:wasDerivedFrom is missing."),
    (of(e.ChunkSelection), TG.document, "tg:document is missing."),
    (of(e.Candidate), X.edge, "x:edge is missing."),
    (of(e.Exploration, (RDFS.label, Literal("a")), (RDFS.label, Literal("b"))), RDFS.label,
     "rdfs:label has more than one value."),
    # types that exclude each other
    ([*of(e.Question, (TG.query, Literal("q"))), Quad(NODE, RDF.type, TG.Synthesis)], RDF.type,
     "rdf:type names kinds that exclude each other."),
    (of(e.GraphRagQuestion, (TG.query, Literal("q")), (RDF.type, TG.AgentQuestion)), RDF.type,
     "rdf:type names engines that exclude each other."),
    (of(e.Activity, (RDF.type, PROV.Entity)), RDF.type,
     "rdf:type says both prov:Activity and prov:Entity, which exclude each other."),
    # across fields
    (of(e.Citation, (X.start, Literal("10")), (X.end, Literal("9")), (X.cites, NODE)), None,
     "x:start lies behind x:end."),
])  # fmt: skip
def test_what_is_wrong_is_said_with_node_path_and_message(described, path, message):
    assert violations(described) == [ValidationResult(NODE.value, path and path.value, message, "violation")]


def test_what_is_only_missed_is_a_warning():
    [finding] = rdf.validate(of(e.Question, (TG.query, Literal("q"))))
    assert (finding.path, finding.severity) == (PROV.startedAtTime.value, "warning")
    analysis = [quad for quad in of(e.Analysis, (TG.action, Literal("a"))) if quad.predicate != PROV.wasDerivedFrom]
    [finding] = rdf.validate(analysis)
    assert (finding.path, finding.severity) == (PROV.wasDerivedFrom.value, "warning")


@each("described", [
    [*of(e.Exploration)[: len(e.Exploration.types)], Quad(NODE, PROV.wasGeneratedBy, NODE)],
    of(e.Exploration, (TG.edgeCount, Literal("47", datatype=NamedNode("http://www.w3.org/2001/XMLSchema#integer")))),
    of(e.Observation, (RDF.type, TG.Reflection), (RDF.type, TG.Error), (TG.toolError, Literal("e"))),
    [Quad(NODE, RDF.type, PROV.Activity), Quad(NODE, RDF.type, TG.Question), Quad(NODE, TG.query, Literal("q")),
     Quad(NODE, PROV.startedAtTime, Literal("2026-01-15T10:30:00Z"))],
    of(e.Synthesis, (NamedNode("urn:unknown"), Literal("kept"))),
    [Quad(NODE, RDF.type, NamedNode("urn:t")), Quad(NODE, TG.score, Literal("high"))],  # of no class of ours
    [Quad(NODE, RDF.type, TG.EdgeSelection, RETRIEVAL), Quad(NODE, TG.edge, EDGE, SOURCE)],  # in two graphs
])  # fmt: skip
def test_older_and_richer_forms_conform(described):
    assert rdf.validate(described) == []


def test_a_literal_of_10_megabytes_is_shown_by_its_beginning():
    [finding] = violations(of(e.Exploration, (TG.edgeCount, Literal("x" * 10_000_000))))
    assert len(finding.message) < 200


def test_many_children_of_one_node_are_checked_in_no_more_than_their_time():
    many = [Quad(NODE, TG.selectedEdge, NamedNode(f"urn:e:{i}"), RETRIEVAL) for i in range(20_000)]
    begun = time.thread_time()
    assert rdf.validate([*of(e.Focus), *many]) == []
    assert time.thread_time() - begun < 12


def test_findings_come_in_order():
    record = [q for i in (3, 1, 2) for q in rdf.triples(e.EdgeSelection(iri=f"urn:e:{i}", score=0.1))]
    assert [finding.node for finding in rdf.validate(record)] == ["urn:e:1", "urn:e:2", "urn:e:3"]


@pytest.mark.parametrize("name", ["explorer.ttl", "shapes.ttl"])
def test_the_ontology_is_part_of_the_package(name):
    assert len(ontology(name)) > 50


def test_importing_the_record_loads_no_validator():
    code = "import sys; from explorer import rdf; print({'rdflib', 'shacl_rust', 'prov'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
