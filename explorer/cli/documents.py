"""The commands about what a workspace holds: `attach`, `documents`, `facts`, `entities`, `search`, `hierarchy`,
`impact`, `forget` and `watch`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from explorer.cli.common import opened, print_lines, refuse, runnable
from explorer.cli.options import AsJson, At, Document, Vectors, app
from explorer.display import Table
from explorer.text import one_line

if TYPE_CHECKING:
    from explorer.documents.document import Branch
    from explorer.documents.found_facts import Fact

Limit = Annotated[int, Option(min=1, help="At most this many.")]


@app.command()
def attach(
    url: Annotated[str, Argument(help="The address of a SPARQL endpoint that others fill.")],
    at: At,
    named_graph: Annotated[
        str | None, Option(help="The graph that is read, by its IRI; by default the default graph.")
    ] = None,
    pattern: Annotated[
        str | None, Option(help="What is taken of it: a graph pattern of SPARQL over ?s, ?p and ?o.")
    ] = None,
    label: Annotated[
        list[str] | None, Option(help="A predicate (IRI) by which things are named; can be repeated.")
    ] = None,
    language: Annotated[
        list[str] | None, Option(help="A language of texts, such as en, the best first; can be repeated.")
    ] = None,
    max_statements: Annotated[
        int | None, Option(min=1, help="A store with more is refused (1,000,000).", show_default=False)
    ] = None,
    timeout: Annotated[float, Option(help="Seconds that a request may take.")] = 60,
    embedder: Vectors = None,
) -> None:
    """Read a triple store as a document.

    The same command, or `reindex`, reads it again. Nothing is written there. User and password, or a token, are in
    EXPLORER_ATTACHED_USER and EXPLORER_ATTACHED_PASSWORD, or EXPLORER_ATTACHED_TOKEN; only the host in
    EXPLORER_ATTACHED_HOST gets them.
    """
    with opened(at, make=True, embedder=embedder) as ws:
        done = ws.attach(
            url, named_graph=named_graph, pattern=pattern, labels=label, languages=language,
            max_statements=max_statements, timeout=timeout,
        )  # fmt: skip
    print_lines(map(runnable, [done.sentence, *done.notes]))
    refuse(refused.reason for refused in done.refused)


@app.command()
def documents(
    at: At,
    as_json: AsJson = False,
    former: Annotated[
        bool, Option("--former", help="List those that answer no more: replaced by a newer version, or removed.")
    ] = False,
) -> None:
    """List the documents."""
    from explorer.documents.document import former_documents

    if former:
        with opened(at) as ws:
            _print_table(former_documents(ws.traces), asdict if as_json else None)
        return

    def told(one: Any) -> dict[str, Any]:  # noqa: ANN401 - a Document, whose class is slow to import
        return {
            "iri": one.iri, "title": one.title, "kind": one.kind, "pages": one.page_count, "chunks": len(one.chunks),
            "facts": one.fact_count, "added": one.added_at, "read": one.read_at, "source": one.source,
        }  # fmt: skip

    with opened(at) as ws:
        _print_table(ws.documents, told if as_json else None)
        print_lines(map(str, ws.being_read), to_stderr=True)


@app.command()
def facts(
    at: At,
    text: Annotated[str | None, Argument(help="Words that stand in the fact or in its sentence.")] = None,
    entity: Annotated[str | None, Option(help="Only facts about this entity: its name or IRI.")] = None,
    document: Annotated[
        str | None, Option(help="Only facts of this document: its title, path or IRI, or a part of one.")
    ] = None,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List facts, each with its first source."""
    with opened(at) as ws:
        _print_table(ws.facts(text, entity, document, limit), _fact if as_json else None)


@app.command()
def entities(
    at: At,
    text: Annotated[str | None, Argument(help="Words that stand in the name.")] = None,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List entities, those with most links first."""

    def told(one: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
        return {"iri": one.iri, "name": one.name, "facts": len(one.facts), "passages": one.passages}

    with opened(at) as ws:
        _print_table(ws.entities(text, limit), told if as_json else None)


@app.command()
def search(
    text: Annotated[str, Argument(help="What to look for.")], at: At, limit: Limit = 10, as_json: AsJson = False
) -> None:
    """Find passages by meaning and by words."""
    from explorer.cli.json import json_text, passage_json

    with opened(at) as ws:
        found = ws.search(text, limit)
    if as_json:
        print_lines([json_text([passage_json(one) for one in found])])
        return
    for number, one in enumerate(found, 1):
        print_lines([f"[{number}] {one_line(one.reference)}: “{one_line(one.text)}”"])
    print_lines([] if found else [found.nothing])


@app.command()
def hierarchy(
    document: Document,
    at: At,
    as_json: AsJson = False,
) -> None:
    """Print a document as a tree: pages, passages, facts."""
    from explorer.cli.json import json_text

    with opened(at) as ws:
        tree = ws.document(document).hierarchy
    print_lines([json_text(_branch(tree))] if as_json else tree.lines())


@app.command()
def impact(document: Document, at: At) -> None:
    """Show what would change without a document."""
    with opened(at) as ws:
        print_lines(ws.impact(document).lines())


@app.command()
def forget(
    document: Document,
    at: At,
    words: Annotated[bool, Option("--words", help="Remove also the texts of runs that quote it.")] = False,
    yes: Annotated[bool, Option("--yes", help="Forget without asking.")] = False,
) -> None:
    """Remove a document with its versions and facts.

    Facts with another source stay.
    """
    with opened(at) as ws:
        told = ws.impact(document)
        if yes or typer.confirm(f"{one_line(told.sentence)} Forget it? Its facts by hand can't be brought back."):
            print_lines([ws.forget(told.iri, words=words).sentence])


@app.command()
def watch(
    folder: Annotated[Path, Argument(help="The folder.", exists=True, file_okay=False)],
    at: At,
    forget: Annotated[bool, Option("--forget", help="Forget a document when its file is gone.")] = False,
    every: Annotated[float, Option(min=0.05, help="Seconds between two looks.")] = 1.0,
) -> None:
    """Keep a workspace like a folder, until Ctrl-C.

    New and changed files are read.
    """
    from time import sleep

    from explorer.cli.watching import Watch

    with opened(at, make=True) as ws:
        watched = Watch(ws, folder, forget)
        print_lines([f"Watching {folder}; Ctrl-C ends it."])
        try:
            while True:
                for line in watched.look():
                    print_lines([line])
                sleep(every)
        except KeyboardInterrupt:
            print_lines(["Stopped."])


def _print_table(found: Table[Any], told: Callable[[Any], dict[str, Any]] | None) -> None:
    from explorer.cli.json import json_text

    print_lines([json_text([told(one) for one in found])] if told else found.lines())


def _fact(one: Fact) -> dict[str, Any]:
    from explorer.cli.json import passage_json

    terms = one.triple.subject, one.triple.predicate, one.triple.object
    return {
        **{name: getattr(term, "value", str(term)) for name, term in zip("spo", terms, strict=True)},
        "labels": list(one.words),
        "iri": one.iri,
        "passages": [passage_json(passage) for passage in one.passages],
    }


def _branch(tree: Branch) -> dict[str, Any]:
    children: Iterable[Branch] = tree.children
    return {"kind": tree.kind, "label": tree.label, "iri": tree.iri, "children": [_branch(one) for one in children]}
