"""Facts that are corrected in the app: retracted, changed, or added with the words that say them; and undone again."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from pyoxigraph import NamedNode, Triple

from explorer.documents.found_facts import Fact, find_fact
from explorer.errors import RecordError
from explorer.rdf.labels import edge_labels
from explorer.stores import stored_corrections
from explorer.stores.link_graph import facts_of
from explorer.text import one_line, truncate
from explorer.vocab import recognise

if TYPE_CHECKING:
    from explorer.documents.corrections import Correction
    from explorer.events import Passage
    from explorer.view.messages.documents import Corrected, Corrections, ListedCorrection
    from explorer.view.messages.requests import AddFact, ChangeFact, Merge, Retract, Split
    from explorer.workspace import Workspace

_LENGTH = 90  # letters of a fact in a sentence
_LISTED = 100  # corrections


@dataclass(frozen=True, slots=True)
class _Done:
    """What was done, in a sentence, and the last correction on record that it was made of."""

    said: str
    correction: str


def listed(ws: Workspace) -> Corrections:
    """Return what was corrected, the last first: what was done in one step stands once."""
    made = ws.curations
    parts = {after.iri for last, after in pairwise(made)
             if last.instead and (last.instead, last.made_at) == (after.what, after.made_at)}  # fmt: skip
    whole = [one for one in made if one.iri not in parts]
    items = [_listed(one) for one in whole[:_LISTED]]
    return {"t": "corrections", "items": items, "more": max(0, len(whole) - _LISTED)}


def _listed(one: Correction) -> ListedCorrection:
    said = truncate(one_line(f"{one.word.capitalize()}: {one.about}"), 3 * _LENGTH)
    return {"iri": one.iri, "said": said, "when": one.made_at, "by": one.by or "", "reason": one.reason,
            "undone": one.undone}  # fmt: skip


class Correcting:
    """The corrections of one app, of which the last can be undone, then the one before."""

    def __init__(self, ws: Workspace) -> None:
        """Begin with none."""
        self._ws = ws
        self._done: list[_Done] = []
        self._undone = ""
        self._lock = threading.Lock()

    def retract(self, request: Retract) -> None:
        """Take a fact back, given by its key or by the IRI of its selection; raises RecordError for none."""
        fact = self._fact(request.fact)
        words = self._words(fact)
        self._ws.retract(fact, request.by or None, reason=request.reason)
        self._note(f"Retracted: {words}.")

    def change(self, request: ChangeFact) -> None:
        """Put a fact in the place of another, with the same passage; raises RecordError for what is no fact."""
        before = self._fact(request.fact)
        passage = next((one for one in self._ws.passages(before) if one.until is None), None)
        subject, predicate, obj = self._terms(before, (request.s, request.p, request.o))
        by, reason = request.by or None, request.reason
        now = self._ws.add_fact(subject, predicate, obj, passage, by, instead_of=before, reason=reason).triple
        self._note(f"Corrected: {self._words(now)}.")

    def add(self, request: AddFact) -> None:
        """Add a fact with words of a page, or without any; raises RecordError where they do not stand there."""
        passage = self._passage(request.document, request.part, request.words) if request.words.strip() else None
        by, reason = request.by or None, request.reason
        fact = self._ws.add_fact(request.s, request.p, request.o, passage, by, reason=reason).triple
        self._note(f"Added: {self._words(fact)}.")

    def merge(self, request: Merge) -> None:
        """Have an entity be the one that is called so, or give it that name where none is."""
        entity = NamedNode(request.entity)
        before = self._ws.entity(entity).name
        after = self._ws.merge(request.name, entity, request.by or None, reason=request.reason).name
        self._note(f"“{one_line(before)}” was corrected to “{one_line(after)}”.")

    def split(self, request: Split) -> None:
        """Have a name be another entity, with the facts of the passages that have it, or of some documents."""
        before = self._ws.entity(NamedNode(request.entity))
        names = {request.name: request.documents} if request.documents else [request.name]
        [made] = self._ws.split(before.iri, names, request.by or None, reason=request.reason)
        self._note(f"“{one_line(made.name)}” is another than “{one_line(before.name)}” now.")

    def undo(self, by: str) -> None:
        """Undo the last correction that was not."""
        with self._lock:
            last = self._done.pop() if self._done else None
        if last is None:
            return
        self._undo(last.correction, by)

    def undo_at(self, named: str, by: str) -> None:
        """Undo what was done last with a fact, or with the names in it; raises RecordError where nothing was."""
        found = self._acts(self._fact(named))
        if not found:
            raise RecordError("Nothing was corrected there that could be undone.")
        self.undo_of(found, by)

    def undo_of(self, found: list[str], by: str) -> None:
        """Undo corrections by their IRIs; raises RecordError where that can't be."""
        self._undo(found, by)
        with self._lock:
            self._done = [one for one in self._done if one.correction not in found]

    def _undo(self, found: str | list[str], by: str) -> None:
        back = self._ws.undo(found, by or None)
        self._undone = f"Undone: {back.word}, {back.about}."

    def _acts(self, fact: Triple) -> list[str]:
        graph = self._ws.graph
        own = [(one.derived_from or (one.iri,))[0] for one in stored_corrections.last_with(graph, fact)]
        if own:
            return list(dict.fromkeys(own))
        ends = {one.value for one in (fact.subject, fact.object) if isinstance(one, NamedNode)}
        read = {iri for end in ends for iri in self._ws.sources.merged.all(end)}
        named = [one for one in stored_corrections.of_entities(graph) if read & {one.entity, *one.aliases}]
        return [one.iri for one in stored_corrections.standing(graph, named)][-1:]

    def told(self) -> Corrected:
        """Return what was done last: what was undone just now, or what can be undone."""
        with self._lock:
            undone, self._undone = self._undone, ""
            return {"t": "corrected", "said": self._done[-1].said if self._done else "", "undone": undone}

    def _note(self, said: str) -> None:
        with self._lock:
            self._done.append(_Done(said, self._ws.curations[0].iri))

    def _fact(self, named: str) -> Triple:
        if recognise(named) is not None:
            return find_fact(self._ws.stores, named).triple
        try:
            found = list(facts_of([named]).values())
        except (ValueError, SyntaxError):
            found = []
        if len(found) != 1:
            raise RecordError(f"There is no fact {truncate(one_line(named), 60)}.")
        return found[0]

    def _words(self, fact: Triple) -> str:
        return truncate(" — ".join(map(one_line, Fact(fact, self._ws.stores).words)), _LENGTH)

    def _terms(self, before: Triple, words: tuple[str, str, str]) -> list[NamedNode | str]:
        known = edge_labels(before, self._ws.sources.labels([before]))
        old = (before.subject, before.predicate, before.object)
        return [
            term if said == word.strip() and isinstance(term, NamedNode) else word
            for term, said, word in zip(old, known, words, strict=True)
        ]

    def _passage(self, document: str, part: str | None, words: str) -> Passage:
        one = self._ws.document(document)
        page = next((page for page in one.pages if page.iri == part), None)
        return one.passage(words) if page is None else page.passage(words)
