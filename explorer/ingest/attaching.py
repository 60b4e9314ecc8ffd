"""Attached stores: what a SPARQL store holds as a document of the collection, and how that is read again."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path

from explorer.errors import WorkspaceError
from explorer.ingest.attached_pages import Partial, Snapshot, read_store
from explorer.ingest.attached_queries import StoreQueries, address_of
from explorer.ingest.batch import IngestOptions, ingest
from explorer.ingest.ingested import RefusedFile
from explorer.ingest.limits import UNLIMITED
from explorer.ingest.pipeline import Pipeline
from explorer.ingest.progress import Progress, Tell, shown
from explorer.ingest.readers.files import Source
from explorer.stores.attached import Attachment, attached_stores, put_attached
from explorer.stores.sparql_client import Server
from explorer.text import count, one_line
from explorer.vocab import timestamp


@dataclass(frozen=True, slots=True)
class Attached:
    """A store as it was read: by its address, its document here and that one's title, and how many facts it has.

    `is_changed`: whether it held anything else than when it was read before, if it was. `notes` say what
    became of all that it holds.
    """

    address: str
    iri: str
    title: str
    facts: int
    is_changed: bool
    refused: tuple[RefusedFile, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What was read, in one sentence."""
        return f"{one_line(self.title)}: {self.changes}."

    @property
    def changes(self) -> str:
        """How many facts it has, and whether nothing changed."""
        what = count(self.facts, "fact")
        return what if self.is_changed else f"{what}, nothing changed"

    def __repr__(self) -> str:
        return f"<Attached {self.sentence}>"


def attach(
    pipeline: Pipeline, given: Attachment, url: str, folder: Path | None, *, timeout: float, progress: bool | Tell
) -> Attached:
    """Read a store at an address, which may have a password, and keep what it holds as its document.

    What came before it was cut off is in `folder`, if one is given. Raises WorkspaceError and DocumentError.
    """
    library = pipeline.library
    before = library.at(given.place)
    room = (
        nullcontext(folder) if folder else tempfile.TemporaryDirectory(prefix="explorer-", ignore_cleanup_errors=True)
    )
    with room as place, closing(Server(address_of(url), timeout)) as server:
        partial = Partial(Path(place), given)
        with shown("Reading", 1, progress=progress is True) as bar:

            def tell(step: Progress) -> None:
                if callable(progress):
                    progress(step)
                bar(0, f"{step.file}: {step.done:,} of {step.total:,} statements")

            snapshot = read_store(StoreQueries(given, server), partial, tell)
        source = Source(snapshot.path, given.address, (given.place,), shown=given.title)
        done = ingest(pipeline, [source], IngestOptions(extractors=(), limits=UNLIMITED, progress=progress))
        known = (one.no_facts for one in attached_stores(library.database) if one.attachment.place == given.place)
        no_facts: Mapping[str, int] = next(known, {})
        if done.no_facts is not None:  # else nothing has changed
            no_facts = asdict(done.no_facts)
        put_attached(library.database, given, timestamp(pipeline.clock()), snapshot.statements, no_facts)
        partial.clear()
    iri = library.at(given.place)
    if iri is None or (document := library.document(iri)) is None:
        raise WorkspaceError(f"{given.address} was read, and is forgotten again; attach it anew.")
    refused = (*(RefusedFile(given.address, one) for one in snapshot.refused), *done.refused)
    facts = library.fact_counts().get(iri, 0)
    notes = (*_report(snapshot, given, facts, no_facts), *done.notes)
    return Attached(given.address, iri, document.title, facts, iri != before, refused, notes)


def _report(snapshot: Snapshot, given: Attachment, facts: int, no_facts: Mapping[str, int]) -> Iterator[str]:
    """Yield what became of the statements of a store, each of which is in one line."""
    made = snapshot.statements - sum(no_facts.values())
    made_facts = "made a fact each" if made == facts else f"made {count(facts, 'fact')}"
    lines = (
        (made, made_facts if no_facts else f"made {count(facts, 'fact')}, or name things"),
        (no_facts.get("names", 0), "name things, by which these are called"),
        (no_facts.get("texts", 0), "stand in the text alone"),
        (no_facts.get("lists", 0), "hold lists together, whose members made a fact each"),
        (no_facts.get("beside", 0), "say where facts come from, or are of a record, and made no fact"),
        (
            snapshot.other_languages,
            f"are texts left out: the same is kept in {' or '.join(given.languages)}, or else in one other language",
        ),
        (snapshot.blank, "have blank nodes and were left out: too many to be read at once"),
        (snapshot.no_rdf, "are no RDF and were left out"),
        (snapshot.again, "are the same as others"),
    )
    yield f"Of {count(snapshot.read, 'statement')}:"
    yield from (f"{number:>12,} {words}" for number, words in lines if number)
