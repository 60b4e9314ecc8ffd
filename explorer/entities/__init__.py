"""One frozen dataclass per node type of the record; the classes and the table of their fields."""

from __future__ import annotations

from explorer.entities import agents, annotation, extraction, queries, table
from explorer.entities.agents import *
from explorer.entities.annotation import *
from explorer.entities.extraction import *
from explorer.entities.queries import *
from explorer.entities.queries import Failure
from explorer.entities.table import *
from explorer.entities.table import Entity

_DECLARED: list[type[Entity]] = [
    cls for module in (queries, agents, extraction, annotation) for cls in vars(module).values()
    if isinstance(cls, type) and cls.__module__ == module.__name__ and "types" in vars(cls)
]  # fmt: skip
CLASSES: tuple[type[Entity], ...] = (
    *(cls for cls in _DECLARED if cls is not Failure),
    Failure,  # last: any other class may have failed too
)

STAGES: tuple[type[Entity], ...] = (queries.Grounding, queries.Exploration, queries.Focus, queries.Synthesis)
"""The steps of a search, which lead from one to the next."""
ORDER: tuple[type[Entity], ...] = (
    queries.Question, agents.PatternDecision, queries.Grounding, queries.Exploration, queries.Focus,
    queries.EdgeSelection, queries.ChunkSelection, agents.Plan, agents.Decomposition, agents.Analysis, agents.Thought,
    agents.Reflection, agents.Observation, agents.StepResult, agents.Finding, queries.Synthesis, agents.Conclusion,
    queries.Failure,
)  # fmt: skip
"""The nodes of a run in the order in which they come, where a record does not number them."""

__all__ = ["CLASSES", "ORDER", "STAGES"]
__all__ += agents.__all__
__all__ += annotation.__all__
__all__ += extraction.__all__
__all__ += queries.__all__
__all__ += table.__all__
