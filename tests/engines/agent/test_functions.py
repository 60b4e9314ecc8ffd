# ruff: noqa: T201 - tools that print are what is tested

import contextlib
import contextvars
import dataclasses
import datetime as dt
import enum
import functools
import inspect
import io
import itertools
import json
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from pydantic import BaseModel, Field
from pyoxigraph import NamedNode

from explorer.engines.agent.functions import FunctionTool, Report, as_tools, tool
from explorer.engines.agent.output import KEPT
from explorer.engines.agent.tools import Call, Tool
from explorer.errors import QuestionError
from explorer.reasoning.agent_protocol import Argument
from tests.each import each


@tool
def calculator(expression: Annotated[str, "Arithmetic expression"], digits: int = 2) -> float:
    """Evaluate an arithmetic expression.

    Nothing else is evaluated.
    """
    if not set(expression) <= set("0123456789.+-*/ ()"):
        raise ValueError(f"unsupported expression: {expression}")
    return round(eval(expression), digits)


def drained(generator):
    with pytest.raises(StopIteration) as stopped:
        next(generator)
    return stopped.value.value


def called(function, timeout=5.0, /, **arguments):
    [made] = as_tools([function])
    return drained(made.run(Call(arguments, "urn:trustgraph:agent:s/i1", timeout)))


def returning(value):
    def give() -> object:
        return value() if inspect.isfunction(value) else value

    return called(give)


def test_a_tool_is_still_a_function_and_tells_its_name_description_and_arguments():
    assert isinstance(calculator, FunctionTool)
    assert calculator("1 + 1.234", digits=1) == 2.2
    assert calculator.__name__ == "calculator"
    assert calculator.__doc__.startswith("Evaluate an arithmetic expression.\n")
    assert calculator.__wrapped__("2 * 3") == 6
    spec = calculator.as_tool().spec
    assert (spec.name, spec.description) == ("calculator", "Evaluate an arithmetic expression.")
    assert spec.arguments == (
        Argument("expression", "string", "Arithmetic expression"),
        Argument("digits", "integer", "", required=False),
    )


def test_the_decorator_says_what_the_function_does_not():
    @tool(name="sum", description="Add up.", groups="maths", applicable_states=("open",), state="added", timeout=1)
    def f(x: int):
        return x

    made = f.as_tool()
    assert (made.name, made.spec.description, made.groups) == ("sum", "Add up.", ("maths",))
    assert (made.applicable_states, made.state) == (("open",), "added")


def test_arguments_are_described_by_hints_or_the_docstring():
    class Unit(enum.Enum):
        METRE = "m"
        FOOT = "ft"

    def f(  # noqa: PLR0917
        a: Annotated[int, Field(description="How many", ge=0)],
        b: Unit,
        c: Literal["x", "y"],
        d: list[Literal[1, 2]],
        e,
        g: dict[str, int] | None = None,
        h: Any = None,
        i: Annotated[str, "Whether"] | None = None,
    ):
        """Do.

        Args:
            b: Which unit
            e (str): What is left
        """

    arguments = as_tools([f])[0].spec.arguments
    assert [(each.name, each.type, each.description, each.required) for each in arguments] == [
        ("a", "integer", "How many", True),
        ("b", "string", "Which unit One of: m, ft.", True),
        ("c", "string", "One of: x, y.", True),
        ("d", "array", "One of: 1, 2.", True),
        ("e", "string", "What is left", True),
        ("g", "object", "", False),
        ("h", "string", "", False),
        ("i", "string", "Whether", False),
    ]


async def late(x: str):
    return x


class Later:
    __name__ = "later"

    async def __call__(self, x: str):
        return x


def starred(*words: str): ...
def double_starred(**words: str): ...
def by_place(x: str, /): ...
def opaque(x: threading.Thread): ...
def callback(x: Callable[[int], int]): ...
def fielded(x: int = Field(default=1)): ...
def unresolved(x: "Nowhere"): ...  # noqa: F821
def tooled(name):
    return tool(name=name)(by_name)


def by_name(x: str): ...


@each(
    ("given", "said"),
    [
        ([late], "async"),
        ([Later()], "async"),
        ([starred], r"\*words"),
        ([double_starred], r"\*\*words"),
        ([by_place], "'x.*by name"),
        ([len], "by name"),
        ([type], "can't be"),
        ([opaque], "'x' of tool 'opaque' has no form in JSON"),
        ([callback], "no form in JSON"),
        ([fielded], "Annotated"),
        ([unresolved], "Nowhere"),
        ([lambda x: x], "has no name"),
        ([functools.partial(by_name, x="1")], "has no name"),
        ([tooled("two words")], "can't name a tool"),
        ([tooled("")], "can't name a tool"),
        ([tool(timeout=0)(by_name)], "timeout"),
        ([by_name, by_name], "two tools named 'by_name'"),
        ([tooled("knowledge-query")], "two tools named 'knowledge-query'"),
        (["by_name"], "is not a tool"),
        (by_name, "not a list"),
    ],
)
def test_what_can_not_be_a_tool_is_refused(given, said):
    with pytest.raises(QuestionError, match=said):
        as_tools(given, taken=["knowledge-query"])


def test_tools_of_all_kinds_are_taken_in_order():
    plain = tooled("a").as_tool()
    named = functools.partial(calculator.__wrapped__, digits=0)
    tools = as_tools((plain, tool(name="b")(named), by_name, calculator))
    assert [each.name for each in tools] == ["a", "b", "by_name", "calculator"]
    assert all(isinstance(each, Tool) for each in tools)
    assert drained(tools[1].run(Call({"expression": "7 / 2"}, "urn:n", 5))).text == "4.0"


def test_methods_can_be_tools():
    class Shelf:
        books = ("Moby-Dick",)

        @tool
        def has(self, title: str) -> bool:
            "Say whether a book is there."
            return title in self.books

        def count(self) -> int:
            return len(self.books)

    assert called(Shelf().has, title="Moby-Dick").text == "True"
    assert called(Shelf().count).text == "1"


@each(
    ("arguments", "said"),
    [
        ({}, "argument 'expression' is missing; expected a string"),
        ({"expression": 16}, "argument 'expression' should be a valid string"),
        ({"expression": "1", "digits": "two"},
         "argument 'digits' should be a valid integer, unable to parse string as an integer"),
        ({"expression": "1", "digit": 2}, "there is no argument 'digit'; there are: expression, digits"),
        ({"expression": {"a": "\ud800" * 9}}, "argument 'expression' should be a valid string"),
    ],
)  # fmt: skip
def test_wrong_arguments_never_reach_the_function(arguments, said):
    reached = []

    @tool(name="calculator")
    def f(expression: str, digits: int = 2):
        reached.append(expression)

    result = called(f, **arguments)
    assert (result.error, result.text, reached) == (said, f"Error: {said}", [])


class Point(BaseModel):
    x: int
    y: int = 0


def test_arguments_come_as_the_hints_say():
    @dataclasses.dataclass
    class Box:
        inside: list[int]

    def f(*, day: dt.date, place: Path, point: Point, box: Box, many: tuple[int, ...], sure: bool = False):
        return [type(each).__name__ for each in (day, place, point, box, many, sure)]

    given = {"day": "2026-01-02", "place": "/a", "point": {"x": "1"}, "box": {"inside": [1]}, "many": ["1"]}
    assert json.loads(called(f, **given, sure="yes").text)[2:] == ["Point", "Box", "tuple", "bool"]
    assert called(f, **given | {"point": {"x": "?"}}).error.startswith("argument 'point.x' should be a valid integer")


def test_a_function_can_not_change_what_is_recorded():
    arguments = {"names": ["a", {"b": 1}]}

    def f(names: list[Any]):
        names[1]["b"] = 2
        names.clear()
        return "done"

    assert called(f, **arguments).text == "done"
    assert arguments == {"names": ["a", {"b": 1}]}


class Mute(Exception):  # noqa: N818
    def __str__(self):
        raise SystemExit("no")


def recursing():
    return recursing()


class Silent:
    def __repr__(self):
        raise ValueError("not shown")


def raising(error):
    def f():
        raise error

    return f


@each(
    ("function", "said"),
    [
        (raising(ValueError()), "ValueError"),
        (raising(Mute()), "Mute"),
        (raising(SystemExit(3)), "SystemExit: 3"),
        (raising(SystemExit()), "SystemExit"),
        (raising(KeyboardInterrupt()), "KeyboardInterrupt"),
        (raising(GeneratorExit()), "GeneratorExit"),
        (raising(StopIteration(1)), "StopIteration: 1"),
        (raising(KeyError("x")), "KeyError: 'x'"),
        (raising(ValueError("half \ud800")), "half \ufffd"),
        (raising(ValueError("x" * 9_999)), f"{'x' * 2_000}… [9,999 characters in all; the first 2,000 are kept]"),
        (Silent, "not shown"),
    ],
)
def test_anything_raised_is_a_failed_call(function, said):
    assert called(function).error == said


def test_a_function_that_does_not_come_back_is_given_up_after_the_smaller_of_two_times():
    stop = threading.Event()
    before = sys.stdout

    @tool(timeout=0.1)
    def hang():
        print("one")
        stop.wait(10)
        print("two")
        return "late"

    started = time.perf_counter()
    result = called(hang, 60)
    assert "within 0.05 s" in called(hang, 0.05).error
    assert time.perf_counter() - started < 5
    assert result.error == "'hang' did not come back within 0.1 s; it may still be running, its result is discarded"
    threads = [each for each in threading.enumerate() if each.name == result.leaked]
    assert [thread.daemon for thread in threads] == [True, True]
    stop.set()
    for thread in threads:
        thread.join()
    assert sys.stdout is before
    assert called(hang, float("inf")).text == "late\n\n[printed]\none\ntwo"


def test_what_is_printed_stays_off_the_terminal(capsys):
    before = sys.stdout

    def f(x: str):
        print("found", x)
        sys.stdout.flush()
        sys.stdout.writelines(["a", "b"])
        sys.stdout.buffer.write(b"c\xff")
        sys.stdout.close()
        assert not sys.stdout.isatty()
        return 3

    assert called(f, x="it").text == "3\n\n[printed]\nfound it\nabc\ufffd"
    assert sys.stdout is before
    assert capsys.readouterr().out == ""


def printing_nothing():
    print("  ")


def printing_before_it_fails():
    print("so far")
    raise ValueError("stop")


def printing_without_end():
    for _ in range(2_000):
        print("x" * 999)


@each(
    ("function", "text"),
    [
        (printing_nothing, "(nothing)"),
        (printing_before_it_fails, "Error: stop\n\n[printed]\nso far"),
        (printing_without_end, ("x" * 999 + "\n") * 2 + "… [2,000,000 characters in all; the first 2,000 are kept]"),
    ],
)
def test_what_is_printed_is_the_result_where_nothing_is_returned(function, text):
    assert called(function).text == text


def test_other_threads_print_through(capsys):
    inside, go_on = threading.Event(), threading.Event()

    def f():
        print("mine")
        inside.set()
        go_on.wait(5)

    with ThreadPoolExecutor(1) as pool:
        result = pool.submit(called, f)
        inside.wait(5)
        print("through")
        assert sys.stdout.encoding
        go_on.set()
    assert result.result().text == "mine"
    assert capsys.readouterr().out == "through\n"


def test_tools_side_by_side_and_inside_each_other_keep_their_own_prints():
    before = sys.stdout
    together = threading.Barrier(4)

    def inner(word: str):
        print("inner", word)
        return word

    def outer(word: str):
        together.wait(5)
        for _ in range(50):
            print(word, end="")
        inside = called(inner, word=word)
        print("!", end="")
        return inside.text

    with ThreadPoolExecutor(4) as pool:
        results = [*pool.map(lambda word: called(outer, word=word).text, "abcd")]
    assert results == [f"{word}\n\n[printed]\ninner {word}\n\n[printed]\n{word * 50}!" for word in "abcd"]
    assert sys.stdout is before


def test_prints_of_a_thread_that_was_given_up_are_swallowed(capsys):
    stop, done = threading.Event(), threading.Event()

    def hang():
        stop.wait(5)
        print("late")
        done.set()

    assert called(hang, 0.02).leaked
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):  # someone replaces sys.stdout meanwhile
        assert called(printing_nothing).text == "(nothing)"
        print("shown")
        stop.set()
        done.wait(5)
    print("after")
    assert shown.getvalue() == "shown\n"
    assert capsys.readouterr().out == "after\n"


def test_standard_output_wrapped_while_a_tool_runs_does_not_go_in_circles(monkeypatch):
    stop = threading.Event()

    class Tee:
        def __init__(self, under):
            self.write, self.flush = under.write, under.flush

    def hang():
        stop.wait(5)

    assert called(hang, 0.02).leaked
    monkeypatch.setattr(sys, "stdout", Tee(sys.stdout))
    assert called(hang, 0.02).leaked
    print("fine")
    stop.set()


@each(
    ("value", "text"),
    [
        ("as it is\n", "as it is\n"),
        ("\ud800x", "\ufffdx"),
        (None, "(nothing)"),
        (True, "True"),
        (2, "2"),
        (16.0, "16.0"),
        (np.int64(3), "3"),
        (Fraction(1, 3), "1/3"),
        ([True, np.int64(3), Decimal("1.50"), 1j], '[true,3,"1.50","1j"]'),
        (np.zeros(2), "array([0., 0.])"),
        (float("nan"), "nan"),
        ({"a": [1, None, (2.5,)], 3: "é"}, '{"a":[1,null,[2.5]],"3":"é"}'),
        ({"b", "a"}, '["a","b"]'),
        ([float("inf"), "\udfff"], '[Infinity,"\ufffd"]'),
        (dt.date(2026, 1, 2), "2026-01-02"),
        (Path("a.txt"), "a.txt"),
        (b"ab\xff", "ab\ufffd"),
        (bytearray(b"ab"), "ab"),
        (object, "<class 'object'>"),
        (range(10**12), "range(0, 1000000000000)"),
        (object(), "<object object>"),
        ([object()], '["<object object>"]'),
        (dataclasses.make_dataclass("D", ["x", "y"])(1, {"z": 2}), '{"x":1,"y":{"z":2}}'),
        ({(1, 2): 3}, "{(1, 2): 3}"),
        ([], "[]"),
        ("", ""),
        ([Point(x=1)], '[{"x":1,"y":0}]'),
    ],
)
def test_results_are_written_so_that_a_model_can_read_them(value, text):
    result = returning(value)
    assert (result.text, result.error) == (text, None)


async def coroutine():
    return 1


async def stream():
    yield 1


@each(
    ("made", "said"),
    [
        (lambda: (x for x in "ab"), "a generator, which gives one value after the other; return list"),
        (lambda: map(str, "ab"), "a map, which gives one value after the other; return list"),
        (coroutine, "a coroutine, which is yet to run"),
        (stream, "a async_generator, which is yet to run"),
        (recursing, "recursion"),
        (lambda: input("name? "), ""),  # from a terminal that is not there
        (lambda: {"a": Silent()}, ""),
        (lambda: 10**10_000, ""),
        (lambda: Report(1, ("not an iri",)), "the source 'not an iri', which is not an IRI; give absolute IRIs"),
        (lambda: Report(1, (3,)), "the source 3, which is not an IRI"),
        (lambda: Report(1, [f"urn:x:{n}" for n in range(1_001)]), "more than 1,000 sources"),
        (lambda: Report(1, confidence=1.1), "the confidence 1.1; give a number from 0 to 1"),
        (lambda: Report(1, confidence=float("nan")), "the confidence nan"),
        (lambda: Report(1, confidence="high"), "the confidence 'high'"),
        (lambda: Report(1, confidence=True), "the confidence True"),
    ],
)
def test_what_is_no_result_is_a_failed_call(made, said):
    error = returning(made).error
    assert error
    assert said in error


def cyclic():
    value = [1]
    value.append(value)
    return value


def laughs():
    value = ["ha"]
    for _ in range(50):
        value = [value, value]
    return value


def deep():
    value = []
    for _ in range(100_000):
        value = [value]
    return value


class Endless(dict):
    def items(self):
        return zip(itertools.count(), itertools.count(), strict=True)


@each(
    "made",
    [
        cyclic,
        laughs,
        deep,
        lambda: Endless(a=1),
        lambda: "x" * 10_485_760,
        lambda: ["x" * 10_485_760],
        lambda: list(range(3_000_000)),
        lambda: {"a": {"b": ["yes" * 10] * 1_000_000}},
        lambda: set(range(300_000)),
        lambda: b"\xff" * 10_485_760,
    ],
)
def test_a_result_of_any_size_is_cut_soon(made):
    value = made()
    started = time.process_time()
    result = returning(lambda: value)
    assert time.process_time() - started < 1.5
    assert result.error is None
    assert len(result.text) <= KEPT + 100
    assert "kept]" in result.text
    assert returning("x" * KEPT).text == "x" * KEPT


def test_a_report_says_how_a_tool_came_to_its_result():
    sources = ("urn:chunk:a", NamedNode("urn:chunk:b"), "urn:chunk:a")
    result = returning(lambda: Report([1], sources, transformation="counted", confidence=1))
    assert (result.text, result.consulted) == ("[1]", ("urn:chunk:a", "urn:chunk:b"))
    assert (result.transformation, result.confidence, result.basic) == ("counted", 1.0, False)
    assert called(calculator, expression="1 + 1").basic
    assert returning(Report("x", "urn:chunk:a")).consulted == ("urn:chunk:a",)


SEEN = contextvars.ContextVar("SEEN", default="nothing")


def test_a_tool_sees_the_context_it_is_called_in():
    def f():
        return SEEN.get()

    SEEN.set("this")
    assert called(f).text == "this"
