import pytest
import rdflib
from pyoxigraph import BaseDirection, BlankNode, Literal, NamedNode, Quad

from explorer import rdf
from explorer.rdf.reification import unreified
from explorer.vocab import FACTS

LOSSLESS = ("nq", "trig", "json-ld")
GRAPHLESS = ("nt", "turtle", "rdfxml")


class QuadSet(frozenset):
    """A set of quads that a failed comparison shows line by line."""


I18N = "https://www.w3.org/ns/i18n#"


def from_rdflib(dataset):
    """The quads of an rdflib dataset, with the triple terms put back."""
    return unreified(
        Quad(*map(term, about), FACTS if graph == rdflib.graph.DATASET_DEFAULT_GRAPH_ID else term(graph))
        for *about, graph in dataset.quads()
    )


def term(node):
    match node:
        case rdflib.URIRef():
            return NamedNode(str(node))
        case rdflib.BNode():
            return BlankNode(str(node))
        case rdflib.Literal(datatype=rdflib.URIRef() as datatype) if datatype.startswith(I18N):
            language, direction = datatype.removeprefix(I18N).split("_")
            return Literal(str(node), language=language, direction=BaseDirection(direction))
        case rdflib.Literal(datatype=rdflib.URIRef() as datatype):
            return Literal(str(node), datatype=NamedNode(str(datatype)))
    return Literal(str(node), language=node.language)


@pytest.fixture(scope="session")
def roundtrip():
    """Write quads in a format, read them back, and compare: with what was written, or with all but its graphs."""

    def check(quads, form):
        loaded = rdf.load(rdf.dump(quads, form), form)
        assert loaded.refused == ()
        assert loaded.given == len(loaded.quads)
        expected = quads if form in LOSSLESS else (Quad(*quad.triple) for quad in quads)
        assert QuadSet(loaded.quads) == QuadSet(expected), form
        return loaded.quads

    return check


def pytest_assertrepr_compare(op, left, right):
    if isinstance(left, QuadSet) and isinstance(right, QuadSet) and op == "==":
        lost = [f"  lost: {quad}" for quad in sorted(right - left, key=str)]
        new = [f"  new:  {quad}" for quad in sorted(left - right, key=str)]
        return [f"{len(left & right)} quads came back as they were", *lost, *new]
    return None
