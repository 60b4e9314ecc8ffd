"""An ontology as a list of what a model may find: classes, and properties with what they lead from and to.

Read of OWL and RDFS: classes, their superclasses, object and datatype properties, labels, domains and ranges, also
unions of them. Restrictions and other axioms are not read.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from explorer.errors import DocumentError, RecordError
from explorer.ingest.limits import Limits
from explorer.ingest.readers.files import Source, data_of
from explorer.rdf.foreign.parsing import load
from explorer.rdf.formats import FORMATS, guess
from explorer.vocab import RDF, RDFS, XSD_STRING, local_name

_OWL, _RDFS, _XSD = (
    "http://www.w3.org/2002/07/owl#", RDFS.base, XSD_STRING.removesuffix("string"),
)  # fmt: skip
_CLASSES = {f"{_OWL}Class", f"{_RDFS}Class"}
_PROPERTIES = {f"{_OWL}ObjectProperty", f"{_OWL}DatatypeProperty", f"{RDF.base}Property"}
_OF_ALL = {f"{_OWL}Thing", f"{_RDFS}Resource"}
_LITERAL = {f"{_RDFS}Literal", f"{RDF.base}langString", f"{RDF.base}PlainLiteral"}
_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)"
_FORMS = {
    **dict.fromkeys(("integer", "int", "long"), r"[+-]?\d+"),
    "nonNegativeInteger": r"\+?\d+",
    "positiveInteger": r"\+?0*[1-9]\d*",
    "decimal": _NUMBER,
    **dict.fromkeys(("float", "double"), rf"{_NUMBER}(?:[eE][+-]?\d+)?"),
    "boolean": r"true|false|1|0",
    "gYear": r"-?\d{4,}",
    "date": r"-?\d{4,}-\d\d-\d\d",
    "dateTime": r"-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?",
}
_MOST = 300  # classes and properties: more leave no room for a passage in a prompt
_MOST_LINKS = 10_000  # to superclasses: each class is followed up all of them
_MOST_WRITTEN = 60_000  # characters of a prompt
_MOST_BYTES = 20_000_000


@dataclass(frozen=True, slots=True)
class OntologyClass:
    """A class with its name, and the IRIs of all classes above it and its own."""

    iri: str
    name: str
    above: frozenset[str]


@dataclass(frozen=True, slots=True)
class OntologyProperty:
    """A property with its name; empty domains and ranges are those of anything.

    `datatype` is the IRI of the type of its values, None where it leads to things.
    """

    iri: str
    name: str
    domains: frozenset[str] = frozenset()
    ranges: frozenset[str] = frozenset()
    datatype: str | None = None


@dataclass(frozen=True, slots=True)
class Ontology:
    """What a model may find; `iri` names it on record."""

    iri: str
    classes: tuple[OntologyClass, ...]
    properties: tuple[OntologyProperty, ...]
    sha256: str = field(default="")

    def class_of(self, named: str) -> OntologyClass | None:
        """Return the class with a name, IRI or local name, whatever its capitals and spaces."""
        return next((one for one in self.classes if _is_named(one, named)), None)

    def property_of(self, named: str) -> OntologyProperty | None:
        """Return the property with a name, IRI or local name, whatever its capitals and spaces."""
        return next((one for one in self.properties if _is_named(one, named)), None)

    def names(self, iris: frozenset[str]) -> list[str]:
        """Return the names of classes by their IRIs, in order."""
        return [one.name for one in self.classes if one.iri in iris]

    @classmethod
    def read(cls, path: str | Path) -> Ontology:
        """Read a file of OWL or RDFS in any format of triples; raises DocumentError that says what to do."""
        data = data_of(Source(Path(path), str(path)), Limits(_MOST_BYTES))
        form = guess(str(path), data)
        try:
            read = load(data, form if form in FORMATS else "turtle")
        except RecordError as error:
            raise DocumentError(f"The ontology {path} can't be read ({error}); give Turtle or RDF/XML.") from error
        if read.refused:
            first = read.refused[0]
            raise DocumentError(
                f"The ontology {path} can't be read (line {first.line}: {first.reason}); mend that line."
            )
        found = _Reading([quad.triple for quad in read.quads])
        if (many := found.size) > _MOST:
            held = f"The ontology {path} has {many:,} classes and properties"
            raise DocumentError(f"{held}, more than the {_MOST} that fit beside a passage; give a part of it.")
        if (many := found.links) > _MOST_LINKS:
            held = f"The ontology {path} has {many:,} links to superclasses"
            raise DocumentError(f"{held}, more than the {_MOST_LINKS:,} that are read; give a part of it.")
        digest = hashlib.sha256(data).hexdigest()
        made = cls(found.own() or f"urn:sha256:{digest}", tuple(found.classes()), tuple(found.properties()), digest)
        if not made.properties:
            raise DocumentError(
                f"The ontology {path} has no property; give one with owl:ObjectProperty, owl:DatatypeProperty or "
                "rdf:Property."
            )
        if (length := sum(len(json.dumps(row)) for row in rows(made))) > _MOST_WRITTEN:
            held = f"The ontology {path} takes {length:,} characters in a prompt"
            raise DocumentError(
                f"{held}, more than the {_MOST_WRITTEN:,} that fit beside a passage; give a part of it."
            )
        return made


def is_value(text: str, datatype: str) -> bool:
    """Return whether a text can be a value of a datatype: numbers, times and truth are checked, others are texts."""
    form = _FORMS.get(datatype.removeprefix(_XSD))
    return form is None or re.fullmatch(form, text) is not None


def _is_named(one: OntologyClass | OntologyProperty, named: str) -> bool:
    return _plain(named) in {_plain(one.name), _plain(local_name(one.iri)), _plain(one.iri)}


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


class _Reading:
    """The triples of an ontology, by subject and predicate."""

    def __init__(self, triples: Sequence[Triple]) -> None:
        self.values: dict[tuple[str, str], list[object]] = defaultdict(list)
        self.types: dict[str, set[str]] = defaultdict(set)
        for triple in triples:
            subject, predicate = str(triple.subject), triple.predicate.value
            if predicate == RDF.type.value and isinstance(triple.object, NamedNode):
                self.types[subject].add(triple.object.value)
            self.values[subject, predicate].append(triple.object)

    @property
    def size(self) -> int:
        """How many classes and properties it has."""
        return len(self._of(_CLASSES)) + len(self._of(_PROPERTIES))

    @property
    def links(self) -> int:
        """How many times it says that a class is below another."""
        return sum(len(found) for (_, predicate), found in self.values.items() if predicate == f"{_RDFS}subClassOf")

    def own(self) -> str | None:
        """Return the IRI of the ontology itself."""
        return next((iri for iri in self._of({f"{_OWL}Ontology"})), None)

    def classes(self) -> Iterator[OntologyClass]:
        for iri in self._of(_CLASSES):
            if iri not in _OF_ALL:
                yield OntologyClass(iri, self._name(iri), frozenset(self._above(iri)))

    def properties(self) -> Iterator[OntologyProperty]:
        for iri in self._of(_PROPERTIES):
            ranges = self._classes(iri, "range")
            values = sorted(one for one in ranges if one.startswith(_XSD) or one in _LITERAL)
            is_data = bool(values) or f"{_OWL}DatatypeProperty" in self.types[f"<{iri}>"]
            datatype = next((one for one in values if one not in _LITERAL), XSD_STRING) if is_data else None
            domains = self._classes(iri, "domain")
            yield OntologyProperty(
                iri, self._name(iri), domains, frozenset() if is_data else ranges, datatype
            )  # fmt: skip

    def _of(self, kinds: set[str]) -> list[str]:
        return sorted(node[1:-1] for node, types in self.types.items() if node.startswith("<") and types & kinds)

    def _name(self, iri: str) -> str:
        """Return the English label, else the first one, else the words of the IRI."""
        found = self.values[f"<{iri}>", RDFS.label.value]
        labels = [one for one in found if isinstance(one, Literal) and one.value.strip()]
        labels.sort(key=lambda one: (not (one.language or "en").startswith("en"), one.value))
        name = labels[0].value if labels else re.sub(r"(?<=[a-z\d])(?=[A-Z])", " ", local_name(iri)).replace("_", " ")
        return " ".join(name.split())[:100]

    def _above(self, iri: str) -> set[str]:
        found, left = {iri}, [iri]
        while left:
            for one in self.values[f"<{left.pop()}>", f"{_RDFS}subClassOf"]:
                if isinstance(one, NamedNode) and one.value not in found:
                    found.add(one.value)
                    left.append(one.value)
        return found

    def _classes(self, iri: str, which: str) -> frozenset[str]:
        """Return the classes of a domain or range; none where it is not said, or said in a way that is not read."""
        found: set[str] = set()
        for one in self.values[f"<{iri}>", f"{_RDFS}{which}"]:
            if isinstance(one, NamedNode):
                found.add(one.value)
            elif isinstance(one, BlankNode):
                for union in self.values[str(one), f"{_OWL}unionOf"]:
                    found |= {member.value for member in self._members(union) if isinstance(member, NamedNode)}
        return frozenset() if found & _OF_ALL else frozenset(found)

    def _members(self, node: object) -> Iterator[object]:
        seen: set[str] = set()
        while isinstance(node, BlankNode) and str(node) not in seen:
            seen.add(str(node))
            yield from self.values[str(node), f"{RDF.base}first"][:1]
            node = next(iter(self.values[str(node), f"{RDF.base}rest"]), None)


def rows(ontology: Ontology) -> list[Mapping[str, object]]:
    """Return what a prompt says of an ontology, an object for each class and property."""
    found: list[Mapping[str, object]] = [{"class": one.name} for one in ontology.classes]
    for one in ontology.properties:
        row: dict[str, object] = {"property": one.name}
        if one.domains and (names := ontology.names(one.domains)):
            row["from"] = names
        if one.datatype is not None:
            row["to"] = f"a value ({local_name(one.datatype)})"
        elif one.ranges and (names := ontology.names(one.ranges)):
            row["to"] = names
        found.append(row)
    return found
