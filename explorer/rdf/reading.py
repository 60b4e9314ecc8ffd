"""Triples to entities: every class, every older spelling, and nothing lost that is not understood.

Kinds are decided by the types of the subject itself, the most specific first; only without such a type by its fields,
its label and at last its IRI. Where the fields of the entity would not write the same quads again, it keeps them.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer import entities as e
from explorer.entities import CLASSES, Column, Entity, Kind, columns
from explorer.vocab import PROV, RDF, RDFS, TG, recognise

_XSD_STRING = "http://www.w3.org/2001/XMLSchema#string"
_MARKS: tuple[tuple[NamedNode, type[Entity]], ...] = (
    (TG.edge, e.EdgeSelection),
    (TG.selectedEdge, e.Focus),
    (TG.edgeCount, e.Exploration),
    (TG.chunkCount, e.Exploration),
    (TG.concept, e.Grounding),
    (TG.contains, e.Subgraph),
    (TG.reifies, e.Subgraph),
)
_KINDS: dict[str, type[Entity]] = {
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
_LABELS: dict[str, type[Entity]] = {
    "GraphRAG query session": e.GraphRagQuestion,
    "Retrieved edges": e.Exploration,
    "Selected edges": e.Focus,
    "GraphRAG answer": e.Synthesis,
}
_SHARED = {TG.Answer, TG.Reflection, TG.ToolUse, TG.Question}
_OWN = tuple((cls, {term for term in cls.types if term in TG} - _SHARED) for cls in CLASSES)
_INLINE = {"content", "thought_text", "observation_text"}
_OLDER: dict[NamedNode, tuple[str, type[Entity]]] = {
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


def entities(quads: Iterable[Quad]) -> list[Entity]:
    """Read every described node, in order of first mention; what no field stands for is kept in `other`."""
    described: dict[NamedNode, list[Quad]] = defaultdict(list)
    for quad in quads:
        if isinstance(quad.subject, NamedNode):
            described[quad.subject].append(quad)
    return [_Reading(node, about).entity() for node, about in described.items()]


def class_of(node: NamedNode, about: Iterable[Quad]) -> tuple[type[Entity], bool]:
    """Decide a node's class; the second value says whether by its types alone."""
    quads = list(about)
    types = frozenset(quad.object for quad in quads if quad.predicate == _TYPE)
    best = _by_types(types)
    if best is e.Activity:  # every step was one once
        older = _unmarked(node, quads, set(types))
        return older, older is best
    return (best, True) if best is not Entity else (_unmarked(node, quads, set(types)), False)


@lru_cache(maxsize=10_000)
def _by_types(types: frozenset[Any]) -> type[Entity]:
    best, fit = Entity, 0
    for cls in CLASSES:
        if len(cls.types) > fit and types.issuperset(cls.types):
            best, fit = cls, len(cls.types)
    return best


def _unmarked(node: NamedNode, quads: list[Quad], types: set[Any]) -> type[Entity]:
    """Decide without a full set of types: by its own, by one that several share, fields, label, then the IRI."""
    predicates = {quad.predicate for quad in quads}
    named = recognise(node.value)
    by_iri = _KINDS.get(named.kind) if named else None
    if telling := next((cls for cls, own in _OWN if own and own <= types), None):
        return telling
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
    by_label = next((_LABELS[label] for label in labels if label in _LABELS), None)
    return by_label or (by_iri if by_iri is not None and issubclass(by_iri, e.Step) else None) or Entity


@dataclass(frozen=True, slots=True)
class _Table:
    """What reading needs of a class: its columns by predicate, the types it writes, and whether it can have failed."""

    columns: dict[NamedNode, Column]
    types: frozenset[NamedNode]
    fails: bool


_ALL: tuple[type[Entity], ...] = (*CLASSES, Entity)
_TABLES = {
    cls: _Table(
        {column.predicate: column for column in columns(cls)},
        frozenset((*cls.types, *cls.extra_types)),
        any(column.predicate == TG.toolError for column in columns(cls)) and TG.Error not in cls.types,
    )
    for cls in _ALL
}
_TYPE = RDF.type


class _Reading:
    """One node being read."""

    def __init__(self, node: NamedNode, about: list[Quad]) -> None:
        self.node = node
        self.about = about
        self.cls, self.exact = class_of(node, about)
        self.table = _TABLES[self.cls]
        self.values: dict[str, list[Any]] = defaultdict(list)
        self.types: set[Any] = set()
        self.other: list[Triple] = []

    def entity(self) -> Entity:
        """Put the fields together."""
        by_predicate, graph = self.table.columns, self.cls.graph
        for quad in self.about:
            if quad.graph_name != graph:
                self.exact = False
            predicate = quad.predicate
            if predicate == _TYPE:
                self._type(quad)
            elif not self._field(by_predicate.get(predicate), quad) and not self._older(quad):
                self.other.append(quad.triple)
        self._check_types()
        return self._made()

    def _made(self) -> Entity:
        # what is not there is None even where a new entity has a default, such as a label
        fields: dict[str, Any] = {"label": None}
        for column in self.table.columns.values():
            found = self.values.get(column.name, ())
            if column.many:
                fields[column.name] = tuple(found)
            elif found:
                fields[column.name] = found[0]
        for name in _INLINE.intersection(self.values):
            fields[name] = self.values[name][0]
        original = () if self.exact else tuple(self.about)
        return self.cls(iri=self.node.value, other=tuple(self.other), original=original, **fields)

    def _type(self, quad: Quad) -> None:
        self.types.add(quad.object)
        if quad.object not in self.table.types and not (self.table.fails and quad.object == TG.Error):
            self.other.append(quad.triple)

    def _check_types(self) -> None:
        """Note where the types written would not be the types read."""
        failed = self.table.fails and (TG.Error in self.types) != bool(self.values.get("error"))
        if failed or not self.types.issuperset(self.table.types):
            self.exact = False

    def _field(self, column: Column | None, quad: Quad) -> bool:
        if column is None or (not column.many and column.name in self.values):
            return False
        value, exact = _value(column.kind, quad.object)
        if value is None:
            return False
        self.values[column.name].append(value)
        self.exact = self.exact and exact
        return True

    def _older(self, quad: Quad) -> bool:
        """Read an older spelling into the field it stands for now."""
        name, owner = _OLDER.get(quad.predicate, ("", Entity))
        if not name or not issubclass(self.cls, owner) or name not in self.cls.__dataclass_fields__:
            return False
        term = quad.object
        if (name in _INLINE) != isinstance(term, Literal):
            return False
        self.values[name].append(term if isinstance(term, Triple) else term.value)
        self.exact = False
        return True


def _value(kind: Kind, term: Any) -> tuple[Any, bool]:  # noqa: ANN401 - any term in, any field's value out
    """Read a term as a field's value, and say whether that writes the same term again; None for another form."""
    match kind, term:
        case Kind.IRI, NamedNode():
            return term.value, True
        case Kind.TRIPLE, Triple():
            return term, True
        case Kind.TEXT, Literal():
            return term.value, term.language is None and term.datatype.value == _XSD_STRING
        case ((Kind.INTEGER | Kind.NUMBER), Literal()):
            return _number(kind, term)
        case ((Kind.JSON | Kind.LIST), Literal()):
            return _json(kind, term)
        case _:
            return None, False


def _is_shaped(kind: Kind, value: Any) -> bool:  # noqa: ANN401 - whatever JSON holds
    """Say whether a JSON value has the shape that the field takes: an object, or a list of texts."""
    if kind is Kind.JSON:
        return isinstance(value, dict)
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _number(kind: Kind, term: Literal) -> tuple[Any, bool]:
    try:
        whole = kind is Kind.INTEGER or term.value.lstrip("-").isdecimal()
        value = int(term.value) if whole else float(term.value)
    except ValueError:
        return None, False
    if not math.isfinite(value):
        return None, False
    return value, str(value) == term.value and term.datatype.value == _XSD_STRING


def _json(kind: Kind, term: Literal) -> tuple[Any, bool]:
    try:
        value = json.loads(term.value)
    except (ValueError, RecursionError):  # nested beyond reason
        return None, False
    if not _is_shaped(kind, value):
        return None, False
    return value, term.datatype == RDF.JSON and json.dumps(value, ensure_ascii=False) == term.value
