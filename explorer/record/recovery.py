"""Recovery, when a workspace is opened and when a writer is gone: what was cut off is finished or taken back, runs end
as "interrupted", the list of traces is rebuilt.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from datetime import datetime

from explorer import entities as e
from explorer import rdf
from explorer.errors import WorkspaceError
from explorer.events import Explain, Pauses
from explorer.ingest.recovery import mend
from explorer.record.keys import Key
from explorer.record.ledger import Ledger
from explorer.record.listing import Listing, RunProgress
from explorer.record.node_lookup import about, iris, read
from explorer.record.recording import CutOff, Recording
from explorer.record.replay import Replay
from explorer.stores.collection import Collection
from explorer.stores.curation_journal import finish
from explorer.stores.stored_corrections import settle as settle_curations
from explorer.vocab import RETRIEVAL, TG, iri, recognise

EVERY = 5.0
"""Seconds between looking for what there is to do in a collection that other processes write to as well."""


def settle(stores: Collection, clock: Callable[[], datetime], key: Key | None = None) -> None:
    """Finish or take back all that was cut off, but what other processes are at; what comes to be sealed is signed by a
    key, if there is one. Does nothing while another process corrects, notes, imports or settles: that one may be at it.
    """
    with stores.database.settling() as is_free:
        if not is_free:
            return
        mend(stores.graph, stores.library)
        settle_curations(stores.graph, stores.database)
        finish(stores.graph, stores.database, "runs")
        stores.finish_removal()
        ledger = Ledger(stores, clock, key)
        ledger.settle_import()
        rebuild_listing(stores)
        ledger.settle()
        end_interrupted(stores, clock, key)


def end_cut_off(stores: Collection, ledger: Ledger, cut_off: list[CutOff]) -> None:
    """Write the ends of runs of this process that could not be written, and take each off the list; what is on record
    of one is read anew, since the last step may be there or not. Raises WorkspaceError where that can't be written.
    """
    for one in list(cut_off):
        run = _progress(stores, one.question)
        if run is not None and run.last:
            if not stores.runs.has(one.question):
                _list(stores, one.question)
            if (reason := _reason(stores, run.session)) is None:
                recording = Recording(stores, ledger, ledger.clock, run, Pauses(ledger.clock))
                recording.cut(one.error, one.termination_reason, one.reason)
            else:
                Listing(stores.runs).describe(run, reason)
        with stores.database.sealing:
            if ledger.due(one.question) is not None:
                ledger.settle_run(one.question)
        cut_off.remove(one)


def end_interrupted(stores: Collection, clock: Callable[[], datetime], key: Key | None = None) -> None:
    """Record an End "interrupted" of each trace that has none, and a node where it was cut off.

    To be called when nothing runs here; what another process is at goes on. Those that were to be sealed are, signed by
    a key if there is one.
    """
    for question in stores.database.abandoned(stores.runs.unended()):
        if (run := _progress(stores, question)) is not None:
            Recording(stores, Ledger(stores, clock, key), clock, run, Pauses(clock)).cut(e.CUT_OFF, None, "interrupted")


def rebuild_listing(stores: Collection) -> None:
    """Rebuild the list of traces from the record where it differs."""
    listing, before = Listing(stores.runs), stores.runs.iris()
    recorded = {*iris(quad.subject for quad in stores.graph.match(None, TG.query, None, RETRIEVAL))}
    stores.runs.drop(before - recorded)
    new = [*stores.database.abandoned(sorted(recorded - before))]  # others list their own
    for question in new:
        _list(stores, question)
    for question in stores.database.abandoned(dict.fromkeys((*new, *stores.runs.unended()))):
        if stores.runs.has(question) and (run := _progress(stores, question, brief=True)) is not None:
            listing.describe(run, _reason(stores, run.session))


def _list(stores: Collection, question: str) -> None:
    Listing(stores.runs).add(rdf.entities(stores.graph.match(*about(question))))


def _progress(stores: Collection, question: str, *, brief: bool = False) -> RunProgress | None:
    """Return what is on record of a run, what a row says of it where it is to be `brief`; None where the IRI of its
    Question is not of ours.
    """
    if (named := recognise(question)) is None:
        return None
    run = RunProgress(named.key)
    for event in Replay(stores, question, brief).events():
        if isinstance(event, Explain):
            run.apply(event)
    return run


def _reason(stores: Collection, session: str) -> str | None:
    end = read(stores.graph, iri("end", session), e.End)
    return end.reason if end else None


class Upkeep:
    """A thread that writes what this process could not write while a server was away, and takes over what writers have
    left that are gone.
    """

    def __init__(self, ledger: Ledger, cut_off: list[CutOff]) -> None:
        """Look after the collection of a ledger, and after runs of this process whose end could not be written."""
        self._ledger = ledger
        self._cut_off = cut_off
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
        ledger, stores = self._ledger, self._ledger.stores
        with self._looking:
            end_cut_off(stores, ledger, self._cut_off)
            if stores.library.unfinished():
                with stores.database.settling() as is_free:
                    if is_free:  # no thread of this process stores anything
                        mend(stores.graph, stores.library)
            if stores.database.taken_over():
                settle(stores, ledger.clock, ledger.key)

    def _go_on(self) -> None:
        while not self._ended.wait(EVERY):
            try:
                self.look()
            except WorkspaceError:  # a server is away, or another process is at it: it is tried again
                continue
