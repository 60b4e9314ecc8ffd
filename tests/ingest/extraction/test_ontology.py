"""An ontology says what a model looks for; what does not fit it is told and left out."""

import json

import pytest
from pyoxigraph import Literal, NamedNode

from explorer.errors import DocumentError
from explorer.ingest.extraction.ontology import Ontology, is_value
from explorer.vocab import FACTS, RDF, RDFS, SOURCE, TG
from tests.each import each
from tests.ingest.test_by_model import opened
from tests.server import says, serving

VALVES = """
@prefix : <https://example.org/valves#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<https://example.org/valves> a owl:Ontology .
:Thing a owl:Class .
:Company a owl:Class ; rdfs:label "Firma"@de, "company"@en ; rdfs:subClassOf :Maker .
:Maker a owl:Class .
:ReliefValve a owl:Class .
:Pump a owl:Class .
:made a owl:ObjectProperty ; rdfs:label "built" ; rdfs:domain :Maker ;
    rdfs:range [ a owl:Class ; owl:unionOf ( :ReliefValve :Pump ) ] .
:opensAt a owl:DatatypeProperty ; rdfs:domain :ReliefValve ; rdfs:range xsd:integer .
:remark a owl:DatatypeProperty .
"""
TEXT = "Beech Aircraft built the relief valve in 1966. The relief valve opens at 983 psi. Grumman flew the pump."
RDF_XML = """<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [{}]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#">
<rdf:Property rdf:about="http://example.org/p"><rdfs:label>{}</rdfs:label></rdf:Property>
</rdf:RDF>"""
LONG = VALVES + "".join(
    f":c{n} a owl:Class ; rdfs:label \"{'c' * 90} {n}\" . :p{n} a owl:ObjectProperty ; rdfs:range [ owl:unionOf ( "
    f"{' '.join(f':c{other}' for other in range(90))} ) ] .\n" for n in range(90)
)  # fmt: skip
BASE = "https://example.org/valves#"


def item(*values):
    return dict(zip(("n", "subject", "subject_class", "predicate", "object", "object_class"), values, strict=False))


@pytest.fixture
def files(tmp_path):
    (tmp_path / "valves.ttl").write_text(VALVES)
    (tmp_path / "text.txt").write_text(TEXT)
    return tmp_path


def test_classes_and_properties_are_read_with_labels_domains_and_ranges(files):
    read = Ontology.read(files / "valves.ttl")
    assert read.iri == "https://example.org/valves"
    assert [one.name for one in read.classes] == ["company", "Maker", "Pump", "Relief Valve", "Thing"]
    assert read.class_of("COMPANY").above == {f"{BASE}Company", f"{BASE}Maker"}
    made, opens = read.property_of("built"), read.property_of("opens at")
    assert made == read.property_of("made") == read.property_of(f"{BASE}made")
    assert (made.domains, made.ranges, made.datatype) == ({f"{BASE}Maker"}, {f"{BASE}ReliefValve", f"{BASE}Pump"}, None)
    assert (opens.name, opens.datatype) == ("opens at", "http://www.w3.org/2001/XMLSchema#integer")
    assert read.property_of("nothing") is None


def test_facts_have_the_terms_of_the_ontology_and_their_ends_its_classes(files):
    said = [item(1, "Beech Aircraft", "company", "built", "relief valve", "relief valve"),
            item(2, "relief valve", "", "opensAt", "983"), item(2, "relief valve", "", "opensAt", "398")]  # fmt: skip
    with serving(says(json.dumps({"items": said}))) as server, opened(server) as ws:
        done = ws.ingest(files / "text.txt", extractors="model", ontology=files / "valves.ttl", progress=False)
        assert done.edges == 4
        assert "1 item by asked-1 was left out (1: words that are not in the passage)." in done.notes
        facts = {(quad.subject.value.rpartition("/")[2], quad.predicate.value, quad.object)
                 for quad in ws.graph.match(None, None, None, FACTS) if quad.subject.value.startswith("http://trust")
                 and quad.predicate != RDFS.label}  # fmt: skip
        integer = NamedNode("http://www.w3.org/2001/XMLSchema#integer")
        assert facts == {
            ("beech-aircraft", f"{BASE}made", NamedNode("http://trustgraph.ai/e/relief-valve")),
            ("beech-aircraft", RDF.type.value, NamedNode(f"{BASE}Company")),
            ("relief-valve", RDF.type.value, NamedNode(f"{BASE}ReliefValve")),
            ("relief-valve", f"{BASE}opensAt", Literal("983", datatype=integer)),
        }
        assert {fact.words for fact in ws.facts()} == {
            ("Beech Aircraft", "built", "relief valve"), ("Beech Aircraft", "is a", "company"),
            ("relief valve", "is a", "Relief Valve"), ("relief valve", "opens at", "983"),
        }  # fmt: skip
        [named] = ws.graph.match(None, TG.ontology, None, SOURCE)
        assert named.object == NamedNode("https://example.org/valves")
        [request] = server.asked
        prompt = request["messages"][1]["content"]
        assert '{"property": "built", "from": ["Maker"], "to": ["Pump", "Relief Valve"]}' in prompt
        assert '{"property": "opens at", "from": ["Relief Valve"], "to": "a value (integer)"}' in prompt
        form = json.dumps(request["response_format"])
        assert '"enum": ["built", "opens at", "remark"]' in form


def test_what_does_not_fit_is_left_out_and_told(files):
    said = [
        item(3, "Grumman", "company", "flew", "pump"),
        item(3, "Grumman", "airline", "built", "pump"),
        item(1, "relief valve", "relief valve", "built", "pump", "pump"),
        item(3, "Grumman", "company", "built", "Lovell", "company"),
        item(1, "relief valve", "relief valve", "opens at", "about 983 psi"),
        item(3, "pump", "Pump", "remark", "Grumman flew", "Company"),
    ]
    with serving(says(json.dumps({"items": said}), size=500)) as server, opened(server) as ws:
        done = ws.ingest(files / "text.txt", extractors="model", ontology=files / "valves.ttl", progress=False)
        assert {fact.words for fact in ws.facts()} == {("pump", "remark", "Grumman flew"), ("pump", "is a", "Pump")}
        [note] = [one for one in done.notes if "left out" in one]
        assert note.startswith("5 items by asked-1 were left out (")
        for reason in (
            "the ontology has no property “flew”", "the ontology has no class “airline”",
            "“built” does not take a subject of the class “Relief Valve”",
            "“built” does not take an object of the class “company”",
            "“opens at” takes another kind of value than “about 983 psi”",
        ):  # fmt: skip
            assert reason in note


def test_with_another_ontology_a_document_is_gone_through_again(files):
    with serving(says('{"items": []}')) as server, opened(server) as ws:
        for given in (None, files / "valves.ttl", files / "valves.ttl"):
            ws.ingest(files / "text.txt", extractors="model", ontology=given, progress=False)
        assert len(server.asked) == 2


@each(("name", "text", "said"), [
    ("broken.ttl", "@prefix : <", "can't be read"),
    ("empty.ttl", "<a:b> <a:c> <a:d> .", "has no property"),
    ("none.ttl", None, "There is no file"),
    ("many.ttl", "\n".join(f"<a:{n}> a <http://www.w3.org/2002/07/owl#ObjectProperty> ." for n in range(301)),
     "has 301 classes and properties, more than the 300"),
    ("deep.nt",
     "\n".join(f"<a:{n}> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <a:{n + 1}> ." for n in range(10_001)),
     "has 10,001 links to superclasses"),
    ("long.ttl", LONG, "characters in a prompt, more than the 60,000"),
    ("bomb.rdf", RDF_XML.format('<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">', "&b;"), "DOCTYPE"),
    ("many.rdf", RDF_XML.format(f'<!ENTITY a "{"a" * 30_000}">', "&a;" * 1_000), "DOCTYPE|amplification"),
    ("file.rdf", RDF_XML.format('<!ENTITY a SYSTEM "file:///etc/hostname">', "&a;"), "stand elsewhere"),
])  # fmt: skip
def test_what_is_no_ontology_is_refused_before_anything_is_read(files, name, text, said):
    if text is not None:
        (files / name).write_text(text)
    with serving(says("")) as server, opened(server) as ws:
        with pytest.raises(DocumentError, match=said):
            ws.ingest(files / "text.txt", extractors="model", ontology=files / name, progress=False)
        assert list(ws.documents) == []


def test_names_for_parts_of_iris_as_editors_of_ontologies_write_them_are_read(files):
    declared = '\n<!ENTITY e "http://example.org/">\n<!ENTITY words "opens at">\n'
    (files / "short.rdf").write_text(RDF_XML.format(declared, "&words; &amp; closes"))
    [found] = Ontology.read(files / "short.rdf").properties
    assert found.name == "opens at & closes"


@each(
    ("text", "kind", "fits"),
    [("-7", "integer", True), ("7.5", "integer", False), ("7.5", "decimal", True), ("1e9", "double", True),
     ("1966", "gYear", True), ("in 1966", "gYear", False), ("1970-04-13", "date", True), ("true", "boolean", True),
     ("anything", "string", True), ("0", "positiveInteger", False)],
)  # fmt: skip
def test_values_are_checked_by_their_kind(text, kind, fits):
    assert is_value(text, f"http://www.w3.org/2001/XMLSchema#{kind}") is fits
