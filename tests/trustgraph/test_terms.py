import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import BaseDirection, BlankNode, DefaultGraph, Literal, NamedNode, Quad, Triple

from explorer.errors import RecordError
from explorer.rdf.foreign.quoted_triples import DEPTH
from explorer.trustgraph.terms import from_wire, term_from_wire, term_to_wire, to_wire
from explorer.vocab import TG
from tests import strategies as own
from tests.each import each

SUBJECT, P, OBJECT = (NamedNode(f"urn:{name}") for name in "spo")
G = NamedNode("urn:g")
nodes = st.builds(NamedNode, own.iris) | st.builds(BlankNode, st.from_regex(r"[a-z][a-z0-9]{0,5}", fullmatch=True))
directed = st.builds(lambda text: Literal(text, language="ar", direction=BaseDirection.RTL), own.texts)
terms = st.recursive(
    nodes | own.literals | directed,
    lambda inner: st.builds(Triple, nodes, st.builds(NamedNode, own.iris), inner),
    max_leaves=4,
)
quads = st.builds(
    Quad, nodes, st.builds(NamedNode, own.iris), terms, st.just(DefaultGraph()) | st.builds(NamedNode, own.iris)
)


def long_term(wire):
    """A wire term with the long keys, all of them there and most of them empty."""
    names = {"i": "iri", "v": "value", "d": "id", "dt": "datatype", "ln": "language", "tr": "triple"}
    term = dict.fromkeys(names.values(), "") | {"type": wire["t"], "triple": None}
    told = {names[key]: value for key, value in wire.items() if key != "t"}
    if "triple" in told:
        told["triple"] = {key: long_term(part) for key, part in told["triple"].items()} | {"g": None}
    return term | told


@given(terms)
def test_a_term_survives_json_with_short_and_with_long_keys(term):
    wire = json.loads(json.dumps(term_to_wire(term)))
    assert term_from_wire(wire) == term
    assert term_from_wire(long_term(wire)) == term


@given(quads)
def test_a_quad_survives_the_wire_and_the_default_graph_is_not_named(quad):
    wire = to_wire(quad)
    assert ("g" in wire) == (quad.graph_name != DefaultGraph())
    assert from_wire(json.loads(json.dumps(wire))) == quad


@given(quads)
def test_a_quad_survives_as_a_line_in_both_spellings_of_quoted_triples(quad):
    edge = Quad(quad.subject, TG.edge, quad.object, quad.graph_name)
    for said, opened, closed in ((quad, "<<(", ")>>"), (edge, "<<(", ")>>"), (edge, "<<", ">>")):
        line = f"{said.subject} {said.predicate} {written(said.object, opened, closed)}"
        graph = said.graph_name
        assert from_wire(f"{line} {graph} ." if isinstance(graph, NamedNode) else f"{line} .") == said


def written(term, opened="<<(", closed=")>>"):
    if not isinstance(term, Triple):
        return str(term)
    return f"{opened} {term.subject} {term.predicate} {written(term.object, opened, closed)} {closed}"


@given(quads)
def test_terms_of_our_own_and_tuples_of_them_are_taken_as_they_are(quad):
    assert from_wire(quad) is quad
    bare = Triple(quad.subject, quad.predicate, quad.object)
    assert from_wire(bare, G) == Quad(quad.subject, quad.predicate, quad.object, G)
    assert from_wire((quad.subject, quad.predicate, quad.object), G).graph_name == G
    assert from_wire([quad.subject, quad.predicate, quad.object, "urn:other"], G).graph_name == NamedNode("urn:other")


def test_the_golden_terms_round_trip_in_both_spellings(conformance):
    cases = json.loads((conformance / "golden/builders/_terms.json").read_text())
    kept = [case for case in cases if case["wire"]["t"] and case["wire"] != {"t": "t"}]
    assert len(kept) == len(cases) - 2
    for case in kept:
        assert term_to_wire(term_from_wire(case["wire"])) == case["wire"]
        assert term_to_wire(term_from_wire(case["term"])) == case["wire"]


def test_the_golden_triples_round_trip_and_equal_their_n_quads_line_by_line(conformance):
    for path in sorted((conformance / "golden/builders").glob("[a-z]*.json")):
        wire = json.loads(path.read_text())["wire_ordered"]
        read = [from_wire(item) for item in wire]
        assert [to_wire(quad) for quad in read] == wire
        assert {from_wire(line) for line in path.with_suffix(".nq").read_text().splitlines()} == set(read)


def test_a_recorded_dump_reads_the_same_in_both_spellings(conformance):
    star, modern = (
        {from_wire(line) for line in (conformance / f"golden/wire/_kg.{form}.nq").read_text().splitlines()}
        for form in ("star", "rdf12")
    )
    assert star == modern


def test_quoted_triples_as_dictionaries_of_strings_become_terms_by_how_they_begin():
    edge = {"s": "http://trustgraph.ai/e/curie", "p": "urn:p", "o": "radium, a metal"}
    expected = Triple(NamedNode("http://trustgraph.ai/e/curie"), P, Literal("radium, a metal"))
    assert term_from_wire(edge) == expected
    assert from_wire({"s": "urn:s", "p": "urn:p", "o": edge, "g": "urn:g"}) == Quad(SUBJECT, P, expected, G)


def test_a_sentence_that_begins_with_a_link_stays_a_text():
    assert term_from_wire("https://example.org is down") == Literal("https://example.org is down")


def test_a_graph_that_is_absent_is_the_default_one_given_and_an_empty_name_is_the_default_graph():
    assert from_wire(("urn:s", "urn:p", "urn:o"), G) == Quad(SUBJECT, P, OBJECT, G)
    assert from_wire({"s": "urn:s", "p": "urn:p", "o": "urn:o", "g": None}, G) == Quad(SUBJECT, P, OBJECT, G)
    assert from_wire({"s": "urn:s", "p": "urn:p", "o": "urn:o", "g": ""}, G) == Quad(SUBJECT, P, OBJECT)
    assert from_wire("<urn:s> <urn:p> <urn:o>", G) == Quad(SUBJECT, P, OBJECT, G)


def test_marks_of_quoted_triples_inside_strings_and_iris_are_left_alone():
    line = rf'<urn:s> {TG.edge} << <urn:s> <urn:p> "a << b >> \" <<c" >> <urn:g> .'
    assert from_wire(line) == Quad(SUBJECT, TG.edge, Triple(SUBJECT, P, Literal('a << b >> " <<c')), G)
    tight = f"<urn:s> {TG.edge} <<<urn:s> <urn:p> <urn:o>>>"
    assert from_wire(tight) == Quad(SUBJECT, TG.edge, Triple(SUBJECT, P, OBJECT))


def test_numbers_and_typed_literals_keep_their_datatype():
    integer = "http://www.w3.org/2001/XMLSchema#integer"
    assert term_from_wire({"t": "l", "v": "42", "dt": integer}) == term_from_wire(42) == Literal(42)
    assert term_from_wire({"t": "l", "v": "42"}) == Literal("42")


@each(
    "term",
    [
        None,
        {},
        {"t": ""},
        {"t": "t"},
        {"t": "x", "i": "urn:a"},
        {"t": ["i"], "i": "urn:a"},
        {"t": "i"},
        {"t": "i", "i": "no iri at all"},
        {"t": "i", "i": 7},
        {"t": "l"},
        {"t": "l", "v": None},
        {"t": "l", "v": "a", "ln": "not a tag"},
        {"t": "l", "v": "a", "ln": "en--sideways"},
        {"t": "l", "v": "a", "dt": "no iri"},
        {"t": "l", "v": "a", "dt": "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"},
        {"t": "l", "v": "\ud800"},
        {"t": "b", "d": "two words"},
        {"t": "t", "tr": {"s": text, "p": text} if (text := {"t": "l", "v": "x"}) else None},
        {"t": "t", "tr": {"s": text, "p": text, "o": text}},
        ["urn:s", "urn:p"],
        object(),
    ],
)
def test_a_term_that_is_none_is_refused_and_shown(term):
    with pytest.raises(RecordError, match=r"\S"):
        term_from_wire(term)


@each(
    "triple",
    [
        None,
        7,
        "",
        "<urn:s> <urn:p>",
        "<urn:s> <urn:p> <urn:o> . <urn:s> <urn:p> <urn:o2> .",
        "<urn:s> <urn:p> << <urn:s> <urn:p> .",
        "<< <urn:s> <urn:p> <urn:o> >> <urn:p> <urn:o> .",
        ("urn:s", "urn:p"),
        {"s": "urn:s", "p": "urn:p"},
        {"s": "a literal", "p": "urn:p", "o": "urn:o"},
        {"s": "urn:s", "p": "_:b", "o": "urn:o"},
        {"s": {"s": "urn:s", "p": "urn:p", "o": "urn:o"}, "p": "urn:p", "o": "urn:o"},
        {"s": "urn:s", "p": "urn:p", "o": "urn:o", "g": "no iri"},
        {"s": "urn:s", "p": "urn:p", "o": "urn:o", "g": {"t": "l", "v": "x"}},
    ],
)
def test_what_is_no_triple_is_refused_and_shown(triple):
    with pytest.raises(RecordError, match=r"\S"):
        from_wire(triple)


def nested(levels):
    wire, term = {"t": "i", "i": "urn:o"}, OBJECT
    for _ in range(levels):
        wire = {"t": "t", "tr": {"s": {"t": "i", "i": "urn:s"}, "p": {"t": "i", "i": "urn:p"}, "o": wire}}
        term = Triple(SUBJECT, P, term)
    return wire, term


def test_nesting_as_deep_as_is_allowed_is_read_and_written():
    wire, term = nested(DEPTH)
    assert term_from_wire(wire) == term_from_wire(term) == term
    assert term_to_wire(term) == wire
    assert from_wire(f"<urn:s> <urn:p> {written(term)} .").object == term


@pytest.mark.parametrize("levels", [DEPTH + 1, 5_000])
def test_deeper_nesting_is_refused_in_every_form_before_a_stack_is_exhausted(levels):
    wire, term = nested(levels)
    line = f"<urn:s> {TG.edge} " + "<< <urn:s> <urn:p> " * levels + "<urn:o>" + " >>" * levels + " ."
    for call in (
        lambda: term_from_wire(wire),
        lambda: term_from_wire(term),
        lambda: term_to_wire(term),
        lambda: to_wire(Quad(SUBJECT, P, term)),
        lambda: from_wire({"s": "urn:s", "p": "urn:p", "o": wire}),
        lambda: from_wire(line),
    ):
        with pytest.raises(RecordError, match="deep"):
            call()


def test_a_very_long_value_is_shown_in_a_line():
    with pytest.raises(RecordError) as refusal:
        from_wire("x" * 10_000_000)
    assert len(str(refusal.value)) < 500
