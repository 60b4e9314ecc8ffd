"""OpenDocument texts and sheets, .odt and .ods, by their own markup: as HTML, and as rows of what their cells show.

odfpy may be had under the GPL, and python-calamine shows no number as its cell does. Deletions that are tracked, hidden
words, comments, contents and pictures are no text; a formula is the value that is stored with it.
"""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from html import unescape

from lxml.etree import _Element as Element

from explorer.errors import DocumentError
from explorer.ingest.limits import Meter
from explorer.ingest.readers.archive import check_sizes, opened, xml
from explorer.ingest.readers.damage import DamagedError
from explorer.ingest.readers.document_text import Reading
from explorer.ingest.readers.html import read_page
from explorer.ingest.readers.tables import Sheet, letters, reading_of, unvalued
from explorer.text import count, escape

_MIME = "application/vnd.oasis.opendocument."
_UNREAD = frozenset(
    "tracked-changes annotation image object object-ole hidden-text hidden-paragraph note-citation covered-table-cell "
    "table-of-content table-index illustration-index object-index user-index alphabetical-index".split()
)
_BLANKS = {"s": " ", "tab": "\t", "line-break": "<br>"}
_TAGS = {"p": "p", "list": "ul", "list-item": "li", "list-header": "li", "table": "table", "table-row": "tr"}
_MARKUP = re.compile("<[^>]*>")
_SPANS = (("colspan", "columns"), ("rowspan", "rows"))
_MOST_REPEATED, _WIDEST, _LONGEST = 200, 16_384, 1_048_576  # blanks of a text; columns and rows of a sheet
_HEAD_ROWS = 12  # from the top: there a cell over several columns is said in each of them


def read_text(data: bytes, name: str, meter: Meter) -> Reading:
    """Read a text; raises DocumentError when it is damaged, encrypted, too large, or has no text in it."""
    with opened(data, name, meter.limits) as archive:
        body, head = _body(archive, name), _head(archive)
        hidden = {_of(one, "name") for part in {"content.xml", "styles.xml"} & {*archive.namelist()}
                  for one in xml(archive.read(part)).iter("{*}style")
                  if any(_of(each, "display") == "none" for each in one.iter("{*}text-properties"))}  # fmt: skip
    html = "".join(_html(body, hidden, []))
    if not _MARKUP.sub("", html).strip():
        raise DocumentError(f"{name!r} has no text in it; open it and look whether it holds more than pictures.")
    return replace(read_page(f"<head>{head}</head><body>{html}</body>", name), mime=f"{_MIME}text", notes=_notes(body))


def read_sheets(data: bytes, name: str, meter: Meter) -> Reading:
    """Read the sheets of a file; raises DocumentError when it is damaged, encrypted, too large, or empty."""
    with opened(data, name, meter.limits) as archive:
        body = _body(archive, name)
    tables, uncomputed = body.findall("{*}table"), Counter[str]()
    sheets = (Sheet(_of(one, "name") if len(tables) > 1 else "", _rows(one, uncomputed)) for one in tables)
    reading = reading_of(sheets, f"{_MIME}spreadsheet", name)
    return replace(reading, notes=(*([unvalued(uncomputed)] if uncomputed else []), *_notes(body)))


def _body(archive: zipfile.ZipFile, name: str) -> Element:
    if b"encryption-data" in archive.read("META-INF/manifest.xml"):
        raise DocumentError(f"{name!r} is encrypted; save a copy without a password and use that.")
    check_sizes(archive)
    if b"<!ENTITY" in (data := archive.read("content.xml")):
        raise DocumentError(f"{name!r} declares entities, as only harmful files do; save it again and try again.")
    if (found := xml(data).find("{*}body/*")) is None:
        raise DamagedError("its body is missing")
    return found


def _head(archive: zipfile.ZipFile) -> str:
    """What a file says of itself, as a page has it."""
    about = xml(archive.read("meta.xml")) if "meta.xml" in archive.namelist() else None
    title, author, date = ("" if about is None else escape(about.findtext(f".//{{*}}{tag}") or "")
                           for tag in ("title", "initial-creator", "creation-date"))  # fmt: skip
    return f'<title>{title}</title><meta name="author" content="{author}"><meta name="date" content="{date}">'


def _notes(body: Element) -> tuple[str, ...]:
    return (f"{count(comments, 'comment')} left out",) if (comments := len([*body.iter("{*}annotation")])) else ()


def _tag(node: Element) -> str:
    """The name of an element without its namespace; nothing of what is a comment, or says what a picture shows."""
    space, _, tag = node.tag.rpartition("}") if isinstance(node.tag, str) else ("", "", "")
    return "" if "svg-compatible" in space else tag


def _of(node: Element, name: str) -> str:
    """An attribute of an element, whatever its namespace."""
    return next((str(value) for key, value in node.items() if key.rpartition("}")[2] == name), "")


def _times(node: Element, name: str, most: int) -> int:
    said = _of(node, name)
    return min(int(said), most) if said.isascii() and said.isdigit() and len(said) <= len(str(most)) else 1


def _html(
    node: Element, hidden: set[str], aside: list[Element], *, in_line: bool = False, is_head: bool = False
) -> Iterator[str]:
    """Yield an element as HTML; notes, and what stands in a box, come after the paragraph that they are in."""
    tag, style = _tag(node), _of(node, "style-name")
    aside += [node] * (is_aside := in_line and tag in {"note-body", "text-box"})
    if is_aside or not tag or tag in _UNREAD or style in hidden:
        return
    yield _BLANKS.get(tag, "") * _times(node, "c", _MOST_REPEATED)
    is_line, is_cell = tag in {"h", "p"}, tag == "table-cell"
    name = f"h{_times(node, 'outline-level', 6)}" if tag == "h" else "h1" if style == "Title" else _TAGS.get(tag, "")
    name = name or ("th" if is_head else "td") * is_cell
    spans = (f" {html}={_times(node, f'number-{own}-spanned', _MOST_REPEATED)}" for html, own in _SPANS if is_cell)
    yield f"<{name}{''.join(spans)}>" if name else ""
    in_one = is_line or in_line
    yield escape(node.text or "") if in_one else ""
    for child in node:
        yield from _html(child, hidden, aside, in_line=in_one, is_head=is_head or tag == "table-header-rows")
        yield escape(child.tail or "") if in_one else ""
    yield f"</{name}>" if name else ""
    while is_line and not in_line and aside:
        yield from _html(aside.pop(0), hidden, aside)


def _rows(table: Element, uncomputed: Counter[str]) -> Iterator[list[str]]:
    """Yield the rows of a sheet, as long as there is one with anything in it below."""
    number = empty = 0
    for row in table.iter("{*}table-row"):
        times = _times(row, "number-rows-repeated", _LONGEST)
        cells = _cells(row, number + 1, uncomputed)
        number, empty = number + times, empty + times
        if any(cells):
            yield from [[]] * min(empty - times, _LONGEST) + [cells] * times
            empty = 0


def _cells(row: Element, number: int, uncomputed: Counter[str]) -> list[str]:
    cells, column, over, under = list[str](), 0, "", 0  # a cell over several columns, and how many of these come
    for cell in row.iter("{*}table-cell", "{*}covered-table-cell"):
        times = _times(cell, "number-columns-repeated", _WIDEST)
        said = "".join(piece for line in cell.findall("{*}p") for piece in _html(line, set(), []))
        text = unescape(_MARKUP.sub(" ", said)).strip() or _of(cell, "value")
        if _tag(cell) == "table-cell":
            over, under = text, _times(cell, "number-columns-spanned", _WIDEST) if number <= _HEAD_ROWS else 0
        uncomputed.update([f"{letters(column)}{number}"] if _of(cell, "formula") and not text else [])
        if (text := text or over * (under > 0)) and column + times <= _WIDEST:
            cells += [""] * (column - len(cells)) + [text] * times
        column, under = column + times, under - times
    return cells
