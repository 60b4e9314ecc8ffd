"""Agents on the command line: how they are asked, what is told of their steps, and what is refused."""

import re

import pytest

from tests.corpus import QUESTIONS
from tests.each import each

PARTS = "Who built the relief valve, and at what pressure did the relief valve open?"
TOOL = '''
def kilovolts(volts: float) -> float:
    """Convert volts to kilovolts."""
    return volts / 1000

several = [kilovolts]
'''


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A folder with a module of the user's own, which is where the command is run."""
    (tmp_path / "own_tools.py").write_text(TOOL, "utf-8")
    monkeypatch.chdir(tmp_path)


def test_an_agent_splits_a_question_of_two_parts_and_answers_both(run, folder):
    code, out, err = run("ask", PARTS, "-w", folder, "--engine", "agent", "--explain", "--usage")
    assert (code, err) == (0, "")
    assert "Strategy: supervisor" in out
    assert "Part 1: Who built the relief valve?" in out
    assert "983 psi" in out.rpartition("Sources:")[0]
    assert "Beech Aircraft built the relief valve in 1966. [1]" in out
    assert "time: " in out.splitlines()[-1]


def test_a_pattern_that_is_given_is_not_chosen_and_a_function_of_the_present_folder_is_a_tool(run, folder, module):
    code, out, err = run("ask", PARTS, "-w", folder, "--engine", "agent", "--pattern", "react", "--explain",
                         "--tool", "own_tools:kilovolts")  # fmt: skip
    assert (code, err) == (0, "")
    assert "Strategy: react" in out
    assert "Rule: the pattern was given, not chosen" in out
    assert "  - kilovolts" in out


def test_a_run_that_declines_names_what_is_nearest_and_no_more(run, folder):
    code, out, _ = run("ask", QUESTIONS[3], "-w", folder, "--engine", "agent")
    assert code == 0
    nearest = out.partition("Nearest, though they don't answer it:\n")[2]
    for title in ("Valves of the tank", "Notes of the shift", "Report on the switches"):
        assert re.search(rf"^  \[[1-5]\] {title}.*: “", nearest, re.MULTILINE)
    assert "Sources:" not in out
    assert out.count("\n  [") == 5


@each(
    ("arguments", "said"),
    [
        (["--tool", "own_tools"], "names no function; give --tool module:function"),
        (["--tool", "own_tools:missing"], "can't be imported"),
        (["--tool", "no_such_module:f"], "can't be imported"),
        (["--tool", "own_tools:several"], "is list, not a function"),
        (["--pattern", "x"], "pattern must be react, plan-then-execute or supervisor, not 'x'"),
        (["--mode", "vector"], "agent has no limit 'mode'"),
        (["--engine", "graph-rag", "--tool", "own_tools:kilovolts"], "graph-rag has no tools"),
    ],
)
def test_what_an_agent_can_not_take_is_refused_before_anything_is_recorded(run, folder, module, arguments, said):
    _, before, _ = run("traces", "-w", folder)
    code, _, err = run("ask", QUESTIONS[1], "-w", folder, "--engine", "agent", *arguments)
    assert code == 2
    assert said in err
    assert run("traces", "-w", folder)[1] == before
