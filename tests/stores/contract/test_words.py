"""Words are found, and ranked, alike by every index of words."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from explorer.stores.chunks import StoredChunk, put_chunks
from explorer.stores.document_rows import finish_documents, put_documents
from explorer.stores.keywords import bare
from explorer.stores.library import Library, StoredDocument
from explorer.stores.sqlite import SqliteDatabase

pytestmark = pytest.mark.contract

WORDS = ["tank", "tanks", "valve", "no", "2", "Bank", "opened", "opening", "é", "e", "oil-rich", "Straße", "_", "'",
         "a b", "19.24"]  # fmt: skip
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), min_size=1, max_size=12)


def put(database, texts):
    with database.writing() as connection:
        put_documents(connection, [StoredDocument("urn:d", "p", "T", "text/plain", "x")])
        put_chunks(connection, [StoredChunk(f"urn:c{i}", "urn:d", text) for i, text in enumerate(texts)])
        finish_documents(connection, ["urn:d"])
    return Library(database)


@pytest.fixture
def library(database):
    return lambda texts: put(database, texts)


def same(found, wanted):
    assert [number for number, _ in found] == [number for number, _ in wanted]
    assert [score for _, score in found] == pytest.approx([score for _, score in wanted], rel=1e-12)


def clear(database):
    with database.writing() as connection:
        connection.execute("DELETE FROM chunks")
        connection.execute("DELETE FROM documents")
        connection.execute("DELETE FROM tallies")
    return database


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=TEXTS, asked=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4))
def test_every_index_ranks_as_fts5_does(database, texts, asked):
    clear(database)
    put(database, texts)
    first = database.rows("SELECT min(number) AS first FROM chunks")[0]["first"] - 1
    plain = SqliteDatabase(None).open()
    put(plain, texts)
    words = bare(asked)
    index, usual = database.words("text"), plain.words("text")
    if words:
        same([(number - first, score) for number, score in index.ranked(words, 20)], usual.ranked(words, 20))
        some = [1, 3, 5]
        found = index.ranked(words, 20, [number + first for number in some])
        same([(number - first, score) for number, score in found], usual.ranked(words, 20, some))
        assert [number - first for number in index.holding([words])] == usual.holding([words])
        assert [number - first for number in index.holding([words, ["tank"]], 2)] == usual.holding([words, ["tank"]], 2)
        marked = index.marked(words, [first + 1 + n for n in range(len(texts))])
        assert {number - first: at for number, at in marked.items()} == usual.marked(words, range(1, len(texts) + 1))
    for word in words:
        for end in (False, True):
            number, last = index.sample(word, 3, from_end=end)
            assert (number, max(0, last - first)) == usual.sample(word, 3, from_end=end)
    plain.close()


def test_words_side_by_side_are_found_as_they_stand(library):
    found = library(["the Bank of England", "of England the Bank", "the bank of england, the Bank of England"])
    assert found.holding("Bank of England") == ["urn:c0", "urn:c2"]
    assert found.documents_holding("england") == {"urn:d": "urn:c0"}
    assert found.holding("") == []


def test_a_text_in_any_script_is_kept_as_it_is(library):
    text = "الصمام 阀门 клапан वाल्व 🚀 \t tab"
    found = library([text])
    assert found.text("urn:c0") == text
    assert found.holding("клапан") == ["urn:c0"]
