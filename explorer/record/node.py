"""Any node of the record with what it derives from and what derives from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyoxigraph import NamedNode

from explorer import rdf
from explorer.entities import Entity
from explorer.errors import RecordError
from explorer.vocab import PROV, TG, X

if TYPE_CHECKING:
    from collections.abc import Iterable

    from explorer.stores.graph import GraphStore

_LINKS = (PROV.wasDerivedFrom, PROV.wasGeneratedBy, PROV.used, PROV.wasAssociatedWith, X.cites)
_MEMBERS = (TG.selectedEdge, TG.selectedChunk, TG.thought, X.candidate, X.member)


@dataclass(frozen=True, slots=True)
class Described:
    """A node of the record with what it derives from and what derives from it, as IRIs."""

    entity: Entity
    parents: tuple[str, ...]
    children: tuple[str, ...]


def describe(graph: GraphStore, iri: str) -> Described:
    """Return a node of the record with its parents and children; raises RecordError when there is none."""
    try:
        node = NamedNode(iri)
    except ValueError as error:
        raise RecordError(f"{iri!r} is not an IRI; copy one from `explorer traces` or from a record.") from error
    described = rdf.entity(graph.match(node), Entity)
    if described is None:
        raise RecordError(f"Nothing is on record about {iri}; check the IRI.")
    parents: list[object] = [q.object for link in _LINKS for q in graph.match(node, link)]
    parents += [q.subject for link in _MEMBERS for q in graph.match(None, link, node)]
    children: list[object] = [q.subject for link in _LINKS for q in graph.match(None, link, node)]
    members = [q.object for link in _MEMBERS for q in graph.match(node, link)]
    parents = [one for one in parents if one not in members]  # a Focus rests on what it selected
    return Described(described, _iris(parents), _iris([*children, *members]))


def _iris(nodes: Iterable[object]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(node.value for node in nodes if isinstance(node, NamedNode)))
