"""What people have corrected in a collection, as its graph records it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pyoxigraph import Literal, NamedNode, Triple

from explorer import rdf
from explorer.entities import ADDED, MERGED, RETRACTED, SPLIT, UNDONE, Curation
from explorer.stores.database import Database
from explorer.stores.graph import GraphStore, Pattern
from explorer.stores.merged_entities import Merged, put_merged, renamed, stored_merged
from explorer.stores.reading_ahead import Lookups
from explorer.vocab import ANNOTATION, PROV, RDF, RDFS, X, moment, recognise

_DERIVED = PROV.wasDerivedFrom


Matched = GraphStore | Lookups
"""Where acts are looked up: a graph, or what was read ahead of it."""
ACTS: Pattern = (None, RDF.type, X.Curation, ANNOTATION)
"""The pattern by which all that was done by hand is found."""
OF_ENTITIES: Pattern = (None, X.alias, None, ANNOTATION)
"""The pattern by which what was done with entities is found."""


def everything(graph: Matched) -> list[Curation]:
    """Return all that was done by hand, in order."""
    return _read(graph, (quad.subject for quad in graph.match(*ACTS)))


def acts_on(fact: Triple) -> Pattern:
    """Return the pattern by which the acts on a fact are found."""
    return None, X.fact, fact, ANNOTATION


def of_fact(graph: Matched, fact: Triple) -> list[Curation]:
    """Return what was done with a fact by hand, in order, whether or not it was undone since."""
    return _read(graph, (quad.subject for quad in graph.match(*acts_on(fact))))


def of_entities(graph: Matched) -> list[Curation]:
    """Return what was done with entities by hand, in order, with the acts that undid any of it."""
    acts = {quad.subject for quad in graph.match(*OF_ENTITIES)}
    return _read(graph, acts)


def standing(graph: Matched, acts: Iterable[Curation]) -> list[Curation]:
    """Return those of some acts that were not undone, neither themselves nor what they belong to."""
    done = [one for one in acts if one.act != UNDONE]
    undoing = _undoing(graph, [iri for one in done for iri in _itself(one)])
    undone = {iri for one in undoing for iri in one.derived_from}
    return [one for one in done if undone.isdisjoint(_itself(one))]


def undone_by(graph: Matched, act: str) -> Curation | None:
    """Return what undid an act; None for one that stands."""
    return next(iter(_undoing(graph, [act])), None)


def parts(graph: GraphStore, act: str) -> list[Curation]:
    """Return the facts that came or went with an act."""
    later = (quad.subject for quad in graph.match(None, _DERIVED, NamedNode(act), ANNOTATION))
    return [one for one in _read(graph, later) if one.act != UNDONE]


def last_of(graph: Matched, fact: Triple) -> Curation | None:
    """Return what was done last with a fact by hand, of what stands."""
    return last_of_each(graph, [fact]).get(fact)


def last_of_each(graph: Matched, facts: Sequence[Triple]) -> dict[Triple, Curation]:
    """Return what was done last with facts by hand, of what stands; the look-ups of all are made together."""
    nodes = (quad.subject for quads in graph.matches([*map(acts_on, facts)]) for quad in quads)
    return {one.fact: one for one in standing(graph, _read(graph, nodes)) if one.fact is not None}


def taken_back_again(graph: Matched) -> set[Triple]:
    """Return the facts that people put down, and whose adding was undone."""
    acts = everything(graph)
    held = {one.fact for one in standing(graph, acts)}
    return {one.fact for one in acts if one.act == ADDED and one.fact is not None and one.fact not in held}


def last_with(graph: GraphStore, fact: Triple) -> list[Curation]:
    """Return what was done last with a fact by hand, of what stands: with what belongs to it, the last first."""
    last = last_of(graph, fact)
    return [] if last is None else together(graph, last)


def together(graph: GraphStore, act: Curation) -> list[Curation]:
    """Return an act with the one that was done in the same step, where that stands, the last first.

    A fact that was put in the place of another was added as that one was retracted.
    """
    found: list[Curation] = []
    if act.act == RETRACTED and act.instead is not None:
        found = [one for one in of_fact(graph, act.instead) if one.act == ADDED]
    elif act.act == ADDED and act.fact is not None:
        found = _read(graph, (quad.subject for quad in graph.match(None, X.instead, act.fact, ANNOTATION)))
    step = {(act.order or 0) - 1, (act.order or 0) + 1}
    same = [one for one in standing(graph, found) if one.made_at == act.made_at and one.order in step]
    return sorted([act, *same], key=_place, reverse=True)


def retracted(graph: Matched) -> frozenset[Triple]:
    """Return the facts that were taken back, and not added again since."""
    return taken_back(standing(graph, everything(graph)))


def taken_back(acts: Iterable[Curation]) -> frozenset[Triple]:
    """Return the facts that were taken back by acts that stand, and not added again since."""
    last = {one.fact: one.act for one in acts if one.fact is not None}
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
    """Have the library know which entities are one by the record."""
    known = merged(graph, of_entities(graph))
    if known != stored_merged(database):
        with database.writing() as connection:
            put_merged(connection, known)


def _itself(one: Curation) -> tuple[str, ...]:
    return (one.iri, *one.derived_from)


def _read(graph: Matched, nodes: Iterable[object]) -> list[Curation]:
    named = dict.fromkeys(node for node in nodes if isinstance(node, NamedNode))
    told = graph.matches([(node, None, None, ANNOTATION) for node in named]) if named else []
    found = rdf.entities(quad for quads in told for quad in quads)
    return sorted((one for one in found if isinstance(one, Curation)), key=_place)


def _undoing(graph: Matched, acts: Iterable[str]) -> list[Curation]:
    about: list[Pattern] = [(None, _DERIVED, NamedNode(act), ANNOTATION) for act in dict.fromkeys(acts)]
    later = (quad.subject for quads in graph.matches(about) for quad in quads) if about else ()
    return [one for one in _read(graph, later) if one.act == UNDONE]


def _place(one: Curation) -> tuple[int, str, int, str]:
    """Return the place of an act among all; those without one on record come first, in the order of their times."""
    named = recognise(one.iri)
    order = -1 if one.order is None else one.order
    return order, one.made_at or "", (named.index or 0) if named else 0, one.iri
