"""Nodes of the first draft, JSON objects without triples, as the triples of today's vocabulary.

A `retrieval` is an Exploration, a `tool_invocation` an Analysis with its Observation, `reasoning` a Reflection, an
`answer` a Conclusion. Fields that no predicate stands for are kept together as one rdf:JSON literal.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer.errors import RecordError
from explorer.trustgraph.terms import briefly
from explorer.vocab import PROV, RDF, RDFS, RETRIEVAL, TG, X

Draft = Mapping[str, object]

_TYPES: dict[str, tuple[NamedNode, ...]] = {
    "retrieval": (PROV.Entity, TG.Exploration),
    "tool_invocation": (PROV.Entity, TG.Analysis, TG.ToolUse),
    "reasoning": (TG.Reflection,),
    "answer": (PROV.Entity, TG.Conclusion, TG.Answer),
}
_LABELS = {"retrieval": "Exploration", "answer": "Conclusion"}
_READ = {
    "retrieval": ("facts", "source_refs"),
    "tool_invocation": ("tool_name", "input", "output"),
    "reasoning": ("conclusion",),
    "answer": ("content",),
}
_COMMON = ("id", "type", "session_id", "timestamp", "derived_from")


def is_draft(value: object) -> TypeGuard[Draft]:
    """Return whether this is a node of the first draft."""
    if not isinstance(value, Mapping) or value.get("type") not in _TYPES or not isinstance(value.get("id"), str):
        return False
    return "derived_from" in value or "session_id" in value


def quads(node: Draft) -> list[Quad]:
    """Return the quads of one node; the first of a session derives from it. Raises RecordError for an invalid IRI."""
    try:
        return [Quad(triple.subject, triple.predicate, triple.object, RETRIEVAL) for triple in _node(node)]
    except (TypeError, ValueError) as error:
        raise RecordError(f"The node {briefly(dict(node))} can't be read: {str(error).splitlines()[0]}.") from None


def _node(node: Draft) -> Iterator[Triple]:
    iri, kind = NamedNode(str(node["id"])), str(node["type"])
    yield from (Triple(iri, RDF.type, cls) for cls in _TYPES[kind])
    label = f"Analysis: {node.get('tool_name')}" if kind == "tool_invocation" else _LABELS.get(kind)
    if label:
        yield Triple(iri, RDFS.label, Literal(label))
    parents = _list(node.get("derived_from"))
    yield from (Triple(iri, PROV.wasDerivedFrom, NamedNode(str(parent))) for parent in parents)
    if not parents and node.get("session_id"):
        session = NamedNode(str(node["session_id"]))
        yield Triple(iri, PROV.wasDerivedFrom, session)
        yield from (Triple(session, RDF.type, cls) for cls in (PROV.Entity, TG.Question, TG.AgentQuestion))
    if "timestamp" in node:
        yield Triple(iri, PROV.startedAtTime, Literal(_plain(node["timestamp"])))
    match kind:
        case "retrieval":
            yield from _retrieval(iri, node)
        case "tool_invocation":
            yield from _tool(iri, node)
        case _:
            yield from _content(iri, node, *_READ[kind])
    if rest := {key: value for key, value in node.items() if key not in (*_COMMON, *_READ[kind])}:
        yield Triple(iri, X.parameters, Literal(json.dumps(rest, ensure_ascii=False), datatype=RDF.JSON))


def _retrieval(iri: NamedNode, node: Draft) -> Iterator[Triple]:
    facts = _list(node.get("facts"))
    if "facts" in node:
        yield Triple(iri, TG.edgeCount, Literal(str(len(facts))))
    yield from (Triple(iri, PROV.used, NamedNode(str(source))) for source in _list(node.get("source_refs")))
    for fact in facts:
        if isinstance(fact, Mapping):
            about = NamedNode(str(fact.get("id")))
            yield Triple(about, RDF.type, PROV.Entity)
            yield Triple(about, RDFS.label, Literal(_plain(fact.get("content", ""))))
        else:
            about = NamedNode(str(fact))
        yield Triple(about, PROV.wasDerivedFrom, iri)


def _tool(iri: NamedNode, node: Draft) -> Iterator[Triple]:
    if "tool_name" in node:
        yield Triple(iri, TG.action, Literal(_plain(node["tool_name"])))
    if "input" in node:
        yield Triple(iri, TG.arguments, Literal(json.dumps(node["input"])))
    if "output" in node:
        observation = NamedNode(f"{iri.value}/observation")
        yield from (Triple(observation, RDF.type, cls) for cls in (PROV.Entity, TG.Observation))
        yield Triple(observation, RDFS.label, Literal("Observation"))
        yield Triple(observation, PROV.wasDerivedFrom, iri)
        yield from _content(observation, node, "output")


def _content(iri: NamedNode, node: Draft, field: str) -> Iterator[Triple]:
    if field in node:
        yield Triple(iri, TG.content, Literal(_plain(node[field])))


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _list(value: object) -> Sequence[object]:
    if isinstance(value, str):
        return (value,)
    return value if isinstance(value, Sequence) else ()
