import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.errors import RecordError
from explorer.events import Content
from explorer.stores.chunks import StoredChunk, put_chunks
from explorer.stores.document_rows import finish_documents, put_documents
from explorer.stores.keywords import bare
from explorer.stores.library import Library, StoredDocument, put_contents
from explorer.stores.sqlite import SqliteDatabase

DOCUMENT = StoredDocument("urn:d:1", "a.txt", "Title", "text/plain", "The valve opened. Größe \U0001f680.")
CHUNKS = [StoredChunk("urn:c:1", "urn:d:1", "The valve opened."), StoredChunk("urn:c:2", "urn:d:1", "The fan stirred.")]


@pytest.fixture(scope="module")
def library():
    made = Library(SqliteDatabase(None).open())
    with made.database.writing() as connection:
        put_documents(connection, [DOCUMENT])
        put_chunks(connection, CHUNKS)
        put_contents(connection, [Content("urn:d:1", "Title", "text/plain", b"\x00\xff")])
        finish_documents(connection, ["urn:d:1"])
    return made


def test_what_is_not_there_is_refused(library):
    with pytest.raises(RecordError, match="holds nothing under urn:none"):
        library.get("urn:none")
    assert library.document("urn:none") is None


def test_keywords_find_chunks_best_first_in_any_form_of_the_word(library):
    assert [iri for iri, _ in library.search(["valves"])] == ["urn:c:1"]
    assert [iri for iri, _ in library.search(["OPENING", "stirring", "fan"])] == ["urn:c:2", "urn:c:1"]
    assert library.search([]) == library.search(["nothing"]) == []


def test_a_rare_word_weighs_more_than_a_common_one(library):
    assert library.rarity("valve") > library.rarity("the") >= 0
    assert library.rarity("unheard") > library.rarity("valve")
    assert Library(SqliteDatabase(None).open()).rarity("valve") == 0


@given(st.lists(st.text(max_size=12), max_size=4))
def test_any_words_can_be_searched(words):
    made = Library(SqliteDatabase(None).open())
    assert made.search(words) == []
    assert [made.rarity(word) for word in words] == [0.0] * len(words)


def test_marks_of_the_query_language_are_text():
    assert bare(['tank" OR *', "NEAR(a b)"]) == ["tank", "or", "near", "a", "b"]
    assert bare(["?", ""]) == []
