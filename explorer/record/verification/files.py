"""Verifying what is no workspace of ours to write to: a file of triples, or a collection in a folder, read only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from explorer.errors import RecordError
from explorer.record import importing
from explorer.record.listing import questions
from explorer.record.verification.verify import Verified, verify
from explorer.stores.collection import Collection, open_collection


def verify_file(path: Path, form: str | None = None) -> Verified:
    """Check the runs in a file of triples or a recorded session, in memory; its texts are not looked for.

    Raises RecordError for a file that can't be read, or without a run.
    """
    try:
        parsed = importing.read(path.read_bytes(), path.name, form)
    except OSError as error:
        raise RecordError(f"{path} can't be read ({error.strerror or error}); check the path.") from error
    stores = open_collection(None)
    try:
        stores.graph.add(parsed.quads)
        stores.library.enclose(parsed.enclosed.texts)
        stores.library.add((*parsed.contents, *parsed.enclosed.contents))
        if not (found := questions(stores)):
            raise RecordError(f"{path} holds no run to verify.")
        return verify(stores, found, with_contents=False)
    finally:
        stores.close()


@contextmanager
def reading_only(folder: Path) -> Iterator[Collection]:
    """Open the collection in a folder without writing to it: no run that was cut off is ended, nothing is undone."""
    stores = open_collection(folder, read_only=True)
    try:
        yield stores
    finally:
        stores.close()
