"""Validation of a record against our SHACL shapes, by shacl-rust, with the results as data.

The tests hold it against pyshacl, which takes longer, on records of runs and on those that chance has broken.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import NotRequired, Protocol, TypedDict, runtime_checkable

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, RdfFormat, Triple, parse, serialize

from explorer.rdf.reification import STATEMENT, older
from explorer.rdf.writing import Term
from explorer.vocab import RDFS, prefixed

_SHACL = "http://www.w3.org/ns/shacl#"
_DESCRIPTION = NamedNode(f"{_SHACL}description")
_SUBCLASS = NamedNode(f"{RDFS.base}subClassOf")
_DATES = tuple(f"http://www.w3.org/2001/XMLSchema#{name}" for name in ("date", "gYear"))  # what their types begin with
_TEXT = "urn:provenance-explorer:text:"  # what stands before them where they are only a text
_IRI = re.compile("<([^<>]*)>")
_COMPONENTS = {
    "MinCountConstraintComponent": "{path} is missing",
    "MaxCountConstraintComponent": "{path} has more than one value",
    **dict.fromkeys(
        ("NodeKindConstraintComponent", "ClassConstraintComponent", "PatternConstraintComponent",
         "InConstraintComponent", "DatatypeConstraintComponent"),
        "{path} is {value}, not {wanted}",
    ),
}  # fmt: skip


@runtime_checkable
class HasQuads(Protocol):
    """Anything that has quads, such as a trace."""

    def quads(self) -> Iterable[Quad]:
        """Return the quads of the record."""


@dataclass(frozen=True, slots=True)
class ValidationResult:
    """One thing that a shape does not allow: at which node, of which predicate (None: of the node as a whole).

    `severity` is "violation" for what breaks the record for readers, "warning" for what is only missed.
    """

    node: str
    path: str | None
    message: str
    severity: str


class Told(TypedDict):
    """One result of a validation report; terms are as in N-Quads, a path as in SPARQL."""

    focusNode: str
    severity: str
    sourceConstraintComponent: str
    sourceShape: str
    messages: list[str]
    resultPath: NotRequired[str]
    value: NotRequired[str]


def validate(record: HasQuads | Iterable[Quad]) -> list[ValidationResult]:
    """Check a trace, or any quads, against the shapes of `explorer/ontology/shapes.ttl`; a valid record has no results.

    All named graphs are looked at together. Results come in order of node, predicate and message.
    """
    import shacl_rust

    quads = record.quads() if isinstance(record, HasQuads) else record
    triples = io.BytesIO()
    serialize(map(_as_text, older(quads)), triples, RdfFormat.N_TRIPLES)
    return results(shacl_rust.validate(triples.getvalue().decode(), _shapes(), data_format="nt")["results"])


def validate_each(records: Iterable[Sequence[Quad]]) -> list[list[ValidationResult]]:
    """Check several records, each by itself: no shape leads from one to another, so that the shapes are read once.

    Nodes that several records have are described alike in them.
    """
    every = list(records)
    apart = [_reaches_out(quads) for quads in every]
    together = validate(dict.fromkeys(quad for at, quads in enumerate(every) if not apart[at] for quad in quads))
    by_node = {node: list(found) for node, found in groupby(together, lambda one: one.node)}
    return [
        validate(quads) if apart[at] else [
            one for node in sorted({quad.subject.value for quad in quads if isinstance(quad.subject, NamedNode)})
            for one in by_node.get(node, ())
        ]
        for at, quads in enumerate(every)
    ]  # fmt: skip


def _reaches_out(quads: Iterable[Quad]) -> bool:
    """Return whether a record may change what the shapes say of others: it has classes of its own, nodes without a
    name, or statement nodes where it should have triple terms.
    """
    for quad in quads:
        for term in (quad.subject, quad.object):
            if isinstance(term, BlankNode) or (isinstance(term, NamedNode) and term.value.startswith(STATEMENT)):
                return True
        if quad.predicate == _SUBCLASS:
            return True
    return False


def _as_text(triple: Triple) -> Triple:
    """Return a triple whose value is no date for the validator, which can't hold one of any length, and stops.

    No shape asks for a date of a type: times are plain literals.
    """
    term = triple.object
    if not isinstance(term, Literal) or not term.datatype.value.startswith(_DATES):
        return triple
    return Triple(
        triple.subject, triple.predicate, Literal(term.value, datatype=NamedNode(_TEXT + term.datatype.value))
    )


def results(report: Iterable[Told]) -> list[ValidationResult]:
    """Return what a report says, in order of node, predicate and message."""
    return sorted({_finding(one) for one in report}, key=lambda one: (one.node, one.path or "", one.message))


@cache
def _shapes() -> str:
    return files("explorer").joinpath("ontology", "shapes.ttl").read_text("utf-8")


@cache
def _wanted() -> dict[str, str]:
    described = (triple for triple in parse(_shapes(), format=RdfFormat.TURTLE) if triple.predicate == _DESCRIPTION)
    return {str(triple.subject): triple.object.value for triple in described if isinstance(triple.object, Literal)}


def _finding(told: Told) -> ValidationResult:
    wanted = _wanted().get(told["sourceShape"])
    named = _IRI.search(told.get("resultPath", ""))  # of alternatives the first
    path = named[1] if named else None
    kind = told["sourceConstraintComponent"].strip("<>").removeprefix(_SHACL)
    message = wanted or told["messages"][0]
    if kind in _COMPONENTS:
        name = prefixed(path) or path if path else None
        message = _COMPONENTS[kind].format(path=name, value=_shown(told.get("value")), wanted=wanted)
    severity = "violation" if told["severity"] == f"<{_SHACL}Violation>" else "warning"
    return ValidationResult(_term(told["focusNode"]).value, path, message + ".", severity)


def _term(text: str) -> NamedNode | BlankNode | Literal:
    """Return a term that is written as in N-Triples."""
    term: Term = next(parse(f"<urn:a> <urn:a> {text} .", format=RdfFormat.N_TRIPLES)).object
    if isinstance(term, Triple):
        raise TypeError(f"{text} has no place in a report: the record was checked without triple terms")
    return term


def _shown(value: str | None) -> str | None:
    if value is None:
        return None
    term = _term(value)
    if term.value.startswith(STATEMENT):
        return "a quoted triple"
    short = term.value if len(term.value) <= 80 else term.value[:80] + "…"
    return f"<{short}>" if isinstance(term, NamedNode) else repr(short)
