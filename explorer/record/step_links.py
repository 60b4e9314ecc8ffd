"""What every step of a run is recorded with besides what its engine says: links that lead through the whole record.

Each node names its run; an answer its citations; a selection what it was taken from, and its Focus the selection, so
that `prov:wasDerivedFrom` leads from an answer to its documents; each content has its hash, so that a hash of the
triples covers the words. A run is an activity too, of agents: its engine, its model, and who asked; on a
server it says as which role it was written. All of it is additive: the form that TrustGraph writes is without it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from pyoxigraph import Literal, NamedNode, Quad

from explorer import entities as e
from explorer import rdf
from explorer.events import Explain
from explorer.record.node_lookup import iris, kind
from explorer.vocab import PROV, RDF, RETRIEVAL, X, iri, is_call_text, session_of

_SELECTIONS = ("edge", "chunk-selection")
_LINKS = frozenset((X.run, X.citation, X.sha256, PROV.invalidatedAtTime))


def linked(event: Explain, run: str, by: str | None = None, role: str | None = None) -> tuple[Quad, ...]:
    """Return the triples of a step with its links, which stand last.

    `run` is the Question of the whole run, empty where it has none; `by` is who asked it, `role` the role of the
    database that writes it, if there is one.
    """
    asked = next((one for one in event.entities if isinstance(one, e.Question) and one.iri == run), None)
    quads = (*event.triples, *(acted(asked, by, role) if asked else ()))
    subjects = (quad.subject for quad in event.triples if quad.graph_name == RETRIEVAL)
    nodes = dict.fromkeys(node for node in subjects if isinstance(node, NamedNode))
    hashes = [(NamedNode(one.iri), hashlib.sha256(one.data).hexdigest()) for one in event.contents]
    texts = dict.fromkeys((
        *(node for node in nodes if is_call_text(node.value)),
        *(node for node, _ in hashes if node not in nodes),
    ))  # fmt: skip
    links = [
        *(Quad(node, X.sha256, Literal(sha256), RETRIEVAL) for node, sha256 in hashes),
        *(Quad(text, RDF.type, X.Content, RETRIEVAL) for text in texts),
        *_derivations(event),
    ]
    if run:
        links += [Quad(node, X.run, NamedNode(run), RETRIEVAL) for node in (nodes | texts) if node.value != run]
    return links_last(dict.fromkeys((*quads, *links)))


def links_last(quads: Iterable[Quad]) -> tuple[Quad, ...]:
    """Return quads in their order, the links among them last, in an order of their own."""
    given = [*quads]
    links = [quad for quad in given if _is_link(quad)]
    return (*(quad for quad in given if not _is_link(quad)), *sorted(links, key=str))


def _is_link(quad: Quad) -> bool:
    if quad.predicate in _LINKS or quad.object == X.Content:
        return True
    if quad.predicate != PROV.wasDerivedFrom:
        return False
    return any(kind(node) in _SELECTIONS for node in iris((quad.object, quad.subject)))


def acted(question: e.Question, by: str | None, role: str | None) -> list[Quad]:
    """Return the activity that a run is, with its agents as the Question names them, who asked, and the role of the
    database that wrote it.
    """
    named = [e.RunAgent(iri=iri("agent", name), label=name) for name in (question.engine, question.reasoner) if name]
    people = [e.Person(iri=iri("agent", f"person:{by}"), label=by)] if by else []
    run = e.RunActivity(
        iri=iri("run", session_of(question.iri)),
        run=question.iri,
        started_at=question.started_at,
        used=(question.iri,),
        agents=tuple(agent.iri for agent in (*named, *people)),
        database_role=role,
    )
    return [quad for one in (run, *named, *people) for quad in rdf.triples(one)]


def _derivations(event: Explain) -> Iterator[Quad]:
    citations = [one.iri for one in event.entities if isinstance(one, e.Citation)]
    for one in event.entities:
        match one:
            case e.Focus():
                yield from _links(one, PROV.wasDerivedFrom, one.selected)
            case e.EdgeSelection():
                found = dict.fromkeys(passage.subgraph for passage in event.passages.get(one.iri, ()))
                yield from _links(one, PROV.wasDerivedFrom, found)
            case e.ChunkSelection() if one.document:
                yield from _links(one, PROV.wasDerivedFrom, (one.document,))
            case e.Answer():
                yield from _links(one, X.citation, citations)


def _links(one: e.Entity, link: NamedNode, ends: Iterable[str]) -> Iterator[Quad]:
    return (Quad(NamedNode(one.iri), link, NamedNode(end), RETRIEVAL) for end in ends)
