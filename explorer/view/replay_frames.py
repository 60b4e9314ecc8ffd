"""A stored run while it is folded: in frames that are shown one after the other, or, of a large one, its end alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from explorer.dag import ProvenanceDag
from explorer.entities import Step
from explorer.events import Done, Explain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from explorer.events import Event
    from explorer.view.messages import run as messages
    from explorer.view.run.ending import Ended

MOST_AT_ONCE = 600  # nodes that the page gets before they are wanted; those of the drawing on show it always gets
MOST_FRAMES = 400  # of a stored run


@dataclass(slots=True)
class Recalled:
    """A stored run while and after it is folded: the time that had passed, if that is on record, and its messages.

    `is_told`: each message says what it changed; else the last drawing is all that is shown, and `frames` is empty.
    """

    events: list[Event]
    ended: Callable[[ProvenanceDag], Ended]
    is_told: bool
    seconds: float | None
    frames: list[messages.Delta] = field(default_factory=list)

    @classmethod
    def of(cls, events: list[Event], ended: Callable[[ProvenanceDag], Ended], *, is_told: bool) -> Recalled:
        """Begin; of a run without times at its beginning and end none is shown on the way."""
        timed = any(isinstance(event, Done) and event.duration_ms is not None for event in events[-1:])
        return cls(events, ended, is_told, 0.0 if timed else None)

    def passed(self, event: Explain, *, agent: bool) -> None:
        """Count a step's time; an agent's steps hold the time of what ran inside, so theirs can't be added up."""
        if agent:
            self.seconds = None
        elif self.seconds is not None:
            self.seconds += took(event)


def in_frames(events: list[Event]) -> list[list[Event]]:
    """Cut a stored run into what is shown at once: each event alone, of very long runs several steps together."""
    steps = sum(isinstance(event, Explain) for event in events)
    most = -(-steps // MOST_FRAMES)
    if most < 2:
        return [[event] for event in events]
    frames: list[list[Event]] = [[]]
    for event in events:
        if sum(isinstance(one, Explain) for one in frames[-1]) >= most:
            frames.append([])
        frames[-1].append(event)
    return frames


def is_large(events: Iterable[Event]) -> bool:
    """Return whether a stored run has so much that its last drawing is shown before all that led there is told."""
    return sum(1 + len(event.passages) for event in events if isinstance(event, Explain)) > MOST_AT_ONCE / 2


def took(event: Event) -> float:
    """Return the seconds that the step of an event took, as it is on record."""
    if not isinstance(event, Explain):
        return 0.0
    step = next((one for one in event.entities if one.iri == event.iri), None)
    return (step.duration_ms or 0) / 1000 if isinstance(step, Step) else 0.0
