"""What can't be asked of an agent is refused before anything is recorded; what is too much is named in the answer."""

import pytest

import explorer
from explorer import entities as e
from explorer.engines.registry import checked
from explorer.errors import QuestionError
from tests.corpus import QUESTIONS, with_corpus
from tests.each import each
from tests.script import Script

ws = with_corpus("module")


def double(number: int) -> int:
    """Double a number."""
    return 2 * number


@each(
    ("given", "said"),
    [
        ({"groups": ["knowlege-query"]}, "No tool is in the group 'knowlege-query'; there are \\*, default, document"),
        ({"groups": "default"}, "groups must be a list of texts"),
        ({"tools": None}, "tools must be a list of functions, not NoneType"),
        ({"tools": double}, "tools must be a list of functions, not function"),
        ({"task_types": None}, "task_types must be a list of explorer.TaskType"),
        ({"task_types": explorer.TaskType("a")}, "task_types must be a list"),
        ({"task_types": ["a"]}, "'a' is not a task type"),
        ({"task_types": [explorer.TaskType(3)]}, "is not a task type"),
        ({"task_types": [explorer.TaskType("")]}, "is not a task type"),
        ({"task_types": [explorer.TaskType("a", patterns="react")]}, "patterns of the task type 'a' must be a list"),
        ({"task_types": [explorer.TaskType("a", patterns=())]}, "allows no pattern; choose among react"),
        ({"task_types": [explorer.TaskType("a", patterns=("x",))]}, "'a' allows x; choose among react"),
        ({"task_types": [explorer.TaskType("a"), explorer.TaskType("a")]}, "two task types 'a'"),
        ({"pattern": "teamwork"}, "pattern must be react, plan-then-execute or supervisor"),
        ({"max_subagents": 0}, "max_subagents must be a whole number of at least 1"),
        ({"tool_timeout": float("inf")}, "tool_timeout must be a number of seconds above 0"),
        ({"state": None}, "state must be a text"),
    ],
)
def test_what_an_agent_can_not_take_is_refused(ws, given, said):
    before = len(ws.traces.list())
    with pytest.raises(QuestionError, match=said):
        ws.ask(QUESTIONS[0], engine="agent", **given)
    assert len(ws.traces.list()) == before


def test_a_limit_of_another_engine_is_told_as_such_and_a_nul_is_refused(ws):
    with pytest.raises(QuestionError, match=r"no limit 'pattern'; choose among .*; pattern is one of agent"):
        ws.ask(QUESTIONS[0], pattern="react")
    with pytest.raises(QuestionError, match="has a NUL"):
        checked("What opens\0 the tank?", "graph-rag", {})


def test_parts_over_the_limit_are_named_in_the_answer(ws):
    trace = ws.run(" ".join(QUESTIONS[:3]), engine="agent", max_subagents=2)
    [split] = [step for step in trace.steps if isinstance(step, e.Decomposition)]
    assert len(split.goals) == 2
    assert "of 3 parts the first 2 are worked at (max_subagents)" in split.rule
    assert QUESTIONS[2] in trace.answer
    assert "max_subagents" in trace.answer


def test_equal_goals_count_once_towards_the_limit(ws):
    ws.chat = Script({"supervisor-decompose": [["a?"] * 9 + ["b?"]], "agent-react": "Final Answer: Yes.",
                      "supervisor-synthesise": "Both [1][10]."})  # fmt: skip
    trace = ws.run("Both?", engine="agent", pattern="supervisor", max_subagents=2, parallel=1)
    ws.chat = None
    findings = [step for step in trace.steps if isinstance(step, e.Finding)]
    assert [one.goal for one in findings] == ["a?"] * 9 + ["b?"]
    assert len({one.derived_from for one in findings}) == 2


def test_a_long_question_is_split_before_it_is_cut_and_what_is_read_of_it_is_on_record(ws):
    parts = [f"Who built relief valve number {number} of the oxygen tank in Boulder?" for number in range(60)]
    trace = ws.run(" ".join(parts), engine="agent", max_subagents=2)
    [split] = [step for step in trace.steps if isinstance(step, e.Decomposition)]
    assert split.rule.startswith("60 question parts, each asks for itself, the first 50 are taken; of 50 parts ")
    assert split.goals == (*parts[:2],)
    ws.chat = Script({"agent-react": "Final Answer: No."})
    trace = ws.run("x " * 5_000, engine="agent", pattern="react")
    ws.chat = None
    [decision] = [step for step in trace.steps if isinstance(step, e.PatternDecision)]
    assert decision.rule == (
        "the pattern was given, not chosen; of 9,999 characters the first and last 2,000 were read"
    )
