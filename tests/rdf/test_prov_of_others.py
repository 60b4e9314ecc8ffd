"""PROV of other tools: what a relation says beyond the two that it relates is read, as the prov package has it."""

import json

import pytest
from prov.tests import examples
from pyoxigraph import BlankNode, NamedNode, RdfFormat, parse

from explorer import rdf
from explorer.errors import RecordError
from explorer.vocab import PROV
from tests.each import each

TOLD = ("hadRole", "hadPlan", "hadActivity", "hadGeneration", "hadUsage", "agent", "entity")
EX = "http://example.org/"


def said(quads):
    """What stands on the nodes of relations, and which relations are qualified."""
    found = set()
    for quad in quads:
        name = quad.predicate.value.removeprefix(PROV.base)
        if name in TOLD or (name.startswith("qualified") and name != "qualifiedGeneration"):
            found.add((name, "" if isinstance(quad.object, BlankNode) else quad.object.value))
    return found


@each("name, make", examples.tests)
def test_relations_are_qualified_as_the_prov_package_does(name, make):
    document = make()
    theirs = said(parse(document.serialize(format="rdf", rdf_format="trig").encode(), format=RdfFormat.TRIG))
    for form, written in (("prov-json", "json"), ("prov-n", "provn"), ("prov-xml", "xml")):
        assert said(rdf.load(document.serialize(format=written).encode(), form).quads) == theirs, form


RELATIONS = {
    "wasAssociatedWith(ex:a, ex:b, ex:c, [prov:role='ex:r'])": (
        "Association", {"agent": "b", "hadPlan": "c", "hadRole": "r"}),
    "wasDerivedFrom(ex:a, ex:b, ex:c, ex:g, ex:u)": (
        "Derivation", {"entity": "b", "hadActivity": "c", "hadGeneration": "g", "hadUsage": "u"}),
    "wasDerivedFrom(ex:a, ex:b, [prov:type='prov:Quotation'])": ("Quotation", {"entity": "b"}),
    "wasStartedBy(ex:a, ex:b, ex:c, -)": ("Start", {"entity": "b", "hadActivity": "c"}),
    "wasEndedBy(ex:a, -, ex:c, -)": ("End", {"hadActivity": "c"}),
    "used(ex:n; ex:a, ex:b, -)": ("Usage", {"entity": "b"}),
    "actedOnBehalfOf(ex:a, ex:b, ex:c)": ("Delegation", {"agent": "b", "hadActivity": "c"}),
}  # fmt: skip


@each(("relation", "kind", "told"), [(relation, *expected) for relation, expected in RELATIONS.items()])
def test_what_a_relation_says_stands_on_its_node(relation, kind, told):
    text = f"document\nprefix ex <{EX}>\nprefix xsd <http://www.w3.org/2001/XMLSchema>\n{relation}\nendDocument"
    quads = rdf.load(text, "prov-n").quads
    [node] = [quad.object for quad in quads if quad.predicate.value == f"{PROV.base}qualified{kind}"]
    found = {quad.predicate.value.removeprefix(PROV.base): quad.object for quad in quads if quad.subject == node}
    assert {name: found[name] for name in told} == {name: NamedNode(EX + end) for name, end in told.items()}


@each("order", [["prefix", "entity", "used"], ["used", "prefix", "entity"], ["hadMember", "prefix", "entity"]])
def test_prov_json_is_told_whatever_its_first_key(order):
    value = {"prefix": {"ex": EX}, "entity": {"ex:a": {"ex:note": '"@id": {['}}}
    data = json.dumps({key: value.get(key, {}) for key in order})
    assert rdf.guess("a.json", data.encode()) == "prov-json"
    assert rdf.load(data).given == 2


@each("data", ['{"a": 1, "b": {"entity": {}}}', '[{"name": "x"}]', '{"name": "@id"}'])
def test_json_that_is_nothing_of_this_is_refused_in_one_sentence(data):
    with pytest.raises(RecordError, match=r"^This json-ld can't be read: it has no @context, @id or @graph[^\n]*\.$"):
        rdf.load(data, rdf.guess("a.json", data.encode()))


@each("encoding", ["ISO-8859-1", "utf-16", "windows-1252"])
def test_rdf_xml_is_read_in_the_encoding_that_it_declares(encoding):
    text = (
        f'<?xml version="1.0" encoding="{encoding}"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        f'xmlns:ex="{EX}"><rdf:Description rdf:about="{EX}a"><ex:name>Jörg</ex:name></rdf:Description></rdf:RDF>'
    )
    [quad] = rdf.load(text.encode(encoding), "rdfxml").quads
    assert quad.object.value == "Jörg"
