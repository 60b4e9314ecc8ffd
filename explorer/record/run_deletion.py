"""Deleting a run: its record, its texts and what was written about it go; its IRI, the time and a hash stay."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from pyoxigraph import NamedNode, Quad, RdfFormat, parse

from explorer import entities as e
from explorer import rdf
from explorer.errors import RecordError
from explorer.events import Content, Explain
from explorer.record.node_lookup import iris, named, read
from explorer.record.replay import Replay, users
from explorer.record.verdicts import nodes_of
from explorer.stores.collection import Collection
from explorer.stores.curation_journal import Act, performing
from explorer.stores.database import drop
from explorer.stores.ledger import DELETED, RESTORED, Unsealed
from explorer.stores.library import drop_contents, put_contents
from explorer.vocab import ANNOTATION, OA, PROV, RDF, RETRIEVAL, SOURCE, X, iri, is_brought, session_of


@dataclass(frozen=True, slots=True)
class Deletion:
    """A run that was deleted, with all that it takes to restore it: as long as this value is kept, it can be.

    `to_json` and `from_json` keep it in a file.
    """

    iri: str
    deleted_at: str
    sha256: str
    quads: tuple[Quad, ...] = field(repr=False)
    contents: tuple[Content, ...] = field(repr=False)

    @property
    def asked(self) -> e.Question:
        """The question as it was recorded: how and when it was asked."""
        return next(one for one in rdf.entities(self.quads) if isinstance(one, e.Question) and one.iri == self.iri)

    @property
    def question(self) -> str:
        """What was asked."""
        return self.asked.query

    @property
    def name(self) -> str:
        """What a person called it; empty without a name."""
        notes = (one for one in rdf.entities(self.quads) if isinstance(one, e.Note) and one.run == self.iri)
        return next((note.title or "" for note in notes), "")

    def to_json(self) -> str:
        """Return all of it as one line of JSON."""
        contents = [
            {"iri": one.iri, "title": one.title, "mime": one.mime, "data": base64.b64encode(one.data).decode()}
            for one in self.contents
        ]
        told = {"iri": self.iri, "deletedAt": self.deleted_at, "sha256": self.sha256}
        return json.dumps(told | {"nquads": rdf.dump(self.quads, "nq").decode(), "contents": contents})

    @classmethod
    def from_json(cls, text: str) -> Deletion:
        """Return what `to_json` gave; raises RecordError for any other text."""
        try:
            told = json.loads(text)
            quads = tuple(parse(told["nquads"].encode(), RdfFormat.N_QUADS))
            contents = tuple(
                Content(one["iri"], one["title"], one["mime"], base64.b64decode(one["data"], validate=True))
                for one in told["contents"]
            )
            found = cls(told["iri"], told["deletedAt"], told["sha256"], quads, contents)
        except (KeyError, TypeError, AttributeError, ValueError, SyntaxError, binascii.Error) as error:
            raise RecordError("It is no run that was kept when it was deleted.") from error
        _check(found)
        return found


def deleted(stores: Collection, iri: str) -> e.Deleted | None:
    """Return what is left of a run that was deleted; None for anything else."""
    return read(stores.graph, iri, e.Deleted)


def tombstones(stores: Collection) -> list[e.Deleted]:
    """Return what is left of all runs that are deleted now, the last one last."""
    nodes = iris(quad.subject for quad in stores.graph.match(None, RDF.type, X.Deleted, RETRIEVAL))
    left = filter(None, (deleted(stores, node) for node in nodes))
    return sorted(left, key=lambda one: (one.invalidated_at or "", one.iri))


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
    brought = _brought(stores, run, events)
    quads += tuple(quad for node in brought for quad in stores.graph.match(node, None, None, SOURCE))
    contents += tuple(stores.library.contents(node.value for node in brought).values())
    done = Deletion(run, moment, _digest(quads), quads, contents)
    left = e.Deleted(iri=run, invalidated_at=moment, sha256=done.sha256)
    nodes = [node for node in nodes if not _acts_elsewhere(stores, run, node)]
    nodes += [(node, SOURCE) for node in brought]
    act = Act(nodes, come=rdf.triples(left), due=[Unsealed(run, DELETED, moment, done.sha256)])
    with performing(stores.graph, stores.database, "runs", [act]) as connection:
        drop_contents(connection, (one.iri for one in contents))
        drop(connection, "listing", "iri", [run])
    return done


def restore(stores: Collection, deletion: Deletion, moment: str) -> None:
    """Bring back a run that was deleted; raises RecordError where it is not, and so was restored before."""
    left = deleted(stores, deletion.iri)
    if left is None:
        raise RecordError(f"The run {deletion.iri} is not deleted here.")
    if left.sha256 != deletion.sha256:
        raise RecordError(f"The run {deletion.iri} that was deleted here had another record: their hashes differ.")
    due = [Unsealed(deletion.iri, RESTORED, moment, "")]
    act = Act([(NamedNode(deletion.iri), RETRIEVAL)], come=deletion.quads, due=due)
    with performing(stores.graph, stores.database, "runs", [act]) as connection:
        put_contents(connection, deletion.contents)


def _nodes(stores: Collection, run: str, events: Iterable[Explain]) -> list[tuple[NamedNode, NamedNode]]:
    """Return the nodes of a run, each with its graph, and those that say something about it.

    A node of an imported record that another run leads to as well stays.
    """
    graph = stores.graph
    own = named(quad.subject for event in events for quad in event.triples)
    above = {node: named(q.object for q in graph.match(node, PROV.wasDerivedFrom, None, RETRIEVAL)) for node in own}
    others = {one for found in above.values() for one in found} - above.keys()
    others = {one for one in others if any(graph.match(one, None, None, RETRIEVAL))}
    stay = {node for node, found in above.items() if not others.isdisjoint(found)}
    links = (OA.hasTarget, X.influenceOn)
    notes = named(quad.subject for link in links for quad in graph.match(None, link, NamedNode(run), ANNOTATION))
    ratings = (quad.object for node in notes for quad in graph.match(node, X.rating, None, ANNOTATION))
    about = named((*notes, *ratings, *nodes_of(stores, run)))
    return [*((node, RETRIEVAL) for node in own if node not in stay), *((node, ANNOTATION) for node in about)]


def _brought(stores: Collection, run: str, events: Iterable[Explain]) -> list[NamedNode]:
    found = {passage.chunk for event in events for passages in event.passages.values() for passage in passages}
    own = [NamedNode(chunk) for chunk in sorted(found) if is_brought(chunk)]
    others = {*stores.runs.iris()} - {run} if own else set()
    return [one for one in own if others.isdisjoint(users(stores, [one]))]


def _acts_elsewhere(stores: Collection, run: str, node: tuple[NamedNode, NamedNode]) -> bool:
    """Return whether a node is an engine, a model or a person of another run too."""
    found = stores.graph.match(None, PROV.wasAssociatedWith, node[0], RETRIEVAL)
    return any(quad.subject != NamedNode(iri("run", session_of(run))) for quad in found)


def _is_shared(stores: Collection, content: str, own: set[NamedNode]) -> bool:
    """Return whether something else has a content too: a bad import may name another run's text, or a document."""
    node = NamedNode(content)
    others = any(quad.subject not in own for quad in stores.graph.match(None, None, node))
    return others or any(quad.graph_name != RETRIEVAL for quad in stores.graph.match(node))


def _check(found: Deletion) -> None:
    """Refuse what would bring back more than the run whose hash it has, such as facts, or texts of documents."""
    named = {quad.object for quad in found.quads}
    others = [quad for quad in found.quads if quad.graph_name not in (RETRIEVAL, ANNOTATION)]
    whole = (
        _digest(found.quads) == found.sha256
        and all(quad.graph_name == SOURCE and any(map(is_brought, iris([quad.subject]))) for quad in others)
        and all(NamedNode(one.iri) in named for one in found.contents)
    )
    if not whole:
        raise RecordError(f"What was kept of the run {found.iri} was changed: it does not have the hash that it names.")


def _digest(quads: Iterable[Quad]) -> str:
    lines = sorted(f"{quad} .\n".encode() for quad in quads if quad.graph_name == RETRIEVAL)
    return hashlib.sha256(b"".join(lines)).hexdigest()
