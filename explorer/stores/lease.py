"""The right to write to a collection, which a process holds while it lives.

In a folder one process has it, by a lock on a file that the system takes back when the process ends. On a server
several have one each, for a few seconds at a time, by the server's clock: a writer that is no longer heard of loses its
own, and can't write any more.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from filelock import FileLock


class Lease(Protocol):
    """The right to write."""

    def abandoned(self, iris: Iterable[str]) -> set[str]:
        """Return those of some documents and runs, begun and not ended, that no writer is at any more."""

    def release(self) -> None:
        """Give it back."""


class FolderLease:
    """The lock on a folder: nobody else writes while it is held, so what is not ended was left by one that is gone."""

    def __init__(self, lock: FileLock) -> None:
        """Hold a lock that was acquired."""
        self._lock = lock

    def abandoned(self, iris: Iterable[str]) -> set[str]:
        """Return all of them."""
        return set(iris)

    def release(self) -> None:
        """Release the lock."""
        self._lock.release()
