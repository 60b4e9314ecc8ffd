"""Recovery when a workspace is opened: runs that were killed end as "interrupted", the list of traces is rebuilt."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from pyoxigraph import NamedNode

from explorer import entities as e
from explorer import rdf
from explorer.engines.setting import Pauses
from explorer.events import Explain
from explorer.record.keys import Key
from explorer.record.ledger import Ledger
from explorer.record.listing import Listing, RunProgress
from explorer.record.recording import Recording
from explorer.record.replay import Replay
from explorer.stores.collection import Collection
from explorer.vocab import RETRIEVAL, TG, iri, recognise


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
    listing = Listing(stores.runs)
    recorded = {q.subject.value for q in stores.graph.match(None, TG.query, None, RETRIEVAL)
                if isinstance(q.subject, NamedNode)}  # fmt: skip
    indexed = stores.runs.iris()
    stores.runs.drop(indexed - recorded)
    for question in sorted(recorded - indexed):
        listing.add(rdf.entities(list(stores.graph.match(NamedNode(question), None, None, RETRIEVAL))))
        if stores.runs.has(question) and (run := _progress(stores, question, brief=True)) is not None:
            listing.describe(run, _reason(stores, run.session))
    for question in stores.runs.unended():
        if (run := _progress(stores, question, brief=True)) is not None and (
            reason := _reason(stores, run.session)
        ) is not None:
            listing.describe(run, reason)


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
    """Return how a run ended, None without an End."""
    ends = rdf.entities(list(stores.graph.match(NamedNode(iri("end", session)), None, None, RETRIEVAL)))
    return next((end.reason for end in ends if isinstance(end, e.End)), None)
