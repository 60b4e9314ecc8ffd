"""What an action of schema.org states, as RO-Crates tell their runs, read as relations of PROV. Nothing is stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pyoxigraph import BlankNode, NamedNode, Quad, Triple

from explorer.rdf.relating import term
from explorer.vocab import PROV, RDF

_SCHEMA = ("http://schema.org/", "https://schema.org/")
_STATED = {
    "agent": PROV.wasAssociatedWith, "instrument": PROV.wasAssociatedWith, "object": PROV.used,
    "result": PROV.wasGeneratedBy,
}  # fmt: skip
_RELATIONS = {NamedNode(base + name): relation for base in _SCHEMA for name, relation in _STATED.items()}
LINKS = frozenset(_RELATIONS)
"""What relates an action to others."""


def kind_of(about: Iterable[Quad | Triple]) -> str:
    """Return which action something is, as "CreateAction", by what is said of it; empty for what is none."""
    types = (one.object.value for one in about if one.predicate == RDF.type and isinstance(one.object, NamedNode))
    return next((one.rpartition("/")[2] for one in types if one.startswith(_SCHEMA) and one.endswith("Action")), "")


def as_prov(triples: Iterable[Triple]) -> dict[Triple, Triple | None]:
    """Return the relations of PROV that actions state, each with what states it; None where they say it themselves.

    Of an action that is the object or result of another is said that this had influence on it.
    """
    about: dict[NamedNode | BlankNode, list[Triple]] = {}
    for triple in triples:
        if isinstance(triple.subject, NamedNode | BlankNode):
            about.setdefault(triple.subject, []).append(triple)
    actions = {node for node, said in about.items() if kind_of(said)}
    found: dict[Triple, Triple | None] = {Triple(node, RDF.type, PROV.Activity): None for node in actions}
    for node in actions:
        found |= dict(_relations(node, about[node], actions))
    return found


def _relations(
    node: NamedNode | BlankNode, said: Iterable[Triple], actions: set[NamedNode | BlankNode]
) -> Iterator[tuple[Triple, Triple]]:
    for one in said:
        relation, other = _RELATIONS.get(one.predicate), one.object
        if relation is None or not isinstance(other, NamedNode | BlankNode):
            continue
        if relation != PROV.wasAssociatedWith and other in actions:
            yield Triple(other, term("wasInfluencedBy"), node), one
        elif relation == PROV.wasGeneratedBy:
            yield Triple(other, relation, node), one
        else:
            yield Triple(node, relation, other), one
