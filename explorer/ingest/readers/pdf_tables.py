"""Tables of a PDF page that nothing rules: rows read as rows, with a tab between their cells; and texts in columns.

A table is told by its columns: words that stand below one another with a clear strip between them, row after row. What
a cell has on several lines is put together. Rows stay in the order in which the page has them: text in columns, which
stands there one column after the other, is not moved; where lines are drawn across the columns it is read one column
after the other.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from explorer.ingest.readers.pdf_lines import CELL_GAP, OTHER_SIZE, Glyph, Line, Rect, pitch_of, union
from explorer.language.hyphens import splits_word

_STRIP = 0.6  # in line heights: a narrower gap stands between words, not between columns
_APART = 2.5  # in line heights: rows further from each other are of different tables
_TALLEST = 12  # in line heights: a line that stands further above the last one begins the next column of a text
_LEAST_ROWS = 3
_MOST_LINES = 500  # of a column of a page: nobody reads more
_MOST_WORDS = 8  # of a cell, by the mean: with more of them it is text in columns
_LONGEST_CELL = 60  # words
_PADDING = 0.3  # in line heights: more stands between rows, less between the lines of a cell
_SAME = 0.25  # in line heights: edges of words that stand below one another differ by less
_MOSTLY = 0.6  # of its rows a column of a text fills more
_FEWEST_WORDS = 3  # of a line of a text, by the mean
_SENTENCES = re.compile(r"[.!?][\"'”’)]*\s+[^\W\d_a-zß-ÿ]")  # two of them, one behind the other
_HYPHENS = frozenset("-\u00ad\u2010")
_FIGURE = re.compile(r"[^\w\s]{0,2}\d[\d.,:/ %()–-]*\w{0,3}")
_MARK = re.compile(r"[-*+•‣◦–—]|\(?(?:\d{1,3}|[A-Za-z]|[ivx]+)[.)]|\[\d{1,3}\]")
_LEADER = re.compile(r"(?:\. ?){4,}$")  # to the number of a page


class _Piece(NamedTuple):
    """Words of a line that stand together, and the line itself, whose last piece they may be."""

    glyphs: tuple[Glyph, ...]
    rect: Rect
    hyphen: Glyph | None

    @property
    def text(self) -> str:
        return "".join(glyph.text for glyph in self.glyphs)


class _Extent(NamedTuple):
    left: float
    right: float


class _Row:
    """Lines of a page that stand beside one another, in part at least."""

    def __init__(self, line: Line) -> None:
        self.lines = [line]
        self.pieces = list(_pieces(line))
        self.height = line.height
        self._measure()

    def _measure(self) -> None:
        self.rect = union([piece.rect for piece in self.pieces])
        self.columns = _columns([_Extent(one.rect.left, one.rect.right) for one in self.pieces], self.height)

    @classmethod
    def of(cls, row: _Row) -> _Row:
        """Return a row of the same lines."""
        made = cls(row.lines[0])
        for line in row.lines[1:]:
            made.add(cls(line))
        return made

    def add(self, other: _Row) -> None:
        """Take in a row that comes next on the page."""
        self.lines += other.lines
        self.pieces += other.pieces
        self.height = max(self.height, other.height)
        self._measure()

    def cells(self, columns: Sequence[_Extent]) -> list[list[_Piece]]:
        """Return what stands in each column, line by line from the top."""
        found: list[list[_Piece]] = [[] for _ in columns]
        for piece in self.pieces:
            found[_place(piece.rect, columns)].append(piece)
        return [list(_lined(cell, self.height)) for cell in found]

    def texts(self, columns: Sequence[_Extent]) -> list[str]:
        """Return the words of each column."""
        return [" ".join(piece.text for piece in cell) for cell in self.cells(columns)]


def tabled(lines: Sequence[Line]) -> list[Line]:
    """Return the lines of a page with the rows of each table as one line each."""
    found: list[Line] = []
    for stretch in _stretches(lines):
        if _is_other(stretch[0]) or len(stretch) > _MOST_LINES:
            found += stretch
            continue
        rows, at = _rows(stretch), 0
        while at < len(rows):
            end, columns = _table(rows, at)
            beside = max((row + 1 for row in range(at, end) if len(rows[row].columns) > 1), default=at)
            if _is_prose(rows[at:beside], columns):
                end = _end_of_prose(rows, beside, columns)
                found += _column_by_column(rows[at:end], columns)
                at = end
                continue
            joined = _joined(rows[at:end], columns) if end >= at + _LEAST_ROWS else []
            if _is_table(joined, columns):
                found += _written(joined, columns)
            else:
                end = at + 1
                found += rows[at].lines
            at = end
    return found


def _lined(pieces: Iterable[_Piece], height: float) -> Iterator[_Piece]:
    line: list[_Piece] = []
    for piece in sorted(pieces, key=lambda piece: piece.rect.bottom):
        if line and piece.rect.bottom - line[0].rect.bottom > height / 2:
            yield from sorted(line, key=lambda piece: piece.rect.left)
            line = []
        line.append(piece)
    yield from sorted(line, key=lambda piece: piece.rect.left)


def _stretches(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Divide a page where a line is turned, runs to the left, or begins the next column of a text."""
    stretch: list[Line] = []
    for line in lines:
        if stretch and (_is_other(line) or _is_other(stretch[-1]) or pitch_of(line, stretch[-1]) > _TALLEST):
            yield stretch
            stretch = []
        stretch.append(line)
    if stretch:
        yield stretch


def _is_other(line: Line) -> bool:
    return line.turns != 0 or line.leftward


def _rows(lines: Sequence[Line]) -> list[_Row]:
    """Put lines together that a later one stands beside, with all between them."""
    rows: list[_Row] = []
    for line in lines:
        row = _Row(line)
        while rows and row.rect.top < rows[-1].rect.bottom - row.height / 2:
            rows[-1].add(row)
            row = rows.pop()
        rows.append(row)
    return rows


def _pieces(line: Line) -> Iterator[_Piece]:
    run: list[Glyph] = []
    last: Rect | None = None
    for glyph in line.glyphs:
        if glyph.rect is None:
            run.append(glyph)
            continue
        if last is not None and (run[-1].text == "\t" or glyph.rect.left - last.right > _STRIP * line.height):
            yield _piece(run, None)
            run = []
        run.append(glyph)
        last = glyph.rect
    yield _piece(run, line.hyphen)


def _piece(run: Sequence[Glyph], hyphen: Glyph | None) -> _Piece:
    first, end = 0, len(run)
    while run[first].rect is None:
        first += 1
    while run[end - 1].rect is None:
        end -= 1
    glyphs = tuple(run[first:end])
    return _Piece(glyphs, union([glyph.rect for glyph in glyphs if glyph.rect]), hyphen)


def _columns(extents: Iterable[_Extent], height: float) -> list[_Extent]:
    """Return the columns that some words stand in: what has a clear strip on both sides."""
    found: list[_Extent] = []
    for one in sorted(extents):
        if found and one.left - found[-1].right <= _STRIP * height:
            found[-1] = _Extent(found[-1].left, max(found[-1].right, one.right))
        else:
            found.append(one)
    return found


def _place(words: Rect | _Extent, columns: Sequence[_Extent]) -> int:
    middle = (words.left + words.right) / 2
    return min(range(len(columns)), key=lambda at: abs((columns[at].left + columns[at].right) / 2 - middle)
               if not columns[at].left <= middle <= columns[at].right else -1)  # fmt: skip


def _table(rows: Sequence[_Row], start: int) -> tuple[int, list[_Extent]]:
    """Return where the table ends that may begin with a row, and its columns; where none does, it ends at its start."""
    columns = rows[start].columns
    if len(columns) < 2:
        return start, []
    end = start + 1
    for row in rows[start + 1 :]:
        wider = _columns([*columns, *row.columns], row.height)
        is_beside = all(len({_place(one, wider) for one in of}) == len(of) for of in (columns, row.columns))
        if not is_beside or not _is_near(rows[end - 1], row):
            break
        columns, end = wider, end + 1
    while len(rows[end - 1].columns) < 2 and not _goes_on(rows[end - 1], columns):
        end -= 1
    return end, _used(rows[start:end])


def _used(rows: Sequence[_Row]) -> list[_Extent]:
    """Return the columns of some rows; two beside each other are one where no row has something in both.

    So are those with a narrow strip between them and the same words before it in every row: "struct a", "struct b".
    """
    columns = _columns([one for row in rows for one in row.columns], rows[0].height)
    texts = [row.texts(columns) for row in rows]
    found, last = columns[:1], [row[0] for row in texts]
    for number, column in enumerate(columns[1:], 1):
        own = [row[number] for row in texts]
        is_same = column.left - found[-1].right < CELL_GAP * rows[0].height and len({*filter(None, last)}) == 1
        if is_same or not any(one and other for one, other in zip(last, own, strict=True)):
            found[-1] = _Extent(found[-1].left, column.right)
            last = [f"{one} {other}".strip() for one, other in zip(last, own, strict=True)]
        else:
            found.append(column)
            last = own
    return found


def _is_near(row: _Row, after: _Row) -> bool:
    small, large = sorted([row.height, after.height])
    return after.rect.top - row.rect.bottom < _APART * small and large < OTHER_SIZE * small


def _is_table(rows: Sequence[_Row], columns: Sequence[_Extent]) -> bool:
    texts = [row.texts(columns) for row in rows]
    full = [row for row in texts if sum(map(bool, row)) > 1]
    words = [len(cell.split()) for row in full for cell in row if cell]
    if len(full) < _LEAST_ROWS or statistics.mean(words) > _MOST_WORDS or max(words) > _LONGEST_CELL:
        return False
    if all(_MARK.fullmatch(row[0]) or _LEADER.search(row[0]) for row in full if row[0]):
        return False
    is_wide = len(columns) > 2 or all(any("\t" in line.text for line in row.lines) for row in rows)
    figures = [_FIGURE.fullmatch(row[1]) is not None for row in full if row[1]]
    return is_wide or 2 * sum(figures) > len(figures)


def _is_prose(rows: Sequence[_Row], columns: Sequence[_Extent]) -> bool:
    """Whether rows are the lines of a text in columns, drawn across all of them: in each column sentences go on from
    line to line, and end within lines.
    """
    if len(rows) < _LEAST_ROWS or len(columns) < 2:
        return False
    texts = [row.texts(columns) for row in rows]
    for at in range(len(columns)):
        cells = [row[at] for row in texts if row[at]]
        goes_on = sum(below[0].islower() and cell[-1] not in ".!?:;" for cell, below in pairwise(cells))
        words = sum(len(cell.split()) for cell in cells)
        if not (
            len(cells) >= _MOSTLY * len(rows)
            and words >= _FEWEST_WORDS * len(cells)
            and goes_on * _LEAST_ROWS >= len(cells) - 1
            and _SENTENCES.search(" ".join(cells))
        ):
            return False
    return True


def _end_of_prose(rows: Sequence[_Row], end: int, columns: Sequence[_Extent]) -> int:
    """Return where a text in columns ends, with the last lines of the longest of them."""
    while end < len(rows) and _is_near(rows[end - 1], rows[end]):
        own = rows[end].columns
        if len(own) > 1 or not any(of.left - 1 <= own[0].left and own[0].right <= of.right + 1 for of in columns):
            break
        end += 1
    return end


def _column_by_column(rows: Sequence[_Row], columns: Sequence[_Extent]) -> Iterator[Line]:
    """The lines of each column from its top; a hyphen may end one in the middle of a row too."""
    cells = [row.cells(columns) for row in rows]
    for at in range(len(columns)):
        lines = [(row, cell[at]) for row, cell in zip(rows, cells, strict=True) if cell[at]]
        for (row, pieces), (_, below) in zip(lines, [*lines[1:], (None, [])], strict=True):
            glyphs: list[Glyph] = []
            for piece in pieces:
                glyphs += [*([Glyph(" ", None)] if glyphs else []), *piece.glyphs]
            hyphen = pieces[-1].hyphen
            splits = bool(below) and below[0].text[0].islower()
            if hyphen is None and splits and len(glyphs) > 1 and glyphs[-1].text in _HYPHENS:
                hyphen = glyphs.pop()
            rect = union([piece.rect for piece in pieces])
            yield replace(row.lines[0], glyphs=tuple(glyphs), rect=rect, hyphen=hyphen)


def _goes_on(row: _Row, columns: Sequence[_Extent]) -> bool:
    """Whether a row has the rest of cells above it: nothing in the first column, no figure, and half of it empty."""
    texts = row.texts(columns)
    filled = [text for text in texts if text]
    return not texts[0] and 2 * len(filled) <= len(columns) and not any(map(_FIGURE.fullmatch, filled))


def _written(rows: Sequence[_Row], columns: Sequence[_Extent]) -> Iterator[Line]:
    for row in rows:
        cells = row.cells(columns)
        if sum(map(bool, cells)) < 2 and len(row.lines) == 1:
            yield row.lines[0]
            continue
        glyphs: list[Glyph] = []
        for cell in cells:
            glyphs += [Glyph("\t", None)] if glyphs else []
            glyphs += _cell(cell)
        while glyphs[-1].rect is None:
            glyphs.pop()
        bold = all(line.bold for line in row.lines)
        yield replace(row.lines[0], glyphs=tuple(glyphs), rect=row.rect, height=row.height, bold=bold, hyphen=None)


def _cell(pieces: Sequence[_Piece]) -> Iterator[Glyph]:
    for piece, below in pairwise([*pieces, None]):
        if piece is None:
            continue
        yield from piece.glyphs
        if below is None:
            if piece.hyphen:
                yield piece.hyphen
        elif piece.hyphen is None:
            yield Glyph(" ", None)
        elif not splits_word(piece.text, below.text, ""):
            yield piece.hyphen


def _joined(rows: Sequence[_Row], columns: Sequence[_Extent]) -> list[_Row]:
    """Return rows with those that go on in them: closer together than rows are, or with nothing in the first column."""
    rows = [_Row.of(row) for row in rows]
    gaps = [(below.rect.top - row.rect.bottom) / row.height for row, below in pairwise(rows)]
    usual = statistics.median(gaps)
    heads = _number_of_heads(rows, columns)
    found = [rows[0]]
    for at, row in enumerate(rows[1:], 1):
        is_close = usual > _PADDING and gaps[at - 1] < usual / 2 and _is_below(found[-1], row, columns)
        of_heads = at < heads and (not row.cells(columns)[0] or not found[0].cells(columns)[0])
        if is_close or of_heads or (at >= heads and _goes_on(row, columns)):
            found[-1].add(row)
        else:
            found.append(row)
    return found


def _is_below(row: _Row, after: _Row, columns: Sequence[_Extent]) -> bool:
    """Whether a row has the rest of cells above it: in line with them, where they had no more room, and not in each."""
    places = list(zip(row.cells(columns), after.cells(columns), columns, strict=True))
    if all(cell and below for cell, below, _ in places):
        return False
    for cell, below, column in places:
        if not cell or not below:
            continue
        word = below[0].glyphs[: below[0].text.find(" ") if " " in below[0].text else None]
        width = sum(glyph.rect.right - glyph.rect.left for glyph in word if glyph.rect)
        if cell[-1].rect.right - cell[-1].rect.left + width < column.right - column.left:
            return False
        one, other = union([piece.rect for piece in cell]), union([piece.rect for piece in below])
        sides = one.left - other.left, one.right - other.right, (one.left + one.right - other.left - other.right) / 2
        if min(map(abs, sides)) > _SAME * row.height:
            return False
    return True


def _number_of_heads(rows: Sequence[_Row], columns: Sequence[_Extent]) -> int:
    """Return how many rows stand above the first with a figure; none where no row has one."""
    for at, row in enumerate(rows):
        if any(map(_FIGURE.fullmatch, row.texts(columns))):
            return at
    return 0
