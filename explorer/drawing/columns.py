"""The columns of a drawing that is read from the answer, in three widths; a page takes the widest that it has room for.

Lengths are CSS pixels at scale 1, as in `layout`. Between two columns there is a gutter, where arcs turn.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """Where a column begins, and its width."""

    left: float
    width: float

    @property
    def middle(self) -> float:
        """Its middle."""
        return self.left + self.width / 2

    @property
    def right(self) -> float:
        """Where it ends."""
        return self.left + self.width


@dataclass(frozen=True, slots=True)
class Columns:
    """One set of columns; without one for pages these stand in the second line of a passage.

    `named` says whether there is room for the title below a document; without it the passages say that too.
    """

    step: Column
    fact: Column
    passage: Column
    page: Column | None
    document: Column
    named: bool = True

    @property
    def width(self) -> float:
        """Of all columns."""
        return self.document.right

    @property
    def passages(self) -> Column:
        """The column of passages where no facts stand before them."""
        return Column(self.fact.left, self.passage.right - self.fact.left)

    @property
    def rooms(self) -> dict[str, float]:
        """How wide the names may be that stand below pages and documents."""
        part = self.page.width if self.page else 0.0
        return {"Page": part, "Section": part, "Document": self.document.width if self.named else 0.0}


SETS = (
    Columns(Column(0, 126), Column(144, 160), Column(322, 128), None, Column(464, 22), named=False),
    Columns(Column(0, 140), Column(164, 210), Column(398, 170), None, Column(588, 88)),
    Columns(Column(0, 150), Column(176, 240), Column(442, 190), Column(652, 80), Column(752, 100)),
)
