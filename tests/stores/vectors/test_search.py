import numpy as np
import pytest

from explorer.errors import WorkspaceError
from explorer.stores.sqlite import SqliteDatabase
from explorer.stores.vectors.search import Entry, VectorIndex, claim_embedder, drop_vectors, put_vectors, unit
from tests.links import fact

ROWS = np.array([[1, 0], [0, 2], [3, 3], [0, 0]], dtype=np.float32)
KEYS = [str(fact(f"k{n}", "tank")) for n in range(10)]
ENTRIES = [Entry(KEYS[n], f"c{n}", text) for n, text in enumerate(["valve", "fan", "valve and fan", "nothing"])]


@pytest.fixture
def index():
    made = VectorIndex(SqliteDatabase(None).open())
    with made.database.writing() as connection:
        put_vectors(connection, "edge", "urn:d:1", ENTRIES, ROWS)
    return made


def test_the_nearest_come_first_with_their_cosine(index):
    [hits, others] = index.search("edge", np.array([[2, 0], [0, 1]], dtype=np.float32), 2)
    assert [(hit.key, round(hit.score, 3)) for hit in hits] == [(KEYS[0], 1.0), (KEYS[2], 0.707)]
    assert [hit.key for hit in others] == KEYS[1:3]
    assert [(hit.number, hit.chunk, hit.text) for hit in hits] == [(1, "c0", "valve"), (3, "c2", "valve and fan")]


def test_what_is_added_is_found_at_once(index):
    query = np.array([[-1, 0]], dtype=np.float32)
    assert index.search("edge", query, 1)[0][0].score == 0
    with index.database.writing() as connection:
        put_vectors(connection, "edge", "urn:d:2", [Entry(KEYS[9], "c9", "back")], -ROWS[:1])
    assert index.search("edge", query, 1)[0][0].key == KEYS[9]
    assert index.count("edge") == 5


def test_only_edges_are_linked(index):
    with index.database.writing() as connection:
        put_vectors(connection, "entity", "", [Entry("urn:x:valve", "", "valve")], ROWS[:1])
        put_vectors(connection, "chunk", "urn:d:1", [Entry("urn:c:1", "urn:c:1", "valve")], ROWS[:1])
    assert [row["fact"] for row in index.database.rows("SELECT fact FROM links")] == [1, 2, 3, 4]


def test_keywords_find_facts_by_their_sentences(index):
    assert {hit.key for hit in index.keywords(["valves"], 5)} == {KEYS[0], KEYS[2]}
    assert index.keywords(["?"], 5) == []
    assert len(index.keywords(["valve", "fan"], 1)) == 1


def test_a_collection_keeps_to_the_embedder_that_made_its_vectors(index):
    with index.database.writing() as connection:
        claim_embedder(connection, "wordllama-256")
        claim_embedder(connection, "wordllama-256")
        with pytest.raises(WorkspaceError, match="were made by wordllama-256, not other-8"):
            claim_embedder(connection, "other-8")


def test_vectors_that_were_dropped_are_not_found_even_when_as_many_follow(index):
    query = np.array([[1, 0]], dtype=np.float32)
    with index.database.writing() as connection:
        claim_embedder(connection, "one")
    assert index.search("edge", query, 1)[0][0].key == KEYS[0]
    with index.database.writing() as connection:
        drop_vectors(connection)
        put_vectors(connection, "edge", "urn:d:1", ENTRIES, -ROWS)
        claim_embedder(connection, "other")
    assert index.search("edge", query, 1)[0][0].key == KEYS[1]
    assert len(index.keywords(["valve"], 5)) == 2


def test_vectors_take_a_byte_a_number_and_their_cosines_differ_little():
    vectors = np.random.default_rng(5).normal(size=(200, 256)).astype(np.float32)
    made = VectorIndex(SqliteDatabase(None).open())
    with made.database.writing() as connection:
        put_vectors(connection, "chunk", "d", [Entry(f"c{n}", f"c{n}", "") for n in range(200)], vectors)
    assert {len(row["vector"]) for row in made.database.rows("SELECT vector FROM vectors")} == {256}
    exact = unit(vectors) @ unit(vectors)[0]
    found = {hit.number - 1: hit.score for hit in made.search("chunk", vectors[:1], 200)[0]}
    assert max(abs(found[n] - exact[n]) for n in range(200)) < 0.003
