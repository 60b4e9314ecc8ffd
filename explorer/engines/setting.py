"""The setting of a run: the stores, embedder, clock and session that every engine works with."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from explorer.models.embedding import Embedder
from explorer.stores.collection import Collection
from explorer.stores.database import ReadingIn
from explorer.stores.left_out import NOTHING, LeftOut, Part, without

LONGEST_TAKEN = 2.0  # seconds in which a reader takes in a step, on a busy machine too: a person who waits takes longer


@dataclass(slots=True)
class Pauses:
    """The times in which whoever reads a run did not ask for its next step, as a class that is being taught does not.

    What takes no longer than `LONGEST_TAKEN` is part of the run; `tick` gives seconds that only go on.
    """

    clock: Callable[[], datetime]
    tick: Callable[[], float] = time.monotonic
    _held: list[tuple[datetime, timedelta]] = field(default_factory=list, init=False)  # when each ended, how long

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Note a pause while a step is handed over."""
        begun = self.tick()
        try:
            yield
        finally:
            if (held := self.tick() - begun) > LONGEST_TAKEN:
                self._held.append((self.clock(), timedelta(seconds=held)))

    def since(self, moment: datetime) -> timedelta:
        """Return how long the run has waited since a moment."""
        return sum((held for ended, held in self._held if ended > moment), timedelta())

    @property
    def milliseconds(self) -> int | None:
        """How long it has waited in all; None where it never did."""
        return round(sum((held for _, held in self._held), timedelta()) / timedelta(milliseconds=1)) or None


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
    def nothing_left(self) -> bool:
        """Whether a what-if leaves nothing to answer from."""
        return isinstance(self.stores, Part) and self.stores.nothing_left

    def without(self, left_out: LeftOut, varies: str | None = None) -> Setting:
        """Return the setting of a what-if."""
        stores = without(self.stores, left_out, self.embedder.embed) if left_out else self.stores
        return replace(self, stores=stores, left_out=left_out, varies=varies)
