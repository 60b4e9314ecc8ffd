"""The facts in the default graph: its triples without labels and without the metadata of documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer.stores.graph import GraphStore, Object
from explorer.vocab import DC, FACTS, PROV, RDF, RDFS, TG, X

_METADATA = {*DC, *PROV, *TG, *X, RDFS.label}


def is_fact(quad: Quad) -> bool:
    """Return whether a quad is a fact of the default graph between things that have names, or about one."""
    about_class = quad.predicate == RDF.type and (quad.object in TG or quad.object in PROV)
    plain = isinstance(quad.subject, NamedNode) and isinstance(quad.object, NamedNode | Literal)
    return quad.graph_name == FACTS and plain and quad.predicate not in _METADATA and not about_class


def quad_of(fact: Triple) -> Quad:
    """Return a fact as it stands in the default graph."""
    return Quad(fact.subject, fact.predicate, fact.object, FACTS)


def facts(quads: Iterable[Quad]) -> Iterator[Triple]:
    """Return the facts among some quads, in their order."""
    return (quad.triple for quad in quads if is_fact(quad))


def facts_about(graph: GraphStore, *entities: NamedNode) -> Iterator[Triple]:
    """Yield the facts that one of some entities stands in, those with one as their subject first; each comes once."""
    for entity in entities:
        yield from facts(graph.match(entity, None, None, FACTS))
    for entity in entities:
        yield from facts(quad for quad in graph.match(None, None, entity, FACTS) if quad.subject not in entities)


def nested(term: Object) -> str:
    """Return a term as N-Triples has it."""
    return f"<<( {term.subject} {term.predicate} {nested(term.object)} )>>" if isinstance(term, Triple) else str(term)
