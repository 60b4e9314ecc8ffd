"""The kinds of nodes: one line each with its word, its sign, its heading, its looks, its place and its part in a run.

Hue shows the role, outline and sign show the kind, and a word names it once more: colour never stands alone. Colours
are (fill, text, border), once for light and once for dark; lengths are CSS pixels at scale 1.
"""

from __future__ import annotations

from dataclasses import dataclass

Colours = tuple[str, str, str]
Looks = tuple[Colours, Colours]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of node; an empty `term` or `record` stands for the kind's own name.

    `term` is the record's term as words, `record` the same as the record spells it. `styles` are those of its lines in
    the live graph: k kind, b bold, n normal, s small; each + is one more line. `column` is the one that it makes the
    heading of in the drawing of an agent; what has none of its own stands under "did". A `size` makes it a point.
    `verb` is what its author did. A `stage` is one of the steps of a search, which lead from one to the next; an `end`
    is the last node of a run. A `source` is what facts and passages rest on, and `read` what was read: a document or a
    part of it. `within` is the kind with which it shares an entry of the legend.
    """

    word: str
    sign: str
    looks: Looks
    heading: str = ""
    term: str = ""
    record: str = ""
    width: int = 176
    column: str = ""
    styles: tuple[str, ...] = ("k", "n")
    shape: str = "box"
    radius: int = 3
    border: float = 1.3
    dashes: tuple[int, int] | None = None
    stacked: bool = False
    size: int = 0
    solid: bool = False
    verb: str = "done"
    stage: bool = False
    end: bool = False
    source: bool = False
    read: bool = False
    within: str = ""

    @property
    def light(self) -> Colours:
        """Its colours on a light ground."""
        return self.looks[0]

    @property
    def dark(self) -> Colours:
        """Its colours on a dark ground."""
        return self.looks[1]


_STEP: Looks = (("#dcecf8", "#0d2f48", "#2a76ab"), ("#143248", "#d3eafa", "#4f9fd4"))
_ASKED: Looks = (("#0b5a8f", "#ffffff", "#083f65"), ("#4ba3dc", "#06131d", "#9fd3f7"))
_IDEA: Looks = (("#ffffff", "#0d2f48", "#2a76ab"), ("#111111", "#d3eafa", "#4f9fd4"))
_FACT: Looks = (("#fdeecb", "#3d2a00", "#a86e00"), ("#43320a", "#fdeac0", "#d9a02b"))
_WORDS: Looks = (("#ffffff", "#222222", "#6f6f6f"), ("#2b2b2b", "#ececec", "#9a9a9a"))
_PAGE: Looks = (("#d6d6d6", "#222222", "#6f6f6f"), ("#6a6a6a", "#ececec", "#b5b5b5"))
_FILE: Looks = (("#5f6b73", "#222222", "#3f484e"), ("#a3b0b8", "#ececec", "#d0d8dd"))
_AGENT: Looks = (("#f5e3ef", "#4a1238", "#a8487f"), ("#41203a", "#f8dced", "#cf7aae"))
_THOUGHT: Looks = (("#fcf5fa", "#4a1238", "#a8487f"), ("#2a1a26", "#f8dced", "#cf7aae"))
_RESULT: Looks = (("#dbf1e8", "#0b3b2b", "#16825d"), ("#10392b", "#cdf2e2", "#3fb98c"))
_ANSWER: Looks = (("#0b6b4b", "#ffffff", "#064a33"), ("#4cc79a", "#04150e", "#a5ebcf"))
_BROKEN: Looks = (("#fde3da", "#6d1f00", "#c8460a"), ("#4d1c0a", "#ffdccd", "#f0794a"))
_GREY: Looks = (("#ffffff", "#4a4a4a", "#808080"), ("#1c1c1c", "#c4c4c4", "#8c8c8c"))

KINDS: dict[str, Kind] = {  # in the order in which they come in a run
    "Question": Kind("Question", "?", _ASKED, "Question", styles=("k", "n+"), radius=18, solid=True),
    "PatternDecision": Kind("Way of working", "▷", _AGENT, "Pattern: the way of working", "Pattern", width=182,
                            verb="chosen"),
    "Grounding": Kind("Key ideas", "○", _STEP, "Grounding: the key ideas", verb="picked out", stage=True),
    "Concept": Kind("Key idea", "", _IDEA, "Key idea", record="concept", styles=("s",), radius=12,
                    within="Grounding"),
    "Exploration": Kind("Looked at", "◎", _STEP, "Exploration: what was looked at", verb="looked up", stage=True),
    "NotKept": Kind("Not kept", "⊕", _GREY, "Looked at, not kept", "Not kept", "Candidate",
                    width=196, dashes=(4, 3), stacked=True),
    "Focus": Kind("Kept", "◉", _STEP, "Focus: what was kept, and why", styles=("k", "b"), border=2.5,
                  stage=True),
    "EdgeSelection": Kind("Fact", "◆", _FACT, width=278, styles=("b", "n"), radius=12),
    "Passage": Kind("Passage", "❝", _WORDS, "Passage", width=184, styles=("n", "s"), radius=0, source=True),
    "Page": Kind("Page", "▫", _PAGE, styles=("s",), shape="square", size=9, source=True, read=True),
    "Section": Kind("Section", "▫", _PAGE, styles=("s",), shape="square", size=9, source=True, read=True),
    "Image": Kind("Picture", "▫", _PAGE, "Image: a picture in a document", shape="square", size=9, read=True),
    "Chunk": Kind("Chunk", "❝", _WORDS, "Chunk: a piece of a document", radius=0, read=True),
    "Subgraph": Kind("Facts of a passage", "◇", _WORDS, "Subgraph: facts taken from one place", radius=0),
    "Document": Kind("Document", "⬢", _FILE, "Document: a source that was read", styles=("s",),
                     shape="hexagon", size=11, solid=True, source=True, read=True),
    "ChunkSelection": Kind("Passage kept", "◆", _FACT, width=278, radius=12),
    "Plan": Kind("Plan", "☰", _AGENT, "Plan: the steps to take", width=216, column="why", radius=0, verb="planned"),
    "Decomposition": Kind("Split into parts", "▽", _AGENT, "Decomposition: the parts",
                          width=216, column="why", radius=0, verb="split"),
    "Analysis": Kind("Step", "▶", _AGENT, "Analysis: one step", width=182, column="did", border=2, verb="chosen"),
    "Thought": Kind("Thought", "…", _THOUGHT, "Thought: what it said to itself",
                    width=216, column="why", radius=12, dashes=(2, 3), verb="said"),
    "Reflection": Kind("Thought", "…", _THOUGHT, "Reflection: what it said to itself",
                       width=216, column="why", radius=12, dashes=(2, 3), verb="said"),
    "Observation": Kind("Result", "◀", _RESULT, "Observation: what came back", width=236, column="came"),
    "StepResult": Kind("Step result", "✓", _RESULT, "Step result: what came of it", "Step result",
                       width=236, column="came"),
    "Finding": Kind("Finding", "◈", _RESULT, "Finding: what was found for a part",
                    width=236, column="came", radius=12),
    "Synthesis": Kind("Answer", "★", _ANSWER, "Synthesis: the answer", styles=("k", "b+"), border=2, solid=True,
                      stage=True, end=True),
    "Conclusion": Kind("Answer", "★", _ANSWER, "Conclusion: the answer", width=182, border=2, solid=True,
                       end=True),
    "Failure": Kind("Broken off", "✕", _BROKEN, record="Error", styles=("k", "n+"), border=2.5, dashes=(7, 3),
                    end=True),
    "Unknown": Kind("Step", "·", _GREY, styles=("k", "n+"), radius=0),
    # what a drawing adds: nodes that stand for a goal, a run within a run, and what is too much for one drawing
    "Goal": Kind("To do", "▹", _AGENT, "What is to be done", width=182, column="did", radius=0),
    "Run": Kind("Folded run", "⊞", _STEP, "Folded run", width=164, column="ran", stacked=True),
    "Folded": Kind("Folded", "⊞", _STEP, "Folded: too much for one drawing", width=216, stacked=True),
}  # fmt: skip
STAND_INS = ("Goal", "Run", "Folded")
STAGES = tuple(name for name, it in KINDS.items() if it.stage)
SOURCES = tuple(name for name, it in KINDS.items() if it.source)
ASKED_OF_AGENT = 216  # the width of an agent's question

THEMES: dict[str, dict[str, str]] = {
    "light": {"canvas": "#ffffff", "dim": "#646464", "edge": "#8a8a8a", "faint": "#d4d4d4", "lit": "#1976d2",
              "second": "#5c5c5c"},
    "dark": {"canvas": "#111111", "dim": "#9c9c9c", "edge": "#7d7d7d", "faint": "#383838", "lit": "#64b5f6",
             "second": "#b0b0b0"},
}  # fmt: skip
_IN_PAGE = ("word", "sign", "light", "dark", "shape", "radius", "border", "dashes", "stacked", "size", "solid", "stage",
            "end", "source", "within")  # fmt: skip


def kind(name: str) -> Kind:
    """Return a kind; that of "Unknown" for one the table does not name."""
    return KINDS.get(name, KINDS["Unknown"])


def term(name: str) -> str:
    """Return the record's term for a kind of node as words."""
    return kind(name).term or name


def table(width: float) -> dict[str, object]:
    """Return the looks of all kinds as plain data, for the page; `width` is that of all columns."""
    kinds = {name: {key: getattr(it, key) for key in _IN_PAGE} for name, it in KINDS.items()}
    return {"kinds": kinds, "themes": THEMES, "width": width}
