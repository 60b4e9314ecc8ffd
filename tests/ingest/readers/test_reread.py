from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from explorer.ingest.readers.page_image import page_image
from explorer.ingest.readers.pdf import read_pdf
from explorer.ingest.readers.reread import moved
from tests.ingest.readers.test_pdf import pdf, report

NOW = "Voltage\t65 V DC\n\nRating\t28 V DC\n\nThe alert,[5] and more."
BEFORE = "Voltage\nRating\n\n65 V DC\n28 V DC\n\nThe alert,5 and more."


def words_at(span):
    [found] = moved([span], BEFORE, NOW)
    return [NOW[start:end] for start, end in found]


def at(words):
    return BEFORE.index(words), BEFORE.index(words) + len(words)


def test_words_are_found_where_they_stand_in_another_reading():
    assert words_at(at("28 V DC")) == ["28 V DC"]
    assert words_at(at("Voltage\nRating")) == ["Voltage", "Rating"]
    assert words_at(at("alert,5 and")) == ["alert,[5] and"]
    assert words_at(at("lta")) == ["lta"]
    assert words_at((7, 8)) == []


@given(st.lists(st.sampled_from(["tank", "65", "V", "[", "]", "a.", "\u0645\u064f"]), max_size=12), st.randoms())
def test_each_word_is_found_once_in_any_order(words, random):
    text, other = " ".join(words), " ".join(random.sample(words, len(words)))
    [found] = moved([(0, len(text))], text, other)
    assert sorted(" ".join(other[start:end] for start, end in found).split()) == sorted(words)


def test_boxes_of_a_page_that_was_stored_by_other_rules_lie_on_its_words():
    data = pdf(report)
    stored = read_pdf(data, "a.pdf").text
    for one, other in (
        ("Voltage\t65 V DC\n\nRating\t28 V DC", "Voltage\nRating\n65 V DC\n28 V DC"),
        ("The tank\n\n", ""),
    ):
        stored = stored.replace(one, other)
    spans = [(stored.index(words), stored.index(words) + len(words)) for words in ("28 V DC", "moved", "Rating\n65")]
    found = page_image(data, 1, spans, 40, stored).boxes
    assert [[box.text for box in boxes] for boxes in found] == [["28 V DC"], ["moved"], ["65", "Rating"]]
    assert found[0][0].y > found[1][0].y
