"""The record as PROV-JSON and PROV-N, written by the prov package for tools of the W3C PROV family.

Every node is an entity, an activity or an agent. What PROV-O says by a relation, alone or qualified by a node with
roles, plans and times, is a relation with its attributes, and so is membership (of selections, candidates and edges in
what holds them); every other triple is an attribute. Graphs that are none of the record's own are bundles. Lost are the
record's own graphs, base directions, and of times the way they were spelt: a record comes back from it (see
`foreign/prov.py`), but to keep or move one, take N-Quads, TriG or JSON-LD.

A document in which each node has one of the three types, as in those of other tools, names no type of them again; else
all types are attributes, as `foreign/prov.py` expects.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, Triple

from explorer.errors import RecordError
from explorer.rdf.prov_relations import NAMES, Node, Part, Relation, node_of, time_of
from explorer.rdf.reification import STATEMENT
from explorer.vocab import ANNOTATION, CONTENTS, PROV, RDF, RETRIEVAL, SOURCE, TG, XSD_STRING, X

if TYPE_CHECKING:
    from prov.identifier import QualifiedName
    from prov.model import Literal as ProvLiteral
    from prov.model import ProvBundle, ProvDocument

    _Value: TypeAlias = str | ProvLiteral | QualifiedName

PROV_FORMATS = ("prov-json", "prov-n")
PROV_XML = "prov-xml"
"""Is read, and not written."""

_MEMBERS = (TG.selectedEdge, TG.selectedChunk, TG.contains, X.candidate)
_GRAPHS = (SOURCE, RETRIEVAL, ANNOTATION, CONTENTS)
_ROOTS = {
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "trustgraph": "urn:trustgraph:",
    "page": "urn:page:",
    "chunk": "urn:chunk:",
    "statement": STATEMENT,
}
BLANK = "urn:provenance-explorer:node:"
_LOCAL = re.compile(r"(?:[\w.\-=(),:;\[\]/@~&+*?#$!']|%[0-9A-Fa-f]{2})*", re.ASCII)
_TAIL = re.compile(r"[\w.\-]*\Z", re.ASCII)


def prov_bytes(quads: Iterable[Quad], form: str, prefixes: dict[str, str]) -> bytes:
    """Write quads without triple terms as PROV-JSON ("prov-json") or PROV-N ("prov-n"), in an order of their own."""
    from prov import Error

    try:
        document = _ProvWriter(quads, prefixes).document()
        if form == "prov-n":
            return (document.get_provn() + "\n").encode()
        return f"{document.serialize(indent=1, ensure_ascii=False)}\n".encode()
    except Error as error:
        raise RecordError(f"This can't be written as {form} ({error}); choose another format.") from error


class _ProvWriter:
    """Writes quads as a PROV document."""

    def __init__(self, quads: Iterable[Quad], prefixes: dict[str, str]) -> None:
        from prov.model import ProvDocument

        self.graphs: dict[Node | None, set[Triple]] = {None: set()}
        for quad in quads:
            graph = quad.graph_name
            bundle = None if isinstance(graph, DefaultGraph) or graph in _GRAPHS else graph
            self.graphs.setdefault(bundle, set()).add(quad.triple)
        self.prov = ProvDocument()
        known = {**prefixes, **_ROOTS}
        self.spaces = {base: self.prov.add_namespace(prefix, base) for prefix, base in known.items()}

    def name(self, node: Node) -> QualifiedName:
        """Return a qualified name: with a prefix for its namespace, and a local part that PROV-N can write."""
        iri = BLANK + node.value if isinstance(node, BlankNode) else node.value
        known = (base for base in self.spaces if iri.startswith(base) and _LOCAL.fullmatch(iri, len(base)))
        base = max(known, key=len, default=None)
        if base is None:
            [tail] = _TAIL.findall(iri)[:1]
            base = iri[: len(iri) - len(tail)]
            self.spaces[base] = self.prov.add_namespace(f"ns{len(self.spaces)}", base)
        return self.spaces[base][iri[len(base) :]]

    def document(self) -> ProvDocument:
        parts = {graph: Part(triples, own=False) for graph, triples in self.graphs.items()}
        if own := not all(part.is_typed for part in parts.values()):
            parts = {graph: Part(triples, own=True) for graph, triples in self.graphs.items()}
        for graph, part in sorted(parts.items(), key=lambda item: str(item[0] or "")):
            bundle = self.prov if graph is None else self.prov.bundle(self.name(graph))
            self._elements(part, bundle, own=own)
            for relation in part.relations:
                self._relation(relation, bundle)
            for triple in part.triples if own else ():
                if triple.predicate in _MEMBERS and isinstance(triple.object, NamedNode | BlankNode):
                    bundle.hadMember(self.name(node_of(triple.subject)), self.name(triple.object))
        return self.prov

    def _elements(self, part: Part, bundle: ProvBundle, *, own: bool) -> None:
        for node, kinds in sorted(part.kinds(_MEMBERS, played=own).items(), key=str):
            told = [triple for triple in part.about.get(node, ()) if triple not in part.said]
            for i, kind in enumerate(kinds):
                formal = {}
                if kind == PROV.Activity:
                    times = {triple.predicate: triple for triple in reversed(told) if triple.predicate in _TIMES}
                    formal = {term: triple for term, triple in times.items() if time_of(triple.object, typed=not own)}
                named = () if own else (Triple(node, RDF.type, one) for one in kinds)
                skipped = {*formal.values(), *named}
                rest = [triple for triple in told if triple not in skipped] if i == 0 else []
                extra = [(self._attribute(triple.predicate), self._value(triple.object)) for triple in rest]
                if own and any(triple.predicate in _MEMBERS for triple in told):
                    extra.append((self._attribute(RDF.type), self.name(NamedNode(PROV.base + "Collection"))))
                at = [(_prov(_TIMES[term]), time_of(triple.object)) for term, triple in formal.items()]
                bundle.new_record(_prov(kind.value.removeprefix(PROV.base)), self.name(node), at, extra)

    def _relation(self, relation: Relation, bundle: ProvBundle) -> None:
        formal = [
            (_prov(name), time_of(term) if name == "time" else self.name(node_of(term)))
            for name, term in relation.formal.items()
        ]
        extra = [(self._attribute(triple.predicate, of_relation=True), self._value(triple.object))
                 for triple in relation.extra]  # fmt: skip
        name = None if relation.node is None else self.name(relation.node)
        bundle.new_record(_prov(relation.kind), name, formal, extra)

    def _attribute(self, predicate: NamedNode, *, of_relation: bool = False) -> QualifiedName:
        """Return PROV's own name of an attribute, or of any other predicate."""
        own = NAMES.get(predicate)
        return _prov(own) if own and (of_relation or own != "role") else self.name(predicate)

    def _value(self, term: NamedNode | BlankNode | Literal | Triple) -> _Value:
        from prov.model import Literal as ProvLiteral

        match term:
            case Literal(language=str()):
                return ProvLiteral(term.value, langtag=term.language)
            case Literal() if term.datatype.value == XSD_STRING:
                return term.value
            case Literal():
                return ProvLiteral(term.value, datatype=self.name(term.datatype))
        return self.name(node_of(term))


_TIMES = {PROV.startedAtTime: "startTime", PROV.endedAtTime: "endTime"}


def _prov(name: str) -> QualifiedName:
    from prov.constants import PROV as NAMESPACE

    return NAMESPACE[name]
