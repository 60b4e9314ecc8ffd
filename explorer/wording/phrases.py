"""Places, numbers and lists in words; every number with its unit."""

from __future__ import annotations

from explorer.events import CHANGED, Passage
from explorer.language.sentences import spans
from explorer.language.words import stem_set

_ENDINGS = {1: "st", 2: "nd", 3: "rd"}
_NEAR = 0.05  # of 1: what a person calls just below
_ENDS = (".", "!", "?", "”")  # of a sentence; the head of a page has none


def ordinal(number: int) -> str:
    """Return a number as an ordinal: "1st", "2nd", "11th", "1,142nd"."""
    ending = "th" if 10 <= number % 100 <= 20 else _ENDINGS.get(number % 10, "th")
    return f"{number:,}{ending}"


def found_in(passage: Passage) -> str:
    """Return where a passage was found, place first: "on page 3 of Tank history"; of an attached store that first."""
    if passage.store and not passage.is_removed:
        source = "" if passage.subgraph == passage.chunk else passage.origin.replace(f" in {passage.store}", " there")
        return ", ".join(filter(None, (f"in {passage.title}", source, CHANGED if passage.is_changed else "")))
    preposition = "in" if passage.page is None else "on"
    return " ".join((preposition, *([passage.locator, "of"] if passage.locator else []), passage.title))


def listed(items: list[str]) -> str:
    """Join a few things: "a", "a and b", "a, b and c"."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}" if items else ""


def closest_span(asked: str, text: str) -> tuple[int, int]:
    """Return where the sentence of a text stands that has most words of a question; an empty span where it has none."""
    words = stem_set(asked)
    whole = [(start, end) for start, end in spans(text) if text[start:end].rstrip().endswith(_ENDS)]
    return max(whole, key=lambda span: len(words & stem_set(text[slice(*span)])), default=(0, 0))


def closest(asked: str, text: str) -> str:
    """Return the sentence of a text that has most words of a question, the first of these; empty where it has none."""
    return " ".join(text[slice(*closest_span(asked, text))].split())


def span_words(passage: Passage) -> str:
    """Return where a passage stands in its page, section or document."""
    begin = passage.start if passage.page_start is None else passage.page_start
    return f"characters {begin + 1:,} to {begin + passage.end - passage.start:,}"


def beneath(score: float, lowest: float) -> str:
    """Return how far something stayed below what was kept: "0.47, just below the lowest kept, 0.48"."""
    if f"{score:.2f}" == f"{lowest:.2f}":
        return f"{score:.2f}, level with the lowest kept"
    return f"{score:.2f}, {'just ' if lowest - score < _NEAR else ''}below the lowest kept, {lowest:.2f}"
