"""JSON-LD whose context is elsewhere is read by the contexts that come along; nothing is fetched."""

import json

import pytest
from pyoxigraph import Literal, NamedNode

from explorer import rdf
from explorer.errors import RecordError
from tests.each import each

BASE = "file:///crate/ro-crate-metadata.json"
SCHEMA = "http://schema.org/"
PROV = "http://www.w3.org/ns/prov#"


def stated(context, **told):
    """The predicates and the objects of what a node of some terms says."""
    value = {"@context": context, "@id": "data.csv", **told}
    loaded = rdf.load(json.dumps(value), "json-ld", base=BASE)
    assert loaded.refused == ()
    assert {quad.subject for quad in loaded.quads} == {NamedNode("file:///crate/data.csv")}
    return {(quad.predicate.value, quad.object.value) for quad in loaded.quads}


CRATE = "https://w3id.org/ro/crate/"
RUN = "https://w3id.org/ro/terms/workflow-run"


@each(("context", "told", "said"), [
    (f"{CRATE}1.0/context", {"name": "x"}, {(SCHEMA + "name", "x")}),
    (f"{CRATE}1.1/context", {"input": "y"}, {("https://bioschemas.org/ComputationalWorkflow#input", "y")}),
    (f"{CRATE}1.2/context", {"input": "y"}, {("https://bioschemas.org/properties/input", "y")}),
    (f"{CRATE}1.2-DRAFT/context", {"input": "y"}, {("https://bioschemas.org/properties/input", "y")}),
    (f"{CRATE}1.3/context", {"input": "y"}, {("https://bioschemas.org/terms/input", "y")}),
    (f"{CRATE}2.0-DRAFT/context", {"input": "y"}, {("https://bioschemas.org/terms/input", "y")}),
    (f"{CRATE}0.2-DRAFT/context", {"name": "x"}, {(SCHEMA + "name", "x")}),
    ("http://www.researchobject.org/ro-crate/specification/1.1/context.jsonld", {"name": "x"},
     {(SCHEMA + "name", "x")}),
    ([f"{CRATE}1.1/context", RUN], {"sha256": "1", "md5": "2"}, {(f"{RUN}#sha256", "1"), (f"{RUN}#md5", "2")}),
    ([f"{CRATE}1.1/context", f"{RUN}/context", {"own": "urn:own"}], {"own": "1"}, {("urn:own", "1")}),
    ("https://schema.org", {"name": "x", "url": "http://e/"}, {(SCHEMA + "name", "x"), (SCHEMA + "url", "http://e/")}),
    ("http://schema.org/docs/jsonldcontext.jsonld", {"dateCreated": "2024"}, {(SCHEMA + "dateCreated", "2024")}),
    ("https://openprovenance.org/prov-jsonld/context.jsonld", {"@type": "Entity"},
     {("http://www.w3.org/1999/02/22-rdf-syntax-ns#type", PROV + "Entity")}),
    ("http://www.w3.org/ns/anno.jsonld", {"creator": "http://e/me"},
     {("http://purl.org/dc/terms/creator", "http://e/me")}),
    ("http://www.w3.org/ns/csvw", {"dc:title": "x"}, {("http://purl.org/dc/terms/title", "x")}),
    ("https://doi.org/10.5063/schema/codemeta-2.0", {"readme": "http://e/r"},
     {("https://codemeta.github.io/terms/readme", "http://e/r")}),
    ("https://w3id.org/bundle/context", {"createdBy": "http://e/me"},
     {("http://purl.org/pav/createdBy", "http://e/me")}),
    ({"@version": 1.1, "@import": f"{CRATE}1.1/context", "own": "urn:own"}, {"name": "x", "own": "1"},
     {(SCHEMA + "name", "x"), ("urn:own", "1")}),
    ({"part": {"@id": "urn:part", "@context": "https://schema.org"}}, {"part": {"@id": "data.csv", "name": "x"}},
     {("urn:part", "file:///crate/data.csv"), (SCHEMA + "name", "x")}),
])  # fmt: skip
def test_a_context_that_is_elsewhere_is_there(context, told, said):
    assert stated(context, **told) == said


@each(
    "context",
    ["https://example.org/context", "context.jsonld", [f"{CRATE}1.1/context", "https://w3id.org/ro/terms/unknown"]],
)
def test_a_context_that_is_not_there_is_named_in_one_sentence(context):
    named = context if isinstance(context, str) else context[-1]
    with pytest.raises(RecordError) as refused:
        stated(context, name="x")
    assert str(refused.value) == (
        f"This json-ld can't be read: its @context {named} is elsewhere, and none of those that come with this "
        "package; put the context itself into the file. Nothing of it was stored; correct it first."
    )


def test_contexts_without_end_are_refused():
    graph = [{"@context": "https://schema.org", "name": "x"}] * 101
    with pytest.raises(RecordError, match="it names contexts more than 100 times"):
        rdf.load(json.dumps({"@graph": graph}), "json-ld")


def test_texts_that_look_like_a_context_stay_as_they_are():
    text = 'say "@context": "https://schema.org" \\"@context\\":'
    assert stated("https://schema.org", name=text, alternateName=1.5) >= {(SCHEMA + "name", text)}


@each("name", ["@id", "id", "uri"])
def test_an_identifier_that_is_null_says_nothing(name):
    context = ["https://w3id.org/bundle/context", {"uri": "@id", "id": "@id", "label": "http://e.org/label"}]
    raw = json.dumps({"@context": context, "uri": "http://e.org/a", "createdBy": {name: None, "label": "cwltool"}})
    assert sum(quad.object == Literal("cwltool") for quad in rdf.load(raw, "json-ld").quads) == 1
