"""ReAct: think, call a tool, look at what came back, and again, until there is an answer (Yao 2023).

Any error within a step is a result from which the next step can recover: an exception, a tool that isn't there,
a reply that can't be read. Only steps running out, three such replies in a row, a model that fails, or a server of the
workspace that is away, ends a session without an answer.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING

from explorer.engines.agent.searches import KNOWLEDGE
from explorer.engines.agent.session import Answered, Session
from explorer.engines.agent.tools import Call, Evidence, Quotation, Toolbox, ToolResult, failed, quotations, used
from explorer.engines.limits import AgentLimits
from explorer.engines.steps import AnswerText, Rested, stream_answer
from explorer.events import Event, Passage, Support, Text
from explorer.reasoning.agent_protocol import Action, AgentStep, Outcome, ThoughtPiece, Unreadable, Uses
from explorer.reasoning.prompted.reasoner import PromptedReasoner
from explorer.reasoning.protocol import AnswerPart, Cited, Piece, Sentence, Verdict
from explorer.text import truncate

if TYPE_CHECKING:
    from explorer.reasoning import Reasoner

AT_ONCE = "it is searched for at once, before a model is asked how"
FOUND = "the answer of its search is that of the part"
PARSE_ERROR = "__parse_error__"
_LONGEST_NAME = 80
_SAME = 3  # so many equal calls, or replies that can't be read, in a row lead nowhere


@dataclass(frozen=True, slots=True)
class Ended:
    """How a session came out: its last node, its answer with quotations, "done", "declined" or "error"."""

    node: str
    text: str
    reason: str
    quoted: tuple[Quotation, ...] = ()
    error: str | None = None
    missing: tuple[str, ...] = ()
    support: Support | None = None
    outcome: str | None = None


@dataclass(slots=True)
class _Turn:
    """What a reasoner gave for one step: its thought, then a call, or an answer with what it rests on."""

    begun: datetime
    offered: tuple[str, ...] = ()
    thought: str = ""
    action: Action | Unreadable | None = None
    uses: tuple[int, ...] = ()
    rule: str | None = None
    said: AnswerText | None = None


@dataclass(slots=True)
class React:
    """One session that works step by step; one `at_once` begins with a search, and answers with what that found."""

    session: Session
    reasoner: Reasoner
    toolbox: Toolbox
    limits: AgentLimits
    at_once: bool = False
    _history: list[AgentStep] = field(default_factory=list, init=False)
    _results: list[Evidence] = field(default_factory=list, init=False)

    def run(self, question: str, framing: str) -> Generator[Event, None, Ended]:
        """Take steps until there is an answer, no step is left, or several replies in a row can't be read."""
        unread = 0
        for number in range(1, self.limits.max_iterations + 1):
            turn = yield from self._turn(question, framing, number)
            if turn.said is not None:
                return (yield from self._conclude(turn, turn.said, question, number))
            yield from self._step(turn, number)
            unread = unread + 1 if isinstance(turn.action, Unreadable) else 0
            if unread == _SAME:
                error = f"{_SAME} replies in a row held neither an action nor an answer; ask again, or another model."
                return (yield from self._give_up(question, error, "error"))
        error = f"No answer within {self.limits.max_iterations} steps; ask for less at once, or raise max_iterations."
        return (yield from self._give_up(question, error, "max-iterations"))

    def _turn(self, question: str, framing: str, number: int) -> Generator[Event, None, _Turn]:
        tools = self.toolbox.specs()
        turn = _Turn(self.session.clock(), tuple(tool.name for tool in tools))
        parts = iter(self._at_once(question) or self.reasoner.next_action(question, framing, tools, self._history))
        for part in parts:
            match part:
                case ThoughtPiece():
                    turn.thought += part.text
                    yield Text(self.session.iri("thought", number), "thought", part.text)
                case Action() | Unreadable():
                    turn.action = part
                case Uses():
                    turn.uses, turn.rule = part.numbers, part.rule
                case _:
                    answer = (
                        one for one in chain([part], parts) if isinstance(one, Sentence | Piece | Cited | Verdict)
                    )
                    turn.said = yield from stream_answer(answer, self.session.iri("conclusion"), self.session.setting)
        if turn.action is None and turn.said is None:
            turn.action = Unreadable("the reply holds neither an action nor an answer")
        return turn

    def _at_once(self, question: str) -> Iterable[Action | AnswerPart] | None:
        """Return the search that a session begins with, or its result as the answer if it found anything."""
        if not self.at_once or len(self._history) > 1 or not self.toolbox.offers(KNOWLEDGE):
            return None
        if not self._history:
            return [Action(KNOWLEDGE, {"question": question}, (), AT_ONCE)]
        found = self._history[0]
        if found.error is not None or found.declined:
            return None
        return as_answer(found.observation, found)

    def _step(self, turn: _Turn, number: int) -> Iterator[Event]:
        action, wrong = _readable(turn.action)
        yield self.session.analysis(
            number, action, self._above(action.uses), begun=turn.begun, thought=turn.thought, offered=turn.offered
        )
        begun = self.session.clock()
        call = Call(action.arguments, self.session.iri("analysis", number), self.limits.tool_timeout)
        wrong = wrong or self._repeated(action)
        result = failed(wrong) if wrong else (yield from self.toolbox.call(action.tool, call))
        for used_up in result.usages:
            self.session.calls.add(used_up)
        yield from self.session.observation(number, result, consulted(self.session, result), begun)
        seen = Evidence.of(self.session.iri("observation", number), result)
        self._results.append(seen)
        self._history.append(AgentStep(
            turn.thought, action.tool, action.arguments, seen.text, error=result.error, declined=result.declined,
            quoted=seen.spans, missing=result.missing, support=result.support,
        ))  # fmt: skip

    def _above(self, uses: Sequence[int]) -> list[str]:
        """Return what a step derives from: the result before it, then the earlier ones that it uses."""
        before = self._results[-1].node if self._results else self.session.iri("pattern-decision")
        return [before, *(self._results[number].node for number in uses if 0 <= number < len(self._results))]

    def _repeated(self, action: Action) -> str | None:
        """Return why a call is not made again after several equal ones with the same result; None if it is."""
        last = self._history[-_SAME:]
        if len(last) < _SAME or any((one.action, one.arguments) != (action.tool, action.arguments) for one in last):
            return None
        said = f"this call was made {_SAME} times in a row; do something else, or answer from what there is"
        results = {one.observation for one in last} - {failed(said).text}
        return said if len(results) < 2 else None

    def _conclude(self, turn: _Turn, said: AnswerText, question: str, number: int) -> Generator[Event, None, Ended]:
        parents = self._above(used(said, turn.uses))
        node = self.session.iri("conclusion")
        if turn.uses and not said.spans and isinstance(self.reasoner, PromptedReasoner):  # it has no other marks
            said = replace(said, spans=(Cited(0, len(said.text), turn.uses),))
        rested = yield from self.session.rest(node, said, self._results, question)
        yield self.session.conclusion(Answered(rested, parents, "final-answer", turn.rule), question, turn.begun)
        if turn.thought:
            yield self.session.last_thought(number, turn.thought)
        return ended(node, rested)

    def _give_up(self, question: str, error: str, reason: str) -> Generator[Event, None, Ended]:
        """End without an answer, as no step is left or none can be read."""
        begun, node = self.session.clock(), self.session.iri("conclusion")
        said = AnswerText(error, (), "error")
        yield Text(node, "answer", error)
        rested = Rested(said, (), None)
        yield self.session.conclusion(Answered(rested, self._above(()), reason), question, begun)
        return Ended(node, error, "error", error=error)


def at_once(limits: AgentLimits, reasoner: Reasoner) -> bool:
    """Return whether what is to be looked up is searched for before a reasoner is asked how: not as TrustGraph has it,
    and not where no call to a model is saved.
    """
    return limits.selector == "passages" and isinstance(reasoner, PromptedReasoner)


def as_answer(text: str, found: Outcome) -> list[AnswerPart]:
    """Return the result of one search as the answer, its quotations cited."""
    return [Piece(text), *(Cited(start, end, (0,)) for start, end in found.quoted), Verdict("done", rule=FOUND)]


def ended(node: str, rested: Rested, error: str | None = None) -> Ended:
    """Return how a session came out that has an answer, by that."""
    said = rested.said
    quotes = quotations(rested.citations)
    return Ended(node, said.text, said.reason, quotes, error, said.missing, said.support, rested.outcome)


def consulted(session: Session, result: ToolResult) -> list[Passage]:
    """Return the passages of the chunks that a tool says it consulted."""
    sources = session.setting.stores.sources
    chunks = sorted({*result.consulted})
    sources.ahead(chunks=chunks)
    return [passage for iri in chunks for passage in sources.chunk(iri)]


def _readable(action: Action | Unreadable | None) -> tuple[Action, str | None]:
    """Return the call to record; for an unreadable reply a placeholder call, with what is wrong."""
    wrong = action.error if isinstance(action, Unreadable) else "nothing was replied"
    if isinstance(action, Action):
        try:
            json.dumps(dict(action.arguments))
        except (TypeError, ValueError, RecursionError) as error:  # such as a whole number of ten thousand digits
            wrong = f"the arguments of “{truncate(action.tool, _LONGEST_NAME)}” can't be kept as JSON ({error})"
        else:
            return action, None
    return Action(PARSE_ERROR, {}), f"LLM parse error: {wrong}"
