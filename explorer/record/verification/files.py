"""Verifying what is no workspace of ours to write to: a file of triples, or a collection in a folder, read only."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from explorer.errors import RecordError
from explorer.record import importing
from explorer.record.bundles import checking as bundles
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
        bundle = bundles.read(path, by, fingerprint) if bundles.is_bundle(path) else None
        parsed = importing.of_bundle(bundle) if bundle else importing.read(path.read_bytes(), path.name, form)
    except OSError as error:
        raise RecordError(f"{path} can't be read ({error.strerror or error}); check the path.") from error
    with closing(open_collection(None)) as stores:
        stores.graph.add(parsed.quads)
        stores.library.enclose(parsed.enclosed.texts)
        stores.library.add((*parsed.contents, *parsed.enclosed.contents))
        runs = questions(stores)
        if bundle is None and not runs:
            raise RecordError(f"{path} holds no run to verify.")
        if bundle is not None:
            importing.keep_sealed(bundle.sealed, runs, stores)
        found = verify(stores, runs, with_contents=False)
    if bundle is None:
        return found
    faults = [Finding(name, what) for name, what in bundle.faults]
    faults += [Finding("record.nq", one) for one in parsed.refused]
    return Verified.of(found.runs, (*faults, *found), said=" ".join(bundle.said))


def reading_only(folder: Path) -> closing[Collection]:
    """Open the collection in a folder without writing to it: no run that was cut off is ended, nothing is undone."""
    return closing(open_collection(folder, read_only=True))
