"""One frozen dataclass per node type of the record; the classes and the table of their fields."""

from __future__ import annotations

from explorer.entities.agents import (
    Analysis,
    Conclusion,
    Decomposition,
    Finding,
    Observation,
    PatternDecision,
    Plan,
    Reflection,
    Reported,
    StepResult,
    Thought,
)
from explorer.entities.extraction import (
    Activity,
    Agent,
    Chunk,
    Composed,
    Document,
    Extracted,
    Image,
    Page,
    Section,
    Subgraph,
)
from explorer.entities.queries import (
    CUT_OFF,
    STOPPED,
    AgentQuestion,
    Answer,
    Candidate,
    ChunkSelection,
    Citation,
    DocRagQuestion,
    EdgeSelection,
    End,
    Exploration,
    Failure,
    Focus,
    GraphRagQuestion,
    Grounding,
    Question,
    Step,
    Synthesis,
)
from explorer.entities.table import LATE, Column, Entity, Kind, declared

CLASSES: tuple[type[Entity], ...] = (
    GraphRagQuestion, DocRagQuestion, AgentQuestion, Question, Grounding, Exploration, Focus, EdgeSelection,
    ChunkSelection, Candidate, Synthesis, Citation, End,
    PatternDecision, Analysis, Thought, Observation, Conclusion, Decomposition, Finding, Plan, StepResult, Reflection,
    Document, Page, Section, Image, Chunk, Subgraph, Activity, Agent,
    Failure,  # last: any other class may have failed too
)  # fmt: skip
_COLUMNS: dict[type[Entity], tuple[Column, ...]] = {
    cls: declared(cls) for cls in (*CLASSES, Entity, Step, Answer, Extracted, Composed)
}


def columns(cls: type[Entity]) -> tuple[Column, ...]:
    """Return the fields of a class that stand for predicates, in the order they are written."""
    return _COLUMNS[cls]


__all__ = [
    "CLASSES",
    "CUT_OFF",
    "LATE",
    "STOPPED",
    "Activity",
    "Agent",
    "AgentQuestion",
    "Analysis",
    "Answer",
    "Candidate",
    "Chunk",
    "ChunkSelection",
    "Citation",
    "Column",
    "Composed",
    "Conclusion",
    "Decomposition",
    "DocRagQuestion",
    "Document",
    "EdgeSelection",
    "End",
    "Entity",
    "Exploration",
    "Extracted",
    "Failure",
    "Finding",
    "Focus",
    "GraphRagQuestion",
    "Grounding",
    "Image",
    "Kind",
    "Observation",
    "Page",
    "PatternDecision",
    "Plan",
    "Question",
    "Reflection",
    "Reported",
    "Section",
    "Step",
    "StepResult",
    "Subgraph",
    "Synthesis",
    "Thought",
    "columns",
]
