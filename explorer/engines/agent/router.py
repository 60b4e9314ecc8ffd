"""The router: the type of task first, then the pattern it is worked at by. One that was given is not chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from explorer.engines.agent.session import Routed
from explorer.entities import GIVEN
from explorer.errors import ModelError
from explorer.models.endpoint import ClosedError
from explorer.reasoning.protocol import AgentReasoner, Choice, TaskType
from explorer.text import truncate

GENERAL = TaskType("general", "General queries")
_LONGEST_ERROR = 200


def route(question: str, reasoner: AgentReasoner, tasks: Sequence[TaskType], pattern: str | None) -> Routed:
    """Choose how a question is worked at, among the patterns that its type of task allows.

    A model that fails is no reason to give up here: the general type and the first pattern stand in.
    """
    if pattern is not None:
        return Routed(tasks[0].name, pattern, tasks[0].framing, GIVEN)
    usual = next((task for task in tasks if task.name == GENERAL.name), tasks[0])
    named = _or_else(usual.name, lambda: reasoner.classify(question, tasks))
    task = next((task for task in tasks if task.name == named.value), usual)
    first = task.patterns[0]
    chosen = _or_else(first, lambda: reasoner.choose_pattern(question, task))
    if chosen.value not in task.patterns:
        chosen = Choice(first, f"{first} is taken, as none allowed was named")
    by_model = f"{reasoner.name} chose the pattern" if len(tasks) == 1 else None
    rules = [rule for rule in (named.rule, chosen.rule or by_model) if rule]
    return Routed(task.name, chosen.value, task.framing, "; ".join(rules) or None)


def _or_else(usual: str, choose: Callable[[], Choice]) -> Choice:
    try:
        return choose()
    except ClosedError:
        raise
    except ModelError as error:
        return Choice(usual, f"{usual} is taken, as the model failed: {truncate(str(error), _LONGEST_ERROR)}")
