"""Vocabulary, entities, ontology and shapes say the same: whoever changes one of them changes all."""

import itertools

import rdflib
from rdflib import OWL, RDF, RDFS, SH, URIRef

from explorer.entities import CLASSES, Kind, columns
from explorer.vocab import DC, PROV, TG, X
from explorer.vocab import RDF as RDF_TERMS
from explorer.vocab import RDFS as RDFS_TERMS
from tests.each import each
from tests.rdf.ontology import ontology

TERMS, SHAPES = ontology("explorer.ttl"), ontology("shapes.ttl")
SHAPE = "urn:provenance-explorer:shapes:"
# types that stand beside a class's own
SHARED = {PROV.Entity, PROV.Activity, PROV.Agent, TG.Question, TG.Answer, TG.ToolUse, TG.Reflection}
WRITTEN = {Kind.IRI: OWL.ObjectProperty, Kind.TRIPLE: RDF.Property}
COLUMNS = [(cls, column) for cls in CLASSES for column in columns(cls)]
EXTENSION = [(cls, column) for cls, column in COLUMNS if column.predicate in X]


def own_type(cls):
    own = [kind for kind in cls.types if kind not in SHARED] or [kind for kind in cls.types if kind != PROV.Entity]
    assert len(own) == 1
    return URIRef(own[0].value)


def fields(cls):
    """The property shapes of a class by predicate: those of its fields, and those that only count."""
    shapes = SHAPES.objects(URIRef(SHAPE + cls.__name__), SH.property)
    return {path: list(group) for path, group in itertools.groupby(sorted(shapes, key=path_of), key=path_of)}


def path_of(shape):
    return str(SHAPES.value(shape, SH.path))


def counts(shapes, term):
    return [int(value) for shape in shapes for value in SHAPES.objects(shape, term)]


def test_terms_of_the_ontology_classes_of_the_shapes_and_terms_that_these_speak_of_are_known():
    declared = {str(term) for term in TERMS.subjects(RDF.type) if str(term).startswith(X.base)} - {X.base}
    assert declared == {term.value for term in X}
    shapes = {str(shape).removeprefix(SHAPE) for shape in SHAPES.subjects(RDF.type, SH.NodeShape)}
    across = {"HasParent", "ShouldHaveParent", "OneKind", "OneEngine", "ActivityOrEntity", "SpanInOrder"}
    assert shapes == {cls.__name__ for cls in CLASSES} | across
    known = {term.value for space in (TG, PROV, DC, X, RDF_TERMS, RDFS_TERMS) for term in space}
    spaces = tuple(space.base for space in (TG, PROV, DC, X))
    used = {str(node) for triple in SHAPES for node in triple if isinstance(node, URIRef)}
    assert {node for node in used if node.startswith(spaces)} - known == set()


@each("term", list(X), ids=lambda term: term.value.removeprefix(X.base))
def test_a_term_is_labelled_explained_and_placed(term):
    term = URIRef(term.value)
    needed = [RDFS.label, RDFS.comment, RDFS.isDefinedBy]
    if (term, RDF.type, OWL.Class) not in TERMS:
        needed += [RDFS.domain, RDFS.range]
    assert [predicate for predicate in needed if len(list(TERMS.objects(term, predicate))) != 1] == []


@each(("cls", "column"), EXTENSION, ids=lambda value: getattr(value, "name", None))
def test_a_term_is_of_the_kind_in_which_it_is_written(cls, column):
    term = URIRef(column.predicate.value)
    assert TERMS.value(term, RDF.type) == WRITTEN.get(column.kind, OWL.DatatypeProperty)
    assert (TERMS.value(term, RDFS.range) == RDF.JSON) == (column.kind in (Kind.JSON, Kind.LIST))


def test_the_domain_of_a_term_is_the_classes_that_have_it():
    for term in {column.predicate for _, column in EXTENSION}:
        domain = TERMS.value(URIRef(term.value), RDFS.domain)
        union = TERMS.value(domain, OWL.unionOf)
        told = {domain} if union is None else set(TERMS.items(union))
        if told != {URIRef(PROV.Entity.value)}:  # of anything on record
            assert told == {own_type(cls) for cls, column in EXTENSION if column.predicate == term}, term


@each("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_a_class_has_a_shape_with_exactly_its_fields(cls):
    shape = URIRef(SHAPE + cls.__name__)
    assert (shape, RDF.type, SH.NodeShape) in SHAPES
    assert set(SHAPES.objects(shape, SH.targetClass)) == {own_type(cls)}
    assert set(fields(cls)) == {column.predicate.value for column in columns(cls)}


@each(("cls", "column"), COLUMNS, ids=lambda value: getattr(value, "name", None) or getattr(value, "__name__", None))
def test_a_field_is_shaped_as_it_is_written(cls, column):
    shapes = fields(cls)[column.predicate.value]
    told = {
        term: [value for shape in shapes for value in SHAPES.objects(shape, term)]
        for term in (SH.nodeKind, SH.datatype, SH["class"], SH.pattern, SH.description)
    }
    several = column.many or column.predicate == PROV.wasAssociatedWith  # of a run's activity
    assert counts(shapes, SH.maxCount) == ([] if several else [1])
    assert counts(shapes, SH.minCount) in ([], [1])
    assert told[SH.nodeKind] == [SH.IRI if column.kind in (Kind.IRI, Kind.TRIPLE) else SH.Literal]
    assert told[SH["class"]] == ([RDF.Statement] if column.kind is Kind.TRIPLE else [])
    assert told[SH.datatype] == ([RDF.JSON] if column.kind in (Kind.JSON, Kind.LIST) else [])
    assert bool(told[SH.pattern]) >= (column.kind in (Kind.INTEGER, Kind.NUMBER))
    assert len(told[SH.description]) == 1


def test_types_that_exclude_each_other_are_those_of_the_classes():
    told = set(SHAPES.objects(URIRef(SHAPE + "OneKind"), SH.targetClass))
    alone = {"GraphRagQuestion", "DocRagQuestion", "AgentQuestion", "Reflection", "Activity", "Agent", "Failure",
             "RunAgent", "Person"}  # fmt: skip
    assert told == {own_type(cls) for cls in CLASSES if cls.__name__ not in alone}
    one = SHAPES.value(URIRef(SHAPE + "one-kind"), SH.qualifiedValueShape)
    assert set(SHAPES.items(SHAPES.value(one, SH["in"]))) == told


@each("name", ["explorer.ttl", "shapes.ttl"])
def test_both_files_read_the_same_in_another_parser(name):
    from pyoxigraph import RdfFormat, parse

    text = rdflib.Graph.serialize(ontology(name), format="nt")
    assert len(ontology(name)) == len(list(parse(text, format=RdfFormat.N_TRIPLES)))
