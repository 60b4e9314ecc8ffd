"""The nearest vectors are the same, to the last digit, wherever they are compared."""

from functools import partial

import numpy as np
import pytest

from explorer.errors import WorkspaceError
from explorer.stores.sqlite import SqliteDatabase
from explorer.stores.vectors.search import Entry, VectorIndex, put_vectors

pytestmark = pytest.mark.contract


def fill(database, vectors):
    entries = [Entry(f"urn:e{i}", "", f"e{i}") for i in range(len(vectors))]
    with database.writing() as connection:
        put_vectors(connection, "entity", "", entries, vectors)


@pytest.mark.parametrize("few", [20_000, 100])
def test_the_nearest_are_found_with_their_exact_similarity(database, few):
    chance = np.random.default_rng(7)
    vectors = chance.normal(size=(400, 64)).astype(np.float32)
    vectors[10] = vectors[200]  # a tie goes to the one stored first
    plain = SqliteDatabase(None).open()
    for one in (database, plain):
        fill(one, vectors)
    queries = np.concatenate([vectors[[10, 11]] + 0.01, chance.normal(size=(2, 64)).astype(np.float32)])
    index = VectorIndex(database, few)
    index.make_ready()
    index.make_ready()
    assert index.search("entity", queries, 5) == VectorIndex(plain).search("entity", queries, 5)
    assert index.search("edge", queries, 5) == [[], [], [], []]
    assert index.search("entity", queries[:0], 5) == []
    with database.writing() as connection:
        connection.execute("DELETE FROM vectors WHERE key = 'urn:e10'")
    assert index.search("entity", queries[:1], 1)[0][0].key == "urn:e200"
    plain.close()


def test_queries_of_another_length_are_refused_in_a_sentence_also_where_they_are_read_ahead(database):
    fill(database, np.eye(4, 64, dtype=np.float32))
    bundled, query = database.bundled(), np.eye(1, 32, dtype=np.float32)
    says = r"The embedder gives vectors of 32 numbers, those of this collection have 64. .*explorer reindex"
    searches = [partial(VectorIndex(one).search, "entity", query, 5) for one in (database, bundled)]
    for look in searches if bundled is database else (*searches, partial(bundled.read_ahead, searches[1:])):
        with pytest.raises(WorkspaceError, match=says):
            look()
