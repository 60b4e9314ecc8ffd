"""The command that asks the record in SPARQL: `query`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from explorer.cli.common import fail, opened, print_lines
from explorer.cli.options import At, app

if TYPE_CHECKING:
    from explorer.record.query import QueryTable


@app.command()
def query(
    at: At,
    sparql: Annotated[
        str | None,
        Argument(help="A query that reads, the name of one (--list), of a file with one, or - for stdin."),
    ] = None,
    list_: Annotated[bool, Option("--list", help="List the queries that have a name, and the tables.")] = False,
    table: Annotated[str | None, Option(help="Print a table of the record instead: one that --list names.")] = None,
    document: Annotated[
        str | None, Option(help="The document that the query is about: its title, path or IRI, or a part.")
    ] = None,
    rows: Annotated[int, Option(min=1, help="At most this many rows.")] = 10_000,
    seconds: Annotated[float, Option(min=0.1, help="At most this many seconds.")] = 30.0,
    as_json: Annotated[bool, Option("--json", help="Print the rows as JSON instead.")] = False,
    as_csv: Annotated[bool, Option("--csv", help="Print the rows as CSV instead.")] = False,
) -> None:
    """Query facts, sources and runs in SPARQL, or by name.

    The prefixes tg, prov, dc, oa, rdf, rdfs, skos, xsd, e and x are known.
    """
    if as_json and as_csv:
        fail("Choose one of --json and --csv.")
    from explorer.evaluation.named_queries import QUERIES, TABLES, known

    if list_:
        print_lines([*known().lines(), "", f"Tables (--table): {', '.join(TABLES)}"])
        return
    if (sparql is None) == (table is None):
        fail("Give a query or its name, or a table with --table; --list names those there are.")
    with opened(at) as ws:
        found: QueryTable | bool
        if table is not None:
            found = ws.frame(table)
        elif sparql in QUERIES or document is not None:
            found = ws.named_query(sparql or "", document=document, rows=rows, seconds=seconds)
        else:
            found = ws.query(_text(sparql or ""), rows=rows, seconds=seconds)
    if isinstance(found, bool):
        print_lines(["true" if found else "false"] if as_json else ["yes" if found else "no"])
    else:
        _print(found, as_json=as_json, as_csv=as_csv)


def _print(found: QueryTable, *, as_json: bool, as_csv: bool) -> None:
    from explorer.cli.json import json_text

    if as_json:
        print_lines([json_text([dict(row) for row in found])])
    elif as_csv:
        typer.echo(found.to_csv(), nl=False)
    else:
        print_lines(found.lines())
    if found.more and (as_json or as_csv):
        print_lines([found.more], to_stderr=True)


def _text(sparql: str) -> str:
    if sparql == "-":
        return sys.stdin.read()
    try:
        if not sparql.rstrip().endswith("}") and Path(sparql).is_file():
            return Path(sparql).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:  # too long for a name, another user's, no text
        fail(f"The query can't be read from {sparql[:200]} ({error}).")
    return sparql
