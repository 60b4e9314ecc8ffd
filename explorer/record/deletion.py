"""Deleting a run: its record, its texts and what was written about it go; its IRI, the time and a hash stay.

The library is the journal. What is to be deleted is written there together with the end of its texts and of its row in
the list; then its triples go, in one transaction, and the journal is cleared. What was cut off in between is finished
when the collection is next opened.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from pyoxigraph import NamedNode, Quad

from explorer import entities as e
from explorer import rdf
from explorer.errors import RecordError
from explorer.events import Content, Explain
from explorer.record.listing import Listing
from explorer.record.replay import Replay
from explorer.stores.collection import Collection
from explorer.stores.library import put_contents
from explorer.vocab import ANNOTATION, OA, PROV, RETRIEVAL, X


@dataclass(frozen=True, slots=True)
class Deletion:
    """A run that was deleted, with all that it takes to restore it: as long as this value is kept, it can be."""

    iri: str
    deleted_at: str
    sha256: str
    quads: tuple[Quad, ...] = field(repr=False)
    contents: tuple[Content, ...] = field(repr=False)

    @property
    def question(self) -> str:
        """What was asked."""
        found = (one for one in rdf.entities(self.quads) if isinstance(one, e.Question) and one.iri == self.iri)
        return next(found).query

    @property
    def name(self) -> str:
        """What a person called it; empty without a name."""
        notes = (one for one in rdf.entities(self.quads) if isinstance(one, e.Note) and one.run == self.iri)
        return next((note.title or "" for note in notes), "")


def deleted(stores: Collection, iri: str) -> e.Deleted | None:
    """Return what is left of a run that was deleted; None for anything else."""
    described = rdf.entities(stores.graph.match(NamedNode(iri), None, None, RETRIEVAL))
    return next((one for one in described if isinstance(one, e.Deleted)), None)


def gone(left: e.Deleted) -> RecordError:
    """Return what is said of a run that was deleted."""
    when = f" on {left.invalidated_at[:10]}" if left.invalidated_at else ""
    return RecordError(f"The run {left.iri} was deleted{when}; only its IRI, that time and a hash of it are on record.")


def delete(stores: Collection, run: str, moment: str) -> Deletion:
    """Delete a top-level run that has ended; all of it or nothing."""
    events = [event for event in Replay(stores, run).events() if isinstance(event, Explain)]
    nodes = _nodes(stores, run, events)
    quads = tuple(quad for node, graph in nodes for quad in stores.graph.match(node, None, None, graph))
    own = {node for node, _ in nodes}
    contents = tuple(one for event in events for one in event.contents if not _is_shared(stores, one.iri, own))
    done = Deletion(run, moment, _digest(quads), quads, contents)
    with stores.database.writing() as connection:
        connection.execute(
            "INSERT OR REPLACE INTO deletions VALUES (?, ?, ?, ?)",
            (run, moment, done.sha256, json.dumps([one.iri for one in contents])),
        )
    finish_deletions(stores)
    return done


def restore(stores: Collection, deletion: Deletion) -> None:
    """Bring back a run that was deleted; raises RecordError where it is not, and so was restored before."""
    if deleted(stores, deletion.iri) is None:
        raise RecordError(f"The run {deletion.iri} is not deleted here.")
    with stores.database.writing() as connection:
        named = json.dumps([one.iri for one in deletion.contents])
        connection.execute(  # until all of it is back
            "INSERT OR REPLACE INTO deletions VALUES (?, ?, ?, ?)",
            (deletion.iri, deletion.deleted_at, deletion.sha256, named),
        )
        put_contents(connection, deletion.contents)
    stores.graph.replace([(NamedNode(deletion.iri), RETRIEVAL)], deletion.quads)
    with stores.database.writing() as connection:
        connection.execute("DELETE FROM deletions WHERE iri = ?", (deletion.iri,))
    stores.graph.flush()


def finish_deletions(stores: Collection) -> None:
    """Delete all that the journal says is to be deleted."""
    begun = list(stores.database.rows("SELECT iri, moment, sha256, contents FROM deletions ORDER BY iri"))
    for row in begun:
        run: str = row["iri"]
        with stores.database.writing() as connection:
            named = [(iri,) for iri in json.loads(row["contents"])]
            connection.executemany("DELETE FROM contents WHERE iri = ?", named)
        Listing(stores.database).drop([run])
        if deleted(stores, run) is None:
            events = [event for event in Replay(stores, run).events() if isinstance(event, Explain)]
            left = e.Deleted(iri=run, invalidated_at=row["moment"], sha256=row["sha256"])
            stores.graph.replace(_nodes(stores, run, events), rdf.triples(left))
        with stores.database.writing() as connection:
            connection.execute("DELETE FROM deletions WHERE iri = ?", (run,))
    if begun:
        stores.graph.flush()


def _nodes(stores: Collection, run: str, events: Iterable[Explain]) -> list[tuple[NamedNode, NamedNode]]:
    """Return the nodes of a run, each with its graph, and those that say something about it.

    A node of an imported record that another run leads to as well stays.
    """
    graph = stores.graph
    named = dict.fromkeys(q.subject for event in events for q in event.triples if isinstance(q.subject, NamedNode))
    stay = {
        node for node in named
        for above in _named(quad.object for quad in graph.match(node, PROV.wasDerivedFrom, None, RETRIEVAL))
        if above not in named and any(graph.match(above, None, None, RETRIEVAL))
    }  # fmt: skip
    about = _named(
        quad.subject for link in (OA.hasTarget, X.influenceOn)
        for quad in graph.match(None, link, NamedNode(run), ANNOTATION)
    )  # fmt: skip
    about += _named(quad.object for node in about for quad in graph.match(node, X.rating, None, ANNOTATION))
    return [*((node, RETRIEVAL) for node in named if node not in stay), *((node, ANNOTATION) for node in about)]


def _named(terms: Iterable[object]) -> list[NamedNode]:
    return [term for term in terms if isinstance(term, NamedNode)]


def _is_shared(stores: Collection, content: str, own: set[NamedNode]) -> bool:
    """Return whether something else has a content too: a bad import may name another run's text, or a document."""
    node = NamedNode(content)
    others = any(quad.subject not in own for quad in stores.graph.match(None, None, node))
    return others or any(quad.graph_name != RETRIEVAL for quad in stores.graph.match(node))


def _digest(quads: Iterable[Quad]) -> str:
    lines = sorted(f"{quad} .\n".encode() for quad in quads if quad.graph_name == RETRIEVAL)
    return hashlib.sha256(b"".join(lines)).hexdigest()
