import logging

import pytest
import rdflib
from pyoxigraph import BaseDirection, BlankNode, DefaultGraph, Literal, NamedNode, Quad

from explorer import rdf
from explorer.rdf.reification import reified, unreified
from explorer.vocab import FACTS, XSD_STRING

LOSSLESS = ("nq", "trig", "json-ld")
GRAPHLESS = ("nt", "turtle", "rdfxml")


class QuadSet(frozenset):
    """A set of quads that a failed comparison shows line by line."""


I18N = "https://www.w3.org/ns/i18n#"


def project(quads):
    """Return the quads as an rdflib dataset, which holds no triple terms, with statement nodes in their place.

    Nothing is lost: literals keep their lexical form, language and datatype; a base direction, which rdflib does not
    know either, becomes a datatype of the i18n namespace, as in JSON-LD.
    """
    dataset = rdflib.Dataset()
    graphs = {FACTS: dataset.default_graph}
    logger = logging.getLogger("rdflib.term")  # prints a traceback for each literal that its datatype does not allow
    before, logger.disabled = logger.disabled, True  # to find those is the validator's part
    try:
        for quad in reified(quads):
            name = quad.graph_name
            if not isinstance(name, DefaultGraph) and name not in graphs:
                graphs[name] = dataset.graph(_to_rdflib(name))
            graphs[name].add((_to_rdflib(quad.subject), _to_rdflib(quad.predicate), _to_rdflib(quad.object)))
    finally:
        logger.disabled = before
    return dataset


def _to_rdflib(term):
    match term:
        case NamedNode():
            return rdflib.URIRef(term.value)
        case BlankNode():
            return rdflib.BNode(term.value)
        case Literal(direction=BaseDirection()):
            return rdflib.Literal(term.value, datatype=rdflib.URIRef(i18n(term).value))
        case Literal(language=str()):
            return rdflib.Literal(term.value, lang=term.language)
        case Literal() if term.datatype.value == XSD_STRING:
            return rdflib.Literal(term.value)  # for rdflib one with the datatype would be another literal
        case Literal():
            return rdflib.Literal(term.value, datatype=rdflib.URIRef(term.datatype.value), normalize=False)
    raise TypeError(f"rdflib has no place for {term!r}")


def i18n(text):
    return NamedNode(f"{I18N}{text.language}_{'ltr' if text.direction == BaseDirection.LTR else 'rtl'}")


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
