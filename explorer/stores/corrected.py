"""What was corrected by hand of the facts taken from a passage: an answer that quotes its words has to say so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from explorer.entities import ADDED, RETRACTED
from explorer.rdf.labels import edge_labels
from explorer.stores import curated
from explorer.text import one_line, truncate

if TYPE_CHECKING:
    from pyoxigraph import Triple

    from explorer.stores.sources import Sources

_LONGEST = 200  # code points of a fact in a sentence


class Correction(NamedTuple):
    """Where the words stand in their chunk that a fact was taken from, and what was done with it, in a sentence.

    `fact`: that fact, in words; `is_replaced`: another one stands in its place now.
    """

    start: int
    end: int
    said: str
    fact: str
    is_replaced: bool


def added(sources: Sources) -> dict[Triple, str]:
    """Return the facts that people have put down, with what was done in words; what was taken back since is none."""
    standing = curated.standing(sources.graph, curated.everything(sources.graph))
    last = {one.fact: one for one in standing if one.fact is not None}
    before = {one.instead: fact for fact, one in last.items() if one.act == RETRACTED and one.instead is not None}
    return {
        fact: f"{one.words}{f' in place of “{_words(sources, before[fact])}”' if fact in before else ''}"
        for fact, one in last.items()
        if one.act == ADDED and not one.derived_from
    }


def corrections(sources: Sources) -> dict[str, tuple[Correction, ...]]:
    """Return by chunk what was taken back or corrected by hand, in order; what was undone since is none."""
    standing = curated.standing(sources.graph, curated.everything(sources.graph))
    last = {one.fact: one for one in standing if one.fact is not None}
    gone = {fact: one for fact, one in last.items() if one.act == RETRACTED and not one.derived_from}
    added = [fact for fact, one in last.items() if one.act == ADDED] if gone else []
    places = {fact: {*_places(sources, fact)} for fact in added}
    found: dict[str, list[Correction]] = {}
    for fact, act in gone.items():
        words = _words(sources, fact)
        before = f"“{words}”"
        for place in dict.fromkeys(_places(sources, fact)):
            instead = [f"“{_words(sources, one)}”" for one in added if place in places[one] and _is_like(one, fact)]
            said = f"Retracted by hand{act.when}: {before}."
            if instead:
                said = f"Corrected by hand{act.when}: {before} is {' and '.join(instead)} now."
            chunk, start, end = place
            found.setdefault(chunk, []).append(Correction(start, end, said, words, bool(instead)))
    return {chunk: tuple(sorted(those)) for chunk, those in found.items()}


def _places(sources: Sources, fact: Triple) -> Iterator[tuple[str, int, int]]:
    """Yield where the words stand that a fact was taken from: the chunk, and from where to where in it."""
    for node in sources.records(fact):
        for passage in sources.passage(node):
            for chunk in sources.chunk(passage.chunk):
                yield passage.chunk, passage.start - chunk.start, passage.end - chunk.start


def _is_like(fact: Triple, other: Triple) -> bool:
    """Return whether two facts have a term in the same place."""
    return fact.subject == other.subject or fact.predicate == other.predicate or fact.object == other.object


def _words(sources: Sources, fact: Triple) -> str:
    return truncate(one_line(" ".join(edge_labels(fact, sources.labels([fact])))), _LONGEST)
