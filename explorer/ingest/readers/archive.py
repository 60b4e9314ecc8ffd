"""Documents that are zip archives: Office files and books, opened with limits. Nothing outside of them is ever read."""

from __future__ import annotations

import io
import lzma
import re
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from copy import copy
from typing import TYPE_CHECKING

from explorer.errors import DocumentError
from explorer.ingest.limits import MOST_UNPACKED, Limits
from explorer.ingest.readers.damage import DamagedError
from explorer.ingest.readers.document_text import named

if TYPE_CHECKING:
    from lxml import etree

MOST_PARTS = 20_000
_RATIO = 100  # documents are packed by 3 to 20, bombs by 1,000
_RATIO_ABOVE = 20_000_000  # bytes: smaller ones do no harm
_MOST_RATIO = 1_032  # of what is packed as zip files usually are
_PIECE = 4_096  # bytes: of the least common ways to pack, each piece of so many may unpack to 30 MB
_MARKUP = re.compile(r"(?i)\.(?:xml|rels|xhtml|html?|opf|ncx)$")
_OFFICE = re.compile(r"(?i)\.(?:xml|rels|vml)$")
_DECLARES = re.compile(rb"<!(?:DOCTYPE|ENTITY)")
_IS_ENCRYPTED = 0x1
_BROKEN = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, NotImplementedError)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_TEMPLATES = {  # the moments at which those of python-docx and python-pptx were made, and by whom
    "2013-12-23T23:15:00Z": "python-docx",
    "2013-01-27T09:14:16Z": "Steve Canny",
}


@contextmanager
def opened(data: bytes, name: str, limits: Limits) -> Iterator[zipfile.ZipFile]:
    """Open an archive within the limits."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        _check(archive, len(data), name, limits)
        yield archive


def check_office(archive: zipfile.ZipFile, name: str) -> None:
    """Refuse an Office file whose parts declare entities, which none needs and which can grow without end."""
    for part in archive.infolist():
        if _OFFICE.search(part.filename):
            data = archive.read(part)
            if _DECLARES.search(data.replace(b"\0", b"")):
                raise DocumentError(
                    f"{name!r} declares entities, as only harmful files do; save it again and try again."
                )


def check_sizes(archive: zipfile.ZipFile) -> None:
    """Raise DamagedError where a part unpacks to more than the archive says: whoever reads it would hold all of it."""
    for part in archive.infolist():
        is_deflated = part.compress_type == zipfile.ZIP_DEFLATED
        if part.compress_type == zipfile.ZIP_STORED or (
            is_deflated and part.compress_size * _MOST_RATIO <= _RATIO_ABOVE
        ):
            continue
        unlimited, seen = copy(part), 0
        unlimited.file_size = sys.maxsize
        with suppress(*_BROKEN), archive.open(unlimited) as unpacked:  # which may be a part that nobody reads
            while seen <= part.file_size and (piece := unpacked.read(_PIECE)):
                seen += len(piece)
        if seen > part.file_size:
            raise DamagedError("a part is larger than the archive says")


def properties(archive: zipfile.ZipFile, *, changed: bool = False) -> tuple[str | None, str | None, str | None]:
    """Return title, author and day of an Office file, as far as it says them and not the template that it was made of.

    The day is that on which it was begun, or last changed.
    """
    place = next((name for name in archive.namelist() if name.lower().endswith("docprops/core.xml")), None)
    try:
        root = xml(archive.read(place)) if place else None
    except DamagedError:
        root = None
    if root is None:
        return None, None, None
    given: dict[str, str] = {}
    for node in root.iter("{*}title", "{*}creator", "{*}created", "{*}modified"):
        given.setdefault(str(node.tag).rpartition("}")[2], (node.text or "").strip())
    begun, last = given.get("created", ""), given.get("modified", "")
    if begun in _TEMPLATES and given.get("creator") == _TEMPLATES[begun]:
        del given["creator"]
    days = [found[0] for moment in ((last, begun) if changed else (begun, last)) if (found := _DAY.match(moment))]
    if begun in _TEMPLATES:
        days = [day for day in days if not begun.startswith(day)]
    date = next(iter(days), None)
    return named(given.get("title")), named(given.get("creator")), date


def xml(data: bytes) -> etree._Element:
    """Parse XML without entities, DTDs or network; what is broken in it is passed over."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:  # of nothing at all
        raise DamagedError(str(error)) from error
    if root is None:
        raise DamagedError("no XML")
    return root


def _check(archive: zipfile.ZipFile, packed: int, name: str, limits: Limits) -> None:
    parts = archive.infolist()
    unpacked = sum(part.file_size for part in parts)
    largest = max((part.file_size for part in parts if _MARKUP.search(part.filename)), default=0)
    if len(parts) > MOST_PARTS:
        raise DocumentError(f"{name!r} has {len(parts):,} parts, as no document has; save it again.")
    is_bomb = unpacked > _RATIO_ABOVE and unpacked > _RATIO * packed and limits.unpacked is None
    limits.check_unpacked(name, unpacked, largest, _RATIO_ABOVE if is_bomb else MOST_UNPACKED)
    if any(part.flag_bits & _IS_ENCRYPTED for part in parts):
        raise DocumentError(f"{name!r} is encrypted; save a copy without a password and use that.")
    check_sizes(archive)
