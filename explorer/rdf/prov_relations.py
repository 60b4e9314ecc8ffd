"""The relations of PROV in PROV-O's terms: plain ones, those that a node qualifies with roles, plans and times, and
those that actions of schema.org state, as RO-Crates tell their runs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import NamedTuple, TypeAlias

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple

from explorer.rdf.writing import Term
from explorer.vocab import PROV, RDF, RDFS

Node: TypeAlias = NamedNode | BlankNode

RELATIONS = {
    "Derivation": "wasDerivedFrom", "Generation": "wasGeneratedBy", "Usage": "used",
    "Association": "wasAssociatedWith", "Attribution": "wasAttributedTo", "Delegation": "actedOnBehalfOf",
    "Communication": "wasInformedBy", "Start": "wasStartedBy", "End": "wasEndedBy", "Influence": "wasInfluencedBy",
    "Invalidation": "wasInvalidatedBy", "Specialization": "specializationOf", "Alternate": "alternateOf",
    "Mention": "mentionOf", "Membership": "hadMember",
}  # fmt: skip
QUALIFIED = {  # the class of a relation, with the term for the second of those that it relates
    "Derivation": "entity", "Generation": "activity", "Usage": "entity", "Association": "agent", "Attribution": "agent",
    "Delegation": "agent", "Communication": "activity", "Start": "entity", "End": "entity", "Influence": "influencer",
    "Invalidation": "activity",
}  # fmt: skip
DERIVATIONS = {"Quotation": "wasQuotedFrom", "Revision": "wasRevisionOf", "PrimarySource": "hadPrimarySource"}
FURTHER = {
    "plan": "hadPlan", "activity": "hadActivity", "generation": "hadGeneration", "usage": "hadUsage",
    "starter": "hadActivity", "ender": "hadActivity", "time": "atTime",
}  # fmt: skip
INSTANTS = {"Generation": "generatedAtTime", "Invalidation": "invalidatedAtTime"}
FORMAL = {  # the names of what each relates, in PROV-DM's order
    "Derivation": ("generatedEntity", "usedEntity", "activity", "generation", "usage"),
    "Generation": ("entity", "activity", "time"), "Usage": ("activity", "entity", "time"),
    "Association": ("activity", "agent", "plan"), "Attribution": ("entity", "agent"),
    "Delegation": ("delegate", "responsible", "activity"), "Communication": ("informed", "informant"),
    "Start": ("activity", "trigger", "starter", "time"), "End": ("activity", "trigger", "ender", "time"),
    "Influence": ("influencee", "influencer"), "Invalidation": ("entity", "activity", "time"),
    "Specialization": ("specificEntity", "generalEntity"), "Alternate": ("alternate1", "alternate2"),
    "Mention": ("specificEntity", "generalEntity", "bundle"), "Membership": ("collection", "entity"),
}  # fmt: skip
KINDS = (PROV.Entity, PROV.Activity, PROV.Agent)
_SCHEMA = ("http://schema.org/", "https://schema.org/")
_STATED = {
    "agent": PROV.wasAssociatedWith, "instrument": PROV.wasAssociatedWith, "object": PROV.used,
    "result": PROV.wasGeneratedBy,
}  # fmt: skip
_RELATIONS = {NamedNode(base + name): relation for base in _SCHEMA for name, relation in _STATED.items()}
LINKS = frozenset(_RELATIONS)
"""What relates an action to others."""


def term(name: str) -> NamedNode:
    """Return a term of PROV-O."""
    return NamedNode(PROV.base + name)


NAMES = {RDF.type: "type", RDFS.label: "label", term("atLocation"): "location", term("hadRole"): "role"}
"""What is an attribute of PROV-DM, by its term in RDF; a role is one of relations only."""
IDENTIFIER = NamedNode("http://purl.org/dc/terms/identifier")
"""Of a relation the name that another one has too."""
_QUALIFYING = {term(f"qualified{kind}"): (kind, "") for kind in QUALIFIED} | {
    term(f"qualified{own}"): ("Derivation", own) for own in DERIVATIONS
}
_PLAIN = {term(name): (kind, "") for kind, name in RELATIONS.items()} | {
    term(name): ("Derivation", own) for own, name in DERIVATIONS.items()
}
_CLASSES: dict[Term, tuple[str, str]] = {term(own or kind): (kind, own) for kind, own in _QUALIFYING.values()}
_INSTANTS = {term(name): kind for kind, name in INSTANTS.items()}
_IN_BUNDLE = term("asInBundle")
_TIMED = (PROV.startedAtTime, PROV.endedAtTime, *_INSTANTS)
_ENDS = {  # what those are that a relation relates, where no type says it
    "Derivation": "Entity Entity", "Generation": "Entity Activity", "Usage": "Activity Entity",
    "Association": "Activity Agent", "Communication": "Activity Activity",
    "Attribution": "Entity Agent", "Delegation": "Agent Agent", "Start": "Activity Entity", "End": "Activity Entity",
    "Invalidation": "Entity Activity",
}  # fmt: skip


class Relation(NamedTuple):
    """A relation: its node where that has a name, what it relates by PROV-DM's names, and its attributes."""

    kind: str
    node: Node | None
    formal: dict[str, Node | Literal]
    extra: list[Triple]


class Part:
    """The triples of a document or a bundle: those that its relations have `said`, and the others.

    Of the record's `own` documents times stay attributes.
    """

    def __init__(self, triples: Iterable[Triple], *, own: bool) -> None:
        self.triples = sorted(triples, key=str)
        self.own = own
        self.said: set[Triple] = set()
        self.about: dict[Node, list[Triple]] = defaultdict(list)
        for triple in self.triples:
            self.about[node_of(triple.subject)].append(triple)
        self._mentions = Counter(one.object for one in self.triples if isinstance(one.object, NamedNode | BlankNode))
        self._qualifying = Counter(one.object for one in self.triples if one.predicate in _QUALIFYING)
        self.relations = [*self._qualified(), *self._plain(), *self._instants()]

    @property
    def is_typed(self) -> bool:
        """Whether each node has one of the three types, and each of PROV's times the type of one."""
        typed = self._typed()
        return not any(
            node_of(triple.subject) not in typed
            or (triple.predicate in _TIMED and time_of(triple.object, typed=True) is None)
            for triple in self.triples if triple not in self.said
        )  # fmt: skip

    def kinds(self, members: Collection[NamedNode], *, played: bool) -> dict[Node, list[NamedNode]]:
        """Return the nodes to declare, each as what its types say.

        With `played` also those that are related or described, by the part they play, else as entities.
        """
        typed = self._typed()
        if not played:
            return typed
        parts = dict[Node, NamedNode]()
        for relation in self.relations:
            ends = [relation.formal.get(name) for name in FORMAL[relation.kind][:2]]
            for end, kind in zip(ends, _ENDS.get(relation.kind, "Entity Entity").split(), strict=True):
                if end is not None:
                    parts.setdefault(node_of(end), term(kind))
        for triple in self.triples:
            if triple not in self.said:
                parts.setdefault(node_of(triple.subject), PROV.Entity)
            if triple.predicate in members and isinstance(triple.object, NamedNode | BlankNode):
                parts.setdefault(triple.object, PROV.Entity)
        return {node: [kind] for node, kind in parts.items()} | {node: kinds[:1] for node, kinds in typed.items()}

    def _typed(self) -> dict[Node, list[NamedNode]]:
        typed: dict[Node, list[NamedNode]] = defaultdict(list)
        for triple in self.triples:
            if triple.predicate == RDF.type and isinstance(triple.object, NamedNode) and triple.object in KINDS:
                typed[node_of(triple.subject)].append(triple.object)
        return typed

    def _qualified(self) -> Iterator[Relation]:
        """The relations that a node qualifies, which is theirs alone."""
        for triple in self.triples:
            node, (kind, own) = triple.object, _QUALIFYING.get(triple.predicate, ("", ""))
            formal = dict[str, Node | Literal]()
            if kind:
                formal[FORMAL[kind][0]] = node_of(triple.subject)
            elif triple.predicate == RDF.type and node in _CLASSES:  # of something that is not said
                (kind, own), node = _CLASSES[node], triple.subject
                if self._qualifying[node]:
                    continue
            if not kind or isinstance(node, Literal | Triple) or self._qualifying[node] > 1 or node not in self.about:
                continue
            terms = (QUALIFIED[kind], *(FURTHER[name] for name in FORMAL[kind][2:]))
            wanted = {term(one): name for one, name in zip(terms, FORMAL[kind][1:], strict=True)}
            extra = []
            for told in self.about[node]:
                name, value = wanted.get(told.predicate), told.object
                fits = time_of(value, typed=True) if name == "time" else not isinstance(value, Literal)
                if name and fits and name not in formal and not isinstance(value, Triple):
                    formal[name] = value
                elif (told.predicate, value) != (RDF.type, term(kind)):
                    extra.append(told)
            if own and not any((told.predicate, told.object) == (RDF.type, term(own)) for told in extra):
                extra.append(Triple(node, RDF.type, term(own)))
            self.said |= {triple, *self.about[node], *self._plainly(kind, own, formal)}
            second = term(QUALIFIED[kind])
            for told in (
                one for one in extra if one.predicate == second and not isinstance(one.object, Literal | Triple)
            ):
                ends = {**formal, FORMAL[kind][1]: node_of(told.object)}
                self.said |= {*self._plainly(kind, own, ends)}
                yield Relation(kind, None, ends, [])
            extra = [one for one in extra if one.predicate != second or isinstance(one.object, Literal | Triple)]
            named = isinstance(node, NamedNode) or self._mentions[node] > 1
            others = [] if named else [one for one in extra if one.predicate == IDENTIFIER and one.object in self.about]
            if len(others) == 1:
                node, named = node_of(others[0].object), True
                extra.remove(others[0])
            yield Relation(kind, node if named else None, formal, extra)

    def _plainly(self, kind: str, own: str, formal: Mapping[str, Node | Literal]) -> Iterator[Triple]:
        """What is said beside a relation that is qualified."""
        first, second = (formal.get(name) for name in FORMAL[kind][:2])
        if not isinstance(first, NamedNode | BlankNode):
            return
        if second is not None:
            yield Triple(first, term(RELATIONS[kind]), second)
            if own:
                yield Triple(first, term(DERIVATIONS[own]), second)
        if kind in INSTANTS and "time" in formal and not self.own:
            yield Triple(first, term(INSTANTS[kind]), formal["time"])

    def _plain(self) -> Iterator[Relation]:
        """The relations that one triple says."""
        places = sorted(self.triples, key=lambda one: _PLAIN.get(one.predicate, ("", ""))[1], reverse=True)
        for triple in places:  # kinds of derivation first, which say the derivation itself
            if triple in self.said or triple.predicate not in _PLAIN or isinstance(triple.object, Literal | Triple):
                continue
            kind, own = _PLAIN[triple.predicate]
            first, second, *_ = FORMAL[kind]
            formal: dict[str, Node | Literal] = {first: node_of(triple.subject), second: triple.object}
            told = {triple, *self._plainly(kind, own, formal)}
            if kind == "Mention" and (within := self._about(triple, _IN_BUNDLE)):
                formal["bundle"] = node_of(within[0].object)
                told.add(within[0])
            if kind in INSTANTS and not self.own and self._about(triple, triple.predicate) == [triple]:
                times = [one for one in self._about(triple, term(INSTANTS[kind])) if time_of(one.object, typed=True)]
                if len(times) == 1 and isinstance(times[0].object, Literal):
                    formal["time"] = times[0].object
                    told.add(times[0])
            self.said |= told
            yield Relation(kind, None, formal, [Triple(triple.subject, RDF.type, term(own))] if own else [])

    def _about(self, triple: Triple, predicate: NamedNode) -> list[Triple]:
        """What else is said of a subject by a predicate, and of no relation yet."""
        about = self.about[node_of(triple.subject)]
        return [one for one in about if one.predicate == predicate and one not in self.said]

    def _instants(self) -> Iterator[Relation]:
        """Times that no other relation has: of generations, and of invalidations."""
        for triple in self.triples:
            kind, time = _INSTANTS.get(triple.predicate), triple.object
            if kind is None or triple in self.said or not isinstance(time, Literal):
                continue
            if time_of(time, typed=not self.own) is None:
                continue
            if not self.own:
                self.said.add(triple)
            elif kind == "Generation":
                continue
            yield Relation(kind, None, {"entity": node_of(triple.subject), "time": time}, [])


def node_of(value: Term) -> Node:
    """Return a node as such; raises TypeError for a literal or a triple."""
    if isinstance(value, NamedNode | BlankNode):
        return value
    raise TypeError(f"PROV names nodes only, not {value!r}")


def time_of(value: Term, *, typed: bool = False) -> datetime | None:
    """Return a literal as a time; None for what is none, or where it has to be `typed`, for one without the type."""
    if not isinstance(value, Literal) or (typed and value.datatype != _DATE_TIME):
        return None
    try:
        return datetime.fromisoformat(value.value)
    except ValueError:
        return None


_DATE_TIME = NamedNode("http://www.w3.org/2001/XMLSchema#dateTime")


def kind_of(about: Iterable[Quad | Triple]) -> str:
    """Return which action something is, as "CreateAction", by what is said of it; empty for what is none."""
    types = (one.object.value for one in about if one.predicate == RDF.type and isinstance(one.object, NamedNode))
    return next((one.rpartition("/")[2] for one in types if one.startswith(_SCHEMA) and one.endswith("Action")), "")


def as_prov(triples: Iterable[Triple]) -> dict[Triple, Triple | None]:
    """Return the relations of PROV that actions state, each with what states it; None where they say it themselves.

    Of an action that is the object or result of another is said that this had influence on it.
    """
    about: dict[NamedNode | BlankNode, list[Triple]] = {}
    for triple in triples:
        if isinstance(triple.subject, NamedNode | BlankNode):
            about.setdefault(triple.subject, []).append(triple)
    actions = {node for node, said in about.items() if kind_of(said)}
    found: dict[Triple, Triple | None] = {Triple(node, RDF.type, PROV.Activity): None for node in actions}
    for node in actions:
        found |= dict(_relations(node, about[node], actions))
    return found


def _relations(
    node: NamedNode | BlankNode, said: Iterable[Triple], actions: set[NamedNode | BlankNode]
) -> Iterator[tuple[Triple, Triple]]:
    for one in said:
        relation, other = _RELATIONS.get(one.predicate), one.object
        if relation is None or not isinstance(other, NamedNode | BlankNode):
            continue
        if relation != PROV.wasAssociatedWith and other in actions:
            yield Triple(other, term("wasInfluencedBy"), node), one
        elif relation == PROV.wasGeneratedBy:
            yield Triple(other, relation, node), one
        else:
            yield Triple(node, relation, other), one
