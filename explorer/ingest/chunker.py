"""Chunks of a document: as many whole sentences of one page or section as fit, as exact offsets in its text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from explorer.errors import DocumentError
from explorer.ingest.readers.reading import DocumentPart, Reading
from explorer.language.sentences import Unit, units

_SMALLEST, _LARGEST = 50, 20_000  # code points of a chunk


@dataclass(frozen=True, slots=True)
class ChunkSizes:
    """How a text is cut: chunks of at most `size` code points; whole sentences within `overlap` are repeated.

    Neither default was measured against others. Raises DocumentError for what can't be meant.
    """

    size: int = 1000
    overlap: int = 100

    def __post_init__(self) -> None:
        """Refuse what can't be meant."""
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
