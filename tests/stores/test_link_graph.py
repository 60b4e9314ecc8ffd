from contextlib import closing, suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Triple

from explorer.stores import link_graph as weaving
from explorer.stores.collection import open_collection
from explorer.stores.document_rows import drop_document
from explorer.stores.link_graph import drop_unlinked, facts_of, terms_of
from explorer.stores.vectors.search import Entry, drop_vectors, put_vectors
from explorer.vocab import entity_iri
from tests.corpus import filled
from tests.each import each
from tests.links import add_document, add_facts, entity, fact, lines, node, place, woven

FEEDS = fact("valve", "tank")
VALVES = {"a": [("The valve feeds the tank.", [FEEDS]), ("The tank feeds the station.", [fact("tank", "station")])]}


def numbers(stores, triple):
    return [row["number"] for row in stores.database.rows("SELECT number FROM vectors WHERE key = ?", (str(triple),))]


def test_a_fact_links_both_its_ends_and_its_passage_a_value_is_no_node_and_some_facts_come_from_nowhere():
    value = fact("valve", Literal("983 psi"), "opens at")
    stores = woven(VALVES, loose=[value])
    add_facts(stores, [fact("pump", "sink")], "urn:c:elsewhere", "urn:d:elsewhere")  # which only the graph knows
    assert lines(stores) == sorted([
        (str(fact("tank", "station")), "tank", "station", "urn:c:a:1"), (str(FEEDS), "valve", "tank", "urn:c:a:0"),
        (str(value), "valve", None, None), (str(fact("pump", "sink")), "pump", "sink", None),
    ], key=repr)  # fmt: skip


def test_a_fact_of_two_passages_is_two_links():
    stores = woven(VALVES | {"b": [("It was said again: the valve feeds the tank.", [FEEDS])]})
    assert [line[3] for line in lines(stores) if line[0] == str(FEEDS)] == ["urn:c:a:0", "urn:c:b:0"]
    graph = stores.links.graph()
    assert graph.mentions(entity(stores, "valve")) == 2
    assert len(graph.rows_of(numbers(stores, FEEDS))) == 2


def test_a_passage_that_mentions_an_entity_often_counts_once():
    chunk = ("The valve.", [fact("valve", f"tank {n}") for n in range(5)] + [fact("valve", "valve")])
    stores = woven({"a": [chunk]}, loose=[fact("valve", "pump"), fact("pump", "sink")])
    graph = stores.links.graph()
    assert [graph.mentions(entity(stores, name)) for name in ("valve", "tank 3", "pump")] == [1, 1, 1]


def test_the_rows_of_a_node_come_as_they_were_stored_and_are_cut():
    stores = woven(loose=[fact("hub", f"leaf {n:02}") for n in range(20)])
    graph = stores.links.graph()
    hub, leaf = entity(stores, "hub"), entity(stores, "leaf 07")
    rows = graph.rows(np.array([hub, leaf], dtype=np.int32), 5)
    assert graph.fact[rows].tolist() == [*range(1, 6), 8]
    assert graph.ends(rows)[-1].tolist() == [hub, leaf, -1]
    assert graph.rows(np.array([], dtype=np.int32), 5).tolist() == []


@each("title", ["Halden", "halden", "Halden (town)", " Halden  (town)"])
def test_a_title_that_is_the_name_of_an_entity_links_it_to_the_beginning_of_its_document(title):
    stores = open_collection(None)
    texts = ("The town lies by a river.", [fact("river", "lake")]), ("It has a port.", [fact("Halden", "port", "has")])
    add_document(stores, "d", texts, title)
    assert lines(stores)[-1] == (None, "halden", None, "urn:c:d:0")
    graph = stores.links.graph()
    assert graph.fact[0] == 0
    assert graph.mentions(entity(stores, "halden")) == 2


@each("title", ["(town)", "?", " ", "The town of Halden", "\U0001f680", "x" * 5000])
def test_any_other_title_links_nothing(title):
    stores = open_collection(None)
    add_document(stores, "d", [("Halden has a port.", [fact("Halden", "port", "has")])], title)
    assert [line[0] for line in lines(stores)] == [str(fact("Halden", "port", "has"))]


def test_a_title_names_an_entity_that_only_another_document_speaks_of():
    stores = open_collection(None)
    add_document(stores, "d", [("The town lies by a river.", [])], "Halden")
    assert lines(stores) == []
    add_document(stores, "e", [("Halden has a port.", [fact("Halden", "port", "has")])])
    assert (None, "halden", None, "urn:c:d:0") in lines(stores)


@pytest.mark.parametrize("gone", ["Halden", "river"])
def test_of_a_graph_without_some_links_the_facts_that_are_left_are_found_by_their_numbers(gone):
    stores = open_collection(None)
    texts = ("The town lies by a river.", [fact("river", "lake")]), ("It has a port.", [fact("Halden", "port", "has")])
    add_document(stores, "d", texts, "Halden")
    graph = stores.links.graph()
    there = graph.head != entity(stores, gone)
    left = graph.only(there)
    kept, lost = (set(graph.fact[rows].tolist()) - {0} for rows in (there, ~there))
    assert kept
    assert left.fact[left.rows_of(sorted(kept | lost))].tolist() == sorted(kept)
    assert not left.knows(entity(stores, gone))
    assert left.size == graph.size


def test_what_is_stored_is_in_the_next_web_and_the_one_given_stays():
    stores = woven(VALVES)
    before = stores.links.graph()
    assert stores.links.graph() is before
    add_document(stores, "b", [("The station feeds the harbour.", [fact("station", "harbour")])])
    assert len(before.fact) == 2
    assert len(stores.links.graph().fact) == 3
    assert ("station", "harbour") in {line[1:3] for line in lines(stores)}


def test_a_document_that_was_dropped_leaves_no_links_and_others_keep_theirs():
    stores = woven({"b": [("The station feeds the harbour.", [fact("station", "harbour"), FEEDS])]} | VALVES)
    kept = [line for line in lines(stores) if line[3] != "urn:c:b:0"]
    with stores.database.writing() as connection:
        drop_document(connection, "urn:d:b")
    assert lines(stores) == kept
    add_document(stores, "c", [("The harbour feeds the sea.", [fact("harbour", "sea")])])
    assert lines(stores) == sorted([*kept, (str(fact("harbour", "sea")), "harbour", "sea", "urn:c:c:0")])


def test_facts_stored_under_numbers_that_were_used_before_stand_for_themselves():
    stores = woven(loose=[FEEDS])
    assert [line[1:3] for line in lines(stores)] == [("valve", "tank")]
    with stores.database.writing() as connection:
        drop_vectors(connection)
    assert lines(stores) == []
    add_facts(stores, [fact("harbour", "sea")])
    assert numbers(stores, fact("harbour", "sea")) == [1]
    assert [line[1:3] for line in lines(stores)] == [("harbour", "sea")]


def test_reindexing_gives_the_same_web():
    with filled() as ws:
        before = lines(ws.stores)
        ws.reindex()
        assert lines(ws.stores) == before
        assert any(line[3] for line in before)


def test_entities_of_which_no_fact_is_left_can_be_taken_out():
    stores = woven({"b": [("The station feeds the harbour.", [fact("station", "harbour")])]} | VALVES)
    with stores.database.writing() as connection:
        spoken = terms_of(connection, "urn:d:b")
        drop_document(connection, "urn:d:b")
        drop_unlinked(connection, spoken)
    named = [row["text"] for row in stores.database.rows("SELECT text FROM vectors WHERE kind = 'entity'")]
    assert sorted(named) == ["station", "tank", "valve"]
    assert stores.links.entities([entity_iri("harbour")]) == {}
    assert len(lines(stores)) == 2


def test_a_reader_sees_what_the_writer_adds(tmp_path):
    with closing(open_collection(tmp_path)) as writer:
        add_facts(writer, [FEEDS])
        with closing(open_collection(tmp_path, read_only=True)) as reader:
            assert [line[1:3] for line in lines(reader)] == [("valve", "tank")]
            add_document(writer, "a", VALVES["a"], "Station")
            assert lines(reader) == lines(writer)
            assert len(lines(reader)) == 4


def test_the_web_of_nothing_is_empty():
    graph = open_collection(None).links.graph()
    none = np.array([], dtype=np.int32)
    assert len(graph.fact) == 0
    assert graph.rows_of([1, 2]).tolist() == []
    assert graph.ends(none).shape == (0, 3)
    assert graph.rows(none, 3).tolist() == []


def test_many_links_are_read_in_parts(monkeypatch):
    monkeypatch.setattr(weaving, "_ROWS_AT_ONCE", 3)
    stores = woven(loose=[fact(f"valve {n}", "tank") for n in range(10)])
    assert len(lines(stores)) == 10
    assert stores.links.graph().fact.tolist() == list(range(1, 11))


def test_a_passage_is_a_node_of_its_own():
    stores = woven(VALVES)
    graph = stores.links.graph()
    spot = place(stores, graph, "urn:c:a:1")
    assert spot >= graph.passages_from > entity(stores, "station")
    found = graph.fact[graph.rows(np.array([spot], dtype=np.int32), 9)].tolist()
    assert found == numbers(stores, fact("tank", "station"))


literals = st.one_of(
    st.builds(Literal, st.text()),
    st.builds(lambda text, tag: Literal(text, language=tag), st.text(), st.sampled_from(["en", "fr-CA"])),
    st.builds(lambda text: Literal(text, datatype=NamedNode("urn:x:kind")), st.text()),
)


@given(st.lists(st.tuples(st.text(), literals | st.builds(node, st.text())), max_size=5))
def test_any_fact_is_read_back_from_its_key(given):
    facts = [Triple(node(head), node("feeds"), tail) for head, tail in given]
    assert facts_of(map(str, facts)) == {str(one): one for one in facts}


def test_a_transaction_that_fails_leaves_the_web_as_it_was():
    stores = woven(VALVES)
    before = lines(stores)
    entries = [Entry(str(fact("pump", "sink")), "", "pump feeds sink")]
    with suppress(KeyError), stores.database.writing() as connection:
        put_vectors(connection, "edge", "", entries, np.ones((1, 256), dtype=np.float32))
        raise KeyError
    assert lines(stores) == before
