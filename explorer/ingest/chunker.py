"""Chunks of a document: as many whole sentences of one page or section as fit, as exact offsets in its text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from explorer.ingest.readers.reading import DocumentPart, Reading
from explorer.language.sentences import Unit, units


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
    if size < 1 or not 0 <= overlap < size:
        raise ValueError(f"size must be positive and overlap smaller than it, not {size} and {overlap}")
    slices: list[tuple[DocumentPart | None, int, int]] = [(part, part.start, part.end) for part in reading.parts]
    for part, start, end in slices or [(None, 0, len(reading.text))]:
        found = list(units(reading.text, start, end))
        owned = 0
        for index, (first, after) in enumerate(_packed(found, size, overlap), 1):
            begin, finish = found[first].start, found[after - 1].end
            mine = tuple((unit.start, unit.end) for unit in found[max(first, owned) : after] if unit.is_sentence)
            owned = after
            yield TextChunk(index, begin, finish, reading.text[begin:finish], part, mine)


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
