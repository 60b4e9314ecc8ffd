"""What people have corrected in a collection, as its graph records it, and the journal by which that is written.

The library is the journal: what the graph is to say is written there together with the rows that come or go; then the
graph says it, in one transaction; then the journal is cleared. What was cut off in between is finished when the
collection is next opened.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Triple, parse, serialize

from explorer import rdf
from explorer.entities import ADDED, MERGED, RETRACTED, SPLIT, UNDONE, Curation
from explorer.stores.database import Database
from explorer.stores.graph import GraphStore
from explorer.stores.merged import Merged, put_merged, renamed, stored_merged
from explorer.vocab import ANNOTATION, PROV, RDF, RDFS, X, moment, recognise

_DERIVED = PROV.wasDerivedFrom


def everything(graph: GraphStore) -> list[Curation]:
    """Return all that was done by hand, in order."""
    return _read(graph, (quad.subject for quad in graph.match(None, RDF.type, X.Curation, ANNOTATION)))


def of_fact(graph: GraphStore, fact: Triple) -> list[Curation]:
    """Return what was done with a fact by hand, in order, whether or not it was undone since."""
    return _read(graph, (quad.subject for quad in graph.match(None, X.fact, fact, ANNOTATION)))


def of_entities(graph: GraphStore) -> list[Curation]:
    """Return what was done with entities by hand, in order, with the acts that undid any of it."""
    acts = {quad.subject for quad in graph.match(None, X.alias, None, ANNOTATION)}
    return _read(graph, acts)


def standing(graph: GraphStore, acts: Iterable[Curation]) -> list[Curation]:
    """Return those of some acts that were not undone, neither themselves nor what they belong to."""
    return [one for one in acts if one.act != UNDONE and not any(undone_by(graph, iri) for iri in _itself(one))]


def undone_by(graph: GraphStore, act: str) -> Curation | None:
    """Return what undid an act; None for one that stands."""
    later = (quad.subject for quad in graph.match(None, _DERIVED, NamedNode(act), ANNOTATION))
    return next((one for one in _read(graph, later) if one.act == UNDONE), None)


def parts(graph: GraphStore, act: str) -> list[Curation]:
    """Return the facts that came or went with an act."""
    later = (quad.subject for quad in graph.match(None, _DERIVED, NamedNode(act), ANNOTATION))
    return [one for one in _read(graph, later) if one.act != UNDONE]


def last_of(graph: GraphStore, fact: Triple) -> Curation | None:
    """Return what was done last with a fact by hand, of what stands."""
    return next(reversed(standing(graph, of_fact(graph, fact))), None)


def last_with(graph: GraphStore, fact: Triple) -> list[Curation]:
    """Return what was done last with a fact by hand, of what stands: with what it belongs to, the last first.

    A fact that was put in the place of another was added as that one was retracted: these belong together.
    """
    last = last_of(graph, fact)
    if last is None:
        return []
    found = [last]
    if last.act == RETRACTED and last.instead is not None:
        other = last_of(graph, last.instead)
        found += [other] if other is not None and other.act == ADDED else []
    if last.act == ADDED:
        nodes = (quad.subject for quad in graph.match(None, X.instead, fact, ANNOTATION))
        found += standing(graph, _read(graph, nodes))[-1:]
    return sorted(found, key=_place, reverse=True)


def retracted(graph: GraphStore) -> frozenset[Triple]:
    """Return the facts that were taken back, and not added again since."""
    last = {one.fact: one.act for one in standing(graph, everything(graph)) if one.fact is not None}
    return frozenset(fact for fact, act in last.items() if act == RETRACTED)


def moved(graph: GraphStore) -> dict[Triple, tuple[Triple, ...]]:
    """Return the facts that were given to other entities when theirs was split, each with what it became."""
    found: dict[Triple, tuple[Triple, ...]] = {}
    for act in standing(graph, of_entities(graph)):
        if act.act == SPLIT and act.entity:
            back = dict.fromkeys(act.aliases, act.entity)
            held = standing(graph, parts(graph, act.iri))
            came = [one.fact for one in held if one.act == ADDED and one.fact]
            for fact in (one.fact for one in held if one.act == RETRACTED and one.fact):
                found[fact] = tuple(one for one in came if renamed(one, back) == renamed(fact, back))
    return {fact: become for fact, become in found.items() if become}


def merged(graph: GraphStore, acts: Sequence[Curation], at: str | None = None) -> Merged:
    """Return which entities are one by some acts on entities: now, or as it was at a moment (ISO 8601)."""
    asked = moment(at or "")
    if asked is not None:
        acts = [one for one in acts if (made := moment(one.made_at or "")) is None or made <= asked]
    undone = {iri for one in acts if one.act == UNDONE for iri in one.derived_from}
    held = Merged()
    for one in acts:
        if one.entity and one.iri not in undone:
            if one.act == MERGED:
                held = held.joined(one.entity, one.aliases)
            elif one.act == SPLIT:
                held = held.parted(one.aliases)
    return held.called({iri: name for iri in held.keepers if (name := name_of(graph, iri)) is not None})


def name_of(graph: GraphStore, entity: str) -> str | None:
    """Return the name of an entity that somebody named who corrected it; None for others."""
    found = graph.match(NamedNode(entity), RDFS.label, None, ANNOTATION)
    return min((quad.object.value for quad in found if isinstance(quad.object, Literal)), default=None)


def settle(graph: GraphStore, database: Database) -> None:
    """Finish what was cut off, and have the library know which entities are one by the record."""
    finish(graph, database)
    known = merged(graph, of_entities(graph))
    if known != stored_merged(database):
        with database.writing() as connection:
            put_merged(connection, known)


def begin(connection: sqlite3.Connection, quads: Iterable[Quad], gone: Iterable[Quad] = ()) -> None:
    """Write down what the graph is to hold and no longer to hold, within the caller's transaction."""
    connection.execute("INSERT INTO curating (quads, gone) VALUES (?, ?)", (_text(quads), _text(gone)))


def finish(graph: GraphStore, database: Database) -> None:
    """Bring all that the journal holds into the graph."""
    begun = database.rows("SELECT number, quads, gone FROM curating ORDER BY number")
    for row in begun:
        quads, gone = (list(parse(row[name], format=RdfFormat.N_QUADS)) for name in ("quads", "gone"))
        graph.replace((), quads, gone)
        with database.writing() as connection:
            connection.execute("DELETE FROM curating WHERE number = ?", (row["number"],))
    if begun:
        graph.flush()


def _itself(one: Curation) -> tuple[str, ...]:
    return (one.iri, *one.derived_from)


def _read(graph: GraphStore, nodes: Iterable[object]) -> list[Curation]:
    named = dict.fromkeys(node for node in nodes if isinstance(node, NamedNode))
    found = rdf.entities(quad for node in named for quad in graph.match(node, None, None, ANNOTATION))
    return sorted((one for one in found if isinstance(one, Curation)), key=_place)


def _place(one: Curation) -> tuple[int, str, int, str]:
    """Return the place of an act among all; those without one on record come first, in the order of their times."""
    named = recognise(one.iri)
    order = -1 if one.order is None else one.order
    return order, one.made_at or "", (named.index or 0) if named else 0, one.iri


def _text(quads: Iterable[Quad]) -> bytes:
    return serialize(list(quads), format=RdfFormat.N_QUADS) or b""
