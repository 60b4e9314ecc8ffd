from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import NamedNode

from explorer.vocab import DC, PROV, RDF, RDFS, TG, Recognised, X, entity_iri, iri, local_name, recognise, timestamp
from tests.each import each

INDEXED = ["edge", "candidate", "citation"]
PLAIN = (
    "question grounding exploration focus synthesis answer failure end document page section chunk activity agent "
    "subgraph"
).split()


def test_a_term_is_its_namespace_and_its_name():
    assert TG.selectedEdge == NamedNode("https://trustgraph.ai/ns/selectedEdge")
    assert PROV.wasDerivedFrom == NamedNode("http://www.w3.org/ns/prov#wasDerivedFrom")
    assert DC.title == NamedNode("http://purl.org/dc/elements/1.1/title")
    assert RDFS.label == NamedNode("http://www.w3.org/2000/01/rdf-schema#label")
    assert X.sequence == NamedNode("urn:provenance-explorer:ns:sequence")


@pytest.mark.parametrize(("namespace", "name"), [(TG, "selectedEdges"), (PROV, "derivedFrom"), (X, "Sequence")])
def test_a_misspelt_term_raises_and_names_itself(namespace, name):
    with pytest.raises(AttributeError, match=rf"'{name}' is not a term of <{namespace.base}>"):
        getattr(namespace, name)


def test_a_namespace_holds_its_terms_and_no_others():
    assert TG.edge in TG
    assert NamedNode("https://trustgraph.ai/ns/nothing") not in TG
    assert X.edge not in TG
    assert RDF.type in set(RDF)


@each(
    ("kind", "key", "index", "made"),
    [
        ("question", "7c9e6679-7425-40de-944b-e07fc1f90ae7", None,
         "urn:trustgraph:question:7c9e6679-7425-40de-944b-e07fc1f90ae7"),
        ("grounding", "s", None, "urn:trustgraph:prov:grounding:s"),
        ("edge", "s", 0, "urn:trustgraph:prov:edge:s:0"),
        ("synthesis", "s", None, "urn:trustgraph:prov:synthesis:s"),
        ("answer", "s", None, "urn:trustgraph:synthesis:s"),
        ("candidate", "s", 12, "urn:trustgraph:prov:candidate:s:12"),
        ("document", "abc", None, "https://trustgraph.ai/doc/abc"),
        ("agent", "pdf decoder/1", None, "https://trustgraph.ai/agent/pdf%20decoder%2F1"),
        ("subgraph", "u", None, "https://trustgraph.ai/subgraph/u"),
    ],
)  # fmt: skip
def test_iris_follow_the_patterns(kind, key, index, made):
    assert iri(kind, key, index) == made
    assert recognise(made) == Recognised(kind, key, index)


@given(st.sampled_from(PLAIN + INDEXED), st.text(min_size=1, max_size=12), st.integers(0, 10**6))
def test_any_key_and_index_are_recognised_again(kind, key, number):
    index = number if kind in INDEXED else None
    made = iri(kind, key, index)
    assert recognise(NamedNode(made).value) == Recognised(kind, key, index)


@each(
    "foreign",
    ["", "urn:trustgraph:question:", "urn:trustgraph:prov:edge:s", "urn:trustgraph:prov:edge:s:x", "https://example.org/",
     "urn:trustgraph:question:a:b", "http://trustgraph.ai/e/tank"],
)  # fmt: skip
def test_an_iri_that_is_not_of_ours_is_not_recognised(foreign):
    assert recognise(foreign) is None


def test_an_entity_iri_is_its_label_in_lower_case_with_hyphens():
    assert entity_iri("Oxygen tank no. 2") == "http://trustgraph.ai/e/oxygen-tank-no.-2"
    assert entity_iri("a/b?c#d") == "http://trustgraph.ai/e/a%2Fb%3Fc%23d"
    assert entity_iri("Skłodowska") == "http://trustgraph.ai/e/sk%C5%82odowska"


@given(st.text())
def test_an_entity_iri_is_an_iri_whatever_the_label(label):
    NamedNode(entity_iri(label))


def test_a_local_name_can_be_read():
    assert local_name(entity_iri("Oxygen Tank")) == "oxygen tank"
    assert local_name("http://www.w3.org/2004/02/skos/core#definition") == "definition"
    assert local_name("https://example.org/a%20b/") == "a b"
    assert local_name("urn:x:y") == "y"
    assert local_name("###") == "###"


def test_a_timestamp_is_utc_with_z_and_microseconds_only_when_there_are_any():
    assert timestamp(datetime(2026, 1, 15, 10, 30, tzinfo=UTC)) == "2026-01-15T10:30:00Z"
    assert timestamp(datetime(2026, 1, 15, 10, 30, 0, 5, tzinfo=UTC)) == "2026-01-15T10:30:00.000005Z"
    east = timezone(timedelta(hours=2))
    assert timestamp(datetime(2026, 1, 15, 12, 30, tzinfo=east)) == "2026-01-15T10:30:00Z"
