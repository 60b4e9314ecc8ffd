"""Python functions as tools.

    @tool
    def calculator(expression: Annotated[str, "Arithmetic expression"], digits: int = 2) -> float:
        "Evaluate an arithmetic expression."

A tool gets arguments that were checked against its hints, as copies. It runs in a thread: one that does not come back
in time is given up, but it can't be killed, so it may go on for as long as the interpreter runs; and one that holds
the interpreter's lock (a regular expression gone wrong) keeps all others waiting too.
"""

from __future__ import annotations

import contextvars
import copy
import inspect
import re
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, update_wrapper
from itertools import islice
from types import MethodType
from typing import Any, get_args, overload

from pyoxigraph import NamedNode

from explorer.engines.agent.output import Printed, kept, printing, written
from explorer.engines.agent.tools import EVERY, Call, Tool, ToolResult, failed
from explorer.errors import QuestionError
from explorer.events import Event
from explorer.reasoning.agent_protocol import Argument, ToolSpec

SOURCES = 1_000  # IRIs in one report
LONGEST = 2_000  # characters of an error, a description, or a transformation
_NAME = re.compile(r"[\w.-]{1,64}")
_VALUES = (KeyError, SystemExit, StopIteration)  # their message is a value
_NAMED = 20  # values of an enumeration that a description names
_WRONG = 3  # wrong arguments that a message names


@dataclass(frozen=True, slots=True)
class Report:
    """A result with how the tool came to it: IRIs it read, what it did to them, how sure it is (0 to 1)."""

    result: object
    sources: Sequence[str | NamedNode] = ()
    transformation: str | None = None
    confidence: float | None = None


class FunctionTool:
    """A function that agents can call; calling it runs the function as ever."""

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        description: str | None = None,
        groups: Sequence[str] = ("default",),
        applicable_states: Sequence[str] = (EVERY,),
        state: str | None = None,
        timeout: float | None = None,
    ) -> None:
        self.function = function
        self.name, self.description, self.state, self.timeout = name, description, state, timeout
        self.groups = (groups,) if isinstance(groups, str) else tuple(groups)
        states = applicable_states
        self.applicable_states = (states,) if isinstance(states, str) else tuple(states)
        update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the function
        """Run the function."""
        return self.function(*args, **kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> FunctionTool:
        if instance is None:
            return self
        return FunctionTool(
            MethodType(self.function, instance),
            name=self.name, description=self.description, groups=self.groups,
            applicable_states=self.applicable_states, state=self.state, timeout=self.timeout,
        )  # fmt: skip

    def as_tool(self) -> Tool:
        """Return the tool; raises QuestionError when the function can't be one."""
        name = self._checked_name()
        doc = inspect.getdoc(self.function.func if isinstance(self.function, partial) else self.function)
        given = tuple(_parameters(self.function, name, doc or ""))
        paragraph = " ".join((doc or "").strip().partition("\n\n")[0].split())
        description = self.description if self.description is not None else paragraph
        seconds = threading.TIMEOUT_MAX if self.timeout is None else self.timeout
        if not seconds > 0:
            raise QuestionError(f"Tool {name!r} has the timeout {self.timeout!r}; give it seconds above 0.")
        spec = ToolSpec(name, _short(description or name), tuple(parameter.argument for parameter in given))
        return Tool(
            spec=spec,
            run=partial(_run, self.function, name, given, seconds),
            groups=self.groups,
            applicable_states=self.applicable_states,
            state=self.state,
        )

    def _checked_name(self) -> str:
        name = self.name if self.name is not None else getattr(self.function, "__name__", "<lambda>")
        if name == "<lambda>":
            raise QuestionError(f"{self.function!r} has no name; give it one with tool(name=…)(…).")
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise QuestionError(f"{name!r} can't name a tool; use at most 64 letters, digits, _, - and full stops.")
        return name


@overload
def tool(function: Callable[..., Any], /) -> FunctionTool: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    groups: Sequence[str] = ("default",),
    applicable_states: Sequence[str] = (EVERY,),
    state: str | None = None,
    timeout: float | None = None,
) -> Callable[[Callable[..., Any]], FunctionTool]: ...
def tool(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Turn a function into a tool for agents: `@tool`, or `@tool(name=…, description=…, timeout=…)`.

    Its description is the first paragraph of its docstring. Arguments are described in their hints
    (`Annotated[str, "Which river"]`), or in lines of the docstring such as `river: Which river`.
    """
    return partial(FunctionTool, **options) if function is None else FunctionTool(function, **options)


def as_tools(given: Sequence[Callable[..., Any] | FunctionTool | Tool], taken: Iterable[str] = ()) -> list[Tool]:
    """Return functions as tools; raises QuestionError for one that can't be a tool, and for a name used before."""
    if not isinstance(given, list | tuple):
        raise QuestionError(f"{given!r} is not a list of tools; put functions into one, such as [calculator].")
    made, names = list[Tool](), set(taken)
    for each in given:
        if not isinstance(each, Tool | FunctionTool) and not callable(each):
            raise QuestionError(f"{each!r} is not a tool; pass functions.")
        one = each if isinstance(each, Tool) else (each if isinstance(each, FunctionTool) else tool(each)).as_tool()
        if one.name in names:
            raise QuestionError(f"There are two tools named {one.name!r}; give one another name.")
        names.add(one.name)
        made.append(one)
    return made


@dataclass(frozen=True, slots=True)
class _Parameter:
    """An argument of a function, and what checks it (pydantic's TypeAdapter)."""

    argument: Argument
    adapter: Any


def _parameters(function: Callable[..., Any], name: str, doc: str) -> Iterator[_Parameter]:
    """Read the arguments of a function; raises QuestionError for a type that JSON Schema can't describe."""
    called = getattr(function, "__call__", function)  # noqa: B004 - of an object, whose call may be async
    if any(map(inspect.iscoroutinefunction, (function, called))) or inspect.isasyncgenfunction(function):
        raise QuestionError(f"Tool {name!r} is async; give a function that waits for its result and returns it.")
    try:
        signature = inspect.signature(function, eval_str=True)
    except (TypeError, ValueError, NameError, AttributeError, SyntaxError) as error:
        raise QuestionError(
            f"The arguments of tool {name!r} can't be read ({error}); write a function for it."
        ) from error
    for parameter in signature.parameters.values():
        if parameter.kind not in {parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY}:
            message = f"Argument {str(parameter)!r} of tool {name!r} can't be given by name; name each argument."
            raise QuestionError(message)
        yield _parameter(parameter, name, doc)


def _parameter(parameter: inspect.Parameter, tool_name: str, doc: str) -> _Parameter:
    from pydantic import PydanticUserError, TypeAdapter
    from pydantic.fields import FieldInfo

    where = f"argument {parameter.name!r} of tool {tool_name!r}"
    if isinstance(parameter.default, FieldInfo):
        raise QuestionError(f"The default of {where} is a Field; write Annotated[…, Field(…)] = … instead.")
    hint = str if parameter.annotation is parameter.empty else parameter.annotation
    try:
        adapter = TypeAdapter[Any](hint)
        schema = adapter.json_schema()
    except (PydanticUserError, NameError, TypeError, ValueError, RecursionError) as error:
        message = f"The type of {where} has no form in JSON; use str, int, float, bool, list, dict or a dataclass."
        raise QuestionError(message) from error
    kind, allowed = kind_of(schema)
    # in the docstring: `name: text`, `name (int): text` or `:param name: text`
    named = rf"^[ \t]*(?::param )?{re.escape(parameter.name)}(?: ?\([^()\n]*\))?: *(\S.*)$"
    line = re.search(named, doc, re.MULTILINE)
    described = _described(hint, FieldInfo) or (line[1].strip() if line else "")
    description = _short(" ".join(part for part in (described, allowed) if part))
    return _Parameter(Argument(parameter.name, kind, description, parameter.default is parameter.empty), adapter)


def kind_of(schema: Mapping[str, Any]) -> tuple[str, str]:
    """Return the JSON type of a schema, and in words the values it is limited to."""
    found = _resolved(schema, schema)
    items = _resolved(found.get("items", {}), schema) if isinstance(found.get("items"), dict) else {}
    values = found.get("enum") or ([found["const"]] if "const" in found else []) or items.get("enum") or []
    more = ", …" if len(values) > _NAMED else ""
    allowed = f"One of: {', '.join(map(str, values[:_NAMED]))}{more}." if values else ""
    if found.get("properties"):
        allowed = f"With: {', '.join(list(found['properties'])[:_NAMED])}."
    return str(found.get("type", "string")), allowed


def _resolved(part: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Follow references, and take the first of several forms that is not null."""
    for _ in range(20):  # a type may refer to itself
        forms = [form for form in part.get("anyOf", part.get("oneOf", ())) if form.get("type") != "null"]
        if "$ref" in part:
            part = schema.get("$defs", {}).get(part["$ref"].rpartition("/")[2], {})
        elif forms:
            part = forms[0]
        else:
            return part
    return {}


def _described(hint: object, field: type) -> str:
    """Return the description of an argument: the text in its Annotated, or its Field's description."""
    hints = [part for part in (hint, *get_args(hint)) if hasattr(part, "__metadata__")]  # also of `… | None`
    for said in (said for part in hints for said in get_args(part)[1:]):
        text = said if isinstance(said, str) else said.description if isinstance(said, field) else None  # type: ignore[attr-defined]
        if text:
            return str(text)
    return ""


def _short(text: str) -> str:
    return kept(text, LONGEST)


def _run(
    function: Callable[..., Any], name: str, given: tuple[_Parameter, ...], most: float, call: Call
) -> Generator[Event, None, ToolResult]:
    """Run a function in a thread, and give it up when its time is over."""
    yield from ()  # it has no trace of its own
    seconds = max(0.0, min(most, call.timeout, threading.TIMEOUT_MAX))
    results = list[ToolResult]()
    context = contextvars.copy_context()
    work = partial(_work, function, given, call.arguments, results)
    thread = threading.Thread(target=context.run, args=(work,), name=f"tool {name}", daemon=True)
    try:
        thread.start()
    except RuntimeError as error:  # no more threads
        return failed(f"the tool can't be started: {error}")
    thread.join(seconds)
    if results:
        return results[0]
    message = f"'{name}' did not come back within {seconds:g} s; it may still be running, its result is discarded"
    return failed(message, leaked=thread.name)


def _work(
    function: Callable[..., Any],
    given: Sequence[_Parameter],
    arguments: Mapping[str, Any],
    results: list[ToolResult],
) -> None:
    """Do all of a call in its thread; whatever is raised there is its result."""
    with printing() as printed:
        try:
            values, wrong = _checked(given, copy.deepcopy(dict(arguments)))
            result = failed(wrong) if wrong else _result(function(**values), printed)
        except BaseException as error:  # noqa: BLE001 - SystemExit too, and what only looks like an interrupt
            result = _with_printed(failed(_message(error)), printed)
    results.append(result)


def _checked(given: Sequence[_Parameter], arguments: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]:
    """Return the arguments converted to the function's hints, or what is wrong with them."""
    from pydantic import ValidationError

    names = [parameter.argument.name for parameter in given]
    wrong = [f"there is no argument '{_short(str(name))}'" for name in arguments if name not in names][:1]
    wrong = [f"{wrong[0]}; there are: {', '.join(names) or 'none'}"] if wrong else []
    values = {}
    for parameter in given:
        argument = parameter.argument
        if argument.name in arguments:
            try:
                values[argument.name] = parameter.adapter.validate_python(arguments[argument.name])
            except ValidationError as error:
                wrong.append(_expected(argument.name, error))
        elif argument.required:
            article = "an" if argument.type[0] in "aio" else "a"
            wrong.append(f"argument '{argument.name}' is missing; expected {article} {argument.type}")
    return values, "; ".join(wrong[:_WRONG]) or None


def _expected(name: str, error: Any) -> str:  # noqa: ANN401 - pydantic's ValidationError
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    path = ".".join(str(part) for part in (name, *first["loc"]))
    message = _short(first["msg"])
    if message.startswith("Input should"):
        return f"argument '{_short(path)}' {message.removeprefix('Input ')}"
    return f"argument '{_short(path)}' is wrong: {message}"


def _message(error: BaseException) -> str:
    """Return the message of an error, with its type where that is a mere value, as "KeyError: 'volts'"."""
    kind = type(error).__name__
    try:
        message = _short(str(error).strip())
    except BaseException:  # noqa: BLE001 - of a foreign class, which may raise anything
        return kind
    return f"{kind}: {message}" if message and isinstance(error, _VALUES) else message or kind


def _result(returned: object, printed: Printed) -> ToolResult:
    report = returned if isinstance(returned, Report) else Report(returned)
    value = report.result
    kind = type(value).__name__
    if isinstance(value, Awaitable | AsyncIterator):
        if inspect.iscoroutine(value):
            value.close()
        return failed(f"it returned a {kind}, which is yet to run; return what comes of it instead")
    if isinstance(value, Iterator):
        return failed(f"it returned a {kind}, which gives one value after the other; return list(…) of it instead")
    sources, wrong = _sources(report.sources)
    sure: object = report.confidence
    if sure is not None and (not isinstance(sure, int | float) or isinstance(sure, bool) or not 0 <= sure <= 1):
        wrong = f"its report has the confidence {_short(repr(report.confidence))}; give a number from 0 to 1"
    if wrong:
        return failed(wrong)
    confidence = None if report.confidence is None else float(report.confidence)
    done = None if report.transformation is None else _short(str(report.transformation))
    if value is None and printed.text.strip():
        return ToolResult(text=printed.shown(), consulted=sources, transformation=done, confidence=confidence)
    made = ToolResult(text=written(value), consulted=sources, transformation=done, confidence=confidence)
    return _with_printed(made, printed)


def _sources(given: Sequence[str | NamedNode]) -> tuple[tuple[str, ...], str | None]:
    """Read the IRIs of a report, each once; or say what is wrong with them."""
    named = [given] if isinstance(given, str) else list(islice(given, SOURCES + 1))
    if len(named) > SOURCES:
        return (), f"its report names more than {SOURCES:,} sources; name the ones that matter"
    found = dict[str, None]()
    for source in named:
        try:
            found[source.value if isinstance(source, NamedNode) else NamedNode(source).value] = None
        except (ValueError, TypeError):
            return (), f"its report names the source {_short(repr(source))}, which is not an IRI; give absolute IRIs"
    return tuple(found), None


def _with_printed(result: ToolResult, printed: Printed) -> ToolResult:
    if not printed.text.strip():
        return result
    return replace(result, text=f"{result.text}\n\n[printed]\n{printed.shown()}")
