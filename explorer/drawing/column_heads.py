"""The heads of the columns in each drawing: what a search found, or what an agent did and got back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.drawing.columns import SETS, Column, Columns
from explorer.drawing.growing import AGENT, AGENT_HEADS_Y, HEADS_Y, of_cell, of_source
from explorer.drawing.looks import look

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from explorer.drawing.folding import Drawings

Words = tuple[float, float, str, str]  # of a column: x, y, words and alignment
Head = tuple[float, float, str, str, str, int]  # and the drawing, and the set of columns
_AGENT = {"why": "Why", "did": "What it did", "ran": "Ran inside", "came": "What came back", "read": "Read in passage"}
_GOALS = {"why": "Its parts", "did": "What to do"}
_INSET, _READ_Y = 3.0, 12.0  # from the left of a column to its head, and where that of what was read stands


def heads(drawings: Drawings, only: Iterable[str] | None = None) -> list[Head]:
    """Return the heads of the columns that hold something in drawings that grow, in all or in these."""
    return [(*head, level, number) for level in (drawings.kinds if only is None else only)
            for number, columns in enumerate(SETS) for head in _of(drawings, level, columns)]  # fmt: skip


def _of(drawings: Drawings, level: str, columns: Columns) -> Iterator[Words]:
    kinds = drawings.kinds[level]
    if not (drawings.is_agent and kinds & {"PatternDecision", "Analysis", "Observation"}):
        whole = "ChunkSelection" in kinds
        kept = "Passages kept, best first" if whole else ""
        if "EdgeSelection" in kinds:
            kept = "Kept" if whole else "Facts kept"
        yield from of_search(columns, kinds, HEADS_Y, kept, found="Passage" in kinds)
        return
    used = {name: of_cell(columns, name) for name in AGENT if any(look(one).column == name for one in kinds)}
    yield from of_agents_run(used, AGENT_HEADS_Y, goals=drawings.goals(level))
    if "Passage" in kinds and (column := of_source(columns, "Passage", beside=True)):
        yield from of_agents_run({"read": column}, _READ_Y)


def of_agents_run(used: Mapping[str, Column], y: float, *, goals: bool = False) -> Iterator[Words]:
    """Yield the heads of these columns of an agent's drawing; with `goals` it has a row for each of these."""
    words = _AGENT | (_GOALS if goals else {})
    return ((column.left + _INSET, y, words[name], "left") for name, column in used.items() if name in words)


def of_search(columns: Columns, kinds: Collection[str], y: float, kept: str, *, found: bool) -> Iterator[Words]:
    """Yield the heads of the columns of a search that hold these kinds.

    `kept` names what was kept, if anything was; with `found` a column of passages stands beside it.
    """
    if kept:
        yield columns.fact.left + _INSET, y, kept, "left"
    if found:
        yield columns.passage.left + _INSET, y, "Found in passage", "left"
    if columns.page and not {"Page", "Section"}.isdisjoint(kinds):
        yield columns.page.middle, y, part_head(kinds), "center"
    if "Document" in kinds:
        yield columns.document.middle, y, "Document", "center"


def part_head(kinds: Collection[str]) -> str:
    """Name the column of the parts of documents, by the kinds of those that stand in it."""
    return "On page" if "Section" not in kinds else "Page, section" if "Page" in kinds else "In section"
