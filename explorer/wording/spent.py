"""What a step or a run took and used, in words: the same on the page, in tables and in the terminal."""

from __future__ import annotations

from explorer.entities import Step
from explorer.events import Usage
from explorer.text import seconds


def lasted(milliseconds: int | None) -> str:
    """Return how long something took: "8 ms", "0.6 s"; empty where that is not known."""
    return "" if milliseconds is None else seconds(milliseconds / 1000)


def after(took: float | None, waited: float) -> str:
    """Return after how many seconds a run ended: " after 4.0 s, and 30 s of waiting"; empty where that is not known."""
    paused = f", and {seconds(waited)} of waiting" if waited else ""
    return "" if took is None else f" after {seconds(took)}{paused}"


def tokens(used: Step | Usage) -> str:
    """Return how many tokens a model read and wrote, as far as is known: "812 in, 60 out"."""
    counts = ((used.in_token, "in"), (used.out_token, "out"))
    return ", ".join(f"{number:,} {way}" for number, way in counts if number is not None)


def tokens_in_all(used: Usage) -> int | None:
    """Return how many tokens were read and written together; None where none were reported."""
    told = [number for number in (used.in_token, used.out_token) if number is not None]
    return sum(told) if told else None
