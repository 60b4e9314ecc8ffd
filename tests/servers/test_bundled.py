"""A database for the length of one question: what is read ahead is one statement, remembered, and the same."""

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

from explorer.events import Content
from explorer.servers.postgres.database import PostgresDatabase
from explorer.servers.postgres.lease import WriterLease
from explorer.servers.postgres.server import Session
from explorer.stores.library import Library
from explorer.stores.link_graph import Links
from explorer.stores.sentences import Sentences
from explorer.stores.sqlite import SqliteDatabase
from explorer.stores.vectors.search import STANDING, VectorIndex
from tests.stores.contract.test_database import ASKED, fill, reads


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


def test_what_is_read_ahead_is_one_statement_and_asked_once(served, statements):
    bundled = served.bundled()
    bundled.read_ahead(reads(bundled, ASKED[:1]))
    statements.clear()
    bundled.read_ahead(reads(bundled, ASKED))
    bundled.read_ahead(reads(bundled, ASKED))
    for asked in ASKED:
        bundled.rows(*asked)
    bundled.tally("edge")
    bundled.tally("text")
    assert len(statements) == 1


def test_in_a_folder_nothing_is_read_ahead(tmp_path):
    database = SqliteDatabase(tmp_path / "library.sqlite").open()
    assert database.bundled() is database
    database.read_ahead(1 / 0 for _ in range(1))
    database.close()


def test_a_question_sees_what_this_process_changes_and_reads_once_while_runs_are_written(served, statements):
    bundled, library = served.bundled(), Library(served)
    asked = ("SELECT iri FROM documents ORDER BY iri", ())
    bundled.read_ahead(reads(bundled, [asked]))
    library.put([Content("urn:prompt", "Prompt", "text/plain", b"words")])
    statements.clear()
    assert [row["iri"] for row in bundled.rows(*asked)] == ["urn:d"]
    assert not statements
    fill(served, "urn:other")
    assert [row["iri"] for row in bundled.rows(*asked)] == ["urn:d", "urn:other"]
    assert bundled.tally("text").held == served.tally("text").held == 6


def test_what_reads_of_stores_lead_to_is_read_by_a_statement_a_step(served, statements):
    database = served.bundled()
    library, vectors, links, sentences = Library(database), VectorIndex(database), Links(database), Sentences(database)
    chunks, query = ["urn:d:c1", "urn:d:c0"], np.eye(1, 8, dtype=np.float32)
    database.read_ahead([*reads(database, STANDING), partial(library.look, ["valve", "tank 1"])])
    statements.clear()
    plan = [
        partial(library.rarity, "valve"), partial(library.rarity, "tank 1"),
        partial(library.search, ["valve", "opens"]), partial(vectors.search, "chunk", query, 2),
        partial(vectors.edges_near, query, [["valve"]], 2),
        lambda: vectors.edges(vectors.edges_near(query, [["valve"]], 2)), partial(vectors.chunks, chunks),
        partial(library.chunk_numbers, chunks), partial(library.around, [("urn:d", 0)]),
        partial(sentences.lines, chunks), partial(sentences.of, chunks), partial(links.entities, ["urn:a1"]),
        partial(links.iris, [1]), lambda: links.graph().rows_of([1]),
    ]  # fmt: skip
    database.read_ahead(plan)
    assert len(statements) <= 4  # the columns of tables and who were merged, searches, what they found
    statements.clear()
    assert library.rarity("valve") < library.rarity("tank 1")
    assert len(library.search(["valve", "opens"])) == 3
    assert [hit.key for hit in vectors.search("chunk", query, 2)[0]] == ["urn:d:c0", "urn:d:c1"]
    assert len(vectors.edges_near(query, [["valve"]], 2)) >= 2
    assert vectors.edges(vectors.edges_near(query, [["valve"]], 2))[0].keys() == {1, 2}
    assert vectors.chunks(chunks)[0].keys() == set(chunks) == library.chunk_numbers(chunks).keys()
    assert library.around([("urn:d", 0)])["urn:d", 0].text == "Whole."
    assert sentences.lines(chunks).keys() == sentences.of(chunks).keys() == set(chunks)
    assert links.entities(["urn:a1"]).keys() == {"urn:a1"}
    assert links.iris([1])
    assert statements == []


def test_what_fails_while_it_is_read_ahead_fails_at_once_and_others_are_read_as_usual_then(served):
    database = served.bundled()
    with pytest.raises(ZeroDivisionError):
        database.read_ahead([lambda: database.rows("SELECT iri FROM documents"), lambda: 1 / 0])
    assert [row["iri"] for row in database.rows("SELECT iri FROM documents")] == ["urn:d"]


def test_a_plan_that_never_ends_is_left_after_some_statements(served, statements):
    database, numbers = served.bundled(), itertools.count()
    statements.clear()
    database.read_ahead([lambda: database.rows("SELECT CAST(? AS int)", (next(numbers),))])
    assert 1 < len(statements) < 10


def test_threads_of_one_question_read_the_same_ahead(served):
    database, together = served.bundled(), threading.Barrier(4)

    def read(_):
        together.wait(20)
        database.read_ahead(reads(database, ASKED))
        return [len(database.rows(*one)) for one in ASKED]

    with ThreadPoolExecutor(4) as pool:
        found = [*pool.map(read, range(4))]
    assert found == [[len(served.rows(*one)) for one in ASKED]] * 4
