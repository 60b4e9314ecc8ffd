"""What we write and read, against what TrustGraph 2.11.1 wrote for the same arguments."""

import json
import re

import pytest
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Triple, parse

from explorer import entities as e
from explorer import rdf
from explorer.vocab import DC, PROV, RDF, RDFS, RETRIEVAL, TG, entity_iri, iri, recognise

ORDERED = ("question", "grounding", "exploration", "focus", "synthesis")
CASES = (
    "graphrag-question graphrag-question-subtrace graphrag-grounding graphrag-grounding-no-usage graphrag-exploration "
    "graphrag-exploration-empty graphrag-focus-crossencoder graphrag-focus-reasoning graphrag-focus-empty "
    "graphrag-synthesis document-full document-min derived-page derived-section derived-chunk subgraph-full "
    "subgraph-min"
).split()
TYPES = {
    "graphrag-question": e.GraphRagQuestion, "graphrag-grounding": e.Grounding, "graphrag-exploration": e.Exploration,
    "graphrag-focus": e.Focus, "graphrag-synthesis": e.Synthesis, "document": e.Document, "derived-page": e.Page,
    "derived-section": e.Section, "derived-chunk": e.Chunk, "subgraph": e.Subgraph,
}  # fmt: skip


@pytest.fixture
def builders(conformance):
    return conformance / "golden" / "builders"


def golden(builders, case):
    """The triples of one builder; RDF 1.2 writes a triple term with parentheses, TrustGraph without."""
    text = (builders / f"{case}.nq").read_text("utf-8")
    terms = re.sub(r"<< (.*?) >>(?= (?:<[^>]*> )?\.$)", r"<<( \1 )>>", text, flags=re.MULTILINE)
    return set(parse(terms, format=RdfFormat.N_QUADS))


def term(wire):
    match wire["t"]:
        case "i":
            return NamedNode(wire["i"])
        case "l" if wire.get("ln"):
            return Literal(wire["v"], language=wire["ln"])
        case "l" if wire.get("dt"):
            return Literal(wire["v"], datatype=NamedNode(wire["dt"]))
        case "l":
            return Literal(wire["v"])
        case "t":
            return Triple(*(term(wire["tr"][part]) for part in "spo"))


def ordered(builders, case):
    """The triples in the order of the wire."""
    rows = json.loads((builders / f"{case}.json").read_text("utf-8"))["wire_ordered"]
    graphs = [{"graph_name": NamedNode(row["g"])} if row.get("g") else {} for row in rows]
    return [
        Quad(term(row["s"]), term(row["p"]), term(row["o"]), *graph.values())
        for row, graph in zip(rows, graphs, strict=True)
    ]


def same(quad):
    """A score reads as a number, so that "0" and "0.0" are the same one."""
    score = quad.predicate == TG.score
    return Quad(quad.subject, quad.predicate, Literal(str(float(quad.object.value))), RETRIEVAL) if score else quad


def rewritten(quads):
    """The entities that some triples describe, written anew; parts of a Focus after the links to them."""
    described = rdf.entities(quads)
    parts = [entity for entity in described if isinstance(entity, e.EdgeSelection)]
    roots = [entity for entity in described if not isinstance(entity, e.EdgeSelection)]
    return [quad for root in roots for quad in rdf.triples(root, "trustgraph", parts=parts)]


@pytest.mark.parametrize("case", CASES)
def test_what_trustgraph_wrote_is_read_and_written_again(builders, case):
    quads = golden(builders, case)
    [cls] = [cls for name, cls in TYPES.items() if case.startswith(name)]
    assert [type(entity) for entity in rdf.entities(quads) if type(entity) is cls] == [cls]
    assert {same(quad) for quad in rewritten(quads)} == {same(quad) for quad in quads}


@pytest.mark.parametrize("case", [case for case in CASES if case.startswith(("graphrag", "document"))])
def test_every_triple_has_its_field(builders, case):
    assert [entity.other for entity in rdf.entities(golden(builders, case)) if entity.other] == []


@pytest.mark.parametrize("case", [case for case in CASES if any(stage in case for stage in ORDERED)])
def test_steps_are_written_in_the_order_of_the_wire(builders, case):
    quads = ordered(builders, case)
    assert set(quads) == golden(builders, case)
    assert list(map(same, rewritten(quads))) == list(map(same, quads))


def test_a_question_is_built_as_trustgraph_builds_it(builders):
    built = json.loads((builders / "graphrag-question.json").read_text("utf-8"))
    node, query, time = built["args"]
    entity = e.GraphRagQuestion(
        iri=node, query=query, started_at=time, engine="graph-rag/1", parameters={"edge_limit": 25}, sequence=0
    )
    assert rdf.triples(entity, "trustgraph") == ordered(builders, "graphrag-question")


@pytest.mark.parametrize("case", ["graphrag-focus-crossencoder", "graphrag-focus-reasoning"])
def test_a_focus_is_built_as_trustgraph_builds_it(builders, case):
    built = json.loads((builders / f"{case}.json").read_text("utf-8"))
    node, parent, chosen = built["args"]
    session = built["kwargs"]["session_id"]
    selections = [
        e.EdgeSelection(
            iri=iri("edge", session, number),
            edge=Triple(*(term(part["__term__"]) for part in item["edge"])),
            concept=item.get("concept") or None,
            score=item.get("score"),
            reasoning=item.get("reasoning") or None,
        )
        for number, item in enumerate(chosen)
    ]
    entity = e.Focus(
        iri=node,
        derived_from=(parent,),
        selected_edges=tuple(selection.iri for selection in selections),
        in_token=built["kwargs"].get("in_token"),
        out_token=built["kwargs"].get("out_token"),
        model=built["kwargs"].get("model"),
    )
    assert rdf.triples(entity, "trustgraph", parts=selections) == ordered(builders, case)


def test_every_iri_of_ours_that_trustgraph_makes_is_recognised(builders):
    text = (builders / "graphrag-focus-reasoning.nq").read_text("utf-8")
    made = set(re.findall(r"<(urn:trustgraph:prov:[^>]*)>", text))
    assert {recognise(node).kind for node in made} == {"focus", "edge", "exploration"}


def test_an_entity_is_named_as_trustgraph_names_it():
    assert entity_iri("Marie Curie") == "http://trustgraph.ai/e/marie-curie"


def test_every_term_of_trustgraph_is_in_the_vocabulary(builders):
    constants = json.loads((builders / "_namespaces.json").read_text("utf-8"))
    terms = {value for value in constants.values() if isinstance(value, str) and value.startswith((TG.base, PROV.base))}
    ours = {term.value for space in (TG, PROV, DC, RDF, RDFS) for term in space}
    assert terms - ours - {TG.base, PROV.base} == set()
    assert RETRIEVAL.value in constants.values()
