"""What was corrected by hand, in words; an answer that quotes the words of a corrected fact has to say so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pyoxigraph import NamedNode, Triple

from explorer.entities import ADDED, INSTEAD, RETRACTED, SPLIT
from explorer.rdf.labels import edge_labels
from explorer.stores.curated import Matched, standing
from explorer.text import one_line, truncate

if TYPE_CHECKING:
    from explorer.entities import Curation
    from explorer.events import Passage
    from explorer.stores.merged import Merged

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

    @property
    def of_entities(self) -> tuple[Curation, ...]:
        """All that was done by hand with entities, in order, undone or not."""

    @property
    def merged(self) -> Merged:
        """Which entities people have said to be one."""

    @property
    def graph(self) -> Matched:
        """The graph that they are in."""

    def records(self, edge: Triple) -> list[str]:
        """Return the nodes of the source graph that hold a fact."""

    def passage(self, iri: str) -> tuple[Passage, ...]:
        """Return the passage that such a node stands for; empty when none is recorded."""

    def chunk(self, iri: str) -> tuple[Passage, ...]:
        """Return a whole chunk as a passage; empty when nothing is recorded of it."""

    def labels(self, edges: Iterable[Triple]) -> dict[str, str]:
        """Return the labels of all IRIs in some facts."""

    def label(self, iri: str) -> str | None:
        """Return the label of an entity, or of the one that it is read as; None without one."""

    def called(self, iri: str) -> str:
        """Return the own name of an entity, whatever it is read as."""


def done(sources: Curated, act: Curation) -> str:
    """Return what was done with a fact, in words, and for what."""
    whole = next((one for one in sources.of_entities if one.iri in act.derived_from), None)
    if whole is None or whole.act != SPLIT or whole.entity is None:
        why = f": “{one_line(act.reason)}”" if act.reason else ""
        instead = "" if act.instead is None else f"{INSTEAD}{' — '.join(_labels(sources, act.instead))}"
        return f"{act.words}{why}{instead}"
    of = one_line(sources.called(whole.entity))
    if act.act == ADDED:
        return f"split off “{of}”{whole.when}"
    into = " and ".join(sorted(f"“{one_line(sources.called(one))}”" for one in whole.aliases))
    return f"given to {into} when “{of}” was split{whole.when}"


def merges(sources: Curated, edge: Triple) -> list[str]:
    """Return a sentence for each end that stands under another name in the facts that an edge is read from."""
    if not sources.merged:
        return []
    own = [one for one in sources.merged.variants(edge) if one == edge or sources.records(one)]
    ends = (end.value for one in own for end in (one.subject, one.object) if isinstance(end, NamedNode))
    aliases = [end for end in dict.fromkeys(ends) if end in sources.merged.entities]
    last = [*reversed(standing(sources.graph, sources.of_entities))]
    when = {alias: next((one.when for one in last if alias in one.aliases), "") for alias in aliases}
    names = ((one, one_line(sources.called(one)), one_line(sources.label(one) or "")) for one in aliases)
    return [f"“{own}” is read as “{name}”, merged{when[one]}" for one, own, name in names]


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
    return fact.subject == other.subject or fact.predicate == other.predicate or fact.object == other.object


def _words(sources: Curated, fact: Triple) -> str:
    return truncate(" ".join(_labels(sources, fact)), _LONGEST)


def _labels(sources: Curated, fact: Triple) -> tuple[str, str, str]:
    subject, predicate, thing = edge_labels(fact, sources.labels([fact]))
    return one_line(subject), one_line(predicate), one_line(thing)
