import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple

from explorer.stores.default_graph import facts, is_fact
from explorer.vocab import DC, FACTS, PROV, RDF, RDFS, SOURCE, TG
from tests.each import each

A, KNOWS, B = (NamedNode(f"urn:{name}") for name in ("a", "knows", "b"))


@pytest.mark.parametrize("obj", [B, Literal("b"), Literal("b", language="en")])
def test_a_statement_about_a_thing_in_the_default_graph_is_a_fact(obj):
    assert is_fact(Quad(A, KNOWS, obj, FACTS))
    assert is_fact(Quad(A, RDF.type, B, FACTS))


@each("quad", [
    Quad(A, KNOWS, B, SOURCE),
    Quad(A, RDFS.label, Literal("a"), FACTS),
    Quad(A, DC.title, Literal("a"), FACTS),
    Quad(A, RDF.type, TG.Document, FACTS),
    Quad(A, RDF.type, PROV.Entity, FACTS),
    Quad(A, KNOWS, BlankNode(), FACTS),
    Quad(BlankNode(), KNOWS, B, FACTS),
    Quad(A, KNOWS, Triple(A, KNOWS, B), FACTS),
])  # fmt: skip
def test_labels_metadata_and_what_has_no_name_are_no_facts(quad):
    assert list(facts([quad])) == []
