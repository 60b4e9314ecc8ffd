"""Facts of tables: the head of a row, the head of a column, and the cell where they meet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from explorer.ingest.chunker import TextChunk
from explorer.language.dates import dates
from explorer.language.sentences import cells as row_cells
from explorer.language.sentences import is_row, without_mark
from explorer.language.tables import heads_below

_APART = 200  # code points between two rows of one table
_RULE = re.compile(r"[ \t]*\n[ \t]*\|(?:[ \t]*:?-{3,}:?[ \t]*\|)+")  # below the heads of columns
_LONG = 12  # words of the head of a row
_SHORT = 5  # words of a cell that may be the name of a thing
_VALUE = re.compile(
    r"^\W*\d|^(?:January|February|March|April|May|June|July|August|September|October|November|December)\b"
)
_NAMES = re.compile(r"\b(?:id|code|key|sku|no|number|ref|reference)\W*$", re.IGNORECASE)  # heads of what names a row
_SAID = re.compile(r"[^:]*[^\W\d_]:\s+\S")  # a cell with a label of its own
_YEARS = re.compile(r"\b(?:1[5-9]|20)\d\d\b")


class Cell(NamedTuple):
    """What a cell says of the head of its row, and where that row is in the document."""

    subject: str
    predicate: str
    object: str
    is_name: bool
    start: int
    end: int
    chunk: TextChunk


def rows_of(chunk: TextChunk) -> TextChunk:
    """Return a chunk with those of its sentences alone that are rows."""
    text, start = chunk.text, chunk.start
    return replace(
        chunk, sentences=tuple(one for one in chunk.sentences if is_row(text[one[0] - start : one[1] - start]))
    )


def cells(chunks: Iterable[TextChunk]) -> Iterator[Cell]:
    """Yield what the rows of tables say; the first row of each table has the heads of its columns, which may stand
    there again further down; of a table that begins with a filled row nothing is read. A row goes to the end of its
    line, however many sentences its cells have.

    Rows that begin with a time or a number are about what stands in their second column, unless that is a code by which
    the row is known.
    """
    heads: list[str] = []
    has_heads = goes_on = False  # in a second row of heads
    last = -_APART
    for chunk in chunks:
        for start, sentence_end in chunk.sentences:
            if start < last:  # in a row that was read
                continue
            line = chunk.text[start - chunk.start :].partition("\n")[0].rstrip()
            end = max(sentence_end, start + len(line)) if line.startswith("|") else sentence_end
            text = chunk.text[start - chunk.start : end - chunk.start]
            if not is_row(text):
                last = -_APART
                continue
            rule = _RULE.match(chunk.text, end - chunk.start)  # below heads, also where other columns go on
            row = row_cells(text, len(heads) if start - last <= _APART and rule is None else 0)
            if start - last > _APART or not heads or rule is not None:
                over = heads_below(chunk.text[start - chunk.start :].splitlines())
                heads, has_heads, goes_on = over or row, bool(over) or not _is_filled(row), bool(over)
            elif goes_on:
                goes_on = False
            elif has_heads and len(row) == len(heads) > 1 and row != heads:
                about = 1 if _VALUE.match(row[0]) and not _is_code(row[0], heads[0]) else 0
                yield from _facts(row, heads, about, (start, end, chunk))
            last = end if rule is None else chunk.start + rule.end()


def _is_filled(row: list[str]) -> bool:
    """Return whether a first row says something itself, in cells with labels or with figures that are no years."""
    said = [cell for cell in row if cell]
    filled = [cell for cell in said if _SAID.match(cell) or (_VALUE.match(cell) and not _YEARS.search(cell))]
    return len(filled) * 2 > len(said)


def _is_code(cell: str, head: str) -> bool:
    """Return whether a row is known by a cell, which may begin with a figure: below "Customer Id", say."""
    return bool(_NAMES.search(head)) and any(map(str.isalpha, cell))


def _facts(row: list[str], heads: list[str], about: int, where: tuple[int, int, TextChunk]) -> Iterator[Cell]:
    subject = row[about]
    is_time = any((date.start, date.end) == (0, len(row[0])) for date in dates(row[0]))
    if about and _VALUE.match(subject) and heads[0] and is_time:  # figures of a year, a month or a day
        about, subject = 0, f"{heads[0]} {row[0]}"
    if (
        not subject
        or (_VALUE.match(subject) and not _is_code(row[about], heads[about]))
        or len(subject.split()) > _LONG
        or not any(map(str.isalpha, subject))
    ):
        return
    for column, (head, cell) in enumerate(zip(heads, row, strict=True)):
        if column != about and head and any(map(str.isalnum, cell)) and cell.lower() != subject.lower():
            is_name = not _VALUE.match(cell) and len(cell.split()) <= _SHORT and "," not in cell
            yield Cell(subject, _small(head), cell, is_name, *where)


def _small(head: str) -> str:
    """Return the head of a column without the capital it has for standing first, and without the marks of notes."""
    head = without_mark(head)
    return head[0].lower() + head[1:] if head[1:2].islower() else head
