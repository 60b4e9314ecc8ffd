"""Any node of the record as it is looked up, and with what it derives from and what derives from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from pyoxigraph import NamedNode

from explorer import rdf
from explorer.entities import Citation, Entity, Question
from explorer.errors import RecordError
from explorer.vocab import PROV, RETRIEVAL, TG, Graph, X, iri, recognise, session_of

if TYPE_CHECKING:
    from explorer.stores.graph import GraphStore, Pattern
    from explorer.stores.stored_corrections import Matched

E = TypeVar("E", bound=Entity)

_LINKS = (PROV.wasDerivedFrom, PROV.wasGeneratedBy, PROV.used, PROV.wasAssociatedWith, X.cites)
_MEMBERS = (TG.selectedEdge, TG.selectedChunk, TG.thought, X.candidate, X.member)


@dataclass(frozen=True, slots=True)
class Described:
    """A node of the record with what it derives from and what derives from it, as IRIs."""

    entity: Entity
    parents: tuple[str, ...]
    children: tuple[str, ...]


def about(node: str, graph: Graph = RETRIEVAL) -> Pattern:
    """Return the pattern of all that a graph says of a node."""
    return NamedNode(node), None, None, graph


def read(graph: Matched, node: str, cls: type[E], within: Graph = RETRIEVAL) -> E | None:
    """Return a node as it is described; None where it is not, or is none of a class."""
    return rdf.entity(graph.match(*about(node, within)), cls)


def citations_of(graph: Matched, run: str) -> tuple[list[Citation], dict[str, Entity]]:
    """Return the citations of the answer of a run, and the nodes of the run that they cite, by IRI."""
    spans: list[Citation] = []
    while (span := read(graph, iri("citation", session_of(run), len(spans)), Citation)) is not None:
        spans.append(span)
    keys = dict.fromkeys(key for span in spans for key in span.cites)
    return spans, {one.iri: one for one in rdf.entities(quad for key in keys for quad in graph.match(*about(key)))}


def named(terms: Iterable[object]) -> list[NamedNode]:
    """Return those of some terms that have an IRI, each once."""
    return list(dict.fromkeys(term for term in terms if isinstance(term, NamedNode)))


def iris(terms: Iterable[object]) -> list[str]:
    """Return the IRIs of those that have one, each once."""
    return [term.value for term in named(terms)]


def kind(node: str) -> str:
    """Return the kind that an IRI of ours says; empty for another one."""
    known = recognise(node)
    return known.kind if known else ""


def is_own(question: Entity) -> bool:
    """Return whether a Question was recorded by this package, so that its trace ends with an End."""
    return isinstance(question, Question) and question.engine is not None


def describe(graph: GraphStore, given: str) -> Described:
    """Return a node of the record with its parents and children; raises RecordError when there is none."""
    try:
        node = NamedNode(given)
    except ValueError as error:
        raise RecordError(f"{given!r} is not an IRI; copy one from `explorer traces` or from a record.") from error
    described = rdf.entity(graph.match(node), Entity)
    if described is None:
        raise RecordError(f"Nothing is on record about {given}; check the IRI.")
    parents: list[object] = [q.object for link in _LINKS for q in graph.match(node, link)]
    parents += [q.subject for link in _MEMBERS for q in graph.match(None, link, node)]
    children: list[object] = [q.subject for link in _LINKS for q in graph.match(None, link, node)]
    members = [q.object for link in _MEMBERS for q in graph.match(node, link)]
    parents = [one for one in parents if one not in members]  # a Focus rests on what it selected
    return Described(described, tuple(iris(parents)), tuple(iris([*children, *members])))
