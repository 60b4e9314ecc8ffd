"""What every database does, on every one."""

import os
import random
import threading
from datetime import UTC, datetime
from functools import partial

import numpy as np
import pytest
from pyoxigraph import Literal, NamedNode, Quad

from explorer.errors import WorkspaceError
from explorer.events import Content
from explorer.stores import ledger
from explorer.stores.chunks import Place, Span, StoredChunk, put_chunks, put_places, put_spans
from explorer.stores.curation_journal import Act, begin, end, finish, wait, waiting
from explorer.stores.database import Many, drop
from explorer.stores.document_rows import (
    drop_document,
    finish_documents,
    put_back,
    put_documents,
    put_extracted,
    put_standing,
    rows_of,
)
from explorer.stores.graph import OxigraphStore
from explorer.stores.library import Library, StoredDocument, put_contents
from explorer.stores.link_graph import Links, drop_unlinked, put_mentions, put_terms, terms_of
from explorer.stores.merged_entities import Merged, put_merged, stored_merged
from explorer.stores.run_rows import ListedRun, RunTable
from explorer.stores.sentences import Sentences, StoredSentence, put_sentences
from explorer.stores.vectors.search import Entry, VectorIndex, claim_embedder, put_vectors, stored_keys
from explorer.vocab import ANNOTATION, X

pytestmark = pytest.mark.contract
ASKED = [
    ("SELECT iri, number FROM chunks WHERE iri IN (SELECT value FROM json_each(?)) ORDER BY number DESC",
     (Many(["urn:d:c0", "urn:d:c2"]),)),
    ("SELECT number, vector FROM vectors WHERE kind = ? ORDER BY number", ("edge",)),
    ("SELECT data, title, NULL AS absent, CAST(0.1 AS double precision) AS part FROM contents WHERE iri = ?",
     ("urn:d",)),
    ("SELECT iri FROM chunks WHERE iri = ?", ("urn:nobody",)),
    ("SELECT text, text, number FROM chunks ORDER BY number", ()),
]  # fmt: skip

ADD = "INSERT INTO settings VALUES (?, 'x')"


def names(database):
    return [row["name"] for row in database.rows("SELECT name FROM settings WHERE value = 'x' ORDER BY name")]


def fact(subject, obj):
    return f"<urn:{subject}> <urn:knows> <urn:{obj}>"


def fill(database, document="urn:d", chunks=3):
    """Store a document of some chunks with facts, sentences and vectors."""
    import numpy as np

    named = [f"{document}:c{i}" for i in range(chunks)]
    vectors = np.eye(chunks, 8, dtype=np.float32)
    with database.writing() as connection:
        claim_embedder(connection, "e")
        put_standing(connection, [(f"/place/{document}", document)])
        put_documents(connection, [StoredDocument(document, f"/place/{document}", "Valves", "text/plain", "Whole.")])
        put_contents(connection, [Content(document, "Valves", "text/plain", b"\x00bytes")])
        put_chunks(
            connection, [StoredChunk(iri, document, f"The valve {i} opens the tank") for i, iri in enumerate(named)]
        )
        put_places(connection, {iri: Place(i, 10 * i, None, None, None, 0, "cut") for i, iri in enumerate(named)})
        put_spans(connection, {f"{iri}:s": Span(iri, 0, 3, "rules") for iri in named})
        put_sentences(connection, {iri: [StoredSentence(0, 9, "The valve")] for iri in named})
        put_mentions(connection, {iri: ["Valve", "Tank"] for iri in named})
        edges = [Entry(fact(f"a{i}", f"a{i + 1}"), iri, f"a{i} knows: the valve") for i, iri in enumerate(named)]
        put_vectors(connection, "edge", document, edges, vectors)
        put_vectors(connection, "chunk", document, [Entry(iri, "", "Valves: text") for iri in named], vectors)
        put_vectors(connection, "entity", "", [Entry(f"urn:a{i}", "", f"A{i}") for i in range(chunks)], vectors)
        put_extracted(connection, [(document, ["rules"])])
        finish_documents(connection, [document])
    return named


def test_a_transaction_is_stored_whole_or_not_at_all(database):
    with database.writing() as connection:
        connection.execute(ADD, ("a",))
        assert connection.rows("SELECT name FROM settings WHERE name = 'a'")[0]["name"] == "a"
    with pytest.raises(WorkspaceError), database.writing() as connection:
        connection.executemany(ADD, [("b",), ("a",)])
    with pytest.raises(KeyError), database.writing() as connection:
        raise KeyError(connection.execute(ADD, ("c",)))
    assert names(database) == ["a"]


def test_what_a_transaction_has_written_is_read_in_it_and_nowhere_else(database):
    with database.writing() as connection:
        connection.execute(ADD, ("a",))
        assert names(database) == ["a"]
        seen = []
        if not hasattr(database, "path"):  # memory has one connection, which waits
            reader = threading.Thread(target=lambda: seen.extend(names(database)))
            reader.start()
            reader.join()
        assert seen == []


def test_rows_are_read_by_name_and_in_order(database):
    [row] = database.rows("SELECT 1 AS one, 'two' AS two")
    assert (row["one"], row["two"], row[1], tuple(row)) == (1, "two", "two", (1, "two"))


def test_many_texts_and_numbers_are_looked_up_at_once(database):
    fill(database)
    rows = database.rows(
        "SELECT number FROM chunks WHERE number IN (SELECT value FROM json_each(?))", (Many([1, 3, 9]),)
    )
    assert len(rows) == 2
    odd = ['"', "'", "\\", "{a,b}", "NULL", "", "é\n", "urn:d"]
    rows = database.rows("SELECT iri FROM documents WHERE iri IN (SELECT value FROM json_each(?))", (Many(odd),))
    assert [row["iri"] for row in rows] == ["urn:d"]
    assert not database.rows("SELECT 1 FROM documents WHERE iri IN (SELECT value FROM json_each(?))", (Many([]),))


def test_reserved_numbers_are_nobody_elses(database):
    fill(database)
    with database.writing() as connection:
        first = connection.reserve("chunks", 5)
        connection.executemany(
            "INSERT INTO chunks VALUES (?, ?, ?, ?)", [(first + i, f"urn:x{i}", "urn:x", "") for i in range(5)]
        )
        assert connection.insert("chunks", "iri, document, text", [("urn:y", "urn:x", "")]) == [first + 5]


def test_several_threads_write_and_read(database):
    def work(number):
        for i in range(10):
            with database.writing() as connection:
                connection.execute(ADD, (f"{number}-{i:02}",))
            names(database)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(names(database)) == 40


def test_a_closed_database_is_refused(database):
    database.close()
    database.close()
    for act in (lambda: names(database), lambda: database.writing().__enter__()):
        with pytest.raises(WorkspaceError, match="closed"):
            act()


def test_a_document_is_found_once_it_is_whole_and_goes_whole(database):
    named = fill(database)
    library, vectors, links = Library(database), VectorIndex(database), Links(database)
    assert library.text("urn:d") == "Whole."
    assert library.get("urn:d").data == b"\x00bytes"
    assert library.chunks_of("urn:d") == named
    assert [iri for iri, _ in library.search(["valves", "tank"])] == named
    assert library.extractors("urn:d") == ("rules",)
    assert {kind: database.tally(kind).held for kind in ("text", "edge", "chunk", "entity")} == dict.fromkeys(
        ("text", "edge", "chunk", "entity"), 3
    )
    assert vectors.entities_called("a1") == ["urn:a1"]
    assert vectors.entities_holding("A") == ["urn:a0", "urn:a1", "urn:a2"]
    assert [hit.key for hit in vectors.keywords(["a1"], 5)] == [fact("a1", "a2")]
    assert stored_keys(database, "edge", [fact("a0", "a1"), "other"]) == {fact("a0", "a1")}
    assert Sentences(database).lines(named) == {iri: [(0, "The valve")] for iri in named}
    [node] = links.entities(["urn:a1"]).values()
    assert (links.graph().knows(node), links.graph().stands(node)) == (True, True)
    with database.writing() as connection:
        spoken = terms_of(connection, "urn:d")
        drop_document(connection, "urn:d")
        drop_unlinked(connection, spoken)
    assert library.search(["valve"]) == []
    assert vectors.keywords(["valve"], 5) == []
    for table in ("documents", "chunks", "sentences", "places", "spans", "mentions", "vectors", "links", "extracted",
                  "terms", "standing", "contents"):  # fmt: skip
        assert database.rows(f"SELECT * FROM {table}") == [], table
    assert [database.tally(kind).held for kind in ("text", "edge", "chunk", "entity")] == [0, 0, 0, 0]
    assert database.tally("text").dropped == 3


def test_a_document_that_is_not_whole_is_found_by_nobody(database):
    fill(database)
    with database.writing() as connection:
        connection.execute("UPDATE documents SET state = 'writing'")
    assert Library(database).search(["valve"]) == []
    assert VectorIndex(database).keywords(["valve"], 5) == []
    assert Library(database).unfinished() == ["urn:d"]


def test_a_document_comes_back_as_it_was(database):
    fill(database)
    fill(database, "urn:e")
    tables = ("documents", "chunks", "sentences", "places", "spans", "vectors", "links", "mentions", "contents")

    def held():
        return {table: sorted(map(tuple, database.rows(f"SELECT * FROM {table}")), key=repr) for table in tables}

    before, found = held(), Library(database).search(["valve"])
    kept = rows_of(database, "urn:d", ["urn:d"])
    with database.writing() as connection:
        spoken = terms_of(connection, "urn:d")
        drop_document(connection, "urn:d")
        drop_unlinked(connection, spoken)
    with database.writing() as connection:
        put_back(connection, kept)
    assert held() == before
    assert Library(database).search(["valve"]) == found
    fill(database, "urn:f")  # what is stored next has numbers of its own
    assert len(Library(database).search(["valve"])) == 9


def test_the_first_of_equal_vectors_is_stored_and_none_twice(database):
    import numpy as np

    vectors = np.eye(2, 8, dtype=np.float32)
    with database.writing() as connection:
        put_vectors(connection, "entity", "", [Entry("k", "one", "t"), Entry("k", "two", "t")], vectors)
        put_vectors(connection, "entity", "", [Entry("k", "three", "t"), Entry("k", "four", "u")], vectors)
    assert [row["chunk"] for row in database.rows("SELECT chunk FROM vectors ORDER BY number")] == ["one", "four"]
    with database.writing() as connection:
        drop(connection, "vectors", "key", ["k"], "AND kind = ?", "entity")
    assert database.tally("entity").held == 0


def test_contents_are_replaced_where_they_differ_and_what_comes_from_elsewhere_replaces_nothing(database):
    library = Library(database)
    one = Content("urn:c", "T", "text/plain", bytes(range(256)))
    library.put([one, one])
    given = [Content("urn:c", "T", "text/plain", b"theirs"), Content("urn:x", "T", "text/plain", b"")]
    assert library.add(given) == ["urn:c"]
    assert library.add([one]) == []
    assert [library.get(iri) for iri in ("urn:c", "urn:x")] == [one, given[1]]
    library.put([Content("urn:c", "U", "text/plain", b"new")])
    assert library.get("urn:c").data == b"new"
    assert library.held(["urn:c", "urn:x", "urn:y"]) == {"urn:c", "urn:x"}


def test_runs_are_found_by_words_whatever_their_case_and_by_how_they_ended(database):
    runs = RunTable(database)
    told = {"urn:1": ("Straße und ÉCLAIR", "answered"), "urn:2": ("other", "error"), "urn:3": ("third", None)}
    runs.add(
        ListedRun(iri, "graph-rag", "extractive", question, "2026", reason) for iri, (question, reason) in told.items()
    )
    runs.add([ListedRun("urn:1", "x", "x", "x", "x", None)])
    runs.describe(["urn:3"], reason=None, answer="It is 7", kept=2, failed=1, pattern=None)

    def find(**given):
        asked = {"text": None, "named": (), "engine": None, "reasoners": None, "problems": None, "troubles": ["error"]}
        return [*runs.find(**asked | given)]

    assert find() == ["urn:1", "urn:2", "urn:3"]
    assert find(text="STRASSE") == find(text="éclair") == ["urn:1"]
    assert find(text="it is") == ["urn:3"]
    assert find(text="none", named=["urn:2"]) == ["urn:2"]
    assert find(problems=True) == ["urn:2", "urn:3"]
    assert find(problems=False) == ["urn:1"]
    assert find(engine="agent") == find(reasoners=[]) == []
    assert runs.unended() == ["urn:3"]
    runs.drop(["urn:2"])
    assert runs.iris() == {"urn:1", "urn:3"}


def test_the_ledger_is_one_chain_and_its_entries_stay(database):
    for about in ("urn:1", "urn:2"):
        with database.writing() as connection:
            ledger.expect(connection, about, ledger.RUN, "now")
            ledger.expect(connection, about, ledger.RUN, "later")
            entry = ledger.Entry(0, ledger.RUN, about, "now", "hash", "")
            ledger.append(connection, entry, None)
    assert [one.moment for one in ledger.unsealed(database)] == ["later", "later"]
    chain = ledger.chain(database)
    assert (list(chain.seals), chain.broken) == ([1, 2], ())
    for sql in ("DELETE FROM ledger", "UPDATE ledger SET about = 'x'"):
        with pytest.raises(WorkspaceError, match="entries of the ledger stay"), database.writing() as connection:
            connection.execute(sql)
    with database.writing() as connection:
        line = {"statement": "{}", "seal": "s", "signature": ""}
        for signers in (["k"], ["k"], None):
            ledger.keep_sender_seal(connection, "urn:1", line, signers)
    assert len(ledger.sender_seals(database, "urn:1")) == 1


def test_acts_are_brought_into_the_graph_in_order_and_cleared_and_the_ledger_is_told(database):
    graph = OxigraphStore(None).open()
    here, there = (Quad(NamedNode(f"urn:{one}"), X.title, Literal("\0 “é”"), ANNOTATION) for one in "ab")
    due = [ledger.Unsealed("urn:1", ledger.DELETED, "now", "hash")]
    with database.writing() as connection:
        begin(connection, "runs", Act(come=[here], due=due))
        begin(connection, "runs", Act([(NamedNode("urn:a"), ANNOTATION)], come=[there]))
        begin(connection, "facts", Act(gone=[there]))
        wait(connection, "again", "urn:d", ("rules", False))
        wait(connection, "again", "urn:d", ("rules", True))
    finish(graph, database, "runs")
    assert {*graph.match()} == {there}
    assert [one.about for one in ledger.unsealed(database)] == ["urn:1"]
    finish(graph, database, "facts")
    assert not [*graph.match()]
    assert waiting(database, "again") == {"urn:d": ["rules", True]}
    with database.writing() as connection:
        end(connection, "again", ["urn:d"])
    assert not database.rows("SELECT 1 FROM acts")


def test_merged_entities_are_read_as_one(database):
    fill(database)
    held = Merged({"urn:a0": "urn:a1"}, {"urn:a1": "A"})
    with database.writing() as connection:
        assert put_merged(connection, held) == []
        assert put_merged(connection, held) == ["urn:a1"]
    assert stored_merged(database) == held
    nodes = Links(database).entities(["urn:a0", "urn:a1", "urn:a2", "urn:x"])
    assert nodes.keys() == {"urn:a0", "urn:a1", "urn:a2"}
    assert nodes["urn:a0"] == nodes["urn:a1"] != nodes["urn:a2"]


def test_names_of_any_length_are_known_by_their_numbers(database):
    names = [f"urn:{'é' * length}{number}" for length in (900, 3_000) for number in range(2)]  # which do not compress
    names += [f"urn:{random.Random(seed).randbytes(4_000).hex()}" for seed in range(2)]
    for _ in range(2):
        with database.writing() as connection:
            put_terms(connection, names)
    found = Links(database).entities(names)
    assert found.keys() == {*names}
    assert len({*found.values()}) == len(names)


def test_a_text_with_a_nul_is_stored_and_found(database):
    fill(database)
    with database.writing() as connection:
        entry = Entry("urn:x", "", "A\0B")
        put_vectors(connection, "entity", "", [entry], np.ones((1, 8), dtype=np.float32))
    assert VectorIndex(database).entities_called("a\0b") == ["urn:x"]


def test_everybody_knows_who_is_reading_documents_in_until_that_ends(database):
    assert database.being_read() == []
    with database.reading_in("Ana"):
        with database.reading_in(None):
            first, second = database.being_read()
        assert (first.by, second.by.split()[:2]) == ("Ana", ["process", str(os.getpid())])
        assert abs((datetime.now(UTC) - first.since).total_seconds()) < 60
        assert str(first) == (
            f"Documents are being read in by Ana since {first.since:%Y-%m-%d %H:%M} UTC; ask again when they are there."
        )
        assert [one.by for one in database.being_read()] == ["Ana"]
    assert database.being_read() == []


def reads(database, asked):
    """Reads of statements."""
    return [partial(database.rows, *one) for one in asked]


def test_what_is_read_ahead_is_what_would_be_read(database):
    fill(database)
    bundled = database.bundled()
    bundled.read_ahead(reads(bundled, ASKED))
    for sql, values in ASKED:
        assert list(map(tuple, bundled.rows(sql, values))) == list(map(tuple, database.rows(sql, values)))
    [row] = bundled.rows(*ASKED[2])
    assert (bytes(row["data"]), row["title"], row["absent"]) == (b"\x00bytes", "Valves", None)
