"""A long text in UTF-8, read a stretch at a time: no more of it is held, however long it is.

It is gone through twice: once for what the whole of it tells, its hash above all, and once to be read.
"""

from __future__ import annotations

import codecs
import hashlib
import io
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple

from explorer.errors import DocumentError
from explorer.ingest.chunker import LONG, LONGEST_STRETCH, stretch_end
from explorer.ingest.limits import Limits
from explorer.ingest.readers.document_text import Reading
from explorer.ingest.readers.encoding import BLANKS, CONTROLS_PER_CHARACTER, controls
from explorer.ingest.readers.files import Source, opened
from explorer.ingest.readers.formats import format_of, is_archive
from explorer.ingest.readers.markdown import read_text
from explorer.language.detection import language_of

_BLOCK = 1 << 20  # bytes
_HEAD = 20_000  # code points that tell title, author and date
_PIECES, _PIECE = 9, 1_000  # of which the language is told, and code points of each: as of a short text
_MARK = "\ufeff"
_TWO_SIGNS = re.compile(r"\r\n")


class Stretch(NamedTuple):
    """A stretch of a text, the offset at which it begins, and its bytes where they are not those of the text."""

    start: int
    text: str
    data: bytes


@dataclass(frozen=True, slots=True)
class LongText:
    """A file with a long text: the hash of its bytes, how long it is in code points, and a reading without a text."""

    source: Source
    sha256: str
    length: int
    reading: Reading

    def stretches(self) -> Iterator[Stretch]:
        """Read the text; raises DocumentError where the file is no longer the one that was looked at."""
        seen, start = hashlib.sha256(), 0
        with opened(self.source) as file:
            for raw, text in _stretches(file):
                data = raw.encode()
                seen.update(data)
                yield Stretch(start, text, b"" if raw == text else data)
                start += len(text)
        if seen.hexdigest() != self.sha256:
            raise DocumentError(
                f"{self.source.name} was changed while it was read; try again when nobody writes to it."
            )


def long_text(source: Source, limits: Limits) -> LongText | None:
    """Look through a file; None for one that is no text in UTF-8 of more than LONG code points.

    Raises DocumentError where it can't be read, or has more bytes than are allowed.
    """
    with opened(source) as file:
        size = os.fstat(file.fileno()).st_size
        if size <= LONG:
            return None
        limits.check_size(source.name, size)
        head = file.read(_BLOCK)
        if is_archive(head) or not format_of(head, source.name).is_typed:
            return None
        file.seek(0)
        try:
            return _looked(source, file, size)
        except UnicodeDecodeError:
            return None


def _looked(source: Source, file: BinaryIO, size: int) -> LongText | None:
    seen, decoder = (
        hashlib.sha256(),
        io.IncrementalNewlineDecoder(codecs.getincrementaldecoder("utf-8")(), translate=True),
    )
    length = odd = 0
    head, pieces, is_blank = "", list[str](), True
    while True:
        at = file.tell()
        data = file.read(_BLOCK)
        if b"\0" in data:
            return None
        seen.update(data)
        text = decoder.decode(data, final=not data)
        if not length:
            text = text.removeprefix(_MARK)
        head = head or (text if text[:_HEAD].strip(BLANKS) else text.lstrip(BLANKS))[:_HEAD]
        if text and at * _PIECES // size >= len(pieces):
            pieces.append(text[:_PIECE].ljust(_PIECE))
        length, odd, is_blank = length + len(text), odd + controls(text), is_blank and not text.strip(BLANKS)
        if not data:
            break
    if length <= LONG or odd > CONTROLS_PER_CHARACTER * length or is_blank:
        return None
    told = read_text(head.encode(), source.name)
    reading = Reading(
        told.title, told.mime, "", author=told.author, date=told.date, language=language_of("".join(pieces))
    )
    return LongText(source, seen.hexdigest(), length, reading)


def _stretches(file: BinaryIO) -> Iterator[tuple[str, str]]:
    """Yield the stretches of a text as they stand in its file, and with newlines at the ends of lines."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    raw, is_first, is_over = "", True, False
    while True:
        while not is_over and len(raw) <= 2 * LONGEST_STRETCH + 1:  # two signs may be one in the text
            data = file.read(_BLOCK)
            is_over = not data
            raw += decoder.decode(data, final=is_over)
        mark = len(_MARK) if is_first and raw.startswith(_MARK) else 0
        text = raw[mark:].replace("\r\n", "\n").replace("\r", "\n")
        if is_over and len(text) <= LONGEST_STRETCH:
            yield raw, text
            return
        end = stretch_end(text, 0)
        of_raw = mark + _length_of(raw[mark:], end)
        yield raw[:of_raw], text[:end]
        raw, is_first = raw[of_raw:], False


def _length_of(raw: str, end: int) -> int:
    """Return how many code points of a file make so many of its text."""
    more = 0
    for found in _TWO_SIGNS.finditer(raw):
        if found.start() - more >= end:
            break
        more += 1
    return end + more
