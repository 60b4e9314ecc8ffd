"""What people correct: facts that they add or take back. Each act is on record with its time and who it was.

An added fact has an extraction of its own, by the agent "curator". One that is taken back leaves the facts and what
finds them; where it was taken from stays on record, for the runs that have used it, and no file brings it back.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer import rdf
from explorer.entities import ADDED, RETRACTED, Activity, Curation, Subgraph
from explorer.errors import RecordError
from explorer.events import Passage
from explorer.ingest.entries import entity_entry
from explorer.ingest.given.facts import is_value
from explorer.ingest.parsed import name_of
from explorer.ingest.provenance import CURATOR, VERSION, activity_quads
from explorer.ingest.reindex import sentence_entries
from explorer.ingest.vectors import Vectors
from explorer.rdf.labels import edge_labels
from explorer.stores import curated
from explorer.stores.facts import is_fact
from explorer.stores.library import Span, put_spans
from explorer.stores.limited import HasIri
from explorer.stores.link_graph import drop_unlinked
from explorer.stores.vectors.search import claim_embedder, put_vectors, stored_keys
from explorer.text import one_line, truncate
from explorer.vocab import FACTS, RDFS, entity_iri, iri, local_name

if TYPE_CHECKING:
    from explorer.models.embedding import Embedder
    from explorer.stores.collection import Collection

_LONGEST, _LONGEST_NAME = 200, 1_000  # characters of who it was, and of a name in a fact
_IRI = re.compile(r"[a-z][a-z0-9+.-]*://\S+|urn:\S+", re.IGNORECASE)

Named = str | NamedNode | HasIri
"""An entity or a predicate: its name, its IRI, or a value that has one."""


def person(by: str | None) -> str | None:
    """Return who it was, on one line: as given, or else by EXPLORER_USER; None where neither says so."""
    return one_line(os.environ.get("EXPLORER_USER", "") if by is None else by)[:_LONGEST].strip() or None


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
        name = _name(given)
        if _IRI.fullmatch(name):
            try:
                return NamedNode(name)
            except ValueError:
                raise RecordError(f"{name!r} is not an IRI; give a name, or check it.") from None
        return NamedNode(names.setdefault(name, name) and entity_iri(name))

    end = Literal(_name(obj)) if isinstance(obj, str) and is_value(_name(obj)) else obj
    fact = Triple(node(subject), node(predicate), end if isinstance(end, Literal) else node(end))
    return fact, {entity_iri(name): name for name in names}


def _name(given: object) -> str:
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


def _standing(stores: Collection, passage: Passage | str) -> tuple[Passage, int]:
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


def add_fact(
    stores: Collection, embedder: Embedder, fact: Triple, names: Mapping[str, str], given: Passage | str | None, *,
    moment: str, by: str | None,
) -> None:  # fmt: skip
    """Store a fact as added by hand, with the passage it rests on if there is one; all of it or nothing.

    `given` is a passage, or the IRI of one; `names` are those of what has none yet. One that was retracted is back,
    with all its passages. Adding it once more changes nothing. Raises RecordError for a triple that is no fact.
    """
    quad = _quad(fact)
    if not is_fact(quad):
        raise RecordError(f"{one_line(str(fact))} describes a document or the record, and is no fact to add.")
    with stores.database.storing:
        passage, offset = (None, 0) if given is None else _standing(stores, given)
        held = _held(fact, passage, offset)
        is_told = held.iri in stores.sources.records(fact)
        if is_told and quad in stores.graph.store:
            return
        activity = _activity(held.iri, passage, moment)
        quads = [quad, *_labels(stores, names), *rdf.triples(_act(stores, fact, ADDED, moment, by))]
        if not is_told:
            quads += [*rdf.triples(replace(held, generated_by=activity.iri)), *activity_quads(activity)]
        labels = dict(names) | stores.sources.labels([fact])
        found = [*stores.sources.passages(fact), *([passage] if passage and not is_told else [])]
        placed = list(sentence_entries(stores.sources, fact, found, edge_labels(fact, labels)))
        ends = dict.fromkeys(end.value for end in (fact.subject, fact.object) if isinstance(end, NamedNode))
        there = stored_keys(stores.database, "entity", list(ends))
        entities = [entity_entry(end, labels.get(end) or local_name(end)) for end in ends if end not in there]
        vectors = Vectors(embedder).of_entries([*(entry for _, entry in placed), *entities])
        with stores.database.writing() as connection:
            claim_embedder(connection, embedder.name)
            for row, (document, entry) in enumerate(placed):
                put_vectors(connection, "edge", document, [entry], vectors[row : row + 1])
            put_vectors(connection, "entity", "", entities, vectors[len(placed) :])
            if passage is not None:
                put_spans(connection, {held.iri: Span(passage.chunk, offset, offset + len(passage.text), CURATOR)})
            curated.begin(connection, quads)
        _finish(stores)


def retract(stores: Collection, fact: Triple, moment: str, by: str | None) -> None:
    """Take a fact back; all of it or nothing. Raises RecordError where it is not among the facts."""
    quad = _quad(fact)
    with stores.database.storing:
        if quad not in stores.graph.store or not is_fact(quad):
            before = curated.of_fact(stores.graph, fact)
            why = f": it was {before[-1].words}" if before and before[-1].act == RETRACTED else ""
            words = " — ".join(edge_labels(fact, stores.sources.labels([fact])))
            raise RecordError(f"“{one_line(words)}” is not among the facts here{why}.")
        act = _act(stores, fact, RETRACTED, moment, by)
        with stores.database.writing() as connection:
            connection.execute("DELETE FROM vectors WHERE kind = 'edge' AND key = ?", (str(fact),))
            drop_unlinked(connection)
            curated.begin(connection, rdf.triples(act), [quad])
        _finish(stores)


def _finish(stores: Collection) -> None:
    curated.finish(stores.graph, stores.database)
    stores.sources.forget()


def _act(stores: Collection, fact: Triple, act: str, moment: str, by: str | None) -> Curation:
    number = len(curated.of_fact(stores.graph, fact))
    return Curation(iri=iri("curation", name_of(str(fact)), number), act=act, fact=fact, made_at=moment, by=by)


def _held(fact: Triple, passage: Passage | None, offset: int) -> Subgraph:
    """Describe where an added fact stands: in words of a chunk, or nowhere."""
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
        if stores.sources.label(node) is None:
            yield Quad(NamedNode(node), RDFS.label, Literal(name), FACTS)


def _quad(fact: Triple) -> Quad:
    return Quad(fact.subject, fact.predicate, fact.object, FACTS)
