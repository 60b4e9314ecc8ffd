import json
import random
import shutil
from contextlib import closing
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from explorer.models.embedding import WordLlamaEmbedder
from explorer.stores.document_rows import drop_document
from explorer.stores.sqlite import SqliteDatabase
from explorer.stores.vectors.index import KindIndex, stored
from explorer.stores.vectors.quantised import QuantisedIndex
from explorer.stores.vectors.search import Entry, VectorIndex, put_vectors
from tests.links import fact

FACTS = Path(__file__).parents[3] / "sample_data" / "apollo13" / "facts.jsonl"
MANY, FEW, QUERIES = 3000, 1000, 40
NEAREST = "nearest-edge.npz"


@cache
def facts():
    """Short texts that differ as those of a large collection do, and their vectors; the last ones are queries."""
    told = [json.loads(line) for line in FACTS.read_text("utf-8").splitlines()]
    pick = random.Random(7).choice
    made: dict[str, None] = {}
    while len(made) < MANY + QUERIES:
        made[" ".join(pick(told)[part] for part in ("subject", "predicate", "object"))] = None
    return list(made), WordLlamaEmbedder().embed(list(made))


def key(number):
    return str(fact(f"valve {number}", "tank"))


def store(database, begin, end, document="urn:d:1", kind="edge"):
    texts, vectors = facts()
    entries = [Entry(key(n), f"c{n}", texts[n]) for n in range(begin, end)]
    with database.writing() as connection:
        put_vectors(connection, kind, document, entries, vectors[begin:end])


def queries():
    return facts()[1][MANY:]


def found(database, limit=50, few=FEW):
    return KindIndex(database, "edge", few).nearest(queries(), limit)


def exact(database, limit=50):
    return found(database, limit, few=10**9)


def recall(database, given):
    rows = zip(given, exact(database), strict=True)
    return np.mean([len({n for n, _ in a} & {n for n, _ in b}) / len(b) for a, b in rows])


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("filled")
    with closing(SqliteDatabase(folder / "library.sqlite").open()) as database:
        store(database, 0, 2000)
        found(database)
    return folder


@pytest.fixture
def place(filled, tmp_path):
    """Where a collection of many vectors is, closed, with the file of its quantised."""
    assert sorted(path.name for path in filled.iterdir()) == ["library.sqlite", NEAREST]
    return shutil.copytree(filled, tmp_path / "place")


@pytest.fixture
def database(place):
    with closing(SqliteDatabase(place / "library.sqlite").open()) as opened:
        yield opened


@pytest.fixture
def no_learning(monkeypatch):
    monkeypatch.setattr(QuantisedIndex, "trained", lambda _: pytest.fail("the quantised was made anew"))


def test_the_sketch_finds_nearly_all_that_comparing_each_vector_finds_with_the_same_similarities():
    database = SqliteDatabase(None).open()
    store(database, 0, MANY)
    given = found(database)
    assert recall(database, given) >= 0.98
    assert found(database) == given
    truth = [dict(row) for row in exact(database, MANY)]
    assert all(score == truth[n][number] for n, row in enumerate(given) for number, score in row)
    assert all(row == sorted(row, key=lambda hit: (-hit[1], hit[0])) for row in given)


@pytest.mark.parametrize("few", [1, 10**9])
def test_equal_vectors_come_as_they_were_stored(few):
    database = SqliteDatabase(None).open()
    for number in range(30):
        store(database, 0, 20, f"urn:d:{number}")
    [row] = KindIndex(database, "edge", few).nearest(facts()[1][5:6], 30)
    assert [number for number, _ in row] == [20 * n + 6 for n in range(30)]
    assert len({score for _, score in row}) == 1


def test_vectors_of_an_odd_length_can_be_sketched():
    database = SqliteDatabase(None).open()
    vectors = np.random.default_rng(3).normal(size=(900, 7)).astype(np.float32)
    with database.writing() as connection:
        put_vectors(connection, "edge", "urn:d:1", [Entry(key(n), "", "") for n in range(900)], vectors)
    [row] = KindIndex(database, "edge", 100).nearest(vectors[3:4] / np.linalg.norm(vectors[3]), 1)
    assert row == [(4, pytest.approx(1, abs=0.003))]


def test_a_document_is_added_to_what_is_there_and_not_all_made_anew(database, no_learning):
    index = KindIndex(database, "edge", FEW)
    index.nearest(queries(), 5)
    store(database, 2000, MANY, "urn:d:2")
    assert recall(database, index.nearest(queries(), 50)) >= 0.98
    [row] = index.nearest(facts()[1][2500:2501], 1)
    assert row == [(2501, pytest.approx(1, abs=0.003))]


def test_a_kind_that_grows_past_what_is_compared_one_by_one_gets_a_sketch():
    database = SqliteDatabase(None).open()
    index = KindIndex(database, "edge", FEW)
    store(database, 0, FEW)
    assert index.nearest(queries(), 50) == exact(database)
    assert index._quantised is None
    store(database, FEW, MANY, "urn:d:2")
    assert recall(database, index.nearest(queries(), 50)) >= 0.98
    assert len(index._quantised) == MANY


def test_a_file_that_lacks_rows_is_caught_up(place, database, no_learning):
    store(database, 2000, 2050, "urn:d:2")
    [row] = KindIndex(database, "edge", FEW).nearest(facts()[1][2020:2021], 1)
    assert row == [(2021, pytest.approx(1, abs=0.003))]


def test_a_file_is_written_again_only_once_it_lacks_much(place, database):
    before = (place / NEAREST).read_bytes()
    store(database, 2000, 2050, "urn:d:2")
    found(database)
    assert (place / NEAREST).read_bytes() == before
    store(database, 2050, 2500, "urn:d:3")
    found(database)
    _, about = QuantisedIndex.load(place / NEAREST)
    assert about["last"] == 2500
    assert [path.name for path in place.glob("*.part")] == []


@pytest.mark.parametrize("damaged", [
    lambda _: None,
    lambda _: b"",
    lambda data: data[: len(data) // 2],
    lambda data: data[:-1],
    lambda data: b"x" * len(data),
    lambda data: data[: len(data) // 2] + bytes(99) + data[len(data) // 2 + 99 :],
    lambda data: bytes(60) + data[60:],
    lambda data: data[:100] + b"\xff" * 40 + data[140:],
    lambda data: data[:-120] + b"\xff" * 60 + data[-60:],
])  # fmt: skip
def test_a_missing_or_damaged_file_is_made_anew(place, database, damaged):
    file = place / NEAREST
    before, data = found(database), damaged(file.read_bytes())
    file.unlink() if data is None else file.write_bytes(data)
    assert found(database) == before
    assert QuantisedIndex.load(file) is not None


def test_rows_that_were_taken_away_are_not_found(place, database):
    index = KindIndex(database, "edge", FEW)
    store(database, 2000, 2500, "urn:d:2")
    index.nearest(queries(), 5)
    with database.writing() as connection:
        drop_document(connection, "urn:d:2")
    store(database, 2500, MANY, "urn:d:3")
    for now in (index, KindIndex(database, "edge", FEW)):
        given = now.nearest(queries(), 50)
        assert recall(database, given) >= 0.98
        assert now.nearest(facts()[1][2700:2701], 1) == [[(2201, pytest.approx(1, abs=0.003))]]


def test_a_file_of_another_copy_of_the_collection_is_made_anew(place, tmp_path_factory):
    """As many rows with the same numbers, but other ones: an older copy was put back and then filled differently."""
    other = tmp_path_factory.mktemp("other")
    with closing(SqliteDatabase(other / "library.sqlite").open()) as database:
        store(database, 1000, MANY)
        (other / NEAREST).write_bytes((place / NEAREST).read_bytes())
        assert recall(database, found(database)) >= 0.98


def test_a_file_from_a_later_state_than_the_collection_is_made_anew(place):
    data = (place / "library.sqlite").read_bytes()
    with closing(SqliteDatabase(place / "library.sqlite").open()) as database:
        store(database, 2000, MANY, "urn:d:2")
        found(database)
    (place / "library.sqlite").write_bytes(data)
    with closing(SqliteDatabase(place / "library.sqlite").open()) as database:
        assert recall(database, found(database)) >= 0.98


def test_a_reader_sees_what_another_connection_adds_and_never_writes(place, database):
    (place / NEAREST).unlink()
    with closing(SqliteDatabase(place / "library.sqlite", read_only=True).open()) as reading:
        index = KindIndex(reading, "edge", FEW)
        assert recall(database, index.nearest(queries(), 50)) >= 0.98
        store(database, 2000, MANY, "urn:d:2")
        assert index.nearest(facts()[1][2500:2501], 1) == [[(2501, pytest.approx(1, abs=0.003))]]
    assert not (place / NEAREST).exists()


def test_a_collection_in_memory_leaves_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    database = SqliteDatabase(None).open()
    store(database, 0, 2000)
    found(database)
    assert list(tmp_path.iterdir()) == []


def test_a_disk_without_room_does_not_stop_a_search(place, database):
    before = found(database)
    (place / NEAREST).unlink()
    (place / (NEAREST + ".part")).mkdir()
    assert found(database) == before


def test_vectors_are_read_by_their_numbers(database):
    numbers, vectors = stored(database, [7, 10**6, 3, 7])
    assert numbers.tolist() == [3, 7]
    assert np.allclose(vectors, facts()[1][[2, 6]], atol=0.003)
    entries, vectors = VectorIndex(database).edges([7, 10**6, 3, 7])
    assert sorted((number, entry.key) for number, entry in entries.items()) == [(3, key(2)), (7, key(6))]
    assert np.allclose(vectors, facts()[1][[number - 1 for number in entries]], atol=0.003)
    assert stored(database, [])[0].tolist() == []


def test_what_a_search_needs_is_made_ready_once_there_is_much_of_it(tmp_path, monkeypatch):
    with closing(SqliteDatabase(tmp_path / "library.sqlite").open()) as database:
        store(database, 0, FEW)
        VectorIndex(database, FEW).make_ready()
        assert not (tmp_path / NEAREST).exists()
        store(database, FEW, 2000, "urn:d:2")
        VectorIndex(database, FEW).make_ready()
        assert QuantisedIndex.about(tmp_path / NEAREST)["held"] == 2000
        store(database, 2000, 2050, "urn:d:3")
        VectorIndex(database, FEW).make_ready()
        assert QuantisedIndex.about(tmp_path / NEAREST)["held"] == 2000
        monkeypatch.setattr(QuantisedIndex, "trained", lambda _: pytest.fail("the quantised was made anew"))
        assert recall(database, found(database)) >= 0.98
    (tmp_path / NEAREST).write_bytes(b"spoiled")
    assert QuantisedIndex.about(tmp_path / NEAREST) == {}


def test_rows_are_counted_and_found_once(tmp_path):
    with closing(SqliteDatabase(tmp_path / "library.sqlite").open()) as database:
        store(database, 0, 20)
        assert (database.tally("edge").held, database.tally("edge").last) == (20, 20)
        with database.writing() as connection:  # raises where the index holds other words than its rows
            connection.execute("INSERT INTO spoken (spoken, rank) VALUES ('integrity-check', 1)")
