"""A recorded run as it can be asked again: its question, engine, limits and model, as far as they are on record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from explorer.dag.retrieved import is_recorded
from explorer.engines.agent.searches import NAMES, SPARQL
from explorer.engines.agent.session import GENERAL
from explorer.engines.registry import Request, checked
from explorer.errors import QuestionError
from explorer.reasoning.agent_protocol import TaskType
from explorer.record.trace import Trace
from explorer.stores.left_out import LeftOut
from explorer.wording.ways import engine_of

_CHOSEN = ("tools", "task_types")  # parameters that are no limits


@dataclass(frozen=True, slots=True)
class Repeat:
    """What asks a run again: the request, the name of its model ("no model" for none), and what it left out."""

    request: Request
    model: str
    left_out: LeftOut


def repeat(
    trace: Trace, embedder: str, tools: Sequence[Callable[..., object]] = (), task_types: Sequence[TaskType] = ()
) -> Repeat:
    """Return what asks a run again; raises QuestionError where something it needs is not on record or not given.

    `embedder` is the name of the one at hand. An agent's own tools and types of task are functions and values of the
    caller's, of which the record has the names alone, so they are given again.
    """
    question = trace.asked
    if is_recorded(trace.dag):
        raise QuestionError(
            f"This run was made by {engine_of(question)}, so explorer can't ask it again. Run it there once more."
        )
    if question.engine is None or question.parameters is None:
        raise QuestionError(f"{trace.iri} can't be run again: its engine and limits are not on record.")
    if question.embedder is not None and question.embedder != embedder:
        raise QuestionError(
            f"{trace.iri} was made with the embedder {question.embedder}, and this workspace has {embedder} now. "
            "Ask the question anew and vary that run."
        )
    if trace.model is None:
        raise QuestionError(f"{trace.iri} can't be run again: which model reasoned is not on record.")
    limits = {name: value for name, value in question.parameters.items() if name not in _CHOSEN}
    request = checked(question.query, engine_of(question), limits, tools, task_types)
    _check_given(question.parameters.get("tools") or (), [*NAMES, SPARQL], request.tools, "tools")
    _check_given(question.parameters.get("task_types") or (), [GENERAL.name], request.tasks, "task_types")
    return Repeat(request, trace.model, LeftOut.of(question.without_facts, question.without, question.within))


def _check_given(recorded: Sequence[str], usual: Sequence[str], given: Sequence[object], name: str) -> None:
    """Raise QuestionError unless as many were given as the run had beyond the usual ones."""
    own = [one for one in recorded if one not in usual]
    if len(own) > len(given):
        raise QuestionError(
            f"The run had {name} of its own, which the record only names; pass {name}=[{', '.join(own)}]."
        )
