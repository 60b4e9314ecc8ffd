"""PROV of other tools: what a relation says beyond the two that it relates is read, as the prov package has it."""

import json

import pytest
from prov.model import ProvDocument, ProvMention
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


EVERY = f"""document
prefix ex <{EX}>
entity(ex:report, [prov:label="Yearly report"@de, prov:type='prov:Plan', ex:year="2021" %% xsd:gYear])
entity(ex:data, [ex:n="4" %% xsd:long, ex:page="http://example.org/p" %% xsd:anyURI, ex:is="true" %% xsd:boolean])
activity(ex:write, 2021-03-01T09:00:00, 2021-03-01T17:00:00+02:00, [prov:type="writing"])
agent(ex:mara, [prov:type='prov:Person', prov:location='ex:lab'])
entity(ex:mara)
wasGeneratedBy(ex:g1; ex:report, ex:write, 2021-03-01T16:59:00, [prov:role="final"])
wasGeneratedBy(ex:data, -, 2021-02-01T00:00:00)
wasGeneratedBy(ex:data, ex:collect, -)
wasGeneratedBy(ex:once, ex:collect, 2021-02-02T00:00:00)
used(ex:u1; ex:write, ex:data, 2021-03-01T10:00:00, [prov:role='ex:source', ex:rows="3" %% xsd:int])
used(ex:write, ex:data, -)
used(ex:write, -, 2021-03-01T10:30:00)
wasInformedBy(ex:write, ex:collect, [prov:label="told"@en])
wasStartedBy(ex:write, ex:mail, ex:ask, 2021-03-01T08:00:00)
wasEndedBy(ex:write, -, ex:ask, 2021-03-01T18:00:00)
wasEndedBy(ex:collect, -, -, -)
wasInvalidatedBy(ex:i1; ex:data, ex:del, 2022-01-01T00:00:00)
wasDerivedFrom(ex:report, ex:data, ex:write, ex:g1, ex:u1, [prov:type='prov:Quotation'])
wasDerivedFrom(ex:report, ex:draft, [prov:type='prov:Revision', ex:note="one\\ntwo"])
wasDerivedFrom(ex:report, ex:letter, [prov:type='prov:PrimarySource'])
wasDerivedFrom(ex:report, ex:letter)
wasAttributedTo(ex:report, ex:mara)
wasAssociatedWith(ex:as; ex:write, ex:mara, ex:report, [prov:role="author"])
wasAssociatedWith(ex:write, -, ex:report)
actedOnBehalfOf(ex:mara, ex:firm, ex:write)
wasInfluencedBy(ex:report, ex:mara, [ex:how="much"])
specializationOf(ex:r2, ex:report)
alternateOf(ex:r2, ex:r3)
mentionOf(ex:r2, ex:report, ex:b1)
hadMember(ex:coll, ex:data)
bundle ex:b1
  entity(ex:inner)
  wasAttributedTo(ex:at; ex:inner, ex:mara, [prov:type="loose"])
endBundle
endDocument"""  # fmt: skip
READ = {"prov-json": "json", "prov-n": "provn", "prov-xml": "xml"}


@each("out", ["prov-json", "prov-n"])
@each("form", READ)
def test_each_kind_of_relation_comes_back_out_with_all_that_it_says(form, out):
    given = ProvDocument.deserialize(content=EVERY, format="provn")
    quads = rdf.load(given.serialize(format=READ[form]), form).quads
    back = ProvDocument.deserialize(content=rdf.dump(quads, out).decode(), format=READ[out])
    for theirs, ours in ((given, back), *zip(given.bundles, back.bundles, strict=True)):
        assert set(ours.get_records()) == set(theirs.get_records())


@each("name, make", examples.tests)
def test_examples_of_the_prov_package_come_back_equal(name, make):
    given = make()
    for out in ("prov-json", "prov-n"):
        quads = rdf.load(given.serialize(format="json"), "prov-json").quads
        assert ProvDocument.deserialize(content=rdf.dump(quads, out).decode(), format=READ[out]) == given, out


@each("out", ["prov-json", "prov-n"])
@each(
    "other",
    ["used(ex:u; ex:a, ex:c, -, [ex:n='ex:x'])", "used(ex:u; ex:a, ex:b, -, [ex:n='ex:x'])",
     "wasGeneratedBy(ex:u; ex:b, ex:a, -)", "wasEndedBy(ex:u; ex:a, -, ex:c, -)", "entity(ex:u, [ex:n=1])",
     "activity(ex:a)\nentity(ex:w)\nwasGeneratedBy(ex:a; ex:w, ex:a, -)"],
)  # fmt: skip
def test_relations_with_the_name_of_another_or_of_an_element_come_back_out_each_with_it(other, out):
    text = f"document\nprefix ex <{EX}>\nused(ex:u; ex:a, ex:b, -)\n{other}\nused(ex:w; ex:a, ex:b, -)\nendDocument"
    loaded = rdf.load(text, "prov-n")
    back = ProvDocument.deserialize(content=rdf.dump(loaded.quads, out).decode(), format=READ[out])
    assert loaded.refused == ()
    assert set(back.get_records()) == set(ProvDocument.deserialize(content=text, format="provn").get_records())


@each("other", ["ex:e, ex:g2, ex:b", "ex:e, ex:g, ex:c", "ex:e, ex:g2, -"])
def test_a_second_mention_of_an_entity_is_told(other):
    said = "\n".join(f"mentionOf({one})" for one in ("ex:e, ex:g, ex:b", other, "ex:f, ex:g, ex:b"))
    text = f"document\nprefix ex <{EX}>\n{said}\nendDocument"
    loaded = rdf.load(text, "prov-n")
    back = ProvDocument.deserialize(content=rdf.dump(loaded.quads, "prov-json").decode())
    assert [one.statement for one in loaded.refused] == [f"mentionOf({other})"]
    kept = [[value.localpart for _, value in record.formal_attributes] for record in back.get_records(ProvMention)]
    assert sorted(kept) == [["e", "g", "b"], ["f", "g", "b"]]


@each("around", [("<!-- of the museum -->", ""), ("", "<!-- end -->"), ("<?tool x?>\n<!-- a -->", "\n<?tool y?>")])
def test_what_stands_around_the_root_of_prov_xml_ends_nothing(around):
    names = 'xmlns:prov="http://www.w3.org/ns/prov#" xmlns:e="http://e/"'
    document = f'<prov:document {names}><!-- in --><prov:entity prov:id="e:a"/></prov:document>'
    data = f'<?xml version="1.0"?>\n{around[0]}{document}{around[1]}'
    assert [str(one.subject) for one in rdf.load(data, rdf.guess("a.xml", data)).quads] == ["<http://e/a>"]


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
