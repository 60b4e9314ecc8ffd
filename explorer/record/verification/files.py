"""Verifying what is no workspace of ours to write to: a file of triples, or a collection in a folder, read only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from explorer.errors import RecordError
from explorer.record import importing
from explorer.record.bundles import opening as bundles
from explorer.record.keys import public_key
from explorer.record.listing import questions
from explorer.record.verification.evidence import Finding
from explorer.record.verification.verify import Verified, verify
from explorer.stores.collection import Collection, open_collection


def verify_file(
    path: str | Path, form: str | None = None, *, signed_by: str | Path | None = None, fingerprint: str | None = None
) -> Verified:
    """Check the runs in a file of triples or a recorded session, in memory; its texts are not looked for.

    Of a bundle also its files, texts and seals, and its signature: by the public key `signed_by` (digits, or a .pub
    file), if one is given, and whether it has the `fingerprint` that its sender told. Nothing is stored. Raises
    RecordError for a file that can't be read, or without a run, and WorkspaceError for what is no key.
    """
    path = Path(path)
    by = None if signed_by is None else public_key(signed_by)
    try:
        if bundles.is_bundle(path):
            return _verify_bundle(path, by, fingerprint)
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


def _verify_bundle(path: Path, signed_by: str | None, fingerprint: str | None) -> Verified:
    """Check a bundle, and the runs in it with all that is enclosed."""
    given = bundles.read(path, signed_by, fingerprint)
    parsed = importing.of_bundle(given)
    stores = open_collection(None)
    try:
        stores.graph.add(parsed.quads)
        stores.library.enclose(parsed.enclosed.texts)
        stores.library.add(parsed.enclosed.contents)
        runs = questions(stores)
        importing.keep_sealed(given.sealed, runs, stores)
        found = verify(stores, runs, with_contents=False)
    finally:
        stores.close()
    faults = (
        *(Finding(name, what) for name, what in given.faults),
        *(Finding("record.nq", one) for one in parsed.refused),
    )
    return Verified.of(found.runs, (*faults, *found), said=" ".join(given.said))


@contextmanager
def reading_only(folder: Path) -> Iterator[Collection]:
    """Open the collection in a folder without writing to it: no run that was cut off is ended, nothing is undone."""
    stores = open_collection(folder, read_only=True)
    try:
        yield stores
    finally:
        stores.close()
