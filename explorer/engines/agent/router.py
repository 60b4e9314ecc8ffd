"""The router: the type of task first, then the pattern it is worked at by. What is given is not chosen."""

from __future__ import annotations

from collections.abc import Sequence

from explorer.engines.agent.session import Routed
from explorer.errors import ModelError
from explorer.reasoning.protocol import AgentReasoner, Choice, TaskType
from explorer.text import truncate

GENERAL = TaskType("general", "General queries")
GIVEN = "the pattern was given, not chosen"
_LONGEST_ERROR = 200


def route(question: str, reasoner: AgentReasoner, tasks: Sequence[TaskType], pattern: str | None) -> Routed:
    """Choose how a question is worked at, among the patterns that its type of task allows.

    A model that fails is no reason to give up here: the general type and the first pattern stand in.
    """
    if pattern is not None:
        return Routed(tasks[0].name, pattern, tasks[0].framing, GIVEN)
    usual = next((task for task in tasks if task.name == GENERAL.name), tasks[0])
    named = _typed(question, reasoner, tasks, usual)
    task = next((task for task in tasks if task.name == named.value), usual)
    chosen = _chosen(question, reasoner, task)
    rules = [choice.rule for choice in (named, chosen) if choice.rule]
    return Routed(task.name, chosen.value, task.framing, "; ".join(rules) or None)


def _typed(question: str, reasoner: AgentReasoner, tasks: Sequence[TaskType], usual: TaskType) -> Choice:
    try:
        return reasoner.classify(question, tasks)
    except ModelError as error:
        return Choice(usual.name, f"{usual.name} is taken, as the model failed: {truncate(str(error), _LONGEST_ERROR)}")


def _chosen(question: str, reasoner: AgentReasoner, task: TaskType) -> Choice:
    first = task.patterns[0]
    try:
        chosen = reasoner.choose_pattern(question, task)
    except ModelError as error:
        return Choice(first, f"{first} is taken, as the model failed: {truncate(str(error), _LONGEST_ERROR)}")
    return chosen if chosen.value in task.patterns else Choice(first, f"{first} is taken, as none allowed was named")
