import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple

from explorer.rdf.foreign.quoted_triples import DEPTH
from explorer.rdf.reification import STATEMENT, reified, unreified
from explorer.vocab import RDF, RETRIEVAL, SOURCE, TG
from tests.each import each
from tests.rdf.conftest import QuadSet, from_rdflib, project
from tests.rdf.strategies import quads, records

NODE = NamedNode("urn:x:1")
EDGE = Triple(NamedNode("urn:s"), NamedNode("urn:p"), Literal("x", language="fr"))
XSD = "http://www.w3.org/2001/XMLSchema#"


def part(name):
    return NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#" + name)


@given(st.lists(quads, max_size=8) | records)
def test_a_projection_and_back_loses_nothing(described):
    assert QuadSet(from_rdflib(project(described))) == QuadSet(described)


@given(st.lists(quads, max_size=8))
def test_no_triple_term_is_left(described):
    assert not [quad for quad in reified(described) if isinstance(quad.object, Triple)]


def test_equal_edges_give_one_node_with_a_name_of_their_own():
    used = [Quad(NamedNode(f"urn:x:{i}"), TG.edge, EDGE, RETRIEVAL) for i in range(2)]
    made = list(reified(used))
    assert len(made) == 2 + 4
    assert len({quad.object for quad in made if quad.predicate == TG.edge}) == 1
    assert list(reified(used)) == made
    assert set(reified(used)) == set(reified([*used, *used]))


def test_an_edge_in_two_graphs_is_described_in_both():
    used = [Quad(NODE, TG.contains, EDGE, SOURCE), Quad(NODE, TG.edge, EDGE, RETRIEVAL)]
    made = list(reified(used))
    assert len(made) == 10
    assert set(unreified(made)) == set(used)


@pytest.mark.parametrize("lexical", ["007", "", "abc", " 5 ", "1e400"])
def test_rdflib_leaves_numbers_as_they_were_spelt_and_says_nothing(caplog, lexical):
    given = [Quad(NODE, TG.score, Literal(lexical, datatype=NamedNode(XSD + "integer")))]
    with caplog.at_level(logging.DEBUG):
        assert from_rdflib(project(given)) == given
    assert caplog.records == []


@each("left_out", ["subject", "predicate", "object", "nothing but one too many", "nothing but nobody refers to it"])
def test_a_statement_node_that_is_not_whole_or_not_used_stays(left_out):
    node = NamedNode(STATEMENT + "0")
    values = {"subject": NODE, "predicate": NODE, "object": Literal("x")}
    given = [Quad(node, part(name), value) for name, value in values.items() if name != left_out]
    if not left_out.endswith("refers to it"):
        given.append(Quad(NODE, TG.edge, node))
    if left_out.endswith("too many"):
        given.append(Quad(node, TG.query, Literal("more")))
    assert set(unreified(given)) == set(given)


def test_classic_reification_of_others_stays_as_it_is():
    node = BlankNode("s")
    given = [
        Quad(NODE, TG.edge, node),
        Quad(node, RDF.type, part("Statement")),
        Quad(node, part("subject"), NODE),
        Quad(node, part("predicate"), NODE),
        Quad(node, part("object"), NODE),
    ]
    assert unreified(given) == given


@each("length", [DEPTH + 1, 20_000])
@each("round_", [False, True])
def test_statements_nested_too_deeply_or_in_a_circle_stay_as_they_are(length, round_):
    names = [NamedNode(f"{STATEMENT}{i}") for i in range(length)]
    follow = [*names[1:], names[0] if round_ else Literal("end")]
    given = [Quad(NODE, TG.edge, names[0])]
    for node, after in zip(names, follow, strict=True):
        values = {"subject": NODE, "predicate": NODE, "object": after}
        given += [Quad(node, part(name), value) for name, value in values.items()]
    assert set(unreified(given)) == set(given)
