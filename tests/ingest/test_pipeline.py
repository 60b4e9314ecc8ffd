import gc
import hashlib

import pytest
from pyoxigraph import Literal, NamedNode, Triple

from explorer import entities as e
from explorer import rdf
from explorer.ingest.extraction.rules import RuleExtractor
from explorer.ingest.gc_pauses import seldom_collected
from explorer.ingest.given.curated_facts import CuratedFact, aligned
from explorer.ingest.parsed import ExtractedDocument, Extraction, document_iri, file_name, parse, triple
from explorer.ingest.pipeline import Pipeline
from explorer.ingest.readers.files import read
from explorer.models.embedding import WordLlamaEmbedder
from explorer.vocab import FACTS, PROV, RDF, RDFS, SOURCE, TG, X, entity_iri
from tests.corpus import NOTES, PAGES, VALVES, Clock, pdf
from tests.opened import empty

FILES = {"valves.md": VALVES.encode(), "notes.txt": NOTES.encode(), "report.pdf": pdf(*PAGES)}


@pytest.fixture
def stores():
    return empty()


@pytest.fixture
def pipeline(stores):
    return Pipeline(stores.graph, stores.library, WordLlamaEmbedder(), Clock())


def parsed(name, data):
    return parse(data, name, read(data, name))


def curated(document, *facts, agent="curator"):
    found = [CuratedFact(*fact, file_name(document.source), quote) for *fact, quote in facts]
    edges, missing = aligned(found, document.reading.text, list(document.chunks))
    assert missing == []
    return Extraction(agent, "1", tuple(edges))


def described(stores, cls):
    quads = list(stores.graph.match(graph=cls.graph))
    return [entity for entity in rdf.entities(quads) if type(entity) is cls]


def test_the_same_bytes_are_the_same_document():
    assert document_iri(b"abc") == f"https://trustgraph.ai/doc/{hashlib.sha256(b'abc').hexdigest()[:32]}"
    assert parsed("a.txt", b"x y z").iri == parsed("b.txt", b"x y z").iri


def test_metadata_of_a_document_stands_in_the_facts_and_its_parts_in_the_sources(stores, pipeline):
    document = parsed("report.pdf", FILES["report.pdf"])
    pipeline.store_all([ExtractedDocument(document)])
    [entity] = described(stores, e.Document)
    assert (entity.title, entity.mime_type, entity.page_count) == ("Report on the switches", "application/pdf", 2)
    assert {type(x).__name__ for x in rdf.entities(stores.graph.match(graph=SOURCE))} == {
        "Page", "Chunk", "Activity", "Agent",
    }  # fmt: skip
    assert [page.number for page in sorted(described(stores, e.Page), key=lambda page: page.number)] == [1, 2]


def test_one_activity_for_each_component(stores, pipeline):
    document = parsed("notes.txt", FILES["notes.txt"])
    opened = ("relief valve", "opened at", "983 psi", "The relief valve opened at 983 psi.")
    pipeline.store_all(
        [ExtractedDocument(document, (curated(document, opened), curated(document, opened, agent="rules")))]
    )
    agents = [activity.associated_with for activity in described(stores, e.Activity)]
    assert sorted(agent.rsplit("/", 1)[1] for agent in agents) == ["chunker", "curator", "reader", "rules"]
    for activity in described(stores, e.Activity):
        assert activity.used == (document.iri,)
        assert activity.started_at.startswith("2026-01-15T10:3")
    [chunker] = [activity for activity in described(stores, e.Activity) if activity.chunk_size]
    assert (chunker.chunk_size, chunker.chunk_overlap) == (1000, 100)


def test_one_subgraph_for_each_chunk_extractor_and_span(stores, pipeline):
    document = parsed("notes.txt", FILES["notes.txt"])
    quote = "The relief valve opened at 983 psi."
    facts = [("relief valve", "opened at", "983 psi", quote), ("relief valve", "is", "open", quote)]
    pipeline.store_all(
        [ExtractedDocument(document, (curated(document, *facts), curated(document, facts[0], agent="rules")))]
    )
    groups = described(stores, e.Subgraph)
    assert sorted(len(group.contains) for group in groups) == [1, 2]
    text = stores.library.text(document.iri)
    for group in groups:
        [chunk] = [c for c in described(stores, e.Chunk) if c.iri in group.derived_from]
        start = chunk.char_offset + group.source_offset
        assert text[start : start + group.source_length] == group.source_text == quote
        assert group.confidence == 1.0


def test_a_value_is_a_literal_and_a_thing_is_an_entity_with_a_label(stores, pipeline):
    document = parsed("notes.txt", FILES["notes.txt"])
    extraction = curated(
        document,
        ("Relief Valve", "opened at", "983 psi", "The relief valve opened at 983 psi."),
        ("Relief Valve", "was built by", "Beech Aircraft", "Beech Aircraft built the relief valve in 1966."),
    )
    pipeline.store_all([ExtractedDocument(document, (extraction,))])
    valve = NamedNode(entity_iri("relief valve"))
    assert [triple(edge) for edge in extraction.edges] == [
        Triple(valve, NamedNode(entity_iri("opened at")), Literal("983 psi")),
        Triple(valve, NamedNode(entity_iri("was built by")), NamedNode(entity_iri("Beech Aircraft"))),
    ]
    labels = {quad.subject.value: quad.object.value for quad in stores.graph.match(None, RDFS.label, None, FACTS)}
    assert labels[valve.value] == "Relief Valve"
    assert labels[entity_iri("opened at")] == "opened at"
    assert entity_iri("983 psi") not in labels


def test_several_documents_at_once_are_what_they_are_one_by_one(stores, pipeline):
    quote = "Beech Aircraft built the relief valve in 1966."
    found = []
    for name in ("notes.txt", "valves.md"):
        document = parsed(name, FILES[name])
        found.append(
            ExtractedDocument(document, (curated(document, ("relief valve", "was built by", "Beech", quote)),))
        )
    assert pipeline.store_all(found) == 2
    single = empty()
    one_by_one = Pipeline(single.graph, single.library, WordLlamaEmbedder(), Clock())
    assert [one_by_one.store_all([one]) for one in found] == [1, 1]
    assert set(stores.graph.match()) == set(single.graph.match())
    assert pipeline.store_all(found) == 0
    assert set(stores.graph.match()) == set(single.graph.match())


def test_a_larger_set_of_facts_over_the_same_words_adds_only_what_is_new(stores, pipeline):
    document = parsed("notes.txt", FILES["notes.txt"])
    quote = "The relief valve opened at 983 psi."
    first, second = ("relief valve", "opened at", "983 psi", quote), ("relief valve", "is", "open", quote)
    assert pipeline.store_all([ExtractedDocument(document, (curated(document, first),))]) == 1
    assert pipeline.store_all([ExtractedDocument(document, (curated(document, first, second),))]) == 1
    [group] = described(stores, e.Subgraph)
    assert len(group.contains) == 2
    assert len(list(stores.graph.match(NamedNode(group.iri), PROV.wasGeneratedBy))) == 1
    assert [finding for finding in rdf.validate(stores.graph.match()) if finding.severity == "violation"] == []
    activities = [one for one in described(stores, e.Activity) if one.associated_with.endswith("/curator")]
    assert len(activities) == 2
    before = set(stores.graph.match())
    for facts in ([first], [second], [second, first]):
        assert pipeline.store_all([ExtractedDocument(document, (curated(document, *facts),))]) == 0
    assert set(stores.graph.match()) == before


def test_a_name_that_a_fact_is_not_written_with_is_on_record_with_its_rule(stores, pipeline):
    document = parsed("a.txt", b"Jim Lovell slept in the tunnel. He had flown on Gemini 7.")
    taken = tuple(RuleExtractor().edges(document.chunks))
    pipeline.store_all([ExtractedDocument(document, (Extraction("rules", "1", taken),))])
    (second,) = [group for group in described(stores, e.Subgraph) if group.source_text.startswith("He")]
    assert second.joined == (Triple(NamedNode(entity_iri("Jim Lovell")), X.byPronoun, Literal("He")),)


def test_documents_stored_together_are_whole_at_the_end_and_their_things_have_one_label(stores, pipeline):
    first, second = parsed("a.txt", NOTES.encode()), parsed("b.txt", f"{NOTES} Again.".encode())
    quote = "The relief valve opened at 983 psi."
    one, other = (
        ExtractedDocument(document, (curated(document, (name, "opened at", "983 psi", quote)),))
        for document, name in ((first, "Relief valve"), (second, "relief valve"))
    )
    usual = gc.get_threshold()
    with stores.database.storing, pipeline.together():
        assert [pipeline.store_all([one]), pipeline.store_all([other])] == [1, 1]
        assert not stores.library.has(first.iri)
        with seldom_collected():
            assert gc.get_threshold() != usual
        assert list(stores.graph.match(None, TG.contains)) == []
    assert gc.get_threshold() == usual
    assert stores.library.has(first.iri)
    assert stores.library.has(second.iri)
    assert len(described(stores, e.Subgraph)) == 2
    labels = list(stores.graph.match(NamedNode(entity_iri("relief valve")), RDFS.label))
    assert [label.object.value for label in labels] == ["Relief valve"]


def test_what_waits_goes_into_the_graph_before_what_another_version_takes_away_and_when_storing_fails(stores, pipeline):
    old, new = parsed("a.txt", NOTES.encode()), parsed("a.txt", f"{NOTES} Again.".encode())
    beside = parsed("b.txt", f"{NOTES} Once more.".encode())

    def cut_off():
        with stores.database.storing, pipeline.together():
            pipeline.store_all([ExtractedDocument(old)])
            pipeline.store_all([ExtractedDocument(new)])
            assert stores.library.has(new.iri)
            pipeline.store_all([ExtractedDocument(beside)])
            raise RuntimeError

    with pytest.raises(RuntimeError):
        cut_off()
    assert [stores.library.has(one.iri) for one in (old, new, beside)] == [False, True, True]
    assert stores.library.newer(old.iri)[0] == new.iri
    assert stores.library.unfinished() == []


def test_extraction_provenance_keeps_to_the_source_graph(stores, pipeline):
    document = parsed("valves.md", FILES["valves.md"])
    quote = "Beech Aircraft built the relief valve in 1966."
    pipeline.store_all(
        [ExtractedDocument(document, (curated(document, ("relief valve", "was built by", "Beech Aircraft", quote)),))]
    )
    here = set(stores.graph.match(graph=FACTS))
    about = {quad.subject.value for quad in here if quad.predicate == RDF.type}
    assert about == {document.iri}
    assert not [quad for quad in here if quad.predicate in (PROV.wasDerivedFrom, PROV.wasGeneratedBy, TG.contains)]
