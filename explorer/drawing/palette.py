"""What each kind of node looks like: one table for the live graph, its legend, its list and the breadcrumb.

Hue says the role, outline and sign say the kind, and a word says it once more: colour never stands alone.
Colours are (fill, text, border); lengths are CSS pixels at scale 1.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from explorer.drawing.labels import SIGNS, WORDS
from explorer.drawing.lanes import DOCUMENT_X

Colours = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Look:
    """The looks of one kind: its outline, and its colours in both themes."""

    light: Colours
    dark: Colours
    shape: str = "box"
    radius: int = 3
    border: float = 1.3
    dashes: tuple[int, int] | None = None
    stacked: bool = False
    size: int = 0
    solid: bool = False


_STEP: tuple[Colours, Colours] = (("#dcecf8", "#0d2f48", "#2a76ab"), ("#143248", "#d3eafa", "#4f9fd4"))
_AGENT: tuple[Colours, Colours] = (("#f5e3ef", "#4a1238", "#a8487f"), ("#41203a", "#f8dced", "#cf7aae"))
_RESULT: tuple[Colours, Colours] = (("#dbf1e8", "#0b3b2b", "#16825d"), ("#10392b", "#cdf2e2", "#3fb98c"))
_GREY: tuple[Colours, Colours] = (("#ffffff", "#4a4a4a", "#808080"), ("#1c1c1c", "#c4c4c4", "#8c8c8c"))
_PAGE: tuple[Colours, Colours] = (("#d6d6d6", "#222222", "#6f6f6f"), ("#6a6a6a", "#ececec", "#b5b5b5"))

LOOKS: dict[str, Look] = {
    "Question": Look(("#0b5a8f", "#ffffff", "#083f65"), ("#4ba3dc", "#06131d", "#9fd3f7"),
                     radius=18, solid=True),
    "Grounding": Look(*_STEP),
    "Concept": Look(("#ffffff", "#0d2f48", "#2a76ab"), ("#111111", "#d3eafa", "#4f9fd4"),
                    radius=12),
    "Exploration": Look(*_STEP),
    "NotKept": Look(*_GREY, dashes=(4, 3), stacked=True),
    "Focus": Look(*_STEP, border=2.5),
    "EdgeSelection": Look(("#fdeecb", "#3d2a00", "#a86e00"), ("#43320a", "#fdeac0", "#d9a02b"),
                          radius=12),
    "Passage": Look(("#ffffff", "#222222", "#6f6f6f"), ("#2b2b2b", "#ececec", "#9a9a9a"),
                    radius=0),
    "Page": Look(*_PAGE, shape="square", size=9),
    "Section": Look(*_PAGE, shape="square", size=9),
    "Image": Look(*_PAGE, shape="square", size=9),
    "Chunk": Look(("#ffffff", "#222222", "#6f6f6f"), ("#2b2b2b", "#ececec", "#9a9a9a"),
                  radius=0),
    "Subgraph": Look(("#ffffff", "#222222", "#6f6f6f"), ("#2b2b2b", "#ececec", "#9a9a9a"),
                     radius=0),
    "Document": Look(("#5f6b73", "#222222", "#3f484e"), ("#a3b0b8", "#ececec", "#d0d8dd"),
                     shape="hexagon", size=11, solid=True),
    "ChunkSelection": Look(("#fdeecb", "#3d2a00", "#a86e00"), ("#43320a", "#fdeac0", "#d9a02b"),
                           radius=12),
    "PatternDecision": Look(*_AGENT),
    "Plan": Look(*_AGENT, radius=0),
    "Decomposition": Look(*_AGENT, radius=0),
    "Analysis": Look(*_AGENT, border=2),
    "Thought": Look(("#fcf5fa", "#4a1238", "#a8487f"), ("#2a1a26", "#f8dced", "#cf7aae"),
                    radius=12, dashes=(2, 3)),
    "Reflection": Look(("#fcf5fa", "#4a1238", "#a8487f"), ("#2a1a26", "#f8dced", "#cf7aae"),
                       radius=12, dashes=(2, 3)),
    "Observation": Look(*_RESULT),
    "StepResult": Look(*_RESULT),
    "Finding": Look(*_RESULT, radius=12),
    "Conclusion": Look(("#0b6b4b", "#ffffff", "#064a33"), ("#4cc79a", "#04150e", "#a5ebcf"),
                       border=2, solid=True),
    "Synthesis": Look(("#0b6b4b", "#ffffff", "#064a33"), ("#4cc79a", "#04150e", "#a5ebcf"),
                      border=2, solid=True),
    "Failure": Look(("#fde3da", "#6d1f00", "#c8460a"), ("#4d1c0a", "#ffdccd", "#f0794a"),
                    border=2.5, dashes=(7, 3)),
    "Unknown": Look(*_GREY, radius=0),
}  # fmt: skip

STAND_INS: dict[str, tuple[str, str, Look]] = {  # word, sign and looks of what stands for a goal or a whole run
    "Goal": ("To do", "▹", Look(*_AGENT, radius=0)),
    "Run": ("Folded run", "⊞", Look(*_STEP, stacked=True)),
    "Folded": ("Folded", "⊞", Look(*_STEP, stacked=True)),
}

THEMES: dict[str, dict[str, str]] = {
    "light": {"canvas": "#ffffff", "dim": "#646464", "edge": "#8a8a8a", "faint": "#d4d4d4", "lit": "#1976d2",
              "second": "#5c5c5c"},
    "dark": {"canvas": "#111111", "dim": "#9c9c9c", "edge": "#7d7d7d", "faint": "#383838", "lit": "#64b5f6",
             "second": "#b0b0b0"},
}  # fmt: skip


def look(kind: str) -> Look:
    """Give the looks of a kind; those of "Unknown" for one the table does not name."""
    return STAND_INS[kind][2] if kind in STAND_INS else LOOKS.get(kind, LOOKS["Unknown"])


def table() -> dict[str, object]:
    """Give the whole table as plain data, for the page; `width` is that of all columns."""
    kinds = {kind: {"word": WORDS[kind], "sign": SIGNS[kind], **asdict(one)} for kind, one in LOOKS.items()}
    kinds |= {kind: {"word": word, "sign": sign, **asdict(one)} for kind, (word, sign, one) in STAND_INS.items()}
    return {"kinds": kinds, "themes": THEMES, "width": DOCUMENT_X + 54}
