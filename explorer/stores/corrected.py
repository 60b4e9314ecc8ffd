"""What was corrected by hand of the facts taken from a passage: an answer that quotes its words has to say so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol

from explorer.entities import ADDED, RETRACTED
from explorer.rdf.labels import edge_labels
from explorer.text import one_line, truncate

if TYPE_CHECKING:
    from pyoxigraph import Triple

    from explorer.entities import Curation
    from explorer.events import Passage

_LONGEST = 200  # code points of a fact in a sentence


class Correction(NamedTuple):
    """Where the words stand in their chunk that a fact was taken from, and what was done with it, in a sentence.

    `fact`: that fact, in words; `words`: the words in the chunk; `ends`: what the fact is about, its subject and
    object; `instead`: the facts that stand in its place now, each as subject, predicate and object.
    """

    start: int
    end: int
    said: str
    fact: str
    words: str
    ends: tuple[str, str]
    instead: tuple[tuple[str, str, str], ...]


class Curated(Protocol):
    """What is read here of the sources of facts: what was done by hand, and where the words stand."""

    @property
    def acts(self) -> tuple[Curation, ...]:
        """All that was done by hand and stands, in order."""

    @property
    def retracted(self) -> frozenset[Triple]:
        """The facts that people have taken back."""

    @property
    def corrections(self) -> Mapping[str, tuple[Correction, ...]]:
        """What `corrections` returns, remembered."""

    def records(self, edge: Triple) -> list[str]:
        """Return the nodes of the source graph that hold a fact."""

    def passage(self, iri: str) -> tuple[Passage, ...]:
        """Return the passage that such a node stands for; empty when none is recorded."""

    def chunk(self, iri: str) -> tuple[Passage, ...]:
        """Return a whole chunk as a passage; empty when nothing is recorded of it."""

    def labels(self, edges: Iterable[Triple]) -> dict[str, str]:
        """Return the labels of all IRIs in some facts."""


def added(sources: Curated) -> dict[Triple, str]:
    """Return the facts that people have put down, with what was done in words; what was taken back since is none."""
    standing = sources.acts
    last = {one.fact: one for one in standing if one.fact is not None}
    before = {one.instead: fact for fact, one in last.items() if one.act == RETRACTED and one.instead is not None}
    return {
        fact: f"{one.words}{f' in place of “{_words(sources, before[fact])}”' if fact in before else ''}"
        for fact, one in last.items()
        if one.act == ADDED and not one.derived_from
    }


def corrections(sources: Curated) -> dict[str, tuple[Correction, ...]]:
    """Return by chunk what was taken back or corrected by hand, in order; what was undone since is none."""
    standing = sources.acts
    last = {one.fact: one for one in standing if one.fact is not None}
    gone = {fact: one for fact, one in last.items() if one.act == RETRACTED and not one.derived_from}
    added = [fact for fact, one in last.items() if one.act == ADDED] if gone else []
    places = {fact: {*_places(sources, fact)} for fact in added}
    found: dict[str, list[Correction]] = {}
    for fact, act in gone.items():
        words = _words(sources, fact)
        before = f"“{words}”"
        subject, _, thing = _labels(sources, fact)
        ends = subject, thing
        for place in dict.fromkeys(_places(sources, fact)):
            there = [one for one in added if place in places[one] and _is_like(one, fact)]
            instead = [f"“{_words(sources, one)}”" for one in there]
            said = f"Retracted by hand{act.when}: {before}."
            if instead:
                said = f"Corrected by hand{act.when}: {before} is {' and '.join(instead)} now."
            chunk, start, end, text = place
            found.setdefault(chunk, []).append(
                Correction(start, end, said, words, text, ends, tuple(_labels(sources, one) for one in there))
            )
    return {chunk: tuple(sorted(those)) for chunk, those in found.items()}


def of_passage(sources: Curated, passage: Passage) -> tuple[Correction, ...]:
    """Return what was taken back or corrected by hand of the words of a passage, a whole chunk or a part of one."""
    found = sources.corrections.get(passage.chunk, ()) if sources.retracted else ()
    for whole in sources.chunk(passage.chunk) if found else ():
        start = passage.start - whole.start
        return tuple(one for one in found if one.start < start + len(passage.text) and start < one.end)
    return ()


def _places(sources: Curated, fact: Triple) -> Iterator[tuple[str, int, int, str]]:
    """Yield where the words stand that a fact was taken from: the chunk, from where to where in it, and the words."""
    for node in sources.records(fact):
        for passage in sources.passage(node):
            for chunk in sources.chunk(passage.chunk):
                yield passage.chunk, passage.start - chunk.start, passage.end - chunk.start, passage.text


def _is_like(fact: Triple, other: Triple) -> bool:
    """Return whether two facts have a term in the same place."""
    return fact.subject == other.subject or fact.predicate == other.predicate or fact.object == other.object


def _words(sources: Curated, fact: Triple) -> str:
    return truncate(" ".join(_labels(sources, fact)), _LONGEST)


def _labels(sources: Curated, fact: Triple) -> tuple[str, str, str]:
    subject, predicate, thing = edge_labels(fact, sources.labels([fact]))
    return one_line(subject), one_line(predicate), one_line(thing)
