"""The commands by which people correct what a workspace holds: `add-fact` and `retract`."""

from __future__ import annotations

from typing import Annotated

import typer

from explorer.cli.opening import Collection, Place, opened, print_lines
from explorer.errors import RecordError

app = typer.Typer()
By = Annotated[
    str | None, typer.Option("--by", envvar="EXPLORER_USER", help="Who corrects it; by default nobody is named.")
]


@app.command("add-fact")
def add_fact(
    subject: Annotated[str, typer.Argument(help="What it is about: a name or IRI.")],
    predicate: Annotated[str, typer.Argument(help="What is said of it.")],
    object: Annotated[str, typer.Argument(help="The name or IRI of another thing, or a value.")],
    workspace: Place = None,
    collection: Collection = "default",
    document: Annotated[str | None, typer.Option(help="The document that says so: its title, path or IRI.")] = None,
    quote: Annotated[str | None, typer.Option(help="Its words, as they stand in the document.")] = None,
    by: By = None,
) -> None:
    """Add a fact by hand, with the words of a document that it rests on if there are any."""
    if (document is None) != (quote is None):
        raise RecordError("Give both --document and --quote, or neither.")
    with opened(workspace, collection) as ws:
        passage = ws.document(document).passage(quote) if document is not None and quote is not None else None
        added = ws.add_fact(subject, predicate, object, passage, by)
        print_lines([f"{' — '.join(added.words)}: {added.curated}."])


@app.command()
def retract(
    fact: Annotated[
        str, typer.Argument(help="Its words, as `explorer facts` lists them, or the IRI of a selection of a run.")
    ],
    workspace: Place = None,
    collection: Collection = "default",
    by: By = None,
) -> None:
    """Take a fact back: it answers no more, and past runs show that it was retracted."""
    with opened(workspace, collection) as ws:
        gone = ws.retract(fact, by)
        print_lines([f"{' — '.join(gone.words)}: {gone.curated}."])
