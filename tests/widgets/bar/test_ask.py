"""The ask bar by its traits: what it asks with, what it refuses, and what it looks like while a run goes on."""

import threading
import time
from dataclasses import fields

import ipywidgets as ipw
import pytest

from explorer.engines.questions import LIMITS, Models
from explorer.models.chat import NO_MODEL
from explorer.widgets.bar.ask import HOW, AskBar
from explorer.widgets.bar.limit_words import AT_MOST, OTHER, SEARCHED, at_most
from explorer.widgets.bar.limits import Bounds
from explorer.widgets.bar.model import ANOTHER, LATE

EXAMPLES = ("Who built the tank?", "Why did it fail?")


class Heard(list):
    """What the bar told, in order."""

    def bar(self, examples=EXAMPLES, **more):
        return AskBar(lambda text: self.append(("ask", text)), lambda: self.append("stop"), examples,
                      lambda: self.append("next"), **more)  # fmt: skip


@pytest.fixture
def heard(sent):
    return Heard()


@pytest.fixture
def bar(heard):
    return heard.bar()


def field(bar, name):
    bar.limits.toggle.value = True
    return bar.limits.children[0].bounds[name].field


def is_shown(widget):
    return widget.layout.display != "none"


def until(holds):
    deadline = time.monotonic() + 10
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert holds()


def test_a_bar_as_it_comes_asks_with_nothing_but_the_engine(bar):
    assert bar.chosen == {"engine": "graph-rag"}
    assert not bar.waits
    assert not any(map(is_shown, (bar.limits, bar.next, bar.trouble)))
    assert bar.limits.toggle.description == "Limits"


def test_every_control_has_a_name(bar):
    bar.limits.toggle.value = True
    shown, controls = [*bar.children], []
    while shown:
        one = shown.pop()
        shown += getattr(one, "children", ())
        controls += [one] if isinstance(one, ipw.Text | ipw.Dropdown | ipw.Checkbox | ipw.Button) else []
    assert len(controls) > 12
    assert all(control.description for control in controls)


@pytest.mark.parametrize("engine", LIMITS)
def test_each_limit_of_an_engine_has_a_field_that_says_what_is_usual(sent, engine):
    made = Bounds(engine, lambda: None)
    named = {one.name for one in fields(LIMITS[engine])} - {"pattern"}
    assert set(made.bounds) == named <= {*AT_MOST, *OTHER}
    assert made.changed == {}
    usual = LIMITS[engine]()
    assert {name: bound.value for name, bound in made.bounds.items()} == {name: getattr(usual, name) for name in named}


def test_only_what_differs_is_asked_with(bar):
    field(bar, "edge_limit").value = " 3 "
    field(bar, "triple_limit").value = "30"
    field(bar, "selector").value = "rerank"
    assert bar.chosen == {"engine": "graph-rag", "edge_limit": 3, "selector": "rerank"}
    assert bar.limits.toggle.description == "Limits · 2 changed"
    bar.limits.usual.click()
    assert bar.chosen == {"engine": "graph-rag"}
    assert field(bar, "edge_limit").value == ""
    assert bar.limits.toggle.description == "Limits"


def test_numbers_choices_and_lists_are_read_as_their_engine_takes_them(bar):
    bar.how.value = "Passage search"
    for name, value in {"fetch_limit": "40", "mmr": True, "mmr_lambda": "0.25", "mode": "keyword"}.items():
        field(bar, name).value = value
    assert bar.chosen == {"engine": "document-rag", "fetch_limit": 40, "mmr": True, "mmr_lambda": 0.25,
                          "mode": "keyword"}  # fmt: skip
    bar.how.value = "Agent, plan first"
    for name, value in {"groups": "default, sums ,", "tool_timeout": "1.5", "parallel": "2", "state": "on"}.items():
        field(bar, name).value = value
    assert bar.chosen == {"engine": "agent", "pattern": "plan-then-execute", "groups": ("default", "sums"),
                          "tool_timeout": 1.5, "parallel": 2, "state": "on"}  # fmt: skip
    assert not is_shown(bar.trouble)


def test_the_limits_of_each_engine_are_kept(bar):
    field(bar, "edge_limit").value = "3"
    bar.how.value = "Agent"
    assert bar.chosen == {"engine": "agent"}
    field(bar, "max_iterations").value = "4"
    bar.how.value = "Agent, as a team"
    assert bar.chosen == {"engine": "agent", "pattern": "supervisor", "max_iterations": 4}
    bar.how.value = "Graph search"
    assert bar.chosen == {"engine": "graph-rag", "edge_limit": 3}
    assert "edge_limit" in bar.limits.children[0].bounds


@pytest.mark.parametrize(("how", "name", "value", "said"), [
    ("Graph search", "edge_limit", "0", "edge_limit must be a whole number of at least 1, not 0."),
    ("Graph search", "edge_limit", "2.5", "edge_limit must be a whole number of at least 1, not 2.5."),
    ("Graph search", "edge_limit", "<b>many</b>", "edge_limit must be a whole number of at least 1, not"),
    ("Passage search", "mmr_lambda", "nan", "mmr_lambda must be a number from 0 to 1, not nan."),
    ("Agent", "tool_timeout", "inf", "tool_timeout must be a number of seconds above 0, not inf."),
])  # fmt: skip
def test_what_an_engine_refuses_is_said_under_the_bar_until_it_is_mended(bar, how, name, value, said):
    bar.how.value = how
    typed = field(bar, name)
    typed.value = value
    assert said in bar.trouble.value
    assert "<b>" not in bar.trouble.value
    assert "wrong" in typed._dom_classes
    typed.value = ""
    assert not is_shown(bar.trouble)
    assert "wrong" not in typed._dom_classes


def test_limits_that_do_not_go_together_are_refused(bar):
    bar.how.value = "Passage search"
    field(bar, "mmr").value = True
    field(bar, "rerank").value = False
    assert "leave rerank on" in bar.trouble.value
    bar.how.value = "Graph search"
    assert not is_shown(bar.trouble)


def test_what_else_was_said_under_the_bar_stays_when_a_limit_is_changed(bar):
    bar.say("The model could not be reached.")
    field(bar, "edge_limit").value = "3"
    assert "could not be reached" in bar.trouble.value
    assert is_shown(bar.trouble)


def test_how_a_run_was_asked_is_shown_and_nothing_is_asked(bar, heard):
    field(bar, "entity_limit").value = "7"
    asked = {"engine": "agent", "pattern": "react", "model": "gpt-x", "max_iterations": 3, "groups": ["*"],
             "parallel": None}  # fmt: skip
    bar.show(**asked, tools=[len], task_types=())
    assert bar.how.value == "Agent, step by step"
    assert bar.chosen == {"engine": "agent", "pattern": "react", "model": "gpt-x", "max_iterations": 3,
                          "groups": ("*",)}  # fmt: skip
    bar.show("graph-rag")
    assert bar.chosen == {"engine": "graph-rag"}
    assert heard == []


@pytest.mark.parametrize("way", HOW.values(), ids=str)
def test_what_is_chosen_can_be_shown_again(bar, way):
    bar.show(**way, model="m")
    chosen = bar.chosen
    bar.show(**chosen)
    assert bar.chosen == chosen == {**way, "model": "m"}


def test_without_a_model_of_its_own_no_model_comes_first(bar):
    assert bar.model.list.options == (NO_MODEL, ANOTHER)
    assert "model" not in bar.chosen


def test_with_a_model_of_its_own_no_model_is_a_choice(heard):
    bar = heard.bar(model="gpt-x")
    assert bar.model.list.options == ("gpt-x", NO_MODEL, ANOTHER)
    assert "model" not in bar.chosen
    bar.model.list.value = NO_MODEL
    assert bar.chosen["model"] == NO_MODEL


def test_models_are_looked_up_once_and_only_when_told_to(heard):
    asked, ready = [], threading.Event()

    def known():
        asked.append(threading.current_thread())
        ready.wait(10)
        return Models(("gpt-x", "gpt-y"), "Nobody answered at http://here; check base_url.")

    bar = heard.bar(model="gpt-x", models=known)
    assert asked == []
    bar.look_up()
    bar.look_up()
    bar.model.list.value = NO_MODEL
    ready.set()
    until(lambda: "Nobody answered" in bar.model.tooltip)
    assert bar.model.list.options == ("gpt-x", NO_MODEL, "gpt-y", ANOTHER)
    assert bar.model.list.value == NO_MODEL
    assert len(asked) == 1
    assert asked[0] is not threading.main_thread()


def test_what_goes_wrong_in_looking_up_models_is_in_the_tooltip(heard):
    def known():
        raise OSError("disk full")

    bar = heard.bar(models=known)
    bar.look_up()
    until(lambda: "disk full" in bar.model.tooltip)


def test_the_name_of_another_model_can_be_typed(bar):
    bar.model.list.value = ANOTHER
    assert (is_shown(bar.model.list), is_shown(bar.model.name)) == (False, True)
    assert "model" not in bar.chosen
    bar.model.name.value = " llama-3 "
    assert (is_shown(bar.model.list), is_shown(bar.model.name)) == (True, False)
    assert bar.model.list.options == (NO_MODEL, "llama-3", ANOTHER)
    assert bar.chosen["model"] == "llama-3"


def test_enter_takes_the_name_that_comes_right_after_it(bar):
    bar.model.list.value = ANOTHER
    bar.model.name._handle_custom_msg({"event": "submit"}, [])
    bar.model.name.value = "llama-3"
    assert bar.chosen["model"] == "llama-3"
    time.sleep(2 * LATE)
    assert bar.chosen["model"] == "llama-3"


def test_models_found_while_a_name_is_typed_leave_the_field_open(heard):
    bar = heard.bar(models=lambda: Models(("gpt-y",)))
    bar.model.show("gpt-z")
    bar.model.list.value = ANOTHER
    bar.look_up()
    until(lambda: "gpt-y" in bar.model.list.options)
    assert is_shown(bar.model.name)
    assert bar.chosen["model"] == "gpt-z"


@pytest.mark.parametrize("leave", [
    lambda bar: bar.model.name._handle_custom_msg({"event": "submit"}, []),
    lambda bar: bar.running(running=True),
])  # fmt: skip
def test_an_empty_name_leads_back_to_the_model_before(bar, leave):
    bar.show("graph-rag", model="llama-3")
    bar.model.list.value = ANOTHER
    leave(bar)
    until(lambda: is_shown(bar.model.list))
    assert bar.model.list.value == "llama-3"


def test_while_a_run_goes_on_only_the_next_question_can_be_changed(bar):
    edge_limit = field(bar, "edge_limit")
    controls = (bar.how, bar.model.list, bar.limits.toggle, bar.limits.usual, edge_limit)
    bar.running(running=True)
    assert all(control.disabled for control in controls)
    assert not bar.question.disabled
    assert bar.button.description == "■ Stop"
    bar.running(running=False)
    assert not any(control.disabled for control in controls)
    assert bar.button.description == "Ask"


def test_fields_made_while_a_run_goes_on_are_disabled_too(bar):
    bar.limits.toggle.value = True
    bar.running(running=True)
    bar.show("agent", max_steps=3)
    field = bar.limits._bounds["agent"].bounds["max_steps"].field
    assert field.disabled
    assert field.value == "3"


def test_limits_are_known_before_their_fields_are_made(bar):
    bar.show("agent", max_steps=3, pattern="react")
    assert bar.limits._bounds == {}
    assert bar.chosen == {"engine": "agent", "pattern": "react", "max_steps": 3}
    assert bar.limits.toggle.description == "Limits · 1 changed"
    bar.limits.toggle.value = True
    assert bar.limits._bounds["agent"].bounds["max_steps"].field.value == "3"
    assert bar.chosen["max_steps"] == 3


def test_next_is_there_only_when_runs_wait(bar, heard):
    bar.limits.waits.value = True
    assert bar.waits
    assert is_shown(bar.next)
    assert "idle" in bar.next._dom_classes
    bar.running(running=True)
    assert is_shown(bar.next)
    assert "idle" in bar.next._dom_classes
    bar.next.click()
    assert heard == []
    bar.waiting(True)
    assert "idle" not in bar.next._dom_classes
    bar.next.click()
    bar.next.click()
    assert heard == ["next"]
    assert is_shown(bar.next)
    bar.running(running=False)
    assert is_shown(bar.next)  # so that who has pressed it keeps the focus
    assert "idle" in bar.next._dom_classes
    bar.limits.waits.value = False
    assert not is_shown(bar.next)


def test_a_run_can_be_let_go_on_by_itself(bar):
    bar.limits.waits.value = True
    bar.running(running=True)
    bar.limits.waits.value = False
    assert not is_shown(bar.next)
    assert not bar.limits.waits.disabled


def test_a_run_that_does_not_wait_has_no_next(bar):
    bar.running(running=True)
    assert not is_shown(bar.next)


def test_examples_come_before_earlier_questions(heard):
    bar = heard.bar(earlier=["Old?", EXAMPLES[0]])
    assert bar.examples.options == ("Examples", *EXAMPLES, "— Earlier —", "Old?")
    bar.offer("New?")
    assert bar.examples.options[3:] == ("— Earlier —", "New?", "Old?")
    assert heard.bar((), earlier=["Old?"]).examples.options == ("Earlier", "Old?")
    assert heard.bar(()).examples.options == ("Examples",)


def test_a_head_of_the_list_picks_nothing(heard):
    bar = heard.bar(earlier=["Old?"])
    bar.question.value = "Mine?"
    bar.examples.value = "— Earlier —"
    assert bar.question.value == "Mine?"
    assert bar.examples.index == 0


def test_at_most_twenty_earlier_questions_are_offered(heard):
    bar = heard.bar((), earlier=[f"Question {number}?" for number in range(30)])
    bar.offer("The newest?")
    assert len(bar.examples.options) == 1 + 20
    assert bar.examples.options[1] == "The newest?"


def test_a_long_question_is_cut_in_the_list_whole_in_the_tooltip_and_whole_when_picked(heard):
    long = f"Which of these is it: {', '.join(f'thing {number}' for number in range(40))}?"
    twin = f"{long[:-1]} or none?"
    bar = heard.bar((), earlier=[long, twin, "Short?"])
    first, second, _ = bar.examples.options[1:]
    assert len(first) <= 100 < len(long)
    assert first != second
    assert long in bar.examples.tooltip
    assert "Short?" not in bar.examples.tooltip
    bar.examples.value = second
    assert bar.question.value == twin
    assert bar.examples.index == 0


def test_a_question_like_the_head_of_the_list_is_a_question(heard):
    bar = heard.bar(("Examples",), earlier=["Earlier"])
    bar.question.value = "Mine?"
    bar.offer("More?")
    assert bar.question.value == "Mine?"
    bar.examples.index = 1
    assert bar.question.value == "Examples"


def test_limits_on_record_are_said_with_the_words_of_the_fields():
    given = {"edge_limit": 25, "tool_timeout": 60.0, "parallel": None, "rerank": True, "mode": "hybrid",
             "tools": ["a"], "elsewhere": 4, "mmr_lambda": 0.7}  # fmt: skip
    assert at_most(given) == ["25 facts kept", "60 seconds for one tool", "elsewhere 4"]
    assert set(SEARCHED) == {"vector", "keyword", "hybrid", "reasoning", "rerank"}
