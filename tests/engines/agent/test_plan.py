"""Plan-then-execute under attack: whatever a model plans, replies or breaks, the record is whole and has one end."""

import threading
import time

from explorer import entities as e
from explorer.dag import ProvenanceDag
from explorer.engines.agent.engine import AgentEngine
from explorer.engines.agent.functions import tool
from explorer.engines.agent.plan import sound
from explorer.engines.limits import AgentLimits
from explorer.engines.setting import Setting
from explorer.errors import ModelError
from explorer.reasoning.agent_protocol import Planned, PlannedStep
from explorer.reasoning.prompted.reasoner import PromptedReasoner
from explorer.vocab import recognise
from tests import agent_runs
from tests.agent_runs import SEARCHED, check_ends, check_replay, described, explains, meeting, note, own, parents, texts
from tests.corpus import QUESTIONS, Clock, ids, with_corpus
from tests.each import each
from tests.script import Script

DOWN = ModelError("The model is down.")
SIDE = each("parallel", [1, 4])


def broken(text: str) -> str:
    """Fail."""
    raise ValueError(f"no {text}")


def step_of(asked):
    return asked.data["Step"][0]["goal"]


def calling(tool="note", argument="text"):
    """The reply to each step: a call of a tool with the goal for an argument."""
    return lambda asked: {"tool": tool, "arguments": {argument: step_of(asked)}}


def steps(*needs):
    """A plan of steps g0, g1… that need the given ones."""
    return [{"goal": f"g{number}", "tool_hint": "", "depends_on": [*need]} for number, need in enumerate(needs)]


def script(plan, step=None, answer="It was so [1].", **more):
    replies = {"plan-create": [plan], "plan-step-execute": step or calling(), "plan-synthesise": answer}
    return Script({**SEARCHED, **replies, **more})


ws = with_corpus("module")


def run(ws, chat, tools=(note, broken), **limits):
    return agent_runs.run(ws, chat, tools, "plan-then-execute", **limits)


def results_of(events):
    """The results of the steps in the order of their numbers."""
    return sorted(own(events, e.StepResult), key=lambda one: recognise(one.iri).index)


@SIDE
def test_a_step_is_taken_after_a_later_one_that_it_needs_and_tells_what_it_did(ws, parallel):
    events = run(ws, script(steps([2], [], [1])), parallel=parallel)
    told = [recognise(event.iri).index for event in explains(events) if recognise(event.iri).kind == "step-result"]
    assert told == [1, 2, 0]
    results = results_of(events)
    assert [recognise(one.iri).index for one in results] == [0, 1, 2]
    assert parents(results[0]) == [("plan", None), ("step-result", 2)]
    assert [one.goal for one in results] == ["g0", "g1", "g2"]
    assert {one.tool for one in results} == {"note"}
    assert [one.arguments for one in results] == [f'{{"text": "g{number}"}}' for number in range(3)]
    assert all(one.duration_ms > 0 and one.document for one in results)
    assert [texts(events)[one.iri, "answer"] for one in results] == ["noted g0", "noted g1", "noted g2"]


def test_a_step_is_told_its_question_and_the_results_of_those_it_needs_and_of_no_others(ws):
    chat = script(steps([], [], [0]))
    run(ws, chat)
    asked = {step_of(one): one for one in chat.asked if one.task == "plan-step-execute"}
    told = {goal: [row["result"] for row in one.data.get("Results", [])] for goal, one in asked.items()}
    assert told == {"g0": [], "g1": [], "g2": ["noted g0"]}
    assert all(f"Question: {QUESTIONS[0]}" in one.text for one in asked.values())


def test_steps_that_do_not_need_each_other_run_side_by_side_and_no_more_than_allowed(ws):
    meet, counts = meeting()
    events = run(ws, script(steps(*[[]] * 6), calling("meet")), tools=[meet], parallel=2)
    assert not any(one.error for one in own(events, e.StepResult))
    assert max(counts) == 2


def test_the_answer_derives_from_each_step_that_nothing_used_and_from_those_it_cites(ws):
    events = run(ws, script(steps([], [0], [], [1]), answer="First [1]. Then [3]."))
    assert [index for _, index in parents(own(events, e.Synthesis)[0])] == [3, 2, 0]


@each(("name", "parallel"), [("knowledge-query", 1), ("document-query", 4)])
def test_a_search_hangs_from_the_plan_and_leads_into_its_step(ws, name, parallel):
    events = run(ws, script(steps([], [0], []), calling(name, "question")), parallel=parallel)
    asked = [one for one in described(events, e.Question) if one.derived_from]
    assert [parents(one) for one in asked] == [[("plan", None)]] * 3
    above = {key for one in own(events, e.StepResult) for key in one.derived_from}
    searched = {one.iri for one in described(events, e.Synthesis)} - {one.iri for one in own(events, e.Synthesis)}
    assert searched <= above


def test_equal_goals_are_each_a_step_with_a_number_of_its_own(ws):
    events = run(ws, script([{"goal": goal, "depends_on": []} for goal in ("b", "a", "b")]))
    made = own(events, e.Plan)[0]
    assert (made.ordered, {*made.steps}) == (["b", "a", "b"], {"a", "b"})
    assert [one.goal for one in results_of(events)] == ["b", "a", "b"]


@each("plan", ["no plan at all", [], [{"goal": "  "}, {"goal": ""}], [None, 3], DOWN])
def test_a_reply_without_a_step_is_one_step(ws, plan):
    made = own(run(ws, script(plan)), e.Plan)[0]
    assert len(made.ordered) == 1
    assert "no plan" in made.rule


@each(("count", "ended"), [(10, "plan-complete"), (21, "max-iterations")])
def test_of_a_long_plan_the_first_steps_are_taken_and_the_record_says_so(ws, count, ended):
    """TrustGraph fails every plan of 8 steps or more at its default limit of steps."""
    events = run(ws, script(steps(*[[]] * count)), max_steps=20)
    [made] = own(events, e.Plan)
    assert len(made.ordered) == len(own(events, e.StepResult)) == min(count, 20)
    assert ("the first 20 are taken (max_steps)" in (made.rule or "")) == (count > 20)
    assert own(events, e.Synthesis)[0].termination_reason == ended


@each(
    ("needs", "met"),
    [
        ([[1, 2], [0], [], [1, 0]], [(2,), (0,), (), (1, 0)]),
        ([[], [0, 0]], [(), (0,)]),
        ([[0]], [()]),
        ([[5], [-1]], [(), ()]),
        ([[1], [2], [0], [3, 9]], [(), (), (0,), ()]),
    ],
)
def test_needs_that_can_not_be_met_are_left_out_and_of_a_circle_only_what_closes_it(ws, needs, met):
    made = sound(Planned(tuple(PlannedStep(f"g{number}", "", tuple(need)) for number, need in enumerate(needs))), 20)
    assert [step.depends_on for step in made.steps] == met
    events = run(ws, script(steps(*needs)))
    assert (len(results_of(events)), events[-1].reason) == (len(needs), "done")


def test_a_plan_in_which_each_step_needs_all_others_is_put_in_order_quickly():
    begun = time.monotonic()
    made = sound(Planned(tuple(PlannedStep(f"g{number}", "", tuple(range(300))) for number in range(300))), 300)
    assert time.monotonic() - begun < 5
    assert "circle" in made.rule
    assert all(all(need < number for need in step.depends_on) for number, step in enumerate(made.steps))


@SIDE
def test_a_failing_tool_or_model_fails_its_step_and_the_others_go_on(ws, parallel):
    """In TrustGraph the exception of a tool within a plan ends the whole session."""
    named = {"g1": "broken", "g2": "no-such-tool"}

    def step(asked):
        return DOWN if step_of(asked) == "g4" else calling(named.get(step_of(asked), "note"))(asked)

    events = run(ws, script(steps([], [], [], [1], []), step), parallel=parallel)
    errors = [one.error for one in results_of(events)]
    assert [errors[0], errors[1], errors[3], errors[4]] == [None, "no g1", None, "The model is down."]
    assert "'no-such-tool' not found" in errors[2]
    assert events[-1].reason == "done"


@each("said", ["no JSON here", "", "[]", '{"arguments": {}}', "{" * 5000])
def test_a_reply_that_holds_no_call_is_an_error_of_that_step(ws, said):
    events = run(ws, script(steps([], []), lambda asked: said if step_of(asked) == "g0" else calling()(asked)))
    failed, other = results_of(events)
    assert "parse error" in failed.error
    assert (other.error, events[-1].reason) == (None, "done")


def test_a_tool_that_hangs_fails_its_step_and_is_not_called_for_ever(ws):
    free = threading.Event()

    def hang(text: str) -> str:
        """Never come back."""
        free.wait(10)
        return text

    events = run(ws, script(steps([], [0], [1], []), calling("hang")), tools=[hang], tool_timeout=0.1, parallel=2)
    free.set()
    results = results_of(events)
    assert sum("did not come back" in one.error for one in results) >= 3
    assert all(one.leaked for one in results if "within" in one.error)


@SIDE
def test_a_model_that_fails_at_the_answer_leaves_a_failure_that_derives_from_all_open_steps(ws, parallel):
    events = run(ws, script(steps([], [], []), answer=DOWN), parallel=parallel)
    assert events[-1].reason == "error"
    assert {index for _, index in parents(own(events, e.Failure)[0])} == {0, 1, 2}
    assert own(events, e.Failure)[0].prompt


def test_a_search_whose_model_fails_fails_its_step(ws):
    chat = script(steps([], []), calling("knowledge-query", "question"), **{"document-prompt": DOWN})
    events = run(ws, chat)
    assert [one.error for one in own(events, e.StepResult)] == ["The model is down."] * 2
    assert len(described(events, e.Failure)) == 2


def test_where_all_steps_failed_nobody_is_asked_and_the_answer_says_so(ws):
    chat = script(steps([], [0]), calling("broken"))
    events = run(ws, chat)
    assert "plan-synthesise" not in chat.tasks()
    answer = ProvenanceDag().fold(events).answer
    assert (events[-1].reason, events[-1].error) == ("error", answer)
    assert own(events, e.Synthesis)[0].termination_reason == "error"
    assert answer.startswith("There is nothing to answer this from, as each part of the work failed.")
    assert "“g1”: no g1" in answer
    assert own(events, e.Synthesis)[0].rule


class Planless(PromptedReasoner):
    """Plans nothing at all, which a reasoner may not do."""

    def plan(self, question, framing, tools):
        return Planned(())


def test_a_plan_without_any_step_ends_in_an_answer_that_derives_from_the_plan(ws):
    setting = Setting(ws.stores, ws.embedder, "none", Clock())
    limits = AgentLimits(pattern="plan-then-execute")
    agent = AgentEngine(setting, lambda: Planless(script([]), ws.embedder), ids("n"), limits)
    events = list(ws.traces.record(agent.run(QUESTIONS[0]), "none"))
    check_ends(events)
    check_replay(ws, events)
    assert events[-1].reason == "declined"
    assert parents(own(events, e.Synthesis)[0]) == [("plan", None)]


@SIDE
def test_a_step_finds_its_tools_as_the_steps_it_needs_left_them_however_many_run_at_once(ws, parallel):
    opened = tool(name="open", state="open", applicable_states=("undefined",))(lambda text: text)
    read = tool(name="read", applicable_states=("open",))(lambda text: text)
    chat = script(steps([], [0], []), lambda asked: calling("open" if step_of(asked) == "g0" else "read")(asked))
    first, second, third = (one.error for one in results_of(run(ws, chat, tools=[opened, read], parallel=parallel)))
    assert (first, second) == (None, None)
    assert "'read' not found" in third


def searching(*needs):
    """A plan whose steps are to search."""
    return [{**one, "tool_hint": "knowledge-query"} for one in steps(*needs)]


@SIDE
def test_a_step_that_is_to_search_does_so_at_once_and_one_that_needs_another_is_asked_about(ws, parallel):
    chat = script(searching([], [0]), calling("knowledge-query", "question"))
    first, second = results_of(run(ws, chat, parallel=parallel))
    assert [step_of(one) for one in chat.asked if one.task == "plan-step-execute"] == ["g1"]
    assert first.arguments == '{"question": "g0"}'
    assert "at once" in first.rule
    assert second.rule is None


def test_where_a_search_at_once_finds_nothing_the_model_says_how_and_is_told_so(ws):
    chat = script(searching([]), **{"document-prompt": "NO ANSWER: it is not said."})
    events = run(ws, chat)
    [asked] = [one for one in chat.asked if one.task == "plan-step-execute"]
    assert [row["declined"] for row in asked.data["Results"]] == [True]
    [result] = results_of(events)
    assert (result.tool, texts(events)[result.iri, "answer"]) == ("note", "noted g0")
    assert ("synthesis", None) in parents(result), "the search stays on record"
