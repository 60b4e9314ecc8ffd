"""The record without triple terms: classic reification, for libraries and formats that know no RDF 1.2.

A triple term becomes a node, `urn:provenance-explorer:statement:` and a hash of the triple, described by rdf:type
rdf:Statement, rdf:subject, rdf:predicate and rdf:object in the graph that mentions it. Equal triples give equal nodes.
The way back restores the triple terms, and leaves alone all classic reification that is not of this form.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator

from pyoxigraph import BaseDirection, BlankNode, Literal, NamedNode, Quad, Triple

from explorer.rdf.foreign.quoted_triples import unfolded
from explorer.rdf.writing import Term
from explorer.vocab import RDF, Graph

STATEMENT = "urn:provenance-explorer:statement:"
_PARTS = frozenset((RDF.subject, RDF.predicate, RDF.object))
_DIRECTION = "https://www.w3.org/ns/i18n#"  # how JSON-LD writes a base direction: a datatype language_direction
_AnyGraph = Graph | BlankNode


def reified(quads: Iterable[Quad]) -> Iterator[Quad]:
    """Put a described node in the place of each triple term."""
    known: set[tuple[_AnyGraph, NamedNode]] = set()
    for quad in quads:
        if isinstance(quad.object, Triple):
            node = _statement(quad.object)
            yield Quad(quad.subject, quad.predicate, node, quad.graph_name)
            yield from _described(node, quad.object, quad.graph_name, known)
        else:
            yield quad


def older(quads: Iterable[Quad]) -> Iterator[Triple]:
    """Yield the triples of all graphs as RDF 1.1 has them: with described nodes in the place of triple terms, and with
    a datatype of the i18n namespace in the place of a base direction.
    """
    for subject, predicate, term, _ in reified(quads):
        if isinstance(term, Literal) and term.direction is not None:
            turn = "ltr" if term.direction == BaseDirection.LTR else "rtl"
            term = Literal(term.value, datatype=NamedNode(f"{_DIRECTION}{term.language}_{turn}"))  # noqa: PLW2901
        yield Triple(subject, predicate, term)


def unreified(quads: Iterable[Quad]) -> list[Quad]:
    """Put the triple terms back; a statement node that nothing refers to, or that says more, stays as it is."""
    given = list(quads)
    triples = _statements(given)
    if not triples:
        return given
    made, used, kept = list[Quad](), set[tuple[_AnyGraph, Term]](), set[tuple[_AnyGraph, Term]]()
    for quad in given:
        graph, there = quad.graph_name, triples.get(quad.graph_name, {})
        if quad.subject in there:
            made.append(quad)
            continue
        triple, chain = unfolded(quad.object, there)
        used.update((graph, node) for node in chain)
        made.append(quad if triple is None else Quad(quad.subject, quad.predicate, triple, graph))
        kept.update((graph, node) for node in (_chain(quad.object, there) if triple is None else ()))
    gone = used - kept
    return [quad for quad in made if (quad.graph_name, quad.subject) not in gone]


def _statement(triple: Triple) -> NamedNode:
    return NamedNode(STATEMENT + hashlib.sha256(str(triple).encode()).hexdigest()[:32])


def _described(
    node: NamedNode, triple: Triple, graph: _AnyGraph, known: set[tuple[_AnyGraph, NamedNode]]
) -> Iterator[Quad]:
    if (graph, node) in known:
        return
    known.add((graph, node))
    inner = _statement(triple.object) if isinstance(triple.object, Triple) else triple.object
    yield Quad(node, RDF.type, RDF.Statement, graph)
    yield Quad(node, RDF.subject, triple.subject, graph)
    yield Quad(node, RDF.predicate, triple.predicate, graph)
    yield Quad(node, RDF.object, inner, graph)
    if isinstance(triple.object, Triple) and isinstance(inner, NamedNode):
        yield from _described(inner, triple.object, graph, known)


def _statements(quads: Iterable[Quad]) -> dict[_AnyGraph, dict[Term, Triple]]:
    """Find the statement nodes of each graph that are described in full and say nothing else."""
    about: dict[tuple[_AnyGraph, NamedNode], list[Quad]] = defaultdict(list)
    for quad in quads:
        if isinstance(quad.subject, NamedNode) and quad.subject.value.startswith(STATEMENT):
            about[quad.graph_name, quad.subject].append(quad)
    found: dict[_AnyGraph, dict[Term, Triple]] = defaultdict(dict)
    for (graph, node), described in about.items():
        triple = _triple(set(described))
        if triple is not None:
            found[graph][node] = triple
    return found


def _chain(node: Term, triples: dict[Term, Triple]) -> set[Term]:
    """Return the statement nodes that a node leads to."""
    seen: set[Term] = set()
    while not isinstance(node, Literal | Triple) and node in triples and node not in seen:
        seen.add(node)
        node = triples[node].object
    return seen


def _triple(described: set[Quad]) -> Triple | None:
    parts = {quad.predicate: quad.object for quad in described if quad.predicate != RDF.type}
    typed = all(quad.object == RDF.Statement for quad in described if quad.predicate == RDF.type)
    if not typed or set(parts) != _PARTS or len(described) not in (3, 4):
        return None
    subject, predicate = parts[RDF.subject], parts[RDF.predicate]
    if not isinstance(subject, NamedNode | BlankNode) or not isinstance(predicate, NamedNode):
        return None
    return Triple(subject, predicate, parts[RDF.object])
