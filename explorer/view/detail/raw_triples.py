"""The raw triples of a node: predicates and objects as they are stored. Here, and only here, IRIs are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyoxigraph import Literal, NamedNode, Triple

from explorer import rdf
from explorer.vocab import DC, RDF, RDFS, TG, X, prefixed
from explorer.wording.agent import goal_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from explorer.dag.nodes import Node
    from explorer.entities import Entity
    from explorer.events import Passage

Line = tuple[str, str]
MOST = 20  # facts not kept whose triples are shown; all of them stand in the export
_STANDING_FOR = {"Concept": TG.concept, "Step": TG.planStep, "Part": TG.subagentGoal}


def compact(iri: str) -> str:
    """Return an IRI as people write it in Turtle: prefixed, else between angle brackets."""
    return prefixed(iri) or f"<{iri}>"


def raw(node: Node) -> list[Line]:
    """Return predicate and object of each triple of the node, below its IRI; of a stand-in those it stands for."""
    if node.entity is not None:
        return _described(node.entity)
    match node.kind:
        case "Passage":
            return [line for passage in node.passages for line in _span(passage)]
        case "Page" | "Section" | "Document":
            return _place(node, node.passages[0])
        case "NotKept":
            return list(_members(node))
        case "Rest":
            links = {"EdgeSelection": TG.selectedEdge, "ChunkSelection": TG.selectedChunk}
            held = [(_term(links[type(one).__name__]), f"<{one.iri}>") for one in node.members[:MOST]]
            return [("", f"<{node.iri.partition('#')[0]}>"), *held]
        case "Concept" | "Goal":
            step, link = node.iri.partition("#")[0], node.kind if node.kind == "Concept" else goal_name(node).split()[0]
            return [("", f"<{step}>"), (_term(_STANDING_FOR[link]), _term(Literal(node.text)))]
        case _:
            return [("", f"<{node.iri}>")]


def _described(entity: Entity) -> list[Line]:
    values: dict[str, list[str]] = {}  # RDF keeps no order among the objects of one predicate, so they get one
    for quad in rdf.triples(entity):
        values.setdefault(_term(quad.predicate), []).append(_term(quad.object))
    return [("", f"<{entity.iri}>"), *((name, value) for name, found in values.items() for value in sorted(found))]


def _members(node: Node) -> Iterator[Line]:
    if not node.members:
        yield from (
            ("", f"<{node.iri.partition('#')[0]}>"),
            (compact(X.candidate.value), "none on record, only how many"),
        )
    for member in node.members[:MOST]:
        yield from _described(member)
    if (rest := len(node.members) - MOST) > 0:
        yield "", f"and {rest:,} more, all in the saved record"


def _term(term: rdf.Term) -> str:
    """Write a term as Turtle does, a fact as a triple term with a line for each of its ends."""
    if isinstance(term, NamedNode):
        return compact(term.value)
    if isinstance(term, Triple):
        return f"<<( {_term(term.subject)}\n  {_term(term.predicate)}\n  {_term(term.object)} )>>"
    if isinstance(term, Literal) and not term.language and compact(term.datatype.value) != f"<{term.datatype.value}>":
        return f"{Literal(term.value)}^^{compact(term.datatype.value)}"
    return str(term)


def _span(passage: Passage) -> list[Line]:
    return [
        ("subgraph", f"<{passage.subgraph}>"),
        ("chunk", f"<{passage.chunk}>"),
        ("document", f"<{passage.document}>"),
        ("characters", f"{passage.start} to {passage.end} of the document"),
        ("extracted by", passage.extracted_by),
    ]


def _place(node: Node, passage: Passage) -> list[Line]:
    """Return what is known of a page, section or document from the passages on it."""
    told: dict[NamedNode, object]
    if node.kind == "Document":
        told = {DC.title: passage.title, DC.source: passage.source}
    else:
        told = {RDFS.label: passage.section, TG.pageNumber: passage.page}
    lines = [(_term(link), str(Literal(str(value)))) for link, value in told.items() if value is not None]
    above = [] if node.kind == "Document" else [("prov:wasDerivedFrom", f"<{passage.document}>")]
    return [("", f"<{node.iri}>"), (_term(RDF.type), _term(getattr(TG, node.kind))), *lines, *above]
