"""What a workspace does with facts and entities: find them, and correct them by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from pyoxigraph import Literal, Triple

from explorer.display import Table
from explorer.documents.corrections import Correction
from explorer.entities import ChunkSelection, EdgeSelection
from explorer.events import Passage
from explorer.record.listing import QUESTIONS
from explorer.record.replay import begun
from explorer.stores.document_names import HasIri
from explorer.vocab import iri, session_of, timestamp
from explorer.workspace.opened import Opened

if TYPE_CHECKING:
    from explorer.documents.entities import KnownEntity
    from explorer.documents.found_facts import Fact, FactLike
    from explorer.record.curation import Change, Named
    from explorer.record.entity_merging import Belonging, Names


class Facts(Opened):
    """Facts and entities: found, shown with their passages, and corrected by hand."""

    def facts(
        self, text: str | None = None, entity: str | None = None, document: str | None = None, limit: int | None = 50
    ) -> Table[Fact]:
        """Return the facts with words of a text (best first), about an entity (IRI or name), or of a document.

        The words may stand in the fact or in its sentence. Raises RecordError for an unknown document, and for a name
        that several entities have.
        """
        from explorer.documents.found_facts import find_facts

        self.stores.refresh()
        return find_facts(self.stores, text, entity, document, limit)

    def passages(self, edge: EdgeSelection | ChunkSelection | Triple) -> list[Passage]:
        """Return all passages that a fact comes from, in order of document and offset; empty: no recorded source.

        Of a chunk that was selected: the chunk. What a run selected comes from the documents as they were then: where
        one was removed since, or a newer version is there, its passages say so in `until` and `newer`.
        """
        if isinstance(edge, ChunkSelection):
            return list(self.sources.chunk(edge.document)) if edge.document else []
        if isinstance(edge, Triple):
            return list(self.sources.passages(edge))
        if edge.edge is None:
            return []
        questions = (iri(kind, session_of(edge.iri)) for kind in QUESTIONS)
        at = next((moment for one in questions if (moment := begun(self.graph, one))), None)
        return list(self.sources.passages_at(edge.edge, at))

    def add_fact(
        self, s: Named, p: Named, o: Named | Literal, passage: Passage | str | None = None, by: str | None = None,
        *, instead_of: FactLike | None = None, reason: str = "",
    ) -> Fact:  # fmt: skip
        """Add a fact by hand, of names or IRIs, with the passage (or the IRI of the chunk) that it rests on, if any.

        It is on record as curated, with the time, who it was (`by`, or EXPLORER_USER) and the `reason`. A retracted one
        is back. What it stands `instead_of`, named as `retract` takes it, is retracted in the same step.
        Raises RecordError for what is no fact, no passage here, or a reason that is too long.
        """
        from explorer.documents.found_facts import Fact, find_fact
        from explorer.record.curation import add_fact, fact_of

        self._check_writable()
        fact, names = fact_of(s, p, o)
        before = None if instead_of is None else find_fact(self.stores, instead_of).triple
        add_fact(self._change(by, reason), self.embedder, fact, names, passage, before=before)
        return Fact(fact, self.stores)

    def retract(
        self, fact: FactLike, by: str | None = None, instead: FactLike | None = None, *, reason: str = ""
    ) -> Fact:
        """Take a fact back, given itself, by its words, or by the IRI of a selection: it answers no more.

        Who it was, when and why is on record; past runs show it with that, and with the fact that says it right,
        `instead`; no file brings it back; `add_fact` does. Raises RecordError where it is not among the facts.
        """
        from explorer.documents.found_facts import find_fact
        from explorer.record.curation import retract

        self._check_writable()
        found = find_fact(self.stores, fact)
        right = None if instead is None else find_fact(self.stores, instead).triple
        retract(self._change(by, reason), self.embedder, found.triple, right)
        return found

    def merge(self, kept: Named, other: Named, by: str | None = None, *, reason: str = "") -> KnownEntity:
        """Merge two entities, by name or IRI, into one; `kept` keeps its name, or is a new one.

        The facts of `other` are those of `kept`, in answers, tables and walks, also what is read later. What is stored
        stays as it came. On record with the time, who it was and why; `undo` takes it back. Raises RecordError for an
        unknown entity.
        """
        from explorer.documents.entities import known
        from explorer.record.entity_merging import merge

        self._check_writable()
        return known(self.traces, merge(self._change(by, reason), self.embedder, kept, other))

    def split(
        self,
        entity: Named,
        names: Iterable[str] | Mapping[str, Iterable[Belonging | Fact] | Belonging | Fact],
        by: str | None = None,
        *,
        reason: str = "",
    ) -> Table[KnownEntity]:
        """Have an entity be several, by their names: one that was merged with it is by itself again.

        Any other name gets the facts of the passages that have it in their words, or what is given for it: documents,
        passages or facts. What is left over stays. On record with the time, who it was and why; `undo` takes it back.
        Raises RecordError for an unknown entity, and where a name gets nothing.
        """
        from explorer.documents.entities import entity_table, known
        from explorer.record.entity_merging import split

        self._check_writable()
        made = split(self._change(by, reason), self.embedder, entity, _triples(names))
        return entity_table(known(self.traces, iri) for iri in made)

    def undo(
        self, correction: str | HasIri | Iterable[str | HasIri] | None = None, by: str | None = None
    ) -> Correction:
        """Take back what was corrected, one of `curations` or several, or by IRI; by default the last that stands.

        All of it is taken back or nothing, also what was done in the same step; returned is the first. Both acts are on
        record.
        Raises RecordError where something else was done with the same fact since, and where the
        source of a fact that would be back is not here any more.
        """
        from explorer.documents.corrections import correction as correction_of
        from explorer.record.curation import undo

        self._check_writable()
        given = [correction] if isinstance(correction, str | HasIri) else [*(correction or ())]
        named = [one.iri if isinstance(one, HasIri) else one for one in given]
        return correction_of(self.stores, undo(self._change(by), self.embedder, named)[0])

    @property
    def curations(self) -> Table[Correction]:
        """What people corrected by hand, the last first, with when, who it was and why; shown as a table."""
        from explorer.documents.corrections import corrections

        self.stores.refresh()
        return corrections(self.stores)

    def entities(self, text: str | None = None, limit: int = 50) -> Table[KnownEntity]:
        """Return the entities with a text in their name, or all; those with most links first."""
        from explorer.documents.entities import find_entities

        self.stores.refresh()
        return find_entities(self.traces, text, limit)

    def entity(self, named: Named) -> KnownEntity:
        """Return the entity that a name or IRI means, with its facts, neighbours and documents; raises RecordError."""
        from explorer.documents.entities import known
        from explorer.record.entity_merging import needed_entity

        self.stores.refresh()
        return known(self.traces, needed_entity(self.stores, named))

    def _change(self, by: str | None, reason: str = "") -> Change:
        from explorer.record.curation import Change, signed

        return Change(self.stores, signed(timestamp(self._clock()), by, reason))


def _triples(names: Iterable[str] | Mapping[str, Iterable[Belonging | Fact] | Belonging | Fact]) -> Names:
    from explorer.documents.found_facts import Fact

    if not isinstance(names, Mapping):
        return names

    def plain(one: Belonging | Fact) -> Belonging:
        return one.triple if isinstance(one, Fact) else one

    return {
        name: [plain(one) for one in of] if isinstance(of, Iterable) and not isinstance(of, str | Triple) else plain(of)
        for name, of in names.items()
    }
