import base64
from contextlib import suppress
from datetime import UTC, date, datetime
from email.message import EmailMessage

import docx
import pptx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from hypothesis import given, settings
from hypothesis import strategies as st
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.opc.package import Part
from pptx.opc.packuri import PackURI
from pptx.oxml import parse_xml

from explorer.errors import DocumentError
from explorer.ingest.chunker import chunks
from explorer.ingest.readers.files import read
from tests.each import each
from tests.ingest.readers.made import MADE, book, changed, edited, page, part_of, saved, slides, word

DIAGRAM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
BOXES = {1: "<a:r><a:t>Presi</a:t></a:r><a:r><a:t>dent</a:t></a:r>", 2: "<a:r><a:t>Sales</a:t></a:r>",
         3: "<a:r><a:t>Finance</a:t></a:r>"}  # fmt: skip


@settings(max_examples=30, deadline=None)
@given(
    name=st.sampled_from(sorted(MADE)), place=st.floats(0, 1, exclude_max=True), junk=st.binary(min_size=1, max_size=40)
)
def test_damaged_bytes_raise_nothing_but_a_document_error(name, place, junk):
    data = bytearray(MADE[name]([(True, "Loss"), (False, "of a tank")]))
    start = int(place * len(data))
    data[start : start + len(junk)] = junk
    with suppress(DocumentError):
        assert read(bytes(data), name).text.strip()


@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.epub"])
def test_a_zip_bomb_is_refused_before_it_is_unpacked(name):
    data = changed(MADE[name]([(False, "words")]), filler_dot_bin=bytes(30_000_000))
    assert len(data) < 300_000
    with pytest.raises(DocumentError, match=r"is too large unpacked .*; divide it into several documents, or .*\.$"):
        read(data, name)


@pytest.mark.parametrize(("name", "part"), [("a.docx", "word/document.xml"), ("a.pptx", "ppt/presentation.xml")])
def test_entities_are_never_expanded(name, part, tmp_path):
    (tmp_path / "secret").write_text("secret words")
    lines = "".join(f'<!ENTITY b{n} "{f"&b{n - 1};" * 10}">' for n in range(1, 9))
    bomb = (
        f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY b0 "boom">{lines}<!ENTITY f SYSTEM "file://{tmp_path}/secret">]>'
    )
    xml = part_of(MADE[name]([(False, "words")]), part)
    for encoding in ("utf-8", "utf-16"):
        hostile = (bomb + xml.partition("?>")[2]).replace("words", "&b8; &f;").encode(encoding)
        with pytest.raises(DocumentError, match="declares entities"):
            read(changed(MADE[name]([(False, "words")]), **{part: hostile}), name)


def test_a_page_nested_by_thousands_is_read():
    for tag in ("div", "ul><li", "blockquote", "b", "table><tr><td"):
        reading = read(b"<html>" + f"<{tag}>".encode() * 3_000 + b"Words at the bottom.", "a.html")
        assert reading.text.endswith("Words at the bottom.")


def test_the_title_is_that_of_the_properties_unless_a_program_made_it():
    heads = [(True, "Loss of a tank"), (False, "It was dropped.")]
    assert read(word(heads, "What happened"), "a.docx").title == "What happened"
    assert read(word(heads, "Microsoft Word - a.docx"), "notes/tank_loss.docx").title == "tank loss"
    titled = page(heads).replace(b"<head>", b"<head><title>Untitled Document</title>")
    assert read(titled.replace(b"h2>", b"h1>"), "a.html").title == "Loss of a tank"


def html(body):
    return read(f"<!doctype html><html><body>{body}</body></html>".encode(), "a.html")


TEXT = "<h1>The tank</h1><p>It was dropped about two inches in 1968, and nobody told the crew.</p>"


@each("around", [
    "<div class=navheader><table><tr><th>The tank</th></tr><tr><td><a href=a>Next</a></td></tr></table></div>",
    "<div><b>Next:</b> <a href=a>Rings</a> <b>Up:</b> <a href=b>Plots</a> <b>Prev:</b> <a href=c>Boxes</a></div>",
    "<p>Up: <a href=a>Top</a>, Previous: <a href=b>Boxes</a> [<a href=c>Contents</a>]</p>",
    "<div class=related role=navigation><h3>Navigation</h3><ul><li><a href=a>next</a></li></ul></div>",
    "<div class='mw-portlet mw-portlet-lang'><ul><li>Deutsch</li><li>Suomi</li></ul></div>",
    "<div class=catlinks>Categories: Tanks</div>",
])  # fmt: skip
def test_what_leads_to_other_pages_is_no_text(around):
    assert html(around + TEXT + around).text == html(TEXT).text


RATINGS = "<table><tr><th>Part</th><th>Rating</th></tr><tr><td>Switch</td><td>28 V</td></tr></table>"
FOUNDERS = "<tr><th>Founders</th><td><ul><li>Ann Lee</li><li>R. Voss</li></ul></td></tr>"


@each(("body", "text"), [
    ("<h1>Steps</h1><p>Next, look <a href=a>up</a> the number and call the <a href=b>crew</a>.</p>",
     "# Steps\n\nNext, look up the number and call the crew."),
    ("<p>Average <i>\ue838</i><i>\ue838 \uf123</i> of 948</p><p>A word \ue838 stays.</p>",
     "Average of 948\n\nA word \ue838 stays."),
    (f"<table><tr><td>Menu</td><td><p>Words.</p>{RATINGS}</td></tr></table>",
     "Menu\n\nWords.\n\n| Part | Rating |\n| --- | --- |\n| Switch | 28 V |"),
    ("<table><tr><th>Founded</th><td>1975</td></tr><tr><th>Place</th><td>Albuquerque</td></tr></table>",
     "Founded: 1975\nPlace: Albuquerque"),
    ("<table><tr><td>Grade :</td><td>SNB</td></tr><tr><td>Use:</td><td>Bolts | nuts</td></tr></table>",
     "Grade: SNB\nUse: Bolts | nuts"),
    ("<table><tr><td>Prices</td></tr><tr><th>Part</th><th>Price</th></tr><tr><td>Bolt</td><td>3</td></tr></table>",
     "Prices\n| Part | Price |\n| --- | --- |\n| Bolt | 3 |"),
    ("<table><tr><th>Part</th><th>Price</th></tr><tr><td>Bolt</td></tr></table>",
     "| Part | Price |\n| --- | --- |\n| Bolt |  |"),
    (f"<table><tr><td colspan=2><h2>Firm</h2></td></tr>{FOUNDERS}<tr><td>Other</td><td>words</td></tr></table>",
     "## Firm\n\nFounders: Ann Lee, R. Voss\n\nOther\n\nwords"),
    *((f"<p>It is in {ruby}.</p>", "It is in Kobe.") for ruby in (
        "<ruby>Kobe<rt>koh</rt></ruby>", "<ruby><rb>Kobe</rb><rp>(</rp><rt>koh</rt><rp>)</rp></ruby>",
        "<ruby>Ko<rt>ko</rt>be<rt>be</rt></ruby>")),
    ("<figure><table><tr><th>Depot<th>Q1<tr><td>Ardle<td>118</table><figcaption>Repairs of 2019</figcaption></figure>",
     "Repairs of 2019\n\n| Depot | Q1 |\n| --- | --- |\n| Ardle | 118 |"),
    ("<p>It fell.<a href=#n>[1]</a></p><ol><li>In 1968. <a href=#r>↑</a></li></ol>", "It fell.[1]\n\n1. In 1968."),
    ("<p>It fell.</p><p hidden>Unseen.</p><p aria-hidden=true>Unheard.</p><p style='display: none'>Gone.</p>",
     "It fell."),
])  # fmt: skip
def test_a_page_is_read_as_what_it_shows(body, text):
    assert html(body).text == text


def test_cells_over_very_many_rows_are_not_said_again_without_end():
    over = "".join(f"<tr><td rowspan=99999>{'word ' * 39}<td>row {number}" for number in range(150))
    page = f"<table><tr><th>Part<th>Words{over}{'<tr><td>x<td>y' * 3_000}</table>"
    assert 2_000_000 < len(read(page.encode(), "a.html").text) < 8_000_000


def test_a_long_table_has_its_heads_above_each_piece_and_a_part_for_each():
    rows = "".join(f"<tr><td>{year}</td><td>{year * 7:,} million of crowns</td></tr>" for year in range(1950, 2020))
    reading = html(f"<h2>Sales</h2><p>By year:</p><table><tr><th>Year<th>Sold</tr>{rows}</table><p>That is all.</p>")
    labels = [part.label for part in reading.parts]
    assert (labels[0], labels[1], labels[-2], labels[-1]) == ("Sales", "Sales, rows 1–25", "Sales, rows 51–70", "Sales")
    assert reading.text.endswith("\n\nThat is all.")
    found = list(chunks(reading))
    assert [chunk.text.split("\n")[0] for chunk in found[1:-1]] == ["| Year | Sold |"] * 3
    assert "".join(reading.text[part.start : part.end] for part in reading.parts) == reading.text


def test_a_chapter_that_is_listed_for_each_of_its_headings_is_read_once():
    chapter = "<html><body><h2>One</h2><p>It was dropped.</p><h2>Two</h2><p>It was moved.</p></body></html>"
    data = book([chapter])
    package = part_of(data, "OEBPS/content.opf")
    again = '<item id="c1" href="c%200.xhtml#two" media-type="application/xhtml+xml"/></manifest>'
    package = package.replace("</manifest>", again).replace("</spine>", '<itemref idref="c1"/></spine>')
    assert read(changed(data, OEBPS__content_dot_opf=package), "a.epub").text == read(data, "a.epub").text


def styled(*paragraphs):
    document = docx.Document()
    document.styles.add_style("Source Code", WD_STYLE_TYPE.PARAGRAPH)
    for style, words in paragraphs:
        document.add_paragraph(words, style)
    return read(saved(document), "trustees.docx")


@each(("paragraphs", "title"), [
    ([(None, "Handbook for trustees"), ("Heading 1", "Introduction")], "Introduction"),
    ([(None, "Handbook"), ("Heading 1", "Introduction"), ("Heading 1", "Duties")], "trustees"),
    ([("Subtitle", "Activities"), ("Title", "Swimming in the lake"), ("Heading 1", "Duties")], "Swimming in the lake"),
])  # fmt: skip
def test_the_title_of_a_word_document_is_its_own_and_not_that_of_one_chapter(paragraphs, title):
    assert styled(*paragraphs).title == title


def test_code_in_a_word_document_keeps_its_lines():
    reading = styled(("Source Code", "def f(n):"), ("Source Code", "    return n"))
    assert reading.text == "```\ndef f(n):\n    return n\n```"


def test_a_row_of_a_word_document_that_begins_with_a_later_column_keeps_its_values_in_their_columns():
    document = docx.Document()
    table = document.add_table(3, 4)
    rows = [("", "", "2004", "2005"), ("Filed", "", "1,517", "1,367"), ("", "Approved", "1,163", "1,457")]
    for row, words in zip(table.rows, rows, strict=True):
        for cell, said in zip(row.cells, words, strict=True):
            cell.text = said
    for row in table.rows[:2]:
        row.cells[0].merge(row.cells[1])
    last = table.rows[2]._tr
    last.remove(last.tc_lst[0])
    last.get_or_add_trPr().append(OxmlElement("w:gridBefore", {qn("w:val"): "1"}))
    assert read(saved(document), "a.docx").text.splitlines() == [
        "|  | 2004 | 2005 |",
        "| --- | --- | --- |",
        "| Filed | 1,517 | 1,367 |",
        "| Approved | 1,163 | 1,457 |",
    ]


def test_the_boxes_of_a_diagram_on_a_slide_are_a_list():
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    data = f"""<d:dataModel xmlns:d="{DIAGRAM}" xmlns:a="{DRAWING}"><d:ptLst>
        <d:pt modelId="0" type="doc"/><d:pt modelId="p" type="parTrans"><d:t><a:p><a:r><a:t/></a:r></a:p></d:t></d:pt>
        {"".join(f'<d:pt modelId="{i}"><d:t><a:p>{runs}</a:p></d:t></d:pt>' for i, runs in BOXES.items())}
        </d:ptLst><d:cxnLst>
        <d:cxn srcId="0" destId="1" srcOrd="0"/><d:cxn srcId="1" destId="3" srcOrd="1"/>
        <d:cxn srcId="1" destId="2" srcOrd="0"/><d:cxn srcId="3" destId="1" srcOrd="0"/>
        <d:cxn type="presOf" srcId="0" destId="2"/></d:cxnLst></d:dataModel>"""
    part = Part(PackURI("/ppt/diagrams/data1.xml"), f"{DIAGRAM}+xml", slide.part.package, data.encode())
    frame = slide.shapes.add_table(1, 1, 0, 0, 9, 9)._element
    graphic = frame.graphic.graphicData
    graphic.set("uri", DIAGRAM)
    graphic.remove(graphic[0])
    link = slide.part.relate_to(part, LINKS)
    graphic.append(parse_xml(f'<d:relIds xmlns:d="{DIAGRAM}" xmlns:r="{LINKS}" r:dm="{link}"/>'))
    assert read(saved(deck), "a.pptx").text == "- President\n  - Sales\n  - Finance"


def test_the_day_and_author_of_a_template_are_not_those_of_the_document():
    assert read(word([(False, "words")]), "a.docx").date is None
    reading = read(slides([(False, "words")]), "a.pptx")
    assert (reading.author, reading.date) == (None, None)
    document = docx.Document()
    document.add_paragraph("words")
    document.core_properties.author = "Ann Lee"
    document.core_properties.modified = datetime(2024, 5, 6, tzinfo=UTC)
    reading = read(saved(document), "a.docx")
    assert (reading.author, reading.date) == ("Ann Lee", "2024-05-06")


@each("junk", ["Calc", "LibreOffice", "Windows User", "https://example.org/a", "www.example.org"])
def test_a_program_or_an_address_is_no_title(junk):
    assert read(word([(False, "words")], junk), "tank_loss.docx").title == "tank loss"


def test_a_slide_whose_title_is_a_whole_text_is_named_by_its_number():
    reading = read(slides([(True, "It was dropped about two inches. " * 10), (False, "words")]), "a.pptx")
    assert (reading.title, reading.parts[0].label) == ("a", "Slide 1")
    assert reading.text.startswith("It was dropped")


def test_points_of_a_chart_are_said_with_what_they_are_plotted_over():
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[6])
    points = XyChartData()
    added = points.add_series("Voltage")
    added.add_data_point(0.5, 28)
    added.add_data_point(1.5, 65)
    slide.shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, 0, 0, 100, 100, points)
    days = CategoryChartData()
    days.categories = [date(2002, 1, 5), date(2002, 1, 6)]
    days.add_series("Sold", [32, 12])
    slide.shapes.add_chart(XL_CHART_TYPE.LINE, 0, 0, 100, 100, days)
    text = read(saved(show), "a.pptx").text
    assert "| 0.5 | 28 |\n| 1.5 | 65 |" in text
    assert "| 2002-01-05 | 32 |\n| 2002-01-06 | 12 |" in text


def test_a_chart_of_no_known_kind_is_left_out_and_told():
    show = pptx.Presentation()
    days = CategoryChartData()
    days.categories = ["May", "June"]
    days.add_series("Sold", [32, 12])
    for _ in range(2):
        slide = show.slides.add_slide(show.slide_layouts[5])
        slide.shapes.title.text = "Sales"
        slide.shapes.add_chart(XL_CHART_TYPE.LINE, 0, 0, 100, 100, days)
    first = iter([True])  # of two charts one is of another kind

    def other(name, part):
        is_chart = name.startswith("ppt/charts/chart") and next(first, False)
        return part.replace(b"lineChart>", b"stockChart>") if is_chart else part

    reading = read(edited(saved(show), other), "a.pptx")
    assert reading.text.count("| June | 12 |") == 1
    [note] = reading.notes
    assert note.startswith("1 chart of a kind that can't be read left out (slide ")


def test_a_cell_over_rows_of_a_slide_is_said_in_each():
    show = pptx.Presentation()
    table = show.slides.add_slide(show.slide_layouts[6]).shapes.add_table(3, 2, 0, 0, 100, 100).table
    for row, cells in enumerate([("Part", "Rating"), ("Switch", "28 V"), ("", "65 V")]):
        for column, words in enumerate(cells):
            table.cell(row, column).text = words
    table.cell(1, 0).merge(table.cell(2, 0))
    assert read(saved(show), "a.pptx").text.endswith("| Switch | 28 V |\n| Switch | 65 V |")


def test_mails_in_a_mail_are_read_as_sections():
    outer, inner = EmailMessage(), EmailMessage()
    inner["Subject"], inner["From"] = "The tank", "Ann Lee <ann@example.org>"
    inner.set_content("It was dropped.")
    outer["Subject"], outer["From"] = "Fwd", "crew@example.org"
    outer.set_content("See below.")
    outer.add_attachment(inner)
    reading = read(outer.as_bytes(), "a.eml")
    assert [part.label for part in reading.parts] == ["Fwd", "The tank"]
    assert reading.text.endswith("## The tank\n\nFrom: Ann Lee <ann@example.org>\n\nIt was dropped.")
    alone = b"Subject: Fwd\nMIME-Version: 1.0\nContent-Type: message/rfc822\n\nSubject: The tank\n\nIt was dropped.\n"
    assert read(alone, "a.eml").text.endswith("## The tank\n\nIt was dropped.")


DELIVERY = "Subject: Delivery\nFrom: Lane <lane@example.org>\n\nThe tank was delivered.\n"
FORWARDED = (
    "Subject: Forwarded\nFrom: Dana <dana@example.org>\nContent-Type: multipart/mixed; boundary=x\n\n"
    "--x\nContent-Type: text/plain\n\nSee below.\n"
    "--x\nContent-Type: message/rfc822\nContent-Transfer-Encoding: base64\n"
    "Content-Disposition: attachment; filename=a.eml\n\n"
    f"{base64.encodebytes(DELIVERY.encode()).decode()}\n--x--\n"
)
REFUND = "Subject: Refund\nFrom: a@example.org\n\nI have paid £64 for a café table.\n"
UNMARKED = "Subject: The tank\nMIME-Version: 1.0\nContent-Type: multipart/mixed\n\nIt was dropped.\n"


@each(("mail", "end"), [
    (FORWARDED.encode(),
     "## Delivery\n\nFrom: Lane <lane@example.org>\n\nThe tank was delivered.\n\nAttachments: a.eml"),
    (REFUND.encode(), "\n\nI have paid £64 for a café table."),
    (REFUND.encode("latin-1"), "\n\nI have paid £64 for a café table."),
    (UNMARKED.encode(), "\n\nIt was dropped."),
    (UNMARKED.encode("utf-16"), "\n\nIt was dropped."),
])  # fmt: skip
def test_mails_that_are_not_as_their_head_says_are_read(mail, end):
    assert read(mail, "a.eml").text.endswith(end)


def test_what_a_mail_quotes_of_others_has_no_marks_and_paragraphs_of_its_own():
    said = ("Jo wrote:", "> The electrician, Anna", "> Lund, comes later.", ">> Could she", ">> come?", "Bye", "> 5")
    text = read("\n".join(("Subject: Tuesday", "", "Fine.", *said)).encode(), "a.eml").text
    quoted = text.partition("wrote:")[2].split("\n\n")
    assert quoted == ["", "The electrician, Anna\nLund, comes later.", "Could she\ncome?", "Bye\n> 5"]
