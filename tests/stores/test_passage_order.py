from dataclasses import replace

from explorer import entities as e
from explorer.stores.passage_order import ordered_sources
from tests.strategies import passage


def test_sources_are_ordered_by_citation_and_then_by_score():
    selections = [e.EdgeSelection(iri=f"urn:e:{n}", score=score) for n, score in enumerate((0.9, 0.5, 0.7))]
    found = {f"urn:e:{n}": (passage(document, 1, 0, 3),) for n, document in enumerate("abc")}
    assert [p.document[-1] for p in ordered_sources(selections, found)] == ["a", "c", "b"]
    assert [p.document[-1] for p in ordered_sources(selections, found, ["urn:e:1"])] == ["b", "a", "c"]


def test_a_source_of_another_chunk_comes_before_a_further_one_that_is_not_cited():
    selections = [e.EdgeSelection(iri=f"urn:e:{n}", score=score) for n, score in enumerate((0.9, 0.8, 0.7))]
    places = (("a", 1, 0, 3), ("a", 1, 4, 9), ("b", 1, 0, 3))
    found = {f"urn:e:{n}": (replace(passage(*place), chunk=place[0]),) for n, place in enumerate(places)}
    assert [(p.document[-1], p.start) for p in ordered_sources(selections, found)] == [("a", 0), ("b", 0), ("a", 4)]
    cited = ordered_sources(selections, found, ["urn:e:0", "urn:e:1"])
    assert [(p.document[-1], p.start) for p in cited] == [("a", 0), ("a", 4), ("b", 0)]


def test_whole_chunks_that_share_a_sentence_are_two_sources():
    selections = [e.ChunkSelection(iri=f"urn:c:{n}") for n in range(3)]
    first = replace(passage("a", 1, 0, 9), chunk="urn:chunk:0", subgraph="urn:chunk:0")
    second = replace(first, start=6, end=15, chunk="urn:chunk:1", subgraph="urn:chunk:1")
    found = {"urn:c:0": (first,), "urn:c:1": (second,), "urn:c:2": (first,)}
    assert ordered_sources(selections, found) == (first, second)
    assert ordered_sources(selections, found, ["urn:c:1"]) == (second, first)


def test_spans_that_overlap_count_once():
    selections = [e.EdgeSelection(iri="urn:e:0", score=0.5), e.EdgeSelection(iri="urn:e:1", score=0.4)]
    first = passage("a", 1, 0, 3)
    found = {"urn:e:0": (first,), "urn:e:1": (replace(first, start=2, end=5), replace(first, start=3, end=5))}
    assert [(p.start, p.end) for p in ordered_sources(selections, found)] == [(0, 3), (3, 5)]
