"""Sources of facts, with what people have corrected of them, in words: who quotes corrected words has to say so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple, Self

from pyoxigraph import NamedNode, Triple

from explorer.entities import ADDED, BY_HAND, INSTEAD, RETRACTED, SPLIT, TAKEN_BACK, Curation
from explorer.events import Passage
from explorer.rdf.labels import edge_labels
from explorer.stores import stored_corrections
from explorer.stores.collection_view import View
from explorer.stores.fact_passages import Passages
from explorer.text import one_line, truncate
from explorer.vocab import FACTS

_LONGEST = 200  # code points of a fact in a sentence
_BY = " by hand"
_RETRACTED, _CORRECTED = f"Retracted{_BY}", f"Corrected{_BY}"


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


class Sources(Passages):
    """Passages and labels of one collection, with what was corrected by hand."""

    def within(self, view: View) -> Self:
        part = super().within(view)
        part.__dict__.pop("corrections", None)  # the words that they are about may be left out
        return part

    @cached_property
    def corrections(self) -> dict[str, tuple[Correction, ...]]:
        """Return by chunk what was taken back or corrected by hand, in order; what was undone since is none."""
        last = self._last
        gone = {fact: one for fact, one in last.items() if one.act == RETRACTED and not one.derived_from}
        added = [fact for fact, one in last.items() if one.act == ADDED] if gone else []
        places = {fact: {*self._places(fact)} for fact in added}
        found: dict[str, list[Correction]] = {}
        for fact, act in gone.items():
            words = self._words(fact)
            before = f"“{words}”"
            subject, _, thing = self._labels(fact)
            for place in dict.fromkeys(self._places(fact)):
                there = [one for one in added if place in places[one] and _is_like(one, fact)]
                there = [*dict.fromkeys((*self._instead(act), *there))]
                instead = [f"“{self._words(one)}”" for one in there]
                said = f"{_RETRACTED}{act.when}: {before}."
                if instead:
                    said = f"{_CORRECTED}{act.when}: {before} is {' and '.join(instead)} now."
                chunk, start, end, text = place
                found.setdefault(chunk, []).append(
                    Correction(
                        start, end, said, words, text, (subject, thing), tuple(self._labels(one) for one in there)
                    )
                )
        return {chunk: tuple(sorted(those)) for chunk, those in found.items()}

    def is_outdated(self, answer: str) -> bool:
        """Return whether an answer tells of a correction that was undone since, or made otherwise."""
        told = [head for head in self.ever_said if head in answer] if _BY in answer else []
        if not told:
            return False
        now = [one.said.rstrip(".") for found in self.corrections.values() for one in found]
        return not all(any(one.startswith(head) and one in answer for one in now) for head in told)

    @cached_property
    def ever_said(self) -> frozenset[str]:
        """What answers say, or have said, of each fact that people have taken back, as that begins."""
        self._lookups.ahead([stored_corrections.ACTS])
        done = stored_corrections.everything(self._lookups)
        acts = [one for one in done if one.act == RETRACTED and not one.derived_from]
        return frozenset(
            f"{by_hand}{one.when}: “{self._words(one.fact)}”" for one in acts if one.fact is not None
            for by_hand in (_RETRACTED, _CORRECTED)
        )  # fmt: skip

    @cached_property
    def added(self) -> dict[Triple, str]:
        """The facts that people have put down, and that stand, with what was done in words."""
        last = self._last
        before = {one.instead: fact for fact, one in last.items() if one.act == RETRACTED and one.instead is not None}
        return {
            fact: f"{one.words}{f' in place of “{self._words(before[fact])}”' if fact in before else ''}"
            for fact, one in last.items()
            if one.act == ADDED and not one.derived_from
        }

    @cached_property
    def retracted(self) -> frozenset[Triple]:
        """The facts that people have taken back."""
        return stored_corrections.taken_back(self.acts)

    @cached_property
    def _last(self) -> dict[Triple, Curation]:
        """What was done last with each fact, of what stands."""
        return {one.fact: one for one in self.acts if one.fact is not None}

    def _instead(self, act: Curation) -> Iterator[Triple]:
        """Yield the fact that stands in the place of a retracted one by now; nothing where none does."""
        seen = {act.fact}
        while act.instead is not None and act.instead not in seen:
            seen.add(act.instead)
            later = self._last.get(act.instead)
            if later is None or later.act != RETRACTED:
                yield act.instead
                return
            act = later

    @cached_property
    def acts(self) -> tuple[Curation, ...]:
        """All that was done by hand and stands, in order."""
        self._lookups.ahead([stored_corrections.ACTS, stored_corrections.OF_ENTITIES])
        return tuple(stored_corrections.standing(self._lookups, stored_corrections.everything(self._lookups)))

    @cached_property
    def undone(self) -> frozenset[Triple]:
        """The facts that people put down, whose adding was undone, and that stand nowhere else."""
        added = stored_corrections.taken_back_again(self._lookups)
        return frozenset(
            one for one in added if not isinstance(one.subject, Triple)
            and not any(self.graph.match(one.subject, one.predicate, one.object, FACTS))
        )  # fmt: skip

    def curated(self, edge: Triple) -> str:
        """Return what was done with an edge by hand, in words: the fact last, and its ends; empty where nothing was."""
        return self.curations({"": edge}).get("", "")

    def decided(self, edge: Triple) -> str:
        """Return what was done last with an edge itself by hand, in words; empty where nothing was."""
        last = stored_corrections.last_of(self._lookups, edge)
        return self._done(last) if last else ""

    def curations(self, edges: Mapping[str, Triple]) -> dict[str, str]:
        """Return what was done last with edges by hand, by the keys that they are given with, where anything was."""
        last = stored_corrections.last_of_each(self._lookups, [*edges.values()]) if edges else {}
        done = {edge: self._done(act) for edge, act in last.items()}
        undone = self.undone & {*edges.values()}
        done |= dict.fromkeys(undone, TAKEN_BACK)
        told = {key: [*filter(None, [done.get(edge)]), *self._merges(edge)] for key, edge in edges.items()}
        return {key: "; ".join(words) for key, words in told.items() if words}

    def _done(self, act: Curation) -> str:
        """Return what was done with a fact, in words, and for what."""
        whole = next((one for one in self.of_entities if one.iri in act.derived_from), None)
        if whole is None or whole.act != SPLIT or whole.entity is None:
            why = f": “{one_line(act.reason)}”" if act.reason else ""
            instead = "" if act.instead is None else f"{INSTEAD}{' — '.join(self._labels(act.instead))}"
            before = (
                stored_corrections.of_fact(self.graph, act.fact)
                if act.act == RETRACTED and act.fact is not None
                else ()
            )
            was = f" (it was {BY_HAND})" if any(one.act == ADDED for one in before) else ""
            return f"{act.words}{was}{why}{instead}"
        of = one_line(self.called(whole.entity))
        if act.act == ADDED:
            return f"split off “{of}”{whole.when}"
        into = " and ".join(sorted(f"“{one_line(self.called(one))}”" for one in whole.aliases))
        return f"given to {into} when “{of}” was split{whole.when}"

    def _merges(self, edge: Triple) -> list[str]:
        """Return a sentence for each end that stands under another name in the facts that an edge is read from."""
        if not self.merged:
            return []
        own = [one for one in self.merged.variants(edge) if one == edge or self.records(one)]
        ends = (end.value for one in own for end in (one.subject, one.object) if isinstance(end, NamedNode))
        aliases = [end for end in dict.fromkeys(ends) if end in self.merged.entities]
        last = [*reversed(stored_corrections.standing(self.graph, self.of_entities))]
        when = {alias: next((one.when for one in last if alias in one.aliases), "") for alias in aliases}
        names = ((one, one_line(self.called(one)), one_line(self.label(one) or "")) for one in aliases)
        return [f"“{own}” is read as “{name}”, merged{when[one]}" for one, own, name in names]

    def _places(self, fact: Triple) -> Iterator[tuple[str, int, int, str]]:
        """Yield the chunk, from where to where in it, and the words that a fact was taken from."""
        for node in self.records(fact):
            for passage in self.passage(node):
                for chunk in self.chunk(passage.chunk):
                    yield passage.chunk, passage.start - chunk.start, passage.end - chunk.start, passage.text

    def _words(self, fact: Triple) -> str:
        return truncate(" ".join(self._labels(fact)), _LONGEST)

    def _labels(self, fact: Triple) -> tuple[str, str, str]:
        subject, predicate, thing = edge_labels(fact, self.labels([fact]))
        return one_line(subject), one_line(predicate), one_line(thing)


def of_passage(sources: Sources, passage: Passage) -> tuple[Correction, ...]:
    """Return what was taken back or corrected by hand of the words of a passage, a whole chunk or a part of one."""
    found = sources.corrections.get(passage.chunk, ()) if sources.retracted else ()
    for whole in sources.chunk(passage.chunk) if found else ():
        start = passage.start - whole.start
        return tuple(one for one in found if one.start < start + len(passage.text) and start < one.end)
    return ()


def _is_like(fact: Triple, other: Triple) -> bool:
    return fact.subject == other.subject or fact.predicate == other.predicate or fact.object == other.object
