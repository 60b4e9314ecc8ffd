"""The agent: Question → PatternDecision → steps, a plan or parts → one answer, each step emitted as it is done."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from explorer.engines.agent.plan import NAME as PLAN
from explorer.engines.agent.plan import PlanThenExecute
from explorer.engines.agent.react import Ended, React
from explorer.engines.agent.searches import Ledger, Searches
from explorer.engines.agent.session import GENERAL, NAME, Answered, Routed, Session, route
from explorer.engines.agent.supervisor import NAME as SUPERVISOR
from explorer.engines.agent.supervisor import Supervisor
from explorer.engines.agent.tools import Tool, Toolbox
from explorer.engines.limits import AgentLimits
from explorer.engines.setting import Setting
from explorer.engines.steps import NOTHING_LEFT, AnswerText, Rested, longest_read, truncate_question, truncation_note
from explorer.engines.usage import Calls
from explorer.events import NOT_FOUND, Done, Event, Passage, Text
from explorer.language.question_parts import LONGEST
from explorer.reasoning.agent_protocol import TaskType
from explorer.reasoning.prompted.reasoner import PromptedReasoner
from explorer.stores.passage_order import distinct

if TYPE_CHECKING:
    from explorer.reasoning import Reasoner

__all__ = ["NAME", "AgentEngine"]

_PARALLEL = 5


@dataclass(frozen=True, slots=True)
class AgentEngine:
    """The engine of one run; iterate `run()`.

    `reasoners` returns a new reasoner each time, `ids` a new session id; `tools` are offered beside the searches of the
    documents. `tasks` are the types of task that a question may be of; the first is that of questions that fit none.
    """

    setting: Setting
    reasoners: Callable[[], Reasoner]
    ids: Callable[[], str]
    limits: AgentLimits
    tools: Sequence[Tool] = ()
    tasks: Sequence[TaskType] = (GENERAL,)
    _ledger: Ledger = field(default_factory=Ledger, init=False)

    def run(self, question: str) -> Iterator[Event]:
        """Derive an answer and emit each step as soon as it is done; a failing model ends in a Failure."""
        reasoner = self.reasoners()
        calls = Calls(reasoner, self.setting.session, self.setting.record_prompts)
        with closing(self._steps(question, reasoner, calls)) as steps:  # and with it the threads of sub-agents
            yield from calls.watch(self._ledger.noted(steps))

    def _steps(self, asked: str, reasoner: Reasoner, calls: Calls) -> Generator[Event, None, None]:
        session = Session(self.setting, calls, self._ledger.passages)
        searches = Searches(self.setting, self.reasoners, self.ids, self._ledger, self.limits.selector)
        box = Toolbox([*searches.tools(), *self.tools], tuple(self.limits.groups), self.limits.state)
        parameters = {
            **asdict(replace(self.limits, groups=list(self.limits.groups))),
            "tools": [tool.name for tool in box.tools],
            "task_types": [task.name for task in self.tasks],
        }
        yield session.steps.question(asked, parameters, reasoner.name)
        begun = self.setting.clock()
        if self.setting.nothing_left:
            yield from self._declined(session, asked, begun)
            yield Done("declined", calls.usage, outcome=NOT_FOUND)
            return
        # rules, which split a question, read more of it than a prompt could hold
        whole = len(asked) <= LONGEST and not isinstance(reasoner, PromptedReasoner)
        most = longest_read(reasoner)
        question = asked if whole else truncate_question(asked, most)
        routed = route(question, reasoner, self.tasks, self.limits.pattern)
        notes = [note for note in (routed.rule, None if question == asked else truncation_note(asked, most)) if note]
        yield session.decision(replace(routed, rule="; ".join(notes) or None), begun)
        ended = yield from self._work_by_pattern(session, reasoner, box, question, routed)
        sources = self._sources(ended)
        yield Done(ended.reason, calls.usage, sources, ended.error, support=ended.support, outcome=ended.outcome)

    def _declined(self, session: Session, asked: str, begun: datetime) -> Iterator[Event]:
        """Decline where nothing is left to answer from, before anything is thought or called."""
        rule = "nothing is left to answer from"
        yield session.decision(Routed(self.tasks[0].name, self.limits.pattern or "react", rule=rule), begun)
        yield Text(session.iri("conclusion"), "answer", NOTHING_LEFT)
        rested = Rested(AnswerText(NOTHING_LEFT, (), "declined"), (), NOT_FOUND)
        yield session.conclusion(Answered(rested, [session.iri("pattern-decision")], "declined", rule), asked, begun)

    def _work_by_pattern(
        self, session: Session, reasoner: Reasoner, box: Toolbox, question: str, routed: Routed
    ) -> Generator[Event, None, Ended]:
        parallel = self.limits.parallel or (_PARALLEL if isinstance(reasoner, PromptedReasoner) else 1)
        if routed.pattern == PLAN:
            work = PlanThenExecute(session, reasoner, self.reasoners, box, self.limits, parallel)
            return (yield from work.run(question, routed.framing))
        if routed.pattern == SUPERVISOR:
            team = Supervisor(session, reasoner, self.reasoners, self.ids, box, self.limits, parallel)
            return (yield from team.run(question, routed))
        return (yield from React(session, reasoner, box, self.limits).run(question, routed.framing))

    def _sources(self, ended: Ended) -> tuple[Passage, ...]:
        """Return what the answer cites, in its order, then the best passages of each search, in order."""
        first = [p for quoted in ended.quoted for key in quoted.cites for p in self._ledger.passages.get(key, ())]
        rest = [passage for key in self._ledger.sessions for passage in self._ledger.carried.get(key, ())]
        return () if ended.error else distinct([*first, *rest])
