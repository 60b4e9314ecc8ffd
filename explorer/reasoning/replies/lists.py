"""Replies to what an agent asks besides its next step: one of several names, a plan, a call, the parts of a question.

Read tolerantly; where nothing can be read, the value names the rule that stands in for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from explorer.reasoning.agent_protocol import (
    Action,
    Choice,
    Parts,
    Planned,
    PlannedStep,
    TaskType,
    ToolSpec,
    Unreadable,
)
from explorer.reasoning.replies import json as loose_json
from explorer.reasoning.replies.parsing import is_placeholder, unthought
from explorer.reasoning.replies.react import call
from explorer.text import sound, truncate

GENERAL = "general"  # the type of a task that is of no other type
REACT = "react"  # the pattern where none is named
_FIRST = "the reply named none of them: the first is taken"
_GENERAL = f"the reply named none of them: {GENERAL} is taken"
_DIRECTLY = "Answer the question directly"
_NO_PLAN = "the reply held no plan: one step"
_NO_PARTS = "the reply held no parts: the whole question"
_AROUND = " \t\r\n\"'`“”‘’*_.[]()"
_MOST = 1_000  # steps or parts that are read
_LONGEST_GOAL = 2_000
_WRAPS = ("items", "steps", "plan", "goals", "parts", "questions", "subtasks")


def task_type(reply: str, tasks: Sequence[TaskType]) -> Choice:
    """Read the name of a type of task; of a reply that has none, it is `general` if there is such a type."""
    names = [task.name for task in tasks]
    named = _one_of(reply, names)
    if named is not None:
        return Choice(named)
    if GENERAL in names[1:]:
        return Choice(GENERAL, _GENERAL)
    return Choice(names[0], _FIRST)


def pattern(reply: str, patterns: Sequence[str]) -> Choice:
    """Read the name of a pattern."""
    named = _one_of(reply, patterns)
    return Choice(patterns[0], _FIRST) if named is None else Choice(named)


def plan(reply: str) -> Planned:
    """Read the steps of a plan; numbers of steps count those of the reply, also where some can't be read."""
    for items in _lists(reply):
        found = [(number, item) for number, item in enumerate(items[:_MOST])
                 if isinstance(item, dict) and _goal(item)]  # fmt: skip
        places = {number: place for place, (number, _) in enumerate(found)}
        if found:
            return Planned(tuple(_step(item, places, number) for number, item in found))
    return Planned((PlannedStep(_DIRECTLY),), _NO_PLAN)


def step_call(reply: str, tools: Sequence[ToolSpec]) -> Action | Unreadable:
    """Read the call for a step of a plan: {"tool", "arguments"}; null is an argument that is left out."""
    item = next((item for items in _lists(reply) for item in items if isinstance(item, dict)), None)
    if item is not None:
        read = call(item)
        if isinstance(read, Unreadable):
            return read
        spec = next((tool for tool in tools if tool.name == read.tool), None)
        optional = {argument.name for argument in spec.arguments if not argument.required} if spec else set()
        given = {name: one for name, one in read.arguments.items() if one is not None or name not in optional}
        return Action(read.tool, given)
    plain = unthought(reply)
    shown = f": “{truncate(plain, 80)}”" if plain.strip() else "; it is empty"
    return Unreadable(f"the reply holds no call of a tool{shown}")


def parts(reply: str, question: str) -> Parts:
    """Read the parts of a question, equal ones kept."""
    for items in _lists(reply):
        goals = tuple(goal for item in items[:_MOST] if (goal := _goal(item)))
        if goals:
            return Parts(goals)
    return Parts((question,), _NO_PARTS)


def _one_of(reply: str, names: Sequence[str]) -> str | None:
    """Return the name that a reply consists of, else the only one that it mentions."""
    plain = unthought(reply).strip(_AROUND).lower()
    exact = [name for name in names if name.lower() == plain]
    if exact:
        return exact[0]
    inside = {name for name in names if re.search(rf"(?<![\w-]){re.escape(name.lower())}(?![\w-])", plain)}
    return inside.pop() if len(inside) == 1 else None


def _lists(reply: str) -> Iterator[list[Any]]:
    """Yield the lists in a reply that may be what was asked for, one that an object wraps too, else the object."""
    for found in loose_json.values(loose_json.unfenced(unthought(reply))):
        if isinstance(found, list):
            yield found
        else:
            yield next((found[key] for key in _WRAPS if isinstance(found.get(key), list)), [found])


def _goal(item: object) -> str:
    plain = item.get("goal") if isinstance(item, dict) else item
    return sound(plain.strip()[:_LONGEST_GOAL]) if isinstance(plain, str) and not is_placeholder(plain) else ""


def _step(item: Mapping[str, Any], places: Mapping[int, int], own: int) -> PlannedStep:
    hint, needs = item.get("tool_hint"), item.get("depends_on")
    texts = [str(need) for need in needs if isinstance(need, int | str)] if isinstance(needs, list) else []
    numbers = [int(text) for text in texts if re.fullmatch(r"\s*[0-9]{1,4}\s*", text)]
    known = dict.fromkeys(places[number] for number in numbers if number in places and number != own)
    return PlannedStep(_goal(item), hint.strip() if isinstance(hint, str) else "", tuple(known))
