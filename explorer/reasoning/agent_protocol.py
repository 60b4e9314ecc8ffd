"""What an agent asks of whoever reasons: which way to work, what to do next, a plan, parts, one answer from many.

The values say what was chosen, by which rule if no model chose, and on which earlier results it rests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from explorer.reasoning.protocol import Cited, Piece, Reasoner, Sentence, Verdict

PATTERNS = {
    "react": "Interleaved reasoning and action: one step after the other, each decided on what came before",
    "plan-then-execute": "Plan all steps up front, then execute them",
    "supervisor": "Decompose into independent parts, one agent for each",
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
    """What a reasoner is told of a tool."""

    name: str
    description: str
    arguments: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskType:
    """A kind of task: which patterns it may be worked at by, and how whoever works at it is told to go about it."""

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
class Thought:
    """A piece of what is thought before a step, as it comes."""

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


@dataclass(frozen=True, slots=True)
class Taken:
    """A step that was taken: what was thought, done and seen; `declined`: the tool found nothing to answer from.

    `quoted`: which spans of the observation (start, end) rest on a source; what stands between them is the tool's own.
    """

    thought: str
    action: str
    arguments: Mapping[str, Any]
    observation: str
    failed: bool = False
    declined: bool = False
    quoted: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """What came of a step of a plan, or of a part of a question; of a failed one `text` says what went wrong.

    `quoted`: which spans of the text (start, end) rest on a source; what stands between them is a note.
    """

    goal: str
    text: str
    failed: bool = False
    declined: bool = False
    quoted: tuple[tuple[int, int], ...] = ()


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
    """The parts a question was split into, in order, equal ones kept; and the rule it was split by."""

    goals: tuple[str, ...]
    rule: str | None = None


Spoken = Sentence | Piece | Cited | Verdict  # an answer as it comes; what it cites are numbers of results, from 0


class AgentReasoner(Reasoner, Protocol):
    """A reasoner that can also work step by step, by a plan, or in parts."""

    def classify(self, question: str, tasks: Sequence[TaskType]) -> Choice:
        """Give the name of the type of task a question is; the first where none fits."""

    def choose_pattern(self, question: str, task: TaskType) -> Choice:
        """Give the pattern to work by, one of `task.patterns`; the first where none fits."""

    def next_action(
        self, question: str, framing: str, tools: Sequence[ToolSpec], history: Sequence[Taken]
    ) -> Iterator[Thought | Action | Unreadable | Uses | Spoken]:
        """Think, then give one Action, or one Unreadable, or an answer that ends with a Verdict."""

    def plan(self, question: str, framing: str, tools: Sequence[ToolSpec]) -> Planned:
        """Give the steps to take; at least one."""

    def act(
        self, question: str, goal: str, previous: Sequence[Found], tools: Sequence[ToolSpec], tried: Sequence[Taken]
    ) -> Action | Unreadable | None:
        """Give the call for a step of a plan from the results it depends on; None: nothing is left to try."""

    def decompose(self, question: str, framing: str, tools: Sequence[ToolSpec], limit: int) -> Parts:
        """Split a question into parts that can be worked at side by side, about `limit` at most; at least one."""

    def combine(self, question: str, framing: str, found: Sequence[Found], pattern: str) -> Iterator[Spoken]:
        """Answer from the results of a plan or of parts; ends with one Verdict."""


@runtime_checkable
class Completer(Protocol):
    """A reasoner that has a model to put any prompt to."""

    def complete(self, prompt: str) -> Iterator[str]:
        """Give the model's reply in pieces; raises ModelError."""
