"""The setting of a run: the stores, embedder, clock and session that every engine works with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from explorer.events import Pauses
from explorer.models.embedding import Embedder
from explorer.stores.collection import Collection
from explorer.stores.database import ReadingIn
from explorer.stores.document_names import documents
from explorer.stores.left_out import NOTHING, LeftOut, Part, without
from explorer.text import count, truncate

_NAMED = 3  # documents that a search is limited to, by their titles


@dataclass(frozen=True, slots=True)
class Setting:
    """What one run works with; engines read the stores and never write them.

    `parent` is the node of another run that this one is part of: its Question derives from it.
    Without `record_prompts` only the hashes of prompts and replies are recorded. Of a what-if `left_out` is what the
    stores no longer have, and `varies` the Question of the run that it varies. No step counts the run's `pauses`.
    `being_read` says who was reading documents in when it was asked. With `check` a model reads the sentences of its
    answer beside what they cite.
    """

    stores: Collection
    embedder: Embedder
    session: str
    clock: Callable[[], datetime]
    record_prompts: bool = True
    parent: str | None = None
    left_out: LeftOut = NOTHING
    varies: str | None = None
    pauses: Pauses | None = None
    being_read: Sequence[ReadingIn] = ()
    check: bool = True

    @property
    def scope(self) -> str | None:
        """What the search is limited to, in words; None where that is nothing."""
        within = {*self.left_out.within}
        if not within:
            return None
        stored = documents(self.stores.database)
        named = [f"“{truncate(one.title, 80)}”" for one in stored if one.iri in within]
        more = f" and {len(named) - _NAMED:,} more" if len(named) > _NAMED else ""
        return f"in {', '.join(named[:_NAMED])}{more} ({len(within):,} of {count(len(stored), 'document')})"

    @property
    def nothing_left(self) -> bool:
        """Whether a what-if leaves nothing to answer from."""
        return isinstance(self.stores, Part) and self.stores.nothing_left

    def without(self, left_out: LeftOut, varies: str | None = None) -> Setting:
        """Return the setting of a what-if."""
        stores = without(self.stores, left_out, self.embedder.embed) if left_out else self.stores
        return replace(self, stores=stores, left_out=left_out, varies=varies)
