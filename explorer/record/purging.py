"""Purging: all runs that began long ago are deleted, each as one that is deleted by itself; the ledger notes each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from explorer.ingest.progress import shown
from explorer.record.listing import Listing, TraceSummary
from explorer.record.times import age
from explorer.record.traces import Traces
from explorer.record.verdicts import verdicts
from explorer.text import count, one_line, truncate
from explorer.vocab import moment


@dataclass(frozen=True, slots=True)
class Purged:
    """The runs that were deleted, or would be where it was `dry`, oldest first; `kept` were reviewed, and stay."""

    runs: tuple[TraceSummary, ...]
    kept: int
    dry: bool

    @property
    def text(self) -> str:
        """What was done, in a sentence."""
        would = "would be deleted" if self.dry else "deleted"
        kept = f"; {count(self.kept, 'reviewed run')} as old kept" if self.kept else ""
        return f"{count(len(self.runs), 'run')} {would}{kept}."

    def lines(self) -> list[str]:
        """Return each run on a line, and below them the sentence."""
        told = [f"{one.iri}  {one.started_at[:19]}  {truncate(one_line(one.question), 80)}" for one in self.runs]
        return [*told, self.text]

    def __repr__(self) -> str:
        return f"<Purged {self.text}>"


def purge(traces: Traces, older_than: str | timedelta, *, keep_reviewed: bool, dry: bool, progress: bool) -> Purged:
    """Delete the runs that have ended and began longer ago; with `keep_reviewed` not those with a verdict.

    One that does not say when it began stays. What was cut off has deleted each run wholly or not at all.
    """
    listing = Listing(traces.stores.runs)
    try:
        before = traces.clock() - age(older_than)
    except OverflowError:
        before = datetime.min.replace(tzinfo=UTC)
    old = [
        one for one in listing.among(traces.stores.runs.iris())
        if one.reason is not None and moment(one.started_at) is not None and one.begun < before
    ]  # fmt: skip
    reviewed = {one.run for one in verdicts(traces.stores, (one.iri for one in old))} if keep_reviewed else set()
    gone = sorted((one for one in old if one.iri not in reviewed), key=lambda one: (one.begun, one.iri))
    if not dry:
        with shown("Deleting", len(gone), progress=progress) as tell:
            for number, one in enumerate(gone):
                tell(number, truncate(one_line(one.question), 60))
                traces.delete(one.iri)
            tell(len(gone), "")
    return Purged(tuple(gone), len(old) - len(gone), dry)
