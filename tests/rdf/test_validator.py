"""The validator says what pyshacl says, the reference, on records of runs and on those that chance has broken."""

import logging
import random
import sys
from importlib.resources import files

import pyshacl
import pytest
import rdflib
import rdflib.collection
from pyoxigraph import BaseDirection, BlankNode, Literal, NamedNode, Quad, Triple
from rdflib import SH

from explorer import rdf
from explorer.rdf.validation import results
from explorer.vocab import PROV, RDF, RDFS, RETRIEVAL, TG, X, session_of
from tests.corpus import QUESTIONS, filled
from tests.each import each
from tests.rdf.conftest import project
from tests.rdf.ontology import ontology
from tests.record.verification.test_rules import BROKEN, Breaking

WORDS = (
    "", "0", "-1", "1.5", "1e400", "9" * 30, "\u0663", "nan", "+1", " 1", "2026-01-01", "2026-01-01T00:00:00Z",
    "done", "basic", "found", "\U0001f600\u2028", "a\r\nb", '{"a": 1}', "[1]", "{", "true",
)  # fmt: skip
TYPES = ("integer", "decimal", "dateTime", "boolean", "string")
SHAPES = "shapes.ttl"
RDFS_SUBCLASS = NamedNode(f"{RDFS.base}subClassOf")
XSD = "http://www.w3.org/2001/XMLSchema#"


@pytest.fixture(scope="module")
def records():
    with filled() as ws:
        for engine in ("graph-rag", "document-rag", "agent"):
            ws.run(QUESTIONS[0], engine, by="Ada")
        ws.run(QUESTIONS[3], "graph-rag")
        return [[*ws.traces.load(one.iri).quads()] for one in ws.traces.list()]


def written(node):
    """A term of rdflib as in N-Triples."""
    match node:
        case rdflib.Literal():
            datatype = NamedNode(node.datatype) if node.datatype is not None and node.language is None else None
            return str(Literal(str(node), language=node.language, datatype=datatype))
        case rdflib.BNode():
            return str(BlankNode(str(node)))
    return str(NamedNode(str(node)))


def told(result, report):
    """A result of pyshacl's report in the form of ours."""
    names = {"focusNode": SH.focusNode, "severity": SH.resultSeverity, "value": SH.value, "sourceShape": SH.sourceShape,
             "sourceConstraintComponent": SH.sourceConstraintComponent}  # fmt: skip
    found = {name: report.value(result, term) for name, term in names.items()}
    path, shapes = report.value(result, SH.resultPath), ontology(SHAPES)
    if isinstance(path, rdflib.BNode):
        choice = shapes.value(shapes.value(found["sourceShape"], SH.path), SH.alternativePath)
        path = rdflib.collection.Collection(shapes, choice)[0]
    return {
        **{name: written(one) for name, one in found.items() if one is not None},
        **({} if path is None else {"resultPath": written(path)}),
        "messages": [str(report.value(result, SH.resultMessage))],
    }


def by_reference(quads):
    """What pyshacl says."""
    graph = rdflib.Graph()
    for subject, predicate, term, _ in project(quads).quads():
        graph.add((subject, predicate, term))
    return results(reported(graph))


def reported(graph):
    """What pyshacl reports; rdflib prints a traceback for each number that is none."""
    logging.getLogger("rdflib.term").setLevel(logging.CRITICAL)
    _, report, _ = pyshacl.validate(graph, shacl_graph=ontology(SHAPES), inplace=True)
    return [told(one, report) for one in report.subjects(rdflib.RDF.type, SH.ValidationResult)]


class Reference:
    """pyshacl, called as shacl-rust is."""

    @staticmethod
    def validate(data, shapes, data_format):
        assert shapes == (files("explorer") / "ontology" / SHAPES).read_text("utf-8")
        return {"results": reported(rdflib.Graph().parse(data=data, format=data_format))}


def test_pyshacl_stands_in_for_shacl_rust(records, monkeypatch):
    broken = [quad for quad in records[0] if quad.predicate not in (TG.query, X.reason)]
    said = [rdf.validate(quads) for quads in (records[0], broken)]
    assert [bool(one) for one in said] == [False, True]
    monkeypatch.setitem(sys.modules, "shacl_rust", Reference)
    assert [rdf.validate(quads) for quads in (records[0], broken)] == said


def literal(chance):
    text = chance.choice(WORDS)
    match chance.randrange(6):
        case 0:
            return Literal(text, language="de-AT")
        case 1:
            return Literal(text, language="en", direction=BaseDirection.RTL)
        case 2:
            return Literal(text, datatype=NamedNode(XSD + chance.choice(TYPES)))
        case 3:
            return Literal(text, datatype=RDF.JSON)
    return Literal(text)


def term(chance):
    match chance.randrange(6):
        case 0:
            return NamedNode(chance.choice(["urn:a", "http://x/\u00fc", "urn:x:y%20z"]))
        case 1:
            return BlankNode(f"b{chance.randrange(3)}")
        case 2:
            return Triple(NamedNode("urn:s"), NamedNode("urn:p"), literal(chance))
    return literal(chance)


def broken(record, chance):
    """The record with a few of its triples changed, taken out, or put in."""
    quads = [*record]
    kinds = sorted({quad.object for quad in quads if quad.predicate == RDF.type}, key=str)
    for _ in range(chance.randrange(1, 12)):
        at = chance.randrange(len(quads))
        subject, predicate = quads[at].subject, quads[at].predicate
        match chance.randrange(5):
            case 0:
                del quads[at]
            case 1:
                quads.append(Quad(subject, RDF.type, chance.choice(kinds), RETRIEVAL))
            case 2:
                quads.append(Quad(subject, chance.choice(quads).predicate, term(chance), RETRIEVAL))
            case _:
                quads[at] = Quad(subject, predicate, term(chance), RETRIEVAL)
    return quads


def compared(records, seeds):
    found = []
    for seed in seeds:
        chance = random.Random(seed)
        quads = broken(chance.choice(records), chance)
        said = rdf.validate(quads)
        assert said == by_reference(quads), seed
        found += said
    return found


def test_records_of_runs_have_no_findings_by_either(records):
    for record in records:
        assert rdf.validate(record) == by_reference(record) == []


def test_records_that_chance_has_broken(records):
    found = compared(records, range(10))
    assert len({(one.path, one.severity) for one in found}) > 15


def test_several_records_are_each_checked_as_if_they_were_alone(records):
    own = [[quad for quad in record if session_of(quad.subject.value)] for record in records]  # agents are shared
    for seed in range(8):
        every = [broken(record, random.Random(seed)) if at % 3 else record for at, record in enumerate(own)]
        assert rdf.validate_each(every) == [rdf.validate(record) for record in every], seed
    assert rdf.validate_each([]) == []


def test_a_record_that_makes_classes_of_its_own_does_not_blame_others(records):
    hostile = [*records[0], Quad(TG.Synthesis, RDFS_SUBCLASS, X.End, RETRIEVAL)]
    assert any(one.severity == "violation" for one in rdf.validate(hostile))
    found = rdf.validate_each([hostile, *records[1:]])
    assert found == [rdf.validate(hostile), *([] for _ in records[1:])]


@pytest.mark.soak
@pytest.mark.parametrize("name", BROKEN)
def test_records_that_somebody_has_broken(name):
    with filled() as ws:
        for question, engine in ((0, "graph-rag"), (0, "document-rag"), (0, "agent"), (3, "graph-rag")):
            ws.run(QUESTIONS[question], engine)
        BROKEN[name](Breaking(ws))
        record = [*ws.graph.match(None, None, None, RETRIEVAL)]
    assert rdf.validate(record) == by_reference(record)


@pytest.mark.soak
def test_a_thousand_records_that_chance_has_broken(records):
    assert compared(records, range(100, 1_100))


@each(
    ("start", "end", "is_behind"),
    [
        ("9", "10", False), ("10", "9", True), ("010", "9", True), ("0009", "10", False), ("7", "7", False),
        ("0", "00", False), ("1", "0", True), ("9" * 30, "5", True), ("5", "9" * 30, False), ("9", "9" * 20, False),
        ("9" * 30, "8" * 30, True), ("1" + "0" * 25, "0" * 30 + "1", True), ("x", "5", False), ("-1", "-2", False),
    ],
)  # fmt: skip
def test_the_order_of_a_span_is_that_of_whole_numbers_of_any_length(start, end, is_behind):
    citation = NamedNode("urn:c")
    quads = [Quad(citation, X.start, Literal(start)), Quad(citation, X.end, Literal(end))]
    quads.append(Quad(citation, RDF.type, X.Citation))
    said = rdf.validate(quads)
    assert ("x:start lies behind x:end." in {one.message for one in said}) is is_behind
    assert said == by_reference(quads)


@each(
    ("kind", "text"),
    [("dateTime", "9" * 30), ("dateTimeStamp", "-" + "9" * 30 + "-01-01T00:00:00Z"), ("date", "9" * 30),
     ("gYear", "9" * 30), ("gYearMonth", "2026-01-01")],
)  # fmt: skip
def test_a_date_of_any_length_is_read(kind, text):
    citation, date = NamedNode("urn:c"), Literal(text, datatype=NamedNode(XSD + kind))
    quads = [Quad(citation, X.start, date), Quad(citation, X.end, Literal("5")), Quad(citation, RDF.type, X.Citation)]
    quads += [Quad(citation, RDFS.label, date), Quad(citation, RDFS.label, Literal(text))]
    quads += [Quad(citation, PROV.wasDerivedFrom, Triple(citation, X.start, date))]
    said = rdf.validate(quads)
    assert "rdfs:label has more than one value." in {one.message for one in said}
    assert said == by_reference(quads)


def test_a_number_with_a_line_break_behind_it_is_none():
    """By XPath a pattern ends where the text ends; pyshacl has Python's, which ends before a last line break too."""
    node = NamedNode("urn:x:1")
    quads = [Quad(node, RDF.type, TG.Exploration), Quad(node, PROV.wasDerivedFrom, node)]
    quads.append(Quad(node, TG.edgeCount, Literal("5\n")))
    [finding] = rdf.validate(quads)
    assert finding.message == "tg:edgeCount is '5\\n', not a whole number from 0."
    assert by_reference(quads) == []
