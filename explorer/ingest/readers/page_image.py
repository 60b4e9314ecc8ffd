"""A page of a PDF as a picture, with boxes around the words of spans of its clean text."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from PIL import Image

from explorer.errors import DocumentError
from explorer.ingest.readers.pdf import CleanPage, loaded_page, opened, read_page
from explorer.ingest.readers.pdf_lines import Rect, union
from explorer.ingest.readers.reader_process import PICTURES
from explorer.ingest.readers.unlocking import LOCK

_HIGHEST_PICTURE = 4  # in widths: keeps the picture of a page that is a mile high small
_COARSE = 4  # pixels a side of those that ink is looked for in
_IS_INK = [255 * (shade < 250) for shade in range(256)]
_QUICK = 1  # of 9: what a higher level saves in size takes several times as long, and the page is waited for


@dataclass(frozen=True, slots=True)
class TextBox:
    """A piece of one line: fractions 0..1 of the page with y downward, and its text."""

    x: float
    y: float
    w: float
    h: float
    text: str


class Area(NamedTuple):
    """A part of the page: fractions 0..1 of it with y downward."""

    x: float
    y: float
    w: float
    h: float


@dataclass(frozen=True, slots=True)
class PageImage:
    """A page as PNG, `width` by `height` pixels, with the boxes of each span that was asked for.

    `ink` is what is printed on it, without its margins; the whole page where it is empty.
    """

    png: bytes
    width: int
    height: int
    boxes: tuple[tuple[TextBox, ...], ...]
    ink: Area


def page_image(
    data: bytes, page: int, spans: Sequence[tuple[int, int]], width: int = 1000, text: str | None = None
) -> PageImage:
    """A picture of one page (counted from 1) with the boxes of spans of that page's clean text; none where `text`, as
    it was stored, is another one.

    It is drawn in a process of its own. Raises DocumentError for a page that isn't there, and for one that can't be
    drawn, or not in time.
    """
    return PICTURES.call("document", None, _drawn, data, page, list(spans), width, text)


def prepare() -> None:
    """Start the process that draws: this takes longer than to draw a page, and the first need not wait for it."""
    PICTURES.call("document", None, Image.preinit)


def _drawn(data: bytes, page: int, spans: list[tuple[int, int]], width: int, text: str | None) -> PageImage:
    name = "document"
    with opened(data, name) as (document, count):
        if not 1 <= page <= count:
            raise DocumentError(f"The document has no page {page}; ask for one from 1 to {count}.")
        clean = read_page(document, page - 1, name)
        scale = min(width / clean.width, width * _HIGHEST_PICTURE / clean.height)
        with LOCK, loaded_page(document, page - 1, name) as shown:
            picture = shown.render(scale=scale).to_pil().convert("RGB")
    red, green, blue = picture.split()
    is_grey = red.tobytes() == green.tobytes() == blue.tobytes()  # as most pages are: a third of the work and size
    png = io.BytesIO()
    (red if is_grey else picture).save(png, "PNG", compress_level=_QUICK)
    is_same, length = text in {None, clean.text}, len(clean.text)
    boxes = tuple(tuple(_boxes(clean, *slice(*span).indices(length)[:2])) if is_same else () for span in spans)
    return PageImage(png.getvalue(), picture.width, picture.height, boxes, _ink(picture if not is_grey else red))


def _ink(picture: Image.Image) -> Area:
    few = picture.convert("L").reduce(_COARSE)
    left, top, right, bottom = few.point(_IS_INK).getbbox() or (0, 0, few.width, few.height)
    return Area(left / few.width, top / few.height, (right - left) / few.width, (bottom - top) / few.height)


def _boxes(page: CleanPage, start: int, end: int) -> Iterator[TextBox]:
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


def _box(page: CleanPage, text: str, rect: Rect) -> TextBox:
    left, right = (min(max(x / page.width, 0.0), 1.0) for x in (rect.left, rect.right))
    top, bottom = (min(max(y / page.height, 0.0), 1.0) for y in (rect.top, rect.bottom))
    return TextBox(left, top, right - left, bottom - top, text)
