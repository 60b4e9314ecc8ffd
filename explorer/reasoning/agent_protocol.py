"""The protocol of reasoners that lead agents, beside that of searches, and the values that pass between them.

They are asked for the way to work, what to do next, a plan, parts, and one answer from several results.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from explorer.events import Support
from explorer.reasoning.protocol import AnswerPart, Reasoner

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


class AgentReasoner(Reasoner, Protocol):
    """A reasoner that can also work step by step, by a plan, or in parts."""

    def classify(self, question: str, tasks: Sequence[TaskType]) -> Choice:
        """Return the name of the type of task a question is; the first where none fits."""

    def choose_pattern(self, question: str, task: TaskType) -> Choice:
        """Return the pattern to work by, one of `task.patterns`; the first where none fits."""

    def next_action(
        self, question: str, framing: str, tools: Sequence[ToolSpec], history: Sequence[AgentStep]
    ) -> Iterator[ThoughtPiece | Action | Unreadable | Uses | AnswerPart]:
        """Yield thoughts, then one Action, one Unreadable, or an answer that ends with a Verdict."""

    def plan(self, question: str, framing: str, tools: Sequence[ToolSpec]) -> Planned:
        """Return the steps to take; at least one."""

    def act(
        self, question: str, goal: str, previous: Sequence[GoalResult], tools: Sequence[ToolSpec],
        tried: Sequence[AgentStep],
    ) -> Action | Unreadable | None:  # fmt: skip
        """Return the call for a step of a plan from the results it depends on; None: nothing is left to try."""

    def decompose(self, question: str, framing: str, tools: Sequence[ToolSpec], limit: int) -> Parts:
        """Split a question into parts that can be worked at side by side, about `limit` at most; at least one."""

    def combine(self, question: str, framing: str, found: Sequence[GoalResult], pattern: str) -> Iterator[AnswerPart]:
        """Answer from the results of a plan or of parts; ends with one Verdict."""


@runtime_checkable
class Completer(Protocol):
    """A reasoner that has a model to put any prompt to."""

    def complete(self, prompt: str) -> Iterator[str]:
        """Return the model's reply in pieces; raises ModelError."""
