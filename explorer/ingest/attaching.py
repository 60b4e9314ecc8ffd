"""Attached stores: what a SPARQL store holds as a document of the collection, and how that is read again."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.errors import WorkspaceError
from explorer.ingest.batch import RefusedFile, ingest
from explorer.ingest.limits import UNLIMITED
from explorer.ingest.progress import Progress, Tell, shown
from explorer.ingest.readers.files import Source
from explorer.ingest.store_pages import Partial, read_store
from explorer.stores.attached import Attachment, put_attached
from explorer.text import count, one_line
from explorer.vocab import timestamp

if TYPE_CHECKING:
    from explorer.ingest.pipeline import Pipeline

REQUEST = 60.0
"""Seconds that a request to a store that is read may take."""


@dataclass(frozen=True, slots=True)
class Attached:
    """A store as it was read: by its address, its document here and that one's title, and how many facts it has.

    `is_changed`: whether it held anything else than when it was read before, if it was. `notes` say what was left out.
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
        what = f"{one_line(self.title)}: {count(self.facts, 'fact')}"
        return f"{what}." if self.is_changed else f"{what}, nothing changed."

    def __repr__(self) -> str:
        """Return it on one line."""
        return f"<Attached {self.sentence}>"


def attach(
    pipeline: Pipeline, given: Attachment, url: str, folder: Path | None, *, timeout: float, progress: bool | Tell
) -> Attached:
    """Read a store at an address, which may have a password, and keep what it holds as its document.

    What came before it was cut off is in `folder`, if one is given. Raises WorkspaceError and DocumentError.
    """
    from explorer.stores.endpoint.foreign import ForeignStore, address_of

    library = pipeline.library
    before = library.at(given.place)
    with _room(folder) as room, ForeignStore(given, timeout, address_of(url)) as store:
        partial = Partial(room, given)
        with shown("Reading", 1, progress=progress is True) as bar:

            def tell(step: Progress) -> None:
                if callable(progress):
                    progress(step)
                bar(0, f"{step.file}: {step.done:,} of {step.total:,} statements")

            snapshot = read_store(store, partial, tell)
        source = Source(snapshot.path, given.address, (given.place,))
        done = ingest(pipeline, [source], extractors=(), limits=UNLIMITED, progress=progress)
        put_attached(library.database, given, timestamp(pipeline.clock()), snapshot.statements)
        partial.clear()
    iri = library.at(given.place)
    if iri is None or (document := library.document(iri)) is None:
        raise WorkspaceError(f"{given.address} was read, and is forgotten again; attach it anew.")
    refused = (*(RefusedFile(given.address, one) for one in snapshot.refused), *done.refused)
    return Attached(
        given.address, iri, document.title, library.fact_counts().get(iri, 0), iri != before,
        refused, (*(f"{given.title}: {note}." for note in snapshot.notes), *done.notes),
    )  # fmt: skip


@contextmanager
def _room(folder: Path | None) -> Iterator[Path]:
    """Give a folder for what comes; one for this time alone where there is none."""
    if folder is not None:
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="explorer-", ignore_cleanup_errors=True) as place:
        yield Path(place)
