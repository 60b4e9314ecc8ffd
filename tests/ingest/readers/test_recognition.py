"""Scanned pages, by text recognition."""

import io
import sys

import pypdfium2 as pdfium
import pytest
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from explorer.errors import DocumentError
from explorer.ingest.readers import pdf as reader
from explorer.ingest.readers.pdf import read_pdf

WORDS = "Beech Aircraft built the relief valve in 1966."
MORE = "It opens at a pressure of 6 bar."


def scanned(*pages, typed=()):
    """A PDF of pictures of pages, a little askew as a scanner gives them, and then pages of text."""
    made = io.BytesIO()
    canvas = Canvas(made, pagesize=(420, 300))
    for lines in pages:
        canvas.drawImage(ImageReader(_picture(lines)), 0, 0, 420, 300)
        canvas.showPage()
    for line in typed:
        canvas.drawString(40, 200, line)
        canvas.showPage()
    canvas.save()
    return made.getvalue()


def _picture(lines):
    page = io.BytesIO()
    canvas = Canvas(page, pagesize=(420, 300))
    for number, line in enumerate(lines):
        canvas.drawString(40, 240 - 20 * number, line)
    canvas.showPage()
    canvas.save()
    picture = pdfium.PdfDocument(page.getvalue())[0].render(scale=3).to_pil().convert("RGB")
    return picture.rotate(0.5, fillcolor="white")


@pytest.fixture
def without(monkeypatch):
    """As where the extra is not installed."""
    monkeypatch.setitem(sys.modules, "ocrust", None)
    reader._engine.cache_clear()
    yield
    reader._engine.cache_clear()


def test_a_scanned_page_is_read_and_its_words_are_asked(ws, take):
    done = take("scan.pdf", scanned([WORDS, MORE], [], typed=["The pump was tested in Boulder in 1967."]))
    assert done.notes == ("scan.pdf: 1 page read by text recognition, which can misread.",)
    [document] = ws.documents
    assert WORDS in document.text
    assert [page.number for page in document.pages] == [1, 2, 3]
    assert document.pages[1].text == ""
    trace = ws.run("Who built the relief valve?")
    assert "Beech Aircraft" in trace.answer
    for passage in trace.sources():
        assert document.text[passage.start : passage.end] == passage.text
    assert 1 in {passage.page for passage in trace.sources()}


def test_without_the_extra_it_is_said_what_to_do(without):
    with pytest.raises(DocumentError, match=r"run text recognition .* install provenance-explorer\[ocr\]"):
        read_pdf(scanned([WORDS]), "a.pdf")
    reading = read_pdf(scanned([WORDS], typed=[MORE]), "a.pdf")
    assert reading.text.strip() == MORE
    [note] = reading.notes
    assert note.startswith("1 page without text left out; if they are scanned, run text recognition")


def test_a_page_without_writing_says_nothing():
    reading = read_pdf(scanned([], typed=[MORE]), "a.pdf")
    assert (reading.text.strip(), reading.notes) == (MORE, ())
