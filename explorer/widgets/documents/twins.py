"""Files that have the name of a document which is here."""

from __future__ import annotations

from itertools import chain, count
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from explorer.stores.documents import documents

if TYPE_CHECKING:
    from explorer.stores.documents import DocumentRow
    from explorer.workspace import Workspace


def twin_of(ws: Workspace, name: str) -> DocumentRow | None:
    """Return the document with the name of a file, the last of several, or None.

    Where both are told with folders these are the same, as far as both are told.
    """
    wanted = _parts(name)
    found = (one for one in reversed(documents(ws.stores.database)) if _are_same(_parts(one.source), wanted))
    return next(found, None)


def free_name(ws: Workspace, name: str, replaced: str = "") -> str:
    """Return the name of a file, with a number if another document than the `replaced` one has it: "notes (2).txt"."""
    others = {one.source for one in documents(ws.stores.database) if one.iri != replaced}
    path = PurePosixPath(name)
    numbered = (str(path.with_name(f"{path.stem} ({number}){path.suffix}")) for number in count(2))
    free = (one for one in chain([name], numbered) if not any(_are_same(_parts(one), _parts(each)) for each in others))
    return next(one for one in free if ws.stores.library.at(one) in (None, replaced))


def _parts(name: str) -> tuple[str, ...]:
    return PurePosixPath(name.replace("\\", "/")).parts


def _are_same(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    shared = min(len(one), len(other))
    return shared > 0 and one[-shared:] == other[-shared:]
