import numpy as np
import pytest

from explorer.errors import WorkspaceError
from explorer.stores.database import Database
from explorer.stores.vectors import Entry, VectorIndex, claim_embedder, drop_vectors, put_vectors, unit

ROWS = np.array([[1, 0], [0, 2], [3, 3], [0, 0]], dtype=np.float32)
ENTRIES = [Entry(f"k{n}", f"c{n}", text) for n, text in enumerate(["valve", "fan", "valve and fan", "nothing"])]


@pytest.fixture
def index():
    made = VectorIndex(Database(None).open())
    with made.database.writing() as connection:
        put_vectors(connection, "edge", "urn:d:1", ENTRIES, ROWS)
    return made


def test_the_nearest_come_first_with_their_cosine(index):
    [hits, others] = index.search("edge", np.array([[2, 0], [0, 1]], dtype=np.float32), 2)
    assert [(hit.key, round(hit.score, 3)) for hit in hits] == [("k0", 1.0), ("k2", 0.707)]
    assert [hit.key for hit in others] == ["k1", "k2"]


def test_what_is_added_is_found_at_once(index):
    query = np.array([[-1, 0]], dtype=np.float32)
    assert index.search("edge", query, 1)[0][0].score == 0
    with index.database.writing() as connection:
        put_vectors(connection, "edge", "urn:d:2", [Entry("k9", "c9", "back")], -ROWS[:1])
    assert index.search("edge", query, 1)[0][0].key == "k9"
    assert index.count("edge") == 5


def test_kinds_are_apart_and_an_empty_one_finds_nothing(index):
    assert index.search("entity", ROWS[:2], 3) == [[], []]
    assert index.search("edge", ROWS[:0], 3) == []
    assert index.count("entity") == 0
    entries, scores = index.scores("entity", ROWS[:2])
    assert (len(entries), scores.shape) == (0, (0, 2))


def test_all_scores_stand_in_stored_order(index):
    entries, scores = index.scores("edge", ROWS[:2])
    assert entries == ENTRIES
    assert scores.shape == (4, 2)
    assert scores[3].tolist() == [0, 0]


def test_keywords_find_facts_by_their_sentences(index):
    assert {hit.key for hit in index.keywords(["valves"], 5)} == {"k0", "k2"}
    assert index.keywords(["?"], 5) == []
    assert len(index.keywords(["valve", "fan"], 1)) == 1


def test_the_same_vector_of_the_same_document_is_stored_once(index):
    with index.database.writing() as connection:
        put_vectors(connection, "edge", "urn:d:1", ENTRIES, ROWS)
    assert index.count("edge") == 4


def test_rows_have_length_one_and_zeros_stay():
    assert np.allclose(np.linalg.norm(unit(ROWS), axis=1), [1, 1, 1, 0])
    assert unit(ROWS).dtype == np.float32


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
    assert index.search("edge", query, 1)[0][0].key == "k0"
    with index.database.writing() as connection:
        drop_vectors(connection)
        put_vectors(connection, "edge", "urn:d:1", ENTRIES, -ROWS)
        claim_embedder(connection, "other")
    assert index.search("edge", query, 1)[0][0].key == "k1"
    assert len(index.keywords(["valve"], 5)) == 2
