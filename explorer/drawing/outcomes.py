"""The words for how an answer came out: one word, and one plain line for what it means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer import entities as e
from explorer.dag.outcome import outcome, since
from explorer.events import ANSWERED, NOT_FOUND, UNSURE
from explorer.text import count

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag

WORDS = {ANSWERED: "Answered", UNSURE: "Unsure", NOT_FOUND: "Not found"}
MEANS = {
    ANSWERED: "a quoted sentence states it",
    UNSURE: "the quotations share words with your question; they may not answer it",
    NOT_FOUND: "nothing in the searched documents answers it",
}
SINCE = {  # what became of an answer, and what that means
    "corrected": ("corrected since", "a fact that it rests on was taken back by hand since; ask again"),
    "removed": ("source removed", "a document that it rests on was removed since; its quotations stay on record"),
}


def word(came_out: str | None, became: str = "") -> str:
    """Return the word for an outcome, and behind it what became of it since; nothing without an outcome."""
    return ", ".join(filter(None, (WORDS.get(came_out or "", ""), SINCE.get(became, ("",))[0])))


def at_level(level: str | None) -> str:
    """Return the word for a support of which the level alone is known; nothing without a level."""
    return WORDS[NOT_FOUND if level == "none" else UNSURE] if level else ""


def means(came_out: str, became: str = "") -> str:
    """Return in a line what an outcome means, or what became of it since."""
    return SINCE[became][1] if became else MEANS.get(came_out, "")


def scope(dag: ProvenanceDag) -> str:
    """Return what was searched where that was not all: 'in “Tank history”, 1 of 8 documents'."""
    asked = next((root.entity for root in dag.roots if isinstance(root.entity, e.Question)), None)
    if asked is None or not asked.within:
        return ""
    return asked.scope or f"in {count(len(asked.within), 'document')} alone"


def line(dag: ProvenanceDag) -> str:
    """Return how a run came out in one line: "Unsure: …", with what was searched; nothing where neither is known."""
    found, searched = outcome(dag), scope(dag)
    became = since(dag, dag.final) if dag.final is not None and found != NOT_FOUND else ""
    said = f"{word(found, became)}: {means(found, became)}" if found in WORDS else ""
    return " · ".join(filter(None, (said, searched and f"searched {searched}")))
