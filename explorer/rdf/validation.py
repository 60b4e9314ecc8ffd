"""Validation of a record against our SHACL shapes, by pyshacl, with the results as data."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from pyoxigraph import Quad

from explorer.rdf.reification import STATEMENT, project
from explorer.vocab import prefixed

if TYPE_CHECKING:
    import rdflib
    from rdflib.term import Node as RdflibNode

SHAPES = "shapes.ttl"

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


_ONE_AT_A_TIME = threading.Lock()  # rdflib parses queries with pyparsing, whose parsers are no good for two threads


def validate(record: HasQuads | Iterable[Quad]) -> list[ValidationResult]:
    """Check a trace, or any quads, against the shapes of `explorer/ontology/shapes.ttl`; a valid record has no results.

    All named graphs are looked at together. Results come in order of node, predicate and message.
    """
    import pyshacl
    import rdflib

    quads = record.quads() if isinstance(record, HasQuads) else record
    graph = rdflib.Graph()
    for subject, predicate, object, _ in project(quads).quads():
        graph.add((subject, predicate, object))
    with _ONE_AT_A_TIME:
        _, report, _ = pyshacl.validate(graph, shacl_graph=_shapes(), inplace=True)
    if not isinstance(report, rdflib.Graph):
        raise TypeError(f"pyshacl gave no report graph but {report!r}")
    found = {_finding(result, report) for result in report.subjects(rdflib.RDF.type, rdflib.SH.ValidationResult)}
    return sorted(found, key=lambda finding: (finding.node, finding.path or "", finding.message))


def ontology(name: str) -> rdflib.Graph:
    """Read a file of `explorer/ontology`: explorer.ttl, the terms of our extension, or shapes.ttl."""
    import rdflib

    text = files("explorer").joinpath("ontology", name).read_text("utf-8")
    return rdflib.Graph().parse(data=text, format="turtle")


@cache
def _shapes() -> rdflib.Graph:
    return ontology(SHAPES)


def _finding(result: RdflibNode, report: rdflib.Graph) -> ValidationResult:
    import rdflib

    shacl = rdflib.SH
    node, path, value, shape = (
        report.value(result, term) for term in (shacl.focusNode, shacl.resultPath, shacl.value, shacl.sourceShape)
    )
    if not isinstance(path, rdflib.URIRef):  # the shape leaves the choice between predicates: the first of them
        ways = _shapes().value(_shapes().value(shape, shacl.path), shacl.alternativePath)
        path = _shapes().value(ways, rdflib.RDF.first) if ways is not None else None
    wanted = _shapes().value(shape, shacl.description) if shape is not None else None
    kind = str(report.value(result, shacl.sourceConstraintComponent)).removeprefix(str(shacl))
    message = str(wanted or report.value(result, shacl.resultMessage))
    if kind in _COMPONENTS:
        name = prefixed(str(path)) or str(path)
        message = _COMPONENTS[kind].format(path=name, value=_shown(value), wanted=wanted)
    severity = "violation" if report.value(result, shacl.resultSeverity) == shacl.Violation else "warning"
    return ValidationResult(str(node), None if path is None else str(path), message + ".", severity)


def _shown(value: RdflibNode | None) -> str:
    import rdflib

    text = str(value)
    if text.startswith(STATEMENT):
        return "a quoted triple"
    short = text if len(text) <= 80 else text[:80] + "…"
    return f"<{short}>" if isinstance(value, rdflib.URIRef) else repr(short)
