"""A run of ours as TrustGraph would write it, for its tools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pyoxigraph import NamedNode, Quad

from explorer import entities as e
from explorer import rdf
from explorer.entities import CLASSES
from explorer.vocab import PROV, RETRIEVAL, TG, X, recognise


def plain(quads: Iterable[Quad]) -> Iterator[Quad]:
    """Yield the triples that TrustGraph would write; what came from elsewhere is left as it came."""
    given = _of_facts(tuple(quads))
    own = [entity for entity in rdf.entities(given) if isinstance(entity, CLASSES) and not entity.original]
    written = {entity.iri: frozenset(rdf.triples(entity, compat="trustgraph")) for entity in own}
    for quad in given:
        known = written.get(quad.subject.value) if isinstance(quad.subject, NamedNode) else None
        if quad in known if known is not None else quad.predicate not in X and quad.object not in X:
            yield quad


def _of_facts(quads: tuple[Quad, ...]) -> tuple[Quad, ...]:
    """Return triples without the passages that a search of facts kept beside them, which TrustGraph does not know."""
    links = {quad for quad in quads if quad.predicate == TG.selectedChunk and _kind(quad.subject) == "focus"}
    beside = {quad.object for quad in links}
    return tuple(quad for quad in quads if quad.subject not in beside and quad.object not in beside)


def readable(quads: Iterable[Quad]) -> list[Quad]:
    """Return a run as TrustGraph would write it, with the links by which its tools (2.11.1) find each step.

    They look for an agent's first step below the Question, where its PatternDecision is in between, and for the answer
    from passages below the Exploration, where its Focus is.
    """
    own = [*plain(quads)]
    known = {entity.iri: entity for entity in rdf.entities(own)}
    skipped = (
        Quad(NamedNode(child.iri), PROV.wasDerivedFrom, NamedNode(above), RETRIEVAL)
        for child in known.values() for parent in child.above for above in _beyond(child, parent, known)
    )  # fmt: skip
    return list(dict.fromkeys((*own, *skipped)))


def _beyond(child: e.Entity, parent: str, known: Mapping[str, e.Entity]) -> Iterator[str]:
    """Yield what a reader of TrustGraph looks for above a node, where that is above its parent."""
    match known.get(parent):
        case e.PatternDecision() as decision:
            yield from decision.above
        case e.Focus() as focus if isinstance(child, e.Synthesis):
            for above in focus.above:
                stage = known.get(above)
                if isinstance(stage, e.Exploration) and stage.of_chunks:
                    yield above


def _kind(term: object) -> str:
    named = recognise(term.value) if isinstance(term, NamedNode) else None
    return named.kind if named else ""
