"""The record as PROV-JSON and PROV-N, written by the prov package for tools of the W3C PROV family.

Every node is an entity, an activity or an agent; derivation, generation, use, association, membership (of selections,
candidates and edges in what holds them) and invalidation are relations; every other triple is an attribute, and so is a
type. Lost are the named graphs, base directions, and of times the way they were spelt: a record comes back from it (see
`foreign/prov.py`), but to keep or move one, take N-Quads, TriG or JSON-LD.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple

from explorer.rdf.reification import STATEMENT
from explorer.vocab import PROV, RDF, RDFS, TG, XSD_STRING, X

if TYPE_CHECKING:
    from prov.identifier import QualifiedName
    from prov.model import Literal as ProvLiteral
    from prov.model import ProvDocument

    _Value: TypeAlias = str | ProvLiteral | QualifiedName

PROV_FORMATS = ("prov-json", "prov-n")
PROV_XML = "prov-xml"
"""Is read, and not written."""
_Node = NamedNode | BlankNode

_MEMBERS = (TG.selectedEdge, TG.selectedChunk, TG.contains, X.candidate)
_ROOTS = {"trustgraph": "urn:trustgraph:", "page": "urn:page:", "chunk": "urn:chunk:", "statement": STATEMENT}
BLANK = "urn:provenance-explorer:node:"
_LOCAL = re.compile(r"(?:[\w.\-=(),:;\[\]/@~&+*?#$!']|%[0-9A-Fa-f]{2})*", re.ASCII)
_TAIL = re.compile(r"[\w.\-]*\Z", re.ASCII)


def prov_bytes(quads: Iterable[Quad], form: str, prefixes: dict[str, str]) -> bytes:
    """Write quads without triple terms as PROV-JSON ("prov-json") or PROV-N ("prov-n"), in an order of their own."""
    document = _ProvWriter({quad.triple for quad in quads}, prefixes).document()
    if form == "prov-n":
        return (document.get_provn() + "\n").encode()
    return f"{document.serialize(indent=1, ensure_ascii=False)}\n".encode()


class _QualifiedNames:
    """Qualified names: a prefix for each namespace, and local parts that PROV-N can write."""

    def __init__(self, document: ProvDocument, prefixes: dict[str, str]) -> None:
        known = {**prefixes, **_ROOTS}
        self.spaces = {base: document.add_namespace(prefix, base) for prefix, base in known.items()}
        self.document = document

    def __call__(self, node: _Node) -> QualifiedName:
        iri = BLANK + node.value if isinstance(node, BlankNode) else node.value
        known = (base for base in self.spaces if iri.startswith(base) and _LOCAL.fullmatch(iri, len(base)))
        base = max(known, key=len, default=None)
        if base is None:
            [tail] = _TAIL.findall(iri)[:1]
            base = iri[: len(iri) - len(tail)]
            self.spaces[base] = self.document.add_namespace(f"ns{len(self.spaces)}", base)
        return self.spaces[base][iri[len(base) :]]


class _ProvWriter:
    """Writes a set of triples as a PROV document."""

    def __init__(self, triples: Iterable[Triple], prefixes: dict[str, str]) -> None:
        from prov.model import ProvDocument

        self.triples = sorted(triples, key=str)
        self.prov = ProvDocument()
        self.name = _QualifiedNames(self.prov, prefixes)
        self.kinds: dict[_Node, NamedNode] = {}

    def document(self) -> ProvDocument:
        self.kinds = self._kinds()
        about: dict[_Node, list[Triple]] = defaultdict(list)
        for triple in self.triples:
            about[_node(triple.subject)].append(triple)
        for node in sorted(self.kinds, key=str):
            name, kind = self.name(node), self.kinds[node]
            attributes = list(self._attributes(about[node], kind))
            if kind == PROV.Activity:
                start, end = (_first_time(about[node], term) for term in (PROV.startedAtTime, PROV.endedAtTime))
                self.prov.activity(name, start, end, attributes)
            elif kind == PROV.Agent:
                self.prov.agent(name, attributes)
            else:
                self.prov.entity(name, attributes)
        relations: dict[NamedNode, Callable[[QualifiedName, QualifiedName], object]] = {
            PROV.wasDerivedFrom: self.prov.wasDerivedFrom,
            PROV.wasGeneratedBy: self.prov.wasGeneratedBy,
            PROV.used: self.prov.used,
            PROV.wasAssociatedWith: self.prov.wasAssociatedWith,
            **dict.fromkeys(_MEMBERS, self.prov.hadMember),
        }
        for triple in self.triples:
            if isinstance(triple.object, NamedNode | BlankNode):
                if relate := relations.get(triple.predicate):
                    relate(self.name(_node(triple.subject)), self.name(triple.object))
            elif triple.predicate == PROV.invalidatedAtTime and _time(triple.object):
                self.prov.wasInvalidatedBy(self.name(_node(triple.subject)), time=_time(triple.object))
        return self.prov

    def _kinds(self) -> dict[_Node, NamedNode]:
        """Return each node as entity, activity or agent: by its type, else by the part it plays, else as an entity."""
        typed, playing = dict[_Node, NamedNode](), dict[_Node, NamedNode]()
        for triple in self.triples:
            subject, predicate, object = _node(triple.subject), triple.predicate, triple.object
            playing.setdefault(subject, PROV.Entity)
            if predicate == RDF.type and isinstance(object, NamedNode) and object in _KINDS:
                typed[subject] = min(typed.get(subject, object), object, key=str)
            if predicate in (PROV.used, PROV.wasAssociatedWith):
                playing[subject] = PROV.Activity
            if predicate in _PLAYED and isinstance(object, NamedNode | BlankNode):
                playing[object] = _PLAYED[predicate]
        return {**playing, **typed}

    def _attributes(self, about: list[Triple], kind: NamedNode) -> Iterator[tuple[QualifiedName, _Value]]:
        from prov.constants import PROV_LABEL, PROV_TYPE

        own = {RDF.type: PROV_TYPE, RDFS.label: PROV_LABEL}
        for triple in about:
            predicate, value = triple.predicate, triple.object
            formal = kind == PROV.Activity and predicate in (PROV.startedAtTime, PROV.endedAtTime) and _time(value)
            related = predicate in _RELATIONS and not isinstance(value, Literal)
            if not formal and not related:
                yield own.get(predicate) or self.name(predicate), self._value(value)
        if any(triple.predicate in _MEMBERS for triple in about):
            yield PROV_TYPE, self.name(NamedNode(PROV.base + "Collection"))

    def _value(self, term: NamedNode | BlankNode | Literal | Triple) -> _Value:
        from prov.model import Literal as ProvLiteral

        match term:
            case Literal(language=str()):
                return ProvLiteral(term.value, langtag=term.language)
            case Literal() if term.datatype.value == XSD_STRING:
                return term.value
            case Literal():
                return ProvLiteral(term.value, datatype=self.name(term.datatype))
        return self.name(_node(term))


_KINDS = (PROV.Entity, PROV.Activity, PROV.Agent)
_RELATIONS = (PROV.wasDerivedFrom, PROV.wasGeneratedBy, PROV.used, PROV.wasAssociatedWith)
_PLAYED = {
    **dict.fromkeys((PROV.wasDerivedFrom, PROV.used, *_MEMBERS), PROV.Entity),
    PROV.wasGeneratedBy: PROV.Activity,
    PROV.wasAssociatedWith: PROV.Agent,
}


def _node(term: NamedNode | BlankNode | Literal | Triple) -> _Node:
    if isinstance(term, NamedNode | BlankNode):
        return term
    raise TypeError(f"PROV names nodes only, not {term!r}")


def _time(term: NamedNode | BlankNode | Literal | Triple) -> datetime | None:
    try:
        return datetime.fromisoformat(term.value) if isinstance(term, Literal) else None
    except ValueError:
        return None


def _first_time(about: list[Triple], predicate: NamedNode) -> datetime | None:
    return next((time for triple in about if triple.predicate == predicate and (time := _time(triple.object))), None)
