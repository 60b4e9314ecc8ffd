"""A workspace moved: from a folder to servers, back, or to another folder."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from explorer.errors import WorkspaceError
from explorer.ingest.progress import shown
from explorer.stores.places import Content, Served, is_served, served, servers
from explorer.text import count

_TIMEOUT = 60.0  # seconds: a batch takes a server longer than a question


@dataclass(frozen=True, slots=True)
class Copied:
    """What was copied, by collection: documents, runs, statements and rows, and one SHA-256 of all of these.

    It was read on both sides, and is the same. Empty where a copy that was cut off had only to be finished.
    """

    source: str
    target: str
    collections: dict[str, Content]

    def lines(self) -> list[str]:
        """Return a line for each collection."""
        return [
            f"Copied {name}: {count(one.documents, 'document')}, {count(one.runs, 'run')}, "
            f"{count(one.statements, 'statement')} and {count(one.rows, 'row')}, read again and the same "
            f"(SHA-256 {one.sha256})."
            for name, one in self.collections.items()
        ] or [f"Finished: {self.target} is whole."]

    def __repr__(self) -> str:
        return f"<{' '.join(self.lines())}>"


def copy(
    source: str | Path,
    target: str | Path,
    *,
    endpoint: str | None = None,
    collection: str | None = None,
    timeout: float = _TIMEOUT,
    progress: bool = True,
) -> Copied:
    """Copy a workspace, all its collections or one, from a folder to servers, back, or to another folder.

    `source` and `target` are folders, or one of them is the address of a database, and `endpoint` then that of its
    SPARQL endpoint (as `open` takes both, by default EXPLORER_ENDPOINT). A server may take `timeout` seconds for a
    batch. `target` is new, empty, or a copy of the same that was cut off, which goes on. It can't be opened before all
    of it was read again and compared; meanwhile nobody can write to `source`, which stays as it is. Raises
    WorkspaceError, also where another process, or this one, has `source` open for writing.
    """
    on_servers = [is_served(str(place)) for place in (source, target)]
    if endpoint and not any(on_servers):
        raise WorkspaceError("An endpoint is for a workspace on servers; name its database too, as postgresql://…")
    if all(on_servers):
        raise WorkspaceError("From servers it goes to a folder; copy it there first, and then to the other servers.")
    given = endpoint or os.environ.get("EXPLORER_ENDPOINT")
    here, there = _place(source, given, timeout), _place(target, given, timeout)
    begun = partial(shown, "Copying", progress=progress, left=True)
    return Copied(str(here), str(there), servers().copied(here, there, collection, begun))


def _place(place: str | Path, endpoint: str | None, timeout: float) -> Path | Served:
    return served(str(place), endpoint, timeout) if is_served(str(place)) else Path(place)
