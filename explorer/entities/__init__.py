"""One frozen dataclass per node type of the record; the classes and the table of their fields."""

from __future__ import annotations

from explorer.entities import agent_nodes, annotation_nodes, document_nodes, node_table, question_nodes
from explorer.entities.agent_nodes import *
from explorer.entities.annotation_nodes import *
from explorer.entities.document_nodes import *
from explorer.entities.node_table import *
from explorer.entities.node_table import Entity
from explorer.entities.question_nodes import *
from explorer.entities.question_nodes import Failure

_DECLARED: list[type[Entity]] = [
    cls for module in (question_nodes, agent_nodes, document_nodes, annotation_nodes) for cls in vars(module).values()
    if isinstance(cls, type) and cls.__module__ == module.__name__ and "types" in vars(cls)
]  # fmt: skip
CLASSES: tuple[type[Entity], ...] = (
    *(cls for cls in _DECLARED if cls is not Failure),
    Failure,  # last: any other class may have failed too
)

STAGES: tuple[type[Entity], ...] = (
    question_nodes.Grounding,
    question_nodes.Exploration,
    question_nodes.Focus,
    question_nodes.Synthesis,
)
"""The steps of a search, which lead from one to the next."""
ORDER: tuple[type[Entity], ...] = (
    question_nodes.Question, agent_nodes.PatternDecision, question_nodes.Grounding, question_nodes.Exploration,
    question_nodes.Focus, question_nodes.EdgeSelection, question_nodes.ChunkSelection, agent_nodes.Plan,
    agent_nodes.Decomposition, agent_nodes.Analysis, agent_nodes.Thought, agent_nodes.Reflection,
    agent_nodes.Observation, agent_nodes.StepResult, agent_nodes.Finding, question_nodes.Synthesis,
    agent_nodes.Conclusion, question_nodes.Failure,
)  # fmt: skip
"""The nodes of a run in the order in which they come, where a record does not number them."""

__all__ = ["CLASSES", "ORDER", "STAGES"]
__all__ += agent_nodes.__all__
__all__ += annotation_nodes.__all__
__all__ += document_nodes.__all__
__all__ += question_nodes.__all__
__all__ += node_table.__all__
