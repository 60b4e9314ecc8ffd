"""Tables in a text: what their columns are called, and which sentence or title says what they are.

Heads may take two rows, the first over several columns of the second. What a table is, is said right above it, in a
line with its number below it, or in a sentence further up that leads to it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, zip_longest
from typing import NamedTuple

from explorer.language.headings import LISTED, MARKED, headings_above, plain
from explorer.language.sentences import cells, is_prose, is_row, sentences
from explorer.text import truncate

_LONGEST_TABLE = 50_000  # code points that are looked through for its heads
_LONGEST_HEAD = 120  # code points
_LONGEST_CAPTION = 300  # code points
_FAR = 4_000  # code points from a table to what leads to it
NUMBER = re.compile(r"[-+−]?\W{0,2}\d[\d.,:/' \u202f\u2009-]*(?:\s?[%€$£A-Za-z°]{0,3})?")
YEAR = re.compile(r"(?:1[89]|20)\d\d")  # is a head as well
_LABELLED = re.compile(r"[\s*_>(]*(?:table|tab\.|exhibit|schedule)\s+[A-Z]?\d[\d.]*[A-Za-z]?\b", re.IGNORECASE)
_LEADS = re.compile(
    r"\bthe following\b|\b(?:as|shown|given|listed|set out|found|see|tables?|figures|overview|numbers|values) below\b|"
    r"\bbelow (?:is|are|shows?|lists?|gives?)\b|"
    r"\btables?(?: \d+)? (?:shows?|lists?|gives?|contains?|presents?|summari[sz]es?)\b|"
    r"\b(?:in|see) (?:the |this )?table\b",
    re.IGNORECASE,
)

Row = Sequence[str]


class Table(NamedTuple):
    """Where the rows of a table begin and end, its first row, and what it is; `at` has where that is said."""

    start: int
    end: int
    first: str
    caption: str
    at: tuple[int, int]


class _Block(NamedTuple):
    """Lines that stand together: a paragraph, a heading, or of the rows of a table the first."""

    start: int
    end: int
    lines: tuple[str, ...]
    kind: str


def are_heads(row: Row) -> bool:
    """Return whether a row may have the heads of columns: names or years, and at least one name."""
    filled = [cell for cell in row if cell]
    return any(map(_is_name, filled)) and _name_columns(filled)


def joined_heads(rows: Sequence[Row], *, are_told: bool = False) -> list[str]:
    """Return the heads that the first two rows of a table are together; none where the second one is no such row.

    Heads of the first stand over several columns: over empty cells beside them, or said in each. Below heads stand
    names or years, where the row after them has figures that are no years, or where both `are_told` to be heads.
    """
    if len(rows) <= 2:
        return []
    width = max(len(rows[0]), len(rows[1]))
    over, under, after = ([*row, *[""] * (width - len(row))] for row in rows[:3])
    whole, last = list[str](), ""
    for cell, below in zip(over, under, strict=True):
        last = cell or (last if below else "")
        whole.append(last)
    spanned = [at for at in range(1, width) if whole[at] and whole[at] == whole[at - 1] and under[at] and under[at - 1]]
    figures = (NUMBER.fullmatch(after[at]) and not (YEAR.fullmatch(under[at]) and YEAR.fullmatch(after[at]))
               for at in spanned)  # fmt: skip
    if {*over[1:]} <= {"", over[0]} or not _name_columns([*over, *under]) or not (are_told or any(figures)):
        return []  # one title stands over all of it, or a row of the table
    found = joined(whole, under)
    return found if len({*found}) == len(found) else []


def heads_below(lines: Iterable[str]) -> list[str]:
    """Return the heads that the first two rows among some lines are together; none where these are not two."""
    rows = (line for line in lines if is_row(line) and not _is_rule(line))
    return joined_heads([cells(line) for line in islice(rows, 3)])


def joined(over: Row, heads: Row) -> list[str]:
    """Return the heads of columns with those that stand over them."""
    return [" ".join(dict.fromkeys(filter(None, pair))) for pair in zip_longest(over, heads, fillvalue="")]


def _name_columns(cells: Iterable[str]) -> bool:
    filled = [cell for cell in cells if any(map(str.isalnum, cell))]
    return all((_is_name(cell) or YEAR.fullmatch(cell)) and len(cell) <= _LONGEST_HEAD for cell in filled)


def _is_name(cell: str) -> bool:
    return any(map(str.isalpha, cell)) and not NUMBER.fullmatch(cell)


def columns_above(before: str, text: str) -> tuple[str, ...]:
    """Return the heads of the table in whose midst a text begins, after what stands before.

    They are the first of the rows that stand below one another; empty where there is no such table.
    """
    first = text.lstrip().partition("\n")[0]
    if not is_row(first):
        return ()
    is_barred, rows = first.startswith("|"), list[list[str]]()
    for line in reversed(before[-_LONGEST_TABLE:].splitlines()):
        if (is_barred and not line.strip()) or (line.strip() and line.startswith("|") != is_barred):
            break
        if line.strip() and not is_row(line):
            break
        if line.strip() and not _is_rule(line):
            rows.append(cells(line))
    if not rows or len(rows[-1]) < len(cells(first)):
        return ()
    return tuple(joined_heads([*rows[:-4:-1], cells(first)]) or rows[-1])


def captions(text: str, places: Iterable[int], *, once: bool = False) -> list[str]:
    """Return what the table is that stands at each of some places of a text, or that is said there; else nothing.

    The tables are remembered unless the text is asked about `once`.
    """
    found = tables.__wrapped__(text) if once else tables(text)
    spans = sorted({(*span, one.caption) for one in found for span in ((one.start, one.end), one.at)})
    starts = [start for start, _, _ in spans]
    at = (bisect_right(starts, place) - 1 for place in places)
    return [spans[n][2] if n >= 0 and place < spans[n][1] else "" for n, place in zip(at, places, strict=True)]


def told_above(text: str, places: Sequence[int], title: str, *, once: bool = False) -> list[tuple[str, ...]]:
    """Return for each of some places of a document the headings above it, and what the table is that it stands in."""
    paths = zip(headings_above(text, places, title, once=once), captions(text, places, once=once), strict=True)
    return [(*path, caption) if caption and caption not in path else path for path, caption in paths]


@lru_cache(maxsize=64)
def tables(text: str) -> tuple[Table, ...]:
    """Return the tables of a text in order; those of the last texts are remembered."""
    if "|" not in text and "\t" not in text:
        return ()
    return tuple(_captioned(list(_blocks(text))))


def _captioned(blocks: Sequence[_Block]) -> Iterator[Table]:
    """Yield the tables among some blocks: below their captions, or above them where the first has its own below."""
    labels = [_LABELLED.match(one.lines[0]) is not None and one.kind == "text" for one in blocks]
    places = [at for at, one in enumerate(blocks) if one.kind == "rows"]
    is_above = any(at and labels[at - 1] for at in places[:1])
    last: Table | None = None
    for at in places:
        block = blocks[at]
        before = blocks[at - 1] if at else None
        if (
            last is not None
            and before is not None
            and before.kind == "rows"
            and (block.lines[0] == last.first or not block.lines[0].startswith("|"))
        ):
            last = last._replace(start=block.start, end=block.end)  # a further piece of it
            yield last
            continue
        label = blocks[at + 1] if at + 1 < len(blocks) and labels[at + 1] and not is_above else None
        line = label or (before if before is not None and _title(before, block) == " ".join(before.lines) else None)
        said = [" ".join(label.lines)] if label else [*_said_above(blocks, at)]
        words = map(plain, said)
        last = Table(block.start, block.end, block.lines[0], truncate(" ".join(words), _LONGEST_CAPTION),
                     (line.start, line.end) if line else (block.start, block.end))  # fmt: skip
        yield last


def _said_above(blocks: Sequence[_Block], at: int) -> Iterator[str]:
    """Yield what is said above a table of it: the sentence that leads to it, and a line right above."""
    line = _title(blocks[at - 1], blocks[at]) if at else ""
    if not line or not (_LEADS.search(line) or _LABELLED.match(line) or line.endswith(":")):
        for block in reversed(blocks[:at]):
            if block.kind != "text" or blocks[at].start - block.end > _FAR:
                break
            if _LEADS.search(words := " ".join(block.lines)):
                yield next(one for one in reversed([words, *sentences(words)]) if _LEADS.search(one))
                break
    if line:
        yield line


def _title(above: _Block, table: _Block) -> str:
    """Return the line right above a table that says what this is: one alone, or the end of a paragraph with a colon."""
    words = " ".join(above.lines) if above.kind == "text" else ""
    if words.endswith(":"):
        return [words, *sentences(words)][-1]
    is_alone = bool(words) and len(above.lines) == 1 and len(words) <= _LONGEST_CAPTION and len(sentences(words)) <= 1
    is_title = table.lines[0].startswith("|") or is_prose(words) or _LABELLED.match(words)
    return words if is_alone and is_title and not LISTED.match(words) else ""


def _blocks(text: str) -> Iterator[_Block]:
    """Yield the blocks of a text; blank lines and lines that only rule are left out."""
    lines, kind, start, end, place = list[str](), "", 0, 0, 0
    for line in text.splitlines(keepends=True):
        said = line.strip()
        own = ("rows" if is_row(said) else "heading" if MARKED.match(said) else "text") if said else ""
        if lines and (own != kind or own == "heading"):
            yield _Block(start, end, tuple(lines), kind)
            lines = []
        if own and not _is_rule(said):
            start = start if lines else place
            lines += [said] if own != "rows" or not lines else []
        kind, end, place = own, (place + len(line) if own else end), place + len(line)
    if lines:
        yield _Block(start, end, tuple(lines), kind)


def _is_rule(line: str) -> bool:
    return not any(map(str.isalnum, line))
