"""The nodes of an agent's session: the pattern chosen, its steps, its plan or its parts, and their results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pyoxigraph import NamedNode

from explorer.entities.node_table import Kind, many, one
from explorer.entities.question_nodes import Answer, Step
from explorer.vocab import PROV, RDFS, TG, X

__all__ = [
    "GIVEN",
    "Analysis",
    "Conclusion",
    "Decomposition",
    "Finding",
    "Observation",
    "PatternDecision",
    "Plan",
    "Reflection",
    "Reported",
    "StepResult",
    "Thought",
]

GIVEN = "the pattern was given, not chosen"


@dataclass(frozen=True, kw_only=True)
class PatternDecision(Step):
    """Which pattern was chosen, and for which type of task."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.PatternDecision)

    pattern: str | None = one(TG.pattern)
    derived_from: tuple[str, ...] = many(PROV.wasDerivedFrom, Kind.IRI, rank=2)
    task_type: str | None = one(TG.taskType, rank=2)


@dataclass(frozen=True, kw_only=True)
class Analysis(Step):
    """One step: which tool was called, with which arguments (JSON), out of which candidates.

    `thought` is the IRI of the Thought; old records hold its text and that of the observation inline.
    """

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Analysis, TG.ToolUse)

    action: str | None = one(TG.action)
    arguments: str | None = one(TG.arguments)
    tool_candidates: tuple[str, ...] = many(TG.toolCandidate)
    step_number: int | None = one(TG.stepNumber, Kind.INTEGER)
    llm_duration_ms: int | None = one(TG.llmDurationMs, Kind.INTEGER)
    derived_from: tuple[str, ...] = many(PROV.wasDerivedFrom, Kind.IRI, rank=2)
    thought: str | None = one(TG.thought, Kind.IRI, rank=2)
    thought_text: str | None = None
    observation_text: str | None = None


@dataclass(frozen=True, kw_only=True)
class Reflection(Step):
    """The fields of an agent's text, which is the library content `document`, in old records the inline `content`."""

    types: ClassVar[tuple[NamedNode, ...]] = (TG.Reflection,)

    document: str | None = one(TG.document, Kind.IRI)
    sha256: str | None = one(X.sha256, rank=4)
    invalidated_at: str | None = one(PROV.invalidatedAtTime, rank=4)
    content: str | None = None


@dataclass(frozen=True, kw_only=True)
class Thought(Reflection):
    """What the agent thought before a step."""

    types: ClassVar[tuple[NamedNode, ...]] = (TG.Reflection, TG.Thought)

    label: str | None = one(RDFS.label, rank=0, default="Thought")


@dataclass(frozen=True, kw_only=True)
class Reported(Step):
    """What a tool may report about its result; `detail_level` is "enhanced" where it reported anything.

    `consulted` are the nodes that it read, `confidence` is from 0 to 1, and `leaked` names the thread of a tool that
    did not return in time and was abandoned. `ordered` are the passages that it read, by rank; `scores` are theirs, as
    an Exploration has them.
    """

    detail_level: str | None = one(X.detailLevel, rank=4)
    consulted: tuple[str, ...] = many(X.consulted, Kind.IRI, rank=4)
    transformation: str | None = one(X.transformation, rank=4)
    confidence: float | None = one(X.confidence, Kind.NUMBER, rank=4)
    leaked: str | None = one(X.leaked, rank=4)
    ordered: list[str] | None = one(X.chunks, Kind.LIST, rank=4)
    scores: dict[str, float] | None = one(X.scores, Kind.JSON, rank=4)


@dataclass(frozen=True, kw_only=True)
class Observation(Reported, Reflection):
    """What a tool returned; with `error` it failed, and is a tg:Error as well."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Observation)
    extra_types: ClassVar[tuple[NamedNode, ...]] = (TG.Reflection,)

    label: str | None = one(RDFS.label, rank=0, default="Observation")
    tool_duration_ms: int | None = one(TG.toolDurationMs, Kind.INTEGER)
    error: str | None = one(TG.toolError)


@dataclass(frozen=True, kw_only=True)
class Conclusion(Answer):
    """The answer of an agent that worked step by step."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Conclusion, TG.Answer)

    label: str | None = one(RDFS.label, rank=0, default="Conclusion")


@dataclass(frozen=True, kw_only=True)
class Decomposition(Step):
    """The parts a question was split into; `ordered` has their order and duplicates."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Decomposition)

    goals: tuple[str, ...] = many(TG.subagentGoal)
    ordered: list[str] | None = one(X.subagentGoals, Kind.LIST, rank=4)


@dataclass(frozen=True, kw_only=True)
class Finding(Answer):
    """What a sub-agent found for its goal; with `error` it failed."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Finding, TG.Answer)

    goal: str | None = one(TG.subagentGoal, rank=0)
    error: str | None = one(TG.toolError)


@dataclass(frozen=True, kw_only=True)
class Plan(Step):
    """The planned steps; `ordered` has their order and duplicates."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Plan)

    steps: tuple[str, ...] = many(TG.planStep)
    ordered: list[str] | None = one(X.planSteps, Kind.LIST, rank=4)


@dataclass(frozen=True, kw_only=True)
class StepResult(Reported, Answer):
    """The result of one step of a plan; with `error` it failed. `tool` was called for it with `arguments` (JSON)."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.StepResult, TG.Answer)

    goal: str | None = one(TG.planStep, rank=0)
    error: str | None = one(TG.toolError)
    tool: str | None = one(X.tool, rank=4)
    arguments: str | None = one(X.arguments, rank=4)
