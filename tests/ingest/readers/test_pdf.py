import io
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from explorer.errors import DocumentError
from explorer.ingest.readers.page_image import page_image
from explorer.ingest.readers.pdf import read_pdf
from tests.each import each

WIDTH, HEIGHT = 400, 300


def pdf(*pages, **options):
    """A PDF with one page for each function that draws on a canvas."""
    data = io.BytesIO()
    canvas = Canvas(data, pagesize=(WIDTH, HEIGHT), invariant=True, **options)
    for draw in pages:
        canvas.setFont("Helvetica", 10)
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return data.getvalue()


def lines(*texts, x=50, top=250, leading=12):
    def draw(canvas):
        for number, text in enumerate(texts):
            canvas.drawString(x, top - number * leading, text)

    return draw


def report(canvas):
    """A running header, a heading, a paragraph that is hyphenated, a table of two rows."""
    canvas.setFont("Helvetica", 8)
    canvas.drawString(50, 280, "Report on the tank")
    canvas.drawString(330, 280, "Page 1")
    canvas.setFont("Helvetica-Bold", 16)
    canvas.drawString(50, 250, "The tank")
    canvas.setFont("Helvetica", 10)
    lines("It was dropped about 2 inches and dis-", "covered later. It was moved.", top=228)(canvas)
    canvas.setFont("Helvetica-Bold", 10)
    canvas.drawString(50, 204, "A heading of the same size")
    canvas.setFont("Helvetica", 10)
    lines("It was flown.", top=192)(canvas)
    for row, (item, value) in enumerate([("Voltage", "65 V DC"), ("Rating", "28 V DC")]):
        canvas.drawString(50, 160 - row * 14, item)
        canvas.drawString(200, 160 - row * 14, value)


REPORT = (
    "Report on the tank\tPage 1\n\nThe tank\n\n"
    "It was dropped about 2 inches and discovered later. It was moved.\n\n"
    "A heading of the same size\n\nIt was flown.\n\nVoltage\t65 V DC\n\nRating\t28 V DC"
)


def test_blocks_are_apart_and_hyphens_at_line_ends_join_the_word():
    assert read_pdf(pdf(report), "a.pdf").text == REPORT


@each(("ends", "begins", "is_kept"), [
    ("dis-", "covered later.", False),
    ("un-", "bounded, it grew.", False),
    ("manip-", "ulation of it.", False),
    ("an ever-", "changing sky.", True),
    ("of the well-", "known tank.", True),
    ("a Front-", "Cover text.", True),
    ("the C-", "function of it.", True),
    ("the state-of-the-", "art tank.", True),
    ("UNDER-", "STANDING IT.", False),
])  # fmt: skip
def test_a_hyphen_at_a_line_end_stays_where_it_belongs_to_the_word(ends, begins, is_kept):
    data = pdf(lines("This is said of the tank that was there in the year and", f"was moved {ends}", begins))
    text = read_pdf(data, "a.pdf").text
    assert text.endswith(f"{ends if is_kept else ends[:-1]}{begins}")
    (boxes,) = page_image(data, 1, [(text.index(ends[:-1]), len(text))]).boxes
    assert [box.text for box in boxes] == [ends if is_kept else ends[:-1], begins]


def test_a_word_of_another_language_is_joined_though_its_halves_are_english_words():
    text = read_pdf(
        pdf(lines("Das ist die Geschichte einer Firma und ihrer", "Leute, die eine neue Hand-", "lung auf dem Markt")),
        "a.pdf",
    ).text
    assert "eine neue Handlung auf dem Markt" in text


def test_a_line_goes_on_after_a_raised_figure():
    def raised(canvas):
        canvas.drawString(50, 200, "It held 10")
        canvas.setFont("Helvetica", 6)
        canvas.drawString(50 + canvas.stringWidth("It held 10", "Helvetica", 10), 204, "3")
        canvas.setFont("Helvetica", 10)
        canvas.drawString(56 + canvas.stringWidth("It held 10", "Helvetica", 10), 200, "litres, which was enough.")

    assert read_pdf(pdf(raised), "a.pdf").text == "It held 103 litres, which was enough."


def test_the_raised_number_of_a_note_stands_in_brackets_and_a_power_does_not():
    def noted(canvas):
        for y, words in (
            (250, ["The tank held 4 m", 2, ", it was dropped."]),
            (235, ["It was moved.", 12, " The end"]),
            (200, [None, 12, "See the report."]),
        ):
            text = canvas.beginText(50, y)
            for part in words:
                raised = isinstance(part, int)
                text.setFont("Helvetica", 6 if raised else 10)
                text.setRise(4 if raised else 0)
                text.textOut(str(part or ""))
            canvas.drawText(text)

    read = read_pdf(pdf(noted), "a.pdf")
    assert read.text.splitlines() == [
        "The tank held 4 m2, it was dropped.",
        "It was moved.[12] The end",
        "",
        "[12] See the report.",
    ]


def test_rows_that_were_printed_from_below_are_read_from_the_top():
    rows = [
        (f"0{day}/12/2015", f"{town} tank works", f"{day} litres") for day, town in enumerate(["Ada", "Bea"] * 8, 1)
    ]

    def printed(canvas):
        for at, (day, _, _) in enumerate(rows):
            canvas.drawString(50, 270 - at * 15, day)
        for at, (_, works, litres) in reversed([*enumerate(rows)]):
            canvas.drawString(250, 270 - at * 15, litres)
            canvas.drawString(130, 270 - at * 15, works)

    read = [line.split("\t") for line in read_pdf(pdf(printed), "a.pdf").text.splitlines() if line]
    assert read == [list(row) for row in rows]


def test_pages_are_slices_of_one_text():
    reading = read_pdf(pdf(lines("One."), lambda _canvas: None, lines("Three.")), "a.pdf")
    assert reading.text == "One.\n\n\n\nThree."
    assert [(part.label, reading.text[part.start : part.end]) for part in reading.parts] == [
        ("Page 1", "One."),
        ("Page 2", ""),
        ("Page 3", "Three."),
    ]


def test_lines_of_a_paragraph_are_not_taken_apart():
    text = [f"line {number} of a paragraph that goes on and on" for number in range(12)]
    for leading in (10, 12, 15, 20):
        reading = read_pdf(pdf(lines(*text, top=280, leading=leading)), "a.pdf")
        assert reading.text == "\n".join(text)


def test_metadata_gives_title_author_and_date():
    def titled(canvas):
        canvas.setTitle("The <b>tank</b>\n& more")
        canvas.setAuthor("R. Voss")
        lines("Words.")(canvas)

    reading = read_pdf(pdf(titled), "a.pdf")
    assert (reading.title, reading.author, reading.mime) == (
        "The <b>tank</b> & more",
        "R. Voss",
        "application/pdf",
    )
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", reading.date)


def test_without_a_title_the_largest_line_is_one_and_else_the_name():
    assert read_pdf(pdf(report), "a.pdf").title == "The tank"
    assert read_pdf(pdf(lines("It was dropped.")), "notes/tank_history.pdf").title == "tank history"


def test_text_outside_the_crop_box_is_not_read():
    def cropped(canvas):
        canvas.setCropBox((40, 40, 360, 260))
        lines("Seen.", "Seen too.")(canvas)
        canvas.drawString(2, 5, "Printer's mark")

    assert read_pdf(pdf(cropped), "a.pdf").text == "Seen.\nSeen too."


@pytest.mark.parametrize("after", [b"\0" * 10_000, b"\n<html>" + b" added by a server" * 500])
def test_what_comes_after_the_end_of_a_pdf_is_left_out(after):
    assert read_pdf(pdf(report) + after, "a.pdf") == read_pdf(pdf(report), "a.pdf")


def test_a_pdf_that_only_forbids_printing_is_read():
    data = pdf(report, encrypt=StandardEncryption("", ownerPassword="owner", canPrint=0, strength=128))
    assert read_pdf(data, "a.pdf").text == REPORT


@given(st.integers(0, 2500), st.binary(min_size=1, max_size=30))
def test_a_spoiled_pdf_is_read_or_refused(place, rubbish):
    data = pdf(report)
    spoiled = data[:place] + rubbish + data[place + len(rubbish) :]
    try:
        text = read_pdf(spoiled, "a.pdf").text
    except DocumentError as refusal:
        text = str(refusal)
    assert text.strip()


PAGES = pdf(*(lines(f"The {name} was made by Beech.") for name in ("tank", "valve", "pump")), pageCompression=0)


def without(pattern, put=b""):
    """PAGES with what stands in the second place of a pattern put out, all else where it was."""
    [_, found, *_] = re.finditer(pattern, PAGES, re.DOTALL)
    return PAGES[: found.start()] + put.ljust(len(found[0])) + PAGES[found.end() :]


@each(("data", "note"), [
    (without(rb"1 0 0 1 0 0 cm.*?(?=endstream)", b"BT (( <<\0 Tj ET q q ]]"),
     "1 page empty, or damaged, and left out (2)"),
    (without(rb"/Contents \d+ 0 R", b"/Contents 99 0 R"), "1 page empty, or damaged, and left out (2)"),
    (without(rb"<<[^<]*/Contents.*?/Type /Page\n>>", b"null"), "1 page damaged and left out (2)"),
    (without(rb"<<[^<]*/Contents.*?/Type /Page\n>>", b"42"), "1 page damaged and left out (2)"),
])  # fmt: skip
def test_a_page_that_cannot_be_read_is_told_and_the_others_are_read(data, note):
    reading = read_pdf(data, "a.pdf")
    assert reading.notes == (note,)
    said = [reading.text[part.start : part.end] for part in reading.parts]
    assert said == ["The tank was made by Beech.", "", "The pump was made by Beech."]


FONT_GONE = re.sub(rb"<<\n/BaseFont.*?>>", lambda found: b"null".ljust(len(found[0])), PAGES, flags=re.DOTALL)


@each("data", [without(rb"/F1 10 Tf", b"/F9 10 Tf"), FONT_GONE])
def test_words_in_a_font_that_is_missing_are_read(data):
    assert data != PAGES
    assert read_pdf(data, "a.pdf") == read_pdf(PAGES, "a.pdf")


def test_a_pdf_with_nothing_on_its_pages_is_refused_as_that():
    with pytest.raises(DocumentError, match="its pages are empty or damaged"):
        read_pdf(pdf(lambda _: None, lambda _: None), "a.pdf")


def mapped(content, **unicode):
    """A hand-made PDF whose font maps its letters to other characters."""
    chars = b"".join(
        b"<%02X> <%s> " % (ord(letter), text.encode("utf-16-be").hex().upper().encode())
        for letter, text in unicode.items()
    )
    cmap = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap "
        b"1 begincodespacerange <00> <FF> endcodespacerange %d beginbfchar %sendbfchar endcmap end end"
    ) % (len(unicode), chars)
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 300]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
        b"<</Type/Font/Subtype/Type1/BaseFont/Courier/ToUnicode 6 0 R>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(cmap), cmap),
    ]
    body = b"".join(b"%d 0 obj%s endobj\n" % (number, text) for number, text in enumerate(objects, 1))
    return b"%PDF-1.4\n" + body + b"trailer<</Root 1 0 R/Size 7>>\n%%EOF"


def odd_characters():
    return mapped(b"BT /F1 20 Tf 50 200 Td (DAD BDCD) Tj ET", A="\U0001f680", B="\ufb01", C="\u00ad", D="D")


def test_characters_outside_the_basic_plane_count_one_and_ligatures_are_letters():
    reading = read_pdf(odd_characters(), "a.pdf")
    assert reading.text == "D🚀D fiDD"
    (first,), (rocket,), (after,) = page_image(odd_characters(), 1, [(0, 1), (1, 2), (2, 3)]).boxes
    assert (first.text, rocket.text, after.text) == ("D", "🚀", "D")
    assert first.x < rocket.x < after.x


def test_text_from_right_to_left_is_in_its_order_with_words_from_left_to_right_in_it():
    arabic = mapped(
        b"BT /F1 20 Tf 90 200 Td (DCBA) Tj -36 -30 Td (EBA RQP AEB) Tj ET",
        A="\u0627", B="\u0628", C="\u062a", D="\u062b", E="\u0644\u0627", P="P", Q="d", R="f",
    )  # fmt: skip
    text = read_pdf(arabic, "a.pdf").text
    assert text.split() == ["\u0627\u0628\u062a\u062b", "\u0628\u0644\u0627\u0627", "fdP", "\u0627\u0628\u0644\u0627"]
    (first,), (second,) = page_image(arabic, 1, [(0, 1), (text.index("\n") + 1, text.index("\n") + 2)]).boxes
    assert first.y < second.y


def marked(image, box):
    """The share of dark pixels inside a box and on the whole page."""
    picture = Image.open(io.BytesIO(image.png)).convert("L")
    left, top = int(box.x * image.width), int(box.y * image.height)
    piece = picture.crop((left, top, left + round(box.w * image.width), top + round(box.h * image.height)))
    return [sum(part.point(lambda value: value < 128 and 1).tobytes()) for part in (piece, picture)]


@each("rotation", [0, 90, 180, 270])
@each("crop", [None, (30, 60, 330, 280)])
def test_boxes_lie_on_the_printed_words(rotation, crop):
    def turned(canvas):
        canvas.setPageRotation(rotation)
        if crop:
            canvas.setCropBox(crop)
        lines("It was dropped about 2 inches.", "Then it was moved.", top=200)(canvas)

    data = pdf(turned)
    text = read_pdf(data, "a.pdf").text
    image = page_image(data, 1, [(0, len(text)), (text.index("moved"), text.index("moved") + 6)], width=800)
    assert image.width == 800
    assert [box.text for box in image.boxes[0]] == ["It was dropped about 2 inches.\n", "Then it was moved."]
    inside = sum(marked(image, box)[0] for box in image.boxes[0])
    assert inside > 0.99 * marked(image, image.boxes[0][0])[1] > 0
    (moved,) = image.boxes[1]
    assert moved.text == "moved."
    assert 0 < marked(image, moved)[0] < inside / 3


@given(st.integers(0, len(REPORT)), st.integers(0, len(REPORT)))
def test_the_boxes_of_a_span_spell_it(start, end):
    data = pdf(report)
    (boxes,) = page_image(data, 1, [(start, end)], width=40).boxes
    assert "".join(box.text for box in boxes) == REPORT[start:end]
    for box in boxes:
        assert 0 <= box.x <= box.x + box.w <= 1.000001
        assert 0 <= box.y <= box.y + box.h <= 1.000001
    printed = [box for box in boxes if box.text.strip()]
    assert len(printed) <= 1 or all(box.w > 0 and box.h > 0 for box in printed)


def test_a_page_that_is_not_there_is_refused():
    with pytest.raises(DocumentError, match="has no page 2; ask for one from 1 to 1"):
        page_image(pdf(report), 2, [])


def test_a_page_of_any_shape_makes_a_picture_of_bounded_size():
    data = io.BytesIO()
    canvas = Canvas(data, pagesize=(20, 14_000))
    canvas.drawString(2, 100, "a")
    canvas.save()
    image = page_image(data.getvalue(), 1, [])
    assert image.height <= 4001


def test_the_ink_of_a_page_is_what_is_printed_on_it():
    def swatch(canvas):
        canvas.setFillColorRGB(0.9, 0.9, 0.2)
        canvas.rect(100, 100, 200, 50, stroke=0, fill=1)

    assert page_image(pdf(swatch), 1, [], width=WIDTH).ink == pytest.approx(
        (100 / WIDTH, 1 - 150 / HEIGHT, 200 / WIDTH, 50 / HEIGHT), abs=5 / WIDTH
    )
    assert page_image(pdf(lines()), 1, []).ink == (0, 0, 1, 1)


@each("colour", [(1, 0, 0), (0, 0.2, 0), (0, 0, 0.2), (0.5, 0.5, 0.5)])
def test_a_picture_has_the_colours_of_its_page(colour):
    def swatch(canvas):
        canvas.setFillColorRGB(*colour)
        canvas.rect(100, 100, 200, 100, stroke=0, fill=1)
        lines("A swatch.")(canvas)

    picture = Image.open(io.BytesIO(page_image(pdf(swatch), 1, [], width=WIDTH).png))
    assert picture.mode == ("L" if len(set(colour)) == 1 else "RGB")
    assert picture.convert("RGB").getpixel((200, 150)) == pytest.approx([255 * part for part in colour], abs=2)


def test_threads_can_read_and_draw_at_once():
    data = pdf(report, report)

    def work(_):
        return read_pdf(data, "a.pdf").text, page_image(data, 2, [(0, 9)], width=40).boxes[0][0].text

    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(work, range(20))) == {(f"{REPORT}\n\n{REPORT}", REPORT[:9])}
