"""What stands beside the text of a file: read once, or told in a note; nothing of it goes in silence."""

import docx
import openpyxl
import pptx
import pytest
from openpyxl.chart import BarChart, Reference

from explorer.ingest.readers.files import read
from tests.ingest.readers.made import saved
from tests.ingest.readers.test_reader_process import obj, written

WORDS = "Beech Aircraft built the relief valve in 1966."


def letter(words, head="", foot="", *, first="", sections=1):
    document = docx.Document()
    for number in range(sections):
        section = document.sections[0] if number == 0 else document.add_section()
        section.header.is_linked_to_previous = section.footer.is_linked_to_previous = False
        section.header.paragraphs[0].text, section.footer.paragraphs[0].text = head, foot
        if first:
            section.different_first_page_header_footer = True
            section.first_page_header.paragraphs[0].text = first
        if words:
            document.add_paragraph(words)
    return saved(document)


@pytest.mark.parametrize(("data", "text"), [
    (letter(WORDS, "Report 7", "Confidential"), f"{WORDS}\n\nReport 7\n\nConfidential"),
    (letter("", "Report 7"), "Report 7"),
    (letter(WORDS, "Report 7", "7", first="North American", sections=2),
     f"{WORDS}\n\n{WORDS}\n\nReport 7\n\nNorth American\n\n7"),
])  # fmt: skip
def test_heads_and_feet_of_a_word_document_are_read_once_behind_its_text(data, text):
    reading = read(data, "a.docx")
    assert reading.text == text
    assert reading.title == "a"


def show(*feet, notes_foot=""):
    made = pptx.Presentation()
    for foot in feet:
        slide = made.slides.add_slide(made.slide_layouts[5])
        slide.shapes.title.text_frame.text = WORDS
        place = next(one for one in slide.slide_layout.placeholders if "Footer" in one.name)
        slide.shapes.clone_placeholder(place)
        slide.shapes[-1].text_frame.text = foot
        if notes_foot:
            notes = slide.notes_slide
            notes.clone_master_placeholders(notes.part.notes_master)
            head = next(one for one in notes.part.notes_master.placeholders if "Footer" in one.name)
            notes.shapes.clone_placeholder(head)
            notes.shapes[-1].text_frame.text = notes_foot
    return saved(made)


@pytest.mark.parametrize(("data", "text"), [
    (show("Lisbon 1970"), f"# {WORDS}\n\nLisbon 1970"),
    (show("Lisbon 1970", "Lisbon 1970", ""), f"# {WORDS}\n\nLisbon 1970\n\n# {WORDS}\n\n# {WORDS}"),
    (show("", "Porto", notes_foot="Draft"), f"# {WORDS}\n\nDraft\n\n# {WORDS}\n\nPorto"),
])  # fmt: skip
def test_the_foot_of_a_slide_is_read_where_it_first_stands(data, text):
    assert read(data, "a.pptx").text == text


def workbook(change):
    book = openpyxl.Workbook()
    for row in (("Part", "Maker"), ("valve", 3)):
        book.active.append(row)
    change(book.active)
    return saved(book)


def charted(sheet):
    chart = BarChart()
    chart.title = "Valves"
    chart.add_data(Reference(sheet, min_col=2, min_row=2))
    sheet.add_chart(chart)


def headed(sheet):
    sheet.oddHeader.center.text, sheet.evenFooter.left.text = "Report 7", "Page &P"
    sheet.HeaderFooter.differentOddEven = True


@pytest.mark.parametrize(("change", "notes"), [
    (headed, ("2 head or foot lines left out",)),
    (charted, ("1 chart title left out",)),
    (lambda _: None, ()),
])  # fmt: skip
def test_what_stands_beside_the_cells_of_a_sheet_is_told(change, notes):
    reading = read(workbook(change), "a.xlsx")
    assert reading.notes == notes
    assert "valve" in reading.text


def form(entries, box="0 0 300 300"):
    page = [
        obj(f"/Type/Catalog/Pages 2 0 R{entries}"),
        obj("/Type/Pages/Kids[3 0 R]/Count 1"),
        obj(
            f"/Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/CropBox[{box}]/Resources<</Font<</A 5 0 R>>>>"
            "/Contents 4 0 R"
        ),
        obj("", "BT /A 12 Tf 20 200 Td (Please wait.) Tj ET"),
        obj("/Type/Font/Subtype/Type1/BaseFont/Helvetica"),
        obj("", "<xdp/>"),
    ]
    return written(page)


@pytest.mark.parametrize(("entries", "told"), [
    ("/NeedsRendering true/AcroForm<</Fields[]/XFA 6 0 R>>", "an XFA form, whose fields are not on its pages"),
    ("/AcroForm<</Fields[]/XFA[(xdp)6 0 R]>>", "an XFA form, read as its pages show it"),
    ("/AcroForm<</Fields[]>>", ""),
])  # fmt: skip
def test_a_form_that_its_pages_do_not_show_is_told(entries, told):
    reading = read(form(entries), "a.pdf")
    assert reading.text == "Please wait."
    assert " ".join(reading.notes).startswith(told)
    assert bool(reading.notes) == bool(told)


@pytest.mark.parametrize(("box", "text", "notes"), [
    ("0 0 300 300", "Please wait.", ()),
    ("0 0 58 300", "Please", ("5 signs outside what its pages show left out",)),
    ("59 0 300 300", "wait.", ("6 signs outside what its pages show left out",)),
])  # fmt: skip
def test_words_outside_what_a_page_shows_are_told(box, text, notes):
    reading = read(form("", box), "a.pdf")
    assert (reading.text, reading.notes) == (text, notes)
