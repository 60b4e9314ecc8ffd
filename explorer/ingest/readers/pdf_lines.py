"""The printed lines of a PDF page: which characters stand on a line, and what stands between two lines.

Lines follow the content stream as pdfium reads it; what it takes for a line of its own though it goes on in the one
before, as after a raised figure, is joined to that. A raised number that leads to a note reads "[1]", as otherwise it
would be a part of the word or the amount before it. Lines of one block are separated by a newline, blocks (heading,
paragraph, table row) by a blank line, cells of a row by a tab. The caller holds the lock on pdfium.
"""

from __future__ import annotations

import re
import statistics
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

_SCALE = 1_000_000  # pdfium converts to whole device pixels: on a page this wide they keep six digits
CELL_GAP = 1.3  # in line heights: a wider gap inside a line separates cells, not words
OUTSIDE = -1  # in the place of a code: a sign that a page does not show
OTHER_SIZE = 1.12  # ratio of the heights of two lines from which they are set in different sizes
_BLOCK_GAP = 1.22  # ratio to the page's usual line pitch from which a gap begins a new block
_WORD_GAP = 0.15  # in line heights: a wider gap separates words
_OVERLAP = 0.4  # of the lower of two lines: what stands beside the other by more than this goes on in it
_BESIDE = 0.5  # in line heights: lines no further apart in height stand beside one another
_CLIMB, _STEPS = 12, 4  # so many lines in turn, each above the one that stands so many before it,
_LONG_STEP = 4  # and none further from the next than so many line heights
_SMALL = 0.85  # of the height of a line: the most that the figures of a note have,
_RAISED = 0.2  # and by how much of it they end above the others, at the least
# a shorter word is a unit, one of capitals or a function is a part of a formula
_BEFORE_NOTE = re.compile(r"^$|(?:[^\W\d_]{2}[a-zß-öø-ÿ](?<!\bcos|\bsin|\btan|\blog)|\D[.,;:!?\"'”’])\s?$")
_IN_FORMULA = re.compile(r"[\w/⁄(]")
_RIGHT_TO_LEFT = frozenset({"R", "AL"})  # bidirectional classes of the letters of Hebrew and Arabic
_STRONG = _RIGHT_TO_LEFT | {"L", "EN", "AN"}
_SAME = 0.01  # points: of one character, which is written either way, rounding leaves less
_WIDEST_PITCH = 2.3  # in line heights: lines further apart are no lines of one paragraph
_BREAKS = frozenset({0x0A, 0x0D})
_HYPHENS = frozenset({0x02, 0xFFFE})  # how pdfium writes a hyphen that ends a line and splits a word


class Rect(NamedTuple):
    """Points on the page as it is seen: origin at the top left, y downward."""

    left: float
    top: float
    right: float
    bottom: float


class Glyph(NamedTuple):
    """One character of the clean text and where it is printed; spaces between words are printed nowhere."""

    text: str
    rect: Rect | None


@dataclass(frozen=True, slots=True)
class Line:
    """One printed line. `rect` is seen with the line held upright; `height` is its letters', in points.

    `hyphen` ends it where that may only split a word; it is none of its glyphs.
    """

    glyphs: tuple[Glyph, ...]
    rect: Rect
    height: float
    turns: int
    bold: bool
    leftward: bool
    hyphen: Glyph | None

    @property
    def text(self) -> str:
        """The words of the line."""
        return "".join(glyph.text for glyph in self.glyphs)


def lines_of(page: pdfium.PdfPage, textpage: pdfium.PdfTextPage, odd: list[int] | None = None) -> list[Line]:
    """The lines of a page that have something printed on them, inside its crop box.

    Into `odd` go the codes that are of no character, and OUTSIDE for each sign outside the crop box.
    """
    lines = [_noted(line) for line in _whole(printed(page, textpage, odd=odd))]
    sideways = bool(lines) and lines[0].turns != 0 and len({line.turns for line in lines}) == 1
    upward = sum(1 if pitch_of(line, below) < 0 else -1 for line, below in pairwise(lines)) > 0
    if sideways and upward:  # pdfium takes the lines of such pages from the end
        return lines[::-1]
    return list(_downward(lines)) if _climbs(lines) else lines


def _climbs(lines: Sequence[Line]) -> bool:
    """Whether a page was printed from below, as some programs print the rows of a table: no text is written so."""
    far = [abs(pitch_of(line, below)) > _LONG_STEP for line, below in pairwise(lines)]
    climbs = (
        not lines[at].turns and not any(far[at : at + _STEPS]) and pitch_of(lines[at], lines[at + _STEPS]) < -_BESIDE
        for at in range(len(lines) - _STEPS)
    )  # over some lines, as the cells of a row may be a line of their own before it
    return any(is_up and len(list(run)) >= _CLIMB for is_up, run in groupby(climbs))


def _downward(lines: Sequence[Line]) -> Iterator[Line]:
    """The lines of a page from its top, those at one height from the left."""
    row: list[Line] = []
    for line in sorted(lines, key=lambda line: line.rect.bottom):
        if row and line.rect.bottom - row[0].rect.bottom > _BESIDE * row[0].height:
            yield from sorted(row, key=lambda line: line.rect.left)
            row = []
        row.append(line)
    yield from sorted(row, key=lambda line: line.rect.left)


def printed(
    page: pdfium.PdfPage,
    textpage: pdfium.PdfTextPage,
    first: int = 0,
    boxes: Sequence[tuple[float, float, float, float]] = (),
    odd: list[int] | None = None,
) -> Iterator[Line]:
    """Yield the lines of a page as pdfium has them, from its `first` character; none goes on from a box to another."""
    width, height = page.get_size()
    to_page = _Transform(page, width, height)
    line: list[tuple[int, Glyph]] = []
    places, inside = [to_page(box) for box in boxes], None
    for index, code in _codes(textpage):
        if code > sys.maxunicode and odd is not None:
            odd.append(code)
        if index < first or code > sys.maxunicode:
            continue
        if code in _HYPHENS or code in _BREAKS:
            hyphen = Glyph("-", to_page(_loose_box(textpage, index))) if code in _HYPHENS else None
            yield from _line(textpage, line, hyphen)
            line = []
            continue
        rect = to_page(_loose_box(textpage, index))
        across, down = (rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2
        if not (-1 < across < width + 1 and -1 < down < height + 1):
            if odd is not None and not chr(code).isspace():
                odd.append(OUTSIDE)
            continue  # outside the crop box: nobody who looks at the page can read it
        within = (one for one in places if one.left <= across <= one.right and one.top <= down <= one.bottom)
        if places and (box := next(within, None)) != inside:
            yield from _line(textpage, line, None)
            line, inside = [], box
        line += [(index, Glyph(character, rect)) for character in _clean(code)]
    yield from _line(textpage, line, None)


def _whole(lines: Iterator[Line]) -> Iterator[Line]:
    """Lines with those that go on in them, right beside and at nearly the same height."""
    line = next(lines, None)
    for after in lines:
        if line is None or not _goes_on(line, after):
            if line is not None:
                yield line
            line = after
            continue
        gap = [Glyph(" ", None)] if after.rect.left - line.rect.right > _WORD_GAP * line.height else []
        line = replace(
            line,
            glyphs=(*line.glyphs, *gap, *after.glyphs),
            rect=union([line.rect, after.rect]),
            height=max(line.height, after.height),
            bold=line.bold and after.bold,
            hyphen=after.hyphen,
        )
    if line is not None:
        yield line


def _noted(line: Line) -> Line:
    """The line with brackets around each number of a note: raised figures after a word, or where the line begins."""
    large = [glyph.rect.bottom for glyph in line.glyphs if glyph.rect and not _is_small(glyph.rect, line)]
    if line.turns or line.leftward or not large:
        return line
    highest = statistics.median(large) - _RAISED * line.height
    glyphs: list[Glyph] = []
    at = 0
    for is_raised, run in groupby(line.glyphs, key=lambda glyph: _is_raised_figure(glyph, line, highest)):
        figures = tuple(run)
        before, after = line.text[:at], line.text[at + len(figures) :]
        at += len(figures)
        if is_raised and _BEFORE_NOTE.search(before) and not (before and _IN_FORMULA.match(after)):
            glyphs = [*glyphs[: len(glyphs) - before.endswith(" ")], *_bracketed(figures)]
            glyphs += [Glyph(" ", None)] if after[:1].isalnum() else []
        else:
            glyphs += figures
    return replace(line, glyphs=tuple(glyphs)) if len(glyphs) > len(line.glyphs) else line


def _is_small(rect: Rect, line: Line) -> bool:
    return rect.bottom - rect.top < _SMALL * line.height


def _is_raised_figure(glyph: Glyph, line: Line, highest: float) -> bool:
    rect = glyph.rect
    return rect is not None and glyph.text.isdecimal() and _is_small(rect, line) and rect.bottom < highest


def _bracketed(figures: Sequence[Glyph]) -> Iterator[Glyph]:
    """Figures in brackets, which stand at their edges and take no room."""
    first, last = figures[0].rect, figures[-1].rect
    if first is not None and last is not None:
        yield Glyph("[", first._replace(right=first.left))
        yield from figures
        yield Glyph("]", last._replace(left=last.right))


def _goes_on(line: Line, after: Line) -> bool:
    height = max(line.height, after.height)
    gap = after.rect.left - line.rect.right
    shared = min(line.rect.bottom, after.rect.bottom) - max(line.rect.top, after.rect.top)
    return (
        line.hyphen is None
        and line.turns == after.turns
        and not (line.leftward or after.leftward)
        and -_WORD_GAP * height < gap < CELL_GAP * height
        and shared > _OVERLAP * min(line.rect.bottom - line.rect.top, after.rect.bottom - after.rect.top)
    )


class _Transform:
    """From PDF user space to points on the page as it is seen; pdfium knows its crop box and rotation."""

    def __init__(self, page: pdfium.PdfPage, width: float, height: float) -> None:
        origin, right, up = (self._device(page, *point) for point in ((0, 0), (1000, 0), (0, 1000)))
        scale = (width / _SCALE, height / _SCALE)
        self._origin = [o * s for o, s in zip(origin, scale, strict=True)]
        self._x = [(a - o) * s / 1000 for a, o, s in zip(right, origin, scale, strict=True)]
        self._y = [(a - o) * s / 1000 for a, o, s in zip(up, origin, scale, strict=True)]

    @staticmethod
    def _device(page: pdfium.PdfPage, x: float, y: float) -> tuple[int, int]:
        out = pdfium_c.c_int(), pdfium_c.c_int()
        pdfium_c.FPDF_PageToDevice(page, 0, 0, _SCALE, _SCALE, 0, x, y, *out)
        return out[0].value, out[1].value

    def __call__(self, box: tuple[float, float, float, float]) -> Rect:
        left, bottom, right, top = box
        (ox, oy), (xx, xy), (yx, yy) = self._origin, self._x, self._y
        x1, y1 = ox + left * xx + bottom * yx, oy + left * xy + bottom * yy
        x2, y2 = ox + right * xx + top * yx, oy + right * xy + top * yy
        return Rect(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))


def _loose_box(textpage: pdfium.PdfTextPage, index: int) -> tuple[float, float, float, float]:
    """The character's advance and its font's ascent and descent: even heights along a line."""
    box = pdfium_c.FS_RECTF()
    pdfium_c.FPDFText_GetLooseCharBox(textpage, index, box)
    if box.top - box.bottom < 0.1 or box.right - box.left < 0.01:
        left, bottom, right, top = textpage.get_charbox(index)
        return left, bottom, right, top
    return box.left, box.bottom, box.right, box.top


def _codes(textpage: pdfium.PdfTextPage) -> Iterator[tuple[int, int]]:
    """Index and code point of each character; outside the basic plane pdfium counts two."""
    high = 0
    for index in range(textpage.count_chars()):
        code = pdfium_c.FPDFText_GetUnicode(textpage, index)
        if 0xD800 <= code < 0xDC00:
            high = code
        elif 0xDC00 <= code < 0xE000:
            if high:
                yield index - 1, 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00)
            high = 0
        else:
            high = 0
            yield index, code


def _clean(code: int) -> str:
    """What a character reads as: ligatures are letters, any blank is a space, controls are nothing."""
    character = chr(code)
    if 0xFB00 <= code <= 0xFB06:
        return unicodedata.normalize("NFKC", character)
    if character.isspace():
        return " "
    if code == 0xF0B7:  # the bullet of the Symbol font, in the private area
        return "•"
    return "" if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Cn"} else character


def _line(textpage: pdfium.PdfTextPage, found: Sequence[tuple[int, Glyph]], hyphen: Glyph | None) -> Iterator[Line]:
    rects = [glyph.rect for _, glyph in found if glyph.text != " " and glyph.rect]
    if not rects:
        return
    leftward = _is_leftward([glyph for _, glyph in found])
    turns = _turns(rects[0], rects[-1])
    if leftward:  # the letters run to the left, but the cells of a row may be in any order
        turns = _turns(rects[-1], rects[0]) if turns in {1, 3} else 0
    rect = _turned(union(rects), turns)
    height = statistics.median(turned.bottom - turned.top for turned in (_turned(r, turns) for r in rects))
    printed = [index for index, glyph in found if glyph.text != " "]
    bold = all(_is_bold(textpage, index) for index in (printed[0], printed[-1]))
    glyphs = [glyph for _, glyph in found]
    spaced = tuple(_spaced(_in_order(glyphs) if leftward else glyphs, height, turns, leftward=leftward))
    yield Line(spaced, rect, height or 1.0, turns, bold, leftward, hyphen)


def _is_leftward(glyphs: Sequence[Glyph]) -> bool:
    """Whether a line is written from right to left, as most of its letters are."""
    letters = [glyph.text for glyph in glyphs if glyph.text.isalpha()]
    return sum(unicodedata.bidirectional(letter[0]) in _RIGHT_TO_LEFT for letter in letters) > len(letters) / 2


def _in_order(glyphs: Sequence[Glyph]) -> Iterator[Glyph]:
    """The characters of each ligature in their order: pdfium turns them round with the line."""
    for rect, run in groupby(glyphs, key=lambda glyph: glyph.rect):
        ligature = list(run)
        yield from ligature if rect is None else reversed(ligature)


def _turns(first: Rect, last: Rect) -> int:
    """Which way a line is written: 0 to the right, 1 downward, 2 to the left, 3 upward."""
    across = (last.left + last.right - first.left - first.right) / 2
    down = (last.top + last.bottom - first.top - first.bottom) / 2
    if abs(down) > abs(across):
        return 1 if down > 0 else 3
    return 2 if across < -_SAME else 0


def _turned(rect: Rect, turns: int) -> Rect:
    """The rectangle as one sees it with the line held upright."""
    for _ in range(turns):
        rect = Rect(rect.top, -rect.right, rect.bottom, -rect.left)
    return rect


def _is_bold(textpage: pdfium.PdfTextPage, index: int) -> bool:
    size = pdfium_c.FPDFText_GetFontInfo(textpage, index, None, 0, None)
    name = pdfium_c.create_string_buffer(size)
    pdfium_c.FPDFText_GetFontInfo(textpage, index, name, size, None)
    return any(word in name.value.lower() for word in (b"bold", b"black", b"heavy"))


def _spaced(glyphs: Iterable[Glyph], height: float, turns: int, *, leftward: bool) -> Iterator[Glyph]:
    """The glyphs of a line with one blank between words and a tab between cells."""
    before: Rect | None = None
    for is_leftward, run in groupby(_upright(glyphs, turns), key=lambda one: one.leftward):
        printed = list(run)
        whole = union([one.rect for one in printed])
        if before is not None:  # pdfium is not sure on which side of such words the blank is
            gap = before.left - whole.right if leftward else whole.left - before.right
            yield from _between(gap, height, blank=gap > _WORD_GAP * height)
        for last, one in pairwise([None, *printed]):
            if last is not None and one is not None:
                gap = last.rect.left - one.rect.right if is_leftward else one.rect.left - last.rect.right
                yield from _between(gap, height, blank=one.after_blank)
            if one is not None:
                yield one.glyph
        before = whole


def _between(gap: float, height: float, *, blank: bool) -> Iterator[Glyph]:
    if gap > CELL_GAP * height:
        yield Glyph("\t", None)
    elif blank:
        yield Glyph(" ", None)


class _Upright(NamedTuple):
    """A character as seen with its line held upright, and which way it is written."""

    glyph: Glyph
    rect: Rect
    after_blank: bool
    leftward: bool


def _upright(glyphs: Iterable[Glyph], turns: int) -> Iterator[_Upright]:
    blank = leftward = False
    for glyph in glyphs:
        if glyph.text == " " or glyph.rect is None:
            blank = True
            continue
        direction = unicodedata.bidirectional(glyph.text[0])
        if direction in _STRONG:  # what has none of its own goes on as the letters before it
            leftward = direction in _RIGHT_TO_LEFT
        yield _Upright(glyph, _turned(glyph.rect, turns), blank, leftward)
        blank = False


def separators(lines: Sequence[Line]) -> Iterator[str]:
    """What stands between each line and the next; nothing after the last."""
    # the distance from line to line of running text, in line heights
    pitches = Counter(round(pitch_of(a, b), 1) for a, b in pairwise(lines) if not _other_size(a, b))
    usual = [(count, -pitch) for pitch, count in pitches.items() if 0.5 < pitch < _WIDEST_PITCH]
    pitch = -max(usual)[1] if usual else 1.2
    for line, below in pairwise(lines):
        if line.hyphen:
            yield ""
        else:
            yield "\n\n" if _is_new_block(line, below, pitch) else "\n"
    if lines:
        yield ""


def pitch_of(line: Line, below: Line) -> float:
    """How far a line stands below another, in heights of the higher one."""
    return (below.rect.bottom - line.rect.bottom) / max(line.height, below.height)


def _other_size(line: Line, below: Line) -> bool:
    return max(line.height, below.height) > OTHER_SIZE * min(line.height, below.height)


def _is_new_block(line: Line, below: Line, usual: float) -> bool:
    if (
        line.turns != below.turns
        or _other_size(line, below)
        or line.bold != below.bold
        or "\t" in line.text
        or "\t" in below.text
    ):
        return True
    pitch = pitch_of(line, below)
    if pitch < -1:  # up to the next column or cell: the paragraph goes on if its sentence does
        return line.text[-1] in ".!?:;" or not below.text[0].islower()
    apart = below.rect.left > line.rect.right or below.rect.right < line.rect.left
    return pitch > _BLOCK_GAP * usual or (apart and pitch < 0.5)  # text beside text: the cells of one table row


def union(rects: Sequence[Rect]) -> Rect:
    """The smallest rectangle around some."""
    left, top, right, bottom = zip(*rects, strict=True)
    return Rect(min(left), min(top), max(right), max(bottom))
