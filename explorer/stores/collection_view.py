"""A view: which part of a collection is read. Each store has one, and engines read a part as they read the whole.

Nothing is written. How rare a word is counts in the whole collection, so that what is there is scored as before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, Self

from explorer.events import Passage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class RowSet:
    """Rows of a table by their numbers: all but these, or these alone."""

    numbers: frozenset[int] = frozenset()
    alone: bool = False

    def __contains__(self, number: int) -> bool:
        return (number in self.numbers) is self.alone

    def less(self, numbers: Iterable[int]) -> RowSet:
        """Return these rows without some."""
        gone = frozenset(numbers)
        return RowSet(self.numbers - gone if self.alone else self.numbers | gone, self.alone)

    def mask(self, numbers: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Return which of some numbers are among them."""
        import numpy as np

        there: NDArray[np.bool_] = np.isin(numbers, [*self.numbers], invert=not self.alone)
        return there


EVERY_ROW = RowSet()


class MaskedVector(NamedTuple):
    """The vector of the words that a chunk has left: its key and row, and the text that it stands for."""

    key: str
    number: int
    text: str
    vector: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class View:
    """What is read: of some documents alone, if any are named, what is not left out.

    Left out are the keys of `facts`, `entities`, and whole `chunks`. `spans` of words, by document, count in its text;
    `masked` has the text of each chunk that lost words but not all, with blanks, so that offsets stay, and `numbers`
    their rows. `iris` were named. `rows` tells which rows of a kind of vectors are in it, or by the name "text" which
    chunks; `vectors` are those of the masked chunks.
    """

    documents: frozenset[str] = frozenset()
    facts: frozenset[str] = frozenset()
    entities: frozenset[str] = frozenset()
    chunks: frozenset[str] = frozenset()
    iris: frozenset[str] = frozenset()
    spans: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)
    masked: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, int] = field(default_factory=dict)
    rows: Callable[[str], RowSet] = lambda _: EVERY_ROW
    vectors: Callable[[], Sequence[MaskedVector]] = tuple

    @property
    def leaves_out(self) -> bool:
        """Whether it leaves anything out of its documents."""
        return bool(self.facts or self.iris)

    def blank(self, text: str, document: str, start: int) -> str:
        """Return a text that begins at `start` of a document, with blanks for what is left out of it."""
        for begin, end in self.spans.get(document, ()):
            first, last = max(0, begin - start), min(len(text), end - start)
            if first < last:
                text = text[:first] + " " * (last - first) + text[last:]
        return text

    def is_whole(self, chunk: str, start: int, words: str) -> bool:
        """Return whether words that begin at `start` of a chunk are all there."""
        text = self.masked.get(chunk)
        return chunk not in self.chunks and (text is None or text[start : start + len(words)] == words)

    def read(self, passages: tuple[Passage, ...]) -> tuple[Passage, ...]:
        """Return what is left of passages; one without a word is none."""
        if self.documents:
            passages = tuple(one for one in passages if one.document in self.documents)
        if not self.leaves_out:
            return passages
        left = (
            one if one.document not in self.spans else replace(
                one, text=self.blank(one.text, one.document, one.start),
                before=self.blank(one.before, one.document, one.start - len(one.before)),
                after=self.blank(one.after, one.document, one.end),
            ) for one in passages
        )  # fmt: skip
        return tuple(one for one in left if WORD.search(one.text) or not (one.text or one.until is None))


EVERYTHING = View()


class Viewed:
    """A store that reads what its view shows."""

    view: View = EVERYTHING

    def within(self, view: View) -> Self:
        """Return the store of the same rows in another view; what was read or counted of all of them is shared."""
        part = copy(self)
        part.view = view
        return part
