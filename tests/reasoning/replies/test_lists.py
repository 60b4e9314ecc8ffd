import time

from hypothesis import given
from hypothesis import strategies as st

from explorer.reasoning.agent_protocol import (
    Action,
    Argument,
    Choice,
    Parts,
    Planned,
    PlannedStep,
    TaskType,
    ToolSpec,
    Unreadable,
)
from explorer.reasoning.replies import lists as agent_replies
from tests.each import each

TASKS = [TaskType("research"), TaskType("general"), TaskType("risk-assessment")]
PATTERNS = ("react", "plan-then-execute", "supervisor")
TOOLS = [ToolSpec("search", "Looks up", (Argument("q"), Argument("n", "integer", required=False)))]


@each("reply", ["research", " Research.\n", '"research"', "**`research`**", "The type is research, as it asks who.",
                "<think>general?</think>research"])  # fmt: skip
def test_the_name_of_a_type_is_read(reply):
    assert agent_replies.task_type(reply, TASKS) == Choice("research")


def test_of_a_reply_that_names_none_or_several_the_general_type_or_the_first_is_taken():
    for reply in ("", "none", "research or risk-assessment", "researcher", "assessment"):
        choice = agent_replies.task_type(reply, TASKS)
        assert choice == Choice("general", "the reply named none of them: general is taken")
    rule = "the reply named none of them: the first is taken"
    assert agent_replies.task_type("none", TASKS[::2]) == Choice("research", rule)
    for reply in ("reactive or not", "react, not supervisor"):
        assert agent_replies.pattern(reply, PATTERNS) == Choice("react", rule)
    assert agent_replies.pattern("Plan-then-execute", PATTERNS) == Choice("plan-then-execute")
    assert agent_replies.pattern("I'd take supervisor here.", PATTERNS) == Choice("supervisor")


STEPS = '[{"goal": "Find a", "tool_hint": "search", "depends_on": []}, {"goal": "Compare", "depends_on": [0]}]'
PLANNED = Planned((PlannedStep("Find a", "search"), PlannedStep("Compare", "", (0,))))


@each(
    "reply",
    [
        STEPS,
        f"```json\n{STEPS}\n```\nGood luck.",
        f"Here [1] is the plan:\n{STEPS}",
        f"Here is the plan:\n```\n{STEPS}",
        f'{{"steps": {STEPS}}}',
        f'{{"items": {STEPS}}}',
        STEPS.replace('"', "'"),
        STEPS.replace("[0]", '["0", 0, 1, 7, -1, true, null, "x", 0.0, [0]]'),
        STEPS.replace("}, {", '}, {"goal": " "}, 5, {"goal": 7}, {').replace("[0]", "[0, 1, 4]"),
        f"<think>[]</think>{STEPS}",
    ],
)
def test_a_plan_is_read(reply):
    assert agent_replies.plan(reply) == PLANNED


@each("reply", ["", "no", "[]", "{}", "[1, 2]", '[{"goal": ""}]', "[" * 99_999, '["a', "```json\n```"])
def test_without_a_plan_there_is_one_step(reply):
    one = PlannedStep("Answer the question directly")
    assert agent_replies.plan(reply) == Planned((one,), "the reply held no plan: one step")


@each(
    "reply",
    [
        '{"tool": "search", "arguments": {"q": "a"}}',
        '{"items": [{"tool": "search", "arguments": {"q": "a", "n": null}}]}',
        '[{"tool": "search", "arguments": {"q": "a"}}]',
        '```json\n{"tool": "search", "arguments": {"q": "a"}}\n```',
        "I call {'tool': 'search', 'arguments': {'q': 'a'}} now.",
        '{"name": "search", "arguments": "{\\"q\\": \\"a\\"}"}',
    ],
)
def test_a_call_is_read_and_one_of_an_unknown_tool_is_handed_on(reply):
    assert agent_replies.step_call(reply, TOOLS) == Action("search", {"q": "a"})
    assert agent_replies.step_call(reply.replace("search", "other"), []).tool == "other"
    assert agent_replies.step_call('{"tool": "other", "arguments": {"n": null}}', []) == Action("other", {"n": None})


@each("reply", ["", "search", "{}", '{"tool": 5}', '{"tool": "search", "arguments": [1]}', "[1]", '{"a":' * 9_999])
def test_a_reply_without_a_call_is_unreadable(reply):
    found = agent_replies.step_call(reply, TOOLS)
    assert isinstance(found, Unreadable)
    assert 10 < len(found.error) < 300


@each(
    "reply",
    [
        '["What is a?", "What is b?", "What is a?"]',
        '{"goals": ["What is a?", " What is b? ", "", "What is a?"]}',
        '```\n["What is a?", "What is b?", "What is a?"]\n```',
        '[{"goal": "What is a?"}, {"goal": "What is b?"}, {"goal": "What is a?"}, {"goal": 5}, null]',
    ],
)
def test_parts_are_read_equal_ones_kept(reply):
    assert agent_replies.parts(reply, "Q?") == Parts(("What is a?", "What is b?", "What is a?"))


@each("reply", ["", "no parts", "[]", '[" "]', "[1]", '{"goals": "a"}'])
def test_without_parts_there_is_the_whole_question(reply):
    assert agent_replies.parts(reply, "Q?") == Parts(("Q?",), "the reply held no parts: the whole question")


@given(st.text(st.sampled_from("[]{}\"'\\,:1 a`\n"), max_size=60))
def test_any_reply_gives_something(reply):
    assert agent_replies.plan(reply).steps
    assert agent_replies.parts(reply, "Q?").goals
    assert isinstance(agent_replies.step_call(reply, TOOLS), Action | Unreadable)


@each("unit", ["[", "{", '["', "[]", '{"a": 1}', "```", "```\n", "{'a", "research ", "<think></think>"])
def test_long_replies_are_read_fast(unit):
    reply, began = unit * (100_000 // len(unit)), time.thread_time()
    agent_replies.plan(reply)
    agent_replies.parts(reply, "Q?")
    agent_replies.task_type(reply, TASKS)
    assert time.thread_time() - began < 5
