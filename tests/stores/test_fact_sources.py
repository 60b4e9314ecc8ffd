import pytest
from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer import entities as e
from explorer import rdf
from explorer.events import Content
from explorer.stores.collection import open_collection
from explorer.vocab import FACTS, RDFS, SOURCE, TG, entity_iri, iri
from tests.corpus import FACTS as CURATED
from tests.corpus import filled, shared
from tests.each import each

TANK, IS = NamedNode(entity_iri("tank")), NamedNode(entity_iri("is"))
FULL = [Literal("full", language="en"), Literal("full", language="fr"), Literal("full"), NamedNode(entity_iri("full"))]


def every_fact(ws):
    return {quad.object for quad in ws.graph.match(None, TG.contains, None, SOURCE)}


def test_the_text_of_every_passage_stands_in_its_document_and_its_place_counts_from_its_page_or_section():
    ws = shared()
    seen = set()
    for found in (passage for fact in every_fact(ws) for passage in ws.passages(fact)):
        assert ws.text(found.document)[found.start : found.end] == found.text
        assert found.text in ws.text(found.chunk)
        seen.add((found.title, found.page is not None, found.section is not None))
        if found.part is None:
            assert found.page_start is None
            continue
        part = ws.node(found.part).entity
        assert found.start - found.page_start == part.char_offset
        assert 0 <= found.page_start <= found.page_start + len(found.text) <= part.char_length
    assert seen >= {
        ("Report on the switches", True, False),
        ("Valves of the tank", False, True),
        ("Notes of the shift", False, False),
    }


def test_a_chunk_that_only_the_graph_knows_has_the_content_under_its_iri_as_text():
    stores = open_collection(None)
    stores.graph.add(rdf.triples(e.Chunk(iri="urn:chunk:1", derived_from=("urn:doc:1",), index=1)))
    assert stores.sources.chunk_text("urn:chunk:1") == ""
    stores.library.add([Content("urn:chunk:1", "Chunk 1", "text/plain", b"The tank is full.")])
    stores.sources.forget()
    [found] = stores.sources.chunk("urn:chunk:1")
    assert (found.text, found.start, found.end) == ("The tank is full.", 0, 17)


def test_a_fact_of_two_documents_has_both_sources_in_order():
    ws = shared()
    fact = Triple(NamedNode(entity_iri("relief valve")), NamedNode(entity_iri("was built by")),
                  NamedNode(entity_iri("Beech Aircraft")))  # fmt: skip
    found = ws.passages(fact)
    assert [(p.title, p.extracted_by) for p in found] == [
        ("Notes of the shift", "curator"), ("Valves of the tank", "curator"),
    ]  # fmt: skip
    assert {p.text for p in found} == {CURATED[0][4]}


def test_a_fact_nobody_extracted_has_no_source():
    assert shared().passages(Triple(TANK, IS, Literal("nowhere"))) == []
    assert shared().passages(e.EdgeSelection(iri="urn:x:1")) == []


@pytest.fixture
def stores():
    """Four facts that read the same, each from a sentence of its own, in documents imported without a library."""
    made = open_collection(None)
    for number, value in enumerate(FULL):
        fact = Triple(TANK, IS, value)
        chunk, document = f"urn:chunk:{number}", f"https://example.org/{number}"
        made.graph.add(
            [
                Quad(TANK, IS, value, FACTS),
                *rdf.triples(e.Document(iri=document, title=f"Document {number}")),
                *rdf.triples(e.Chunk(iri=chunk, derived_from=(document,), char_offset=100, index=1)),
                *rdf.triples(
                    e.Subgraph(
                        iri=iri("subgraph", str(number)),
                        contains=(fact,),
                        derived_from=(chunk,),
                        source_text=f"Sentence {number}.",
                        source_offset=7,
                    )
                ),
            ]
        )
    return made


def test_facts_that_read_the_same_keep_their_own_sources(stores):
    for number, value in enumerate(FULL):
        [found] = stores.sources.passages(Triple(TANK, IS, value))
        assert (found.text, found.title) == (f"Sentence {number}.", f"Document {number}")
        assert (found.start, found.end, found.page_start) == (107, 118, None)
        assert found.extracted_by == "unknown"


def test_a_fact_from_many_places_comes_in_order_of_document_and_offset(stores):
    fact = Triple(TANK, IS, FULL[0])
    for number, offset in enumerate((50, 3)):
        part = e.Subgraph(
            iri=iri("subgraph", f"more{number}"), contains=(fact,), derived_from=("urn:chunk:0",),
            source_text="x", source_offset=offset,
        )  # fmt: skip
        stores.graph.add(rdf.triples(part))
    assert [found.start for found in stores.sources.passages(fact)] == [103, 107, 150]


def test_a_record_that_runs_in_a_circle_or_leads_nowhere_is_survived(stores):
    fact = Triple(TANK, IS, Literal("odd"))
    stores.graph.add(rdf.triples(e.Chunk(iri="urn:chunk:a", derived_from=("urn:chunk:b",))))
    stores.graph.add(rdf.triples(e.Chunk(iri="urn:chunk:b", derived_from=("urn:chunk:a",))))
    for number, parents in enumerate([("urn:chunk:a",), ("urn:nowhere",), ()]):
        stores.graph.add(rdf.triples(e.Subgraph(iri=f"urn:sg:{number}", contains=(fact,), derived_from=parents)))
    assert len(stores.sources.passages(fact)) == 2


def test_labels_are_read_from_the_facts_and_absent_when_there_are_none(stores):
    stores.graph.add([Quad(TANK, RDFS.label, Literal("Tank")), Quad(IS, RDFS.label, Literal("hidden"), SOURCE)])
    assert stores.sources.labels([Triple(TANK, IS, FULL[0])]) == {TANK.value: "Tank"}


def test_the_library_tells_where_chunks_stand_as_the_graph_does():
    ws = shared()
    told = ws.stores.library.placed(chunk for chunk, *_ in ws.stores.library.chunks())
    assert len(told) > 4
    for chunk, stored in told.items():
        assert stored == ws.sources.recorded(chunk)


@each("table", ["spans", "places"])
def test_the_graph_tells_where_facts_and_chunks_stand_as_the_library_does(table):
    with filled() as ws:
        facts, library = every_fact(ws), ws.stores.library
        chunks = [chunk for chunk, *_ in library.chunks()]

        def passages():
            return [*map(ws.passages, facts), *map(ws.sources.chunk, chunks)]

        before, spans = passages(), library.spans(one.subgraph for fact in facts for one in ws.passages(fact))
        assert spans.keys() == {one.subgraph for fact in facts for one in ws.passages(fact)}
        with ws.stores.database.writing() as connection:
            connection.execute(f"DELETE FROM {table}")
        ws.sources.forget()
        assert passages() == before
        ws.reindex(progress=False)
        assert library.spans(spans) == spans
        assert library.placed(chunks).keys() == {*chunks}
