"""HTML as text with the marks of Markdown for headings, lists, tables and code: the one route of formats that are HTML.

The words stand as they are read: blanks are collapsed as a browser does, hints where a word may be divided go, and but
for a bar in a cell nothing is escaped. Links give their words, pictures nothing; scripts, styles and forms are not
looked into, and nothing is fetched.

Why no library does it all: of four manuals tried trafilatura kept the text, but lost every heading of two and a quarter
of the code of a third, and it brings `tld`, under MPL, GPL or LGPL; markitdown, by markdownify, kept the menus, and
writes links and escapes into the words; html2text is under the GPL. selectolax parses as browsers do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from explorer.ingest.readers.html_nesting import check_nesting
from explorer.ingest.readers.tables import PIECE, pieces
from explorer.language.tables import joined_heads

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form header hgroup hr html legend li main menu nav ol p pre search section summary table tbody td tfoot th "
    "thead tr ul h1 h2 h3 h4 h5 h6".split()
)
_UNREAD = frozenset(
    "script style template noscript svg iframe frame object embed applet audio video canvas head title button select "
    "input textarea datalist annotation annotation-xml rp rt rtc map".split()
)
_AROUND = frozenset({"nav", "footer"})
_AROUND_ROLES = frozenset({"navigation", "search", "banner", "contentinfo", "complementary"})
_AROUND_CLASSES = frozenset(  # of DocBook, LaTeX2HTML, Texinfo, Sphinx, Doxygen and MediaWiki
    "navheader navfooter navigation nav-panel related sphinxsidebar navpath breadcrumb breadcrumbs footer "
    "mw-portlet-lang vector-page-toolbar vector-settings mw-jump-link printfooter catlinks navbox".split()
)
_STEPS = re.compile(r"(?i)\W*(?:next|prev(?:ious)?|up)\b")
_STEP = re.compile(r"(?i)\b(next|prev|previous|up|home|contents|index)\b")
_STEPPED = frozenset({"p", "div", "table"})
_FEWEST_STEPS = 2
_LONGEST_STEPS = 400  # code points of a line of links to the pages before, after and above
_MARKING = frozenset(
    {"headerlink", "linenos", "lineno", "mw-editsection", "mw-cite-backlink", "anchorjs-link"}
)  # classes of what programs add
_SIGNS = frozenset("¶ § # 🔗 ↑ ↩ ↩︎ ↩\ufe0e ⤴".split())  # of links to a heading, and from a note to its place
_HINTS = re.compile("[\u00ad\u200b\ufeff]")  # where a word may be divided, and marks without width
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_ICONS = re.compile("(?=\\s*[\ue000-\uf8ff])[\ue000-\uf8ff\\s]+")  # signs that a font of its own draws: no text
_POWER = re.compile(r"[-+−]?\d{1,4}")
_LONGEST_CELL = 2_000  # code points: a table with a longer one lays out a page
_LONGEST_LABELLED = 400  # code points of a label and what it stands for
_REPEATED_CELL = 200  # code points of a cell over several rows that is repeated in each
_REPEATED = 2_000_000  # code points of all of these in a table: no more are repeated then
_IN_TABLE = 7  # instead of the level of a heading
_MOST_COLUMNS = 200
_DEEPEST = 8  # lists and quotations inside each other that are shown as such


@dataclass(frozen=True, slots=True)
class Marked:
    """Text with the level, words and offset of each of its headings.

    The pieces of a long table have one each, and so has what comes after it: of level 7, with words not in the text.
    """

    text: str
    headings: tuple[tuple[int, str, int], ...]


def joined(blocks: Sequence[Marked]) -> Marked:
    """Return blocks as one text, each below the one before."""
    headings: list[tuple[int, str, int]] = []
    start = 0
    for block in blocks:
        headings += [(level, words, start + place) for level, words, place in block.headings]
        start += len(block.text) + len("\n\n")
    return Marked("\n\n".join(block.text for block in blocks), tuple(headings))


@dataclass(slots=True)
class _Inside:
    """A list item, quotation or explanation that blocks stand in: what its first line begins with, and the others."""

    tag: str
    first: str = ""
    rest: str = ""
    count: int = 0  # of items so far, or which of them
    is_begun: bool = False


@dataclass(slots=True)
class _Writer:
    """Blocks one below the other, each with the marks of what it stands in."""

    pieces: list[str] = field(default_factory=list)
    headings: list[tuple[int, str, int]] = field(default_factory=list)
    inside: list[_Inside] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    length: int = 0
    opens: str = ""  # the label of a part that begins with the next block, unless that is a heading

    def flush(self, level: int = 0) -> None:
        """End a block of words; a level makes it a heading."""
        lines = [" ".join(line.split()) for line in "".join(self.words).split("\n")]
        self.words.clear()
        if level:
            lines = [" ".join(filter(None, lines))]
        self.write([line for line in lines if line], level)

    def write(self, lines: list[str], level: int = 0) -> None:
        """Write the lines of a block."""
        if not lines:
            return
        around = [each for each in self.inside if each.first or each.rest][-_DEEPEST:]
        is_close = bool(around) and not around[-1].is_begun and around[-1].tag in {"li", "dd"}
        starts = is_close and around[-1].tag == "li" and around[-1].count == 1 and len(around) == 1
        self._append(("\n" if is_close and not starts else "\n\n") if self.length else "")
        if level:
            self.headings.append((level, lines[0], self.length))
            lines = [f"{'#' * level} {lines[0]}"]
        elif self.opens:
            self.headings.append((_IN_TABLE, self.opens, self.length))
        self.opens = ""
        rest = "".join(each.rest for each in around)
        first = "".join(each.rest if each.is_begun else each.first for each in around)
        for each in around:
            each.is_begun = True
        self._append("\n".join([f"{first}{lines[0]}", *(f"{rest}{line}".rstrip() for line in lines[1:])]))

    def _append(self, text: str) -> None:
        self.pieces.append(text)
        self.length += len(text)


def parsed(html: str, name: str) -> LexborHTMLParser:
    """Return a page as a browser would read it; nothing in it is run or fetched. Raises DocumentError for a page that
    is nested, or grows, without end.
    """
    check_nesting(html, name)
    return LexborHTMLParser(html)


def marked(root: LexborNode, *, is_page: bool = False) -> Marked:
    """Return what an element says; of a page of the web without menus, banners and feet."""
    writer = _Writer()
    todo = [(root, True)]  # no recursion: pages may be nested by thousands
    while todo:
        node, opens = todo.pop()
        if not opens:
            _end(writer, node)
        elif _begin(writer, node, is_page=is_page):
            todo.append((node, False))
            todo += ((child, True) for child in reversed(_children(node)))
    writer.flush()
    return Marked("".join(writer.pieces), tuple(writer.headings))


def _children(node: LexborNode) -> list[LexborNode]:
    """Return what stands in an element; what says what a table is, before that."""
    found = list(node.iter(include_text=True))
    if node.tag == "figure" and node.css_first("table") is not None:
        found.sort(key=lambda one: one.tag != "figcaption")
    return found


def line_of(root: LexborNode, *, is_page: bool = False) -> str:
    """Return the words of an element on one line."""
    words: list[str] = []
    todo: list[LexborNode | None] = [root]
    while todo:
        node = todo.pop()
        if node is None:
            words.append(" ")
        elif node.tag == "-text":
            words.append(_text(node))
        elif not _is_unread(node, is_page=is_page) or node is root:
            if node.tag in _BLOCKS or node.tag == "br":
                words.append(" ")
                todo.append(None)
            todo += reversed(list(node.iter(include_text=True)))
    return " ".join("".join(words).split())


def plain(text: str) -> str:
    """Return a text without hints where words may be divided, marks without width, and control characters."""
    return _HINTS.sub("", _CONTROLS.sub("", text.replace("\v", " ")))


def _text(node: LexborNode) -> str:
    return plain(node.text_content or "")


def _begin(writer: _Writer, node: LexborNode, *, is_page: bool) -> bool:
    """Take what an element says as a whole; return whether to look into it."""
    tag = node.tag or ""
    if tag == "-text":
        words = _text(node).replace("\n", " ")
        writer.words.append(" " if _ICONS.fullmatch(words) else words)
        return False
    if _is_unread(node, is_page=is_page):
        return False
    if tag == "br":
        writer.words.append("\n")
    elif tag == "sup" and _POWER.fullmatch(node.text().strip()) and node.css_first("a") is None:
        writer.words.append("^")  # without it a power would read as more digits
    if tag not in _BLOCKS:
        return True
    writer.flush()
    if tag == "tr" and (words := _label_row(node, is_page=is_page)):
        writer.write([words])
        return False
    if tag == "pre" or (tag == "table" and _is_data(node)):
        _table(writer, node, is_page=is_page) if tag == "table" else writer.write(_code(node))
        return False
    _enter(writer, node)
    return True


def _enter(writer: _Writer, node: LexborNode) -> None:
    """Mark that what follows stands in a list, an item of one, an explanation or a quotation."""
    tag = node.tag or ""
    if tag in {"ul", "ol", "menu", "dir"}:
        start = node.attributes.get("start") or ""
        writer.inside.append(_Inside(tag, count=int(start) - 1 if start.isdecimal() and len(start) < 5 else 0))
    elif tag == "li":
        around = next((each for each in reversed(writer.inside) if each.tag in {"ul", "ol", "menu", "dir"}), None)
        count = 0
        if around is not None:
            around.count = count = around.count + 1
        mark = f"{count}. " if around is not None and around.tag == "ol" else "- "
        writer.inside.append(_Inside(tag, mark, " " * len(mark), count))
    elif tag == "dd":
        writer.inside.append(_Inside(tag, "  ", "  "))
    elif tag == "blockquote":
        writer.inside.append(_Inside(tag, "> ", "> "))


def _end(writer: _Writer, node: LexborNode) -> None:
    tag = node.tag or ""
    if tag in _BLOCKS:
        is_name = "author" in (node.attributes.get("class") or "").lower().split()  # DocBook's, in a heading of its own
        writer.flush(0 if is_name else _HEADINGS.get(tag, 0))
        if writer.inside and writer.inside[-1].tag == tag:
            writer.inside.pop()


def _is_unread(node: LexborNode, *, is_page: bool) -> bool:
    """Whether an element is not looked into: it is no text, is hidden, or stands around the text of a page."""
    tag, given = node.tag, node.attributes
    if tag in _UNREAD or (is_page and tag in _AROUND):
        return True
    if is_page and tag in _STEPPED and _is_steps(node):
        return True
    if not given:
        return False
    if "hidden" in given or given.get("aria-hidden") == "true":
        return True
    if "none" in (style := given.get("style") or "") and re.search(r"display\s*:\s*none", style):
        return True
    classes, role = (given.get("class") or "").split(), given.get("role")
    if not _MARKING.isdisjoint(classes) or role == "navigation":
        return True
    if is_page and (role in _AROUND_ROLES or not _AROUND_CLASSES.isdisjoint(classes)):
        return True
    return tag == "a" and node.text().strip() in _SIGNS


def _is_steps(node: LexborNode) -> bool:
    """Whether a block only leads to the pages before, after and above."""
    links = node.css("a")
    words = node.text(separator=" ") if len(links) >= _FEWEST_STEPS else ""
    if len(words) > _LONGEST_STEPS or not _STEPS.match(words):
        return False
    steps = [found.lower() for found in _STEP.findall(words)]
    linked = sum(len(link.text(separator=" ").split()) for link in links)
    others = sum(any(map(str.isalnum, word)) for word in words.split()) - linked - len(steps)
    return len(set(steps)) >= _FEWEST_STEPS > others


def _code(node: LexborNode) -> list[str]:
    """The lines of code between fences, as they stand."""
    words: list[str] = []
    todo = [node]
    while todo:
        each = todo.pop()
        if each.tag == "-text":
            words.append(_text(each))
        elif each.tag == "br":
            words.append("\n")
        elif each is node or not _is_unread(each, is_page=False):
            todo += reversed(list(each.iter(include_text=True)))
    lines = "".join(words).replace("\xa0", " ").strip("\n").rstrip().split("\n")
    if not any(lines):
        return []
    marks = max((len(found[0]) for line in lines for found in re.finditer("`{3,}", line)), default=2)
    fence = "`" * (marks + 1)
    return [fence, *lines, fence]


def _is_data(table: LexborNode) -> bool:
    """Whether a table holds rows of words; else it lays out a page, and its cells are read one after the other."""
    if table.attributes.get("role") == "presentation" or table.css_first("pre, h1, h2, h3, h4, h5, h6"):
        return False
    if sum(inner.tag == "table" for inner in table.traverse()) > 1:
        return False
    if max((len(row.css("td, th")) for row in table.css("tr")), default=0) < 2:
        return False
    return all(len(cell.text()) <= _LONGEST_CELL for cell in table.css("td, th"))


def _table(writer: _Writer, table: LexborNode, *, is_page: bool) -> None:
    """Write a table; one that no passage holds whole in pieces with its heads above each, which are parts."""
    opening, heads, rows = _rows(table, is_page=is_page)
    if not heads or sum(len(line) + 1 for line in (*opening, *heads, *rows)) <= PIECE:
        writer.write([*opening, *heads, *rows])
        return
    label = next((words for level, words, _ in reversed(writer.headings) if level != _IN_TABLE), " ".join(opening))
    room = PIECE - sum(len(line) + 1 for line in heads)
    for piece in pieces(enumerate(rows, 1), room - sum(len(line) + 1 for line in opening), room):
        first, last = piece[0][0], piece[-1][0]
        numbers = f"rows {first:,}–{last:,}" if last > first else f"row {first:,}"
        writer.opens = f"{label}, {numbers}" if label else numbers.capitalize()
        writer.write([*opening, *heads, *(line for _, line in piece)])
        opening = []
    writer.opens = label


def _rows(table: LexborNode, *, is_page: bool) -> tuple[list[str], list[str], list[str]]:
    """The caption, the heads of the columns with a rule below them, and a line for each row.

    A first row of one cell is a caption; rows of a label and what it stands for are lines with that label.
    """
    caption = table.css_first("caption")
    opening = list(filter(None, [line_of(caption, is_page=is_page)])) if caption else []
    held: dict[int, tuple[int, str]] = {}  # by column: rows to come that a cell above reaches into
    spanned: set[int] = set()
    rows: list[tuple[list[str], list[bool]]] = []
    repeated = 0
    for row in table.css("tr"):
        if _is_unread(row, is_page=is_page):
            continue
        found = [cell for cell in row.iter() if cell.tag in {"td", "th"}]
        if any(cells := list(_cells(found, held, spanned, is_page=is_page))):
            rows.append((cells, [cell.tag == "th" for cell in found]))
        repeated += sum(len(words) for _, words in held.values())
        if repeated > _REPEATED:
            held = {column: (left, "") for column, (left, _) in held.items()}
    while len(rows) > 1 and len(rows[0][1]) == 1 and sum(map(bool, rows[0][0])) == 1:
        opening.append(next(filter(None, rows.pop(0)[0])))
    for column in sorted(spanned, reverse=True):
        _join(column, [cells for cells, _ in rows])
    if len(rows) > 1 and all(_is_labelled(*row) for row in rows):
        return opening, [], [_labelled(cells) for cells, _ in rows]
    are_told = all(all(heads) for _, heads in rows[:2]) and not all(all(heads) for _, heads in rows[2:3])
    if over := joined_heads([cells for cells, _ in rows[:3]], are_told=are_told):
        rows[:2] = [(over, rows[0][1])]
    width = max((len(cells) for cells, _ in rows), default=0)
    lines = [f"| {' | '.join([*cells, *[''] * (width - len(cells))])} |" for cells, _ in rows]
    if rows and (all(rows[0][1]) or not any(rows[0][1])):
        return opening, [lines[0], f"|{' --- |' * width}"], lines[1:]
    return opening, [], lines


def _join(column: int, rows: list[list[str]]) -> None:
    """Make a column one with that before it where no row says something in both: only a layout parts them."""
    parted = [row for row in rows if len(row) > column]
    if not any(row[column - 1] and row[column] for row in parted):
        for row in parted:
            row[column - 1] += row.pop(column)


def _label_row(row: LexborNode, *, is_page: bool) -> str:
    """What a row of a table that is no data says as a line with a label; nothing where it is none."""
    cells = [cell for cell in row.iter() if cell.tag in {"td", "th"}]
    if len(cells) != 2 or len(row.text()) > _LONGEST_LABELLED or row.css_first("pre, h1, h2, h3, h4, h5, h6, dl"):
        return ""
    if any(inner.tag == "table" for cell in cells for inner in cell.traverse()):
        return ""
    items = [line_of(item, is_page=is_page) for item in cells[1].css("li")]
    said = [line_of(cells[0], is_page=is_page), ", ".join(filter(None, items)) or line_of(cells[1], is_page=is_page)]
    return _labelled(said) if said[1] and _is_labelled(said, [cell.tag == "th" for cell in cells]) else ""


def _is_labelled(cells: list[str], heads: list[bool]) -> bool:
    """Whether a row is a label, as its mark or its colon says, with what it stands for."""
    return len(cells) == len(heads) == 2 and bool(cells[0]) and (heads == [True, False] or cells[0].endswith(":"))


def _labelled(cells: list[str]) -> str:
    label, said = (cell.replace("\\|", "|") for cell in cells)
    return f"{label.rstrip(': ')}: {said}".rstrip()


def _cells(
    found: list[LexborNode], held: dict[int, tuple[int, str]], spanned: set[int], *, is_page: bool
) -> Iterator[str]:
    """The words of each column of a row: a cell over several rows is said in each, one over several columns once;
    those of them but the first are `spanned`.
    """
    column = 0
    cells = iter(found)
    while column < _MOST_COLUMNS:
        if column in held:
            left, words = held.pop(column)
            if left > 1:
                held[column] = left - 1, words
            yield words
            column += 1
            continue
        cell = next(cells, None)
        if cell is None:
            break
        words = line_of(cell, is_page=is_page).replace("|", "\\|")
        for place in range(min(_span(cell, "colspan"), _MOST_COLUMNS - column)):
            said = "" if place else words
            if place:
                spanned.add(column)
            if (rows := _span(cell, "rowspan")) > 1:
                held[column] = rows - 1, said if len(said) <= _REPEATED_CELL else ""
            yield said
            column += 1


def _span(cell: LexborNode, name: str) -> int:
    given = cell.attributes.get(name) or ""
    return max(1, int(given)) if given.isdecimal() and given.isascii() and len(given) < 6 else 1
