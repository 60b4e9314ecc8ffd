"""Names, tags and notes of runs: one annotation for each run, beside the record and never in it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from pyoxigraph import NamedNode

from explorer import entities as e
from explorer import rdf
from explorer.errors import RecordError
from explorer.record.node_lookup import iris, read
from explorer.stores.collection import Collection
from explorer.text import count, one_line, strip_controls
from explorer.vocab import ANNOTATION, RDF, X, iri, session_of

LONGEST = 200  # characters of a name or tag
MOST_TAGS = 50
LONGEST_NOTE = 100_000


def notes(stores: Collection) -> dict[str, e.Note]:
    """Return what people wrote at runs, by the IRIs of their Questions."""
    nodes = iris(quad.subject for quad in stores.graph.match(None, RDF.type, X.Note, ANNOTATION))
    found = filter(None, (read(stores.graph, node, e.Note, ANNOTATION) for node in nodes))
    return {
        note.run: replace(note, tags=tuple(sorted(note.tags, key=lambda tag: (tag.casefold(), tag))))
        for note in found if note.run
    }  # fmt: skip


def annotate(
    stores: Collection, run: str, moment: str, *, name: str | None, tags: Iterable[str] | None, text: str | None
) -> None:
    """Write name, tags and text at a run in place of those that it had; None leaves one, an empty one takes it away.

    Raises RecordError for what is too long.
    """
    if isinstance(tags, str):
        raise RecordError(f"Tags are a list of texts, such as [{tags!r}].")
    given: dict[str, Any] = {} if name is None else {"title": _short(name, "name") or None}
    given |= {} if tags is None else {"tags": _distinct(tags)}
    given |= {} if text is None else {"text": _note(text) or None}
    with stores.database.noting:  # nobody writes between what is read here and what is written
        before = notes(stores).get(run, e.Note(iri=_iri(run), run=run))
        _write(stores, [replace(before, made_at=moment, original=(), **given)])


def put_tag(stores: Collection, runs: Iterable[str], moment: str, tag: str) -> None:
    """Write a tag at runs beside those that they had; raises RecordError for what is too long or one too many."""
    with stores.database.noting:
        written = notes(stores)
        before = [written.get(run, e.Note(iri=_iri(run), run=run)) for run in runs]
        _write(stores, [replace(one, tags=_distinct((*one.tags, tag)), made_at=moment, original=()) for one in before])


def _write(stores: Collection, written: Iterable[e.Note]) -> None:
    told = [*written]
    quads = [quad for one in told if one.title or one.tags or one.text for quad in rdf.triples(one)]
    stores.graph.replace([(NamedNode(one.iri), ANNOTATION) for one in told], quads)
    stores.graph.flush()


def _iri(run: str) -> str:
    return iri("note", session_of(run) or hashlib.sha256(run.encode()).hexdigest()[:32])


def _short(text: str, noun: str) -> str:
    line = one_line(text)
    if len(line) > LONGEST:
        raise RecordError(
            f"A {noun} has at most {LONGEST} characters, and this one has {len(line):,}; write more as a note."
        )
    return line


def _distinct(tags: Iterable[str]) -> tuple[str, ...]:
    """Return tags, each once, whichever case it is in; those that are empty are none."""
    known = {tag.casefold(): tag for tag in reversed([_short(tag, "tag") for tag in tags]) if tag}
    if len(known) > MOST_TAGS:
        raise RecordError(f"A run has at most {MOST_TAGS} tags, and these are {len(known):,}.")
    return tuple(known.values())


def _note(text: str) -> str:
    kept = strip_controls(text).strip()
    if len(kept) > LONGEST_NOTE:
        raise RecordError(f"A note has at most {count(LONGEST_NOTE, 'character')}, and this one has {len(kept):,}.")
    return kept
