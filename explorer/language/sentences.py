"""Sentences of a text as exact offsets, found by nupunkt and by what its lines look like.

A document is first divided into blocks: paragraphs, headings, list items, table rows, records that begin with a time or
a speaker. A sentence never leaves its block. Code and lines that only rule or fence are no sentences, but units.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from explorer.language.headings import FENCE, LISTED, indent, is_capitals, is_term, plain
from explorer.language.words import is_content, tokens
from explorer.text import without_links

FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?P<fields>.*?\n)??(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
LONGEST_SENTENCE = 2000
"""Code points after which a sentence is cut at a blank: it was not written as one."""

_LONG_ABBREVIATIONS = frozenset(
    "approx appx assoc capt cert chap corp dept dist elec elev eqns figs govt hrs illus incl intl "
    "introd mech mins misc natl para prob prof refs resp secs sect spec suppl temp univ vols".split()
)
_SHORT = 2_000  # code points of a block that is remembered
_LINE = re.compile(r"[^\n]*\n?")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]")
_ROW = re.compile(r"[ \t]*\||(?!\s*(?:[-*+•‣◦–]|\d{1,3}[.)])\t[^\t\n]*\s*\Z)[^\n]*[^\s]\t+[^\s]")
_BAR = re.compile(r"(?<!\\)\|")
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
TIME_COLUMN = re.compile(
    r"[ \t]*\[?(?P<time>[+~]?\d{1,3}:\d{2}(?::\d{2}(?:\.\d+)?)?)\]?[ \t]*(?:[-–—:|][ \t]+|[ \t]+)(?=[A-Z“\"(])"
)
"""The time before what happened then, in a list of times: no part of the sentence."""

_BOLD_LABEL = re.compile(r"[ \t]*(?:[-*+•][ \t]+)?(?:\*\*|__)[^*_\n]{1,40}(?::(?:\*\*|__)|(?:\*\*|__):)[ \t]+(?=\S)")
_PICTURE = re.compile(
    r"\s*(?:!\[[^\]\n]*\]\([^\n]*\)|\[[^\]\n]*\]\([^)\n]*\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?)[^)\n]*\)|<img\b[^>\n]*>)\s*",
    re.IGNORECASE,
)
_COUNTED_ITEM = re.compile(r"[ \t]*(?P<number>\d{1,2})[.)]?[ \t]+\S")  # as pages have it, without a mark
_LABELLING = (
    r"[ \t]*(?:[-*+•‣◦–][ \t]+)?(?P<bold>\*\*|__)?(?P<label>[A-Z][^\W\d_]*(?:[ /&’'-]+[^\W_][^\W_]*){0,4})"
    r"(?:(?P=bold))?[ \t]?:(?(bold)(?:\*\*|__)?)"
)
_LABEL = re.compile(rf"{_LABELLING}[ \t]+(?P<value>\S[^\n]*)")
_UNFILLED = re.compile(rf"{_LABELLING}[ \t]*\Z")  # a label with nothing said of it
_MOST_VALUES = 16  # words of what a label line says
_MOST_ITEMS = 12  # of a list that is quoted
_LONGEST_LIST = 1_500  # code points
_MARK = re.compile(r"[ \t]*(?:>[ \t]*)*(?:(?:[-*+•‣◦–]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|#{1,6}[ \t]+)?")
_MISSED = re.compile(
    r"""(?<=\s)(?:([a-z]{4,})\.["'”’)]*\s+(?=[A-Z"“‘(])
      |(?:[A-Z]{2,5}|\d[\d,:]*)\.[ \t]*\n\s*(?=[A-Z])
      |(?:[A-Z]{2,5}|\d[\d,:]*)\.\s+(?=(?:The|An?|It|This|That|These|In|On|At|They|He|She|We|Nobody|No|Both|Each|All)\s))""",
    re.VERBOSE,
)
_NOTES = r"(?<=[.!?”\"’)])(?:\[(?:\d{1,4}|[a-z]|note \d{1,3})\](?:: ?\d+(?:[-–]\d+)?)?)+"
_NOTED, _NOTED_LAST = re.compile(rf"{_NOTES}(?:\s+|\Z)"), re.compile(rf"{_NOTES}\s*\Z")
"""Marks of notes behind a sentence, as in "… was founded.[3][4]": they belong to it."""

_MARKED = re.compile(r"(?<=[^\W\d_]|[$€£¥%)])(?:\[\d{1,4}\])+\s*\Z")

_ENDS = (".", "!", "?", ":", ";", ",", "…")
_LEAST_LETTERS = 0.5  # of a sentence's characters: with fewer it is a row of numbers
_LEAST_SMALL = 0.45  # of the words of a line that ends without a mark: with fewer small ones it is a heading
FEWEST_WORDS = 4  # of a sentence worth quoting: fewer are a heading or the rest of a table
_NUMBERED = re.compile(r"(?:\d{1,2}(?:\.\d{1,2})*|[A-Z]|[IVX]+)[.)]?[ \t]+[A-Z]")
_MARKUP = re.compile(r"[ \t]*(?:#{1,6}[ \t]|\||```|~~~)")


class Unit(NamedTuple):
    """What a chunk never divides: a sentence, or a piece of something that is none."""

    start: int
    end: int
    is_sentence: bool


def split(text: str) -> list[tuple[int, int]]:
    """Return where nupunkt ends sentences, each with the marks of its notes; the spans leave nothing out."""
    from nupunkt import sent_spans

    found, start = list[tuple[int, int]](), 0
    for _, last in sent_spans(text) if text.strip() else ():
        end = marks.end() if (marks := _NOTED.match(text, last)) else last
        if start < end:
            found.append((start, end))
            start = end
    return found


def without_notes(sentence: str) -> str:
    """Return a sentence without the marks of its notes, as "[3][4]" behind its end."""
    return _NOTED_LAST.sub("", sentence)


def without_mark(head: str) -> str:
    """Return the head of a column without the marks of its notes, as "Employees" of "Employees[191]"."""
    return _MARKED.sub("", head)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text as they stand."""
    return [sentence for first, last in split(text) if (sentence := text[first:last].strip())]


def spans(text: str, start: int = 0) -> Iterator[tuple[int, int]]:
    """Yield the offsets of the sentences in `text[start:]`, without the blanks around them, in order."""
    return ((unit.start, unit.end) for unit in units(text, start, len(text)) if unit.is_sentence)


def units(text: str, start: int, end: int) -> Iterator[Unit]:
    """Yield what a chunk of `text[start:end]` never divides, in order; together they hold all that can be seen."""
    for _, run in groupby(_labelled(text, start, end), key=lambda line: line[0]):
        lines = list(run)
        is_prose, block_start, block_end = lines[0][1], lines[0][2], lines[-1][3]
        if is_prose is None:
            continue
        if not is_prose:
            yield from (Unit(*piece, is_sentence=False) for piece in _cut(text, block_start, block_end))
            continue
        opening = _MARK.match(text, block_start, block_end)
        inside = opening.end() if opening and opening.end() < block_end else block_start
        said = text[inside:block_end]
        for index, (first, last) in enumerate(_resplit(said) if len(said) > _SHORT else _known_sentences(said)):
            begin = block_start if index == 0 else inside + first  # the bullet goes with the first sentence
            for piece in _cut(text, begin, inside + last):
                yield Unit(*piece, is_sentence=_is_said(text[slice(*piece)]))


@lru_cache(maxsize=1_000)  # a block is divided for the chunks, and once more in its chunk
def _known_sentences(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(_resplit(text))


def _resplit(text: str) -> Iterator[tuple[int, int]]:
    """The sentences, divided after ordinary words too: nupunkt has learnt abbreviations like “bays.” as well."""
    for start, end in split(text):
        first = start
        for found in _MISSED.finditer(text, start, end):
            if found[1] not in _LONG_ABBREVIATIONS:
                yield first, found.end()
                first = found.end()
        yield first, end


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
        if piece := _stripped(text, start, cut):
            yield piece
        start = cut


def _stripped(text: str, start: int, end: int) -> tuple[int, int] | None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return (start, end) if start < end else None


def _labelled(text: str, start: int, end: int) -> Iterator[tuple[int, bool | None, int, int]]:
    """Each line with the number of its block, and whether that is prose; False for markup and code, None for blanks."""
    block, before, opener, fence = 0, "", "", ""
    prose: bool | None = None
    code_until = front.end() if start == 0 and (front := FRONT_MATTER.match(text, 0, end)) else start
    for line_start, line_end in (match.span() for match in _LINE.finditer(text, start, end) if match[0]):
        line = text[line_start:line_end].rstrip("\n")
        found = FENCE.match(line)
        is_code = bool(fence or found) or line_start < code_until
        is_text = not is_code and _is_said(line) and not _PICTURE.fullmatch(line)
        kind = is_text if line.strip() else None
        if kind != prose or (kind and _begins(line, before, opener)):
            # a chunk may begin within a line: what reads on is no term
            block, opener = block + 1, "" if line_start == start and _reads_on(line) else line
        yield block, kind, line_start, line_end
        prose, before = kind, line
        if found and (not fence or (found["mark"].startswith(fence) and line.strip() == found["mark"])):
            fence = "" if fence else found["mark"]


def _reads_on(line: str) -> bool:
    """Whether a line may begin a sentence that goes on below it: "The default", or more words of one."""
    begins = line.lstrip()[:1].isupper() and not is_content(next(iter(tokens(line)), ""))
    return begins or is_prose(line)


def _is_said(line: str) -> bool:
    """Whether something is more than marks: it has letters, or is a row of numbers."""
    return any(map(str.isalpha, line)) or (any(map(str.isdigit, line)) and is_row(line))


def _begins(line: str, before: str, opener: str) -> bool:
    """Whether a line begins a block of its own, right below the line `before` of a block that `opener` began.

    A number may also stand at the start of a line because the line before was full: it begins an item only in
    a list of such items or where a sentence ended.
    """
    if any(pattern.match(line) for pattern in (_HEADING, _ROW, _ITEM, _BOLD_LABEL)):
        return True
    if _RECORD.match(line) and (_RECORD.match(opener) or before.rstrip().endswith(_ENDS)):
        return True
    if _LABEL.match(line) and (_LABEL.match(before) or before.rstrip().endswith(_ENDS)):
        return True
    if _UNFILLED.match(line) and (_LABEL.match(before) or _UNFILLED.match(before)):
        return True
    if is_capitals(before) and not line.isupper():
        return True
    return bool(_HEADING.match(before) or _ROW.match(before) or (before == opener and is_term(before, line)))


class Listed(NamedTuple):
    """A list below what leads it in: where the part of it ends that is quoted, with how many items, and how many come
    after that.
    """

    end: int
    items: int
    more: int


def listed(text: str, start: int, end: int, *, is_heading: bool = False) -> Listed | None:
    """Return the list that a sentence of a text leads in with a colon, or any heading; None where none follows.

    Items begin with a mark or count from one, or stand deeper than the sentence; of a long list the first are taken.
    """
    if not is_heading and not text[start:end].rstrip("*_ ").endswith(":"):
        return None
    line_start = text.rfind("\n", 0, start) + 1
    deep = indent(text[line_start:])
    is_item = LISTED.match(text, line_start) is not None  # its own items stand deeper
    last, items, more, is_blank = end, 0, 0, False
    for match in _LINE.finditer(text, text.find("\n", end) + 1 or len(text)):
        line = match[0].rstrip()
        if not line:
            is_blank = True
            continue
        counted = _COUNTED_ITEM.match(line)
        is_next = counted is not None and int(counted["number"]) == items + more + 1
        begins = LISTED.match(line) is not None or is_next
        is_deeper = indent(line) > deep
        if is_item and begins and not is_deeper:
            break
        if items == 0 and not begins and (is_heading or not is_deeper):
            break
        if _HEADING.match(line) or (is_blank and not begins and not is_deeper):
            break
        items += begins or (is_blank and is_deeper) or not items
        if more or items > _MOST_ITEMS or match.start() + len(line) - start > _LONGEST_LIST:
            more += begins
            items = min(items, _MOST_ITEMS)
        else:
            last = match.start() + len(line)
        is_blank = False
    return Listed(last, items, more) if last > end else None


class Labelled(NamedTuple):
    """A line that says something under a label: "Treasurer: Ryan Cheley"."""

    label: str
    value: str
    start: int


def labelled(text: str) -> Labelled | None:
    """Return a unit of a text as a label and its value, which begins at `start`; None for any other, and for speech."""
    found = _LABEL.match(text)
    if found is None:
        return None
    value = found["value"].strip()
    is_said = value.endswith((".", "!", "?", ":", ";", "…")) and len(value.split()) >= FEWEST_WORDS
    is_short = found.end() >= len(text.rstrip()) and len(value.split()) <= _MOST_VALUES
    if is_said or not is_short or not any(map(str.isalnum, value)):
        return None
    return Labelled(found["label"], value, found.start("value"))


def is_row(text: str) -> bool:
    """Return whether a unit of a text is a row of a table."""
    return _ROW.match(text) is not None


def cells(row: str, least: int = 0) -> list[str]:
    """Return the cells of a row, without marks; of one with tabs at least so many, as it ends before empty ones."""
    line = row.strip()
    is_barred = line.startswith("|")
    parts = _BAR.split(line.removeprefix("|").removesuffix("|")) if is_barred else line.split("\t")
    found = [plain(part).strip("*") for part in parts]
    return found if is_barred else found + [""] * (least - len(found))


_SHORT_SENTENCE = re.compile(  # "About 1,300 orders failed.", "Cockerels are prohibited."
    r"[A-Z][a-z]+(?= )(?=.*(?: \d[\d.,]*(?= [a-z])| (?:is|are|was|were|has|have|had|may|must|can)(?= )))"
    r"(?: (?:[a-z]+|\d[\d.,]*(?= |\.\Z))){2,4}\."
)


def is_prose(sentence: str) -> bool:
    """Return whether a unit of a text reads as a sentence, or says something of a label.

    No heading, running head, row of a table or bare number does.
    """
    line = without_notes(without_links(sentence).strip())
    if _PICTURE.fullmatch(sentence) or _MARKUP.match(line) or _ROW.match(line) or _HEADING.match(line):
        return False
    label, words = _BOLD_LABEL.match(line), re.findall(r"[^\W\d_]+", line)
    if _SHORT_SENTENCE.fullmatch(line) or (label and any(map(str.isalnum, line[label.end() :]))):
        return True
    if len(words) < FEWEST_WORDS or sum(map(len, words)) < _LEAST_LETTERS * len(line.replace(" ", "")):
        return False
    if line.rstrip("\"”’')*_ ").endswith((".", "!", "?", ":", ";", "…")):
        return True
    small = sum(word[0].islower() for word in words)
    return not _NUMBERED.match(line) and small > _LEAST_SMALL * len(words) and not line.isupper()
