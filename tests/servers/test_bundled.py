"""A database for the length of one question: what is read ahead is one statement, remembered, and the same."""

import threading

import numpy as np
import pytest

from explorer.events import Content
from explorer.servers.postgres.database import PostgresDatabase
from explorer.servers.postgres.lease import WriterLease
from explorer.servers.postgres.server import Session
from explorer.stores.database import Many
from explorer.stores.library import Library
from explorer.stores.link_graph import Links
from explorer.stores.sentences import Sentences
from explorer.stores.sqlite import SqliteDatabase
from explorer.stores.vectors.search import STANDING, VectorIndex
from tests.stores.contract.test_database import fill

ASKED = [
    ("SELECT iri, number FROM chunks WHERE iri IN (SELECT value FROM json_each(?)) ORDER BY number DESC",
     (Many(["urn:d:c0", "urn:d:c2"]),)),
    ("SELECT number, vector FROM vectors WHERE kind = ? ORDER BY number", ("edge",)),
    ("SELECT data, title, NULL AS absent, CAST(0.1 AS double precision) AS part FROM contents WHERE iri = ?",
     ("urn:d",)),
    ("SELECT iri FROM chunks WHERE iri = ?", ("urn:nobody",)),
    ("SELECT text, text, number FROM chunks ORDER BY number", ()),
]  # fmt: skip


@pytest.fixture
def served(collection):
    """A collection on a server, with one document."""
    made = PostgresDatabase(collection, WriterLease(collection)).open()
    fill(made)
    yield made
    made.close()


@pytest.fixture
def statements(monkeypatch):
    """The statements that are run on a server, those of transactions too."""
    run, rows = [], Session.rows

    def counted(self, sql, values=()):
        if threading.current_thread().name != "lease":
            run.append(sql)
        return rows(self, sql, values)

    monkeypatch.setattr(Session, "rows", counted)
    return run


def test_what_is_read_ahead_is_what_would_be_read(database):
    fill(database)
    bundled = database.bundled()
    bundled.ahead(ASKED)
    for sql, values in ASKED:
        assert list(map(tuple, bundled.rows(sql, values))) == list(map(tuple, database.rows(sql, values)))
    [row] = bundled.rows(*ASKED[2])
    assert (bytes(row["data"]), row["title"], row["absent"]) == (b"\x00bytes", "Valves", None)


def test_what_is_read_ahead_is_one_statement_and_asked_once(served, statements):
    bundled = served.bundled()
    bundled.ahead(ASKED[:1])
    statements.clear()
    bundled.ahead(ASKED)
    bundled.ahead(ASKED)
    for asked in ASKED:
        bundled.rows(*asked)
    bundled.tally("edge")
    bundled.tally("text")
    assert len(statements) == 1


def test_in_a_folder_nothing_is_read_ahead(tmp_path):
    database = SqliteDatabase(tmp_path / "library.sqlite").open()
    assert database.bundled() is database
    database.ahead(1 / 0 for _ in range(1))
    database.close()


def test_a_question_sees_what_this_process_changes_and_reads_once_while_runs_are_written(served, statements):
    bundled, library = served.bundled(), Library(served)
    asked = ("SELECT iri FROM documents ORDER BY iri", ())
    bundled.ahead([asked])
    library.put([Content("urn:prompt", "Prompt", "text/plain", b"words")])
    statements.clear()
    assert [row["iri"] for row in bundled.rows(*asked)] == ["urn:d"]
    assert not statements
    fill(served, "urn:other")
    assert [row["iri"] for row in bundled.rows(*asked)] == ["urn:d", "urn:other"]
    assert bundled.tally("text").held == served.tally("text").held == 6


def test_the_stores_say_ahead_what_they_ask(served, statements):
    database = served.bundled()
    library, vectors, links, sentences = Library(database), VectorIndex(database), Links(database), Sentences(database)
    chunks, query = ["urn:d:c1", "urn:d:c0"], np.eye(1, 8, dtype=np.float32)
    database.ahead([*library.rarities_ahead(["valve", "tank 1"]), *STANDING])
    database.ahead([
        *library.search_ahead(["valve", "opens"]), *vectors.search_ahead("chunk", query, 2),
        *vectors.edges_near_ahead(query, [["valve"]], 2), *links.entities_ahead(["urn:a1"]),
    ])  # fmt: skip
    database.ahead([
        *library.found_ahead(["valve", "opens"]), *vectors.hits_ahead("chunk", query, 2), *vectors.edges_ahead([1, 2]),
        *vectors.chunks_ahead(chunks), *library.chunk_numbers_ahead(chunks), *library.around_ahead(["urn:d"]),
        *sentences.lines_ahead(chunks), *sentences.of_ahead(chunks), *links.iris_ahead([1]),
        *links.graph().rows_of_ahead([1]),
    ])  # fmt: skip
    statements.clear()
    assert library.rarity("valve") < library.rarity("tank 1")
    assert len(library.search(["valve", "opens"])) == 3
    assert [hit.key for hit in vectors.search("chunk", query, 2)[0]] == ["urn:d:c0", "urn:d:c1"]
    assert len(vectors.edges_near(query, [["valve"]], 2)) >= 2
    assert vectors.edges([1, 2])[0].keys() == {1, 2}
    assert vectors.chunks(chunks)[0].keys() == set(chunks) == library.chunk_numbers(chunks).keys()
    assert library.around([("urn:d", 0)])["urn:d", 0].text == "Whole."
    assert sentences.lines(chunks).keys() == sentences.of(chunks).keys() == set(chunks)
    assert links.entities(["urn:a1"]).keys() == {"urn:a1"}
    assert links.iris([1])
    assert statements == []
