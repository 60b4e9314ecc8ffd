"""One frozen dataclass per node type of the record; each field names its predicate.

The fields are data: `rdf.triples` writes an entity by walking them and `rdf.entities` reads it back by the same walk.
Values hold no I/O. Unknown counts are None and are not written. Fields are written by rank, then in the order given.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar

from pyoxigraph import NamedNode, Triple

from explorer.vocab import DC, FACTS, PROV, RDFS, RETRIEVAL, SOURCE, TG, Graph, X


class Kind(Enum):
    """How a field's value stands in RDF."""

    TEXT = "plain literal"
    INTEGER = "integer as plain literal"
    NUMBER = "float as plain literal"
    IRI = "IRI"
    TRIPLE = "triple term"
    JSON = "rdf:JSON literal"


@dataclass(frozen=True, slots=True)
class Column:
    """How one field is written: its predicate, the form of its values, and where in the order."""

    name: str
    predicate: NamedNode
    kind: Kind
    many: bool
    rank: int


def one(predicate: NamedNode, kind: Kind = Kind.TEXT, rank: int = 1, default: object = None) -> Any:  # noqa: ANN401 - a dataclass field stands for any type
    """Declare a field with at most one value; `default` when absent."""
    return dataclasses.field(default=default, metadata={"column": (predicate, kind, False, rank)})


def many(predicate: NamedNode, kind: Kind = Kind.TEXT, rank: int = 1) -> Any:  # noqa: ANN401 - as above
    """Declare a field with any number of values, kept as a tuple."""
    return dataclasses.field(default=(), metadata={"column": (predicate, kind, True, rank)})


@dataclass(frozen=True, kw_only=True)
class Entity:
    """Any node of the record; as it stands, one of a type that is not known here.

    `other` holds the triples about the node that no field stands for, so that nothing read is lost.
    """

    types: ClassVar[tuple[NamedNode, ...]] = ()
    graph: ClassVar[Graph] = RETRIEVAL

    iri: str
    label: str | None = one(RDFS.label, rank=0)
    derived_from: tuple[str, ...] = many(PROV.wasDerivedFrom, Kind.IRI, rank=0)
    other: tuple[Triple, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Step(Entity):
    """A stage of a run: what every stage may carry besides its own fields."""

    in_token: int | None = one(TG.inToken, Kind.INTEGER, rank=2)
    out_token: int | None = one(TG.outToken, Kind.INTEGER, rank=2)
    model: str | None = one(TG.llmModel, rank=2)
    duration_ms: int | None = one(X.durationMs, Kind.INTEGER, rank=3)
    rule: str | None = one(X.rule, rank=3)
    sequence: int | None = one(X.sequence, Kind.INTEGER, rank=3)


@dataclass(frozen=True, kw_only=True)
class Question(Step):
    """What was asked, when, of which engine and with which parameters."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Question)

    label: str | None = one(RDFS.label, rank=0, default="Question")
    started_at: str | None = one(PROV.startedAtTime)
    query: str = one(TG.query, default="")
    derived_from: tuple[str, ...] = many(PROV.wasDerivedFrom, Kind.IRI, rank=2)
    engine: str | None = one(X.engine, rank=3)
    parameters: dict[str, Any] | None = one(X.parameters, Kind.JSON, rank=3)
    reasoner: str | None = one(X.reasoner, rank=3)
    embedder: str | None = one(X.embedder, rank=3)


@dataclass(frozen=True, kw_only=True)
class GraphRagQuestion(Question):
    """The Question of a GraphRAG run."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Question, TG.GraphRagQuestion)

    label: str | None = one(RDFS.label, rank=0, default="GraphRAG Question")


@dataclass(frozen=True, kw_only=True)
class Grounding(Step):
    """The concepts taken from the question; `ordered` keeps their order and duplicates."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Grounding)

    label: str | None = one(RDFS.label, rank=0, default="Grounding")
    concepts: tuple[str, ...] = many(TG.concept)
    ordered: list[str] | None = one(X.concepts, Kind.JSON, rank=3)


@dataclass(frozen=True, kw_only=True)
class Exploration(Step):
    """What was looked at: how many edges, and from which seed entities."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Exploration)

    label: str | None = one(RDFS.label, rank=0, default="Exploration")
    edge_count: int | None = one(TG.edgeCount, Kind.INTEGER)
    entities: tuple[str, ...] = many(TG.entity, Kind.IRI)


@dataclass(frozen=True, kw_only=True)
class Focus(Step):
    """What was kept of it, and what was scored and not kept."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Focus)

    label: str | None = one(RDFS.label, rank=0, default="Focus")
    selected_edges: tuple[str, ...] = many(TG.selectedEdge, Kind.IRI)
    candidates: tuple[str, ...] = many(X.candidate, Kind.IRI, rank=3)


@dataclass(frozen=True, kw_only=True)
class EdgeSelection(Entity):
    """The record that an edge was chosen: for which concept, with which score, and why."""

    types: ClassVar[tuple[NamedNode, ...]] = (TG.EdgeSelection,)

    edge: Triple | None = one(TG.edge, Kind.TRIPLE)
    concept: str | None = one(TG.concept)
    score: float | None = one(TG.score, Kind.NUMBER)
    reasoning: str | None = one(TG.reasoning)


@dataclass(frozen=True, kw_only=True)
class Candidate(Entity):
    """An edge that was scored and not selected; never written with tg:edge."""

    types: ClassVar[tuple[NamedNode, ...]] = (X.Candidate,)

    edge: Triple | None = one(X.edge, Kind.TRIPLE)
    concept: str | None = one(TG.concept)
    score: float | None = one(TG.score, Kind.NUMBER)
    rank: int | None = one(X.rank, Kind.INTEGER)
    not_selected: str | None = one(X.notSelected)


@dataclass(frozen=True, kw_only=True)
class Synthesis(Step):
    """The answer; its text is the library content `document`."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Synthesis, TG.Answer)

    label: str | None = one(RDFS.label, rank=0, default="Synthesis")
    document: str | None = one(TG.document, Kind.IRI)
    termination_reason: str | None = one(TG.terminationReason, rank=3)


@dataclass(frozen=True, kw_only=True)
class Citation(Entity):
    """A span of the answer, in code points, and the selections it rests on."""

    types: ClassVar[tuple[NamedNode, ...]] = (X.Citation,)

    start: int | None = one(X.start, Kind.INTEGER)
    end: int | None = one(X.end, Kind.INTEGER)
    cites: tuple[str, ...] = many(X.cites, Kind.IRI)


@dataclass(frozen=True, kw_only=True)
class Failure(Step):
    """What went wrong outside a tool; derives from the last stage reached."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Error)

    label: str | None = one(RDFS.label, rank=0, default="Failure")
    error: str | None = one(TG.toolError)


@dataclass(frozen=True, kw_only=True)
class End(Step):
    """How a run ended: done, declined, error, stopped or interrupted, with the token totals that are known."""

    types: ClassVar[tuple[NamedNode, ...]] = (X.End,)

    label: str | None = one(RDFS.label, rank=0, default="End")
    reason: str | None = one(X.reason)
    ended_at: str | None = one(PROV.endedAtTime)


@dataclass(frozen=True, kw_only=True)
class Document(Entity):
    """A document of the library; its IRI is also the key of its bytes."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Document)
    graph: ClassVar[Graph] = FACTS

    title: str | None = one(DC.title, rank=-1)
    source: str | None = one(DC.source, Kind.IRI)
    date: str | None = one(DC.date)
    creator: str | None = one(DC.creator)
    page_count: int | None = one(TG.pageCount, Kind.INTEGER)
    mime_type: str | None = one(TG.mimeType)


@dataclass(frozen=True, kw_only=True)
class Extracted(Entity):
    """Anything made from a document: which activity made it, and where in its parent it lies (code points)."""

    graph: ClassVar[Graph] = SOURCE

    label: str | None = one(RDFS.label)
    generated_by: str | None = one(PROV.wasGeneratedBy, Kind.IRI, rank=0)
    char_offset: int | None = one(TG.charOffset, Kind.INTEGER)
    char_length: int | None = one(TG.charLength, Kind.INTEGER)


@dataclass(frozen=True, kw_only=True)
class Page(Extracted):
    """A page of a document, numbered from 1."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Page)

    number: int | None = one(TG.pageNumber, Kind.INTEGER)


@dataclass(frozen=True, kw_only=True)
class Section(Extracted):
    """A section of a document without pages; its label is the heading."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Section)


@dataclass(frozen=True, kw_only=True)
class Chunk(Extracted):
    """A piece of a page, section or document, numbered from 1 within it; its IRI is the key of its text."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Chunk)

    index: int | None = one(TG.chunkIndex, Kind.INTEGER)


@dataclass(frozen=True, kw_only=True)
class Subgraph(Entity):
    """The edges that one extractor took from one span of one chunk; offsets count from the chunk's start."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Subgraph)
    graph: ClassVar[Graph] = SOURCE

    contains: tuple[Triple, ...] = many(TG.contains, Kind.TRIPLE, rank=-1)
    generated_by: str | None = one(PROV.wasGeneratedBy, Kind.IRI, rank=0)
    source_text: str | None = one(TG.sourceText)
    source_offset: int | None = one(TG.sourceCharOffset, Kind.INTEGER)
    source_length: int | None = one(TG.sourceCharLength, Kind.INTEGER)
    confidence: float | None = one(X.confidence, Kind.NUMBER, rank=3)


@dataclass(frozen=True, kw_only=True)
class Activity(Entity):
    """One run of one component over one document."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Activity,)
    graph: ClassVar[Graph] = SOURCE

    used: tuple[str, ...] = many(PROV.used, Kind.IRI)
    associated_with: str | None = one(PROV.wasAssociatedWith, Kind.IRI)
    started_at: str | None = one(PROV.startedAtTime)
    version: str | None = one(TG.componentVersion)
    chunk_size: int | None = one(TG.chunkSize, Kind.INTEGER)
    chunk_overlap: int | None = one(TG.chunkOverlap, Kind.INTEGER)
    model: str | None = one(TG.llmModel)
    embedding_model: str | None = one(TG.embeddingModel)


@dataclass(frozen=True, kw_only=True)
class Agent(Entity):
    """Who did it: a component, a curator, an importer."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Agent,)
    graph: ClassVar[Graph] = SOURCE


CLASSES: tuple[type[Entity], ...] = (
    GraphRagQuestion, Question, Grounding, Exploration, Focus, EdgeSelection, Candidate, Synthesis, Citation,
    Failure, End, Document, Page, Section, Chunk, Subgraph, Activity, Agent,
)  # fmt: skip


def columns(cls: type[Entity]) -> tuple[Column, ...]:
    """Give the fields of a class that stand for predicates, in the order they are written."""
    return _COLUMNS[cls]


def _columns(cls: type[Entity]) -> tuple[Column, ...]:
    declared = [
        Column(field.name, *field.metadata["column"]) for field in dataclasses.fields(cls) if "column" in field.metadata
    ]
    return tuple(sorted(declared, key=lambda column: column.rank))


_ALL: tuple[type[Entity], ...] = (Entity, Step, Extracted, *CLASSES)
_COLUMNS = {cls: _columns(cls) for cls in _ALL}


def class_of(types: set[NamedNode]) -> type[Entity]:
    """Give the most specific class all of whose types a node has; `Entity` itself for an unknown one."""
    fitting = [cls for cls in CLASSES if types.issuperset(cls.types)]
    return max(fitting, key=lambda cls: len(cls.types), default=Entity)
