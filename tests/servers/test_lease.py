"""Who may write to a collection on a server, and until when: by the server's clock alone."""

import threading
import time
from contextlib import closing

import pytest

from explorer.errors import WorkspaceError
from explorer.servers.postgres.database import PostgresDatabase
from explorer.servers.postgres.lease import WriterLease
from explorer.servers.postgres.server import Server
from explorer.stores.document_rows import put_documents
from explorer.stores.library import StoredDocument
from explorer.stores.run_rows import ListedRun, RunTable

ADD = "INSERT INTO settings VALUES (?, 'x')"


class Paused(WriterLease):
    """The lease of a process that was stopped as soon as it had it."""

    def beat(self):
        return True


@pytest.fixture
def writer(collection):
    made = []

    def opened(kind=WriterLease, lasts=15.0):
        server = Server(collection.address, collection.schema)
        made.append(PostgresDatabase(server, kind(server, lasts)).open())
        return made[-1]

    yield opened
    for one in made:
        one.close()


def run_out(database):
    """Have the lease of a process that was stopped run out now, by the server's clock."""
    with database.server.lent() as session:
        session.rows("UPDATE writers SET until = clock_timestamp() WHERE token = ?", (database.lease.token,))


def begin(database, run):
    RunTable(database).add([ListedRun(run, "graph-rag", "extractive", "?", "2026", None)])
    with database.writing() as connection:
        put_documents(connection, [StoredDocument(f"{run}:d", "p", "T", "text/plain", "x")])
    return [run, f"{run}:d"]


def test_what_a_living_writer_is_at_is_left_to_it(writer):
    one, other = writer(lasts=6), writer()
    begun = begin(one, "urn:1")
    time.sleep(8)  # heartbeats put it off
    assert other.lease.abandoned(begun) == []
    assert one.lease.abandoned(begun) == []
    assert len(other.lease.others()) == 1


def test_what_was_left_by_a_writer_that_is_gone_is_taken_over_and_it_cannot_write_any_more(writer):
    one, other = writer(Paused), writer()
    begun = begin(one, "urn:1")
    mine = begin(other, "urn:2")
    assert other.lease.abandoned([*begun, *mine]) == []
    run_out(one)
    with one.writing() as connection:  # run out, but nobody has taken it
        connection.execute(ADD, ("a",))
    assert other.lease.abandoned([*begun, *mine]) == begun
    with pytest.raises(WorkspaceError, match="Another process has taken over"), one.writing() as connection:
        connection.execute(ADD, ("b",))
    assert not WriterLease.beat(one.lease)
    assert [row["name"] for row in other.rows("SELECT name FROM settings WHERE value = 'x'")] == ["a"]


def test_a_writer_that_was_taken_over_is_one_before_its_write_or_after_it_never_between(writer):
    one, other = writer(Paused), writer()
    begun = begin(one, "urn:1")
    run_out(one)
    found = []
    taker = threading.Thread(target=lambda: found.append(other.lease.abandoned(begun)))
    with one.writing() as connection:
        connection.execute(ADD, ("a",))
        taker.start()
        time.sleep(0.3)
        assert found == []  # it waits for the transaction
    taker.join()
    assert found == [begun]
    assert other.rows("SELECT 1 FROM settings WHERE name = 'a'")


def test_what_has_ended_is_nobodys(writer):
    one, other = writer(), writer()
    begin(one, "urn:1")
    RunTable(one).describe(["urn:1"], reason="done", answer="", kept=0, failed=0, pattern=None)
    one.close()
    assert other.rows("SELECT iri FROM begun")[0]["iri"] == "urn:1:d"
    assert other.lease.abandoned(["urn:1:d"]) == ["urn:1:d"]  # it was closed in between


def test_four_writers_leave_one_chain(writer):
    from explorer.stores import ledger

    def work(database):
        for n in range(10):
            with database.sealing, database.sealing, database.writing() as connection:
                ledger.append(connection, ledger.Entry(0, ledger.RUN, f"urn:{n}", "now", "hash", ""), None)

    threads = [threading.Thread(target=work, args=(writer(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    chain = ledger.chain(writer())
    assert (len(chain.seals), chain.broken) == (40, ())


def test_writers_that_open_a_new_collection_at_once_make_it_once(writer, collection):
    found = []
    threads = [threading.Thread(target=lambda: found.append(writer())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len({one.lease.token for one in found}) == 4


def test_tallies_of_several_writers_are_one_number_and_none_waits(writer):
    one, other = writer(), writer()
    with one.writing() as connection:
        connection.index("text", [(1, "a valve", b"")])
        with other.writing() as second:  # while the first one's transaction is open
            second.index("text", [(2, "a pump", b"")])
    assert one.tally("text") == other.tally("text")
    assert one.tally("text").held == 2


def test_another_format_is_refused_and_stays(writer, monkeypatch):
    from explorer.servers.postgres import migrating

    writer().close()
    newest = migrating.newest()
    for other, said in (
        (newest + 1, "written by an earlier development version"),
        (newest - 1, f"reads {newest - 1};"),
    ):
        monkeypatch.setattr(migrating, "newest", lambda other=other: other)
        with pytest.raises(WorkspaceError, match=said):
            writer()
    monkeypatch.undo()
    writer()


def test_who_only_reads_makes_nothing_and_writes_nothing(writer, collection):
    def reader():
        return PostgresDatabase(Server(collection.address, collection.schema)).open()

    with pytest.raises(WorkspaceError, match="has no collection"):
        reader()
    begin(writer(), "urn:1")
    with closing(reader()) as reading:
        assert RunTable(reading).iris() == {"urn:1"}
        assert reading.abandoned(["urn:1"]) == []
        with pytest.raises(WorkspaceError, match="for reading alone"), reading.writing():
            pass


def test_mending_leaves_a_document_to_the_writer_that_is_at_it(writer):
    from explorer.ingest.recovery import mend
    from explorer.stores.graph import OxigraphStore
    from explorer.stores.library import Library

    one, other = writer(), writer()
    begin(one, "urn:1")
    graph = OxigraphStore(None).open()
    mend(graph, Library(other))
    assert Library(other).unfinished() == ["urn:1:d"]
    one.close()
    mend(graph, Library(other))
    assert Library(other).unfinished() == []
    graph.close()


def test_who_reads_in_is_not_named_once_their_lease_is_gone(writer):
    one, other = writer(), writer()
    with one.reading_in("Ana"):
        assert [found.by for found in other.being_read()] == ["Ana"]
        run_out(one)
        assert other.being_read() == []
        assert other.taken_over()
    assert other.being_read() == []
