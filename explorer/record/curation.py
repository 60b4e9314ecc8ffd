"""What people correct: facts that they add or take back. Each act is on record with its time, who it was, and why.
When one is undone facts and entities are as they were, and both acts stay on record.

An added fact has an extraction of its own, by the agent "curator". One that is taken back leaves the facts and what
finds them; where it was taken from stays on record, for the runs that have used it, and no file brings it back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer import rdf
from explorer.entities import ADDED, RETRACTED, UNDONE, Activity, Curation, Subgraph
from explorer.errors import RecordError
from explorer.events import Passage
from explorer.ingest.by_hand import carried_node
from explorer.ingest.given.curated_facts import is_value
from explorer.ingest.indexed_rows import entity_entry
from explorer.ingest.parsed import name_of
from explorer.ingest.provenance import CURATOR, VERSION, activity_quads
from explorer.ingest.reindex import Placed, sentence_entries
from explorer.ingest.removal import is_used
from explorer.ingest.vectors import Vectors
from explorer.models.embedding import Embedder
from explorer.rdf.labels import edge_labels
from explorer.record.person import person
from explorer.stores import stored_corrections
from explorer.stores.chunks import Span, put_spans
from explorer.stores.collection import Collection
from explorer.stores.curation_journal import Act, performing
from explorer.stores.database import Transaction, drop
from explorer.stores.default_graph import is_fact, quad_of
from explorer.stores.document_names import HasIri
from explorer.stores.ledger import Unsealed
from explorer.stores.link_graph import drop_unlinked
from explorer.stores.merged_entities import put_merged
from explorer.stores.vectors.search import claim_embedder, put_vectors, stored_keys
from explorer.text import one_line, truncate
from explorer.vocab import FACTS, RDFS, SOURCE, entity_iri, iri, local_name

_LONGEST_NAME = 1_000  # characters of a name in a fact
_LONGEST_REASON = 1_000  # characters
_IRI = re.compile(r"[a-z][a-z0-9+.-]*://\S+|urn:\S+", re.IGNORECASE)

Named = str | NamedNode | HasIri
"""An entity or a predicate: its name, its IRI, or a value that has one."""


def signed(moment: str, by: str | None, reason: str = "") -> Curation:
    """Return an act that says when it is, who it is and for what reason, and not what; raises RecordError for a reason
    that is too long.
    """
    text = one_line(reason)
    if len(text) > _LONGEST_REASON:
        raise RecordError(f"A reason has at most {_LONGEST_REASON:,} characters, and this one has {len(text):,}.")
    return Curation(iri="", made_at=moment, by=person(by), reason=text or None)


def fact_of(subject: Named, predicate: Named, obj: Named | Literal) -> tuple[Triple, dict[str, str]]:
    """Return a fact, and the names that it was given in by the IRIs that they make; raises RecordError.

    As in a file of facts, an object that begins like a value ("983 psi", "about 40") is one, and no entity.
    """
    names: dict[str, str] = {}

    def node(given: Named) -> NamedNode:
        if isinstance(given, NamedNode):
            return given
        if isinstance(given, HasIri):
            return NamedNode(given.iri)
        name = name_given(given)
        if _IRI.fullmatch(name):
            try:
                return NamedNode(name)
            except ValueError:
                raise RecordError(f"{name!r} is not an IRI; give a name, or check it.") from None
        return NamedNode(names.setdefault(name, name) and entity_iri(name))

    end = Literal(name_given(obj)) if isinstance(obj, str) and is_value(name_given(obj)) else obj
    fact = Triple(node(subject), node(predicate), end if isinstance(end, Literal) else node(end))
    return fact, {entity_iri(name): name for name in names}


def name_given(given: object) -> str:
    """Return a name on one line; raises RecordError for what is none."""
    name = one_line(given) if isinstance(given, str) else ""
    try:
        name.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        name = ""
    if not name or len(name) > _LONGEST_NAME:
        raise RecordError(
            f"A fact has a name or an IRI of at most {_LONGEST_NAME:,} characters at each place, not "
            f"{truncate(one_line(repr(given)), 60)}."
        )
    return name


def standing_at(stores: Collection, passage: Passage | str) -> tuple[Passage, int]:
    """Return a passage, given whole or by the IRI of a chunk or of what was taken from it, and where it begins in
    its chunk; raises RecordError for words that do not stand there.
    """
    if isinstance(passage, str):
        found = stores.sources.chunk(passage) or stores.sources.passage(passage)
        if not found:
            raise RecordError(f"There is no passage {one_line(passage)} here; take one of ws.search(…) or its chunk.")
        passage = found[0]
    for chunk in stores.sources.chunk(passage.chunk):
        start = passage.start - chunk.start
        if start >= 0 and passage.text and chunk.text[start:].startswith(passage.text):
            return passage, start
    raise RecordError(f"The words “{truncate(one_line(passage.text), 60)}” do not stand in a document here.")


@dataclass(slots=True)
class Change:
    """What a correction changes: its `acts`, facts that `come`, each with the passages that it is found by, facts that
    are `gone`, other quads that come or go, spans in chunks that do so, and names of entities by their IRIs; `entries`
    by which facts are found at once, each with its document, what is done `also` with the library, and entries of the
    ledger that are `due`.
    """

    stores: Collection
    signature: Curation
    acts: list[Curation] = field(default_factory=list)
    come: dict[Triple, tuple[Passage, ...]] = field(default_factory=dict)
    gone: list[Triple] = field(default_factory=list)
    quads: list[Quad] = field(default_factory=list)
    less: list[Quad] = field(default_factory=list)
    spans: dict[str, Span] = field(default_factory=dict)
    no_spans: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    entries: list[Placed] = field(default_factory=list)
    also: list[Callable[[Transaction], None]] = field(default_factory=list)
    due: list[Unsealed] = field(default_factory=list)
    _before: list[Curation] = field(default_factory=list)

    def did(self, act: str, fact: Triple, of: Curation | None = None, instead: Triple | None = None) -> Curation:
        """Put down what is done with a fact, by itself, or as a part or the end `of` another act."""
        return self._put(replace(self.signature, act=act, fact=fact, instead=instead), str(fact), of)

    def did_with(self, act: str, entity: str, aliases: Iterable[str], of: Curation | None = None) -> Curation:
        """Put down what is done with an entity."""
        return self._put(replace(self.signature, act=act, entity=entity, aliases=tuple(aliases)), entity, of)

    def _put(self, act: Curation, about: str, of: Curation | None) -> Curation:
        self._before = self._before or stored_corrections.everything(self.stores.graph)
        before = (*self._before, *self.acts)
        number = sum((one.fact, one.entity) == (act.fact, act.entity) for one in before)
        order = max((one.order or 0 for one in before), default=-1) + 1
        named = iri("curation", name_of(about), number)
        self.acts.append(replace(act, iri=named, order=order, derived_from=(of.iri,) if of else ()))
        return self.acts[-1]

    def add(self, fact: Triple, names: Mapping[str, str], places: Iterable[tuple[Passage, int] | None]) -> bool:
        """Bring a fact with the passages that it rests on, each with its place in its chunk, or without one.

        Returns whether all of it is on record already.
        """
        found, known = passages_of(self.stores, fact), self.stores.sources.records(fact)
        self.quads += _labels(self.stores, names)
        self.names |= names
        is_told = True
        for place in places:
            passage, offset = place or (None, 0)
            held = _held(fact, passage, offset)
            if held.iri in known:
                continue
            is_told = False
            activity = _activity(held.iri, passage, self.signature.made_at or "")
            self.quads += [*rdf.triples(replace(held, generated_by=activity.iri)), *activity_quads(activity)]
            if passage is not None:
                found.append(passage)
                self.spans[held.iri] = Span(passage.chunk, offset, offset + len(passage.text), CURATOR)
        self.come[fact] = tuple(found)
        return is_told

    def write(self, embedder: Embedder) -> None:
        """Store it: all of it or nothing, also after a kill. The caller holds `database.correcting`."""
        stores, sources = self.stores, self.stores.sources
        labels = sources.own_labels(self.come) | self.names
        told = {entry.key for _, entry in self.entries}
        placed = [*self.entries, *(
            one for fact, found in self.come.items() if found or str(fact) not in told
            for one in sentence_entries(sources, fact, found, edge_labels(fact, labels))
        )]  # fmt: skip
        merged = stored_corrections.merged(stores.graph, [*stored_corrections.of_entities(stores.graph), *self.acts])
        merged = merged.called({**merged.names, **self.names})
        ends = [*(_ends(self.come) | dict.fromkeys(merged.keepers))]
        there = stored_keys(stores.database, "entity", ends)
        named = {end: labels.get(end) or merged.names.get(end) or local_name(end) for end in ends if end not in there}
        entities = [entity_entry(end, name) for end, name in named.items()]
        vectors = Vectors(embedder).of_entries([*(entry for _, entry in placed), *entities])
        acts = (quad for act in self.acts for quad in rdf.triples(act))
        come, gone = [*self.quads, *map(quad_of, self.come), *acts], [*map(quad_of, self.gone), *self.less]
        with performing(
            stores.graph, stores.database, "facts", [Act(gone=gone, come=come, due=self.due)]
        ) as connection:
            connection.alone()
            if placed or entities:
                claim_embedder(connection, embedder.name)
            drop(connection, "vectors", "key", map(str, (*self.come, *self.gone)), "AND kind = 'edge'")
            for row, (document, entry) in enumerate(placed):
                put_vectors(connection, "edge", document, [entry], vectors[row : row + 1])
            put_vectors(connection, "entity", "", entities, vectors[len(placed) :])
            put_spans(connection, self.spans)
            drop(connection, "spans", "subgraph", self.no_spans)
            before = put_merged(connection, merged)
            drop_unlinked(connection, {*_ends(self.gone), *before})
            for step in self.also:
                step(connection)
        sources.forget()


def passages_of(stores: Collection, fact: Triple) -> list[Passage]:
    """Return the passages of a fact by itself in the documents that are here."""
    found = (passage for node in stores.sources.records(fact) for passage in stores.sources.passage(node))
    return [passage for passage in found if passage.until is None]


def add_fact(
    change: Change, embedder: Embedder, fact: Triple, names: Mapping[str, str], given: Passage | str | None,
    *, before: Triple | None = None,
) -> None:  # fmt: skip
    """Store a fact as added by hand, with the passage it rests on if there is one; all of it or nothing.

    `given` is a passage, or the IRI of one; `names` are those of what has none yet. One that was retracted is back,
    with all its passages. Adding it once more changes nothing. What it stands in place of, `before`, is retracted in
    the same step. Raises RecordError for a triple that is no fact, and for one in place of itself.
    """
    stores = change.stores
    if not is_fact(quad_of(fact)):
        raise RecordError(f"{one_line(str(fact))} describes a document or the record, and is no fact to add.")
    if fact == before:
        raise RecordError("These are the words that it has already; change one of them.")
    with stores.database.correcting:
        is_told = change.add(fact, names, [None if given is None else standing_at(stores, given)])
        is_new = not is_told or quad_of(fact) not in stores.graph
        if is_new:
            change.did(ADDED, fact)
        if before is not None:
            _take_back(change, before, fact)
        if is_new or before is not None:
            change.write(embedder)


def retract(change: Change, embedder: Embedder, fact: Triple, instead: Triple | None = None) -> None:
    """Take a fact back, with all that are read as the same, where there is one `instead` of it; all of it or nothing.

    Raises RecordError where it is not among the facts.
    """
    with change.stores.database.correcting:
        _take_back(change, fact, instead)
        change.write(embedder)


def _take_back(change: Change, fact: Triple, instead: Triple | None) -> None:
    """Have a fact go, with all that are read as the same but what comes instead."""
    stores = change.stores
    variants = (one for one in stores.sources.merged.variants(fact) if one not in change.come)
    change.gone = [one for one in variants if quad_of(one) in stores.graph]
    if not change.gone or not is_fact(quad_of(fact)):
        before = stored_corrections.last_of(stores.graph, fact)
        why = f": it was {before.words}" if before and before.act == RETRACTED else ""
        words = " — ".join(edge_labels(fact, stores.sources.labels([fact])))
        raise RecordError(f"“{one_line(words)}” is not among the facts here{why}.")
    first = change.did(RETRACTED, change.gone[0], instead=instead)
    for other in change.gone[1:]:
        change.did(RETRACTED, other, first)


def is_by_hand(node: str, fact: Triple, passages: Iterable[Passage]) -> bool:
    """Return whether a node of the source graph is what adding a fact by hand has made."""
    own = [one for one in passages if one.subgraph == node]
    found = (each for one in own for each in (_held(fact, one, 0).iri, carried_node(fact, one)))
    return node in (_held(fact, None, 0).iri, *found)


def _ends(facts: Iterable[Triple]) -> dict[str, None]:
    ends = (end.value for fact in facts for end in (fact.subject, fact.object) if isinstance(end, NamedNode))
    return dict.fromkeys(ends)


def _held(fact: Triple, passage: Passage | None, offset: int) -> Subgraph:
    if passage is None:
        return Subgraph(iri=iri("subgraph", name_of(CURATOR, fact)), contains=(fact,))
    return Subgraph(
        iri=iri("subgraph", name_of(CURATOR, fact, passage.chunk, passage.start, passage.end)),
        contains=(fact,),
        derived_from=(passage.chunk,),
        source_text=passage.text,
        source_offset=offset,
        source_length=len(passage.text),
    )


def _activity(held: str, passage: Passage | None, moment: str) -> Activity:
    return Activity(
        iri=iri("activity", name_of(held, moment)),
        label=f"{CURATOR} extraction",
        used=(passage.document,) if passage else (),
        associated_with=iri("agent", CURATOR),
        started_at=moment,
        version=VERSION,
    )


def _labels(stores: Collection, names: Mapping[str, str]) -> Iterator[Quad]:
    for node, name in names.items():
        if stores.sources.own_label(node) is None:
            yield Quad(NamedNode(node), RDFS.label, Literal(name), FACTS)


def undo(change: Change, embedder: Embedder, named: Sequence[str]) -> list[str]:
    """Take back what was corrected, by the IRIs of the acts, by default the last that stands; returns their IRIs. What
    was done in one step, as a fact was put in the place of another, is taken back in one. All is stored, or nothing.

    Raises RecordError where there is nothing to undo, where something else was done with a fact since, or where the
    source of a fact that would be back is not here any more.
    """
    stores = change.stores
    with stores.database.correcting:
        meant = [_meant(stores, one) for one in dict.fromkeys(named)] or [_last(stores)]
        acts = [*{one.iri: one for act in meant for one in stored_corrections.together(stores.graph, act)}.values()]
        whole = {act.fact for act in acts}
        of = {act.iri: [act, *stored_corrections.parts(stores.graph, act.iri)] for act in acts}
        parts = [one for ones in of.values() for one in ones]
        own = {one.iri for one in parts}
        gone = (one.fact for act in acts for one in of[act.iri]
                if act.fact is None and one.act == RETRACTED and one.fact is not None)  # fmt: skip
        moved = frozenset(node for fact in gone for node in stores.sources.records(fact))
        for fact in dict.fromkeys(one.fact for one in parts if one.fact is not None):
            done = stored_corrections.standing(stores.graph, stored_corrections.of_fact(stores.graph, fact))
            if done[-1].iri in own:
                before = [one for one in done if one.iri not in own]
                if not _back(change, fact, before, done[-1], moved) and fact in whole:
                    called = _called(stores, fact)
                    raise RecordError(
                        f"The source of {called} is not here any more; add it by hand, or name another correction."
                    )
            elif fact in whole:  # of others, what was decided since stays
                raise RecordError(f"{_called(stores, fact)} was {done[-1].words}; undo that first.")
        for act in acts:
            if act.fact is not None:
                change.did(UNDONE, act.fact, act)
            else:
                change.did_with(UNDONE, act.entity or "", act.aliases, act)
        change.write(embedder)
        return [*of]


def _last(stores: Collection) -> Curation:
    whole = [
        one
        for one in stored_corrections.standing(stores.graph, stored_corrections.everything(stores.graph))
        if not one.derived_from
    ]
    if not whole:
        raise RecordError("Nothing was corrected by hand here that could be undone.")
    return whole[-1]


def _meant(stores: Collection, named: str) -> Curation:
    act = next((one for one in stored_corrections.everything(stores.graph) if one.iri == named.strip()), None)
    if act is None:
        raise RecordError(f"There is no correction {one_line(named)}; ws.curations or `explorer curations` lists them.")
    if act.act == UNDONE:
        raise RecordError("It undid something else, and is not undone itself; do that again instead.")
    if act.derived_from:
        raise RecordError(f"It is a part of {act.derived_from[0]}; undo that.")
    if later := stored_corrections.undone_by(stores.graph, act.iri):
        raise RecordError(f"It was undone already{later.when}.")
    return act


def _back(change: Change, fact: Triple, before: list[Curation], last: Curation, moved: frozenset[str]) -> bool:
    """Have a fact be there or not, as it was before its last act; returns whether it could be.

    The nodes in `moved` gave it to an entity that was split off.
    """
    stores = change.stores
    passages, records = passages_of(stores, fact), stores.sources.records(fact)
    if last.act == RETRACTED:
        if records and not passages and not any(one.act == ADDED for one in before):
            return False
        change.come[fact] = tuple(passages)
        return True
    made = [] if any(one.act == ADDED for one in before) else [
        node for node in records if is_by_hand(node, fact, passages)
    ]  # fmt: skip
    left = [one for one in passages if one.subgraph not in made and one.subgraph not in moved]
    if (before and before[-1].act == RETRACTED) or not (before or left):
        change.gone.append(fact)
    else:
        change.come[fact] = tuple(left)
    if not is_used(stores.graph, fact):
        change.less += (quad for node in made for quad in stores.graph.match(NamedNode(node), None, None, SOURCE))
        change.no_spans += made
    return True


def _called(stores: Collection, fact: Triple) -> str:
    return f"“{one_line(' — '.join(edge_labels(fact, stores.sources.labels([fact]))))}”"
