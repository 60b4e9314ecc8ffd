"""What is written onto a page of PDF: what a form was filled with, notes of free text, stamps.

pdfium draws them into the page, and their words then come last. They are put where they stand: behind the words that
stand before them on their line, or below what stands above them.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium_c

from explorer.ingest.readers.pdf_lines import Glyph, Line, Rect, lines_of, printed, union

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pypdfium2 as pdfium

_DRAWN = frozenset({pdfium_c.FPDF_ANNOT_WIDGET, pdfium_c.FPDF_ANNOT_FREETEXT, pdfium_c.FPDF_ANNOT_STAMP})
_LINK, _POPUP = pdfium_c.FPDF_ANNOT_LINK, pdfium_c.FPDF_ANNOT_POPUP
_LEAST = 0.5  # of the lower of two lines: the share of its height by which they stand on one line
_CLOSE = 2  # in line heights: a mark no further before words belongs to them


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
