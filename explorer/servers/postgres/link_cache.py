"""What of a collection's links was fetched from a server, kept while the collection stays as it is."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from explorer.stores.merged_entities import Merged

if TYPE_CHECKING:
    from explorer.stores.database import Mask, Numbers

Wide = NDArray[np.int64]
"""Whole numbers: a value for each row, or a line of values."""
_MOST = 250_000  # links, and nodes whose links are known, that are kept from one question to the next


class Table:
    """Lines of whole numbers by a key each; the keys ascend. Threads may read and add at once."""

    def __init__(self, columns: int) -> None:
        self._held: tuple[Wide, Wide] = np.zeros(0, dtype=np.int64), np.zeros((0, columns), dtype=np.int64)
        self._adding = threading.Lock()

    @property
    def keys(self) -> Wide:
        """The keys of all lines."""
        return self._held[0]

    def add(self, keys: Wide, lines: Wide) -> None:
        """Hold lines too; of a key that is there the line that is there stays."""
        with self._adding:
            new = ~self.has(keys)
            keys, first = np.unique(keys[new], return_index=True)
            if len(keys):
                held, of_held = self._held
                both = np.concatenate([held, keys])
                order = np.argsort(both, kind="stable")  # which is quick where both halves ascend
                self._held = both[order], np.concatenate([of_held, lines[new][first]])[order]

    def replace(self, keys: Wide, lines: Wide) -> None:
        """Hold lines too, in place of those of the same keys."""
        self.add(keys, lines)
        with self._adding:
            held, of_held = self._held
            of_held = of_held.copy()
            of_held[held.searchsorted(keys)] = lines
            self._held = held, of_held

    def has(self, keys: Wide) -> Mask:
        """Return which of some keys have a line."""
        held = self._held[0]
        if not len(held):
            return np.zeros(len(keys), dtype=np.bool_)
        places = np.minimum(held.searchsorted(keys), len(held) - 1)
        has: Mask = held[places] == keys
        return has

    def __getitem__(self, keys: Numbers) -> Wide:
        """Return the lines of keys, all of which are there."""
        held, of_held = self._held
        lines: Wide = of_held[held.searchsorted(keys)]
        return lines

    def __len__(self) -> int:
        return len(self._held[0])


class Fetched:
    """Links that were fetched, as they were while the collection had one state."""

    def __init__(self) -> None:
        self.links = Table(4)  # by row: fact, head, tail, passage
        self.of: dict[tuple[int, int], Wide] = {}  # the rows of a node, and how many at most
        self.near: dict[tuple[int, int], Wide] = {}  # the facts of a passage that has no more rows than so many
        self.cut: set[tuple[int, int]] = set()  # entities that have more rows than so many
        self.about = Table(4)  # by entity
        self.merged: Merged | None = None
        self.aliases: dict[int, list[int]] = {}
        self.keepers = Table(1)  # of entities that are read as another one

    @property
    def is_full(self) -> bool:
        """Whether it holds as much as a process should."""
        return len(self.links) + len(self.of) + len(self.near) > _MOST
