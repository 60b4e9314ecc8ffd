"""The commands by which people review answers: `judge`, `verdicts`."""

from __future__ import annotations

from typing import Annotated

import typer

from explorer.cli.opening import Collection, Endpoint, Place, holding, opened, print_lines

app = typer.Typer()


@app.command()
def judge(
    target: Annotated[str, typer.Argument(metavar="IRI", help="A run, or a node of one.")],
    verdict: Annotated[str, typer.Argument(help="supported, not-supported or unclear.")],
    workspace: Place = None,
    endpoint: Endpoint = None,
    collection: Collection = "default",
    sentence: Annotated[int | None, typer.Option(min=1, help="Of a run, the sentence of its answer, from 1.")] = None,
    comment: Annotated[str, typer.Option(help="What there is to say to it.")] = "",
    by: Annotated[
        str | None, typer.Option("--by", envvar="EXPLORER_USER", help="Who judges; by default nobody is named.")
    ] = None,
) -> None:
    """Write what you find about a sentence of an answer, or about a node; the run stays as it was recorded."""
    with holding(target, workspace, endpoint, collection) as ws:
        made = ws.traces.judge(target, verdict, sentence=sentence, comment=comment, by=by)
    print_lines([f"{made.verdict}: {made.quote}"])


@app.command()
def verdicts(
    runs: Annotated[list[str] | None, typer.Argument(metavar="[IRI...]", help="The runs; by default all.")] = None,
    workspace: Place = None,
    endpoint: Endpoint = None,
    collection: Collection = "default",
    superseded: Annotated[bool, typer.Option("--superseded", help="Also those that were changed later.")] = False,
    agreement: Annotated[bool, typer.Option("--agreement", help="How far the reviewers agree, instead.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead.")] = False,
) -> None:
    """List what reviewers found, oldest first."""
    from dataclasses import asdict

    from explorer.cli.json import json_text

    with opened(workspace, endpoint, collection) as ws:
        if agreement:
            found = ws.traces.agreement(*(runs or ()))
            told = asdict(found) | {"raw": found.raw, "kappa": found.kappa}
            print_lines([json_text(told)] if as_json else found.lines())
            return
        judged = ws.traces.verdicts(*(runs or ()), superseded=superseded)
        print_lines([json_text([asdict(one) for one in judged])] if as_json else judged.lines())
