"""Looking after a collection that other processes write to as well, while a workspace of it is open."""

from __future__ import annotations

import threading
import weakref

from explorer.errors import WorkspaceError
from explorer.ingest.mending import mend
from explorer.record.keys import Key
from explorer.record.recovery import end_cut_off, settle
from explorer.record.traces import Traces

EVERY = 5.0
"""Seconds between looking."""


class Upkeep:
    """A thread that writes what this process could not write while a server was away, and takes over what writers have
    left that are gone.
    """

    def __init__(self, traces: Traces, key: Key | None = None) -> None:
        """Look after the collection of these traces; `key` signs what is sealed."""
        self._traces = traces
        self._key = key
        self._ended = threading.Event()
        self._looking = threading.Lock()

    def begin(self, owner: object) -> None:
        """Look again and again until `end`, or until the owner is gone."""
        weakref.finalize(owner, self._ended.set)
        threading.Thread(target=self._go_on, name="upkeep", daemon=True).start()

    def end(self) -> None:
        """Stop looking."""
        self._ended.set()

    def look(self) -> None:
        """Do what there is to do; raises WorkspaceError where a server is away."""
        with self._looking:
            self._look()

    def _look(self) -> None:
        traces, stores = self._traces, self._traces.stores
        end_cut_off(stores, traces.ledger, traces.cut_off)
        if stores.library.unfinished():
            with stores.database.settling() as is_free:
                if is_free:  # no thread of this process stores anything
                    mend(stores.graph, stores.library)
        if stores.database.taken_over():
            settle(stores, traces.clock, self._key)

    def _go_on(self) -> None:
        while not self._ended.wait(EVERY):
            try:
                self.look()
            except WorkspaceError:  # a server is away, or another process is at it: it is tried again
                continue
