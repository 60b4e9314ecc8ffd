"""Tables of PDF pages that nothing rules: rows are read as rows, and text in columns as it was."""

import io
import time

import pytest
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table, TableStyle

from explorer.ingest.readers.page_image import page_image
from explorer.ingest.readers.pdf import read_pdf
from tests.ingest.readers.test_pdf import marked, pdf

YEARS = [["Year", "Visitors", "Tickets (£)"], ["2023", "15,240", "83,820"], ["2024", "16,130", "92,750"]]
TREASURER = [
    ["Quarter", "Money paid\nin (£)", "Money paid\nout (£)", "Remarks"],
    ["Spring", "1,204", "1,560", "Roof of the boathouse\nrepaired, in part only"],
    ["Summer", "3,310", "890", "Regatta"],
    ["Autumn, and the\nturn of the year", "2,045", "", "No expenses"],
]


def page(*parts):
    """A PDF of paragraphs and tables: lists of rows, whose cells may have several lines."""
    style, data = getSampleStyleSheet()["Normal"], io.BytesIO()
    SimpleDocTemplate(data, invariant=True).build([
        Paragraph(part, style) if isinstance(part, str) else part for part in parts
    ])  # fmt: skip
    return data.getvalue()


def rows(text):
    return [line.split("\t") for line in text.split("\n\n") if "\t" in line]


def flat(table):
    return [" ".join(cell.split()) for cell in table]


def test_a_table_that_nothing_rules_is_read_row_by_row():
    text = read_pdf(page("The museum had many visitors.", Table(YEARS), "It is closed in winter."), "a.pdf").text
    assert rows(text) == YEARS
    assert text.startswith("The museum had many visitors.\n")
    assert text.endswith("\nIt is closed in winter.")


@pytest.mark.parametrize("place", ["TOP", "MIDDLE", "BOTTOM"])
def test_what_a_cell_has_on_several_lines_is_put_together(place):
    table = Table(TREASURER, style=TableStyle([("VALIGN", (0, 0), (-1, -1), place)]))
    assert rows(read_pdf(page("Accounts of the year.", table), "a.pdf").text) == [flat(row) for row in TREASURER]


def test_heads_set_line_by_line_are_put_together():
    def draw(canvas):
        for number, row in enumerate([["", "Paid in", "Paid out"], ["", "(EUR)", "(EUR)"], ["Spring", "12", "7"],
                                      ["Summer", "30", "41"], ["Autumn", "8", "9"]]):  # fmt: skip
            for at, cell in enumerate(row):
                canvas.drawString(60 + 80 * at, 250 - 13 * number, cell)

    assert rows(read_pdf(pdf(draw), "a.pdf").text)[0] == ["Paid in (EUR)", "Paid out (EUR)"]


def test_boxes_lie_on_the_lines_of_a_cell():
    data = page("Accounts of the year.", Table(TREASURER))
    text = read_pdf(data, "a.pdf").text
    start, whole = text.index("Roof of"), "Roof of the boathouse repaired, in part only"
    assert text[start : start + len(whole)] == whole
    image = page_image(data, 1, [(start, start + len(whole)), (0, len(text))])
    first, second = image.boxes[0]
    assert [first.text, second.text] == ["Roof of the boathouse ", "repaired, in part only"]
    assert first.y < second.y
    assert all(marked(image, box)[0] > 0 for box in image.boxes[0])
    assert "".join(box.text for box in image.boxes[1]) == text


def columns(canvas, *, mixed):
    """Two columns of prose, written one after the other or line by line."""
    words = "The members of the society met in the hall and spoke of the boats that lay there all winter".split()
    left = [" ".join(words[at : at + 6]) for at in range(12)]
    right = [" ".join(reversed(words[at : at + 6])) for at in range(12)]
    places = [(60, line, at) for at, line in enumerate(left)] + [(230, line, at) for at, line in enumerate(right)]
    for x, line, at in sorted(places, key=lambda one: (one[2], one[0])) if mixed else places:
        canvas.drawString(x, 270 - 12 * at, line)


def test_text_in_two_columns_is_not_mixed():
    text = read_pdf(pdf(lambda canvas: columns(canvas, mixed=False)), "a.pdf").text
    assert "\t" not in text
    assert text.index("boats that lay") < text.index("hall the in met")


def test_text_in_two_columns_set_line_by_line_loses_no_words():
    text = read_pdf(pdf(lambda canvas: columns(canvas, mixed=True)), "a.pdf").text
    assert sorted(text.split()) == sorted(read_pdf(pdf(lambda c: columns(c, mixed=False)), "a.pdf").text.split())


@pytest.mark.parametrize("lines", [
    ["1.      Apples and pears", "2.      Plums", "3.      Cherries of the garden"],
    ["struct  one_context", "struct  another_context", "struct  third_context"],
    ["Introduction . . . . . . . .    1", "The tank . . . . . . . . . .    12", "The end . . . . . . . . . .    130"],
])  # fmt: skip
def test_lists_code_and_contents_are_no_tables(lines):
    def draw(canvas):
        for number, line in enumerate(lines):
            first, _, rest = line.partition("  ")
            canvas.drawString(60, 250 - 12 * number, first)
            canvas.drawString(60 + canvas.stringWidth(first) + 8, 250 - 12 * number, rest.strip())

    assert "\t" not in read_pdf(pdf(draw), "a.pdf").text


def test_a_page_of_thousands_of_words_beside_one_another_takes_no_long():
    def draw(canvas):
        canvas.setFont("Helvetica", 1)
        for number in range(120):
            for at in range(40):
                canvas.drawString(10 + 9 * at, 290 - 2 * number, f"{number * at % 97}")

    started = time.process_time()
    read_pdf(pdf(draw), "a.pdf")
    assert time.process_time() - started < 5


def test_a_row_answers_with_its_heads_also_far_below_them(ws, tmp_path):
    table = Table([["Year", "Visitors", "Tickets (£)"], *([str(year), f"{year * 7:,}", f"{year * 9:,}"]
                                                          for year in range(1950, 1990))])  # fmt: skip
    file = tmp_path / "museum.pdf"
    file.write_bytes(page("The museum had many visitors.", table, "It is closed in winter."))
    ws.ingest(file)
    for engine in ("graph-rag", "document-rag"):
        answer = ws.run("How many visitors did the museum have in 1985?", engine=engine).answer
        assert "Year: 1985; Visitors: 13,895; Tickets (£): 17,865" in answer
    assert "1985" in ws.facts(text="Year 1985")[0].words[0]


def test_an_empty_cell_at_the_end_of_a_row_shifts_none(ws, tmp_path):
    file = tmp_path / "accounts.pdf"
    paid = [
        ["Quarter", "Paid in", "Remarks"],
        ["Spring", "1,204", "Storm"],
        ["Summer", "890", ""],
        ["Autumn", "7", "-"],
    ]
    file.write_bytes(page("Accounts of the year.", Table(paid)))
    ws.ingest(file)
    assert "Quarter: Summer; Paid in: 890" in ws.run("What was paid in in summer?", engine="document-rag").answer
