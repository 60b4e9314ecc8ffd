"""The heads of the columns in each drawing: what a search found, or what an agent did and got back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.drawing.layout import (
    AGENT_HEADS_Y,
    AGENT_SOURCE_X,
    COLUMNS,
    DOCUMENT_X,
    FACT_X,
    HEADS_Y,
    PART_X,
    PASSAGE_X,
    width_of,
)
from explorer.drawing.looks import look

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from explorer.drawing.folding import Drawings

Head = tuple[float, float, str, str, str]
_FACTS, _PASSAGES = FACT_X - width_of("EdgeSelection") / 2 + 3, PASSAGE_X - width_of("Passage") / 2 + 3
_AGENT = {"why": "Why", "did": "What it did", "ran": "Ran inside", "came": "What came back", "read": "Read in passage"}
_GOALS = {"why": "Its parts", "did": "What to do"}


def named(*, goals: bool) -> list[tuple[str, str]]:
    """Return the columns of an agent's drawing with their heads; with `goals` it has a row for each of these."""
    return [*(_AGENT | (_GOALS if goals else {})).items()]


def heads(drawings: Drawings, only: Iterable[str] | None = None) -> list[Head]:
    """Return x, y, words, alignment and drawing of each column that holds something, in all drawings or in these."""
    return [head for level in (drawings.kinds if only is None else only)
            for head in _of(drawings, level, drawings.kinds[level])]  # fmt: skip


def _of(drawings: Drawings, level: str, kinds: set[str]) -> list[Head]:
    if drawings.is_agent and kinds & {"PatternDecision", "Analysis", "Observation"}:
        found: list[Head] = [(COLUMNS[column] + 3, AGENT_HEADS_Y, words, "left", level)
                            for column, words in named(goals=drawings.goals(level))
                            if any(look(one).column == column for one in kinds)]  # fmt: skip
        if "Passage" in kinds:
            found.append(
                (AGENT_SOURCE_X["Passage"] - width_of("Passage") / 2 + 3, 12.0, "Read in passage", "left", level)
            )
        return found
    facts = "Kept" if "ChunkSelection" in kinds else "Facts kept"
    passages = set() if "EdgeSelection" in kinds else {"ChunkSelection"}
    columns = (
        ({"EdgeSelection"}, _FACTS, facts, "left"),
        (passages, _FACTS, "Passages kept, best first", "left"),
        ({"Passage"}, _PASSAGES, "Found in passage", "left"),
        ({"Page", "Section"}, PART_X, part_head(kinds), "center"),
        ({"Document"}, DOCUMENT_X, "Document", "center"),
    )
    return [(x, HEADS_Y, words, align, level) for needs, x, words, align in columns if kinds & needs]


def part_head(kinds: Collection[str]) -> str:
    """Name the column of the parts of documents, by the kinds of those that stand in it."""
    return "On page" if "Section" not in kinds else "Page, section" if "Page" in kinds else "In section"
