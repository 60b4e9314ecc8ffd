"""Supervisor: a question is split into parts, an agent works at each, and one answer is made of what they found.

Each sub-agent has a session of its own below the Decomposition. With a model it searches at once with its goal, and
works on step by step only where that finds nothing. Findings have the number of their goal, and equal goals
share one sub-agent. A sub-agent that fails is an error Finding; the others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from explorer.engines.agent.parallel import run_parallel
from explorer.engines.agent.plan import CombinedAnswer, unreached
from explorer.engines.agent.react import Ended, React, at_once
from explorer.engines.agent.session import Routed, Session
from explorer.engines.agent.tools import Evidence, Toolbox
from explorer.engines.limits import AgentLimits
from explorer.engines.usage import Calls
from explorer.errors import message_of
from explorer.events import Event, Explain
from explorer.reasoning.agent_protocol import GoalResult, Parts
from explorer.stores.database import AwayError

if TYPE_CHECKING:
    from explorer.reasoning import Reasoner

NAME = "supervisor"
_RULE = "a part of a question is worked at step by step"


@dataclass(slots=True)
class Supervisor:
    """One session that works through sub-agents; `reasoners` gives each of them a reasoner, `ids` a session."""

    session: Session
    reasoner: Reasoner
    reasoners: Callable[[], Reasoner]
    ids: Callable[[], str]
    toolbox: Toolbox
    limits: AgentLimits
    parallel: int

    def run(self, question: str, routed: Routed) -> Generator[Event, None, Ended]:
        """Split the question, have each part worked at, and answer from what was found."""
        begun = self.session.clock()
        parts = self.reasoner.decompose(question, routed.framing, self.toolbox.specs(), self.limits.max_subagents)
        goals, left, rule = _bounded(parts, question, self.limits.max_subagents)
        yield self.session.decomposition(goals, rule, begun)
        places: dict[str, list[int]] = {}
        for index, goal in enumerate(goals):
            places.setdefault(goal, []).append(index)
        runs = {at[0]: partial(self._member, goal, at, self.ids(), routed) for goal, at in places.items()}
        done = yield from run_parallel(runs, {}, self.parallel)
        found = {index: done[at[0]] for at in places.values() for index in at}
        members = [found[index] for index in range(len(goals))]
        evidence = [Evidence(self.session.iri("finding", index), _result(ended), ended.quoted, is_source=False)
                    for index, ended in enumerate(members)]  # fmt: skip
        results = [GoalResult(goal, seen.text, error=ended.error, declined=ended.reason == "declined",
                              quoted=seen.spans, missing=ended.missing, support=ended.support)
                   for goal, seen, ended in zip(goals, evidence, members, strict=True)]  # fmt: skip
        results += [unreached(goal, "max_subagents") for goal in left]
        above, last = self.session.iri("decomposition"), range(len(evidence))
        answer = CombinedAnswer(self.session, evidence, last, above, "subagents-complete")
        return (yield from answer.emit(self.reasoner, question, routed.framing, results, NAME))

    def _member(self, goal: str, places: Sequence[int], key: str, routed: Routed) -> Generator[Event, None, Ended]:
        """Run a sub-agent for a goal, then emit its finding for each place that the goal has."""
        reasoner = self.reasoners()
        calls = Calls(reasoner, key, self.session.calls.keep)
        setting = replace(self.session.setting, session=key, parent=self.session.iri("decomposition"))
        member = Session(setting, calls, self.session.found)
        ended = yield from self._guarded(self._work(member, reasoner, goal, routed), member)
        self.session.calls.add(calls.usage)
        for index in places:
            yield from self.session.finding(index, goal, _result(ended), ended.error, ended.node)
        return ended

    def _work(self, member: Session, reasoner: Reasoner, goal: str, routed: Routed) -> Generator[Event, None, Ended]:
        yield member.steps.question(goal, {"max_iterations": self.limits.max_iterations}, reasoner.name)
        yield member.decision(Routed(routed.task, "react", routed.framing, _RULE), member.clock())
        box = self.toolbox.copy()
        work = React(member, reasoner, box, self.limits, at_once(self.limits, reasoner))
        return (yield from work.run(goal, routed.framing))

    def _guarded(self, work: Generator[Event, None, Ended], member: Session) -> Generator[Event, None, Ended]:
        """Yield a sub-agent's events; any error ends its own session alone, with a Failure there."""
        last = member.iri("decomposition")
        try:
            while True:
                try:
                    event = next(work)
                except StopIteration as end:
                    ended: Ended = end.value
                    return ended
                last = event.iri if isinstance(event, Explain) else last
                yield event
        except AwayError:
            raise
        except Exception as error:  # noqa: BLE001 - the end of a sub-agent, which must not end its siblings
            message = message_of(error)
        event = member.failure([last], message)
        yield event
        return Ended(event.iri, "", "error", error=message)


def _result(ended: Ended) -> str:
    return ended.text if ended.error is None else f"Error: {ended.error}"


def _bounded(parts: Parts, question: str, limit: int) -> tuple[list[str], list[str], str | None]:
    """Return at least one goal and at most `limit` different ones, those left over, and the rule."""
    goals = [goal for goal in parts.goals if goal.strip()] or [question]
    worked = set(list(dict.fromkeys(goals))[:limit])
    kept, left = [goal for goal in goals if goal in worked], [goal for goal in goals if goal not in worked]
    notes = [parts.rule] if parts.rule else []
    if left:
        notes.append(f"of {len(goals)} parts the first {len(kept)} are worked at (max_subagents)")
    return kept, left, "; ".join(notes) or None
