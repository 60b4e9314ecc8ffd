"""Texts for people: truncated, counted, timed, and made safe for a terminal or for markup."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from html import escape as escape_markup
from itertools import pairwise
from json import JSONDecodeError

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BAR, _RULE = re.compile(r"(?<!\\)\|"), re.compile(r"[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*(?:-[ \t:-]*)?")
_MARKS = re.compile(r"^\s*(?:(?:#{1,6}|[>*+-])\s+)+")
_LINK = re.compile(
    r"!?\[(?P<words>[^\[\]\n]*(?:\[[^\[\]\n]*\][^\[\]\n]*)*)\]"
    r"\((?:[^()\s]|\([^()\s]*\))*(?: \"[^\"\n]*\")?\)"
)
_OPENS, _SINGLE = re.compile(r'(?<![^\s(\[—–])"'), str.maketrans('“”"', "‘’’")
_BLOCK = re.compile(r"\S[^\n]*(?:\n[ \t]*\S[^\n]*)*")
_NUMBERED = re.compile(r"\d{1,2}(?:\.\d{1,2})*\.?[ \t]+[A-Z][^\n]{0,78}[^\s.!?:;,]\n(?=[ \t]*[A-Z])")  # a heading
_TELLS = re.compile(r"\w[.!?…][”\"’')\]]*(?=\s*$|\s+[^\s\da-z])|[。！？]")  # how a sentence ends
SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!\b[DMS][rt]\.)(?<!\bMrs\.)(?<!\bProf\.)(?<!\b\d\.)(?<!\b\d\d\.)[\"”’)]*\s+(?=[^\da-z])|\n+"
)
"""Where a sentence of a model or of its source ends, so far as signs tell: not after "Dr." or an item's number."""
_FILE = 60  # characters of a file name, with its ending
_TAGS = "b|i|u|s|em|strong|code|kbd|sub|sup|br|hr|p|q|tt|var|samp|cite|abbr|small|mark|del|ins|span|div|font|center"
_MARKUP = re.compile(rf"\*\*|`|</?(?:{_TAGS})>|\\(?=[-.!#*_()\[\]+>|])", re.IGNORECASE)
EMPTY = "“”"
"""What stands where a text is empty: nothing would look like a fault, and could not be clicked."""
_STEM = 5  # letters by which two forms of a word are taken for one
_WORD = re.compile(r"\w{4,}")


def count(number: int | None, noun: str) -> str:
    """Return a number with its noun, "1 fact", "1,204 facts"; the plural alone where the number is not known."""
    many = f"{noun}es" if noun.endswith(("x", "s", "ch")) else f"{noun}s"
    return many if number is None else f"{number:,} {noun if number == 1 else many}"


def or_empty(text: str) -> str:
    """Return a text, or where there is nothing to read in it what says so."""
    return text if text.strip() else EMPTY


def seconds(duration: float) -> str:
    """Return a duration, given in seconds, with its unit: "8 ms", "0.6 s", "12 s"."""
    if duration < 0.1:
        return f"{max(1, round(duration * 1000))} ms"
    return f"{duration:.1f} s" if duration < 10 else f"{duration:.0f} s"


def json_fault(error: Exception) -> str:
    """Return what keeps a line from being JSON, and where in it: "Expecting value, at character 1"."""
    if isinstance(error, JSONDecodeError):
        return f"{error.msg}, at character {error.colno:,}"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return "a number in it is too long" if "integer string conversion" in str(error) else str(error)


def without_markup(text: str) -> str:
    """Return a text without the marks of Markdown and HTML inside a line: bold, code, underlined, escaped, links."""
    return _MARKUP.sub("", without_links(text))


def without_links(text: str) -> str:
    """Return a text with the words of links of Markdown in place of these, and of pictures what stands for them."""
    return _LINK.sub(lambda link: link["words"], text) if "](" in text else text


def without_bars(text: str, before: str = "") -> str:
    """Return a text in which rows of Markdown tables read as "head: cell; head: cell", without bars and rules.

    `before` is what stands before it, where the heads of the columns may be; a row without heads is its cells alone.
    """
    if "|" not in text:
        return text
    heads, made = list[str](), []
    lines = [*((line, False) for line in _table_above(before)), *((line, True) for line in text.split("\n"))]
    for at, (line, is_shown) in enumerate(lines):
        if not line.lstrip().startswith("|"):
            heads = []
            made += [line] * is_shown
        elif not _RULE.fullmatch(line):
            row = [" ".join(cell.split()) for cell in _BAR.split(line.strip().strip("|"))]
            if at + 1 < len(lines) and _RULE.fullmatch(lines[at + 1][0]):
                heads = row
            elif is_shown:
                made.append(_as_pairs(heads, row))
    return "\n".join(made) or "; ".join(filter(None, heads))


def _table_above(before: str) -> list[str]:
    """Return the rows that a text ends with."""
    lines = before.rstrip(" \t").removesuffix("\n").split("\n") if before.rstrip(" \t").endswith("\n") else []
    first = next((at for at in range(len(lines), 0, -1) if not lines[at - 1].lstrip().startswith("|")), 0)
    return lines[first:]


def _as_pairs(heads: list[str], row: list[str]) -> str:
    heads = heads if len(heads) == len(row) else [""] * len(row)
    return "; ".join(f"{head}: {cell}" if head else cell for head, cell in zip(heads, row, strict=True) if cell)


def truncate(text: str, length: int = 40) -> str:
    """Shorten a text to `length` characters, at the end of a word and with an ellipsis; white space is collapsed."""
    line = " ".join(text.split())
    if len(line) <= length:
        return line
    cut = line[: length - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut[length // 2 :] else cut).rstrip(" ,.;:–-") + "…"


def opening(text: str, length: int = 40) -> str:
    """Return the first words of a passage, without the marks that Markdown puts before a heading, an item or a cell."""
    text = without_bars(text)
    return truncate(_MARKS.sub("", text), length) or truncate(text, length)


def first_sentence(text: str, title: str = "") -> int:
    """Return where the first sentence of a passage begins, in code points: below titles, headings and running heads.

    0 where there is none, as in a table. `title` is that of its document.
    """
    for block in _BLOCK.finditer(text):
        at, end = block.span()
        if " ".join(text[at:end].split()) == title:
            continue
        if heading := _NUMBERED.match(text, at, end):
            at = heading.end()
        if text[at] not in "#|" and "\t" not in text[at:end] and _TELLS.search(text, at, end):
            return at
    return 0


def sentence_about(text: str, ideas: Iterable[str], title: str = "") -> int:
    """Return where the sentence of a passage begins that has most words of some ideas; the first where none has any."""
    starts = [first_sentence(text, title)]
    starts += [end.end() for end in SENTENCE_END.finditer(text, starts[0])]
    sought = {word[:_STEM] for idea in ideas for word in _WORD.findall(idea.casefold())}

    def shared(span: tuple[int, int]) -> int:
        return len(sought & {word[:_STEM] for word in _WORD.findall(text[slice(*span)].casefold())})

    return max(pairwise([*starts, len(text)]), key=shared)[0]


def in_quotes(text: str) -> str:
    """Put a text in quotation marks; double ones within it become single."""
    opened = _OPENS.sub("‘", text)
    return f"“{opened.translate(_SINGLE)}”"


def strip_controls(text: str) -> str:
    """Remove what a terminal would obey: control and direction characters, except newline and tab."""
    if text.isprintable():
        return text
    return "".join(char for char in text if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cf", "Cs"))


def one_line(text: str) -> str:
    """Return a text on one line, safe for a terminal."""
    return strip_controls(" ".join(text.split()))


def folded(text: str) -> str:
    """Return a text as it is compared: without its case, however white space divides it."""
    return " ".join(text.split()).casefold()


def escape(text: str) -> str:
    """Escape a text for HTML, SVG and XML, and drop the characters that XML forbids."""
    return escape_markup(_NO_XML.sub("", text))


def no_formula(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def file_for(question: str, ending: str) -> str:
    """Make a name from a question: its letters and digits in any script, with hyphens for all else between them."""
    words = hyphened(question)
    room = _FILE - len(ending) - 1
    if len(words) > room:
        words = words[: room + 1].rpartition("-")[0] or words[:room]
    return f"{words or 'answer'}.{ending}"


def hyphened(text: str) -> str:
    """Return the letters and digits of a text, in any script, with hyphens for all else between them."""
    return re.sub(r"[\W_]+", "-", unicodedata.normalize("NFC", text)).strip("-")


def sound(text: str) -> str:
    """Replace halves of characters, which JSON can spell and no record can hold, by a mark."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
