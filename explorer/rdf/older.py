"""Older spellings of TrustGraph's vocabulary and messages, read as what is written today.

Nodes without today's types, predicates and message fields that were renamed, texts that stood in the node itself. Older
IRIs are recognised in `vocab`, which all of the package may ask and which is below this module; the first draft, nodes
in JSON without triples, is read by `trustgraph.first_draft`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from pyoxigraph import Literal, NamedNode, Quad

from explorer import entities as e
from explorer.entities import CLASSES, Entity
from explorer.vocab import PROV, RDF, RDFS, TG, recognise

_PREDICATES: dict[NamedNode, tuple[str, type[Entity]]] = {
    TG.answer: ("content", e.Answer),
    TG.content: ("content", Entity),
    TG.thought: ("thought_text", e.Analysis),
    TG.observation: ("observation_text", e.Analysis),
    TG.thoughtDocument: ("document", e.Reflection),
    TG.observationDocument: ("document", e.Reflection),
    TG.reifies: ("contains", e.Subgraph),
    RDF.reifies: ("contains", e.Subgraph),
    PROV.wasGeneratedBy: ("derived_from", e.Step),
}
TEXTS = {"content", "thought_text", "observation_text"}  # fields that hold such a text
_MARKS: tuple[tuple[NamedNode, type[Entity]], ...] = (
    (TG.edge, e.EdgeSelection),
    (TG.selectedEdge, e.Focus),
    (TG.edgeCount, e.Exploration),
    (TG.chunkCount, e.Exploration),
    (TG.concept, e.Grounding),
    (TG.contains, e.Subgraph),
    (TG.reifies, e.Subgraph),
)
BY_IRI: dict[str, type[Entity]] = {
    "question": e.GraphRagQuestion, "grounding": e.Grounding, "exploration": e.Exploration, "focus": e.Focus,
    "synthesis": e.Synthesis, "edge": e.EdgeSelection, "chunk-selection": e.ChunkSelection,
    "docrag-question": e.DocRagQuestion, "docrag-grounding": e.Grounding, "docrag-exploration": e.Exploration,
    "docrag-focus": e.Focus, "docrag-synthesis": e.Synthesis,
    "agent-question": e.AgentQuestion, "pattern-decision": e.PatternDecision, "analysis": e.Analysis,
    "thought": e.Thought, "observation": e.Observation, "conclusion": e.Conclusion,
    "decomposition": e.Decomposition, "finding": e.Finding, "plan": e.Plan, "step-result": e.StepResult,
    "agent-synthesis": e.Synthesis,
    "document": e.Document, "page": e.Page, "section": e.Section, "chunk": e.Chunk, "image": e.Image,
    "subgraph": e.Subgraph, "activity": e.Activity, "agent": e.Agent,
}  # fmt: skip
_BY_LABEL: dict[str, type[Entity]] = {
    "GraphRAG query session": e.GraphRagQuestion,
    "Retrieved edges": e.Exploration,
    "Selected edges": e.Focus,
    "GraphRAG answer": e.Synthesis,
}
_SHARED = {TG.Answer, TG.Reflection, TG.ToolUse, TG.Question}
_OWN = tuple((cls, {term for term in cls.types if term in TG} - _SHARED) for cls in CLASSES)
_MESSAGE_FIELDS = {"chunk_type": "message_type", "provenance_id": "explain_id"}
_MESSAGE_KINDS = {"provenance": "explain", "final-answer": "answer", "final_answer": "answer"}


def field_of(cls: type[Entity], predicate: NamedNode, term: object) -> str | None:
    """Return the field of a class that an older predicate stands for with this object; None for any other."""
    name, owner = _PREDICATES.get(predicate, ("", Entity))
    if not name or not issubclass(cls, owner) or name not in cls.__dataclass_fields__:
        return None
    return name if (name in TEXTS) == isinstance(term, Literal) else None


def class_without_types(node: NamedNode, quads: Iterable[Quad], types: AbstractSet[Any]) -> type[Entity]:
    """Return the class of a node that lacks some of today's types.

    By those it has, by one that several classes share, by its predicates, its label, and at last its IRI.
    """
    quads = list(quads)
    predicates = {quad.predicate for quad in quads}
    named = recognise(node.value)
    by_iri = BY_IRI.get(named.kind) if named else None
    if own_class := next((cls for cls, own in _OWN if own and own <= types), None):
        return own_class
    if TG.query in predicates:
        return by_iri if by_iri is not None and issubclass(by_iri, e.Question) else e.Question
    if shared := next((cls for cls in CLASSES if cls.types[-1] in types), None):
        narrower = by_iri is not None and shared.types[-1] in (*by_iri.types, *by_iri.extra_types)
        return by_iri if by_iri is not None and narrower else shared
    if types - {PROV.Entity, PROV.Activity}:
        return Entity
    if mark := next((cls for predicate, cls in _MARKS if predicate in predicates), None):
        return mark
    labels = [quad.object.value for quad in quads if quad.predicate == RDFS.label and isinstance(quad.object, Literal)]
    by_label = next((_BY_LABEL[label] for label in labels if label in _BY_LABEL), None)
    return by_label or (by_iri if by_iri is not None and issubclass(by_iri, e.Step) else None) or Entity


def message_fields(message: Mapping[object, object]) -> dict[str, object]:
    """Return a message's fields under today's names, with underscores, and its kind under today's name."""
    fields = {str(key).replace("-", "_"): value for key, value in message.items()}
    for former, name in _MESSAGE_FIELDS.items():
        if former in fields:
            value = fields.pop(former)
            fields[name] = fields.get(name) or value
    kind = fields.get("message_type")
    if isinstance(kind, str):
        fields["message_type"] = _MESSAGE_KINDS.get(kind, kind)
    return fields
