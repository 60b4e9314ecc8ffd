"""Tools: what an agent can call, what came of a call, and which tools it may call now.

Groups and states filter tools as in TrustGraph: a tool is offered when one of its groups is asked for and the present
state is one it applies in; after it was called, the state is the tool's own.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from explorer import entities as e
from explorer.engines.steps import AnswerText
from explorer.engines.usage import CallRecord
from explorer.errors import message_of
from explorer.events import Event, Support, Usage
from explorer.reasoning.agent_protocol import ToolSpec
from explorer.stores.database import AwayError

EVERY = "*"
UNDEFINED = "undefined"  # the state before any tool has set one
HANGS = 2  # so many times a tool may not come back before it is switched off for the run


@dataclass(frozen=True, slots=True)
class Quotation:
    """A span of a result, in code points, the selections or chunks it was taken from, and where in the chunk of each
    the words stand that it quotes, if that is told.
    """

    start: int
    end: int
    cites: tuple[str, ...]
    places: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What came of a call, with as much as the tool knows of how (TrustGraph's "Tool Provenance Reporting").

    `above`: the last node of the tool's own trace. `quoted`: which of its words come from where;
    `missing`: words of the question that nothing was found on; `support`: how well its evidence bears it.
    `consulted`: IRIs of
    documents, pages, chunks or facts' subgraphs that it read. `basic` says that nothing but name, arguments and result
    is known. `leaked` names a thread that never came back.
    """

    text: str
    error: str | None = None
    declined: bool = False
    above: str | None = None
    quoted: tuple[Quotation, ...] = ()
    missing: tuple[str, ...] = ()
    support: Support | None = None
    usages: tuple[Usage, ...] = ()
    calls: CallRecord | None = None
    consulted: tuple[str, ...] = ()
    transformation: str | None = None
    confidence: float | None = None
    leaked: str | None = None

    @property
    def basic(self) -> bool:
        """Whether the tool reported nothing of how it came to its result."""
        known = self.above, self.consulted, self.transformation, self.confidence, self.calls
        return not any(part is not None and part != () for part in known)


def failed(error: str, **known: Any) -> ToolResult:  # noqa: ANN401 - the fields of a result
    """Return the result of a call that failed; its text is what the agent reads."""
    return ToolResult(text=f"Error: {error}", error=error, **known)


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool: its arguments, the node of the record that it happens in, and how long it may take."""

    arguments: Mapping[str, Any]
    node: str
    timeout: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool: its specification, and what calling it does. `run` yields events of its own trace, if it makes one."""

    spec: ToolSpec
    run: Callable[[Call], Generator[Event, None, ToolResult]]
    groups: tuple[str, ...] = ("default",)
    applicable_states: tuple[str, ...] = (EVERY,)
    state: str | None = None

    @property
    def name(self) -> str:
        """Its name."""
        return self.spec.name

    def applies(self, groups: Sequence[str], state: str) -> bool:
        """Return whether it is in one of the groups asked for (its name is a group, too) and applies in a state."""
        wanted = EVERY in groups or bool({*self.groups, self.name} & {*groups})
        return wanted and (EVERY in self.applicable_states or (state or UNDEFINED) in self.applicable_states)


@dataclass(slots=True)
class Toolbox:
    """The tools of one session: those of the groups asked for, in the state that the last tool left.

    Sub-agents work with boxes of their own; which tools hang is known to all of them.
    """

    tools: Sequence[Tool]
    groups: tuple[str, ...] = ("default",)
    state: str = ""
    hangs: dict[str, int] = field(default_factory=dict)

    def offered(self) -> list[Tool]:
        """Return the tools that may be called now, in the order given."""
        return [tool for tool in self.tools if tool.applies(self.groups, self.state) and not self._is_off(tool.name)]

    def offers(self, name: str) -> bool:
        """Return whether a tool may be called now."""
        return any(tool.name == name for tool in self.offered())

    def specs(self) -> list[ToolSpec]:
        """Return the specifications of the offered tools."""
        return [tool.spec for tool in self.offered()]

    def call(self, name: str, call: Call) -> Generator[Event, None, ToolResult]:
        """Call a tool that is offered; any error is in the result, but that a server is away."""
        tool = next((tool for tool in self.offered() if tool.name == name), None)
        if tool is None:
            return failed(self._missing(name))
        try:
            result = yield from tool.run(call)
        except AwayError:
            raise
        except Exception as error:  # noqa: BLE001 - the border of a tool call: told to the agent, and on record
            result = failed(message_of(error))
        if result.leaked is not None:
            self.hangs[name] = self.hangs.get(name, 0) + 1
        if tool.state is not None and result.error is None:
            self.state = tool.state
        return result

    def copy(self) -> Toolbox:
        """Return a copy for a sub-agent: the same tools in the same state."""
        return Toolbox(self.tools, self.groups, self.state, self.hangs)

    def _is_off(self, name: str) -> bool:
        return self.hangs.get(name, 0) >= HANGS

    def _missing(self, name: str) -> str:
        if self._is_off(name):
            return f"tool '{name}' is switched off for this run, as it did not come back {HANGS} times"
        known = ", ".join(tool.name for tool in self.offered()) or "none"
        return f"tool '{name}' not found; there are: {known}"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A result that can be cited: its node on record, its words, and which of them come from where.

    `is_source`: its words are a tool's, which can bear out an answer where none of them is quoted; a model's can't.
    """

    node: str
    text: str
    quoted: tuple[Quotation, ...] = ()
    is_source: bool = True

    @classmethod
    def of(cls, node: str, result: ToolResult) -> Evidence:
        """Return what a tool's result is as evidence."""
        return cls(node, result.text, result.quoted, result.above is None and result.calls is None)

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """Which of its words are quotations."""
        return tuple((one.start, one.end) for one in self.quoted)

    def behind(self, words: str) -> dict[str, tuple[int, int] | None]:
        """Return the sources of some words, each with where in its chunk the quoted words stand, if that is told: those
        of that very quotation, else all, else the result itself.
        """
        start = self.text.find(words.strip())
        end = start + len(words.strip())
        there = [one for one in self.quoted if start < 0 or (one.start < end and start < one.end)]
        found: dict[str, tuple[int, int] | None] = {}
        for key, place in ((key, one.places.get(key)) for one in there for key in one.cites):
            before = found.get(key)
            found[key] = (min(before[0], place[0]), max(before[1], place[1])) if before and place else before or place
        return found or {self.node: None}


def quotations(citations: Iterable[e.Citation]) -> tuple[Quotation, ...]:
    """Return what the spans of an answer quote by its record, for an answer that cites it in turn."""
    return tuple(Quotation(one.start or 0, one.end or 0, one.cites, one.places) for one in citations if one.cites)


def used(said: AnswerText, numbers: Sequence[int] = ()) -> list[int]:
    """Return the numbers of the results that an answer cites, in order, each once."""
    return sorted({*numbers, *(number for span in said.spans for number in span.cites)})
