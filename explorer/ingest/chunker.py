"""Chunks of a document and the sentences in them, as exact offsets in its text.

A document is first divided into blocks: paragraphs, headings, list items, table rows, records that begin
with a time or a speaker. A sentence never leaves its block. Code and lines that only rule or fence are
no sentences, but they are part of the chunks, so that the chunks hold all that can be seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from explorer.ingest.readers.markdown import FRONT_MATTER, DocumentPart, Reading

LONGEST_SENTENCE = 2000
"""Code points after which a sentence is cut at a blank: nobody wrote it as one."""

_LONG_ABBREVIATIONS = frozenset(
    "approx appx assoc capt cert chap corp dept dist elec elev eqns figs govt hrs illus incl intl "
    "introd mech mins misc natl para prob prof refs resp secs sect spec suppl temp univ vols".split()
)
_LINE = re.compile(r"[^\n]*\n?")
_FENCE = re.compile(r"[ \t]{0,3}(?P<mark>`{3,}|~{3,})")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]")
_ROW = re.compile(r"[ \t]*\||[^\n]*[^\s]\t+[^\s]")
_ITEM = re.compile(
    r"""[ \t]*(?:>[ \t]*)*(?:
      [-*+•‣◦][ \t]                            # a bullet
    | [A-Z][A-Z0-9 ./&-]{1,30}:[ \t]          # a speaker
    )""",
    re.VERBOSE,
)
_RECORD = re.compile(
    r"""[ \t]*(?:>[ \t]*)*(?:
      –[ \t]
    | (?:\d{1,3}|[A-Za-z])[.)][ \t]           # a numbered item
    | \[?[+~]?\d{1,3}:\d{2}(?::\d{2})?\b      # a time
    | \d{4}-\d{2}-\d{2}\b                     # a date
    )""",
    re.VERBOSE,
)
_MARK = re.compile(r"[ \t]*(?:>[ \t]*)*(?:(?:[-*+•‣◦–]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|#{1,6}[ \t]+)?")
_MISSED = re.compile(
    r"""(?<=\s)(?:([a-z]{4,})\.["'”’)]*\s+(?=[A-Z"“‘(])
      |(?:[A-Z]{2,5}|\d[\d,:]*)\.\s+(?=(?:The|An?|It|This|That|These|In|On|At|They|He|She|We|Nobody|No|Both|Each|All)\s))""",
    re.VERBOSE,
)
_ENDS = (".", "!", "?", ":", ";", ",", "…")


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A piece of one part, or of a document without parts.

    `index` counts from 1 within the part (or document). `start` and `end` are document offsets. `sentences`
    are the document offsets of the sentences that belong to this chunk: one in an overlap belongs to the
    first chunk, which always holds it whole.
    """

    index: int
    start: int
    end: int
    text: str
    part: DocumentPart | None
    sentences: tuple[tuple[int, int], ...]


class _Unit(NamedTuple):
    """What a chunk never divides: a sentence, or a piece of something that is none."""

    start: int
    end: int
    is_sentence: bool


def chunks(reading: Reading, size: int = 1000, overlap: int = 100) -> Iterator[TextChunk]:
    """Chunks of at most `size` code points; whole sentences within `overlap` are repeated from the last.

    A sentence longer than `size` is a longer chunk of its own; one longer than LONGEST_SENTENCE is cut.
    """
    if size < 1 or not 0 <= overlap < size:
        raise ValueError(f"size must be positive and overlap smaller than it, not {size} and {overlap}")
    slices: list[tuple[DocumentPart | None, int, int]] = [(part, part.start, part.end) for part in reading.parts]
    for part, start, end in slices or [(None, 0, len(reading.text))]:
        units = list(_units(reading.text, start, end))
        owned = 0
        for index, (first, after) in enumerate(_packed(units, size, overlap), 1):
            begin, finish = units[first].start, units[after - 1].end
            mine = tuple((unit.start, unit.end) for unit in units[max(first, owned) : after] if unit.is_sentence)
            owned = after
            yield TextChunk(index, begin, finish, reading.text[begin:finish], part, mine)


def sentences(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Offsets of the sentences in `text[start:end]`, without the blanks around them, in order."""
    units = _units(text, start, len(text) if end is None else end)
    return ((unit.start, unit.end) for unit in units if unit.is_sentence)


def _packed(units: list[_Unit], size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Ranges of units, one a chunk: as many as fit, beginning with the last few of the range before."""
    first = fresh = 0
    while fresh < len(units):
        after = fresh + 1
        while after < len(units) and units[after].end - units[first].start <= size:
            after += 1
        yield first, after
        first = fresh = after
        while fresh < len(units) and first > 0 and _fits(units, first - 1, fresh, size, overlap):
            first -= 1


def _fits(units: list[_Unit], first: int, fresh: int, size: int, overlap: int) -> bool:
    """Whether the unit `first` may be repeated before the unit `fresh`."""
    repeated = units[fresh - 1].end - units[first].start
    return repeated <= overlap and units[fresh].end - units[first].start <= size


def _units(text: str, start: int, end: int) -> Iterator[_Unit]:
    for block_start, block_end, is_prose in _blocks(text, start, end):
        if is_prose:
            yield from _sentence_units(text, block_start, block_end)
        else:
            yield from (_Unit(*piece, is_sentence=False) for piece in _cut(text, block_start, block_end))


def _sentence_units(text: str, start: int, end: int) -> Iterator[_Unit]:
    from nupunkt import sent_spans

    opening = _MARK.match(text, start, end)
    inside = opening.end() if opening and opening.end() < end else start
    for index, (first, last) in enumerate(_resplit(text[inside:end], sent_spans(text[inside:end]))):
        begin = start if index == 0 else inside + first  # the bullet goes with the first sentence
        for piece in _cut(text, begin, inside + last):
            yield _Unit(*piece, is_sentence=any(map(str.isalpha, text[slice(*piece)])))


def _resplit(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The spans, divided after ordinary words: nupunkt has learnt abbreviations like “bays.” as well."""
    for first, end in spans:
        start = first
        for found in _MISSED.finditer(text, first, end):
            if found[1] not in _LONG_ABBREVIATIONS:
                yield start, found.end()
                start = found.end()
        yield start, end


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The span without blanks around it, in pieces of at most LONGEST_SENTENCE, cut at blanks."""
    while (span := _stripped(text, start, end)) is not None:
        start, end = span
        if end - start <= LONGEST_SENTENCE:
            yield start, end
            return
        limit = start + LONGEST_SENTENCE
        blank = max(text.rfind(" ", start, limit), text.rfind("\n", start, limit))
        cut = blank if blank > start else limit
        yield from _whole(text, start, cut)
        start = cut


def _whole(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    if span := _stripped(text, start, end):
        yield span


def _stripped(text: str, start: int, end: int) -> tuple[int, int] | None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return (start, end) if start < end else None


def _blocks(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """Runs of lines that belong together, and whether they are prose."""
    labelled = _labelled(text, start, end)
    for _, run in groupby(labelled, key=lambda line: line[0]):
        lines = list(run)
        if lines[0][1] is not None:
            yield lines[0][2], lines[-1][3], lines[0][1]


def _labelled(text: str, start: int, end: int) -> Iterator[tuple[int, bool | None, int, int]]:
    """Each line with the number of its block, and whether that is prose; None for blank lines."""
    block, before, opener, fence = 0, "", "", ""
    prose: bool | None = None
    code_until = front.end() if start == 0 and (front := FRONT_MATTER.match(text, 0, end)) else start
    for line_start, line_end in _lines(text, start, end):
        line = text[line_start:line_end].rstrip("\n")
        found = _FENCE.match(line)
        kind = _kind(line, is_code=bool(fence or found) or line_start < code_until)
        if kind != prose or (kind and _begins(line, before, opener)):
            block, opener = block + 1, line
        yield block, kind, line_start, line_end
        prose, before = kind, line
        if found and (not fence or (found["mark"].startswith(fence) and line.strip() == found["mark"])):
            fence = "" if fence else found["mark"]


def _kind(line: str, *, is_code: bool) -> bool | None:
    """True for prose, False for markup and code, None for a blank line."""
    if not line.strip():
        return None
    return not is_code and any(map(str.isalpha, line))


def _begins(line: str, before: str, opener: str) -> bool:
    """Whether a line begins a block of its own, right below the line `before` of a block that `opener` began.

    A number may also stand at the start of a line because the line before was full: it begins an item only in
    a list of such items or where a sentence ended.
    """
    if any(pattern.match(line) for pattern in (_HEADING, _ROW, _ITEM)):
        return True
    if _RECORD.match(line) and (_RECORD.match(opener) or before.rstrip().endswith(_ENDS)):
        return True
    return bool(_HEADING.match(before) or _ROW.match(before))


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end:
        found = _LINE.match(text, start, end)
        after = found.end() if found else end
        yield start, after
        start = after
