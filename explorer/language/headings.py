"""The headings of a text, and which of them stand above a place in it.

Of Markdown the lines with marks; of plain text and pages lines in capitals, numbered and short lines that stand alone,
and terms above a deeper text that explains them, as the options in a manual.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from explorer.text import without_markup

FENCE = re.compile(r"[ \t]{0,3}(?P<mark>`{3,}|~{3,})")
MARKED = re.compile(r"[ \t]{0,3}(?P<marks>#{1,6})[ \t]+(?P<words>\S[^\n]*)")
LISTED = re.compile(r"[ \t]*(?:>[ \t]*)*(?:[-*+•‣◦–][ \t]|\|[ \t]*\S|(?:\d{1,3}|[A-Za-z])[.)][ \t]|\d{1,3}$)")
_LINE = re.compile(r"[^\n]*\n?")
_NUMBERED = re.compile(r"(?P<number>\d{1,2}(?:\.\d{1,2})*)\.?[ \t]+[A-Z]")
_TIME = re.compile(r"\[?[+~]?\d{1,3}:\d{2}|\d{4}-\d{2}")
_SPOKEN = re.compile(r"[A-Z]{1,2}\d{0,2}:\s")  # "Q: ", "A: "
_SENTENCE_ENDS = re.compile(r"[a-z)][.!?][ \t]+[A-Z]")
_LONGEST_TITLE, _LONGEST_TERM = 80, 72  # code points
_MOST_WORDS = 12  # of a short line that stands alone
_LEAST_BELOW = 60  # code points of a line below which it may be another short one, as in a table
_ENDS = (".", ",", ";", ":", "!", "?", "…", "”", '"')
_INDENT = 2  # columns by which a text stands deeper than its term
_CAPITALS, _TITLE, _TERM = 20, 50, 100  # levels begin here, by columns: Markdown's and numbers are below


class Heading(NamedTuple):
    """A heading: its line, the level that it has among others, its words without marks, and where it ceases to hold."""

    start: int
    end: int
    level: int
    text: str
    until: int


class _Line(NamedTuple):
    start: int
    text: str
    is_code: bool


def is_capitals(line: str) -> bool:
    """Return whether a line is in capitals and of a heading's length."""
    words = line.strip()
    letters = [character for character in words if character.isalpha()]
    return (
        3 < len(words) <= _LONGEST_TITLE
        and len(letters) > len(words) / 2
        and all(map(str.isupper, letters))
        and not words.endswith(_ENDS)
    )


def is_term(line: str, below: str) -> bool:
    """Return whether a line is a term that the deeper text right below it explains.

    A line is none that begins a paragraph of a hanging indent: its words go on below those behind its label.
    """
    words = line.strip()
    label, text = line[: indent(below)], line[indent(below) :]
    hangs = text[:1].strip() and (label.endswith("  ") or label.rstrip().endswith(":")) and label[-1:].isspace()
    return (
        0 < len(words) <= _LONGEST_TERM
        and bool(below.strip())
        and indent(below) >= indent(line) + _INDENT
        and not words.endswith(_ENDS)
        and (words.isdecimal() or not LISTED.match(line))
        and not _TIME.match(words)
        and "\t" not in words
        and not hangs
        and not _SENTENCE_ENDS.search(words)
    )


@lru_cache(maxsize=64)
def headings(text: str) -> tuple[Heading, ...]:
    """Return the headings of a text in order; those of the last texts are remembered."""
    lines = list(_lines(text))
    is_markdown = any(not line.is_code and MARKED.match(line.text) for line in lines)
    found = list(_marked(lines) if is_markdown else _printed(lines))
    ends = [len(text)] * len(found)
    open_ones: list[int] = []
    place = 0
    for line in lines:  # a term holds as far as the text stands deeper, another heading to the next of its level
        is_new = place < len(found) and found[place][0] == line.start
        while open_ones and line.text.strip():
            level = found[open_ones[-1]][2]
            is_over = is_new and found[place][2] <= level
            if not is_over and not (level >= _TERM and indent(line.text) <= level - _TERM):
                break
            ends[open_ones.pop()] = line.start
        if is_new:
            open_ones.append(place)
            place += 1
    return tuple(Heading(*one, until) for one, until in zip(found, ends, strict=True))


def above(found: Sequence[Heading], place: int) -> tuple[Heading, ...]:
    """Return the headings that stand above a place of a text, the outermost first; a heading is not above itself."""
    path: list[Heading] = []
    for heading in reversed(found[: bisect_right(found, place, key=lambda one: one.end)]):
        if place < heading.until and (not path or heading.level < path[-1].level):
            path.append(heading)
            if heading.level == 1:
                break
    return tuple(reversed(path))


def headings_above(text: str, places: Iterable[int], title: str, *, once: bool = False) -> list[tuple[str, ...]]:
    """Return the words of the headings above each of some places of a document, but for its title.

    The text is remembered unless it is asked about `once`.
    """
    found = headings.__wrapped__(text) if once else headings(text)
    paths = (above(found, place) for place in places) if found else (() for _ in places)
    return [tuple(one.text for one in path if one.text != title) for path in paths]


def _lines(text: str) -> Iterator[_Line]:
    fence = ""
    for found in _LINE.finditer(text):
        line = found[0].rstrip("\n")
        mark = FENCE.match(line)
        yield _Line(found.start(), line, bool(fence or mark))
        if mark and (not fence or (mark["mark"].startswith(fence) and line.strip() == mark["mark"])):
            fence = "" if fence else mark["mark"]


def _marked(lines: Sequence[_Line]) -> Iterator[tuple[int, int, int, str]]:
    for line in lines:
        if not line.is_code and (found := MARKED.match(line.text)):
            words = plain(found["words"].rstrip("# \t"))
            yield line.start, line.start + len(line.text), len(found["marks"]), words


def _printed(lines: Sequence[_Line]) -> Iterator[tuple[int, int, int, str]]:
    last = -1
    for number, line in enumerate(lines):
        words = line.text.strip()
        if not words or line.is_code or len(words) > _LONGEST_TITLE:
            continue
        above_is_blank = last == number - 1 or not lines[number - 1].text.strip()
        below = lines[number + 1].text if number + 1 < len(lines) else ""
        if above_is_blank and (level := _level(line.text, words, below, lines[number + 1 : number + 4])):
            last = number
            yield line.start, line.start + len(line.text), level, plain(words)


def _level(line: str, words: str, below: str, after: Sequence[_Line]) -> int | None:
    next_line = next((one.text for one in after if one.text.strip()), "")
    if is_capitals(line):
        return _CAPITALS + min(indent(line), 20) if any(map(str.islower, "".join(one.text for one in after))) else None
    if is_term(line, below):
        return _TERM + indent(line)
    if below.strip() or not next_line or words.endswith(_ENDS) or "\t" in words or indent(line):
        return None
    if numbered := _NUMBERED.match(words):
        return 1 + numbered["number"].count(".") + 1 if _reads_on(next_line) else None
    is_title = words[0].isupper() and 1 <= len(words.split()) <= _MOST_WORDS and not LISTED.match(line)
    is_title = is_title and not _SPOKEN.match(words)
    return _TITLE if is_title and _reads_on(next_line) else None


def _reads_on(line: str) -> bool:
    """Whether a line is one of a paragraph or a list, not another short one."""
    return "\t" not in line and (len(line.strip()) >= _LEAST_BELOW or line.rstrip().endswith((".", ":", "?", "!"))
                                 or LISTED.match(line) is not None)  # fmt: skip


def indent(line: str) -> int:
    """Return how many blanks a line begins with."""
    return len(line) - len(line.lstrip(" \t"))


def plain(words: str) -> str:
    """Return words on one line, without markup."""
    return " ".join(without_markup(words).split())
