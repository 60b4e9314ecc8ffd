"""Markdown and plain text as they were typed.

Line ends become a newline, as Python does when it opens a text file; nothing else is changed, so offsets are code
points of the decoded file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import PurePath

from explorer.ingest.readers.document_text import DocumentPart, Reading, title_from
from explorer.ingest.readers.encoding import decoded
from explorer.ingest.readers.formats import MARKDOWN
from explorer.language.sentences import FRONT_MATTER

_TITLE_LENGTH = 120  # code points: a longer first line is the text itself
_MARKUP = re.compile(r"\.\. |#!|//|/\*|<[!?/A-Za-z]")  # of reStructuredText, programs and pages, which is no title
_RULE = re.compile(r"([=~#*^\"-])\1*")
_COLUMNS = re.compile(r"\t| {2,}")
_SHORTEST_RULE = 3
_ENDS = tuple(".;,。．、，；！？")  # of a sentence or a part of one
_FIELD = re.compile(r"^(?P<name>[A-Za-z]+)[ \t]*:[ \t]*(?P<value>\S.*?)[ \t]*$", re.MULTILINE)


def read_text(data: bytes, name: str) -> Reading:
    """Read a file of Markdown or plain text; `name` tells which.

    Raises DocumentError, in one sentence that names the file, when it holds no text.
    """
    text, encoding = decoded(data, name)
    if PurePath(name).suffix.lower() not in MARKDOWN:
        title = _first_line(text) or title_from(name)
        return Reading(title, "text/plain", text, encoding=encoding)
    front = FRONT_MATTER.match(text)
    body = front.end() if front else 0
    found = _FIELD.finditer((front["fields"] or "") if front else "")
    fields = {field["name"].lower(): field["value"].strip("\"'") for field in found}
    headings = list(_headings(text, body))
    first = next((label for level, label, _ in headings if level == 1 and label), None)
    title = first or fields.get("title") or _first_line(text[body:]) or title_from(name)
    parts = tuple(sections(text, body, headings, title))
    return Reading(title, "text/markdown", text, parts, fields.get("author"), fields.get("date"), encoding)


def _first_line(text: str) -> str | None:
    """A short first line that stands alone above a blank line, or is underlined."""
    line, _, rest = text.lstrip("\ufeff\f\n \t").partition("\n")
    line, below = line.strip(), rest.partition("\n")[0].strip()
    if _MARKUP.match(line):
        return None
    line = _COLUMNS.split(line)[0]  # of the head of a page: "TAR(1)   User Commands   TAR(1)"
    alone = rest.strip() and (not below or (len(below) >= _SHORTEST_RULE and _RULE.fullmatch(below)))
    titled = len(line) <= _TITLE_LENGTH and any(map(str.isalnum, line)) and not line.endswith(_ENDS)
    return line if alone and titled else None


def _headings(text: str, body: int) -> Iterator[tuple[int, str, int]]:
    """Level, plain text and offset of every heading that is not inside a list or a quotation."""
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark")
    tokens = markdown.parse(text[body:])
    starts = [body, *(found.end() for found in re.compile("\n").finditer(text, body))]
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open" and opening.level == 0 and opening.map:
            # its words are those of its parts, without emphasis, links and code marks
            parts = (child for token in markdown.parseInline(inline.content) for child in token.children or ())
            words = (" " if child.type in {"softbreak", "hardbreak"} else child.content for child in parts)
            yield int(opening.tag[1:]), " ".join("".join(words).split()), starts[opening.map[0]]


def sections(text: str, body: int, headings: Sequence[tuple[int, str, int]], title: str) -> Iterator[DocumentPart]:
    """Yield one section a heading, down to the next of any level; words before the first are one of their own.

    A heading with nothing below it belongs to the section that follows.
    """
    if not headings:
        return
    opens = [(title, body)] if text[body : headings[0][2]].strip() else []
    begun = None
    for (_, label, start), end in zip(headings, [*(start for _, _, start in headings[1:]), len(text)], strict=True):
        begun = start if begun is None else begun
        below = text[start:end].strip().partition("\n")[2].strip("=- \n")  # a heading may be underlined
        if end == len(text) or below:
            opens.append((label or title, begun))
            begun = None
    opens[0] = (opens[0][0], 0)
    ends = [start for _, start in opens[1:]] + [len(text)]
    for number, ((label, start), end) in enumerate(zip(opens, ends, strict=True), 1):
        yield DocumentPart("section", number, label, start, end)
