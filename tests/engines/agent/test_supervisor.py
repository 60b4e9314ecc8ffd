"""The supervisor under attack: whatever its parts come to, there is one answer, and each sub-agent has its record."""

import threading

from explorer import entities as e
from explorer.dag import ProvenanceDag
from explorer.errors import ModelError
from explorer.reasoning.agent_protocol import TaskType
from explorer.vocab import TG, iri, recognise
from tests.agent_runs import SEARCHED, described, explains, meeting, note, own, parents, run, texts, top
from tests.corpus import with_corpus
from tests.each import each
from tests.script import Script

DOWN = ModelError("The model is down.")
SIDE = each("parallel", [1, 4])


def acting(asked, tool="note", argument="text"):
    """One call with the goal for an argument, then an answer from what came of it."""
    if asked.data["Steps"]:
        return f"Thought: enough\nFinal Answer: Found out {asked.question} [1]."
    return f'Thought: look\nAction: {tool}\nArgs: {{"{argument}": "{asked.question}"}}'


def team(goals, react=acting, answer="It was so [1][2].", **more):
    replies = {"supervisor-decompose": [goals], "agent-react": react, "supervisor-synthesise": answer}
    return Script({**SEARCHED, **replies, **more})


def but(goal, said):
    """Each sub-agent does as it should, but the one with this goal."""
    return lambda asked: (said(asked) if callable(said) else said) if asked.question == goal else acting(asked)


ws = with_corpus("module")


def led(ws, chat, tools=(note,), **options):
    """Without a search that comes first, unless it is offered."""
    return run(ws, chat, tools, "supervisor", **{"groups": [one.__name__ for one in tools], **options})


def findings(events):
    """The findings in order of their numbers."""
    return sorted(own(events, e.Finding), key=lambda one: recognise(one.iri).index)


def members(events):
    """The Questions of sub-agents by goal."""
    found = [one for one in described(events, e.AgentQuestion) if one.derived_from]
    return {one.query: one for one in found}


@SIDE
def test_each_sub_agent_has_a_session_below_the_decomposition_and_its_conclusion_leads_to_a_finding(ws, parallel):
    events = led(ws, team(["a", "b", "c"]), parallel=parallel)
    split = own(events, e.Decomposition)[0]
    assert split.ordered == ["a", "b", "c"]
    asked = members(events)
    assert asked.keys() == {"a", "b", "c"}
    assert {one.derived_from for one in asked.values()} == {(split.iri,)}
    keys = {recognise(one.iri).key for one in asked.values()}
    assert len(keys) == 3
    decisions = {recognise(one.iri).key: one for one in described(events, e.PatternDecision)}
    assert {key: decisions[key].pattern for key in keys} == dict.fromkeys(keys, "react")
    assert decisions[top(events)].pattern == "supervisor"
    for one in findings(events):
        assert one.derived_from == (iri("conclusion", recognise(asked[one.goal].iri).key),)
        assert texts(events)[one.iri, "answer"] == f"Found out {one.goal}."
    assert {*parents(own(events, e.Synthesis)[0])} == {("finding", number) for number in range(3)}
    assert own(events, e.Synthesis)[0].termination_reason == "subagents-complete"
    assert events[-1].reason == "done"


def test_findings_have_the_numbers_of_their_goals_in_whatever_order_they_come(ws):
    last = threading.Event()

    def react(asked):
        if asked.data["Steps"] and asked.question == "a":
            last.wait(5)
        if asked.data["Steps"] and asked.question == "b":
            threading.Timer(0.3, last.set).start()
        return acting(asked)

    events = led(ws, team(["a", "b"], react), parallel=2)
    told = [recognise(event.iri).index for event in explains(events) if recognise(event.iri).kind == "finding"]
    assert told == [1, 0]
    assert [one.goal for one in findings(events)] == ["a", "b"]


@SIDE
@each("error", [DOWN, ValueError("a bug")])
def test_a_failing_sub_agent_is_an_error_finding_and_the_answer_is_reached(ws, error, parallel):
    """In TrustGraph the supervisor never comes to an answer when a sub-agent fails."""
    chat = team(["a", "b", "c"], but("b", error))
    events = led(ws, chat, parallel=parallel)
    found = findings(events)
    assert [bool(one.error) for one in found] == [False, True, False]
    assert str(error) in found[1].error
    assert found[1].derived_from == (iri("failure", recognise(members(events)["b"].iri).key),)
    quads = [quad for event in explains(events) if event.iri == found[1].iri for quad in event.triples]
    assert TG.Error in [quad.object for quad in quads]
    assert events[-1].reason == "done"
    rows = next(one for one in chat.asked if one.task == "supervisor-synthesise").data["Results"]
    assert [row.get("failed", False) for row in rows] == [False, True, False]


@SIDE
def test_a_sub_agent_that_runs_out_of_steps_is_an_error_finding(ws, parallel):
    chat = team(["a", "b"], but("a", 'Action: note\nArgs: {"text": "again"}'))
    events = led(ws, chat, max_iterations=2, parallel=parallel)
    first, second = findings(events)
    assert "within 2 steps" in first.error
    assert (second.error, events[-1].reason) == (None, "done")
    ended = {one.iri: one.termination_reason for one in described(events, e.Conclusion)}
    assert ended[first.derived_from[0]] == "max-iterations"


@SIDE
def test_equal_goals_are_worked_at_once_and_are_findings_of_their_own_and_blank_ones_are_none(ws, parallel):
    """In TrustGraph two equal goals keep the supervisor waiting for ever."""
    chat = team(["b", "a", " ", "b"])
    events = led(ws, chat, parallel=parallel)
    assert own(events, e.Decomposition)[0].ordered == ["b", "a", "b"]
    found = findings(events)
    assert [recognise(one.iri).index for one in found] == [0, 1, 2]
    assert [one.goal for one in found] == ["b", "a", "b"]
    assert found[0].derived_from == found[2].derived_from != found[1].derived_from
    assert chat.tasks().count("agent-react") == 4


@each("goals", [[], "no parts here", ["  ", ""], [None, 4], {"goals": []}, DOWN])
def test_a_question_without_parts_is_its_own_part(ws, goals):
    events = led(ws, team(goals))
    split = own(events, e.Decomposition)[0]
    assert split.ordered == ["Who built the relief valve?"]
    assert split.rule
    assert len(findings(events)) == 1


@SIDE
def test_where_all_sub_agents_fail_nobody_is_asked_and_the_answer_says_so(ws, parallel):
    chat = team(["a", "b"], DOWN)
    events = led(ws, chat, parallel=parallel)
    assert "supervisor-synthesise" not in chat.tasks()
    answer = ProvenanceDag().fold(events).answer
    assert (events[-1].reason, events[-1].error) == ("error", answer)
    assert answer.startswith("There is nothing to answer this from")
    assert answer.endswith("“a”: The model is down. “b”: The model is down.")


@SIDE
def test_a_model_that_fails_at_the_answer_leaves_a_failure_that_derives_from_all_findings(ws, parallel):
    events = led(ws, team(["a", "b", "c"], answer=DOWN), parallel=parallel)
    assert (events[-1].reason, events[-1].error) == ("error", "The model is down.")
    assert parents(own(events, e.Failure)[0]) == [("finding", number) for number in range(3)]


def test_the_framing_of_the_task_reaches_each_sub_agent(ws):
    chat = team(["a", "b"])
    led(ws, chat, task_types=[TaskType("research", "Research", framing="Look at many sources.")])
    asked = [one for one in chat.asked if one.task in ("supervisor-decompose", "agent-react", "supervisor-synthesise")]
    assert len(asked) == 6
    assert all("Context: Look at many sources." in one.text for one in asked)


def test_as_many_sub_agents_as_allowed_work_side_by_side(ws):
    meet, counts = meeting()
    chat = team(list("abcdef"), lambda asked: acting(asked, "meet"))
    events = led(ws, chat, tools=[meet], parallel=2, max_subagents=6)
    assert not any(one.error for one in described(events, e.Observation))
    assert max(counts) == 2


@SIDE
def test_a_tool_that_hangs_for_one_sub_agent_is_switched_off_for_all(ws, parallel):
    free = threading.Event()

    def hang(text: str) -> str:
        """Never come back."""
        free.wait(10)
        return text

    chat = team(list("abcd"), lambda asked: acting(asked, "hang"))
    events = led(ws, chat, tools=[hang], tool_timeout=0.1, parallel=min(parallel, 2))
    free.set()
    errors = [one.error for one in described(events, e.Observation)]
    assert len(errors) == 4
    hung = sum("did not come back within" in error for error in errors)
    assert 2 <= hung <= 1 + min(parallel, 2)  # another may call it before the second has given up
    assert len(findings(events)) == 4


@each(("name", "parallel"), [("knowledge-query", 1), ("document-query", 4)])
def test_a_search_of_a_sub_agent_leads_to_its_observation_and_to_the_sources_of_the_answer(ws, name, parallel):
    chat = team(["Who built the relief valve?", "Who made the fans?"], lambda asked: acting(asked, name, "question"))
    events = led(ws, chat, groups=[name], parallel=parallel)
    searched = [one for one in described(events, e.Question) if not isinstance(one, e.AgentQuestion)]
    assert [parents(one) for one in searched] == [[("analysis", 1)]] * 2
    kinds = {parents(one)[0][0] for one in described(events, e.Observation)}
    assert kinds <= {"synthesis", "docrag-synthesis"}
    assert events[-1].sources


@SIDE
def test_a_sub_agent_searches_at_once_and_answers_with_what_was_found(ws, parallel):
    chat = team(["Who built the relief valve?", "Who made the fans?"])
    events = led(ws, chat, groups=["default"], parallel=parallel)
    assert "agent-react" not in chat.tasks()
    assert len(chat.asked) - chat.tasks().count("check") == 6, "two of each search, one before, one after"
    found = findings(events)
    assert [texts(events)[one.iri, "answer"] for one in found] == ["Beech Aircraft built the valve."] * 2
    assert all("at once" in one.rule for one in described(events, e.Analysis))
    concluded = {one.iri for one in described(events, e.Conclusion)}
    assert {key for one in found for key in one.derived_from} == concluded
    assert events[-1].sources
    assert ws.verify(events[0].iri).faults == ()
    chat = team(["a"])
    led(ws, chat, groups=["default"], selector="reasoning")
    assert "agent-react" in chat.tasks(), "with the selectors of TrustGraph sub-agents are asked first"


def test_a_sub_agent_whose_search_finds_nothing_goes_on_step_by_step(ws):
    chat = team(["a", "b"], **{"document-prompt": "NO ANSWER: it is not said."})
    events = led(ws, chat, groups=["default"])
    asked = [one for one in chat.asked if one.task == "agent-react"]
    assert sorted(one.question for one in asked) == ["a", "b"]
    assert all(one.data["Steps"][0]["declined"] for one in asked)
    assert [texts(events)[one.iri, "answer"] for one in findings(events)] == ["Found out a.", "Found out b."]
