"""Odd files by their kinds: each is read, and what can't be read of it is named; three of each kind are made here."""

import io

import docx
import openpyxl
import pptx
import pytest
from docx.oxml import parse_xml as word_xml
from docx.oxml.ns import nsdecls
from openpyxl.comments import Comment
from PIL import Image
from pptx.util import Inches
from reportlab.pdfgen.canvas import Canvas

import explorer
from explorer.errors import DocumentError
from explorer.ingest.readers.files import read
from explorer.ingest.readers.page_image import page_image
from tests.each import each
from tests.ingest.readers import made as own
from tests.ingest.readers.made import MADE, changed, edited, part_of, saved
from tests.ingest.readers.test_reader_process import obj, written

WORDS = "The harbour crane was bought by Lotte Brandt in 1998."
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def word(*markup):
    """A Word document with a sentence, and paragraphs of markup."""
    document = docx.Document()
    document.add_paragraph(WORDS)
    for one in markup:
        document.element.body.insert(-1, word_xml(f"<w:p {nsdecls('w', 'r', 'wp', 'a')}>{one}</w:p>"))
    return saved(document)


def run(words, properties=""):
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{words}</w:t></w:r>'


def slides():
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[5])
    slide.shapes.title.text = "Crane plan"
    slide.shapes.add_textbox(0, 0, 10, 10).text_frame.text = WORDS
    return saved(show)


def workbook():
    book = openpyxl.Workbook()
    for row in (["crane", "buyer", "share"], ["north", "Lotte Brandt", 0.155]):
        book.active.append(row)
    book.active["C2"].number_format = "0.0%"
    return saved(book)


def swap(old, new, of=""):
    return lambda name, data: data.replace(old, new) if name.endswith(of) else data


def strict(_, data):
    for name in (b"wordprocessingml", b"spreadsheetml", b"presentationml", b"officeDocument", b"drawingml"):
        data = data.replace(b"schemas.openxmlformats.org/" + name + b"/2006/", b"purl.oclc.org/ooxml/" + name + b"/")
    return data


def typed(old, new):
    return swap(old.encode() + b".main+xml", new.encode() + b".main+xml", "Types].xml")


PARTS = {
    "a.docx": (word, b"document.xml", "word/document.xml", "word/document2.xml"),
    "a.pptx": (slides, b"presentation.xml", "ppt/presentation.xml", "ppt/show.xml"),
    "a.xlsx": (workbook, b"workbook.xml", "xl/workbook.xml", "xl/book1.xml"),
}


def renamed(name):
    """A file whose main part has another name."""
    make, base, old, new = PARTS[name]
    other = new.rpartition("/")[2].encode()

    def rename(part):
        return part.replace(old, new).replace(f"{base.decode()}.rels", f"{other.decode()}.rels")

    def edit(part, data):
        return data.replace(base, other) if part in {"[Content_Types].xml", "_rels/.rels"} else data

    return edited(make(), edit, rename)


def unchanged(_, data):
    return data


def emptied(part):
    return lambda name, data: b"" if name.endswith(part) else data


def kept(name):
    return name if name == "[Content_Types].xml" else name.upper()


OFFICE = {
    **{f"other main part, {name}": (name, renamed(name)) for name in PARTS},
    **{f"strict, {name}": (name, edited(make(), strict)) for name, (make, *_) in PARTS.items()},
    **{f"names in capitals, {name}": (name, edited(make(), unchanged, kept))
       for name, (make, *_) in PARTS.items()},
    **{f"backslashes, {name}": (name, edited(make(), unchanged, lambda part: part.replace("/", "\\")))
       for name, (make, *_) in PARTS.items()},
    **{f"no {part}, {name}": (name, edited(make(), emptied(part)))
       for name, (make, *_) in PARTS.items() for part in ("Types].xml", "_rels/.rels", "core.xml")},
    "number that is none": ("a.xlsx", edited(workbook(), swap(b"<v>0.155</v>", b"<v>15.5%</v>", "sheet1.xml"))),
    "place that is none": ("a.xlsx", edited(workbook(), swap(b'r="C2"', b'r="??"', "sheet1.xml"))),
    "slide show": ("a.ppsx", edited(slides(), typed("presentation", "slideshow"))),
    "template of slides": ("a.potx", edited(slides(), typed("presentation", "template"))),
    "template of Word": ("a.dotx", edited(word(), typed("document", "template"))),
    "template of Excel": ("a.xltx", edited(workbook(), typed("sheet", "template"))),
    "style without type": ("a.docx", edited(word(), swap(b'w:type="paragraph" ', b"", "word/styles.xml"))),
    "styles that are none": ("a.docx", edited(word(), swap(b"<w:style ", b"<w:style <", "word/styles.xml"))),
    "styles are missing": ("a.docx", edited(word(), unchanged, lambda n: n.replace("styles", "stiles"))),
    "lists without a number": ("a.docx", edited(word(), swap(b"abstractNumId w:", b"abstract w:", "ing.xml"))),
    "colour of Excel": ("a.xlsx", edited(workbook(), swap(b'theme="1"', b'rgb="FF0"', "styles.xml"))),
    "border of Excel": ("a.xlsx", edited(workbook(), swap(b"<left/>", b'<left style="odd"/>', "styles.xml"))),
    "rules of Excel": ("a.xlsx", edited(workbook(), swap(
        b"</sheetData>", b'</sheetData><conditionalFormatting sqref="A1"><cfRule type="odd" priority="1"/>'
        b"</conditionalFormatting>", "sheet1.xml"))),
    "places of slides": ("a.pptx", edited(slides(), swap(b'type="title"', b'type="odd"', "slide1.xml"))),
    "view of Excel": ("a.xlsx", edited(workbook(), swap(b'activeTab="0"', b'activeTab="x"', "workbook.xml"))),
    "theme of slides": ("a.pptx", edited(slides(), swap(b"<a:theme ", b"<a:theme <", "theme1.xml"))),
    "layouts are missing": ("a.pptx", edited(slides(), unchanged, lambda n: n.replace("slideLayout3", "none"))),
}  # fmt: skip


@each(("name", "data"), OFFICE.values(), ids=list(OFFICE))
def test_an_office_file_is_what_it_says_and_what_it_can_do_without_does_not_refuse_it(name, data):
    text = read(data, name).text
    assert "Lotte Brandt" in text
    assert "15.5%" in text or "1998" in text


def titled(add):
    """A presentation with something else in the place of its title."""
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[5])
    slide.shapes.add_textbox(0, 0, 10, 10).text_frame.text = WORDS
    place = slide.shapes.title._element
    other = add(slide)
    other._element.xpath(".//p:nvPr")[0].append(place.xpath(".//p:ph")[0])
    place.getparent().remove(place)
    return saved(show)


PIXEL = io.BytesIO()
Image.new("RGB", (1, 1)).save(PIXEL, "PNG")


@each("add", [
    lambda slide: slide.shapes.add_picture(PIXEL, 0, 0),
    lambda slide: slide.shapes.add_table(1, 1, 0, 0, Inches(1), Inches(1)),
    lambda slide: slide.shapes.add_connector(1, 0, 0, 9, 9),
])  # fmt: skip
def test_a_title_that_is_no_text_leaves_the_other_words(add):
    assert WORDS in read(titled(add), "a.pptx").text


def coded(code):
    """A PDF with signs of a font whose codes, of three or four bytes, stand for no character."""
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Z def /CMapType 1 def "
        "4 begincodespacerange <00> <7F> <C080> <DFBF> <E08080> <EFBFBF> <F0808080> <F7BFBFBF> endcodespacerange "
        "1 begincidrange <20> <7e> 231 endcidrange endcmap end end"
    )
    system = "/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 6>>"
    return written([
        obj("/Type/Catalog/Pages 2 0 R"), obj("/Type/Pages/Kids[3 0 R]/Count 1"),
        obj("/Type/Page/Parent 2 0 R/MediaBox[0 0 400 300]/Resources<</Font<</A 5 0 R/B 6 0 R>>>>/Contents 4 0 R"),
        obj("", f"BT /A 12 Tf 20 200 Td ({WORDS}) Tj /B 12 Tf 0 -40 Td <{code}> Tj ET"),
        obj("/Type/Font/Subtype/Type1/BaseFont/Helvetica"),
        obj("/Type/Font/Subtype/Type0/BaseFont/Odd-Z/Encoding 7 0 R/DescendantFonts[8 0 R]"),
        obj(f"/Type/CMap/CMapName/Z/WMode 0{system}", cmap),
        obj(f"/Type/Font/Subtype/CIDFontType2/BaseFont/Odd{system}/FontDescriptor 9 0 R/DW 600/CIDToGIDMap/Identity"),
        obj("/Type/FontDescriptor/FontName/Odd/Flags 4/FontBBox[0 0 600 700]/ItalicAngle 0/Ascent 700/StemV 80"),
    ])  # fmt: skip


def test_codes_of_no_character_are_left_out_and_told(ws, tmp_path):
    for number, code in enumerate(("20F0E0E0E0", "20E0A0A0", "F0E0E0E0E0A0A0")):
        (tmp_path / f"{number}.pdf").write_bytes(coded(code))
    (tmp_path / "z.txt").write_text(WORDS)
    told = ws.ingest(tmp_path, progress=False)
    assert (told.documents, told.refused) == (4, ())
    signs = ["1 sign", "1 sign", "2 signs"]
    assert told.notes == tuple(f"{at}.pdf: {one} with a code of no character left out." for at, one in enumerate(signs))


def field(instruction, inner, result):
    """A field with another in its instructions, and one in what it comes to."""
    begin, separate, end = (f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end"))
    instructed = f"<w:r><w:instrText>{instruction}</w:instrText></w:r>"
    said = [one if one.startswith("<") or not one else run(one) for one in (inner, result)]
    return f"{begin}{instructed}{said[0]}{separate}{said[1]}{end}"


CHOSEN = (
    '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="no"/>'
    '<w:listEntry w:val="yes"/></w:ddList></w:ffData></w:fldChar></w:r>'
)
FIELDS = [
    (f'{run("It is ")}<w:fldSimple w:instr="X">{run("4.7")}</w:fldSimple>{run(".")}', "It is 4.7."),
    (f'{run("It is ")}<w:fldSimple w:instr="X"><w:fldSimple w:instr="Y">{run("B")}</w:fldSimple></w:fldSimple>',
     "It is B"),
    (f'{run("It is ")}<w:futureThing>{run("new")}</w:futureThing>', "It is new"),
    (f"{run('It is ')}<w:bdo w:val='rtl'>{run('left')}</w:bdo>", "It is left"),
    (f"{run('It is ')}<w:dir w:val='rtl'>{run('right')}</w:dir>", "It is right"),
    (f"<w:r><w:ruby><w:rt>{run('koh')}</w:rt><w:rubyBase>{run('Kobe')}</w:rubyBase></w:ruby></w:r>", "Kobe"),
    ("<w:r><w:t>one</w:t><w:cr/><w:t>two</w:t></w:r>", "one\ntwo"),
    (CHOSEN, "yes"),
    (field("X", field("Y", "", "no"), "yes") + run(" and ") + field("X", "", field("Y", "", "here")), "yes and here"),
]  # fmt: skip


@each(("markup", "text"), FIELDS)
def test_what_mammoth_passes_over_is_read(markup, text):
    assert read(word(markup), "a.docx").text == f"{WORDS}\n\n{text}"


@each(("markup", "note"), [
    (run("Secret words.", "<w:vanish/>"), "1 hidden text left out"),
    (run("Secret words.", '<w:vanish w:val="1"/>') * 2, "2 hidden texts left out"),
    ('<w:r><w:footnoteReference w:id="77"/></w:r>', "1 missing footnote left out"),
])  # fmt: skip
def test_what_is_hidden_or_missing_in_word_is_told(markup, note):
    reading = read(word(run("Seen. ") + markup), "a.docx")
    assert reading.text == f"{WORDS}\n\nSeen."
    assert reading.notes == (note,)


def test_a_slide_that_is_not_shown_says_so():
    made = edited(slides(), swap(b"<p:sld ", b'<p:sld show="0" ', "slide1.xml"))
    assert read(made, "a.pptx").text.startswith(f"# Crane plan (hidden)\n\n{WORDS}")


def test_comments_are_counted():
    document, book = docx.Document(), openpyxl.Workbook()
    for words in ("Is that so?", "Yes."):
        document.add_comment(document.add_paragraph(WORDS).runs, words, "me")
    book.active.append([WORDS])
    book.active["A1"].comment = Comment("Is that so?", "me")
    assert read(saved(document), "a.docx").notes == ("2 comments left out",)
    assert read(saved(book), "a.xlsx").notes == ("1 comment left out",)


def enclosing(name, data):
    """A Word document with a file enclosed in it."""
    rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    made = word()
    rels, body = (part_of(made, name) for name in ("word/_rels/document.xml.rels", "word/document.xml"))
    more = f'<Relationship Id="rIdX" Type="{rel}/aFChunk" Target="{name}"/></Relationships>'
    chunk = f'<w:altChunk xmlns:r="{rel}" r:id="rIdX"/><w:sectPr'
    return changed(made, **{
        "word/_rels/document.xml.rels": rels.replace("</Relationships>", more), f"word/{name}": data,
        "word/document.xml": body.replace("<w:sectPr", chunk, 1),
    })  # fmt: skip


PAGE = b'<!DOCTYPE html PUBLIC "-//W3C//DTD" "x"><html><body><p>The boat is of Aino Salo.</p></body></html>'
MHT = b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n--x\nContent-Type: text/html\n\n" + PAGE


@each(("name", "data", "is_read"), [
    ("a.htm", PAGE, True),
    ("a.mht", MHT + b"\n--x--\n", True),
    ("a.txt", b"The boat is of Aino Salo.", True),
    ("a.docx", word(), None),
    ("a.rtf", b"{\\rtf1 The boat.}", False),
])  # fmt: skip
def test_files_enclosed_in_word_are_read_or_told(name, data, is_read):
    reading = read(enclosing(name, data), "a.docx")
    said = WORDS if is_read is None else "The boat is of Aino Salo."  # None for a document in a document
    assert reading.text == (WORDS if is_read is False else f"{WORDS}\n\n{said}")
    assert reading.notes == (() if is_read is not False else ("1 enclosed file left out",))


HEAD = "From: Ira Feld <ira@example.org>\nSubject: Boiler\nMIME-Version: 1.0\n"
SAID = "The boiler was inspected by Tomas Reuter."
HTML = f"Content-Type: text/html\n\n<p>{SAID}</p>\n"
PLAIN = f"Content-Type: text/plain\n\n{SAID}\n"
FOOT = "Content-Type: text/plain\n\nstaff mailing list\n"
EVENT = (
    "Content-Type: text/calendar; name=a.ics\n\nBEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Boiler\\, north\n"
    "DTSTART;TZID=X:20250303T090000\nLOCATION:Hall\n  4\nORGANIZER;CN=Ira Feld:mailto:ira@example.org\nEND:VEVENT\n"
)


def multi(kind, *parts):
    return f"Content-Type: multipart/{kind}; boundary=b{len(parts)}\n\n" + "".join(
        f"--b{len(parts)}\n{part}" for part in parts
    ) + f"--b{len(parts)}--\n"  # fmt: skip


def plain(words, more=""):
    return f"Content-Type: text/plain{more}\n\n{words}\n"


STUB = plain("Please use a program that shows HTML.")
LONG = f"Content-Type: text/html\n\n<p>{SAID} {'It is safe and sound. ' * 5}</p>\n"
MAILS = {
    "HTML, then a footer": (multi("mixed", HTML, FOOT), [SAID, "staff mailing list"]),
    "a header, then HTML": (multi("mixed", FOOT, HTML), [SAID, "staff mailing list"]),
    "alternatives, then a footer": (multi("mixed", multi("alternative", PLAIN, HTML, HTML), FOOT), [SAID, "staff"]),
    "blank alternative": (multi("alternative", plain(" "), HTML), [SAID]),
    "alternative that is none": (multi("alternative", STUB, LONG), [SAID]),
    "alternative of other words": (multi("alternative", plain("See the program.\nIt shows all."), HTML),
                                   [SAID, "See the program."]),
    "HTML with pictures": (multi("alternative", plain(""), multi("related", HTML)), [SAID]),
    "invitation": (multi("alternative", PLAIN, HTML, EVENT), [SAID, "Invitation: Boiler, north\n", "Place: Hall 4",
                                                             "Begins: 2025-03-03 09:00", "Organizer: Ira Feld"]),
    "flowed": (plain(SAID.replace("by ", "by \n"), "; format=flowed"), [SAID]),
    "flowed within words": (plain(SAID.replace("Tomas", "To \nmas"), "; format=flowed; delsp=yes"), [SAID]),
    "flowed in a quotation": (plain(f"> {SAID.replace('by ', f'by {chr(10)}> ')}\n> Yes.", "; format=flowed"), [SAID]),
    "unknown encoding": (plain(SAID, "; charset=x-unknown"), [SAID]),
    "no encoding of that name": (plain(SAID + " Größe", '; charset="none of them"'), [SAID, "Größe"]),
    "another encoding": (plain(SAID + " Größe", "; charset=us-ascii"), [SAID, "Größe"]),
    "two mails": (f"{PLAIN}\nFrom a@example.org Mon Mar  3 09:00:00 2025\nSubject: Next\n\nIt is safe.\n",
                  [SAID, "# Next\n\nIt is safe."]),
    "a mail below the end": (multi("mixed", PLAIN) + "\nFrom: b@example.org\nSubject: Next\n\nIt is safe.\n",
                             [SAID, "## Next", "It is safe."]),
    "words that look like another mail": (plain(f"{SAID}\n\nFrom the manual:\nhttps://example.org/a"),
                                          [f"{SAID}\n\nFrom the manual:\nhttps://example.org/a"]),
    "a remark below the end": (multi("mixed", PLAIN) + "\nNote: all is well.\n\nBye.\n", [SAID, "Note: all is well."]),
    "two that are no alternatives": (multi("alternative", PLAIN, plain("It is safe."), HTML), [SAID, "It is safe."]),
    "words below the end": (multi("mixed", PLAIN) + "\nIt is safe.\n", [SAID, "It is safe."]),
}  # fmt: skip


@each(("mail", "said"), MAILS.values(), ids=list(MAILS))
def test_the_words_of_a_mail_are_read_however_they_are_packed(mail, said):
    text = read((HEAD + mail).encode(), "a.eml").text
    assert all(words in text for words in said)
    assert text.count(SAID) <= 1


@each(("mail", "note"), [
    (multi("mixed", PLAIN, "Content-Type: image/png\n\nxx\n"), "a part of the kind image/png left out"),
    (multi("mixed", PLAIN, "Content-Type: message/delivery-status\n\nAction: failed\n"), "message/delivery-status"),
    (plain(SAID, "; charset=x-unknown"), "an encoding that is not known, x-unknown"),
])  # fmt: skip
def test_what_is_not_read_of_a_mail_is_told(mail, note):
    [told] = read((HEAD + mail).encode(), "a.eml").notes
    assert note in told


@each("data", [
    HEAD.encode() + multi("related", HTML).encode(),
    HEAD.encode() + b"Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n"
    b"<p>The boiler was inspected by Tom=\nas Reuter.</p>",
    b"From: <Saved by a browser>\n" + multi("related", "Content-Type: text/html\n\n<frameset>\n", HTML).encode(),
])  # fmt: skip
def test_a_saved_page_is_read(data):
    for name in ("a.mht", "a.mhtml"):
        assert read(data, name).text == SAID


def form(**fields):
    """A PDF with a form: what its fields are filled with, by their labels."""
    data = io.BytesIO()
    canvas = Canvas(data, pagesize=(400, 300), invariant=True)
    for number, (label, value) in enumerate(fields.items()):
        canvas.drawString(50, 250 - 40 * number, f"{label}:")
        canvas.acroForm.textfield(
            name=label, value=value, x=150, y=245 - 40 * number, width=200, height=20, borderWidth=0
        )
    canvas.showPage()
    canvas.save()
    return data.getvalue()


def noted(kind):
    """A PDF with a note on its page."""
    note = f"/Type/Annot/Subtype/{kind}/Rect[20 100 380 130]/Contents(The mast is 40 m high.)/DA(/A 12 Tf)/F 4"
    drawn = obj("/Type/XObject/Subtype/Form/BBox[0 0 360 30]/Resources<</Font<</A 5 0 R>>>>",
                "BT /A 12 Tf 2 9 Td (The mast is 40 m high.) Tj ET")  # fmt: skip
    return written([
        obj("/Type/Catalog/Pages 2 0 R"), obj("/Type/Pages/Kids[3 0 R]/Count 1"),
        obj("/Type/Page/Parent 2 0 R/MediaBox[0 0 400 300]/Resources<</Font<</A 5 0 R>>>>/Contents 4 0 R"
            "/Annots[6 0 R]"),
        obj("", f"BT /A 12 Tf 20 200 Td ({WORDS}) Tj ET"), obj("/Type/Font/Subtype/Type1/BaseFont/Helvetica"),
        obj(note + "/AP<</N 7 0 R>>" * (kind != "Text")), drawn,
    ])  # fmt: skip


def test_what_a_form_is_filled_with_stands_behind_its_label_and_is_marked_on_the_page():
    for fields in (
        {"Owner": "Lotte Brandt"},
        {"Owner": "Lotte Brandt", "Year": "1998"},
        {"A": "x y", "B": "", "C": "z"},
    ):
        data = form(**fields)
        text = read(data, "a.pdf").text
        assert text.split("\n\n") == [f"{label}: {value}".rstrip() for label, value in fields.items()]
        value = next(iter(fields.values()))
        start = text.index(value)
        [[box]] = page_image(data, 1, [(start, start + len(value))]).boxes
        assert (box.text, 0.37 < box.x < 0.4) == (value, True)


def test_notes_of_free_text_and_stamps_are_read_and_comments_are_told():
    for kind in ("FreeText", "Stamp"):
        assert read(noted(kind), "a.pdf").text == f"{WORDS}\n\nThe mast is 40 m high."
    assert read(noted("Text"), "a.pdf").notes == ("1 comment on its pages left out",)


SVG = '<svg xmlns="http://www.w3.org/2000/svg">{}</svg>'
DRAWN = "<text>The tank</text><text><tspan>was dropped</tspan><tspan x='1' dy='9'>in 1968.</tspan></text>"


def test_pages_of_books_that_are_drawings_are_read_and_what_is_missing_is_told():
    inside = f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{SVG.format(DRAWN)}</body></html>'
    made = MADE["a.epub"]([(False, "words")])
    for page in (SVG.format(DRAWN), inside, f"<?xml version='1.0'?>{SVG.format(f'<g>{DRAWN}</g>')}"):
        assert read(changed(made, **{"OEBPS/c 0.xhtml": page}), "a.epub").text == "The tank\nwas dropped in 1968."
    package = part_of(made, "OEBPS/content.opf")
    more = '<item id="x" href="none.xhtml" media-type="application/xhtml+xml"/></manifest>'
    package = package.replace("</manifest>", more).replace("</spine>", '<itemref idref="x"/></spine>')
    assert read(changed(made, OEBPS__content_dot_opf=package), "a.epub").notes == ("1 missing chapter left out",)


@each(("text", "rows"), [
    ('a,b\nBrandt\\, Lotte,"says \\"ahoy\\""\nSalo,none\n', [["Brandt, Lotte", 'says "ahoy"'], ["Salo", "none"]]),
    ("a;b\n'x; y';2\n'it\\'s';3\n", [["x; y", "2"], ["it's", "3"]]),
    ("a,b\n'x, y',2\n'z',3\n", [["x, y", "2"], ["z", "3"]]),
    ('a,b\n"C:\\dir\\",1\n"D:\\x",2\n', [["C:\\dir\\", "1"], ["D:\\x", "2"]]),
    ("a,b\nO'Neil,'tis\nD'Arcy,it's\n", [["O'Neil", "'tis"], ["D'Arcy", "it's"]]),
    ("a,b\n1,one\\\ntwo\n2,\\N\n", [["1", "one two"], ["2", ""]]),
    ("a,b\n1,\\N\n2,x\n", [["1", ""], ["2", "x"]]),
    ("a,b\nC:\\x\\,1\nD:\\,2\\\nE:\\,3\n", [["C:\\x\\", "1"], ["D:\\", "2\\"], ["E:\\", "3"]]),
    ("place,,place,\nKelmstad,b,c,d\n", [["Kelmstad", "b", "c", "d"]]),
])  # fmt: skip
def test_dialects_of_csv_are_told_by_their_rows(text, rows):
    _, _, *lines = read(text.encode(), "a.csv").text.splitlines()
    assert [line[2:-2].split(" | ") for line in lines] == rows


@each("columns, width", [(20, 30), (600, 7), (45, 3)])
def test_no_cell_of_a_wide_row_loses_its_fact(tmp_path, columns, width):
    rows = [[f"town{row}" if column == 0 else f"value {row} of {column} {'q' * width}" for column in range(columns)]
            for row in range(2)]  # fmt: skip
    heads = ",".join(f"head{column}" for column in range(columns))
    (tmp_path / "a.csv").write_text("\n".join([heads, *(",".join(row) for row in rows)]))
    with explorer.open() as ws:
        assert ws.ingest(tmp_path, progress=False).edges == 2 * (columns - 1)


@each(("parts", "text"), [
    (("München, Jörg\n".encode(), "Zürich, Müller\n".encode("cp1252")), "München, Jörg\nZürich, Müller\n"),
    (("Zürich\n".encode("cp1252"), "München\n".encode()), "Zürich\nMünchen\n"),
    (("Größe und ".encode(), "Maß\n".encode("cp1252")), "Größe und Maß\n"),
])  # fmt: skip
def test_two_encodings_in_one_file_are_read_as_what_each_is(parts, text):
    reading = read(b"".join(parts), "a.txt")
    assert (reading.text, reading.encoding) == (text, "UTF-8 with lines in Windows-1252")


LEFT = """The ferry Alma was built in
Orfield in 1911. Nils Karup
commanded her for nine years.
She carried mail and cattle
between the islands until a
storm tore off her mast.""".split("\n")
RIGHT = """The lighthouse of Velby stands
on a rock. Its lamp was lit
for the first time in 1874.
Marta Enge kept the light
until her death. The tower is
nineteen metres high.""".split("\n")
THIRD = """The harbour crane lifts twenty
tonnes. It was bought by the
town in 1998 and is painted
yellow. Lotte Brandt ran it
for many years and then she
taught others.""".split("\n")


def in_columns(*columns, gap=20):
    """A page whose lines are drawn across its columns."""
    data = io.BytesIO()
    canvas = Canvas(data, pagesize=(700, 300), invariant=True)
    for row in range(max(map(len, columns))):
        for at, column in enumerate(columns):
            if row < len(column):
                canvas.drawString(40 + at * (170 + gap), 250 - 14 * row, column[row])
    canvas.save()
    return data.getvalue()


@each(
    "columns", [(LEFT, RIGHT), (LEFT, RIGHT, THIRD), ([*LEFT, "The company sold her."], RIGHT[:5]), (LEFT[:3], RIGHT)]
)
def test_a_text_in_columns_that_is_drawn_line_by_line_is_read_column_by_column(columns):
    text = read(in_columns(*columns), "a.pdf").text
    assert text.split("\n\n") == ["\n".join(column) for column in columns]


def test_texts_without_a_suffix_are_read_and_programs_are_not():
    for name in ("LICENSE.MIT", "README.first", "gpl-3.0-or-later", "Mr. Smith on cranes", "COPYING", "MPL-2.0"):
        assert read(WORDS.encode(), name).text == WORDS
    for name in ("a.json", "history.js", "a.py"):
        with pytest.raises(DocumentError, match="is of a type that can't be read"):
            read(WORDS.encode(), name)


def test_formulas_without_a_value_are_told():
    data = own.workbook(["name", "price", "twice"], ["gauge", 12.5, "=B2*2"], ["tide", 7, "=B3*2"])
    [note] = read(data, "a.xlsx").notes
    assert note.startswith("2 formulas without a stored value, as =B2*2, left empty; ")


def test_files_with_the_same_bytes_are_told(ws, tmp_path):
    for name in ("a.md", "b.md", "c.md"):
        (tmp_path / name).write_text(WORDS)
    told = ws.ingest(tmp_path, progress=False)
    again = ws.ingest(tmp_path / "a.md", tmp_path / "a.md", progress=False)
    assert told.notes == tuple(f"{name}.md has the same bytes as a.md: it is the same document." for name in "bc")
    assert again.notes == ()
