"""The state of the ask bar: what it asks with, what it refuses, and what the page is told of every change."""

import threading

import pytest

from explorer.errors import RecordError
from explorer.models import local
from explorer.models.chat import NO_MODEL
from explorer.models.choice import Models
from explorer.view.messages.requests import ChangeBar
from explorer.widgets.bar.ask import IN_PROGRESS, AskBar
from explorer.wording.ways import CHOICES
from tests.server import answering
from tests.widgets.pages import until

EXAMPLES = ("Who built the tank?", "Why did it fail?")


class Page:
    """What the page was told, newest last, and what it changes."""

    def __init__(self):
        self.states = []

    def bar(self, examples=EXAMPLES, **more):
        return AskBar(self.states.append, examples=examples, **more)

    @property
    def last(self):
        return self.states[-1]


@pytest.fixture
def page():
    return Page()


@pytest.fixture
def bar(page):
    return page.bar()


def change(bar, **changed):
    bar.apply(ChangeBar(**changed))


def field(bar, name):
    return next(limit for limit in bar.state["limits"] if limit["name"] == name)


def test_a_bar_as_it_comes_asks_with_nothing_but_the_engine(bar, page):
    assert bar.chosen == {"engine": "graph-rag"}
    assert not bar.teaches
    state = bar.state
    assert (state["how"], state["changed"], state["trouble"]) == ("Graph search", 0, None)
    assert not any(state[flag] for flag in ("teaches", "running", "waiting"))
    assert page.states == []


def test_the_page_is_told_the_whole_state_once_for_each_change(bar, page):
    change(bar, how="Agent")
    assert page.states == [bar.state]
    change(bar, how="Agent")
    assert len(page.states) == 1
    bar.begin("Why?", "graph-rag", model="m", edge_limit=3)
    assert page.states[1:] == [bar.state]


def test_only_what_differs_is_asked_with(bar):
    change(bar, limits={"edge_limit": " 3 ", "triple_limit": "30"})
    change(bar, limits={"selector": "rerank"})
    assert bar.chosen == {"engine": "graph-rag", "edge_limit": 3, "selector": "rerank"}
    assert bar.state["changed"] == 2
    change(bar, limits={"edge_limit": "", "triple_limit": "", "selector": "passages"})
    assert bar.chosen == {"engine": "graph-rag"}
    assert bar.state["changed"] == 0


def test_numbers_choices_and_lists_are_read_as_their_engine_takes_them(bar):
    change(bar, how="Passage search")
    change(bar, limits={"fetch_limit": "40", "mmr": True, "mmr_lambda": "0.25", "mode": "keyword"})
    assert bar.chosen == {"engine": "document-rag", "fetch_limit": 40, "mmr": True, "mmr_lambda": 0.25,
                          "mode": "keyword"}  # fmt: skip
    change(bar, how="Agent, plan first")
    change(bar, limits={"groups": "default, sums ,", "tool_timeout": "1.5", "parallel": "2", "state": "on"})
    assert bar.chosen == {"engine": "agent", "pattern": "plan-then-execute", "groups": ("default", "sums"),
                          "tool_timeout": 1.5, "parallel": 2, "state": "on"}  # fmt: skip
    assert bar.state["trouble"] is None


def test_the_limits_of_each_engine_are_kept(bar):
    change(bar, limits={"edge_limit": "3"})
    change(bar, how="Agent")
    assert bar.chosen == {"engine": "agent"}
    change(bar, limits={"max_iterations": "4"})
    change(bar, how="Agent, as a team")
    assert bar.chosen == {"engine": "agent", "pattern": "supervisor", "max_iterations": 4}
    assert field(bar, "max_iterations")["value"] == "4"
    change(bar, how="Graph search")
    assert bar.chosen == {"engine": "graph-rag", "edge_limit": 3}
    assert field(bar, "edge_limit")["value"] == "3"


@pytest.mark.parametrize(("how", "name", "value", "said"), [
    ("Graph search", "edge_limit", "0", "edge_limit must be a whole number of at least 1, not 0."),
    ("Graph search", "edge_limit", "2.5", "edge_limit must be a whole number of at least 1, not 2.5."),
    ("Graph search", "edge_limit", "<b>many</b>", "edge_limit must be a whole number of at least 1, not '<b>many"),
    ("Passage search", "mmr_lambda", "nan", "mmr_lambda must be a number from 0 to 1, not nan."),
    ("Agent", "tool_timeout", "inf", "tool_timeout must be a number of seconds above 0, not inf."),
])  # fmt: skip
def test_what_an_engine_refuses_is_shown_below_the_bar_until_it_is_mended(bar, how, name, value, said):
    change(bar, how=how)
    change(bar, limits={name: value})
    assert bar.state["trouble"].startswith(said)
    assert [limit["name"] for limit in bar.state["limits"] if limit["wrong"]] == [name]
    assert field(bar, name)["value"] == value
    change(bar, limits={name: ""})
    assert bar.state["trouble"] is None
    assert not any(limit["wrong"] for limit in bar.state["limits"])
    change(bar, how="Graph search")
    change(bar, limits={"edge_limit": "0", "entity_limit": "none", "triple_limit": "3"})
    assert {limit["name"] for limit in bar.state["limits"] if limit["wrong"]} == {"edge_limit", "entity_limit"}


def test_limits_that_do_not_go_together_are_refused(bar):
    change(bar, how="Passage search")
    change(bar, limits={"mmr": True, "doc_limit": "3"})
    change(bar, limits={"rerank": False})
    assert "leave rerank on" in bar.state["trouble"]
    assert {limit["name"] for limit in bar.state["limits"] if limit["wrong"]} == {"mmr", "rerank"}
    change(bar, how="Graph search")
    assert bar.state["trouble"] is None


def test_what_else_was_shown_below_the_bar_stays_when_a_limit_is_changed(bar):
    bar.refuse("The model could not be reached.", "Traceback")
    change(bar, limits={"edge_limit": "3"})
    assert (bar.state["trouble"], bar.state["details"]) == ("The model could not be reached.", "Traceback")
    bar.begin("Why?", "graph-rag")
    assert (bar.state["trouble"], bar.state["details"]) == (None, None)
    bar.end()
    change(bar, limits={"edge_limit": "0"})
    bar.refuse(bar.state["trouble"])
    change(bar, limits={"edge_limit": "1"})
    assert bar.state["trouble"] is None, "of what is refused nothing is left behind once it is mended"


@pytest.mark.parametrize("changed", [{"how": "By magic"}, {"limits": {"edge_limit": "3", "max_steps": "2"}}])
def test_what_the_bar_does_not_offer_is_refused_and_changes_nothing(bar, page, changed):
    with pytest.raises(RecordError, match="load the page again"):
        change(bar, **changed)
    assert bar.chosen == {"engine": "graph-rag"}
    assert page.states == []


def test_how_a_run_was_asked_is_shown(bar):
    change(bar, limits={"entity_limit": "7"})
    asked = {"engine": "agent", "pattern": "react", "model": "gpt-x", "max_iterations": 3, "groups": ["*"],
             "parallel": None}  # fmt: skip
    bar.begin("Why?", **asked, tools=[len], task_types=())
    assert (bar.question, bar.state["how"], bar.state["model"]) == ("Why?", "Agent, step by step", "gpt-x")
    assert bar.chosen == {"engine": "agent", "pattern": "react", "model": "gpt-x", "max_iterations": 3,
                          "groups": ("*",)}  # fmt: skip
    assert (field(bar, "max_iterations")["value"], field(bar, "groups")["value"]) == ("3", "*")
    bar.begin("And then?", "graph-rag")
    assert bar.chosen == {"engine": "graph-rag"}


@pytest.mark.parametrize("way", CHOICES.values(), ids=str)
def test_what_is_chosen_can_be_shown_again(bar, way):
    bar.begin("Why?", **way, model="m")
    chosen = bar.chosen
    bar.begin("Why?", **chosen)
    assert bar.chosen == chosen == {**way, "model": "m"}


def test_with_a_model_of_its_own_no_model_is_a_choice_and_comes_first_without_one(page):
    assert page.bar().state["models"] == [NO_MODEL]
    bar = page.bar(model="gpt-x")
    assert bar.state["models"] == ["gpt-x", NO_MODEL]
    assert "model" not in bar.chosen
    change(bar, model=NO_MODEL)
    assert bar.chosen["model"] == NO_MODEL
    bar.begin("Why?", "graph-rag")
    assert bar.state["model"] == "gpt-x"
    bar.begin("Why?", "graph-rag", model="")
    assert bar.state["model"] == NO_MODEL


def test_models_are_looked_up_once_and_only_when_told_to(page):
    asked, ready = [], threading.Event()

    def known():
        asked.append(threading.current_thread())
        ready.wait(10)
        return Models(("gpt-x", "gpt-y"), "Nobody answered at http://here; check base_url.")

    bar = page.bar(model="gpt-x", models=known)
    assert asked == []
    bar.look_up()
    bar.look_up()
    change(bar, model=NO_MODEL)
    ready.set()
    until(lambda: "Nobody answered" in page.last["about"])
    assert page.last["models"] == ["gpt-x", NO_MODEL, "gpt-y"]
    assert page.last["model"] == NO_MODEL
    assert len(asked) == 1
    assert asked[0] is not threading.main_thread()


def test_what_goes_wrong_in_looking_up_models_is_in_the_tooltip(page):
    def known():
        raise OSError("disk full")

    bar = page.bar(models=known)
    bar.look_up()
    until(lambda: "OSError: disk full" in bar.state["about"])


def test_servers_on_this_machine_are_looked_for_whenever_the_list_of_models_is_opened(page, monkeypatch):
    with answering({"data": [{"id": "small:1b"}]}) as (port, asked):
        monkeypatch.setattr(local, "SERVERS", {port: "a server"})
        bar = page.bar(model="gpt-x")
        change(bar, question="Why?")
        assert asked == []
        change(bar, look=True)
        until(lambda: page.last["models"] == ["gpt-x", NO_MODEL, f"small:1b at localhost:{port}"])
        change(bar, look=True)
        until(lambda: len(asked) == 2)
    change(bar, model=f"small:1b at localhost:{port}")
    assert bar.chosen["model"] == f"small:1b at localhost:{port}"


def test_the_name_of_another_model_can_be_typed(bar):
    change(bar, model=" llama-3 ")
    assert bar.state["models"] == [NO_MODEL, "llama-3"]
    assert bar.chosen["model"] == "llama-3"
    change(bar, model="  ")
    assert bar.chosen["model"] == "llama-3"


def test_a_run_shows_from_its_beginning_to_its_end(bar):
    bar.begin("Why?", "graph-rag")
    assert (bar.state["running"], bar.state["waiting"]) == (True, False)
    bar.wait(waiting=True)
    assert (bar.state["running"], bar.state["waiting"]) == (True, True)
    bar.wait(waiting=False)
    assert bar.state["waiting"] is False
    bar.wait(waiting=True)
    change(bar, question="And then?")
    bar.end()
    assert bar.state["question"] == "And then?", "the next question survives"
    assert (bar.state["running"], bar.state["waiting"]) == (False, False)


def test_what_was_refused_because_of_a_run_is_not_said_after_it(bar):
    bar.begin("Why?", "graph-rag")
    bar.refuse(IN_PROGRESS)
    assert bar.state["trouble"] == IN_PROGRESS
    bar.end()
    assert bar.state["trouble"] is None
    bar.begin("Why?", "graph-rag")
    bar.refuse("The run failed.")
    bar.end()
    assert bar.state["trouble"] == "The run failed."


def test_examples_come_before_earlier_questions_of_which_there_are_at_most_twenty(page):
    bar = page.bar(earlier=["Old?", EXAMPLES[0], "Who sank it?"], beyond=["Who sank it?"])
    assert (bar.state["examples"], bar.state["earlier"]) == ([*EXAMPLES], ["Old?"])
    assert bar.state["beyond"] == ["Who sank it?"]
    bar.begin(" New?".strip(), "graph-rag")
    assert bar.state["earlier"] == ["New?", "Old?"]
    assert bar.questions == [*EXAMPLES, "New?", "Old?"]
    bar = page.bar((), earlier=[f"Question {number}?" for number in range(30)])
    bar.begin("The newest?", "graph-rag")
    assert len(bar.state["earlier"]) == 20
    assert bar.state["earlier"][:2] == ["The newest?", "Question 0?"]
