"""Small documents of each format, made of the blocks that are given."""

import io
import zipfile
from email.message import EmailMessage
from html import escape

import docx
import openpyxl
import pptx

CONTAINER = (
    '<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
    '<rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
OPF = (
    '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
    "<metadata><dc:title>{title}</dc:title><dc:creator>Ann Lee</dc:creator><dc:date>1970-06-15T00:00:00Z</dc:date>"
    '</metadata><manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
    "{items}</manifest><spine>{spine}</spine></package>"
)


def archived(parts):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return data.getvalue()


def changed(data, **parts):
    """An archive with some parts in place of its own; their names have __ for / and _dot_ for a dot."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        own = {name: archive.read(name) for name in archive.namelist()}
    return archived({**own, **{name.replace("__", "/").replace("_dot_", "."): part for name, part in parts.items()}})


def edited(data, edit, names=str):
    """An archive with each part as `edit` makes it, under the name that `names` makes."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archived({names(name): edit(name, archive.read(name)) for name in archive.namelist()})


def part_of(data, name):
    """The text of a part of an archive."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.read(name).decode()


def workbook(*rows):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    return saved(book)


def page(blocks):
    body = "".join(f"<h2>{escape(words)}</h2>" if is_head else f"<p>{escape(words)}</p>" for is_head, words in blocks)
    return f"<!doctype html><html><head><meta charset=utf-8></head><body>{body}</body></html>".encode()


def word(blocks, title=""):
    document = docx.Document()
    document.core_properties.title = title
    for is_head, words in blocks:
        document.add_heading(words, 2) if is_head else document.add_paragraph(words)
    return saved(document)


def slides(blocks):
    show = pptx.Presentation()
    for is_head, words in blocks:
        slide = show.slides.add_slide(show.slide_layouts[5])
        if is_head:
            slide.shapes.title.text_frame.text = words
        else:
            slide.shapes.add_textbox(0, 0, 10, 10).text_frame.text = words
    return saved(show)


def saved(document):
    data = io.BytesIO()
    document.save(data)
    return data.getvalue()


def book(chapters, title="Loss of a tank", contents="", **parts):
    items = "".join(
        f'<item id="c{number}" href="c%20{number}.xhtml" media-type="application/xhtml+xml"/>'
        for number in range(len(chapters))
    )
    spine = "".join(f'<itemref idref="c{number}"/>' for number in range(len(chapters)))
    return archived(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": CONTAINER,
            "OEBPS/content.opf": OPF.format(title=title, items=items, spine=spine),
            "OEBPS/nav.xhtml": f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{contents}</body></html>',
            **{f"OEBPS/c {number}.xhtml": chapter for number, chapter in enumerate(chapters)},
            **parts,
        }
    )


def mail(blocks):
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = "The tank", "Ann Lee <ann@example.org>", "crew@example.org"
    message["Date"] = "Mon, 13 Apr 1970 21:08:00 -0500"
    message.set_content("\n\n".join(words for _, words in blocks))
    return message.as_bytes()


MADE = {
    "a.html": page,
    "a.docx": word,
    "a.pptx": slides,
    "a.epub": lambda blocks: book([page(blocks).replace(b"<meta charset=utf-8>", b'<meta charset="utf-8"/><title/>')]),
    "a.eml": mail,
}
"""By a file's name, what makes such a file of blocks: whether each is a heading, and its words."""
