"""What people have corrected in a collection, as its graph records it, and the journal by which that is written.

The library is the journal: what the graph is to say is written there together with the rows that come or go; then the
graph says it, in one transaction; then the journal is cleared. What was cut off in between is finished when the
collection is next opened.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from pyoxigraph import NamedNode, Quad, RdfFormat, Triple, parse, serialize

from explorer import rdf
from explorer.entities import RETRACTED, Curation
from explorer.stores.database import Database
from explorer.stores.graph import GraphStore, OxigraphStore
from explorer.vocab import ANNOTATION, OA, RDF, X, recognise


def of_fact(graph: GraphStore, fact: Triple) -> list[Curation]:
    """Return what was done with a fact by hand, in order."""
    return _read(graph, (quad.subject for quad in graph.match(None, X.fact, fact, ANNOTATION)))


def of_entity(graph: GraphStore, entity: str) -> list[Curation]:
    """Return what was done with an entity by hand, in order."""
    return _read(graph, (quad.subject for quad in graph.match(None, OA.hasTarget, NamedNode(entity), ANNOTATION)))


def retracted(graph: GraphStore) -> frozenset[Triple]:
    """Return the facts that were taken back, and not added again since."""
    everything = _read(graph, (quad.subject for quad in graph.match(None, RDF.type, X.Curation, ANNOTATION)))
    last = {one.fact: one.act for one in everything if one.fact is not None}
    return frozenset(fact for fact, act in last.items() if act == RETRACTED)


def begin(connection: sqlite3.Connection, quads: Iterable[Quad], gone: Iterable[Quad] = ()) -> None:
    """Write down what the graph is to hold and no longer to hold, within the caller's transaction."""
    connection.execute("INSERT INTO curating (quads, gone) VALUES (?, ?)", (_text(quads), _text(gone)))


def finish(graph: OxigraphStore, database: Database) -> None:
    """Bring all that the journal holds into the graph."""
    begun = database.rows("SELECT number, quads, gone FROM curating ORDER BY number")
    for row in begun:
        quads, gone = (list(parse(row[name], format=RdfFormat.N_QUADS)) for name in ("quads", "gone"))
        graph.replace((), quads, gone)
        with database.writing() as connection:
            connection.execute("DELETE FROM curating WHERE number = ?", (row["number"],))
    if begun:
        graph.flush()


def _read(graph: GraphStore, nodes: Iterable[object]) -> list[Curation]:
    named = dict.fromkeys(node for node in nodes if isinstance(node, NamedNode))
    found = rdf.entities(quad for node in named for quad in graph.match(node, None, None, ANNOTATION))
    return sorted((one for one in found if isinstance(one, Curation)), key=lambda one: (_index(one), one.iri))


def _index(one: Curation) -> int:
    named = recognise(one.iri)
    return (named.index or 0) if named else 0


def _text(quads: Iterable[Quad]) -> bytes:
    return serialize(list(quads), format=RdfFormat.N_QUADS) or b""
