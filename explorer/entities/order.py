"""The order in which the nodes of a run come, where a record does not number them."""

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
    StepResult,
    Thought,
)
from explorer.entities.queries import (
    ChunkSelection,
    EdgeSelection,
    Exploration,
    Failure,
    Focus,
    Grounding,
    Question,
    Synthesis,
)
from explorer.entities.table import Entity

__all__ = ["ORDER", "STAGES"]

STAGES: tuple[type[Entity], ...] = (Grounding, Exploration, Focus, Synthesis)
"""The steps of a search, which lead from one to the next."""
ORDER: tuple[type[Entity], ...] = (
    Question, PatternDecision, Grounding, Exploration, Focus, EdgeSelection, ChunkSelection, Plan, Decomposition,
    Analysis, Thought, Reflection, Observation, StepResult, Finding, Synthesis, Conclusion, Failure,
)  # fmt: skip
