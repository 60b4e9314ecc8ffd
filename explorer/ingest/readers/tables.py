"""Rows of cells as text: pieces of a table that a passage holds whole, each below the heads of its columns.

A row is written as Markdown has it, which answers quote with those heads ("Product: Bolt; Price: 3.50") and from which
facts are read off. The heads are written again above each piece, for a passage far down in a sheet says nothing without
them. A table wider than a passage is divided into blocks of columns, each beginning with the first.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from explorer.errors import DocumentError
from explorer.ingest.readers.document_text import DocumentPart, Reading, named, title_from
from explorer.language.tables import NUMBER, YEAR, are_heads, joined, joined_heads
from explorer.text import count

MOST_CELLS = 2_000_000
"""Cells of a file, those included that are empty and stand before one that is not."""

MOST_TEXT = 100_000_000
"""Code points that a file of rows is written in."""

PIECE = 950
"""Code points: a passage of 1,000 holds it whole."""

_BLOCK = 0.6  # of these, for the heads of a block of columns with a usual row below them
_FEWEST, _HEADS = 2, 2  # rows of a table beside another with its head, and of heads
_LOOKED_AT = 12  # rows from the top among which the heads are looked for
_SHORTEST_HEAD = 3  # letters, where it tells tables apart

Row = Sequence[str]


class Sheet(NamedTuple):
    """A sheet of a file; `name` is empty where there is only one, without a name. Rows are counted from `first`: from 0
    where the heads are no row of the file.
    """

    name: str
    rows: Iterable[Row]
    first: int = 1


class _Numbered(NamedTuple):
    number: int
    cells: list[str]


@dataclass(slots=True)
class _Text:
    """The text that is written, and its parts."""

    name: str
    pieces: list[str] = field(default_factory=list)
    parts: list[DocumentPart] = field(default_factory=list)
    length: int = 0

    def add(self, label: str, lines: Sequence[str]) -> None:
        """Write a section."""
        if self.length:
            self.pieces.append("\n\n")
            self.length += 2
        text = "\n".join(lines)
        self.parts.append(DocumentPart("section", len(self.parts) + 1, label, self.length, self.length + len(text)))
        self.pieces.append(text)
        self.length += len(text)
        if self.length > MOST_TEXT:
            raise too_large(self.name)


def reading_of(sheets: Iterable[Sheet], mime: str, name: str, title: str | None = None) -> Reading:
    """Return the sheets of a file as text; raises DocumentError where they hold nothing, or too much."""
    text, cells, above = _Text(name), 0, ""
    for sheet in sheets:
        rows: list[_Numbered] = []
        for number, row in enumerate(sheet.rows, sheet.first):
            cells += len(row)
            if cells > MOST_CELLS:
                raise too_large(name)
            line = [" ".join(cell.split()) for cell in row]
            if any(line):
                rows.append(_Numbered(number, line))
        for place, table in enumerate(_tables(rows)):
            title_above = _write(text, sheet.name, table, is_first=place == 0)
            above = above or title_above
    if not text.length:
        raise DocumentError(f"{name!r} has no row with anything in it; fill some cells in and try again.")
    return Reading(title or named(above) or title_from(name), mime, "".join(text.pieces), tuple(text.parts))


def too_large(name: str) -> DocumentError:
    """Return the error for a file of rows that is larger than what is read."""
    most = f"{MOST_CELLS:,} cells or {MOST_TEXT:,} characters"
    return DocumentError(f"{name!r} has more than {most} in its rows; divide it into several files.")


def _tables(rows: Sequence[_Numbered]) -> Iterator[list[_Numbered]]:
    """Divide a sheet into its tables: a new one begins below an empty row, with heads of its own, or beside another."""
    if (at := _beside(rows)) is not None:
        for part in (slice(at), slice(at + 1, None)):
            own = (_Numbered(row.number, row.cells[part]) for row in rows)
            yield from _tables([row for row in own if any(row.cells)])
        return
    start = 0
    for at in range(1, len(rows)):
        if rows[at].number - rows[at - 1].number > 1 and _begins(
            rows[start:at][-_LOOKED_AT:], rows[at : at + _LOOKED_AT]
        ):
            yield list(rows[start:at])
            start = at
    if rows:
        yield list(rows[start:])


def _beside(rows: Sequence[_Numbered]) -> int | None:
    """Return the empty column between two tables side by side, which both begin with names, and share a head."""
    width = max((len(row.cells) for row in rows), default=0)
    for at in range(2, width - 2):
        if any(any(row.cells[at : at + 1]) for row in rows):
            continue
        sides = [[own for row in rows if any(own := row.cells[part])] for part in (slice(at), slice(at + 1, None))]
        if any(len(side) < _FEWEST or not are_heads([row[0] for row in side]) for side in sides):
            continue
        heads = [{cell for row in side[:_HEADS] for cell in row if cell and not NUMBER.fullmatch(cell)}
                 for side in sides]  # fmt: skip
        if heads[0] & heads[1]:
            return at
    return None


def _begins(above: Sequence[_Numbered], rows: Sequence[_Numbered]) -> bool:
    """Whether a table begins with some rows: titles, then names where there were figures, above a row with a figure."""
    figures = [at for at in range(max(len(row.cells) for row in above)) if _has_figures(above, at)]
    for row, below in pairwise(rows):
        if not are_heads(row.cells):
            return False
        named = [at for at, cell in enumerate(row.cells) if sum(map(str.isalpha, cell)) >= _SHORTEST_HEAD]
        if any(map(NUMBER.fullmatch, below.cells)):
            return len(named) > 1 and not {*named}.isdisjoint(figures)
    return False


def _has_figures(rows: Sequence[_Numbered], at: int) -> bool:
    cells = [row.cells[at] for row in rows if at < len(row.cells) and row.cells[at]]
    return 2 * sum(NUMBER.fullmatch(cell) is not None for cell in cells) > len(cells)


def _notes(rows: list[_Numbered], first: int) -> list[_Numbered]:
    """Take from the rows of a table those at its end that are notes below it: a single cell, the first, with a colon or
    the end of a sentence in it.
    """
    at = len(rows)
    while at > first + _FEWEST and any(rows[first].cells[1:]):
        words, *others = rows[at - 1].cells
        if any(others) or not (": " in words or words.endswith((".", ":"))):
            break
        at -= 1
    taken, rows[at:] = rows[at:], []
    return taken


def _write(text: _Text, sheet: str, rows: list[_Numbered], *, is_first: bool) -> str:
    """Write a table of a sheet, the first with the name of that, and return the title that stands above its heads."""
    first = _place_of_heads(rows)
    notes = _notes(rows, first)
    if first and _over(rows, first - 1):
        first -= 1
    heads, below = _heads(rows, first)
    if told_apart := _told_apart(rows, first, heads):
        first, heads = first - 1, told_apart
    titles = ["; ".join(dict.fromkeys(filter(None, row.cells))) for row in rows[:first]]
    width = max(len(row.cells) for row in rows[first:])
    padded = [_Numbered(row.number, row.cells + [""] * (width - len(row.cells))) for row in rows[below:]]
    heads += [""] * (width - len(heads))
    if any(heads):  # no column but the first, which says what a row is, goes without one
        heads = [head or (f"Column {letters(at)}" if at and any(row.cells[at] for row in padded) else "")
                 for at, head in enumerate(heads)]  # fmt: skip
    used = [at for at in range(width) if heads[at] or any(row.cells[at] for row in padded)]
    opening = [f"# {sheet}", ""] if sheet and is_first else []
    opening += [line for title in titles for line in (title, "")]
    if not padded:  # heads alone, or a few words
        text.add(sheet or text.name, [*opening, _line(heads, used)])
        return titles[0] if titles else ""
    for block in _blocks(heads, padded, used):
        above = [_line(heads, block), f"|{' --- |' * len(block)}"]
        room = PIECE - sum(len(line) + 1 for line in above)
        own = block if block[-1:] == used[len(block) - 1 : len(block)] else block[1:]  # but in the first, without it
        lines = ((row.number, _line(row.cells, block)) for row in padded if any(row.cells[at] for at in own))
        for piece in pieces(lines, room - sum(len(line) + 1 for line in opening), room):
            label = f"rows {piece[0][0]:,}–{piece[-1][0]:,}" if len(piece) > 1 else f"row {piece[0][0]:,}"
            if len(block) < len(used):
                label += f", {heads[block[1]] or letters(block[1])} to {heads[block[-1]] or letters(block[-1])}"
            label = f"{sheet}, {label}" if sheet else label[0].upper() + label[1:]
            text.add(label, [*opening, *above, *(line for _, line in piece)])
            opening = []
    for note in notes:
        label = f"row {note.number:,}"
        text.add(f"{sheet}, {label}" if sheet else label.capitalize(), [note.cells[0]])
    return titles[0] if titles else ""


def _place_of_heads(rows: Sequence[_Numbered]) -> int:
    """Return where the heads stand: in the first row as wide as those below it, or the first one."""
    widths = [sum(map(bool, row.cells)) for row in rows[: 4 * _LOOKED_AT]]
    usual = statistics.median_low(widths[1:] or widths)
    for place, row in enumerate(rows[:_LOOKED_AT]):
        different = len(dict.fromkeys(filter(None, row.cells)))
        if (widths[place] > usual / 2 and (different > 1 or max(widths) == 1)) or 2 * widths[place] == usual > 2:
            return place
    return 0


def _heads(rows: Sequence[_Numbered], first: int) -> tuple[list[str], int]:
    """Return the heads of the columns, and where the rows below them begin; letters where the first row is none.

    Where a head stands over several columns, those in the row below it tell these apart.
    """
    if over := _over(rows, first):
        return over, first + 2
    row, after = rows[first].cells, rows[first + 1].cells if first + 1 < len(rows) else []
    are_years = any(YEAR.fullmatch(one) and YEAR.fullmatch(other) for one, other in zip(row, after, strict=False))
    is_over = any(one and one == other for one, other in pairwise(row))
    if is_over and are_heads(after) and all(not cell or YEAR.fullmatch(cell) for cell in row):
        return joined(row, after), first + 2
    if not are_heads(row) or are_years:
        return [f"Column {letters(at)}" for at in range(max(len(row.cells) for row in rows[first:]))], first
    if is_over and first + 2 < len(rows) and are_heads(after):
        return joined(row, after), first + 2
    return list(row), first + 1


def _over(rows: Sequence[_Numbered], first: int) -> list[str]:
    """Return the heads that two rows are together, the first of which stands over several columns of the second."""
    pair = rows[first : first + 2]
    return joined_heads([row.cells for row in rows[first : first + 3]]) if pair[-1].number - pair[0].number == 1 else []


def _told_apart(rows: Sequence[_Numbered], first: int, heads: Sequence[str]) -> list[str]:
    """Return heads that occur more than once with what the row above them says: each of its cells stands over the empty
    ones beside it, as where cells were one before. Empty where that is no such row.
    """
    if first == 0 or rows[first - 1].number + 1 != rows[first].number or _are_different(heads):
        return []
    over, last = [], ""
    for at in range(len(heads)):
        last = (rows[first - 1].cells[at : at + 1] or [""])[0] or last
        over.append(last)
    whole = joined(over, heads)
    return whole if len({*over} - {""}) > 1 and _are_different(whole) else []


def _are_different(heads: Iterable[str]) -> bool:
    named = [head for head in heads if head]
    return len({*named}) == len(named)


def _blocks(heads: Row, rows: Sequence[_Numbered], used: Sequence[int]) -> Iterator[list[int]]:
    """Yield the columns of each block: all of them where a row with its heads fits into a piece."""
    sample = rows[:: max(1, len(rows) // 50)]
    widths = {at: len(heads[at]) + statistics.median_high(len(row.cells[at]) for row in sample) + 8 for at in used}
    block, length = list(used[:1]), widths[used[0]]
    for at in used[1:]:
        if length + widths[at] > _BLOCK * PIECE and len(block) > 1:
            yield block
            block, length = list(used[:1]), widths[used[0]]
        block.append(at)
        length += widths[at]
    yield block


def pieces(lines: Iterable[tuple[int, str]], room: int, after: int) -> Iterator[list[tuple[int, str]]]:
    """Yield as many lines as there is room for, at least one; in later pieces there may be more room."""
    piece: list[tuple[int, str]] = []
    length = 0
    for number, line in lines:
        if piece and length + len(line) + 1 > room:
            yield piece
            piece, length, room = [], 0, after
        piece.append((number, line))
        length += len(line) + 1
    if piece:
        yield piece


def _line(cells: Row, block: Sequence[int]) -> str:
    return "| " + " | ".join(cells[at].replace("|", "\\|") for at in block) + " |"


def unvalued(cells: Counter[str]) -> str:
    """Return the note on formulas without a value, which are empty; `cells` counts them by the place of each."""
    note = f"{count(cells.total(), 'formula')} without a stored value, as {next(iter(cells))}, left empty"
    return f"{note}; open it in Excel or LibreOffice and save it, to have the values"


def letters(column: int) -> str:
    """Return the letters by which sheets name a column, counted from 0: A to Z, AA and so on."""
    name, column = "", column + 1
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(ord("A") + rest) + name
    return name
