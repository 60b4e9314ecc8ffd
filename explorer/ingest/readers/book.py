"""EPUB books: their chapters in the order of reading, each a page of HTML in a zip archive.

The package file is read here, in a few lines: EbookLib is under the AGPL.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import unquote

from explorer.errors import DocumentError
from explorer.ingest.limits import Meter
from explorer.ingest.readers.archive import opened, xml
from explorer.ingest.readers.damage import DamagedError
from explorer.ingest.readers.document_text import Reading, named, title_from
from explorer.ingest.readers.html import decoded
from explorer.ingest.readers.html_as_markdown import Marked, joined, marked, parsed, plain
from explorer.ingest.readers.markdown import sections
from explorer.text import count

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_EMPTY = re.compile(  # XHTML closes these in their tag; read as HTML they would stay open
    r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b)([a-zA-Z][\w:-]*)((?:\s[^<>]*)?)/>"
)
_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")
_CONTAINER, _PROTECTED = "META-INF/container.xml", "META-INF/encryption.xml"
_PAGES = frozenset({"application/xhtml+xml", "text/html", "image/svg+xml", "application/x-dtbook+xml"})
_CONTENTS = "application/x-dtbncx+xml"
_MOVES = frozenset({"x", "y", "dx", "dy"})  # to another place: there the next word stands
_DAY = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")


def read_book(data: bytes, name: str, meter: Meter) -> Reading:
    """Read a book. Raises DocumentError when it is damaged, protected, too large, or has no text in it."""
    with opened(data, name, meter.limits) as archive:
        place = _value(xml(archive.read(_CONTAINER)), "rootfile", "full-path")
        package = xml(archive.read(place))
        chapters, left_out = [], Counter[str]()
        for one in _chapters(archive, package, posixpath.dirname(place), name, left_out):
            meter.check()
            chapters.append(one)
        given = {
            field: next((node.text for node in package.iter(f"{{*}}{field}") if node.text), None)
            for field in ("title", "creator", "date")
        }
    found = joined(chapters)
    if not found.text:
        raise DocumentError(f"{name!r} has no text in it, only pictures; run text recognition (OCR) on it first.")
    heading = next((words for _, words, _ in found.headings if words), None)
    title = named(given["title"]) or named(heading) or title_from(name)
    day = _DAY.match((given["date"] or "").strip())
    parts = tuple(sections(found.text, 0, found.headings, title))
    notes = tuple(f"{count(number, what)} left out" for what, number in left_out.items())
    date = day[0] if day else None
    return Reading(title, "application/epub+zip", found.text, parts, named(given["creator"]), date, notes=notes)


def _chapters(
    archive: zipfile.ZipFile, package: Element, folder: str, name: str, left_out: Counter[str]
) -> Iterator[Marked]:
    """Yield what each chapter says, in the order of reading; one without headings is called as in the contents.

    `left_out` counts those that are not read.
    """
    items = {item.get("id"): item for item in package.iter("{*}item")}
    protected = _protected(archive)
    try:
        labels = _labels(archive, items.values(), folder)
    except DamagedError:
        labels = {}
    names = {name: name for name in archive.namelist()}
    names = {name.lower(): name for name in names} | names
    seen: set[str] = set()
    for reference in package.iter("{*}itemref"):
        item = items.get(reference.get("idref"))
        if item is not None and (_is_contents(item) or item.get("media-type") == _CONTENTS):
            continue
        if item is None or item.get("media-type") not in _PAGES:
            left_out["page that is no text" if item is not None else "missing chapter"] += 1
            continue
        place = _inside(folder, item.get("href") or "")
        place = place if place in names else place.lower()
        if place in seen:  # once for each heading in it, as some programs list it
            continue
        seen.add(place)
        if place in protected:
            raise DocumentError(f"{name!r} is protected against copying; use a copy without protection.")
        if place not in names:
            left_out["missing chapter"] += 1
            continue
        found = _page(archive, names[place], name)
        if found.text and not found.headings and place in labels:
            yield Marked(found.text, ((1, labels[place], 0),))
        elif found.text:
            yield found


def _page(archive: zipfile.ZipFile, place: str, name: str) -> Marked:
    markup = _DECLARATION.sub("", decoded(archive.read(place), name))
    page = parsed(_EMPTY.sub(r"<\1\2></\1>", markup), name)
    found = marked(page.body) if page.body is not None else Marked("", ())
    if found.text or ("<svg" not in markup and ":svg" not in markup):
        return found
    drawn = xml(markup.encode())  # a page that is a drawing: each of its texts is a line
    for piece in drawn.iter("{*}tspan"):
        piece.text = f"{' ' * bool({*piece.keys()} & _MOVES)}{piece.text or ''}"
    lines = (" ".join("".join(map(str, text.itertext())).split()) for text in drawn.iter("{*}text"))
    return Marked("\n".join(filter(None, map(plain, lines))), ())


def _labels(archive: zipfile.ZipFile, items: Iterable[Element], folder: str) -> dict[str, str]:
    """The titles of chapters by their files, as the table of contents has them, of EPUB 3 or else 2."""
    found: dict[str, str] = {}
    for item in items:
        place = _inside(folder, item.get("href") or "")
        is_older = item.get("media-type") == _CONTENTS
        if not (is_older or _is_contents(item)) or place not in archive.namelist():
            continue
        contents = xml(archive.read(place))
        for entry in contents.iter("{*}navPoint" if is_older else "{*}a"):
            link = next(entry.iter("{*}content"), None) if is_older else entry
            named_by = next(entry.iter("{*}text"), None) if is_older else entry
            target = None if link is None else link.get("src" if is_older else "href")
            words = "" if named_by is None else " ".join("".join(map(str, named_by.itertext())).split())
            if target and words:
                found.setdefault(_inside(posixpath.dirname(place), target), words)
    return found


def _protected(archive: zipfile.ZipFile) -> frozenset[str]:
    """The files that are encrypted, as fonts may be without harm."""
    if _PROTECTED not in archive.namelist():
        return frozenset()
    found = xml(archive.read(_PROTECTED)).iter("{*}CipherReference")
    return frozenset(unquote(each.get("URI") or "") for each in found)


def _is_contents(item: Element) -> bool:
    return "nav" in (item.get("properties") or "").split()


def _inside(folder: str, link: str) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(link.partition("#")[0])))


def _value(root: Element, tag: str, attribute: str) -> str:
    found = next(root.iter(f"{{*}}{tag}"), None)
    if found is None:
        raise DamagedError(f"no {tag}")
    return str(found.get(attribute))
