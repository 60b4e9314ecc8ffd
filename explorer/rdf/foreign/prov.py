"""PROV-JSON, PROV-N and PROV-XML as triples by the terms of PROV-O: what was exported from here comes back the same.

In a document in which some node names `prov:Entity`, `prov:Activity` or `prov:Agent` as its type, as in ours, all do;
in any other one each node is of the kind that it is declared as. A bundle is a named graph. What a relation says beyond
the two that it relates, as a role, a plan or a time, stands on a node of its own, as PROV-O qualifies relations.
"""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pyoxigraph import BlankNode, Literal, NamedNode, Quad

from explorer.rdf.foreign.documents import as_utf8, check_xml
from explorer.rdf.foreign.quoting import too_deep
from explorer.rdf.foreign.refusals import TOO_DEEP, RefusedStatement, position, unreadable
from explorer.rdf.provformats import BLANK, PROV_XML
from explorer.rdf.writing import Term
from explorer.vocab import FACTS, PROV, RDF, RDFS, Graph, timestamp

if TYPE_CHECKING:
    from prov.model import ProvBundle, ProvDocument, ProvRecord

LARGEST = 50_000_000  # bytes: the parser holds many times as much
_READERS = {"prov-json": "json", "prov-n": "provn", PROV_XML: "xml"}
_OLDER = re.compile(rb"(http://www\.w3\.org/2001/XMLSchema)(?=[>\"'])")  # as the namespace was written once
_KINDS = (PROV.Entity, PROV.Activity, PROV.Agent)
_TIMES = {"startTime": "startedAtTime", "endTime": "endedAtTime"}
_INSTANTS = {"Generation": "generatedAtTime", "Invalidation": "invalidatedAtTime"}
_RELATIONS = {
    "Derivation": "wasDerivedFrom", "Generation": "wasGeneratedBy", "Usage": "used",
    "Association": "wasAssociatedWith", "Attribution": "wasAttributedTo", "Delegation": "actedOnBehalfOf",
    "Communication": "wasInformedBy", "Start": "wasStartedBy", "End": "wasEndedBy", "Influence": "wasInfluencedBy",
    "Invalidation": "wasInvalidatedBy", "Specialization": "specializationOf", "Alternate": "alternateOf",
    "Mention": "mentionOf", "Membership": "hadMember",
}  # fmt: skip
_QUALIFIED = {  # the class of a relation, with the term for the second of those that it relates
    "Derivation": "entity", "Generation": "activity", "Usage": "entity", "Association": "agent", "Attribution": "agent",
    "Delegation": "agent", "Communication": "activity", "Start": "entity", "End": "entity", "Influence": "influencer",
    "Invalidation": "activity",
}  # fmt: skip
_DERIVATIONS = {"Quotation": "wasQuotedFrom", "Revision": "wasRevisionOf", "PrimarySource": "hadPrimarySource"}
_FURTHER = {
    "plan": "hadPlan", "activity": "hadActivity", "generation": "hadGeneration", "usage": "hadUsage",
    "starter": "hadActivity", "ender": "hadActivity", "time": "atTime",
}  # fmt: skip
_XSD = "http://www.w3.org/2001/XMLSchema#"
_PYTHON = {bool: "boolean", int: "integer", float: "double"}


def read_prov(raw: bytes, form: str) -> list[Quad | RefusedStatement]:
    """Return the triples of a document; raises RecordError for one that can't be read."""
    if len(raw) > LARGEST:
        raise unreadable(form, f"it has {len(raw):,} bytes, and at most {LARGEST:,} can be read")
    if form == PROV_XML:
        raw = as_utf8(raw)
        check_xml([raw])
    raw = _OLDER.sub(rb"\1#", raw)
    if form == "prov-json" and (offset := too_deep(raw, "json")) is not None:
        raise unreadable(form, TOO_DEEP, *position(raw, offset))
    return list(_ProvReader(_document(raw, form)).all())


def _document(raw: bytes, form: str) -> ProvDocument:
    from prov import Error
    from prov.model import ProvDocument

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found: ProvDocument = ProvDocument.deserialize(content=raw.decode(), format=_READERS[form])
    except UnicodeDecodeError as error:
        raise unreadable(form, f"byte {error.start} is 0x{raw[error.start]:02x}, which is not UTF-8") from None
    except (Error, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise unreadable(form, f"{error}".strip().rstrip(".") or type(error).__name__) from error
    return found


class _ProvReader:
    """Reads one document."""

    def __init__(self, document: ProvDocument) -> None:
        self.document = document
        self.is_own = any(
            value.uri in {kind.value for kind in _KINDS}
            for record in document.get_records() for value in record.get_asserted_types() if hasattr(value, "uri")
        )  # fmt: skip

    def all(self) -> Iterator[Quad | RefusedStatement]:
        yield from self._container(self.document, FACTS)
        for bundle in self.document.bundles:
            yield from self._container(bundle, NamedNode(bundle.identifier.uri) if bundle.identifier else FACTS)

    def _container(self, bundle: ProvBundle, graph: Graph) -> Iterator[Quad | RefusedStatement]:
        made: dict[Quad, None] = {}
        relations = []
        for record in bundle.get_records():
            if record.is_element():
                try:
                    made |= dict.fromkeys(self._element(record, graph))
                except ValueError as error:
                    yield RefusedStatement(None, None, record.get_provn(), f"{error}")
            else:
                relations.append(record)
        known = {(quad.subject, quad.object) for quad in made}
        for record in relations:
            try:
                made |= dict.fromkeys(self._relation(record, graph, known))
            except ValueError as error:
                yield RefusedStatement(None, None, record.get_provn(), f"{error}")
        yield from made

    def _element(self, record: ProvRecord, graph: Graph) -> Iterator[Quad]:
        if record.identifier is None:  # which an element always has
            return
        node = _node(record.identifier.uri)
        kind = NamedNode(record.get_type().uri)
        if not self.is_own:
            yield Quad(node, RDF.type, kind, graph)
        for name, value in record.formal_attributes:
            if isinstance(value, datetime):
                yield Quad(node, NamedNode(PROV.base + _TIMES[name.localpart]), self._time(value), graph)
        for name, value in record.extra_attributes:
            predicate = _OWN.get(name.uri) or NamedNode(name.uri)
            term = self._term(value)
            if not (self.is_own and term == _COLLECTION):  # which says that it has members
                yield Quad(node, predicate, term, graph)

    def _relation(self, record: ProvRecord, graph: Graph, known: Iterable[tuple[Term, Term]]) -> Iterator[Quad]:
        kind, told = record.get_type().localpart, dict(record.formal_attributes)
        first, second = (told.get(name) for name in record.FORMAL_ATTRIBUTES[:2])
        if first is None:
            return
        subject = _node(first.uri)
        for value in told.values():
            if isinstance(value, datetime) and kind in _INSTANTS:
                time = self._time(value)
                if (subject, time) not in known:
                    yield Quad(subject, NamedNode(PROV.base + _INSTANTS[kind]), time, graph)
        if second is not None and kind in _RELATIONS:
            other = _node(second.uri)
            if not (kind == "Membership" and (subject, other) in known):  # said by what it is a member of
                yield Quad(subject, NamedNode(PROV.base + _RELATIONS[kind]), other, graph)
        for name, value in record.formal_attributes:
            if kind == "Mention" and name.localpart == "bundle" and value is not None:
                yield Quad(subject, NamedNode(PROV.base + "asInBundle"), _node(value.uri), graph)
        if kind in _QUALIFIED:
            yield from self._qualified(record, subject, graph)

    def _qualified(self, record: ProvRecord, subject: NamedNode | BlankNode, graph: Graph) -> Iterator[Quad]:
        """What a relation says beyond the two that it relates, where it does."""
        kind, given = record.get_type().localpart, dict(record.formal_attributes)
        second = given.get(record.FORMAL_ATTRIBUTES[1])
        told = [(name.localpart, given[name]) for name in record.FORMAL_ATTRIBUTES[2:] if given.get(name) is not None]
        is_said = kind in _INSTANTS and [name for name, _ in told] in ([], ["time"])
        if not (record.identifier or record.extra_attributes or (told and not is_said)):
            return
        made = hashlib.sha256(record.get_provn().encode()).hexdigest()[:16]
        node = _node(record.identifier.uri) if record.identifier else BlankNode(f"relation{made}")
        types = {value.uri.removeprefix(PROV.base) for value in record.get_asserted_types() if hasattr(value, "uri")}
        own = next((one for one in _DERIVATIONS if one in types), None)
        yield Quad(subject, NamedNode(f"{PROV.base}qualified{own or kind}"), node, graph)
        yield Quad(node, RDF.type, NamedNode(PROV.base + (own or kind)), graph)
        if second is not None:
            yield Quad(node, NamedNode(PROV.base + _QUALIFIED[kind]), _node(second.uri), graph)
            if own:
                yield Quad(subject, NamedNode(PROV.base + _DERIVATIONS[own]), _node(second.uri), graph)
        for term, value in told:
            yield Quad(node, NamedNode(PROV.base + _FURTHER[term]), self._term(value), graph)
        for attribute, value in record.extra_attributes:
            predicate = _OWN.get(attribute.uri) or _ROLE.get(attribute.uri) or NamedNode(attribute.uri)
            yield Quad(node, predicate, self._term(value), graph)

    def _time(self, value: datetime) -> Literal:
        return Literal(timestamp(value)) if self.is_own else _moment(value)

    def _term(self, value: Any) -> NamedNode | BlankNode | Literal:  # noqa: ANN401 - any value that prov has
        if hasattr(value, "uri"):
            return _node(value.uri)
        if isinstance(value, datetime):
            return _moment(value)
        if type(value) in _PYTHON:
            text = str(value).lower() if isinstance(value, bool) else str(value)
            return Literal(text, datatype=NamedNode(_XSD + _PYTHON[type(value)]))
        if isinstance(value, str):
            return Literal(value)
        if value.langtag:
            return Literal(value.value, language=value.langtag)
        return Literal(value.value, datatype=NamedNode(value.datatype.uri)) if value.datatype else Literal(value.value)


def _node(uri: str) -> NamedNode | BlankNode:
    return BlankNode(uri.removeprefix(BLANK)) if uri.startswith(BLANK) else NamedNode(uri)


def _moment(value: datetime) -> Literal:
    return Literal(value.isoformat(), datatype=NamedNode(_XSD + "dateTime"))


_ROLE = {PROV.base + "role": NamedNode(PROV.base + "hadRole")}
_OWN = {
    PROV.base + "type": RDF.type,
    PROV.base + "label": RDFS.label,
    PROV.base + "location": NamedNode(PROV.base + "atLocation"),
}
_COLLECTION = NamedNode(PROV.base + "Collection")
