"""Plan-then-execute: all steps are planned first, then taken in the order of their dependencies (Wang 2023).

Steps that don't need each other are taken in parallel. A step that fails is recorded as failed and the others go on. A
search within a step derives from the plan, and the step from the search, so that both lead to the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from explorer.engines.agent.parallel import run_parallel
from explorer.engines.agent.react import AT_ONCE, Ended, as_answer, at_once, consulted, ended
from explorer.engines.agent.searches import DOCUMENTS, KNOWLEDGE
from explorer.engines.agent.session import Answered, Session
from explorer.engines.agent.tools import Call, Evidence, Toolbox, ToolResult, failed, used
from explorer.engines.limits import AgentLimits
from explorer.engines.steps import stream_answer
from explorer.errors import ExplorerError
from explorer.events import Event
from explorer.reasoning.agent_protocol import Action, AgentStep, GoalResult, Planned, PlannedStep, Unreadable
from explorer.reasoning.prompted.reasoner import PromptedReasoner
from explorer.reasoning.protocol import AnswerPart, Sentence, Verdict
from explorer.text import truncate

if TYPE_CHECKING:
    from explorer.reasoning import Reasoner

NAME = "plan-then-execute"
_NOTHING = "all failed: there is nothing to answer from"
_NAMED = 5  # failures that an answer names


@dataclass(frozen=True, slots=True)
class _StepDone:
    """What came of one step, for those that need it and for the answer; and the state it left its tools in."""

    found: GoalResult
    evidence: Evidence
    state: str


@dataclass(slots=True)
class PlanThenExecute:
    """One session that works by a plan; `reasoners` gives a reasoner for each step, as each has calls of its own."""

    session: Session
    reasoner: Reasoner
    reasoners: Callable[[], Reasoner]
    toolbox: Toolbox
    limits: AgentLimits
    parallel: int
    _done: dict[int, _StepDone] = field(default_factory=dict, init=False)

    def run(self, question: str, framing: str) -> Generator[Event, None, Ended]:
        """Plan, take the steps, and answer from their results."""
        begun = self.session.clock()
        given = self.reasoner.plan(question, framing, self.toolbox.specs())
        planned = sound(given, self.limits.max_steps)
        yield self.session.plan(planned, begun)
        runs = {index: partial(self._step, question, index, step) for index, step in enumerate(planned.steps)}
        after = {index: frozenset(step.depends_on) for index, step in enumerate(planned.steps)}
        yield from run_parallel(runs, after, self.parallel)
        left = given.steps[len(planned.steps) :]
        reason = "max-iterations" if left else "plan-complete"
        found = [self._done[index].found for index in runs]
        found += [unreached(step.goal, "max_steps") for step in left]
        needed = {number for step in planned.steps for number in step.depends_on}
        last = [len(runs) - 1, *(index for index in runs if index not in needed)] if runs else []
        evidence = [self._done[index].evidence for index in runs]
        answer = CombinedAnswer(self.session, evidence, last, self.session.iri("plan"), reason)
        return (yield from answer.emit(self.reasoner, question, framing, found, NAME))

    def _step(self, question: str, index: int, step: PlannedStep) -> Generator[Event, None, None]:
        begun, reasoner, box = self.session.clock(), self.reasoners(), self.toolbox.copy()
        if step.depends_on:  # those beside it have no say, so that a plan comes out the same however many go at once
            box.state = self._done[max(step.depends_on)].state
        calls = self.session.calls.beside(reasoner)
        action, result, above = yield from self._tried(reasoner, box, question, step)
        parents = [self.session.iri("plan"), *(self.session.iri("step-result", needed) for needed in step.depends_on)]
        evidence = Evidence.of(self.session.iri("step-result", index), result)
        found = GoalResult(
            step.goal, result.text, error=result.error, declined=result.declined, quoted=evidence.spans,
            missing=result.missing, support=result.support,
        )  # fmt: skip
        self._done[index] = _StepDone(found, evidence, box.state)
        passages = consulted(self.session, result)
        yield from replace(self.session, calls=calls).step_result(
            index, step.goal, result, [*parents, *above], passages=passages, begun=begun, action=action
        )

    def _tried(
        self, reasoner: Reasoner, box: Toolbox, question: str, step: PlannedStep
    ) -> Generator[Event, None, tuple[Action | None, ToolResult, list[str]]]:
        """Call what the reasoner says for a step, until nothing is left to try; give the last call and its result.

        With a model a step that needs no other and is to search does so at once with its goal; the model is asked only
        where that finds nothing.
        """
        previous = [self._done[needed].found for needed in step.depends_on]
        tried: list[AgentStep] = []
        above: list[str] = []
        action, result = None, failed("no tool was called for this step")
        is_search = step.tool_hint in (KNOWLEDGE, DOCUMENTS) and not step.depends_on and box.offers(step.tool_hint)
        is_first = is_search and at_once(self.limits, reasoner)
        while len(tried) < self.limits.max_iterations:
            try:
                chosen = (
                    Action(step.tool_hint, {"question": step.goal}, (), AT_ONCE) if is_first
                    else reasoner.act(question, step.goal, previous, box.specs(), tried)
                )  # fmt: skip
            except ExplorerError as problem:
                return action, failed(str(problem)), above
            if isinstance(chosen, Unreadable):
                error = f"LLM parse error: {chosen.error}" if isinstance(reasoner, PromptedReasoner) else chosen.error
                return action, failed(error), above
            if chosen is None:
                break
            action = chosen
            call = Call(action.arguments, self.session.iri("plan"), self.limits.tool_timeout)
            result = yield from box.call(action.tool, call)
            above += [result.above] if result.above else []
            for used_up in result.usages:
                self.session.calls.add(used_up)
            taken = AgentStep(
                "", action.tool, action.arguments, result.text, error=result.error, declined=result.declined
            )  # fmt: skip
            if not is_first:
                tried.append(taken)
            elif taken.error is None and not taken.declined:
                break
            else:
                previous.append(GoalResult(
                    step.goal, result.text, error=result.error, declined=result.declined
                ))  # fmt: skip
                is_first = False
        return action, result, above


@dataclass(frozen=True, slots=True)
class CombinedAnswer:
    """The one answer made of several results.

    It derives from `last`, the numbers of those that nothing else used, and from those it cites; without any from
    `above`. `reason` says why the work ended.
    """

    session: Session
    results: Sequence[Evidence]
    last: Sequence[int]
    above: str
    reason: str

    def emit(
        self, reasoner: Reasoner, question: str, framing: str, found: Sequence[GoalResult], pattern: str
    ) -> Generator[Event, None, Ended]:
        """Yield the answer as it comes, then emit it whole; where its model fails a Failure stands in its place.

        Where all that was `found` failed the reasoner is not asked: the answer only says so. Nor is a model where one
        search alone found something: that is the answer.
        """
        rule = _NOTHING if found and all(one.error is not None for one in found) else None
        first, is_one = found[0] if found else None, len(found) == 1 and isinstance(reasoner, PromptedReasoner)
        if rule:
            parts = _without_result(found)
        elif first and is_one and first.quoted and not first.declined and first.error is None:
            parts = iter(as_answer(first.text, first))
        else:
            parts = reasoner.combine(question, framing, found, pattern)
        begun, node = self.session.clock(), self.session.iri("agent-synthesis")
        try:
            said = yield from stream_answer(parts, node, self.session.setting)
        except ExplorerError as error:
            event = self.session.failure(self._parents(self.last), str(error))
            yield event
            return Ended(event.iri, "", "error", error=str(error))
        parents = self._parents([*self.last, *used(said)])
        rested = yield from self.session.rest(node, said, self.results, question)
        is_failed = said.reason == "error"
        yield self.session.synthesis(Answered(rested, parents, "error" if is_failed else self.reason, rule), begun)
        return ended(node, rested, said.text if is_failed else None)

    def _parents(self, numbers: Sequence[int]) -> list[str]:
        known = (number for number in dict.fromkeys(numbers) if 0 <= number < len(self.results))
        return [self.results[number].node for number in known] or [self.above]


def _without_result(found: Sequence[GoalResult]) -> Iterator[AnswerPart]:
    yield Sentence("There is nothing to answer this from, as each part of the work failed.")
    for one in found[:_NAMED]:
        yield Sentence(f"“{truncate(one.goal, 120)}”: {truncate(one.error or '', 200)}")
    yield Verdict("error")


def unreached(goal: str, limit: str) -> GoalResult:
    """Return the result of a goal that was over a limit, so that the answer can name it."""
    error = f"not worked on: over the limit {limit}"
    return GoalResult(goal, error, error=error)


def sound(planned: Planned, limit: int) -> Planned:
    """Return a plan that can be carried out: at most `limit` steps, no cycle; its rule says what was changed."""
    steps = planned.steps[:limit]
    notes = [planned.rule] if planned.rule else []
    if len(planned.steps) > limit:
        notes.append(f"of {len(planned.steps)} planned steps the first {limit} are taken (max_steps)")
    kept = _without_circles([
        replace(step, depends_on=tuple(n for n in dict.fromkeys(step.depends_on) if 0 <= n < len(steps) and n != i))
        for i, step in enumerate(steps)
    ])  # fmt: skip
    if any({*new.depends_on} != {*old.depends_on} for new, old in zip(kept, steps, strict=True)):
        notes.append("dependencies on later steps in a circle, on a step itself or on none were left out")
    return Planned(tuple(kept), "; ".join(notes) or None)


def _without_circles(steps: Sequence[PlannedStep]) -> list[PlannedStep]:
    """Leave out what closes a circle: dependencies on later steps that need this one in turn."""
    above = [sum(1 << need for need in step.depends_on) for step in steps]  # sets as bits, of all that a step needs
    for between, further in enumerate(above):
        for index, needed in enumerate(above):
            if needed >> between & 1:
                above[index] |= further
    return [
        replace(step, depends_on=tuple(n for n in step.depends_on if n < index or not above[n] >> index & 1))
        for index, step in enumerate(steps)
    ]
