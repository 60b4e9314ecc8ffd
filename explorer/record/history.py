"""What happened to a run since it was asked: how it was sealed, judged, and what became of what it cites."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from explorer.display import Table
from explorer.entities import UNDONE, EdgeSelection
from explorer.rdf.labels import edge_labels
from explorer.record.how_asked import title_of
from explorer.record.trace import Trace
from explorer.record.verdicts import verdicts
from explorer.stores import ledger as stored
from explorer.stores import stored_corrections
from explorer.stores.collection import Collection
from explorer.stores.ledger import AMENDED, DELETED, FORGOTTEN, IMPORTED, INTERRUPTED, RESTORED, RUN
from explorer.vocab import to_the_second

_SEALED = {
    RUN: "ended and was sealed", INTERRUPTED: "sealed after it was cut off", IMPORTED: "imported and sealed",
    AMENDED: "sealed again, as texts were removed", DELETED: "deleted",
    RESTORED: "restored and sealed again",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Happened:
    """One thing that happened: when (ISO 8601, UTC), what in words, and who did it, empty where nobody was named."""

    at: str
    what: str
    by: str = ""


def history(stores: Collection, trace: Trace) -> Table[Happened]:
    """Return what happened to a run, in order: its entries of the ledger, verdicts on it, what was done by hand with
    facts that its answer cites, undone or not, and documents of its passages that were removed since.
    """
    found = [*_sealed(stores, trace), *_judged(stores, trace), *_corrected(stores, trace), *_removed(stores, trace)]
    return Table(
        sorted(found, key=lambda one: one.at),
        ("At", "What", "By"),
        lambda one: (to_the_second(one.at), one.what, one.by),
        "Nothing is on record of what happened to it since it was asked.",
    )


def _sealed(stores: Collection, trace: Trace) -> Iterator[Happened]:
    for one in stored.entries(stores.database, trace.iri):
        signed = f", signed by {one.key[:16]}…" if one.key else ", not signed"
        yield Happened(one.at, f"{_SEALED.get(one.kind, one.kind)}: entry {one.number} of the ledger{signed}")


def _judged(stores: Collection, trace: Trace) -> Iterator[Happened]:
    for one in verdicts(stores, [trace.iri], superseded=True):
        aim = "one step" if one.sentence is None else f"sentence {one.sentence}"
        later = "" if one.standing else ", changed later"
        yield Happened(one.made_at, f"{aim} was judged {one.verdict}{later}", one.by or "")


def _corrected(stores: Collection, trace: Trace) -> Iterator[Happened]:
    nodes = dict.fromkeys(key for one in trace.citations for key in one.cites)
    cited = (trace.dag.entities.get(key) for key in nodes)
    facts = dict.fromkeys(one.edge for one in cited if isinstance(one, EdgeSelection) and one.edge is not None)
    again = stored_corrections.taken_back_again(stores.graph)
    for fact in facts:
        words = f"“{' '.join(edge_labels(fact, stores.sources.labels([fact])))}”, which it cites,"
        for one in stored_corrections.of_fact(stores.graph, fact):
            what = f"was {'reworded' if one.instead else one.act}"
            if one.act == UNDONE:
                what = "went: its adding was undone" if fact in again else "is as before: that was undone"
            yield Happened(one.made_at or "", f"{words} {what}", one.by or "")


def _removed(stores: Collection, trace: Trace) -> Iterator[Happened]:
    for document in dict.fromkeys(one.document for found in trace.passages.values() for one in found):
        gone = [one for one in stored.entries(stores.database, document) if one.kind == FORGOTTEN]
        for number, one in enumerate(gone):
            back = " and is back" if number < len(gone) - 1 or stores.library.has(document) else ""
            title = title_of(stores.graph, document)
            yield Happened(one.at, f"“{title}”, a source of it, was removed{back}: entry {one.number} of the ledger")
