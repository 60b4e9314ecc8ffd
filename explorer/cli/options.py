"""Options that several commands have: where, with which model, and who finds facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from typer import Option

AsJson = Annotated[bool, Option("--json", help="Print JSON instead.")]
Document = Annotated[str, typer.Argument(help="Its title, path or IRI, or a part of one.")]
Endpoint = Annotated[
    str | None,
    Option(
        "--endpoint",
        envvar="EXPLORER_ENDPOINT",
        help="SPARQL endpoint that has the graph of a workspace on servers; after spaces for updates and graph store.",
    ),
]
Runs = Annotated[list[str], typer.Argument(metavar="IRI...", help="The runs.")]
Vectors = Annotated[
    str | None,
    Option("--embedder", help="Embedding model: wordllama (the default), minilm (an extra) or a model at the address."),
]


@dataclass(frozen=True, slots=True)
class At:
    """The workspace that a command is about; without a name it is the demo."""

    workspace: Annotated[
        str | None,
        Option(
            "-w",
            "--workspace",
            envvar="EXPLORER_WORKSPACE",
            help="Workspace folder, or postgresql://user@host/database; by default the demo.",
        ),
    ] = None
    endpoint: Endpoint = None
    collection: Annotated[str, Option("-C", "--collection", help="Collection within the workspace.")] = "default"


@dataclass(frozen=True, slots=True)
class Service:
    """Where models are, for how long they may be asked, and how much."""

    base_url: Annotated[
        str | None, Option(envvar="OPENAI_BASE_URL", help="Address of the model; the key is in OPENAI_API_KEY.")
    ] = None
    timeout: Annotated[
        float | None, Option(envvar="EXPLORER_MODEL_TIMEOUT", help="Seconds for which the model may be silent (300).")
    ] = None
    run_timeout: Annotated[
        float | None, Option(envvar="EXPLORER_MODEL_RUN_TIMEOUT", help="Seconds for all calls of a run to it (3,600).")
    ] = None
    context: Annotated[
        int | None,
        Option(envvar="EXPLORER_MODEL_CONTEXT", help="Tokens that a prompt with its reply may have (8,192)."),
    ] = None


@dataclass(frozen=True, slots=True)
class Finding:
    """Who finds the facts of documents, and how: arguments of `Workspace.ingest`."""

    extractors: Annotated[
        str, Option(help="Who finds facts: rules, model, or both with a comma between them; or none.")
    ] = "rules"
    model: Annotated[str | None, Option(envvar="EXPLORER_MODEL", help="The chat model, for the extractor “model”.")] = (
        None
    )
    ontology: Annotated[Path | None, Option(help="OWL or RDFS: the model looks for what it has terms for, alone.")] = (
        None
    )
    parallel: Annotated[int, Option(help="Requests to the model at a time.")] = 4
    max_tokens: Annotated[
        int | None, Option(help="Tokens that the model may use in this call; the same call goes on.")
    ] = None
    password: Annotated[
        str | None,
        Option(
            envvar="EXPLORER_PASSWORD",
            help="Opens files that are encrypted; in the variable it stays out of the history of the shell.",
        ),
    ] = None


GROUPS = {
    "Ask and look": "ask search query",
    "Documents": "ingest attach watch documents hierarchy impact forget reindex reextract",
    "Facts": "facts entities add-fact retract merge split curations undo",
    "Runs": "traces show compare influence evaluate gaps annotate delete purge export import report",
    "Trust": "verify bundle judge verdicts ledger keys",
    "Workspaces": "demo copy backup restore servers mcp",
}
"""The commands in the order of `explorer --help`."""
_GROUP = {name: group for group, names in GROUPS.items() for name in names.split()}


class _AsGiven:
    """Takes texts and defaults as they are; the rest as typer does, by pydantic, which takes long to load."""

    def coerce(self, value: object, param: Any, ctx: typer.Context) -> object:  # noqa: ANN401 - typer's own
        """Return the value of an option or argument."""
        if not value and (param.multiple or param.nargs == -1):
            return ()
        if value is None or type(value) is param.type_descriptor.annotation:
            return value
        param._runtime_param = None  # noqa: SLF001 - as it was
        return param.get_runtime_param().coerce(value, param=param, ctx=ctx)


class _Light:
    """A command, or all of them, whose options and arguments are taken as they are given where that will do."""

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401 - typer's own
        """Return the options and arguments; releases of typer without this attribute pass it by."""
        every: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for one in every:
            if getattr(one, "_runtime_param", None) is None:
                one._runtime_param = _AsGiven()  # noqa: SLF001 - what typer would make of pydantic
        return every


class _Command(_Light, typer.core.TyperCommand):
    """One command."""


class _Made(Mapping[str, typer.core.TyperCommand]):
    """All commands by their names, each made when it is asked for: to make all takes longer than to list runs."""

    def __init__(self, functions: Mapping[str, Callable[..., None]]) -> None:
        self._functions, self._made = functions, dict[str, typer.core.TyperCommand]()

    def __getitem__(self, name: str) -> typer.core.TyperCommand:
        if name not in self._made:
            alone = typer.Typer(add_completion=False)
            alone.command(name, cls=_Command, rich_help_panel=_GROUP[name])(_with_options(self._functions[name]))
            self._made[name] = cast("typer.core.TyperCommand", typer.main.get_command(alone))
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._functions

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)


class InGroups(_Light, typer.core.TyperGroup):
    """All commands, listed in their groups."""

    def __init__(self, **given: Any) -> None:  # noqa: ANN401 - what typer gives
        super().__init__(**given)
        self.commands = _MADE  # type: ignore[assignment]

    def list_commands(self, _context: typer.Context) -> list[str]:  # type: ignore[override]
        """Return the names in the order of the groups."""
        return list(_GROUP)


class Commands(typer.Typer):
    """Commands whose arguments may be dataclasses, such as `At`: each of their fields is an option."""

    def command(self, name: str | None = None) -> Callable[[Callable[..., None]], Callable[..., None]]:  # type: ignore[override]
        """Return what makes a function a command, by default of its own name."""

        def registered(function: Callable[..., None]) -> Callable[..., None]:
            _FUNCTIONS[name or function.__name__] = function
            return function

        return registered


_FUNCTIONS = dict[str, Callable[..., None]]()
_MADE = _Made(_FUNCTIONS)
app = Commands(
    name="explorer",
    cls=InGroups,
    help="Ask your documents, and see how each answer came about.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _with_options(function: Callable[..., None]) -> Callable[..., None]:
    """Return a function that takes each field of its dataclasses by itself."""
    groups, flat = dict[str, type[Any]](), list[Parameter]()
    for one in signature(function, eval_str=True).parameters.values():
        if is_dataclass(one.annotation) and isinstance(one.annotation, type):
            groups[one.name] = one.annotation
            flat += signature(one.annotation, eval_str=True).parameters.values()
        else:
            flat.append(one)

    @wraps(function)
    def run(**given: object) -> None:
        for name, group in groups.items():
            given[name] = group(**{one.name: given.pop(one.name) for one in fields(group)})
        function(**given)

    run.__signature__ = Signature([one.replace(kind=Parameter.KEYWORD_ONLY) for one in flat])  # type: ignore[attr-defined]
    return run
