"""PROV-JSON, PROV-N and PROV-XML as triples by the terms of PROV-O: what was exported from here comes back the same.

In a document in which some node names `prov:Entity`, `prov:Activity` or `prov:Agent` as its type, as in ours, all do;
in any other one each node is of the kind that it is declared as. A bundle is a named graph. What a relation says beyond
the two that it relates, as a role, a plan or a time, stands on a node of its own, as PROV-O qualifies relations.
"""

from __future__ import annotations

import hashlib
import re
import warnings
from collections import Counter
from collections.abc import Collection, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from pyoxigraph import BlankNode, Literal, NamedNode, Quad

from explorer.rdf.foreign.checked_syntax import as_utf8, check_xml
from explorer.rdf.foreign.quoted_triples import too_deep
from explorer.rdf.foreign.refused_statements import TOO_DEEP, RefusedStatement, position, unreadable
from explorer.rdf.prov_relations import (
    DERIVATIONS,
    FURTHER,
    IDENTIFIER,
    INSTANTS,
    KINDS,
    NAMES,
    QUALIFIED,
    RELATIONS,
    term,
)
from explorer.rdf.provformats import BLANK, PROV_XML
from explorer.rdf.writing import Term
from explorer.vocab import FACTS, PROV, RDF, Graph, timestamp

if TYPE_CHECKING:
    from prov.model import ProvBundle, ProvDocument, ProvRecord

LARGEST = 50_000_000  # bytes: the parser holds many times as much
_READERS = {"prov-json": "json", "prov-n": "provn", PROV_XML: "xml"}
_OLDER = re.compile(rb"(http://www\.w3\.org/2001/XMLSchema)(?=[>\"'])")  # as the namespace was written once
_TIMES = {"startTime": "startedAtTime", "endTime": "endedAtTime"}
_Ends: TypeAlias = tuple[str, ...]
_XSD = "http://www.w3.org/2001/XMLSchema#"


def read_prov(raw: bytes, form: str) -> list[Quad | RefusedStatement]:
    """Return the triples of a document; raises RecordError for one that can't be read."""
    if len(raw) > LARGEST:
        raise unreadable(form, f"it has {len(raw):,} bytes, and at most {LARGEST:,} can be read")
    if form == PROV_XML:
        raw = as_utf8(raw)
        check_xml([raw])
        raw = _root(raw)
    raw = _OLDER.sub(rb"\1#", raw)
    if form == "prov-json" and (offset := too_deep(raw, "json")) is not None:
        raise unreadable(form, TOO_DEEP, *position(raw, offset))
    return list(_ProvReader(_document(raw, form)).all())


def _root(raw: bytes) -> bytes:
    """Return XML without what stands around its root, on which prov fails."""
    from lxml import etree

    made: bytes = etree.tostring(etree.fromstring(raw, etree.XMLParser(resolve_entities=False, no_network=True)))
    return made


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
            value.uri in {kind.value for kind in KINDS}
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
        alike = Counter(ends[:end] for ends in map(_ends, set(relations)) for end in (2, 3))
        named = {one.identifier.uri: one for one in bundle.get_records() if one.is_element() and one.identifier}
        mentions: dict[str, ProvRecord] = {}
        for record in relations:
            name = record.identifier.uri if record.identifier else ""
            is_other = bool(name) and named.setdefault(name, record) != record
            kind, first, _ = _ends(record)
            if kind == "Mention" and mentions.setdefault(first, record) != record:
                message = "PROV-O has no place for a second mention of an entity; the first one is kept"
                yield RefusedStatement(None, None, record.get_provn(), message)
                continue
            try:
                made |= dict.fromkeys(self._relation(record, name, graph, known, alike, is_other=is_other))
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
                yield Quad(node, term(_TIMES[name.localpart]), self._time(value), graph)
        for name, value in record.extra_attributes:
            predicate = (name.uri != _ROLE and _NAMES.get(name.uri)) or NamedNode(name.uri)
            said = self._term(value)
            if not (self.is_own and said == _COLLECTION):  # which says that it has members
                yield Quad(node, predicate, said, graph)

    def _relation(
        self,
        record: ProvRecord,
        name: str,
        graph: Graph,
        known: Collection[tuple[Term, Term]],
        alike: Counter[_Ends],
        *,
        is_other: bool,
    ) -> Iterator[Quad]:
        kind, told = record.get_type().localpart, dict(record.formal_attributes)
        first, second = (told.get(name) for name in record.FORMAL_ATTRIBUTES[:2])
        if kind not in QUALIFIED and (None in (first, second) or name or record.extra_attributes):
            raise ValueError(
                "PROV-O has no place for a name or attributes of this kind of relation, nor for one without an end"
            )
        subject = None if first is None else _node(first.uri)
        times = [self._time(value) for value in told.values() if isinstance(value, datetime)]
        instants = [(subject, time) for time in times if kind in INSTANTS and subject]
        if self.is_own and second is None and instants and instants[0] in known:
            return  # which the entity says
        for of, time in instants:
            if (of, time) not in known:
                yield Quad(of, term(INSTANTS[kind]), time, graph)
        if second is not None and subject:
            other = _node(second.uri)
            if not (kind == "Membership" and (subject, other) in known):  # said by what it is a member of
                yield Quad(subject, term(RELATIONS[kind]), other, graph)
        for attribute, value in record.formal_attributes:
            if kind == "Mention" and attribute.localpart == "bundle" and value is not None and subject:
                yield Quad(subject, term("asInBundle"), _node(value.uri), graph)
        if kind in QUALIFIED:
            yield from self._qualified(record, name, subject, graph, alike, is_other=is_other)

    def _qualified(
        self,
        record: ProvRecord,
        name: str,
        subject: NamedNode | BlankNode | None,
        graph: Graph,
        alike: Counter[_Ends],
        *,
        is_other: bool,
    ) -> Iterator[Quad]:
        """What a relation says beyond the two that it relates, where it does, or others relate the same two.

        One that `is_other` than what has its name, an element or a relation before it, has that as its identifier, on a
        node of its own.
        """
        kind, given = record.get_type().localpart, dict(record.formal_attributes)
        second = given.get(record.FORMAL_ATTRIBUTES[1])
        told = [(one.localpart, given[one]) for one in record.FORMAL_ATTRIBUTES[2:] if given.get(one) is not None]
        has_time = kind in INSTANTS and [one for one, _ in told] == ["time"]
        is_said = (has_time and alike[_ends(record)[:2]] == 1) or (not told and second is not None)
        if subject and is_said and alike[_ends(record)] == 1 and not (name or record.extra_attributes):
            return
        types = {value.uri.removeprefix(PROV.base) for value in record.get_asserted_types() if hasattr(value, "uri")}
        own = next((one for one in DERIVATIONS if one in types), None)
        about: list[tuple[NamedNode, NamedNode | BlankNode | Literal]] = [(RDF.type, term(own or kind))]
        if second is not None:
            about.append((term(QUALIFIED[kind]), _node(second.uri)))
            if own and subject:
                yield Quad(subject, term(DERIVATIONS[own]), _node(second.uri), graph)
        about += [(term(FURTHER[one]), self._term(value)) for one, value in told]
        about += [
            (_NAMES.get(attribute.uri) or NamedNode(attribute.uri), self._term(value))
            for attribute, value in record.extra_attributes
        ]
        if is_other:
            about.append((IDENTIFIER, _node(name)))
        made = hashlib.sha256(f"{graph} {subject} {kind} {sorted(map(str, about))}".encode()).hexdigest()[:16]
        node = _node(name) if name and not is_other else BlankNode(f"relation{made}")
        if subject:
            yield Quad(subject, term(f"qualified{own or kind}"), node, graph)
        yield from (Quad(node, predicate, value, graph) for predicate, value in about)

    def _time(self, value: datetime) -> Literal:
        return Literal(timestamp(value)) if self.is_own else _moment(value)

    def _term(self, value: Any) -> NamedNode | BlankNode | Literal:  # noqa: ANN401 - any value that prov has
        from prov.identifier import QualifiedName
        from prov.model import canonical_xsd_datatype

        if isinstance(value, QualifiedName):
            return _node(value.uri)
        if hasattr(value, "uri"):
            return Literal(value.uri, datatype=NamedNode(_XSD + "anyURI"))
        if isinstance(value, datetime):
            return _moment(value)
        if isinstance(value, bool):
            return Literal(str(value).lower(), datatype=NamedNode(_XSD + "boolean"))
        if isinstance(value, int | float):
            text = {"inf": "INF", "-inf": "-INF", "nan": "NaN"}.get(str(value), str(value))
            datatype = canonical_xsd_datatype(value)
            return Literal(text, datatype=NamedNode(datatype.uri) if datatype else None)
        if isinstance(value, str):
            return Literal(value)
        if value.langtag:
            return Literal(value.value, language=value.langtag)
        return Literal(value.value, datatype=NamedNode(value.datatype.uri)) if value.datatype else Literal(value.value)


def _ends(record: ProvRecord) -> _Ends:
    """Return the kind of a relation, and those that it relates."""
    told = dict(record.formal_attributes)
    first, second = (str(getattr(told.get(name), "uri", "")) for name in record.FORMAL_ATTRIBUTES[:2])
    return record.get_type().localpart, first, second


def _node(uri: str) -> NamedNode | BlankNode:
    return BlankNode(uri.removeprefix(BLANK)) if uri.startswith(BLANK) else NamedNode(uri)


def _moment(value: datetime) -> Literal:
    return Literal(value.isoformat(), datatype=NamedNode(_XSD + "dateTime"))


_NAMES = {PROV.base + name: predicate for predicate, name in NAMES.items()}
_ROLE = PROV.base + "role"  # of an element it is an attribute like others
_COLLECTION = NamedNode(PROV.base + "Collection")
