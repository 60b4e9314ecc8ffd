"""PDF pages as clean text, and as pictures on which spans of that text are marked.

pdfium is not thread-safe: one lock guards every call. It is taken page by page, so that a picture need
not wait for a long document. Every character of the clean text remembers where it is printed.
"""

from __future__ import annotations

import io
import re
import statistics
import threading
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from explorer.errors import DocumentError
from explorer.ingest.readers.pdf_lines import OTHER_SIZE, Glyph, Line, Rect, lines_of, separators, union
from explorer.ingest.readers.reading import DocumentPart, Reading, title_from

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LOCK = threading.Lock()
_TAIL = 4096  # bytes at the end of a whole PDF, among which stands its end mark
_HIGHEST_PICTURE = 4  # in widths: keeps the picture of a page that is a mile high small
_QUICK = 1  # of 9: what a higher level saves in size takes several times as long, and the page is waited for
_NO_NAME = frozenset({"", "untitled", "anonymous", "unspecified", "unknown", "none"})
_FILE_NAME = re.compile(r"(?i)^microsoft \w+ - |\.(?:docx?|pdf|tex|dvi|indd|odt|rtf|txt)$")
_DATE = re.compile(r"^(?:D:)?(\d{4})(\d{2})(\d{2})")


@dataclass(frozen=True, slots=True)
class TextBox:
    """A piece of one line: fractions 0..1 of the page with y downward, and its text."""

    x: float
    y: float
    w: float
    h: float
    text: str


@dataclass(frozen=True, slots=True)
class PageImage:
    """A page as PNG, `width` by `height` pixels, with the boxes of each span that was asked for."""

    png: bytes
    width: int
    height: int
    boxes: tuple[tuple[TextBox, ...], ...]


@dataclass(frozen=True, slots=True)
class _Page:
    """The clean text of a page; `glyphs` and `lines` (line numbers) run beside its characters."""

    text: str
    glyphs: tuple[Glyph, ...]
    lines: tuple[int, ...]
    width: float
    height: float
    heading: str


def read_pdf(data: bytes, name: str) -> Reading:
    """Read every page. Raises DocumentError for a PDF that is encrypted, damaged or has no text in it."""
    with _opened(data, name) as (document, count):
        with _LOCK:
            metadata = document.get_metadata_dict()
        pages = [_read_page(document, index, name) for index in range(count)]
    if not any(page.text for page in pages):
        raise DocumentError(f"{name!r} has no text in it, only pictures; run text recognition (OCR) on it first.")
    parts: list[DocumentPart] = []
    start = 0
    for number, page in enumerate(pages, 1):
        parts.append(DocumentPart("page", number, f"Page {number}", start, start + len(page.text)))
        start += len(page.text) + len("\n\n")
    return Reading(
        title=_named(metadata["Title"]) or pages[0].heading or title_from(name),
        mime="application/pdf",
        text="\n\n".join(page.text for page in pages),
        parts=tuple(parts),
        author=_named(metadata["Author"]),
        date="-".join(found.groups()) if (found := _DATE.match(metadata["CreationDate"])) else None,
    )


def page_image(data: bytes, page: int, spans: Sequence[tuple[int, int]], width: int = 1000) -> PageImage:
    """A picture of one page (counted from 1) with the boxes of spans of that page's clean text."""
    name = "document"
    with _opened(data, name) as (document, count):
        if not 1 <= page <= count:
            raise DocumentError(f"The document has no page {page}; ask for one from 1 to {count}.")
        clean = _read_page(document, page - 1, name)
        scale = min(width / clean.width, width * _HIGHEST_PICTURE / clean.height)
        with _LOCK, _page(document, page - 1, name) as opened:
            picture = opened.render(scale=scale).to_pil().convert("RGB")
    red, green, blue = picture.split()
    is_grey = red.tobytes() == green.tobytes() == blue.tobytes()  # as most pages are: a third of the work and size
    png = io.BytesIO()
    (red if is_grey else picture).save(png, "PNG", compress_level=_QUICK)
    boxes = tuple(tuple(_boxes(clean, *slice(*span).indices(len(clean.text))[:2])) for span in spans)
    return PageImage(png.getvalue(), picture.width, picture.height, boxes)


@contextmanager
def _opened(data: bytes, name: str) -> Iterator[tuple[pdfium.PdfDocument, int]]:
    """The document and its number of pages, at least one."""
    if b"%%EOF" not in data[-_TAIL:]:
        raise DocumentError(f"{name!r} is a damaged PDF, its end is missing; get a complete copy of it.")
    with _LOCK:
        try:
            document = pdfium.PdfDocument(data)
        except pdfium.PdfiumError as error:
            if error.err_code not in {pdfium_c.FPDF_ERR_PASSWORD, pdfium_c.FPDF_ERR_SECURITY}:
                raise _damaged(name) from None
            message = f"{name!r} is an encrypted PDF; save a copy without a password and use that."
            raise DocumentError(message) from None
        count = len(document)
    try:
        if not count:
            raise _damaged(name)
        yield document, count
    finally:
        with _LOCK:
            document.close()


@contextmanager
def _page(document: pdfium.PdfDocument, index: int, name: str) -> Iterator[pdfium.PdfPage]:
    try:
        with closing(document[index]) as page:
            yield page
    except pdfium.PdfiumError:
        raise _damaged(name) from None


def _damaged(name: str) -> DocumentError:
    return DocumentError(f"{name!r} is a damaged PDF; open it in a viewer and save it again, or get another copy.")


def _named(value: str) -> str | None:
    value = " ".join("".join(c if c.isprintable() else " " for c in value).split())
    return None if value.lower() in _NO_NAME or _FILE_NAME.search(value) else value


def _read_page(document: pdfium.PdfDocument, index: int, name: str) -> _Page:
    with _LOCK, _page(document, index, name) as page:
        width, height = page.get_size()
        with closing(page.get_textpage()) as textpage:
            lines = lines_of(page, textpage)
    glyphs: list[Glyph] = []
    numbers: list[int] = []
    for number, (line, separator) in enumerate(zip(lines, separators(lines), strict=True)):
        glyphs += [*line.glyphs, *(Glyph(character, None) for character in separator)]
        numbers += [number] * (len(glyphs) - len(numbers))
    text = "".join(glyph.text for glyph in glyphs)
    return _Page(text, tuple(glyphs), tuple(numbers), width, height, _heading(lines))


def _heading(lines: Sequence[Line]) -> str:
    """What is printed largest on a page, where it is larger than the rest; else nothing."""
    lettered = [line for line in lines if any(map(str.isalpha, line.text))]
    sizes = [line.height for line in lettered]
    if not sizes or max(sizes) < OTHER_SIZE * statistics.median(sizes):
        return ""
    largest = [line for line in lettered if line.height > max(sizes) / 1.05]
    return " ".join(" ".join(line.text for line in largest[:3]).split())


def _boxes(page: _Page, start: int, end: int) -> Iterator[TextBox]:
    """One box a line; blanks go with the line before them, or with the first line that follows."""
    text, rect = "", None
    for _, run in groupby(range(start, end), key=page.lines.__getitem__):
        places = list(run)
        rects = [glyph.rect for glyph in page.glyphs[places[0] : places[-1] + 1] if glyph.rect]
        if rects and rect is not None:
            yield _box(page, text, rect)
            text = ""
        text += page.text[places[0] : places[-1] + 1]
        rect = union(rects) if rects else rect
    if text:
        yield _box(page, text, rect or Rect(0, 0, 0, 0))


def _box(page: _Page, text: str, rect: Rect) -> TextBox:
    left, right = (min(max(x / page.width, 0.0), 1.0) for x in (rect.left, rect.right))
    top, bottom = (min(max(y / page.height, 0.0), 1.0) for y in (rect.top, rect.bottom))
    return TextBox(left, top, right - left, bottom - top, text)
