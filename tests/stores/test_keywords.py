import math
import random
import unicodedata

import pytest

from explorer.language.words import stems
from explorer.stores import keywords
from explorer.stores.chunks import StoredChunk, put_chunks
from explorer.stores.document_rows import finish_documents, put_documents
from explorer.stores.keywords import FULL, SMALL, Keywords, bare
from explorer.stores.library import Library, StoredDocument
from explorer.stores.sqlite import SqliteDatabase
from tests.each import each

DOCUMENT = StoredDocument("urn:d:1", "a.txt", "A", "text/plain", "")


def library(texts):
    made = Library(SqliteDatabase(None).open())
    with made.database.writing() as connection:
        put_documents(connection, [DOCUMENT])
        put_chunks(connection, [StoredChunk(f"urn:c:{n}", DOCUMENT.iri, text) for n, text in enumerate(texts, 1)])
        finish_documents(connection, [DOCUMENT.iri])
    return made


def search_of(made):
    return Keywords(made.database, "text")


def plainly(made, words, limit):
    rows = made.database.rows(
        "SELECT rowid, -bm25(keywords) AS score FROM keywords WHERE keywords MATCH ? "
        "ORDER BY score DESC, rowid LIMIT ?",
        (" OR ".join(f'"{word}"' for word in bare(words)), limit),
    )
    return [(row[0], row[1]) for row in rows]


def texts(count):
    """Half of all rows hold `everywhere`, a third `often`, a tenth `now` or `then`, one in a thousand `seldom`."""
    chance = random.Random(5)
    shares = {"everywhere": 0.5, "often": 1 / 3, "now": 0.1, "then": 0.1, "seldom": 0.001}
    return [
        " ".join(["row", *(word for word, share in shares.items() if chance.uniform(0, 1) < share)])
        for _ in range(count)
    ]


@pytest.fixture(scope="module")
def large():
    return library(texts(30_000))


@each("words", [["often"], ["everywhere", "seldom"], ["now", "then", "nothing"], ["nothing"], ["?"]])
def test_in_a_small_collection_the_search_is_plain_bm25(words):
    made = library(texts(SMALL))
    assert search_of(made).search(words, 200) == (plainly(made, words, 200) if bare(words) else [])


def test_so_it_is_in_a_large_one_for_words_that_few_rows_hold(large):
    assert search_of(large).search(["seldom", "nothing"], 50) == plainly(large, ["seldom", "nothing"], 50)


def test_a_rare_word_decides_and_common_ones_add_to_it(large):
    found = search_of(large).search(["everywhere", "row", "now", "seldom"], 20)
    rows = {row[0]: row[1] for row in large.database.rows("SELECT number, text FROM chunks")}
    first = [rows[number] for number, _ in found]
    assert all("seldom" in text for text in first)
    both = sum("seldom" in text and "now" in text for text in rows.values())
    assert ["now" in text for text in first] == [True] * both + [False] * (20 - both)
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


def test_where_all_words_are_common_rows_with_all_of_them_come_first(large):
    found = search_of(large).search(["everywhere", "now", "then"], 100)
    rows = {row[0]: row[1] for row in large.database.rows("SELECT number, text FROM chunks")}
    assert len(found) == 100
    assert all("now" in rows[number] and "then" in rows[number] for number, _ in found)
    assert [number for number, _ in found] == sorted(number for number, _ in found)
    assert len(search_of(large).search(["everywhere"], 7)) == 7
    assert len(search_of(large).search(["everywhere", "row"], 7)) == 7


def test_the_number_of_rows_that_are_ranked_is_bounded(large, monkeypatch):
    ranked = []
    plain = Keywords._ranked

    def counted(self, words, limit):
        ranked.append(sum(self.frequency(word)[1] for word in words))
        return plain(self, words, limit)

    monkeypatch.setattr(keywords.Keywords, "_ranked", counted)
    for words in (["everywhere"], ["often", "row", "seldom"], ["now", "then", "often", "everywhere"]):
        search_of(large).search(words, 50)
    assert max(ranked) <= FULL


def test_how_often_a_word_stands_is_exact_where_few_rows_hold_it_and_close_where_many_do(large):
    search = search_of(large)
    tolerances = {"seldom": 0, "nothing": 0, "now": 0.1, "often": 0.1, "everywhere": 0.1, "row": 0}
    for word, tolerance in tolerances.items():
        query = "SELECT count(*) FROM keywords WHERE keywords MATCH ?"
        [[counted]] = large.database.rows(query, (word,))
        assert search.frequency(word)[1] == pytest.approx(counted, rel=tolerance)


def test_a_word_of_one_long_document_is_not_taken_for_common():
    made = library(["tank"] * 2500 + ["row"] * 12_500 + ["valve"] * 2500 + ["row"] * 2500 + ["fan"] * 2500)
    for word in ("tank", "valve", "fan"):
        assert search_of(made).frequency(word)[1] <= 2 * 2500


def test_rarity_in_a_small_collection_is_counted():
    made = library(texts(SMALL))
    query = "SELECT count(*) FROM keywords WHERE keywords MATCH 'often'"
    [[often]] = made.database.rows(query)
    assert made.rarity("often") == math.log((SMALL + 1) / (often + 0.5))


def test_a_possessive_ending_is_no_word():
    made = library(["Emma's brother", "Emma was there.", *["It's Olaf's."] * 10])
    assert made.rarity("Emma's") == made.rarity("Emma’s") == made.rarity("Emma") > made.rarity("Olaf's")
    assert [iri for iri, _ in made.search(["Emma’s"])] == ["urn:c:1", "urn:c:2"]


def test_a_word_of_several_parts_is_as_rare_as_the_parts_side_by_side():
    made = library(["tank no. 2", *["no. 1"] * 10, *["2 tanks"] * 10, "oil-rich sand", *["rich"] * 10, *["oil"] * 10])
    assert [search_of(made).frequency(word)[1] for word in ("no. 2", "oil-rich", "no. 3", "rich")] == [1, 1, 0, 11]


@each("stored", ["NFC", "NFD"])
@each("asked", ["NFC", "NFD"])
def test_a_word_is_found_however_its_accents_are_written(stored, asked):
    made = library([unicodedata.normalize(stored, "The étude by Dvořák."), "The ordinary one."])
    word = unicodedata.normalize(asked, "Dvořák")
    assert [iri for iri, _ in made.search([word])] == ["urn:c:1"]
    assert search_of(made).frequency(word) == (2, 1)
    assert stems(unicodedata.normalize(stored, "Dvořák")) == stems(word)


def test_a_number_with_marks_is_found_whole_and_not_by_its_parts():
    made = library(
        ["paid on 2025-04-19, 24 items", "paid 19.24 pounds", "paid 24.19 pounds on 19 May", "invoice INV-10814"]
    )
    assert [iri for iri, _ in made.search(["24.19"])] == ["urn:c:3"]
    assert [iri for iri, _ in made.search(["INV-10814"])] == ["urn:c:4"]
    assert [iri for iri, _ in made.search(["10814"])] == ["urn:c:4"]
    assert made.holding("paid 24.19 pounds") == ["urn:c:3"]
