"""A stored run made ready to be seen again: whole, or played from its beginning."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

from explorer.entities import Question
from explorer.text import or_empty
from explorer.view.run.ending import recorded
from explorer.view.showing import Showing
from explorer.view.shown_trace import ShownTrace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from explorer.entities import Note
    from explorer.events import Event
    from explorer.record.trace import Trace
    from explorer.view.messages.run import Title
    from explorer.view.run.quiz import SourcesOf


def shown(events: Iterable[Event], run: str = "", sources: SourcesOf = lambda *_: ()) -> tuple[Showing, ShownTrace]:
    """Return a stored run as a page shows it, to be played or seen whole, and as a trace. Raises RecordError.

    `run` is the name by which messages to a page speak of it, by default one that is drawn by lot; `sources` gives the
    passages of a fact that was not kept.
    """
    with uncollected():
        told = list(events)
        showing = Showing(sources=sources)
        showing.run = run or showing.run
        showing.recall(told, lambda dag: recorded(ShownTrace(told, dag)))
        trace = ShownTrace(told, showing.dag)
        showing.title = titled(trace)
        return showing, trace


def tell(showing: Showing) -> None:
    """Have a stored run that was too large to be told at once told whole."""
    with uncollected():
        showing.tell()


@contextmanager
def uncollected() -> Iterator[None]:
    """Put off looking for garbage: all that a run is made of stays, and to go through it takes a tenth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def titled(trace: Trace, note: Note | None = None) -> Title:
    """Return what stands above a stored run: its question, how it was worked on, when, and what was written at it."""
    asked = trace.dag.entities.get(trace.iri)
    return {
        "iri": trace.iri,
        "question": or_empty(trace.question),
        "how": trace.method,
        "model": trace.model or "",
        "when": (asked.started_at if isinstance(asked, Question) else None) or "",
        "name": (note.title if note else None) or "",
        "note": (note.text if note else None) or "",
    }
