"""What passes between an agent and its reasoner: the way to work, what to do next, a plan, parts, and results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from explorer.events import Support

PATTERNS = {
    "react": "Interleaved reasoning and action: one step after the other, each decided on what came before. "
    "The cheapest: one call for each step. Good for a single question, and where a step needs the one before",
    "plan-then-execute": "Plan all steps up front, then execute them. One call for the plan, one for each step and one "
    "for the answer. Good where the steps are known beforehand",
    "supervisor": "Decompose into independent parts, one search for each, more where that finds nothing. The dearest. "
    "Good for parts that do not need one another",
}


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a tool; `type` is JSON Schema's: string, integer, number, boolean, array or object."""

    name: str
    type: str = "string"
    description: str = ""
    required: bool = True


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a reasoner knows it."""

    name: str
    description: str
    arguments: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskType:
    """A kind of task: the patterns allowed for it, and the framing that its prompts carry."""

    name: str
    description: str = ""
    patterns: tuple[str, ...] = tuple(PATTERNS)
    framing: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several, and the rule it was chosen by; None: a model chose."""

    value: str
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class ThoughtPiece:
    """A piece of the thought before a step, as it comes."""

    text: str


@dataclass(frozen=True, slots=True)
class Action:
    """A tool to call; `uses` are the numbers (from 0) of the earlier results this rests on."""

    tool: str
    arguments: Mapping[str, Any]
    uses: tuple[int, ...] = ()
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A reply that holds neither an action nor an answer, and what is wrong with it."""

    error: str


@dataclass(frozen=True, slots=True)
class Uses:
    """The numbers (from 0) of earlier results that the answer which follows rests on."""

    numbers: tuple[int, ...]
    rule: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a result rests on. `error`: what went wrong, None where nothing did; `declined`: nothing was found.

    `quoted`: which spans of the result's text (start, end) rest on a source; the rest is a tool's own words or a note.
    `missing`: words of the question that nothing was found on. `support`: how well its evidence bears it, where that
    was judged.
    """

    error: str | None = None
    declined: bool = False
    quoted: tuple[tuple[int, int], ...] = ()
    missing: tuple[str, ...] = ()
    support: Support | None = None


@dataclass(frozen=True, slots=True)
class AgentStep(Outcome):
    """A step that was taken: what was thought, done and seen."""

    thought: str
    action: str
    arguments: Mapping[str, Any]
    observation: str


@dataclass(frozen=True, slots=True)
class GoalResult(Outcome):
    """What came of a step of a plan, or of a part of a question."""

    goal: str
    text: str


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """A step of a plan; `depends_on` are the numbers (from 0) of the steps whose results it needs."""

    goal: str
    tool_hint: str = ""
    depends_on: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Planned:
    """The steps of a plan in order, and the rule they were made by."""

    steps: tuple[PlannedStep, ...]
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts a question was split into, in order and with equal ones; and the rule it was split by."""

    goals: tuple[str, ...]
    rule: str | None = None
