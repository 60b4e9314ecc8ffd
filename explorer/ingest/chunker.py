"""Chunks of a document: as many whole sentences of one page or section as fit, as exact offsets in its text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from explorer.errors import DocumentError
from explorer.ingest.readers.document_text import DocumentPart, Reading
from explorer.language.sentences import Unit, units

LONG = 2_000_000
"""Code points of a text beyond which it is cut, read and stored a stretch at a time."""
STRETCH, LONGEST_STRETCH = 400_000, 440_000
"""Code points of such a stretch: at least, and at most, so that it ends well."""

_SMALLEST, _LARGEST = 50, 20_000  # code points of a chunk


@dataclass(frozen=True, slots=True)
class ChunkSizes:
    """How a text is cut: chunks of at most `size` code points; whole sentences within `overlap` are repeated.

    Neither default was measured against others. Raises DocumentError for what can't be meant.
    """

    size: int = 1000
    overlap: int = 100

    def __post_init__(self) -> None:
        given: tuple[object, ...] = (self.size, self.overlap)  # by a caller's program
        whole = [isinstance(one, int) and not isinstance(one, bool) for one in given]
        if not whole[0] or not _SMALLEST <= self.size <= _LARGEST:
            raise DocumentError(
                f"chunk_size must be a whole number from {_SMALLEST} to {_LARGEST:,} characters, not {self.size!r}."
            )
        if not whole[1] or not 0 <= self.overlap <= self.size // 2:
            raise DocumentError(
                f"chunk_overlap must be a whole number from 0 to {self.size // 2:,}, half of chunk_size, "
                f"not {self.overlap!r}."
            )

    @classmethod
    def given(cls, size: int | None, overlap: int | None) -> ChunkSizes | None:
        """Return the sizes that a caller gave, None for none; the overlap is a tenth of the size by default."""
        if size is None:
            return None if overlap is None else cls(overlap=overlap)
        return cls(size, cls(size, 0).size // 10 if overlap is None else overlap)


USUAL = ChunkSizes()


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


def chunks(reading: Reading, size: int = 1000, overlap: int = 100) -> Iterator[TextChunk]:
    """Chunks of at most `size` code points; whole sentences within `overlap` are repeated from the last.

    A sentence longer than `size` is a longer chunk of its own; one longer than LONGEST_SENTENCE is cut.
    """
    slices: list[tuple[DocumentPart | None, int, int]] = [(part, part.start, part.end) for part in reading.parts]
    for part, start, end in slices or [(None, 0, len(reading.text))]:
        index = 1
        for span in stretches(reading.text, start, end):
            for chunk in chunks_between(reading.text, span, (size, overlap), index, part=part):
                yield chunk
                index = chunk.index + 1


def stretches(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of a part that are cut by themselves: all of it, unless it has more than LONG code points."""
    most = LONGEST_STRETCH if end - start > LONG else LONG
    while end - start > most:
        after = stretch_end(text, start)
        yield start, after
        start = after
    yield start, end


def stretch_end(text: str, start: int) -> int:
    """Return where the first stretch of a long text ends: at a blank line, else at the end of a line or a word.

    Nothing beyond LONGEST_STRETCH code points from its start is looked at.
    """
    first, last = start + STRETCH, start + LONGEST_STRETCH
    for mark in ("\n\n", "\n", " "):
        if (found := text.find(mark, first, last)) >= 0:
            return found + len(mark)
    return last


def chunks_between(
    text: str,
    span: tuple[int, int],
    sizes: tuple[int, int],
    first: int = 1,
    *,
    part: DocumentPart | None = None,
    offset: int = 0,
) -> Iterator[TextChunk]:
    """Yield the chunks of a stretch of a text, which begins at an offset in its document, counted from `first`.

    `sizes` are that of a chunk and of an overlap.
    """
    found = list(units(text, *span))
    owned = 0
    for index, (begin, after) in enumerate(_packed(found, *sizes), first):
        start, end = found[begin].start, found[after - 1].end
        own = found[max(begin, owned) : after]
        mine = tuple((unit.start + offset, unit.end + offset) for unit in own if unit.is_sentence)
        owned = after
        yield TextChunk(index, start + offset, end + offset, text[start:end], part, mine)


def _packed(units: list[Unit], size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Ranges of units, one a chunk: as many as fit, beginning with the last few of the range before."""
    first = fresh = 0
    while fresh < len(units):
        after = fresh + 1
        while after < len(units) and units[after].end - units[first].start <= size:
            after += 1
        yield first, after
        first = fresh = after
        while fresh < len(units) and first > 0:  # may the unit before be repeated?
            start = units[first - 1].start
            if units[fresh - 1].end - start > overlap or units[fresh].end - start > size:
                break
            first -= 1
