"""Which document is meant: by its IRI, its path or given id, its title, or a part of these that only one has."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Protocol, runtime_checkable

from explorer.errors import QuestionError, RecordError
from explorer.stores.database import Database, among
from explorer.text import one_line, truncate

_WHOLE = "SELECT iri, source, title, mime FROM documents WHERE state = 'done'"
_NAMED = 5  # documents in a message


@runtime_checkable
class HasIri(Protocol):
    """Any value that stands for a node: a document, an entity, a node of the record."""

    @property
    def iri(self) -> str:
        """The IRI of the node."""


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document as it stands in a list, without its text."""

    iri: str
    source: str
    title: str
    mime: str


def documents(database: Database) -> list[DocumentRow]:
    """Return all documents that are stored whole, in the order they came."""
    return [DocumentRow(*row) for row in database.rows(f"{_WHOLE} ORDER BY number")]


def older_documents(database: Database, iris: Iterable[str] | None = None) -> list[DocumentRow]:
    """Return documents that newer versions have taken the place of, by IRI in this order; by default all."""
    sql, order = "SELECT iri, source, title, mime FROM replaced", "ORDER BY moment, iri"
    if iris is None:
        return [DocumentRow(*row) for row in database.rows(f"{sql} {order}")]
    asked = list(iris)
    found = {row["iri"]: DocumentRow(*row) for row in among(database, sql, "iri", asked, order)}
    return [found[iri] for iri in asked if iri in found]


def find_document(database: Database, named: str) -> DocumentRow:
    """Return the document that an IRI, a path, a title or a part of one means; of several at one path the last one.

    One that a newer version has taken the place of is meant by its IRI alone. What fits exactly comes before what fits
    in part. Raises RecordError for none, and for several, naming them.
    """
    wanted = named.strip()
    folded, called = wanted.casefold(), truncate(one_line(wanted), 60)
    known = _fitting(database, wanted) if wanted else []
    ways: tuple[Callable[[DocumentRow], bool], ...] = (
        lambda one: wanted in (one.iri, one.source),
        lambda one: folded in (one.title.casefold(), PurePath(one.source).name.casefold()),
        lambda one: folded in one.title.casefold() or folded in one.source.casefold(),
    )
    older = older_documents(database, [wanted])
    for fits in ways if wanted else ():
        last = {one.source: one for one in known if fits(one)}
        found = [one for one in (*known, *older) if one.iri == wanted] or list(last.values())
        if len(found) == 1:
            return found[0]
        if found:
            raise RecordError(
                f"“{called}” fits {len(found):,} documents: {_listed(found)}; give the path or IRI of one."
            )
    raise RecordError(
        f"No document is called “{truncate(wanted, 60)}” here; ws.documents or `explorer documents` lists them."
    )


def titles(database: Database, iris: Collection[str]) -> dict[str, str]:
    """Return the titles of those of some IRIs that are documents here."""
    return {one.iri: one.title for one in documents(database) if one.iri in iris} if iris else {}


def named_documents(database: Database, given: Iterable[str | HasIri]) -> tuple[str, ...]:
    """Return the IRIs of documents, given as values, IRIs, paths or titles; raises QuestionError for what is none."""
    if isinstance(given, str | HasIri) or not isinstance(given, Iterable):
        raise QuestionError(f"documents must be a list of documents, titles or IRIs, not {one_line(repr(given))}.")
    try:
        found = [find_document(database, one.iri if isinstance(one, HasIri) else str(one)).iri for one in given]
    except RecordError as error:
        raise QuestionError(str(error)) from error
    return tuple(sorted(set(found)))


def _fitting(database: Database, wanted: str) -> list[DocumentRow]:
    rows = database.rows(
        f"{_WHOLE} AND (iri = ? OR instr(folded(title), folded(?)) > 0 OR instr(folded(source), folded(?)) > 0) "
        "ORDER BY number",
        (wanted, wanted, wanted),
    )
    return [DocumentRow(*row) for row in rows]


def _listed(found: Iterable[DocumentRow]) -> str:
    told = [f"{truncate(one_line(one.title), 40)} ({one_line(one.source)})" for one in found]
    more = f" and {len(told) - _NAMED:,} more" if told[_NAMED:] else ""
    return ", ".join(told[:_NAMED]) + more
