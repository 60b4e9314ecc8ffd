"""The limits of the engines: their words and how they are typed."""

from dataclasses import fields

import pytest

from explorer.engines.registry import LIMITS
from explorer.view.limits import TypedLimits, fields_of
from explorer.wording.limits import AT_MOST, OTHER, SEARCHED, at_most
from tests.each import each


@pytest.mark.parametrize("engine", LIMITS)
def test_each_limit_of_an_engine_has_a_field_that_says_what_is_usual(engine):
    named = {one.name for one in fields(LIMITS[engine])} - {"pattern"}
    limits = TypedLimits(engine)
    assert {state["name"] for state in limits.states} == named <= {*AT_MOST, *OTHER}
    assert all(state["words"] and state["tip"].startswith(state["name"]) for state in limits.states)
    assert limits.changed == {}
    usual = LIMITS[engine]()
    read = {name: field.read(field.empty) for name, field in fields_of(engine).items()}
    assert read == {name: getattr(usual, name) for name in named}


@pytest.mark.parametrize("engine", LIMITS)
def test_numbers_stand_before_other_limits(engine):
    is_number = [name in AT_MOST for name in fields_of(engine)]
    assert is_number == sorted(is_number, reverse=True)


def test_a_field_is_drawn_as_what_it_holds():
    kinds = {name: field.state(field.empty, wrong=False)["kind"] for engine in LIMITS
             for name, field in fields_of(engine).items()}  # fmt: skip
    assert kinds["edge_limit"] == kinds["tool_timeout"] == "number"
    assert kinds["parallel"] == kinds["groups"] == kinds["state"] == "text"
    assert kinds["rerank"] == "tick"
    choice = fields_of("document-rag")["mode"].state("keyword", wrong=False)
    assert (choice["kind"], choice["usual"], choice["value"]) == ("choice", "hybrid", "keyword")
    assert ("keyword", "by words") in choice["choices"]


@each(("name", "value", "typed"), [
    ("parallel", None, ""), ("parallel", 2, "2"), ("tool_timeout", 60.0, ""), ("tool_timeout", 0.5, "0.5"),
    ("groups", ["default"], ""), ("groups", ["a", "b"], "a, b"), ("state", "on", "on"),
])  # fmt: skip
def test_a_limit_is_shown_as_it_would_be_typed(name, value, typed):
    field = fields_of("agent")[name]
    assert field.typed(value) == typed
    assert field.read(typed) == (tuple(value) if isinstance(value, list) else value)


def test_limits_on_record_are_worded_with_the_words_of_the_fields():
    given = {"edge_limit": 25, "tool_timeout": 60.0, "parallel": None, "rerank": True, "mode": "hybrid",
             "tools": ["a"], "elsewhere": 4, "mmr_lambda": 0.7}  # fmt: skip
    assert at_most(given) == ["25 facts kept", "60 seconds for each tool", "elsewhere 4"]
    assert set(SEARCHED) == {"vector", "keyword", "hybrid", "reasoning", "rerank", "passages"}
