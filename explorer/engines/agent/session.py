"""The events of one agent's session: each of its steps as an Explain event.

Chains are TrustGraph's (2.11.1), with what its specification adds: tokens wherever a model was called, and every
result that a step rests on as a parent, not the last one alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from explorer import entities as e
from explorer import rdf
from explorer.engines.agent.tools import Evidence, ToolResult
from explorer.engines.setting import Setting
from explorer.engines.steps import AnswerText, Basis, Form, Rest, Rested, StepEvents
from explorer.engines.usage import CallRecord, Calls, failure
from explorer.entities import GIVEN
from explorer.errors import ModelError
from explorer.events import Content, Event, Explain, Passage, Text, Usage
from explorer.models.endpoint import ClosedError
from explorer.reasoning.agent_protocol import Action, Choice, Planned, TaskType
from explorer.reasoning.lexical_support import Source
from explorer.reasoning.protocol import ScoredPassage
from explorer.text import truncate
from explorer.vocab import by_index, iri, timestamp

if TYPE_CHECKING:
    from explorer.reasoning import Reasoner

NAME = "agent"
_FORM = Form(NAME, e.AgentQuestion, "agent-", "Agent Answer")
_LONGEST_TITLE, _LONGEST_GOAL = 50, 60
GENERAL = TaskType("general", "General queries")
_LONGEST_ERROR = 200


@dataclass(frozen=True, slots=True)
class Routed:
    """How a question is worked at: type of task, pattern, framing, and the rule where one decided."""

    task: str
    pattern: str
    framing: str = ""
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """What an answer is written from: its words and what they rest on, what it derives from, why it ended, and by which
    rule.
    """

    rested: Rested
    parents: Sequence[str]
    reason: str
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """One session; its calls are those of its own steps.

    `found` has the passages that the searches of a whole run kept, by their selection.
    """

    setting: Setting
    calls: Calls
    found: Mapping[str, tuple[Passage, ...]] = field(default_factory=dict)

    def iri(self, kind: str, index: int | None = None) -> str:
        """Return the IRI of a step, of its content, or of one that has a number."""
        return iri(kind, self.setting.session, index)

    @property
    def clock(self) -> Callable[[], datetime]:
        """The run's clock."""
        return self.setting.clock

    @property
    def steps(self) -> StepEvents:
        """The events of the steps that all engines have."""
        return StepEvents(_FORM, self.setting)

    def decision(self, routed: Routed, begun: datetime) -> Explain:
        """Return how the question was routed, by which model and with how many tokens."""
        entity = e.PatternDecision(
            iri=self.iri("pattern-decision"),
            label=f"Pattern: {routed.pattern}",
            pattern=routed.pattern,
            task_type=routed.task,
            derived_from=(self.iri("agent-question"),),
            rule=routed.rule,
            **self.steps.timed(begun),
        )
        return self.calls.take().explain(entity)

    def analysis(
        self, number: int, action: Action, above: Sequence[str], *, begun: datetime, thought: str,
        offered: Sequence[str],
    ) -> Explain:  # fmt: skip
        """Return which of the offered tools is called next, before it runs, with the thought before it."""
        node = self.iri("analysis", number)
        calls, took = self.calls.take(), self.steps.since(begun)
        part = self._thought(number, node) if thought else None
        entity = e.Analysis(
            iri=node,
            label=f"Analysis: {action.tool}",
            action=action.tool,
            arguments=json.dumps(dict(action.arguments)),
            tool_candidates=tuple(offered),
            step_number=number,
            begun_at=timestamp(begun),
            llm_duration_ms=took if calls.prompts else None,
            duration_ms=None if calls.prompts else took,
            derived_from=tuple(dict.fromkeys(above)),
            thought=part.iri if part else None,
            rule=action.rule,
        )
        contents = (self._content("thought", number, f"Agent Thought: {action.tool}", thought),) if part else ()
        return calls.explain(entity, contents, parts=[part] if part else ())

    def observation(self, number: int, result: ToolResult, passages: Sequence[Passage], begun: datetime) -> list[Event]:
        """Return a tool's result: its text, then its record; the step derives from the tool's own trace, if any."""
        node = self.iri("observation", number)
        content = Content(node, "Agent Observation", "text/plain", result.text.encode())
        entity = e.Observation(
            iri=node,
            derived_from=(result.above or self.iri("analysis", number),),
            document=node if result.text else None,
            begun_at=timestamp(begun),
            tool_duration_ms=self.steps.since(begun),
            error=result.error,
            **_reported(result),
        )
        contents = (content,) if result.text else ()
        explain = (result.calls or _NO_CALLS).explain(entity, contents, passages=_by_chunk(passages))
        return [*_text(node, "observation", result.text), explain]

    def conclusion(self, answered: Answered, question: str, begun: datetime) -> Explain:
        """Return the answer of a session that worked step by step."""
        entity = e.Conclusion(iri=self.iri("conclusion"), derived_from=tuple(dict.fromkeys(answered.parents)))
        return self._answer(entity, answered, Content(
            self.iri("agent-answer"), f"Agent Answer: {truncate(question, _LONGEST_TITLE)}", "text/plain",
            answered.rested.said.text.encode(),
        ), begun)  # fmt: skip

    def last_thought(self, number: int, thought: str) -> Explain:
        """Return the thought before the answer; it is part of that."""
        part = self._thought(number, self.iri("conclusion"))
        return _NO_CALLS.explain(part, (self._content("thought", number, "Agent Thought: answer", thought),))

    def plan(self, planned: Planned, begun: datetime) -> Explain:
        """Return the plan: the steps that will be taken."""
        goals = [step.goal for step in planned.steps]
        entity = e.Plan(
            iri=self.iri("plan"),
            label=f"Plan with {len(goals)} steps",
            steps=tuple(dict.fromkeys(goals)),
            ordered=goals,
            derived_from=(self.iri("pattern-decision"),),
            rule=planned.rule,
            **self.steps.timed(begun),
        )
        return self.calls.take().explain(entity)

    def step_result(
        self, index: int, goal: str, result: ToolResult, above: Sequence[str], *, passages: Sequence[Passage],
        begun: datetime, action: Action | None,
    ) -> list[Event]:  # fmt: skip
        """Return the result of a step of the plan, with the last call, if it came to one."""
        node, label = self.iri("step-result", index), f"Step result: {truncate(goal, _LONGEST_GOAL)}"
        content = self._content("step-content", index, label, result.text)
        entity = e.StepResult(
            iri=node,
            label=label,
            goal=goal,
            derived_from=tuple(dict.fromkeys(above)),
            document=content.iri if content.data else None,
            error=result.error,
            tool=action.tool if action else None,
            arguments=json.dumps(dict(action.arguments)) if action else None,
            rule=action.rule if action else None,
            **self.steps.timed(begun),
            **_reported(result),
        )
        calls = self.calls.take().with_others(result.calls or _NO_CALLS)
        contents = (content,) if content.data else ()
        return [*_text(node, "answer", result.text), calls.explain(entity, contents, passages=_by_chunk(passages))]

    def decomposition(self, goals: Sequence[str], rule: str | None, begun: datetime) -> Explain:
        """Return the parts that a question was split into."""
        entity = e.Decomposition(
            iri=self.iri("decomposition"),
            label=f"Decomposed into {len(goals)} research threads",
            goals=tuple(dict.fromkeys(goals)),
            ordered=list(goals),
            derived_from=(self.iri("pattern-decision"),),
            rule=rule,
            **self.steps.timed(begun),
        )
        return self.calls.take().explain(entity)

    def finding(self, index: int, goal: str, text: str, error: str | None, above: str) -> list[Event]:
        """Return what a sub-agent found for its goal, or that it failed."""
        node = self.iri("finding", index)
        content = self._content("finding-content", index, f"Finding: {truncate(goal, _LONGEST_GOAL)}", text)
        entity = e.Finding(
            iri=node,
            label=f"Finding: {truncate(goal, _LONGEST_GOAL)}",
            goal=goal,
            derived_from=(above,),
            document=content.iri if text else None,
            error=error,
        )
        return [*_text(node, "answer", text), _NO_CALLS.explain(entity, (content,) if text else ())]

    def synthesis(self, answered: Answered, begun: datetime) -> Explain:
        """Return the answer of a plan or a team."""
        entity = e.Synthesis(iri=self.iri("agent-synthesis"), derived_from=tuple(dict.fromkeys(answered.parents)))
        content = Content(
            self.iri("agent-synthesis-content"), "Synthesis", "text/plain", answered.rested.said.text.encode()
        )  # fmt: skip
        return self._answer(entity, answered, content, begun)

    def failure(self, above: Sequence[str], error: str) -> Explain:
        """Return that it failed, with the calls made since its last step."""
        return self.calls.take().explain(failure(self.setting.session, above, error))

    def rest(
        self, node: str, said: AnswerText, results: Sequence[Evidence], question: str
    ) -> Generator[Event, None, Rested]:
        """Return an answer with what it rests on, as `StepEvents.rest` has it: the sources of results, where they have
        some, not what a model made of these.
        """
        by_chunk = {one.chunk: (key, ScoredPassage(one)) for key, found in self.found.items() for one in found[:1]}
        each = [self._rest(said.text[one.start : one.end], [results[n] for n in one.cites if n < len(results)])
                for one in said.spans]  # fmt: skip
        basis = Basis(each, dict(by_chunk.values()))
        return (yield from self.steps.rest(node, said, basis, question, self.calls.reasoner))

    def _rest(self, words: str, results: Sequence[Evidence]) -> Rest:
        each = [(one, one.behind(words)) for one in results]
        told = {key: place for _, behind in each for key, place in behind.items()}
        passages = {key: found[0] for key in told if (found := self.found.get(key))}
        wholes = {one.chunk for one in passages.values() if one.subgraph == one.chunk}
        sources = [Source.of(one.title, one.text, told[key]) for key, one in passages.items()
                   if one.subgraph == one.chunk or one.chunk not in wholes]  # fmt: skip
        own = [Source(one.text) for one, behind in each
               if any(key not in passages and (one.is_source or key != one.node) for key in behind)]  # fmt: skip
        return Rest(by_index(told), {key: place for key, place in told.items() if place}, [*sources, *own])

    def _answer(
        self, entity: e.Conclusion | e.Synthesis, answered: Answered, content: Content, begun: datetime
    ) -> Explain:
        calls, rested = self.calls.take(), answered.rested
        written = replace(
            entity, document=content.iri if content.data else None, termination_reason=answered.reason,
            **rested.fields, rule=answered.rule or rested.said.rule,
            **self.steps.timed(begun),
        )  # fmt: skip
        explain = calls.explain(written, (content,) if content.data else ())
        spans = (quad for span in rested.citations for quad in rdf.triples(span))
        return replace(explain, triples=(*explain.triples, *spans))

    def _thought(self, number: int, above: str) -> e.Thought:
        node = self.iri("thought", number)
        return e.Thought(iri=node, derived_from=(above,), document=node)

    def _content(self, kind: str, index: int, title: str, text: str) -> Content:
        return Content(self.iri(kind, index), title, "text/plain", text.encode())


_NO_CALLS = CallRecord(Usage())


def _reported(result: ToolResult) -> dict[str, Any]:
    return {
        "detail_level": "basic" if result.basic else "enhanced",
        "consulted": tuple(sorted({*result.consulted})),
        "transformation": result.transformation,
        "confidence": result.confidence,
        "leaked": result.leaked,
    }


def _by_chunk(passages: Sequence[Passage]) -> dict[str, tuple[Passage, ...]]:
    return {passage.chunk: (passage,) for passage in passages}


def _text(node: str, kind: str, text: str) -> Iterator[Event]:
    if text:
        yield Text(node, kind, text)


def route(question: str, reasoner: Reasoner, tasks: Sequence[TaskType], pattern: str | None) -> Routed:
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
