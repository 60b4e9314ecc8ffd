"""Traces on record: recording runs, listing, loading and replaying them (those cut off: see `recovery`)."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import datetime

from pyoxigraph import NamedNode, Triple

from explorer import entities as e
from explorer import rdf
from explorer.errors import RecordError
from explorer.events import Event
from explorer.record import evaluations
from explorer.record.listing import Listing, RunProgress, Summaries, TraceSummary, earliest, latest
from explorer.record.recording import Recording
from explorer.record.replay import Replay, users
from explorer.record.trace import Trace
from explorer.stores.collection import Collection
from explorer.stores.left_out import LeftOut, sources_without
from explorer.vocab import RETRIEVAL, X


class Traces:
    """The traces of one collection."""

    def __init__(self, stores: Collection, clock: Callable[[], datetime]) -> None:
        self.stores = stores
        self.clock = clock
        self._listing = Listing(stores.database)

    def record(self, events: Iterator[Event], session: str) -> Iterator[Event]:
        """Store each step of a run before passing it on; every run that is not cut off ends with one Done.

        A failure becomes a Failure node and Done(reason="error"). Closing the iterator records "stopped", and where.
        """
        return Recording(self.stores, self.clock, RunProgress(session)).events(events)

    def list(
        self,
        text: str | None = None,
        engine: str | None = None,
        since: str | None = None,
        limit: int = 50,
        *,
        until: str | None = None,
        model: str | None = None,
        problems: bool | None = None,
        evaluation: str | None = None,
    ) -> builtins.list[TraceSummary]:
        """Return traces, newest first, that hold `text` in their question or answer and ran on `engine`.

        `since` and `until` are ISO 8601 dates or times, in UTC unless they name an offset; raises RecordError for
        anything else. `model` is the name of one, or "no model". `problems`: only those that failed, were stopped or
        cut off, or of which a step failed (True), or none of these (False). The runs of an evaluation are folded under
        one row with its IRI; `evaluation` is such an IRI, to list these runs.
        """
        begin, end = earliest(since), latest(until)
        found = [
            one for one in self._listing.find(text, engine)
            if begin <= one.begun <= end
            and (model is None or one.model == model)
            and (problems is None or one.has_problems == problems)
        ]  # fmt: skip
        if evaluation is None:
            found = [*evaluations.fold(self.stores, found)]
        else:
            of = evaluations.members(self.stores)
            found = [one for one in found if of.get(one.iri) == evaluation]
        newest = sorted(found, key=lambda summary: summary.begun, reverse=True)[:limit]
        return Summaries(replace(one, without=self._without(one.iri)) for one in newest)

    def using(self, *used: Triple | str) -> builtins.list[TraceSummary]:
        """Return the traces, newest first, that selected a fact or a chunk (its IRI), also in a search within them.

        Of several, those that selected any. Facts are equal by their terms: a literal in another language, or of
        another type, makes another fact. Raises RecordError for a text that is no IRI.
        """
        self.stores.refresh()
        try:
            terms = [NamedNode(one) if isinstance(one, str) else one for one in used]
        except ValueError as error:
            message = f"A chunk is named by its IRI, and one of these is not an IRI: {used!r}; or give a fact."
            raise RecordError(message) from error
        known = users(self.stores, terms)
        return Summaries(sorted(self._listing.among(known), key=lambda summary: summary.begun, reverse=True))

    def _without(self, iri: str) -> int:
        """Return how many things a run left out."""
        graph, question = self.stores.graph, NamedNode(iri)
        return sum(1 for link in (X.without, X.withoutFact) for _ in graph.match(question, link, None, RETRIEVAL))

    def among(self, iris: Iterable[str]) -> builtins.list[TraceSummary]:
        """Return those of some nodes that are traces, by IRI."""
        return Summaries(self._listing.among(iris))

    def models(self) -> builtins.list[str]:
        """Return the names of the models that reasoned in any trace here."""
        return self._listing.models()

    def load(self, iri: str) -> Trace:
        """Read a trace by the IRI of its Question; raises RecordError when there is none."""
        return Trace(self.replay(iri))

    def replay(self, iri: str) -> Iterator[Event]:
        """Return a stored trace's events: the same Explain events in the same order, whole texts, an equal Done.

        Raises RecordError when there is no such trace.
        """
        self.stores.refresh()
        try:
            described = rdf.entities(list(self.stores.graph.match(NamedNode(iri), None, None, RETRIEVAL)))
        except ValueError:  # no IRI at all
            described = []
        if not described or not isinstance(described[0], e.Question):
            lists = "`ws.traces.list()`, or `explorer traces` in a terminal, lists"
            message = f"There is no trace {iri}; {lists} those on record."
            raise RecordError(message)
        question = described[0]
        left = LeftOut.of(question.without_facts, question.without)
        stores = replace(self.stores, sources=sources_without(self.stores, left)) if left else self.stores
        return Replay(stores, iri).events()
