"""The facts in the default graph: its triples without labels and without the metadata of documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer.vocab import DC, FACTS, PROV, RDF, RDFS, TG

_METADATA = {*DC, *PROV, *TG, RDFS.label}


def is_fact(quad: Quad) -> bool:
    """Return whether a quad is a fact of the default graph between things that have names, or about one."""
    about_class = quad.predicate == RDF.type and (quad.object in TG or quad.object in PROV)
    plain = isinstance(quad.subject, NamedNode) and isinstance(quad.object, NamedNode | Literal)
    return quad.graph_name == FACTS and plain and quad.predicate not in _METADATA and not about_class


def facts(quads: Iterable[Quad]) -> Iterator[Triple]:
    """Return the facts among some quads, in their order."""
    return (quad.triple for quad in quads if is_fact(quad))
