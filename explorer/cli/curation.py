"""The commands by which people correct what a workspace holds, and take that back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from explorer.cli.common import opened, print_lines
from explorer.cli.options import At, app
from explorer.errors import RecordError
from explorer.text import count

if TYPE_CHECKING:
    from explorer.documents.found_facts import Fact
    from explorer.record.entity_merging import Belonging
By = Annotated[str | None, Option("--by", envvar="EXPLORER_USER", help="Who corrects it; by default nobody is named.")]
Reason = Annotated[str, Option("--reason", help="Why: on record with the correction.")]


@app.command("add-fact")
def add_fact(
    subject: Annotated[str, Argument(help="What it is about: a name or IRI.")],
    predicate: Annotated[str, Argument(help="What is said of it.")],
    object: Annotated[str, Argument(help="The name or IRI of another thing, or a value.")],
    at: At,
    document: Annotated[str | None, Option(help="The document that says so: its title, path or IRI.")] = None,
    quote: Annotated[str | None, Option(help="Its words, as they stand in the document.")] = None,
    by: By = None,
    reason: Reason = "",
) -> None:
    """Add a fact by hand.

    It rests on the words of a document, if you name them.
    """
    if (document is None) != (quote is None):
        raise RecordError("Give both --document and --quote, or neither.")
    with opened(at) as ws:
        passage = ws.document(document).passage(quote) if document is not None and quote is not None else None
        added = ws.add_fact(subject, predicate, object, passage, by, reason=reason)
        print_lines([f"{' — '.join(added.words)}: {added.curated}."])


@app.command()
def retract(
    fact: Annotated[
        str, Argument(help="Its words, as `explorer facts` lists them, or the IRI of a selection of a run.")
    ],
    at: At,
    by: By = None,
    instead: Annotated[str | None, Option(help="The fact that says it right: its words.")] = None,
    reason: Reason = "",
) -> None:
    """Retract a fact; later answers leave it out.

    Past runs show that it was retracted.
    """
    with opened(at) as ws:
        gone = ws.retract(fact, by, instead, reason=reason)
        print_lines([f"{' — '.join(gone.words)}: {gone.curated}."])


@app.command()
def merge(
    kept: Annotated[str, Argument(help="The entity that stays: its name or IRI; a new name is fine.")],
    other: Annotated[str, Argument(help="The entity that is the same: its name or IRI.")],
    at: At,
    by: By = None,
    reason: Reason = "",
) -> None:
    """Merge two names into one entity.

    What is read later follows.
    """
    with opened(at) as ws:
        one = ws.merge(kept, other, by, reason=reason)
        print_lines([ws.curations[0].sentence, f"“{one.name}” has {count(len(one.facts), 'fact')} now."])


@app.command()
def split(
    entity: Annotated[str, Argument(help="The entity: its name or IRI.")],
    names: Annotated[
        list[str],
        Argument(help="Names of what it is split into; NAME=DOCUMENT gives what that document says to NAME."),
    ],
    at: At,
    by: By = None,
    reason: Reason = "",
) -> None:
    """Split an entity into several.

    Merged names are apart again, or new names get the facts of their passages.
    """
    wanted: dict[str, list[Belonging | Fact]] = {}
    for given in names:
        name, _, document = given.partition("=")
        wanted.setdefault(name, []).extend([document] if document else [])
    with opened(at) as ws:
        made = ws.split(entity, wanted, by, reason=reason)
        said = (f"“{one.name}” has {count(len(one.facts), 'fact')} now." for one in made)
        print_lines([ws.curations[0].sentence, *said])


@app.command()
def curations(at: At) -> None:
    """List corrections made by hand, newest first."""
    with opened(at) as ws:
        print_lines(ws.curations.lines())


@app.command()
def undo(
    at: At,
    correction: Annotated[
        str | None, Argument(help="The IRI of a correction, as `explorer curations` lists them; else the last.")
    ] = None,
    by: By = None,
) -> None:
    """Undo corrections made by hand.

    Both acts stay on record.
    """
    with opened(at) as ws:
        print_lines([ws.undo(correction, by).sentence])
