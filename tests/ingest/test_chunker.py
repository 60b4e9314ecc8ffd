import time

from hypothesis import given
from hypothesis import strategies as st

from explorer.ingest.chunker import chunks
from explorer.ingest.readers.document_text import DocumentPart, Reading
from explorer.ingest.readers.files import read
from explorer.language.sentences import LONGEST_SENTENCE, spans
from tests.each import each


def plain(text):
    return Reading("A title", "text/plain", text)


def test_a_chunk_is_a_slice_that_stays_in_its_part():
    reading = read(b"# One\n\nIt was dropped. It was moved.\n\n# Two\n\nIt flew.\n", "a.md")
    found = list(chunks(reading, size=30, overlap=0))
    assert [(chunk.part.label, chunk.index) for chunk in found] == [("One", 1), ("One", 2), ("Two", 1)]
    for chunk in found:
        assert chunk.part.start <= chunk.start < chunk.end <= chunk.part.end
        assert reading.text[chunk.start : chunk.end] == chunk.text


def test_a_page_without_text_has_no_chunks():
    reading = Reading(
        "A",
        "application/pdf",
        "One.\n\n",
        (DocumentPart("page", 1, "Page 1", 0, 4), DocumentPart("page", 2, "Page 2", 6, 6)),
    )
    assert [chunk.part.number for chunk in chunks(reading)] == [1]


def test_a_sentence_in_an_overlap_belongs_to_the_first_chunk():
    text = "It was dropped. It was moved. It was tested. It was flown."
    first, second, *_ = chunks(plain(text), size=30, overlap=15)
    assert first.text == "It was dropped. It was moved."
    assert second.text == "It was moved. It was tested."
    assert [text[slice(*span)] for span in first.sentences] == ["It was dropped.", "It was moved."]
    assert [text[slice(*span)] for span in second.sentences] == ["It was tested."]


def test_a_sentence_longer_than_a_chunk_stays_whole():
    text = "It was dropped. " + "word " * 40 + "end. It was moved."
    found = list(chunks(plain(text), size=50, overlap=10))
    assert [len(chunk.text) > 50 for chunk in found] == [False, True, False]


def test_what_nobody_wrote_as_one_sentence_is_cut():
    pieces = list(chunks(plain("x" * (3 * LONGEST_SENTENCE + 1))))
    assert [len(chunk.text) for chunk in pieces] == [LONGEST_SENTENCE] * 3 + [1]


words = st.sampled_from(
    ["tank", "It", "was.", "no.", "2", "Dr.", "—", "- a", "# b", "| c |", "```", "====", "🚀", "?!"]
)
blanks = st.sampled_from([" ", "\n", "\n\n", "  \n", "\t", "\u00a0"])
texts = st.lists(st.tuples(words | st.text(max_size=4), blanks)).map(lambda pairs: "".join(map("".join, pairs)))


@given(texts, st.integers(1, 60), st.integers(0, 59))
def test_chunks_are_exact_hold_all_that_can_be_seen_and_own_each_sentence_once(text, size, overlap):
    found = list(chunks(plain(text), size, min(overlap, size - 1)))
    covered = set()
    for chunk in found:
        assert text[chunk.start : chunk.end] == chunk.text == chunk.text.strip()
        covered.update(range(chunk.start, chunk.end))
        for start, end in chunk.sentences:
            assert chunk.start <= start < end <= chunk.end
    assert all(place in covered or character.isspace() for place, character in enumerate(text))
    assert [chunk.index for chunk in found] == list(range(1, len(found) + 1))
    assert [span for chunk in found for span in chunk.sentences] == list(spans(text))
    assert [chunk.start for chunk in found] == sorted({chunk.start for chunk in found})


@each("unit", ["The tank was dropped in 1968. ", "word ", "x", "\n", "- a\n", "```\n", "a. B ", "| a "])
def test_a_megabyte_is_divided_in_seconds(unit):
    text = unit * (1_000_000 // len(unit))
    begun = time.thread_time()
    held = sum(len(chunk.text) for chunk in chunks(plain(text)))
    assert time.thread_time() - begun < 20
    assert held >= len(text.strip()) * 0.4
